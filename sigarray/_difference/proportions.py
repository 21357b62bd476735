"""Intervals and score tests of proportions, and of differences of two: 0 and 1."""

import functools
import math
from collections.abc import Sequence

from sigarray._backend.callers import Alternative, Array
from sigarray._backend.dispatch import standardize
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._difference.resampling import (
    check_one_or_pairs,
    doubt_proportions,
    in_dtype,
)
from sigarray._difference.studentized import (
    MARGIN_RULE,
    Hypothesis,
    allow_margin,
    join_results,
    split_results,
)
from sigarray._numeric.special import normal_quantile, normal_sf
from sigarray._numeric.statistic import find_symmetric_p_value
from sigarray._numeric.student import studentize
from sigarray.results import ConfidenceInterval, ProportionResult, ProportionTestResult


@checked()
def proportion_ci(
    a: Array,
    b: Array | None = None,
    /,
    *,
    confidence_level: float = 0.95,
    paired: bool = False,
    axis: int = -1,
) -> ProportionResult:
    """Confidence interval of a proportion, or of a difference of two, in closed form.

    Scores are 0 or 1, such as wrong or right. Unlike an interval of the bootstrap it
    has a width where all are the same; Notes say how often it holds. For two samples,
    the interval is that of the proportion of A minus that of B.

    Parameters
    ----------
    a : array, shape (..., n), real
        Scores of 0 or 1, one or more. Leading axes are batches.
    b : array, shape (..., m), real, optional
        Scores of a second model. Leading axes broadcast.
    confidence_level : float, default: 0.95
        Confidence of the interval, in (0, 1): 0.95 for 95 %.
    paired : bool, default: False
        Whether the scores are pairs in one order, as of two models on one test set (n =
        m).
    axis : int, default: -1
        The axis of the scores; the others are batches.

    Returns
    -------
    ProportionResult
        `statistic` and `confidence_interval` (`low` and `high`), arrays of shape (...),
        on the device and of the float dtype of the scores. NaN for a
        batch entry with a score that is neither 0 nor 1; of NumPy arrays a warning says
        so.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices.
    ValueError
        No scores in a sample, unequal pairs, `paired` for one sample, leading axes that
        do not broadcast, or a level outside (0, 1).

    See Also
    --------
    bootstrap_ci : for other scores.
    permutation_test : with ``method="exact"``, the p-value of a paired difference.

    Notes
    -----
    For one proportion p of n scores the interval is Wilson's [1]_, with the normal
    quantile z: all P with abs(p - P) <= z (P (1 - P) / n)^1/2. With the limits l and u
    of p1 and p2 separately, that of p1 - p2 is Newcombe's hybrid of scores (method 10
    of [2]_, and with the correlation phi method 10 of [3]_), from

        p1 - p2 - (x^2 - 2 phi x y + y^2)^1/2,  x = p1 - l1,  y = u2 - p2

    to p1 - p2 plus the same with u1 - p1 and p2 - l2. phi is 0 for independent samples.
    For pairs it is the correlation of the scores, with a positive covariance reduced by
    1 / (2 n), but not below 0; and 0 if a sample does not vary.

    Summed over all outcomes, intervals of 95 % for n of 20, 50 and 100 and proportions
    of 0.5, 0.9 and 0.98 hold one proportion in 92 to 98 %, no difference of two equal
    ones in 94 to 100 %, and none of pairs with correlations of 0, 0.3 and 0.6 in 94 to
    100 %. Other proportions, and differences that are not 0, were not looked at.

    All options are static under `jit`.

    References
    ----------
    .. [1] E. B. Wilson (1927). Probable inference, the law of succession, and
       statistical inference. Journal of the American Statistical Association 22,
       209-212. :doi:`10.1080/01621459.1927.10502953`
    .. [2] R. G. Newcombe (1998). Interval estimation for the difference between
       independent proportions: comparison of eleven methods. Statistics in Medicine 17,
       873-890. :doi:`10.1002/(SICI)1097-0258(19980430)17:8<873::AID-SIM779>3.0.CO;2-I`
    .. [3] R. G. Newcombe (1998). Improved confidence intervals for the difference
       between binomial proportions based on paired data. Statistics in Medicine 17,
       2635-2650.
       :doi:`10.1002/(SICI)1097-0258(19981130)17:22<2635::AID-SIM954>3.0.CO;2-C`

    Examples
    --------
    All of 50 are right:

    >>> import numpy as np
    >>> from sigarray import proportion_ci
    >>> low, high = proportion_ci(np.ones(50)).confidence_interval
    >>> round(float(low), 3), float(high)
    (0.929, 1.0)
    """
    given = [a] if b is None else [a, b]
    xp, samples = standardize(*given, axis=axis, paired=paired)
    check_one_or_pairs(samples, paired)
    z = normal_quantile(0.5 + 0.5 * confidence_level)
    statistic, low, high = _proportion_ci(xp, samples, z=z, paired=paired)
    doubt_proportions(xp, statistic, samples, "t_ci")
    return ProportionResult(statistic, ConfidenceInterval(low, high))


@array_kernel
def _proportion_ci(
    xp: Library, samples: list[Array], *, z: float, paired: bool
) -> tuple[Array, Array, Array]:
    samples = [keep_zeros_and_ones(xp, x) for x in samples]
    shares = [xp.mean(x, axis=-1) for x in samples]
    limits = [
        _wilson_limits(xp, p, x.shape[-1], z)
        for p, x in zip(shares, samples, strict=True)
    ]
    if len(samples) == 1:
        return shares[0], *limits[0]
    (p1, p2), ((low1, high1), (low2, high2)) = shares, limits
    phi = _correlation(xp, samples, shares) if paired else 0.0 * (p1 - p2)
    difference = p1 - p2
    below = _hypotenuse(xp, p1 - low1, high2 - p2, phi)
    above = _hypotenuse(xp, high1 - p1, p2 - low2, phi)
    return difference, difference - below, difference + above


def keep_zeros_and_ones(xp: Library, x: Array) -> Array:
    return xp.where((x == 0.0) | (x == 1.0), x, math.nan)


def _wilson_limits(xp: Library, p: Array, n: int, z: float) -> tuple[Array, Array]:
    """Solve (p - P)^2 = z^2 P (1 - P) / n for P; exact at 0 and at 1."""
    weight = z * z / n
    middle = p + 0.5 * weight
    width = z * xp.sqrt(p * (1.0 - p) / n + 0.25 * weight / n)
    low, high = (middle - width) / (1.0 + weight), (middle + width) / (1.0 + weight)
    low = xp.where(p <= 0.0, p, xp.clip(low, 0.0, 1.0))
    return low, xp.where(p >= 1.0, p, xp.clip(high, 0.0, 1.0))


def _correlation(xp: Library, samples: list[Array], shares: list[Array]) -> Array:
    """Return phi of the pairs, with a smaller covariance where it is positive."""
    (p1, p2), half = shares, 0.5 / samples[0].shape[-1]
    rest = [x - p[..., None] for x, p in zip(samples, shares, strict=True)]
    covariance = xp.mean(rest[0] * rest[1], axis=-1)
    covariance = xp.clip(covariance - half, 0.0, None) + xp.clip(covariance, None, 0.0)
    variance = p1 * (1.0 - p1) * p2 * (1.0 - p2)
    is_constant = variance <= 0.0
    phi = covariance / xp.sqrt(xp.where(is_constant, 1.0, variance))
    return xp.where(is_constant, 0.0 * phi, phi)


def _hypotenuse(xp: Library, x: Array, y: Array, cosine: Array) -> Array:
    return xp.sqrt(xp.clip(x * x - 2.0 * cosine * x * y + y * y, 0.0, None))


@checked(**MARGIN_RULE)
def proportion_test(
    a: Array,
    b: Array,
    /,
    *,
    paired: bool = False,
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    axis: int = -1,
) -> ProportionTestResult:
    """Test by the score whether the proportion of A is above that of B.

    Scores are 0 or 1, such as wrong or right. The null hypothesis is that the
    proportions are the same, or with a margin that they differ by it; a small p-value
    with "greater" speaks for A. Without a margin it is the test of McNemar for pairs,
    and else the z-test with pooled variance.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run or item. Leading axes are batches,
        which broadcast.
    paired : bool, default: False
        Whether the scores are pairs in one order, as of two models on one test set (n =
        m).
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        A differs from B ("two-sided"), is higher ("greater") or lower ("less").
    margin : float, default: 0.0
        By how much A may be worse, 0 or more (non-inferiority). With "greater" the null
        hypothesis is A - B <= -`margin`, and a small p-value says that A is better, or
        worse by less; with "less", for losses, A - B >= `margin`. Not "two-sided".
    axis : int, default: -1
        The axis of the scores; the others are batches.

    Returns
    -------
    ProportionTestResult
        `statistic` (z), `pvalue` and `difference`, arrays of shape (...), on the device
        and of the float dtype of the scores. NaN for a batch entry with a score that is
        neither 0 nor 1; of NumPy arrays a warning says so.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices.
    ValueError
        No scores in a sample, unequal pairs, leading axes that do not broadcast,
        options outside their range, a margin of 1 or more, or one with "two-sided".

    See Also
    --------
    proportion_ci : an interval of the difference.
    permutation_test : with ``method="exact"``, the exact test of McNemar for pairs.
    equivalence_test : with ``method="score"``, this test of limits on both sides.

    Notes
    -----
    z is the observed difference less that of the null hypothesis, D, in units of its
    error at the most likely proportions that differ by D: for pairs that of Tango
    [1]_, of independent samples that of Farrington and Manning [2]_. If b pairs are
    right for A alone, c for B alone, and q is the most likely probability of the
    latter,

        z = (b - c - n D) / (n (2 q + D (1 - D)))^1/2.

    The p-value is that of the normal approximation. Where the error is 0, z is 0 for
    the difference D and infinite for others, and the p-value is NaN there.

    Of 4000 sets each of 10, 20, 100 and 200 pairs, right in 0.75 and 0.8 and by one
    model alone in 0.2, it has a one-sided p <= 0.05 in 1.2, 5.1, 4.9 and 4.9 %
    with a margin of 0.05, and `permutation_test` in 26.2, 8.2, 5.4 and 5.1 %.

    All options are static under `jit`.

    References
    ----------
    .. [1] T. Tango (1998). Equivalence test and confidence interval for the difference
       in proportions for the paired-sample design. Statistics in Medicine 17, 891-908.
       :doi:`10.1002/(SICI)1097-0258(19980430)17:8<891::AID-SIM780>3.0.CO;2-B`
    .. [2] C. P. Farrington, G. Manning (1990). Test statistics and sample size formulae
       for comparative binomial trials with null hypothesis of non-zero risk difference
       or non-unity relative risk. Statistics in Medicine 9, 1447-1454.
       :doi:`10.1002/sim.4780091208`

    Examples
    --------
    A smaller model is right on 888 of 1000 items, a large one on 890, and each alone on
    some: it is worse by less than three points.

    >>> import numpy as np
    >>> from sigarray import proportion_test
    >>> small, large = np.ones(1000), np.ones(1000)
    >>> small[:112] = large[30:140] = 0.0
    >>> result = proportion_test(
    ...     small, large, paired=True, alternative="greater", margin=0.03
    ... )
    >>> round(float(result.pvalue), 4)
    0.0004
    """
    (result,), _more = compare_proportions(
        a, b, (allow_margin(alternative, margin),), paired=paired, axis=axis
    )
    return result


def compare_proportions(
    a: Array,
    b: Array,
    hypotheses: tuple[Hypothesis, ...],
    *,
    paired: bool,
    axis: int,
) -> tuple[list[ProportionTestResult], Sequence[Array]]:
    """Return a result for each hypothesis, and what `join_results` adds."""
    largest = max(abs(x.null) for x in hypotheses)
    if largest >= 1.0:
        msg = (
            f"Expected differences of proportions below 1; got {largest:g}. Pass a "
            "share, such as 0.01 for a point."
        )
        raise ValueError(msg)
    xp, samples = standardize(a, b, axis=axis, paired=paired)
    check_one_or_pairs(samples, paired)
    result = _test_proportions(xp, *samples, paired=paired, hypotheses=hypotheses)
    result = in_dtype(xp, samples[0].dtype, result)
    doubt_proportions(xp, result[0], samples, "t_test")
    return split_results(ProportionTestResult, result, hypotheses)


@array_kernel
def _test_proportions(
    xp: Library,
    a: Array,
    b: Array,
    *,
    paired: bool,
    hypotheses: tuple[Hypothesis, ...],
) -> list[Array]:
    samples = [keep_zeros_and_ones(xp, x) for x in (a, b)]
    of_a, of_b = (xp.mean(x, axis=-1) for x in samples)
    n, m = a.shape[-1], b.shape[-1]
    if paired:
        of_both = xp.mean(samples[0] * samples[1], axis=-1)
        parts = [of_a - of_both, of_b - of_both]
    else:
        parts = [of_a + 0.0 * of_b, of_b + 0.0 * of_a]
    of_a, of_b = (xp.astype(x, xp.widest_float, copy=False) for x in parts)
    difference = of_a - of_b
    of_each = []
    for alternative, null in hypotheses:
        if paired:
            variance = _variance_of_pairs(xp, of_a, of_b, null, n=n)
        else:
            variance = _variance_of_samples(xp, of_a, of_b, null, n=n, m=m)
        z = studentize(xp, difference - null, variance)
        pvalue = find_symmetric_p_value(
            xp, alternative, z, functools.partial(normal_sf, xp)
        )
        of_each.append([z, xp.where(xp.isinf(z), math.nan, pvalue), difference])
    return join_results(xp, of_each, difference, 1.0)


def _variance_of_pairs(
    xp: Library, of_a: Array, of_b: Array, null: float, *, n: int
) -> Array:
    """Return that of the difference, of the shares of pairs that one alone has right.

    The likelihood of the share q of B, with q + `null` of A, is largest at a root of
    2 q^2 + `linear` q + `constant`: Tango (1998), whose Delta is -`null`.
    """
    linear = null * (2.0 - of_a + of_b) - of_a - of_b
    constant = -null * (1.0 - null) * of_b
    root = xp.sqrt(xp.clip(linear * linear - 8.0 * constant, 0.0, None))
    share = xp.clip(0.25 * (root - linear), max(0.0, -null), 0.5 * (1.0 - null))
    return (2.0 * share + null * (1.0 - null)) / n


def _variance_of_samples(
    xp: Library, of_a: Array, of_b: Array, null: float, *, n: int, m: int
) -> Array:
    """Return that of the difference of two independent proportions.

    The likelihood of p of B, with p + `null` of A, is largest at the middle root of
    p^3 + `square` p^2 + `linear` p + `constant`: Farrington and Manning (1990). It is
    the pooled proportion without a margin.
    """
    first, second = n / (n + m), m / (n + m)
    share = first * of_a + second * of_b
    if null:
        square = null * (1.0 + second) - 1.0 - share
        linear = null * (null * second - 1.0 - 2.0 * second * of_b) + share
        constant = null * (1.0 - null) * second * of_b
        # Viete's solution of the cubic equation without a square, for p - middle.
        middle = -square / 3.0
        width = xp.sqrt(xp.clip(middle * middle - linear / 3.0, 0.0, None))
        half = 0.5 * (middle * linear + constant) - middle * middle * middle
        rest = xp.sqrt(xp.clip(width**6 - half * half, 0.0, None))
        share = middle + 2.0 * width * xp.sin(xp.atan2(half, rest) / 3.0)
        share = xp.clip(share, max(0.0, -null), min(1.0, 1.0 - null))
    other = share + null
    return other * (1.0 - other) / n + share * (1.0 - share) / m
