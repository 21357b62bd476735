"""Metrics of a whole test set, from columns of the numbers of each item."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from sigarray import corpus
from sigarray._backend.of_numpy import HOST
from sigarray._numeric.sums import SumStatistic
from sigarray._plain_text import suggest
from sigarray.read._frame import Names, list_names
from sigarray.read._score_table import Choice, ScoreTable, contradict, find_direction
from sigarray.read._scores import read_sources
from sigarray.read._several_scores import order_columns, say_columns, split_columns
from sigarray.read._text import refuse

_CONFUSED = "true positives, false positives, false negatives and true negatives"
_OF_FOUND = "true positives, false positives and false negatives"
_PRECISE = f"true positives and false positives; or {_OF_FOUND}"
_RECALLED = f"true positives and false negatives; or {_OF_FOUND}"
_OF_CLASSES = "or so for each of several classes, all true positives first"
_OF_BINS = "hits, confidences and items of each bin, all hits first"
_OF_SEGMENTS = "sacrebleu's statistics of segments"
_BLEU = "sys_len, ref_len, correct_1 to correct_4, total_1 to total_4"
_CHRF = "n-grams of the hypothesis, of the reference and of both, for each order"
_RESIDUALS = "squared residuals, gold values, their squares and ones"


# Sums that are in order have no larger metric, but for rounding.
_LARGEST = {"bleu": 100.0 + 1e-6, "chrf": 100.0 + 1e-6}


class Metric(NamedTuple):
    statistic: SumStatistic
    columns: str
    higher_is_better: bool | None


METRICS = {
    name: Metric(SumStatistic(getattr(corpus, name)), columns, is_higher)
    for name, columns, is_higher in (
        ("accuracy", f"{_CONFUSED}; or the counts of corpus.confusions", True),
        ("bleu", f"{_OF_SEGMENTS} (for BLEU of 4-grams {_BLEU})", True),
        ("calibration_error", _OF_BINS, False),
        ("chrf", f"{_OF_SEGMENTS}, 18 for chrF ({_CHRF})", True),
        ("f1", f"{_OF_FOUND}, {_OF_CLASSES}", True),
        ("krippendorff_alpha", "the counts of corpus.votes", True),
        ("macro_f1", f"{_OF_FOUND} of each class, all true positives first", True),
        ("matthews_correlation", f"{_CONFUSED}; or the counts of confusions", True),
        (
            "pearson",
            "x, y, their squares x * x and y * y, their products x * y, and ones",
            True,
        ),
        ("perplexity", "negative log-likelihoods and tokens", False),
        ("precision", f"{_PRECISE}, {_OF_CLASSES}", True),
        ("r2", _RESIDUALS, True),
        ("ratio", "numerators and denominators", None),
        ("recall", f"{_RECALLED}, {_OF_CLASSES}", True),
        ("rmse", _RESIDUALS, False),
        ("squared_calibration_error", _OF_BINS, False),
        ("word_error_rate", "errors and words", False),
    )
}


def find_metric(statistic: str | SumStatistic) -> tuple[str, Metric]:
    if isinstance(statistic, SumStatistic):
        name = getattr(statistic.measure, "__name__", "statistic").strip("<>")
        known = METRICS.get(name)
        if known is not None and known.statistic == statistic:
            return name, known
        return name, Metric(statistic, "the numbers that it takes", None)
    if statistic not in METRICS:
        meant = statistic.removeprefix("micro_")
        hint = suggest(statistic, METRICS)
        if meant in METRICS and meant != statistic:
            hint = f" Write {meant!r}, which is the micro average of all classes."
        if statistic in ("iqm", "mean", "median"):
            hint = " It is of scores, and an argument of compare_models."
        msg = (
            f"Expected --statistic to be a metric of a whole test set; got "
            f"{statistic!r}.{hint} Those known: "
            f"{list_names(METRICS, len(METRICS))}."
        )
        raise ValueError(msg)
    return statistic, METRICS[statistic]


def read_sums(
    sources: Sequence[Any], choice: Choice, statistic: str | SumStatistic
) -> ScoreTable:
    """Read columns of numbers of items, and make a metric of their sums.

    Scores are the metric plus the influence of each item on it: their mean is the
    metric, and their errors are its errors.
    """
    name, metric = find_metric(statistic)
    columns = _list_columns(name, metric, choice)
    is_higher = metric.higher_is_better
    said = find_direction(choice.higher_is_better, name, "the scores", [])
    if None not in (said, is_higher) and said != is_higher:
        source, by = f"--statistic {name}", "its definition has it"
        raise contradict(source, name, is_higher=bool(is_higher), by=by)
    for option, given, allowed in (
        ("missing", choice.missing, (None, "drop")),
        ("unit", choice.unit, (None, "item")),
    ):
        if given not in allowed:
            msg = (
                f"Expected --statistic {name} without --{option} {given}: its numbers "
                "are summed over items. Leave it out."
            )
            raise ValueError(msg)
    tables = [_read_column(sources, choice, x, columns) for x in columns]
    first = tables[0]
    if first.unit == "run,item":
        refuse(
            f"{first.source}: expected items in one run of each model for --statistic "
            f"{name}; got several runs. Pass --unit item, which averages the numbers "
            "of an item over the runs, or choose a run with --where."
        )
    if first.unit != "item":
        refuse(
            f"{first.source}: expected a column of items, over which the numbers of "
            f"{name} are summed; got none. Name it with --item."
        )
    for column, other in zip(columns, tables, strict=True):
        if other.ids != first.ids:
            refuse(
                f"{first.source}: expected numbers of the same items in columns "
                f"{columns[0]!r} and {column!r}; got others. Fill in blank cells."
            )
    if metric.statistic.is_of_counts:
        _refuse_negative(name, columns, tables)
    sums = {
        task: {x: np.stack([y.tasks[task][x] for y in tables]) for x in by}
        for task, by in first.tasks.items()
    }
    scores = {
        task: {
            x: _measure_items(first.source, name, metric, columns, x, y)
            for x, y in by.items()
        }
        for task, by in sums.items()
    }
    known = name if metric is METRICS.get(name) else None
    listed = f"{name} is of the sums of {say_columns(known, columns)}"
    if columns != split_columns(choice.columns["score"]):
        listed += ", taken by their names"
    notes = [x.replace(f"score is {columns[0]!r}", listed) for x in first.notes]
    return first._replace(
        tasks=scores,
        metric=name,
        notes=tuple(notes),
        doubts=tuple(dict.fromkeys(x for y in tables for x in y.doubts)),
        higher_is_better=said if is_higher is None else is_higher,
        pairs={},
        unmatched={},
        curves={},
        sums=sums,
        statistic=metric.statistic,
        sum_columns=tuple(columns),
    )


def _list_columns(name: str, metric: Metric, choice: Choice) -> list[str]:
    said = choice.columns.get("score")
    needed = f"columns of {metric.columns}"
    if said is None or choice.metrics:
        msg = (
            f"Expected --score with {needed}, in this order, for --statistic {name}; "
            f"got {'none' if said is None else '--metric beside it'}."
        )
        raise ValueError(msg)
    columns = split_columns(said)
    if len({*columns}) < len(columns):
        msg = f"Expected each column of --score once; got {said}."
        raise ValueError(msg)
    try:
        metric.statistic(*np.ones((len(columns), 1)))
    except (TypeError, ValueError) as error:
        n = len(columns)
        msg = (
            f"Expected --score to name {needed}, in this order, for --statistic "
            f"{name}; got {n} column{'' if n == 1 else 's'}, {said}."
        )
        raise ValueError(msg) from error
    return order_columns(name if metric is METRICS.get(name) else None, columns)


def _read_column(
    sources: Sequence[Any], choice: Choice, column: str, columns: Names
) -> ScoreTable:
    one = replace(
        choice,
        columns={**choice.columns, "score": column},
        ignored=[*choice.ignored, *(x for x in columns if x != column)],
        summed=columns,
        higher_is_better=None,
    )
    return read_sources(sources, one)


def _refuse_negative(name: str, columns: Names, tables: Sequence[ScoreTable]) -> None:
    for column, table in zip(columns, tables, strict=True):
        for task, by in table.tasks.items():
            for model, counts in by.items():
                if not np.any(counts < 0.0):
                    continue
                k = int(np.argmax(counts < 0.0))
                item = table.ids[task][model][k]
                on = f" on task {task!r}" if task else ""
                refuse(
                    f"{table.source}: expected counts of 0 or more in column "
                    f"{column!r}, for --statistic {name}; got {counts[k]:g} for item "
                    f"{item!r} of {model!r}{on}. Correct it, or remove the rows of "
                    "this item."
                )


def _measure_items(
    source: str, name: str, metric: Metric, columns: Names, model: str, sums: np.ndarray
) -> np.ndarray:
    scores: np.ndarray = metric.statistic.pseudo_values(HOST, sums)
    if not np.isfinite(scores).all():
        totals = ", ".join(
            f"{x} {y:g}" for x, y in zip(columns, sums.sum(axis=1), strict=True)
        )
        refuse(
            f"{source}: expected sums of which {name} is a number, of all items and "
            f"without any one of them; got {totals} of {model!r}."
        )
    value = float(np.mean(scores))
    if metric is METRICS.get(name) and value > _LARGEST.get(name, np.inf):
        refuse(
            f"{source}: expected sums of which {name} is {_LARGEST[name]:g} or less; "
            f"got {value:.4g} of {model!r}, as of numbers in another order. Pass "
            f"--score with {metric.columns}, in this order."
        )
    return scores
