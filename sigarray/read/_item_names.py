"""The column that names the items, in a table with a column for each model."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sigarray._plain_text import squeeze
from sigarray.read._cells import (
    as_text,
    find_blank,
    is_blank,
    looks_like_score,
    looks_like_verdict,
)
from sigarray.read._columns import quote_names
from sigarray.read._frame import Frame, find_roles
from sigarray.read._score_table import Choice
from sigarray.read._wide import WideTable, split_tasks

# Names that say that rows are items: these are no names of models.
_ITEMS = re.compile(
    r"(item|question|example|query|problem|sentence|segment)s?(id|ids|idx|index)?"
    r"|(doc|instance|prompt|sent|seg|q)(id|ids|idx|index)"
)
# Names that runs may have, too.
_MAYBE_ITEMS = re.compile(r"(uu?|sample|row)?(id|ids|idx|index)")
_WHOLE = re.compile(r"[+-]?\d+")
_MARKS = frozenset(("0", "1"))


def name_items(
    wide: WideTable, chosen: Mapping[str, str], choice: Choice
) -> tuple[dict[str, str], list[str]]:
    """Return the chosen columns, with that of items if there is one, and a note."""
    column = _find_item_names(wide, chosen, choice)
    if column is None:
        return dict(chosen), []
    note = f"{wide.source}: column {column!r} names the items, by which models are "
    note += "paired"
    if "cluster" not in chosen and choice.unit is None:
        without = f"--unit run --ignore {quote_names([column])}"
        note += f". If each row is a run, pass {without}"
    return {**chosen, "item": column}, [note]


def is_item_name(name: str) -> bool:
    """Tell by its name whether a column has items, and so is no model."""
    return bool(_ITEMS.fullmatch(squeeze(name)))


def _find_item_names(
    wide: WideTable, chosen: Mapping[str, str], choice: Choice
) -> str | None:
    """Return the column that names the item of each row, by its name and its values.

    It is named as columns of items are, such as "question" or "item_id", and has
    another text or whole number in each row, of a task if there are tasks, so that it
    holds no scores. Whole numbers below "id" may also number runs: they name items if
    rows are known to be items, or if all scores are 0 or 1. None if there is no such
    column, or several, or if the user has chosen what the columns are.
    """
    if {"item", "run"} & {*chosen} or choice.unit not in (None, "item"):
        return None
    known = {*choice.ignored, *(choice.models or ()), *chosen.values()}
    columns = {x: wide.cells[k] for k, x in wide.names.items() if x not in known}
    if "run" in find_roles(Frame("", "", dict.fromkeys(columns, ()), ()), {}):
        return None
    names = [x for x in columns if is_item_name(x)]
    if not names and ("cluster" in chosen or _are_of_items(columns, choice)):
        names = [x for x in columns if _MAYBE_ITEMS.fullmatch(squeeze(x))]
    if len(names) != 1 or find_blank(columns[names[0]]).any():
        return None
    parts = split_tasks(wide, chosen["task"]) if "task" in chosen else {"": wide}
    position = next(k for k, x in wide.names.items() if x == names[0])
    every = [[as_text(x) for x in part.cells[position]] for part in parts.values()]
    are_names = all(
        len({*texts}) == len(texts)
        and (all(map(_WHOLE.fullmatch, texts)) or not any(map(looks_like_score, texts)))
        for texts in every
    )
    return names[0] if are_names else None


def number_items(frame: Frame, wide: WideTable) -> tuple[Frame, WideTable, str]:
    """Add a column of numbers, which name the item of each row, and return its name."""
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
    """Tell whether rows are items, as the user says or as answers right or wrong."""
    if choice.unit == "item":
        return True
    others = [y for x, y in columns.items() if not _MAYBE_ITEMS.fullmatch(squeeze(x))]
    return all(
        is_blank(cell) or as_text(cell) in _MARKS or looks_like_verdict(cell)
        for cells in others
        for cell in cells
    )
