"""Tests by the bootstrap, and of equivalence: is a difference within limits?"""

from collections.abc import Sequence
from typing import Any, Literal, Unpack, get_args

from sigarray._backend.callers import (
    Alternative,
    Array,
    ExecutionOptions,
    RandomSource,
    TestedStatistic,
)
from sigarray._backend.checks import choice
from sigarray._backend.public import checked
from sigarray._backend.tables import Axis
from sigarray._difference.intervals import compare_by_t
from sigarray._difference.proportions import compare_proportions
from sigarray._difference.replicates import check_score_method, compare_by_resamples
from sigarray._difference.resampling import (
    DESIGN_RULES,
    METHOD_RULE,
    STATISTIC_RULE,
    ResamplingMethod,
    mean_or_sums,
)
from sigarray._difference.studentized import (
    LIMIT_RULES,
    MARGIN_RULE,
    Hypothesis,
    allow_margin,
)
from sigarray.results import (
    EquivalenceResult,
    ProportionTestResult,
    ResamplingResult,
    TTestResult,
)


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
        By how much A may be worse, 0 or more (non-inferiority). With "greater" the null
        hypothesis is A - B <= -`margin`, and a small p-value says that A is better, or
        worse by less; with "less", for losses, A - B >= `margin`. Not "two-sided".
    n_resamples : int, default: 9999
        Number of bootstrap replicates: with more, the result depends less on the seed.
    method : {"resampling", "saddlepoint"}, default: "resampling"
        How to compute the p-value: from resamples, or for the mean by an approximation
        of the tail of all of them, in a few sums over the scores and with no `rng`. See
        Notes.
    clusters : array_like, or a pair of them, optional
        A label for each item, text or number (3, 3.0 and "3 " are one), if whole
        clusters were sampled, such as documents; a pair of arrays if samples are not
        pairs. An index is aligned with that of the samples. See :doc:`/clusters`.

        Then whole clusters are drawn; `statistic` is a name but "t", of items, or
        `of_sums`.
    n_clusters : int or tuple of int, optional
        The number of clusters or more (see :doc:`/clusters`), or a pair for a pair of
        labels, static under `jit`, for labels on a device, which are not read; by
        default that of items. A label that is not below it makes the result NaN.
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
        share items and, with `paired`, seeds.
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
    and abs(d* - d) >= abs(d) for "two-sided". Ties count, up to rounding:
    see `t_test`.

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


EquivalenceMethod = Literal["t", "bootstrap", "score"]


@checked(
    method=choice(*get_args(EquivalenceMethod)),
    statistic=STATISTIC_RULE,
    **DESIGN_RULES,
    **LIMIT_RULES,
)
def equivalence_test(
    a: Array,
    b: Array,
    /,
    *,
    low: float,
    high: float,
    paired: bool = False,
    statistic: TestedStatistic = "mean",
    method: EquivalenceMethod = "t",
    n_resamples: int = 9999,
    clusters: Any = None,
    n_clusters: int | tuple[int, int] | None = None,
    strata: Any = None,
    axis: Axis = -1,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> EquivalenceResult:
    """Test whether A is as good as B: whether the difference is within limits.

    The null hypothesis is that the difference A minus B is `low` or less, or `high` or
    more; a small p-value says that it is between them. A test that finds no difference
    says no such thing, because too few scores never find one. For "no worse than B",
    with one limit, there is the `margin` of `t_test`.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run or item, two or more of each. Leading
        axes are batches, which broadcast.
    low, high : float
        Limits of the difference, such as -0.01 and 0.01, in the unit of the scores or
        of the metric. Choose them before you see the scores. Static under `jit`.
    paired : bool, default: False
        Whether the scores are pairs in one order, as of two models on one test set (n =
        m).
    statistic : {"mean", "median", "iqm", "t"} or callable, default: "mean"
        What to compare: the mean, or `of_sums` of a function, as `t_test` takes them;
        with "bootstrap" also what else `bootstrap_test` takes, such as "t", means in
        units of their standard error.
    method : {"t", "bootstrap", "score"}, default: "t"
        How to find both p-values: as `t_test` ("t"), as `bootstrap_test` ("bootstrap",
        the same resamples for both), or for scores of 0 and 1 as `proportion_test`
        ("score").
    n_resamples : int, default: 9999
        Number of bootstrap replicates: with more, the result depends less on the seed.
    clusters : array_like, or a pair of them, optional
        A label for each item, text or number (3, 3.0 and "3 " are one), if whole
        clusters were sampled, such as documents; a pair of arrays if samples are not
        pairs. An index is aligned with that of the samples. See :doc:`/clusters`.

        Not with "score".
    n_clusters : int or tuple of int, optional
        The number of clusters, static under `jit`, for labels on a device, as in
        `t_test`.
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
        share items and, with `paired`, seeds.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.

        Only "bootstrap" needs it.
    batch : int, optional
        Replicates at a time; by default what suits the device. Memory grows with it;
        the result is the same.
    workers : int, callable, ProcessGroup or str, optional
        Who computes: a number of threads for NumPy arrays (-1: all cores); a function
        ``map(function, tasks)``, as an executor's; a process group of PyTorch; or a
        mesh axis in `jax.shard_map`. By default this thread. The result is the same.
    progress : callable or tqdm, optional
        Called as ``progress(done, total)`` after each batch, not by JAX; or ``tqdm()``.

    Returns
    -------
    EquivalenceResult
        `difference`, `pvalue`, and the tests of either limit, `low` and `high`, with
        the fields of a `TTestResult`, `ResamplingResult` or `ProportionTestResult`:
        arrays of shape (...), on the device and of the float dtype of the scores. NaN
        where those tests have it.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices; a `statistic` that the
        method does not take; an unsuitable `rng`.
    ValueError
        `low` that is not below `high`, fewer than two scores in a sample, unequal
        pairs, leading axes that do not broadcast, or options outside their range.

    See Also
    --------
    t_test : with a `margin`, whether A is no worse.
    t_ci : the interval of the difference. That of 90 % lies within the limits if, with
        the same options, this test has p < 0.05.

    Notes
    -----
    These are two one-sided tests [1]_: of a difference above `low`, and of one below
    `high`. If both are rejected at a level, so is the null hypothesis, with no
    correction, for one of both is true at least: the p-value is the larger one.

    The share of one-sided p <= 0.05 with A worse by just the limit, over 10 to 200
    scores a side that are normal, lognormal, or 0 or 1: t_test, pairs: 1 to 15 %;
    bootstrap_test of "mean", pairs: 2 to 20 %; bootstrap_test of "t", pairs: 3 to 16 %;
    permutation_test, pairs: 1 to 26 %; proportion_test, pairs: 1 to 5 %; t_test,
    independent: 1 to 12 %; bootstrap_test of "mean", independent: 1 to 14 %;
    bootstrap_test of "t", independent: 4 to 14 %; permutation_test, independent: 2 to
    13 %; proportion_test, independent: 5 to 6 %. The high ones are those of few scores,
    and of B twice as wide as A, whose mean hangs on scores that few samples have: see
    :doc:`/which_test`.

    All options are static under `jit`, and the scores and `rng` may be traced.

    References
    ----------
    .. [1] D. J. Schuirmann (1987). A comparison of the two one-sided tests procedure
       and the power approach for assessing the equivalence of average bioavailability.
       Journal of Pharmacokinetics and Biopharmaceutics 15, 657-680.
       :doi:`10.1007/BF01068419`

    Examples
    --------
    A smaller model has the same mean as a large one on 400 items, within two points:

    >>> import numpy as np
    >>> from sigarray import equivalence_test
    >>> rng = np.random.default_rng(0)
    >>> large = rng.normal(0.7, 0.1, 400)
    >>> small = large + rng.normal(0.0, 0.1, 400)
    >>> result = equivalence_test(small, large, low=-0.02, high=0.02, paired=True)
    >>> bool(result.pvalue < 0.05)
    True
    """
    if low >= high:
        msg = (
            f"Expected low < high, limits of the difference A minus B; got {low:g} and "
            f"{high:g}. Pass low=-0.01 and high=0.01 for at most a point."
        )
        raise ValueError(msg)
    hypotheses = (Hypothesis("greater", low), Hypothesis("less", high))
    results: Sequence[TTestResult | ResamplingResult | ProportionTestResult]
    design: dict[str, Any] = {"clusters": clusters, "n_clusters": n_clusters}
    design |= {"paired": paired, "strata": strata, "axis": axis}
    if method == "bootstrap":
        design |= {"statistic": statistic, "n_resamples": n_resamples, "rng": rng}
        results, more = compare_by_resamples(
            a, b, hypotheses, method="resampling", **design
        )
    elif method == "t":
        one = mean_or_sums("statistic", statistic)
        results, more = compare_by_t(a, b, hypotheses, statistic=one, **design)
    else:
        one_axis = check_score_method(statistic, clusters, strata, axis)
        results, more = compare_proportions(
            a, b, hypotheses, paired=paired, axis=one_axis
        )
    return EquivalenceResult(*more, *results)
