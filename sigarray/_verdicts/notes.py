"""Notes and progress for a listener: a command has one, a call has none."""

import contextlib
import contextvars
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

# Shorter waits, in seconds, are not announced.
_LONG = 1.0


class Listener(NamedTuple):
    """Receives notes, and counts steps: `track(steps, name)` yields the same steps."""

    note: Callable[[str], None]
    track: Callable[[Sequence[Any], str], Iterator[Any]]


_LISTENER: contextvars.ContextVar[Listener | None] = contextvars.ContextVar(
    "listener", default=None
)


@contextlib.contextmanager
def heard_by(listener: Listener | None) -> Iterator[None]:
    """Set another listener, or none."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def note(text: str) -> None:
    listener = _LISTENER.get()
    if listener is not None:
        listener.note(text)


def announce(task: str, seconds: float, advice: str) -> None:
    """Note that a task takes long, and what would be faster."""
    if seconds >= _LONG:
        note(f"{task} takes {show_seconds(seconds)}. {advice}")


def track(steps: Sequence[T], name: str) -> Iterator[T]:
    """Go through the steps, and count them for the listener."""
    listener = _LISTENER.get()
    if listener is None:
        yield from steps
    else:
        yield from listener.track(steps, name)


def show_seconds(seconds: float) -> str:
    """Show a guess at a time, with one digit."""
    for unit, size in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2.0 * size:
            return f"about {float(f'{seconds / size:.1g}'):.0f} {unit}"
    return f"about {max(float(f'{seconds:.1g}'), 2.0):.0f} seconds"
