"""Scores with their model, item, run and so on, as columns, and the states of runs."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from sigarray._plain_text import squeeze
from sigarray.read._cells import as_text, encode_texts, is_blank
from sigarray.read._codes import (
    Coded,
    find_first,
    group_rows,
    join_columns,
    repeat,
    split_rows,
    take,
)
from sigarray.read._frame import Frame, Names, Roles, shorten
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
_SEEDS = ("seed", "randomseed", "rngseed", "randomstate", "dataseed")
# What trackers put before the names of settings.
_ROOT = re.compile(r"(config|params|tags|hparams|user_attrs)[./_]")
_MAX_SHOWN = 3


def choose_ended(frame: Frame, column: str) -> Frame:
    """Leave out the runs of a tracker that have not ended, and those that were pruned.

    Those that have crashed are asked about, or treated, with the missing scores.
    """
    states = [str(cell).strip().lower() for cell in frame.columns[column]]
    if not _FINISHED & {*states}:
        raise _lack_finished(frame, column)
    ended = [state in _FINISHED | CRASHED for state in states]
    return _leave_out(frame, column, np.asarray(ended))


def mark_states(
    frames: Sequence[Frame], chosen: Roles, metrics: Names, ignored: Names
) -> list[Frame]:
    """Leave out runs that have not ended in files that no tracker wrote.

    A column named "state" or "status" that holds words of trackers alone, and maybe
    blank cells, says so, unless it is chosen or ignored. Of several files, some may
    have no row left.
    """
    others = {*chosen.values(), *metrics, *ignored}
    marked = [_mark(frame, others) for frame in frames]
    if not any(len(frame.lines) for frame in marked):
        for whole, frame in zip(frames, marked, strict=True):
            if frame.n_unfinished:
                raise _lack_finished(whole, frame.roles["state"])
    return marked


def find_state(columns: Mapping[str, Sequence[object]]) -> str | None:
    """Return the column that says by words of trackers how each run has ended."""
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
    return _leave_out(frame, column, np.asarray([x not in _UNFINISHED for x in words]))


def _leave_out(frame: Frame, column: str, has_ended: np.ndarray) -> Frame:
    frame = replace(frame, roles={**frame.roles, "state": column})
    if has_ended.all():
        return frame
    others = np.flatnonzero(~has_ended)
    return replace(
        frame.take(np.flatnonzero(has_ended)),
        unfinished={x: take(cells, others) for x, cells in frame.columns.items()},
        n_unfinished=len(others),
    )


def _lack_finished(frame: Frame, column: str) -> TableError:
    states = {str(cell).strip().lower() for cell in frame.columns[column]}
    return TableError(
        f"{frame.source}: expected runs that have finished; got "
        f"{', '.join(sorted(states))} in column {column!r}."
    )


def find_seed(columns: Mapping[str, Sequence[Any]]) -> str | None:
    """Return the column of seeds, or None without one that has any.

    A seed of a part of the run, such as "data.seed", is one if it varies.
    """
    found: list[tuple[tuple[bool, int], int, str]] = []
    for name, cells in columns.items():
        rank = _rank(name)
        if rank is not None and _may_tell(rank, encode_texts(cells).list_known()):
            found.append((rank, len(found), name))
    return min(found)[-1] if found else None


def doubt_seeds(tasks: Sequence[Records]) -> list[str]:
    """Doubt that runs are independent if one of a file has the seed of another.

    Runs whose names are their seeds are refused instead.
    """
    said = [x for records in tasks for x in _say_repeated(records)]
    if not said:
        return []
    source, column, _ = said[0]
    shown = shorten([x for *_, x in said], _MAX_SHOWN, by="; ")
    return [
        f"{source}: column {column!r} has one seed in several runs of a model: "
        f"{shown}. Each counts as an independent run. Remove one that repeats another; "
        f"or pass --ignore {column} where they are independent"
    ]


def _say_repeated(records: Records) -> list[tuple[str, str, str]]:
    """Say which seeds of a task come again: the file, the column, and words."""
    run = find_column(records, "run")
    if records.has("item") or any(map(_rank, (run or "").split(","))):
        return []
    taken = {x for roles in records.roles for y in roles.values() for x in y.split(",")}
    said = []
    for k in np.unique(records.files):
        frame = records.frames[k]
        of_file = records.take(np.flatnonzero(records.files == k))
        for name in frame.columns:
            rank = _rank(name)
            if rank is None or name in taken:
                continue
            _, seeds = of_file.take_texts(name)
            if not _may_tell(rank, seeds.list_known()):
                continue
            groups, n_groups = group_rows([of_file.factors["model"], seeds])
            first = find_first(groups, n_groups)[groups]
            is_again = (first != np.arange(len(of_file))) & (seeds.codes >= 0)
            for again in np.flatnonzero(is_again).tolist():
                a, b = of_file[int(first[again])], of_file[again]
                of = f"{a.model!r}" if a.task is None else f"{a.model!r} on {a.task!r}"
                places = f"{frame.lines[a.row]} and {frame.lines[b.row]}"
                words = f"{seeds[again]} of {of}, {frame.line_word}s {places}"
                said.append((frame.source, name, words))
    return said


def _may_tell(rank: tuple[bool, int], values: Sequence[Any]) -> bool:
    """Tell whether seeds may tell runs apart: those of a part, if they vary."""
    return len({*values} - {None}) > rank[0]


def _rank(name: str) -> tuple[bool, int] | None:
    """Tell whether seeds are of a part of a run, and how usual the name is.

    None for columns that are not of seeds.
    """
    *above, last = re.split(r"[./]", _ROOT.sub("", name))
    word = squeeze(last)
    if word not in _SEEDS:
        return None
    return bool(above) or word == _SEEDS[-1], _SEEDS.index(word)
