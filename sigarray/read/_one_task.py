"""The scores of one task, joined by item or run."""

import math
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._numeric.ranks import middle_ranks
from sigarray.read._alignment import (
    OF_RUNS,
    Pairs,
    Unit,
    average,
    join_pairs,
    join_scores,
)
from sigarray.read._frame import Names, list_names
from sigarray.read._items import find_clusters, name_items
from sigarray.read._messages import put_place, say_single
from sigarray.read._missing import (
    Counts,
    count_by_model,
    find_alone,
    find_worst,
    list_few,
    say_beside,
    say_missing,
    treat_missing,
)
from sigarray.read._raters import (
    Doubt,
    are_assigned,
    as_normal,
    count_averaged,
    doubt_raters,
)
from sigarray.read._records import (
    Averaged,
    Dropped,
    Ended,
    Raters,
    Records,
    find_column,
)
from sigarray.read._runs import leave_out_lost
from sigarray.read._score_table import Choice
from sigarray.read._steps import RunTable, find_run_tables
from sigarray.read._text import TableError
from sigarray.read._wide import Scores


class JoinedTask(NamedTuple):
    """The scores of a task as `ScoreTable` has them, and as they were read."""

    records: Records
    scores: dict[str, np.ndarray]
    ids: dict[str, tuple[str, ...]]
    clusters: tuple[str, ...]
    runs: Mapping[str, RunTable]
    pairs: Pairs
    n_missing: Counts
    ended: Ended | None
    dropped: Dropped | None
    averaged: Averaged | None
    raters: Raters | None
    unmatched: dict[str, tuple[tuple[str, ...], np.ndarray]]
    doubts: list[Doubt]


def join_task(
    whole: Records,
    choice: Choice,
    unit: Unit,
    models: Names,
    of_raters: Names,
    *,
    direction: bool | None,
) -> tuple[JoinedTask | None, list[str]]:
    """Join the scores of a task; None if of one model alone. And notes."""
    is_paired = choice.is_paired or unit != "run"
    if unit == "item":
        whole = name_items(whole)
    whole, lost = leave_out_lost(whole, choice.treatment, unit)
    records, n_missing, ended, notes = _treat_missing(
        whole, choice, unit, is_paired=is_paired, direction=direction
    )
    joined, said, kept, raters = join_scores(
        records,
        unit,
        is_paired=is_paired,
        drop_unmatched=choice.drop_unmatched,
        is_said=choice.unit == "item",
        are_folds=choice.fold is not None,
        ignored=choice.ignored,
    )
    notes = [*lost, *notes, *said]
    order = [x for x in models if x in joined]
    if len(order) < min(choice.min_models, 2):
        notes.append(say_single(whole[0].task or "", order))
        return None, notes
    items = joined[order[0]].codes
    n_lost = 0 if raters is None else raters.n_items
    dropped = count_dropped(whole, kept, unit, is_paired=is_paired, n_others=n_lost)
    pairs = _join_pairs(records, order, len(items), choice, unit, raters)
    doubts = doubt_raters(kept, of_raters)
    is_random = are_assigned(kept)
    if doubts or is_random:
        column = find_column(kept, "rater") or doubts[0].column
        raters = (raters or Raters(column))._replace(
            others=tuple(x.column for x in doubts if x.are_others),
            unequal=tuple(x.column for x in doubts if not x.are_others),
            are_assigned=is_random,
        )
    elif raters is not None and not raters.n:
        raters = None
    every = average(records, unit) if pairs and raters is None else {}
    return JoinedTask(
        records,
        {model: joined[model].scores for model in order},
        {model: joined[model].names for model in order},
        find_clusters(kept, items) if unit in ("item", "run,item") else (),
        find_run_tables(kept, order, items) if unit == "run,item" else {},
        pairs,
        n_missing,
        ended,
        dropped,
        count_averaged(kept, unit),
        raters,
        {x: every[x][1:] for x in order if every},
        doubts,
    ), notes


def join_doubts(tasks: Iterable[JoinedTask]) -> list[str]:
    found: dict[str, list[str]] = {}
    for x in tasks:
        for doubt in x.doubts:
            found.setdefault(doubt.column, []).append(doubt.line)
    said = []
    for first, *others in found.values():
        n = len(others)
        more = f". So it is on {n} more task{'s' if n > 1 else ''}" if n else ""
        said.append(f"{first}{more}")
    return said


def _join_pairs(
    records: Records,
    models: Names,
    n_common: int,
    choice: Choice,
    unit: Unit,
    raters: Raters | None,
) -> Pairs:
    is_by_run = choice.is_paired and unit == "run" and not records.has("item")
    is_by_run &= bool(np.all(records.factors["run"].codes >= 0))
    if len(models) < 3 or not (unit == "item" or is_by_run):
        return {}
    if unit == "item" and records.has("cluster"):
        return {}  # clusters of all models have the same items
    is_dropped = len(records.list_known(unit)) > n_common and choice.drop_unmatched
    has_others = raters is not None and raters.n > 0
    if not (is_dropped or has_others):
        return {}
    pairs = join_pairs(records, models, unit, are_matched=raters is not None)
    has_others |= any(len(x) > n_common for x, _ in pairs.values())
    return pairs if has_others else {}


def _treat_missing(
    records: Records,
    choice: Choice,
    unit: str,
    *,
    is_paired: bool,
    direction: bool | None,
) -> tuple[Records, Counts, Ended | None, list[str]]:
    is_higher = direction is not False
    treatment = choice.treatment
    treated, counts = treat_missing(
        records, treatment, unit, is_paired=is_paired, is_higher=is_higher
    )
    if not counts or treatment is None:
        return treated, {}, None, []
    worst = None
    if treatment == "worst":
        worst = find_worst([treated.scores], is_higher=is_higher)
    of_items = records.has("item")
    what = "item" if of_items else "paired run" if is_paired else "run"
    early, crashed = records.find_early(), records.find_crashed()
    lacks = np.isnan(records.scores)
    is_beside = np.zeros(len(records), bool)
    if treatment == "drop" and what != "run":
        is_beside = lacks & ~find_alone(records, unit)
    # The step of a run that has ended early, or crashed, may be that of others.
    said = replace(records, steps=np.where(early | crashed, np.nan, records.steps))
    lines = []
    if np.any(lacks & ~is_beside):
        some, names = _name_few(said, lacks & ~is_beside)
        ways = {"have crashed": crashed, "ended early": early}
        why = [x for x, is_one in ways.items() if is_one.any()]
        lines.append(say_missing(some, treatment, what, worst, names, why))
    if np.any(is_beside):
        lines.append(say_beside(*_name_few(said, is_beside), what))
    if records[0].task is not None:
        lines = [put_place(f"task {records[0].task!r}", x) for x in lines]
    ended = _count_ended(records, worst) if what == "run" else None
    return treated, counts, ended, lines


def _count_ended(records: Records, worst: float | None) -> Ended | None:
    both = records.find_crashed(), records.find_early()
    if not np.any(both):
        return None
    crashed, early = (count_by_model(records.take(x).compact()) for x in both)
    return Ended(crashed, early, worst, int(_find_rerun(records).sum()))


def _name_few(
    records: Records, is_one: np.ndarray
) -> tuple[Counts, list[dict[str, Any]]]:
    some = records.take(is_one).name(task=None)
    names = list_few(some)
    for by, is_again in zip(names, _find_rerun(records)[is_one].tolist(), strict=False):
        if is_again:
            by["rerun"] = "beside one that has finished"
    return count_by_model(some), names


def _find_rerun(records: Records) -> np.ndarray:
    has_name = records.factors["run"].codes >= 0
    if records.has("item") or not has_name.any():
        return np.zeros(len(records), bool)
    runs, n_runs = records.group("model", "run")
    has_score = np.bincount(runs[~np.isnan(records.scores)], minlength=n_runs) > 0
    has_ended = records.find_crashed() | records.find_early()
    is_rerun: np.ndarray = has_ended & has_name & has_score[runs]
    return is_rerun


# Runs that are independent are asked about in as many cases, or fewer.
_LEVEL = 0.01
# Up to here they are doubted, where a verdict over tasks is possible. Of three equal
# models on 8 tasks with 5 runs that vary by 0.3, 0.5 or 0.7 of the noise, 6, 8 and 2 %
# of data then have a verdict, no question and no doubt.
_LEVEL_OF_VERDICTS = 0.05
# Of fewer tasks, none is better over tasks like these, whatever the scores are.
_LEAST_TASKS = 6


def doubt_shared_runs(
    scores: Mapping[str, Scores],
    ids: Mapping[str, Mapping[str, Names]],
    source: str,
    column: str | None,
    run: str | None,
    *,
    is_wide: bool = False,
) -> list[str]:
    """Refuse, or doubt, that runs with one name on all tasks are others on each.

    Scores and names are by task and model. Of equal models, verdicts over tasks called
    some better in 16 to 84 % of data with such runs. It is a doubt if tasks are too few
    for these verdicts, or have no `column`.
    """
    if len(scores) < 2:
        return []
    parts = (run or "").split(",")
    is_told = len(parts) > 1 and column in parts
    if is_told:  # look all the same at runs that only the task tells apart
        place = parts.index(str(column))
        ids = {
            task: {x: tuple(_leave_out(y, place) for y in ys) for x, ys in by.items()}
            for task, by in ids.items()
        }
    tables = _list_tables(scores, ids)
    is_asked = len(scores) >= _LEAST_TASKS and not is_told
    chance = find_chance([*tables.values()])
    if chance >= (_LEVEL_OF_VERDICTS if is_asked else _LEVEL):
        return []
    found = (
        f"runs of one name that are good or bad together on the {len(scores)} tasks "
        f"({list_names(sorted(tables), 3)}), as if each were one training that was "
        "tested on all of them: verdicts over tasks would find too many differences"
    )
    if column is None:
        return [f"{source} has {found}. Compare the mean over tasks of each run"]
    if is_told:
        return [f"{source} has {found}, if --run {run} is wrong to keep them apart"]
    item, task = f"--item {shlex.quote(column)}", shlex.quote(column)
    both = shlex.quote(f"{run},{column}")
    rows = "Write a row for each score, with its model, and pass" if is_wide else "Pass"
    advice = (
        f"{rows} {item} for verdicts on other runs and tasks like these, or {item} "
        "--unit run for other runs on these tasks; or, if each task had trainings of "
        f"its own, --task {task} --run {both}"
    )
    if not is_asked or chance >= _LEVEL:
        return [f"{source} has {found}. {advice}"]
    msg = f"{source}: expected runs of their own on each task; got {found}. {advice}."
    raise TableError(msg)


def _leave_out(name: str, place: int) -> str:
    return ", ".join(x for k, x in enumerate(name.split(", ")) if k != place)


def _list_tables(
    scores: Mapping[str, Scores], ids: Mapping[str, Mapping[str, Names]]
) -> dict[str, np.ndarray]:
    """Return scores (tasks, runs) of models, of runs with the same names on tasks.

    Tasks, or runs, that lack others are left out, the worst one first.
    """
    tables = {}
    for model in dict.fromkeys(x for by in ids.values() for x in by):
        of_tasks = [
            dict(zip(by[model], scores[task][model].tolist(), strict=True))
            for task, by in ids.items()
            if model in by
        ]
        counts = Counter(name for by in of_tasks for name in by)
        names = sorted(x for x, n in counts.items() if 2 * n >= len(of_tasks))
        table = np.asarray([[by.get(x, np.nan) for x in names] for by in of_tasks])
        while np.isnan(table).any():
            shares = [np.isnan(table).mean(axis=axis) for axis in (1, 0)]
            axis = int(shares[1].max() > shares[0].max())
            table = np.delete(table, shares[axis].argmax(), axis=axis)
        if min(table.shape) > 1:
            tables[model] = table
    return tables


def find_chance(tables: list[np.ndarray]) -> float:
    """Return the chance of runs that are ranked as alike on tasks (tasks, runs).

    Friedman's statistics of the models add up to one that is about chi-squared. Their
    variance is (T - 1) / T of that of chi-squared, for T tasks.
    """
    total, df = 0.0, 0
    for x in tables:
        ranks = middle_ranks(HOST, x)
        squares = np.sum(ranks**2)
        if squares > 0.0:
            own = x.shape[1] - 1
            found = own * np.sum(np.sum(ranks, axis=0) ** 2) / squares
            total += own + (found - own) * math.sqrt(len(x) / (len(x) - 1.0))
            df += own
    if df == 0:
        return 1.0
    return NormalDist().cdf(-as_normal(max(0.0, total), df))


def count_dropped(
    records: Records, kept: Records, unit: str, *, is_paired: bool, n_others: int
) -> Dropped | None:
    """Count the units left out for all models, but for `n_others` by their raters."""
    role = "item" if records.has("item") else unit
    if not records.has(role) or (role == "run" and not is_paired):
        return None
    n_all, n_kept = (len(x.list_known(role)) for x in (records, kept))
    n_left = n_all - n_kept - n_others
    if not n_left:
        return None
    is_by_run = unit in OF_RUNS and role == "item"
    holders = ["model", "run"] if is_by_run else ["model"]
    is_missing = np.isnan(records.scores)
    scored = records.take(~is_missing)
    n_held = scored.group(*holders, role)[1]
    n_scores = records.group(*holders)[1] * n_all - n_held
    is_kept = records.factors[role].find({*kept.list_known(role)})
    return Dropped(role, n_left, n_all, n_scores, int(np.sum(is_missing & ~is_kept)))
