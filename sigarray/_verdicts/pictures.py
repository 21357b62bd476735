"""Pictures of a comparison."""

import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, NamedTuple

from sigarray._plain_text import show_controls
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import Decision
from sigarray._verdicts.ranking import MOST_ROWS, list_wins, order_models, sort_pairs
from sigarray.results import (
    AsoResult,
    BootstrapResult,
    ConfidenceInterval,
    PairwiseAsoResult,
)

# The most models and tasks of which there are pictures.
_MAX_MODELS, _MAX_TASKS = 40, 12


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


def draw_differences(
    compared: Mapping[str, Comparison], decisions: Mapping[str, Sequence[Decision]]
) -> list[Picture]:
    """Draw differences of means with the intervals of the report, if they are few.

    There is a row for each pair of models, or, of two models, for each task.
    """
    models = {name for x in compared.values() for name in x.names}
    if len(models) == 2:
        a, b = next(iter(compared.values())).names
        rows = {task or x.metric: (x, a, b) for task, x in compared.items()}
        drawn = _draw_differences(rows, (a, b), f"{a} and {b}")
        return [] if drawn is None else [drawn]
    pictures = []
    for task, x in list(compared.items())[:_MAX_TASKS]:
        if len(x.pairs) > MOST_ROWS:
            continue
        order = order_models(x, list_wins(decisions[task]))
        pairs = sort_pairs(order, decisions[task])
        every = {f"{a} vs. {b}": (x, a, b) for a, b, _ in pairs}
        whose = f"every two models{_of_task(task)}"
        drawn = _draw_differences(every, ("first", "second"), whose)
        if drawn is not None:
            _name_task(drawn.figure, task)
            pictures.append(drawn)
    return pictures


def _draw_differences(
    rows: Mapping[str, tuple[Comparison, str, str]], names: tuple[str, str], whose: str
) -> Picture | None:
    """Draw a row for each difference of two models that has an interval."""
    from sigarray import plot

    results: dict[Hashable, BootstrapResult] = {}
    for label, (x, a, b) in rows.items():
        interval = x.find_interval(a, b)
        if not math.isnan(interval.low):
            limits = ConfidenceInterval(*interval)
            difference = x.find_difference(a, b)
            results[label] = BootstrapResult(difference, limits, math.nan)
    if not results:
        return None
    first = next(iter(rows.values()))[0]
    axes = plot.differences(
        results, names=names, higher_is_better=first.higher_is_better
    )
    kinds = dict.fromkeys(x.describe_intervals() for x, *_ in rows.values())
    what = "; or ".join(kind.removeprefix("; ") for kind in kinds)
    return Picture(axes.figure, f"Differences of the means of {whose}: {what}.")


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
