"""NumPy's differences from the array API."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sigarray._backend.callers import Array, Seed, warn_caller
from sigarray._backend.compiled_numpy import Kernels, Pairs, find_kernels
from sigarray._backend.library import Library

# The most terms that are added up one after the other, perhaps in float32.
_MAX_TERMS = 1024
# Rows of fewer numbers are added up from the first on; of more, NumPy adds up eight
# sums. Arrays of fewer numbers in all are reduced at once.
_FEW_COLUMNS, _MANY = 8, 512
# Integers of so many bytes may be larger than this, up to which float64 has all.
_WIDE, _LARGEST = 8, 2**53
# Up to here float32 has all integers.
_EXACT_IN_SINGLE = 2**24
# Tables that are kept, each of half a megabyte at most by those who make them.
_MAX_TABLES = 64


class NumpyLibrary(Library):
    is_processor = True
    is_host = True
    widest_float = np.float64
    index_dtype = np.intp
    has_int64 = True

    # Some of NumPy's functions are Python around those in C, and take twice as long
    # for few numbers.

    isdtype = staticmethod(functools.cache(np.isdtype))
    finfo = staticmethod(functools.cache(np.finfo))

    def sum(self, x: Array, *, axis: Any = None, **options: Any) -> Array:
        reduce = np.add.reduce if x.size < _MANY else _reduce_add
        return reduce(x, axis, **options)

    def mean(self, x: Array, *, axis: Any = None, **options: Any) -> Array:
        if axis != -1 or x.dtype.kind != "f":
            return np.mean(x, axis, **options)
        return _divide(self.sum(x, axis=axis, **options), x.shape[-1])

    def max(self, x: Array, *, axis: Any = None, **options: Any) -> Array:
        reduce = np.maximum.reduce if x.size < _MANY else _reduce_maximum
        return reduce(x, axis, **options)

    def min(self, x: Array, *, axis: Any = None, **options: Any) -> Array:
        reduce = np.minimum.reduce if x.size < _MANY else _reduce_minimum
        return reduce(x, axis, **options)

    def any(self, x: Array, *, axis: Any = None, **options: Any) -> Array:
        if axis is None:
            return np.bool_(np.count_nonzero(x))
        return np.logical_or.reduce(x, axis, **options)

    def all(self, x: Array, *, axis: Any = None, **options: Any) -> Array:
        if axis is None:
            return np.bool_(np.count_nonzero(x) == x.size)
        return np.logical_and.reduce(x, axis, **options)

    def zeros_like(self, x: Array) -> Array:
        return np.zeros_like(x) if x.ndim else x.dtype.type(0)

    def ones_like(self, x: Array, *, dtype: Any = None) -> Array:
        return np.ones_like(x, dtype) if x.ndim or dtype else x.dtype.type(1)

    def astype(self, x: Array, dtype: Any, *, copy: bool = True) -> Array:
        return x.astype(dtype, copy=copy)

    def float_of_integers(self, x: Array) -> Array:
        is_wide = x.dtype.itemsize == _WIDE and x.size
        if is_wide and max(int(x.max()), -int(x.min())) > _LARGEST:
            warn_caller(
                "Scores are integers beyond 2^53, which float64 rounds, so that some "
                "that differ become equal. Subtract one number from all of them, as "
                "from times: only differences count."
            )
        return x.astype(np.float64)

    def reshape(self, x: Array, shape: tuple[int, ...]) -> Array:
        return x.reshape(shape)

    def take(self, x: Array, indices: Array, *, axis: int = 0) -> Array:
        return x.take(indices, axis=axis)

    def take_last(self, x: Array, indices: Array) -> Array:
        return x.take(indices, axis=-1)

    def contiguous(self, x: Array) -> Array:
        return np.ascontiguousarray(x)

    def stack(self, arrays: Sequence[Array], *, axis: int = 0) -> Array:
        if axis >= 0:
            return np.stack(arrays, axis=axis) if axis else np.array(arrays)
        place = (..., None, *(slice(None),) * (-1 - axis))
        return np.concatenate([x[place] for x in arrays], axis=axis)

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

    def draw_fused(self, seed: Seed, kind: int, numbers: list[int]) -> Array | None:
        kernels = find_kernels()
        return None if kernels is None else kernels.draw(seed, kind, numbers)

    def sum_taken(self, x: Array, places: Array) -> Array:
        kernels = find_kernels(x.dtype)
        if kernels is None or places.ndim != 2:
            return super().sum_taken(x, places)
        return kernels.sum_taken(x, places)

    def mean_taken(self, x: Array, places: Array) -> Array:
        kernels = find_kernels(x.dtype)
        if kernels is None or places.ndim != 2:
            return super().mean_taken(x, places)
        return _divide(kernels.sum_taken(x, places), places.shape[-1])

    def sum_exactly(
        self, samples: Sequence[Array], places: Sequence[Array]
    ) -> list[Array] | None:
        kernels = find_kernels(*(x.dtype for x in samples))
        if kernels is None:
            return None
        if len(samples) > 1 and places[0] is places[1]:
            return _sum_together(kernels, samples, places[0])
        found = []
        for x, chosen in zip(samples, places, strict=True):
            sums = kernels.sum_exactly(x, chosen)
            if sums is None:
                return None
            found.append(sums)
        return found

    def sum_bits_exactly(self, x: Array, words: Array) -> Array | None:
        kernels = find_kernels(x.dtype)
        if kernels is None or words.dtype != self.word_dtype:
            return None
        return kernels.sum_bits_exactly(x, words)

    def spread_bits(self, words: Array, first: int, count: int, dtype: Any) -> Array:
        kernels = find_kernels(dtype)
        if kernels is None or words.dtype != self.word_dtype or count != 1:
            return super().spread_bits(words, first, count, dtype)
        return kernels.spread_bit(words, first, dtype)

    def resample_sorted(
        self, scores: Array, widths: Array, below: float, *, is_last: bool
    ) -> Array | None:
        kernels = find_kernels(scores.dtype)
        if kernels is None or widths.dtype != np.float32:
            return None
        return kernels.resample_sorted(scores, widths, below, is_last=is_last)

    def find_ratios(
        self,
        x: Array,
        y: Array,
        steps: Sequence[Array | None],
        axis: int,
        pairs: Pairs | None = None,
    ) -> Array | None:
        kernels = find_kernels(x.dtype)
        if kernels is None or not kernels.adds_products or y.dtype != x.dtype:
            return None
        if axis == -1:
            if x.ndim > 1 and x.shape[-2:-1] == y.shape[-2:-1]:
                return kernels.find_ratios(x, y, steps, is_last=True, pairs=pairs)
            x, y = x[..., None, :], y[..., None, :]
            return kernels.find_ratios(x, y, steps, is_last=True)[..., 0]
        # Einsum adds up a replicate alone, or many terms, in another order.
        n_nodes = x.shape[axis] if steps[0] is None else len(steps[0])
        if min(x.shape[-1], y.shape[-1]) == 1 or n_nodes > _MAX_TERMS:
            return None
        return kernels.find_ratios(x, y, steps, is_last=False, pairs=pairs)

    def count_drawn(
        self, seed: Seed, start: int, count: int, n_drawn: int, n: int, dtype: Any
    ) -> Array | None:
        kernels = find_kernels(dtype)
        if kernels is None:
            return None
        return kernels.count_drawn(seed, start, count, n_drawn, n, dtype)

    def sum_deviations(
        self, steps: Array, ranks: Array, centers: Array, weights: Array
    ) -> Array | None:
        kernels = find_kernels(steps.dtype)
        if kernels is None:
            return None
        centers = self.broadcast_to(centers, steps.shape[1:-2])
        return kernels.sum_deviations(steps, ranks, centers, weights)

    def sum_rows(self, x: Array, ranks: Array) -> Array:
        # One after the other: in a product of matrices, their order is unknown.
        n_nodes = ranks.shape[-1]
        places = n_nodes * ranks.T + np.arange(n_nodes)[:, None]
        total = x.take(places[0], axis=-2)
        for rows in places[1:]:
            total += x.take(rows, axis=-2)
        return total

    def mark_smallest(self, keys: Array, n: int, dtype: Any) -> Array:
        kernels = find_kernels(dtype)
        if kernels is None or keys.dtype != self.word_dtype:
            return super().mark_smallest(keys, n, dtype)
        return kernels.mark_smallest(keys, n, dtype)

    def sum_bytes(self, table: Array, words: Array, n_bytes: int) -> Array | None:
        kernels = find_kernels(table.dtype)
        if kernels is None or words.dtype != self.word_dtype:
            return None
        return kernels.sum_bytes(table, words, n_bytes)

    def sum_of_products(self, a: Array, b: Array, axis: int) -> Array:
        if axis < -1 and a.shape[-1] == 1:
            # Of one column NumPy adds up the terms in another order than of several.
            a, b = (np.concatenate((x, x), axis=-1) for x in (a, b))
            return self.sum_of_products(a, b, axis)[..., :1]
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

    def weigh_places(self, places: Array, n: int, dtype: Any) -> Array:
        kernels = find_kernels(dtype)
        if kernels is None:
            return super().weigh_places(places, n, dtype)
        return kernels.count_places(places, n, dtype)

    def read_only(self, x: Array) -> Array:
        x = x.view()
        x.flags.writeable = False
        return x

    def writable(self, x: Array) -> Array:
        return x if x.flags.writeable else x.copy()

    def argsort(self, x: Array, *, axis: int = -1, stable: bool = True) -> Array:
        # NumPy sorts integers of 16 bits by their digits, 20 times as fast.
        is_wide = stable and x.dtype.kind in "iu" and x.dtype.itemsize > 2
        if is_wide and x.size and x.min() >= 0 and x.max() < 2**16:
            x = x.astype(np.uint16)
        return np.argsort(x, axis=axis, stable=stable)

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
        try:
            return np.multiply(x, scale, out=x)
        except ValueError:  # the scale has more entries
            return scale * x

    def unscale(self, x: Array, scale: Array) -> Array:
        try:
            return np.divide(x, scale, out=x)
        except ValueError:
            return x / scale

    def relative_moments(
        self, x: Array, level: Array, unit: Array
    ) -> tuple[Array, Array]:
        kernels = find_kernels(x.dtype)
        # Of other strides NumPy adds up in another order.
        is_alike = x.flags.c_contiguous and unit.shape == level.shape
        if kernels is None or not is_alike:
            return super().relative_moments(x, level, unit)
        mean, squares = kernels.relative_moments(x, level, unit)
        return mean, squares

    def squared(self, x: Array) -> Array:
        x *= x
        return x

    def cumulative_maximum(self, x: Array) -> Array:
        return np.maximum.accumulate(x, axis=-1)


def _divide(total: Array, n: int) -> Array:
    """Return a mean as NumPy does, also of more numbers than float32 has integers."""
    if n < _EXACT_IN_SINGLE:
        return total / float(n)
    return (total / np.intp(n)).astype(total.dtype)


def _has_few_columns(x: Array, axis: Any) -> bool:
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


def _sum_together(
    kernels: Kernels, samples: Sequence[Array], places: Array
) -> list[Array] | None:
    """Return `sum_exactly` of two samples at the same places, in one pass."""
    rows = [np.reshape(x, (-1, x.shape[-1])) for x in samples]
    sums = kernels.sum_exactly(np.concat(rows), places)
    if sums is None:
        return None
    parts = sums[: len(rows[0])], sums[len(rows[0]) :]
    return [
        np.reshape(part, (*x.shape[:-1], len(places)))
        for part, x in zip(parts, samples, strict=True)
    ]


# The library for computations on the host, whatever the caller's arrays are.
HOST = NumpyLibrary(np, None)
