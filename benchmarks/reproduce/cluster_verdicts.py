"""How often one of two equal models is called better on items in clusters.

Sizes of clusters are lognormal with a mean of about 10; the differences of items of one
cluster correlate.
"""

from typing import Any

import numpy as np

from benchmarks.reproduce.clusters import draw_clusters
from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.verdict_page import show, write_table
from sigarray import compare_models

NUMBERS = (10, 20, 50)
CORRELATION = 0.5
# Options beside the scores of items; `clusters` stands for their labels.
METHODS: dict[str, dict[str, Any]] = {
    "by default": {"clusters": True},
    "by t": {"clusters": True, "test": "t"},
    "of items": {"unit": "item"},
}
_DEVIATION = 0.8


def count(number: int, n_sets: int, seed: int) -> dict[str, Any]:
    """Return the share of sets in which one of two equal models is called better."""
    rng = np.random.default_rng(seed)
    found = dict.fromkeys(METHODS, 0)
    between, within = np.sqrt([CORRELATION, 1.0 - CORRELATION])
    for _ in range(n_sets):
        codes = draw_clusters(rng, number, _DEVIATION)
        effects = between * rng.normal(size=(2, number))[:, codes]
        hardness = rng.normal(size=number)[codes]  # shared, so that it cancels
        noise = within * rng.normal(size=(2, len(codes)))
        a, b = np.round(hardness + effects + noise, 1)
        for method, options in METHODS.items():
            said = {x: codes if y is True else y for x, y in options.items()}
            (verdict,) = compare_models({"a": a, "b": b}, **said).verdicts
            found[method] += verdict.better is not None
    return {
        "number": number,
        "n_sets": n_sets,
        **{method: found[method] / n_sets for method in METHODS},
    }


def run(settings: Settings) -> Experiment:
    """Count how often a model is called better than an equal one."""
    n_sets = settings.choose(40, 2000)
    rows = [count(number, n_sets, seed) for seed, number in enumerate(NUMBERS)]
    return Experiment("Verdicts on clustered items", rows, [], page=tabulate(rows))


def tabulate(rows: list[dict[str, Any]]) -> list[str]:
    """Return the results as a table of Markdown."""
    header = ["number of clusters", *METHODS]
    lines = [
        [
            str(x["number"]),
            *(show(float(x[method])) for method in METHODS),
        ]
        for x in rows
    ]
    return [
        f"Of {rows[0]['n_sets']} sets each of two equal models, whose differences on "
        f"items of one cluster correlate by {CORRELATION:g}, `compare_models` calls "
        "one better in so many percent: with `clusters=` and the test that it then "
        'takes, t for fewer than 20 clusters; with `test="t"`; and of items, as if '
        "they were independent.",
        write_table(header, lines),
    ]
