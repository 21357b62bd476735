"""Wilcoxon's test of paired differences, by the ranks of their sizes."""

from sigarray._backend.aliases import Alternative, Array
from sigarray._backend.chunks import iterate, map_entries
from sigarray._backend.dispatch import standardize
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._numeric.faults import spread_faults
from sigarray._numeric.ranks import middle_ranks
from sigarray._numeric.special import normal_sf
from sigarray._numeric.statistic import (
    center_scores,
    check_pairs,
    concat_samples,
    find_symmetric_p_value,
)
from sigarray.results import WilcoxonResult

# Up to this many pairs the p-value is exact.
_MAX_EXACT = 50
# The rounding of a difference, in units of the largest score.
_ROUNDING = 4
# Differences that are closer than this share of their mean distance may be ties.
_LEAST_GAP = 1 / 64


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
    scale count more. Two differences are a tie if they differ by no more than rounding.

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
    """Return W+, its p-value and (W+ - W-) / (W+ + W-)."""
    n = a.shape[-1]
    ranks = _double_signed_ranks(xp, a, b)
    size = xp.abs(ranks)
    end = xp.sum(size, axis=-1)
    lead = xp.sum(ranks, axis=-1)

    if n <= _MAX_EXACT:

        def upper_tail(lead: Array) -> Array:
            return _count_tail(xp, size, 0.5 * (end + lead))
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


def _double_signed_ranks(xp: Library, a: Array, b: Array) -> Array:
    """Return twice the rank of the size of each difference, with its sign."""
    n = a.shape[-1]
    pool = concat_samples(xp, a, b)
    pool = spread_faults(xp, pool)
    (centered,), *_, scale = center_scores(xp, "mean", pool)
    differences = centered[..., :n] - centered[..., n:]
    size = xp.abs(differences)
    # Of scores as they are, for these were rounded before they came.
    level = xp.max(xp.abs(pool / scale[..., None]), axis=-1, keepdims=True)
    least_gap = (_LEAST_GAP / n) * xp.max(size, axis=-1, keepdims=True)
    rounding = xp.minimum(_ROUNDING * xp.finfo(a.dtype).eps * level, least_gap)
    size = xp.where(size <= rounding, 0.0, size)
    is_zero = size == 0.0
    zeros = xp.sum(xp.astype(is_zero, size.dtype), axis=-1, keepdims=True)
    # Middle ranks count from the middle.
    double = 2.0 * (middle_ranks(xp, size, rounding) - zeros) + (n + 1.0)
    double = xp.where(is_zero, 0.0, double) + (level - level)
    return xp.where(differences < 0.0, -double, double)


def _count_tail(xp: Library, sizes: Array, goal: Array) -> Array:
    """P(the sum of the sizes that are chosen >= goal), each chosen or not by a coin.

    Sizes (..., n) are whole numbers, n (n + 1) in all. The number of choices with each
    sum grows by one size after another, by additions only, so that small tails keep
    their digits.
    """
    n = sizes.shape[-1]
    # The first place is of no sum: what is moved from below the least sum is 0.
    places = xp.arange(n * (n + 1) + 2)
    sums = places - 1

    def add_size(state: tuple[Array, Array]) -> tuple[Array, Array]:
        counts, rest = state
        size, rest = rest[..., :1], xp.concat([rest[..., 1:], rest[..., :1]], axis=-1)
        before = xp.clip(places - size, 0, None)
        return counts + xp.take_along_axis(counts, before, axis=-1), rest

    def find_tails(sizes: Array, goal: Array) -> Array:
        # NaN is no whole number; what it gives here is not used.
        whole = xp.astype(xp.where(xp.isnan(sizes), 0.0, sizes), places.dtype)
        counts = xp.astype(sums == 0, goal.dtype)
        counts = xp.broadcast_to(counts, (*goal.shape, *sums.shape))
        counts, _ = iterate(xp, add_size, (counts, whole), n)
        is_above = xp.astype(sums, goal.dtype) >= goal[..., None]
        return 0.5**n * xp.sum(xp.where(is_above, counts, 0.0), axis=-1)

    flat = xp.reshape(sizes, (-1, n)), xp.reshape(goal, (-1,))
    tails = map_entries(xp, find_tails, flat, elements=4 * places.shape[0])
    return xp.reshape(tails, goal.shape)
