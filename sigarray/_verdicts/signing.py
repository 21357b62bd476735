"""Signatures of comparisons: one line, with which others verify the numbers."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sigarray._verdicts.aggregates import Aggregates
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import Decision
from sigarray._verdicts.over_tasks import OverTasks
from sigarray._verdicts.sampled import sort_runs
from sigarray._verdicts.test import Test
from sigarray.read._codes import encode
from sigarray.read._score_table import ScoreTable
from sigarray.report._wording import digest_numbers, digest_scores

# Of numbers in units of the largest score, a rounding error is none of them.
_DECIMALS = 10


def sign(
    test: Test,
    table: ScoreTable,
    comparison: Comparison,
    decisions: Mapping[str, Sequence[Decision]],
    over: OverTasks | None = None,
    aggregates: Aggregates | None = None,
) -> dict[str, str] | None:
    """Return the fields of a signature, or None for scores that stay on the disk."""
    if not table.ids:
        return None
    of_test = test.list_fields()
    # A test without random numbers, beside a bootstrap over these tasks.
    of_these: tuple[int | None, int | None] = (None, None)
    if aggregates is not None:
        of_these = aggregates.n_resamples, aggregates.seed
    # Blank scores were left out, of which --missing drop would find others.
    is_lost = table.is_untreated and table.missing != "keep"
    fields = {
        "test": test.name,
        "threshold": of_test.get("threshold"),
        "confidence_level": of_test.get("confidence_level"),
        "alpha": of_test.get("alpha"),
        "correction": comparison.correction if comparison.is_corrected else "none",
        "baseline": test.baseline,
        "dt": of_test.get("dt"),
        "method": test.method,
        "test_share": of_test.get("test_share"),
        "margin": of_test.get("margin"),
        "n_resamples": test.n_resamples or of_these[0],
        "seed": of_these[1] if test.seed is None else test.seed,
        "better": "higher" if comparison.higher_is_better else "lower",
        "missing": None if is_lost else table.missing,
        "statistic": _name_statistic(table, aggregates),
        "metric": table.metric,
        "unit": table.unit,
        # Runs are no pairs, though items are.
        "paired": "yes" if test.is_paired and not table.runs else None,
        "clusters": _count_clusters(table),
        "runs": _count_runs(table),
        "models": len(table.models),
        "tasks": len(table.tasks) if len(table.tasks) > 1 else None,
        "scores": digest_scores(_list_scores(table), paired=test.is_paired),
        "result": digest_numbers(
            [
                *_list_numbers(decisions),
                *_list_differences(table, decisions),
                *_list_over_tasks(table, over),
                *_list_over_tasks(table, aggregates),
                *_list_own_intervals(table, aggregates),
                *_list_margins(aggregates),
            ]
        ),
    }
    return {key: str(x) for key, x in fields.items() if x is not None}


def _list_scores(table: ScoreTable) -> dict[str, dict[str, np.ndarray]]:
    """Return the scores of each task, and of each pair with items of its own."""
    of_pairs = {
        f"{task}: {' and '.join(sorted(pair))}": dict(zip(pair, scores, strict=True))
        for task, by_pair in table.pairs.items()
        for pair, scores in by_pair.items()
    }
    of_clusters = {
        f"{task}: clusters": {"": encode(x).codes} for task, x in table.clusters.items()
    }
    of_sums = {
        task: {model: x.reshape(-1) for model, x in by.items()}
        for task, by in table.sums.items()
    }
    # The order of runs, whose names may be others, is no part of it.
    of_runs = {
        task: {x: sort_runs(y.scores).reshape(-1) for x, y in by.items()}
        for task, by in table.runs.items()
    }
    return {**table.tasks, **of_sums, **of_runs, **of_pairs, **of_clusters}


def _count_clusters(table: ScoreTable) -> int | None:
    return sum(len({*x}) for x in table.clusters.values()) or None


def _count_runs(table: ScoreTable) -> int | None:
    return sum(len(x.runs) for by in table.runs.values() for x in by.values()) or None


def _name_statistic(table: ScoreTable, aggregates: Aggregates | None) -> str | None:
    """Name a metric of sums, or the statistic of a verdict over these tasks."""
    if aggregates is not None:
        return aggregates.statistic
    return None if table.statistic is None else table.metric


def _list_over_tasks(
    table: ScoreTable, over: OverTasks | Aggregates | None
) -> list[float]:
    """Return the numbers over tasks, in an order free of that of models."""
    if over is None:
        return []
    scale = max(_find_scale(table, task) for task in over.tasks)
    if isinstance(over, Aggregates) and over.is_of_pairs:
        scale = 1.0
    pairs = {(x.a, x.b): x for y in over.pairs for x in (y, y.turn())}
    return [
        number
        for a, b in sorted(key for key in pairs if key[0] < key[1])
        for x in [pairs[a, b]]
        for number in (x.adjusted_pvalue, *_round([x.difference, *x.interval], scale))
    ]


def _list_own_intervals(table: ScoreTable, x: Aggregates | None) -> list[float]:
    """Return the interval of each model over these tasks, in the order of names."""
    if x is None:
        return []
    scale = max(_find_scale(table, task) for task in x.tasks)
    return [y for name in sorted(x.intervals) for y in _round(x.intervals[name], scale)]


def _list_margins(x: Aggregates | None) -> list[float]:
    """Return the p-values of margins over these tasks, in the order of names."""
    if x is None:
        return []
    numbers = {
        (y.model, pair.b if y.model == pair.a else pair.a): y.adjusted
        for pair in x.pairs
        for y in pair.margins
    }
    return [numbers[key] for key in sorted(numbers)]


def _list_differences(
    table: ScoreTable, decisions: Mapping[str, Sequence[Decision]]
) -> list[float]:
    """Return the differences, their intervals and P(A > B), in an order of names."""
    numbers: dict[tuple[str, str, str], list[float]] = {}
    for task, by in decisions.items():
        scale = _find_scale(table, task)
        for x in by:
            low, high = (x.record[f"difference_{y}"] for y in ("low", "high"))
            difference = x.record["mean_difference"]
            share = x.record.get("probability_of_improvement", math.nan)
            if x.a > x.b:
                difference, low, high = -difference, -high, -low
                share = 1.0 - share
            key = task, min(x.a, x.b), max(x.a, x.b)
            numbers[key] = [*_round([difference, low, high], scale)]
            numbers[key] += [] if math.isnan(share) else _round([share], 1.0)
    return [x for key in sorted(numbers) for x in numbers[key]]


def _find_scale(table: ScoreTable, task: str) -> float:
    """Return the size of the scores of a task: their largest finite one."""
    sizes = [np.abs(x[np.isfinite(x)]) for x in table.tasks[task].values()]
    return max((float(x.max()) for x in sizes if x.size), default=0.0) or 1.0


def _round(numbers: Sequence[float], scale: float) -> list[float]:
    """Return numbers in a unit, without the last digits: sums differ by these."""
    return [round(x / scale, _DECIMALS) for x in numbers]


def _list_numbers(decisions: Mapping[str, Sequence[Decision]]) -> list[float]:
    """Return the deciding numbers, in an order free of that of columns or tasks."""
    numbers: dict[tuple[str, str, str], float] = {}
    for task, by in decisions.items():
        for x in by:
            if "adjusted_pvalue" in x.record:
                first, second = sorted((x.a, x.b))
                numbers[task, first, second] = x.record["adjusted_pvalue"]
                for y in x.margins:
                    other = x.b if y.model == x.a else x.a
                    numbers[f"{task}: margin", y.model, other] = y.adjusted
            else:
                numbers[task, x.a, x.b] = x.record["eps_min_a_over_b"]
                numbers[task, x.b, x.a] = x.record["eps_min_b_over_a"]
    return [numbers[key] for key in sorted(numbers)]
