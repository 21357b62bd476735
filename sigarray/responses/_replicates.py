"""Replicates of the lead of a system in test sets, from any place on."""

from typing import Any, Unpack, get_args

from sigarray._backend.aliases import (
    Array,
    Device,
    ExecutionOptions,
    Namespace,
    RandomSource,
)
from sigarray._backend.checks import anything, choice, count, function, optional
from sigarray._backend.dispatch import choose_library, first_replicate
from sigarray._backend.public import checked
from sigarray._backend.seeds import seed_words
from sigarray.responses._items import standardize_responses
from sigarray.responses._leads import draw_leads, simulate_leads
from sigarray.responses._measurement import Metric, Wins
from sigarray.responses._models import Model, ModelName, Response
from sigarray.responses._pools import RESPONSE_SAMPLERS, NewResponses, Responses
from sigarray.responses._sampling import ITEM_SAMPLERS, Items
from sigarray.responses._simulation import check_parameters, choose_dtype
from sigarray.responses.metrics import choose_metric
from sigarray.results import ResponseReplicates


@checked(
    metric=anything,
    items=choice(*ITEM_SAMPLERS),
    responses=choice(*RESPONSE_SAMPLERS),
    start=anything,
)
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
        Gold judgments and responses of the systems, as for `response_test`.
    start : int
        The first replicate. It may be traced under `jit`, as for a shard's index.
    count : int
        How many replicates. Static under `jit`; `start` + `count` is at most 2^31.
    metric, items, responses, batch
        As for `response_test`.
    rng : int, generator or key, optional
        Source of the random numbers, as for `sigarray.aso`. For a split, it has to be
        an int or one and the same key: a generator moves on with every call.
    workers : int, callable, ProcessGroup or str, optional
        As for `aso`.
    progress : callable or tqdm, optional
        As for `aso`.

    Returns
    -------
    ResponseReplicates
        `statistic` and `null_statistic`, arrays of shape (..., count): how far A is
        ahead in test sets that are drawn without and under the null hypothesis. NaN as
        for `response_test`.

    Raises
    ------
    TypeError, ValueError
        As for `response_test`.

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


@checked(
    metric=anything,
    responses=choice(*get_args(NewResponses)),
    perturbation_a=anything,
    perturbation_b=anything,
    model=anything,
    response=optional(function),
    n_items=count(),
    n_responses=count(),
    start=anything,
    xp=anything,
    device=anything,
    dtype=anything,
)
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
        The first replicate. It may be traced under `jit`, as for a shard's index.
    count : int
        How many replicates. Static under `jit`; `start` + `count` is at most 2^31.
    metric, responses, batch
        As for `true_p_value`.
    perturbation_a, perturbation_b, model, response, n_items, n_responses
        The test sets, as for `simulate`.
    xp, device, dtype
        As for `simulate`.
    rng : int, generator or key, optional
        Source of the random numbers, as for `sigarray.aso`. For a split, it has to be
        an int or one and the same key: a generator moves on with every call.
    workers : int, callable, ProcessGroup or str, optional
        As for `aso`.
    progress : callable or tqdm, optional
        As for `aso`.

    Returns
    -------
    ResponseReplicates
        `statistic` and `null_statistic`, arrays of shape (count,): how far A is ahead
        in test sets that are simulated without and under the null hypothesis.

    Raises
    ------
    TypeError, ValueError
        As for `true_p_value`.

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
