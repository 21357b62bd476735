"""Scores of a table with a column for each model, on all tasks."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sigarray._plain_text import suggest_each
from sigarray.read._alignment import sort_ids, sort_tasks
from sigarray.read._cells import find_blank, find_missing
from sigarray.read._duplicates import have_parts
from sigarray.read._frame import Names, Roles, list_names
from sigarray.read._guards import find_unnamed_items
from sigarray.read._messages import Caution, put_place, say_single
from sigarray.read._missing import (
    Counts,
    blank_missing,
    count_averaged_rows,
    count_dropped_rows,
    count_models,
    drop_unmatched,
    find_worst,
    say_blank,
    say_missing,
    take_pairs,
)
from sigarray.read._one_task import doubt_shared_runs
from sigarray.read._other_columns import doubt_models, refuse_other_columns
from sigarray.read._records import Averaged, Dropped
from sigarray.read._row_names import ask_about_marks, find_run_names, name_rows
from sigarray.read._runs import doubt_checkpoints, doubt_repeats
from sigarray.read._score_table import (
    Choice,
    ScoreTable,
    find_direction,
    refuse_other_names,
)
from sigarray.read._text import refuse
from sigarray.read._unlikely_rows import doubt_rows, refuse_mean_rows
from sigarray.read._wide import (
    Scores,
    WideScores,
    WideTable,
    list_empty,
    read_wide,
    split_tasks,
)

_OF_CLUSTERS = " Leave out --unit: items then have the errors of their clusters."
_OF_BOTH = (
    " It needs columns of models, runs and items; or a file for each model, with a "
    "column for each run, such as seed0."
)


def take_wide(wide: WideTable, chosen: Roles, choice: Choice) -> ScoreTable:
    _check_options(wide, chosen, choice)
    of_runs = find_run_names(wide, chosen, choice)
    if of_runs is not None:
        table = take_wide(wide, {**chosen, "run": of_runs}, choice)
        if table.unit == "item":
            raise ask_about_marks(wide.source, of_runs)
        note = f"{wide.source}: column {of_runs!r} names the runs"
        return table._replace(notes=(note, *table.notes))
    tasks: dict[str, Scores] = {}
    ids: dict[str, dict[str, tuple[str, ...]]] = {}
    pairs: dict[str, dict[tuple[str, str], tuple[Any, Any]]] = {}
    unmatched: dict[str, dict[str, tuple[tuple[str, ...], Any]]] = {}
    n_missing: dict[str, Counts] = {}
    dropped: dict[str, Dropped] = {}
    averaged: dict[str, Averaged] = {}
    notes: list[str] = []
    doubts, left_out, are_items = [], [], []
    gaps = Counter[str]()
    direction = _find_direction(wide, chosen, choice)
    for task, rows in _choose_tasks(wide, chosen, choice).items():
        whole, kept, lacking = _leave_out_empty(rows, task, choice)
        models = _list_models(whole, chosen, kept)
        if whole is not rows and len(models) < min(choice.min_models, 2):
            notes.append(say_single(task, models))
            left_out.append(task)
            continue
        whole = whole._replace(ids=name_rows(whole, chosen, choice))
        part, counts, of_pairs, said = _treat_rows(whole, models, chosen, choice)
        taken, names, is_of_items = _take_task(part, task, chosen, kept)
        notes += [*_of_task(task, said), *lacking, *taken.notes]
        doubts += doubt_rows(
            whole, {} if is_of_items else taken.scores, names, task, chosen
        )
        gaps.update(taken.n_gaps)
        lacks, said = _count_missing(taken, counts, whole, chosen, choice)
        scores = taken.scores
        if counts and choice.treatment == "worst":
            scores, names, said = _add_worst(
                scores, names, whole, counts, is_higher=direction is not False
            )
        notes += _of_task(task, said)
        n_missing |= {task: lacks} if lacks else {}
        tasks[task], ids[task] = scores, names
        if of_pairs:
            unmatched[task] = _take_unmatched(whole, models)
            pairs[task] = take_pairs(of_pairs, chosen, choice.unit)
        are_items.append(is_of_items)
        averaged |= count_averaged_rows(part, task, chosen, choice.unit, models)
        unit = "row" if task in averaged else "item" if is_of_items else "run"
        dropped |= count_dropped_rows(whole, part, models, task, unit)
    if not tasks:
        refuse(
            f"{wide.source}: expected two or more models with scores of one task; got "
            f"none on {list_names(left_out)}."
        )
    has_pairs = any(len(by) > 1 for by in tasks.values())
    if gaps and has_pairs and all(are_items) and not _is_of_pairs(chosen, choice):
        return _take_items(wide, chosen, choice, gaps)
    return ScoreTable(
        tasks,
        ids,
        "item" if all(are_items) else "run",
        is_paired=choice.is_paired or all(are_items),
        metric="score",
        kind="a table with a column for each model",
        source=wide.source,
        notes=tuple(dict.fromkeys(put_place(wide.source, x) for x in notes)),
        doubts=(
            *(
                doubts
                if any(are_items)
                else _doubt_runs(wide, chosen, tasks, ids, doubts)
            ),
            *doubt_models(wide.source, tasks, choice.models),
        ),
        left_out=tuple(left_out),
        higher_is_better=direction,
        pairs=pairs,
        unmatched={x: y for x, y in unmatched.items() if x not in averaged},
        missing=(choice.treatment or "drop") if n_missing else None,
        n_missing=n_missing,
        n_dropped=dropped,
        averaged=averaged,
        n_tasks=(
            len(split_tasks(wide, chosen))
            if choice.tasks is not None and "task" in chosen
            else None
        ),
        run_column=chosen.get("run"),
        task_column=chosen.get("task"),
    )


def _doubt_runs(
    wide: WideTable,
    chosen: Roles,
    tasks: Mapping[str, Scores],
    ids: Mapping[str, Mapping[str, Names]],
    doubts: Names,
) -> Names:
    doubts = doubts or doubt_repeats(tasks, wide.source)
    doubts = [*doubts, *doubt_checkpoints(ids, wide.source)]
    if not {"task", "run"} <= {*chosen}:
        return doubts
    task, run = chosen["task"], chosen["run"]
    shared = doubt_shared_runs(tasks, ids, wide.source, task, run, is_wide=True)
    return [*doubts, *shared]


def _of_task(task: str, said: Names) -> list[str]:
    return [put_place(f"task {task!r}", x) if task else x for x in said]


def _treat_rows(
    part: WideTable, models: Names, chosen: Roles, choice: Choice
) -> tuple[WideTable, Counts, dict[tuple[str, str], WideTable], list[str]]:
    """Return rows, missing scores by model, the rows of each pair, and notes."""
    counts: Counts = {}
    if choice.treatment is not None:
        part, counts = blank_missing(
            part, models, choice.treatment, is_of_pairs=_is_of_pairs(chosen, choice)
        )
    if not choice.drop_unmatched or not _is_of_pairs(chosen, choice):
        return part, counts, {}, []
    part, of_pairs, said = drop_unmatched(part, models)
    return part, counts, of_pairs, said


def _take_items(
    wide: WideTable, chosen: Roles, choice: Choice, gaps: Mapping[str, int]
) -> ScoreTable:
    said = (
        "scores of two marks were taken for those of items, a row for each, by which "
        "models are paired"
    )
    if choice.treatment is None and not choice.drop_unmatched:
        refuse(
            f"{wide.source}: {said}; expected one in every cell, and got blank cells: "
            f"{count_models(gaps)}. Pass --drop-unmatched to leave out such rows, or "
            "--unit run where each row is a run."
        )
    table = take_wide(wide, chosen, replace(choice, unit="item"))
    note = f"{wide.source}: {said}. If each is a run, pass --unit run"
    return table._replace(notes=(note, *table.notes))


def _count_missing(
    taken: WideScores, counts: Counts, rows: WideTable, chosen: Roles, choice: Choice
) -> tuple[Counts, list[str]]:
    """Return how many scores each model lacks, and notes on what was left out.

    `counts` are those that --missing has found. Without it, blank cells are left out;
    below its last score, a model may have had no runs, unless runs have names.
    """
    if counts and choice.treatment == "drop":
        of_items = choice.unit == "item" or "item" in chosen
        unit = "item" if of_items else "paired run" if choice.is_paired else "run"
        unit = "row" if have_parts(rows, chosen, choice.unit) else unit
        return counts, [say_missing(counts, "drop", unit, None)]
    if choice.treatment is not None:
        return counts, []
    lacks = taken.n_blank if "run" in chosen else taken.n_gaps
    below = {x: n - lacks.get(x, 0) for x, n in taken.n_blank.items()}
    below = {x: n for x, n in below.items() if n}
    notes: list[str] = [Caution(say_blank(lacks))] if lacks else []
    if below:
        notes.append(say_blank(below, " below the last score"))
    return lacks, notes


def _find_direction(wide: WideTable, chosen: Roles, choice: Choice) -> bool | None:
    said = choice.higher_is_better
    if not isinstance(said, Mapping):
        return said
    tasks = [x for x in _choose_tasks(wide, chosen, choice) if x]
    every = [x for x in split_tasks(wide, chosen) if x]
    got = f"a column for each model: {list_names(list(wide.names.values()))}"
    got = f"tasks {list_names(every)}" if every else got
    refuse_other_names(said, ["score", *every], wide.source, got)
    return find_direction(said, "score", wide.source, tasks)


def _is_of_pairs(chosen: Roles, choice: Choice) -> bool:
    return choice.is_paired or choice.unit == "item" or "item" in chosen


def _take_unmatched(
    wide: WideTable, models: Names
) -> dict[str, tuple[tuple[str, ...], np.ndarray]]:
    scores = read_wide(wide, models).scores
    ids = _name_units(wide, scores)
    return {model: (ids[model], column) for model, column in scores.items()}


def _check_options(wide: WideTable, chosen: Roles, choice: Choice) -> None:
    of_items = "item" in chosen or "cluster" in chosen
    if choice.unit in ("cluster", "run,item") or (choice.unit == "run" and of_items):
        refuse(
            f"{wide.source}: expected --unit {'run or --unit ' * (not of_items)}item "
            f"of a table with a column for each model{' and one of items' * of_items}; "
            f"got --unit {choice.unit}.{_OF_BOTH * (choice.unit == 'run,item')}"
            f"{_OF_CLUSTERS * ('cluster' in chosen)}"
        )
    others = sorted(set(chosen) - {"item", "run", "task"})
    if others or choice.metrics:
        option = others[0] if others else "metric"
        refuse(
            f"{wide.source}: expected a table with a row for each score, for "
            f"--{option}; got one with a column for each model: "
            f"{list_names(list(wide.names.values()))}. Name the column of models with "
            f"--model, or leave out --{option}."
        )


def _choose_tasks(
    wide: WideTable, chosen: Roles, choice: Choice
) -> dict[str, WideTable]:
    parts = split_tasks(wide, chosen)
    wanted = sort_tasks(parts) if choice.tasks is None else list(choice.tasks)
    has_none = choice.tasks is not None and "task" not in chosen
    wrong = [x for x in wanted if x not in parts or has_none]
    if wrong:
        got = list_names(sort_tasks(parts)) if "task" in chosen else "no --task"
        refuse(
            f"{wide.source}: expected --tasks to be of a column that --task names; "
            f"got {list_names(wrong)}, and {got}.{suggest_each(wrong, list(parts))}"
        )
    return {name: parts[name] for name in wanted}


def _leave_out_empty(
    wide: WideTable, task: str, choice: Choice
) -> tuple[WideTable, Choice, list[str]]:
    empty = list_empty(wide) if task else []
    if not empty:
        return wide, choice, []
    names = {k: x for k, x in wide.names.items() if x not in empty}
    models = choice.models and [x for x in choice.models if x not in empty]
    ignored = [x for x in choice.ignored if x not in empty]
    missing = [x for x in empty if x not in choice.ignored]
    note = Caution(f"task {task!r} has no scores of {list_names(missing, 4)}")
    return (
        wide._replace(names=names),
        replace(choice, models=models, ignored=ignored),
        [note] if missing and choice.models is None else [],
    )


def _list_models(wide: WideTable, chosen: Roles, choice: Choice) -> list[str]:
    if choice.models is not None:
        return list(choice.models)
    taken = choice.list_taken(chosen)
    return [x for x in wide.names.values() if x not in taken]


def _take_task(
    wide: WideTable, task: str, chosen: Roles, choice: Choice
) -> tuple[WideScores, dict[str, tuple[str, ...]], bool]:
    place = f"{wide.source}, task {task!r}" if task else wide.source
    wide_scores = read_wide(
        wide,
        choice.models,
        ignored=[*choice.ignored, *(chosen[x] for x in ("run", "task") if x in chosen)],
        item=chosen.get("item"),
        is_paired=_is_of_pairs(chosen, choice),
        min_models=choice.min_models,
        max_models=choice.max_models,
        is_averaged=have_parts(wide, chosen, choice.unit),
    )
    scores, notes = wide_scores.scores, [*wide_scores.notes]
    if choice.models is None:
        refuse_other_columns(wide.source, scores)
    # Rows with names may be means too, unless --unit says what every row is of.
    if choice.unit is None:
        notes += refuse_mean_rows(place, scores)
    is_of_items = wide_scores.ids is not None or choice.unit == "item"
    if not is_of_items and choice.unit is None and not choice.is_paired:
        is_of_items, said = find_unnamed_items(place, scores, wide_scores.n_gaps)
        notes += said
    if wide_scores.ids is None:
        ids = _name_units(wide, scores)
        return wide_scores._replace(notes=notes), ids, is_of_items
    places = {name: k for k, name in enumerate(wide_scores.ids)}
    order = [places[name] for name in sort_ids(places)]
    scores = {model: column[order] for model, column in scores.items()}
    ids = dict.fromkeys(scores, tuple(wide_scores.ids[k] for k in order))
    return wide_scores._replace(scores=scores, notes=notes), ids, is_of_items


def _name_units(wide: WideTable, scores: Scores) -> dict[str, tuple[str, ...]]:
    """Return the names of rows of each score; models of one size share a tuple."""
    places = {model: k for k, model in wide.names.items()}
    shared: dict[int, tuple[str, ...]] = {}
    names = np.asarray(wide.ids, object)
    ids = {}
    for model, column in scores.items():
        filled = ~find_blank(wide.cells[places[model]])
        if filled.all():
            n = len(column)
            ids[model] = shared.setdefault(n, tuple(wide.ids[:n]))
        else:
            ids[model] = tuple(names[: len(filled)][filled].tolist())
    return ids


def _add_worst(
    taken: Scores,
    names: Mapping[str, tuple[str, ...]],
    whole: WideTable,
    counts: Counts,
    *,
    is_higher: bool,
) -> tuple[Scores, dict[str, tuple[str, ...]], list[str]]:
    """Return the scores with the worst for each missing one, at the end, and a note."""
    worst = find_worst(list(taken.values()), is_higher=is_higher)
    places = {model: k for k, model in whole.names.items()}
    scores, ids = dict(taken), dict(names)
    for model, n in counts.items():
        scores[model] = np.append(scores[model], np.full(n, worst))
        lacks = find_missing(whole.cells[places[model]])
        lost = [whole.ids[k] for k in np.flatnonzero(lacks).tolist()]
        ids[model] = (*names[model], *lost)
    return scores, ids, [say_missing(counts, "worst", "run", worst)]
