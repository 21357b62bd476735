"""Names of rows without a name of their own: an index, or a first column."""

import re
from collections.abc import Mapping
from dataclasses import replace

from sigarray.read._bytes import TableError
from sigarray.read._cells import as_text, is_blank, looks_like_score
from sigarray.read._frame import Frame, find_roles, list_names
from sigarray.read._score_table import Choice
from sigarray.read._words import RUN_NAME

# Such as fold3, and the split0_test_score of scikit-learn.
_FOLD = re.compile(r"(fold|split)[\W_]*\d", re.I)
_MAX_SHOWN = 3


def find_role_of_names(
    frame: Frame, chosen: Mapping[str, str], choice: Choice
) -> tuple[dict[str, str], Choice, list[str]]:
    """Tell what names of rows are of, in a table with a column for each model.

    They are of runs if all are written like "seed0", or else as --unit says. Numbers
    are left to the readers of columns. If other columns name the rows, an index of a
    data frame is ignored.

    Returns
    -------
    chosen, choice, notes : dict of str to str, Choice, list of str

    Raises
    ------
    TableError
        Names of folds, or others, which may be of items, of runs or of models.
    """
    is_known = "" in (*choice.ignored, *chosen.values(), *(choice.models or ()))
    names = [as_text(x) for x in frame.columns.get("", ()) if not is_blank(x)]
    if is_known or not names or all(map(looks_like_score, names)):
        return dict(chosen), choice, []
    is_index = "" in frame.index
    if {"item", "run"} & {*find_roles(frame, chosen)}:
        if is_index:
            choice = replace(choice, ignored=[*choice.ignored, ""])
        return dict(chosen), choice, []
    if choice.unit == "item":
        role = "item"
    elif choice.unit == "run" or choice.is_paired:
        role = "run"
    elif all(map(_FOLD.match, names)):
        raise _ask_about_folds(frame, names)
    elif all(map(RUN_NAME.fullmatch, names)):
        role = "run"
    else:
        raise _ask_about(frame, names)
    what = "its index" if is_index else "its column without a name"
    note = f"{frame.source}: {what} names the {role}s: {list_names(names, _MAX_SHOWN)}"
    return {**chosen, role: ""}, choice, [note]


def _ask_about_folds(frame: Frame, names: list[str]) -> TableError:
    return TableError(
        f"{frame.source}: expected independent runs; got rows that are named "
        f"{list_names(names, _MAX_SHOWN)}, like folds of one data set, whose training "
        "data overlap. Pass --test t and the share of the data that each is tested on, "
        "--test-share; or --unit run where they are independent."
    )


def _ask_about(frame: Frame, names: list[str]) -> TableError:
    place = [*frame.columns].index("") + 1
    what, without = f"column {place}", "--ignore ''"
    if "" in frame.index:
        what, without = "its index", "data.reset_index(drop=True)"
    advice = (
        "Where these are items of a test set, or benchmarks, by which models are "
        "paired, pass --unit item; where each is a run of its own, --unit run; where "
        "they are models, turn the table, so that each model has a column"
    )
    if len({*names}) < len(names):
        advice = (
            "Where these are models, with a row for each score, pass --model ''; where "
            f"they are tasks, --task ''; or leave them out with {without}"
        )
    return TableError(
        f"{frame.source}: expected to know what each row is; got "
        f"{list_names(names, _MAX_SHOWN)} in {what}, which has no name. {advice}."
    )
