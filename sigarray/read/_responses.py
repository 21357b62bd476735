"""Read a long table of responses, and say where it is wrong."""

import math
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sigarray.read._bytes import TableError
from sigarray.read._text import Row, get_cell, read_number, read_rows
from sigarray.results import ResponseSet

_COLUMNS = ("item", "system", "response")


def read_responses(path: str | Path, systems: Sequence[str]) -> ResponseSet:
    """Read the responses of gold and two systems; "-" is standard input.

    Parameters
    ----------
    path : str or Path
        A UTF-8 file with columns item, system and response, among others, and a row for
        each response. Rows with a blank response are left out, and other systems too,
        with a warning.
    systems : sequence of str
        What gold, A and B are called.

    Returns
    -------
    ResponseSet
        Arrays (n_items, k), NaN where an item has fewer responses than another.

    Raises
    ------
    TableError
        The file or one of its rows is not what was expected.
    """
    if len(set(systems)) < len(systems):
        msg = f"Expected three names of systems; got {', '.join(systems)}."
        raise TableError(msg)
    name, rows = read_rows(path)
    if len(rows) < 2:
        got = "no rows below the header" if rows else "nothing"
        msg = f"{name}: expected columns {', '.join(_COLUMNS)} and rows; got {got}."
        raise TableError(msg)
    positions = _find_columns(rows[0], name)
    lines: dict[str, int] = {}
    answers: dict[str, dict[str, list[float]]] = {system: {} for system in systems}
    known: dict[str, None] = {}
    for line, cells in rows[1:]:
        if any(cells[len(rows[0][1]) :]):
            msg = (
                f"{name}, line {line}: expected {len(rows[0][1])} cells, as in the "
                f"header; got {len(cells)}."
            )
            raise TableError(msg)
        item, system, response = (get_cell(cells, positions[x]) for x in _COLUMNS)
        if not item or not system:
            what = "an item" if not item else "a system"
            msg = (
                f"{name}, line {line}: expected {what} in every row; got a blank cell."
            )
            raise TableError(msg)
        known[system] = None
        if system in answers and response:
            lines.setdefault(item, line)
            expected = f"{name}, line {line}: expected a number as response"
            number = read_number(response, expected)
            answers[system].setdefault(item, []).append(number)
    for system, by_item in answers.items():
        if not by_item:
            msg = (
                f"{name}: expected responses of {system!r}; got none. Systems in it: "
                f"{', '.join(map(repr, known))}. Choose them with --gold, --a and --b."
            )
            raise TableError(msg)
    _check_items(answers, lines, name)
    others = [system for system in known if system not in answers]
    if others:
        msg = (
            f"{name} has other systems too, which are left out: "
            f"{', '.join(map(repr, others))}. Choose two systems with --a and --b."
        )
        warnings.warn(msg, UserWarning, stacklevel=2)
    return ResponseSet(*(_fill(by_item, list(lines)) for by_item in answers.values()))


def _find_columns(header: Row, name: str) -> dict[str, int]:
    line, cells = header
    names = [cell.lower() for cell in cells]
    for column in _COLUMNS:
        if names.count(column) != 1:
            got = ", ".join(map(repr, cells))
            msg = (
                f"{name}, line {line}: expected one column {column!r} in the header; "
                f"got {got}."
            )
            raise TableError(msg)
    return {column: names.index(column) for column in _COLUMNS}


def _check_items(
    answers: dict[str, dict[str, list[float]]], lines: dict[str, int], name: str
) -> None:
    """Raise where an item lacks responses of gold or a system."""
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
    """Give an array of the items' responses, NaN at the end of the shorter ones."""
    width = max(map(len, by_item.values()))
    filled = np.full((len(items), width), math.nan)
    for row, item in zip(filled, items, strict=True):
        row[: len(by_item[item])] = by_item[item]
    return filled
