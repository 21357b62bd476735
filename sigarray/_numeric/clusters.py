"""Clusters of items that were sampled together: their sums, and errors of means.

An item of a cluster says less than one of its own, for items of a document, or of a
speaker, are alike. The sums of clusters are all that is needed; within strata, whole
clusters of each stratum were sampled by themselves.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from sigarray._backend.callers import Array
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel
from sigarray._numeric.statistic import (
    coarse_mean,
    difference_of,
    largest_or_one,
    scale_scores,
)
from sigarray._numeric.student import (
    Intervals,
    MeanErrors,
    Strata,
    flatten_within,
    list_samples,
    relate_to_smallest,
    sort_into_strata,
    sum_strata,
)


class Clusters(NamedTuple):
    """Integer codes (n,) of items, from 0 to `number` - 1."""

    codes: Array
    number: int


def sum_clusters(xp: Library, x: Array, clusters: Clusters) -> tuple[Array, Array]:
    """Return the sums (..., C) of x (..., n) and the sizes (C,) of clusters.

    Sorted by code, a cluster is an interval: the difference of two cumulative sums,
    without a scatter, whose order a GPU does not promise. They are of x less a coarse
    mean, so that the level costs no digits, and counts stay exact.
    """
    return _sum_intervals(xp, x, *find_intervals(xp, clusters))


def _sum_intervals(
    xp: Library, x: Array, order: Array, first: Array, last: Array
) -> tuple[Array, Array]:
    level = coarse_mean(xp, x)
    sums = xp.cumulative_sum(
        xp.take_last(x - level, order), axis=-1, include_initial=True
    )
    sizes = xp.astype(last - first, x.dtype)
    sums = xp.take_last(sums, last) - xp.take_last(sums, first)
    return sums + level * sizes, sizes


def find_intervals(xp: Library, clusters: Clusters) -> tuple[Array, Array, Array]:
    """Return the items (n,) by cluster, and where each (C,) begins and ends in them."""
    order = xp.argsort(clusters.codes, stable=True)
    ordered = xp.contiguous(xp.take(clusters.codes, order, axis=0))
    # A batch of codes, under torch.func.vmap, makes one of the numbers.
    numbers = xp.arange(clusters.number, dtype=ordered.dtype) + (ordered - ordered)[:1]
    first, last = (
        xp.searchsorted(ordered, numbers, side=side) for side in ("left", "right")
    )
    return order, first, last


def keep_inside(xp: Library, clusters: Clusters) -> tuple[Array, Array]:
    """Return codes with 0 for those that no cluster has, and which have one, (n,)."""
    codes = clusters.codes
    is_known = (codes >= 0) & (codes < clusters.number)
    return xp.where(is_known, codes, xp.zeros_like(codes)), is_known


def sort_items(
    xp: Library, samples: Sequence[Array], clusters: Sequence[Clusters]
) -> tuple[list[Array], list[Array]]:
    """Return samples (..., n) in rising order, and the codes (..., n) in that order."""
    ordered, codes = [], []
    for x, of in zip(samples, clusters, strict=True):
        order = xp.argsort(x, axis=-1, stable=False)
        ordered.append(xp.take_along_axis(x, order, axis=-1))
        codes.append(xp.take_last(of.codes, order))
    return ordered, codes


def find_errors_of_clusters(
    xp: Library, scores: list[Array], clusters: Sequence[Clusters], paired: bool
) -> MeanErrors:
    """Return the errors of items in clusters.

    Of each sample, with the sum s and the size n of each cluster, N items, their mean
    m, and the shares p = n / N, the squared error is sum (s - m n)^2 / (1 - p) / N^2,
    "CR2" of Bell and McCaffrey, and with q = p^2 / (1 - p) the degrees of freedom are
    1 / (sum p^2 + (sum q)^2 - sum q^2), Satterthwaite's of the moments of CR2 for
    independent items: `t_test` has the sources. Of clusters of one item these are s^2 /
    n and n - 1, those of Student's t.
    """
    scaled, unit_of_all = scale_scores(xp, *scores)
    numbers, rounding = list_samples(xp, scaled, paired)
    # Relative to the smallest score, so that the level costs no digits.
    levels = [xp.min(x, axis=-1) for x in numbers]
    numbers = [x - y[..., None] for x, y in zip(numbers, levels, strict=True)]
    means = [xp.mean(x, axis=-1) for x in numbers]
    deviations = [x - m[..., None] for x, m in zip(numbers, means, strict=True)]
    unit = largest_or_one(xp, *deviations)
    squares, dfs = [], []
    for k, of in enumerate(clusters):
        scaled = deviations[k] / unit[..., None]
        (square,), df, is_whole = find_errors_of_sums(xp, [scaled], of)
        squares.append(square)
        dfs.append(df + xp.zeros_like(means[k]))
        means[k] = xp.where(is_whole, means[k] / unit, math.nan)
    difference = difference_of(levels) / unit + difference_of(means)
    return MeanErrors(difference, squares, dfs, unit * unit_of_all, rounding / unit)


def find_errors_of_sums(
    xp: Library, deviations: Sequence[Array], clusters: Clusters
) -> tuple[list[Array], Array, Array]:
    """Return squared errors of means by sums of deviations from these, and their df.

    All are of the same items. Beside these, whether each item is in a cluster. If one
    is in none, it is in no sum: a fault.
    """
    intervals = find_intervals(xp, clusters)
    every = [_sum_intervals(xp, x, *intervals) for x in deviations]
    sizes = every[0][1]
    total = float(deviations[0].shape[-1])
    rest, df = weigh_shares(xp, sizes / total)
    squares = [xp.sum(x * x / rest, axis=-1) / (total * total) for x, _ in every]
    return squares, df, xp.sum(sizes) == total


def weigh_shares(xp: Library, share: Array) -> tuple[Array, Array]:
    """Return what clusters with shares (..., C) of the items leave, and the df (...).

    A single cluster leaves 0, so that its error is unknown: NaN.
    """
    rest = 1.0 - share
    q = share * share / rest
    sum_of_q = xp.sum(q, axis=-1)
    inverse = xp.sum(share * share - q * q, axis=-1) + sum_of_q * sum_of_q
    return rest, 1.0 / inverse


@array_kernel
def nest_clusters(
    xp: Library,
    samples: Sequence[Array],
    codes: Sequence[Array],
    of_strata: Sequence[Array],
    *,
    numbers: Sequence[int],
    are_same: bool,
) -> tuple[list[Array], list[Array], list[Intervals]]:
    """Return samples, codes of clusters in the order of their strata, and intervals.

    The intervals are those of clusters. A sample is NaN with an empty or unknown
    cluster, one in two strata, or a stratum of one cluster.
    """
    nested, renumbered, strata = [], [], []
    for x, of, stratum, number in zip(samples, codes, of_strata, numbers, strict=True):
        clusters = Clusters(of, number)
        order, first, last = find_intervals(xp, clusters)
        inside, is_known = keep_inside(xp, clusters)
        # An empty cluster may come after the last item.
        place = xp.minimum(first, xp.zeros_like(first) + (x.shape[-1] - 1))
        strata.append(xp.take(stratum, xp.take(order, place, axis=0), axis=0))
        is_whole = xp.all(is_known) & xp.all(last > first)
        is_nested = xp.all(xp.take(strata[-1], inside, axis=0) == stratum)
        nested.append(xp.where(is_whole & is_nested, x, math.nan))
        by_stratum = xp.argsort(strata[-1], stable=True)
        ranks = xp.astype(xp.argsort(by_stratum, stable=True), of.dtype)
        renumbered.append(xp.take(ranks, inside, axis=0))
    # The faults of strata come by numbers of clusters.
    ones = [xp.ones_like(x, dtype=samples[0].dtype) for x in strata]
    marks, intervals = sort_into_strata(xp, ones, strata, are_same=are_same)
    nested = [x * mark[0] for x, mark in zip(nested, marks, strict=True)]
    return nested, renumbered, intervals


def find_errors_of_nested(
    xp: Library,
    scores: Sequence[Array],
    clusters: Sequence[Clusters],
    strata: Strata,
    paired: bool,
) -> MeanErrors:
    """Return the errors of items in clusters, which are in strata: see `t_test`."""
    relative = relate_to_smallest(xp, scores, paired)
    means = [xp.mean(x, axis=-1) for x in relative.samples]
    # Centred item by item, so that levels of strata cost no digits, and again below.
    deviations, counts = [], []
    # Pairs have the clusters and the intervals of both samples.
    of_samples = zip(relative.samples, clusters, strata.intervals, strict=False)
    for x, of, within in of_samples:
        intervals = find_intervals(xp, of)
        sums, sizes = _sum_intervals(xp, x, *intervals)
        items = sum_strata(xp, sizes, within)
        levels = sum_strata(xp, sums, within) / items
        deviations.append(x - xp.take_last(levels, of.codes))
        counts.append((intervals, sizes, items))
    n = relative.samples[0].shape[-1]
    squares, dfs = [], []
    for k, x in enumerate(flatten_within(xp, relative, deviations, float(n))):
        within, (intervals, sizes, items) = strata.intervals[k], counts[k]
        total = float(x.shape[-1])
        sums, _ = _sum_intervals(xp, x, *intervals)
        sums = sums - sizes * (sum_strata(xp, sums, within) / items)
        factors, inverse_df = weigh_clusters(xp, sizes, items, within)
        parts = sums * sums * factors / (total * total)
        square = xp.sum(parts, axis=-1)
        # For sums over strata: one over the number of clusters in that of each cluster.
        weight = 1.0 / xp.astype(within.size, x.dtype)
        # In units of the largest part, whose square might underflow.
        unit = largest_or_one(xp, parts)[..., None]
        shares = sum_strata(xp, parts / unit, within)
        varies = square > 0.0
        whole = xp.sum(shares * weight, axis=-1)
        spread = xp.sum(shares * shares * weight * inverse_df, axis=-1)
        df = whole * whole / xp.where(varies, spread, 1.0)
        squares.append(square)
        dfs.append(xp.where(varies, df, xp.sum(weight / inverse_df)))
    difference = relative.gap + difference_of(means)
    unit = relative.unit * relative.unit_of_scaled
    return MeanErrors(difference, squares, dfs, unit, relative.rounding)


def weigh_clusters(
    xp: Library, sizes: Array, items: Array, within: Intervals
) -> tuple[Array, Array]:
    """Return by what squares of clusters count, and one over the df of their stratum.

    With shares p, P = sum p^2, factors a = 1 / ((1 - p)^2 + P - p^2) and w = a p^2, one
    over the df is the sum of p^4 and, of each two clusters c and d, of 2 w_c w_d (P -
    p_c - p_d)^2, over P^2. The one cluster with more than half of the items, if any, is
    large: it is in no difference of sums, and counts are exact, so that a share near 1
    costs no digits.
    """
    share, rest = sizes / items, (items - sizes) / items
    squares = share * share
    is_large = sizes + sizes > items
    every = sum_strata(xp, squares, within)
    small = xp.where(is_large, 0.0, sizes * sizes)
    small = sum_strata(xp, small, within) / (items * items)
    factors = 1.0 / (rest * rest + xp.where(is_large, small, every - squares))
    # Pairs of small clusters, with those of each and itself, which are taken away.
    w = xp.where(is_large, 0.0, factors * squares)
    w0, w1, w2 = (sum_strata(xp, w * x, within) for x in (1.0, share, squares))
    pairs = w0 * w0 * every * every + 2.0 * w0 * w2 - 4.0 * every * w0 * w1
    pairs = pairs + 2.0 * w1 * w1
    itself = w * (every - 2.0 * share)
    # And of the large one with each small one, for which P - p is this gap.
    large = sum_strata(xp, xp.where(is_large, sizes, 0.0), within)
    share_of_large, rest = large / items, (items - large) / items
    gap = small - share_of_large * rest
    w_of_large = share_of_large * share_of_large / (rest * rest + small)
    with_large = 2.0 * w_of_large * w * (gap - share) * (gap - share)
    total = sum_strata(xp, squares * squares - itself * itself + with_large, within)
    return factors, (total + pairs) / (every * every)
