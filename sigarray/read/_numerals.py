"""How numbers are written: with marks of thousands, or as means with deviations."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from sigarray._backend.checks import represent
from sigarray.read._text import TableError

# (column, row) -> words for the place of a cell, for messages.
Place = Callable[[str, int], str]
# A column, a row, and what is there.
Cell = tuple[str, int, Any]
# 1,234 is 1.234 or 1234; 0,123 and 1,5 can only be decimals.
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+", re.ASCII)
_POINTS = re.compile(r"[1-9]\d{0,2}(\.\d{3})+", re.ASCII)
# 1,234.5 and 1.234,5 can only be numbers of thousands.
_BY_COMMAS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+\.\d+", re.ASCII)
_BY_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+,\d+", re.ASCII)
_MAX_SHOWN = 60
# 86.45 ± 0.1, 86.45 +- 0.1, 86.45 +/- 0.1, 86.45 \\pm 0.1 and 86.45 (0.1).
_NUMBER = r"[\d.,]+\s*%?"
_MEAN = re.compile(
    rf"[+-]?{_NUMBER}\s*((±|\+/?-|\$?\\pm\$?)\s*{_NUMBER}|\({_NUMBER}\))", re.ASCII
)


def is_grouped(text: str) -> bool:
    """Tell whether a number has a mark of thousands, and decimals."""
    return bool(_BY_COMMAS.fullmatch(text) or _BY_POINTS.fullmatch(text))


def read_grouped(
    cells: list[Cell], columns: Mapping[str, Sequence[Any]], place: Place
) -> tuple[list[Cell], list[str]]:
    """Return cells without marks of thousands, and a note if there were any."""
    texts = [x for *_, x in cells if isinstance(x, str)]
    for mark, decimal, grouped, whole, called in (
        (",", ".", _BY_COMMAS, THOUSANDS, "commas"),
        (".", ",", _BY_POINTS, _POINTS, "points"),
    ):
        if not any(map(grouped.fullmatch, texts)):
            continue
        plain = []
        for name, k, cell in cells:
            text = cell
            if isinstance(cell, str):
                if mark in cell and not (
                    grouped.fullmatch(cell) or whole.fullmatch(cell.lstrip("+-"))
                ):
                    msg = (
                        f"{place(name, k)}: expected {called} of thousands, as other "
                        f"scores of the file have; got {show_cell(columns[name][k])}. "
                        "Write all of them in one way."
                    )
                    raise TableError(msg)
                text = cell.replace(mark, "").replace(decimal, ".")
            plain.append((name, k, text))
        first = "1,234.5" if mark == "," else "1.234,5"
        said = f"{called} were taken for those of thousands: {first} is 1234.5"
        return plain, [said]
    return cells, []


def refuse_thousands(columns: Mapping[str, Sequence[Any]], place: Place) -> None:
    """Refuse 1.024 beside 987, which is hardly a thousandth of it."""
    first: tuple[str, int, str] | None = None
    has_large = False
    for name, cells in columns.items():
        for k, cell in enumerate(cells if isinstance(cells, (list, tuple)) else ()):
            if not isinstance(cell, str):
                return
            text = cell.strip()
            if "." in text:
                if not _POINTS.fullmatch(text):
                    return
                first = first or (name, k, text)
            else:
                has_large |= text.isdecimal() and len(text) == 3
    if first is not None and has_large:
        name, k, text = first
        msg = (
            f"{place(name, k)}: expected a number; got {text!r} beside others without "
            f"a point, which is {text} or {text.replace('.', '')}. Write it without "
            "points, or all with as many decimals."
        )
        raise TableError(msg)


def show_cell(cell: Any) -> str:
    """Show a cell as plain Python has it, without the end of a long one."""
    shown = represent(cell)
    return shown if len(shown) <= _MAX_SHOWN else f"{shown[:_MAX_SHOWN]} ..."


def say_means(cells: Iterable[Any]) -> str:
    """Say what is needed in place of means with deviations; "" of other cells."""
    if not any(isinstance(x, str) and _MEAN.fullmatch(x.strip()) for x in cells):
        return ""
    return (
        " A mean with its deviation is no score, and does not say of how many runs it "
        "is. Write the score of each run in a row of its own, without a deviation."
    )
