"""The scores that are compared, as they are read, and their signature."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sigarray import read
from sigarray._backend.codes import name_label
from sigarray._verdicts.aggregates import Aggregates
from sigarray._verdicts.asked import Request
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import Decision
from sigarray._verdicts.over_tasks import OverTasks
from sigarray._verdicts.sampled import sort_runs, take_clusters
from sigarray._verdicts.test import Test
from sigarray.read._alignment import Unit
from sigarray.read._codes import encode
from sigarray.read._frame import list_names
from sigarray.read._messages import DoubtOfGroups
from sigarray.read._missing import Missing
from sigarray.read._score_table import Direction, ScoreTable
from sigarray.report._wording import digest_numbers, digest_scores


def read_table(
    scores: Any,
    clusters: Any,
    unit: Unit | None,
    missing: Missing | None,
    higher_is_better: Direction,
    request: Request,
) -> ScoreTable:
    column = clusters if isinstance(clusters, str) else None
    has_labels = clusters is not None and column is None
    if not isinstance(scores, ScoreTable):
        table = read.scores(
            scores,
            unit="item" if has_labels and unit != "run,item" else unit,
            cluster=column,
            paired=request.is_paired,
            missing=missing,
            higher_is_better=higher_is_better,
        )
        if not has_labels:
            return table
        if unit is None and table.averaged:
            msg = (
                "Expected unit with labels for clusters of items in several runs: "
                "'run,item' if runs were drawn, too, 'item' for a verdict on these "
                "trained models; got none."
            )
            raise ValueError(msg)
        table = _put_into_clusters(table, clusters)
        return take_clusters(table, as_sums=True) if unit == "cluster" else table
    for option, asked, known in (
        ("unit", unit, scores.unit),
        ("missing", missing, scores.missing),
    ):
        if asked not in (None, known):
            msg = f"Expected scores that were read with --{option} {asked}; got others."
            msg += f" Pass read.scores(..., {option}={asked!r})."
            raise ValueError(msg)
    if request.is_paired and not scores.is_paired:
        are_same = all(len({*by.values()}) == 1 for by in scores.ids.values())
        if not are_same or scores.run_column is None or scores.missing:
            msg = (
                "Expected scores of the same runs, by name, that were read with "
                "--paired; got others. Pass read.scores(..., paired=True)."
            )
            raise ValueError(msg)
        scores = scores._replace(is_paired=True)
    if column is not None:
        msg = (
            f"Expected labels for clusters, as scores have been read; got {column!r}. "
            f"Pass read.scores(..., cluster={column!r})."
        )
        raise ValueError(msg)
    return _put_into_clusters(scores, clusters) if has_labels else scores


def _put_into_clusters(table: ScoreTable, clusters: Any) -> ScoreTable:
    if "item" not in table.unit or not table.is_paired:
        msg = (
            f"Expected scores of items with clusters; got scores of {table.unit}s. "
            "Leave out clusters."
        )
        raise ValueError(msg)
    by_task = clusters
    if not isinstance(clusters, Mapping):
        if len(table.tasks) > 1:
            msg = (
                f"Expected clusters to be labels by task, for there are "
                f"{len(table.tasks)} tasks; got {type(clusters).__name__}."
            )
            raise ValueError(msg)
        by_task = dict.fromkeys(table.tasks, clusters)
    by_task = {str(task): labels for task, labels in by_task.items()}
    without = [task for task in table.tasks if task not in by_task]
    if without:
        msg = f"Expected clusters of every task; got none of {without[0]!r}."
        raise ValueError(msg)
    labelled = {
        task: _name_clusters(
            by_task[task],
            next(iter(table.ids[task].values())),
            is_whole=task not in table.n_dropped,
        )
        for task in table.tasks
    }
    # The scores of a pair on its own items are of clusters of other sizes.
    others = tuple(x for x in table.doubts if not isinstance(x, DoubtOfGroups))
    return table._replace(clusters=labelled, pairs={}, unmatched={}, doubts=others)


def _say_names(items: Sequence[str], by_index: Sequence[str] | None) -> str:
    if by_index is None or len(by_index) != len(items):
        return "Items with names need labels with them, as a Series of pandas."
    lost = next(x for x in items if x not in {*by_index})
    return (
        f"Their index differs from that of the items: it has no {lost!r}, but "
        f"{list_names(by_index, 3)}."
    )


def _name_clusters(
    labels: Any, items: Sequence[str], *, is_whole: bool
) -> tuple[str, ...]:
    """Return the cluster of each item, by name if labels have names, or else by place.

    Items without names are numbered from 1 on; some may have been left out.
    """
    if not hasattr(labels, "__len__"):
        msg = (
            f"Expected clusters to be a label for each of {len(items)} items; got "
            f"{type(labels).__name__}."
        )
        raise TypeError(msg)
    names, by_index = [str(k + 1) for k in range(len(labels))], None
    if hasattr(labels, "index") and hasattr(labels, "reindex"):
        by_index = list(map(str, labels.index))
        names = by_index if {*items} <= {*by_index} else names
    values = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    if (is_whole and len(values) != len(items)) or not {*items} <= {*names}:
        msg = (
            f"Expected a cluster for each of {len(items)} items, by its name; got "
            f"{len(values)} labels"
        )
        msg += " without names" if by_index is None else ""
        msg += f". {_say_names(items, by_index)}"
        raise ValueError(msg)
    unknown = [x for x in values if x is None or x != x]  # noqa: PLR0124
    if unknown:
        msg = f"Expected a cluster for each item; got {unknown[0]!r}."
        raise ValueError(msg)
    texts = [str(name_label(x)) for x in values]
    named = dict(zip(names, texts, strict=True))
    return tuple(named[x] for x in items)


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
        "clusters": sum(len({*x}) for x in table.clusters.values()) or None,
        "runs": sum(len(x.runs) for by in table.runs.values() for x in by.values())
        or None,
        "models": len(table.models),
        "tasks": len(table.tasks) if len(table.tasks) > 1 else None,
        "scores": digest_scores(_list_scores(table), paired=test.is_paired),
        "result": digest_numbers(
            [
                *_list_numbers(decisions),
                *_list_differences(table, decisions),
                *_list_over_tasks(table, over),
                *_list_over_tasks(table, aggregates),
                *_list_over_these(table, aggregates),
            ]
        ),
    }
    return {key: str(x) for key, x in fields.items() if x is not None}


def _list_scores(table: ScoreTable) -> dict[str, dict[str, np.ndarray]]:
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


def _name_statistic(table: ScoreTable, aggregates: Aggregates | None) -> str | None:
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


def _list_over_these(table: ScoreTable, x: Aggregates | None) -> list[float]:
    """Return the intervals of models over these tasks, and p-values of margins."""
    if x is None:
        return []
    scale = max(_find_scale(table, task) for task in x.tasks)
    margins = {
        (y.model, pair.b if y.model == pair.a else pair.a): y.adjusted
        for pair in x.pairs
        for y in pair.margins
    }
    return [
        *(y for name in sorted(x.intervals) for y in _round(x.intervals[name], scale)),
        *(margins[key] for key in sorted(margins)),
    ]


def _list_differences(
    table: ScoreTable, decisions: Mapping[str, Sequence[Decision]]
) -> list[float]:
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
    sizes = [np.abs(x[np.isfinite(x)]) for x in table.tasks[task].values()]
    return max((float(x.max()) for x in sizes if x.size), default=0.0) or 1.0


def _round(numbers: Sequence[float], scale: float) -> list[float]:
    """Return numbers in a unit, without the last digits: sums differ by these."""
    return [round(x / scale, _DECIMALS) for x in numbers]


def _list_numbers(decisions: Mapping[str, Sequence[Decision]]) -> list[float]:
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
