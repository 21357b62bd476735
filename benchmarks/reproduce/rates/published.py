"""How often the published bound of ASO calls one of two equal models better."""

import warnings
from typing import Any

import numpy as np

import sigarray
from benchmarks.reproduce.error_rates import find_plain_bounds
from benchmarks.reproduce.experiment import Settings
from benchmarks.reproduce.known_ratios import THRESHOLD
from benchmarks.reproduce.rates.tests import FULL, N_BLOCKS, QUICK
from benchmarks.reproduce.verdicts import LEVEL, N_RESAMPLES

SIZES = (2, 3, 5, 10, 20)


def describe_published(settings: Settings) -> list[dict[str, Any]]:
    """Return the share of pairs in which it is below 0.2 one way or the other."""
    n_sets = settings.choose(QUICK, FULL)
    rows = []
    for n in SIZES:
        a, b = np.random.default_rng((10, n)).normal(size=(2, n_sets, n))
        found = [
            is_any_better(settings, a[k::N_BLOCKS], b[k::N_BLOCKS], k)
            for k in range(N_BLOCKS)
        ]
        rows.append(
            {
                "function": "deepsig.aso",
                "unit": "runs",
                "n": n,
                "m": n,
                "scores": "normal",
                "spread": 1.0,
                "n_sets": n_sets,
                "rate": float(np.mean(np.concatenate(found))),
            }
        )
    return rows


def is_any_better(
    settings: Settings, a: np.ndarray, b: np.ndarray, rng: int
) -> np.ndarray:
    """Tell where the bound of A over B or that of B over A is below the threshold."""
    n = a.shape[-1]
    with warnings.catch_warnings():
        # That two runs are too few is what is shown.
        warnings.simplefilter("ignore", UserWarning)
        order = sigarray.aso(
            settings.put(a),
            settings.put(b),
            confidence_level=1.0 - LEVEL,
            method="bootstrap",
            n_resamples=N_RESAMPLES,
            rng=rng,
        )
    bound = np.asarray(find_plain_bounds(order, n))
    ratio = np.asarray(order.violation_ratio)
    # The other way round the ratio is 1 - eps, and its deviation is the same.
    other = bound - 2.0 * ratio + 1.0
    return np.minimum(bound, other) < THRESHOLD
