"""Tests of a difference by the bootstrap: scores are drawn with replacement."""

from collections.abc import Sequence
from typing import Any, Unpack

from sigarray._backend.aliases import (
    Alternative,
    Array,
    ExecutionOptions,
    RandomSource,
    Seed,
    Statistic,
    TestedStatistic,
)
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._backend.seeds import seed_words
from sigarray._backend.tables import Axis
from sigarray._difference.resampling import (
    DESIGN_RULES,
    METHOD_RULE,
    STATISTIC_RULE,
    ResamplingMethod,
    check_crossed,
    clip_p_value,
    doubt_two_values,
    draws_resamples,
    in_dtype,
)
from sigarray._difference.saddlepoint import bootstrap_tail
from sigarray._difference.studentized import (
    MARGIN_RULE,
    Hypothesis,
    add_rounding_of_nulls,
    allow_margin,
    beyond_null,
    bootstrap_t_test,
    join_results,
    split_results,
)
from sigarray._difference.units import prepare_units
from sigarray._numeric.designs import Design, DesignArrays
from sigarray._numeric.faults import spread_faults
from sigarray._numeric.statistic import (
    apply_statistic,
    center_scores,
    check_sizes,
    difference_of,
    find_rounding,
    move_back,
)
from sigarray._resampling.replicates import Beyond, arrange, count_beyond, resample
from sigarray.results import ResamplingResult


@checked(method=METHOD_RULE, statistic=STATISTIC_RULE, **DESIGN_RULES, **MARGIN_RULE)
def bootstrap_test(
    a: Array,
    b: Array,
    /,
    *,
    paired: bool = False,
    statistic: TestedStatistic = "mean",
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    n_resamples: int = 9999,
    method: ResamplingMethod = "resampling",
    clusters: Any = None,
    n_clusters: int | tuple[int, int] | None = None,
    strata: Any = None,
    axis: Axis = -1,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> ResamplingResult:
    """Test by the bootstrap whether A scores higher than B.

    The null hypothesis is that the statistic of both distributions is the same; a small
    p-value with "greater" speaks for A.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run or item, two or more of each. Leading
        axes are batches, which broadcast and see the same resamples.
    paired : bool, default: False
        Whether the scores are pairs in one order, as of two models on one test set (n =
        m). Pairs are drawn together, else each sample separately.
    statistic : {"mean", "median", "iqm", "t"} or callable, default: "mean"
        What to compare: means, medians, interquartile means ("iqm", without n // 4
        scores at each end), or means divided by their standard error ("t"). A callable
        f(x, axis=-1), in array-API code, returns the statistic along that axis;
        `of_sums` of a function is a metric of the sums of d numbers of each item: a
        sample is then a tuple of d arrays (..., n), or one (..., d, n). Resamples where
        it is NaN, such as 0 / 0, are extreme for a test, and make limits NaN.

        The difference f(a) - f(b) is tested. "t" is Welch's t, or that of the
        differences of pairs.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        A differs from B ("two-sided"), is higher ("greater") or lower ("less").
    margin : float, default: 0.0
        By how much A may be worse, 0 or more: a test of non-inferiority. With "greater"
        the null hypothesis is A - B <= -`margin`, so that a small p-value says that A
        is better, or worse by less; with "less", for losses, it is A - B >= `margin`.
        An error with "two-sided". Static under `jit`.
    n_resamples : int, default: 9999
        Number of bootstrap replicates: with more, the result depends less on the seed.
    method : {"resampling", "saddlepoint"}, default: "resampling"
        How to compute the p-value: from resamples, or for the mean by an approximation
        of the tail of all of them, in a few sums over the scores and with no `rng`. See
        Notes.
    clusters : array_like, or a pair of them, optional
        A label for each item, text or number (3, 3.0 and "3 " are one), if whole
        clusters were sampled, such as documents with several questions; for samples
        that are not pairs, a pair of arrays. Labels with an index take the order of
        samples with one. See :doc:`/clusters`.

        Then whole clusters are drawn; `statistic` is a name but "t", of items, or
        `of_sums`.
    n_clusters : int or tuple of int, optional
        The number of clusters, or a pair for a pair of labels, static under `jit`, for
        labels on a device, which are not read. One that is not below it, or that no
        item has, makes the result NaN. Labels on the host may have fewer.
    strata : int, array_like, or a pair of them, optional
        The axis of strata, which are fixed and each sampled by itself: for scores
        (runs, tasks), ``axis=0, strata=1``; exchanged, these ask about other tasks. Or
        a label for each score, as in `clusters`, for strata of unlike sizes; with
        `clusters`, whole clusters of each stratum were sampled. A stratum of one score
        is an error, or NaN if labels are integers on a device, which are not read. Each
        score counts the same; for strata that do, see :doc:`/aggregates`.
    axis : int or (int, int), default: -1
        The axis of the scores; the others are batches. A pair of axes, (seeds, items),
        if each seed has a score for each item and both were sampled: the models then
        share items and, with `paired`, seeds. `t_test` and `t_ci` take `clusters` of
        items, too.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.
    batch : int, optional
        Replicates at a time; by default what suits the device. Memory grows with it;
        the result is the same. In float64 a replicate takes about 40 bytes for each
        score.
    workers : int, callable, ProcessGroup or str, optional
        Who computes: a number of threads for NumPy arrays (-1: all cores); a function
        ``map(function, tasks)``, as an executor's; a process group of PyTorch; or a
        mesh axis in `jax.shard_map`. By default this thread. The result is the same.
    progress : callable or tqdm, optional
        Called as ``progress(done, total)`` after each batch, not by JAX; or ``tqdm()``.

    Returns
    -------
    ResamplingResult
        `statistic`, the observed difference or t, and `pvalue`, arrays of shape (...),
        on the device and of the float dtype of the scores. NaN for a batch entry with a
        score that is not finite.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices; an unsuitable `rng`.
    ValueError
        Fewer than two scores in a sample, unequal pairs, leading axes that do not
        broadcast, options outside their range, or a `margin` with "two-sided".

    See Also
    --------
    permutation_test : exact under the null hypothesis of one distribution.
    bootstrap_replicates : the differences of the resamples.
    equivalence_test : whether the difference is within limits on both sides.

    Notes
    -----
    The null hypothesis is imposed by centring [1]_: with the observed difference d and
    those of resamples d*, the p-value is (count + 1) / (`n_resamples` + 1) with the
    count of d* - d >= d for "greater" (d* >= 2 d, as in [2]_), d* - d <= d for "less",
    and abs(d* - d) >= abs(d) for "two-sided". Ties count, up to rounding.

    With few scores the p-values of "mean" are too small, for resamples vary less than
    new samples would. With "t" every resample has an error s*, and (d* - d) / s* is
    compared with d / s, as in algorithm 16.2 of [1]_; a resample without a spread has
    an infinite t, and counts. Of two models whose scores have no spread, p is 1 with
    "t", and with "mean" the least there is, even of two scores each. No bootstrap holds
    of a tail that was not seen. The share of two-sided p <= 0.05 over five kinds of
    scores, 5 to 50 a side, for two equal models, and for equal means and spreads 4 : 1:
    "mean": 1 to 35 %; "mean" with spreads 4 : 1: 5 to 61 %; "t": 0 to 17 %; "t" with
    spreads 4 : 1: 0 to 50 %; "mean" pairs: 1 to 17 %; "mean" pairs with spreads 4 : 1:
    5 to 56 %; "t" pairs: 0 to 5 %; "t" pairs with spreads 4 : 1: 0 to 18 %. See
    :doc:`/which_test`.

    Of two models that are the same, p <= 0.05 with pairs and "mean" in 4 to 16 % of
    items and 5 to 15 % of clusters (5, 20, 60 and 200 of them; scores of 0 or 1, 0 to
    4, normal and lognormal; the high ones are those of 5).

    With "saddlepoint" the p-value is that of infinitely many resamples, to a relative
    error of O(n^-3/2) [3]_: below 1 % for p down to 1e-4 where the scores' deviations x
    have an effective number (sum x^2)^2 / sum x^4 of 20 or more. That is n / 3 for
    normal scores; it is small where a few scores make up all of the variance, and the
    approximation is not to be trusted there.

    `equivalence_test` has the rates of tests with a `margin`.

    With axes of seeds and of items, a replicate draws one seed fewer than there are,
    and as many items, each on its own (the pigeonhole bootstrap [4]_).

    All options are static under `jit`, and the scores and `rng` may be traced.

    References
    ----------
    .. [1] B. Efron, R. Tibshirani (1994). An introduction to the bootstrap, chapter 16.
       :doi:`10.1201/9780429246593`
    .. [2] T. Berg-Kirkpatrick, D. Burkett, D. Klein (2012). An empirical investigation
       of statistical significance in NLP. EMNLP. :doi:`10.5555/2390948.2391058`
    .. [3] A. C. Davison, D. V. Hinkley (1988). Saddlepoint approximations in resampling
       methods. Biometrika 75, 417-431. :doi:`10.1093/biomet/75.3.417`
    .. [4] A. B. Owen (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1,
       386-411. :doi:`10.1214/07-AOAS122`

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import bootstrap_test
    >>> a = np.linspace(0.60, 0.70, 30)
    >>> bool(bootstrap_test(a, a - 0.03, rng=0).pvalue < 0.05)
    True
    """
    (result,), _more = compare_by_resamples(
        a,
        b,
        (allow_margin(alternative, margin),),
        paired=paired,
        statistic=statistic,
        n_resamples=n_resamples,
        method=method,
        clusters=clusters,
        n_clusters=n_clusters,
        strata=strata,
        axis=axis,
        rng=rng,
    )
    return result


def compare_by_resamples(
    a: Array,
    b: Array,
    hypotheses: tuple[Hypothesis, ...],
    *,
    paired: bool,
    statistic: TestedStatistic,
    n_resamples: int,
    method: ResamplingMethod,
    clusters: Any,
    n_clusters: Any,
    strata: Any,
    axis: Axis,
    rng: RandomSource,
) -> tuple[list[ResamplingResult], Sequence[Array]]:
    """Return a result for each hypothesis, and what `join_results` adds."""
    xp, statistic, (a, b), dtype, _level, design = prepare_units(
        statistic,
        a,
        b,
        axis=axis,
        paired=paired,
        clusters=clusters,
        n_clusters=n_clusters,
        strata=strata,
    )
    check_sizes(a, b, purpose="to resample")
    doubt_two_values(xp, statistic, [a, b])
    check_crossed(design, "method", method, "resampling")
    is_drawn = draws_resamples(method, statistic, design, clusters)
    if statistic == "t":
        result = bootstrap_t_test(
            xp,
            a,
            b,
            seed_words(xp, rng),
            paired=paired,
            hypotheses=hypotheses,
            n_resamples=n_resamples,
        )
    else:
        result = _bootstrap_test(
            xp,
            a,
            b,
            seed_words(xp, rng) if is_drawn else None,
            design.arrays,
            design=design.static,
            paired=paired,
            statistic=statistic,
            hypotheses=hypotheses,
            n_resamples=n_resamples,
        )
    return split_results(ResamplingResult, in_dtype(xp, dtype, result), hypotheses)


@array_kernel
def _bootstrap_test(
    xp: Library,
    a: Array,
    b: Array,
    seed: Seed | None,
    arrays: DesignArrays,
    *,
    design: Design,
    paired: bool,
    statistic: Statistic,
    hypotheses: tuple[Hypothesis, ...],
    n_resamples: int,
) -> list[Array]:
    """Return difference and p-value for each hypothesis, which centring imposes."""
    centered = center_scores(xp, statistic, *(spread_faults(xp, x) for x in (a, b)))
    a, b = samples = centered.scores
    values = [apply_statistic(xp, statistic, x) for x in samples]
    observed = difference_of(values)
    difference = move_back(centered, observed)
    gaps = [beyond_null(difference, x.null, centered.unit) for x in hypotheses]
    if seed is None:

        def find_tail(gap: Array, side: str) -> Array:
            if side == "two-sided":  # by distance, which has both tails
                gap = xp.abs(gap)
                return find_tail(gap, "greater") + find_tail(-gap, "less")
            pair, offset = ((a, b), gap) if side == "greater" else ((b, a), -gap)
            return bootstrap_tail(xp, *pair, offset, paired=paired)

        pvalues = [
            clip_p_value(xp, find_tail(gap, x.alternative))
            for gap, x in zip(gaps, hypotheses, strict=True)
        ]
    else:
        rounding = find_rounding(xp, statistic, samples, values, centered.levels)
        rounding = add_rounding_of_nulls(xp, rounding, hypotheses, centered.unit)
        design = design.with_arrays(arrays)
        rounding = sum(design.rounding, rounding)
        is_two_sided = hypotheses[0].alternative == "two-sided"
        limits = {}
        for gap, (alternative, _) in zip(gaps, hypotheses, strict=True):
            if alternative == "less":
                limits["less"] = (gap + rounding)[..., None]
            else:
                limit = xp.abs(gap) if is_two_sided else gap
                limits["greater"] = (limit - rounding)[..., None]
        design, samples = arrange(xp, design, samples)
        extremes = Beyond(
            xp,
            resample(xp, seed, paired, design, samples, statistic),
            observed[..., None],
            limits,
            is_two_sided=is_two_sided,
            may_be_nan=not isinstance(statistic, str),
        )
        zero = difference - difference
        counts = count_beyond(xp, extremes, n_resamples, len(limits), zero)
        pvalues = [
            (counts[k, ...] + 1.0) / (n_resamples + 1.0) for k in range(len(limits))
        ]
    moved = centered.unit * difference
    of_each = [(moved, pvalue) for pvalue in pvalues]
    return join_results(xp, of_each, difference, centered.unit)
