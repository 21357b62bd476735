"""Lines on standard error: notes, warnings and errors, and progress."""

import contextlib
import contextvars
import dataclasses
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from sigarray._backend.workers import current_execution, executed_by
from sigarray._plain_text import show_controls
from sigarray._verdicts.notes import show_seconds
from sigarray.read._messages import (
    Caution,
    RepeatedCaution,
    RepeatedWarning,
    SingleTaskWarning,
)

_SAID: contextvars.ContextVar[list[tuple[str, str]] | None] = contextvars.ContextVar(
    "said", default=None
)
_IS_QUIET = contextvars.ContextVar("is_quiet", default=False)


@contextlib.contextmanager
def warnings_as_lines(*, has_report: bool = False) -> Iterator[None]:
    """Print each warning of the library once, as a line, unless a report says it."""
    said = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in said:
            is_left_out = is_quiet() and isinstance(message, SingleTaskWarning)
            complain("warning", message, is_shown=not is_left_out)
        said.add(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        if has_report:
            warnings.simplefilter("ignore", RepeatedWarning)
        warnings.showwarning = show
        yield


@contextlib.contextmanager
def quiet(is_quiet: bool) -> Iterator[None]:
    """Print no notes if quiet, but keep them for a page."""
    tokens = _IS_QUIET.set(is_quiet), _SAID.set([])
    try:
        yield
    finally:
        _IS_QUIET.reset(tokens[0])
        _SAID.reset(tokens[1])


def list_said(kind: str) -> list[str]:
    """List the notes, or warnings, of this command so far."""
    return [text for x, text in _SAID.get() or () if x == kind]


def is_quiet() -> bool:
    """Tell whether notes and progress are suppressed."""
    return _IS_QUIET.get()


def complain(kind: str, message: object, *, is_shown: bool = True) -> None:
    """Print a note, warning or error on standard error, and keep it for documents."""
    said = _SAID.get()
    if said is not None:
        said.append((kind, str(message)))
    if is_shown and (kind != "note" or not is_quiet()):
        say(f"{kind}: {message}")


def tell(note: str, *, has_report: bool = False) -> None:
    """Print a note, unless a report says it; if it cautions readers, as a warning."""
    if not (has_report and isinstance(note, RepeatedCaution)):
        complain("warning" if isinstance(note, Caution) else "note", note)


def say(line: str) -> None:
    """Print a line to standard error."""
    # With None, print would write to the standard output.
    if sys.stderr is not None:
        sys.stderr.write(f"sigarray: {show_controls(line)}\n")


T = TypeVar("T")

# In shorter times, in seconds, no progress is shown.
_LONG = 1.0
# Seconds between two changes of a line.
_PAUSE = 0.1


@contextlib.contextmanager
def watch() -> Iterator[None]:
    """Show the progress of a computation on standard error, if that is a terminal."""
    with _shown_bar("Replicate") as bar, _told(bar):
        yield


def track(steps: Sequence[T], name: str) -> Iterator[T]:
    """Count the steps on standard error, if that is a terminal.

    A single step is not counted: `watch` shows its progress.
    """
    if len(steps) < 2:
        yield from steps
        return
    with _shown_bar(name) as bar, _told(None):
        for done, step in enumerate(steps):
            if bar is not None:
                bar(done, len(steps))
            yield step


def _told(progress: Any) -> contextlib.AbstractContextManager[None]:
    return executed_by(dataclasses.replace(current_execution(), progress=progress))


@contextlib.contextmanager
def _shown_bar(name: str) -> Iterator[Any]:
    """Yield a function that shows (done, total), or None if nobody would see it."""
    if sys.stderr is None or not sys.stderr.isatty() or is_quiet():
        yield None
        return
    line = _Line(name)
    try:
        yield line
    finally:
        line.clear()


class _Line:
    """A line of a terminal that shows progress, and the time that is left."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._start = self._last = time.monotonic()
        self._done = 0
        self._is_written = False

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done < self._done:  # another pass
            self.clear()
            self._start = now
        self._done = done
        if now - self._start < _LONG or now - self._last < _PAUSE:
            return
        self._last = now
        left = (now - self._start) * (total - done) / done if done else 0.0
        when = f", {show_seconds(left)} left" if done else ""
        _write(f"\r\x1b[K{self._name} {done} of {total}{when}")
        self._is_written = True

    def clear(self) -> None:
        """Empty the line for the next output."""
        if self._is_written:
            _write("\r\x1b[K")
        self._is_written = False


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
