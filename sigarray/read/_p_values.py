"""Read p-values, with labels or without."""

import math
import re
from pathlib import Path

from sigarray.read._text import NUMBER, TableError, read_rows


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
        The label of each p-value (its number if the file has none), and the value.
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
