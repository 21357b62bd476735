"""Scores in memory: arrays by model, or by task and model."""

from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sigarray._backend.given import align_labels
from sigarray._host import copy_array
from sigarray._plain_text import suggest_each
from sigarray.read._cells import have_names
from sigarray.read._frame import Names, list_names
from sigarray.read._frames import read_data_frame
from sigarray.read._messages import DROP_OR_WORST, put_place, say_single
from sigarray.read._roles import guess_roles, is_item_name
from sigarray.read._row_names import find_run_names, name_items
from sigarray.read._runs import doubt_numbers
from sigarray.read._score_table import (
    Choice,
    ScoreTable,
    find_direction,
    refuse_other_names,
)
from sigarray.read._text import TableError, refuse, write_whole
from sigarray.read._wide import WideTable
from sigarray.read._wide_files import read_columns
from sigarray.read._wide_scores import take_wide
from sigarray.read._words import RUN, RUN_NAME, list_words

# Scores of models on a task differ less than those of a model on tasks, as a rule.
_TURNED = 4.0
# Words in names of models, but hardly of tasks.
_MODELS = {"baseline", "baselines", "ours", "proposed"}
_OF_RUNS = (
    "Items in several runs are a data frame with columns model, run, item and score; "
    "of two models, t_test(a, b, axis=(0, 1)) takes arrays of runs x items."
)


def read_mapping(scores: Mapping[Hashable, Any], choice: Choice) -> ScoreTable:
    are_tasks = {isinstance(x, Mapping) for x in scores.values()}
    if len(are_tasks) != 1:
        msg = (
            "Expected arrays by model, or by task and model; got "
            f"{'an empty mapping' if not scores else 'both'}."
        )
        raise TypeError(msg)
    tasks = {str(name): x for name, x in scores.items()} if True in are_tasks else {}
    known = list(tasks)
    if choice.tasks is None:
        _refuse_runs(tasks)
    n_tasks = None if choice.tasks is None else len(tasks)
    if choice.tasks is not None:
        missing = [name for name in choice.tasks if name not in tasks]
        if missing:
            refuse(
                f"Expected tasks to be of {list_names(tasks)}; got "
                f"{list_names(missing)}.{suggest_each(missing, known)}"
            )
        tasks = {name: tasks[name] for name in choice.tasks}
    direction = choice.higher_is_better
    if tasks:
        got = f"tasks {list_names(tasks)}"
        refuse_other_names(direction, ["score", *known], "the scores", got)
        direction = find_direction(direction, "score", "the scores", tasks)
    single = replace(choice, tasks=None, higher_is_better=direction)
    alone = {name: list(by) for name, by in tasks.items() if len(by) < 2}
    if len(alone) == len(tasks):
        alone = {}  # a single model, as for its power
    tasks = {name: by for name, by in tasks.items() if name not in alone}
    tables = {
        name: _read_models(by, f"task {name!r}", single) for name, by in tasks.items()
    } or {"": _read_models(scores, "the scores", single)}
    first = next(iter(tables.values()))
    if {*first.tasks} != {""}:  # an index names them
        return first
    units = {x.unit for x in tables.values()}
    if len(units) > 1:
        refuse(
            "Expected scores of one unit on all tasks; got runs and items. Pass "
            "unit='run', or unit='item'."
        )
    notes = [note for x in tables.values() for note in x.notes]
    notes += _say_levels({task: x.scores for task, x in tables.items()})
    for name, models in alone.items():
        notes.append(put_place("the scores", say_single(name, models)))
    by_task: dict[str, Any] = {
        name: {task: y[""] for task, x in tables.items() if (y := getattr(x, name))}
        for name in ("tasks", "ids", "pairs", "unmatched", "n_missing", "n_dropped")
    }
    table = first._replace(
        **by_task,
        missing=next((x.missing for x in tables.values() if x.missing), None),
        kind="arrays by model" if "" in tables else "arrays by task and model",
        source="the scores",
        notes=tuple(notes),
        doubts=tuple(doubt for x in tables.values() for doubt in x.doubts),
        left_out=tuple(alone),
        n_tasks=n_tasks,
    )
    doubts = doubt_numbers(table) if choice.models is None else []
    return table._replace(doubts=(*table.doubts, *doubts))


def _refuse_runs(tasks: Mapping[str, Mapping[Hashable, Any]]) -> None:
    inner = list(dict.fromkeys(str(name) for by in tasks.values() for name in by))
    for names, pattern, what in (
        (list(tasks), RUN, "task"),
        (inner, RUN_NAME, "model"),
    ):
        if len(names) > 1 and all(map(pattern.fullmatch, names)):
            refuse(
                f"The scores: expected names of {what}s; got {list_names(names, 3)}, "
                f"as of runs. {_OF_RUNS} If they are {what}s, give them other names, "
                f"such as '{what} {names[0]}'."
            )


def _say_levels(tasks: Mapping[str, Mapping[str, np.ndarray]]) -> list[str]:
    """Say which keys are tasks and which are models, if these may be turned round.

    As a rule, scores of several models on a task are of one size, and those of a model
    on several tasks are not.
    """
    models = list(dict.fromkeys(name for by in tasks.values() for name in by))
    if len(tasks) < 2 or len(models) < 2:
        return []
    names = {x for task in tasks for x in list_words(task)}
    if not names & _MODELS and not _are_turned(tasks, models):
        return []
    return [
        f"the scores: the outer keys were taken for tasks, {list_names(tasks, 4)}, and "
        f"the inner ones for models, {list_names(models, 4)}. If it is the other way "
        "round, pass {task: {model: scores}}"
    ]


def _are_turned(tasks: Mapping[str, Mapping[str, np.ndarray]], models: Names) -> bool:
    if any(len(by) < len(models) for by in tasks.values()):
        return False
    means = np.asarray([[np.mean(by[x]) for x in models] for by in tasks.values()])
    of_models, of_tasks = (np.mean(np.var(means, axis=k)) for k in (1, 0))
    return bool(of_models > _TURNED * of_tasks)


def _copy_scores(x: Any, place: str) -> np.ndarray:
    kind = np.asarray(x).dtype.kind if isinstance(x, (list, tuple)) else "f"
    kind = "c" if "complex" in str(getattr(x, "dtype", "")) else kind
    try:
        if kind in "biuf":
            return copy_array(x)
        got = {"c": "complex numbers", "U": "texts"}.get(kind, "other values")
    except (TypeError, ValueError) as error:
        got = f"{type(x).__name__} ({str(error).splitlines()[0].rstrip('.')})"
    msg = f"{place}: expected an array or a list of real numbers; got {got}."
    raise TableError(msg)


def _read_models(
    scores: Mapping[Hashable, Any], source: str, choice: Choice
) -> ScoreTable:
    """Read the scores of one task; labels pair them."""
    values = tuple(scores.values())
    are_named = (
        all(map(_has_names, values))
        and (
            all(x.index.equals(values[0].index) for x in values)
            or all(x.index.is_unique for x in values)
        )
        and "run" not in guess_roles(map(str, scores))
    )
    # NaN of an array is refused without an option, and that of a frame is blank.
    if are_named and (choice.treatment or not any(x.isna().any() for x in values)):
        frame = values[0].to_frame().__class__(dict(scores))
        content = read_data_frame(frame, source)
        models = choice.models or write_whole([*map(str, scores)])
        named = replace(choice, models=models)
        table = read_columns(source, content, content, {}, named)
        if table is not None:
            return table
    table = _read_columns(scores, source, choice)
    if table.is_paired:
        aligned = align_labels(values, axis=-1, n_axes=1, paired=True)
        if aligned is not values:  # they have labels
            by = dict(zip(scores, aligned, strict=True))
            table = _read_columns(by, source, choice)
    return table


def _has_names(scores: Any) -> bool:
    if not hasattr(scores, "to_frame") or not hasattr(scores, "index"):
        return False
    index: Any = scores.index
    return bool(index.names != [None] or have_names(index.to_numpy()))


def _read_columns(
    scores: Mapping[Hashable, Any], source: str, choice: Choice
) -> ScoreTable:
    texts = write_whole([*map(str, scores)])
    columns = dict(zip(texts, scores.values(), strict=True))
    if len(columns) < len(scores):
        refuse(f"{source}: expected each model once; got two names that are one text.")
    cells: dict[int, Any] = {}
    maybe_runs = guess_roles(columns).get("run")
    for place, (name, x) in enumerate(columns.items()):
        are_texts = isinstance(x, (list, tuple)) and any(isinstance(y, str) for y in x)
        if are_texts and (name == maybe_runs or is_item_name(name)):
            cells[place] = list(x)
            continue
        column = _copy_scores(x, f"{source}, {name}")
        if column.ndim != 1 or not column.size:
            msg = (
                f"{source}, {name}: expected scores of shape (n,); got shape "
                f"{column.shape}."
            )
            if column.ndim == 2 and column.size:
                msg += (
                    " Scores on several tasks are a mapping of tasks to models: "
                    f"{{task: {{model: scores}}}}. {_OF_RUNS}"
                )
            refuse(msg)
        is_fault = ~np.isfinite(column)
        if choice.treatment is None and is_fault.any():
            k = int(np.flatnonzero(is_fault)[0])
            refuse(
                f"{source}, {name}: expected finite scores; got {column[k]} at place "
                f"{k}. Give it the score that failing is worth, or pass "
                f"{DROP_OR_WORST}."
            )
        cells[place] = column
    names = dict(enumerate(columns))
    wide = WideTable(source, names, cells, lambda k: f"{source}, score {k + 1}")
    # Columns that the caller names are models, but for one that names items or runs.
    chosen, notes = name_items(wide, {}, choice)
    is_named = bool(chosen) or find_run_names(wide, {}, choice) is not None
    if choice.models is None and not is_named:
        choice = replace(choice, models=list(columns))
    table = take_wide(wide, chosen, choice)
    return table._replace(notes=(*notes, *table.notes))
