"""Names of models and tasks that no file has."""

from collections.abc import Sequence
from typing import Any

from sigarray._plain_text import suggest_each
from sigarray.read._bytes import TableError
from sigarray.read._frame import Frame, list_names
from sigarray.read._reading import Reading


def refuse_names(role: str, wrong: Sequence[str], known: Sequence[Any]) -> TableError:
    """Return the error for names of models or tasks that are not those of files."""
    some = f"a {role}" if len(wrong) == 1 else f"{role}s"
    return TableError(
        f"Expected {some} of the files; got {list_names(wrong)}."
        f"{suggest_each(wrong, known)} Those in them: {list_names(known)}."
    )


def refuse_tasks(
    frames: Sequence[Frame],
    readings: Sequence[Reading | None],
    tasks: Sequence[str] | None,
) -> None:
    """Refuse tasks that no file has, among all that they have, chosen or not.

    Where paths or options name tasks, these are not known here.

    Raises
    ------
    TableError
        Such a task.
    """
    known = dict.fromkeys(x.constants["task"] for x in frames if "task" in x.constants)
    known |= dict.fromkeys(group for x in frames for group in x.groups)
    for reading in readings:
        if reading is not None:
            known |= dict.fromkeys(reading.records.list_known("task"))
    wrong = [x for x in tasks or () if x not in known]
    if wrong and known and None not in known:
        raise refuse_names("task", wrong, list(known))
