"""Tests by permutation: the scores of models are exchanged or dealt out anew."""

import math
from typing import Literal, get_args

from sigarray._backend.aliases import (
    Alternative,
    Array,
    Namespace,
    Progress,
    RandomSource,
    Seed,
    Statistic,
    Workers,
)
from sigarray._backend.checks import MAX_REPLICATES, anything, choice
from sigarray._backend.chunks import map_replicates, sum_replicates
from sigarray._backend.dispatch import first_replicate, is_array, standardize
from sigarray._backend.libraries import array_kernel, device_of
from sigarray._backend.public import checked
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import WORD_BITS
from sigarray._difference.exchanges import count_bits_at_once, deal_out, exchange_pairs
from sigarray._difference.lattice import lattice_p_value
from sigarray._difference.resampling import clip_p_value, draws_resamples
from sigarray._difference.saddlepoint import permutation_tail
from sigarray._numeric.statistic import (
    apply_statistic,
    center_scores,
    check_pairs,
    find_p_value,
    pool_samples,
    rounding_of,
)
from sigarray.results import ResamplingResult

PermutationMethod = Literal["resampling", "exact"]
PermutationTestMethod = Literal["resampling", "saddlepoint", "exact"]


@checked(method=choice(*get_args(PermutationTestMethod)))
def permutation_test(
    a: Array,
    b: Array,
    /,
    *,
    paired: bool = False,
    statistic: Statistic = "mean",
    alternative: Alternative = "two-sided",
    n_resamples: int = 9999,
    method: PermutationTestMethod = "resampling",
    axis: int = -1,
    batch: int | None = None,
    rng: RandomSource = None,
    workers: Workers = None,
    progress: Progress = None,
) -> ResamplingResult:
    """Test by permutation whether A scores higher than B.

    The null hypothesis is that both distributions are the same; for pairs, that the two
    scores of a pair might as well be exchanged. A small p-value with "greater" speaks
    for A.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models. Leading axes are batches, and broadcast; every batch
        entry sees the same permutations.
    paired : bool, default: False
        Exchange the scores of a pair, as of two models on one test set (n = m); else
        deal all scores out anew to two samples of n and m.
    statistic, alternative, axis, batch
        As for `bootstrap_test`.
    method : {"resampling", "saddlepoint", "exact"}, default: "resampling"
        "resampling" and "saddlepoint" as for `bootstrap_test`. "exact" is for pairs
        whose differences are multiples of one unit, at most 20 of it, as accuracies (0
        or 1), partial credits, votes and ratings have: the p-value over all 2^n
        exchanges, with no `rng`, and NaN for a batch entry with other differences. It
        is the sign test, and for accuracies the exact test of McNemar.
    n_resamples : int, default: 9999
        Random permutations. Where there are no more than this many distinct ones, 2^n
        for pairs and C(n + m, n) for independent samples, all are enumerated instead
        and the p-value is exact.
    rng : int, generator or key, optional
        Source of the random numbers, as for `aso`; not needed where all are enumerated.
    workers : int, callable, ProcessGroup or str, optional
        As for `aso`.
    progress : callable or tqdm, optional
        As for `aso`.

    Returns
    -------
    ResamplingResult
        As for `bootstrap_test`.

    Raises
    ------
    TypeError, ValueError
        As for `bootstrap_test`.

    See Also
    --------
    bootstrap_test : where the distributions may differ in more than the statistic.
    permutation_replicates : the differences of the permutations themselves.

    Notes
    -----
    With the observed difference d and those of permutations d*, the p-value is
    (count + 1) / (`n_resamples` + 1) with the count of d* >= d for "greater" and d* <=
    d for "less" [1]_, or exactly count / total over all permutations; for "two-sided"
    it is twice the smaller of the two, at most 1. Ties count, up to rounding.

    With "exact" the tail is a sum over the characteristic function of the exponentially
    tilted sum of signed differences, at about 220 n^1/2 angles: time and memory do not
    grow with 2^n, and the smallest p-values keep their digits.

    For the mean of pairs the signs of 32 differences come from one random word; for the
    mean of independent samples, those n scores go to A that have the smallest random
    keys, so that no permutation is made.

    References
    ----------
    .. [1] B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero.
       Statistical Applications in Genetics and Molecular Biology 9, 39.
       :doi:`10.2202/1544-6115.1585`

    Examples
    --------
    Six pairs have 64 exchanges, and need no random numbers:

    >>> from sigarray import permutation_test
    >>> a = [0.91, 0.93, 0.92, 0.95, 0.94, 0.90]
    >>> b = [0.90, 0.92, 0.91, 0.89, 0.93, 0.88]
    >>> float(permutation_test(a, b, paired=True).pvalue)
    0.03125

    Of two models on 1000 items, A alone is right on 60, and B alone on 30:

    >>> import numpy as np
    >>> right = np.arange(1000)[None, :] < np.array([[60], [30]])
    >>> a, b = right[0], right[1, ::-1]
    >>> round(float(permutation_test(a, b, paired=True, method="exact").pvalue), 6)
    0.002059
    """
    xp, (a, b) = standardize(a, b, axis=axis, paired=paired)
    if paired:
        check_pairs(a, b)
    if method == "exact" and not paired:
        msg = (
            "Expected paired=True with method='exact', which is for pairs; got "
            "paired=False. Use method='resampling'."
        )
        raise ValueError(msg)
    if not draws_resamples(method, statistic):
        difference, pvalue = _permute_without_draws(
            xp, a, b, method=method, paired=paired, alternative=alternative
        )
        return ResamplingResult(difference, pvalue)
    n_distinct = _count_permutations(a.shape[-1], b.shape[-1], paired=paired)
    is_exact = n_distinct <= n_resamples
    difference, pvalue = _permutation_test(
        xp,
        a,
        b,
        None if is_exact else seed_words(xp, device_of(xp, a), rng),
        count=int(n_distinct) if is_exact else n_resamples,
        paired=paired,
        statistic=statistic,
        alternative=alternative,
        batch=batch,
        workers=workers,
        progress=progress,
    )
    return ResamplingResult(difference, pvalue)


@checked(start=anything, method=choice(*get_args(PermutationMethod)))
def permutation_replicates(
    a: Array,
    b: Array,
    /,
    *,
    start: int | Array,
    count: int,
    paired: bool = False,
    statistic: Statistic = "mean",
    method: PermutationMethod = "resampling",
    axis: int = -1,
    batch: int | None = None,
    rng: RandomSource = None,
    workers: Workers = None,
    progress: Progress = None,
) -> Array:
    """Differences of permuted scores, from any place on.

    `permutation_test` takes replicates 0 to `n_resamples` - 1, or all that are
    distinct, and counts those beyond the observed difference. For one seed, any split
    of them over calls, devices or machines gives the same numbers, up to the order of
    sums.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, as for `permutation_test`.
    start : int
        The first replicate. It may be traced under `jit`, as for a shard's index.
    count : int
        How many replicates. Static under `jit`; `start` + `count` is at most 2^31.
    paired, statistic, axis, batch
        As for `permutation_test`.
    method : {"resampling", "exact"}, default: "resampling"
        Random permutations; or distinct ones, of which there are 2^n for pairs and
        C(n + m, n) for independent samples, one after another, with no `rng`. Beyond
        them there is NaN, where `start` is traced.
    rng : int, generator or key, optional
        Source of the random numbers, as for `aso`. For a split, it has to be an int or
        one and the same key: a generator moves on with every call.
    workers : int, callable, ProcessGroup or str, optional
        As for `aso`.
    progress : callable or tqdm, optional
        As for `aso`.

    Returns
    -------
    array, shape (..., count)
        The statistic of those that A is given less the one of B, on the device and of
        the float dtype of the scores; NaN for a batch entry with a score that is not
        finite.

    Raises
    ------
    TypeError
        As for `permutation_test`.
    ValueError
        As for `permutation_test`; with "exact", 2^31 distinct permutations or more, or
        more replicates than there are of them.

    Notes
    -----
    Where `permutation_test` enumerates all permutations, its p-value is of those of
    "exact", and not of random ones, which it draws where there are more of them.

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import permutation_replicates
    >>> a, b = [0.91, 0.93, 0.92, 0.95], [0.90, 0.92, 0.91, 0.93]
    >>> replicates = permutation_replicates(
    ...     a, b, start=0, count=16, paired=True, method="exact"
    ... )
    >>> observed = np.mean(a) - np.mean(b)
    >>> float(np.mean(replicates > observed - 1e-9))  # the p-value with "greater"
    0.0625
    """
    xp, (a, b) = standardize(a, b, axis=axis, paired=paired)
    if paired:
        check_pairs(a, b)
    is_exact = method == "exact"
    n_distinct = _count_permutations(a.shape[-1], b.shape[-1], paired=paired)
    if is_exact and n_distinct >= MAX_REPLICATES:
        msg = (
            f"Expected fewer than {MAX_REPLICATES:,} distinct permutations with "
            f"method='exact'; got more, of {a.shape[-1]} and {b.shape[-1]} scores. "
            f"Use method='resampling'."
        )
        raise ValueError(msg)
    first = first_replicate(xp, start, count)
    end = count if is_array(start) else int(start) + count
    if is_exact and end > n_distinct:
        msg = (
            f"Expected start + count to be at most {n_distinct:,} with "
            f"method='exact', for so many permutations are distinct; got {end:,}."
        )
        raise ValueError(msg)
    return _permutation_replicates(
        xp,
        a,
        b,
        None if is_exact else seed_words(xp, device_of(xp, a), rng),
        first,
        count=count,
        paired=paired,
        statistic=statistic,
        batch=batch,
        workers=workers,
        progress=progress,
    )


def _count_permutations(n: int, m: int, *, paired: bool) -> float:
    """Count the distinct ones, or give infinity for more than any `n_resamples`."""
    if min(n, m) > math.log2(MAX_REPLICATES):
        return math.inf
    return 2**n if paired else math.comb(n + m, n)


@array_kernel
def _permute_without_draws(
    xp: Namespace,
    a: Array,
    b: Array,
    *,
    method: PermutationTestMethod,
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
def _permutation_test(
    xp: Namespace,
    a: Array,
    b: Array,
    seed: Seed | None,
    *,
    paired: bool,
    statistic: Statistic,
    alternative: Alternative,
    count: int,
    batch: int | None,
) -> tuple[Array, Array]:
    """Difference and p-value over random permutations, or over all without a seed."""
    n = a.shape[-1]
    (pool,), *_, unit = center_scores(xp, statistic, pool_samples(xp, a, b))
    a, b = pool[..., :n], pool[..., n:]
    values = [apply_statistic(xp, statistic, x) for x in (a, b)]
    difference = values[0] - values[1]
    tolerance = rounding_of(xp, statistic, [a, b], values)
    exchange = exchange_pairs if paired else deal_out

    def find_extremes(start: int | Array, size: int) -> Array:
        permuted = exchange(xp, pool, n, seed, start, size, statistic)
        gap = permuted - difference[..., None]
        tie = tolerance[..., None]
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
        elements=_count_elements(xp, pool, n, paired, statistic),
        batch=batch,
    )
    pvalues = counts / float(count) if seed is None else (counts + 1.0) / (count + 1.0)
    tails = {side: pvalues[k, ...] for k, side in enumerate(sides)}
    return unit * difference, find_p_value(xp, alternative, tails.__getitem__)


@array_kernel
def _permutation_replicates(
    xp: Namespace,
    a: Array,
    b: Array,
    seed: Seed | None,
    start: int | Array,
    *,
    paired: bool,
    statistic: Statistic,
    count: int,
    batch: int | None,
) -> Array:
    """Differences of random permutations, or without a seed of distinct ones."""
    n = a.shape[-1]
    (pool,), *_, unit = center_scores(xp, statistic, pool_samples(xp, a, b))
    exchange = exchange_pairs if paired else deal_out

    n_distinct = _count_permutations(n, pool.shape[-1] - n, paired=paired)

    def replicate(chunk_start: int | Array, size: int) -> Array:
        first = start + chunk_start
        permuted = exchange(xp, pool, n, seed, first, size, statistic)
        if seed is not None:
            return permuted
        places = xp.arange(size, device=device_of(xp, pool)) + first
        is_inside = (places >= 0) & (places < n_distinct)
        return xp.where(is_inside, permuted, math.nan)

    differences = map_replicates(
        xp,
        device_of(xp, pool),
        replicate,
        count,
        elements=_count_elements(xp, pool, n, paired, statistic),
        batch=batch,
    )
    return unit[..., None] * differences


def _count_elements(
    xp: Namespace, pool: Array, n: int, paired: bool, statistic: Statistic
) -> int:
    """Count what a replicate holds: its words or keys, and scores or a difference."""
    n_entries: int = math.prod(pool.shape[:-1])
    n_exchanged: int = n if paired else pool.shape[-1]
    if statistic != "mean":
        return n_exchanged * (1 + n_entries)
    if not paired:
        return n_entries + n_exchanged  # one product for all batch entries
    # As many pairs as bits of a word take one of them.
    n_words = math.ceil(n_exchanged / WORD_BITS)
    return n_entries + n_words * count_bits_at_once(xp, device_of(xp, pool))
