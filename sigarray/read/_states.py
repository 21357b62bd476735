"""The state of each run: whether it has finished, crashed, or is still running."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sigarray._plain_text import squeeze
from sigarray.read._bytes import TableError
from sigarray.read._cells import as_text, encode_texts, is_blank
from sigarray.read._codes import take
from sigarray.read._frame import Frame
from sigarray.read._records import CRASHED
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
    frames: Sequence[Frame],
    chosen: Mapping[str, str],
    metrics: Sequence[str],
    ignored: Sequence[str],
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
