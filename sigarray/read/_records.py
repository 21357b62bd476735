"""Scores with their model, item, run and so on, as columns."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from sigarray.read._cells import encode_texts
from sigarray.read._codes import (
    Coded,
    group_rows,
    join_columns,
    repeat,
    split_rows,
    take,
)
from sigarray.read._frame import Frame
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


class Record(NamedTuple):
    """A score, its model, item and so on, and its place; None if the file has none."""

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
        """Return words for the place of the score."""
        frame = self.frame
        return f"{frame.source}, {frame.line_word} {frame.lines[self.row]}"


@dataclass(frozen=True)
class Records:
    """Scores of several files as columns, of which a row is a `Record`.

    Attributes
    ----------
    frames : tuple of Frame
        The files.
    metrics, roles : tuple of str, tuple of mapping
        The name of the scores in each file, and its columns of roles.
    files, rows : array, shape (n,)
        The number of the file of each score, and its row there.
    scores, steps : array, shape (n,)
        Steps are NaN if they are unknown.
    is_blank : array, shape (n,)
        Whether a score is a blank cell at a last step.
    factors : mapping
        Role -> the name of each score in it.
    """

    frames: tuple[Frame, ...]
    metrics: tuple[str, ...]
    roles: tuple[Mapping[str, str], ...]
    files: np.ndarray
    rows: np.ndarray
    scores: np.ndarray
    steps: np.ndarray
    is_blank: np.ndarray
    factors: Mapping[str, Coded]

    def __len__(self) -> int:
        """Count the scores."""
        return len(self.scores)

    def __getitem__(self, k: int) -> Record:
        """Return one score, and all that is known of it."""
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
        """Return some of the scores."""
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
        """Return the scores with one value in some places."""
        return replace(self, scores=np.where(is_one, score, self.scores))

    def name(self, **said: Any) -> "Records":
        """Return the scores with one name for all in each of some roles."""
        named = {role: repeat(x, len(self)) for role, x in said.items()}
        return replace(self, factors={**self.factors, **named})

    def find_crashed(self) -> np.ndarray:
        """Tell which scores are of runs that have crashed."""
        return find_crashed(self.factors["state"])

    def list_known(self, role: str) -> list[Any]:
        """List the names in a role, in the order in which they come first."""
        return self.factors[role].list_known()

    def list_frames(self) -> list[Frame]:
        """List the files that have some of the scores."""
        return [self.frames[k] for k in np.unique(self.files)]

    def has(self, role: str) -> bool:
        """Tell whether any score has a name in this role."""
        return bool(np.any(self.factors[role].codes >= 0))

    def group(self, *roles: str) -> tuple[np.ndarray, int]:
        """Number the different combinations of names in roles, and count them."""
        return group_rows([self.factors[role] for role in roles])

    def split(self, *roles: str) -> list["Records"]:
        """Return the scores of each group, in the order in which they come first."""
        parts = split_rows([self.factors[role] for role in roles])
        return [self.take(x).compact() for x in parts] if len(parts) > 1 else [self]

    def compact(self) -> "Records":
        """Return the scores with unused names left out."""
        factors = {role: x.compact() for role, x in self.factors.items()}
        return replace(self, factors=factors)

    def take_texts(self, column: str) -> tuple["Records", Coded]:
        """Return the scores of files that have a column, and the texts in it.

        It may have been left out.
        """
        files = np.unique(self.files)
        known = {k: self.frames[k].find(column) for k in files}
        has = [k for k in files if known[k] is not None]
        cells = [take(known[k], self.rows[self.files == k]) for k in has]
        texts = join_columns([encode_texts(x) for x in cells] or [repeat(None, 0)])
        records = (
            self if len(has) == len(files) else self.take(np.isin(self.files, has))
        )
        return records, texts


def join_all(parts: Sequence[Records]) -> Records:
    """Return the scores of several files as one table."""
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
    """Tell by the state of each run whether it has crashed."""
    have_crashed = [str(x).lower() in CRASHED for x in states.values]
    is_one: np.ndarray = np.asarray([*have_crashed, False])[states.codes]
    return is_one


def find_column(records: Records, role: str) -> str | None:
    """Return the column of a role if all files of records have the same, or None."""
    names = {records.roles[k].get(role) for k in np.unique(records.files)}
    return names.pop() if len(names) == 1 else None
