"""Student's t: of two samples, with Welch's degrees of freedom, or of pairs."""

import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._numeric.statistic import difference_of, largest_or_one, scale_scores

_EPS_OF_SINGLE = 2.0**-23


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
    sizes = [x.shape[-1] - 1.0 for x in scores[: 1 if paired else None]]
    scaled, unit_of_all = scale_scores(xp, *scores)
    samples = [scaled[0] - scaled[1]] if paired else scaled
    are_flat = find_flat(xp, scaled, samples)
    del scaled
    scores.clear()
    # Relative to the smallest score, so that the level costs no digits.
    levels = [xp.min(x, axis=-1, keepdims=True) for x in samples]
    samples = [x - level for x, level in zip(samples, levels, strict=True)]
    gap = difference_of(levels)
    # In units of the largest number, because squares of small ones would underflow.
    unit = largest_or_one(xp, *samples)[..., None]
    samples = [x / unit for x in samples]
    means, squares = (
        [xp.where(y, 0.0, find(x)) for x, y in zip(samples, are_flat, strict=True)]
        for find in (partial(xp.mean, axis=-1), partial(squared_error, xp))
    )
    difference = (gap / unit)[..., 0] + difference_of(means)
    return difference, squares, sizes, unit[..., 0] * unit_of_all


def list_samples(xp: Library, scores: Sequence[Array], paired: bool) -> list[Array]:
    """Return samples, or differences of pairs, made exactly flat by `find_flat`."""
    samples = [scores[0] - scores[1]] if paired else scores
    return [
        xp.where(y[..., None], xp.min(x, axis=-1, keepdims=True), x)
        for x, y in zip(samples, find_flat(xp, scores, samples), strict=True)
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
    samples = [x / unit[..., None] for x in samples]
    gap = difference_of(levels) / unit
    return Relative(samples, gap, unit, scaled, unit_of_scaled)


def find_flat(
    xp: Library, scores: Sequence[Array], samples: Sequence[Array]
) -> list[Array]:
    """Tell which samples of scores, or of differences, vary only by rounding.

    Two decimals and their difference are rounded by at most half a unit each: 0.9 - 0.8
    and 0.7 - 0.6 differ by no more, and count as the same. So do means that were summed
    in another order. Whole numbers in single precision may be as near to one another,
    but they are exact and count as different.
    """
    sizes = [xp.maximum(xp.max(x, axis=-1), -xp.min(x, axis=-1)) for x in scores]
    if is_of_pairs := len(samples) < len(scores):
        sizes = [xp.maximum(*sizes)]
    eps = xp.finfo(samples[0].dtype).eps
    unit = eps * (4.0 if is_of_pairs or eps < _EPS_OF_SINGLE else 1.0)
    return [
        xp.max(x, axis=-1) - xp.min(x, axis=-1) <= unit * size
        for x, size in zip(samples, sizes, strict=True)
    ]


def find_t(
    xp: Library,
    difference: Array,
    squared_errors: Sequence[Array],
    dfs: Sequence[float | Array],
) -> tuple[Array, Array]:
    """Return t and its degrees of freedom: Welch's, from the errors of two means."""
    total = sum(squared_errors[1:], squared_errors[0])
    t = studentize(xp, difference, total)
    df = xp.zeros_like(t) + sum(dfs[1:], dfs[0])
    if len(dfs) == 1:
        return t, df
    varies = total > 0.0
    divisor = xp.where(varies, total, 1.0)
    shares = [(x / divisor) ** 2 / n for x, n in zip(squared_errors, dfs, strict=True)]
    spread = xp.where(varies, shares[0] + shares[1], 1.0)
    return t, xp.where(varies, 1.0 / spread, df)


def studentize(xp: Library, difference: Array, squared_error: Array) -> Array:
    """Return a difference in units of its error; if that is 0, infinity or 0 for 0."""
    varies = squared_error > 0.0
    t = difference / xp.sqrt(xp.where(varies, squared_error, 1.0))
    infinity = xp.full_like(difference, math.inf)
    infinite = xp.where(difference > 0.0, infinity, -infinity)
    infinite = xp.where(difference == 0.0, 0.0, infinite)
    # NaN stays.
    return xp.where(varies, t, infinite) + (difference - difference)


def squared_error(xp: Library, x: Array) -> Array:
    """Return the estimated variance of the mean."""
    n = x.shape[-1]
    deviation = x - xp.mean(x, axis=-1, keepdims=True)
    return xp.sum(deviation * deviation, axis=-1) / (n * (n - 1.0))
