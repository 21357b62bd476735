"""Statistics and p-values of scores with permuted labels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sigarray._backend.callers import (
    Alternative,
    Array,
    Seed,
    Statistic,
    TestedStatistic,
)
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel
from sigarray._difference.lattice import lattice_p_value
from sigarray._difference.resampling import clip_p_value
from sigarray._difference.saddlepoint import permutation_tail
from sigarray._difference.studentized import (
    GapsOfT,
    MeansAndErrors,
    Studentized,
    above_null,
    beyond_null,
)
from sigarray._numeric.clusters import Clusters
from sigarray._numeric.designs import Design, DesignArrays
from sigarray._numeric.faults import merge_same
from sigarray._numeric.statistic import (
    apply_statistic,
    center_scores,
    concat_samples,
    find_p_value,
    find_rounding,
    largest_or_one,
    pool_samples,
)
from sigarray._numeric.student import find_t_of
from sigarray._resampling.draws import count_permutations
from sigarray._resampling.replicates import (
    Beyond,
    Replicates,
    Resampled,
    count_beyond,
    keep,
    permute_within,
)


@array_kernel
def find_without_draws(
    xp: Library,
    a: Array,
    b: Array,
    codes: Sequence[Array] = (),
    *,
    method: str,
    paired: bool,
    alternative: Alternative,
    null: float,
    n_clusters: int = 0,
) -> tuple[Array, Array]:
    """Return difference and p-value, exact or by the saddlepoint approximation.

    With codes, whole clusters of pairs are exchanged, for exact p-values.
    """
    a = beyond_null(a, null)
    n = a.shape[-1]
    (scores,) = merge_same(xp, [pool_samples(xp, a, b)], paired=paired)
    (pool,), *_, unit, _ = center_scores(xp, "mean", scores)
    samples = [pool[..., :n], pool[..., n:]]
    difference = xp.mean(samples[0], axis=-1) - xp.mean(samples[1], axis=-1)

    def find_tail(side: str) -> Array:
        pair = samples if side == "greater" else samples[::-1]
        return permutation_tail(xp, *pair, paired=paired)

    if method == "exact":
        clusters = Clusters(codes[0], n_clusters) if codes else None
        pvalue = lattice_p_value(xp, scores, n, alternative, clusters)
    else:
        pvalue = find_p_value(xp, alternative, find_tail)
    return above_null(unit * difference, null), clip_p_value(xp, pvalue)


def observe(
    xp: Library, a: Array, b: Array, statistic: Statistic, paired: bool
) -> tuple[Array, Array, Array, Array]:
    """Return centered pool, difference, tolerance of ties, and the unit of all."""
    n = a.shape[-1]
    join = concat_samples if isinstance(statistic, str) else pool_samples
    centered = center_scores(xp, statistic, join(xp, a, b))
    (pool,), levels, _, unit, (extent,) = centered
    samples = [pool[..., :n], pool[..., n:]]
    values = [apply_statistic(xp, statistic, x) for x in samples]
    tolerance = find_rounding(xp, statistic, samples, values, levels, extent, paired)
    return pool, values[0] - values[1], tolerance, unit


@array_kernel
def count_extremes(
    xp: Library,
    a: Array,
    b: Array,
    seed: Seed | None,
    arrays: DesignArrays,
    *,
    design: Design,
    paired: bool,
    statistic: TestedStatistic,
    alternative: Alternative,
    null: float,
    count: int,
) -> tuple[Array, Array]:
    """Return statistic and p-value over random permutations, or all without a seed.

    A difference that is not 0 is taken off the scores of A, which then can be
    exchanged; their t is compared, because spreads may differ.
    """
    a = beyond_null(a, null)
    design = design.with_arrays(arrays)
    if seed is None and not paired:
        a = _need_all(xp, a, b, design)
    n, m = a.shape[-1], b.shape[-1]
    by: Statistic = "mean" if statistic == "t" else statistic
    # With equal sizes the sum of squares is constant, and t rises with the mean.
    is_studentized = (statistic == "t" or null != 0.0) and n != m
    pool, difference, tolerance, unit = observe(xp, a, b, by, paired)
    for rounding in design.rounding:
        tolerance = tolerance + rounding
    draws = permute_within(xp, seed, n, m, paired, design)
    sides = ["greater", "less"] if alternative == "two-sided" else [alternative]
    extremes: Replicates
    if is_studentized:
        extremes = GapsOfT.of_pool(xp, draws, pool, n, tolerance, tuple(sides))
    else:
        tie = tolerance[..., None]
        limits = {"greater": -tie, "less": tie}
        extremes = Beyond(
            xp,
            Resampled(xp, draws, [pool], by),
            difference[..., None],
            {side: limits[side] for side in sides},
            may_be_nan=not isinstance(by, str),
        )
    zero = difference - difference
    counts = count_beyond(xp, extremes, count, len(sides), zero)
    pvalues = counts / float(count) if seed is None else (counts + 1.0) / (count + 1.0)
    tails = {side: pvalues[k, ...] for k, side in enumerate(sides)}
    pvalue = find_p_value(xp, alternative, tails.__getitem__)
    if statistic == "t":
        t, _ = find_t_of(xp, [a, b], paired)
        return t, pvalue
    return above_null(unit * difference, null), pvalue


@array_kernel
def draw_permutations(
    xp: Library,
    a: Array,
    b: Array,
    seed: Seed | None,
    start: int | Array,
    arrays: DesignArrays,
    *,
    design: Design,
    paired: bool,
    statistic: TestedStatistic,
    count: int,
) -> Array:
    """Return differences of random permutations, or of distinct ones without a seed."""
    n, is_t = a.shape[-1], statistic == "t"
    by: Statistic = "mean" if statistic == "t" else statistic
    design = design.with_arrays(arrays)
    if seed is None and not paired:
        a = _need_all(xp, a, b, design)
    (pool,), *_, unit, _ = center_scores(xp, by, pool_samples(xp, a, b))
    draws = permute_within(xp, seed, n, b.shape[-1], paired, design)
    permuted: Replicates
    if is_t:
        pool = pool / largest_or_one(xp, pool)[..., None]
        permuted = Studentized(xp, MeansAndErrors(xp, draws, [pool], paired))
    else:
        permuted = Resampled(xp, draws, [pool], by)
    if seed is None:
        m = pool.shape[-1] - n
        n_distinct = count_permutations(n, m, paired=paired, strata=design.strata)
        permuted = _Distinct(xp, permuted, n_distinct)
    differences = keep(xp, permuted, count, start)
    return differences if is_t else unit[..., None] * differences


def _need_all(xp: Library, a: Array, b: Array, design: Design) -> Array:
    """Return sums of A, NaN if there are fewer clusters than said.

    Their deals would be of all clusters, as if others had no items.
    """
    for x, n_there in zip((a, b), design.n_there, strict=False):
        a = xp.where(n_there == x.shape[-1], a, math.nan)
    return a


@dataclass(frozen=True, eq=False)
class _Distinct:
    """All permutations, one after the other, and NaN after the last."""

    xp: Library
    permuted: Replicates
    count: float

    @property
    def elements(self) -> int:
        return self.permuted.elements

    def __call__(self, start: int | Array, size: int) -> Array:
        places = self.xp.arange(size) + start
        is_inside = (places >= 0) & (places < self.count)
        return self.xp.where(is_inside, self.permuted(start, size), math.nan)
