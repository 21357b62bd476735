"""Tables of verdicts over these tasks, and how they name what is in them."""

from collections.abc import Mapping
from typing import Any

from sigarray._plain_text import list_in_words
from sigarray._verdicts.aggregates import NAMES, Aggregates, PairOfAggregates
from sigarray._verdicts.comparison import Comparison, say_baseline, say_level
from sigarray._verdicts.margin_words import name_columns, show_columns, show_verdict
from sigarray._verdicts.over_tasks import OverTasks
from sigarray._verdicts.task_counts import say_of_all
from sigarray.report._layout import Table
from sigarray.report._numbers import (
    count_decimals,
    number_format,
    show_interval,
    show_least,
    show_p_value,
)


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
    what, column = f"differences of {name_by(x, are_many=True)}", "A - B"
    if x.is_of_pairs:
        what, column = name_by(x, are_many=True), f"P(A{comparison.sign}B)"
    title = f"{what.capitalize()}{say_where(x)}, {say_pair_level(x)}"
    title += say_baseline(x.baseline)
    if columns:
        title += f"; {list_in_words(columns)}: one-sided {name_p_value(x)} of the "
        title += "margin"
    header = ["A", "B", f"{column}, interval", name_p_value(x), *columns, "better"]
    return Table(title, header, rows, frozenset(marked), name_columns=2, decides=True)


def table_of_models(x: Aggregates, compared: Mapping[str, Comparison]) -> Table:
    rows = [
        [
            name,
            *([x.order.letters[name]] if x.order.letters else []),
            *([_show_rank(x, name)] if x.ranks else []),
            _show_value(x, name, compared),
        ]
        for name in x.order.names
    ]
    group = ["group"] if x.order.letters else []
    title = f"{name_by(x, are_many=True).capitalize()} of models{say_where(x)}"
    of_model = f"{name_by(x)}, interval"
    if x.is_of_pairs:
        title += f", each the mean over {name_others(x)}"
        of_model = name_by(x)
    else:
        title += f", {say_own_level(x)}"
    if x.ranks:
        level = say_level(x.level, len(x.ranks), is_corrected=True)
        title += f"; ranks, {level}"
    rank = ["rank, interval"] if x.ranks else []
    header = ["model", *group, *rank, of_model]
    return Table(title, header, rows, name_columns=1 + len(group))


def _show_rank(x: Aggregates, name: str) -> str:
    """Show the rank of a model, with its interval."""
    rank, low, high = x.ranks[name]
    return f"{rank} [{low}, {high}]"


def explain_widths(x: Aggregates, over: OverTasks | None) -> list[str]:
    """Say why an interval over tasks like these may be the shorter one."""
    if over is None or x.statistic != "mean":
        return []
    of_these = {frozenset((y.a, y.b)): y.interval for y in x.pairs}
    found = ((y.interval, of_these.get(frozenset((y.a, y.b)))) for y in over.pairs)
    if not any(y and z.high - z.low < y.high - y.low for z, y in found):
        return []
    return [
        "An interval over tasks like these may be shorter than that over these tasks, "
        f"for it is by how differences vary between {len(over.tasks)} tasks, of which "
        "few may be alike by chance."
    ]


def explain_ranks(x: Aggregates) -> list[str]:
    """Say of what intervals of ranks follow, if there are any."""
    if not x.ranks:
        return []
    return [
        f"Ranks are by {name_by(x, are_many=True)}, and their intervals follow from "
        f"the verdicts{say_where(x)}: a model is behind those that are shown to be "
        "better and before those that are shown to be worse, and may be on either side "
        "of the others."
    ]


def _show_value(x: Aggregates, name: str, compared: Mapping[str, Comparison]) -> str:
    """Show the statistic of a model, with its interval if there is one."""
    if x.is_of_pairs:
        return f"{x.values[name]:.3f}"
    decimals = count_decimals(x.intervals.values())
    show = _find_format(compared)
    return show_interval(x.values[name], *x.intervals[name], show, decimals, sign="")


def name_others(x: Aggregates) -> str:
    """Name the models that one is compared with."""
    return "the other models" if x.baseline is None else "its comparisons"


def say_own_level(x: Aggregates) -> str:
    return say_level(x.level, len(x.values), is_corrected=False)


def _find_format(compared: Mapping[str, Comparison], sign: str = "") -> Any:
    summaries = [y for x in compared.values() for y in x.summaries.values()]
    return number_format(summaries, sign=sign)


def show_difference(
    x: Aggregates, pair: PairOfAggregates, compared: Mapping[str, Comparison]
) -> str:
    """Show a difference, or a probability of improvement, with its interval."""
    decimals = count_decimals(y.interval for y in x.pairs)
    if x.is_of_pairs:
        numbers = pair.probability, *pair.limits
        return show_interval(*numbers, "{:.2f}".format, decimals, sign="")
    show = _find_format(compared, sign="+")
    return show_interval(pair.difference, *pair.interval, show, decimals)


def show_pair_p_value(x: Aggregates, pair: PairOfAggregates) -> str:
    shown = show_p_value(pair.adjusted_pvalue, x.level)
    return show_least(shown) if x.is_least(pair) else shown


def name_p_value(x: Aggregates) -> str:
    return "adjusted p" if x.is_corrected and len(x.pairs) > 1 else "p"


def count_tasks(x: Aggregates) -> str:
    return say_of_all(len(x.tasks), len(x.left_out))


def say_where(x: Aggregates) -> str:
    return f" over these {count_tasks(x)}" if len(x.tasks) > 1 else ""


def name_by(x: Aggregates, *, are_many: bool = False) -> str:
    return NAMES[x.statistic][are_many]


def say_pair_level(x: Aggregates) -> str:
    return say_level(x.level, len(x.pairs), is_corrected=x.is_corrected)
