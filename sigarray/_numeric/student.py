"""Student's t: of two samples, with Welch's degrees of freedom, or of pairs."""

import math
from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._numeric.statistic import (
    choose_scale,
    difference_of,
    largest_or_one,
    scale_by,
    scale_scores,
)
from sigarray._numeric.sums import EPS_OF_SINGLE


def find_t_of(xp: Library, scores: list[Array], paired: bool) -> tuple[Array, Array]:
    """Return t and its degrees of freedom, of two samples or of pairs.

    The list of scores is emptied, as by `find_errors`.
    """
    difference, squares, dfs, _ = find_errors(xp, scores, paired)
    t, df = find_t(xp, difference, squares, dfs)
    return t, df + (difference - difference)


def find_errors(
    xp: Library, scores: list[Array], paired: bool
) -> tuple[Array, list[Array], list[float], Array]:
    """Return a mean, or the difference of two, squared errors, their df and the unit.

    The errors are those of each sample, or of the differences of pairs, in the unit.
    The list of scores, which are large, is emptied.
    """
    dfs = [x.shape[-1] - 1.0 for x in scores[: 1 if paired else None]]
    ranges = [range_of(xp, x) for x in scores]
    sizes = [x.size(xp) for x in ranges]
    scale, unit_of_all = choose_scale(xp, *sizes)
    samples = scale_by(xp, scale, scores)
    scores.clear()
    if paired:
        samples = [samples[0] - samples[1]]
        ranges = [range_of(xp, *samples)]
    else:
        ranges = [Range(low * scale, high * scale) for low, high in ranges]
    spreads = [high - low for low, high in ranges]
    are_flat = find_flat(xp, [size * scale for size in sizes], spreads)
    # In units of the largest number, because squares of small ones would underflow.
    largest = reduce(xp.maximum, spreads)
    unit = xp.where(largest > 0.0, largest, 1.0)
    means, squares = [], []
    for k, ((level, _), is_flat) in enumerate(zip(ranges, are_flat, strict=True)):
        # Relative to the smallest score, so that the level costs no digits.
        own_unit = infinite_if_flat(xp, is_flat, unit)
        mean, square = xp.relative_moments(samples[k], level, own_unit)
        means.append(mean)
        squares.append(square / divisor_of_error(samples[k]))
        samples[k] = None
    gap = difference_of([level for level, _ in ranges]) / unit
    # Where a score is not finite, neither is a range.
    fault = largest - largest
    return gap + difference_of(means) + fault, squares, dfs, unit * unit_of_all


def list_samples(xp: Library, scores: Sequence[Array], paired: bool) -> list[Array]:
    """Return samples, or differences of pairs, made exactly flat by `find_flat`."""
    ranges = [range_of(xp, x) for x in scores]
    sizes = [x.size(xp) for x in ranges]
    samples = [scores[0] - scores[1]] if paired else scores
    ranges = [range_of(xp, *samples)] if paired else ranges
    are_flat = find_flat(xp, sizes, [high - low for low, high in ranges])
    return [
        xp.where(is_flat[..., None], low[..., None], x)
        for x, (low, _), is_flat in zip(samples, ranges, are_flat, strict=True)
    ]


class Relative(NamedTuple):
    """Samples, or differences of pairs, less their smallest number, in a unit.

    `gap` is the smallest number, or the difference of two, in the same `unit`. Both are
    of `scaled` scores, which are in units of `unit_of_scaled`.
    """

    samples: list[Array]
    gap: Array
    unit: Array
    scaled: list[Array]
    unit_of_scaled: Array


def relate_to_smallest(xp: Library, scores: Sequence[Array], paired: bool) -> Relative:
    """Return samples whose level costs no digits, and whose squares no range."""
    scaled, unit_of_scaled = scale_scores(xp, *scores)
    samples = list_samples(xp, scaled, paired)
    levels = [xp.min(x, axis=-1) for x in samples]
    samples = [x - level[..., None] for x, level in zip(samples, levels, strict=True)]
    unit = largest_or_one(xp, *samples)
    samples = [xp.unscale(x, unit[..., None]) for x in samples]
    gap = difference_of(levels) / unit
    return Relative(samples, gap, unit, scaled, unit_of_scaled)


class Range(NamedTuple):
    """The smallest and the largest number of samples."""

    low: Array
    high: Array

    def size(self, xp: Library) -> Array:
        """Return the largest absolute number."""
        return xp.maximum(self.high, -self.low)


def range_of(xp: Library, x: Array) -> Range:
    """Return the range of samples along the last axis."""
    return Range(xp.min(x, axis=-1), xp.max(x, axis=-1))


def find_flat(
    xp: Library, sizes: Sequence[Array], spreads: Sequence[Array]
) -> list[Array]:
    """Tell which samples of scores, or of differences, vary only by rounding.

    Scores are given by their sizes, and samples by how far their ends are apart.

    Two decimals and their difference are rounded by at most half a unit each: 0.9 - 0.8
    and 0.7 - 0.6 differ by no more, and count as the same. So do means that were summed
    in another order. Whole numbers in single precision may be as near to one another,
    but they are exact and count as different.
    """
    sizes, eps, units = _find_rounding(xp, sizes, len(spreads))
    return [
        spread <= eps * units * size
        for spread, size in zip(spreads, sizes, strict=True)
    ]


def flatten_within(
    xp: Library, relative: Relative, deviations: Sequence[Array], noise: float = 0.0
) -> list[Array]:
    """Return deviations from the means of strata, 0 if a sample has only rounding.

    As `find_flat` tells, of deviations in the unit of the samples, which were rounded
    once more, with so much `noise`, in units of rounding, from the means.
    """
    scores = [range_of(xp, x).size(xp) for x in relative.scaled]
    sizes, eps, units = _find_rounding(xp, scores, len(deviations))
    limits = [eps * (units * (x / relative.unit + 1.0) + noise) for x in sizes]
    return [
        zero_if_flat(xp, (xp.max(xp.abs(x), axis=-1) <= limit)[..., None], x)
        for x, limit in zip(deviations, limits, strict=True)
    ]


def _find_rounding(
    xp: Library, sizes: Sequence[Array], n_samples: int
) -> tuple[Sequence[Array], float, float]:
    """Return the sizes of samples, eps, and by how many of it flat samples may vary."""
    if is_of_pairs := n_samples < len(sizes):
        sizes = [xp.maximum(*sizes)]
    eps = float(xp.finfo(sizes[0].dtype).eps)
    return sizes, eps, 4.0 if is_of_pairs or eps < EPS_OF_SINGLE else 1.0


def zero_if_flat(xp: Library, is_flat: Array, x: Array) -> Array:
    """Return 0 for samples that are flat, and x for others; NaN stays."""
    return x if xp.is_host and not xp.any(is_flat) else xp.where(is_flat, 0.0, x)


def infinite_if_flat(xp: Library, is_flat: Array, unit: Array) -> Array:
    """Return a unit in which the numbers of flat samples, which are finite, are 0."""
    if xp.is_host and not xp.any(is_flat):
        return unit
    return xp.where(is_flat, math.inf, unit)


def find_t(
    xp: Library,
    difference: Array,
    squared_errors: Sequence[Array],
    dfs: Sequence[float | Array],
) -> tuple[Array, Array]:
    """Return t and its degrees of freedom: Welch's, from the errors of two means."""
    total = sum(squared_errors[1:], squared_errors[0])
    t = studentize(xp, difference, total)
    n = sum(dfs[1:], dfs[0])
    df = xp.full_like(t, n) if isinstance(n, float) else xp.zeros_like(t) + n
    if len(dfs) == 1:
        return t, df
    shares = [(x / total) ** 2 / n for x, n in zip(squared_errors, dfs, strict=True)]
    return t, xp.where(total > 0.0, xp.reciprocal(shares[0] + shares[1]), df)


def studentize(xp: Library, difference: Array, squared_error: Array) -> Array:
    """Return a difference in units of its error; if that is 0, infinity or 0 for 0."""
    zero = difference - difference  # or NaN
    varies = squared_error > 0.0
    if xp.is_host and xp.all(varies):
        return difference / xp.sqrt(squared_error) + zero
    t = difference / xp.sqrt(xp.where(varies, squared_error, 0.0))
    return xp.where(difference == 0.0, zero, t) + zero


def squared_error(xp: Library, x: Array) -> Array:
    """Return the estimated variance of the mean."""
    deviation = x - xp.mean(x, axis=-1, keepdims=True)
    return xp.sum(xp.squared(deviation), axis=-1) / divisor_of_error(x)


def divisor_of_error(x: Array) -> float:
    """Return by what a sum of squared deviations is divided: that of its mean."""
    n = int(x.shape[-1])
    return n * (n - 1.0)
