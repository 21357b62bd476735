"""How often `response_test` tells systems apart that are the same."""

import itertools
from typing import Any

import numpy as np

from benchmarks.reproduce.experiment import Settings
from benchmarks.reproduce.rates.tests import LEVEL
from sigarray import responses
from sigarray.responses._sampling import ITEM_SAMPLERS, RESPONSE_SAMPLERS

N_ITEMS, N_RESPONSES, N_RESAMPLES = 100, 5, 100
# Of responses of runs, of which items do not make up for one another.
N_ITEMS_OF_RUNS = 400
QUICK, FULL = 50, 500
METRICS = ("mae", "wins_mae")


def describe_responses(settings: Settings) -> list[dict[str, Any]]:
    """Return the rates of both metrics, for all that may vary."""
    n_sets = settings.choose(QUICK, FULL)
    sets = responses.simulate(
        N_ITEMS,
        N_RESPONSES,
        n_sets=n_sets,
        perturbation_b=0.0,
        xp=settings.namespace,
        rng=8,
    )
    rows = [
        describe_sets(sets, metric, items, answers)
        for items, answers in itertools.product(ITEM_SAMPLERS, RESPONSE_SAMPLERS)
        for metric in METRICS
    ]
    of_runs = [settings.put(x) for x in draw_runs(n_sets)]
    for items in ITEM_SAMPLERS:
        row = describe_sets(of_runs, "mae", items, "all")
        said = f"{row['options']}, of runs, {N_ITEMS_OF_RUNS} items"
        rows.append(row | {"options": said, "n": N_ITEMS_OF_RUNS})
    return rows


def draw_runs(n_sets: int) -> list[np.ndarray]:
    """Return gold and the responses of two systems whose runs are more or less noisy.

    A column is of one run, whose noise has a deviation of exp(z / 5) for a normal z.
    """
    rng = np.random.default_rng(11)
    shape = (n_sets, N_ITEMS_OF_RUNS, N_RESPONSES)
    truth = rng.normal(size=(n_sets, N_ITEMS_OF_RUNS, 1))
    noise = [1.0, *(np.exp(rng.normal(size=(2, n_sets, 1, N_RESPONSES)) / 5.0))]
    return [truth + x * rng.normal(size=shape) for x in noise]


def describe_sets(sets: Any, metric: str, items: Any, answers: Any) -> dict[str, Any]:
    """Return the rate of one metric, where items and responses vary so."""
    p = responses.response_test(
        *sets,
        metric=metric,
        items=items,
        responses=answers,
        n_resamples=N_RESAMPLES,
        rng=1,
    ).pvalue
    return {
        "options": f"items {items}, responses {answers}",
        "function": "response_test",
        "unit": "responses",
        "null": "equal systems",
        "n": N_ITEMS,
        "m": N_RESPONSES,
        "scores": metric,
        "n_sets": len(p),
        "rate": float(np.mean(np.asarray(p) <= LEVEL)),
    }
