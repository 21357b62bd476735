"""How good p-values that are estimated from one test set are."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sigarray._backend.aliases import Array, Device, Namespace, RandomSource
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
from sigarray._backend.dispatch import namespace_of
from sigarray._backend.seeds import seed_words, spare_seed
from sigarray._numeric.statistic import Alternative
from sigarray.responses._leads import simulate_tests, test_sets
from sigarray.responses._models import Model, Response
from sigarray.responses._pools import RESPONSE_SAMPLERS, Responses
from sigarray.responses._sampling import ITEM_SAMPLERS, Items
from sigarray.responses._simulation import (
    check_parameters,
    choose_dtype,
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
