"""Influences of scores or clusters on a statistic, and the acceleration by them."""

import functools
import math
from collections.abc import Sequence

from sigarray._backend.callers import Array, Statistic
from sigarray._backend.chunks import map_replicates
from sigarray._backend.library import Library
from sigarray._numeric.clusters import Clusters
from sigarray._numeric.designs import Design
from sigarray._numeric.statistic import (
    HELD_BY_COUNTS,
    apply_statistic,
    largest_or_one,
    middle_of_counted,
)
from sigarray._numeric.student import center_in_strata
from sigarray._numeric.sums import SumStatistic


def find_acceleration(
    xp: Library,
    rows: Sequence[Array],
    statistic: Statistic,
    paired: bool,
    design: Design,
) -> Array:
    """Efron and Tibshirani (1994), equation 14.15; terms of two samples add up.

    Influences are relative to the mean of their stratum, if there are strata. With
    clusters they are those of clusters, and rows are sorted.
    """
    counts = design.n_there or [None]
    influences, sizes = [], []
    for k, row in enumerate(rows):
        n_there = counts[k % len(counts)]
        if design.n_clusters:
            of = design.clusters[k]
            found = _influence_of_clusters(xp, statistic, row, of, n_there)
        else:
            found = find_influences(xp, statistic, row, n_there)
        influences.append(found)
        sizes.append(
            found.shape[-1] if n_there is None else xp.astype(n_there, row.dtype)
        )
    if len(rows) == 2:
        influences[1] = -influences[1]
    if paired:
        influences = [influences[0] + influences[1]]
    if design.strata.are_there:
        influences = [
            center_in_strata(xp, x, design.strata, k) for k, x in enumerate(influences)
        ]
    unit = largest_or_one(xp, *influences)[..., None]
    cubes, squares = xp.zeros_like(unit[..., 0]), xp.zeros_like(unit[..., 0])
    for influence, size in zip(influences, sizes, strict=False):
        share = influence / unit / size
        cubes = cubes + xp.sum(share**3, axis=-1)
        squares = squares + xp.sum(share**2, axis=-1)
    varies = squares > 0.0
    return xp.where(varies, cubes / (6.0 * xp.where(varies, squares, 1.0) ** 1.5), 0.0)


def find_influences(
    xp: Library, statistic: Statistic, x: Array, n_there: Array | None = None
) -> Array:
    """(n - 1) (mean of the values without one score - the value without this score).

    If only the first `n_there` of clusters have items, these are n, and others have 0.
    """
    if statistic == "mean":
        return x - xp.mean(x, axis=-1, keepdims=True)
    if isinstance(statistic, SumStatistic):
        without, _ = statistic.leave_out(xp, x)
    elif statistic == "median":
        without = _medians_without_one(xp, x)
    elif statistic == "iqm":
        without = _iqms_without_one(xp, x)
    else:
        without = _values_without_one(xp, statistic, x)
    return _relate_to_mean(xp, without, n_there)


def _relate_to_mean(xp: Library, without: Array, n_there: Array | None) -> Array:
    n = without.shape[-1]
    if n_there is None:
        return (n - 1.0) * (xp.mean(without, axis=-1, keepdims=True) - without)
    are_there = xp.arange(n, dtype=n_there.dtype) < n_there
    count = xp.astype(n_there, without.dtype)
    total = xp.sum(xp.where(are_there, without, 0.0), axis=-1, keepdims=True)
    return xp.where(are_there, (count - 1.0) * (total / count - without), 0.0)


def _influence_of_clusters(
    xp: Library,
    statistic: Statistic,
    ordered: Array,
    clusters: Clusters,
    n_there: Array | None,
) -> Array:
    """As `find_influences`, of sorted scores (..., n) without one cluster, (..., C)."""
    values = functools.partial(_leave_out_clusters, xp, statistic, ordered, clusters)
    n_held = HELD_BY_COUNTS * math.prod(ordered.shape)
    without = map_replicates(xp, values, clusters.number, elements=n_held)
    return _relate_to_mean(xp, without, n_there)


def _leave_out_clusters(
    xp: Library,
    statistic: Statistic,
    ordered: Array,
    clusters: Clusters,
    start: int | Array,
    size: int,
) -> Array:
    left_out = xp.arange(size, dtype=clusters.codes.dtype) + start
    left_out = xp.reshape(left_out, (size, *(1,) * ordered.ndim))
    kept = xp.astype(clusters.codes != left_out, xp.int32)
    return xp.move_axis(middle_of_counted(xp, statistic, ordered, kept), 0, -1)


def _medians_without_one(xp: Library, x: Array) -> Array:
    """Return the median without each score: it is next to the middle of all."""
    n = x.shape[-1]
    order = xp.argsort(x, axis=-1, stable=False)
    rank = xp.argsort(order, axis=-1, stable=False)
    ordered = xp.sort(x, axis=-1, stable=False)
    middle = []
    for place in ((n - 2) // 2, (n - 1) // 2):
        after, at = ordered[..., place + 1, None], ordered[..., place, None]
        middle.append(xp.where(rank <= place, after, at))
    return 0.5 * (middle[0] + middle[1])


def _iqms_without_one(xp: Library, x: Array) -> Array:
    """Return the interquartile mean without each score.

    Of n - 1 scores, k at each end are left out. All n have one more in between, which a
    score that is left out in there was; without another one, it is the outermost.
    """
    n = x.shape[-1]
    k = (n - 1) // 4
    ordered = xp.sort(x, axis=-1, stable=False)
    total = xp.sum(ordered[..., k : n - k], axis=-1, keepdims=True)
    lowest, highest = ordered[..., k, None], ordered[..., n - 1 - k, None]
    gone = xp.minimum(xp.maximum(x, lowest), highest)
    return (total - gone) / (n - 1.0 - 2.0 * k)


def _values_without_one(xp: Library, statistic: Statistic, x: Array) -> Array:
    n = x.shape[-1]
    kept = xp.arange(n - 1, dtype=xp.index_dtype)
    values = functools.partial(_leave_out, xp, statistic, x, kept)
    return map_replicates(xp, values, n, elements=(1 + x.shape[0]) * n)


def _leave_out(
    xp: Library,
    statistic: Statistic,
    x: Array,
    kept: Array,
    start: int | Array,
    size: int,
) -> Array:
    left_out = xp.arange(size, dtype=kept.dtype) + start
    places = kept + xp.astype(kept >= left_out[:, None], kept.dtype)
    return apply_statistic(xp, statistic, xp.take_last(x, places))
