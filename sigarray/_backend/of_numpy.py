"""NumPy's differences from the array API."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library, broadcast_shapes

# The most terms that are added up one after the other, perhaps in float32.
_MAX_TERMS = 1024
# Tables that are kept, each of half a megabyte at most by those who make them.
_MAX_TABLES = 64


class NumpyLibrary(Library):
    """The namespace of NumPy."""

    is_processor = True
    is_host = True
    widest_float = np.float64
    index_dtype = np.intp
    has_int64 = True

    # Some of NumPy's functions are Python around those in C, and take twice as long
    # for few numbers.

    isdtype = staticmethod(functools.cache(np.isdtype))

    def sum(self, x: Array, *, axis: Any = None, **options: Any) -> Array:
        return np.add.reduce(x, axis, **options)

    def max(self, x: Array, *, axis: Any = None, **options: Any) -> Array:
        return np.maximum.reduce(x, axis, **options)

    def min(self, x: Array, *, axis: Any = None, **options: Any) -> Array:
        return np.minimum.reduce(x, axis, **options)

    def astype(self, x: Array, dtype: Any, *, copy: bool = True) -> Array:
        return x.astype(dtype, copy=copy)

    def reshape(self, x: Array, shape: tuple[int, ...]) -> Array:
        return x.reshape(shape)

    def take(self, x: Array, indices: Array, *, axis: int = 0) -> Array:
        return x.take(indices, axis=axis)

    def take_last(self, x: Array, indices: Array) -> Array:
        return x.take(indices, axis=-1)

    def stack(self, arrays: Sequence[Array], *, axis: int = 0) -> Array:
        return np.stack(arrays, axis=axis) if axis else np.array(arrays)

    def broadcast_to(self, x: Array, shape: tuple[int, ...]) -> Array:
        return x if x.shape == shape else np.broadcast_to(x, shape)

    def kept_tables(
        self, build: Callable[..., tuple[Array, ...]], *sizes: Any
    ) -> tuple[Array, ...]:
        return _keep_tables(build, *sizes)

    def upload_numbers(self, numbers: Sequence[float], dtype: Any) -> Array:
        return np.asarray(numbers, dtype=dtype)

    def read_numbers(self, x: Array) -> list[int]:
        return x.tolist()  # type: ignore[no-any-return]

    def is_known(self, condition: Array) -> bool:
        return bool(condition.all())

    def sum_of_products(self, a: Array, b: Array, axis: int) -> Array:
        # In one pass if that is exact enough: einsum adds one term after the other.
        if a.shape[axis] <= _MAX_TERMS:
            kept = "ab"[: -1 - axis]
            return np.einsum(f"...n{kept},...n{kept}->...{kept}", a, b)
        return super().sum_of_products(a, b, axis)

    def count_places(self, places: Array, n: int) -> Array:
        count = places.shape[0]
        flat = places + (np.arange(count) * n)[:, None]
        counts = np.bincount(np.reshape(flat, -1), minlength=count * n)
        return np.reshape(counts, (count, n))

    def nth_smallest(self, x: Array, n: int) -> Array:
        return np.partition(x, n - 1, axis=-1)[..., n - 1 : n]

    def clip(self, x: Array, low: float | None, high: float | None) -> Array:
        # NumPy's clip takes 3 us longer.
        x = x if low is None else np.maximum(x, low)
        return x if high is None else np.minimum(x, high)

    def positive_part(self, x: Array) -> Array:
        return np.maximum(x, 0.0, out=x)

    def rescale(self, x: Array, scale: Array) -> Array:
        if broadcast_shapes(x.shape, scale.shape) == x.shape:
            x *= scale
            return x
        return scale * x

    def cumulative_maximum(self, x: Array) -> Array:
        return np.maximum.accumulate(x, axis=-1)


@functools.lru_cache(maxsize=_MAX_TABLES)
def _keep_tables(
    build: Callable[..., tuple[Array, ...]], *sizes: Any
) -> tuple[Array, ...]:
    tables = build(HOST, *sizes)
    for table in tables:
        if table is not None:
            table.flags.writeable = False
    return tables


# The library for computations on the host, whatever the caller's arrays are.
HOST = NumpyLibrary(np, None)
