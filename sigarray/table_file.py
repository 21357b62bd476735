"""Read the rows of a table from a file, each with the number of its line."""

import csv
import io
import math
import re
import sys
from pathlib import Path

# Stricter than float(), which also takes "1_000", "nan" and "infinity".
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# So that sums and squares of thousands of scores can be shown.
_LARGEST_NUMBER = 1e150
MISSING = {"na", "n/a", "nan", "null", "none", "-", "?"}

# Line and cells.
Row = tuple[int, list[str]]


class TableError(ValueError):
    """A file that is not the table that was expected; says where and why."""


def read_rows(path: str | Path) -> tuple[str, list[Row]]:
    """Give the name of a file and its rows that are not blank; "-" is standard input.

    Cells are separated by commas, tabs or semicolons, and stripped.

    Raises
    ------
    TableError
        A file that cannot be read, or is no UTF-8 text.
    """
    name = "standard input" if str(path) == "-" else str(path)
    return name, _split_rows(_read_text(path, name), name)


def read_number(cell: str, expected: str) -> float:
    """Give the number in a cell, or raise with what was expected and where.

    Raises
    ------
    TableError
        No number, or one that is too large.
    """
    number = float(cell) if NUMBER.fullmatch(cell) else math.nan
    if not abs(number) <= _LARGEST_NUMBER:
        advice = " Leave the cell blank." if cell.lower() in MISSING else ""
        if math.isfinite(number):
            advice = f" The largest is {_LARGEST_NUMBER:g}."
        msg = f"{expected}; got {cell!r}.{advice}"
        raise TableError(msg)
    return number


def get_cell(cells: list[str], position: int) -> str:
    """Give a cell, or an empty one beyond the end of the row."""
    return cells[position] if position < len(cells) else ""


def _read_text(path: str | Path, name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
    except OSError as error:
        msg = f"{name} cannot be read: {error.strerror or error}."
        raise TableError(msg) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        lines = data[: error.start].split(b"\n")
        msg = (
            f"{name}, line {len(lines)}, byte {len(lines[-1]) + 1}: expected UTF-8 "
            f"text; got the byte 0x{data[error.start]:02x}. Save the table as CSV in "
            "UTF-8."
        )
        raise TableError(msg) from error


def _split_rows(text: str, name: str) -> list[Row]:
    """Give the rows that are not blank, each with the number of its first line."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    # A name may hold a comma or a semicolon, but hardly a tab.
    delimiter = "\t" if "\t" in first else max(",;", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, line = [], 1
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        msg = f"{name}, line {line}: not a row of a table: {error}."
        raise TableError(msg) from error
    return rows
