"""Pictures of a comparison."""

from collections.abc import Hashable, Mapping
from typing import Any, NamedTuple

import numpy as np

from sigarray import bootstrap_ci, proportion_ci
from sigarray._plain_text import show_controls
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.pair_options import FEW_SCORES
from sigarray.read._score_table import ScoreTable
from sigarray.results import (
    AsoResult,
    BootstrapResult,
    PairwiseAsoResult,
    ProportionResult,
)

# The most models and tasks of which there are pictures.
_MAX_MODELS, _MAX_TASKS = 40, 12
# With fewer scores studentized intervals have no ends, or are very wide.
_FEWEST = 5
_N_RESAMPLES = 9999


class Picture(NamedTuple):
    """A picture, and a name for what it shows."""

    figure: Any
    caption: str


def draw_scores(compared: Mapping[str, Comparison]) -> list[Picture]:
    """Draw the scores of each task, if models and tasks are few."""
    return [
        _draw_scores(comparison, task)
        for task, comparison in list(compared.items())[:_MAX_TASKS]
        if len(comparison.names) <= _MAX_MODELS
    ]


def _of_task(task: str) -> str:
    return f" on {task}" if task else ""


def _name_task(figure: Any, task: str) -> None:
    """Write the task above a picture."""
    if task:
        name = show_controls(task).replace("$", r"\$")
        figure.suptitle(name, y=1.0, va="bottom", fontsize=9)


def _draw_scores(comparison: Comparison, task: str) -> Picture:
    from sigarray import plot

    axes = plot.scores(
        comparison.scores,
        higher_is_better=comparison.higher_is_better,
        unit=comparison.unit,
    )
    _name_task(axes.figure, task)
    return Picture(
        axes.figure,
        f"Scores{_of_task(task)}: points, boxes, and intervals of the means.",
    )


def draw_orders(
    threshold: float,
    comparison: Comparison,
    result: PairwiseAsoResult,
    task: str,
) -> list[Picture]:
    from sigarray import plot

    names = comparison.names
    if len(names) == 2:
        lead = 1 if result.eps_min[1, 0] < result.eps_min[0, 1] else 0
        better, worse = names[lead], names[1 - lead]
        axes, _ = plot.dominance(
            comparison.scores[better],
            comparison.scores[worse],
            names=(better, worse),
            threshold=threshold,
            higher_is_better=comparison.higher_is_better,
            # The result in the table: two-sided, with all resamples that were drawn.
            result=AsoResult(*(x[lead, 1 - lead] for x in result)),
        )
        _name_task(axes.figure, task)
        caption = f"{better} and {worse}{_of_task(task)}: all scores in order."
        return [Picture(axes.figure, caption)]
    matrix = plot.pairwise(result, names, threshold=threshold)
    order = plot.ranking(result, names, threshold=threshold)
    for axes in (matrix, order):
        _name_task(axes.figure, task)
    return [
        Picture(matrix.figure, f"Bounds eps_min of every two models{_of_task(task)}."),
        Picture(
            order.figure,
            f"Models by their mean violation ratio{_of_task(task)}; squares on a bar "
            "are those of which none beats another.",
        ),
    ]


def draw_differences(table: ScoreTable, comparison: Comparison, seed: int) -> Picture:
    """Draw the difference of two models on each task, with 95 % intervals."""
    from sigarray import plot

    a, b = table.models
    results: dict[Hashable, BootstrapResult | ProportionResult] = {
        task or table.metric: _find_interval(by[a], by[b], table, seed)
        for task, by in table.tasks.items()
    }
    axes = plot.differences(
        results, names=(a, b), higher_is_better=comparison.higher_is_better
    )
    pairs = "pairs" if table.is_paired else "independent scores"
    resampled = [
        by for by in table.tasks.values() if not _is_of_proportions(by[a], by[b])
    ]
    kinds = []
    if resampled:
        n_studentized = sum(_is_of_few_runs(by[a], by[b], table) for by in resampled)
        others = [by for by in resampled if not _is_of_few_runs(by[a], by[b], table)]
        if n_studentized:
            kinds.append("studentized bootstrap")
        if others:
            smallest = min(len(x) for by in others for x in by.values())
            is_short = smallest < FEW_SCORES
            few = ", too short for fewer than 20 scores" if is_short else ""
            kinds.append(f"BCa bootstrap{few}")
    if len(resampled) < len(table.tasks):
        kinds.append("Newcombe's, of proportions")
    return Picture(
        axes.figure,
        f"Differences of the means of {a} and {b}, with intervals of 95 % of {pairs} "
        f"({'; '.join(kinds)}); they are not corrected for the number of tasks.",
    )


def _is_of_proportions(a: np.ndarray, b: np.ndarray) -> bool:
    """Tell whether all scores are 0 or 1."""
    return all(bool(np.all((x == 0.0) | (x == 1.0))) for x in (a, b))


def _is_of_few_runs(a: np.ndarray, b: np.ndarray, table: ScoreTable) -> bool:
    """Tell whether there are few runs, for which only studentized intervals hold."""
    return table.unit == "run" and _FEWEST <= min(len(a), len(b)) < FEW_SCORES


def _find_interval(
    a: np.ndarray, b: np.ndarray, table: ScoreTable, seed: int
) -> BootstrapResult | ProportionResult:
    """Return the difference of two models, and an interval that suits their scores."""
    is_paired = table.is_paired
    if _is_of_proportions(a, b):
        return proportion_ci(a, b, paired=is_paired)
    return bootstrap_ci(
        a,
        b,
        paired=is_paired,
        method="studentized" if _is_of_few_runs(a, b, table) else "bca",
        n_resamples=_N_RESAMPLES,
        rng=seed,
    )
