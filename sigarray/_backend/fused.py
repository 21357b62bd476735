"""Random words, uniforms and places in one launch, if a device has a kernel of ours.

The array code, which is the reference, takes some 70 launches. On CUDA tensors of torch
the kernel is Triton's, which comes with torch; on CuPy it is CUDA C. XLA needs none: it
fuses the array code.
"""

import functools
import importlib.util
import warnings
from typing import Literal

from sigarray._backend.aliases import Array, Device, Seed
from sigarray._backend.library import Library

Kind = Literal["words", "uniforms", "places"]

# The numbers of these kinds in the kernels.
_KINDS = {"words": 0, "uniforms": 1, "places": 2}


def draw_fused(
    xp: Library,
    seed: Seed,
    kind: Kind,
    start: int | Array,
    count: int,
    width: int,
    *,
    halves: bool = False,
    size: int = 1,
    first_block: int = 0,
) -> Array | None:
    """Draw for replicates `start`, ..., or return None if there is no kernel.

    Words are those of `random_words`, or, from halves, those of `overlapping_words`;
    uniforms are those of `random_uniforms`, and places are below `size`. The shape is
    (count, K, width) for K streams, or (count, width).
    """
    if not isinstance(start, int) or width == 0:
        return None
    numbers = [start, count, width, int(halves), size, first_block]
    flat = xp.draw_fused(seed, _KINDS[kind], numbers)
    if flat is None:
        return None
    return xp.reshape(flat, (count, *seed[0].shape[:-1], width))


@functools.cache
def has_triton(device: Device) -> bool:
    """Tell whether Triton can compile and launch the kernel on a CUDA device."""
    import torch

    if importlib.util.find_spec("triton") is None or not torch.cuda.is_available():
        return False
    if torch.cuda.get_device_capability(device) < (7, 0):
        return False
    from sigarray._backend.fused_torch import draw

    words = torch.zeros(1, dtype=torch.int32, device=device)
    try:
        draw(words, words, _KINDS["words"], [0, 1, 2, 0, 1, 0])
    except Exception as error:  # no C compiler, no place for a cache, ...
        msg = (
            f"Triton cannot launch a kernel, and array code takes its place, which is "
            f"slower and gives the same numbers: {error}"
        )
        warnings.warn(msg, RuntimeWarning, stacklevel=2)
        return False
    return True
