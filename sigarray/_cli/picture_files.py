"""Files that are written, beside what is printed."""

from collections.abc import Sequence
from pathlib import Path

from sigarray._cli.options.choices import PICTURES


def is_same_file(path: str, other: str) -> bool:
    """Tell whether two paths name one file."""
    try:
        return Path(path).samefile(other)
    except OSError:
        return False


def check_picture_file(path: str | None, files: Sequence[str]) -> None:
    """Refuse to write pictures to other kinds of files, or over the input."""
    check_target("--plot", path, PICTURES, files)


def check_target(
    option: str, path: str | None, known: tuple[str, ...], files: Sequence[str]
) -> None:
    """Refuse to write to other kinds of files, or over the input."""
    if path is None:
        return
    if not path.lower().endswith(known):
        msg = f"Expected {option} to end in {', '.join(known)}; got {path}."
        raise ValueError(msg)
    if any(is_same_file(path, file) for file in files):
        msg = f"Expected {option} to be another file than {path}, which is read."
        raise ValueError(msg)
