"""Say beforehand that something takes long, and show how far it is."""

import sys
from collections.abc import Iterator, Sequence
from typing import TypeVar

from sigarray._cli.messages import complain, is_quiet

T = TypeVar("T")

# Below, nobody wonders what is going on.
_LONG = 1.0


def announce(task: str, seconds: float, advice: str) -> None:
    """Say on standard error what takes so many seconds, and what would be faster."""
    if seconds >= _LONG:
        complain("note", f"{task} takes {_show_seconds(seconds)}. {advice}")


def track(steps: Sequence[T], name: str) -> Iterator[T]:
    """Count the steps on standard error, where that is a terminal."""
    is_seen = sys.stderr is not None and sys.stderr.isatty() and len(steps) > 1
    is_seen = is_seen and not is_quiet()
    try:
        for done, step in enumerate(steps):
            if is_seen:
                _write(f"\r{name} {done + 1} of {len(steps)}")
            yield step
    finally:
        if is_seen:
            # Back to an empty line, whatever comes next.
            _write("\r\x1b[K")


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _show_seconds(seconds: float) -> str:
    """Show a guess, which has one digit at most."""
    for unit, size in (("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2.0 * size:
            return f"about {float(f'{seconds / size:.1g}'):.0f} {unit}"
    return f"about {max(float(f'{seconds:.1g}'), 2.0):.0f} seconds"
