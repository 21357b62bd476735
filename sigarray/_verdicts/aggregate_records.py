"""The numbers of verdicts over these tasks, for programs."""

from collections.abc import Mapping, Sequence
from typing import Any

from sigarray._verdicts.aggregates import Aggregates, PairOfAggregates
from sigarray._verdicts.margin_records import record_margins
from sigarray._verdicts.records import AGGREGATE_NUMBERS, RANK_NUMBERS
from sigarray.report._numbers import without_infinities

# What the task of a verdict over these tasks is called in records.
THESE_TASKS = "these tasks"


def make_record(
    x: Aggregates, pair: PairOfAggregates, like: Mapping[str, Any]
) -> dict[str, Any]:
    """Return a record of a pair, with the columns of others."""
    of_pair: dict[str, Any] = {
        "mean_difference": pair.difference,
        "difference_low": pair.interval.low,
        "difference_high": pair.interval.high,
    }
    if x.is_of_pairs:
        of_pair = {"probability_of_improvement": pair.probability}
    known = {
        "task": THESE_TASKS if len(x.tasks) > 1 else x.statistic,
        "model_a": pair.a,
        "model_b": pair.b,
        "verdict": pair.verdict,
        "better": pair.better,
        **of_pair,
        "pvalue": pair.pvalue,
        "adjusted_pvalue": pair.adjusted_pvalue,
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
    """Return the numbers of model A or B by their fields."""
    return {f"{name}_{which}": x for name, x in zip(names, numbers, strict=True)}


def write_document(x: Aggregates) -> dict[str, Any]:
    """Return what is written as JSON."""
    return {
        "statistic": x.statistic,
        "tasks": x.tasks,
        "alpha": x.level,
        **({} if x.n_clusters is None else {"n_clusters": x.n_clusters}),
        "models": {
            name: without_infinities(
                {"value": x.values[name], **_list_limits(x, name)}
                | dict(zip(RANK_NUMBERS, x.ranks.get(name, ()), strict=False))
            )
            for name in x.order.names
        },
        "pairs": [
            without_infinities(
                {
                    "model_a": pair.a,
                    "model_b": pair.b,
                    **_list_numbers(x, pair),
                    "pvalue": pair.pvalue,
                    "adjusted_pvalue": pair.adjusted_pvalue,
                    "better": pair.better,
                }
                | record_margins(x.margin, pair.a, pair.margins)
            )
            for pair in x.pairs
        ],
    }


def _list_limits(x: Aggregates, name: str) -> dict[str, float]:
    """Return the interval of a model, if it has one."""
    return {} if x.is_of_pairs else x.intervals[name]._asdict()


def _list_numbers(x: Aggregates, pair: PairOfAggregates) -> dict[str, float]:
    """Return what a pair is compared by, with its interval."""
    name, value, limits = "difference", pair.difference, pair.interval
    if x.is_of_pairs:
        name = "probability_of_improvement"
        value, limits = pair.probability, pair.limits
    return {name: value, f"{name}_low": limits.low, f"{name}_high": limits.high}
