"""The numbers of each pair for programs, in columns that do not depend on the test."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sigarray._plain_text import quote, suggest
from sigarray._verdicts.aggregates import Aggregates, PairOfAggregates
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import (
    MARGIN_FIELDS,
    Decision,
    record_margins,
    turn_margins,
)
from sigarray._verdicts.over_tasks import OverTasks
from sigarray._verdicts.ranking import sort_pairs
from sigarray.read._frame import list_names
from sigarray.read._score_table import ScoreTable
from sigarray.report._layout import without_infinities

PROBABILITY = ("probability_of_improvement", "probability_low", "probability_high")
# The columns of CSV, of `pairs` in JSON and of data frames. Those that the test does
# not have are empty. Behind "n_b" are "n_clusters" of items in clusters, "n_runs_a"
# and "n_runs_b" of items in several runs, and at the end the numbers of a margin.
FIELDS = (
    "task",
    "model_a",
    "model_b",
    "verdict",
    "better",
    "n_a",
    "n_b",
    "mean_difference",
    "difference_low",
    "difference_high",
    *PROBABILITY,
    "eps_min_a_over_b",
    "eps_min_b_over_a",
    "violation_ratio",
    "standard_error",
    "equality_pvalue",
    "statistic",
    "pvalue",
    "adjusted_pvalue",
    "is_by_welch",
)
# The statistic of each model over these tasks, and its rank by it, each with its
# interval, if that is asked.
AGGREGATE_NUMBERS = ("aggregate", "aggregate_low", "aggregate_high")
RANK_NUMBERS = ("rank", "rank_low", "rank_high")
AGGREGATE_FIELDS = tuple(
    f"{name}_{x}" for x in "ab" for name in (*AGGREGATE_NUMBERS, *RANK_NUMBERS)
)
# What the task of a verdict over all of them is called.
ALL_TASKS = "all tasks"
_NUMBERS = (
    *FIELDS[FIELDS.index("mean_difference") : -1],
    *MARGIN_FIELDS,
    *AGGREGATE_FIELDS,
)


def list_records(
    compared: Mapping[str, Comparison],
    decisions: Mapping[str, Sequence[Decision]],
    order: Sequence[str],
) -> list[dict[str, Any]]:
    """Return a record for each pair of each task, the best models first.

    Of a pair, model A is the one that is first in the order, the same on all tasks.
    """
    records = []
    fields = list(FIELDS)
    place = fields.index("n_b") + 1
    first = next(iter(compared.values()))
    fields[place:place] = first.count_sampled(*first.names[:2])
    fields += [] if first.margin is None else MARGIN_FIELDS
    for task, comparison in compared.items():
        for a, b, x in sort_pairs(order, decisions[task]):
            record = x.record if a == x.a else _turn(x.record, comparison)
            chance = comparison.find_probability(a, b)
            if chance is not None:
                record = dict(zip(PROBABILITY, chance, strict=True)) | record
            named = {"task": task, "model_a": a, "model_b": b, "verdict": x.verdict}
            n_a, n_b = map(len, comparison.list_scores(a, b))
            numbers = record | named | {"better": x.better, "n_a": n_a, "n_b": n_b}
            numbers |= comparison.count_sampled(a, b)
            records.append({field: numbers.get(field) for field in fields})
    return records


def list_records_over_tasks(
    compared: Mapping[str, Comparison],
    over: OverTasks | None,
    fields: Iterable[str] = FIELDS,
) -> list[dict[str, Any]]:
    """Return a record for each pair over all tasks, whose task is called ALL_TASKS.

    The scores of a model are its means on the tasks. The fields are those of records of
    single tasks; None for what is not of all tasks, such as numbers of a margin.
    """
    name = ALL_TASKS
    while name in compared:
        name = f"({name})"
    if over is None:
        return []
    records = []
    for x in over.pairs:
        known = {
            "task": name,
            "model_a": x.a,
            "model_b": x.b,
            "verdict": "inconclusive" if x.better is None else "better",
            "better": x.better,
            "n_a": len(over.tasks),
            "n_b": len(over.tasks),
            **x.differences,
            **x.p_values,
        }
        records.append({field: known.get(field) for field in fields})
    return records


def fill_numbers(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: math.nan if x is None and name in _NUMBERS else x
        for name, x in record.items()
    }


def _turn(record: Mapping[str, Any], comparison: Comparison) -> dict[str, Any]:
    turned = dict(record) | turn_margins(record)
    for name in ("mean_difference", "statistic"):
        if name in record:
            turned[name] = -record[name] + 0.0  # without -0.0
    for name in ("probability_of_improvement", "violation_ratio"):
        if name in record:
            turned[name] = 1.0 - record[name]
    for one, other in (
        ("eps_min_a_over_b", "eps_min_b_over_a"),
        ("difference_low", "difference_high"),
    ):
        sign = -1.0 if one == "difference_low" else 1.0
        if one in record:
            turned[one], turned[other] = sign * record[other], sign * record[one]
    if comparison.test == "mann-whitney":
        # U counts wins, of which there are as many as pairs of scores.
        sizes = [len(comparison.scores[record[f"model_{x}"]]) for x in "ab"]
        turned["statistic"] = math.prod(sizes) - record["statistic"]
    return turned


# What the task of a verdict over these tasks is called in records.
THESE_TASKS = "these tasks"


def make_record(
    x: Aggregates, pair: PairOfAggregates, like: Mapping[str, Any]
) -> dict[str, Any]:
    of_pair = pair.differences
    if x.is_of_pairs:
        of_pair = dict(zip(PROBABILITY, (pair.probability, *pair.limits), strict=True))
    known = {
        "task": THESE_TASKS if len(x.tasks) > 1 else x.statistic,
        "model_a": pair.a,
        "model_b": pair.b,
        "verdict": pair.verdict,
        "better": pair.better,
        **of_pair,
        **pair.p_values,
    }
    known |= record_margins(x.margin, pair.a, pair.margins)
    known["n_clusters"] = x.n_clusters
    for which, name, y in (("a", pair.a, pair), ("b", pair.b, pair.turn())):
        if x.is_of_pairs:
            numbers = (y.probability, *y.limits)
        else:
            numbers = (x.values[name], *x.intervals[name])
        known |= _name_fields(AGGREGATE_NUMBERS, which, numbers)
        if x.ranks:
            known |= _name_fields(RANK_NUMBERS, which, x.ranks[name])
    return {field: known.get(field) for field in like}


def _name_fields(
    names: Sequence[str], which: str, numbers: Sequence[float]
) -> dict[str, float]:
    return {f"{name}_{which}": x for name, x in zip(names, numbers, strict=True)}


def write_document(x: Aggregates) -> dict[str, Any]:
    return {
        "statistic": x.statistic,
        "tasks": x.tasks,
        "alpha": x.level,
        **({} if x.n_clusters is None else {"n_clusters": x.n_clusters}),
        "models": {
            name: without_infinities(
                {"value": x.values[name]}
                | ({} if x.is_of_pairs else x.intervals[name]._asdict())
                | dict(zip(RANK_NUMBERS, x.ranks.get(name, ()), strict=False))
            )
            for name in x.order.listed
        },
        "pairs": [
            without_infinities(
                {
                    "model_a": pair.a,
                    "model_b": pair.b,
                    **_list_numbers(x, pair),
                    **pair.p_values,
                    "better": pair.better,
                }
                | record_margins(x.margin, pair.a, pair.margins)
            )
            for pair in x.pairs
        ],
    }


def _list_numbers(x: Aggregates, pair: PairOfAggregates) -> dict[str, float]:
    name, value, limits = "difference", pair.difference, pair.interval
    if x.is_of_pairs:
        name, value, limits = PROBABILITY[0], pair.probability, pair.limits
    return {name: value, f"{name}_low": limits.low, f"{name}_high": limits.high}


def list_undecided(
    model: str,
    table: ScoreTable,
    decisions: Mapping[str, Sequence[Decision]],
    baseline: str | None,
    aggregates: Aggregates | None = None,
) -> list[str]:
    """Say which other models a model does not beat, and on which tasks.

    A task without scores of both has no verdict. One over these tasks decides for all.
    """
    if model not in table.models:
        msg = (
            f"Expected a model of {table.source} for --fail-unless-better; got "
            f"{model!r}.{suggest(model, table.models)} Those in it: "
            f"{list_names(table.models)}."
        )
        raise ValueError(msg)
    if baseline not in (None, model) and len(table.models) > 2:
        msg = (
            f"Expected --fail-unless-better {model} without --baseline {baseline}, "
            f"with which alone {model} is compared; got both. Choose the two models "
            f"with --columns {model},{baseline}, or leave out --baseline."
        )
        raise ValueError(msg)
    lost = [
        f"{quote(model)} is not compared with {quote(other)} on {quote(task)}, "
        f"where {quote(model if model not in by else other)} has no scores"
        for task, by in table.tasks.items()
        for other in table.models
        if other != model and not {model, other} <= {*by}
    ]
    none = f"{quote(model)} is compared with no model on"
    lost += [f"{none} {quote(task)}" for task in table.left_out]
    compared: list[tuple[Any, str]] = [
        (x, f" on {quote(task)}" if task else "")
        for task, of_task in decisions.items()
        for x in of_task
    ]
    if aggregates is not None:
        where = f" by {aggregates.plural}"
        if len(aggregates.tasks) > 1:
            where += f" over these {len(aggregates.tasks)} tasks"
        compared = [(x, where) for x in aggregates.pairs]
    return lost + [
        f"{quote(model)} is not better than {quote(x.b if x.a == model else x.a)}{on}"
        for x, on in compared
        if model in (x.a, x.b) and x.better != model
    ]
