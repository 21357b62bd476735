"""How often intervals of ranks hold, where models are near ties and where they are not.

Means of near ties differ by a millionth of a standard deviation, so that each model has
a rank of its own. Intervals by comparisons are to hold as if they were equal: all ranks
that ties may have.
"""

from typing import Any

import numpy as np

from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.verdict_page import show, write_table
from sigarray import rank_ci

_NEAR, _SPAN = 1e-6, 1e-5
# Means of 10 models in standard deviations, the best first.
FAMILIES = {
    "10 near ties": -_NEAR * np.arange(10),
    "3 clear, 7 near ties": np.append([6.0, 4.0, 2.0], -_NEAR * np.arange(7)),
    "evenly spaced": -1.0 * np.arange(10),
}
KINDS = ("normal", "lognormal", "unlike spreads")
# Statistic, family, scores, runs, and tasks of as many runs each.
DESIGNS = [
    *(
        ("mean", family, kind, n_runs, 1)
        for family in FAMILIES
        for kind in KINDS
        for n_runs in (5, 10, 20)
    ),
    *(("median", "10 near ties", "normal", n_runs, 1) for n_runs in (5, 10, 20)),
    *(("iqm", "10 near ties", "lognormal", n_runs, 26) for n_runs in (3, 5)),
    *(
        ("mean", "10 near ties", "unlike lognormals", n_runs, 1)
        for n_runs in (5, 10, 20)
    ),
]
_N_RESAMPLES, _AT_ONCE = 499, 20
_TAIL = 0.025


def count(
    statistic: str,
    family: str,
    kind: str,
    n_runs: int,
    n_tasks: int,
    n_sets: int,
    seed: int,
) -> dict[str, Any]:
    """Return the shares of sets in which intervals of 95 % hold, and their widths."""
    rng = np.random.default_rng(seed)
    ranks = np.arange(1, 11)
    means = FAMILIES[family]
    best = 1 + np.sum(means > means[:, None] + _SPAN, axis=-1)
    worst = np.sum(means > means[:, None] - _SPAN, axis=-1)
    held, held_by_percentiles, each, widths = 0, 0, 0.0, np.zeros(2)
    for first in range(0, n_sets, _AT_ONCE):
        size = min(_AT_ONCE, n_sets - first)
        x = _draw(rng, means, kind, (size, n_tasks, n_runs))
        result = rank_ci(
            x, statistic=statistic, strata=-2, n_resamples=_N_RESAMPLES, rng=first
        )
        limits = [result.confidence_interval, _find_percentiles(result.probability)]
        (low, high), (below, above) = limits
        held += int(np.sum(((low <= best) & (worst <= high)).all(axis=-1)))
        is_held = (below <= ranks) & (ranks <= above)
        held_by_percentiles += int(np.sum(is_held.all(axis=-1)))
        each += float(np.sum(is_held.mean(axis=-1)))
        widths += [np.sum(np.mean(high - low + 1, axis=-1)) for low, high in limits]
    return {
        "statistic": statistic,
        "models": family,
        "scores": kind,
        "runs": n_runs,
        "tasks": n_tasks,
        "n_sets": n_sets,
        "held": held / n_sets,
        "width": round(float(widths[0]) / n_sets, 3),
        "percentiles held": held_by_percentiles / n_sets,
        "percentiles held one": round(each / n_sets, 4),
        "width of percentiles": round(float(widths[1]) / n_sets, 3),
    }


def _draw(rng: Any, means: Any, kind: str, shape: tuple[int, int, int]) -> Any:
    """Return scores (sets, models, tasks, runs) of these means, for one task of one.

    Tasks have levels from 0.1 to 3, and runs vary in proportion to these.
    """
    n_sets, n_tasks, n_runs = shape
    z = rng.normal(size=(n_sets, len(means), n_tasks, n_runs))
    if "lognormal" in kind:
        z = (np.exp(0.5 * z - 0.125) - 1.0) / np.sqrt(np.expm1(0.25))
    if "unlike" in kind:
        z *= np.geomspace(0.2, 2.0, len(means))[:, None, None]
    levels = np.geomspace(0.1, 3.0, n_tasks)[:, None] if n_tasks > 1 else 1.0
    return levels * (1.0 + 0.25 * z) + 0.25 * means[:, None, None]


def _find_percentiles(probability: Any) -> tuple[Any, Any]:
    """Return the percentiles of the rank of each model in the same resamples."""
    below = np.cumsum(probability, axis=-1)
    low, high = (1 + np.sum(below < p - 1e-9, axis=-1) for p in (_TAIL, 1.0 - _TAIL))
    return low, high


def run(settings: Settings) -> Experiment:
    """Count how often intervals hold the ranks of all models, or that of one."""
    n_sets = settings.choose(40, 2000)
    rows = [count(*design, n_sets, seed) for seed, design in enumerate(DESIGNS)]
    return Experiment("Intervals of ranks", rows, [], page=tabulate(rows))


def tabulate(rows: list[dict[str, Any]]) -> list[str]:
    """Return the results as a table of Markdown."""
    header = ["statistic", "models", "scores", "runs", "`rank_ci`", "ranks"]
    header += ["percentiles", "of one", "ranks"]
    lines = [
        [
            x["statistic"],
            x["models"],
            x["scores"],
            f"{x['runs']}" + (f" x {x['tasks']} tasks" if int(x["tasks"]) > 1 else ""),
            show(float(x["held"])),
            f"{float(x['width']):.1f}",
            show(float(x["percentiles held"])),
            show(float(x["percentiles held one"])),
            f"{float(x['width of percentiles']):.1f}",
        ]
        for x in rows
    ]
    return [
        f"Of {rows[0]['n_sets']} sets each, 95 %: in how many percent `rank_ci` holds "
        "all ranks that each of 10 models may have, near ties being ties, and how many "
        "ranks an interval has. Then the same of percentiles of the ranks in its "
        "resamples, which need to hold no more than the rank that a model has; and in "
        "how many percent they hold that of one model.",
        write_table(header, lines),
    ]
