"""Tests by ranks: of two samples, and Wilcoxon's of paired differences."""

import math

from sigarray._backend.callers import Alternative, Array
from sigarray._backend.dispatch import standardize
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._numeric.ranks import place_samples, tie_bounds
from sigarray._numeric.special import normal_sf, student_t_sf
from sigarray._numeric.statistic import (
    check_pairs,
    check_sizes,
    concat_samples,
    find_symmetric_p_value,
)
from sigarray._numeric.student import find_t, squared_error
from sigarray._numeric.subsets import count_tail, double_signed_ranks
from sigarray.results import BrunnerMunzelResult, MannWhitneyResult, WilcoxonResult


@checked()
def mann_whitney_u(
    a: Array,
    b: Array,
    /,
    *,
    alternative: Alternative = "two-sided",
    axis: int = -1,
) -> MannWhitneyResult:
    """Test by ranks whether a score of A is more probably above one of B than below.

    The null hypothesis is that both distributions are the same, not P(A > B) = 1/2, for
    which there is `brunner_munzel`; a small p-value with "greater" speaks for A. The
    probability of improvement is the size of the effect.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run or item. Leading axes are batches,
        which broadcast.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        A differs from B ("two-sided"), is higher ("greater") or lower ("less").
    axis : int, default: -1
        The axis of the scores; the others are batches.

    Returns
    -------
    MannWhitneyResult
        `statistic` (U of A), `pvalue` and `probability_of_improvement`, arrays of shape
        (...), on the device and of the float dtype of the scores. NaN for a
        batch entry with a NaN; an infinite score has the first or the last rank.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices.
    ValueError
        A sample without scores, leading axes that do not broadcast, or an `alternative`
        that is none.

    See Also
    --------
    brunner_munzel : for P(A > B) = 1/2, if the spreads may differ.
    permutation_test : exact for few scores, where this p-value is an approximation.

    Notes
    -----
    U counts the pairs of a score of A and one of B in which A is ahead, ties by half
    [1]_; U / (nm) = P(A > B) + P(A = B) / 2 is the probability of improvement, 0.5
    where neither is ahead. The p-value is that of the normal approximation with mean
    nm / 2, the variance of the mid-ranks (so that ties are accounted for) and a
    continuity correction of 1/2. If all scores are the same it is 1. For fewer than
    about 8 scores a side, prefer `permutation_test`.

    The share of two-sided p <= 0.05 over five kinds of scores, 5 to 50 a side, for two
    equal models, and for P(A > B) + P(A = B) / 2 = 1/2 and spreads 4 : 1 (which is not
    the null hypothesis): 0 to 5 %; with spreads 4 : 1: 0 to 21 %; in the command: 0 to
    6 %. See :doc:`/which_test`.

    The highest are those in which the smaller sample is the wide one. `sigarray
    compare` gives the exact p-value of few scores, given the ties.

    All options are static under `jit`.

    References
    ----------
    .. [1] H. B. Mann, D. R. Whitney (1947). On a test of whether one of two random
       variables is stochastically larger than the other. Annals of Mathematical
       Statistics 18, 50-60. :doi:`10.1214/aoms/1177730491`

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import mann_whitney_u
    >>> a, b = np.arange(4.0, 14.0), np.arange(0.0, 10.0)
    >>> result = mann_whitney_u(a, b)
    >>> round(float(result.probability_of_improvement), 3)
    0.82
    >>> bool(result.pvalue < 0.05)
    True
    """
    xp, (a, b) = standardize(a, b, axis=axis)
    return MannWhitneyResult(*_mann_whitney_u(xp, a, b, alternative=alternative))


@array_kernel
def _mann_whitney_u(
    xp: Library, a: Array, b: Array, *, alternative: Alternative
) -> tuple[Array, Array, Array]:
    """Return U of A, its p-value and U / (nm), from mid-ranks in the pooled sample."""
    n, m = a.shape[-1], b.shape[-1]
    pool = concat_samples(xp, a, b)
    fault = xp.where(
        xp.any(xp.isnan(pool), axis=-1), math.nan, xp.zeros_like(pool[..., 0])
    )
    is_of_a = xp.argsort(pool, axis=-1, stable=False) < n
    pool = xp.sort(pool, axis=-1, stable=False)  # replaced, to save memory
    first, last = tie_bounds(xp, pool)
    # Ranks count from the middle, so that larger sums over A are still exact.
    twice = xp.astype(first + last - (n + m - 1), a.dtype)
    lead = 0.5 * xp.sum(xp.where(is_of_a, twice, 0.0), axis=-1) + fault
    # The sum of t^3 - t over groups of t ties is the sum of t^2 - 1 over their members.
    others = xp.astype(last - first, a.dtype)
    ties = xp.sum(others * (others + 2.0), axis=-1)
    # Floats, because JAX takes no integers of more than 32 bits.
    n_pairs, n_all = float(n * m), float(n + m)
    variance = n_pairs / 12.0 * (n_all + 1.0 - ties / (n_all * (n_all - 1.0)))
    varies = variance > 0.0
    deviation = xp.sqrt(xp.where(varies, variance, 1.0))

    def upper_tail(lead: Array) -> Array:
        return normal_sf(xp, (lead - 0.5) / deviation)

    pvalue = find_symmetric_p_value(xp, alternative, lead, upper_tail)
    pvalue = xp.where(varies, pvalue, 1.0 + fault)
    return lead + 0.5 * n_pairs, pvalue, lead / n_pairs + 0.5


@checked()
def brunner_munzel(
    a: Array,
    b: Array,
    /,
    *,
    alternative: Alternative = "two-sided",
    axis: int = -1,
) -> BrunnerMunzelResult:
    """Test by ranks whether a score of A is above one of B in more than half of cases.

    The null hypothesis is P(A > B) + P(A = B) / 2 = 1/2, whatever the spreads and
    shapes of both distributions; a small p-value with "greater" speaks for A.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run or item, two or more of each. Leading
        axes are batches, which broadcast.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        A differs from B ("two-sided"), is higher ("greater") or lower ("less").
    axis : int, default: -1
        The axis of the scores; the others are batches.

    Returns
    -------
    BrunnerMunzelResult
        `statistic`, `pvalue`, `df` and `probability_of_improvement`, arrays of shape
        (...), on the device and of the float dtype of the scores. NaN for
        a batch entry with a NaN; an infinite score has the first or the last rank.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices.
    ValueError
        Fewer than two scores in a sample, leading axes that do not broadcast, or an
        `alternative` that is none.

    See Also
    --------
    mann_whitney_u : its null hypothesis is that both distributions are the same.
    t_test : for means.

    Notes
    -----
    The placement of a score is the share of the other sample that is below it, ties by
    half. With the variances s^2 (ddof 1) of the placements of both samples, and the
    mean p of those of A, which is the probability of improvement, ::

        W = (p - 1/2) / (s_a^2 / n + s_b^2 / m)^1/2

    is compared with Student's t with Welch's degrees of freedom [1]_. W is positive if
    A is ahead; SciPy's has the other sign. If the samples do not overlap, so that no
    placement varies, W is infinite. No p-value is below that of the two most extreme of
    all C(n + m, n) orders of the scores, 2 / C(n + m, n), or 1 / C(n + m, n) for one
    side, where SciPy returns 0. If all scores are the same it is 1.

    The approximation wants about ten scores a side. The share of two-sided p <= 0.05
    over five kinds of scores, 5 to 50 a side, for two equal models, and for P(A > B) +
    P(A = B) / 2 = 1/2 and spreads 4 : 1: 0 to 45 %; with spreads 4 : 1: 5 to 9 %; in
    the command: 0 to 5 %; in the command with spreads 4 : 1: 0 to 9 %. See
    :doc:`/which_test`.

    At level 0.01 it is 3 to 6 % with five scores each, and 2 % with ten, but for those
    of which nine of ten are the same. So corrected p-values are too small for longer.
    `sigarray compare` gives the exact p-value of U where that is larger: of 20 tasks,
    or of 5 models, with ten runs each that are the same, some were then significant
    after Holm's correction in 3 to 4 % of 4000 cases.

    Five scores of a wide model lie on one side of a narrow one in 2 / 2^5 = 6 % of
    cases: whoever calls these significant at 0.05 cannot be below that.

    All options are static under `jit`.

    References
    ----------
    .. [1] E. Brunner, U. Munzel (2000). The nonparametric Behrens-Fisher problem:
       asymptotic theory and a small-sample approximation. Biometrical Journal 42,
       17-25.
       :doi:`10.1002/(SICI)1521-4036(200001)42:1<17::AID-BIMJ17>3.0.CO;2-U`

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import brunner_munzel
    >>> a, b = np.arange(4.0, 14.0), np.arange(0.0, 10.0)
    >>> result = brunner_munzel(a, b)
    >>> round(float(result.probability_of_improvement), 3)
    0.82
    >>> bool(result.pvalue < 0.05)
    True
    """
    xp, (a, b) = standardize(a, b, axis=axis)
    check_sizes(a, b, purpose="for the variance of their ranks")
    return BrunnerMunzelResult(*_brunner_munzel(xp, a, b, alternative=alternative))


@array_kernel
def _brunner_munzel(
    xp: Library, a: Array, b: Array, *, alternative: Alternative
) -> tuple[Array, Array, Array, Array]:
    """Return W, its p-value and degrees of freedom, and the mean placement of A."""
    n, m = a.shape[-1], b.shape[-1]
    pool = concat_samples(xp, a, b)
    fault = xp.where(
        xp.any(xp.isnan(pool), axis=-1), math.nan, xp.zeros_like(pool[..., 0])
    )
    of_a, of_b = place_samples(xp, pool, n)
    lead = xp.sum(of_a, axis=-1) / float(n * m)
    errors = [
        # Relative to the smallest one, so that equal ones have exactly no variance.
        squared_error(xp, (x - xp.min(x, axis=-1, keepdims=True)) / float(size))
        for x, size in ((of_a, m), (of_b, n))
    ]
    w, df = find_t(xp, lead, errors, [n - 1.0, m - 1.0])
    w, df = w + fault, df + fault
    least = max(_chance_of_order(n, m), float(xp.finfo(a.dtype).smallest_normal))

    def upper_tail(w: Array) -> Array:
        tail = student_t_sf(xp, w, df)
        return xp.where(tail < least, least, tail)

    pvalue = find_symmetric_p_value(xp, alternative, w, upper_tail)
    is_equal = (errors[0] + errors[1] == 0.0) & (lead == 0.0)
    pvalue = xp.where(is_equal, 1.0 + fault, pvalue)
    return w, pvalue, df, lead + 0.5 + fault


def _chance_of_order(n: int, m: int) -> float:
    """1 / C(n + m, n): the chance that A is all above B if the models are the same."""
    return math.exp(math.lgamma(n + 1) + math.lgamma(m + 1) - math.lgamma(n + m + 1))


# Up to this many pairs the p-value is exact.
_MAX_EXACT = 50


@checked()
def wilcoxon_test(
    a: Array,
    b: Array,
    /,
    *,
    alternative: Alternative = "two-sided",
    axis: int = -1,
) -> WilcoxonResult:
    """Test by signed ranks whether A is ahead of B in pairs of scores.

    The null hypothesis is that A and B could be exchanged in any pair, so that their
    differences are symmetric about 0; a small p-value with "greater" speaks for A. It
    is the test for two models on several tasks that Demsar recommends [2]_.

    Parameters
    ----------
    a, b : array, shape (..., n), real
        Scores of two models in pairs, such as their means on n tasks. Leading axes are
        batches, and broadcast.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        A differs from B ("two-sided"), is higher ("greater") or lower ("less").
    axis : int, default: -1
        The axis of the pairs; the others are batches.

    Returns
    -------
    WilcoxonResult
        `statistic` (the sum of the ranks in which A is ahead), `pvalue` and
        `rank_biserial`, arrays of shape (...), on the device and of the float dtype of
        the scores. NaN for a batch entry with a score that is not finite.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices.
    ValueError
        A sample without scores, other numbers of scores of A than of B, leading axes
        that do not broadcast, or an `alternative` that is none.

    See Also
    --------
    permutation_test : with `paired=True`, by the differences themselves.
    count_significant : on how many tasks A is better, by a p-value of each.

    Notes
    -----
    The sizes of all differences that are not 0 are ranked, ties by their mean rank; the
    statistic is the sum of the ranks of those above 0, W+ [1]_, whichever the
    alternative is. (`scipy.stats.wilcoxon` returns the smaller of W+ and W- if it is
    "two-sided"; p-values are the same.) `rank_biserial` is (W+ - W-) / (W+ + W-): 1 if
    A is ahead in all pairs, -1 if B is, and 0 if they never differ.

    Up to 50 pairs the p-value is exact given the ties: a mean over all 2^n choices of
    signs, which are not listed, but counted by their sum. For more it is that of the
    normal limit, without a continuity correction. Of n pairs without a difference of 0,
    no two-sided p-value is below 2 / 2^n: with 5 pairs, none is below 0.0625. If all
    differences are 0, it is 1.

    Differences compare by their size, so that tasks on which scores are of another
    scale count more. Those within rounding are 0, or ties: see `t_test`.

    All options are static under `jit`.

    References
    ----------
    .. [1] F. Wilcoxon (1945). Individual comparisons by ranking methods. Biometrics
       Bulletin 1, 80-83. :doi:`10.2307/3001968`
    .. [2] J. Demsar (2006). Statistical comparisons of classifiers over multiple data
       sets. Journal of Machine Learning Research 7, 1-30.
       https://jmlr.org/papers/v7/demsar06a.html

    Examples
    --------
    The mean scores of two models on seven tasks:

    >>> from sigarray import wilcoxon_test
    >>> a = [0.81, 0.62, 0.93, 0.44, 0.70, 0.55, 0.88]
    >>> b = [0.78, 0.60, 0.92, 0.45, 0.63, 0.50, 0.80]
    >>> result = wilcoxon_test(a, b)
    >>> float(result.statistic), round(float(result.pvalue), 4)
    (26.5, 0.0469)
    """
    xp, (a, b) = standardize(a, b, axis=axis, paired=True)
    check_pairs(a, b, "Each score of A needs one of B, of the same task or item.")
    return WilcoxonResult(*_wilcoxon_test(xp, a, b, alternative=alternative))


@array_kernel
def _wilcoxon_test(
    xp: Library, a: Array, b: Array, *, alternative: Alternative
) -> tuple[Array, Array, Array]:
    n = a.shape[-1]
    ranks = double_signed_ranks(xp, a, b)
    size = xp.abs(ranks)
    end = xp.sum(size, axis=-1)
    lead = xp.sum(ranks, axis=-1)

    if n <= _MAX_EXACT:

        def upper_tail(lead: Array) -> Array:
            return count_tail(xp, size, 0.5 * (end + lead))
    else:
        varies = end > 0.0
        squares = xp.sum(size * size, axis=-1)
        deviation = xp.sqrt(xp.where(varies, squares, 1.0))

        def upper_tail(lead: Array) -> Array:
            return normal_sf(xp, lead / deviation)

    pvalue = find_symmetric_p_value(xp, alternative, lead, upper_tail)
    pvalue = xp.where(end == 0.0, 1.0, pvalue)
    share = lead / xp.where(end == 0.0, 1.0, end)
    return 0.25 * (end + lead), pvalue + (end - end), share
