"""CuPy's differences from the array API."""

import functools
from types import ModuleType
from typing import Any

from sigarray._backend.aliases import Array, Seed
from sigarray._backend.library import Library, elements_of_memory

_HALF_BITS = 16


class CupyLibrary(Library):
    """The namespace of array-api-compat for CuPy's arrays."""

    is_accelerator = True

    @property
    def chunk_elements(self) -> int:
        return elements_of_memory(_memory_of(self.device.id))

    def draw_seed(self, rng: Any) -> Seed | None:
        kind = type(rng)
        if (kind.__module__.partition(".")[0], kind.__name__) != ("cupy", "Generator"):
            return None
        # By halves: before 14.2 the whole range was read from uninitialized memory
        # (cupy/cupy#9745).
        halves = rng.integers(0, 2**_HALF_BITS, size=4, dtype=self.uint32)
        words = halves[:2] << _HALF_BITS | halves[2:]
        return words[:1], words[1:]

    def draw_fused(self, seed: Seed, kind: int, numbers: list[int]) -> Array | None:
        import cupy

        if not hasattr(cupy, "RawKernel"):  # in a stand-in
            return None
        from sigarray._backend.fused_cupy import draw

        return draw(*seed, kind, numbers)

    def nth_smallest(self, x: Array, n: int) -> Array:
        return self.partition(x, n - 1, axis=-1)[..., n - 1 : n]

    def clip(self, x: Array, low: float | None, high: float | None) -> Array:
        # array-api-compat writes through a mask, which is counted on the host.
        x = x if low is None else self.maximum(x, low)
        return x if high is None else self.minimum(x, high)

    def positive_part(self, x: Array) -> Array:
        return self.maximum(x, 0.0, out=x)


@functools.cache
def cupy_library(namespace: ModuleType, number: int) -> CupyLibrary:
    """Return the library of a device, by its number."""
    import cupy

    return CupyLibrary(namespace, cupy.cuda.Device(number))


@functools.cache
def _memory_of(number: int) -> int:
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(number)
    return int(properties["totalGlobalMem"])
