"""Cells of columns of scores as numbers: read or refused, never guessed."""

import itertools
import math
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sigarray.read._codes import Coded, encode, encode_numbers
from sigarray.read._messages import DROP_OR_WORST, Caution
from sigarray.read._text import (
    EXACT,
    INFINITE,
    LARGEST_NUMBER,
    MISSING,
    NUMBER,
    THOUSANDS,
    Cell,
    Place,
    TableError,
    is_grouped,
    parse_numbers,
    read_grouped,
    refuse,
    refuse_thousands,
    say_means,
    show_cell,
)

_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?", re.ASCII)
_ABSENT = MISSING | INFINITE
_WHOLE = re.compile(r"[+-]?\d+", re.ASCII)
# Words for 1 and for 0.
_TRUTHS = (
    *(("true", "false"), ("yes", "no"), ("pass", "fail"), ("passed", "failed")),
    *(("correct", "incorrect"), ("correct", "wrong"), ("right", "wrong")),
)
_TRUTH = {word: 1.0 - k for pair in _TRUTHS for k, word in enumerate(pair)}
# These say whether an answer is right; "yes" and "true" may be answers themselves.
_VERDICTS = {word for pair in _TRUTHS[2:] for word in pair}


class Numbers(NamedTuple):
    """Columns as float64, with NaN for blank cells, and how they were written."""

    columns: dict[str, np.ndarray]
    is_percent: bool
    notes: list[str]


def read_cells(
    columns: Mapping[str, Sequence[Any]], place: Place, *, of_items: bool = False
) -> Numbers:
    """Read the cells of all columns of scores of a file, which must be written alike.

    Cells are numbers or texts of numbers, with percent signs in all of them or in none,
    and with decimal commas in all or in none; or words for true and false: 1 and 0.
    """
    coded = {x: y.compact() for x, y in columns.items() if isinstance(y, Coded)}
    values = {x: coded[x].values if x in coded else y for x, y in columns.items()}
    try:
        numbers = _read_all(values, place, of_items)
    except TableError:
        if not coded:
            raise
        # All cells tell which one is wrong, and how most of them are written.
        whole = {x: list(y) if x in coded else y for x, y in columns.items()}
        numbers, coded = _read_all(whole, place, of_items), {}
    for name, column in coded.items():
        known = np.append(numbers.columns[name], math.nan)
        numbers.columns[name] = known[column.codes]
    numbers.notes.extend(_say_rounded(columns, numbers.columns, place))
    return numbers


def _say_rounded(
    columns: Mapping[str, Sequence[Any]],
    numbers: Mapping[str, np.ndarray],
    place: Place,
) -> list[Caution]:
    """Say that float64 rounds a whole number, so that others may equal it.

    Refuse a column of several numbers that all become one.
    """
    for name, column in numbers.items():
        low, high = (x.reduce(column, initial=math.nan) for x in (np.fmin, np.fmax))
        if not max(-low, high) >= EXACT:
            continue
        for k in np.flatnonzero(np.abs(column) >= EXACT).tolist():
            text = str(columns[name][k]).strip()
            if _WHOLE.fullmatch(text) and int(text) != column[k].item():
                what = (
                    f"whole numbers beyond 2^53, such as {text}, which float64 rounds"
                )
                advice = "Subtract one number from all of them, as from times"
                cells = columns[name] if low == high else ()
                if len({as_text(x) for x in cells if not is_blank(x)}) > 1:
                    refuse(
                        f"{place(name, k)}: expected numbers that differ in float64; "
                        f"got {what}, so that all of them become {low:.0f}. {advice}."
                    )
                said = f"{name!r} has {what}, so that some that differ become equal"
                return [Caution(f"{said}. {advice}: only differences count")]
    return []


def _read_all(
    columns: Mapping[str, Sequence[Any]], place: Place, of_items: bool
) -> Numbers:
    refuse_thousands(columns, place)
    read = {name: _read_plain(cells) for name, cells in columns.items()}
    plain = {name: numbers for name, numbers in read.items() if numbers is not None}
    if len(plain) == len(columns):
        return Numbers(plain, is_percent=False, notes=[])
    cells = [
        (name, k, cell)
        for name, column in columns.items()
        for k, cell in enumerate(column)
        if not is_blank(cell)
    ]
    notes = []
    is_percent = any(_is_percent(cell) for *_, cell in cells)
    if is_percent:
        notes.append("percent signs were taken off, so that scores are in percent")
        _refuse_mixed(
            [x for x in cells if not _is_percent(x[2])],
            [x for x in cells if _is_percent(x[2])],
            ("a percent sign, {} have", "no percent sign, {} have none"),
            place,
        )
        cells = [(name, k, cell.rstrip()[:-1].rstrip()) for name, k, cell in cells]
    cells, said = read_grouped(cells, columns, place)
    notes += said
    if not said and _has_decimal_commas(cells, place):
        notes.append("decimal commas were read: 0,5 is a half")
        cells = [
            (name, k, x.replace(",", ".") if isinstance(x, str) else x)
            for name, k, x in cells
        ]
    arrays = {name: np.full(len(column), math.nan) for name, column in columns.items()}
    truths: list[Cell] = []
    others: list[Cell] = []
    for name, k, cell in cells:
        value = _as_number(cell)
        (truths if value is None else others).append((name, k, cell))
        if value is None:
            value = _TRUTH[_as_word(cell)]
        if not abs(value) <= LARGEST_NUMBER:
            refuse(_explain(place(name, k), columns[name][k], value, of_items))
        arrays[name][k] = value
    if truths:
        kinds = "a number, {} are", "true or false, {} are"
        _refuse_mixed(
            truths, others, kinds, place, "as numbers, or all as true and false"
        )
        notes.append(_say_truths(truths, place))
    return Numbers(arrays, is_percent, notes)


def _refuse_mixed(
    odd: list[Cell],
    others: list[Cell],
    said: tuple[str, str],
    place: Place,
    way: str = "of them in one way",
) -> None:
    """Refuse the first of the fewer cells, if there are both; it is said what for."""
    if odd and others:
        are_rare = len(odd) <= len(others)
        name, k, cell = (odd if are_rare else others)[0]
        what = said[not are_rare].format("as other scores of the file")
        got = f"got {show_cell(cell)}. Write all {way}."
        refuse(f"{place(name, k)}: expected {what}; {got}")


def as_text(cell: object) -> str:
    """Return the text of an id: 3, 3.0 and "3" are the same."""
    if isinstance(cell, (float, np.floating)) and float(cell).is_integer():
        return str(int(cell))
    return " ".join(str(cell).split())


def have_names(cells: Any) -> bool:
    """Tell whether any cell is a name; whole numbers may count the rows."""
    if isinstance(cells, np.ndarray) and cells.dtype.kind in "iuf":
        return bool(np.any(cells[np.isfinite(cells)] % 1))
    return any(map(_is_name, cells))


def _is_name(cell: object) -> bool:
    if is_blank(cell) or (isinstance(cell, (float, np.floating)) and math.isnan(cell)):
        return False
    is_truth = isinstance(cell, (bool, np.bool_))
    return is_truth or not _WHOLE.fullmatch(as_text(cell))


def is_blank(cell: object) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def find_blank(cells: Any) -> np.ndarray:
    if isinstance(cells, np.ndarray):
        return np.zeros(len(cells), bool)
    if isinstance(cells, Coded):
        return np.append(find_blank(cells.values), True).take(cells.codes)
    return np.fromiter(map(is_blank, cells), bool, len(cells))


def find_missing(cells: Any) -> np.ndarray:
    if isinstance(cells, np.ndarray):
        if cells.dtype.kind == "f":
            return ~(np.abs(cells).astype(np.float64) < sys.float_info.max)
        return np.zeros(len(cells), bool)
    if isinstance(cells, Coded):
        return np.append(find_missing(cells.values), True).take(cells.codes)
    return np.fromiter(map(_is_missing, cells), bool, len(cells))


def _is_missing(cell: object) -> bool:
    if isinstance(cell, (float, np.floating)):
        return not abs(float(cell)) < sys.float_info.max
    return is_blank(cell) or (isinstance(cell, str) and _names_missing(cell))


def _names_missing(text: str) -> bool:
    return _as_word(text) in _ABSENT


def encode_texts(cells: Sequence[Any] | np.ndarray) -> Coded:
    if isinstance(cells, np.ndarray):
        cells = encode_numbers(cells)
    if not isinstance(cells, Coded):
        return encode([None if is_blank(x) else as_text(x) for x in cells])
    values = cells.values
    texts = encode_texts(values.tolist() if isinstance(values, np.ndarray) else values)
    return Coded(np.append(texts.codes, np.int32(-1))[cells.codes], texts.values)


def looks_like_verdict(cell: object) -> bool:
    """Tell whether a cell is like "passed" or "incorrect"."""
    return isinstance(cell, str) and _as_word(cell) in _VERDICTS


def looks_like_score(cell: object) -> bool:
    if isinstance(cell, str):
        text = cell.strip().rstrip("%").rstrip()
        if text.lower() in _TRUTHS[0] or NUMBER.fullmatch(text):
            return True
        return bool(_COMMA.fullmatch(text)) or is_grouped(text)
    return isinstance(cell, (int, float, np.number, np.bool_))


def _read_plain(cells: Sequence[Any]) -> np.ndarray | None:
    if isinstance(cells, np.ndarray):
        is_plain = cells.dtype.kind in "fiu" and _is_finite(cells)
        return cells.astype(np.float64) if is_plain else None
    blank = find_blank(cells)
    numbers = _as_array(list(itertools.compress(cells, ~blank)))
    if numbers is None or not blank.any():
        return numbers
    column = np.full(len(cells), math.nan)
    column[~blank] = numbers
    return column


def _as_array(cells: list[Any]) -> np.ndarray | None:
    if cells and all(isinstance(cell, str) for cell in cells):
        table = parse_numbers(cells)
        if table is None or table.shape != (len(cells), 1):
            return None
        return table[:, 0]
    if not {*map(type, cells)} <= {float, int}:
        return None
    try:
        numbers = np.asarray(cells, np.float64)
    except OverflowError:
        return None
    return numbers if _is_finite(numbers) else None


def _is_finite(numbers: np.ndarray) -> bool:
    # The limit is beyond the numbers of single precision.
    return bool(np.all(np.abs(numbers).astype(np.float64) <= LARGEST_NUMBER))


def _is_percent(cell: object) -> bool:
    return isinstance(cell, str) and cell.rstrip().endswith("%")


def _as_word(cell: object) -> str:
    return str(cell).strip().lower()


def _say_truths(cells: list[Cell], place: Place) -> str:
    words = [_as_word(x) for *_, x in cells]
    pair = next((x for x in _TRUTHS if {*words} <= {*x}), None)
    if pair is None:
        first = words[0]
        known = {y for x in _TRUTHS if first in x for y in x}
        name, k, cell = next(x for x in cells if _as_word(x[2]) not in known)
        refuse(
            f"{place(name, k)}: expected one pair of words, such as {first!r} and its "
            f"opposite; got {show_cell(cell)}. Write all as 1 and 0."
        )
    return f"{pair[0]} is 1, and {pair[1]} is 0"


def _has_decimal_commas(cells: list[Cell], place: Place) -> bool:
    commas = [x for x in cells if isinstance(x[2], str) and _COMMA.fullmatch(x[2])]
    if not commas:
        return False
    points = [x for x in cells if isinstance(x[2], str) and "." in x[2]]
    said = "a decimal comma, {} have", "a decimal point, {} have"
    _refuse_mixed(points, commas, said, place)
    if all(THOUSANDS.fullmatch(cell) for *_, cell in commas):
        name, k, cell = commas[0]
        number = cell.replace(",", "")
        refuse(
            f"{place(name, k)}: expected a number; got {show_cell(cell)}, which is "
            f"{cell.replace(',', '.', 1)} or {number}. Write it with a point, or "
            "without a comma."
        )
    return True


def _as_number(cell: Any) -> float | None:
    """Return a number, NaN for other cells, and None for true and false."""
    if isinstance(cell, str):
        text = cell.strip()
        if text.lower() in _TRUTH:
            return None
        return float(text) if NUMBER.fullmatch(text) else math.nan
    if isinstance(cell, (bool, np.bool_)):
        return None
    if isinstance(cell, (int, float, np.number)):
        try:
            return float(cell)
        except OverflowError:
            return math.inf
    return math.nan


def _explain(place: str, cell: Any, value: float, of_items: bool) -> str:
    advice = say_means([cell])
    if _names_missing(str(cell)):
        advice = (
            " Where a run failed, give the score that failing is worth, or pass "
            f"{DROP_OR_WORST}."
        )
        if of_items:
            advice = (
                " Where an answer is missing, write the score that it is worth, such "
                "as 0 for a wrong one; or pass --missing drop, which leaves it out, "
                "and an item without any answer of a model for all models."
            )
    elif not advice and re.search("[0-9]", str(cell)) and math.isnan(value):
        advice = " Write it as a number alone."
    elif math.isfinite(value):
        advice = f" The largest is {LARGEST_NUMBER:g}."
    return f"{place}: expected a number; got {show_cell(cell)}.{advice}"
