"""Intervals of proportions, and of differences of two: scores of 0 and 1."""

import math

from sigarray._backend.aliases import Array
from sigarray._backend.dispatch import standardize
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._backend.public import checked
from sigarray._difference.doubts import doubt_proportions
from sigarray._difference.resampling import check_one_or_pairs
from sigarray._numeric.special import normal_quantile
from sigarray.results import ConfidenceInterval, ProportionResult


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
        Whether the scores are pairs in the same order, as those of two models on one
        test set (n = m).
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
        Scores that are not real numbers, or of two libraries or devices.
    ValueError
        No scores in a sample, pairs of unequal number, `paired` for one sample, leading
        axes that do not broadcast, or a level outside (0, 1).

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
    """Return proportion or difference, and the limits of its interval."""
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
    """Return the third side of a triangle, by the law of cosines."""
    return xp.sqrt(xp.clip(x * x - 2.0 * cosine * x * y + y * y, 0.0, None))
