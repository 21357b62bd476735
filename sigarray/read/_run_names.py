"""The column that names the runs, in a table with a column for each model."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from sigarray._plain_text import squeeze
from sigarray.read._bytes import TableError
from sigarray.read._cells import as_text, find_blank, looks_like_score
from sigarray.read._columns import quote_names
from sigarray.read._frame import Frame, find_roles, list_names
from sigarray.read._score_table import Choice
from sigarray.read._wide import WideTable, list_names_of_rows, split_tasks

_WHOLE = re.compile(r"[+-]?\d+")
_MAX_SHOWN = 3


def find_run_names(
    wide: WideTable, chosen: Mapping[str, str], choice: Choice
) -> str | None:
    """Return the column that names the run of each row, by its name and its values.

    It is named as columns of runs are, such as "seed" or "trial", and holds a different
    whole number or text in each row, of a task if there are tasks. None if there is no
    such column, if the user has chosen what the columns are, or if it is called "run",
    and its whole numbers may be the scores of a model among others that are whole.
    """
    if {"item", "run"} & {*chosen} or choice.unit in ("item", "cluster"):
        return None
    if choice.models is not None:
        return None
    known = {*choice.ignored, *chosen.values()}
    columns = {x: wide.cells[k] for k, x in wide.names.items() if x not in known}
    name = guess_run_names(columns)
    if name is None or find_blank(columns[name]).any():
        return None
    texts = [as_text(x) for x in columns[name]]
    others = [x for other, x in columns.items() if other != name]
    if len(texts) < max(map(len, others), default=0):
        return None
    are_numbers = any(map(looks_like_score, columns[name]))
    if are_numbers and not _are_numbers_of_runs(texts, others, name):
        return None
    parts = split_tasks(wide, chosen["task"]) if "task" in chosen else {"": wide}
    for part in parts.values():
        _refuse_twice(part, name, columns)
    return name


def name_rows(
    wide: WideTable, chosen: Mapping[str, str], choice: Choice
) -> Sequence[str]:
    """Return the names of the rows of a task, or numbers if no column names them.

    If the models are chosen, a column that is named as those of runs are does so, if it
    has another name in each row.
    """
    column = chosen.get("item", chosen.get("run"))
    if column is not None:
        return list_names_of_rows(wide, column, "item" if "item" in chosen else "run")
    n_rows = max(map(len, wide.cells.values()), default=0)
    if choice.models is not None:
        known = {*choice.models, *choice.ignored, *chosen.values()}
        columns = {x: wide.cells[k] for k, x in wide.names.items() if x not in known}
        names = [as_text(x) for x in columns.get(guess_run_names(columns) or "", ())]
        if all(names) and len({*names}) == n_rows:
            return names
    return tuple(map(str, range(1, n_rows + 1)))


def guess_run_names(names: Mapping[str, Any]) -> str | None:
    """Return the one of some columns that is named as those of runs are."""
    columns = dict.fromkeys(names, ())
    return find_roles(Frame("", "", columns, ()), {}).get("run")


def ask_about_marks(source: str, name: str) -> TableError:
    """Return the error for runs by a name whose scores of 0 and 1 are as of items."""
    return TableError(
        f"{source}: expected to know what a row is of; got column {name!r}, as of "
        "runs, and scores of two values, as of items. Pass --unit run where each row "
        f"is a run; or --item {name} where it names the items of a test set, by which "
        "models are paired."
    )


def _are_numbers_of_runs(
    texts: Sequence[str], others: Sequence[Any], name: str
) -> bool:
    """Tell whether whole numbers name runs.

    Of a column that is called "run" they may be scores of a model, beside other whole
    ones; of no model is the name "seed" or "trial".
    """
    if not all(map(_WHOLE.fullmatch, texts)):
        return False
    if squeeze(name) != "run":
        return True
    numbers = sorted(map(int, texts))
    if numbers[-1] - numbers[0] == len(numbers) - 1:
        return True
    return not all(_WHOLE.fullmatch(as_text(x)) for cells in others for x in cells)


def _refuse_twice(wide: WideTable, name: str, columns: Mapping[str, Any]) -> None:
    """Refuse two rows of one run, of which another column may say the model."""
    first: dict[str, int] = {}
    for k, run in enumerate(list_names_of_rows(wide, name, "run")):
        if first.setdefault(run, k) == k:
            continue
        texts = [
            x
            for x, cells in columns.items()
            if x != name and not any(map(looks_like_score, cells))
        ]
        task = find_roles(Frame("", "", dict.fromkeys(texts, ()), ()), {}).get("task")
        models = [x for x in texts if x != task]
        such = f", such as {list_names(models, _MAX_SHOWN)}" if models else ""
        of_task = f", such as {task!r}" if task is not None else ""
        ignored = quote_names([name])
        are_same = all(x[k] == x[first[run]] for x in columns.values())
        same = ", with the same scores" if are_same else ""
        msg = (
            f"{wide.place(k)}, column {name!r}: expected each run once; got {run!r} "
            f"again, as at {wide.place(first[run])}{same}. Remove one of these rows. "
            f"Or, where a column names the model of each row{such}, pass it with "
            f"--model; where it names tasks{of_task}, with --task; where it names "
            "items, by which models are paired, with --item; or leave "
            f"{name!r} out with --ignore {ignored}, or choose the models with "
            "--columns."
        )
        raise TableError(msg)
