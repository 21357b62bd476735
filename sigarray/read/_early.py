"""Runs that end much earlier than others, as those do that have crashed."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from sigarray.read._bytes import TableError
from sigarray.read._codes import Coded, find_first
from sigarray.read._frame import shorten
from sigarray.read._missing import Missing
from sigarray.read._records import ENDED_EARLY, Records, find_column

# Half of the runs or more end together if they do so within this share of their way,
_TOGETHER = 0.1
# and what ends before this share of it is much earlier.
_MUCH_EARLIER = 0.5
_MAX_SHOWN = 3


class _Runs(NamedTuple):
    """The run of each score; of each run its first row, its last step, and the end.

    The end is the last step of most runs of its task; NaN for runs that are no earlier.
    """

    of_rows: np.ndarray
    first: np.ndarray
    last: np.ndarray
    end: np.ndarray


def settle_early(records: Records, missing: Missing | None) -> tuple[Records, int]:
    """Return the scores, with a missing one for each run that ends much earlier.

    Such a run has gone less than half of the way to the step where most runs of the
    task end, and another run of its model gets there. Where runs end at steps of their
    own, as by early stopping, there are none. None are changed if they are to be kept.

    Returns
    -------
    records, n_early : Records, int
        And the number of these runs.
    """
    if records.has("item") or not records.has("run") or np.isnan(records.steps).all():
        return records, 0
    runs = _find_early(records)
    is_early = ~np.isnan(runs.end)
    n_early = int(is_early.sum())
    if not n_early or missing == "keep":
        return records, n_early
    if missing is None:
        raise _ask(records, runs, np.flatnonzero(is_early))
    # What such a run had logged is in the row of its last step.
    is_last = is_early[runs.of_rows] & (records.steps == runs.last[runs.of_rows])
    rows = np.flatnonzero(is_last & ~records.is_blank)
    is_kept = np.zeros(len(records), bool)
    is_kept[rows[find_first(runs.of_rows[rows], len(is_early))[is_early]]] = True
    states = records.factors["state"]
    # That it has crashed, as its state may say, is more than that it ends early.
    have_crashed = records.find_crashed()
    n_early -= int(np.sum(is_kept & have_crashed))
    codes = np.where(is_kept & ~have_crashed, len(states.values), states.codes)
    records = replace(
        records,
        scores=np.where(is_kept, np.nan, records.scores),
        steps=np.where(is_kept, runs.end[runs.of_rows], records.steps),
        is_blank=records.is_blank & ~is_kept,
        factors={
            **records.factors,
            "state": Coded(codes, [*states.values, ENDED_EARLY]),
        },
    )
    return records.take(~is_early[runs.of_rows] | is_kept), n_early


def _find_early(records: Records) -> _Runs:
    runs, n_runs = records.group("task", "model", "run")
    tasks, n_tasks = records.group("task")
    models, n_models = records.group("task", "model")
    first = find_first(runs, n_runs)
    is_scored = ~records.is_blank & ~np.isnan(records.steps)
    steps = records.steps[is_scored]
    last, start = np.full(n_runs, -np.inf), np.full(n_tasks, np.inf)
    np.maximum.at(last, runs[is_scored], steps)
    np.minimum.at(start, tasks[is_scored], steps)
    has_end, of_tasks, of_models = np.isfinite(last), tasks[first], models[first]
    ends = np.full(n_tasks, np.nan)
    for task in np.unique(of_tasks[has_end]):
        ends[task] = _find_end(last[has_end & (of_tasks == task)], start[task])
    end, start = ends[of_tasks], start[of_tasks]
    gets_there = np.zeros(n_models, bool)
    gets_there[of_models[last >= end - _TOGETHER * (end - start)]] = True
    is_early = has_end & gets_there[of_models]
    is_early &= last < start + _MUCH_EARLIER * (end - start)
    return _Runs(runs, first, last, np.where(is_early, end, np.nan))


def _find_end(last: np.ndarray, start: float) -> float:
    """Return the step at which most runs end, or NaN if they do not end together."""
    middle = float(np.quantile(last, 0.5, method="higher"))
    is_near = np.abs(last - middle) <= _TOGETHER * (middle - start)
    steps, counts = np.unique(last[is_near], return_counts=True)
    is_most = 2 * counts.sum() >= len(last) and middle > start
    return float(steps[::-1][np.argmax(counts[::-1])]) if is_most else np.nan


def _ask(records: Records, runs: _Runs, early: np.ndarray) -> TableError:
    column = find_column(records, "step") or "step"
    said = []
    for k in early:
        one = records[runs.first[k]]
        task = f", task {one.task!r}" if one.task is not None else ""
        said.append(
            f"{one.model!r}{task}, run {one.run!r}, at {column} {runs.last[k]:.10g} "
            f"(most at {runs.end[k]:.10g})"
        )
    it, each = ("it", "it") if len(early) == 1 else ("them", "each")
    source = records[runs.first[early[0]]].frame.source
    return TableError(
        f"{source}: expected to know what becomes of runs that end before "
        f"half of the others' steps; got {len(early)} of {len(runs.first)}: "
        f"{shorten(said, _MAX_SHOWN, by='; ')}. Where these have crashed, leave {it} "
        f"out with --missing drop, or count {each} as the worst score that any run "
        "has, with --missing worst; where they were to end there, as by early "
        "stopping, keep their last scores with --missing keep."
    )
