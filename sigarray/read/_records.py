"""Scores with their model, item, run and so on, as columns, and what became of them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from sigarray._plain_text import squeeze
from sigarray.read._cells import as_text, encode_texts, is_blank
from sigarray.read._codes import (
    Coded,
    group_rows,
    join_columns,
    repeat,
    split_rows,
    take,
)
from sigarray.read._frame import Frame, Names, Roles
from sigarray.read._text import TableError
from sigarray.read._words import as_words

# The roles of names, texts as a rule.
FACTORS = ("task", "model", "item", "run", "cluster", "content", "state", "rater")
# The states of runs that have crashed, in words of trackers or numbers of MLflow.
CRASHED = as_words("""
    crashed failed killed fail 4 5 crash failure error errored aborted cancelled
    canceled stopped oom diverged out_of_memory timeout node_fail
""") | {"out of memory", "timed out"}
# The state of runs that end much earlier than others, in no word of a tracker.
ENDED_EARLY = "ended early"
_NAMES = frozenset(("state", "status", "runstate", "runstatus"))
# Words, or MLflow's number, for the state of a finished run.
_FINISHED = as_words("""
    finished 3 complete completed done ok
""")
_UNFINISHED = as_words("""
    running pending queued scheduled waiting created active inprogress in_progress
    preempted preempting pruned resuming suspended unfinished
""") | {"in progress"}
_WORDS = frozenset(x for x in _FINISHED | CRASHED | _UNFINISHED if not x.isdecimal())


class Record(NamedTuple):
    task: str | None
    model: Any
    item: str | None
    run: str | None
    cluster: str | None
    step: float | None
    content: str | None
    state: str | None
    rater: str | None
    score: float
    metric: str
    frame: Frame
    row: int

    @property
    def place(self) -> str:
        return self.frame.place_row(self.row)


@dataclass(frozen=True)
class Records:
    frames: tuple[Frame, ...]
    # The name of the scores in each file, and its columns of roles.
    metrics: tuple[str, ...]
    roles: tuple[Mapping[str, str], ...]
    # The number of the file of each score, and its row there.
    files: np.ndarray
    rows: np.ndarray
    # Steps are NaN if they are unknown.
    scores: np.ndarray
    steps: np.ndarray
    # Whether a score is a blank cell at a last step.
    is_blank: np.ndarray
    # Role -> the name of each score in it.
    factors: Mapping[str, Coded]

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, k: int) -> Record:
        step = float(self.steps[k])
        return Record(
            **{role: x[k] for role, x in self.factors.items()},
            step=None if math.isnan(step) else step,
            score=float(self.scores[k]),
            metric=self.metrics[self.files[k]],
            frame=self.frames[self.files[k]],
            row=int(self.rows[k]),
        )

    def take(self, rows: np.ndarray) -> "Records":
        return replace(
            self,
            files=self.files[rows],
            rows=self.rows[rows],
            scores=self.scores[rows],
            steps=self.steps[rows],
            is_blank=self.is_blank[rows],
            factors={role: x[rows] for role, x in self.factors.items()},
        )

    def fill(self, is_one: np.ndarray, score: float) -> "Records":
        return replace(self, scores=np.where(is_one, score, self.scores))

    def name(self, **said: Any) -> "Records":
        named = {role: repeat(x, len(self)) for role, x in said.items()}
        return replace(self, factors={**self.factors, **named})

    def find_crashed(self) -> np.ndarray:
        return find_crashed(self.factors["state"])

    def find_early(self) -> np.ndarray:
        return self.factors["state"].find([ENDED_EARLY])

    def list_known(self, role: str) -> list[Any]:
        return self.factors[role].list_known()

    @property
    def of_task(self) -> str:
        """Words for the task of the first score: " of task 'qa'", or none."""
        task = self[0].task
        return "" if task is None else f" of task {task!r}"

    def list_frames(self) -> list[Frame]:
        return [self.frames[k] for k in np.unique(self.files)]

    def has(self, role: str) -> bool:
        return bool(np.any(self.factors[role].codes >= 0))

    def group(self, *roles: str) -> tuple[np.ndarray, int]:
        return group_rows([self.factors[role] for role in roles])

    def split(self, *roles: str) -> list["Records"]:
        """Return the scores of each group, in order of their first rows."""
        parts = split_rows([self.factors[role] for role in roles])
        return [self.take(x).compact() for x in parts] if len(parts) > 1 else [self]

    def compact(self) -> "Records":
        factors = {role: x.compact() for role, x in self.factors.items()}
        return replace(self, factors=factors)

    def take_texts(self, column: str) -> tuple["Records", Coded]:
        """Return the scores of files with a column, left out or not, and its texts."""
        files = np.unique(self.files)
        has = [k for k in files if self.frames[k].find(column) is not None]
        texts = [
            encode_texts(take(self.frames[k].find(column), self.rows[self.files == k]))
            for k in has
        ]
        is_whole = len(has) == len(files)
        records = self if is_whole else self.take(np.isin(self.files, has))
        return records, join_columns(texts or [repeat(None, 0)])


def join_all(parts: Sequence[Records]) -> Records:
    if len(parts) == 1:
        return parts[0]
    starts = np.cumsum([0, *(len(x.frames) for x in parts)])
    return Records(
        tuple(frame for x in parts for frame in x.frames),
        tuple(metric for x in parts for metric in x.metrics),
        tuple(roles for x in parts for roles in x.roles),
        np.concatenate([x.files + k for x, k in zip(parts, starts, strict=False)]),
        np.concatenate([x.rows for x in parts]),
        np.concatenate([x.scores for x in parts]),
        np.concatenate([x.steps for x in parts]),
        np.concatenate([x.is_blank for x in parts]),
        {role: join_columns([x.factors[role] for x in parts]) for role in FACTORS},
    )


def find_crashed(states: Coded) -> np.ndarray:
    have_crashed = [str(x).lower() in CRASHED for x in states.values]
    return np.take([*have_crashed, False], states.codes)


def find_column(records: Records, role: str) -> str | None:
    """Return the column of a role if all files of records have the same."""
    names = {records.roles[k].get(role) for k in np.unique(records.files)}
    return names.pop() if len(names) == 1 else None


def choose_ended(frame: Frame, column: str) -> Frame:
    """Leave out the runs of a tracker that have not ended, or were pruned."""
    states = [str(cell).strip().lower() for cell in frame.columns[column]]
    if not _FINISHED & {*states}:
        raise _lack_finished(frame, column)
    ended = [state in _FINISHED | CRASHED for state in states]
    return _leave_out(frame, column, ended)


def mark_states(
    frames: Sequence[Frame], chosen: Roles, metrics: Names, ignored: Names
) -> list[Frame]:
    """Leave out runs that have not ended in files that no tracker wrote.

    A column "state" or "status" with words of trackers says so, unless it is chosen or
    ignored. Of several files, some may have no row left.
    """
    others = {*chosen.values(), *metrics, *ignored}
    marked = [_mark(frame, others) for frame in frames]
    if not any(len(frame.lines) for frame in marked):
        for whole, frame in zip(frames, marked, strict=True):
            if frame.n_unfinished:
                raise _lack_finished(whole, frame.roles["state"])
    return marked


def find_state(columns: Mapping[str, Sequence[object]]) -> str | None:
    for name, cells in columns.items():
        if squeeze(name) in _NAMES:
            words = {str(x).lower() for x in encode_texts(cells).list_known()}
            words -= {"none", "nan"}
            if words and words <= _WORDS:
                return name
    return None


def _mark(frame: Frame, others: set[str]) -> Frame:
    if "state" in frame.roles:
        return frame
    # By --where, a column of states has been left out.
    every = {**frame.left_out, **frame.columns}
    column = find_state({x: y for x, y in every.items() if x not in others})
    if column is None:
        return frame
    cells = every[column]
    words = ["" if is_blank(x) else as_text(x).lower() for x in cells]
    frame = replace(frame, columns={**frame.columns, column: cells})
    return _leave_out(frame, column, [x not in _UNFINISHED for x in words])


def _leave_out(frame: Frame, column: str, has_ended: list[bool]) -> Frame:
    frame = replace(frame, roles={**frame.roles, "state": column})
    if all(has_ended):
        return frame
    others = np.flatnonzero(~np.asarray(has_ended))
    return replace(
        frame.take(np.flatnonzero(has_ended)),
        unfinished={x: take(cells, others) for x, cells in frame.columns.items()},
        n_unfinished=len(others),
    )


def _lack_finished(frame: Frame, column: str) -> TableError:
    states = {str(cell).strip().lower() for cell in frame.columns[column]}
    grouped = " Its rows are groups of runs: ungroup the table, and export it again."
    return TableError(
        f"{frame.source}: expected runs that have finished; got "
        f"{', '.join(sorted(states))} in column {column!r}."
        f"{grouped * (states == {'-'})}"
    )


class Dropped(NamedTuple):
    """Units left out for all models, because some model lacks them.

    Of `n_all` they are `n`, in which `n_scores` were missing, `n_treated` of them by
    `missing`; `unit` is "item", "run", "cluster" or "row".
    """

    unit: str
    n: int
    n_all: int
    n_scores: int
    n_treated: int = 0


class Ended(NamedTuple):
    """Runs that have no score because they have crashed or ended early.

    Model -> how many `crashed`, and ended `early`; they count as the `worst` score,
    unless it is None; `n_again` of them were run again.
    """

    crashed: Mapping[str, int]
    early: Mapping[str, int]
    worst: float | None = None
    n_again: int = 0


class Averaged(NamedTuple):
    """The score of an item, or of a run, is a mean of so many at least, and at most.

    `unit` is "item", "run", or the word for raters who are the items; `of` is what is
    averaged: "score", "rating", "run" or "item", and `by` the column of raters, or of
    what else models have in common, if any.
    """

    unit: str
    of: str
    least: int
    most: int
    by: str | None = None


class Raters(NamedTuple):
    """Whether models have scores of an item by the same raters, whom a column names.

    `n` of `n_all` scores, with `n_items` of `n_all_items` items, were left out, because
    not all models have one by the same rater. By the columns of `others`, some model
    lacks some rater; by those of `unequal`, models have unequal shares of strict
    raters. If raters `are_assigned`, those of an item are not the same for all models.
    """

    column: str
    n: int = 0
    n_all: int = 0
    n_items: int = 0
    n_all_items: int = 0
    others: tuple[str, ...] = ()
    unequal: tuple[str, ...] = ()
    are_assigned: bool = False


class LastSteps(NamedTuple):
    """The column of steps, and the least and the largest last one of a run.

    Of `n_early` more runs, which end much earlier, the score is missing.
    """

    column: str
    least: float
    most: float
    n_early: int = 0
