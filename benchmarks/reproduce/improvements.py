"""How often `--statistic improvement` calls one of two models better that are not.

Both are normal with equal means on each task, so that P(A > B) is 1/2 there, with equal
spreads or of 4 : 1. Tasks are fixed, at levels of a wide range.
"""

import itertools
from typing import Any

import numpy as np

from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.verdict_page import show, write_table
from sigarray._verdicts.aggregate_tests import Pooled, compare_runs

TASKS = (2, 6, 8, 26)
# The runs of A and of B on a task: the least and the most of each.
RUNS = {"3 v 3": ((3, 3), (3, 3)), "3 v 6": ((3, 3), (6, 6)), "3 to 6": ((3, 6),) * 2}
SPREADS = (1.0, 4.0)
LEVEL = 0.05
_N_RESAMPLES = 499


def count(
    n_tasks: int, runs: str, spread: float, n_sets: int, seed: int
) -> dict[str, Any]:
    """Return the share of sets in which one model is called better."""
    rng = np.random.default_rng(seed)
    levels = np.geomspace(0.1, 3.0, n_tasks)
    errors = 0
    for k in range(n_sets):
        samples = []
        for (least, most), scale in zip(RUNS[runs], (1.0, spread), strict=True):
            sizes = rng.integers(least, most, n_tasks, endpoint=True)
            tasks = np.repeat(np.arange(n_tasks), sizes)
            z = 1.0 + 0.25 * scale * rng.normal(size=len(tasks))
            samples.append(Pooled(levels[tasks] * z, tasks))
        _, _, p = compare_runs(
            samples,
            1.0 - LEVEL,
            higher_is_better=True,
            resampling={"n_resamples": _N_RESAMPLES, "rng": seed * n_sets + k},
        )
        errors += p <= LEVEL
    return {
        "tasks": n_tasks,
        "runs": runs,
        "spread": spread,
        "n_sets": n_sets,
        "rate": errors / n_sets,
    }


def run(settings: Settings) -> Experiment:
    """Count errors of all designs."""
    n_sets = settings.choose(20, 1000)
    rows = [
        count(*design, n_sets, seed)
        for seed, design in enumerate(itertools.product(TASKS, RUNS, SPREADS))
    ]
    return Experiment("Errors of improvement over tasks", rows, [], page=tabulate(rows))


def tabulate(rows: list[dict[str, Any]]) -> list[str]:
    """Return the results as a table of Markdown."""
    by_design = {
        (int(x["tasks"]), x["runs"], float(x["spread"])): float(x["rate"]) for x in rows
    }
    columns = list(itertools.product(RUNS, SPREADS))
    header = [f"{runs}{', 4 : 1' * (spread > 1.0)}" for runs, spread in columns]
    lines = [
        [f"{n} tasks", *(show(by_design[n, *column]) for column in columns)]
        for n in TASKS
    ]
    return [
        f"Of {rows[0]['n_sets']} sets each of two normal models with P(A > B) = 1/2 on "
        f"each task, so many percent have p <= {LEVEL:g}, by the number of runs of A "
        "and of B on a task, with equal spreads or of 4 : 1; "
        f"{_N_RESAMPLES} resamples.",
        write_table(["", *header], lines),
    ]
