"""Scores of all files, joined task by task."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from sigarray.read._alignment import OF_RUNS, choose_unit, sort_tasks
from sigarray.read._codes import Coded, distinct, find_first, group_rows
from sigarray.read._duplicates import doubt_seeds
from sigarray.read._early_ends import settle_runs
from sigarray.read._frame import Names, list_names, quote_names, refuse_many
from sigarray.read._groups import doubt_shared, say_groups
from sigarray.read._guards import refuse_unnamed_pairs
from sigarray.read._messages import Caution, put_place, say_once
from sigarray.read._metrics import refuse_names, say_apart
from sigarray.read._missing import ask_about_crashed, leave_out_unnamed
from sigarray.read._one_task import JoinedTask, join_doubts, join_task
from sigarray.read._other_columns import refuse_summaries
from sigarray.read._pooled_values import (
    count_pooled,
    doubt_pooled,
    doubt_second_curves,
    split_runs,
)
from sigarray.read._raters import find_raters
from sigarray.read._records import LastSteps, Record, Records, find_column
from sigarray.read._runs import (
    doubt_alike_units,
    doubt_checkpoints,
    doubt_items_as_runs,
    doubt_repeats,
)
from sigarray.read._scales import doubt_items_of_records, doubt_scale_of_records
from sigarray.read._score_table import (
    Choice,
    ScoreTable,
    contradict,
    find_direction,
    refuse_other_names,
)
from sigarray.read._settings import say_confounds
from sigarray.read._steps import (
    Curves,
    Unscored,
    find_curves,
    settle_blank,
    take_last_steps,
)
from sigarray.read._text import refuse
from sigarray.read._unlikely_rows import doubt_same_runs
from sigarray.read._words import names_folds, names_raters

# What tasks and tables have by the same names.
_BY_TASK = (
    *("ids", "pairs", "n_missing", "averaged", "raters", "ended", "unmatched"),
    *("clusters", "runs"),
)


class _LastScores(NamedTuple):
    """The last scores of runs, of which `n_kept` have crashed or end much earlier."""

    records: Records
    curves: Mapping[str, Mapping[str, Curves]]
    unscored: Unscored
    notes: Names
    doubts: Names
    last_steps: LastSteps | None
    n_kept: int


def join_records(
    records: Records,
    choice: Choice,
    kind: str,
    source: str,
    notes: list[str],
    left_out: list[str],
    n_blank: Counter[tuple[str, str]],
) -> ScoreTable:
    records = _choose_records(records, choice)
    notes = [*notes, *say_confounds(records, source)]
    if choice.is_paired:
        refuse_unnamed_pairs(records, n_blank)
    ask_about_crashed(records, choice.missing)
    records, without_names = leave_out_unnamed(records, choice.treatment)
    refuse_summaries(records, choice)
    metric, metrics = _check_metrics(records)
    ended = _take_last(records, choice, metric, source)
    records = ended.records
    doubts = [*ended.doubts, *doubt_alike_units(records, source)]
    unit = choose_unit(records, choice.unit)
    records, of_clusters = _leave_out_clusters(records, choice)
    of_clusters += _say_one_run(records, choice, source)
    of_raters: list[str] = []
    if unit not in OF_RUNS:
        records, of_raters = find_raters(records)
    else:
        doubts += _doubt_raters_as_runs(records, source, unit)
    doubts += [
        *doubt_items_as_runs(records, unit, source),
        *doubt_items_of_records(records, source),
    ]
    by_task = {x[0].task or "": x for x in records.split("task")}
    doubts += doubt_scale_of_records(by_task.values())
    notes = [*notes, *without_names, *ended.notes, *of_clusters]
    models = _list_models(records, choice)
    direction = _find_direction(records, choice, metric, source)
    joined: dict[str, JoinedTask] = {}

    def list_by_task(name: str) -> dict[str, Any]:
        values = {task: getattr(x, name) for task, x in joined.items()}
        return {task: x for task, x in values.items() if x}

    for task in sort_tasks(by_task):
        one, said = join_task(
            by_task[task], choice, unit, models, of_raters, direction=direction
        )
        notes += said
        if one is None:
            left_out.append(task)
        else:
            joined[task] = one
    doubts += _doubt_copies(records, joined, source) if unit == "run" else []
    column, run = (find_column(records, x) for x in ("task", "run"))
    shared = doubt_shared(joined, records, unit, source)
    grouped: tuple[Names, Names] = [], []
    pools = (
        split_runs([*joined.values()], run)
        if unit in OF_RUNS and choice.fold is None
        else []
    )
    doubts += doubt_pooled([*joined.values()], pools, run, source)
    if unit == "run":
        doubts += doubt_checkpoints(list_by_task("ids"), source)
    else:
        grouped = say_groups(records, [*joined.values()], source)
    if not choice.fold and not any(map(names_folds, (run or "").split(","))):
        doubts += doubt_seeds([x.records for x in joined.values()])
    same: dict[str, Any] = {x: list_by_task(x) for x in _BY_TASK}
    table = ScoreTable(
        list_by_task("scores"),
        unit=unit,
        is_paired=choice.is_paired or unit != "run",
        metric=metric,
        kind=kind,
        source=source,
        notes=(*say_once(notes, by_task), *grouped[0]),
        doubts=(*doubts, *shared, *grouped[1], *join_doubts(joined.values())),
        left_out=tuple(left_out),
        higher_is_better=direction,
        missing=choice.missing if same["n_missing"] or ended.n_kept else None,
        curves=ended.curves,
        is_untreated=bool(ended.unscored.tasks),
        n_dropped=list_by_task("dropped"),
        last_steps=ended.last_steps,
        run_column=run,
        task_column=column,
        shares_runs=bool(shared),
        metrics=metrics,
        n_unfinished=sum(x.n_unfinished for x in records.list_frames()),
        n_kept=ended.n_kept,
        settings=count_pooled(pools, run),
        **same,
    )
    _check_models(table, records, choice)
    return _add_blank(table, ended.unscored.n_runs + n_blank, choice)


def _doubt_copies(
    records: Records, joined: Mapping[str, JoinedTask], source: str
) -> Names:
    by_task = {task: x.scores for task, x in joined.items()}
    ids = {task: x.ids for task, x in joined.items() if records.has("run")}
    same = [] if records.has("item") else doubt_same_runs(by_task, ids, source)
    return same or doubt_repeats(by_task, source)


def _leave_out_clusters(records: Records, choice: Choice) -> tuple[Records, list[str]]:
    is_named = "cluster" in choice.columns
    # Items without clusters are asked for by leaving these out; runs have none.
    left_out = "run" if is_named else "item"
    if choice.unit != left_out or not records.has("cluster"):
        return records, []
    column = find_column(records, "cluster")
    named = "" if column is None else f" of {column!r}"
    if choice.unit == "run":
        return records, [f"the clusters{named} are not used, as --unit run says"]
    note = (
        f"the clusters{named} are not used, as --unit item says; name their column "
        "with --cluster, where items of one are not independent"
    )
    return records.name(cluster=None), [note]


def _say_one_run(records: Records, choice: Choice, source: str) -> list[str]:
    column = find_column(records, "run")
    if choice.unit is not None or column is None or names_raters(column):
        return []
    if not records.has("item") or len(records.list_known("run")) != 1:
        return []
    said = "verdicts hold for these trained models only, not for other runs"
    return [Caution(f"{source}: one {column!r} of each model: {said}")]


def _take_last(
    records: Records, choice: Choice, metric: str, source: str
) -> _LastScores:
    records, n_early = settle_runs(records, choice.missing, choice.steps)
    has_lost = bool(n_early or records.find_crashed().any())
    is_kept = choice.missing == "keep" and has_lost
    second = doubt_second_curves(records, source)
    curves = find_curves(records)
    records, unscored = settle_blank(records, choice.treatment)
    if not len(records):
        refuse(f"{source}: expected rows of scores; got none in {metric!r}.")
    taken = take_last_steps(records, unscored.tasks, is_kept=is_kept)
    records, notes, doubts, last_steps = taken
    if last_steps is not None and not is_kept:
        last_steps = last_steps._replace(n_early=n_early)
    notes += [put_place(source, note) for note in unscored.notes]
    n_kept = n_early if is_kept else 0
    if is_kept:
        crashed = records.take(records.find_crashed() & ~np.isnan(records.scores))
        named = crashed.has("run")
        n_kept += crashed.group("task", "model", "run")[1] if named else len(crashed)
    said = notes, [*doubts, *second]
    return _LastScores(records, curves, unscored, *said, last_steps, n_kept)


def _add_blank(
    table: ScoreTable, counts: Mapping[tuple[str, str], int], choice: Choice
) -> ScoreTable:
    """Count runs that were left out as blank as missing ones; items are unmatched."""
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
        missing=table.missing or "drop", n_missing=n_missing, is_untreated=is_untreated
    )


def _find_direction(
    records: Records, choice: Choice, metric: str, source: str
) -> bool | None:
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
    known = set[Any]()
    for frame, roles in zip(records.frames, records.roles, strict=True):
        known |= {*frame.columns, *(frame.metrics or ()), *frame.better}
        known |= {frame.metric, frame.constants.get("task"), *frame.other_metrics}
        for role in {"metric", "task"} & {*roles}:
            known |= {*map(str, distinct(frame.columns[roles[role]]))}
    return known - {None}


def _list_models(records: Records, choice: Choice) -> list[str]:
    known = records.list_known("model")
    return known if choice.models is None else list(choice.models)


def _choose_records(records: Records, choice: Choice) -> Records:
    for role, names in (("model", choice.models), ("task", choice.tasks)):
        known = records.list_known(role)
        wrong = [x for x in names or () if x not in known]
        if wrong:
            name = wrong[0]
            if known == [None]:
                refuse(
                    f"Expected files that name {role}s, to choose {name!r}; got none. "
                    f"Say which column does, with --{role}; or choose some rows with "
                    "--where."
                )
            raise refuse_names(role, wrong, known)
    if choice.models is None and choice.tasks is None and not choice.ignored:
        return records
    is_wanted = choice.find_models(records.factors["model"])
    if choice.tasks is not None:
        is_wanted &= records.factors["task"].find(choice.tasks)
    return records.take(is_wanted)


def _check_metrics(records: Records) -> tuple[str, dict[str, str]]:
    # A file has one metric, so its first score of each task is enough.
    files = Coded(records.files, records.frames)
    groups, n_groups = group_rows([records.factors["task"], files])
    first: dict[str | None, Record] = {}
    for k in np.sort(find_first(groups, n_groups)):
        record = records[k]
        other = first.setdefault(record.task, record)
        if other.metric != record.metric:
            refuse(
                f"Expected scores of one metric; got {other.metric!r} in "
                f"{other.frame.source}, and {record.metric!r} in "
                f"{record.frame.source}. Choose one with --metric."
            )
    metrics = {task or "": record.metric for task, record in first.items()}
    every = dict.fromkeys(metrics.values())
    return ", ".join(every), metrics if len(every) > 1 else {}


def _check_models(table: ScoreTable, records: Records, choice: Choice) -> None:
    models = _list_models(records, choice)
    if len(models) < choice.min_models or not table.tasks:
        number = "two or more models" if choice.min_models == 2 else "a model"
        of = " with scores of one task" if len(models) > 1 else ""
        got = say_apart(records, models) or (
            f"got {list_names(models)}. A column of models is named by --model; there "
            f"are {list_names(records[0].frame.columns)}."
        )
        refuse(f"{table.source}, read as {table.kind}: expected {number}{of}; {got}")
    refuse_many(len(models), choice.max_models, table.source)


def _doubt_raters_as_runs(records: Records, source: str, unit: str) -> list[str]:
    column = find_column(records, "run")
    if not (names_raters(column) and records.has("item") and records.has("run")):
        return []
    mean = ", and its score is the mean of the items" if unit == "run" else ""
    return [
        f"{source}: each {column!r} is taken for an independent run of a model, as "
        f"--unit {unit} says{mean}. To average the "
        "ratings of each item, and pair the models by item, pass --unit item --run "
        f"{quote_names([column or ''])}"
    ]
