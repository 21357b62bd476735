"""The kernels in C for NumPy's arrays, where they are compiled: the engine.

`hatch_build.py` compiles `engine/` where there is a C compiler. The kernels give the
bits of the array code, which is their reference, and which takes their place where they
are missing, or SIGARRAY_ENGINE=array leaves them out. They hand back the interpreter's
lock while they compute.
"""

import functools
import importlib
import importlib.util
import math
import os
import platform
from collections.abc import Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from sigarray._backend.callers import Array, Seed, warn_caller
from sigarray._backend.library import broadcast_shapes

# Of the interface in engine/kernels.h: a build of another one is left alone.
_VERSION = 3
# What `draw` gives, by the kinds of `draw_fused`.
_DRAWN = (np.uint32, np.float32, np.int64)
# Kernels of numbers end in these names.
REALS: dict[Any, str] = {np.dtype(np.float64): "f64", np.dtype(np.float32): "f32"}
# The instructions of each level of engine/module.c, on x86.
_LEVELS = ("AVX2", "AVX-512")
# Sums of so many numbers have been added up in NumPy's order, if these are the same.
_PROBES = (7, 8, 100, 1000)
_NONE = np.empty(0, dtype=np.int64)


class Pairs(NamedTuple):
    """Places of both samples of each pair, and an order that reuses some in turn."""

    first: Array
    second: Array
    order: Array


class Kernels:
    """The functions of the engine, of NumPy's arrays.

    They add up products as NumPy does if `adds_products`.
    """

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.adds_products = False

    def draw(self, seed: Seed, kind: int, numbers: list[int]) -> Array:
        """Return the numbers of `draw_fused` as a flat array."""
        start, count, width, halves, size, first = numbers
        low, high = (np.ascontiguousarray(x) for x in seed)
        out = np.empty(count * low.size * width, dtype=_DRAWN[kind])
        where = low.size, start, count, width, halves, size, first
        self.module.draw(low, high, *where, kind, out)
        return out

    def sum_taken(self, x: Array, places: Array) -> Array:
        *leading, n = x.shape
        rows, drawn = places.shape
        out = np.empty((*leading, rows), dtype=x.dtype)
        x, places = np.ascontiguousarray(x), _as_places(places)
        size = math.prod(leading), n
        self._of("sum_taken", x.dtype)(x, *size, places, rows, drawn, out)
        return out

    def sum_exactly(self, x: Array, places: Array) -> Array | None:
        """Return `sum_taken`, or None unless sums are exact, and alike in any order.

        They are of numbers that are whole multiples of a power of two, as counts are.
        """
        *leading, n = x.shape
        rows, drawn = places.shape
        out = np.empty((*leading, rows), dtype=x.dtype)
        x, places = np.ascontiguousarray(x), _as_places(places)
        size = math.prod(leading), n
        add = self._of("sum_exactly", x.dtype)
        return out if add(x, *size, places, rows, drawn, out) else None

    def sum_bits_exactly(self, x: Array, words: Array) -> Array | None:
        """Sum numbers (E, n) whose bits are 1 in words (R, W), as `sum_exactly`."""
        rows, width = words.shape
        out = np.empty((x.shape[0], rows), dtype=x.dtype)
        x, words = np.ascontiguousarray(x), np.ascontiguousarray(words)
        add = self._of("sum_bits_exactly", x.dtype)
        return out if add(x, *x.shape, words, rows, width, out) else None

    def relative_moments(self, x: Array, level: Array, unit: Array) -> Array:
        """Return those of contiguous x (..., n), of level and unit (...): (2, ...)."""
        *leading, n = x.shape
        out = np.empty((2, *leading), dtype=x.dtype)
        level, unit = np.ascontiguousarray(level), np.ascontiguousarray(unit)
        self._of("relative_moments", x.dtype)(x, level.size, n, level, unit, out)
        return out

    def count_places(self, places: Array, n: int, dtype: Any) -> Array:
        rows, drawn = places.shape
        out = np.empty((rows, n), dtype=dtype)
        places = _as_places(places)
        self._of("count_places", out.dtype)(places, rows, drawn, n, out)
        return out

    def count_drawn(
        self, seed: Seed, start: int, rows: int, drawn: int, n: int, dtype: Any
    ) -> Array:
        """Return `count_places` of the places that a seed gives: (rows, n)."""
        low, high = (np.ascontiguousarray(x) for x in seed)
        out = np.empty((rows, n), dtype=dtype)
        self._of("count_drawn", out.dtype)(low, high, start, rows, drawn, n, out)
        return out

    def mark_smallest(self, keys: Array, n: int, dtype: Any) -> Array:
        out = np.empty(keys.shape, dtype=dtype)
        keys = np.ascontiguousarray(keys)
        self._of("mark_smallest", out.dtype)(keys, *keys.shape, n, out)
        return out

    def sum_bytes(self, table: Array, words: Array, n_bytes: int) -> Array:
        """Sum numbers of a table (E, 1024 W) at the bytes of words (R, W): (E, R)."""
        rows, width = words.shape
        out = np.empty((table.shape[0], rows), dtype=table.dtype)
        table, words = np.ascontiguousarray(table), np.ascontiguousarray(words)
        size = rows, width, n_bytes
        add = self._of("sum_bytes", table.dtype)
        add(table, table.shape[0], words, *size, out)
        return out

    def spread_bit(self, words: Array, bit: int, dtype: Any) -> Array:
        out = np.empty(words.shape, dtype=dtype)
        words = np.ascontiguousarray(words)
        self._of("spread_bit", out.dtype)(words, words.size, bit, out)
        return out

    def resample_sorted(
        self, scores: Array, widths: Array, below: float, *, is_last: bool
    ) -> Array:
        """Return scores (..., K, n) at `cumulative_places` of widths (R, K, T + 1)."""
        *leading, models, n = scores.shape
        rows, drawn = len(widths), widths.shape[-1] - 1
        shape = (rows, drawn) if is_last else (drawn, rows)
        out = np.empty((*leading, models, *shape), dtype=scores.dtype)
        scores, widths = np.ascontiguousarray(scores), np.ascontiguousarray(widths)
        size = math.prod(leading), models, n
        take = self._of("resample_sorted", scores.dtype)
        take(scores, *size, widths, rows, drawn, below, not is_last, out)
        return out

    def find_ratios(
        self,
        x: Array,
        y: Array,
        steps: Sequence[Array | None],
        *,
        is_last: bool,
        pairs: Pairs | None = None,
    ) -> Array:
        """Return violation ratios of samples (..., R, n) or (..., n, R): (..., R).

        Steps are ranks of x and of y and widths. Pairs are places on axis -3.
        """
        axis = -2 if is_last else -1
        rows, nodes = x.shape[axis], x.shape[-3 - axis]
        x, y = _along_last(x), _along_last(y)
        end = -2 if pairs is None else -3
        leading = broadcast_shapes(x.shape[:end], y.shape[:end])
        if pairs is not None:
            leading = (*leading, len(pairs.first))
        starts = np.zeros((*leading, 3), dtype=np.int64)
        if pairs is not None or starts.size > 3:  # else both begin at 0
            begin = [_starts_of(x), _starts_of(y)]
            if pairs is not None:
                begin = [z[..., k] for z, k in zip(begin, pairs, strict=False)]
            starts[..., 0] = np.arange(math.prod(leading)).reshape(leading)
            starts[..., 1], starts[..., 2] = begin
        has_ranks, _, has_widths = [z is not None for z in steps]
        if steps[0] is not None:
            nodes = len(steps[0])
        tables = [
            _NONE if z is None else np.ascontiguousarray(z, dtype)
            for z, dtype in zip(steps, (np.int64, np.int64, x.dtype), strict=True)
        ]
        size = (
            math.prod(leading),
            x.strides[-2] // x.itemsize,
            y.strides[-2] // y.itemsize,
        )
        out = np.empty((*leading, rows), dtype=x.dtype)
        if pairs is not None:
            starts = np.ascontiguousarray(starts[..., pairs.order, :])
        kinds = not is_last, has_ranks, has_widths
        find = self._of("find_ratios", x.dtype)
        find(x, y, starts, *size, nodes, rows, *kinds, *tables, out)
        return out

    def sum_deviations(
        self, steps: Array, ranks: Array, centers: Array, weights: Array
    ) -> Array:
        """Sum w d and w d^2 over columns, of deviations (..., rows, columns).

        The deviations d are those of `ratio_of_sums` from centers, of the two parts of
        `sum_rows` of steps (2, ..., n * K, columns).
        """
        _, *leading, n, columns = steps.shape
        out = np.empty((2, *leading, len(ranks)), dtype=steps.dtype)
        size = math.prod(leading), n, *ranks.shape, columns
        ranks = np.ascontiguousarray(ranks, dtype=np.int64)
        steps, centers = np.ascontiguousarray(steps), np.ascontiguousarray(centers)
        add = self._of("sum_deviations", out.dtype)
        add(steps, ranks, centers, *size, weights, out)
        return out

    def _of(self, name: str, dtype: Any) -> Any:
        return getattr(self.module, f"{name}_{REALS[dtype]}")


@functools.cache
def find_kernels(*dtypes: Any) -> Kernels | None:
    return load_kernels() if all(x in REALS for x in dtypes) else None


@functools.cache
def load_kernels() -> Kernels | None:
    """Return the kernels, or None where the array code takes their place."""
    chosen = os.environ.get("SIGARRAY_ENGINE", "")
    if chosen == "array":
        return None
    if chosen:
        warn_caller(
            f"Expected SIGARRAY_ENGINE to be 'array' or not set; got {chosen!r}"
        )
    try:
        module = importlib.import_module("sigarray._backend._engine")
        if module.VERSION != _VERSION:
            return None
        kernels = Kernels(module)
        kernels.adds_products = _adds_as_einsum(kernels)
        return kernels if _adds_as_numpy(kernels) else None
    except Exception:  # whatever is wrong with a build, array code needs none
        return None


def describe_engine() -> str:
    kernels = load_kernels()
    if kernels is not None:
        if platform.machine() not in ("x86_64", "AMD64"):
            return "compiled kernels"
        return f"compiled kernels, with {_LEVELS[kernels.module.count_levels() - 1]}"
    if os.environ.get("SIGARRAY_ENGINE") == "array":
        return "array code, for SIGARRAY_ENGINE=array"
    if importlib.util.find_spec("sigarray._backend._engine") is None:
        return "array code, for no kernels are compiled"
    return (
        "array code, for the compiled kernels are not for this processor or are of "
        "another version: install sigarray again"
    )


def _adds_as_einsum(kernels: Kernels) -> bool:
    """Tell whether sums of products are those of NumPy's einsum on this processor."""
    for dtype in REALS:
        for n in _PROBES:
            x = np.sin(np.arange(3.0 * n)).reshape(3, n).astype(dtype)
            y, above = np.zeros_like(x), np.maximum(-x, 0.0)
            sums = [np.einsum("rn,rn->r", z, z) for z in (above, x)]
            found = kernels.find_ratios(x, y, (None, None, None), is_last=True)
            if not np.array_equal(found, sums[0] / sums[1]):
                return False
    return True


def _along_last(x: Array) -> Array:
    """Return an array whose last axis is contiguous, and none runs backwards."""
    is_along = x.strides[-1] == x.itemsize and min(x.strides) >= 0
    return x if is_along and x.flags.aligned else x.copy(order="C")


def _starts_of(x: Array) -> Array:
    """Return the places of the samples (..., R, n) of x in its memory, (...)."""
    if math.prod(x.shape[:-2]) == 1:
        return np.zeros(x.shape[:-2], dtype=np.int64)
    steps = [
        np.arange(size) * (stride // x.itemsize)
        for size, stride in zip(x.shape[:-2], x.strides[:-2], strict=True)
    ]
    return functools.reduce(np.add.outer, steps, np.zeros((), dtype=np.int64))


def _as_places(places: Array) -> Array:
    return np.ascontiguousarray(places, dtype=np.int64)


def _adds_as_numpy(kernels: Kernels) -> bool:
    """Tell whether sums have the bits of this version of NumPy."""
    for dtype in REALS:
        for n in _PROBES:
            for terms in (1.0 / np.arange(3, n + 3), np.full(n, -0.0)):
                x = terms.astype(dtype)
                (found,) = kernels.sum_taken(x, np.arange(n)[None, :])
                if found.tobytes() != np.sum(x).tobytes():
                    return False
    return True
