"""How good the estimated p-values are, and how many items and responses are needed."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sigarray._backend.aliases import Array, Device, Namespace, RandomSource, Seed
from sigarray._backend.checks import (
    MAX_REPLICATES,
    anything,
    checked,
    choice,
    count,
    function,
    number,
    optional,
    several,
)
from sigarray._backend.chunks import map_replicates
from sigarray._backend.dispatch import namespace_of
from sigarray._backend.libraries import array_kernel, device_of
from sigarray._backend.seeds import seed_words, spare_seed
from sigarray._numeric.statistic import Alternative
from sigarray.responses._models import Model, Response
from sigarray.responses._sampling import (
    ITEM_SAMPLERS,
    RESPONSE_SAMPLERS,
    Items,
    Responses,
)
from sigarray.responses._significance import simulate_tests, test_sets
from sigarray.responses._simulation import (
    check_parameters,
    choose_dtype,
    count_elements,
    draw_sets,
)
from sigarray.responses.metrics import Metric, Wins, choose_metric

if TYPE_CHECKING:
    import pandas as pd

_METRICS = ("mae", "mse", "cosine", "spearman", "emd", "wins_mae", "wins_mae_all")


@dataclass(frozen=True)
class Study:
    """P-values estimated from one test set, beside the true ones.

    Attributes
    ----------
    perturbations, metrics, items, responses : tuple
        What was tried: the axes of the arrays, in this order.
    estimated_p : array, shape (P, M, I, R)
        P-values of `response_test` on one simulated test set for each perturbation.
    true_p : array, shape (P, M, I, R)
        P-values of `true_p_value`, of all responses beside "all", "bootstrap" and
        "without_replacement", and of one response beside "one" and "first".
    """

    perturbations: tuple[float, ...]
    metrics: tuple[str, ...]
    items: tuple[Items, ...]
    responses: tuple[Responses, ...]
    estimated_p: Array
    true_p: Array

    @property
    def difference(self) -> Array:
        """Estimated less true p-values, shape (P, M, I, R)."""
        return self.estimated_p - self.true_p

    def to_records(self) -> list[dict[str, Any]]:
        """Give a row for each p-value, on the host."""
        axes = (self.perturbations, self.metrics, self.items, self.responses)
        places = itertools.product(*(range(len(axis)) for axis in axes))
        names = ("perturbation", "metric", "items", "responses")
        records: list[dict[str, Any]] = []
        for place in places:
            labels = [axis[i] for axis, i in zip(axes, place, strict=True)]
            estimated_p, true_p = (
                float(self.estimated_p[place]),
                float(self.true_p[place]),
            )
            records.append(
                dict(zip(names, labels, strict=True))
                | {
                    "estimated_p": estimated_p,
                    "true_p": true_p,
                    "difference": estimated_p - true_p,
                }
            )
        return records

    def to_frame(self) -> "pd.DataFrame":
        """Give a pandas table with a row for each p-value, on the host."""
        import pandas as pd

        return pd.DataFrame(self.to_records())


@checked(
    metrics=several(anything),
    items=several(choice(*ITEM_SAMPLERS)),
    responses=several(choice(*RESPONSE_SAMPLERS)),
    perturbations=several(number),
    model=anything,
    response=optional(function),
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
    model: Model | Literal["normal", "likert"] = "normal",
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
) -> Study:
    """Compare p-values from one test set with the true ones, for ways to resample.

    Parameters
    ----------
    metrics : sequence, default: the seven of Tables 1 to 14
        As for `response_test`.
    items : sequence of str, default: ("all", "bootstrap")
        Ways to resample items, as for `response_test`.
    responses : sequence of str, default: ("all", "bootstrap", "one", "first")
        Ways to resample responses, as for `response_test`.
    perturbations : sequence of float, default: (0.0, 0.05, 0.1)
        Perturbations of B; A has none.
    model, response, n_items, n_responses, xp, device, dtype, rng
        The test sets, as for `simulate`.
    n_sets : int, default: 1000
        New test sets under each hypothesis, for the true p-value.
    n_resamples : int, default: 1000
        Test sets under each hypothesis, for the estimated p-value.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        As for `response_test`.

    Returns
    -------
    Study
        Estimated and true p-values; `to_frame()` makes a table of them.

    Raises
    ------
    TypeError, ValueError
        As for `response_test` and `true_p_value`; an option that is empty.

    Notes
    -----
    It makes Tables 1 to 14 of [1]_. All metrics see the same test sets. The estimated
    p-value is that of one test set, and another set has another one.

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
    >>> study.true_p.shape
    (3, 1, 2, 4)
    """
    chosen = tuple(choose_metric(x) for x in metrics)
    items, responses = tuple(items), tuple(responses)
    xp = namespace_of(xp)
    seed = seed_words(xp, device, rng)
    # The one after the next, which the null hypothesis takes; so too for the test.
    set_seed = spare_seed(xp, spare_seed(xp, seed))
    test_seed = spare_seed(xp, spare_seed(xp, set_seed))
    options = {
        "response": response,
        "n_items": n_items,
        "n_responses": n_responses,
        "dtype": choose_dtype(xp, dtype, device),
    }
    shape = (len(chosen), len(items), len(responses))
    takes_one = [x in ("one", "first") for x in responses]
    estimated, true = [], []
    for size in perturbations:
        parameters = check_parameters(xp, model, 0.0, size)
        # Once for all responses, and once for one of them.
        _, pvalues, _, _ = simulate_tests(
            xp,
            seed,
            *parameters,
            metrics=chosen * 2,
            takes_one=(False,) * len(chosen) + (True,) * len(chosen),
            alternative=alternative,
            n_sets=n_sets,
            batch=None,
            **options,
        )
        pvalues = [
            pvalues[len(chosen) :] if is_one else pvalues[: len(chosen)]
            for is_one in takes_one
        ]
        pvalues = xp.stack(pvalues, axis=-1)[:, None, :]
        true.append(xp.broadcast_to(pvalues, shape))
        test_set = draw_sets(
            xp,
            set_seed,
            0,
            1,
            *parameters,
            hypothesis="alternative",
            **options,
        )
        found = [
            test_sets(
                xp,
                *(test_set[0, i, ...] for i in range(3)),
                test_seed,
                metric=metric,
                items=by_items,
                responses=by_responses,
                alternative=alternative,
                n_resamples=n_resamples,
                batch=None,
            )[1]
            for metric, by_items, by_responses in itertools.product(
                chosen, items, responses
            )
        ]
        estimated.append(xp.reshape(xp.stack(found), shape))
    return Study(
        tuple(perturbations),
        tuple(metric.name for metric in chosen),
        items,
        responses,
        xp.stack(estimated),
        xp.stack(true),
    )


@checked(
    n_items=several(count()),
    n_responses=several(count()),
    metric=anything,
    items=choice(*ITEM_SAMPLERS),
    responses=choice(*RESPONSE_SAMPLERS),
    perturbation_a=anything,
    perturbation_b=anything,
    model=anything,
    response=optional(function),
    n_sets=count(MAX_REPLICATES - 1),
    n_resamples=count(MAX_REPLICATES - 1),
    xp=anything,
    device=anything,
    dtype=anything,
)
def power(
    n_items: int | Sequence[int] = (100, 300, 1000),
    n_responses: int | Sequence[int] = (1, 3, 5),
    *,
    metric: Metric | Wins | Any = "wins_mae",
    items: Items = "bootstrap",
    responses: Responses = "all",
    perturbation_a: float | Array = 0.0,
    perturbation_b: float | Array = 0.1,
    model: Model | Literal["normal", "likert"] = "normal",
    response: Response | None = None,
    significance_level: float = 0.05,
    alternative: Alternative = "two-sided",
    n_sets: int = 200,
    n_resamples: int = 200,
    xp: Namespace | None = None,
    device: Device = None,
    dtype: Any = None,
    rng: RandomSource = None,
) -> Array:
    """How probably a test set of so many items and responses shows a difference.

    Parameters
    ----------
    n_items : int or sequence of int, default: (100, 300, 1000)
        Numbers of items.
    n_responses : int or sequence of int, default: (1, 3, 5)
        Numbers of responses to each item by gold and by each system.
    metric, items, responses, alternative
        The test, as for `response_test`.
    perturbation_a, perturbation_b, model, response, xp, device, dtype
        The systems, as for `simulate`. A model that `fit` found in real ratings tells
        how many of them are needed.
    significance_level : float, default: 0.05
        The difference is seen where the p-value is not above it.
    n_sets : int, default: 200
        Test sets to simulate for each pair of numbers. The standard error of a power p
        is about (p (1 - p) / n_sets)^1/2.
    n_resamples : int, default: 200
        Resamples of each test set under each hypothesis, the same for all sets: with
        few of them, the standard error is larger, by a third or so for 20.
    rng : int, generator or key, optional
        Source of the random numbers, as for `sigarray.aso`.

    Returns
    -------
    array, shape (I, K)
        The share of test sets whose p-value is not above the level, for each number of
        items and of responses.

    Raises
    ------
    TypeError, ValueError
        As for `simulate` and `response_test`; numbers below 1, or none.

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
    xp = namespace_of(xp)
    chosen = choose_metric(metric)
    parameters = check_parameters(xp, model, perturbation_a, perturbation_b)
    dtype = choose_dtype(xp, dtype, device)
    seed = seed_words(xp, device, rng)
    rows = [
        xp.stack(
            [
                _find_power(
                    xp,
                    seed,
                    *parameters,
                    level=significance_level,
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
    return xp.stack(rows)


@array_kernel
def _find_power(
    xp: Namespace,
    seed: Seed,
    model: Model,
    perturbations: tuple[Any, ...],
    *,
    level: float,
    n_sets: int,
    metric: Metric | Wins,
    items: Items,
    responses: Responses,
    alternative: Alternative,
    n_resamples: int,
    **options: Any,
) -> Array:
    """Share of test sets that show the difference."""
    device = device_of(xp, seed[0])
    test_seed = spare_seed(xp, seed)

    def test(start: int | Array, count: int) -> Array:
        sets = draw_sets(
            xp,
            seed,
            start,
            count,
            model,
            perturbations,
            hypothesis="alternative",
            **options,
        )
        _, pvalue, _, _ = test_sets(
            xp,
            *(sets[:, i, ...] for i in range(3)),
            test_seed,
            metric=metric,
            items=items,
            responses=responses,
            alternative=alternative,
            n_resamples=n_resamples,
            batch=None,
        )
        return xp.where(
            xp.isnan(pvalue), math.nan, xp.astype(pvalue <= level, pvalue.dtype)
        )

    elements = count_elements(**options)
    return xp.mean(map_replicates(xp, device, test, n_sets, elements=elements))
