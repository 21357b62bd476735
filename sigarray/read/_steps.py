"""Scores at steps: the last of each run, early ends, and tables of runs."""

import shlex
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sigarray._plain_text import show_range
from sigarray.read._alignment import sort_ids
from sigarray.read._cells import encode_texts, find_blank
from sigarray.read._codes import find_first, split_rows, take
from sigarray.read._frame import Frame, Names, Roles, shorten
from sigarray.read._messages import DROP_OR_WORST
from sigarray.read._missing import Missing, count_by_model, list_few, say_rows
from sigarray.read._records import FACTORS, LastSteps, Records, find_column
from sigarray.read._text import NUMBER, refuse

_MAX_SHOWN = 3
# Runs that end within this share of one another's steps end together.
SAME_END = 0.01


class Unscored(NamedTuple):
    # The number of runs without any score, by task and model.
    n_runs: Counter[tuple[str, str]]
    # Tasks with blank scores at their last step that were not treated.
    tasks: set[str | None]
    # How many rows were left out.
    notes: list[str]


def find_blank_steps(
    frame: Frame, roles: Roles, rows: np.ndarray, is_blank: np.ndarray
) -> np.ndarray:
    """Tell which blank scores are of a step of a run, and so may be missing."""
    if not is_blank.any():
        return is_blank
    texts = encode_texts(take(frame.columns[roles["step"]], rows))
    is_number = [bool(NUMBER.fullmatch(x)) for x in texts.values]
    is_one: np.ndarray = is_blank & np.asarray([*is_number, False])[texts.codes]
    for role in FACTORS:
        if role in roles:
            is_one &= ~find_blank(take(frame.columns[roles[role]], rows))
    return is_one


def settle_blank(records: Records, missing: Missing | None) -> tuple[Records, Unscored]:
    """Return the scores without blank ones, but for those that are to be treated.

    A blank score is missing if its run has no other, or only earlier ones, and it is at
    the step at which most runs of the task end.
    """
    unscored = Unscored(Counter(), set(), [])
    if not records.is_blank.any():
        return records, unscored
    is_scored = ~records.is_blank
    runs, last, ends, are_most = _find_ends(records, is_scored)
    has_score = np.bincount(runs[is_scored], minlength=len(last))[runs] > 0
    never = _find_once(runs, ~has_score)
    is_early = ~is_scored & has_score & (records.steps == ends) & (last[runs] < ends)
    early = _find_once(runs, is_early & are_most)
    if missing is not None:
        is_scored[never] = is_scored[early] = True
        # A run without a score has ended where others have.
        is_known = ~has_score & np.isfinite(ends)
        records = replace(records, steps=np.where(is_known, ends, records.steps))
    else:
        for one in records.take(never).split("task", "model") if len(never) else ():
            unscored.n_runs[one[0].task or "", str(one[0].model)] = len(one)
        unscored.tasks.update(records.take(early).list_known("task"))
    left_out = records.take(~is_scored)
    if len(left_out):
        counts, few = count_by_model(left_out), list_few(left_out)
        unscored.notes.append(say_rows(len(left_out), counts, few))
    return records.take(is_scored), unscored


def _find_once(runs: np.ndarray, is_one: np.ndarray) -> np.ndarray:
    places = np.flatnonzero(is_one)
    return places[np.unique(runs[places], return_index=True)[1]]


def take_last_steps(
    records: Records,
    with_missing: Collection[str | None],
    *,
    is_kept: bool,
) -> tuple[Records, list[str], list[str], LastSteps | None]:
    """Return the records of the last step of each run, if there are steps.

    Tasks `with_missing` have blank scores at the last step of others. What ended early
    `is_kept` if the user says so. Then notes, doubts, and the last steps.
    """
    if np.isnan(records.steps).all():
        return records, [], [], None
    every = np.ones(len(records), bool)
    runs, last, ends, are_most = _find_ends(records, every)
    is_last = np.where(np.isnan(records.steps), -np.inf, records.steps) == last[runs]
    gaps = np.abs(last[runs] - ends)
    differs = gaps > SAME_END * np.abs(ends)
    are_one_each = bool(is_last.all()) and not is_kept
    # Most end together, few if some go beyond; else at steps of their own.
    times = 4 if np.any(differs & (last[runs] > ends)) else 2
    if are_one_each and (times * differs.sum() >= len(runs) or records.has("item")):
        return records, [], [], None
    kept = records.take(is_last)
    column = find_column(records, "step") or "step"
    note = (
        f"{column!r} was taken for the steps of a run, and the last of each "
        f"({show_range(last, '.10g')}) for its score: "
        f"{np.count_nonzero(~np.isnan(kept.scores))} of {len(records)} rows"
    )
    if not records.has("run"):
        note += f". If it numbers runs, pass --run {column}"
    doubts = []
    differs = differs[is_last]
    if differs.any():
        others, of_most = kept.take(differs), ends[is_last][differs]
        tasks = others.list_known("task") or [None]
        are_some_missing = not {*tasks}.isdisjoint(with_missing)
        doubt = (
            f"runs end at different steps{_name(column)}, {show_range(last, '.10g')}: "
            "scores of other steps are compared"
        )
        if are_most[is_last][differs].all():
            is_exact = 2 * np.sum(kept.steps == ends[is_last]) >= len(kept)
            doubt = _doubt_others(others, of_most, column, "" if is_exact else "about ")
        if not is_kept:
            doubt += ". Leave out the rows or columns of what has not finished"
            doubt += _advise_steps(records, np.unique(ends[is_last])[are_some_missing:])
        if are_some_missing and not is_kept:
            doubt += (
                f"; or, where blank scores at the last {column} are missing, pass "
                f"{DROP_OR_WORST}"
            )
        doubts.append(doubt)
    if are_one_each:
        return records, [], doubts, None
    return kept, [note], doubts, LastSteps(column, float(last.min()), float(last.max()))


def _advise_steps(records: Records, ends: np.ndarray) -> str:
    column = find_column(records, "step")
    way = say_common_step(records)
    said = f"; or compare all at {way}" if way else ""
    if column is not None and len(ends) == 1 and _have_most(records, ends[0]):
        said += f"; or, without what ends earlier, at {choose_step(column, ends[0])}"
        said += " --missing drop"
    return said


def _have_most(records: Records, step: float) -> bool:
    """Tell whether most runs of each model, on each task, have a score at a step."""
    runs, n_runs = records.group("task", "model", "run")
    models, n_models = records.group("task", "model")
    models = models[find_first(runs, n_runs)]
    has_step = np.bincount(runs[records.steps == step], minlength=n_runs) > 0
    n_having = np.bincount(models[has_step], minlength=n_models)
    is_most = 2 * n_having > np.bincount(models, minlength=n_models)
    return records.has("run") and bool(is_most.all())


def choose_step(column: str, step: float) -> str:
    text = f"{step:.0f}" if step == int(step) else repr(float(step))
    return f"one step with --where {shlex.quote(f'{column}={text}')}"


def say_common_step(records: Records) -> str:
    column = find_column(records, "step")
    if column is None or records.has("item") or not records.has("run"):
        return ""
    records = records.take(~records.is_blank & np.isfinite(records.steps))
    runs, n_runs = records.group("task", "model", "run")
    pairs = np.unique(np.column_stack([records.steps, runs]), axis=0)
    steps, counts = np.unique(pairs[:, 0], return_counts=True)
    common = steps[counts == n_runs]
    return choose_step(column, common[-1]) if len(common) else ""


def _doubt_others(others: Records, ends: np.ndarray, column: str, near: str) -> str:
    said = [""] * len(others)
    for k in range(min(len(others), _MAX_SHOWN)):
        one = others[k]
        names = {x: getattr(one, x) for x in ("task", "item", "run")}
        who = [f"{x} {y!r}" for x, y in names.items() if y is not None]
        place = f"at {column} {one.step or 0:.10g} (most at {near}{ends[k]:.10g})"
        said[k] = ", ".join([repr(one.model), *who, place])
    end = "1 run ends" if len(said) == 1 else f"{len(said)} runs end"
    return (
        f"{end} at another step{_name(column)} than most: "
        f"{shorten(said, _MAX_SHOWN, by='; ')}: scores of other steps are compared"
    )


def _name(column: str) -> str:
    return "" if column.lower() == "step" else f" (column {column!r})"


def _find_ends(
    records: Records, is_scored: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Find where runs end: at the step of their last score.

    Return the run of each score, and the last step of each run, -inf without any; for
    each score the step at which most runs of its task end, the latest of several, or
    close to it; and whether half of them or more do.
    """
    steps = np.where(np.isnan(records.steps), -np.inf, records.steps)
    runs, n_runs = records.group("task", "model", "item", "run")
    last = np.full(n_runs, -np.inf)
    np.maximum.at(last, runs[is_scored], steps[is_scored])
    tasks, n_tasks = records.group("task")
    of_runs = tasks[find_first(runs, n_runs)]
    ends, are_most = np.full(n_tasks, -np.inf), np.zeros(n_tasks, bool)
    has_end = np.isfinite(last)
    each, counts = np.unique(
        np.column_stack([of_runs, last])[has_end], axis=0, return_counts=True
    )
    order = np.lexsort((each[:, 1], counts))
    at = each[order, 0].astype(int)
    # NumPy keeps the last of several values for one place.
    ends[at] = each[order, 1]
    sizes = np.bincount(of_runs[has_end], minlength=n_tasks)
    are_most[at] = 2 * counts[order] >= sizes[at]
    for task in np.flatnonzero(~are_most & (sizes > 2)):  # episodes end anywhere
        of_task = last[has_end & (of_runs == task)]
        middle = np.quantile(of_task, 0.5, method="higher")
        is_near = np.abs(of_task - middle) <= SAME_END * np.abs(middle)
        if 2 * is_near.sum() > len(of_task):
            ends[task], are_most[task] = middle, True
    return runs, last, ends[tasks], are_most[tasks]


_ADVICE = (
    "Train it with another seed; or pass --unit item for a verdict on these trained "
    "models, which averages over the runs of a model."
)
# More scores than this are no curves that anyone looks at.
_MAX_SCORES = 10**7


class RunTable(NamedTuple):
    """The names of the runs of a model, and its scores, shape (runs, items)."""

    runs: tuple[str, ...]
    scores: np.ndarray


def find_run_tables(
    records: Records, models: Names, items: np.ndarray
) -> Mapping[str, RunTable]:
    """Return the scores of each model by run and item, of which every run has all.

    `items` are their codes, in order. Runs with one name in two models are two.
    """
    on = "" if records[0].task is None else f" on task {records[0].task!r}"
    source = records[0].frame.source
    if len(items) < 2:
        refuse(
            f"{source}: expected two items or more{on}, for --unit run,item; got "
            f"{len(items)}. Pass --unit run."
        )
    places = np.zeros(len(records.factors["item"].values), int)
    places[items] = np.arange(len(items))
    tables = {}
    for model in models:
        of_model = np.flatnonzero(records.factors["model"].find([model]))
        own = records.take(of_model)
        runs = own.factors["run"]
        names = sort_ids(runs.list_known())
        if len(names) < 2:
            refuse(
                f"{source}: expected two runs or more of each model{on}, for --unit "
                f"run,item, because one does not show how others would differ; got "
                f"one of {model!r}. {_ADVICE}"
            )
        rows = np.zeros(len(runs.values), int)
        rows[[runs.values.index(x) for x in names]] = np.arange(len(names))
        scores = np.empty((len(names), len(items)))
        scores[rows[runs.codes], places[own.factors["item"].codes]] = own.scores
        tables[model] = RunTable(tuple(names), scores)
    return tables


class Curves(NamedTuple):
    """The scores of the runs of a model at the steps that all of them have.

    Attributes
    ----------
    steps : array, shape (S,)
        In ascending order.
    scores : array, shape (R, S)
        Of R runs.
    """

    steps: np.ndarray
    scores: np.ndarray


def find_curves(records: Records) -> Mapping[str, Mapping[str, Curves]]:
    """Return the curves of the models on each task; empty where there are none.

    Steps that a run lacks are left out for its model; so are models without two steps,
    and tasks with fewer than two models.
    """
    records = records.take(~records.is_blank)
    is_without = np.isnan(records.steps).all() or records.has("item")
    if is_without or len(records) > _MAX_SCORES:
        return {}
    curves: dict[str, dict[str, Curves]] = {}
    runs, _ = records.group("run")
    for rows in split_rows([records.factors[x] for x in ("task", "model")]):
        first = records[int(rows[0])]
        found = _find_of_model(runs[rows], records.steps[rows], records.scores[rows])
        if found is not None:
            curves.setdefault(first.task or "", {})[str(first.model)] = found
    return {task: by_model for task, by_model in curves.items() if len(by_model) > 1}


def _find_of_model(
    runs: np.ndarray, steps: np.ndarray, scores: np.ndarray
) -> Curves | None:
    is_known = np.isfinite(steps) & np.isfinite(scores)
    every_run, of_run = np.unique(runs[is_known], return_inverse=True)
    every_step, of_step = np.unique(steps[is_known], return_inverse=True)
    if len(every_run) * len(every_step) > _MAX_SCORES:
        return None
    curves = np.full((len(every_run), len(every_step)), np.nan)
    curves[of_run, of_step] = scores[is_known]
    is_common = ~np.isnan(curves).any(axis=0)
    if np.count_nonzero(is_common) < 2:
        return None
    return Curves(every_step[is_common], curves[:, is_common])
