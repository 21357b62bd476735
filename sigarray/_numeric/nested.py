"""Clusters within strata: whole clusters of each stratum were sampled by themselves."""

import math
from collections.abc import Sequence

from sigarray._backend.aliases import Array
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._numeric.clusters import Clusters, sum_clusters
from sigarray._numeric.strata import (
    Intervals,
    Strata,
    find_errors_of_strata,
    sort_into_strata,
)
from sigarray._numeric.student import relate_to_smallest


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
        order = xp.argsort(of, stable=True)
        ordered = xp.contiguous(xp.take(of, order, axis=0))
        every = xp.arange(number, dtype=ordered.dtype) + (ordered - ordered)[:1]
        first, last = (
            xp.searchsorted(ordered, every, side=side) for side in ("left", "right")
        )
        is_known = (of >= 0) & (of < number)
        inside = xp.where(is_known, of, xp.zeros_like(of))
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

    With the sums r of a cluster's deviations from the mean of all N items, the squared
    error is that of strata of the numbers C r / N of C clusters, by linearization [1]_.

    References
    ----------
    .. [1] J. N. K. Rao, C. F. J. Wu (1988). Resampling inference with complex survey
       data. Journal of the American Statistical Association 83, 231-241.
       :doi:`10.1080/01621459.1988.10478591`
    """
    relative = relate_to_smallest(xp, scores, paired)
    values = []
    for x, of in zip(relative.samples, clusters, strict=False):
        mean = xp.mean(x, axis=-1, keepdims=True)
        sums, _ = sum_clusters(xp, x - mean, of)
        values.append(mean + sums * (of.number / x.shape[-1]))
    difference, squares, dfs, unit = find_errors_of_strata(xp, values, strata, False)
    unit_of_all = unit * relative.unit * relative.unit_of_scaled
    return difference + relative.gap / unit, squares, dfs, unit_of_all
