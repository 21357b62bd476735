"""Names of rows, of items or of runs, in a table with a column for each model."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sigarray._backend.given import looks_like_index
from sigarray._plain_text import squeeze
from sigarray.read._cells import (
    as_text,
    find_blank,
    have_names,
    is_blank,
    looks_like_score,
    looks_like_verdict,
)
from sigarray.read._frame import Frame, Names, Roles, list_names, quote_names
from sigarray.read._guards import ask_about_folds
from sigarray.read._roles import find_roles, guess_roles, is_item_name
from sigarray.read._score_table import Choice
from sigarray.read._text import NUMBER, TableError, refuse
from sigarray.read._wide import RUNS_OF_ROWS, WideTable, list_names_of_rows, split_tasks
from sigarray.read._words import RUN_NAME

# Such as fold3, and the split0_test_score of scikit-learn.
_FOLD = re.compile(r"(fold|split)[\W_]*\d", re.I)
# The first column of a file where its header is blank, and as pandas calls it then.
UNNAMED = ("", "Unnamed: 0")
_MAX_SHOWN = 3
# Names that runs may have, too.
_MAYBE_ITEMS = re.compile(r"(uu?|sample|row)?(id|ids|idx|index)")
_WHOLE = re.compile(r"[+-]?\d+")
_MARKS = frozenset(("0", "1"))


def find_role_of_names(
    frame: Frame, chosen: Roles, choice: Choice
) -> tuple[dict[str, str], Choice, list[str]]:
    """Tell what names of rows are of, in a table with a column for each model.

    They are of runs if all are like "seed0", or else as --unit says. If other columns
    name the rows, an index is ignored.
    """
    columns = _list_columns(frame, chosen, choice)
    if not columns:
        return dict(chosen), choice, []
    of_index = [x for x in columns if x in frame.index]
    if {"item", "run"} & {*find_roles(frame, chosen)}:
        choice = replace(choice, ignored=[*choice.ignored, *of_index])
        return dict(chosen), choice, []
    if len(columns) > 1:
        raise _ask_about_levels(frame, columns)
    column = columns[0]
    names = _list_names(frame, column)
    if choice.unit == "item":
        role = "item"
    elif choice.unit == "run" or choice.is_paired:
        role = "run"
    elif all(map(_FOLD.match, names)):
        got = f"rows that are named {list_names(names, _MAX_SHOWN)}, like"
        raise ask_about_folds(frame.source, got)
    elif all(map(RUN_NAME.fullmatch, names)):
        role = "run"
    else:
        raise _ask_about(frame, column, names)
    what = "its column without a name" if column == "" else f"its column {column!r}"
    if of_index:
        what = f"its index{_quote(column)}"
    note = f"{frame.source}: {what} names the {role}s: {list_names(names, _MAX_SHOWN)}"
    return {**chosen, role: column}, choice, [note]


def _list_columns(frame: Frame, chosen: Roles, choice: Choice) -> list[str]:
    known = choice.list_taken(chosen) | {*find_roles(frame, {}).values()}
    unnamed = [x for x in UNNAMED if x in frame.columns]
    columns = [x for x in unnamed[:1] if x not in known and _name_rows(frame, x)]
    return columns + [
        x
        for x in frame.index
        if x and x in frame.columns and x not in known and not looks_like_index(x, ())
    ]


def _name_rows(frame: Frame, column: str) -> bool:
    names = _list_names(frame, column)
    if next(iter(frame.columns)) == column:
        return have_names(names)
    return not column and have_names(names) and not all(map(looks_like_score, names))


def _list_names(frame: Frame, column: str) -> list[str]:
    return [as_text(x) for x in frame.columns[column] if not is_blank(x)]


def _quote(column: str) -> str:
    return f" {column!r}" if column else ""


def _ask_about_levels(frame: Frame, columns: list[str]) -> TableError:
    return TableError(
        f"{frame.source}: expected to know what each row is; got {list_names(columns)} "
        "in its index. Say what each of them is with --item, --run or --task, or leave "
        "it out with --ignore."
    )


def _ask_about(frame: Frame, column: str, names: list[str]) -> TableError:
    place, quoted = [*frame.columns].index(column) + 1, shlex.quote(column)
    what, without = f"column {place}", f"--ignore {quoted}"
    if column in frame.index:
        what, without = f"its index{_quote(column)}", "data.reset_index(drop=True)"
    what += ", which has no name" if column in UNNAMED else ""
    advice = (
        "Where these are items of a test set, or benchmarks, by which models are "
        "paired, pass --unit item; where each is a run of its own, --unit run; where "
        "they are models, turn the table, so that each model has a column"
    )
    if column in UNNAMED and all(
        _WHOLE.fullmatch(x) for x in frame.columns if x != column
    ):
        advice = (
            "Where each column is a model, write a word to its name, such as "
            f"'model{[*frame.columns][-1]}'{RUNS_OF_ROWS}"
        )
    if len({*names}) < len(names):
        advice = (
            f"Where these are models, with a row for each score, pass --model {quoted};"
            f" where they are tasks, --task {quoted}; or leave them out with {without}"
        )
    return TableError(
        f"{frame.source}: expected to know what each row is; got "
        f"{list_names(names, _MAX_SHOWN)} in {what}. {advice}."
    )


def name_items(
    wide: WideTable, chosen: Roles, choice: Choice
) -> tuple[dict[str, str], list[str]]:
    column = _find_item_names(wide, chosen, choice)
    if column is None:
        return dict(chosen), []
    note = f"{wide.source}: column {column!r} names the items, by which models are "
    note += "paired"
    if "cluster" not in chosen and choice.unit is None:
        without = f"--unit run --ignore {quote_names([column])}"
        note += f". If each row is a run, pass {without}"
    return {**chosen, "item": column}, [note]


def _find_item_names(wide: WideTable, chosen: Roles, choice: Choice) -> str | None:
    """Return the column that names the item of each row, by its name and its values.

    These are other texts or whole numbers in each row of a task. Below "id" they may
    number runs, unless rows are known to be items, or all scores are 0 or 1.
    """
    if {"item", "run"} & {*chosen} or choice.unit not in (None, "item"):
        return None
    columns = wide.name_cells(choice.list_taken(chosen))
    if "run" in guess_roles(columns):
        return None
    names = [x for x in columns if is_item_name(x)]
    if not names and ("cluster" in chosen or _are_of_items(columns, choice)):
        names = [x for x in columns if _MAYBE_ITEMS.fullmatch(squeeze(x))]
    if len(names) != 1 or find_blank(columns[names[0]]).any():
        return None
    parts = split_tasks(wide, chosen).values()
    every = [[as_text(x) for x in part.name_cells()[names[0]]] for part in parts]
    are_names = all(
        len({*texts}) == len(texts)
        and (all(map(_WHOLE.fullmatch, texts)) or not any(map(looks_like_score, texts)))
        for texts in every
    )
    return names[0] if are_names else None


def number_items(frame: Frame, wide: WideTable) -> tuple[Frame, WideTable, str]:
    name = "row"
    while name in frame.columns:
        name += "_"
    numbers = list(map(str, range(1, len(frame.lines) + 1)))
    frame = replace(frame, columns={**frame.columns, name: numbers})
    position = max(wide.names, default=-1) + 1
    wide = wide._replace(
        names={**wide.names, position: name}, cells={**wide.cells, position: numbers}
    )
    return frame, wide, name


def _are_of_items(columns: Mapping[str, Any], choice: Choice) -> bool:
    if choice.unit == "item":
        return True
    others = [y for x, y in columns.items() if not _MAYBE_ITEMS.fullmatch(squeeze(x))]
    return all(
        is_blank(cell) or as_text(cell) in _MARKS or looks_like_verdict(cell)
        for cells in others
        for cell in cells
    )


def find_run_names(wide: WideTable, chosen: Roles, choice: Choice) -> str | None:
    """Return the column that names the run of each row, by its name and its values.

    These are other texts or whole numbers in each row of a task.
    """
    if {"item", "run"} & {*chosen} or choice.unit in ("item", "cluster"):
        return None
    if choice.models is not None:
        return None
    columns = wide.name_cells(choice.list_taken(chosen))
    name = guess_roles(columns).get("run")
    if name is None or find_blank(columns[name]).any():
        return None
    texts = [as_text(x) for x in columns[name]]
    others = [x for other, x in columns.items() if other != name]
    if len(texts) < max(map(len, others), default=0):
        return None
    are_numbers = any(map(looks_like_score, columns[name]))
    if are_numbers and not _are_numbers_of_runs(texts, others, name):
        return None
    parts = split_tasks(wide, chosen)
    for part in parts.values():
        _refuse_twice(part, name, columns)
    return name


def name_rows(wide: WideTable, chosen: Roles, choice: Choice) -> Names:
    column = chosen.get("item", chosen.get("run"))
    if column is not None:
        return list_names_of_rows(wide, column, "item" if "item" in chosen else "run")
    n_rows = max(map(len, wide.cells.values()), default=0)
    if choice.models is not None:
        columns = wide.name_cells(choice.list_taken(chosen))
        names = [
            as_text(x) for x in columns.get(guess_roles(columns).get("run") or "", ())
        ]
        if all(names) and len({*names}) == n_rows:
            return names
    return tuple(map(str, range(1, n_rows + 1)))


def ask_about_marks(source: str, name: str) -> TableError:
    return TableError(
        f"{source}: expected to know what a row is of; got column {name!r}, as of "
        "runs, and scores of two values, as of items. Pass --unit run where each row "
        f"is a run; or --item {name} where it names the items of a test set, by which "
        "models are paired."
    )


def _are_numbers_of_runs(texts: Names, others: Sequence[Any], name: str) -> bool:
    """Tell whether whole numbers name runs.

    Below "run" they may be scores of a model, beside other whole ones; below "seed" or
    "trial" they are not.
    """
    if not all(map(_WHOLE.fullmatch, texts)):
        return False
    if squeeze(name) != "run":
        return True
    numbers = sorted(map(int, texts))
    if numbers[-1] - numbers[0] == len(numbers) - 1:
        return True
    return not all(_WHOLE.fullmatch(as_text(x)) for cells in others for x in cells)


def _find_tasks(wide: WideTable, name: str) -> str | None:
    """Return the first column of words, in each of which a run has one row at most."""
    runs = list_names_of_rows(wide, name, "run")
    for k, other in wide.names.items():
        texts = [as_text(x) for x in wide.cells[k]]
        are_words = not any(map(NUMBER.fullmatch, texts)) and all(texts)
        rows = {*zip(runs, texts, strict=True)}
        if other != name and are_words and len(rows) == len(runs) > len({*texts}):
            return other
    return None


def _refuse_twice(wide: WideTable, name: str, columns: Mapping[str, Any]) -> None:
    first: dict[str, int] = {}
    for k, run in enumerate(list_names_of_rows(wide, name, "run")):
        if first.setdefault(run, k) == k:
            continue
        ignored = quote_names([name])
        are_same = all(x[k] == x[first[run]] for x in columns.values())
        same = ", with the same scores" if are_same else ""
        way = (
            "Remove one of these rows. Or, where a column names the model, the task or "
            "the item of each row, pass it with --model, --task or --item"
        )
        other = _find_tasks(wide, name)
        if other is not None:
            # With one column beside these, that has the scores of all models.
            roles = ["task", "model", "item"]
            roles.sort(key=lambda x: (x != "model") == (len(wide.names) <= 3))
            way = f"Where {other!r} names the {roles[0]}, pass --{roles[0]} "
            way += f"{shlex.quote(other)}; or --{roles[1]} or --{roles[2]}, where it "
            way += "names these"
        refuse(
            f"{wide.place(k)}, column {name!r}: expected each run once; got {run!r} "
            f"again, as at {wide.place(first[run])}{same}. {way}; or leave "
            f"{name!r} out with --ignore {ignored}, or choose the models with "
            "--columns."
        )
