"""Which of several metrics is read, and models, tasks and items without it."""

import csv
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from sigarray._plain_text import suggest, suggest_each
from sigarray.read._cells import encode_texts, find_blank
from sigarray.read._codes import Coded, find_first, group_rows, join_columns, repeat
from sigarray.read._filters import find_rows_of_metric, refuse_several
from sigarray.read._frame import (
    Frame,
    Names,
    Roles,
    SeveralMetricsError,
    UnknownMetricError,
    list_names,
    shorten,
)
from sigarray.read._messages import Caution, put_place, say_without
from sigarray.read._naming import MAX_NAMED
from sigarray.read._reading import Reading, read_records
from sigarray.read._records import Records, find_column, join_all
from sigarray.read._roles import find_roles, find_score
from sigarray.read._score_table import Choice
from sigarray.read._text import TableError
from sigarray.read._tracked import say_unfinished
from sigarray.read._words import find_runs

_MAX_TASKS = 8


def split_metrics(
    frames: Sequence[Frame], chosen: Roles, choice: Choice, *, are_all: bool
) -> tuple[list[str], list[str]]:
    """Return the names of metrics, without those that no task has, and notes."""
    names = [x for name in choice.metrics for x in _split(frames, chosen, name)]
    if len(names) < 2 or not are_all:
        return names, []
    kept: list[str] = []
    for name in names:
        if any(_has(x, chosen, name, kept) for x in frames):
            kept.append(name)
    wrong = [x for x in names if x not in kept]
    if not wrong:
        return names, []
    errors = _list_errors(frames, chosen, wrong[0])
    have_tasks = all("task" in {*find_roles(x, chosen), *x.constants} for x in frames)
    if not kept or not have_tasks:
        raise errors[0] if len(frames) == 1 else refuse_metrics(errors, wrong)
    are_of_one = all("task" in x.constants for x in frames)
    if are_of_one and all(_has(x, chosen, kept[0]) for x in frames):
        kept = kept[:1]
    known = list(dict.fromkeys(x for error in errors for x in error.known))
    meant = suggest_each(wrong, [x for x in known if x not in kept])
    note = f"no task has metric {list_names(wrong)} (--metric).{meant} Those of tasks: "
    return kept, [f"{note}{list_names(known, _MAX_TASKS)}"]


def _list_errors(
    frames: Sequence[Frame], chosen: Roles, metric: str
) -> list[UnknownMetricError]:
    errors = []
    for frame in frames:
        try:
            _find(frame, chosen, metric)
        except UnknownMetricError as error:
            errors.append(error)
    return errors


def refuse_metrics(errors: Sequence[UnknownMetricError], metrics: Names) -> TableError:
    known = dict.fromkeys(x for error in errors for x in error.known)
    by_task = {x.task: x.known for x in errors if x.task is not None}
    return TableError(
        f"Expected --metric to be one of {list_names(list(known))}; got "
        f"{list_names(metrics)}.{suggest(metrics[-1], known)}{_say_by_task(by_task)}"
    )


def _say_by_task(by_task: Mapping[str, Names]) -> str:
    tasks: dict[tuple[str, ...], list[str]] = {}
    for task, known in by_task.items():
        tasks.setdefault(tuple(known), []).append(task)
    if len(tasks) < 2:
        return ""
    of = []
    for known, (name, *others) in tasks.items():
        more = f" and {len(others)} other {'tasks' if others[1:] else 'task'} have"
        of.append(f"{name}{more if others else ' has'} {list_names(known)}")
    return (
        f" Here, {shorten(of, _MAX_TASKS, by='; ')}. Pass one of each to --metric, "
        "with commas between them: of each task the first that it has is taken. Or "
        "choose tasks that share a metric with --tasks."
    )


def _split(frames: Sequence[Frame], chosen: Roles, text: str) -> list[str]:
    """Split a text at commas that are not in quotes, nor in a metric."""
    parts = [x.strip() for x in next(csv.reader([text], skipinitialspace=True))]
    if len(parts) < 2:
        return parts or [text]
    names: list[str] = []
    while parts:
        try:
            size = next(
                (
                    n
                    for n in range(len(parts), 0, -1)
                    if any(_has(x, chosen, ",".join(parts[:n]), names) for x in frames)
                ),
                1,
            )
        except SeveralMetricsError as error:
            whole = ",".join([*names, error.matches[0], *parts[1:]])
            msg = f"{error.what} --metric {whole}."
            raise TableError(msg) from None
        names.append(",".join(parts[:size]))
        parts = parts[size:]
    return names


def refuse_others(
    metrics: Names,
    frames: Sequence[Frame],
    readings: Sequence[Reading | None],
    chosen: Roles,
) -> None:
    read = [(x, y) for x, y in zip(frames, readings, strict=True) if y is not None]
    if len(metrics) < 2 or len({x for _, y in read for x in y.records.metrics}) > 1:
        return
    if len(read) == len(frames) and not any(_lacks_task(x, y, chosen) for x, y in read):
        raise refuse_several(frames[0].source, metrics)


def _lacks_task(frame: Frame, reading: Reading, chosen: Roles) -> bool:
    column = find_roles(frame, chosen).get("task")
    if column is None:
        return False
    n_tasks = len({*encode_texts(frame.columns[column]).list_known()} - {None})
    return len(reading.records.list_known("task")) < n_tasks


def read_frames(
    frames: Sequence[Frame], chosen: Roles, choice: Choice
) -> tuple[list[Reading | None], list[str], dict[str, Names]]:
    """Read the scores of all tables; None for tasks that were not chosen.

    None, too, if no run has ended. Then notes, and the tasks without the metric with
    those that they have.
    """
    readings: list[Reading | None] = []
    faults, said = [], []
    for frame in frames:
        if frame.n_unfinished and not len(frame.lines):
            lines = say_unfinished(frame, find_roles(frame, chosen))
            said += [put_place(frame.source, x) for x in lines]
            readings.append(None)
            continue
        task = frame.constants.get("task")
        if task is not None and choice.tasks is not None and task not in choice.tasks:
            readings.append(None)
            continue
        try:
            readings.append(_read_metrics(frame, chosen, choice))
        except UnknownMetricError as error:
            if frame.metrics is None:
                raise
            faults.append(error)
            readings.append(None)
    if faults and not any(readings):
        raise refuse_metrics(faults, choice.metrics)
    refuse_tasks(frames, choice.tasks)
    refuse_others(choice.metrics, frames, readings, chosen)
    if not faults:
        return readings, said, {}
    which = shorten(list(dict.fromkeys(error.what for error in faults)), MAX_NAMED)
    other = next((x.known[0] for x in faults if x.known), None)
    return (
        readings,
        [*said, say_without(which, choice.metrics, other)],
        {x.task: x.known for x in faults if x.task is not None},
    )


def choose_metric(frame: Frame, chosen: Roles, metrics: Names) -> str | None:
    for metric in metrics[:-1]:
        if _has(frame, chosen, metric):
            return metric
    return metrics[-1] if metrics else None


def _read_metrics(frame: Frame, chosen: Roles, choice: Choice) -> Reading:
    """Return the scores of a table: of each task those of the first metric it has."""
    roles, metrics = find_roles(frame, chosen), choice.metrics
    is_chosen = choice.models is not None or bool(choice.ignored)
    options = choice.missing, choice.find_models if is_chosen else None
    if len(metrics) < 2 or "task" not in roles:
        metric = choose_metric(frame, chosen, metrics)
        return read_records(frame, chosen, metric, *options)
    tasks = encode_texts(frame.columns[roles["task"]])
    is_free = np.ones(len(frame.lines), bool)
    readings = []
    for metric in metrics:
        rows = _find_rows(frame, roles, metric)
        of_tasks = is_free & np.isin(tasks.codes, tasks.codes[rows])
        is_free &= ~of_tasks
        if not of_tasks.any():
            continue
        part = frame.take(np.flatnonzero(of_tasks))
        readings.append(read_records(part, chosen, metric, *options))
    if not readings:
        return read_records(frame, chosen, metrics[-1], *options)
    return Reading(
        join_all([x.records for x in readings]),
        any(x.is_percent for x in readings),
        list(dict.fromkeys(note for x in readings for note in x.notes)),
        list(dict.fromkeys(doubt for x in readings for doubt in x.doubts)),
        {key: n for x in readings for key, n in x.n_blank.items()},
        list(dict.fromkeys(name for x in readings for name in x.settings)),
    )


def _has(frame: Frame, chosen: Roles, metric: str, before: Names = ()) -> bool:
    """Tell whether a table has a metric; of several so called, one `before`."""
    try:
        _find(frame, chosen, metric)
    except UnknownMetricError:
        return False
    except SeveralMetricsError:
        if not any(_has(frame, chosen, x) for x in before):
            raise
    return True


def _find(frame: Frame, chosen: Roles, metric: str) -> None:
    """Raise `UnknownMetricError` if a table lacks a metric."""
    if metric in find_runs(frame.columns):
        return
    roles = find_roles(frame, chosen)
    if "metric" in roles:
        find_rows_of_metric(frame, roles["metric"], metric)
    else:
        find_score(frame, roles, metric)


def _find_rows(frame: Frame, roles: Roles, metric: str) -> np.ndarray:
    try:
        if "metric" in roles:
            return find_rows_of_metric(frame, roles["metric"], metric)[1]
        column = find_score(frame, roles, metric)
    except UnknownMetricError:
        return np.empty(0, int)
    return np.flatnonzero(~find_blank(frame.columns[column]))


_MAX_SHOWN = 4


def find_unscored(
    frames: Sequence[Frame],
    chosen: Roles,
    records: Records,
    choice: Choice,
    known: Mapping[str, Names],
) -> tuple[list[str], dict[str, tuple[str, ...]], list[Caution]]:
    """Return the tasks, and the items of others, that no score is of, and notes."""
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
    of = list_names(metrics) if metrics else "any metric"
    other = f", {list_names(known, _MAX_SHOWN)}," if known else ""
    return TableError(
        f"Expected tasks with scores of {of}; got --tasks {task}, which has none. "
        f"Leave it out of --tasks, or add another metric of it{other} to --metric."
    )


def _read_names(frame: Frame, roles: Roles, role: str) -> Coded:
    if role in roles:
        return encode_texts(frame.columns[roles[role]])
    return repeat(frame.constants.get(role), len(frame.lines))


def refuse_names(role: str, wrong: Names, known: Sequence[Any]) -> TableError:
    some = f"a {role}" if len(wrong) == 1 else f"{role}s"
    return TableError(
        f"Expected {some} of the files; got {list_names(wrong)}."
        f"{suggest_each(wrong, known)} Those in them: {list_names(known)}."
    )


def refuse_tasks(frames: Sequence[Frame], tasks: Names | None) -> None:
    stated = [x.constants.get("task") for x in frames]
    known = dict.fromkeys([*stated, *(group for x in frames for group in x.groups)])
    wrong = [x for x in tasks or () if x not in known]
    if wrong and None not in known:
        raise refuse_names(role="task", wrong=wrong, known=list(known))


def say_apart(records: Records, models: Sequence[Any]) -> str:
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
