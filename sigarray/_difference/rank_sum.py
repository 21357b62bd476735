"""Mann-Whitney's test: the sum of the ranks of one of two samples."""

import math

from sigarray._backend.aliases import Alternative, Array
from sigarray._backend.dispatch import standardize
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._backend.public import checked
from sigarray._numeric.ranks import tie_bounds
from sigarray._numeric.special import normal_sf
from sigarray._numeric.statistic import concat_samples, find_symmetric_p_value
from sigarray.results import MannWhitneyResult


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
        and broadcast.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        The alternative hypothesis: A differs from B ("two-sided"), is higher
        ("greater") or is lower ("less").
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
        Scores that are not real numbers, or of two libraries or devices.
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
