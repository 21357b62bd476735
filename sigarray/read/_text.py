"""Rows of a table from a file, each with the number of its line."""

import csv
import io
import math
import re
import sys
from pathlib import Path

import numpy as np

from sigarray.read._bytes import TableError, read_text

# From here on float64 has no place for every whole number, such as an id.
EXACT = 2.0**53
# Stricter than float(), which also takes "1_000", "nan" and "infinity".
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# Sums and squares of thousands of such scores can still be shown.
LARGEST_NUMBER = 1e150
# Of runs without a score: what is not known, and words for how they have ended.
MISSING = {"na", "n/a", "nan", "null", "none", "-", "?", "oom", "out of memory", "oot"}
MISSING |= {"timeout", "timed out", "crash", "crashed", "diverged", "dnf", "error"}
# A loss that has diverged is no score either; MLflow stores the largest float for it.
_INFINITE = ("inf", "infinity", repr(sys.float_info.max))
INFINITE = {f"{sign}{word}" for sign in ("", "+", "-") for word in _INFINITE}

# Line and cells: tuples, which the garbage collector need not look through.
Row = tuple[int, tuple[str, ...]]


def read_rows(path: str | Path) -> tuple[str, list[Row]]:
    """Return the name of a file and its rows, as `split_rows` does."""
    name, text = read_text(path)
    return name, split_rows(text, name)


def split_rows(text: str, name: str) -> list[Row]:
    """Return the rows that are not blank, each with the number of its first line.

    Cells are separated by commas, tabs or semicolons, and stripped.
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = find_delimiter(first)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, line = [], 1
    try:
        for row in reader:
            cells = tuple(map(str.strip, row))
            if any(cells):
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        msg = f"{name}, line {line}: not a row of a table: {error}."
        raise TableError(msg) from error
    return rows


def split_table(text: str, name: str) -> tuple[list[Row], np.ndarray | None]:
    """Return the header alone and a matrix, if all cells below it are numbers.

    Else (a cell is blank, quoted or wrong) return all rows and None. Reading a matrix
    takes a tenth of the time. A number above a column of them is a score, no header.
    """
    rows, numbers = _split_numbers(text) or (split_rows(text, name), None)
    if not rows or len(rows[0][1]) != 1 or not NUMBER.fullmatch(rows[0][1][0]):
        return rows, numbers
    line, (first,) = rows[0]
    header = (line - 1, ("score",))
    if numbers is None:
        return [header, *rows], None
    return [header], np.concatenate([[[float(first)]], numbers])


def read_number(cell: str, expected: str) -> float:
    """Return the number in a cell, or raise an error that says what was expected."""
    number = float(cell) if NUMBER.fullmatch(cell) else math.nan
    if not abs(number) <= LARGEST_NUMBER:
        advice = " Leave the cell blank." if cell.lower() in MISSING else ""
        if math.isfinite(number):
            advice = f" The largest is {LARGEST_NUMBER:g}."
        msg = f"{expected}; got {cell!r}.{advice}"
        raise TableError(msg)
    return number


def parse_numbers(lines: list[str], delimiter: str = "\t") -> np.ndarray | None:
    """Return a matrix of numbers, or None if `read_number` may refuse a cell."""
    try:
        numbers = np.loadtxt(lines, delimiter=delimiter, comments=None, ndmin=2)
    except ValueError:
        return None
    # Beyond NUMBER, loadtxt takes only "nan" and "inf".
    return numbers if np.all(np.abs(numbers) <= LARGEST_NUMBER) else None


def get_cell(cells: tuple[str, ...], position: int) -> str:
    """Return a cell, or an empty one beyond the end of the row."""
    return cells[position] if position < len(cells) else ""


def _split_numbers(text: str) -> tuple[list[Row], np.ndarray] | None:
    """Return header and numbers, or None unless every cell has one."""
    text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    line = next((k for k, line in enumerate(lines) if line.strip()), len(lines))
    body = lines[line + 1 :]
    if not any(body) or '"' in text or "\r" in text or _has_gap(body):
        return None
    delimiter = find_delimiter(lines[line])
    if delimiter == ";":
        return None  # `split_rows` finds out what points and commas are
    header = tuple(cell.strip() for cell in lines[line].split(delimiter))
    numbers = parse_numbers(body, delimiter)
    if numbers is None or numbers.shape[1] != len(header) or not all(header):
        return None
    largest = np.abs(numbers).max(axis=0)
    if np.any(np.all(numbers[:, largest >= EXACT] % 1.0 == 0.0, axis=0)):
        return None  # ids stay texts
    return [(line + 1, header)], numbers


def _has_gap(lines: list[str]) -> bool:
    """Tell whether blank lines are between others, so that rows need their places."""
    inside = "\n".join(lines).strip()
    return bool(re.search(r"\n[ \t]*\n", inside))


def find_delimiter(header: str) -> str:
    # A name may hold a comma or a semicolon, but hardly a tab.
    return "\t" if "\t" in header else max(",;", key=header.count)
