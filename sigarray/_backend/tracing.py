"""Torch's compiler and maps, without importing torch."""

import sys
from collections.abc import Sequence
from typing import Any

from sigarray._backend.aliases import Array

# Where torch is imported first, its compiler need not trace `sys.modules`, of which it
# makes an object for each module.
_TORCH = sys.modules.get("torch")


def is_traced_by_torch() -> bool:
    torch = _TORCH or sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def is_watched_by_torch() -> bool:
    """Tell whether torch would itself trace functions that are called here."""
    frames = sys.modules.get("torch._C._dynamo.eval_frame")
    callback = getattr(frames, "get_eval_frame_callback", lambda: None)()
    return callback is not None and callback is not False


def list_entries(
    info: Any, dims: Sequence[int | None], arrays: Sequence[Array]
) -> list[tuple[Array, ...]]:
    """Return tensors of each entry of a `torch.func.vmap`, for an operator's rule."""
    if info.batch_size == 0:
        return []  # torch cannot unbind an empty axis while it traces
    parts = [
        [x] * info.batch_size if dim is None else x.unbind(dim)
        for x, dim in zip(arrays, dims, strict=True)
    ]
    return list(zip(*parts, strict=True))
