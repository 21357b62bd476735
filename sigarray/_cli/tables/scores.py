"""Read a table of scores, one column for each model, and say where it is wrong."""

import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sigarray._backend.index_columns import looks_like_index
from sigarray._cli.tables.columns import (
    check_count,
    choose,
    leave_out,
    refuse_indices,
)
from sigarray._cli.tables.table import (
    MISSING,
    NUMBER,
    Row,
    TableError,
    get_cell,
    parse_numbers,
    read_number,
    read_numbers,
    read_rows,
)

Scores = dict[str, np.ndarray]


def read_scores(
    path: str | Path,
    columns: Sequence[str] | None = None,
    *,
    ignored: Sequence[str] = (),
    is_paired: bool = False,
    min_models: int = 2,
    max_models: int | None = None,
) -> Scores:
    """Read scores from CSV, TSV or semicolon-separated text; "-" is standard input.

    Parameters
    ----------
    path : str or Path
        A UTF-8 file with a header of model names; blank cells are left out.
    columns : sequence of str, optional
        Take these models, in this order, and look at no other column.
    ignored : sequence of str, default: ()
        Without `columns`: look at all columns but these.
    is_paired : bool, default: False
        A row holds one score of each model: no cell of it may be blank.
    min_models : int, default: 2
        How many models there have to be.
    max_models : int, optional
        How many there may be.

    Returns
    -------
    dict
        Model name -> its scores, a float64 array.

    Raises
    ------
    TableError
        The file or one of its cells is not what was expected, or a column that was not
        chosen by name looks like an index.
    """
    name, rows, numbers = read_numbers(path)
    if not rows:
        raise TableError(
            f"{name} is empty. Expected a header of model names and scores."
        )
    names = _read_header(rows, name, columns, ignored)
    if columns is not None:
        names = choose(names, columns, name)
    else:
        names = leave_out(names, ignored, name)
        indices = {k: x for k, x in names.items() if looks_like_index(x, ())}
        refuse_indices(indices, "by name", rows[0][0], name)
    check_count(names, min_models, max_models, f"{name}, line {rows[0][0]}")
    if len(rows) == 1 and numbers is None:
        msg = f"{name}: expected rows of scores below the header; got none."
        raise TableError(msg)
    if is_paired:
        _check_pairs(rows[1:], names, name)
    scores = {
        model: _read_column(rows[1:], position, model, name)
        if numbers is None
        else numbers[:, position].copy()
        for position, model in names.items()
    }
    if columns is not None:
        return {model: scores[model] for model in columns}
    counts = {k: x for k, x in names.items() if looks_like_index(x, scores[x])}
    refuse_indices(counts, "for it counts the rows", rows[0][0], name)
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
    rows: list[Row],
    name: str,
    columns: Sequence[str] | None,
    ignored: Sequence[str],
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
    seen: set[str] = set()
    for position, cell in enumerate(header):
        model = " ".join(cell.split())
        place = f"{name}, line {line}, column {position + 1}"
        is_chosen = model not in ignored if columns is None else model in columns
        if is_chosen and model in seen:
            msg = f"{place}: expected one column for each model; got {model!r} twice."
            raise TableError(msg)
        is_unnamed = not model and any(get_cell(row, position) for _, row in rows[1:])
        if is_unnamed and columns is None and model not in ignored:
            msg = (
                f"{place}: expected a name; got none. Is it an index? Leave it out "
                'with --ignore "", or choose the models with --columns.'
            )
            raise TableError(msg)
        if model:
            names[position] = model
            seen.add(model)
    return names


def _is_score(cell: str) -> bool:
    return bool(NUMBER.fullmatch(cell)) or cell.lower() in MISSING


def _read_column(rows: list[Row], position: int, model: str, name: str) -> np.ndarray:
    cells = [(line, get_cell(cells, position)) for line, cells in rows]
    cells = [(line, cell) for line, cell in cells if cell]
    if not cells:
        msg = (
            f"{name}, column {position + 1} ({model}): expected scores; got an empty "
            "column. Remove it, or choose others with --columns."
        )
        raise TableError(msg)
    numbers = parse_numbers([cell for _, cell in cells])
    if numbers is not None and numbers.shape == (len(cells), 1):
        return numbers[:, 0]
    place = f"column {position + 1} ({model}): expected a number"
    return np.asarray(
        [read_number(cell, f"{name}, line {line}, {place}") for line, cell in cells]
    )
