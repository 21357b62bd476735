"""How often `response_test` tells systems apart that are the same."""

import itertools
from typing import Any

import numpy as np

from benchmarks.reproduce.experiment import Settings
from benchmarks.reproduce.rates.tests import LEVEL
from sigarray import responses
from sigarray.responses._pools import RESPONSE_SAMPLERS
from sigarray.responses._sampling import ITEM_SAMPLERS

N_ITEMS, N_RESPONSES, N_RESAMPLES = 100, 5, 100
QUICK, FULL = 50, 500
METRICS = ("mae", "wins_mae")


def describe_responses(settings: Settings) -> list[dict[str, Any]]:
    """Give the rates of both metrics, for all that may vary."""
    n_sets = settings.choose(QUICK, FULL)
    sets = responses.simulate(
        N_ITEMS,
        N_RESPONSES,
        n_sets=n_sets,
        perturbation_b=0.0,
        xp=settings.namespace,
        rng=8,
    )
    rows = []
    for items, answers in itertools.product(ITEM_SAMPLERS, RESPONSE_SAMPLERS):
        for metric in METRICS:
            p = responses.response_test(
                *sets,
                metric=metric,
                items=items,
                responses=answers,
                n_resamples=N_RESAMPLES,
                rng=1,
            ).pvalue
            rows.append(
                {
                    "options": f"items {items}, responses {answers}",
                    "function": "response_test",
                    "unit": "responses",
                    "null": "equal systems",
                    "n": N_ITEMS,
                    "m": N_RESPONSES,
                    "scores": metric,
                    "n_sets": n_sets,
                    "rate": float(np.mean(np.asarray(p) <= LEVEL)),
                }
            )
    return rows
