"""Samples as the units that were drawn: items, or whole clusters of them."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sigarray._backend.callers import Array, TestedStatistic
from sigarray._backend.checks import show
from sigarray._backend.codes import Codes, code_clusters
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel
from sigarray._backend.tables import Axis
from sigarray._difference.resampling import (
    Prepared,
    check_crossed,
    check_stratified,
    prepare_samples,
)
from sigarray._difference.strata import code_strata, count_sizes, place_codes
from sigarray._numeric.clusters import (
    Clusters,
    keep_inside,
    nest_clusters,
    sum_clusters,
)
from sigarray._numeric.designs import Design
from sigarray._numeric.faults import merge_same, spread_faults
from sigarray._numeric.statistic import rounding_of_scores
from sigarray._numeric.student import Strata
from sigarray._numeric.sums import SumStatistic, uses_sums

# Statistics of scores that count by weights, as those of clusters do in resamples.
_MIDDLES = ("median", "iqm")


def prepare_items(
    statistic: TestedStatistic,
    *given: Any,
    axis: Axis,
    paired: bool,
    clusters: Any,
    n_clusters: Any,
    strata: Any = None,
    are_drawn: bool = False,
    takes_both: bool = False,
) -> Prepared:
    """As `prepare_samples`; the design has the codes of clusters, if there are any."""
    prepared = prepare_samples(
        statistic,
        *given,
        axis=axis,
        paired=paired,
        clusters=clusters,
        strata=strata,
        takes_both=takes_both,
    )
    xp, _, samples, *_, design = prepared
    coded = code_clusters(
        xp,
        clusters,
        given,
        [x[..., : design.n_items] for x in samples],
        axis=axis[-1] if isinstance(axis, tuple) else axis,
        # Two tables have the same items.
        paired=paired or design.n_items is not None,
        n_clusters=n_clusters,
    )
    if not coded:
        return prepared
    are_fewer = any(x.on_host is None for x in coded)
    if strata is not None and n_clusters is None and are_fewer:
        msg = (
            "Expected n_clusters, the number of clusters, with strata and labels on a "
            "device, which are not read; got none. Pass it, or labels on the host."
        )
        raise ValueError(msg)
    if are_drawn and n_clusters is not None and min(n_clusters) == 1:
        msg = "Expected two clusters or more; got n_clusters=1. Leave out clusters."
        raise ValueError(msg)
    design = design._replace(
        n_clusters=tuple(x.number for x in coded),
        codes=[x.codes for x in coded],
        may_be_fewer=are_fewer,
    )
    prepared = prepared._replace(design=design)
    if strata is None or isinstance(axis, tuple):
        return prepared
    return _nest(prepared, coded, strata, given, axis, paired)


def _nest(
    prepared: Prepared,
    clusters: Sequence[Codes],
    strata: Any,
    given: Sequence[Any],
    axis: int,
    paired: bool,
) -> Prepared:
    xp, _, samples, *_, design = prepared
    of_strata, are_same = code_strata(
        xp,
        strata,
        given,
        samples,
        axis=axis,
        paired=paired,
        are_alike=isinstance(prepared.statistic, SumStatistic),
    )
    nested = [
        _check_nesting(of.on_host, stratum)
        for of, stratum in zip(clusters, of_strata, strict=True)
        if of.on_host is not None and isinstance(stratum, np.ndarray)
    ]
    count = len(samples) // len(clusters)
    numbers = design.n_clusters * count
    samples, codes, intervals = nest_clusters(
        xp,
        samples,
        list(design.codes) * count,
        place_codes(xp, of_strata, len(samples)),
        numbers=numbers,
        are_same=are_same,
    )
    found = Strata(intervals=intervals, deals=count_sizes(nested))
    design = Design(found, n_clusters=numbers, codes=codes)
    return prepared._replace(samples=samples, design=design)


def _check_nesting(codes: Array, strata: Array) -> Array:
    """Return the stratum of each cluster; raise if it has several, or one alone."""
    of_cluster = np.unique(np.stack([codes, strata]), axis=1)
    if np.any(np.bincount(of_cluster[0]) > 1):
        msg = (
            "Expected each cluster in one stratum; got one in several. Name the "
            "clusters of each stratum anew, or leave out strata."
        )
        raise ValueError(msg)
    if np.any(np.bincount(of_cluster[1]) == 1):
        msg = (
            "Expected two clusters or more in each stratum, for their variance; got "
            "one. Leave out that stratum, or strata."
        )
        raise ValueError(msg)
    return of_cluster[1]


def prepare_units(
    statistic: TestedStatistic,
    *given: Any,
    axis: Axis,
    paired: bool,
    clusters: Any,
    n_clusters: Any,
    strata: Any = None,
    takes_middles: bool = True,
    are_flipped: bool = False,
) -> Prepared:
    """As `prepare_samples`; of whole clusters, if there are any, sums (..., d, C).

    The mean is that of items, a ratio of sums. For medians and interquartile means,
    which have no sums, the samples stay and the design has clusters, of each sample.
    If pairs are flipped, clusters without items are as good as none.
    """
    prepared = prepare_items(
        statistic,
        *given,
        axis=axis,
        paired=paired,
        clusters=clusters,
        n_clusters=n_clusters,
        strata=strata,
        are_drawn=True,
    )
    xp, _, samples, dtype, _, design = prepared
    check_crossed(design, "statistic", statistic, "mean", "median")
    is_stratified = design.strata.are_there
    if not design.n_clusters:
        if is_stratified:
            check_stratified(design, statistic)
        return prepared
    _check_statistic_of_clusters(statistic, takes_middles, is_stratified)
    count = len(samples) // len(design.n_clusters)
    numbers, codes = design.n_clusters * count, list(design.codes) * count
    may_be_fewer = design.may_be_fewer and not (is_stratified or are_flipped)
    if statistic in _MIDDLES:
        samples, codes, n_there = _keep_whole_units(
            xp, samples, codes, numbers=numbers, may_be_fewer=may_be_fewer
        )
        design = design._replace(
            n_clusters=numbers, codes=codes, n_there=n_there[: len(n_there) // count]
        )
        return prepared._replace(samples=samples, design=design)
    sums, level, rounding, n_there = _sum_units(
        xp,
        samples,
        codes,
        numbers=numbers,
        paired=paired,
        is_of_sums=isinstance(statistic, SumStatistic),
        may_be_fewer=may_be_fewer,
    )
    n_there = n_there[: len(n_there) // count]
    design = Design(design.strata, rounding=rounding, n_there=n_there)
    if isinstance(statistic, SumStatistic):
        return Prepared(xp, statistic, sums, dtype, design=design)
    level = level if len(samples) == 1 else None
    return Prepared(xp, _MEAN_OF_ITEMS, sums, dtype, level, design)


def _check_statistic_of_clusters(
    statistic: TestedStatistic, takes_middles: bool, is_stratified: bool
) -> None:
    if uses_sums(statistic):
        return
    if statistic in _MIDDLES and takes_middles and not is_stratified:
        return
    known, names = "'mean', 'median', 'iqm'", "clusters"
    if is_stratified or not takes_middles:
        known = "'mean'"
    if is_stratified:
        names = "clusters and strata"
    advice = "Average the items of each cluster, and leave out clusters."
    if statistic in _MIDDLES:
        advice = "Use bootstrap_ci or bootstrap_test, which take it without strata."
    elif statistic == "t":
        advice = "Use t_test, whose error is that of clusters."
    msg = (
        f"Expected statistic={known} or of_sums(f) with {names}, for resamples of "
        f"clusters are of other sizes; got {show(statistic)}. {advice}"
    )
    raise ValueError(msg)


@array_kernel
def _keep_whole_units(
    xp: Library,
    samples: Sequence[Array],
    codes: Sequence[Array],
    *,
    numbers: tuple[int, ...],
    may_be_fewer: bool,
) -> tuple[list[Array], list[Array], list[Array]]:
    """Return samples, NaN if a code is unknown, known codes, and numbers of clusters.

    If there may be fewer than said, codes are changed so that empty ones come last.
    """
    kept, known, n_there = [], [], []
    for x, of, number in zip(samples, codes, numbers, strict=True):
        inside, is_known = keep_inside(xp, Clusters(of, number))
        is_whole = xp.all(is_known)
        if may_be_fewer:
            sizes = xp.count_places(inside[None, :], number)
            ranks = xp.cumulative_sum(xp.astype(sizes[0, :] > 0, inside.dtype))
            inside = xp.take(ranks, inside, axis=0) - 1
            count = ranks[-1:]
            n_there.append(count)
            is_whole = is_whole & (count > 1)
        kept.append(xp.where(is_whole, x, math.nan))
        known.append(inside)
    return kept, known, n_there


@array_kernel
def _sum_units(
    xp: Library,
    samples: Sequence[Array],
    codes: Sequence[Array],
    *,
    numbers: tuple[int, ...],
    paired: bool,
    is_of_sums: bool,
    may_be_fewer: bool,
) -> tuple[list[Array], Array, list[Array], list[Array]]:
    """Return sums of clusters; of scores, those less a level, and their number.

    Beside them the level, and of scores their rounding at it. If there may be fewer
    clusters than said, for which draws are to know, the sums of empty ones come last.
    """
    samples = [spread_faults(xp, x) for x in samples]
    level = xp.min(samples[0], axis=-1)
    rounding = []
    if not is_of_sums:
        samples = merge_same(xp, samples, paired=paired)
        levels = [level, *(xp.min(x, axis=-1) for x in samples[1:])]
        rests = [x - level[..., None] for x in samples]
        spread = sum(xp.mean(xp.abs(x), axis=-1) for x in rests)
        rounding = [_widen(xp, rounding_of_scores(xp, levels, spread, numbers))]
        samples = [_widen(xp, x) for x in rests]
    sums, n_there = [], []
    for x, of, number in zip(samples, codes, numbers, strict=True):
        of_clusters, sizes = sum_clusters(xp, x, Clusters(of, number))
        are_there = xp.sum(sizes) == float(x.shape[-1])
        if may_be_fewer:
            is_empty = sizes == 0.0
            order = xp.argsort(xp.astype(is_empty, xp.int32), stable=True)
            of_clusters, sizes = (xp.take_last(y, order) for y in (of_clusters, sizes))
            count = xp.sum(xp.astype(~is_empty, xp.index_dtype), axis=-1, keepdims=True)
            n_there.append(count)
            are_there = are_there & (count > 1)
        if not is_of_sums:
            numbers_of_scores = xp.broadcast_to(sizes, of_clusters.shape)
            of_clusters = xp.stack([of_clusters, numbers_of_scores], axis=-2)
        sums.append(xp.where(are_there, of_clusters, math.nan))
    return sums, xp.astype(level, sums[0].dtype, copy=False), rounding, n_there


def _widen(xp: Library, x: Array) -> Array:
    return xp.astype(x, xp.widest_float, copy=False)


def _divide(x: Array, y: Array) -> Array:
    return x / y


_MEAN_OF_ITEMS = SumStatistic(_divide)
