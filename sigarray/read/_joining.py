"""Scores of all files, joined task by task."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from sigarray._plain_text import suggest
from sigarray.read._alignment import (
    choose_unit,
    join_pairs,
    join_scores,
    sort_ids,
)
from sigarray.read._bytes import TableError
from sigarray.read._codes import Coded, find_first, group_rows
from sigarray.read._curves import Curves, find_curves
from sigarray.read._directions import (
    contradict,
    find_direction,
    refuse_other_names,
)
from sigarray.read._early import settle_early
from sigarray.read._frame import list_names
from sigarray.read._missing import (
    Counts,
    ask_about_crashed,
    find_worst,
    leave_out_unnamed,
    list_few,
    say_missing,
    treat_missing,
)
from sigarray.read._records import ENDED_EARLY, Record, Records
from sigarray.read._score_table import Choice, ScoreTable
from sigarray.read._seeds import doubt_seeds
from sigarray.read._steps import Unscored, settle_blank, take_last_steps
from sigarray.read._summaries import find_computed, find_summaries
from sigarray.read._treatment import LastSteps, count_averaged, count_dropped
from sigarray.read._unnamed import refuse_unnamed_pairs


class _LastScores(NamedTuple):
    """The last scores of runs, and what was said of others.

    `is_kept` if runs that have crashed, or end much earlier, are among them.
    """

    records: Records
    curves: Mapping[str, Mapping[str, Curves]]
    unscored: Unscored
    notes: Sequence[str]
    doubts: Sequence[str]
    last_steps: LastSteps | None
    is_kept: bool


def join_records(
    records: Records,
    choice: Choice,
    kind: str,
    source: str,
    notes: list[str],
    left_out: list[str],
    n_blank: Counter[tuple[str, str]],
) -> ScoreTable:
    """Join the scores of each task by item or run.

    `n_blank` counts those that were left out as blank, by task and model.
    """
    records = _choose_records(records, choice)
    if choice.is_paired:
        refuse_unnamed_pairs(records, n_blank)
    ask_about_crashed(records, choice.missing)
    records, without_names = leave_out_unnamed(records, choice.treatment)
    _refuse_summaries(records, choice)
    metric = _check_metrics(records)
    ended = _take_last(records, choice, metric, source)
    records, doubts = ended.records, [*ended.doubts]
    unit = choose_unit(records, choice.unit)
    is_paired = choice.is_paired or unit != "run"
    doubts += _doubt_items_as_runs(records, unit, source)
    by_task = {x[0].task or "": x for x in records.split("task")}
    notes = [*notes, *without_names, *ended.notes]
    tasks, ids, pairs = {}, {}, {}
    n_missing: dict[str, Counts] = {}
    dropped, averaged = {}, {}
    models = _list_models(records, choice)
    direction = _find_direction(records, choice, metric, source)
    for task in sort_ids(by_task):
        whole = by_task[task]
        by_task[task], counts, said = _treat_missing(
            whole, choice, unit, is_paired=is_paired, direction=direction
        )
        if counts:
            n_missing[task] = counts
            notes += said
        joined, said, kept = join_scores(
            by_task[task],
            unit,
            is_paired=is_paired,
            drop_unmatched=choice.drop_unmatched,
            is_said=choice.unit == "item",
        )
        notes += said
        order = [x for x in models if x in joined]
        if len(order) < min(choice.min_models, 2):
            notes.append(f"task {task!r} was left out: only {order[0]!r} has scores")
            left_out.append(task)
            continue
        dropped[task] = count_dropped(whole, kept, unit, is_paired=is_paired)
        averaged[task] = count_averaged(kept, unit)
        tasks[task] = {model: joined[model].scores for model in order}
        ids[task] = {model: joined[model].names for model in order}
        by_pair = unit == "item" or (is_paired and _are_named_runs(by_task[task], unit))
        n_common = len(joined[order[0]].scores)
        is_dropped = len(by_task[task].list_known(unit)) > n_common
        if choice.drop_unmatched and by_pair and is_dropped and len(order) > 2:
            scores_of_pairs = join_pairs(by_task[task], order, unit)
            if any(len(x) > n_common for x, _ in scores_of_pairs.values()):
                pairs[task] = scores_of_pairs
    doubts += doubt_seeds([by_task[task] for task in tasks])
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
        direction,
        pairs,
        choice.missing if n_missing or ended.is_kept else None,
        n_missing,
        ended.curves,
        bool(ended.unscored.tasks),
        {task: x for task, x in dropped.items() if x is not None},
        {task: x for task, x in averaged.items() if x is not None},
        last_steps=ended.last_steps,
    )
    _check_models(table, records, choice)
    return _add_blank(table, ended.unscored.n_runs + n_blank, choice)


def _take_last(
    records: Records, choice: Choice, metric: str, source: str
) -> _LastScores:
    """Take the last score of each run, and settle what becomes of those without one."""
    records, n_early = settle_early(records, choice.missing)
    is_kept = choice.missing == "keep" and (n_early or records.find_crashed().any())
    curves = find_curves(records)
    records, unscored = settle_blank(records, choice.treatment)
    if not len(records):
        msg = f"{source}: expected rows of scores; got none in {metric!r}."
        raise TableError(msg)
    records, notes, doubts, last_steps = take_last_steps(records, unscored.tasks)
    if last_steps is not None and not is_kept:
        last_steps = last_steps._replace(n_early=n_early)
    notes += [f"{source}: {note}" for note in unscored.notes]
    return _LastScores(
        records, curves, unscored, notes, doubts, last_steps, is_kept=bool(is_kept)
    )


def _add_blank(
    table: ScoreTable, counts: Mapping[tuple[str, str], int], choice: Choice
) -> ScoreTable:
    """Add scores of runs that were left out as blank to those that are missing.

    Items without a score are unmatched.
    """
    if table.unit != "run" or table.is_paired:
        return table
    n_missing = {task: {**by} for task, by in table.n_missing.items()}
    is_untreated = table.is_untreated
    for (task, model), n in counts.items():
        if model in table.tasks.get(task, {}):
            by = n_missing.setdefault(task, {})
            by[model] = by.get(model, 0) + n
        elif choice.treatment is None:
            # With --missing, a model without any score of a task is an error.
            wanted = choice.models is None or model in choice.models
            wanted &= choice.tasks is None or task in choice.tasks
            is_untreated |= wanted and model not in choice.ignored
    if not n_missing:
        return table
    return table._replace(
        missing=table.missing or "drop",
        n_missing=n_missing,
        is_untreated=is_untreated,
    )


def _doubt_items_as_runs(records: Records, unit: str, source: str) -> list[str]:
    """Say that items with names are taken for independent runs, as --unit run says."""
    if unit != "run" or not records.has("item") or records.has("run"):
        return []
    return [
        f"{source}: each score of an item is taken for an independent run, as --unit "
        "run says, though items have names. Leave it out where models have scores of "
        "the same items: these pair the models"
    ]


def _find_direction(
    records: Records, choice: Choice, metric: str, source: str
) -> bool | None:
    """Return whether higher is better, as the tool states, or else as the caller.

    Raises
    ------
    TableError
        The caller contradicts the tool, or names no metric and no task of the files.
    """
    better = {
        records.frames[k].better.get(records.metrics[k].split(",")[0])
        for k in np.unique(records.files)
    }
    stated = better.pop() if len(better) == 1 else None
    chosen = [x for x in records.list_known("task") if x is not None]
    said = find_direction(choice.higher_is_better, metric, source, chosen)
    if said is None:
        known = _list_names_of_scores(records)
        got = f"scores of {metric!r}"
        refuse_other_names(choice.higher_is_better, known, source, got)
    if None not in (said, stated) and said != stated:
        is_higher = bool(stated)
        raise contradict(source, metric, is_higher=is_higher, by="its tool has it")
    return said if stated is None else stated


def _list_names_of_scores(records: Records) -> set[Any]:
    """List the metrics, columns and tasks of the files, chosen or not."""
    known: set[Any] = set()
    for frame, roles in zip(records.frames, records.roles, strict=True):
        known |= {*frame.columns, *(frame.metrics or ()), *frame.better}
        known |= {frame.metric, frame.constants.get("task"), *frame.other_metrics}
        for role in {"metric", "task"} & {*roles}:
            known |= set(frame.columns[roles[role]])
    return known - {None}


def _treat_missing(
    records: Records,
    choice: Choice,
    unit: str,
    *,
    is_paired: bool,
    direction: bool | None,
) -> tuple[Records, Counts, list[str]]:
    """Leave out missing scores of a task, or count them as the worst, and say so."""
    is_higher = direction is not False
    treated, counts = treat_missing(
        records, choice.treatment, unit, is_paired=is_paired, is_higher=is_higher
    )
    if not counts or choice.treatment is None:
        return treated, {}, []
    worst = None
    if choice.treatment == "worst":
        worst = find_worst([treated.scores], is_higher=is_higher)
    of_items = records.has("item")
    what = "item" if of_items else "paired run" if is_paired else "run"
    ended_early = records.factors["state"].find([ENDED_EARLY])
    which = [
        words
        for words, is_any in (
            ("have crashed", records.find_crashed().any()),
            ("ended early", ended_early.any()),
        )
        if is_any
    ]
    task = records[0].task
    # The step of a run that has ended early is that of others.
    said = replace(records, steps=np.where(ended_early, np.nan, records.steps))
    lacking = said.take(np.flatnonzero(np.isnan(records.scores))).name(task=None)
    line = say_missing(counts, choice.treatment, what, worst, list_few(lacking), which)
    return treated, counts, [line if task is None else f"task {task!r}: {line}"]


def _are_named_runs(records: Records, unit: str) -> bool:
    """Tell whether scores are of runs with names, not of items."""
    are_named = bool(np.all(records.factors["run"].codes >= 0))
    return unit == "run" and are_named and not records.has("item")


def _list_models(records: Records, choice: Choice) -> list[str]:
    if choice.models is not None:
        return list(choice.models)
    return records.list_known("model")


def _choose_records(records: Records, choice: Choice) -> Records:
    """Return the records of the chosen models and tasks."""
    for role, names in (("model", choice.models), ("task", choice.tasks)):
        known = records.list_known(role)
        for name in names or ():
            if known == [None]:
                msg = (
                    f"Expected files that name {role}s, to choose {name!r}; got none. "
                    f"Say which column does, with --{role}."
                )
                raise TableError(msg)
            if name not in known:
                msg = (
                    f"Expected a {role} of the files; got {name!r}."
                    f"{suggest(name, known)} Those in them: "
                    f"{list_names([str(x) for x in known])}."
                )
                raise TableError(msg)
    if choice.models is None and choice.tasks is None and not choice.ignored:
        return records
    models, tasks = records.factors["model"], records.factors["task"]
    is_wanted = ~models.find(choice.ignored)
    if choice.models is not None:
        is_wanted &= models.find(choice.models)
    if choice.tasks is not None:
        is_wanted &= tasks.find(choice.tasks)
    return records.take(is_wanted)


def _refuse_summaries(records: Records, choice: Choice) -> None:
    """Refuse rows of means beside the averaged rows."""
    options = {"model": "--columns", "task": "--tasks"}
    for role in ("model", "run", "item", "task"):
        if {"model": choice.models, "task": choice.tasks}.get(role) is not None:
            continue
        names = records.list_known(role)
        summaries = find_summaries(names)
        if role == "model":
            summaries |= find_computed(names)
        if summaries and len(names) > 1:
            first = records[int(np.argmax(records.factors[role].find(summaries)))]
            name = getattr(first, role)
            advice = "leave out such rows, or rename them"
            if role in options:
                advice = f"choose {role}s with {options[role]}"
            msg = (
                f"{first.place}: expected a {role}; got {name!r}, which is hardly "
                f"one beside others: {advice}."
            )
            raise TableError(msg)


def _check_metrics(records: Records) -> str:
    """Return the metrics; each task must have one."""
    # A file has one metric, so its first score of each task is enough.
    files = Coded(records.files, records.frames)
    groups, n_groups = group_rows([records.factors["task"], files])
    first: dict[str | None, Record] = {}
    for k in np.sort(find_first(groups, n_groups)):
        record = records[k]
        other = first.setdefault(record.task, record)
        if other.metric != record.metric:
            msg = (
                f"Expected scores of one metric; got {other.metric!r} in "
                f"{other.frame.source}, and {record.metric!r} in "
                f"{record.frame.source}. Choose one with --metric."
            )
            raise TableError(msg)
    return ", ".join(dict.fromkeys(record.metric for record in first.values()))


def _check_models(table: ScoreTable, records: Records, choice: Choice) -> None:
    models = _list_models(records, choice)
    if len(models) < choice.min_models or not table.tasks:
        number = "two or more models" if choice.min_models == 2 else "a model"
        of = " with scores of one task" if len(models) > 1 else ""
        columns = list_names(list(records[0].frame.columns))
        msg = (
            f"{table.source}, read as {table.kind}: expected {number}{of}; got "
            f"{list_names(models)}. A column of models is named by --model; there are "
            f"{columns}."
        )
        raise TableError(msg)
    if choice.max_models is not None and len(models) > choice.max_models:
        msg = (
            f"{table.source}: expected at most {choice.max_models} models, every two "
            f"of which are compared; got {len(models)}. Choose some with --columns."
        )
        raise TableError(msg)
