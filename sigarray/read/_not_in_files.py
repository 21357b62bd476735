"""Names of models and tasks that no file has."""

from collections.abc import Sequence
from typing import Any

from sigarray._plain_text import suggest_each
from sigarray.read._bytes import TableError
from sigarray.read._frame import Frame, list_names


def refuse_names(role: str, wrong: Sequence[str], known: Sequence[Any]) -> TableError:
    """Return the error for names of models or tasks that are not those of files."""
    some = f"a {role}" if len(wrong) == 1 else f"{role}s"
    return TableError(
        f"Expected {some} of the files; got {list_names(wrong)}."
        f"{suggest_each(wrong, known)} Those in them: {list_names(known)}."
    )


def refuse_tasks(frames: Sequence[Frame], tasks: Sequence[str] | None) -> None:
    """Refuse tasks that no file has, if each file states its task, chosen or not.

    Raises
    ------
    TableError
        Such a task.
    """
    stated = [x.constants.get("task") for x in frames]
    known = dict.fromkeys([*stated, *(group for x in frames for group in x.groups)])
    wrong = [x for x in tasks or () if x not in known]
    if wrong and None not in known:
        raise refuse_names("task", wrong, list(known))
