"""Student's t: of two samples, with Welch's degrees of freedom, of pairs, or in strata.

Scores are sorted by stratum, so that a stratum is an interval of places. Strata of one
size need no more than their number; others have the interval of each place.
"""

import functools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from sigarray._backend.callers import Array
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel
from sigarray._numeric.faults import (
    Range,
    fill_flat,
    find_flat,
    group_samples,
    limit_rounding,
    list_rows,
    ranges_of,
    rows_of,
)
from sigarray._numeric.statistic import (
    choose_scale,
    difference_of,
    largest_or_one,
    scale_by,
    scale_scores,
)


def find_t_of(xp: Library, scores: list[Array], paired: bool) -> tuple[Array, Array]:
    """Return t and its degrees of freedom, of two samples or of pairs.

    The list of scores is emptied, as by `find_errors`.
    """
    errors = find_errors(xp, scores, paired)
    return find_t(xp, errors.difference, errors.squares, errors.dfs, errors.rounding)


class MeanErrors(NamedTuple):
    """A mean, or the difference of two, its squared errors, their df and the unit.

    The errors are those of each sample, or of the differences of pairs. All but the df
    are in the unit, as is how far from 0 a difference may be by `rounding`. The unit
    may be one of scores times a `scale`.
    """

    difference: Array
    squares: list[Array]
    dfs: Sequence[float | Array]
    unit_of_scaled: Array
    rounding: Array | None
    scale: Array | None = None

    @property
    def unit(self) -> Array:
        unit = self.unit_of_scaled
        return unit if self.scale is None else unit / self.scale


def find_errors(xp: Library, scores: list[Array], paired: bool) -> MeanErrors:
    """Return the errors of scores one by one.

    The list of scores, which are large, is emptied.
    """
    dfs = [x.shape[-1] - 1.0 for x in scores[: 1 if paired else None]]
    groups = group_samples(xp, scores)
    scores.clear()
    low, high = ranges_of(xp, groups)
    sizes = Range(low, high).size(xp)
    scale = choose_scale(xp, *list_rows(sizes))
    groups = scale_by(xp, scale[None, ...], groups)
    if paired:
        a, b = [x for group in groups for x in list_rows(group)]
        groups = [(a - b)[None, ...]]
        low, high = ranges_of(xp, groups)
    else:
        low, high = low * scale, high * scale
    spreads = high - low
    are_flat, limit = find_flat(xp, sizes * scale, spreads)
    # In units of the largest number, because squares of small ones would underflow.
    largest = functools.reduce(xp.maximum, list_rows(spreads))
    unit = xp.where(largest > 0.0, largest, 1.0)
    # In a unit without bounds, finite numbers are 0.
    units = xp.where(are_flat, math.inf, unit)
    means, squares = [], []
    for k, rows in enumerate(rows_of(groups)):
        # Relative to the smallest score, so that the level costs no digits.
        x, groups[k] = groups[k], None
        mean, square = xp.relative_moments(x, low[rows, ...], units[rows, ...])
        means += list_rows(mean)
        squares += list_rows(square / divisor_of_error(x))
    # The scale of an infinite score is NaN.
    difference = difference_of(list_rows(low)) / unit + difference_of(means)
    return MeanErrors(difference, squares, dfs, unit, limit / unit, scale)


def list_samples(
    xp: Library, scores: Sequence[Array], paired: bool
) -> tuple[list[Array], Array]:
    """Return samples, or differences of pairs, made exactly flat, by `find_flat`."""
    low, high = ranges_of(xp, [x[None, ...] for x in scores])
    sizes = Range(low, high).size(xp)
    samples = [scores[0] - scores[1]] if paired else scores
    if paired:
        low, high = ranges_of(xp, [samples[0][None, ...]])
    are_flat, limit = find_flat(xp, sizes, high - low)
    return [
        xp.where(are_flat[k, ..., None], low[k, ..., None], x)
        for k, x in enumerate(samples)
    ], limit


class Relative(NamedTuple):
    """Samples, or differences of pairs, less their smallest number, in a unit.

    `gap` is the smallest number, or the difference of two, in the same `unit`, as is
    `rounding`. All are of `scaled` scores, which are in units of `unit_of_scaled`.
    """

    samples: list[Array]
    gap: Array
    unit: Array
    scaled: list[Array]
    unit_of_scaled: Array
    rounding: Array


def relate_to_smallest(xp: Library, scores: Sequence[Array], paired: bool) -> Relative:
    """Return samples whose level costs no digits, and whose squares no range."""
    scaled, unit_of_scaled = scale_scores(xp, *scores)
    samples, rounding = list_samples(xp, scaled, paired)
    levels = [xp.min(x, axis=-1) for x in samples]
    samples = [x - level[..., None] for x, level in zip(samples, levels, strict=True)]
    unit = largest_or_one(xp, *samples)
    samples = [xp.unscale(x, unit[..., None]) for x in samples]
    gap = difference_of(levels) / unit
    return Relative(samples, gap, unit, scaled, unit_of_scaled, rounding / unit)


def flatten_within(
    xp: Library, relative: Relative, deviations: Sequence[Array], noise: float = 0.0
) -> list[Array]:
    """Return deviations from the means of strata, 0 if a sample has only rounding.

    As `find_flat` tells, of deviations in the unit of the samples, which were rounded
    once more, with so much `noise`, in units of rounding, from the means.
    """
    paired = len(deviations) < len(relative.scaled)
    scores = ranges_of(xp, [x[None, ...] for x in relative.scaled])
    sizes = list_rows(scores.size(xp))
    sizes = [functools.reduce(xp.maximum, sizes)] if paired else sizes
    eps = float(xp.finfo(sizes[0].dtype).eps)
    limits = [
        limit_rounding(xp, x / relative.unit + 1.0, paired=paired) + eps * noise
        for x in sizes
    ]
    return [
        fill_flat(xp, (xp.max(xp.abs(x), axis=-1) <= limit)[..., None], x, 0.0)
        for x, limit in zip(deviations, limits, strict=True)
    ]


def find_t(
    xp: Library,
    difference: Array,
    squared_errors: Sequence[Array],
    dfs: Sequence[float | Array],
    rounding: Array | None = None,
) -> tuple[Array, Array]:
    """Return t and its degrees of freedom: Welch's, from the errors of two means."""
    total = sum(squared_errors[1:], squared_errors[0])
    t = studentize(xp, difference, total, rounding)
    n = sum(dfs[1:], dfs[0])
    if len(dfs) == 1:
        return t, n + (total - total)
    shares = [(x / total) ** 2 / n for x, n in zip(squared_errors, dfs, strict=True)]
    return t, xp.where(total == 0.0, n, xp.reciprocal(shares[0] + shares[1]))


def average_df(df: Any, fewer: Any) -> Any:
    """Return the harmonic mean of estimated degrees of freedom and of fewer ones."""
    return 2.0 / (1.0 / df + 1.0 / fewer)


def studentize(
    xp: Library,
    difference: Array,
    squared_error: Array,
    rounding: Array | None = None,
) -> Array:
    """Return a difference in units of its error; if that is 0, infinity or 0 for 0.

    Without an error, a difference that may be by rounding is 0.
    """
    zero = difference - difference  # or NaN
    varies = squared_error > 0.0
    if xp.is_host and xp.all(varies):
        return difference / xp.sqrt(squared_error)
    t = difference / xp.sqrt(xp.clip(squared_error, 0.0, None))
    limit = 0.0 if rounding is None else rounding
    return xp.where(varies | (xp.abs(difference) > limit), t, zero)


def squared_error(xp: Library, x: Array) -> Array:
    deviation = x - xp.mean(x, axis=-1, keepdims=True)
    return xp.sum(xp.squared(deviation), axis=-1) / divisor_of_error(x)


def divisor_of_error(x: Array) -> float:
    """Return by what a sum of squared deviations is divided: that of its mean."""
    n = int(x.shape[-1])
    return n * (n - 1.0)


class Intervals(NamedTuple):
    """For each place (n,) the first place of its stratum, and the size of that."""

    first: Array
    size: Array


class Strata(NamedTuple):
    """The number of strata of one size; or else the intervals of each sample.

    Neither if there are none. The number is static under `jit`, and the intervals may
    be traced; pairs have those of both samples. Of two other samples `deals` has the
    sizes of each stratum in A and in B, if they are known on the host.
    """

    number: int | None = None
    intervals: Sequence[Intervals] = ()
    deals: tuple[tuple[int, int], ...] = ()

    @property
    def are_there(self) -> bool:
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

    A sample with a code below 0, or a stratum of one score, whose spread is not known,
    is NaN. So are both where one has another stratum than the other, unless `are_same`
    rules that out.
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
        are_valid = xp.all((size > 1) & (of >= 0))
        ordered.append(xp.where(are_valid, xp.take_last(x, order), math.nan))
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
        rows = split_axis(xp, x, strata.number)
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
) -> MeanErrors:
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
    unit = relative.unit * relative.unit_of_scaled
    return MeanErrors(difference, squares, dfs, unit, relative.rounding)


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
        sums = xp.sum(split_axis(xp, squares, strata.number), axis=-1)
        return sums * ((rest + 1.0) / rest / n / n), rest, 1.0
    size = xp.astype(strata.intervals[k].size, squares.dtype)
    sums = sum_strata(xp, squares, strata.intervals[k])
    return sums * (size / (size - 1.0) / n / n), size - 1.0, 1.0 / size


def split_axis(xp: Library, x: Array, number: int) -> Array:
    """Return numbers (..., H n) as (..., H, n)."""
    *leading, n = x.shape
    return xp.reshape(x, (*leading, number, n // number))
