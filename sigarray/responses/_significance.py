"""What one test set shows: p-values, replicates, and resamples."""

from typing import Any, Unpack

from sigarray._backend.callers import (
    Alternative,
    Array,
    ExecutionOptions,
    RandomSource,
    SharingOptions,
)
from sigarray._backend.checks import count
from sigarray._backend.dispatch import first_replicate
from sigarray._backend.public import checked
from sigarray._backend.seeds import seed_words
from sigarray._response_results import (
    ResponseReplicates,
    ResponseSet,
    ResponseTestResult,
)
from sigarray.responses._measurement import Metric, Wins, draw_leads, find_p_values
from sigarray.responses._measures import standardize_responses
from sigarray.responses._sampling import RULES, Items, Responses, draw_resamples
from sigarray.responses.metrics import choose_metric


@checked(**RULES)
def response_test(
    gold: Array,
    a: Array,
    b: Array,
    /,
    *,
    metric: Metric | Wins | Any = "wins_mae",
    items: Items = "bootstrap",
    responses: Responses = "all",
    alternative: Alternative = "two-sided",
    n_resamples: int = 1000,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> ResponseTestResult:
    """Test whether system A is nearer to gold than system B, by their responses.

    The null hypothesis is that the responses of A and of B to an item come from one
    distribution; a small p-value with "greater" says that A is better, whether higher
    or lower values of the metric are better.

    Parameters
    ----------
    gold, a, b : array, shape (..., n_items, k), real
        Gold judgments, and the responses of systems A and B to the same items, k to
        each; k may differ, and NaN is a missing one. A vector is one response to each
        item. Leading axes are batches, which broadcast and see the same resamples.
    metric : str, Metric, Wins or callable, default: "wins_mae"
        What to compare: the name of a metric, such as "mae", "wins_mae" or "f1", or one
        of `responses.metrics`. A callable f(gold, system) returns an array (...) for
        responses (..., n_items, k), higher for a better system.

        A is better where one of these is higher: "wins_mae", "wins_mae_all" and
        "wins_emd" (share of items won), "spearman", "accuracy", "precision", "recall",
        "f1", "roc_auc"; and where one of these is lower: "mae", "mse", "rmse",
        "max_error", "cosine", "emd", "emd_all", "mean_of_emds", "kl_divergence".
    items : {"bootstrap", "all"}, default: "bootstrap"
        The items of a resample: as many, drawn with replacement ("bootstrap"), if the
        test set might have had others; or "all" of them.
    responses : str, default: "all"
        The responses of a resample to each item: "all" of them; as many, drawn with
        replacement ("bootstrap"); all in random order ("without_replacement"); "one" at
        random; or the "first".

        Notes say how they are drawn under the null hypothesis.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        A differs from B ("two-sided"), is better ("greater") or worse ("less").
    n_resamples : int, default: 1000
        Test sets to draw under each hypothesis, M.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.
    batch : int, optional
        Replicates at a time; by default what suits the device. Memory grows with it;
        the result is the same.

        A replicate is a test set, with about 60 bytes for each response in float64.
    workers : int, callable, ProcessGroup or str, optional
        Who computes: a number of threads for NumPy arrays (-1: all cores); a function
        ``map(function, tasks)``, as an executor's; a process group of PyTorch; or a
        mesh axis in `jax.shard_map`. By default this thread. The result is the same.
    progress : callable or tqdm, optional
        Called as ``progress(done, total)`` after each batch, not by JAX; or ``tqdm()``.

    Returns
    -------
    ResponseTestResult
        `statistic`, how far A is ahead in the test set itself (positive where A is
        better), `pvalue`, `metric_a` and `metric_b`, arrays of shape (...), on the
        device and of the float dtype of the responses. NaN for a batch entry with an
        infinite response, with an item without any, or whose metric is
        not defined for the test set or a resample.

    Raises
    ------
    TypeError
        Responses that are not real, or of two libraries or devices; a metric or an
        `rng` that cannot be used.
    ValueError
        Numbers of items that differ, leading axes that do not broadcast, or options
        outside their range.

    See Also
    --------
    true_p_value : the same for test sets drawn anew, from a simulator.
    sigarray.permutation_test : for one score of each model and item.

    Notes
    -----
    These are Algorithms 1 and 2 of [1]_. M test sets are drawn as in `resample`, and M
    under the null hypothesis, in which the responses of A and B to an item are one
    pool: with "bootstrap" and "one", responses of both are drawn from it; with "all",
    "first" and "without_replacement" it is shared out at random between them. With the
    M^2 pairs of a difference d0 under the null hypothesis and one d1 without::

        p = (count of pairs with d0 >= d1, + M) / (M (M + 1))

    for "greater", d0 <= d1 for "less", and twice the smaller of both, at most 1, for
    "two-sided". Ties count, up to rounding. It is the mean over all d1 of their
    p-values (count + 1) / (M + 1), and never below 1 / (M + 1); that of [1]_ is its
    limit for large M. So p is the expected p-value of another test set: if A is truly
    better it is small, and if both are the same, and items or responses are drawn with
    replacement, it is nearer to 1/2 than uniform. With all items, and "all", all d1 are
    equal, and p is that of a permutation test.

    A mean of p-values may be too small by a factor of 2 in theory. Of 500 pairs of
    systems that are the same (normal, 100 items, 5 responses, M = 100, two-sided; "mae"
    and "wins_mae"), p <= 0.05 in 3.8 and 2.6 % with all items and "all", 3.2 and 3.8 %
    with "first", none with "bootstrap" or "one", and 0.2 % at most with bootstrapped
    items. The test is the more conservative the more is drawn with replacement, which
    adds the variance of the test set once more.

    It takes the responses of an item as drawn independently of those to other items. If
    those of one column are of one run of a system, such as one training, and runs
    differ, then the test knows nothing of other runs: of 500 equal pairs of five runs
    whose noise varied by 20 % from run to run, on 400 items, p <= 0.05 in 21.4 % with
    all items, and in 9.0 % with bootstrapped ones ("all", "mae", M = 100).

    Compare a score of each run with `sigarray.permutation_test` then.

    All options are static under `jit`, and the responses and `rng` may be traced.

    References
    ----------
    .. [1] S. Wein, C. Homan, L. Aroyo, C. Welty (2023). Follow the leader(board) with
       confidence: estimating p-values from a single test set with item and response
       variance. Findings of ACL. :doi:`10.18653/v1/2023.findings-acl.196`

    Examples
    --------
    >>> from sigarray import responses
    >>> gold, a, b = responses.simulate(300, 5, perturbation_b=0.2, rng=0)
    >>> result = responses.response_test(gold, a, b, metric="mae", rng=0)
    >>> bool(result.metric_a < result.metric_b), bool(result.pvalue < 0.05)
    (True, True)
    """
    metric = choose_metric(metric)
    xp, samples = standardize_responses(gold, a, b)
    result = find_p_values(
        xp,
        *samples,
        seed_words(xp, rng),
        metric=metric,
        items=items,
        responses=responses,
        alternative=alternative,
        n_resamples=n_resamples,
    )
    return ResponseTestResult(*result)


@checked(**RULES)
def response_replicates(
    gold: Array,
    a: Array,
    b: Array,
    /,
    *,
    start: int | Array,
    count: int,
    metric: Metric | Wins | Any = "wins_mae",
    items: Items = "bootstrap",
    responses: Responses = "all",
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> ResponseReplicates:
    """How far A is ahead in resamples of a test set, from any place on.

    `response_test` compares each replicate 0 to `n_resamples` - 1 with each one under
    the null hypothesis. For one seed, any split of them over calls, devices or
    machines gives the same numbers, up to the order of sums.

    Parameters
    ----------
    gold, a, b : array, shape (..., n_items, k), real
        Gold judgments, and the responses of systems A and B to the same items, k to
        each; k may differ, and NaN is a missing one. A vector is one response to each
        item. Leading axes are batches, which broadcast and see the same resamples.
    start : int
        The first replicate. It may be traced under `jit`, as a shard's index.
    count : int
        How many replicates, static under `jit`. `start` + `count` is at most 2^31.
    metric : str, Metric, Wins or callable, default: "wins_mae"
        What to compare: the name of a metric, such as "mae", "wins_mae" or "f1", or one
        of `responses.metrics`. A callable f(gold, system) returns an array (...) for
        responses (..., n_items, k), higher for a better system.
    items : {"all", "bootstrap"}, default: "bootstrap"
        The items of a resample: as many, drawn with replacement ("bootstrap"), if the
        test set might have had others; or "all" of them.
    responses : str, default: "all"
        The responses of a resample to each item: "all" of them; as many, drawn with
        replacement ("bootstrap"); all in random order ("without_replacement"); "one" at
        random; or the "first".
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others. To split
        them over calls, pass a seed or one key: a generator moves on.
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
    ResponseReplicates
        `statistic` and `null_statistic`, arrays of shape (..., count): how far A is
        ahead in test sets that are drawn without and under the null hypothesis. NaN as
        for `response_test`.

    Raises
    ------
    TypeError
        Responses that are not real, or of two libraries or devices; a metric or an
        `rng` that cannot be used.
    ValueError
        Numbers of items that differ, leading axes that do not broadcast, or options
        outside their range.

    Examples
    --------
    >>> from sigarray import responses
    >>> test_set = responses.simulate(100, 5, perturbation_b=0.3, rng=0)
    >>> options = {"metric": "mae", "rng": 0}
    >>> drawn = responses.response_replicates(*test_set, start=0, count=200, **options)
    >>> count = (drawn.null_statistic[:, None] >= drawn.statistic).sum()
    >>> result = responses.response_test(
    ...     *test_set, n_resamples=200, alternative="greater", **options
    ... )
    >>> bool(abs(result.pvalue - (count + 200) / (200 * 201)) < 1e-12)
    True
    """
    chosen = choose_metric(metric)
    xp, samples = standardize_responses(gold, a, b)
    leads = draw_leads(
        xp,
        *samples,
        seed_words(xp, rng),
        first_replicate(xp, start, count),
        metric=chosen,
        count=count,
        items=items,
        responses=responses,
    )
    return ResponseReplicates(*leads)


@checked(**RULES | {"n_resamples": count()})
def resample(
    gold: Array,
    a: Array,
    b: Array,
    /,
    *,
    items: Items = "bootstrap",
    responses: Responses = "all",
    n_resamples: int = 1000,
    start: int | Array = 0,
    rng: RandomSource = None,
    **_: Unpack[SharingOptions],
) -> ResponseSet:
    """Resample a test set: its items, and the responses to each of them.

    Parameters
    ----------
    gold, a, b : array, shape (..., n_items, k), real
        Gold judgments, and the responses of systems A and B to the same items, k to
        each; k may differ, and NaN is a missing one. A vector is one response to each
        item. Leading axes are batches, which broadcast and see the same resamples.
    items : {"all", "bootstrap"}, default: "bootstrap"
        The items of a resample: as many, drawn with replacement ("bootstrap"), if the
        test set might have had others; or "all" of them.
    responses : str, default: "all"
        The responses of a resample to each item: "all" of them; as many, drawn with
        replacement ("bootstrap"); all in random order ("without_replacement"); "one" at
        random; or the "first".
    n_resamples : int, default: 1000
        Test sets to draw. They are held in memory together; `response_test` holds a few
        at a time.
    start : int, default: 0
        The first test set, to draw some now and more later, or on another machine, with
        the same `rng`. It may be traced under `jit`.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.
    workers : int, callable, ProcessGroup or str, optional
        Who computes: a number of threads for NumPy arrays (-1: all cores); a function
        ``map(function, tasks)``, as an executor's; a process group of PyTorch; or a
        mesh axis in `jax.shard_map`. By default this thread. The result is the same.
    progress : callable or tqdm, optional
        Called as ``progress(done, total)`` after each batch, not by JAX; or ``tqdm()``.

    Returns
    -------
    ResponseSet
        `gold`, `a` and `b`, of shape (..., n_resamples, n_items, k), with k = 1 for
        "one" and "first", on the device and of the float dtype of the responses. An
        item keeps its number of responses, but they come first, and then NaN. Those of
        gold, A or B with an infinite response, or an item without any, are NaN.

    Raises
    ------
    TypeError
        Responses that are not real, or of two libraries or devices; an unsuitable
        `rng`.
    ValueError
        Numbers of items that differ, leading axes that do not broadcast, or options
        outside their range.

    Notes
    -----
    These are the strategies of section 4.1 of [1]_.

    References
    ----------
    .. [1] S. Wein, C. Homan, L. Aroyo, C. Welty (2023). Follow the leader(board) with
       confidence: estimating p-values from a single test set with item and response
       variance. Findings of ACL. :doi:`10.18653/v1/2023.findings-acl.196`

    Examples
    --------
    >>> from sigarray import responses
    >>> test_set = responses.simulate(100, 5, rng=0)
    >>> drawn = responses.resample(*test_set, responses="one", n_resamples=20, rng=0)
    >>> drawn.gold.shape
    (20, 100, 1)
    """
    xp, samples = standardize_responses(gold, a, b)
    drawn = draw_resamples(
        xp,
        *samples,
        seed_words(xp, rng),
        first_replicate(xp, start, n_resamples, name="n_resamples"),
        items=items,
        responses=responses,
        count=n_resamples,
    )
    return ResponseSet(*drawn)
