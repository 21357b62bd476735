"""New test sets: true p-values and replicates, and the power that tests have."""

from collections.abc import Sequence
from typing import Any, Unpack, get_args

from sigarray._backend.callers import (
    Alternative,
    Array,
    Device,
    ExecutionOptions,
    Namespace,
    RandomSource,
    SharingOptions,
)
from sigarray._backend.checks import choice, count, several
from sigarray._backend.dispatch import choose_library, first_replicate
from sigarray._backend.public import checked
from sigarray._backend.seeds import seed_words
from sigarray._response_results import ResponseReplicates, ResponseTestResult
from sigarray.responses._measurement import Metric, Wins
from sigarray.responses._models import Model, ModelName, Response
from sigarray.responses._sampling import RULES, Items, NewResponses, Responses
from sigarray.responses._simulation import (
    check_parameters,
    choose_dtype,
    find_power,
    simulate_leads,
    simulate_p_values,
)
from sigarray.responses.metrics import choose_metric


@checked(**RULES | {"responses": choice(*get_args(NewResponses))})
def true_p_value(
    *,
    metric: Metric | Wins | Any = "wins_mae",
    responses: NewResponses = "all",
    perturbation_a: float | Array = 0.0,
    perturbation_b: float | Array = 0.1,
    model: Model | ModelName = "normal",
    response: Response | None = None,
    n_items: int = 1000,
    n_responses: int = 5,
    n_sets: int = 1000,
    alternative: Alternative = "two-sided",
    xp: Namespace | None = None,
    device: Device = None,
    dtype: Any = None,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> ResponseTestResult:
    """P-value of `response_test` if every test set is a new one.

    Parameters
    ----------
    metric : str, Metric, Wins or callable, default: "wins_mae"
        What to compare: the name of a metric, such as "mae", "wins_mae" or "f1", or one
        of `responses.metrics`. A callable f(gold, system) returns an array (...) for
        responses (..., n_items, k), higher for a better system.
    responses : {"all", "one", "first"}, default: "all"
        Take all responses to each item, or one of them: which one makes no difference,
        because they are drawn independently.
    perturbation_a : float, default: 0.0
        How far A is from gold: means of items are moved by uniform numbers in [-p, p],
        and clamped to the model's range. May be traced under `jit`.
    perturbation_b : float, default: 0.1
        How far B is from gold, likewise.
    model : {"normal", "likert"}, default: "normal"
        How items and responses vary: a model by its name, or with parameters, which may
        be traced under `jit`.
    response : callable, optional
        Another distribution: f(mean, sd, uniform), in array-API code, makes responses
        of items' means, deviations and uniform numbers in (0, 1), which broadcast.
    n_items : int, default: 1000
        Items of a test set.
    n_responses : int, default: 5
        Responses to each item, of gold and of each system.
    n_sets : int, default: 1000
        Test sets under each hypothesis.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        A differs from B ("two-sided"), is better ("greater") or worse ("less").
    xp : namespace, optional
        The array library: `numpy`, the default, `torch`, `jax.numpy` or `cupy`.
    device, dtype : optional
        Of the responses, the dtype a real float; by default those of `xp`.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.
    batch : int, optional
        Replicates at a time; by default what suits the device. Memory grows with it;
        the result is the same.

        A replicate is a simulated test set.
    workers : int, callable, ProcessGroup or str, optional
        Who computes: a number of threads for NumPy arrays (-1: all cores); a function
        ``map(function, tasks)``, as an executor's; a process group of PyTorch; or a
        mesh axis in `jax.shard_map`. By default this thread. The result is the same.
    progress : callable or tqdm, optional
        Called as ``progress(done, total)`` after each batch, not by JAX; or ``tqdm()``.

    Returns
    -------
    ResponseTestResult
        `pvalue`, and the means over the test sets of `statistic`, `metric_a` and
        `metric_b`; arrays of shape ().

    Raises
    ------
    TypeError
        A metric, a model or an `rng` that cannot be used.
    ValueError
        Options outside their range.

    Notes
    -----
    It estimates a probability, by (count + 1) / (M^2 + 1) of the M^2 pairs as in the
    reference of `response_test`. It is not the p-value of a test, for which it would be
    too small.

    With other sets of M = `n_sets` test sets, the standard deviation of this p-value is
    about (v / M)^1/2, where v is the variance of P(d0 >= d1) over d1 plus that of P(d1
    <= d0) over d0.

    Examples
    --------
    >>> from sigarray import responses
    >>> small = {"n_items": 100, "n_sets": 200, "rng": 0}
    >>> same = responses.true_p_value(perturbation_b=0.0, **small)
    >>> other = responses.true_p_value(perturbation_b=0.3, **small)
    >>> bool(other.pvalue < 0.01 < same.pvalue)
    True
    """
    library = choose_library(xp, device)
    result = simulate_p_values(
        library,
        seed_words(library, rng),
        *check_parameters(library, model, perturbation_a, perturbation_b),
        metrics=(choose_metric(metric),),
        takes_one=(responses != "all",),
        alternative=alternative,
        n_sets=n_sets,
        response=response,
        n_items=n_items,
        n_responses=n_responses,
        dtype=choose_dtype(library, dtype),
    )
    return ResponseTestResult(*(x[0, ...] for x in result))


@checked(**RULES | {"responses": choice(*get_args(NewResponses))})
def true_replicates(
    *,
    start: int | Array,
    count: int,
    metric: Metric | Wins | Any = "wins_mae",
    responses: NewResponses = "all",
    perturbation_a: float | Array = 0.0,
    perturbation_b: float | Array = 0.1,
    model: Model | ModelName = "normal",
    response: Response | None = None,
    n_items: int = 1000,
    n_responses: int = 5,
    xp: Namespace | None = None,
    device: Device = None,
    dtype: Any = None,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> ResponseReplicates:
    """How far A is ahead in new test sets, from any place on.

    `true_p_value` compares each replicate 0 to `n_sets` - 1 with each one under the
    null hypothesis. For one seed, any split of them over calls, devices or machines
    gives the same numbers, up to the order of sums.

    Parameters
    ----------
    start : int
        The first replicate. It may be traced under `jit`, as a shard's index.
    count : int
        How many replicates, static under `jit`. `start` + `count` is at most 2^31.
    metric : str, Metric, Wins or callable, default: "wins_mae"
        What to compare: the name of a metric, such as "mae", "wins_mae" or "f1", or one
        of `responses.metrics`. A callable f(gold, system) returns an array (...) for
        responses (..., n_items, k), higher for a better system.
    responses : str, default: "all"
        Take all responses to each item, or one of them: which one makes no difference,
        because they are drawn independently.
    perturbation_a : float, default: 0.0
        How far A is from gold: means of items are moved by uniform numbers in [-p, p],
        and clamped to the model's range. May be traced under `jit`.
    perturbation_b : float, default: 0.1
        How far B is from gold, likewise.
    model : {"normal", "likert"}, default: "normal"
        How items and responses vary: a model by its name, or with parameters, which may
        be traced under `jit`.
    response : callable, optional
        Another distribution: f(mean, sd, uniform), in array-API code, makes responses
        of items' means, deviations and uniform numbers in (0, 1), which broadcast.
    n_items : int, default: 1000
        Items of a test set.
    n_responses : int, default: 5
        Responses to each item, of gold and of each system.
    xp : namespace, optional
        The array library: `numpy`, the default, `torch`, `jax.numpy` or `cupy`.
    device, dtype : optional
        Of the responses, the dtype a real float; by default those of `xp`.
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
        `statistic` and `null_statistic`, arrays of shape (count,): how far A is ahead
        in test sets that are simulated without and under the null hypothesis.

    Raises
    ------
    TypeError
        A metric, a model or an `rng` that cannot be used.
    ValueError
        Options outside their range.

    Examples
    --------
    >>> from sigarray import responses
    >>> drawn = responses.true_replicates(
    ...     start=0, count=100, n_items=100, perturbation_b=0.3, rng=0
    ... )
    >>> bool(drawn.statistic.mean() > drawn.null_statistic.mean())
    True
    """
    library = choose_library(xp, device)
    leads = simulate_leads(
        library,
        seed_words(library, rng),
        first_replicate(library, start, count),
        *check_parameters(library, model, perturbation_a, perturbation_b),
        metric=choose_metric(metric),
        takes_one=responses != "all",
        count=count,
        response=response,
        n_items=n_items,
        n_responses=n_responses,
        dtype=choose_dtype(library, dtype),
    )
    return ResponseReplicates(*leads)


@checked(**RULES | dict.fromkeys(("n_items", "n_responses"), several(count())))
def power(
    n_items: int | Sequence[int] = (100, 300, 1000),
    n_responses: int | Sequence[int] = (1, 3, 5),
    *,
    metric: Metric | Wins | Any = "wins_mae",
    items: Items = "bootstrap",
    responses: Responses = "all",
    perturbation_a: float | Array = 0.0,
    perturbation_b: float | Array = 0.1,
    model: Model | ModelName = "normal",
    response: Response | None = None,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    n_sets: int = 200,
    n_resamples: int = 200,
    xp: Namespace | None = None,
    device: Device = None,
    dtype: Any = None,
    rng: RandomSource = None,
    **_: Unpack[SharingOptions],
) -> Array:
    """Probability that test sets show a difference, by their items and responses.

    Parameters
    ----------
    n_items : int or sequence of int, default: (100, 300, 1000)
        Numbers of items.
    n_responses : int or sequence of int, default: (1, 3, 5)
        Numbers of responses to each item by gold and by each system.
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
    perturbation_a : float, default: 0.0
        How far A is from gold: means of items are moved by uniform numbers in [-p, p],
        and clamped to the model's range. May be traced under `jit`.
    perturbation_b : float, default: 0.1
        How far B is from gold, likewise.
    model : {"normal", "likert"}, default: "normal"
        How items and responses vary: a model by its name, or with parameters, which may
        be traced under `jit`.

        A model that `fit` makes of real ratings tells how many of them are needed.
    response : callable, optional
        Another distribution: f(mean, sd, uniform), in array-API code, makes responses
        of items' means, deviations and uniform numbers in (0, 1), which broadcast.
    alpha : float, default: 0.05
        The difference is seen where the p-value is at most this.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        A differs from B ("two-sided"), is better ("greater") or worse ("less").
    n_sets : int, default: 200
        Test sets to simulate for each pair of numbers. The standard error of a power p
        is about (p (1 - p) / n_sets)^1/2.
    n_resamples : int, default: 200
        Resamples of each test set under each hypothesis, the same for all sets: with
        few of them, the standard error is larger.
    xp : namespace, optional
        The array library: `numpy`, the default, `torch`, `jax.numpy` or `cupy`.
    device, dtype : optional
        Of the responses, the dtype a real float; by default those of `xp`.
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
    array, shape (I, K)
        The share of test sets whose p-value is not above the level, for each number of
        items and of responses.

    Raises
    ------
    TypeError
        A metric, a model or an `rng` that cannot be used.
    ValueError
        Options outside their range, or no numbers of items or responses.

    Examples
    --------
    More items or more raters?

    >>> from sigarray import responses
    >>> share = responses.power([50, 200], [1, 5], n_sets=50, n_resamples=50, rng=0)
    >>> share.shape
    (2, 2)
    >>> bool(share[0, 0] < share[1, 1])
    True
    """
    library = choose_library(xp, device)
    chosen = choose_metric(metric)
    parameters = check_parameters(library, model, perturbation_a, perturbation_b)
    dtype = choose_dtype(library, dtype)
    seed = seed_words(library, rng)
    rows = [
        library.stack(
            [
                find_power(
                    library,
                    seed,
                    *parameters,
                    level=alpha,
                    n_sets=n_sets,
                    metric=chosen,
                    items=items,
                    responses=responses,
                    alternative=alternative,
                    n_resamples=n_resamples,
                    response=response,
                    n_items=n,
                    n_responses=k,
                    dtype=dtype,
                )
                for k in several(count())("n_responses", n_responses)
            ]
        )
        for n in several(count())("n_items", n_items)
    ]
    return library.stack(rows)
