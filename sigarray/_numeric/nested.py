"""Clusters within strata: whole clusters of each stratum were sampled by themselves."""

import math
from collections.abc import Sequence

from sigarray._backend.aliases import Array
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._numeric.clusters import (
    Clusters,
    find_intervals,
    keep_inside,
    sum_clusters,
)
from sigarray._numeric.statistic import difference_of, largest_or_one
from sigarray._numeric.strata import Intervals, Strata, sort_into_strata, sum_strata
from sigarray._numeric.student import flatten_within, relate_to_smallest


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
) -> tuple[Array, list[Array], list[Array], Array]:
    """Return a mean, or the difference of two, squared errors, their df and the unit.

    The mean of N items is that of the means of strata of n items, by fixed weights n /
    N. The means of clusters are taken to have one variance in a stratum, whatever their
    size, as where items of a cluster are alike. Of clusters with shares p of the items
    of their stratum, P = sum p^2, and the sums s, about the mean of the stratum, over
    n, the squared error of this mean is V = sum s^2 / (1 - 2 p + P), which is unbiased.
    With Satterthwaite's df [1]_ of V, f, the squared error is the sum of W = V (n /
    N)^2, and the df are his again, (sum W)^2 / sum (W^2 / f). Of one stratum of
    clusters of one size these are the errors and the df of `find_errors_of_clusters`.

    References
    ----------
    .. [1] F. E. Satterthwaite (1946). An approximate distribution of estimates of
       variance components. Biometrics Bulletin 2, 110-114. :doi:`10.2307/3002019`
    """
    relative = relate_to_smallest(xp, scores, paired)
    means = [xp.mean(x, axis=-1) for x in relative.samples]
    # Centred item by item, so that levels of strata cost no digits, and again below.
    deviations, counts = [], []
    # Pairs have the clusters and the intervals of both samples.
    of_samples = zip(relative.samples, clusters, strata.intervals, strict=False)
    for x, of, within in of_samples:
        sums, sizes = sum_clusters(xp, x, of)
        items = sum_strata(xp, sizes, within)
        levels = sum_strata(xp, sums, within) / items
        deviations.append(x - xp.take_last(levels, of.codes))
        counts.append((sizes, items))
    n = relative.samples[0].shape[-1]
    squares, dfs = [], []
    for k, x in enumerate(flatten_within(xp, relative, deviations, float(n))):
        of, within, (sizes, items) = clusters[k], strata.intervals[k], counts[k]
        total = float(x.shape[-1])
        sums, _ = sum_clusters(xp, x, of)
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
    return difference, squares, dfs, relative.unit * relative.unit_of_scaled


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
