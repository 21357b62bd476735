"""Which scores differ by rounding alone, and count as the same.

Two decimals and their difference are rounded by at most half a unit each: 0.9 - 0.8 and
0.7 - 0.6 differ by no more, and count as the same. So do means that were summed in
another order. Whole numbers in single precision may be as near to one another, but they
are exact and count as different.
"""

import functools
from collections.abc import Sequence
from typing import NamedTuple

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._numeric.sums import EPS_OF_SINGLE

# By so many units of the largest score differences may be rounded.
_UNITS = 4.0


class Range(NamedTuple):
    """The smallest and the largest number of samples."""

    low: Array
    high: Array

    def size(self, xp: Library) -> Array:
        """Return the largest absolute number."""
        return xp.maximum(self.high, -self.low)


def range_of(xp: Library, x: Array) -> Range:
    """Return the range of samples along the last axis."""
    return Range(*xp.ends(x))


def limit_rounding(xp: Library, size: Array, *, paired: bool = False) -> Array:
    """Return how far apart scores of a size, or differences, may be by rounding."""
    eps = float(xp.finfo(size.dtype).eps)
    return eps * (_UNITS if paired or eps < EPS_OF_SINGLE else 1.0) * size


def find_flat(
    xp: Library, sizes: Sequence[Array], spreads: Sequence[Array]
) -> tuple[list[Array], Array]:
    """Tell which samples of scores, or of differences, vary only by rounding.

    Scores are given by their sizes, and samples by how far their ends are apart. Also
    return how far from 0 a difference of two models may be by rounding.
    """
    if paired := len(spreads) < len(sizes):
        sizes = [functools.reduce(xp.maximum, sizes)]
    limits = [limit_rounding(xp, x, paired=paired) for x in sizes]
    are_flat = [x <= limit for x, limit in zip(spreads, limits, strict=True)]
    return are_flat, functools.reduce(xp.maximum, limits)


def merge_same(xp: Library, samples: Sequence[Array], *, paired: bool) -> list[Array]:
    """Return samples, which are one number if all their scores are the same."""
    low = functools.reduce(xp.minimum, [xp.min(x, axis=-1) for x in samples])
    high = functools.reduce(xp.maximum, [xp.max(x, axis=-1) for x in samples])
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
