"""NumPy's differences from the array API."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sigarray._backend.aliases import Array, Seed
from sigarray._backend.compiled_numpy import Kernels, find_kernels
from sigarray._backend.library import Library
from sigarray._backend.optional_kernels import Pairs

# The most terms that are added up one after the other, perhaps in float32.
_MAX_TERMS = 1024


class NumpyLibrary(Library):
    """The namespace of NumPy."""

    is_processor = True
    is_host = True
    widest_float = np.float64
    index_dtype = np.intp
    has_int64 = True

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
        sums = kernels.sum_taken(x, places)
        # As NumPy's mean divides, also beyond the integers of float32.
        n = np.intp(places.shape[-1])
        return np.true_divide(sums, n, out=sums, casting="unsafe")

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

    def nth_smallest(self, x: Array, n: int) -> Array:
        return np.partition(x, n - 1, axis=-1)[..., n - 1 : n]

    def clip(self, x: Array, low: float | None, high: float | None) -> Array:
        # NumPy's clip takes 3 us longer.
        x = x if low is None else np.maximum(x, low)
        return x if high is None else np.minimum(x, high)

    def positive_part(self, x: Array) -> Array:
        return np.maximum(x, 0.0, out=x)

    def rescale(self, x: Array, scale: Array) -> Array:
        if np.broadcast_shapes(x.shape, scale.shape) == x.shape:
            x *= scale
            return x
        return scale * x

    def cumulative_maximum(self, x: Array) -> Array:
        return np.maximum.accumulate(x, axis=-1)


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
