"""Student's test of a difference of means, and his intervals."""

from typing import Any, Literal

from sigarray._backend.callers import Alternative, Array
from sigarray._backend.public import checked
from sigarray._backend.tables import Axis
from sigarray._difference.intervals import compare_by_t, find_t_limits
from sigarray._difference.resampling import (
    DESIGN_RULES,
    check_test_share,
    in_dtype,
    mean_or_sums,
)
from sigarray._difference.studentized import MARGIN_RULE, allow_margin
from sigarray._difference.units import prepare_items
from sigarray._numeric.statistic import check_sizes
from sigarray._numeric.sums import SumStatistic
from sigarray.results import BootstrapResult, ConfidenceInterval, TTestResult


@checked(statistic=mean_or_sums, **DESIGN_RULES, **MARGIN_RULE)
def t_test(
    a: Array,
    b: Array,
    /,
    *,
    paired: bool = False,
    statistic: Literal["mean"] | SumStatistic = "mean",
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    clusters: Any = None,
    n_clusters: int | tuple[int, int] | None = None,
    strata: Any = None,
    test_share: float | None = None,
    axis: Axis = -1,
) -> TTestResult:
    """Test by Student's t whether the mean of A is above that of B.

    This is Welch's test, or, for pairs, that of their differences. The null hypothesis
    is that the means are the same; a small p-value with "greater" speaks for A. It is
    exact for normal scores with `paired`, and nearly so without, from five scores on;
    for other scores it improves with their number: see Notes.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run or item, two or more of each. Leading
        axes are batches, which broadcast.
    paired : bool, default: False
        Whether the scores are pairs in one order, as of two models on one test set (n =
        m).

        Their differences are tested; else two independent samples, whose variances may
        differ (Welch).
    statistic : {"mean"} or SumStatistic, default: "mean"
        The mean; or `of_sums` of a function, a metric of the sums of d numbers of each
        item: a sample is then a tuple of d arrays (..., n), or one (..., d, n). Its
        error is that of the mean of the items' influences.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        A differs from B ("two-sided"), is higher ("greater") or lower ("less").
    margin : float, default: 0.0
        By how much A may be worse, 0 or more (non-inferiority). With "greater" the null
        hypothesis is A - B <= -`margin`, and a small p-value says that A is better, or
        worse by less; with "less", for losses, A - B >= `margin`. Not "two-sided".
    clusters : array_like, or a pair of them, optional
        A label for each item, text or number (3, 3.0 and "3 " are one), if whole
        clusters were sampled, such as documents; a pair of arrays if samples are not
        pairs. An index is aligned with that of the samples. See :doc:`/clusters`.

        Labels on a device, or traced, are integers from 0 on.
    n_clusters : int or tuple of int, optional
        The number of clusters, or a pair for a pair of labels, static under `jit`, for
        labels on a device, which are not read: by default that of items. One that is
        not below it makes the result NaN. Without `strata` it may be more.
    strata : int, array_like, or a pair of them, optional
        The axis of strata, which are fixed and each sampled by itself: for scores
        (runs, tasks), ``axis=0, strata=1``; exchanged, these ask about other tasks. Or
        a label for each score, as in `clusters`, for strata of unlike sizes; with
        `clusters`, whole clusters of each stratum were sampled. A stratum of one score
        is an error, or NaN if labels are integers on a device, which are not read. Each
        score counts the same; for strata that do, see :doc:`/aggregates`.
    test_share : float, optional
        With `paired`, for scores on one data set that was split anew for each of them:
        the share of its items on which a model was tested, such as 0.2 for five folds.
        This is the t of Nadeau and Bengio [2]_, because scores from overlapping
        training sets are not independent. See Notes. Static under `jit`.
    axis : int or (int, int), default: -1
        The axis of the scores; the others are batches. A pair of axes, (seeds, items),
        if each seed has a score for each item and both were sampled: the models then
        share items and, with `paired`, seeds. Items may be in `clusters`.

    Returns
    -------
    TTestResult
        `statistic` (t), `pvalue` and `df`, arrays of shape (...), on the device and of
        the float dtype of the scores. NaN for a batch entry with a score
        that is not finite, and a `pvalue` of NaN where t is infinite.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices.
    ValueError
        Fewer than two scores in a sample, unequal pairs, leading axes that do not
        broadcast, options outside their range, a `test_share` without `paired`, or a
        `margin` with "two-sided".

    See Also
    --------
    brunner_munzel : for P(A > B) instead of means.
    equivalence_test : whether the difference is within limits on both sides.
    proportion_test : with a margin, for scores of 0 and 1.
    bootstrap_test : for scores that are far from normal.

    Notes
    -----
    With the variances s^2 (ddof 1), t = (mean(a) - mean(b)) / (s_a^2 / n + s_b^2 /
    m)^1/2 has about the degrees of freedom::

        df = (s_a^2 / n + s_b^2 / m)^2
             / ((s_a^2 / n)^2 / (n - 1) + (s_b^2 / m)^2 / (m - 1))

    of [1]_; for pairs it is the t of their differences, with n - 1. If neither sample
    varies (for pairs, if all differences are the same; with `clusters`, if the means of
    all clusters are, whatever their items do), t is 0 for equal means and infinite for
    others, with n + m - 2 degrees of freedom, or those of clusters. An infinite t has
    no p-value: scores that do not vary do not show how much others would, and a p of 0,
    as in SciPy, would claim more than any number of scores can show.

    Rounding separates equal scores, such as 0.1 + 0.2 and 0.3, and equal differences,
    such as 0.9 - 0.8 and 0.7 - 0.6. Here, in tests by resampling and in `wilcoxon_test`
    all scores of two models, or all differences of pairs, are the same if they are
    within four units, eps times the largest score; in single precision, where whole
    numbers may be as near, scores that are no pairs within one. For tests by ranks two
    scores are tied within four units of their own, and in single precision if they are
    equal.

    With `test_share` r, s^2 / n of the n differences becomes s^2 (1 / n + r / (1 - r))
    [2]_. Of folds that are repeated, n is the number of all of them. Of 4000 data sets
    of 100 items and two learners that are as good (least squares on either half of six
    features), p <= 0.05 in 1.0 % of 10 folds, 3.1 % of 3 times 5 and 5.0 % of 10 times
    10, and without it in 5.9, 29.0 and 57.2 %.

    With `clusters`, the error is that of sums of clusters, "CR2" of Bell and McCaffrey
    [4]_, with the degrees of freedom of Satterthwaite [5]_. Of clusters of one item it
    is the t above; of few clusters, or of unequal ones, the degrees of freedom are few.

    With `strata`, the error is that within strata: of N scores it is the sum of V = s^2
    n / N^2 over strata of n scores, with the degrees of freedom (sum V)^2 / sum (V^2 /
    (n - 1)) of Satterthwaite.

    With both, clusters of each stratum were sampled: the mean of N items is that of
    strata of n by their shares n / N, which are fixed, and with the squared error V and
    the df f of the mean of each stratum the error is the sum of W = V (n / N)^2, with
    the degrees of freedom (sum W)^2 / sum (W^2 / f) [6]_. Means of clusters are taken
    to have one variance in a stratum, whatever their size: of clusters with shares p of
    its items, P = sum p^2, and sums s about its mean, V is the sum of s^2 / (1 - 2 p +
    P) / n^2, which is then unbiased. Of one stratum of clusters of one size these are
    the t and the df of `clusters` alone. They are too careful where sizes in a stratum
    are very unlike: of items that correlate by 0.5, p <= 0.05 in 0.0 to 4.8 % of sets
    of two equal models; the page :doc:`/clusters` has them by size.

    A margin is one of means, whatever these can be: no difference of scores of 0 and 1
    is 1 or more, so that with such a margin p is near 0 and says nothing.
    `proportion_test`, which knows what its scores are, raises an error.

    With axes of seeds and of items, the error is that for new ones of both: (MS_seed +
    MS_item - MS_rest) / (S n), with the mean squares of the crossed analysis of
    variance, and never below the part of either; of two models with their own seeds,
    that of items is of their difference. The degrees of freedom are Satterthwaite's. If
    the items are in `clusters`, those of items and of the rest are of sums of clusters.

    With `of_sums`, each item has the metric f plus its influence on it, (n - 1) times
    how far f without the item is below the mean of these [3]_, and t is that of these
    numbers. They are the scores themselves for the mean. An item whose numbers are all
    0 changes no sum: if k others are in the sample that has fewer, the degrees of
    freedom of pairs are at most k - 1, and so are those of two samples if it alone does
    not vary; of k = 1 they are NaN. Of two equal models with 60 to 1,000 items, of
    which 3 to 20 % count for the precision or F1, p <= 0.05 in 0 to 5.2 % of 6,000
    sets, and p <= 0.001 in at most 0.3 %. See :doc:`/corpus`.

    Few scores of a skewed distribution do not show its tail. The share of two-sided p
    <= 0.05 over five kinds of scores, 5 to 50 a side, for two equal models, and for
    equal means and spreads 4 : 1: 0 to 34 %; with spreads 4 : 1: 4 to 59 %; pairs: 0 to
    6 %; pairs with spreads 4 : 1: 5 to 24 %. See :doc:`/which_test`.

    Of two models that are the same, p <= 0.05 with pairs in 1 to 6 % of items and 4 to
    5 % of clusters (5, 20, 60 and 200 of them; scores of 0 or 1, 0 to 4, normal and
    lognormal).

    `equivalence_test` has the rates of tests with a `margin`.

    All options are static under `jit`.

    References
    ----------
    .. [1] B. L. Welch (1947). The generalization of "Student's" problem when several
       different population variances are involved. Biometrika 34, 28-35.
       :doi:`10.1093/biomet/34.1-2.28`
    .. [2] C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine
       Learning 52, 239-281. :doi:`10.1023/A:1024068626366`
    .. [3] B. Efron, R. Tibshirani (1994). An introduction to the bootstrap, chapter 11.
       :doi:`10.1201/9780429246593`
    .. [4] R. M. Bell, D. F. McCaffrey (2002). Bias reduction in standard errors for
       linear regression with multi-stage samples. Survey Methodology 28, 169-181.
       https://www150.statcan.gc.ca/n1/pub/12-001-x/2002002/article/9058-eng.pdf
    .. [5] J. E. Pustejovsky, E. Tipton (2018). Small-sample methods for cluster-robust
       variance estimation and hypothesis testing in fixed effects models. Journal of
       Business & Economic Statistics 36, 672-683.
       :doi:`10.1080/07350015.2016.1247004`
    .. [6] F. E. Satterthwaite (1946). An approximate distribution of estimates of
       variance components. Biometrics Bulletin 2, 110-114. :doi:`10.2307/3002019`

    Examples
    --------
    >>> from sigarray import t_test
    >>> a = [0.92, 0.94, 0.93, 0.96, 0.95]
    >>> b = [0.90, 0.92, 0.91, 0.89, 0.93]
    >>> result = t_test(a, b)
    >>> bool(result.pvalue < 0.05)
    True
    """
    (result,), _more = compare_by_t(
        a,
        b,
        (allow_margin(alternative, margin),),
        paired=paired,
        statistic=statistic,
        clusters=clusters,
        n_clusters=n_clusters,
        strata=strata,
        test_share=test_share,
        axis=axis,
    )
    return result


@checked(statistic=mean_or_sums, **DESIGN_RULES)
def t_ci(
    a: Array,
    b: Array | None = None,
    /,
    *,
    paired: bool = False,
    statistic: Literal["mean"] | SumStatistic = "mean",
    confidence_level: float = 0.95,
    clusters: Any = None,
    n_clusters: int | tuple[int, int] | None = None,
    strata: Any = None,
    test_share: float | None = None,
    axis: Axis = -1,
) -> BootstrapResult:
    """Student's confidence interval of a mean, of a metric, or of a difference of two.

    It is that of `t_test`: with the same options it holds the differences that the test
    does not reject. It draws no resamples, and of few scores it is the one to take:
    those of the bootstrap are too short.

    Parameters
    ----------
    a : array, shape (..., n), real
        Scores, one for each run or item, two or more. Leading axes are batches.
    b : array, shape (..., m), real, optional
        Scores of a second model. Leading axes broadcast.

        The interval is then of the difference.
    paired : bool, default: False
        Whether the scores are pairs in one order, as of two models on one test set (n =
        m).

        The interval is of the mean of their differences; else two independent samples,
        whose variances may differ (Welch).
    statistic : {"mean"} or SumStatistic, default: "mean"
        The mean; or `of_sums` of a function, a metric of the sums of d numbers of each
        item: a sample is then a tuple of d arrays (..., n), or one (..., d, n). Its
        error is that of the mean of the items' influences.
    confidence_level : float, default: 0.95
        Confidence of the interval, in (0, 1): 0.95 for 95 %.
    clusters : array_like, or a pair of them, optional
        A label for each item, text or number (3, 3.0 and "3 " are one), if whole
        clusters were sampled, such as documents; a pair of arrays if samples are not
        pairs. An index is aligned with that of the samples. See :doc:`/clusters`.

        Labels on a device, or traced, are integers from 0 on.
    n_clusters : int or tuple of int, optional
        The number of clusters, or a pair for a pair of labels, static under `jit`, for
        labels on a device, which are not read: by default that of items. One that is
        not below it makes the result NaN. Without `strata` it may be more.
    strata : int, array_like, or a pair of them, optional
        The axis of strata, which are fixed and each sampled by itself: for scores
        (runs, tasks), ``axis=0, strata=1``; exchanged, these ask about other tasks. Or
        a label for each score, as in `clusters`, for strata of unlike sizes; with
        `clusters`, whole clusters of each stratum were sampled. A stratum of one score
        is an error, or NaN if labels are integers on a device, which are not read. Each
        score counts the same; for strata that do, see :doc:`/aggregates`.
    test_share : float, optional
        With `paired`, for scores on one data set that was split anew for each of them:
        the share of its items on which a model was tested, such as 0.2 for five folds.
        The error is that of Nadeau and Bengio [1]_, because scores from overlapping
        training sets are not independent. Static under `jit`.
    axis : int or (int, int), default: -1
        The axis of the scores; the others are batches. A pair of axes, (seeds, items),
        if each seed has a score for each item and both were sampled: the models then
        share items and, with `paired`, seeds. Items may be in `clusters`.

    Returns
    -------
    BootstrapResult
        `statistic`, `confidence_interval` (`low` and `high`) and `standard_error`,
        arrays of shape (...), on the device and of the float dtype of the scores. NaN
        for a batch entry with a score that is not finite; where no score varies, the
        error is 0, and the limits are NaN: what does not vary does not show how much it
        could.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices.
    ValueError
        Fewer than two scores in a sample, unequal pairs, `paired` for one sample,
        leading axes that do not broadcast, options outside their range, or a
        `test_share` without `paired`, or beside clusters, strata or axes of seeds and
        items.

    See Also
    --------
    t_test : the p-value of a difference.
    bootstrap_ci : for any statistic, and many scores.

    Notes
    -----
    The error and its degrees of freedom are those of `t_test`. Of 2000 sets each,
    intervals of 95 % held the mean in 93.5 to 97.0 % with 5 to 100 clusters, and those
    of the same items without `clusters` in 37.2 to 95.4 % (see :doc:`/clusters`); with
    `strata` in 93.8 to 97.0 % of 26 tasks with 2 to 10 runs, and in 91.8 to 96.2 % of 6
    tasks (see :doc:`/aggregates`); and with axes of seeds and of items in 92.9 to 97.1
    %, those of items alone in 20.9 to 95.5 %, and those of seeds alone in 25.7 to 96.5
    % (see :doc:`/seeds_and_items`).

    With `test_share`, the error is that of `t_test`. Of the data sets in its Notes,
    with 10 folds to 10 times 10, intervals of 95 % held the difference of two learners
    in 95.0 to 99.0 %, and those without it in 42.8 to 94.1 %.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine
       Learning 52, 239-281. :doi:`10.1023/A:1024068626366`

    Examples
    --------
    >>> from sigarray import t_ci
    >>> a = [0.92, 0.94, 0.93, 0.96, 0.95]
    >>> b = [0.90, 0.92, 0.91, 0.89, 0.93]
    >>> low, high = t_ci(a, b).confidence_interval
    >>> round(float(low), 3), round(float(high), 3)
    (0.007, 0.053)
    """
    given = [a] if b is None else [a, b]
    xp, _, samples, dtype, _, design = prepare_items(
        statistic,
        *given,
        axis=axis,
        paired=paired,
        clusters=clusters,
        n_clusters=n_clusters,
        strata=strata,
        takes_both=True,
    )
    check_sizes(*samples, purpose="to resample")
    check_test_share(test_share, design, paired=paired)
    result = find_t_limits(
        xp,
        samples,
        design.arrays,
        design=design.static,
        paired=paired,
        statistic=statistic,
        tail=0.5 * (1.0 - confidence_level),
        test_share=test_share,
    )
    value, low, high, error = in_dtype(xp, dtype, result)
    return BootstrapResult(value, ConfidenceInterval(low, high), error)
