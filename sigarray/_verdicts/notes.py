"""What is to be known meanwhile, for whoever listens: a command does, a call not."""

import contextlib
import contextvars
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")

# Below, nobody wonders what is going on.
_LONG = 1.0


class Listener(NamedTuple):
    """Who is told of notes, and who counts steps: (steps, name) to the same steps."""

    note: Callable[[str], None]
    track: Callable[[Sequence[Any], str], Iterator[Any]]


_LISTENER: contextvars.ContextVar[Listener | None] = contextvars.ContextVar(
    "listener", default=None
)


@contextlib.contextmanager
def heard_by(listener: Listener | None) -> Iterator[None]:
    """Tell another one, or nobody."""
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def note(text: str) -> None:
    """Say something that is to be known."""
    listener = _LISTENER.get()
    if listener is not None:
        listener.note(text)


def announce(task: str, seconds: float, advice: str) -> None:
    """Say what takes so many seconds, and what would be faster."""
    if seconds >= _LONG:
        note(f"{task} takes {show_seconds(seconds)}. {advice}")


def track(steps: Sequence[T], name: str) -> Iterator[T]:
    """Go through the steps, and count them for who listens."""
    listener = _LISTENER.get()
    if listener is None:
        yield from steps
    else:
        yield from listener.track(steps, name)


def show_seconds(seconds: float) -> str:
    """Show a guess, which has one digit at most."""
    for unit, size in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2.0 * size:
            return f"about {float(f'{seconds / size:.1g}'):.0f} {unit}"
    return f"about {max(float(f'{seconds:.1g}'), 2.0):.0f} seconds"
