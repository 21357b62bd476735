"""Read a table of scores, one column for each model, and say where it is wrong."""

import math
import re
from collections.abc import Sequence
from pathlib import Path

from sigarray.table_file import (
    MISSING,
    NUMBER,
    Row,
    TableError,
    get_cell,
    read_number,
    read_rows,
)

Scores = dict[str, list[float]]


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
    TableError
        The file or one of its cells is not what was expected.
    """
    name, rows = read_rows(path)
    if not rows:
        raise TableError(
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
        raise TableError(msg)
    if len(rows) == 1:
        msg = f"{name}: expected rows of scores below the header; got none."
        raise TableError(msg)
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
    TableError
        The file or one of its cells is not what was expected.
    """
    name, table = read_rows(path)
    rows = [
        (line, cells if len(cells) > 1 else cells[0].split()) for line, cells in table
    ]
    if rows and not re.search(r"[0-9<]", rows[0][1][-1]) and rows[0][1][-1]:
        rows = rows[1:]  # a header
    if not rows:
        msg = f"{name} has no p-values. Expected numbers in [0, 1], or label,p rows."
        raise TableError(msg)
    if len(rows) == 1 and all(map(NUMBER.fullmatch, rows[0][1])):
        rows = [(rows[0][0], [cell]) for cell in rows[0][1]]
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


def _check_pairs(rows: list[Row], chosen: dict[int, str], name: str) -> None:
    for line, cells in rows:
        for position, model in chosen.items():
            if not get_cell(cells, position):
                msg = (
                    f"{name}, line {line}, column {position + 1} ({model}): expected a "
                    "score in every cell of a paired test; got a blank one. Remove the "
                    "row, or use a test that is not paired."
                )
                raise TableError(msg)


def _read_header(
    rows: list[Row], name: str, columns: Sequence[str] | None
) -> dict[int, str]:
    """Give position -> name; a column without name and cells is no column."""
    line, header = rows[0]
    cells = [cell for cell in header if cell]
    if any(map(NUMBER.fullmatch, cells)) and all(map(_is_score, cells)):
        msg = (
            f"{name}, line {line}: expected a header of model names; got numbers: "
            f"{', '.join(cells[:3])}. Put a line of names first."
        )
        raise TableError(msg)
    for number, row in rows[1:]:
        if any(row[len(header) :]):
            msg = (
                f"{name}, line {number}, column {len(header) + 1}: expected "
                f"{len(header)} cells, as in the header; got {len(row)}."
            )
            raise TableError(msg)
    names: dict[int, str] = {}
    for position, cell in enumerate(header):
        model = " ".join(cell.split())
        place = f"{name}, line {line}, column {position + 1}"
        is_chosen = columns is None or model in columns
        if is_chosen and model in names.values():
            msg = f"{place}: expected one column for each model; got {model!r} twice."
            raise TableError(msg)
        is_unnamed = not model and any(get_cell(row, position) for _, row in rows[1:])
        if is_unnamed and columns is None:
            msg = (
                f"{place}: expected a name; got none. Is it an index? Choose the "
                f"models with --columns."
            )
            raise TableError(msg)
        if model:
            names[position] = model
    return names


def _is_score(cell: str) -> bool:
    return bool(NUMBER.fullmatch(cell)) or cell.lower() in MISSING


def _choose(names: dict[int, str], columns: Sequence[str], name: str) -> dict[int, str]:
    known = ", ".join(map(repr, names.values()))
    for model in columns:
        if model not in names.values():
            msg = f"{name} has no column {model!r}. Its columns are {known}."
            raise TableError(msg)
    if len(set(columns)) < len(columns):
        msg = f"Expected each of --columns once; got {', '.join(columns)}."
        raise TableError(msg)
    return {position: model for position, model in names.items() if model in columns}


def _read_column(rows: list[Row], position: int, model: str, name: str) -> list[float]:
    scores = []
    for line, cells in rows:
        cell = get_cell(cells, position)
        if not cell:
            continue
        place = f"{name}, line {line}, column {position + 1} ({model})"
        scores.append(read_number(cell, f"{place}: expected a number"))
    if not scores:
        msg = (
            f"{name}, column {position + 1} ({model}): expected scores; got an empty "
            "column. Remove it, or choose others with --columns."
        )
        raise TableError(msg)
    return scores
