"""Tables of responses, and of p-values, which commands of their own compare."""

import math
import re
import warnings
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sigarray._response_results import ResponseSet
from sigarray.read._cells import as_text, is_blank
from sigarray.read._files import SourceFile
from sigarray.read._frame import Frame, Names
from sigarray.read._response_checks import check_responses
from sigarray.read._roles import find_roles
from sigarray.read._sources import open_source, tabulate
from sigarray.read._text import NUMBER, TableError, read_number, read_rows
from sigarray.read._words import as_words, list_words

_COLUMNS = ("item", "system", "response")
_WITHOUT_GOLD = (
    " If there are no gold responses, as of ratings of each model's answers, take "
    "sigarray compare --unit item, with --run for the column of raters."
)
# Words in other names of a column of responses.
_LIKE_RESPONSES = as_words("""
    responses rating ratings score scores vote votes answer answers judgment judgement
    label value grade
""")


def read_responses(
    path: str | Path, systems: Names, columns: Names = ()
) -> tuple[ResponseSet, str]:
    """Read the responses of gold and two systems; "-" is standard input.

    The file has columns item, system and response, among others, and a row for each
    response; a note says which columns were taken for these by their names, unless
    these are said. Gold may be a column, with one response to an item. Rows with a
    blank response are left out, and systems other than these three, with a warning.
    Arrays are (n_items, k), NaN where an item has fewer.
    """
    if columns and len(columns) != len(_COLUMNS):
        msg = f"Expected --columns ITEM,SYSTEM,RESPONSE; got {','.join(columns)}."
        raise TableError(msg)
    if len(set(systems)) < len(systems):
        msg = f"Expected three names of systems; got {', '.join(systems)}."
        raise TableError(msg)
    name, content = open_source(SourceFile(str(path), ""))
    frame = None if isinstance(content, dict) else tabulate(content, name, str(path))
    if frame is None or not frame.lines:
        got = "no rows below the header" if frame and frame.columns else "nothing"
        msg = f"{name}: expected columns {', '.join(_COLUMNS)} and rows; got {got}."
        raise TableError(msg)
    found = _find_columns(frame, dict(zip(_COLUMNS, columns, strict=False)))
    cells_of = [frame.columns[x] for x in found.values()]
    _refuse_runs(frame, cells_of[1], systems[1:])
    lines: dict[str, int] = {}
    answers: dict[str, dict[str, list[float]]] = {system: {} for system in systems}
    known: dict[str, None] = {}
    taken: dict[int, float] = {}
    for row, (line, *cells) in enumerate(zip(frame.lines, *cells_of, strict=True)):
        item, system, response = ("" if is_blank(x) else as_text(x) for x in cells)
        place = f"{name}, {frame.line_word} {line}"
        if not item or not system:
            what = "an item" if not item else "a system"
            msg = f"{place}: expected {what} in every row; got a blank cell."
            raise TableError(msg)
        known[system] = None
        if system in answers and response:
            lines.setdefault(item, line)
            number = read_number(response, f"{place}: expected a number as response")
            answers[system].setdefault(item, []).append(number)
            taken[row] = number
    gold = systems[0]
    if not answers[gold] and gold in frame.columns:
        answers[gold] = _read_gold(frame, gold, cells_of[0], lines)
        found["gold"] = gold
    for system in (*systems[1:], gold):
        if not answers[system]:
            advice = _WITHOUT_GOLD if system == gold else ""
            msg = (
                f"{name}: expected responses of {system!r}; got none. Systems in it: "
                f"{', '.join(map(repr, known))}. Choose them with --gold (or a "
                f"column), --a and --b.{advice}"
            )
            raise TableError(msg)
    doubts = check_responses(frame, found, taken, answers, systems)
    _check_items(answers, lines, name)
    for doubt in doubts:
        warnings.warn(f"{doubt}.", UserWarning, stacklevel=2)
    others = [system for system in known if system not in answers]
    if others:
        msg = (
            f"{name} has other systems too, which are left out: "
            f"{', '.join(map(repr, others))}. Choose two systems with --a and --b."
        )
        warnings.warn(msg, UserWarning, stacklevel=2)
    filled = (_fill(by_item, list(lines)) for by_item in answers.values())
    renamed = [f"{x!r} as {role}" for role, x in found.items() if x != role]
    return ResponseSet(*filled), f"read {', '.join(renamed)}" if renamed else ""


def _read_gold(
    frame: Frame, column: str, items: Sequence[Any], known: Collection[str]
) -> dict[str, list[float]]:
    """Return the one gold response to each known item, which its rows repeat."""
    gold: dict[str, list[float]] = {}
    for line, item, cell in zip(frame.lines, items, frame.columns[column], strict=True):
        if as_text(item) not in known or is_blank(cell):
            continue
        place = f"{frame.source}, {frame.line_word} {line}"
        number = read_number(as_text(cell), f"{place}: expected a number as response")
        first = gold.setdefault(as_text(item), [number])
        if first != [number]:
            msg = (
                f"{place}: expected one response of {column!r} to an item; got "
                f"{first[0]:g} and {number:g}. Write a row for each, with the system "
                f"{column!r}."
            )
            raise TableError(msg)
    return gold


def _find_columns(frame: Frame, said: Mapping[str, str]) -> dict[str, str]:
    """Return the names of the required columns; a name that is alike will do."""
    names = {name.lower(): name for name in frame.columns}
    twice = {x.lower() for x in frame.twice}
    found, lacks = {}, []
    for column in _COLUMNS:
        name = said.get(column, names.get(column))
        like = _list_like(column, frame) if name is None else [name]
        if (name or column).lower() in twice:
            lacks.append(f"{name or column!r} twice")
        elif column in said and name not in frame.columns:
            lacks.append(f"no {name!r}")
        elif len(like) != 1:
            either = " and ".join(map(repr, like)) or "nothing"
            lacks.append(f"{either} for {column!r}")
        else:
            (found[column],) = like
    if lacks:
        every = ", ".join(map(repr, [*frame.columns, *frame.twice]))
        msg = (
            f"{frame.source}: expected one column each for item, system and response; "
            f"got {', and '.join(lacks)}, of the columns {every}. Name them with "
            f"--columns ITEM,SYSTEM,RESPONSE.{_WITHOUT_GOLD}"
        )
        raise TableError(msg)
    return found


def _list_like(column: str, frame: Frame) -> list[str]:
    """List the columns that may be the required one by their names."""
    taken = {*_COLUMNS, *(x.lower() for x in frame.twice)}
    if column == "response":
        like = [x for x in frame.columns if list_words(x) & _LIKE_RESPONSES]
    else:
        role = {"item": "item", "system": "model"}[column]
        like = [x for y, x in find_roles(frame, {}).items() if y == role]
    return [x for x in like if x.lower() not in taken]


def _refuse_runs(frame: Frame, cells: Sequence[Any], systems: Names) -> None:
    """Raise if a column shows that responses of a system are from several runs.

    Resampled items do not show effects that a run has on all of them.
    """
    column = find_roles(frame, {}).get("run")
    if column is None:
        return
    for system in systems:
        named = zip(cells, frame.columns[column], strict=True)
        runs = {as_text(run) for cell, run in named if as_text(cell) == system}
        if len(runs) > 1:
            msg = (
                f"{frame.source}: expected responses of raters, or of one run of each "
                f"system; got {len(runs)} runs of {system!r} by column {column!r}. "
                "The runs of a system vary for all items together, and the responses "
                "of an item are taken as independent of those of others. Keep one run "
                "of each, or compare a score of each run with sigarray compare. If "
                f"{column!r} says something else, rename it."
            )
            raise TableError(msg)


def _check_items(
    answers: dict[str, dict[str, list[float]]], lines: dict[str, int], name: str
) -> None:
    """Raise if an item lacks responses of gold or a system."""
    for item, line in lines.items():
        for system, by_item in answers.items():
            if item not in by_item:
                n_without = sum(x not in by_item for x in lines)
                which = f"{n_without} of {len(lines)} items lack one"
                msg = (
                    f"{name}, line {line}: expected a response of {system!r} to item "
                    f"{item!r} too; got none ({which}). Remove these items, or add the "
                    "responses."
                )
                raise TableError(msg)


def _fill(by_item: dict[str, list[float]], items: list[str]) -> np.ndarray:
    """Return an array of the items' responses, with NaN at the end of shorter rows."""
    width = max(map(len, by_item.values()))
    filled = np.full((len(items), width), math.nan)
    for row, item in zip(filled, items, strict=True):
        row[: len(by_item[item])] = by_item[item]
    return filled


def read_p_values(path: str | Path) -> tuple[list[str], list[float]]:
    """Read p-values, with labels or without; "-" is standard input.

    The file has numbers, or rows of a label and a p-value, and maybe a header. Numbers
    without labels are counted.
    """
    name, table = read_rows(path)
    rows = [
        (line, cells if len(cells) > 1 else tuple(cells[0].split()))
        for line, cells in table
    ]
    if rows and not re.search(r"[0-9<]", rows[0][1][-1]) and rows[0][1][-1]:
        rows = rows[1:]  # a header
    if not rows:
        msg = f"{name} has no p-values. Expected numbers in [0, 1], or label,p rows."
        raise TableError(msg)
    if len(rows) == 1 and all(map(NUMBER.fullmatch, rows[0][1])):
        rows = [(rows[0][0], (cell,)) for cell in rows[0][1]]
    labels, p_values = [], []
    for number, (line, cells) in enumerate(rows, 1):
        if len(cells) > 2 or len(cells) != len(rows[0][1]):
            msg = (
                f"{name}, line {line}: expected a p-value, or a label and a p-value, "
                f"in every row; got {', '.join(map(repr, cells))}."
            )
            raise TableError(msg)
        is_label = len(cells) == 2 and not re.fullmatch(r"\d*\.\d+", cells[0])
        if len(cells) == 2 and not is_label:
            msg = (
                f"{name}, line {line}: expected one p-value in each row, or a label "
                f"and a p-value; got {cells[0]!r} and {cells[1]!r}."
            )
            raise TableError(msg)
        labels.append(cells[0] if is_label else str(number))
        p_values.append(_read_p_value(cells[-1], name, line))
    return labels, p_values


def _read_p_value(cell: str, name: str, line: int) -> float:
    p_value = float(cell) if NUMBER.fullmatch(cell) else math.nan
    if not 0.0 <= p_value <= 1.0:
        msg = f"{name}, line {line}: expected a p-value in [0, 1]; got {cell!r}."
        if math.isnan(p_value):
            msg += " For '<0.001', write 0.001: it is a bound." if "<" in cell else ""
        raise TableError(msg)
    return p_value
