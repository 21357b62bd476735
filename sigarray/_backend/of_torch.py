"""PyTorch's differences from the array API; imported only for its tensors."""

import contextlib
import contextvars
import functools
import importlib.util
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager
from types import ModuleType
from typing import Any

import numpy as np
import torch

from sigarray._backend.callers import Array, Seed
from sigarray._backend.checks import describe
from sigarray._backend.library import Library, elements_of_memory

# Devices with contexts that may lower the precision.
_AUTOCASTING = ("cpu", "cuda", "mps", "xpu")
# Chunks of this size keep the threads of the processor busy.
_CHUNK_ELEMENTS_CPU = 2**19
_UNBOUNDED = 2**62
_MAY_DRAW = contextvars.ContextVar("may_draw", default=True)


class TorchLibrary(Library):
    has_process_groups = True

    def __init__(self, namespace: ModuleType, device: torch.device) -> None:
        super().__init__(namespace, device)
        self.is_processor = device.type == "cpu"
        self.is_accelerator = device.type != "cpu"
        self.has_no_numbers = device.type == "meta"

    @property
    def word_dtype(self) -> Any:
        # uint32 has neither add nor shift (pytorch/pytorch#58734); int32 wraps around
        # with the same bits.
        return torch.int32

    @property
    def chunk_elements(self) -> int:
        if self.has_no_numbers:
            return _UNBOUNDED
        if self.is_processor:
            return _CHUNK_ELEMENTS_CPU
        return elements_of_memory(_memory_of(self.device))

    def draw_seed(self, rng: Any) -> Seed | None:
        if not _MAY_DRAW.get():
            msg = (
                f"Expected rng to be an int, or an integer tensor of the device, under "
                f"torch.compile; got {describe(rng)}. A "
                f"tensor, torch.tensor(0) or one of two words, may be another in every "
                f"call, and nothing is compiled again."
            )
            raise TypeError(msg)
        if not isinstance(rng, torch.Generator):
            return None
        device = self._check(rng.device, "a generator", "with torch.Generator(")
        words = torch.randint(
            -(2**31), 2**31, (2,), dtype=torch.int32, device=device, generator=rng
        )
        return words[:1], words[1:]

    def check_place(self, rng: Array) -> None:
        self._check(rng.device, "an integer rng", "there: torch.tensor(0, ")

    def _check(self, place: torch.device, what: str, call: str) -> torch.device:
        """Return the device of the scores; raise if a source of seeds is elsewhere."""
        device = self.device
        device = torch.get_default_device() if device is None else torch.device(device)
        # A device without an index is the current one of its type.
        places = {device.index, place.index} - {None}
        if place.type != device.type or len(places) > 1:
            msg = (
                f"Expected {what} on {device}, where the scores are; got one on "
                f"{place}. Make it {call}device={str(device)!r})."
            )
            raise ValueError(msg)
        return device

    def draw_fused(self, seed: Seed, kind: int, numbers: list[int]) -> Array | None:
        low, high = seed
        if low.device.type != "cuda" or not has_triton(low.device):
            return None
        from sigarray._backend.fused_torch import draw

        return draw(low, high, kind, numbers)

    def modes_off(self) -> AbstractContextManager[Any]:
        return _without_autocast()

    def matrix_product(self, a: Array, b: Array) -> Array:
        # Ambient modes lower the precision of float32 (TF32, bfloat16).
        a_wide, b_wide = (x.to(self.widest_float) for x in (a, b))
        return torch.matmul(a_wide, b_wide).to(a.dtype)

    def reciprocal(self, x: Array) -> Array:
        return torch.reciprocal(x)

    def contiguous(self, x: Array) -> Array:
        return x.contiguous()

    def upload(self, x: np.ndarray) -> Array:
        # Behind what the device has to do yet, for which nothing waits.
        return torch.from_numpy(x).to(self.device, non_blocking=True)

    def ends(self, x: Array) -> tuple[Array, Array]:
        # One launch, but on a processor three to thirty times as slow.
        return x.aminmax(dim=-1) if self.is_accelerator else super().ends(x)

    def count_places(self, places: Array, n: int) -> Array:
        # Sums of ones are exact in any order, which torch cannot know.
        if torch.are_deterministic_algorithms_enabled():
            return super().count_places(places, n)
        counts = torch.zeros(
            (places.shape[0], n), dtype=places.dtype, device=places.device
        )
        return counts.scatter_add(1, places, torch.ones_like(places))

    def nth_smallest(self, x: Array, n: int) -> Array:
        if _refuses_kthvalue(x):
            return super().nth_smallest(x, n)
        return x.kthvalue(n, dim=-1, keepdim=True).values

    def take(self, x: Array, indices: Array, *, axis: int = 0) -> Array:
        # The namespace looks for negative indices; one axis is four times faster.
        if x.numel() == x.shape[axis]:
            shape = list(x.shape)
            shape[axis] = indices.shape[0]
            flat = torch.index_select(torch.reshape(x, (-1,)), 0, indices)
            return torch.reshape(flat, shape)
        return torch.index_select(x, axis, indices)

    def take_along_axis(self, x: Array, indices: Array, *, axis: int = -1) -> Array:
        # The namespace looks for negative indices, in four launches.
        if x.shape == indices.shape:
            return torch.gather(x, axis, indices)
        return self.namespace.take_along_axis(x, indices, axis=axis)

    def cumulative_maximum(self, x: Array) -> Array:
        return x.cummax(dim=-1).values


@contextlib.contextmanager
def without_fresh_seeds() -> Iterator[None]:
    """Refuse seeds that a compiled program would not redraw: see `compiling`."""
    token = _MAY_DRAW.set(False)
    try:
        yield
    finally:
        _MAY_DRAW.reset(token)


def _refuses_kthvalue(x: Array) -> bool:
    """Tell whether torch may refuse kthvalue as not deterministic: before 2.10."""
    return bool(x.device.type != "cpu" and torch.are_deterministic_algorithms_enabled())


@functools.cache
def _memory_of(device: torch.device) -> int | None:
    # Without CUDA, the device is a fake one.
    if device.type != "cuda" or not torch.cuda.is_available():
        return None
    return int(torch.cuda.get_device_properties(device).total_memory)


@contextlib.contextmanager
def _without_autocast() -> Iterator[None]:
    # A context of a device turns autocast off only for that device.
    kinds = [kind for kind in _AUTOCASTING if torch.is_autocast_enabled(kind)]
    with contextlib.ExitStack() as stack:
        for kind in kinds:
            stack.enter_context(torch.autocast(kind, enabled=False))
        yield


@functools.cache
def has_triton(device: torch.device) -> bool:
    """Tell whether Triton can compile and launch the kernel on a CUDA device."""
    if importlib.util.find_spec("triton") is None or not torch.cuda.is_available():
        return False
    if torch.cuda.get_device_capability(device) < (7, 0):
        return False
    from sigarray._backend.fused_torch import draw

    words = torch.zeros(1, dtype=torch.int32, device=device)
    try:
        draw(words, words, 0, [0, 1, 2, 0, 1, 0])
    except Exception as error:  # no C compiler, no place for a cache, ...
        msg = (
            f"Triton cannot launch a kernel, and array code takes its place, which is "
            f"slower and gives the same numbers: {error}"
        )
        warnings.warn(msg, RuntimeWarning, stacklevel=2)
        return False
    return True
