"""Tests of a difference by resampling: bootstrap and permutation."""

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from sigarray._typing import Array, Namespace, RandomSource
from sigarray.dispatch import (
    array_kernel,
    default_batch,
    device_of,
    matrix_product,
    spread_faults,
    standardize,
    sum_batches,
)
from sigarray.enumeration import subset_at
from sigarray.quantile import take_last
from sigarray.results import ResamplingResult
from sigarray.rng import (
    MAX_REPLICATES,
    ordered_keys,
    random_bits,
    random_words,
    seed_words,
    uniform_indices,
)
from sigarray.validation import check_batch, check_choice, check_count

Alternative = Literal["greater", "less", "two-sided"]
Statistic = Callable[..., Array] | Literal["mean", "median"]
Seed = tuple[Array, Array]

_ALTERNATIVES = ("greater", "less", "two-sided")
_STATISTICS = ("mean", "median")
# Differences closer than so many units of rounding are ties.
_TIE_UNITS = 100


def bootstrap_test(
    a: Array,
    b: Array,
    /,
    *,
    paired: bool = False,
    statistic: Statistic = "mean",
    alternative: Alternative = "greater",
    n_resamples: int = 9999,
    axis: int = -1,
    batch: int | None = None,
    rng: RandomSource = None,
) -> ResamplingResult:
    """Test by the bootstrap whether A scores higher than B.

    The null hypothesis is that the statistic of both distributions is the same; a small
    p-value with "greater" speaks for A.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models. Leading axes are batches, and broadcast; every batch
        entry sees the same resamples.
    paired : bool, default: False
        Resample pairs of scores together, as of two models on one test set (n = m);
        else each sample by itself.
    statistic : {"mean", "median"} or callable, default: "mean"
        What to compare. A callable f(x, axis) gives the statistic of x along an axis,
        in array-API code; the difference f(a) - f(b) is tested.
    alternative : {"greater", "less", "two-sided"}, default: "greater"
        Whether A is higher than, lower than or different from B.
    n_resamples : int, default: 9999
        Bootstrap replicates.
    axis : int, default: -1
        The axis of the scores.
    batch : int, optional
        Replicates to compute at a time; by default what suits the device. Memory grows
        with `batch` times (n + m) times the number of batch entries, about 40 bytes
        each in float64. The result does not depend on it.
    rng : int, generator or key, optional
        Source of the random numbers, as for `aso`.

    Returns
    -------
    ResamplingResult
        `statistic`, the observed difference, and `pvalue`, arrays of shape (...), on
        the device and of the float dtype of the scores, as for `aso`. NaN for a batch
        entry with a score that is not finite.

    Raises
    ------
    TypeError
        Scores that are not real numbers, or of two libraries or devices; an `rng` that
        the library cannot use.
    ValueError
        A sample without scores, pairs of unequal number, leading axes that do not
        broadcast, or options outside their range.

    See Also
    --------
    permutation_test : exact under the null hypothesis of one distribution.

    Notes
    -----
    The null hypothesis is imposed by centring [1]_: with the observed difference d and
    those of resamples d*, the p-value is (count + 1) / (`n_resamples` + 1) with the
    count of d* - d >= d for "greater" (d* >= 2 d, as in [2]_), d* - d <= d for "less",
    and abs(d* - d) >= abs(d) for "two-sided". Ties count, up to rounding.

    All options are static under `jit`, and the scores and `rng` may be traced.

    References
    ----------
    .. [1] B. Efron, R. Tibshirani (1994). An introduction to the bootstrap, chapter 16.
       :doi:`10.1201/9780429246593`
    .. [2] T. Berg-Kirkpatrick, D. Burkett, D. Klein (2012). An empirical investigation
       of statistical significance in NLP. EMNLP. :doi:`10.5555/2390948.2391058`

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import bootstrap_test
    >>> a = np.linspace(0.60, 0.70, 30)
    >>> bool(bootstrap_test(a, a - 0.03, rng=0).pvalue < 0.05)
    True
    """
    xp, (a, b) = standardize(a, b, axis=axis)
    options = _check(a, b, paired, statistic, alternative, batch)
    difference, pvalue = _bootstrap_test(
        xp,
        a,
        b,
        seed_words(rng, xp, device_of(xp, a)),
        n_resamples=check_count("n_resamples", n_resamples, MAX_REPLICATES),
        **options,
    )
    return ResamplingResult(xp.asarray(difference), xp.asarray(pvalue))


def permutation_test(
    a: Array,
    b: Array,
    /,
    *,
    paired: bool = True,
    statistic: Statistic = "mean",
    alternative: Alternative = "greater",
    n_resamples: int = 9999,
    axis: int = -1,
    batch: int | None = None,
    rng: RandomSource = None,
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
    paired : bool, default: True
        Exchange the scores of a pair, as of two models on one test set (n = m); else
        deal all scores out anew to two samples of n and m.
    statistic, alternative, axis, batch
        As for `bootstrap_test`.
    n_resamples : int, default: 9999
        Random permutations. Where there are no more than this many distinct ones, 2^n
        for pairs and C(n + m, n) for independent samples, all are enumerated instead
        and the p-value is exact.
    rng : int, generator or key, optional
        Source of the random numbers, as for `aso`; not needed where all are enumerated.

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

    Notes
    -----
    With the observed difference d and those of permutations d*, the p-value is
    (count + 1) / (`n_resamples` + 1) with the count of d* >= d for "greater" and d* <=
    d for "less" [1]_, or exactly count / total over all permutations; for "two-sided"
    it is twice the smaller of the two, at most 1. Ties count, up to rounding.

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
    >>> float(permutation_test(a, b).pvalue)
    0.015625
    """
    xp, (a, b) = standardize(a, b, axis=axis)
    options = _check(a, b, paired, statistic, alternative, batch)
    n_resamples = check_count("n_resamples", n_resamples, MAX_REPLICATES)
    n, m = a.shape[-1], b.shape[-1]
    n_distinct = 2**n if paired else math.comb(n + m, n)
    is_exact = n_distinct <= n_resamples
    difference, pvalue = _permutation_test(
        xp,
        a,
        b,
        None if is_exact else seed_words(rng, xp, device_of(xp, a)),
        count=n_distinct if is_exact else n_resamples,
        **options,
    )
    return ResamplingResult(xp.asarray(difference), xp.asarray(pvalue))


def _check(
    a: Array,
    b: Array,
    paired: bool,
    statistic: Statistic,
    alternative: Alternative,
    batch: int | None,
) -> dict[str, Any]:
    """Check what the tests have in common, and give their options."""
    check_choice("alternative", alternative, _ALTERNATIVES)
    if not callable(statistic):
        check_choice("statistic", statistic, _STATISTICS)
    if paired and a.shape[-1] != b.shape[-1]:
        msg = (
            f"Expected as many scores of A as of B with paired=True; got {a.shape[-1]} "
            f"and {b.shape[-1]}. Pass paired=False for independent samples."
        )
        raise ValueError(msg)
    return {
        "paired": bool(paired),
        "statistic": statistic,
        "alternative": alternative,
        "batch": check_batch(batch),
    }


@array_kernel
def _bootstrap_test(
    xp: Namespace,
    a: Array,
    b: Array,
    seed: Seed,
    *,
    paired: bool,
    statistic: Statistic,
    alternative: Alternative,
    n_resamples: int,
    batch: int | None,
) -> tuple[Array, Array]:
    """Difference and p-value with the null hypothesis imposed by centring."""
    n, m, device = a.shape[-1], b.shape[-1], device_of(xp, a)
    width = n if paired else n + m
    a, b = spread_faults(xp, a), spread_faults(xp, b)
    difference, tolerance = _observe(xp, a, b, statistic)
    distance = difference[..., None]

    def count_extremes(start: int | Array, size: int) -> Array:
        words = random_words(seed, start, size, width, xp, device)
        places_a = uniform_indices(words[:, :n], n, xp, device)
        places_b = uniform_indices(words[:, -m:], m, xp, device)
        resampled = _apply(xp, statistic, take_last(xp, a, places_a))
        resampled = resampled - _apply(xp, statistic, take_last(xp, b, places_b))
        shift = resampled - distance
        if alternative == "two-sided":
            is_extreme = xp.abs(shift) >= xp.abs(distance) - tolerance[..., None]
        elif alternative == "greater":
            is_extreme = shift >= distance - tolerance[..., None]
        else:
            is_extreme = shift <= distance + tolerance[..., None]
        return _count(xp, is_extreme, start, n_resamples)

    batch = batch or default_batch(
        xp, device, width + math.prod(a.shape) + math.prod(b.shape)
    )
    count = sum_batches(xp, count_extremes, n_resamples, batch, difference - difference)
    return difference, (count + 1.0) / (n_resamples + 1.0)


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
    a, b = spread_faults(xp, a), spread_faults(xp, b)
    difference, tolerance = _observe(xp, a, b, statistic)
    exchange = _exchange_pairs if paired else _deal_out

    def count_extremes(start: int | Array, size: int) -> Array:
        permuted = exchange(xp, a, b, seed, start, size, statistic)
        gap = permuted - difference[..., None]
        counts = (
            _count(xp, gap >= -tolerance[..., None], start, count),
            _count(xp, gap <= tolerance[..., None], start, count),
        )
        return xp.stack(counts)

    n_scores = a.shape[-1] if paired else a.shape[-1] + b.shape[-1]
    leading = math.prod(difference.shape)
    batch = batch or default_batch(xp, device_of(xp, a), (1 + leading) * n_scores)
    zero = difference - difference
    counts = sum_batches(xp, count_extremes, count, batch, xp.stack([zero, zero]))
    pvalues = counts / count if seed is None else (counts + 1.0) / (count + 1.0)
    greater, less = pvalues[0, ...], pvalues[1, ...]
    if alternative == "two-sided":
        smaller = xp.where(greater < less, greater, less)
        return difference, xp.clip(2.0 * smaller, None, 1.0)
    return difference, greater if alternative == "greater" else less


def _exchange_pairs(
    xp: Namespace,
    a: Array,
    b: Array,
    seed: Seed | None,
    start: int | Array,
    size: int,
    statistic: Statistic,
) -> Array:
    """Difference (..., size) with some pairs exchanged, by one bit each."""
    n, device = a.shape[-1], device_of(xp, a)
    if seed is None:
        places = (xp.arange(size, device=device) + start)[:, None]
        bits = (places >> xp.arange(n, dtype=places.dtype, device=device)) & 1
    else:
        words = random_words(seed, start, size, -(-n // 32), xp, device)
        bits = random_bits(words, n, xp, device)
    if statistic == "mean":
        # sum of (1 - 2 bit) (a - b), for all replicates in one product
        gaps = a - b
        rows = xp.reshape(gaps, (math.prod(gaps.shape[:-1]), n))
        columns = xp.matrix_transpose(xp.astype(bits, gaps.dtype))
        exchanged = matrix_product(xp, rows, columns)
        sums = xp.sum(rows, axis=-1, keepdims=True) - 2.0 * exchanged
        return xp.reshape(sums, (*gaps.shape[:-1], size)) / n
    is_exchanged = bits == 1
    a, b = a[..., None, :], b[..., None, :]
    exchanged_a = _apply(xp, statistic, xp.where(is_exchanged, b, a))
    return exchanged_a - _apply(xp, statistic, xp.where(is_exchanged, a, b))


def _deal_out(
    xp: Namespace,
    a: Array,
    b: Array,
    seed: Seed | None,
    start: int | Array,
    size: int,
    statistic: Statistic,
) -> Array:
    """Difference (..., size) with all scores dealt out anew to samples of n and m."""
    n, m, device = a.shape[-1], b.shape[-1], device_of(xp, a)
    leading = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    pool = xp.concat(
        [xp.broadcast_to(a, (*leading, n)), xp.broadcast_to(b, (*leading, m))], axis=-1
    )
    if seed is None:
        places = xp.arange(size, device=device) + start
        chosen = xp.stack(subset_at(xp, places, n, n + m), axis=-1)
        everyone = xp.arange(n + m, dtype=chosen.dtype, device=device)
        is_chosen = xp.any(chosen[..., None] == everyone, axis=-2)
        keys = xp.astype(~is_chosen, xp.int32)
    else:
        words = random_words(seed, start, size, n + m, xp, device)
        keys = ordered_keys(words, xp)
    if statistic == "mean":
        # A gets the n smallest keys: no permutation is made.
        threshold = xp.sort(keys, axis=-1, stable=False)[:, n - 1 : n]
        is_chosen = xp.astype(keys <= threshold, pool.dtype)
        n_chosen = xp.sum(is_chosen, axis=-1)
        rows = xp.reshape(pool, (math.prod(leading), n + m))
        sums = matrix_product(xp, rows, xp.matrix_transpose(is_chosen))
        sums = xp.reshape(sums, (*leading, size))
        rest = xp.sum(pool, axis=-1, keepdims=True) - sums
        # Two keys may be the same at the threshold, once in two million times.
        return sums / n_chosen - rest / (n + m - n_chosen)
    order = xp.argsort(keys, axis=-1, stable=False)
    dealt = take_last(xp, pool, order)
    dealt_a = _apply(xp, statistic, dealt[..., :n])
    return dealt_a - _apply(xp, statistic, dealt[..., n:])


def _observe(
    xp: Namespace, a: Array, b: Array, statistic: Statistic
) -> tuple[Array, Array]:
    """Give the observed difference, and how much of one is rounding."""
    statistics = [_apply(xp, statistic, x) for x in (a, b)]
    difference = statistics[0] - statistics[1]
    if callable(statistic):
        scale = xp.abs(statistics[0]) + xp.abs(statistics[1])
    else:
        scales = [_apply(xp, statistic, xp.abs(x)) for x in (a, b)]
        scale = scales[0] + scales[1]
    return difference, _TIE_UNITS * xp.finfo(difference.dtype).eps * scale


def _apply(xp: Namespace, statistic: Statistic, x: Array) -> Array:
    """Compute the statistic along the last axis."""
    if statistic == "mean":
        return xp.mean(x, axis=-1)
    if statistic == "median":
        ordered = xp.sort(x, axis=-1, stable=False)
        n = x.shape[-1]
        middle = 0.5 * (ordered[..., (n - 1) // 2] + ordered[..., n // 2])
        # Wherever the sort puts a NaN.
        return xp.where(xp.any(xp.isnan(x), axis=-1), math.nan, middle)
    result = statistic(x, -1)
    if result.shape != x.shape[:-1]:
        msg = (
            f"Expected statistic(x, axis) to give shape {tuple(x.shape[:-1])} for x of "
            f"shape {tuple(x.shape)} and axis -1; got shape {tuple(result.shape)}."
        )
        raise ValueError(msg)
    return result


def _count(xp: Namespace, is_extreme: Array, start: int | Array, count: int) -> Array:
    """Count the extreme ones among the replicates below `count`, as floats."""
    replicates = (
        xp.arange(is_extreme.shape[-1], device=device_of(xp, is_extreme)) + start
    )
    return xp.sum(xp.astype(is_extreme & (replicates < count), xp.float32), axis=-1)
