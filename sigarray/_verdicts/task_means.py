"""The means of models on several tasks, as a table."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sigarray._verdicts.comparison import Comparison, say_worst
from sigarray._verdicts.ranking import list_best
from sigarray._verdicts.sampled import say_items
from sigarray._verdicts.spreads import (
    SPREADS,
    explain_marks,
    name_spread,
    summarize,
)
from sigarray.report._layout import Table
from sigarray.report._numbers import Summary, find_least_deviation, number_format

# With more tasks than this, tasks are the rows of tables.
MOST_COLUMNS = 4
# Tasks of which the usual deviations differ by less have as many decimals.
_ALIKE = 10.0


def table_of_means(compared: Mapping[str, Comparison], models: Sequence[str]) -> Table:
    """Show the mean of each model on each task, and its standard deviation.

    Models are rows, or, if there are many tasks, columns. The best means are marked.
    """
    show = _find_formats(compared)
    cells = [
        [_show_mean(x, name, show[task]) for task, x in compared.items()]
        for name in models
    ]
    first = next(iter(compared.values()))
    sizes = sorted({len(s) for x in compared.values() for s in x.scores.values()})
    count = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    units = f"{count} {first.unit}{'' if sizes[-1] == 1 else 's'}"
    sampled = [x.sampled for x in compared.values() if x.sampled is not None]
    if sampled and sampled[0].has_design:
        units = say_items(sampled)
    which = "Means" if first.is_of_means else first.metric
    title = f"{which} and {SPREADS[name_spread(first)]}s of {units} on each task"
    title += say_worst(compared.values())
    note = explain_marks(first, " on each task")
    best = [
        (models.index(name), k)
        for k, x in enumerate(compared.values())
        for name in list_best(x)
    ]
    if len(compared) > MOST_COLUMNS:
        by_task = zip(*cells, strict=True)
        rows = [[task, *row] for task, row in zip(compared, by_task, strict=True)]
        marked = frozenset((k, i + 1) for i, k in best)
        return Table(title, ["task", *models], rows, marked, names=models, note=note)
    rows = [[name, *row] for name, row in zip(models, cells, strict=True)]
    marked = frozenset((i, k + 1) for i, k in best)
    return Table(title, ["model", *compared], rows, marked, names=models, note=note)


def _find_formats(
    compared: Mapping[str, Comparison],
) -> dict[str, Callable[[float], str]]:
    """Return the format of each task: one for all if their scores spread alike.

    The usual deviation on a task is the median of models: of many, one is small by
    chance.
    """
    by_task = {task: list(summarize(x).values()) for task, x in compared.items()}
    usual = [_find_usual(by) for by in by_task.values()]
    if max(usual) < _ALIKE * min(usual):
        every = [
            x | {"sd": sd}
            for by, sd in zip(by_task.values(), usual, strict=True)
            for x in by
        ]
        return dict.fromkeys(compared, number_format(every, digits=2))
    return {task: number_format(by, digits=2) for task, by in by_task.items()}


def _find_usual(summaries: Sequence[Summary]) -> float:
    """Return the median of deviations beyond rounding, or NaN if there is none."""
    least = find_least_deviation(summaries)
    return float(np.median([x["sd"] for x in summaries if x["sd"] >= least] or [least]))


def _show_mean(x: Comparison, name: str, show: Callable[[float], str]) -> str:
    summary = summarize(x).get(name)
    if summary is None:
        return "-"
    return f"{show(summary['mean'])} ({show(summary['sd'])})"
