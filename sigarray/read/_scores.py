"""From files of any kind to the scores of models, joined by what they are of."""

import collections
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from sigarray.read._alignment import (
    Unit,
    choose_unit,
    join_scores,
    sort_ids,
    take_last_steps,
)
from sigarray.read._bytes import TableError
from sigarray.read._files import SourceFile, list_files, say_split, split_run
from sigarray.read._frame import Frame, UnknownMetricError, is_long, list_names
from sigarray.read._frames import read_data_frame
from sigarray.read._records import Reading, Record, read_records
from sigarray.read._sources import open_source, tabulate
from sigarray.read._wide import WideTable, read_wide, tabulate_rows


class ScoreTable(NamedTuple):
    """The scores of models, and what they were read from.

    Attributes
    ----------
    tasks : dict of str to dict of str to array, shape (n,)
        Task -> model -> its scores, float64. A table without tasks has one of no name,
        "". A model may lack a task.
    ids : dict of str to dict of str to tuple of str
        Task -> model -> of which run, item or cluster each score is. Those that nothing
        is said of are numbered, from "1" on.
    unit : {"run", "item", "cluster"}
        What a score stands for.
    is_paired : bool
        Whether the scores of all models are of the same units, in the same order.
    metric : str
        What the scores are called.
    kind : str
        What the files were taken for.
    source : str
        Their names.
    notes : tuple of str
        What was decided while reading: left out, averaged, or taken off.
    doubts : tuple of str
        What may make the scores wrong.
    left_out : tuple of str
        Tasks of which one model alone has scores, or that have not the metric.
    higher_is_better : bool, optional
        Where the tool that wrote the file says so.
    """

    tasks: dict[str, dict[str, np.ndarray]]
    ids: dict[str, dict[str, tuple[str, ...]]]
    unit: Unit
    is_paired: bool
    metric: str
    kind: str
    source: str
    notes: tuple[str, ...]
    doubts: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    higher_is_better: bool | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """The names of the models, in the order in which they were found."""
        return tuple(dict.fromkeys(x for by in self.tasks.values() for x in by))

    @property
    def scores(self) -> dict[str, np.ndarray]:
        """The scores by model, of a table of one task.

        Raises
        ------
        ValueError
            A table of several tasks.
        """
        if len(self.tasks) > 1:
            msg = (
                f"Expected one task; got {list_names(self.tasks)}. Take one of "
                "`tasks`, or read one with tasks=[...]."
            )
            raise ValueError(msg)
        return next(iter(self.tasks.values()))


_MAX_NAMED = 4


@dataclass(frozen=True)
class Choice:
    """What to read of the files: names of columns, and of what is in them."""

    metric: str | None = None
    columns: Mapping[str, str] | None = None
    models: Sequence[str] | None = None
    tasks: Sequence[str] | None = None
    ignored: Sequence[str] = ()
    unit: Unit | None = None
    is_paired: bool = False
    drop_unmatched: bool = False
    min_models: int = 2
    max_models: int | None = None


def read_sources(sources: Sequence[Any], choice: Choice) -> ScoreTable:
    """Read the scores of models from files, folders, or data frames.

    Raises
    ------
    TableError
        A file, a column or a cell is not what was expected.
    """
    chosen = dict(choice.columns or {})
    files, notes = _open(sources)
    if len(files) == 1:
        wide = _find_wide(*files[0], chosen, choice)
        if wide is not None:
            return _take_wide(wide, chosen, choice)
    frames = [
        _leave_out(_as_frame(file, name, content), choice.ignored)
        for file, name, content in files
    ]
    readings, said, without = _read_frames(frames, chosen, choice)
    for frame, reading in zip(frames, readings, strict=True):
        if reading is not None:
            said += [f"{frame.source}: {note}" for note in reading.notes]
    _check_one_way(readings)
    _check_ignored(choice.ignored, files, frames, readings)
    is_by_task = _are_tasks(readings)
    n_files = collections.Counter(
        (file.model, reading.records[0].task)
        for (file, *_), reading in zip(files, readings, strict=True)
        if reading is not None
    )
    _check_dated(files, readings, frames)
    records, splits = [], []
    for (file, *_), reading in zip(files, readings, strict=True):
        if reading is not None:
            if n_files[file.model, reading.records[0].task] == 1:
                file = file._replace(run=None)  # noqa: PLW2901
            named = _name_records(file, reading, is_of_task=is_by_task)
            records += named
            if reading.records[0].model is None and named[0].model != file.model:
                splits.append((file.model, (named[0].model, named[0].run)))
    said += say_split(splits)
    kinds = " and ".join(dict.fromkeys(frame.kind for frame in frames))
    return _join(
        records, choice, kinds, _name_all(files), [*notes, *said], list(without)
    )


def _check_ignored(
    ignored: Sequence[str],
    files: Sequence[tuple[SourceFile, str, Any]],
    frames: Sequence[Frame],
    readings: Sequence[Reading | None],
) -> None:
    """Refuse to leave out what is neither a column nor a model."""
    known: dict[str, None] = {}
    for (file, name, content), reading in zip(files, readings, strict=True):
        known |= dict.fromkeys(_as_frame(file, name, content).columns)
        if reading is not None:
            known |= dict.fromkeys(x.model or file.model for x in reading.records)
    for name in ignored:
        if name not in known:
            msg = (
                f"Expected --ignore to name columns or models; got {name!r}. The "
                f"columns are {list_names(list(frames[0].columns))}."
            )
            raise TableError(msg)


def _check_dated(
    files: Sequence[tuple[SourceFile, str, Any]],
    readings: Sequence[Reading | None],
    frames: Sequence[Frame],
) -> None:
    """Refuse two files of a tool with the items of one task of one model."""
    first: dict[Any, str] = {}
    for (file, name, _), reading, frame in zip(files, readings, frames, strict=True):
        if reading is None or frame.metrics is None or "item" not in frame.roles:
            continue
        record = reading.records[0]
        model = record.model or file.model
        other = first.setdefault((model, record.task), name)
        if other != name and not file.is_named:
            task = "" if record.task is None else f" on {record.task}"
            msg = (
                f"Expected one file of {model!r}{task}; got {other} and {name}. Pass "
                "one of them, or name them as models: NAME=FILE."
            )
            raise TableError(msg)


def _open(
    sources: Sequence[Any],
) -> tuple[list[tuple[SourceFile, str, Any]], list[str]]:
    """Give the contents of all files, and notes."""
    paths = [x for x in sources if isinstance(x, (str, os.PathLike))]
    if len(paths) < len(sources):
        if len(sources) > 1:
            msg = "Expected paths, or one data frame; got several of them."
            raise TypeError(msg)
        name = "the data frame"
        frame = read_data_frame(sources[0], name)
        return [(SourceFile("", name), name, frame)], []
    files, notes = list_files(paths)
    return [(file, *open_source(file)) for file in files], notes


def _find_wide(
    file: SourceFile,
    name: str,
    content: Any,
    chosen: Mapping[str, str],
    choice: Choice,
) -> WideTable | None:
    """Give a table with a column for each model, or None for another one."""
    if isinstance(content, dict):
        names = dict(enumerate(content))
        cells = {k: content[x] for k, x in names.items()}
        return WideTable(name, names, cells, lambda k: f"{name}, score {k + 1}")
    frame = tabulate(content, name, file.path)
    if is_long(frame, chosen) or frame.constants or frame.roles:
        return None
    if isinstance(content, Frame):
        names = dict(enumerate(frame.columns))
        cells = {k: frame.columns[x] for k, x in names.items()}
        place = f"{name}, {frame.line_word} "
        return WideTable(name, names, cells, lambda k: f"{place}{frame.lines[k]}")
    rows, numbers = content
    return tabulate_rows(rows, numbers, name, choice.models, choice.ignored)


def _take_wide(
    wide: WideTable, chosen: Mapping[str, str], choice: Choice
) -> ScoreTable:
    others = sorted(set(chosen) - {"item"})
    if others or choice.metric is not None or choice.tasks is not None:
        option = others[0] if others else "metric" if choice.metric else "tasks"
        msg = (
            f"{wide.source}: expected a table with a row for each score, for "
            f"--{option}; got one with a column for each model: "
            f"{list_names(list(wide.names.values()))}. Name the column of models with "
            "--model."
        )
        raise TableError(msg)
    found = read_wide(
        wide,
        choice.models,
        ignored=choice.ignored,
        item=chosen.get("item"),
        is_paired=choice.is_paired,
        min_models=choice.min_models,
        max_models=choice.max_models,
    )
    scores = found.scores
    unit: Unit = "run" if found.ids is None else "item"
    numbered = {x: tuple(map(str, range(1, len(y) + 1))) for x, y in scores.items()}
    if found.ids is not None:
        places = {name: k for k, name in enumerate(found.ids)}
        order = [places[name] for name in sort_ids(places)]
        scores = {model: column[order] for model, column in scores.items()}
        numbered = dict.fromkeys(scores, tuple(found.ids[k] for k in order))
    return ScoreTable(
        {"": scores},
        {"": numbered},
        unit,
        is_paired=choice.is_paired or found.ids is not None,
        metric="score",
        kind="a table with a column for each model",
        source=wide.source,
        notes=tuple(f"{wide.source}: {note}" for note in found.notes),
    )


def _as_frame(file: SourceFile, name: str, content: Any) -> Frame:
    if isinstance(content, dict):
        msg = (
            f"{name}: expected the scores of one model, for it is one of several "
            f"files; got a mapping of {list_names(content)}. Pass it alone."
        )
        raise TableError(msg)
    frame = tabulate(content, name, file.path)
    if not frame.columns:
        raise TableError(f"{name} is empty. Expected a header and scores.")
    return frame


def _leave_out(frame: Frame, ignored: Sequence[str]) -> Frame:
    """Leave out columns, which are then taken for nothing."""
    columns = {x: y for x, y in frame.columns.items() if x not in ignored}
    return replace(frame, columns=columns)


def _read_frames(
    frames: Sequence[Frame], chosen: Mapping[str, str], choice: Choice
) -> tuple[list[Reading | None], list[str], list[str]]:
    """Read the scores of all tables; None for tasks that are not wanted.

    And give notes, and the tasks that have not the metric.
    """
    readings: list[Reading | None] = []
    faults = []
    for frame in frames:
        task = frame.constants.get("task")
        if task is not None and choice.tasks is not None and task not in choice.tasks:
            readings.append(None)
            continue
        try:
            readings.append(read_records(frame, chosen, choice.metric))
        except UnknownMetricError as error:
            if frame.metrics is None:
                raise
            faults.append(error)
            readings.append(None)
    if not any(readings):
        if faults:
            known = dict.fromkeys(x for error in faults for x in error.known)
            msg = (
                f"Expected --metric to be one of {list_names(list(known))}; got "
                f"{choice.metric!r}."
            )
            raise TableError(msg)
        known = dict.fromkeys(str(x.constants.get("task")) for x in frames)
        msg = (
            f"Expected one of the tasks {list_names(known)}; got "
            f"{list_names(choice.tasks or ())}."
        )
        raise TableError(msg)
    if not faults:
        return readings, [], []
    which = list(dict.fromkeys(error.what for error in faults))
    if len(which) > _MAX_NAMED:
        which[_MAX_NAMED:] = [f"and {len(which) - _MAX_NAMED} more"]
    note = f"{', '.join(which)} left out, without metric {choice.metric!r}"
    return readings, [note], [x.task for x in faults if x.task is not None]


def _check_one_way(readings: Sequence[Reading | None]) -> None:
    """Refuse files of which some have percent signs, and others none."""
    found = [reading for reading in readings if reading is not None]
    percent = [reading for reading in found if reading.is_percent]
    if 0 < len(percent) < len(found):
        other = next(reading for reading in found if not reading.is_percent)
        first, second = (x.records[0].frame.source for x in (percent[0], other))
        msg = (
            f"Expected scores that are written in one way; got percent signs in "
            f"{first}, and none in {second}."
        )
        raise TableError(msg)


def _are_tasks(readings: Sequence[Reading | None]) -> bool:
    """Tell files of several models each, which are of a task each."""
    found = [reading.records for reading in readings if reading is not None]
    return len(found) > 1 and all(
        records[0].task is None and len({x.model for x in records}) > 1
        for records in found
    )


def _name_records(
    file: SourceFile, reading: Reading, *, is_of_task: bool
) -> list[Record]:
    """Give the records with the model and the run that the path of the file says."""
    records = reading.records
    first = records[0]
    if file.is_named:
        models = {record.model for record in records}
        if len(models) > 1:
            msg = (
                f"{file.path}: expected the scores of one model, {file.model!r}; got "
                f"{list_names(sorted(map(str, models)))}."
            )
            raise TableError(msg)
        return [record._replace(model=file.model) for record in records]
    if first.model is not None:
        if is_of_task:
            return [record._replace(task=file.model) for record in records]
        return records
    model, run = file.model, file.run
    is_of_run = len(records) == 1 or first.item is not None or first.step is not None
    if first.run is not None or not is_of_run:
        return [record._replace(model=model) for record in records]
    if run is None:
        model, run = split_run(model)
    if run is None:
        return [record._replace(model=model) for record in records]
    return [record._replace(model=model, run=run) for record in records]


def _name_all(files: Sequence[tuple[SourceFile, str, Any]]) -> str:
    """Name the folders, or the files, of many the first."""
    names = list(dict.fromkeys(file.folder or name for file, name, _ in files))
    if len(names) > _MAX_NAMED:
        names[_MAX_NAMED:] = [f"and {len(names) - _MAX_NAMED} more"]
    return ", ".join(names)


def _join(
    records: Sequence[Record],
    choice: Choice,
    kind: str,
    source: str,
    notes: list[str],
    left_out: list[str],
) -> ScoreTable:
    """Join the scores of each task by what they are of."""
    records = _choose_records(records, choice)
    metric = _check_metrics(records)
    records, stepped, doubts = take_last_steps(records)
    unit = choose_unit(records, choice.unit)
    is_paired = choice.is_paired or unit != "run"
    by_task: dict[str, list[Record]] = {}
    for record in records:
        by_task.setdefault(record.task or "", []).append(record)
    notes = [*notes, *stepped]
    tasks, ids = {}, {}
    for task in sort_ids(by_task):
        joined, said = join_scores(
            by_task[task],
            unit,
            is_paired=is_paired,
            drop_unmatched=choice.drop_unmatched,
        )
        notes += said
        order = [x for x in _list_models(records, choice) if x in joined]
        if len(order) < min(choice.min_models, 2):
            notes.append(f"task {task!r} was left out: only {order[0]!r} has scores")
            left_out.append(task)
            continue
        tasks[task] = {
            model: np.asarray(list(joined[model].values())) for model in order
        }
        ids[task] = {model: tuple(joined[model]) for model in order}
    better = {x.frame.better.get(x.metric.split(",")[0]) for x in records}
    table = ScoreTable(
        tasks,
        ids,
        unit,
        is_paired,
        metric,
        kind,
        source,
        tuple(notes),
        tuple(doubts),
        tuple(left_out),
        better.pop() if len(better) == 1 else None,
    )
    _check_models(table, records, choice)
    return table


def _list_models(records: Sequence[Record], choice: Choice) -> list[str]:
    if choice.models is not None:
        return list(choice.models)
    return list(dict.fromkeys(record.model for record in records))


def _choose_records(records: Sequence[Record], choice: Choice) -> list[Record]:
    """Give the records of the models and tasks that were chosen."""
    for role, names in (("model", choice.models), ("task", choice.tasks)):
        known = dict.fromkeys(getattr(record, role) for record in records)
        for name in names or ():
            if name not in known:
                msg = (
                    f"Expected a {role} of the files; got {name!r}. Those in them: "
                    f"{list_names([str(x) for x in known])}."
                )
                raise TableError(msg)
    return [
        record
        for record in records
        if (choice.models is None or record.model in choice.models)
        and record.model not in choice.ignored
        and (choice.tasks is None or record.task in choice.tasks)
    ]


def _check_metrics(records: Sequence[Record]) -> str:
    """Give the metrics, of which a task has one."""
    first: dict[str | None, Record] = {}
    for record in records:
        other = first.setdefault(record.task, record)
        if other.metric != record.metric:
            msg = (
                f"Expected scores of one metric; got {other.metric!r} in "
                f"{other.frame.source}, and {record.metric!r} in "
                f"{record.frame.source}. Choose one with --metric."
            )
            raise TableError(msg)
    return ", ".join(dict.fromkeys(record.metric for record in first.values()))


def _check_models(table: ScoreTable, records: Sequence[Record], choice: Choice) -> None:
    models = _list_models(records, choice)
    if len(models) < choice.min_models or not table.tasks:
        number = "two or more models" if choice.min_models == 2 else "a model"
        of = " with scores of one task" if len(models) > 1 else ""
        msg = (
            f"{table.source}, read as {table.kind}: expected {number}{of}; got "
            f"{list_names(models)}."
        )
        raise TableError(msg)
    if choice.max_models is not None and len(models) > choice.max_models:
        msg = (
            f"{table.source}: expected at most {choice.max_models} models, every two "
            f"of which are compared; got {len(models)}. Choose some with --columns."
        )
        raise TableError(msg)
