"""Differences of means in units of their error, of samples that are made anew."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from sigarray._backend.aliases import Alternative, Array, Seed
from sigarray._backend.chunks import map_replicates, sum_replicates
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._backend.threefry import random_places
from sigarray._difference.exchanges import deal_samples, exchange_samples
from sigarray._difference.resampling import count_elements
from sigarray._numeric.faults import spread_faults
from sigarray._numeric.statistic import (
    TIE_UNITS,
    add_rounding_of_scores,
    center_scores,
    difference_of,
    largest_or_one,
    move_back,
    rounding_of,
    scale_scores,
)
from sigarray._numeric.student import find_t_of, list_samples, squared_error, studentize


def difference_and_error(xp: Library, samples: Sequence[Array]) -> tuple[Array, Array]:
    """Return mean, or the difference of two, and the variance that it has by itself.

    The variance is 0 of scores that are all the same, and of no others.
    """
    levels = [xp.min(x, axis=-1, keepdims=True) for x in samples]
    rests = [x - level for x, level in zip(samples, levels, strict=True)]
    means = [
        level[..., 0] + xp.mean(rest, axis=-1)
        for rest, level in zip(rests, levels, strict=True)
    ]
    errors = [squared_error(xp, rest) for rest in rests]
    return difference_of(means), sum(errors[1:], errors[0])


def exchange_differences(
    xp: Library,
    pool: Array,
    n: int,
    seed: Seed | None,
    start: int | Array,
    size: int,
    paired: bool,
) -> tuple[Array, Array]:
    """Give `difference_and_error` (..., size) of scores that are exchanged or dealt."""
    if paired:
        a, b = exchange_samples(xp, pool, n, seed, start, size)
        return difference_and_error(xp, [a - b])
    return difference_and_error(xp, deal_samples(xp, pool, n, seed, start, size))


def find_gaps(
    xp: Library,
    differences: tuple[Array, Array],
    variances: tuple[Array, Array],
    rounding: Array,
) -> tuple[Array, Array]:
    """How far t of resamples is above the observed one, and how far rounding goes.

    Both are in units of the product of their errors, so that nothing is divided by 0.
    """
    difference, resampled = differences
    error, error_of_resample = map(xp.sqrt, variances)
    gap = resampled * error[..., None] - difference[..., None] * error_of_resample
    return gap, rounding[..., None] * (error[..., None] + error_of_resample)


def permuted_gaps(
    xp: Library,
    pool: Array,
    n: int,
    seed: Seed | None,
    start: int | Array,
    size: int,
    rounding: Array,
) -> tuple[Array, Array]:
    """Return `find_gaps` of scores that are dealt out anew to two samples.

    `rounding` is that of the difference of their means.
    """
    unit = largest_or_one(xp, pool)
    pool = pool / unit[..., None]
    samples = [pool[..., :n], pool[..., n:]]
    observed, variance = difference_and_error(xp, samples)
    permuted, variances = exchange_differences(xp, pool, n, seed, start, size, False)
    return find_gaps(xp, (observed, permuted), (variance, variances), rounding / unit)


def permuted_t(
    xp: Library,
    pool: Array,
    n: int,
    seed: Seed | None,
    start: int | Array,
    size: int,
    paired: bool,
) -> Array:
    """Return t (..., size) of scores that are exchanged or dealt out anew."""
    pool = pool / largest_or_one(xp, pool)[..., None]
    differences = exchange_differences(xp, pool, n, seed, start, size, paired)
    return studentize(xp, *differences)


class Standard(NamedTuple):
    """Scores about a coarse mean, or differences of pairs, at most 1 in size.

    The difference of the means of what was given, and its variance, are in units too.
    """

    scores: list[Array]
    difference: Array
    variance: Array
    unit: Array


def standardize_scores(xp: Library, samples: Sequence[Array], paired: bool) -> Standard:
    """Return scores in units of the largest distance from their coarse mean."""
    scaled, scale = scale_scores(xp, *(spread_faults(xp, x) for x in samples))
    centered = center_scores(xp, "mean", *list_samples(xp, scaled, paired))
    unit = largest_or_one(xp, *centered.scores)
    scores = [x / unit[..., None] for x in centered.scores]
    observed, variance = difference_and_error(xp, scores)
    # The levels are subtracted as they are: a division would round them.
    difference = move_back(centered, unit * observed) / unit
    return Standard(scores, difference, variance, centered.unit * scale * unit)


def resampled_shifts(
    xp: Library,
    samples: Sequence[Array],
    seed: Seed,
    start: int | Array,
    size: int,
) -> tuple[Array, Array]:
    """Return how far resampled differences are from the observed one, and variances."""
    sizes = [x.shape[-1] for x in samples]
    places = random_places(xp, seed, start, size, sizes, sizes, False)
    resamples = [xp.take_last(x, p) for x, p in zip(samples, places, strict=True)]
    resampled, variances = difference_and_error(xp, resamples)
    observed, _ = difference_and_error(xp, samples)
    return resampled - observed[..., None], variances


def draw_t(
    xp: Library, samples: Sequence[Array], seed: Seed, start: int | Array, count: int
) -> Array:
    """Give shifts of resamples, and these in units of their errors: (2, ..., count)."""

    def replicate(chunk_start: int | Array, size: int) -> Array:
        first = start + chunk_start
        shifts, variances = resampled_shifts(xp, samples, seed, first, size)
        return xp.stack([shifts, studentize(xp, shifts, variances)])

    return map_replicates(xp, replicate, count, elements=count_elements(samples, False))


def limits_by_t(
    xp: Library, t: Array, difference: Array, variance: Array, tail: float
) -> list[Array]:
    """Return limits of the bootstrap-t: Efron and Tibshirani (1994), equation 12.22.

    The quantiles are order statistics: t may be infinite, and has no line through it.
    """
    count = t.shape[-1]
    place = max(1, math.floor((count + 1) * tail * (1.0 + 1e-12)))
    ordered = xp.sort(t, axis=-1, stable=False)
    error = xp.sqrt(variance)
    quantiles = ordered[..., count - place], ordered[..., place - 1]
    return [difference - quantile * error for quantile in quantiles]


@array_kernel
def bootstrap_t_test(
    xp: Library,
    a: Array,
    b: Array,
    seed: Seed,
    *,
    paired: bool,
    alternative: Alternative,
    n_resamples: int,
) -> tuple[Array, Array]:
    """T and its p-value by the bootstrap: as algorithm 16.2 of Efron and Tibshirani."""
    t, _ = find_t_of(xp, spread_faults(xp, a), spread_faults(xp, b), paired)
    samples, difference, variance, unit = standardize_scores(xp, [a, b], paired)
    rounding = rounding_of(xp, "mean", samples, [difference])
    # Of the scores themselves, also where the samples are differences of pairs.
    levels = [xp.min(x, axis=-1) / unit for x in (a, b)]
    rounding = add_rounding_of_scores(xp, rounding, "mean", levels)
    rounding = rounding + TIE_UNITS * xp.finfo(t.dtype).eps * xp.abs(difference)

    def find_extremes(start: int | Array, size: int) -> Array:
        shifts, variances = resampled_shifts(xp, samples, seed, start, size)
        differences = difference, shifts
        if alternative == "two-sided":
            differences = xp.abs(difference), xp.abs(shifts)
        gap, tie = find_gaps(xp, differences, (variance, variances), rounding)
        return gap <= tie if alternative == "less" else gap >= -tie

    fault = difference - difference
    count = sum_replicates(
        xp,
        find_extremes,
        n_resamples,
        initial=fault,
        elements=count_elements(samples, False),
    )
    return t, (count + 1.0) / (n_resamples + 1.0)
