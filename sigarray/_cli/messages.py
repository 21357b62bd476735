"""Lines on standard error: notes, warnings and errors."""

import contextlib
import sys
import warnings
from collections.abc import Iterator

from sigarray._plain_text import show_controls


@contextlib.contextmanager
def warnings_as_lines() -> Iterator[None]:
    """Print each warning of the library once, as a line."""
    said = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        if str(message) not in said:
            complain("warning", message)
        said.add(str(message))

    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield


def complain(kind: str, message: object) -> None:
    """Say what is wrong, or to be known, on standard error."""
    say(f"{kind}: {message}")


def say(line: str) -> None:
    """Print a line to standard error."""
    # Else print would take the standard output.
    if sys.stderr is not None:
        sys.stderr.write(f"sigarray: {show_controls(line)}\n")
