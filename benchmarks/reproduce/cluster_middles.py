"""How often intervals of medians and interquartile means of clustered items hold them.

Sizes of clusters are lognormal with a mean of about 10; items of one cluster correlate.
"""

import itertools
from typing import Any

import numpy as np

from benchmarks.reproduce.clusters import draw_clusters
from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.verdict_page import show, write_table
from sigarray import bootstrap_ci

NUMBERS = (5, 20, 50, 100)
CORRELATIONS = (0.0, 0.1, 0.5)
METHODS = {
    f"{statistic}, {name}": (statistic, method, name != "items")
    for statistic in ("median", "iqm")
    for name, method in (
        ("percentile", "percentile"),
        ("bca", "bca"),
        ("items", "percentile"),
    )
}
_DEVIATION, _N_RESAMPLES = 0.8, 499


def count(number: int, correlation: float, n_sets: int, seed: int) -> dict[str, Any]:
    """Return the share of sets in which each interval of 95 % holds the truth, 0."""
    rng = np.random.default_rng(seed)
    held = dict.fromkeys(METHODS, 0)
    between, within = np.sqrt([correlation, 1.0 - correlation])
    for k in range(n_sets):
        codes = draw_clusters(rng, number, _DEVIATION)
        effects = between * rng.normal(size=number)[codes]
        x = effects + within * rng.normal(size=len(codes))
        for name, (statistic, method, is_clustered) in METHODS.items():
            low, high = bootstrap_ci(
                x,
                statistic=statistic,
                method=method,
                clusters=codes if is_clustered else None,
                n_resamples=_N_RESAMPLES,
                rng=k,
            ).confidence_interval
            held[name] += bool(low <= 0.0 <= high)
    return {
        "clusters": number,
        "correlation": correlation,
        "n_sets": n_sets,
        **{method: held[method] / n_sets for method in METHODS},
    }


def run(settings: Settings) -> Experiment:
    """Count how often each interval holds the median or the interquartile mean."""
    n_sets = settings.choose(40, 2000)
    rows = [
        count(*design, n_sets, seed)
        for seed, design in enumerate(itertools.product(NUMBERS, CORRELATIONS))
    ]
    return Experiment(
        "Intervals of medians of clustered items", rows, [], page=tabulate(rows)
    )


def tabulate(rows: list[dict[str, Any]]) -> list[str]:
    """Return the results as a table of Markdown."""
    header = ["clusters", "correlation", *METHODS]
    lines = [
        [
            str(x["clusters"]),
            f"{float(x['correlation']):g}",
            *(show(float(x[method])) for method in METHODS),
        ]
        for x in rows
    ]
    return [
        f"Of {rows[0]['n_sets']} sets each, intervals of 95 % hold the median or the "
        "interquartile mean in so many percent: bootstraps of clusters, and percentile "
        "intervals of items, as if they were independent.",
        write_table(header, lines),
    ]
