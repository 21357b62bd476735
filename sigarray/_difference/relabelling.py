"""What tests by permutation compute: statistics of scores with other labels."""

import math

from sigarray._backend.aliases import (
    Alternative,
    Array,
    Seed,
    Statistic,
    TestedStatistic,
)
from sigarray._backend.chunks import map_replicates, sum_replicates
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._difference.exchanges import (
    count_exchanged,
    count_permutations,
    deal_out,
    exchange_pairs,
)
from sigarray._difference.lattice import lattice_p_value
from sigarray._difference.resampling import clip_p_value
from sigarray._difference.saddlepoint import permutation_tail
from sigarray._difference.studentized import permuted_gaps, permuted_t
from sigarray._numeric.faults import spread_faults
from sigarray._numeric.statistic import (
    add_rounding_of_scores,
    apply_statistic,
    center_scores,
    find_p_value,
    pool_samples,
    rounding_of,
)
from sigarray._numeric.student import find_t_of


@array_kernel
def find_without_draws(
    xp: Library,
    a: Array,
    b: Array,
    *,
    method: str,
    paired: bool,
    alternative: Alternative,
) -> tuple[Array, Array]:
    """Difference and p-value, exact or by the saddlepoint approximation."""
    n, scores = a.shape[-1], pool_samples(xp, a, b)
    (pool,), *_, unit = center_scores(xp, "mean", scores)
    samples = [pool[..., :n], pool[..., n:]]
    difference = xp.mean(samples[0], axis=-1) - xp.mean(samples[1], axis=-1)

    def find_tail(side: str) -> Array:
        pair = samples if side == "greater" else samples[::-1]
        return permutation_tail(xp, *pair, paired=paired)

    if method == "exact":
        pvalue = lattice_p_value(xp, scores, n, alternative)
    else:
        pvalue = find_p_value(xp, alternative, find_tail)
    return unit * difference, clip_p_value(xp, pvalue)


@array_kernel
def count_extremes(
    xp: Library,
    a: Array,
    b: Array,
    seed: Seed | None,
    *,
    paired: bool,
    statistic: TestedStatistic,
    alternative: Alternative,
    count: int,
) -> tuple[Array, Array]:
    """Statistic and p-value over random permutations, or over all without a seed."""
    n, m = a.shape[-1], b.shape[-1]
    by: Statistic = "mean" if statistic == "t" else statistic
    # Of equal sizes the sum of squares is the same for all, and t rises with the mean.
    is_studentized = statistic == "t" and n != m
    (pool,), levels, _, unit = center_scores(xp, by, pool_samples(xp, a, b))
    samples = [pool[..., :n], pool[..., n:]]
    values = [apply_statistic(xp, by, x) for x in samples]
    difference = values[0] - values[1]
    tolerance = rounding_of(xp, by, samples, values)
    tolerance = add_rounding_of_scores(xp, tolerance, by, levels)
    exchange = exchange_pairs if paired else deal_out

    def find_extremes(start: int | Array, size: int) -> Array:
        if is_studentized:
            gap, tie = permuted_gaps(xp, pool, n, seed, start, size, tolerance)
        else:
            permuted = exchange(xp, pool, n, seed, start, size, by)
            gap, tie = permuted - difference[..., None], tolerance[..., None]
        return xp.stack(
            [gap >= -tie if side == "greater" else gap <= tie for side in sides]
        )

    sides = ["greater", "less"] if alternative == "two-sided" else [alternative]
    zero = difference - difference
    counts = sum_replicates(
        xp,
        find_extremes,
        count,
        initial=xp.stack([zero] * len(sides)),
        elements=count_exchanged(xp, pool, n, paired, "t" if is_studentized else by),
    )
    pvalues = counts / float(count) if seed is None else (counts + 1.0) / (count + 1.0)
    tails = {side: pvalues[k, ...] for k, side in enumerate(sides)}
    pvalue = find_p_value(xp, alternative, tails.__getitem__)
    if statistic == "t":
        t, _ = find_t_of(xp, spread_faults(xp, a), spread_faults(xp, b), paired)
        return t, pvalue
    return unit * difference, pvalue


@array_kernel
def draw_permutations(
    xp: Library,
    a: Array,
    b: Array,
    seed: Seed | None,
    start: int | Array,
    *,
    paired: bool,
    statistic: TestedStatistic,
    count: int,
) -> Array:
    """Differences of random permutations, or without a seed of distinct ones."""
    n, is_t = a.shape[-1], statistic == "t"
    by: Statistic = "mean" if statistic == "t" else statistic
    (pool,), *_, unit = center_scores(xp, by, pool_samples(xp, a, b))
    exchange = exchange_pairs if paired else deal_out
    n_distinct = count_permutations(n, pool.shape[-1] - n, paired=paired)

    def replicate(chunk_start: int | Array, size: int) -> Array:
        first = start + chunk_start
        if is_t:
            permuted = permuted_t(xp, pool, n, seed, first, size, paired)
        else:
            permuted = exchange(xp, pool, n, seed, first, size, by)
        if seed is not None:
            return permuted
        places = xp.arange(size) + first
        is_inside = (places >= 0) & (places < n_distinct)
        return xp.where(is_inside, permuted, math.nan)

    differences = map_replicates(
        xp, replicate, count, elements=count_exchanged(xp, pool, n, paired, statistic)
    )
    return differences if is_t else unit[..., None] * differences
