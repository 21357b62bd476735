"""How often intervals of clustered items hold the mean, and those that ignore clusters.

Sizes of clusters are lognormal with a mean of about 10; items of one cluster correlate.
"""

import itertools
from typing import Any

import numpy as np

from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.verdict_page import show, write_table
from sigarray import bootstrap_ci, of_sums, t_ci

NUMBERS = (5, 20, 50, 100)
DEVIATIONS = (0.8, 1.2)
CORRELATIONS = (0.0, 0.1, 0.5)
METHODS = ("t_ci", "t_ci of F1", "percentile", "bca", "items")
_MEAN_SIZE, _N_RESAMPLES = 10.0, 999


def _f1(tp: Any, fp: Any, fn: Any) -> Any:
    return 2.0 * tp / (2.0 * tp + fp + fn)


def draw_clusters(
    rng: np.random.Generator, number: int, deviation: float
) -> np.ndarray:
    """Return the cluster of each item; sizes are lognormal, with a mean of about 10."""
    logs = deviation * rng.normal(size=number) - 0.5 * deviation**2
    sizes = np.maximum(1, np.round(_MEAN_SIZE * np.exp(logs))).astype(int)
    return np.repeat(np.arange(number), sizes)


def count(
    number: int, deviation: float, correlation: float, n_sets: int, seed: int
) -> dict[str, Any]:
    """Return the share of sets in which each interval of 95 % holds the truth."""
    rng = np.random.default_rng(seed)
    held = dict.fromkeys(METHODS, 0)
    f1, truth = of_sums(_f1), _f1(4.0, 1.0, 2.0)
    between, within = np.sqrt([correlation, 1.0 - correlation])
    for k in range(n_sets):
        codes = draw_clusters(rng, number, deviation)
        effects = between * rng.normal(size=number)[codes]
        x = effects + within * rng.normal(size=len(codes))
        # Counts of each item, whose rates depend on its cluster.
        rates = np.exp(0.5 * effects - 0.125 * between**2)
        counts = rng.poisson(np.asarray([[4.0], [1.0], [2.0]]) * rates)
        drawn = {"clusters": codes, "n_resamples": _N_RESAMPLES, "rng": k}
        intervals = {
            "t_ci": (t_ci(x, clusters=codes), 0.0),
            "t_ci of F1": (t_ci(counts, statistic=f1, clusters=codes), truth),
            "percentile": (bootstrap_ci(x, method="percentile", **drawn), 0.0),
            "bca": (bootstrap_ci(x, **drawn), 0.0),
            "items": (t_ci(x), 0.0),
        }
        for method, (result, value) in intervals.items():
            low, high = result.confidence_interval
            held[method] += bool(low <= value <= high)
    return {
        "clusters": number,
        "deviation": deviation,
        "correlation": correlation,
        "n_sets": n_sets,
        **{method: held[method] / n_sets for method in METHODS},
    }


def run(settings: Settings) -> Experiment:
    """Count how often each interval holds the mean."""
    n_sets = settings.choose(60, 2000)
    rows = [
        count(*design, n_sets, seed)
        for seed, design in enumerate(
            itertools.product(NUMBERS, DEVIATIONS, CORRELATIONS)
        )
    ]
    return Experiment("Intervals of clustered items", rows, [], page=tabulate(rows))


def tabulate(rows: list[dict[str, Any]]) -> list[str]:
    """Return the results as a table of Markdown."""
    header = ["clusters", "log-sd of sizes", "correlation", *METHODS]
    lines = [
        [
            str(x["clusters"]),
            f"{float(x['deviation']):g}",
            f"{float(x['correlation']):g}",
            *(show(float(x[method])) for method in METHODS),
        ]
        for x in rows
    ]
    return [
        f"Of {rows[0]['n_sets']} sets each, intervals of 95 % hold the truth in so "
        "many percent: Student's of clusters, of the mean and of the F1 of counts; "
        "bootstraps of clusters; and Student's of items, as if they were independent.",
        write_table(header, lines),
    ]
