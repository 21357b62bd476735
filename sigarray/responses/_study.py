"""Simulate test sets, and study how good p-values from one of them are."""

import itertools
from collections.abc import Sequence
from typing import Any, Unpack, get_args

from sigarray._backend.callers import (
    Alternative,
    Array,
    Device,
    Namespace,
    RandomSource,
    SharingOptions,
)
from sigarray._backend.checks import (
    anything,
    choice,
    count,
    describe,
    number,
    optional,
    several,
)
from sigarray._backend.dispatch import choose_library, first_replicate
from sigarray._backend.public import checked
from sigarray._backend.seeds import seed_words, spare_seed
from sigarray._response_results import ResponseSet, Study
from sigarray.responses._measurement import Metric, Wins, find_p_values
from sigarray.responses._models import Model, ModelName, Response
from sigarray.responses._sampling import RULES, Items, Responses
from sigarray.responses._simulation import (
    Hypothesis,
    check_parameters,
    choose_dtype,
    draw_sets,
    simulate_p_values,
    simulate_sets,
)
from sigarray.responses.metrics import choose_metric


@checked(
    **RULES | {"n_sets": optional(count())},
    hypothesis=choice(*get_args(Hypothesis)),
)
def simulate(
    n_items: int = 1000,
    n_responses: int = 5,
    *,
    perturbation_a: float | Array = 0.0,
    perturbation_b: float | Array = 0.1,
    n_sets: int | None = None,
    start: int | Array = 0,
    model: Model | ModelName = "normal",
    response: Response | None = None,
    hypothesis: Hypothesis = "alternative",
    xp: Namespace | None = None,
    device: Device = None,
    dtype: Any = None,
    rng: RandomSource = None,
    **_: Unpack[SharingOptions],
) -> ResponseSet:
    """Simulate test sets: gold judgments, and the responses of two systems.

    Parameters
    ----------
    n_items : int, default: 1000
        Items of a test set.
    n_responses : int, default: 5
        Responses to each item, of gold and of each system.
    perturbation_a : float, default: 0.0
        How far A is from gold: means of items are moved by uniform numbers in [-p, p],
        and clamped to the model's range. May be traced under `jit`.
    perturbation_b : float, default: 0.1
        How far B is from gold, likewise.
    n_sets : int, optional
        How many test sets; without it there is one, and no axis for sets.
    start : int, default: 0
        The first test set, to draw some now and more later, or on another machine, with
        the same `rng`. It may be traced under `jit`.
    model : {"normal", "likert"}, NormalModel or LikertModel, default: "normal"
        How items and responses vary: a model by its name, or with parameters, which may
        be traced under `jit`.
    response : callable, optional
        Another distribution: f(mean, sd, uniform), in array-API code, makes responses
        of items' means, deviations and uniform numbers in (0, 1), which broadcast.
    hypothesis : {"alternative", "null"}, default: "alternative"
        Under "null", each response of A and of B comes from A's or B's distribution of
        the item with probability 1/2.
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
    ResponseSet
        `gold`, `a` and `b`, of shape (n_sets, n_items, n_responses), or (n_items,
        n_responses) without `n_sets`. The same `rng` gives the same sets on every
        backend, and the same items under both hypotheses.

    Raises
    ------
    TypeError
        A model or an `rng` that cannot be used.
    ValueError
        Options outside their range.

    Notes
    -----
    It is Algorithm 3 of [1]_. Responses are made of 24 random bits.

    References
    ----------
    .. [1] S. Wein, C. Homan, L. Aroyo, C. Welty (2023). Follow the leader(board) with
       confidence: estimating p-values from a single test set with item and response
       variance. Findings of ACL. :doi:`10.18653/v1/2023.findings-acl.196`

    Examples
    --------
    >>> from sigarray import responses
    >>> gold, a, b = responses.simulate(200, 3, perturbation_b=0.3, rng=0)
    >>> gold.shape
    (200, 3)
    >>> bool(responses.metrics.mae(gold, a) < responses.metrics.mae(gold, b))
    True

    Raters who say yes or no:

    >>> def vote(mean, sd, uniform):
    ...     return uniform < mean
    >>> votes = responses.simulate(response=vote, rng=0).gold
    >>> float(votes.min()), float(votes.max())
    (0.0, 1.0)
    """
    library = choose_library(xp, device)
    n_simulated = 1 if n_sets is None else n_sets
    sets = simulate_sets(
        library,
        seed_words(library, rng),
        first_replicate(library, start, n_simulated, name="n_sets"),
        *check_parameters(library, model, perturbation_a, perturbation_b),
        count=n_simulated,
        hypothesis=hypothesis,
        response=response,
        n_items=n_items,
        n_responses=n_responses,
        dtype=choose_dtype(library, dtype),
    )
    sets = sets[0, ...] if n_sets is None else sets
    return ResponseSet(*(sets[..., i, :, :] for i in range(3)))


_AXES = {
    "metrics": several(anything),
    "items": several(RULES["items"]),
    "responses": several(RULES["responses"]),
    "perturbations": several(number),
}
_METRICS = ("mae", "mse", "cosine", "spearman", "emd", "wins_mae", "wins_mae_all")


@checked(**RULES | _AXES)
def study(
    *,
    metrics: Sequence[str | Metric | Wins | Any] = _METRICS,
    items: Sequence[Items] = ("all", "bootstrap"),
    responses: Sequence[Responses] = ("all", "bootstrap", "one", "first"),
    perturbations: Sequence[float] = (0.0, 0.05, 0.1),
    model: Model | ModelName = "normal",
    response: Response | None = None,
    n_items: int = 1000,
    n_responses: int = 5,
    n_sets: int = 1000,
    n_resamples: int = 1000,
    alternative: Alternative = "two-sided",
    xp: Namespace | None = None,
    device: Device = None,
    dtype: Any = None,
    rng: RandomSource = None,
    **_: Unpack[SharingOptions],
) -> Study:
    """Compare p-values from one test set with the true ones, for ways to resample.

    Parameters
    ----------
    metrics : sequence of str, Metric, Wins or callable, default: those of the tables
        What to compare: names of metrics, or those of `responses.metrics`, or callables
        f(gold, system), which return an array of shape (...) for responses of shape
        (..., n_items, k), higher for a better system.
    items : sequence of str, default: ("all", "bootstrap")
        Ways to resample items: as many, drawn with replacement ("bootstrap"), or "all"
        of them.
    responses : sequence of str, default: ("all", "bootstrap", "one", "first")
        Ways to resample the responses to an item: "all" of them; as many, drawn with
        replacement ("bootstrap"); all in random order ("without_replacement"); "one" at
        random; or the "first".
    perturbations : sequence of float, default: (0.0, 0.05, 0.1)
        Perturbations of B; A has none.
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
        New test sets under each hypothesis, for the true p-value.
    n_resamples : int, default: 1000
        Test sets under each hypothesis, for the estimated p-value.
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
    workers : int, callable, ProcessGroup or str, optional
        Who computes: a number of threads for NumPy arrays (-1: all cores); a function
        ``map(function, tasks)``, as an executor's; a process group of PyTorch; or a
        mesh axis in `jax.shard_map`. By default this thread. The result is the same.
    progress : callable or tqdm, optional
        Called as ``progress(done, total)`` after each batch, not by JAX; or ``tqdm()``.

    Returns
    -------
    Study
        `estimated_pvalue` and `true_pvalue`, arrays of shape (P, M, I, R): for each
        perturbation, metric, way to resample items and way to resample responses.
        `study_records` adds their names.

    Raises
    ------
    TypeError
        A metric, a model or an `rng` that cannot be used.
    ValueError
        Options outside their range, or sequences that are empty.

    Notes
    -----
    It makes Tables 1 to 14 of [1]_. All metrics see the same test sets. The estimated
    p-value is that of one test set, and differs for another one.

    References
    ----------
    .. [1] S. Wein, C. Homan, L. Aroyo, C. Welty (2023). Follow the leader(board) with
       confidence: estimating p-values from a single test set with item and response
       variance. Findings of ACL. :doi:`10.18653/v1/2023.findings-acl.196`

    Examples
    --------
    >>> from sigarray import responses
    >>> study = responses.study(
    ...     metrics=["mae"], n_items=100, n_sets=100, n_resamples=100, rng=0
    ... )
    >>> study.true_pvalue.shape
    (3, 1, 2, 4)
    """
    chosen = tuple(map(choose_metric, metrics))
    items, responses = tuple(items), tuple(responses)
    library = choose_library(xp, device)
    seed = seed_words(library, rng)
    # The null hypothesis takes the next seed, so that others take the one after that.
    set_seed = spare_seed(library, spare_seed(library, seed))
    test_seed = spare_seed(library, spare_seed(library, set_seed))
    options = {
        "response": response,
        "n_items": n_items,
        "n_responses": n_responses,
        "dtype": choose_dtype(library, dtype),
    }
    axes = chosen, items, responses
    shape = tuple(map(len, axes))
    estimated, true = [], []
    for size in perturbations:
        parameters = check_parameters(library, model, 0.0, size)
        # Once with all responses, and once with one of them.
        _, p_values, _, _ = simulate_p_values(
            library,
            seed,
            *parameters,
            metrics=chosen * 2,
            takes_one=(False,) * len(chosen) + (True,) * len(chosen),
            alternative=alternative,
            n_sets=n_sets,
            **options,
        )
        of_all, of_one = p_values[: len(chosen)], p_values[len(chosen) :]
        columns = [of_one if x in ("one", "first") else of_all for x in responses]
        columns = library.stack(columns, axis=-1)[:, None, :]
        true.append(library.broadcast_to(columns, shape))
        test_set = draw_sets(
            library, set_seed, 0, 1, *parameters, hypothesis="alternative", **options
        )
        found = [
            find_p_values(
                library,
                *(test_set[0, i, ...] for i in range(3)),
                test_seed,
                metric=metric,
                items=by_items,
                responses=by_responses,
                alternative=alternative,
                n_resamples=n_resamples,
            )[1]
            for metric, by_items, by_responses in itertools.product(*axes)
        ]
        estimated.append(library.reshape(library.stack(found), shape))
    return Study(library.stack(estimated), library.stack(true))


@checked(**_AXES)
def study_records(
    study: Study,
    /,
    *,
    metrics: Sequence[str | Metric | Wins | Any],
    items: Sequence[Items],
    responses: Sequence[Responses],
    perturbations: Sequence[float],
) -> list[dict[str, Any]]:
    """Name the p-values of a study, on the host: rows for a table.

    Parameters
    ----------
    study : Study
        The result of `study`.
    metrics, items, responses, perturbations
        What was passed to `responses.study`, or its defaults: the result does not keep
        them.

    Returns
    -------
    list of dict
        For each p-value "perturbation", "metric", "items", "responses",
        "estimated_pvalue", "true_pvalue" and their "difference"; `pandas.DataFrame`
        takes them.

    Raises
    ------
    TypeError
        Anything but a `Study`.
    ValueError
        Arguments that differ in number from those of the study.

    Examples
    --------
    >>> from sigarray import responses
    >>> axes = {
    ...     "metrics": ["mae"],
    ...     "items": ["all", "bootstrap"],
    ...     "responses": ["all"],
    ...     "perturbations": [0.3],
    ... }
    >>> study = responses.study(**axes, n_items=100, n_sets=50, n_resamples=50, rng=0)
    >>> rows = responses.study_records(study, **axes)
    >>> [row["items"] for row in rows if row["true_pvalue"] < 0.05]
    ['all', 'bootstrap']
    """
    if not isinstance(study, Study):
        msg = f"Expected the result of responses.study; got {describe(study)}."
        raise TypeError(msg)
    axes = {
        "perturbation": tuple(perturbations),
        "metric": tuple(choose_metric(x).name for x in metrics),
        "items": tuple(items),
        "responses": tuple(responses),
    }
    expected = tuple(map(len, axes.values()))
    shape = tuple(study.true_pvalue.shape)
    if shape != expected:
        msg = (
            f"Expected p-values of shape {expected}, for so many perturbations, "
            f"metrics, items and responses; got {shape}. Pass what `study` was given."
        )
        raise ValueError(msg)
    records = []
    for place in itertools.product(*map(range, shape)):
        names = {key: axes[key][i] for key, i in zip(axes, place, strict=True)}
        p, true = (float(x[place]) for x in study)
        numbers = {"estimated_pvalue": p, "true_pvalue": true, "difference": p - true}
        records.append(names | numbers)
    return records
