"""Scores of all files, joined task by task."""

from collections.abc import Sequence

import numpy as np

from sigarray.read._alignment import (
    choose_unit,
    join_pairs,
    join_scores,
    sort_ids,
    take_last_steps,
)
from sigarray.read._bytes import TableError
from sigarray.read._frame import list_names
from sigarray.read._records import Record
from sigarray.read._score_table import Choice, ScoreTable
from sigarray.read._summaries import find_computed, is_summary


def join_records(
    records: Sequence[Record],
    choice: Choice,
    kind: str,
    source: str,
    notes: list[str],
    left_out: list[str],
) -> ScoreTable:
    """Join the scores of each task by item or run."""
    records = _choose_records(records, choice)
    _refuse_summaries(records, choice)
    metric = _check_metrics(records)
    records, stepped, doubts = take_last_steps(records)
    unit = choose_unit(records, choice.unit)
    is_paired = choice.is_paired or unit != "run"
    by_task: dict[str, list[Record]] = {}
    for record in records:
        by_task.setdefault(record.task or "", []).append(record)
    notes = [*notes, *stepped]
    tasks, ids, pairs = {}, {}, {}
    for task in sort_ids(by_task):
        joined, said = join_scores(
            by_task[task],
            unit,
            is_paired=is_paired,
            drop_unmatched=choice.drop_unmatched,
            is_said=choice.unit == "item",
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
        by_pair = unit == "item" or (is_paired and _are_named_runs(by_task[task], unit))
        if choice.drop_unmatched and by_pair and len(order) > 2:
            scores_of_pairs = join_pairs(by_task[task], order, unit)
            if any(len(x) > len(joined[order[0]]) for x, _ in scores_of_pairs.values()):
                pairs[task] = {
                    names: (np.asarray(x), np.asarray(y))
                    for names, (x, y) in scores_of_pairs.items()
                }
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
        pairs,
    )
    _check_models(table, records, choice)
    return table


def _are_named_runs(records: Sequence[Record], unit: str) -> bool:
    """Tell whether scores are of runs with names, not of items."""
    return unit == "run" and all(x.run is not None and x.item is None for x in records)


def _list_models(records: Sequence[Record], choice: Choice) -> list[str]:
    if choice.models is not None:
        return list(choice.models)
    return list(dict.fromkeys(record.model for record in records))


def _choose_records(records: Sequence[Record], choice: Choice) -> list[Record]:
    """Return the records of the chosen models and tasks."""
    for role, names in (("model", choice.models), ("task", choice.tasks)):
        known = dict.fromkeys(getattr(record, role) for record in records)
        for name in names or ():
            if name not in known:
                msg = (
                    f"Expected a {role} of the files; got {name!r}. Those in them: "
                    f"{list_names([str(x) for x in known])}."
                )
                raise TableError(msg)
    if choice.models is None and choice.tasks is None and not choice.ignored:
        return [*records]
    return [
        record
        for record in records
        if (choice.models is None or record.model in choice.models)
        and record.model not in choice.ignored
        and (choice.tasks is None or record.task in choice.tasks)
    ]


def _refuse_summaries(records: Sequence[Record], choice: Choice) -> None:
    """Refuse rows of means beside the averaged rows."""
    options = {"model": "--columns", "task": "--tasks"}
    for role in ("model", "run", "item", "task"):
        if {"model": choice.models, "task": choice.tasks}.get(role) is not None:
            continue
        names = {getattr(record, role) for record in records}
        summaries = {x for x in names if is_summary(x)}
        if role == "model":
            summaries |= find_computed(names)
        if summaries and len(names) > 1:
            rows = [x for x in records if getattr(x, role) in summaries]
            name = getattr(rows[0], role)
            advice = "leave out such rows, or rename them"
            if role in options:
                advice = f"choose {role}s with {options[role]}"
            msg = (
                f"{rows[0].place}: expected a {role}; got {name!r}, which is hardly "
                f"one beside others: {advice}."
            )
            raise TableError(msg)


def _check_metrics(records: Sequence[Record]) -> str:
    """Return the metrics; each task must have one."""
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
