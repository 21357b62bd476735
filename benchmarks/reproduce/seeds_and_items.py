"""How often intervals of seeds and items hold the mean, and the power of what is asked.

Scores are an effect of the seed, one of the item, and a rest, all of them normal.
"""

import itertools
import math
from typing import Any

import numpy as np

from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.verdict_page import show, write_table
from sigarray import bootstrap_ci, required_items, t_ci, t_test

NUMBERS = (3, 5, 10)
ITEMS = (200, 500)
DEVIATIONS = (0.0, 0.02, 0.1)
MODELS = (1, 2)
METHODS = ("t_ci", "percentile", "items alone", "seeds alone")
# Standard deviations: of items for both models, of items for each of two models by
# itself, and of what is left.
_ITEM, _OWN, _BOTH = 0.4, 0.15, 0.2
_N_RESAMPLES, _BATCH = 499, 50
_AXES = (-2, -1)

# Standard deviations of each of two models by seed, by item, and of both.
COMPONENTS = (
    (0.0, 0.15, 0.2),
    (0.005, 0.15, 0.2),
    (0.015, 0.15, 0.2),
    (0.01, 0.4, 0.0),
    (0.02, 0.0, 0.4),
    (0.0, 0.0, 0.2),
    (0.02, 0.0, 0.1),
)
N_SEEDS = (2, 3, 4, 5, 10)
DIFFERENCE, POWER = 0.05, 0.8
# So many cells of tables at a time.
_CELLS = 2_000_000


def draw_models(
    rng: np.random.Generator,
    models: int,
    number: int,
    n_items: int,
    deviation: float,
    size: int,
    own: float = _OWN,
) -> list[np.ndarray]:
    """Draw tables (size, seeds, items) of models, several with their own hard items."""
    shared = _ITEM * rng.normal(size=(size, 1, n_items))
    return [
        shared
        + own * (models - 1) * rng.normal(size=(size, 1, n_items))
        + deviation * rng.normal(size=(size, number, 1))
        + _BOTH * rng.normal(size=(size, number, n_items))
        for _ in range(models)
    ]


def _count_held(result: Any) -> int:
    low, high = result.confidence_interval
    return int(np.sum((low <= 0.0) & (high >= 0.0)))


def count(
    models: int, number: int, n_items: int, deviation: float, n_sets: int, seed: int
) -> dict[str, Any]:
    """Return the share of sets in which each interval of 95 % holds the mean."""
    rng = np.random.default_rng(seed)
    held = dict.fromkeys(METHODS, 0)
    for k in range(0, n_sets, _BATCH):
        size = min(_BATCH, n_sets - k)
        samples = draw_models(rng, models, number, n_items, deviation, size)
        of_items = [x.mean(axis=-2) for x in samples]
        of_seeds = [x.mean(axis=-1) for x in samples]
        intervals = {
            "t_ci": t_ci(*samples, axis=_AXES),
            "percentile": bootstrap_ci(
                *samples,
                axis=_AXES,
                method="percentile",
                n_resamples=_N_RESAMPLES,
                rng=seed * n_sets + k,
            ),
            "items alone": t_ci(*of_items, paired=models == 2),
            "seeds alone": t_ci(*of_seeds),
        }
        for method, result in intervals.items():
            held[method] += _count_held(result)
    return {
        "models": models,
        "seeds": number,
        "items": n_items,
        "deviation": deviation,
        "n_sets": n_sets,
        **{method: held[method] / n_sets for method in METHODS},
    }


def run(settings: Settings) -> Experiment:
    """Count how often each interval holds the mean."""
    n_sets = settings.choose(100, 2000)
    rows = [
        count(*design, n_sets, seed)
        for seed, design in enumerate(
            itertools.product(MODELS, NUMBERS, ITEMS, DEVIATIONS)
        )
    ]
    return Experiment("Intervals of seeds and items", rows, [], page=tabulate(rows))


def tabulate(rows: list[dict[str, Any]]) -> list[str]:
    """Return the results as a table of Markdown."""
    header = ["interval of", "seeds", "items", "sd of seeds", *METHODS]
    lines = [
        [
            {"1": "a mean", "2": "a difference"}[str(x["models"])],
            str(x["seeds"]),
            str(x["items"]),
            f"{float(x['deviation']):g}",
            *(show(float(x[method])) for method in METHODS),
        ]
        for x in rows
    ]
    return [
        f"Of {rows[0]['n_sets']} sets each, intervals of 95 % hold the truth in so "
        "many percent: Student's and the bootstrap's percentiles, both with axes of "
        "seeds and of items; and Student's of means of items and of means of seeds.",
        write_table(header, lines),
    ]


def count_seen(
    deviations: tuple[float, float, float],
    number: int,
    is_paired: bool,
    n_sets: int,
    seed: int,
) -> dict[str, Any]:
    """Return the items that a difference needs, and the share that then shows it."""
    components = [2.0 * sd**2 for sd in deviations]
    (needed,) = required_items(
        components, number, DIFFERENCE, paired=is_paired, power=POWER
    )
    share = math.nan
    if math.isfinite(needed):
        n_items = int(needed)
        step = max(1, min(n_sets, _CELLS // (number * n_items)))
        rng, seen = np.random.default_rng(seed), 0
        for k in range(0, n_sets, step):
            size = min(step, n_sets - k)
            of_seed, of_item, of_both = deviations
            a, b = (
                of_seed * rng.normal(size=(size, number, 1))
                + of_item * rng.normal(size=(size, 1, n_items))
                + of_both * rng.normal(size=(size, number, n_items))
                for _ in range(2)
            )
            test = t_test(a + DIFFERENCE, b, axis=_AXES, paired=is_paired)
            seen += int(np.sum(test.pvalue <= 0.05))
        share = seen / n_sets
    of_each = dict(zip(("seed", "item", "both"), deviations, strict=True))
    return {
        **of_each,
        "paired": int(is_paired),
        "seeds": number,
        "n_sets": n_sets,
        "items": needed,
        "power": share,
    }


def run_power(settings: Settings) -> Experiment:
    """Count how often the items that are needed show the difference."""
    n_sets = settings.choose(50, 2000)
    rows = [
        count_seen(*design, n_sets, seed)
        for seed, design in enumerate(
            itertools.product(COMPONENTS, N_SEEDS, (False, True))
        )
    ]
    return Experiment("Items that are needed", rows, [], page=tabulate_power(rows))


def tabulate_power(rows: list[dict[str, Any]]) -> list[str]:
    """Return the results as a table of Markdown."""
    header = ["sd of seeds", "of items", "of both", "seeds"]
    header += [f"{x}, {y}" for x in ("own", "shared") for y in ("items", "power")]
    lines: dict[tuple[str, ...], list[str]] = {}
    for x in rows:
        key = (
            *(f"{float(x[name]):g}" for name in ("seed", "item", "both")),
            str(x["seeds"]),
        )
        is_finite = math.isfinite(float(x["items"]))
        lines.setdefault(key, []).extend(
            [f"{float(x['items']):g}", show(float(x["power"]))]
            if is_finite
            else ["none", ""]
        )
    return [
        f"Of {rows[0]['n_sets']} pairs of models each that differ by {DIFFERENCE}, "
        f"`t_test` saw the difference in so many percent, with the number of items of "
        f"which `required_items` promises {POWER:g}. Each model has seeds of its own, "
        "or both have the same.",
        write_table(header, [[*key, *cells] for key, cells in lines.items()]),
    ]
