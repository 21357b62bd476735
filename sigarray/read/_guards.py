"""Refuse tables that would be misread."""

import collections
import re
from collections.abc import Mapping, Sequence

import numpy as np

from sigarray._backend.index_columns import looks_like_index
from sigarray._plain_text import squeeze
from sigarray.read._cells import is_blank, looks_like_score
from sigarray.read._codes import distinct
from sigarray.read._frame import Frame, list_names
from sigarray.read._roles import find_roles, is_long
from sigarray.read._text import TableError
from sigarray.read._words import SPLITS

# Columns that scikit-learn's cross_validate adds to its scores.
_TIMES = {"fit_time", "score_time"}
_FOLD = re.compile(
    r"((k|cv|outer|inner)?folds?|cv|cvsplits?|cviter(ation)?|(cv)?repetitions?)"
    r"(id|idx|index|no|nr|num|number)?"
)

# Usual names of items, which are as often those of rows.
_NUMBERS_OF_ROWS = ("id", "idx", "uid")


def refuse_splits(
    frame: Frame, chosen: Mapping[str, str], ignored: Sequence[str]
) -> None:
    """Refuse to mix rows of training and of test data."""
    words = {*SPLITS, ""}
    roles = {*chosen.values()}
    for role, name in find_roles(frame, {}).items():
        if role in ("model", "metric", "score"):
            roles.add(name)
    for column, cells in frame.columns.items():
        if column in roles or column in ignored or isinstance(cells, np.ndarray):
            continue
        known = distinct(cells)
        if not all(isinstance(x, str) and x.strip().lower() in words for x in known):
            continue
        values = list(dict.fromkeys(x.strip() for x in known if x.strip()))
        if len(values) > 1:
            wanted = next((x for x in values if x.lower().startswith("t")), values[0])
            wanted = next((x for x in values if x.lower() == "test"), wanted)
            msg = (
                f"{frame.source}, column {column!r}: expected scores of one split; got "
                f"{list_names(values)}. Choose one with --where {column}={wanted}, or "
                f"compare on each with --task {column}."
            )
            raise TableError(msg)


def refuse_folds(
    frame: Frame, chosen: Mapping[str, str], ignored: Sequence[str]
) -> None:
    """Refuse to take folds of a cross validation for runs silently."""
    for name in _list_folds(frame, chosen):
        if name not in {*chosen.values(), *ignored}:
            run = _name_folds(frame, name, ignored)
            msg = (
                f"{frame.source}, column {name!r}: expected independent runs; got what "
                "looks like folds or repetitions on one data set, whose training data "
                f"overlap. Pass --run {run}, with --test t and the share of the data "
                "that each is tested on, --test-share, where that is so; or --run "
                f"{run} alone where they are independent."
            )
            raise TableError(msg)


def _name_folds(frame: Frame, fold: str, ignored: Sequence[str]) -> str:
    """Return the columns that together name a fold, with the run if folds repeat."""
    roles = find_roles(frame, {})
    naming = [roles[x] for x in ("model", "task", "metric") if x in roles]
    rows = [*zip(*(frame.columns[x] for x in (*naming, fold)), strict=True)]
    run = roles.get("run")
    if len(set(rows)) == len(rows) or run in (None, fold, *ignored):
        return fold
    return ",".join(x for x in frame.columns if x in (run, fold))


def refuse_cross_validation(frame: Frame, chosen: Mapping[str, str]) -> None:
    """Refuse to take scores of scikit-learn's cross_validate for independent runs."""
    of_tests = any(x.startswith("test_") for x in frame.columns)
    if not of_tests or not {*frame.columns} >= _TIMES or len(frame.lines) < 2:
        return
    if "run" in find_roles(frame, chosen):
        return
    msg = (
        f"{frame.source}: expected independent runs; got {list_names(sorted(_TIMES))}, "
        "as scikit-learn's cross_validate writes of folds of one data set, whose "
        "training data overlap. Pass --test t and the share of the data that each is "
        "tested on, --test-share; or --unit run where they are independent."
    )
    raise TableError(msg)


def doubt_folds(
    frame: Frame, chosen: Mapping[str, str], ignored: Sequence[str]
) -> list[str]:
    """Say that rows are taken for runs though a column of folds was left out."""
    return [
        f"{frame.source}, column {name!r} was left out, and each of its rows is taken "
        "for an independent run: training data of folds overlap. If they are folds, "
        f"pass --run {name}, with --test t and the share of the data that each is "
        "tested on, --test-share"
        for name in _list_folds(frame, chosen)
        if name in ignored
    ]


def doubt_items(
    frame: Frame,
    chosen: Mapping[str, str],
    ignored: Sequence[str],
    models: Sequence[str] | None,
) -> list[str]:
    """Say that rows are taken for runs though a column of items was left out."""
    name = find_roles(frame, {}).get("item")
    if name is None or {"item", "run"} & {*chosen} or squeeze(name) in _NUMBERS_OF_ROWS:
        return []
    is_left_out = models is not None and name not in models
    if name not in ignored and not (is_left_out and not is_long(frame, chosen)):
        return []
    return [
        f"{frame.source}, column {name!r} was left out, and each of its rows is taken "
        "for an independent run. Where it names items of a test set, by which models "
        f"are paired, pass --item {name}"
    ]


def doubt_tasks(
    frame: Frame,
    chosen: Mapping[str, str],
    ignored: Sequence[str],
    models: Sequence[str] | None,
) -> list[str]:
    """Say that rows are taken for runs though a column of tasks was left out."""
    if "task" in chosen:
        return []
    usual = find_roles(frame, {}).get("task")
    doubts = []
    for name, cells in frame.columns.items():
        is_left_out = name in ignored or (models is not None and name not in models)
        if not is_left_out or looks_like_index(name, ()):
            continue
        values = [str(x) for x in cells if not is_blank(x)]
        counts = collections.Counter(values)
        is_even = len(set(counts.values())) == 1 < len(values) / max(1, len(counts))
        is_text = not any(map(looks_like_score, cells))
        if len(counts) > 1 and (name == usual or (is_text and is_even)):
            what, role = "tasks", "task"
            if len(counts) == len(values):
                what, role = "items or tasks, by which models are paired", "item"
            quoted = name or "''"
            doubts.append(
                f"{frame.source}: scores of all {len(counts)} values of column "
                f"{name!r} were taken together, as runs. Where these are {what}, pass "
                f"--{role} {quoted}"
            )
    return doubts


def _list_folds(frame: Frame, chosen: Mapping[str, str]) -> list[str]:
    """List the columns of several folds or repetitions."""
    if frame.metrics is not None or "run" in chosen:
        return []
    folds = []
    for name, cells in frame.columns.items():
        word = squeeze(name)
        is_split = word in ("split", "splitid") and all(
            re.fullmatch(r"(split|fold)?[\W_]?\d+(\.0)?", str(x).lower())
            for x in distinct(cells)
        )
        is_fold = is_split or _FOLD.fullmatch(word)
        if is_fold and len({*map(str, distinct(cells))}) > 1:
            folds.append(name)
    return folds


def refuse_rows_apart(frame: Frame) -> None:
    """Refuse a few rows below a blank line, in a table with a column for each model."""
    if frame.kind != "a table" or isinstance(frame.lines, range):
        return
    if frame.line_word != "line" or is_long(frame, {}):
        return
    columns = list(frame.columns.values())
    for k in range(len(frame.lines) - 1, 0, -1):
        above, below = frame.lines[k - 1], frame.lines[k]
        if below - above == 1:
            continue
        if below - above > 1 + sum(str(x[k - 1]).count("\n") for x in columns):
            n_below = len(frame.lines) - k
            if n_below < k:
                msg = (
                    f"{frame.source}, line {below}, below a blank line: expected "
                    f"another run; got {n_below} apart from {k} above, which may be "
                    "their means. Remove what is no run, or the blank line."
                )
                raise TableError(msg)
            return
