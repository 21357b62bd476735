"""NumPy's differences from the array API."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library, broadcast_shapes

# The most terms that are added up one after the other, perhaps in float32.
_MAX_TERMS = 1024
# Rows of fewer numbers are added up from the first on; of more, NumPy adds up eight
# sums. Arrays of fewer numbers in all are reduced at once.
_FEW_COLUMNS, _MANY = 8, 512
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
        reduce = np.add.reduce if x.size < _MANY else _reduce_add
        return reduce(x, axis, **options)

    def mean(self, x: Array, *, axis: Any = None, **options: Any) -> Array:
        if axis != -1 or x.dtype.kind != "f":
            return np.mean(x, axis, **options)
        total = self.sum(x, axis=axis, **options)
        # As NumPy's mean divides, also beyond the integers of float32.
        mean = total / np.intp(x.shape[-1])
        return mean if mean.dtype == x.dtype else mean.astype(x.dtype)

    def max(self, x: Array, *, axis: Any = None, **options: Any) -> Array:
        reduce = np.maximum.reduce if x.size < _MANY else _reduce_maximum
        return reduce(x, axis, **options)

    def min(self, x: Array, *, axis: Any = None, **options: Any) -> Array:
        reduce = np.minimum.reduce if x.size < _MANY else _reduce_minimum
        return reduce(x, axis, **options)

    def any(self, x: Array, *, axis: Any = None, **options: Any) -> Array:
        return np.logical_or.reduce(x, axis, **options) if x.ndim else x

    def all(self, x: Array, *, axis: Any = None, **options: Any) -> Array:
        return np.logical_and.reduce(x, axis, **options) if x.ndim else x

    def zeros_like(self, x: Array) -> Array:
        return np.zeros_like(x) if x.ndim else x.dtype.type(0)

    def ones_like(self, x: Array, *, dtype: Any = None) -> Array:
        return np.ones_like(x, dtype) if x.ndim or dtype else x.dtype.type(1)

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

    def undo_order(self, x: Array, order: Array) -> Array:
        result = np.empty(x.shape, dtype=x.dtype)
        np.put_along_axis(result, order, x, axis=-1)
        return result

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


def _has_few_columns(x: Array, axis: Any) -> bool:
    """Tell whether many rows of a few floats each are reduced."""
    is_last = axis == -1 and x.ndim > 1 and 1 < x.shape[-1] < _FEW_COLUMNS
    return bool(is_last and x.size >= _MANY and x.dtype.kind == "f")


def _reduce(
    ufunc: np.ufunc, x: Array, axis: Any, dtype: Any = None, *, keepdims: bool = False
) -> Array:
    """Reduce an array of many numbers as NumPy does, with the same bits.

    NumPy starts a loop for each row, which takes 7 to 25 times as long as a loop over
    rows for each of a few columns.
    """
    if dtype is not None or not _has_few_columns(x, axis):
        return ufunc.reduce(x, axis, dtype, keepdims=keepdims)
    # NumPy's sums start from 0, so that they are never -0.
    total = x[..., 0] + 0.0 if ufunc is np.add else x[..., 0].copy()
    for k in range(1, x.shape[-1]):
        ufunc(total, x[..., k], out=total)
    return total[..., None] if keepdims else total


_reduce_add, _reduce_maximum, _reduce_minimum = (
    functools.partial(_reduce, ufunc) for ufunc in (np.add, np.maximum, np.minimum)
)


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
