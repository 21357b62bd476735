"""Statistics of resampling tests: mean, median, interquartile mean, or a function."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from sigarray._backend.callers import Alternative, Array, Statistic
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._numeric.faults import (
    EPS_OF_SINGLE,
    Range,
    check_result,
    group_samples,
    limit_rounding,
    list_rows,
    ranges_of,
    rows_of,
    spread_faults,
)
from sigarray._numeric.sums import SumStatistic

# Differences closer than this many units of rounding are ties; of metrics of sums in
# single precision fewer units, for those of large corpora differ by little.
TIE_UNITS, _TIE_UNITS_OF_SUMS = 100, 16
# The rounding of scores counts up to this share of their differences.
_MOST_OF_SPREAD = 2.0**-10
# Numbers that `middle_of_counted` holds for each score, with the counts.
HELD_BY_COUNTS = 5


def check_pairs(
    a: Array, b: Array, advice: str = "Pass paired=False for independent samples."
) -> None:
    if a.shape[-1] != b.shape[-1]:
        msg = (
            f"Expected as many scores of A as of B, for they are pairs; got "
            f"{a.shape[-1]} and {b.shape[-1]}. {advice}"
        )
        raise ValueError(msg)


def check_sizes(*samples: Array, purpose: str) -> None:
    if min(sample.shape[-1] for sample in samples) < 2:
        sizes = " and ".join(str(sample.shape[-1]) for sample in samples)
        msg = f"Expected two scores or more in a sample, {purpose}; got {sizes}."
        raise ValueError(msg)


def apply_statistic(xp: Library, statistic: Statistic, x: Array) -> Array:
    """Compute the statistic along the last axis, or that of sums along the last two."""
    if statistic == "mean":
        return xp.mean(x, axis=-1)
    if isinstance(statistic, str):
        ordered = xp.sort(x, axis=-1, stable=False)
        n = x.shape[-1]
        if statistic == "median":
            middle = 0.5 * (ordered[..., (n - 1) // 2] + ordered[..., n // 2])
        else:
            middle = xp.mean(ordered[..., n // 4 : n - n // 4], axis=-1)
        # NaN, wherever the sort puts one.
        return xp.where(xp.any(xp.isnan(x), axis=-1), math.nan, middle)
    if isinstance(statistic, SumStatistic):
        return statistic.observe(xp, x)
    result = statistic(xp.writable(x), axis=-1)
    check_result(xp, "statistic(x, axis=-1)", result, x.shape[:-1], x)
    return xp.astype(result, x.dtype, copy=False)


def weighted_middle(
    xp: Library, statistic: Statistic, x: Array, weights: Array | None, n: int
) -> Array:
    """Return the median or the interquartile mean of numbers that count by weights.

    The weights of x (..., k) add up to `n`, by default alike, and with weights of 1 the
    statistic is that of `apply_statistic`: the mean of the middle, of which as much is
    left out at each end as of n numbers.
    """
    cut = float(n // 4 if statistic == "iqm" else (n - 1) // 2)
    if weights is None:
        ordered = xp.sort(x, axis=-1, stable=False)
        counted = xp.full((x.shape[-1],), n / x.shape[-1], dtype=x.dtype)
    else:
        order = xp.argsort(x, axis=-1, stable=False)
        ordered = xp.take_along_axis(x, order, axis=-1)
        counted = xp.take_along_axis(xp.broadcast_to(weights, x.shape), order, axis=-1)
    inside = xp.clip(xp.cumulative_sum(counted, axis=-1), cut, n - cut)
    before = xp.full_like(inside[..., :1], cut)
    shares = inside - xp.concat([before, inside[..., :-1]], axis=-1)
    middle = xp.sum(shares * ordered, axis=-1) / (n - 2.0 * cut)
    return xp.where(xp.any(xp.isnan(x), axis=-1), math.nan, middle)


def middle_of_counted(
    xp: Library, statistic: Statistic, ordered: Array, counts: Array
) -> Array:
    """Return the median or the interquartile mean of sorted numbers, written out.

    Each of `ordered` (..., n) is there as often as the integers `counts` (..., n) say,
    so that their total may vary: it is that of `apply_statistic` of as many numbers.
    """
    sums = xp.cumulative_sum(counts, axis=-1, dtype=counts.dtype)
    total = sums[..., -1:]
    cut = total // 4 if statistic == "iqm" else (total - 1) // 2
    inside = xp.minimum(xp.maximum(sums, cut), total - cut)
    shares = inside - xp.concat([cut, inside[..., :-1]], axis=-1)
    middle = xp.sum(xp.astype(shares, ordered.dtype) * ordered, axis=-1)
    middle = middle / xp.astype((total - 2 * cut)[..., 0], ordered.dtype)
    return xp.where(xp.any(xp.isnan(ordered), axis=-1), math.nan, middle)


def pool_samples(xp: Library, a: Array, b: Array) -> Array:
    """Return the scores of A and then of B; NaN for a sample with a fault."""
    return concat_samples(xp, spread_faults(xp, a), spread_faults(xp, b))


def concat_samples(xp: Library, a: Array, b: Array) -> Array:
    """Return the scores of A and then of B, unchanged; leading axes broadcast."""
    leading = broadcast_shapes(a.shape[:-1], b.shape[:-1])
    parts = [xp.broadcast_to(x, (*leading, x.shape[-1])) for x in (a, b)]
    return xp.concat(parts, axis=-1)


class Centered(NamedTuple):
    """Samples about a coarse mean.

    The original scores are `unit` (`level` + `middle` + `scores`), where the level is
    the smallest score, and the middle is relative to it, as is the largest score. The
    unit is a power of two; on the host it is 1 unless sums would overflow or lose bits.
    """

    scores: list[Array]
    levels: list[Array]
    middles: list[Array]
    unit: Array
    spreads: list[Array]


def center_scores(xp: Library, statistic: Statistic, *samples: Array) -> Centered:
    """Return the scores of each sample less the smallest one, and less a coarse mean.

    Otherwise sums would lose digits that are small beside the level of the scores, but
    not beside their spread. A difference of two scores has the same rounding for any
    number that is added to both. The coarse mean has eight bits of the range: whole
    numbers stay multiples of a power of two, whose sums are exact, and an outlier
    leaves the others small. A sample with a score that is not finite is NaN. What has a
    name moves with the scores; a callable may not, and its scores stay.
    """
    if not isinstance(statistic, str):
        first = (..., 0, 0) if isinstance(statistic, SumStatistic) else (..., 0)
        zeros = [xp.zeros_like(x[first]) for x in samples]
        return Centered(list(samples), zeros, zeros, zeros[0] + 1.0, zeros)
    groups = group_samples(xp, samples)
    low, high = ranges_of(xp, groups)
    scale = choose_scale(xp, *list_rows(Range(low, high).size(xp)))
    low, high = low * scale, high * scale
    scores, middles, spreads = [], [], high - low
    for x, rows in zip(
        scale_by(xp, scale[None, ...], groups), rows_of(groups), strict=True
    ):
        rest = x - low[rows, ..., None]
        middle = _round_mean(xp, rest, spreads[rows, ...])
        scores += list_rows(rest - middle[..., None])
        middles += list_rows(middle)
    unit = xp.reciprocal(scale)
    return Centered(scores, list_rows(low), middles, unit, list_rows(spreads))


def difference_of(values: Sequence[Array]) -> Array:
    return values[0] if len(values) == 1 else values[0] - values[1]


def move_back(centered: Centered, value: Array) -> Array:
    """Return the value (..., *more) of centered scores, or a difference, as uncentered.

    It is still in units of `centered.unit`.
    """
    level, middle = difference_of(centered.levels), difference_of(centered.middles)
    axes = (..., *(None,) * (value.ndim - level.ndim))
    return level[axes] + (middle[axes] + value)


def _round_mean(xp: Library, x: Array, largest: Array) -> Array:
    """Round the mean of scores >= 0 to a multiple of 1/256 to 1/128 of the largest."""
    # The added number leaves eight bits to the sum; its subtraction is exact.
    large = largest * (2.0**-8 / xp.finfo(x.dtype).eps)
    return (xp.mean(x, axis=-1) + large) - large


def coarse_mean(xp: Library, x: Array) -> Array:
    """Return a level (..., 1) near the mean of x (..., n), to sum the rest about it.

    The rest then loses no digits to the level; numbers that are the same are it.
    """
    low = xp.min(x, axis=-1, keepdims=True)
    rest = x - low
    # Of a larger range the number that rounds the mean would overflow.
    info = xp.finfo(x.dtype)
    largest = xp.clip(xp.max(rest, axis=-1), None, float(info.max * info.eps * 64.0))
    return low + _round_mean(xp, rest, largest)[..., None]


def scale_scores(xp: Library, *samples: Array) -> tuple[list[Array], Array]:
    """Scale samples by a power of two, so that sums neither overflow nor lose bits.

    Numbers so small that they have few bits are scaled up.
    """
    sizes = [xp.max(xp.abs(x), axis=-1) for x in samples]
    scale = choose_scale(xp, *sizes)
    return scale_by(xp, scale, samples), xp.reciprocal(scale)


def choose_scale(xp: Library, *sizes: Array) -> Array:
    size = functools.reduce(xp.maximum, sizes)
    _, exponent = math.frexp(float(xp.finfo(size.dtype).max))
    large = 2.0 ** (exponent // 2)
    if xp.is_host and not xp.any((size > large) | (size < 1.0 / large)):
        return xp.ones_like(size)
    # To 2 or more, for a scale with all bits; scores that are all 0 have one, too.
    return xp.power_to_reach(1, xp.clip(size, 2.0 / large, None))


def scale_by(xp: Library, scale: Array, samples: Sequence[Array]) -> list[Array]:
    """Return samples times a scale; on the host, themselves if it is 1."""
    are_alike = all(x.shape[:-1] == scale.shape for x in samples)
    if xp.is_host and are_alike and xp.all(scale == 1.0):
        return list(samples)
    return [x * scale[..., None] for x in samples]


def standard_deviation(xp: Library, x: Array) -> Array:
    """Return the standard deviation (ddof 1) along the last axis, NaN for one number.

    It is computed in units of the largest deviation, whose square might overflow.
    """
    n = x.shape[-1]
    deviation = x - xp.mean(x, axis=-1, keepdims=True)
    unit = largest_or_one(xp, deviation)
    share = deviation / unit[..., None]
    squares = xp.sum(share * share, axis=-1)
    variance = squares / (n - 1.0) if n > 1 else squares * math.nan
    return unit * xp.sqrt(variance)


def largest_or_one(
    xp: Library, *samples: Array, axis: int = -1, least: Array | float = 0.0
) -> Array:
    """Return the largest absolute number along an axis, or 1 if that is `least` or 0.

    In this unit, squares of tiny or huge numbers stay in the range of floats.
    """
    sizes = [xp.max(xp.abs(x), axis=axis) for x in samples]
    largest = functools.reduce(xp.maximum, sizes)
    return xp.where(largest > least, largest, 1.0)


def find_p_value(
    xp: Library, alternative: Alternative, find_tail: Callable[[str], Array]
) -> Array:
    """Return the tail of a side, "greater" or "less", or twice the smaller of both."""
    if alternative != "two-sided":
        return find_tail(alternative)
    smaller = xp.minimum(find_tail("greater"), find_tail("less"))
    return xp.clip(2.0 * smaller, None, 1.0)


def find_symmetric_p_value(
    xp: Library,
    alternative: Alternative,
    x: Array,
    upper_tail: Callable[[Array], Array],
) -> Array:
    """As `find_p_value`, if the tails are one function, of x and of -x."""
    if alternative != "two-sided":
        return upper_tail(x if alternative == "greater" else -x)
    return xp.clip(2.0 * upper_tail(xp.abs(x)), None, 1.0)


def rounding_of(
    xp: Library,
    statistic: Statistic,
    samples: Sequence[Array],
    values: Sequence[Array],
) -> Array:
    """Return how far apart two equal differences may be by rounding."""
    if not isinstance(statistic, str):
        scales = [xp.abs(value) for value in values]
    else:
        scales = [apply_statistic(xp, statistic, xp.abs(x)) for x in samples]
    units, eps = TIE_UNITS, xp.finfo(values[0].dtype).eps
    if isinstance(statistic, SumStatistic) and eps >= EPS_OF_SINGLE:
        units = _TIE_UNITS_OF_SUMS
    return units * eps * sum(scales[1:], scales[0])


def find_rounding(
    xp: Library,
    statistic: Statistic,
    samples: Sequence[Array],
    values: Sequence[Array],
    levels: Sequence[Array],
    extent: Array | None = None,
    paired: bool = False,
) -> Array:
    """Return `rounding_of` samples and values, with that of the original scores."""
    rounding = rounding_of(xp, statistic, samples, values)
    sizes = [x.shape[-1] for x in samples]
    return add_rounding_of_scores(
        xp, rounding, statistic, levels, sizes, extent, paired
    )


def add_rounding_of_scores(
    xp: Library,
    rounding: Array,
    statistic: Statistic,
    levels: Sequence[Array],
    sizes: Sequence[int],
    extent: Array | None = None,
    paired: bool = False,
) -> Array:
    """Add to `rounding_of` that of the original scores, at these levels.

    Its effect on a callable is unknown; medians of any sizes have that of a score.
    """
    if not isinstance(statistic, str):
        return rounding
    spread = rounding * (1.0 / TIE_UNITS / xp.finfo(rounding.dtype).eps)
    sizes = [1] if statistic == "median" else sizes
    more = rounding_of_scores(xp, levels, spread, sizes, extent, paired)
    return rounding + more


def rounding_of_scores(
    xp: Library,
    levels: Sequence[Array],
    spread: Array,
    sizes: Sequence[int],
    extent: Array | None = None,
    paired: bool = False,
) -> Array:
    """Return how far apart equal differences of means may be, of scores as given.

    0.1 and 99.3 are no floats: each score is off by up to half a unit in its last
    place, which remains after the level is subtracted. Two differences are then up to
    two units apart; of n and m scores, whose errors have either sign, rarely more than
    4 (1 / n + 1 / m)^(1/2) units, which become less as fast as the error of the
    difference does. It counts as far as it is small beside the differences of scores:
    else whole numbers at a high level, which are exact, would be ties. Levels have the
    dtype of the scores. But if all scores are within rounding, by their `extent`, so
    are all differences.
    """
    level = functools.reduce(xp.maximum, [xp.abs(x) for x in levels])
    share = min(1.0, 2.0 * math.sqrt(sum(1.0 / n for n in sizes)))
    unit = 2.0 * share * xp.finfo(level.dtype).eps
    rounding = xp.minimum(unit * level, share * _MOST_OF_SPREAD * spread)
    if extent is None:
        return rounding
    limit = limit_rounding(xp, level, paired=paired)
    return xp.where(extent <= limit, limit, rounding)
