"""How often stochastic order calls a model better, if seeds and items were drawn.

Each model has its own hard items, so that means over items differ between models that
are equal. The scores are those of `seeds_and_items`.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.seeds_and_items import DEVIATIONS, ITEMS, NUMBERS, draw_models
from benchmarks.reproduce.verdict_page import show, write_table
from sigarray import aso, multi_aso, t_test

# Differences, and standard deviations of items of each model by itself.
DESIGNS = ((0.0, 0.15), (0.0, 0.3), (0.05, 0.15))
# Whether A is called better, or either model: by two claims of 5 % each, or of 2.5 %.
OF_BOTH = ("aso", "aso, either", "aso, either at half")
OF_MEANS = ("aso of means", "aso of means, either")
METHODS = (*OF_BOTH, *OF_MEANS, "t_test")
THRESHOLD, _LEVEL, _N_RESAMPLES, _BATCH = 0.2, 0.05, 300, 50
_AXES = (-2, -1)
# Of several equal models, all pairs of which are compared.
N_MODELS, OWN_OF_MODELS = 4, (0.15, 0.3)


def _find_better(
    a: np.ndarray, b: np.ndarray, rng: int, *, are_equal: bool
) -> dict[str, Any]:
    """Tell of each set which methods call A, or of equal models either, better."""

    def call(x: np.ndarray, y: np.ndarray, **options: Any) -> Any:
        result = aso(x, y, n_resamples=_N_RESAMPLES, rng=rng, **options)
        return result.eps_min < THRESHOLD

    means = [x.mean(axis=-1) for x in (a, b)]
    better = {
        "aso": call(a, b, axis=_AXES),
        "aso of means": call(*means),
        "t_test": t_test(a, b, axis=_AXES, alternative="greater").pvalue <= _LEVEL,
    }
    if are_equal:
        half = {"axis": _AXES, "n_comparisons": 2}
        better |= {
            "aso, either": better["aso"] | call(b, a, axis=_AXES),
            "aso, either at half": call(a, b, **half) | call(b, a, **half),
            "aso of means, either": better["aso of means"] | call(*means[::-1]),
        }
    return better


def count(
    difference: float,
    own: float,
    number: int,
    n_items: int,
    deviation: float,
    n_sets: int,
    seed: int,
) -> dict[str, Any]:
    """Return the share of sets in which the better model, or either, is called so."""
    rng = np.random.default_rng(seed)
    counts = dict.fromkeys(METHODS, 0.0)
    for k in range(0, n_sets, _BATCH):
        size = min(_BATCH, n_sets - k)
        a, b = draw_models(rng, 2, number, n_items, deviation, size, own)
        better = _find_better(
            a + difference, b, seed * n_sets + k, are_equal=difference == 0.0
        )
        for method in METHODS:
            of_sets = better.get(method)
            counts[method] += math.nan if of_sets is None else float(of_sets.sum())
    return {
        "difference": difference,
        "own": own,
        "seeds": number,
        "items": n_items,
        "deviation": deviation,
        "n_sets": n_sets,
        **{method: counts[method] / n_sets for method in METHODS},
    }


def run(settings: Settings) -> Experiment:
    """Count verdicts on equal models, and on models of which one is better."""
    n_sets = settings.choose(50, 1000)
    designs = itertools.product(DESIGNS, NUMBERS, ITEMS, DEVIATIONS)
    rows = [
        count(*models, *design, n_sets, seed)
        for seed, (models, *design) in enumerate(designs)
    ]
    return Experiment("Stochastic order of seeds", rows, [], page=tabulate(rows))


def count_any(
    own: float, number: int, n_items: int, deviation: float, n_sets: int, seed: int
) -> dict[str, Any]:
    """Return the share of sets of equal models in which any is called better."""
    rng = np.random.default_rng(seed)
    n_better = 0
    # Of several models each has so many times what is passed.
    passed = own / (N_MODELS - 1)
    for k in range(0, n_sets, _BATCH):
        size = min(_BATCH, n_sets - k)
        models = draw_models(rng, N_MODELS, number, n_items, deviation, size, passed)
        result = multi_aso(
            models, axis=_AXES, n_resamples=_N_RESAMPLES, rng=seed * n_sets + k
        )
        n_better += int((result.eps_min < THRESHOLD).any(axis=_AXES).sum())
    return {
        "models": N_MODELS,
        "own": own,
        "seeds": number,
        "items": n_items,
        "deviation": deviation,
        "n_sets": n_sets,
        "any": n_better / n_sets,
    }


def run_models(settings: Settings) -> Experiment:
    """Count the sets of several equal models in which any is called better."""
    n_sets = settings.choose(50, 2000)
    designs = itertools.product(OWN_OF_MODELS, NUMBERS, ITEMS, DEVIATIONS)
    rows = [count_any(*design, n_sets, seed) for seed, design in enumerate(designs)]
    page = tabulate_models(rows)
    return Experiment(
        "Stochastic order of seeds of several models", rows, [], page=page
    )


def tabulate_models(rows: list[dict[str, Any]]) -> list[str]:
    """Return the rates of several models as a table of Markdown."""
    header = ["sd of own items", "seeds", "items", "sd of seeds", "any is better"]
    lines = [
        [
            f"{float(x['own']):g}",
            str(x["seeds"]),
            str(x["items"]),
            f"{float(x['deviation']):g}",
            show(float(x["any"])),
        ]
        for x in rows
    ]
    return [
        f"Of {rows[0]['n_sets']} sets of {rows[0]['models']} equal models each, "
        "`multi_aso` with axes of seeds and of items called any better, in so many "
        "percent:",
        write_table(header, lines),
    ]


def tabulate(rows: list[dict[str, Any]]) -> list[str]:
    """Return the results as tables of Markdown, of equal models and of others."""
    equal, unequal = (
        [x for x in rows if (float(x["difference"]) > 0.0) == is_unequal]
        for is_unequal in (False, True)
    )
    (difference,) = {float(x["difference"]) for x in unequal}
    return [
        f"Of {rows[0]['n_sets']} pairs of equal models each, `aso` with axes of seeds "
        f"and of items called A better (eps_min < {THRESHOLD:g}), or either of both, "
        "in so many percent: by two calls, or by two with `n_comparisons=2`. Beside "
        "it, `aso` of means over items, and one-sided `t_test` with both axes (p <= "
        f"{_LEVEL:g}).",
        _write(METHODS, equal),
        f"The same of models of which A is better by {difference:g}:",
        _write((OF_BOTH[0], OF_MEANS[0], METHODS[-1]), unequal),
    ]


def _write(names: Sequence[str], rows: list[dict[str, Any]]) -> str:
    header = ["sd of own items", "seeds", "items", "sd of seeds", *names]
    lines = [
        [
            f"{float(x['own']):g}",
            str(x["seeds"]),
            str(x["items"]),
            f"{float(x['deviation']):g}",
            *(show(float(x[name])) for name in names),
        ]
        for x in rows
    ]
    return write_table(header, lines)
