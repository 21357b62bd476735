"""Tests by permutation: the scores of models are exchanged or dealt out anew."""

from collections.abc import Callable
from typing import Any, Literal, Unpack, get_args

from sigarray._backend.callers import (
    Alternative,
    Array,
    ExecutionOptions,
    RandomSource,
    TestedStatistic,
    warn_caller,
)
from sigarray._backend.checks import choice, show
from sigarray._backend.library import Library
from sigarray._backend.public import checked
from sigarray._backend.seeds import seed_words
from sigarray._difference.relabelling import (
    MAX_UNITS,
    count_extremes,
    find_without_draws,
)
from sigarray._difference.resampling import (
    DESIGN_RULES,
    EXCHANGED_AXIS,
    STATISTIC_RULE,
    Prepared,
    draws_resamples,
    in_dtype,
)
from sigarray._difference.studentized import MARGIN_RULE, allow_margin
from sigarray._difference.units import prepare_items, prepare_units
from sigarray._numeric.designs import ONE_BY_ONE
from sigarray._numeric.statistic import check_sizes
from sigarray._resampling.draws import count_permutations
from sigarray.results import ResamplingResult

PermutationTestMethod = Literal["resampling", "saddlepoint", "exact"]


@checked(
    method=choice(*get_args(PermutationTestMethod)),
    statistic=STATISTIC_RULE,
    **DESIGN_RULES | {"axis": EXCHANGED_AXIS},
    **MARGIN_RULE,
)
def permutation_test(
    a: Array,
    b: Array,
    /,
    *,
    paired: bool = False,
    statistic: TestedStatistic = "mean",
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    n_resamples: int = 9999,
    method: PermutationTestMethod = "resampling",
    clusters: Any = None,
    n_clusters: int | tuple[int, int] | None = None,
    strata: Any = None,
    axis: int = -1,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> ResamplingResult:
    """Test by permutation whether A scores higher than B.

    The null hypothesis is that both distributions are the same; for pairs, that the two
    scores of a pair can be exchanged. With `statistic="t"` and many scores it is that
    the means are the same, whatever the spreads. A small p-value with "greater" speaks
    for A.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run or item. Leading axes are batches,
        which broadcast and see the same resamples.
    paired : bool, default: False
        Whether the scores are pairs in one order, as of two models on one test set (n =
        m). The scores of a pair are exchanged; else all scores are dealt out anew to
        two samples of n and m.
    statistic : {"mean", "median", "iqm", "t"} or callable, default: "mean"
        What to compare: means, medians, interquartile means ("iqm", without n // 4
        scores at each end), or means divided by their standard error ("t"). A callable
        f(x, axis=-1), in array-API code, returns the statistic along that axis;
        `of_sums` of a function is a metric of the sums of d numbers of each item: a
        sample is then a tuple of d arrays (..., n), or one (..., d, n). Resamples where
        it is NaN, such as 0 / 0, are extreme for a test, and make limits NaN.

        "t" is for independent samples whose spreads may differ: see Notes.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        A differs from B ("two-sided"), is higher ("greater") or lower ("less").
    margin : float, default: 0.0
        By how much A may be worse, 0 or more (non-inferiority). With "greater" the null
        hypothesis is A - B <= -`margin`, and a small p-value says that A is better, or
        worse by less; with "less", for losses, A - B >= `margin`. Not "two-sided".

        The scores of A are shifted by it and then exchanged or dealt out, for
        `statistic` "mean" or "t" and without `clusters`, and of independent samples
        without `strata`. Samples of unequal size are compared by t, because their
        spreads may differ.
    n_resamples : int, default: 9999
        Random permutations. If there are no more distinct ones than this, 2^n for pairs
        and C(n + m, n) for independent samples, or the product of these over strata
        whose labels are not on a device, all are enumerated instead and the
        p-value is exact.
    method : {"resampling", "saddlepoint", "exact"}, default: "resampling"
        How to compute the p-value: from random permutations ("resampling"); for the
        mean by an approximation of the tail of all of them, with no `rng`
        ("saddlepoint"); or over all of them, for some pairs ("exact").

        "exact" is for pairs whose differences are multiples of one unit, at most 20 of
        it, as accuracies (0 or 1), partial credits, votes and ratings have: the p-value
        over all 2^n exchanges, with no `rng`, and NaN for a batch entry with other
        differences, of NumPy arrays with a warning. For accuracies it is the sign test,
        or exact test of McNemar. With `clusters` it is over all exchanges of whole
        clusters, the sums of whose differences are at most 20 units, too.
    clusters : array_like, or a pair of them, optional
        A label for each item, text or number (3, 3.0 and "3 " are one), if whole
        clusters were sampled, such as documents; a pair of arrays if samples are not
        pairs. An index is aligned with that of the samples. See :doc:`/clusters`.

        Then whole clusters are exchanged, or dealt out; `statistic` is the mean of
        items, or `of_sums`.
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
    axis : int, default: -1
        The axis of the scores; the others are batches.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.

        It is not needed if all permutations are enumerated.
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
    ResamplingResult
        `statistic`, the observed difference or t, and `pvalue`, arrays of shape (...),
        on the device and of the float dtype of the scores. NaN for a batch entry with a
        score that is not finite.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices; an unsuitable `rng`.
    ValueError
        A sample without scores, unequal pairs, leading axes that do not broadcast,
        options outside their range, or a `margin` with "two-sided", with another
        statistic than "mean" or "t", with `clusters`, or with `strata` of independent
        samples.

    See Also
    --------
    bootstrap_test : if the distributions may differ in more than the statistic.
    brunner_munzel : for P(A > B), if the distributions may differ in their spread.
    permutation_replicates : the differences of the permutations themselves.
    proportion_test : with a margin, for scores of 0 and 1.

    Notes
    -----
    With the observed difference d and those of permutations d*, the p-value is
    (count + 1) / (`n_resamples` + 1) with the count of d* >= d for "greater" and d* <=
    d for "less" [1]_, or exactly count / total over all permutations; for "two-sided"
    it is twice the smaller of the two, at most 1. Ties count, up to rounding:
    see `t_test`.

    With "exact" the tail is a sum over the characteristic function of the exponentially
    tilted sum of signed differences, at about 220 n^1/2 angles: time and memory do not
    grow with 2^n, and the smallest p-values keep their digits.

    For the mean of pairs the signs of 32 differences come from one random word; for the
    mean of independent samples, A gets the n scores with the smallest random keys, so
    that no permutation is made.

    "t" is Welch's t of the permuted samples, or that of the differences of pairs. It is
    as exact as the mean if the distributions are the same, and right for many scores if
    only the means are [2]_ [3]_. Pairs, and samples of one size, have the same p-value
    as with "mean", for t then rises with it; with unequal sizes each permutation has a
    different error. A permutation in which neither sample varies has an infinite t.

    Many scores are many in the smaller sample, and more where they are skewed. The
    share of two-sided p <= 0.05 over five kinds of scores, 5 to 50 a side, for two
    equal models, and for equal means and spreads 4 : 1 (which is not the null
    hypothesis of permutations): "mean": 0 to 6 %; "mean" with spreads 4 : 1: 0 to 65 %;
    "t": 0 to 6 %; "t" with spreads 4 : 1: 2 to 64 %; "t" or Welch: 0 to 6 %; "t" or
    Welch with spreads 4 : 1: 2 to 59 %; pairs: 0 to 6 %; pairs with spreads 4 : 1: 0 to
    35 %. See :doc:`/which_test`.

    Of unequal sizes, the highest are those in which the smaller sample is the wide one:
    see `t_test` and `bootstrap_test` of "t", which have other rates there. '"t" or
    Welch' is what `sigarray compare` does, with the larger p-value of both where the
    sizes differ or are below 20. Two samples in which no score varies have an infinite
    t, and a small p-value if one is above the other: they are not of one distribution,
    but where nine scores in ten are the same, few show the others, and the mean hangs
    on these.

    With a `margin`, scores of two models that differ by it alone can be exchanged; in
    other cases the test is one of t, for many scores. `equivalence_test` has rates.

    Of two models that are the same, p <= 0.05 with pairs in 0 to 6 % of items and 0 to
    6 % of clusters (5, 20, 60 and 200 of them; scores of 0 or 1, 0 to 4, normal and
    lognormal).

    References
    ----------
    .. [1] B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero.
       Statistical Applications in Genetics and Molecular Biology 9, 39.
       :doi:`10.2202/1544-6115.1585`
    .. [2] A. Janssen (1997). Studentized permutation tests for non-i.i.d. hypotheses
       and the generalized Behrens-Fisher problem. Statistics & Probability Letters 36,
       9-21. :doi:`10.1016/S0167-7152(97)00043-6`
    .. [3] E. Chung, J. P. Romano (2013). Exact and asymptotically robust permutation
       tests. Annals of Statistics 41, 484-507. :doi:`10.1214/13-AOS1090`

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
    0.00206
    """
    null = allow_margin(alternative, margin).null
    if null:
        _check_margin(statistic, clusters, None if paired else strata)
    if method == "exact" and not paired:
        msg = (
            "Expected paired=True with method='exact', which is for pairs; got "
            "paired=False. Use method='resampling'."
        )
        raise ValueError(msg)
    are_whole = method == "exact" and clusters is not None
    # An exact p-value is from the scores of clusters, and others from their sums.
    prepare: Callable[..., Prepared] = prepare_units
    how = {"takes_middles": False, "are_flipped": paired}
    if are_whole:
        prepare, how = prepare_items, {"are_drawn": True}
    xp, statistic, (a, b), dtype, _level, design = prepare(
        statistic,
        a,
        b,
        axis=axis,
        paired=paired,
        clusters=clusters,
        n_clusters=n_clusters,
        strata=strata,
        **how,
    )
    if statistic == "t" or (null and not paired):
        check_sizes(a, b, purpose="for their variance")
    if not draws_resamples(
        method,
        statistic,
        ONE_BY_ONE if paired else design,
        None if are_whole else clusters,
    ):
        if null and not paired and a.shape[-1] != b.shape[-1]:
            msg = (
                f"Expected samples of one size with method={method!r} and a margin, "
                f"for there is no t in it; got {a.shape[-1]} and {b.shape[-1]} scores. "
                "Use method='resampling'."
            )
            raise ValueError(msg)
        difference, pvalue = find_without_draws(
            xp,
            a,
            b,
            design.codes,
            method=method,
            paired=paired,
            alternative=alternative,
            null=null,
            n_clusters=sum(design.n_clusters[:1]),
        )
        if method == "exact":
            of = "sums of the differences in clusters" if are_whole else "differences"
            _doubt_exact(xp, difference, pvalue, of)
        return ResamplingResult(difference, pvalue)
    sizes = a.shape[-1], b.shape[-1]
    n_distinct = count_permutations(*sizes, paired=paired, strata=design.strata)
    is_exact = n_distinct <= n_resamples
    result = count_extremes(
        xp,
        a,
        b,
        None if is_exact else seed_words(xp, rng),
        design.arrays,
        design=design.of_all_deals if is_exact else design.static,
        count=int(n_distinct) if is_exact else n_resamples,
        paired=paired,
        statistic=statistic,
        alternative=alternative,
        null=null,
    )
    return ResamplingResult(*in_dtype(xp, dtype, result))


def _check_margin(statistic: TestedStatistic, clusters: Any, strata: Any) -> None:
    if statistic not in ("mean", "t"):
        msg = (
            f"Expected statistic='mean' or 't' with a margin, which shifts the scores "
            f"of A; got {show(statistic)}. Use bootstrap_test."
        )
        raise ValueError(msg)
    if clusters is not None or strata is not None:
        names = "strata of independent samples" if clusters is None else "clusters"
        msg = (
            f"Expected no {names} with a margin; got both. Use t_test or "
            "bootstrap_test, which take them."
        )
        raise ValueError(msg)


def _doubt_exact(xp: Library, difference: Array, pvalue: Array, of: str) -> None:
    if xp.is_host and xp.any(xp.isnan(pvalue) & xp.isfinite(difference)):
        warn_caller(
            f"The {of} of A and B are not multiples of one unit, at most {MAX_UNITS} "
            "of it, as those of accuracies and ratings are: with method='exact' their "
            "p-value is NaN. Use method='resampling', which takes all exchanges where "
            "these are few."
        )
