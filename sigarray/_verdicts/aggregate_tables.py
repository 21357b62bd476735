"""Tables of means on several tasks, and of verdicts over these tasks."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sigarray._plain_text import show_range
from sigarray._verdicts.aggregates import Aggregates, PairOfAggregates
from sigarray._verdicts.comparison import Comparison, say_baseline, say_level, say_worst
from sigarray._verdicts.margins import (
    name_columns,
    say_columns,
    show_columns,
    show_verdict,
)
from sigarray._verdicts.ranking import (
    SPREADS,
    explain_marks,
    list_best,
    name_spread,
    summarize,
)
from sigarray._verdicts.sampled import say_items
from sigarray.report._layout import (
    Summary,
    Table,
    count_decimals,
    find_least_deviation,
    number_format,
    put_first,
    show_interval,
    show_least,
    show_p_value,
)

# With more tasks than this, tasks are the rows of tables.
MOST_COLUMNS = 4
# Tasks of which the usual deviations differ by less have as many decimals.
_ALIKE = 10.0


def table_of_means(compared: Mapping[str, Comparison], models: Sequence[str]) -> Table:
    """Show the mean of each model on each task, and its standard deviation.

    Models are rows, or, if there are many tasks, columns. The best means are marked.
    """
    show, first = _find_formats(compared), next(iter(compared.values()))
    models = put_first(models, first.baseline)
    cells = [
        [_show_mean(x, name, show[task]) for task, x in compared.items()]
        for name in models
    ]
    sizes = {len(s) for x in compared.values() for s in x.scores.values()}
    units = f"{show_range(sizes)} {first.unit}{'' if sizes == {1} else 's'}"
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


def table_of_pairs(x: Aggregates, compared: Mapping[str, Comparison]) -> Table:
    comparison = next(iter(compared.values()))
    columns = name_columns(comparison)
    rows, marked = [], set()
    for k, pair in enumerate(x.pairs):
        if pair.better is not None:
            marked.add((k, 4 + len(columns)))
        rows.append(
            [
                *(pair.a, pair.b, show_difference(x, pair, compared)),
                show_pair_p_value(x, pair),
                *show_columns(comparison, pair, pair.a, pair.b),
                show_verdict(pair),
            ]
        )
    what, column = f"differences of {x.plural}", "A - B"
    if x.is_of_pairs:
        what, column = x.plural, f"P(A{comparison.sign}B)"
    title = f"{what.capitalize()}{x.where}, {x.say_level()}"
    title += say_baseline(x.baseline) + say_columns(comparison, x.p)
    header = ["A", "B", f"{column}, interval", x.p, *columns, "better"]
    return Table(title, header, rows, frozenset(marked), name_columns=2, decides=True)


def table_of_models(x: Aggregates, compared: Mapping[str, Comparison]) -> Table:
    has_groups = x.order.has_groups and not x.ranks
    rows = [
        [
            name,
            *([x.order.letters[name]] if has_groups else []),
            *(["{} [{}, {}]".format(*x.ranks[name])] if x.ranks else []),
            _show_value(x, name, compared),
        ]
        for name in x.order.listed
    ]
    group = ["group"] if has_groups else []
    title = f"{x.plural.capitalize()} of models{x.where}"
    of_model = f"{x.noun}, interval"
    if x.is_of_pairs:
        others = "the other models" if x.baseline is None else "its comparisons"
        title += f", each the mean over {others}"
        of_model = x.noun
    else:
        title += f", {x.say_own_level()}"
    if x.ranks:
        level = say_level(x.level, len(x.ranks), is_corrected=True)
        title += f"; ranks, {level}"
    rank = ["rank, interval"] if x.ranks else []
    header = ["model", *group, *rank, of_model]
    return Table(title, header, rows, name_columns=1 + len(group))


def explain_ranks(x: Aggregates) -> list[str]:
    if not x.ranks:
        return []
    return [
        f"Intervals of ranks follow from the verdicts{x.where}: a model may be on "
        "either side of those that are not shown to be better or worse."
    ]


def _show_value(x: Aggregates, name: str, compared: Mapping[str, Comparison]) -> str:
    if x.is_of_pairs:
        return f"{x.values[name]:.3f}"
    decimals = count_decimals(x.intervals.values())
    show = _find_format(compared)
    return show_interval(x.values[name], *x.intervals[name], show, decimals, sign="")


def _find_format(compared: Mapping[str, Comparison], sign: str = "") -> Any:
    summaries = [y for x in compared.values() for y in x.summaries.values()]
    return number_format(summaries, sign=sign)


def show_difference(
    x: Aggregates, pair: PairOfAggregates, compared: Mapping[str, Comparison]
) -> str:
    decimals = count_decimals(y.interval for y in x.pairs)
    if x.is_of_pairs:
        numbers = pair.probability, *pair.limits
        return show_interval(*numbers, "{:.2f}".format, decimals, sign="")
    show = _find_format(compared, sign="+")
    return show_interval(pair.difference, *pair.interval, show, decimals)


def show_pair_p_value(x: Aggregates, pair: PairOfAggregates) -> str:
    shown = show_p_value(pair.adjusted_pvalue, x.level)
    return show_least(shown) if x.is_least(pair) else shown
