"""How good p-values that are estimated from one test set are."""

import itertools
from collections.abc import Sequence
from typing import Any, Unpack

from sigarray._backend.aliases import (
    Alternative,
    Device,
    Namespace,
    RandomSource,
    SharingOptions,
)
from sigarray._backend.checks import (
    MAX_REPLICATES,
    anything,
    choice,
    count,
    describe,
    number,
    several,
)
from sigarray._backend.dispatch import choose_library
from sigarray._backend.public import checked
from sigarray._backend.seeds import seed_words, spare_seed
from sigarray._response_results import Study
from sigarray.responses._leads import find_p_values, simulate_p_values
from sigarray.responses._measurement import Metric, Wins
from sigarray.responses._models import Model, ModelName, Response
from sigarray.responses._pools import RESPONSE_SAMPLERS, Responses
from sigarray.responses._sampling import ITEM_SAMPLERS, Items
from sigarray.responses._simulation import check_parameters, choose_dtype, draw_sets
from sigarray.responses.metrics import choose_metric

_METRICS = ("mae", "mse", "cosine", "spearman", "emd", "wins_mae", "wins_mae_all")


@checked(
    metrics=several(anything),
    items=several(choice(*ITEM_SAMPLERS)),
    responses=several(choice(*RESPONSE_SAMPLERS)),
    perturbations=several(number),
    model=anything,
    n_items=count(),
    n_responses=count(),
    n_sets=count(MAX_REPLICATES - 1),
    n_resamples=count(MAX_REPLICATES - 1),
    xp=anything,
    device=anything,
    dtype=anything,
)
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
        Another distribution: f(mean, sd, uniform), in array-API code, returns responses
        for means and standard deviations of items and uniform numbers in (0, 1), which
        broadcast.
    n_items : int, default: 1000
        Items of a test set.
    n_responses : int, default: 5
        Responses to each item, of gold and of each system.
    n_sets : int, default: 1000
        New test sets under each hypothesis, for the true p-value.
    n_resamples : int, default: 1000
        Test sets under each hypothesis, for the estimated p-value.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        The alternative: A differs from B ("two-sided"), is better ("greater") or worse
        ("less").
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
        Called as ``progress(done, total)`` after every batch, but not by JAX; or a bar,
        ``progress=tqdm()``.

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
    chosen = tuple(choose_metric(x) for x in metrics)
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
    shape = (len(chosen), len(items), len(responses))
    takes_one = [x in ("one", "first") for x in responses]
    estimated, true = [], []
    for size in perturbations:
        parameters = check_parameters(library, model, 0.0, size)
        # Once with all responses, and once with one of them.
        _, pvalues, _, _ = simulate_p_values(
            library,
            seed,
            *parameters,
            metrics=chosen * 2,
            takes_one=(False,) * len(chosen) + (True,) * len(chosen),
            alternative=alternative,
            n_sets=n_sets,
            **options,
        )
        pvalues = [
            pvalues[len(chosen) :] if is_one else pvalues[: len(chosen)]
            for is_one in takes_one
        ]
        pvalues = library.stack(pvalues, axis=-1)[:, None, :]
        true.append(library.broadcast_to(pvalues, shape))
        test_set = draw_sets(
            library,
            set_seed,
            0,
            1,
            *parameters,
            hypothesis="alternative",
            **options,
        )
        p_values = [
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
            for metric, by_items, by_responses in itertools.product(
                chosen, items, responses
            )
        ]
        estimated.append(library.reshape(library.stack(p_values), shape))
    return Study(library.stack(estimated), library.stack(true))


@checked(
    metrics=several(anything),
    items=several(choice(*ITEM_SAMPLERS)),
    responses=several(choice(*RESPONSE_SAMPLERS)),
    perturbations=several(number),
)
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
        estimated = float(study.estimated_pvalue[place])
        true = float(study.true_pvalue[place])
        pvalues = {"estimated_pvalue": estimated, "true_pvalue": true}
        records.append(names | pvalues | {"difference": estimated - true})
    return records
