"""Scores that are not finite, and those that differ by rounding alone.

Two decimals and their difference are rounded by at most half a unit each: 0.9 - 0.8 and
0.7 - 0.6 differ by no more, and count as the same. So do means that were summed in
another order. Whole numbers in single precision may be as near to one another, but they
are exact and count as different.
"""

import functools
import math
import operator
from collections.abc import Sequence
from typing import Any, NamedTuple

from sigarray._backend.callers import Array
from sigarray._backend.checks import describe
from sigarray._backend.library import Library, broadcast_shapes

# With such an eps, numbers that differ by a few units may be whole ones.
EPS_OF_SINGLE = 2.0**-23
# By so many units of the largest score differences may be rounded.
_UNITS = 4.0
# Samples of one shape are stacked on a device, up to so many numbers in all.
_STACKED = 2**20


def spread_faults(xp: Library, scores: Array) -> Array:
    """Make a sample NaN throughout if one of its scores is not finite."""
    # Where it can be seen that none is, nothing is copied, nor to be written to.
    if xp.is_host and xp.isfinite(xp.sum(scores)):
        return xp.read_only(scores)
    # The sum is 0 or NaN.
    return scores + xp.sum(scores - scores, axis=-1, keepdims=True)


def add_up_faults(arrays: Sequence[Array]) -> Array:
    """Return 0, or NaN where one of the arrays, which broadcast, is not finite."""
    return functools.reduce(operator.add, [x - x for x in arrays])


def check_result(
    xp: Library, call: str, result: Any, expected: tuple[int, ...], *arguments: Array
) -> None:
    """Raise unless a user's callable returns a real number for each batch entry."""
    shape = getattr(result, "shape", None)
    if shape is None or tuple(shape) != tuple(expected):
        got = describe(result) if shape is None else f"shape {tuple(shape)}"
        shapes = " and ".join(str(tuple(x.shape)) for x in arguments)
        msg = (
            f"Expected {call} to give an array of shape {tuple(expected)} for samples "
            f"of shape {shapes}; got {got}."
        )
        raise ValueError(msg)
    if not xp.isdtype(result.dtype, ("bool", "integral", "real floating")):
        msg = (
            f"Expected {call} to give real numbers; got dtype {result.dtype}. Take "
            "its real part, or its absolute value."
        )
        raise TypeError(msg)


class Range(NamedTuple):
    low: Array
    high: Array

    def size(self, xp: Library) -> Array:
        return xp.maximum(self.high, -self.low)


def group_samples(xp: Library, samples: Sequence[Array]) -> list[Array]:
    """Return samples (..., n) as (1, ..., n), or all as one if that saves launches."""
    shapes = {x.shape for x in samples}
    size = len(samples) * math.prod(samples[0].shape)
    saves = (xp.is_accelerator or xp.compiles) and size <= _STACKED
    if saves and 1 == len(shapes) < len(samples):
        return [xp.stack(samples)]
    return [x[None, ...] for x in samples]


def ranges_of(xp: Library, groups: Sequence[Array]) -> Range:
    """Return the ranges of samples from `group_samples`, as (K, ...)."""
    ends = [xp.ends(x) for x in groups]
    if len(ends) == 1:
        return Range(*ends[0])
    leading = broadcast_shapes(*(low.shape for low, _ in ends))
    low, high = (
        xp.concat([xp.broadcast_to(x, leading) for x in of_all])
        for of_all in zip(*ends, strict=True)
    )
    return Range(low, high)


def rows_of(groups: Sequence[Array]) -> list[slice]:
    return [slice(k, k + x.shape[0]) for k, x in enumerate(groups)]


def list_rows(x: Array) -> list[Array]:
    return [x[k, ...] for k in range(x.shape[0])]


def limit_rounding(xp: Library, size: Array, *, paired: bool = False) -> Array:
    """Return how far apart scores of a size, or differences, may be by rounding."""
    eps = float(xp.finfo(size.dtype).eps)
    return eps * (_UNITS if paired or eps < EPS_OF_SINGLE else 1.0) * size


def find_flat(xp: Library, sizes: Array, spreads: Array) -> tuple[Array, Array]:
    """Tell which of K samples of scores, or of differences, vary only by rounding.

    Scores are given by their sizes (K, ...), and samples by how far their ends are
    apart. Also return how far from 0 a difference of two models may be by rounding.
    """
    if paired := spreads.shape[0] < sizes.shape[0]:
        sizes = xp.max(sizes, axis=0, keepdims=True)
    limits = limit_rounding(xp, sizes, paired=paired)
    return spreads <= limits, functools.reduce(xp.maximum, list_rows(limits))


def merge_same(xp: Library, samples: Sequence[Array], *, paired: bool) -> list[Array]:
    """Return samples, which are one number if all their scores are the same."""
    lows, highs = zip(*map(xp.ends, samples), strict=True)
    low, high = functools.reduce(xp.minimum, lows), functools.reduce(xp.maximum, highs)
    limit = limit_rounding(xp, Range(low, high).size(xp), paired=paired)
    is_flat = high - low <= limit
    if xp.is_host and not xp.any(is_flat):
        return list(samples)
    return [xp.where(is_flat[..., None], low[..., None], x) for x in samples]


def bound_score(xp: Library, x: Array) -> tuple[Array, Array]:
    """Return the least and the largest score with which one is tied, for ranks.

    In single precision these are the score itself.
    """
    share = _UNITS * float(xp.finfo(x.dtype).eps)
    if share >= _UNITS * EPS_OF_SINGLE:
        return x, x
    ends = x * (1.0 - share), x * (1.0 + share)
    return xp.minimum(*ends), xp.maximum(*ends)


def fill_flat(xp: Library, is_flat: Array, x: Array, value: float) -> Array:
    """Return a value for flat samples, and x for others; NaN stays."""
    return x if xp.is_host and not xp.any(is_flat) else xp.where(is_flat, value, x)
