"""How often intervals of an aggregate over tasks hold it, with few runs of each task.

Tasks are fixed, at levels of a wide range; runs of a task vary in proportion to it.
"""

import itertools
from typing import Any

import numpy as np
import scipy.stats

from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.verdict_page import show, write_table
from sigarray import bootstrap_ci, t_ci

TASKS = (6, 26)
RUNS = (2, 3, 5, 10)
KINDS = ("normal", "lognormal")
METHODS = ("t_ci of the mean", "percentile", "bca", "all runs drawn", "pooled")
_N_RESAMPLES, _AT_ONCE, _N_TRUE = 999, 40, 200_000


def count(
    n_tasks: int, n_runs: int, kind: str, n_sets: int, seed: int
) -> dict[str, Any]:
    """Return the share of sets in which each interval of 95 % holds the truth."""
    rng = np.random.default_rng(seed)
    levels = np.geomspace(0.1, 3.0, n_tasks)[:, None]
    truth_of_iqm = find_true_iqm(rng, levels, kind, n_tasks * n_runs)
    held = dict.fromkeys(METHODS, 0)
    for first in range(0, n_sets, _AT_ONCE):
        x = draw_runs(rng, levels, kind, min(_AT_ONCE, n_sets - first), n_runs)
        drawn = {"n_resamples": _N_RESAMPLES, "statistic": "iqm", "rng": first}
        by_name = {
            "t_ci of the mean": t_ci(x, strata=-2).confidence_interval,
            "percentile": bootstrap_ci(
                x, strata=-2, method="percentile", **drawn
            ).confidence_interval,
            "bca": bootstrap_ci(x, strata=-2, **drawn).confidence_interval,
            "all runs drawn": _draw_all_runs(rng, x),
            "pooled": bootstrap_ci(
                x.reshape(len(x), -1), method="percentile", **drawn
            ).confidence_interval,
        }
        for method, (low, high) in by_name.items():
            truth = levels.mean() if method == METHODS[0] else truth_of_iqm
            held[method] += int(np.sum((low <= truth) & (truth <= high)))
    return {
        "tasks": n_tasks,
        "runs": n_runs,
        "scores": kind,
        "n_sets": n_sets,
        **{method: held[method] / n_sets for method in METHODS},
    }


def find_true_iqm(rng: Any, levels: Any, kind: str, n: int) -> Any:
    """Return the interquartile mean of as many runs as there could be.

    Of n runs, n // 4 are left out at each end, and so is that share here.
    """
    runs = draw_runs(rng, levels, kind, 1, _N_TRUE)
    return scipy.stats.trim_mean(runs.ravel(), (n // 4) / n)


def draw_runs(rng: Any, levels: Any, kind: str, n_sets: int, n_runs: int) -> Any:
    """Return scores (sets, tasks, runs), whose means are the levels."""
    z = rng.normal(size=(n_sets, len(levels), n_runs))
    if kind == "normal":
        return levels * (1.0 + 0.25 * z)
    return levels * np.exp(0.5 * z - 0.125)


def _iqm(x: Any) -> Any:
    return scipy.stats.trim_mean(x.reshape(len(x), -1), 0.25, axis=-1)


def _draw_all_runs(rng: Any, x: Any) -> tuple[Any, Any]:
    """Return percentile limits, by as many draws of each task as it has runs.

    This is what rliable does (Agarwal et al. 2021, doi:10.48550/arXiv.2108.13264).
    """
    n_sets, n_tasks, n_runs = x.shape
    values = np.empty((_N_RESAMPLES, n_sets))
    for k in range(_N_RESAMPLES):
        places = rng.integers(0, n_runs, (n_sets, n_tasks, n_runs))
        values[k] = _iqm(np.take_along_axis(x, places, axis=-1))
    low, high = np.quantile(values, (0.025, 0.975), axis=0)
    return low, high


def run(settings: Settings) -> Experiment:
    """Count how often each interval holds the mean, or the interquartile mean."""
    n_sets = settings.choose(40, 2000)
    rows = [
        count(*design, n_sets, seed)
        for seed, design in enumerate(itertools.product(TASKS, RUNS, KINDS))
    ]
    return Experiment(
        "Intervals of aggregates over tasks", rows, [], page=tabulate(rows)
    )


def tabulate(rows: list[dict[str, Any]]) -> list[str]:
    """Return the results as a table of Markdown."""
    header = ["tasks", "runs", "scores", *METHODS]
    lines = [
        [
            str(x["tasks"]),
            str(x["runs"]),
            x["scores"],
            *(show(float(x[method])) for method in METHODS),
        ]
        for x in rows
    ]
    return [
        f"Of {rows[0]['n_sets']} sets each, intervals of 95 % hold the truth in so "
        "many percent: Student's within tasks, of the mean; and of the interquartile "
        "mean, bootstraps that draw one run of each task less than there are, one that "
        "draws all of them, and one that draws from the runs of all tasks, pooled.",
        write_table(header, lines),
    ]
