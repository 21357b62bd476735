"""What columns say of runs: whether they have finished, and their seeds."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sigarray._plain_text import squeeze
from sigarray.read._cells import as_text, encode_texts, is_blank
from sigarray.read._codes import find_first, group_rows, take
from sigarray.read._frame import Frame, Names, Roles, shorten
from sigarray.read._records import CRASHED, Records, find_column
from sigarray.read._text import TableError
from sigarray.read._words import as_words

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
