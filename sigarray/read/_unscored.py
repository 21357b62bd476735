"""Models, tasks and items of which no file has a score."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sigarray._plain_text import suggest_each
from sigarray.read._cells import encode_texts
from sigarray.read._codes import Coded, find_first, group_rows, join_columns, repeat
from sigarray.read._frame import Frame, Names, Roles, list_names, shorten
from sigarray.read._messages import Caution, say_without
from sigarray.read._records import Records, find_column
from sigarray.read._roles import find_roles
from sigarray.read._score_table import Choice
from sigarray.read._text import TableError

_MAX_SHOWN = 4


def find_unscored(
    frames: Sequence[Frame],
    chosen: Roles,
    records: Records,
    choice: Choice,
    known: Mapping[str, Names],
) -> tuple[list[str], dict[str, tuple[str, ...]], list[Caution]]:
    """Return the tasks, and the items of others, that no score is of, and notes.

    `known` has the tasks of whole files without the metric, and their metrics.
    """
    tasks, items = _find_lost(frames, chosen, records, choice)
    scored = records.list_known("task")
    without = {task: x for task, x in known.items() if task not in scored}
    for task in choice.tasks or ():
        if task in {*tasks, *without}:
            raise _refuse_task(task, choice.metrics, without.get(task, ()))
    # Notes on whole files, and on blank cells, are made elsewhere.
    of_items = [x for by in items.values() for x in by] if choice.metrics else []
    notes = [
        say_without(
            f"{some}{'s' if len(names) > 1 else ''} {list_names(names, _MAX_SHOWN)}",
            choice.metrics,
            "NAME" if some == "task" else None,
        )
        for some, names in (("task", tasks), ("item", of_items))
        if names
    ]
    return list(dict.fromkeys([*without, *tasks])), items, notes


def _find_lost(
    frames: Sequence[Frame], chosen: Roles, records: Records, choice: Choice
) -> tuple[list[str], dict[str, tuple[str, ...]]]:
    """Return the tasks and items that rows of files name, and no score is of."""
    if sum(len(x.lines) for x in frames) == len(records):
        return [], {}
    named = [(x, find_roles(x, chosen)) for x in frames]
    factors = [
        join_columns([records.factors[role], *(_read_names(*x, role) for x in named)])
        for role in ("task", "item")
    ]
    groups, n_groups = group_rows(factors)
    first = find_first(groups, n_groups)
    # The rows of files are below the scores.
    lost = np.sort(first[first >= len(records)])
    scored, wanted = set(records.list_known("task")), choice.tasks
    tasks: dict[str, None] = {}
    items: dict[str, list[str]] = {}
    for task, item in zip(*(x[lost] for x in factors), strict=True):
        if wanted is not None and task not in wanted:
            continue
        if task is not None and task not in scored:
            tasks[task] = None
        elif item is not None:
            items.setdefault(task or "", []).append(item)
    return list(tasks), {task: tuple(x) for task, x in items.items()}


def _refuse_task(task: str, metrics: Names, known: Names) -> TableError:
    """Return the error for a chosen task, with an option that takes a metric of it."""
    of = list_names(metrics) if metrics else "any metric"
    advice = "Leave it out of --tasks, or take another metric of it"
    if known:
        said = " ".join(f"--metric {shlex.quote(x)}" for x in (*metrics, known[0]))
        advice += f", {list_names(known, _MAX_SHOWN)}: {said}"
    return TableError(
        f"Expected tasks with scores of {of}; got --tasks {task}, which has none. "
        f"{advice}."
    )


def _read_names(frame: Frame, roles: Roles, role: str) -> Coded:
    if role in roles:
        return encode_texts(frame.columns[roles[role]])
    return repeat(frame.constants.get(role), len(frame.lines))


def refuse_names(role: str, wrong: Names, known: Sequence[Any]) -> TableError:
    """Return the error for names of models or tasks that are not those of files."""
    some = f"a {role}" if len(wrong) == 1 else f"{role}s"
    return TableError(
        f"Expected {some} of the files; got {list_names(wrong)}."
        f"{suggest_each(wrong, known)} Those in them: {list_names(known)}."
    )


def refuse_tasks(frames: Sequence[Frame], tasks: Names | None) -> None:
    """Refuse tasks that no file has, if each file states its task, chosen or not."""
    stated = [x.constants.get("task") for x in frames]
    known = dict.fromkeys([*stated, *(group for x in frames for group in x.groups)])
    wrong = [x for x in tasks or () if x not in known]
    if wrong and None not in known:
        raise refuse_names(role="task", wrong=wrong, known=list(known))


def say_apart(records: Records, models: Sequence[Any]) -> str:
    """Say that each model has tasks of its own, and what to do; "" where some share."""
    parts = [x for x in records.split("task") if x[0].task is not None]
    of_tasks = {x[0].task: x.list_known("model") for x in parts}
    if len(models) < 2 or not parts or any(len(x) > 1 for x in of_tasks.values()):
        return ""
    said = []
    for model in models:
        own = [str(task) for task, names in of_tasks.items() if model in names]
        said.append(f"{str(model)!r} has {list_names(own, 2)}")
    column = find_column(records, "task")
    told = f"got models with tasks of their own: {shorten(said, _MAX_SHOWN)}. Pass "
    told += "scores of the same tasks for all models"
    if column is None:
        return f"{told}."
    return (
        f"{told}; or leave the column out with --ignore {column}, where it does not "
        "say what they were tested on."
    )
