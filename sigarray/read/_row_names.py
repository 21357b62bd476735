"""Names of rows in an index, or in a column without a name."""

import re
import shlex
from collections.abc import Mapping
from dataclasses import replace

from sigarray._backend.index_columns import looks_like_index
from sigarray.read._bytes import TableError
from sigarray.read._cells import as_text, have_names, is_blank, looks_like_score
from sigarray.read._frame import Frame, find_roles, list_names
from sigarray.read._score_table import Choice
from sigarray.read._words import RUN_NAME

# Such as fold3, and the split0_test_score of scikit-learn.
_FOLD = re.compile(r"(fold|split)[\W_]*\d", re.I)
# What pandas calls the first column of a file, where its header is blank.
_UNNAMED = "Unnamed: 0"
_MAX_SHOWN = 3


def find_role_of_names(
    frame: Frame, chosen: Mapping[str, str], choice: Choice
) -> tuple[dict[str, str], Choice, list[str]]:
    """Tell what names of rows are of, in a table with a column for each model.

    They are of runs if all are written like "seed0", or else as --unit says. Whole
    numbers, and others that are not in the first column, are left to the readers of
    columns. If other columns name the rows, an index of a data frame is ignored.

    Returns
    -------
    chosen, choice, notes : dict of str to str, Choice, list of str
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
        raise _ask_about_folds(frame, names)
    elif all(map(RUN_NAME.fullmatch, names)):
        role = "run"
    else:
        raise _ask_about(frame, column, names)
    what = "its column without a name" if column == "" else f"its column {column!r}"
    if of_index:
        what = f"its index{_quote(column)}"
    note = f"{frame.source}: {what} names the {role}s: {list_names(names, _MAX_SHOWN)}"
    return {**chosen, role: column}, choice, [note]


def _list_columns(frame: Frame, chosen: Mapping[str, str], choice: Choice) -> list[str]:
    """List the columns of an index, or without a name, that are not known to be any."""
    known = {*choice.ignored, *(choice.models or ()), *chosen.values()}
    known |= {*find_roles(frame, {}).values()}
    unnamed = [x for x in ("", _UNNAMED) if x in frame.columns]
    columns = [x for x in unnamed[:1] if x not in known and _name_rows(frame, x)]
    return columns + [
        x
        for x in frame.index
        if x and x in frame.columns and x not in known and not looks_like_index(x, ())
    ]


def _name_rows(frame: Frame, column: str) -> bool:
    """Tell whether cells of a column without a name are names, not scores."""
    names = _list_names(frame, column)
    if next(iter(frame.columns)) == column:
        return have_names(names)
    return not column and have_names(names) and not all(map(looks_like_score, names))


def _list_names(frame: Frame, column: str) -> list[str]:
    return [as_text(x) for x in frame.columns[column] if not is_blank(x)]


def _quote(column: str) -> str:
    return f" {column!r}" if column else ""


def _ask_about_folds(frame: Frame, names: list[str]) -> TableError:
    return TableError(
        f"{frame.source}: expected independent runs; got rows that are named "
        f"{list_names(names, _MAX_SHOWN)}, like folds of one data set, whose training "
        "data overlap. Pass --test t and the share of the data that each is tested on, "
        "--test-share; or --unit run where they are independent."
    )


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
    what += ", which has no name" if column in ("", _UNNAMED) else ""
    advice = (
        "Where these are items of a test set, or benchmarks, by which models are "
        "paired, pass --unit item; where each is a run of its own, --unit run; where "
        "they are models, turn the table, so that each model has a column"
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
