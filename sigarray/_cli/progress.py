"""Progress of a computation, on standard error."""

import contextlib
import dataclasses
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

from sigarray._backend.workers import current_execution, executed_by
from sigarray._cli.messages import is_quiet
from sigarray._verdicts.notes import show_seconds

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
        self._bar: Any = None
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
        if self._bar is None:
            self._bar = _make_bar(self._name, total)
        if self._bar is not False:
            self._bar.update(0, completed=done, total=total)
            return
        left = (now - self._start) * (total - done) / done if done else 0.0
        when = f", {show_seconds(left)} left" if done else ""
        _write(f"\r\x1b[K{self._name} {done} of {total}{when}")
        self._is_written = True

    def clear(self) -> None:
        """Empty the line for the next output."""
        if self._bar:
            self._bar.stop()
        self._bar = None
        if self._is_written:
            _write("\r\x1b[K")
        self._is_written = False


def _make_bar(name: str, total: int) -> Any:
    """Return a bar of rich, or False if that is not installed."""
    try:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )
    except ImportError:
        return False
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    bar.add_task(name, total=total)
    bar.start()
    return bar


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()
