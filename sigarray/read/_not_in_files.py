"""Names of models and tasks that no file has, and tasks that no two models have."""

from collections.abc import Sequence
from typing import Any

from sigarray._plain_text import suggest_each
from sigarray.read._bytes import TableError
from sigarray.read._frame import Frame, list_names, shorten
from sigarray.read._records import Records, find_column

_MAX_SHOWN = 4


def refuse_names(role: str, wrong: Sequence[str], known: Sequence[Any]) -> TableError:
    """Return the error for names of models or tasks that are not those of files."""
    some = f"a {role}" if len(wrong) == 1 else f"{role}s"
    return TableError(
        f"Expected {some} of the files; got {list_names(wrong)}."
        f"{suggest_each(wrong, known)} Those in them: {list_names(known)}."
    )


def refuse_tasks(frames: Sequence[Frame], tasks: Sequence[str] | None) -> None:
    """Refuse tasks that no file has, if each file states its task, chosen or not."""
    stated = [x.constants.get("task") for x in frames]
    known = dict.fromkeys([*stated, *(group for x in frames for group in x.groups)])
    wrong = [x for x in tasks or () if x not in known]
    if wrong and None not in known:
        raise refuse_names(role="task", wrong=wrong, known=list(known))


def say_apart(records: Records, models: Sequence[Any]) -> str:
    """Say that each model has tasks of its own, and what to do; "" where some share."""
    parts = [x for x in records.split("task") if x[0].task is not None]
    of_tasks = {x[0].task: x.list_known("model") for x in parts}
    if len(models) < 2 or not parts or any(len(x) > 1 for x in of_tasks.values()):
        return ""
    said = []
    for model in models:
        own = [str(task) for task, names in of_tasks.items() if model in names]
        said.append(f"{str(model)!r} has {list_names(own, 2)}")
    column = find_column(records, "task")
    told = f"got models with tasks of their own: {shorten(said, _MAX_SHOWN)}. Pass "
    told += "scores of the same tasks for all models"
    if column is None:
        return f"{told}."
    return (
        f"{told}; or leave the column out with --ignore {column}, where it does not "
        "say what they were tested on."
    )
