"""What to say of models over these tasks, by the results of `aggregates`."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sigarray._plain_text import list_in_words, quote
from sigarray._verdicts.aggregates import NAMES, Aggregates, PairOfAggregates
from sigarray._verdicts.comparison import Comparison, say_baseline, say_level
from sigarray._verdicts.overall import find_scales
from sigarray._verdicts.pair_numbers import disagree, say_if_sharper, say_least
from sigarray._verdicts.pair_options import FEW_SCORES
from sigarray._verdicts.paragraph import end, list_verdicts, say_what
from sigarray._verdicts.ranking import say_order_of_models
from sigarray._verdicts.records import AGGREGATE_FIELDS, AGGREGATE_NUMBERS
from sigarray.report._layout import Report, Table
from sigarray.report._numbers import (
    count_decimals,
    equate,
    number_format,
    show_interval,
    show_least,
    show_p_value,
    without_infinities,
)

# What the task of a verdict over these tasks is called in records.
THESE_TASKS = "these tasks"


def add_aggregates(
    report: Report, x: Aggregates, compared: Mapping[str, Comparison]
) -> Report:
    """Add the verdict over these tasks to a report: first, if there are several."""
    _doubt(x, compared)
    tables = [_table_of_pairs(x, compared), _table_of_models(x, compared)]
    sentences = [_say_pair(x, pair, compared) for pair in x.pairs]
    remarks = _list_remarks(x)
    title, *answers = report.headline
    is_one = len(compared) == 1
    if not is_one:
        tables[0] = replace(tables[0], remarks=remarks)
    own = _say_answer(x)
    every = [y | dict.fromkeys(AGGREGATE_FIELDS) for y in report.records]
    records = [_make_record(x, pair, every[0]) for pair in x.pairs]
    return replace(
        report,
        tables=[*report.tables, *tables] if is_one else [*tables, *report.tables],
        sentences=[*sentences, *report.sentences, *remarks],
        method=f"{report.method}. {_describe(x)}",
        records=[*every, *records],
        document=report.document | {"over_these_tasks": _write_document(x)},
        headline=[title, *answers, *own] if is_one else [title, *own, *answers],
        remarks=[*remarks, *report.said],
        paragraphs=_add_paragraph(x, report.paragraphs, compared),
    )


def _add_paragraph(
    x: Aggregates, paragraphs: Sequence[str], compared: Mapping[str, Comparison]
) -> list[str]:
    """Add the verdict over these tasks for a paper: first, if there are several."""
    verdicts = []
    for y in x.pairs:
        pair = y.turn() if y.better == y.b else y
        p = equate(_show_p_value(x, pair))
        numbers = f"({_show_difference(x, pair, compared)}, {_name_p_value(x)} {p})"
        verdict = "inconclusive" if pair.better is None else "better"
        verdicts.append((pair.a, pair.b, verdict, numbers))
    own = [
        *map(end, _say_answer(x)),
        *_list_remarks(x),
        f"In parentheses: the difference of {_name(x, are_many=True)} with its "
        f"interval, {_say_level(x)}, and {_name_p_value(x)}.",
        *list_verdicts(x.order.names, verdicts),
    ]
    if len(compared) == 1:
        return [*paragraphs, " ".join(own)]
    what = f"{say_what(compared)}."
    first, *rest = paragraphs
    return [" ".join([what, *own]), first.removeprefix(what).strip(), *rest]


def _say_where(x: Aggregates) -> str:
    return f" over these {len(x.tasks)} tasks" if len(x.tasks) > 1 else ""


def _name(x: Aggregates, *, are_many: bool = False) -> str:
    return NAMES[x.statistic][are_many]


def _say_answer(x: Aggregates) -> list[str]:
    """Say in a line which models are better."""
    by = f" by {_name(x, are_many=True)}{_say_where(x)}"
    said = say_order_of_models(x.order, x.baseline, x.wins, by)
    if said:
        return said
    (pair,) = x.pairs
    if pair.better is None:
        return [f"No model is shown to be better than the other one{by}."]
    worse = pair.b if pair.better == pair.a else pair.a
    return [f"{quote(pair.better)} is better than {quote(worse)}{by}."]


def _say_pair(
    x: Aggregates, pair: PairOfAggregates, compared: Mapping[str, Comparison]
) -> str:
    shown = equate(_show_p_value(x, pair))
    p, level = f"{_name_p_value(x)} {shown}", f"{x.level:.10g}"
    if pair.better == pair.b:
        pair = pair.turn()
    first, second, where = quote(pair.a), quote(pair.b), _say_where(x)
    many = _name(x, are_many=True)
    difference = f"the {many} differ by {_show_difference(x, pair, compared)}"
    if pair.better is None:
        by = "" if where else f" by {many}"
        said = f"{first} vs. {second}{where}{by}: inconclusive ({p} > {level})"
        return f"{said}; {difference}."
    by = where or f" by {many}"
    sharper = say_if_sharper(pair.interval)
    return (
        f"{first} is better than {second}{by}: {p} <= {level}; {difference}{sharper}."
    )


def _table_of_pairs(x: Aggregates, compared: Mapping[str, Comparison]) -> Table:
    rows, marked = [], set()
    for k, pair in enumerate(x.pairs):
        if pair.better is not None:
            marked.add((k, 4))
        rows.append(
            [
                *(pair.a, pair.b, _show_difference(x, pair, compared)),
                _show_p_value(x, pair),
                pair.better or "inconclusive",
            ]
        )
    title = f"Differences of {_name(x, are_many=True)}{_say_where(x)}, {_say_level(x)}"
    title += say_baseline(x.baseline)
    header = ["A", "B", "A - B, interval", _name_p_value(x), "better"]
    return Table(title, header, rows, frozenset(marked), name_columns=2)


def _table_of_models(x: Aggregates, compared: Mapping[str, Comparison]) -> Table:
    rows = [
        [
            name,
            *([x.order.letters[name]] if x.order.letters else []),
            _show_value(x, name, compared),
        ]
        for name in x.order.names
    ]
    group = ["group"] if x.order.letters else []
    title = f"{_name(x, are_many=True).capitalize()} of models{_say_where(x)}"
    title += f", {_say_own_level(x)}"
    header = ["model", *group, f"{_name(x)}, interval"]
    return Table(title, header, rows, name_columns=1 + len(group))


def _show_value(x: Aggregates, name: str, compared: Mapping[str, Comparison]) -> str:
    """Show the statistic of a model, with its interval if there is one."""
    counts = (count_decimals(*y) for y in x.intervals.values())
    decimals = max((n for n in counts if n is not None), default=None)
    show = _find_format(compared)
    return show_interval(x.values[name], *x.intervals[name], show, decimals, sign="")


def _say_own_level(x: Aggregates) -> str:
    return say_level(x.level, len(x.values), is_corrected=False)


def _find_format(compared: Mapping[str, Comparison], sign: str = "") -> Any:
    summaries = [y for x in compared.values() for y in x.summaries.values()]
    return number_format(summaries, sign=sign)


def _show_difference(
    x: Aggregates, pair: PairOfAggregates, compared: Mapping[str, Comparison]
) -> str:
    counts = (count_decimals(*y.interval) for y in x.pairs)
    decimals = max((n for n in counts if n is not None), default=None)
    show = _find_format(compared, sign="+")
    return show_interval(pair.difference, *pair.interval, show, decimals)


def _show_p_value(x: Aggregates, pair: PairOfAggregates) -> str:
    shown = show_p_value(pair.adjusted_pvalue, x.level)
    return show_least(shown) if x.is_least(pair) else shown


def _name_p_value(x: Aggregates) -> str:
    return "adjusted p" if x.is_corrected and len(x.pairs) > 1 else "p"


def _list_remarks(x: Aggregates) -> list[str]:
    """Say what is decided, and how it differs from a verdict on tasks like these."""
    rule = f"p <= {x.level:.10g}"
    if x.is_corrected and len(x.pairs) > 1:
        rule += f", after Holm's correction for {len(x.pairs)} comparisons"
    by = f"by the {_name(x)} of all its {x.unit}s"
    if x.statistic == "mean" and x.sizes[0] < x.sizes[1]:
        by = "by the mean of its means on tasks"
    if len(x.tasks) == 1:
        told = [f"{by[0].upper()}{by[1:]}, a model is better than another if {rule}."]
    else:
        told = [
            f"Over these tasks, a model is better than another {by} if {rule}. This is "
            f"of other {x.unit}s on the same tasks; the verdict over all tasks takes "
            "them for a sample of tasks like these."
        ]
    if x.left_out:
        tasks = list_in_words(list(map(quote, x.left_out)))
        told.append(f"Not all models have scores on {tasks}, which these are not.")
    if any(disagree(y.interval, y.better) for y in x.pairs):
        told.append(
            f"Intervals of {_name(x, are_many=True)} and their p-values are computed "
            "or corrected in different ways: one may be clear where the other is not."
        )
    return told + say_least(any(map(x.is_least, x.pairs)), _say_where(x))


def _describe(x: Aggregates) -> str:
    """Say how models are compared over these tasks, for the line on the method."""
    paired = f", paired by {x.unit}" if x.is_paired else ""
    where, of = f"Over these {len(x.tasks)} tasks", f" of the {_name(x)}"
    if len(x.tasks) == 1:
        where, of = _name(x, are_many=True).capitalize(), ""
    strata = "" if len(x.tasks) == 1 else ", with tasks as strata"
    if x.statistic == "mean":
        said = f"{where}: t-test{of}{paired}{strata}, two-sided"
        if x.sizes[0] < x.sizes[1]:
            said += ", each task counting the same"
        whose = "Student's intervals"
    else:
        said = f"{where}: bootstrap test{of}{paired}{strata}, two-sided, of "
        said += f"{x.n_resamples} resamples (seed {x.seed})"
        whose = "intervals by percentiles"
    if x.is_corrected and len(x.pairs) > 1:
        said += f", Holm's correction for {len(x.pairs)} comparisons"
    own = "Student's" if x.statistic == "mean" else "percentiles of resamples"
    own = f"Intervals of single models are {own}"
    own += f"{strata}, {_say_own_level(x)}"
    return f"{said}; {whose}, {_say_level(x)}. {own}"


def _say_level(x: Aggregates) -> str:
    return say_level(x.level, len(x.pairs), is_corrected=x.is_corrected)


def _doubt(x: Aggregates, compared: Mapping[str, Comparison]) -> None:
    """Warn of tasks on unlike scales, and of few scores."""
    n = min(
        sum(len(compared[task].scores[name]) for task in x.tasks) for name in x.values
    )
    if x.statistic != "mean" and n < FEW_SCORES:
        warnings.warn(
            f"--statistic {x.statistic} of {n} {x.unit}s of a model in all: p-values "
            "of the bootstrap are too small, and intervals too short, for so few. "
            f"--statistic mean of several tasks is valid for few {x.unit}s, too.",
            UserWarning,
            stacklevel=2,
        )
    means = np.asarray(
        [
            [compared[task].summaries[name]["mean"] for name in x.values]
            for task in x.tasks
        ]
    )
    scales = find_scales(means)
    if scales is not None:
        warnings.warn(
            f"Scores on tasks differ in size by a factor of {scales.factor:.2g}, and "
            f"--statistic {x.statistic} takes them for scores on one scale. Normalize "
            "them first, unless they are normalized already: divide those of a task by "
            "a scale of its own, such as the mean of a reference model.",
            UserWarning,
            stacklevel=2,
        )


def _make_record(
    x: Aggregates, pair: PairOfAggregates, like: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a record of a pair, with the columns of others."""
    known = {
        "task": THESE_TASKS if len(x.tasks) > 1 else x.statistic,
        "model_a": pair.a,
        "model_b": pair.b,
        "verdict": "inconclusive" if pair.better is None else "better",
        "better": pair.better,
        "mean_difference": pair.difference,
        "difference_low": pair.interval.low,
        "difference_high": pair.interval.high,
        "pvalue": pair.pvalue,
        "adjusted_pvalue": pair.adjusted_pvalue,
    }
    for which, name in (("a", pair.a), ("b", pair.b)):
        numbers = (x.values[name], *x.intervals[name])
        fields = (f"{field}_{which}" for field in AGGREGATE_NUMBERS)
        known |= dict(zip(fields, numbers, strict=True))
    return {field: known.get(field) for field in like}


def _write_document(x: Aggregates) -> dict[str, Any]:
    """Return what is written as JSON."""
    return {
        "statistic": x.statistic,
        "tasks": x.tasks,
        "alpha": x.level,
        "models": {
            name: without_infinities(
                {"value": x.values[name], "low": interval.low, "high": interval.high}
            )
            for name in x.order.names
            for interval in [x.intervals[name]]
        },
        "pairs": [
            without_infinities(
                {
                    "model_a": pair.a,
                    "model_b": pair.b,
                    "difference": pair.difference,
                    "difference_low": pair.interval.low,
                    "difference_high": pair.interval.high,
                    "pvalue": pair.pvalue,
                    "adjusted_pvalue": pair.adjusted_pvalue,
                    "better": pair.better,
                }
            )
            for pair in x.pairs
        ],
    }
