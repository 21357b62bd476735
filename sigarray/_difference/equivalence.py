"""Tests of equivalence: whether a difference is within limits on both sides."""

from collections.abc import Sequence
from typing import Any, Literal, Unpack, get_args

from sigarray._backend.aliases import (
    Array,
    ExecutionOptions,
    RandomSource,
    TestedStatistic,
)
from sigarray._backend.checks import choice, show
from sigarray._backend.public import checked
from sigarray._backend.tables import Axis
from sigarray._difference.bootstrap import compare_by_resamples
from sigarray._difference.intervals import compare_by_t
from sigarray._difference.proportions import compare_proportions
from sigarray._difference.resampling import DESIGN_RULES, STATISTIC_RULE, mean_or_sums
from sigarray._difference.studentized import LIMIT_RULES, Hypothesis
from sigarray.results import (
    EquivalenceResult,
    ProportionTestResult,
    ResamplingResult,
    TTestResult,
)

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
        clusters were sampled, such as documents with several questions; for samples
        that are not pairs, a pair of arrays. Labels with an index take the order of
        samples with one. See :doc:`/clusters`.

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
        share items and, with `paired`, seeds. `t_test` and `t_ci` take `clusters` of
        items, too.
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
    if method == "bootstrap":
        results, more = compare_by_resamples(
            a,
            b,
            hypotheses,
            paired=paired,
            statistic=statistic,
            n_resamples=n_resamples,
            method="resampling",
            clusters=clusters,
            n_clusters=n_clusters,
            strata=strata,
            axis=axis,
            rng=rng,
        )
    elif method == "t":
        results, more = compare_by_t(
            a,
            b,
            hypotheses,
            paired=paired,
            statistic=mean_or_sums("statistic", statistic),
            clusters=clusters,
            n_clusters=n_clusters,
            strata=strata,
            axis=axis,
        )
    else:
        one_axis = _check_proportions(statistic, clusters, strata, axis)
        results, more = compare_proportions(
            a, b, hypotheses, paired=paired, axis=one_axis
        )
    return EquivalenceResult(*more, *results)


def _check_proportions(
    statistic: TestedStatistic, clusters: Any, strata: Any, axis: Axis
) -> int:
    named = {
        show(statistic): statistic != "mean",
        "clusters": clusters is not None,
        "strata": strata is not None,
    }
    given = [name for name, is_there in named.items() if is_there]
    if not given and not isinstance(axis, tuple):
        return axis
    msg = (
        "Expected statistic='mean' and neither clusters, strata nor two axes with "
        "method='score', which is for scores of 0 and 1 of independent items; got "
        f"{given[0] if given else axis}. Use method='t'."
    )
    raise ValueError(msg)
