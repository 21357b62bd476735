"""Lines on standard error: notes, warnings and errors."""

import contextlib
import contextvars
import sys
import warnings
from collections.abc import Iterator

from sigarray._plain_text import show_controls
from sigarray.read._messages import Caution, SingleTaskWarning

_SAID: contextvars.ContextVar[list[tuple[str, str]] | None] = contextvars.ContextVar(
    "said", default=None
)
_IS_QUIET = contextvars.ContextVar("is_quiet", default=False)


@contextlib.contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Print each warning of the library once, as a line."""
    said = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in said:
            is_left_out = is_quiet() and isinstance(message, SingleTaskWarning)
            complain("note" if is_left_out else "warning", message)
        said.add(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
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


def complain(kind: str, message: object) -> None:
    """Print a note, warning or error on standard error."""
    said = _SAID.get()
    if said is not None:
        said.append((kind, str(message)))
    if kind != "note" or not is_quiet():
        say(f"{kind}: {message}")


def tell(note: str) -> None:
    """Print a note; one that cautions readers as a warning, however quiet it is."""
    complain("warning" if isinstance(note, Caution) else "note", note)


def say(line: str) -> None:
    """Print a line to standard error."""
    # With None, print would write to the standard output.
    if sys.stderr is not None:
        sys.stderr.write(f"sigarray: {show_controls(line)}\n")
