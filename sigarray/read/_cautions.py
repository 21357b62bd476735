"""Notes that readers of a command hear as warnings, even where they want no notes."""

import shlex
from collections.abc import Sequence


class SingleTaskWarning(UserWarning):
    """Is of verdicts on single tasks, without which a command is brief."""


class Caution(str):
    """Says that scores were left out, count as the worst, or are not alike."""

    __slots__ = ()


def put_place(place: str, note: str) -> str:
    """Return a note behind its place, such as the file; a caution remains one."""
    return type(note)(f"{place}: {note}")


def say_single(task: str, models: Sequence[object]) -> Caution:
    """Say that a task was left out, for want of scores of two models."""
    which = f"only {str(models[0])!r} has" if models else "no model has"
    return Caution(f"task {task!r} was left out: {which} scores")


def say_without(which: str, metrics: Sequence[str], other: str | None) -> Caution:
    """Say what was left out, without a score of the metrics, and how to keep tasks.

    They have an `other` one.
    """
    if not metrics:
        return Caution(f"{which} left out, without a score")
    known = ", ".join(map(repr, metrics))
    said = f"{which} left out, without metric {known}"
    if other is None:
        return Caution(said)
    every = shlex.quote(",".join([*metrics, other]))
    return Caution(
        f"{said}. With --metric {every}, each task has the first of these that it has"
    )
