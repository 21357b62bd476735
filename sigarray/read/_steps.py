"""Scores at steps: the last of each run, and those that are missing there."""

from collections.abc import Mapping

import numpy as np

from sigarray.read._cells import encode_texts, find_blank
from sigarray.read._codes import find_first, take
from sigarray.read._frame import Frame, shorten
from sigarray.read._missing import Missing
from sigarray.read._records import FACTORS, Records, find_column
from sigarray.read._text import NUMBER

_MAX_SHOWN = 3


def find_last_blank(
    frame: Frame, roles: Mapping[str, str], rows: np.ndarray, is_blank: np.ndarray
) -> np.ndarray:
    """Tell which blank scores are at the last step, or at the last with a score.

    These may be missing, while at other steps no score was taken. Rows without the name
    of a model, a run and so on are of none.
    """
    if not is_blank.any():
        return is_blank
    texts = encode_texts(take(frame.columns[roles["step"]], rows))
    numbers = [float(x) if NUMBER.fullmatch(x) else np.nan for x in texts.values]
    steps = np.asarray([*numbers, np.nan])[texts.codes]
    is_one: np.ndarray = is_blank & ~np.isnan(steps)
    if not is_one.any():
        return is_one
    ends = [np.nanmax(x) for x in (steps, steps[~is_blank]) if not np.isnan(x).all()]
    is_one &= np.isin(steps, ends)
    for role in FACTORS:
        if role in roles:
            is_one &= ~find_blank(take(frame.columns[roles[role]], rows))
    return is_one


def settle_blank(records: Records, missing: Missing | None) -> tuple[Records, bool]:
    """Return the scores without blank ones, but for those that are to be treated.

    A blank score is missing if it is later than the others of its run, at the step at
    which most runs of the task have their last score.

    Returns
    -------
    records, are_some_missing : Records, bool
    """
    if not records.is_blank.any():
        return records, False
    runs, last, ends = _find_ends(records, ~records.is_blank)
    tasks, n_tasks = records.group("task")
    of_run = find_first(runs, len(last))
    n_runs = np.bincount(tasks[of_run], minlength=n_tasks)
    n_at_end = np.bincount(tasks[of_run][last == ends[of_run]], minlength=n_tasks)
    is_missing = records.is_blank & (2 * n_at_end >= n_runs)[tasks]
    is_missing &= (records.steps == ends) & (last[runs] < ends)
    kept = ~records.is_blank
    if missing is not None:
        places = np.flatnonzero(is_missing)
        kept[places[np.unique(runs[places], return_index=True)[1]]] = True
    return records.take(np.flatnonzero(kept)), bool(is_missing.any())


def take_last_steps(
    records: Records, *, are_some_missing: bool = False
) -> tuple[Records, list[str], list[str]]:
    """Return the records of the last step of each run, if there are steps.

    `are_some_missing` if scores are blank at the last step of others.

    Returns
    -------
    records, notes, doubts : Records, list of str, list of str
        Notes say what was decided; doubts, that runs of a task end at different steps.
    """
    if np.isnan(records.steps).all():
        return records, [], []
    runs, last, ends = _find_ends(records, np.ones(len(records), bool))
    is_last = np.where(np.isnan(records.steps), -np.inf, records.steps) == last[runs]
    if is_last.all():
        return records, [], []
    kept = records.take(is_last)
    column = find_column(records, "step") or "step"
    low, high = last.min(), last.max()
    which = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    note = (
        f"{column!r} was taken for the steps of a run, and the last of each ({which}) "
        f"for its score: {len(kept)} of {len(records)} rows"
    )
    if not records.has("run"):
        note += f". If it numbers runs, pass --run {column}"
    doubts = []
    is_early = last[runs][is_last] < ends[is_last]
    for early in kept.take(is_early).split("task") if is_early.any() else ():
        task = early[0].task
        end = ends[is_last][is_early & kept.factors["task"].find([task])][0]
        doubts.append(_doubt_early(early, column, end, are_some_missing))
    return kept, [note], doubts


def _doubt_early(
    early: Records, column: str, end: float, are_some_missing: bool
) -> str:
    """Say which runs of a task end at an earlier step than others."""
    said = []
    for k in range(min(len(early), _MAX_SHOWN)):
        one = early[k]
        who = [f"{x} {getattr(one, x)!r}" for x in ("item", "run") if getattr(one, x)]
        name = ", ".join([repr(one.model), *who])
        said.append(f"{name}{',' if who else ''} ends at {column} {one.step or 0:g}")
    said += [""] * (len(early) - len(said))
    task = f"task {early[0].task!r}: " if early[0].task is not None else ""
    doubt = (
        f"{task}{shorten(said, _MAX_SHOWN, by='; ')}, and others at {end:g}: scores of "
        "other steps are compared. Leave out the rows or columns of what has not "
        "finished"
    )
    if are_some_missing:
        doubt += (
            f"; or, where blank scores at {column} {end:g} are missing, pass --missing "
            "drop, or --missing worst"
        )
    return doubt


def _find_ends(
    records: Records, is_scored: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the run of each score, the last step of each run, and of each task.

    The last is as long as the scores.
    """
    steps = np.where(np.isnan(records.steps), -np.inf, records.steps)
    runs, n_runs = records.group("task", "model", "item", "run")
    last = np.full(n_runs, -np.inf)
    np.maximum.at(last, runs[is_scored], steps[is_scored])
    tasks, n_tasks = records.group("task")
    ends = np.full(n_tasks, -np.inf)
    np.maximum.at(ends, tasks[is_scored], steps[is_scored])
    return runs, last, ends[tasks]
