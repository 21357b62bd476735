"""Rows of one metric, in tables that have several."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sigarray._plain_text import suggest
from sigarray.read._cells import (
    as_text,
    encode_texts,
    find_blank,
    is_blank,
    looks_like_score,
)
from sigarray.read._codes import distinct, take
from sigarray.read._frame import (
    Frame,
    Names,
    Roles,
    SeveralMetricsError,
    UnknownMetricError,
    list_names,
)
from sigarray.read._lm_eval import AVERAGES, SAMPLES
from sigarray.read._roles import find_roles, is_long, list_metrics, match_metric
from sigarray.read._score_table import Choice
from sigarray.read._text import TableError
from sigarray.read._words import (
    METRICS,
    SPLITS,
    find_runs,
    is_metric,
    list_words,
)

# A table with more rows has no row for each run of a metric.
_MAX_ROWS = 100_000


def take_metric_rows(frame: Frame, chosen: Roles, choice: Choice) -> Frame:
    """Return the rows of the chosen metric, or the only one, without its name.

    A column of metrics has it, or names of rows such as "acc_seed0", which become
    "seed0". Other tables are returned as they are, such as those with a score in each
    row, of which each task may have a metric of its own.
    """
    if frame.metrics is not None or frame.roles or frame.constants or frame.twice:
        return frame
    if not len(frame.lines):
        return frame
    known = {role: x for role, x in chosen.items() if x in frame.columns}
    column = _find_column(frame, known, choice.ignored)
    if column is not None:
        names = list(map(as_text, frame.columns[column]))
        return _take(frame, column, names, None, choice.metrics)
    if is_long(frame, known) or len(frame.lines) > _MAX_ROWS:
        return frame
    others = {*choice.ignored, *(x for role, x in known.items() if role != "run")}
    for column, cells in frame.columns.items():
        if column in others or not _are_texts(cells):
            continue
        runs = find_runs(str(x) for x in distinct(cells) if not is_blank(x))
        of = {x: (metric, run) for metric, by in runs.items() for x, run in by.items()}
        is_whole = runs and all(str(x) in of for x in distinct(cells))
        if is_whole and any(map(is_metric, runs)):
            every = [of[str(x)] for x in cells]
            names, named = [x for x, _ in every], [x for _, x in every]
            return _take(frame, column, names, named, choice.metrics)
    return frame


def find_rows_of_metric(
    frame: Frame, column: str, metric: str | None
) -> tuple[str, np.ndarray]:
    """Return the chosen or only metric in a column of metrics, and its rows."""
    texts = encode_texts(frame.columns[column])
    known = [x or "" for x in texts.list_known()]
    if metric is None and len(known) > 1:
        advice = "Choose one with --metric NAME"
        if frame.kind == AVERAGES:
            advice += (
                ". These are averages, which do not show how scores vary: better pass "
                f"{SAMPLES}"
            )
        msg = (
            f"{frame.source}, column {column!r}: expected one metric; got "
            f"{list_names(known)}. {advice}."
        )
        raise TableError(msg)
    chosen = known[0] if metric is None else metric
    starts = [x for x in known if x.split(",")[0] == chosen]
    if chosen not in known and len(starts) > 1:
        place = f"{frame.source}, column {column!r}"
        raise SeveralMetricsError(place, chosen, starts)
    if chosen not in known and starts:
        chosen = starts[0]
    if chosen not in known:
        msg = (
            f"{frame.source}, column {column!r}: has no metric {chosen!r}."
            f"{suggest(chosen, known)} Those in it: {list_names(known)}."
        )
        raise UnknownMetricError(msg, frame, known)
    return chosen, np.flatnonzero(texts.find([chosen or None]))


def choose_metric_of(frame: Frame, known: Names, metrics: Names, what: str) -> str:
    """Return the chosen one of several metrics, or the only one."""
    wanted = [x.strip() for y in metrics for x in ([y] if y in known else y.split(","))]
    if len(wanted) > 1:
        raise refuse_several(frame.source, wanted)
    if wanted:
        return match_metric(frame, wanted[0], known)
    if len(known) > 1:
        msg = (
            f"{frame.source}, {what}: expected one metric; got {list_names(known)}. "
            f"Choose one with --metric NAME, such as --metric {_quote(known)}."
        )
        raise TableError(msg)
    return known[0]


def refuse_several(source: str, metrics: Names) -> TableError:
    """Return the error for several metrics, of which one alone can be compared."""
    return TableError(
        f"{source}: expected one metric to compare; got {list_names(metrics)} "
        f"(--metric). Name one, such as --metric {_quote(metrics)}, and compare the "
        "others by themselves. Several metrics are for tasks that do not share one: of "
        "each task, the first that it has is taken."
    )


def _quote(names: Names) -> str:
    import shlex  # which few programs need

    return shlex.quote(names[0])


def _find_column(frame: Frame, known: Mapping[str, str], ignored: Names) -> str | None:
    """Find a column of metrics, if the scores of a row are in several columns."""
    roles = find_roles(frame, known)
    has_several = "score" not in roles and len(list_metrics(frame, roles)) > 1
    is_board = "," in known.get("score", "")
    if is_long(frame, known) and not has_several and not is_board:
        return None
    others = {*roles.values(), *ignored}
    for column, cells in frame.columns.items():
        is_one = column == roles.get("metric")
        if (is_one or column not in others) and _are_texts(cells):
            texts = {as_text(x) for x in distinct(cells)}
            if not find_blank(cells).any() and (is_one or all(map(_is_plain, texts))):
                return column
    return None


def _is_plain(text: str) -> bool:
    """Tell whether a text is the name of a metric, and of nothing else."""
    words = list_words(text)
    return bool(words & METRICS) and words <= METRICS | SPLITS


def _are_texts(cells: Sequence[Any]) -> bool:
    return not isinstance(cells, np.ndarray) and not any(
        looks_like_score(x) for x in distinct(cells) if not is_blank(x)
    )


def _take(
    frame: Frame, column: str, metrics: Names, runs: Names | None, wanted: Names
) -> Frame:
    """Return the rows of one metric, with names of runs in place of its column."""
    known = list(dict.fromkeys(metrics))
    metric = choose_metric_of(frame, known, wanted, f"column {column!r}")
    rows = [k for k, x in enumerate(metrics) if x == metric]
    columns = {x: take(y, np.asarray(rows)) for x, y in frame.columns.items()}
    if runs is None:
        del columns[column]
    else:
        columns[column] = [runs[k] for k in rows]
    return replace(
        frame,
        columns=columns,
        lines=take(frame.lines, rows),
        index=tuple(x for x in frame.index if x in columns),
        metric=metric,
        other_metrics=tuple(x for x in known if x != metric),
    )
