"""Read a table of scores, one column for each model, and say where it is wrong."""

import csv
import io
import math
import re
import sys
from collections.abc import Sequence
from pathlib import Path

Scores = dict[str, list[float]]

# Stricter than float(), which also takes "1_000", "nan" and "infinity".
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# So that sums and squares of thousands of scores can be shown.
_LARGEST_SCORE = 1e150
_MISSING = {"na", "n/a", "nan", "null", "none", "-", "?"}


class ScoreFileError(ValueError):
    """A file that is not a table of scores; the message says where and why."""


def read_scores(
    path: str | Path,
    columns: Sequence[str] | None = None,
    *,
    is_paired: bool = False,
    min_models: int = 2,
) -> Scores:
    """Read scores from CSV, TSV or semicolon-separated text; "-" is standard input.

    Parameters
    ----------
    path : str or Path
        A UTF-8 file with a header of model names; blank cells are left out.
    columns : sequence of str, optional
        Take these models, in this order, and look at no other column.
    is_paired : bool, default: False
        A row holds one score of each model: no cell of it may be blank.
    min_models : int, default: 2
        How many models there have to be.

    Returns
    -------
    dict
        Model name -> its scores.

    Raises
    ------
    ScoreFileError
        The file or one of its cells is not what was expected.
    """
    name = "standard input" if str(path) == "-" else str(path)
    rows = _read_rows(_read_text(path, name), name)
    if not rows:
        raise ScoreFileError(
            f"{name} is empty. Expected a header of model names and scores."
        )
    names = _read_header(rows, name, columns)
    chosen = names if columns is None else _choose(names, columns, name)
    if len(chosen) < min_models:
        got = ", ".join(map(repr, chosen.values())) or "none"
        number = "two or more models" if min_models == 2 else "a model"
        msg = (
            f"{name}, line {rows[0][0]}: expected columns for {number}; got "
            f"{got}. Columns are separated by commas, tabs or semicolons."
        )
        raise ScoreFileError(msg)
    if len(rows) == 1:
        msg = f"{name}: expected rows of scores below the header; got none."
        raise ScoreFileError(msg)
    if is_paired:
        _check_pairs(rows[1:], chosen, name)
    scores = {
        model: _read_column(rows[1:], position, model, name)
        for position, model in chosen.items()
    }
    if columns is not None:
        scores = {model: scores[model] for model in columns}
    return scores


def read_p_values(path: str | Path) -> tuple[list[str], list[float]]:
    """Read p-values, with labels or without; "-" is standard input.

    Parameters
    ----------
    path : str or Path
        A UTF-8 file of numbers, or a table of two columns, label and p-value. A header
        is left out.

    Returns
    -------
    labels, p_values : list of str, list of float
        The label of each p-value (its number, where the file has none), and the value.

    Raises
    ------
    ScoreFileError
        The file or one of its cells is not what was expected.
    """
    name = "standard input" if str(path) == "-" else str(path)
    rows = [
        (line, cells if len(cells) > 1 else cells[0].split())
        for line, cells in _read_rows(_read_text(path, name), name)
    ]
    if rows and not re.search(r"[0-9<]", rows[0][1][-1]) and rows[0][1][-1]:
        rows = rows[1:]  # a header
    if not rows:
        msg = f"{name} has no p-values. Expected numbers in [0, 1], or label,p rows."
        raise ScoreFileError(msg)
    if len(rows) == 1 and all(map(_NUMBER.fullmatch, rows[0][1])):
        rows = [(rows[0][0], [cell]) for cell in rows[0][1]]
    labels, p_values = [], []
    for number, (line, cells) in enumerate(rows, 1):
        if len(cells) > 2 or len(cells) != len(rows[0][1]):
            msg = (
                f"{name}, line {line}: expected a p-value, or a label and a p-value, "
                f"in every row; got {', '.join(map(repr, cells))}."
            )
            raise ScoreFileError(msg)
        is_label = len(cells) == 2 and not re.fullmatch(r"\d*\.\d+", cells[0])
        if len(cells) == 2 and not is_label:
            msg = (
                f"{name}, line {line}: expected one p-value in each row, or a label "
                f"and a p-value; got {cells[0]!r} and {cells[1]!r}."
            )
            raise ScoreFileError(msg)
        labels.append(cells[0] if is_label else str(number))
        p_values.append(_read_p_value(cells[-1], name, line))
    return labels, p_values


def _read_p_value(cell: str, name: str, line: int) -> float:
    p_value = float(cell) if _NUMBER.fullmatch(cell) else math.nan
    if not 0.0 <= p_value <= 1.0:
        msg = f"{name}, line {line}: expected a p-value in [0, 1]; got {cell!r}."
        if math.isnan(p_value):
            msg += " For '<0.001', write 0.001: it is a bound." if "<" in cell else ""
        raise ScoreFileError(msg)
    return p_value


def _check_pairs(
    rows: list[tuple[int, list[str]]], chosen: dict[int, str], name: str
) -> None:
    for line, cells in rows:
        for position, model in chosen.items():
            if not _cell(cells, position):
                msg = (
                    f"{name}, line {line}, column {position + 1} ({model}): expected a "
                    "score in every cell of a paired test; got a blank one. Remove the "
                    "row, or use a test that is not paired."
                )
                raise ScoreFileError(msg)


def _read_text(path: str | Path, name: str) -> str:
    try:
        data = sys.stdin.buffer.read() if str(path) == "-" else Path(path).read_bytes()
    except OSError as error:
        msg = f"{name} cannot be read: {error.strerror or error}."
        raise ScoreFileError(msg) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        lines = data[: error.start].split(b"\n")
        msg = (
            f"{name}, line {len(lines)}, byte {len(lines[-1]) + 1}: expected UTF-8 "
            f"text; got the byte 0x{data[error.start]:02x}. Save the table as CSV in "
            "UTF-8."
        )
        raise ScoreFileError(msg) from error


def _read_rows(text: str, name: str) -> list[tuple[int, list[str]]]:
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
        raise ScoreFileError(msg) from error
    return rows


def _read_header(
    rows: list[tuple[int, list[str]]], name: str, columns: Sequence[str] | None
) -> dict[int, str]:
    """Give position -> name; a column without name and cells is no column."""
    line, header = rows[0]
    cells = [cell for cell in header if cell]
    if any(map(_NUMBER.fullmatch, cells)) and all(map(_is_score, cells)):
        msg = (
            f"{name}, line {line}: expected a header of model names; got numbers: "
            f"{', '.join(cells[:3])}. Put a line of names first."
        )
        raise ScoreFileError(msg)
    for number, row in rows[1:]:
        if any(row[len(header) :]):
            msg = (
                f"{name}, line {number}, column {len(header) + 1}: expected "
                f"{len(header)} cells, as in the header; got {len(row)}."
            )
            raise ScoreFileError(msg)
    names: dict[int, str] = {}
    for position, cell in enumerate(header):
        model = " ".join(cell.split())
        place = f"{name}, line {line}, column {position + 1}"
        is_chosen = columns is None or model in columns
        if is_chosen and model in names.values():
            msg = f"{place}: expected one column for each model; got {model!r} twice."
            raise ScoreFileError(msg)
        is_unnamed = not model and any(_cell(row, position) for _, row in rows[1:])
        if is_unnamed and columns is None:
            msg = (
                f"{place}: expected a name; got none. Is it an index? Choose the "
                f"models with --columns."
            )
            raise ScoreFileError(msg)
        if model:
            names[position] = model
    return names


def _is_score(cell: str) -> bool:
    return bool(_NUMBER.fullmatch(cell)) or cell.lower() in _MISSING


def _choose(names: dict[int, str], columns: Sequence[str], name: str) -> dict[int, str]:
    known = ", ".join(map(repr, names.values()))
    for model in columns:
        if model not in names.values():
            msg = f"{name} has no column {model!r}. Its columns are {known}."
            raise ScoreFileError(msg)
    if len(set(columns)) < len(columns):
        msg = f"Expected each of --columns once; got {', '.join(columns)}."
        raise ScoreFileError(msg)
    return {position: model for position, model in names.items() if model in columns}


def _read_column(
    rows: list[tuple[int, list[str]]], position: int, model: str, name: str
) -> list[float]:
    scores = []
    for line, cells in rows:
        cell = _cell(cells, position)
        if not cell:
            continue
        score = float(cell) if _NUMBER.fullmatch(cell) else math.nan
        if not abs(score) <= _LARGEST_SCORE:
            advice = " Leave the cell blank." if cell.lower() in _MISSING else ""
            if math.isfinite(score):
                advice = f" The largest is {_LARGEST_SCORE:g}."
            msg = (
                f"{name}, line {line}, column {position + 1} ({model}): expected a "
                f"number; got {cell!r}.{advice}"
            )
            raise ScoreFileError(msg)
        scores.append(score)
    if not scores:
        msg = (
            f"{name}, column {position + 1} ({model}): expected scores; got an empty "
            "column. Remove it, or choose others with --columns."
        )
        raise ScoreFileError(msg)
    return scores


def _cell(cells: list[str], position: int) -> str:
    return cells[position] if position < len(cells) else ""
