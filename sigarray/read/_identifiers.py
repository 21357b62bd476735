"""Columns that may hold items, runs or raters, and what else tells scores apart."""

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sigarray._backend.given import looks_like_index, names_steps
from sigarray._plain_text import squeeze
from sigarray.read._cells import encode_texts, find_blank, looks_like_score
from sigarray.read._codes import (
    Coded,
    distinct,
    find_first,
    group_rows,
    join_columns,
    repeat,
)
from sigarray.read._frame import Frame, Roles
from sigarray.read._records import Records, find_column
from sigarray.read._roles import find_largest, find_roles, find_score
from sigarray.read._text import TableError
from sigarray.read._words import RATERS, RATINGS, list_words, names_clusters

# Words for what models were asked: other texts of an item may be answers.
_ASKED = frozenset(("instruction", "input", "question", "prompt", "query", "problem"))
# With more numbers a column is hardly one of runs.
_MAX_RUNS = 50
_RUN = re.compile(
    r"(.*\W|.*_)?(seed|run|trial|rep|repeat|fold|split|s|r)\W?_?\d+", re.I
)
_SAMPLE = re.compile(
    r"(sample|completion|attempt|generation|response|draw|rollout|choice|k|try)"
    r"(id|idx|index|no|nr|num|number|i)?"
)


class _Ids(NamedTuple):
    """A column in which every model has each value equally often."""

    column: str
    n_values: int
    n_each: int
    is_text: bool


def find_items(
    frames: Sequence[Frame], chosen: Roles, metric: str | None
) -> tuple[list[Frame], list[str]]:
    """Return tables with the column of items, if only its values show it, and notes.

    Texts, or more than 50 values, that every model has equally often are items.
    """
    plain = all(x.metrics is None and not x.roles and x.columns for x in frames)
    if not plain:
        return list(frames), []
    roles = find_roles(frames[0], chosen)
    if {"item", "run", "cluster", "step"} & {*roles, *frames[0].constants}:
        return list(frames), []
    counted = [
        ids
        for name in frames[0].columns
        if name not in roles.values()
        for ids in [_count_values(frames, roles, name)]
        if ids is not None
    ]
    names = {ids.column for ids in counted}
    others = {x: y for x, y in frames[0].columns.items() if x not in names}
    try:
        score = find_score(frames[0], roles, metric)
    except TableError:  # several may be the score, but some of them may be ids
        score = find_score(replace(frames[0], columns=others), roles, metric)
    asked = {x for x in names if list_words(x) & _ASKED}
    keys = {x: (x.n_each > 1, not x.is_text, x.column not in asked) for x in counted}
    for ids in sorted((x for x in counted if x.column != score), key=keys.__getitem__):
        name, often = ids.column, "once" if ids.n_each == 1 else f"{ids.n_each} times"
        is_many = ids.n_values > _MAX_RUNS
        quoted = name or "''"
        if is_many or (ids.is_text and ids.n_each == 1):
            note = (
                f"{name!r} was taken for the items of a test set: every model has each "
                f"of its {ids.n_values} values {often}. If it is something else, pass "
                f"--run {quoted}, --task {quoted} or --ignore {quoted}"
            )
            return [replace(x, roles={"item": name}) for x in frames], [note]
        if ids.n_each == 1:
            msg = (
                f"{frames[0].source}: column {name!r} may be of items or of runs: each "
                f"model has each of its {ids.n_values} values once. Pass --item "
                f"{quoted} where these are items of a test set, by which models are "
                "paired, "
                f"--run {quoted} where they are runs, or --ignore {quoted}."
            )
            raise TableError(msg)
    return list(frames), []


def are_samples(records: Records, *, is_said: bool = False) -> bool:
    """Tell whether each item has several scores, from samples of an answer.

    Every model and item has equally many, unless `is_said` that scores of an item are
    to be averaged. Scores are no samples if a column of indices may name them.
    """
    if records.has("run") or np.any(records.factors["item"].codes < 0):
        return False
    groups, n_groups = records.group("model", "item")
    if n_groups == len(records):
        return False
    counts = np.bincount(groups)
    if counts.min() < counts.max() and not (is_said and have_samples(records)):
        return False
    frame = records[0].frame
    known = {*find_roles(frame, {}).values(), records[0].metric}
    known |= {*frame.roles.values()}
    for name in frame.columns:
        if name in known or _SAMPLE.fullmatch(squeeze(name)):
            continue
        n_names, is_apart = tells_apart(records, name)
        if is_apart:
            raise _ask_about(name, records, counts.max(), n_names < len(records))
        if n_names == len(records) and looks_like_index(name, ()) and not is_said:
            return False
    return True


def tells_apart(records: Records, column: str) -> tuple[int, bool]:
    """Tell whether a column has the same values for all models that have an item.

    And several of an item. Return how many names it makes, too.
    """
    having, texts = records.take_texts(column)
    model, item = (having.factors[role] for role in ("model", "item"))
    n_names = group_rows([model, item, texts])[1]
    n_by_item = group_rows([item, texts])[1]
    is_of_all = n_names == len(model.list_known()) * n_by_item
    if list_words(column) & (RATERS - RATINGS):
        # A pool of raters, of whom some rate an item, is no part of its name.
        is_of_all &= n_by_item == len(item.list_known()) * len(texts.list_known())
    return n_names, is_of_all and n_names > group_rows([model, item])[1]


def have_samples(records: Records) -> bool:
    """Tell whether most items have several scores; a few may be repeated rows."""
    counts = np.bincount(records.group("model", "item")[0])
    return bool(np.median(counts) > 1)


def _ask_about(column: str, records: Records, n: int, has_samples: bool) -> TableError:
    """Return an error for scores of an item that this column tells apart."""
    first = records[0]
    each = "some" if has_samples else "one"
    ways = list_ways(column, find_column(records, "item"), first.task)
    return TableError(
        f"{first.frame.source}: expected one score of each item and model; got {n}, "
        f"{each} for each value of {column!r}. What to do: {'; or '.join(ways)}."
    )


def list_ways(column: str, item: str | None, task: str | None) -> list[str]:
    """Say what scores of an item may be that a column tells apart, and what to pass."""
    ways = [] if task is not None else [f"compare on each with --task {column}"]
    by = column if names_clusters(column) or are_of_one_item(column) else item or ""
    if names_clusters(by):
        ways.append(f"pass {say_cluster(by)}")
    if not are_of_one_item(column):
        ways.append(
            f"pass --item {column},{item or '...'}, but only if names are used again "
            f"for other items of another {column!r}, as question 3 of law is not "
            "question 3 of history"
        )
    option, scores = "--ignore", "scores"
    if list_words(column) & RATERS:  # which pairs models by their raters, too
        option, scores = "--run", "ratings"
    average = f"to average the {scores} of an item"
    averaged = f"pass {option} {column}, with --unit item, {average}"
    return [averaged, *ways] if scores == "ratings" else [*ways, averaged]


def are_of_one_item(column: str) -> bool:
    """Tell by its name whether a column has raters of an item, or samples."""
    return bool(list_words(column) & RATERS or _SAMPLE.fullmatch(squeeze(column)))


def say_cluster(column: str) -> str:
    """Say when a column has clusters, in which items are named anew."""
    of = f"each {column!r} has items of its own, which are not independent"
    return f"--cluster {column}, where {of}"


def _count_values(frames: Sequence[Frame], roles: Roles, column: str) -> _Ids | None:
    """Count how often each model has each value; None if that differs."""
    names = [roles[x] for x in ("model", "task", "metric") if x in roles]
    if any(x not in frame.columns for frame in frames for x in (column, *names)):
        return None
    cells = [frame.columns[column] for frame in frames]
    if any(find_blank(x).any() for x in cells):
        return None
    texts = join_columns([encode_texts(x) for x in cells])
    # Each file that does not name its model is of one model.
    files = join_columns(
        [repeat(0 if "model" in roles else k, len(x)) for k, x in enumerate(cells)]
    )
    others = {
        x: join_columns([encode_texts(frame.columns[x]) for frame in frames])
        for x in names
    }
    models = [files, *(others[roles[x]] for x in ("model",) if x in roles)]
    groups, n_groups = group_rows([files, *others.values()])
    each, n_each = group_rows([Coded(groups, range(n_groups)), texts])
    counts = np.bincount(each)
    every = texts.list_known()
    is_even = bool(len(counts)) and counts.min() == counts.max()
    if not is_even or len(every) < 2 or group_rows(models)[1] < 2:
        return None
    firsts = find_first(each, n_each)
    n_common = np.count_nonzero(np.bincount(texts.codes[firsts]) == n_groups)
    if 2 * n_common < len(every):
        return None
    is_text = not all(all(map(looks_like_score, distinct(x))) for x in cells)
    # Rows that a column without a name names are asked about; others may be settings.
    if column and not is_text and not all(re.fullmatch(r"[+-]?\d+", x) for x in every):
        return None
    is_of_runs = all(_RUN.fullmatch(x) for x in every)
    return _Ids(column, len(every), int(counts[0]), is_text and not is_of_runs)


def refuse_steps_as_tasks(frame: Frame, chosen: Roles) -> None:
    """Refuse the steps of runs for tasks: at all of these, runs are the same."""
    task = chosen.get("task", "")
    if task not in frame.columns or not names_steps(task):
        return
    roles = find_roles(frame, chosen)
    steps = encode_texts(frame.columns[task])
    last = find_largest(steps.list_known())
    runs = [
        encode_texts(frame.columns[roles[x]]) for x in ("model", "run") if x in roles
    ]
    n_runs = group_rows(runs or [repeat("", len(steps))])[1]
    if last is not None and group_rows([*runs, steps])[1] > n_runs:
        msg = (
            f"{frame.source}, column {task!r}: expected tasks; got the steps of runs, "
            "at which the same runs are measured. Leave --task out, or name the column "
            "of tasks with it, so that the last step of each run is compared; or "
            f"choose one with --where {shlex.quote(f'{task}={last}')}."
        )
        raise TableError(msg)
