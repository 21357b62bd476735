"""Choice of rows, of one metric or by the values in a column, and of columns."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np

from sigarray._backend.given import names_steps
from sigarray._plain_text import suggest
from sigarray.read._cells import (
    as_text,
    encode_texts,
    find_blank,
    have_names,
    is_blank,
    looks_like_score,
)
from sigarray.read._codes import distinct, take
from sigarray.read._early_ends import say_lost, take_early
from sigarray.read._frame import (
    Frame,
    Names,
    Roles,
    SeveralMetricsError,
    UnknownMetricError,
    lacks_column,
    list_names,
    say_choice,
)
from sigarray.read._lm_eval import AVERAGES, SAMPLES
from sigarray.read._messages import DROP_WORST_OR_KEEP
from sigarray.read._roles import find_roles, is_long, list_metrics, match_metric
from sigarray.read._score_table import Choice
from sigarray.read._several_scores import find_sums
from sigarray.read._text import NUMBER, TableError, refuse
from sigarray.read._tracked import has_filters, keep_filters
from sigarray.read._words import METRICS, SPLITS, find_runs, is_metric, list_words

# A table with more rows has no row for each run of a metric.
_MAX_ROWS = 100_000


def take_metric_rows(frame: Frame, chosen: Roles, choice: Choice) -> Frame:
    """Return the rows of the chosen metric, or the only one, without its name."""
    is_told = frame.metrics is not None or frame.roles or frame.constants
    if is_told or frame.twice or not len(frame.lines):
        return frame
    known = frame.keep_known(chosen)
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
    texts = encode_texts(frame.columns[column])
    known = [x or "" for x in texts.list_known()]
    if metric is None and len(known) > 1:
        advice = say_choice(known)
        if frame.kind == AVERAGES:
            advice += (
                ". These are averages, which do not show how scores vary: better pass "
                f"{SAMPLES}"
            )
        refuse(
            f"{frame.source}, column {column!r}: expected one metric; got "
            f"{list_names(known)}. {advice}."
        )
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
    wanted = [x.strip() for y in metrics for x in ([y] if y in known else y.split(","))]
    if len(wanted) > 1:
        raise refuse_several(frame.source, wanted)
    if wanted:
        return match_metric(frame, wanted[0], known)
    if len(known) > 1:
        refuse(
            f"{frame.source}, {what}: expected one metric; got {list_names(known)}. "
            f"{say_choice(known)}."
        )
    return known[0]


def refuse_several(source: str, metrics: Names) -> TableError:
    sums = find_sums(metrics)
    first = "" if sums is None else f" {sums.metric} takes their sums: {sums.advice}."
    return TableError(
        f"{source}: expected one metric to compare; got {list_names(metrics)} "
        f"(--metric).{first} {say_choice(metrics)}, and compare the others by "
        "themselves. Several metrics are for tasks that do not share one: of each "
        "task, the first that it has is taken."
    )


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
    words = list_words(text)
    return bool(words & METRICS) and words <= METRICS | SPLITS


def _are_texts(cells: Sequence[Any]) -> bool:
    return not isinstance(cells, np.ndarray) and not any(
        looks_like_score(x) for x in distinct(cells) if not is_blank(x)
    )


def _take(
    frame: Frame, column: str, metrics: Names, runs: Names | None, wanted: Names
) -> Frame:
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


def keep_rows(
    frames: Sequence[Frame], choice: Choice, named: Collection[str]
) -> tuple[list[Frame], str | None]:
    """Return the rows that have one of the chosen values in each of the columns.

    A column by which rows were chosen is left out, unless it has a role, or is `named`
    by other options. The column of steps is returned, too, if the last rows of runs
    that ended before those are among the others.
    """
    whole, of_steps, n_early = frames, None, 0
    where, chosen = choice.where, choice.columns
    for name, values in sorted(where.items(), key=lambda x: names_steps(x[0])):
        if name == "filter" and has_filters(frames):
            frames = keep_filters(frames, values)
            continue
        for frame in frames:
            if name not in frame.columns:
                raise lacks_column(frame.source, name, frame.columns, "where")
        known = dict.fromkeys(
            x or ""
            for y in frames
            for cells in (y.columns[name], y.unfinished.get(name, ()))
            for x in encode_texts(cells).list_known()
        )
        wanted: list[str] = []
        for value in values:
            texts = _find_texts(value, known)
            if not texts:
                refuse(
                    f"{frames[0].source}, column {name!r}: expected a value of it for "
                    f"--where; got {value!r}.{suggest(value, known)} Those in it: "
                    f"{list_names(list(known))}."
                )
            wanted += texts
        early = [
            take_early(x, name, wanted, chosen, are_many=len(frames) > 1)
            for x in frames
        ]
        if any(map(len, early)):
            of_steps, n_early = name, sum(map(len, early))
        is_named = name in {*named, of_steps}
        pairs = zip(frames, early, strict=True)
        frames = [_filter(x, name, wanted, y, is_named=is_named) for x, y in pairs]
    n, n_all = (sum(len(x.lines) + x.n_unfinished for x in y) for y in (frames, whole))
    n -= n_early
    if n < n_all:
        by = [f"{x}={' or '.join(y)}" for x, y in where.items()]
        note = f"{n:,} of {n_all:,} rows have {' and '.join(by)}"
        frames = [replace(x, notes=(*x.notes, note)) for x in frames]
    return list(frames), of_steps


def _find_texts(value: str, known: Collection[str]) -> list[str]:
    if value in known or not NUMBER.fullmatch(value):
        return [value] if value in known else []
    number = Decimal(value)
    return [x for x in known if NUMBER.fullmatch(x) and Decimal(x) == number]


def leave_out(frame: Frame, ignored: Names, chosen: Roles) -> Frame:
    """Leave out columns, so that they get no role, and numbers of rows without a name.

    Of runs whose seed is left out, the tracker's own names are taken.
    """
    for role, name in chosen.items():
        if name in ignored and name in frame.columns:
            refuse(
                f"{frame.source}: expected --{role} and --ignore to name other "
                f"columns; got {name!r} for both. Leave out one of them."
            )
    state = frame.roles.get("state")
    if state in ignored:
        refuse(
            f"{frame.source}: expected --ignore to name other columns; got {state!r}, "
            f"which says of {frame.kind} whether they have finished, and is always "
            "read. Leave it out of --ignore, and choose what becomes of runs that have "
            f"crashed: {DROP_WORST_OR_KEEP}."
        )
    metric = find_roles(frame, chosen).get("metric") if ignored else None
    if metric is not None and metric in ignored:
        metrics = [x or "" for x in encode_texts(frame.columns[metric]).list_known()]
        if len(metrics) > 1:
            refuse(
                f"{frame.source}, column {metric!r}: expected one metric; got "
                f"{list_names(metrics)}, and --ignore {metric}, which would mix "
                f"them. {say_choice(metrics)}."
            )
    unnamed = distinct(frame.columns.get("", ()))
    are_numbers = all(map(looks_like_score, unnamed)) and not have_names(unnamed)
    if "" not in chosen.values() and are_numbers:
        ignored = [*ignored, ""]
    frame = _leave_out_parts(frame, ignored)
    gone = set(ignored)
    columns = {*frame.columns} - gone
    roles = {role: x for role, x in frame.roles.items() if x not in gone}
    if "run" in frame.roles and frame.run_name in columns:
        roles.setdefault("run", frame.run_name)
    scores = frame.metrics and tuple(x for x in frame.metrics if x not in gone)
    return replace(frame.hide(gone), roles=roles, metrics=scores)


def _leave_out_parts(frame: Frame, ignored: Names) -> Frame:
    gone = {run for x, run in frame.parts.items() if run and {x, run} & {*ignored}}
    if not gone or frame.run_name is None:
        return frame
    is_gone = encode_texts(frame.columns[frame.run_name]).find(gone)
    return frame.take(np.flatnonzero(~is_gone))


def _filter(
    frame: Frame, name: str, values: Names, early: np.ndarray, *, is_named: bool
) -> Frame:
    wanted = [x or None for x in values]
    frame = _filter_unfinished(frame, name, wanted)
    kept = np.flatnonzero(encode_texts(frame.columns[name]).find(wanted))
    kept = np.union1d(kept, early)
    roles = find_roles(frame, {})
    if roles.get("step") == name:
        notes = say_lost(frame, roles, kept, f"{name}={' or '.join(values)}")
        frame = replace(frame, notes=(*frame.notes, *notes))
    frame = frame.take(kept)
    if is_named or name in roles.values():
        return frame
    return frame.hide({name})


def _filter_unfinished(frame: Frame, name: str, wanted: list[str | None]) -> Frame:
    if name not in frame.unfinished:
        return frame
    kept = np.flatnonzero(encode_texts(frame.unfinished[name]).find(wanted))
    unfinished = {x: take(cells, kept) for x, cells in frame.unfinished.items()}
    return replace(frame, unfinished=unfinished, n_unfinished=len(kept))


def write_out(choice: Choice, tables: Sequence[Frame | None]) -> Choice:
    """Return the choice with whole names of columns, as trackers write them.

    A name that no column has stands for the only one that ends with it, behind a point
    or a slash; neighbours in a list may be one: acc,none.
    """
    columns = {x for frame in tables if frame is not None for x in frame.columns}
    if not columns:
        return choice
    chosen = {role: _find_all(x, columns) for role, x in choice.columns.items()}
    where = {_find(x, columns): y for x, y in choice.where.items()}
    return replace(
        choice,
        columns=chosen,
        where=where,
        ignored=join_names(choice.ignored, columns),
        models=choice.models and join_names(choice.models, columns),
    )


def _find_all(name: str, columns: Collection[str]) -> str:
    if name in columns:
        return name
    names = join_names([x.strip() for x in name.split(",")], columns)
    return ",".join(_find(x, columns) for x in names)


def join_names(names: Names, columns: Collection[str]) -> list[str]:
    """Join names that are one column's with commas."""
    joined: list[str] = []
    start = 0
    while start < len(names):
        ends = range(len(names), start + 1, -1)
        whole = (end for end in ends if ",".join(names[start:end]) in columns)
        end = next(whole, start + 1)
        joined.append(",".join(names[start:end]))
        start = end
    return joined


def _find(name: str, columns: Collection[str]) -> str:
    ends = [x for x in columns if x.endswith((f".{name}", f"/{name}"))]
    return ends[0] if name and name not in columns and len(ends) == 1 else name
