"""Read the scores of models from files of any kind, and join them by item or run."""

import contextlib
import gc
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sigarray._plain_text import raise_initial
from sigarray.read._early_ends import say_fewer_runs, say_without_steps
from sigarray.read._files import OLDER, Opened, SourceFile, list_files, say_split
from sigarray.read._filters import keep_rows, leave_out, take_metric_rows, write_out
from sigarray.read._frame import Frame, Names, Roles, lacks_column, list_names
from sigarray.read._frames import read_data_frame
from sigarray.read._guards import (
    add_whole,
    doubt_items_left_out,
    doubt_left_out,
    refuse_cross_validation,
    refuse_folds,
    refuse_rows_apart,
    refuse_splits,
    refuse_unnamed_rows,
)
from sigarray.read._harnesses import leave_out_averages
from sigarray.read._items import find_items, name_within_clusters, put_together
from sigarray.read._joining import join_records
from sigarray.read._json import name_levels, read_nested
from sigarray.read._lm_eval import count_pooled, say_groups, say_pooled, take_groups
from sigarray.read._metrics import (
    choose_metric,
    find_unscored,
    read_frames,
    split_metrics,
)
from sigarray.read._naming import (
    ReadFile,
    check_dated,
    check_ignored,
    check_one_way,
    check_paths,
    list_notes,
    list_of_paths,
    name_all,
    name_files,
    name_folds_of_files,
    refuse_crossed_names,
    refuse_single_runs,
)
from sigarray.read._other_columns import refuse_summary_rows
from sigarray.read._pooled_values import count_settings
from sigarray.read._predictions import refuse_predictions, refuse_preferences
from sigarray.read._records import join_all, mark_states
from sigarray.read._roles import refuse_steps_as_tasks
from sigarray.read._runs import (
    doubt_numbers,
    name_runs,
    say_alike_models,
    say_alike_runs,
    say_alike_tasks,
)
from sigarray.read._score_table import Choice, ScoreTable
from sigarray.read._sources import open_source, tabulate
from sigarray.read._templates import (
    doubt_names,
    name_by_template,
    place_of,
    stack_columns,
)
from sigarray.read._text import NoPartError, TableError, UnmatchedError, refuse
from sigarray.read._tracked import (
    add_overrides,
    check_overrides,
    name_filters,
    say_conditions,
    split_names,
)
from sigarray.read._trackers import CHART, name_curves
from sigarray.read._turned import refuse_wide, turn_benchmarks, turn_runs, turn_sums
from sigarray.read._wide_files import read_columns


def read_sources(sources: Sequence[Any], choice: Choice) -> ScoreTable:
    with _without_collector():
        table = _read_sources(sources, choice.name_folds())
    fewer = []
    if table.unit == "run" and not table.is_paired:
        sizes = {x: {y: len(z) for y, z in by.items()} for x, by in table.tasks.items()}
        ids = table.ids if table.run_column is not None else {}
        fewer = say_fewer_runs(sizes, table.n_missing, ids) + say_alike_runs(table)
    alike = [*say_alike_models(table.models), *say_alike_tasks(table)]
    notes = (*table.notes, *fewer, *alike)
    doubts = table.doubts
    if choice.models is None and "model" not in choice.columns:
        doubts = (*doubts, *doubt_numbers(table))
    return table._replace(
        where=dict(choice.where), notes=notes, doubts=doubts, fold_column=choice.fold
    )


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Turn off the garbage collector, which takes half of the time with many rows."""
    is_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_on:
            gc.enable()


def _read_sources(sources: Sequence[Any], choice: Choice) -> ScoreTable:
    files, notes = _open(sources, choice)
    opened = [file for file, *_ in files]
    names = [name for _, name, _ in files]
    files, tables, choice, said = _tabulate(files, choice)
    notes += said
    _refuse_other_columns(tables, choice.summed, "score")
    notes += say_without_steps(names, [name for _, name, _ in files], choice.where)
    files, tables, left_out = leave_out_averages(files, tables)
    notes += left_out
    chosen = dict(choice.columns)
    of_runs = [
        doubt
        for frame in add_whole([x for x in tables if x is not None])
        for doubt in doubt_left_out(frame, chosen, choice.ignored, choice.models)
    ]
    if len(files) == 1:
        table = read_columns(*files[0][1:], tables[0], chosen, choice)
        if table is not None:
            doubts = doubt_names(table, opened, choice, are_columns=True)
            if tables[0] is not None:
                doubts += doubt_items_left_out(tables[0], chosen, choice.ignored)
            return _add_doubts(table, doubts, of_runs)
    table, doubts = _join_files(files, tables, choice, notes)
    doubts += doubt_names(table, opened, choice)
    return _add_doubts(table, doubts, of_runs)


def _join_files(
    files: Sequence[Opened],
    tables: Sequence[Frame | None],
    choice: Choice,
    notes: Names,
) -> tuple[ScoreTable, list[str]]:
    chosen = dict(choice.columns)
    whole = [_check_frame(*x, frame) for x, frame in zip(files, tables, strict=True)]
    whole = take_groups(whole, choice.tasks)
    frames = [split_names(leave_out(x, choice.ignored, chosen), chosen) for x in whole]
    refuse_wide([x for x, *_ in files], frames, chosen, choice)
    for frame in frames:
        refuse_predictions(frame, chosen, choose_metric(frame, chosen, choice.metrics))
        if choice.unit is None and not choice.is_paired:
            refuse_cross_validation(frame, chosen)
    metric = choose_metric(frames[0], chosen, choice.metrics)
    frames, of_items = find_items(frames, chosen, metric)
    frames = mark_states(frames, chosen, choice.metrics, choice.ignored)
    readings, said, without = read_frames(frames, chosen, choice)
    said += [f"{frames[0].source}: {note}" for note in of_items]
    every = [
        ReadFile(file, name, frame, reading)
        for (file, name, _), frame, reading in zip(files, frames, readings, strict=True)
        if reading is not None
    ]
    check_one_way(every)
    check_ignored(choice.ignored, whole, every)
    check_dated(every)
    read = [x.frame for x in every]
    of_groups, doubts = say_groups(read, choice.tasks, is_of_items="item" in chosen)
    said += [*of_groups, *list_notes(every)]
    named_by_path = list_of_paths(every)
    refuse_crossed_names(named_by_path)
    said += check_paths([x for x in named_by_path if x.folder is not None])
    named, splits, n_blank = name_all(every)
    said += say_split(splits)
    said += say_conditions([x.file.path for x in every], named, choice)
    records, of_runs = name_runs(join_all(named), every)
    said += of_runs
    known = np.flatnonzero(~np.isnan(records.scores))
    if choice.unit is None and len(known):
        said += refuse_unnamed_rows(
            records if len(known) == len(records) else records.take(known)
        )
    lost, unscored, lacking = find_unscored(read, chosen, records, choice, without)
    kinds = " and ".join(dict.fromkeys(frame.kind for frame in frames))
    said = [*notes, *said, *lacking]
    try:
        table = join_records(
            records, choice, kinds, name_files(files), said, [*lost], n_blank
        )
    except UnmatchedError as error:
        # Of a model with a newer, shorter file, an older one was left out.
        of_files = "".join(f" {raise_initial(x)}." for x in notes if OLDER in x)
        msg = f"{error}{of_files}"
        raise TableError(msg) from None
    _check_runs(table, [x for x, *_ in files], every)
    pooled = count_pooled(read, table.ids)
    tasks = {*records.list_known("task"), *(x.constants.get("task") for x in whole)}
    table = table._replace(
        n_tasks=None if choice.tasks is None else len(tasks - {None}),
        without_metric=tuple(lost),
        unscored=unscored,
        pooled=pooled,
        notes=(*table.notes, *say_pooled(pooled)),
        n_unfinished=table.n_unfinished
        + sum(x.n_unfinished for x in frames if not len(x.lines)),
    )
    doubts = [*(doubt for x in every for doubt in x.reading.doubts), *doubts]
    if table.unit == "run":
        settings = dict.fromkeys(name for x in every for name in x.reading.settings)
        counts = count_settings(settings, records, table)
        table = table._replace(settings={**table.settings, **counts})
    return table, doubts


def _refuse_other_columns(
    frames: Sequence[Frame | None], names: Names, role: str
) -> None:
    present = [x for x in frames if x is not None]
    known = {x for frame in present for x in frame.names_in_file}
    for name in names if present else ():
        if name not in known:
            first = present[0]
            raise lacks_column(first.source, name, first.names_in_file, role)


def _tabulate(
    files: Sequence[Opened], choice: Choice
) -> tuple[list[Opened], list[Frame | None], Choice, Names]:
    """Return the files with chosen rows, their tables, the choice, and notes."""
    if len(files) > 1 or files[0][0].is_named:
        # A mapping to lists may be a table, where it is not one of models.
        files = [(x, name, read_nested(name, y) or y) for x, name, y in files]
    tables = [
        None if isinstance(content, dict) else tabulate(content, name, file.path)
        for file, name, content in files
    ]
    if choice.summed:
        tables = [x and turn_sums(x, choice.summed) for x in tables]
    if choice.pattern is not None:
        are_charts = all(x is not None and x.kind == CHART for x in tables)
        tables = [
            name_curves(y, choice.pattern)
            if y is not None and are_charts
            else stack_columns(y, *x[1:], choice)
            for x, y in zip(files, tables, strict=True)
        ]
        files = [(*x[:2], y) for x, y in zip(files, tables, strict=True)]
        score = {} if are_charts else {"score": "score"}
        choice = replace(choice, columns={**score, **choice.columns})
    tables = name_folds_of_files([x for x, *_ in files], tables)
    choice = write_out(choice, tables)
    chosen = dict(choice.columns)
    columns = {x for frame in tables if frame is not None for x in frame.columns}
    for frame in tables:
        if frame is not None:
            refuse_preferences(frame, chosen, choice.metrics)
    files, tables, step = _choose_rows(files, tables, chosen, choice)
    chosen |= {"step": step} if step else {}
    whole = tables
    tables = [x and take_metric_rows(x, chosen, choice) for x in tables]
    # Columns by which rows were chosen have been left out.
    columns -= {x for frame in tables if frame is not None for x in frame.columns}
    choice = replace(choice, ignored=[x for x in choice.ignored if x not in columns])
    turned = [x and turn_benchmarks(x, chosen, choice) for x in tables]
    if any(x is not y for x, y in zip(turned, tables, strict=True)):
        chosen["score"] = "score"
    tables, chosen = name_within_clusters(turned, chosen)
    tables = [x and put_together(x, chosen) for x in tables]
    files = [
        (file, name, content if x is y else y)
        for (file, name, content), x, y in zip(files, whole, tables, strict=True)
    ]
    present = [x for x in tables if x is not None]
    said: Names = ()
    if choice.metrics:
        are_all = len(present) == len(tables)
        metrics, said = split_metrics(present, chosen, choice, are_all=are_all)
        choice = replace(choice, metrics=metrics)
    for k, (file, *_) in enumerate(files):
        frame = tables[k]
        if frame is None:
            continue
        # Whether the path names the model of all scores.
        has_model = len(files) > 1 or file.is_named
        has_model = has_model if file.said is None else "model" in file.said
        frame = name_levels(frame, chosen, choice.ignored, has_model=has_model)
        frame = turn_runs(frame, chosen, choice, has_model=has_model)
        tables[k] = frame
        refuse_summary_rows(frame, chosen, choice.ignored, choice.models)
        refuse_splits(frame, chosen, choice.ignored)
        refuse_steps_as_tasks(frame, chosen)
    if choice.fold is not None:
        _refuse_other_columns(tables, [choice.fold], "fold")
    refuse_folds([x for x in tables if x is not None], chosen, choice.ignored)
    return files, tables, replace(choice, columns=chosen), said


def _add_doubts(table: ScoreTable, doubts: Names, of_runs: Names) -> ScoreTable:
    more = [*doubts, *(of_runs if table.unit == "run" and not table.is_paired else ())]
    return table._replace(doubts=(*table.doubts, *dict.fromkeys(more)))


def _choose_rows(
    files: Sequence[Opened],
    frames: Sequence[Frame | None],
    chosen: Roles,
    choice: Choice,
) -> tuple[list[Opened], list[Frame | None], str | None]:
    step = None
    for frame in frames:
        if frame is not None:
            refuse_rows_apart(frame)
    tables = [
        None if frame is None else add_overrides(file.path, frame)
        for (file, *_), frame in zip(files, name_filters(frames), strict=True)
    ]
    if choice.where:
        whole = [
            _check_frame(*x, frame) for x, frame in zip(files, tables, strict=True)
        ]
        said = {y.strip() for x in chosen.values() for y in (x, *x.split(","))}
        kept, step = keep_rows(whole, choice, said | {*choice.ignored})
        named = [(x, y, z) for (x, y, _), z in zip(files, kept, strict=True)]
        files = [x for x in named if x[2].lines]
        tables = [frame for frame in kept if frame.lines]
    check_overrides([x for x in tables if x is not None], chosen, choice.ignored)
    return list(files), tables, step


def _check_runs(
    table: ScoreTable, files: Sequence[SourceFile], read: Sequence[ReadFile]
) -> None:
    are_named = any(file.is_named or file.said for file in files)
    if are_named or any(x.reading.records.has("model") for x in read):
        return
    if table.unit == "run" and len(table.tasks) == 1:
        refuse_single_runs([*map(len, table.scores.values())], table.source)


def _open(sources: Sequence[Any], choice: Choice) -> tuple[list[Opened], list[str]]:
    paths = [x for x in sources if isinstance(x, (str, os.PathLike))]
    if len(paths) < len(sources):
        if len(sources) > 1:
            msg = "Expected paths, or one data frame; got several of them."
            raise TypeError(msg)
        name = "the data frame"
        frame = read_data_frame(sources[0], name)
        return [(SourceFile("", name), name, frame)], []
    are_runs = choice.path is not None and "{run}" in choice.path
    files, notes = list_files(paths, are_runs=are_runs)
    if choice.path is not None:
        files, said = name_by_template(files, choice.path, is_paired=choice.is_paired)
        notes += said
    opened, lacking = [], []
    for file in files:
        try:
            opened.append((file, *open_source(file, choice.table)))
        except NoPartError:
            if file.folder is None or (file is files[-1] and not opened):
                raise
            lacking.append(place_of(file))
    if lacking:
        left = list_names(lacking, 3)
        notes.append(f"left out, without --table {choice.table}: {left}")
    return opened, notes


def _check_frame(_: SourceFile, name: str, content: Any, frame: Frame | None) -> Frame:
    if frame is None:
        refuse(
            f"{name}: expected the scores of one model, for it is one of several "
            f"files; got a mapping of {list_names(content)}. Pass it alone."
        )
    if not frame.columns:
        refuse(f"{name} is empty. Expected a header and scores.")
    return frame
