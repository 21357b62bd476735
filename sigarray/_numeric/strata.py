"""Strata, such as tasks: scores of each were sampled by themselves.

Scores are sorted by stratum, so that a stratum is an interval of places. Strata of one
size need no more than their number; others have the interval of each place.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel
from sigarray._numeric.statistic import difference_of, largest_or_one
from sigarray._numeric.student import flatten_within, relate_to_smallest


class Intervals(NamedTuple):
    """For each place (n,) the first place of its stratum, and the size of that."""

    first: Array
    size: Array


class Strata(NamedTuple):
    """The number of strata of one size; or else the intervals of each sample.

    Neither if there are none. The number is static under `jit`, and the intervals may
    be traced; pairs have those of both samples.
    """

    number: int | None = None
    intervals: Sequence[Intervals] = ()

    @property
    def are_there(self) -> bool:
        """Whether samples have strata."""
        return self.number is not None or len(self.intervals) > 0


NO_STRATA = Strata()


@array_kernel
def sort_into_strata(
    xp: Library,
    samples: Sequence[Array],
    codes: Sequence[Array],
    *,
    are_same: bool,
) -> tuple[list[Array], list[Intervals]]:
    """Return samples (..., n) sorted by integer codes (n,), and their intervals.

    A sample with a stratum of one score, whose spread is not known, is NaN, and so are
    both where one has another stratum than the other, unless `are_same` rules that out.
    """
    ordered, ranked, intervals = [], [], []
    for x, of in zip(samples, codes, strict=True):
        order = xp.argsort(of, stable=True)
        ranked.append(xp.contiguous(xp.take(of, order, axis=0)))
        first, last = (
            xp.searchsorted(ranked[-1], ranked[-1], side=side)
            for side in ("left", "right")
        )
        size = last - first
        ordered.append(xp.where(xp.all(size > 1), xp.take_last(x, order), math.nan))
        intervals.append(Intervals(first, size))
    if not are_same:
        are_there = _is_within(xp, *ranked) & _is_within(xp, *reversed(ranked))
        ordered = [xp.where(are_there, x, math.nan) for x in ordered]
    return ordered, intervals


def _is_within(xp: Library, some: Array, every: Array) -> Array:
    """Tell whether each of some codes is one of every, which are sorted."""
    first, last = (
        xp.searchsorted(every, some, side=side) for side in ("left", "right")
    )
    return xp.all(first < last)


def number_strata(xp: Library, strata: Strata, k: int, size: int) -> Array:
    """Return the number of the stratum of each place of sample k, in rising order."""
    places = xp.arange(size, dtype=xp.index_dtype)
    if strata.number is not None:
        return places // (size // strata.number)
    is_first = xp.astype(places == strata.intervals[k].first, places.dtype)
    return xp.cumulative_sum(is_first) - 1


def weigh_scores(xp: Library, x: Array, strata: Strata, k: int = 0) -> Array:
    """Return numbers (..., n) of sample k by how much each counts if it is drawn.

    Of a stratum of m that is m / (m - 1). Of strata of unlike sizes a 0 is added at the
    end, (..., n + 1), for places that are no score.
    """
    if strata.number is not None:
        size = x.shape[-1] // strata.number
        return x * (size / (size - 1.0))
    size = xp.astype(strata.intervals[k].size, x.dtype)
    return xp.concat([x * (size / (size - 1.0)), xp.zeros_like(x[..., :1])], axis=-1)


def center_in_strata(xp: Library, x: Array, strata: Strata, k: int = 0) -> Array:
    """Return numbers (..., n) of sample k less the mean of their stratum."""
    if strata.number is not None:
        rows = _split(xp, x, strata.number)
        return xp.reshape(rows - xp.mean(rows, axis=-1, keepdims=True), x.shape)
    of = strata.intervals[k]
    return x - sum_strata(xp, x, of) / xp.astype(of.size, x.dtype)


def sum_strata(xp: Library, x: Array, intervals: Intervals) -> Array:
    """Return the sum of its stratum for each number of x (..., n)."""
    sums = xp.cumulative_sum(x, axis=-1, include_initial=True)
    first, size = intervals
    return xp.take_last(sums, first + size) - xp.take_last(sums, first)


def find_errors_of_strata(
    xp: Library, scores: Sequence[Array], strata: Strata, paired: bool
) -> tuple[Array, list[Array], list[Array], Array]:
    """Return a mean, or the difference of two, squared errors, their df and the unit.

    Of each sample of N scores, with the squares S about the mean of a stratum of n, the
    squared error is the sum of V = S n / (n - 1) / N^2, and the degrees of freedom are
    those of Satterthwaite [1]_, (sum V)^2 / sum (V^2 / (n - 1)). Of one stratum these
    are s^2 / N and N - 1. The errors are in the unit, as those of `find_errors`.

    References
    ----------
    .. [1] F. E. Satterthwaite (1946). An approximate distribution of estimates of
       variance components. Biometrics Bulletin 2, 110-114. :doi:`10.2307/3002019`
    """
    relative = relate_to_smallest(xp, scores, paired)
    means = [xp.mean(x, axis=-1) for x in relative.samples]
    squares, dfs = [], []
    deviations = [
        center_in_strata(xp, x, strata, k) for k, x in enumerate(relative.samples)
    ]
    # Means of strata of unlike sizes are differences of cumulative sums.
    n = relative.samples[0].shape[-1]
    noise = 0.0 if strata.number is not None else float(n)
    for k, x in enumerate(flatten_within(xp, relative, deviations, noise)):
        parts, rest, weight = _find_parts(xp, x * x, strata, k)
        square = xp.sum(parts * weight, axis=-1)
        # In units of the largest part, whose square might underflow.
        varies = square > 0.0
        shares = parts / largest_or_one(xp, parts)[..., None]
        total = xp.sum(shares * weight, axis=-1)
        spread = xp.sum(shares * shares * weight / rest, axis=-1)
        df = total * total / xp.where(varies, spread, 1.0)
        whole = xp.sum(rest * weight + xp.zeros_like(shares), axis=-1)
        squares.append(square)
        dfs.append(xp.where(varies, df, whole))
    difference = relative.gap + difference_of(means)
    return difference, squares, dfs, relative.unit * relative.unit_of_scaled


def _find_parts(
    xp: Library, squares: Array, strata: Strata, k: int
) -> tuple[Array, Array | float, Array | float]:
    """Return the squared errors (..., H) that strata add, their sizes less 1, weights.

    A sum over strata is one by these weights: of unlike strata there is a number for
    each score, which counts one over the size of its stratum.
    """
    n = squares.shape[-1]
    if strata.number is not None:
        rest = n // strata.number - 1.0
        sums = xp.sum(_split(xp, squares, strata.number), axis=-1)
        return sums * ((rest + 1.0) / rest / n / n), rest, 1.0
    size = xp.astype(strata.intervals[k].size, squares.dtype)
    sums = sum_strata(xp, squares, strata.intervals[k])
    return sums * (size / (size - 1.0) / n / n), size - 1.0, 1.0 / size


def _split(xp: Library, x: Array, number: int) -> Array:
    """Return numbers (..., H n) as (..., H, n)."""
    *leading, n = x.shape
    return xp.reshape(x, (*leading, number, n // number))
