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
    known = {
        "task": THESE_TASKS if len(x.tasks) > 1 else x.statistic,
        "model_a": pair.a,
        "model_b": pair.b,
        "verdict": pair.verdict,
        "better": pair.better,
        "mean_difference": pair.difference,
        "difference_low": pair.interval.low,
        "difference_high": pair.interval.high,
        "pvalue": pair.pvalue,
        "adjusted_pvalue": pair.adjusted_pvalue,
    }
    known |= record_margins(x.margin, pair.a, pair.margins)
    known["n_clusters"] = x.n_clusters
    for which, name in (("a", pair.a), ("b", pair.b)):
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
                {"value": x.values[name], "low": interval.low, "high": interval.high}
                | dict(zip(RANK_NUMBERS, x.ranks.get(name, ()), strict=False))
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
                | record_margins(x.margin, pair.a, pair.margins)
            )
            for pair in x.pairs
        ],
    }
