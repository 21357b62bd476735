"""Text of files, within limits of size and encoding, its rows, and numbers in it."""

import codecs
import csv
import gzip
import io
import math
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import numpy as np

from sigarray._backend.checks import represent
from sigarray._numeric.sources import SUFFIXES

# More than ten million rows; memory holds several times as much.
_MAX_BYTES = 2**30
_CHUNK = 2**20
_COMPRESSED = (".zip", ".zst", ".xz", ".bz2", ".tgz", ".tar", ".7z")
_GZIPPED = b"\x1f\x8b"
# The marks at the start of UTF-16, in which bytes of zero are parts of characters.
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# From here on float64 has no place for every whole number, such as an id.
EXACT = 2.0**53
_FLOAT = re.compile(r"\d+\.0+", re.ASCII)
# Stricter than float(), which also takes "1_000", "nan" and "infinity".
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
# Sums and squares of thousands of such scores can still be shown.
LARGEST_NUMBER = 1e150
# Of runs without a score: what is not known, and words for how they have ended.
MISSING = {"na", "n/a", "nan", "null", "none", "-", "?", "oom", "out of memory", "oot"}
MISSING |= {"timeout", "timed out", "crash", "crashed", "diverged", "dnf", "error"}
MISSING |= {"--", "\N{EM DASH}", "\N{EN DASH}", "n.a.", "#n/a", "#div/0!", "*"}
MISSING |= {"missing", "tbd"}
# A loss that has diverged is no score either; MLflow stores the largest float for it.
_INFINITE = ("inf", "infinity", repr(sys.float_info.max))
INFINITE = {f"{sign}{word}" for sign in ("", "+", "-") for word in _INFINITE}
# Line and cells: tuples, which the garbage collector need not look through.
Row = tuple[int, tuple[str, ...]]
# (column, row) -> words for the place of a cell, for messages.
Place = Callable[[str, int], str]
# A column, a row, and what is there.
Cell = tuple[str, int, Any]
# 1,234 is 1.234 or 1234; 0,123 and 1,5 can only be decimals.
THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(,\d{3})+", re.ASCII)
_POINTS = re.compile(r"[1-9]\d{0,2}(\.\d{3})+", re.ASCII)
# 1,234.5, 1,234,567 and 1.234,5 can only be numbers of thousands.
_BY_COMMAS = re.compile(r"[+-]?[1-9]\d{0,2}((,\d{3})+\.\d+|(,\d{3}){2,})", re.ASCII)
_BY_POINTS = re.compile(r"[+-]?[1-9]\d{0,2}(\.\d{3})+,\d+", re.ASCII)
_BY_APOSTROPHES = re.compile(r"[+-]?[1-9]\d{0,2}('\d{3})+(\.\d+)?", re.ASCII)
# What typesetters have for a minus before a number, or in its exponent, and for an
# apostrophe of thousands.
_MINUS, _APOSTROPHE = "\N{MINUS SIGN}", "\N{RIGHT SINGLE QUOTATION MARK}"
_TYPESET = {
    _MINUS: ("-", re.compile(rf'(?:(?<![^\s,;|&"$])|(?<=\d[eE])){_MINUS}(?=\.?\d)')),
    _APOSTROPHE: ("'", re.compile(rf"(?<=\d){_APOSTROPHE}(?=\d{{3}}(?!\d))")),
}
_MAX_SHOWN = 60
# 86.45 ± 0.1, 86.45 +- 0.1, 86.45 +/- 0.1, 86.45 \\pm 0.1 and 86.45 (0.1).
_NUMBER = r"[\d.,]+\s*%?"
_MEAN = re.compile(
    rf"\$?[+-]?{_NUMBER}\s*((±|\+/?-|\$?\\?pm\$?)\s*{_NUMBER}|\({_NUMBER}\))\$?",
    re.ASCII,
)
_MARKED = re.compile(rf"[+-]?{_NUMBER}\s?([*†‡§^↑↓]+)")


class TableError(ValueError):
    """A file that is not the expected table; the message says where and why."""


def refuse(message: str) -> NoReturn:
    raise TableError(message)


class NoPartError(TableError):
    """A document without the part that was asked for."""


class UnmatchedError(TableError):
    """Items, or runs, that are not those of all models."""


def lacks_library(name: str, library: str) -> TableError:
    return TableError(
        f'{name}: expected {library}, to read it. Run: pip install "sigarray[read]".'
    )


def lacks_file(path: str) -> TableError:
    return TableError(f"{path} cannot be read: No such file or directory.")


def read_bytes(
    path: str | Path, *, is_text: bool = False, most: int = _MAX_BYTES
) -> tuple[str, bytearray]:
    """Return the name and the bytes of a file; text, up to a byte that no text has."""
    name = "standard input" if str(path) == "-" else str(path)
    try:
        if name == "standard input":
            data = _read_all(_standard_input(), name, is_text, most)
        else:
            with open(path, "rb") as file:
                data = _read_all(file, name, is_text, most)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or error
        msg = f"{name} cannot be read: {reason}."
        raise TableError(msg) from error
    return name, data


def read_text(path: str | Path) -> tuple[str, str]:
    """Return the name of a file and its text, gzipped or not; "-" is standard input."""
    name, data = read_bytes(path, is_text=True)
    is_utf16 = data.startswith(_UTF16)
    try:
        text = data.decode("utf-16" if is_utf16 else "utf-8-sig")
        position = -1 if is_utf16 else data.find(b"\0")
    except UnicodeDecodeError as error:
        position = error.start
    if position >= 0:
        lines = data[:position].split(b"\n")
        way = "Save the table as CSV in UTF-8."
        if name.lower().endswith(_COMPRESSED):
            way = "Uncompress it first; of compressed files, .gz is read."
        msg = (
            f"{name}, line {len(lines)}, byte {len(lines[-1]) + 1}: expected UTF-8 "
            f"text; got the byte 0x{data[position]:02x}. {way}"
        )
        if name.endswith(SUFFIXES):
            msg += " Parquet and Arrow files are for tables of scores alone."
        refuse(msg)
    for mark, (plain, pattern) in _TYPESET.items():
        if mark in text:
            text = pattern.sub(plain, text)
    return name, text


def _standard_input() -> BinaryIO:
    if sys.stdin is None:
        msg = "it is closed"
        raise OSError(msg)
    return sys.stdin.buffer


def _read_all(file: BinaryIO, name: str, is_text: bool, most: int) -> bytearray:
    """Read to the end, or to a byte that no text has: /dev/zero has no end."""
    data = bytearray()
    first = file.read(_CHUNK)
    if first.startswith(_GZIPPED):
        file = gzip.GzipFile(fileobj=_Rest(first, file))  # type: ignore[call-overload]
        first = b""
    while chunk := first or file.read(_CHUNK):
        first = b""
        data += chunk
        if len(data) > most:
            refuse(
                f"{name}: expected a table of at most {most} bytes; got more. "
                "Write fewer columns, or fewer digits."
            )
        if is_text and b"\0" in chunk and not data.startswith(_UTF16):
            break
    return data


class _Rest:
    def __init__(self, start: bytes, file: BinaryIO) -> None:
        self._start, self._file = start, file

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            data, self._start = self._start + self._file.read(), b""
            return data
        data, self._start = self._start[:size], self._start[size:]
        return data + self._file.read(size - len(data))


def split_rows(text: str, name: str) -> list[Row]:
    """Return the rows that are not blank, each with the number of its first line.

    Cells are between commas, tabs or semicolons, and stripped.
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
    """Return the header and a matrix, if all cells below it are numbers.

    Else return all rows and None. Reading a matrix takes a tenth of the time. A number
    above a column of them is a score, no header.
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
    number = float(cell) if NUMBER.fullmatch(cell) else math.nan
    if not abs(number) <= LARGEST_NUMBER:
        advice = " Leave the cell blank." if cell.lower() in MISSING else ""
        if math.isfinite(number):
            advice = f" The largest is {LARGEST_NUMBER:g}."
        refuse(f"{expected}; got {cell!r}.{advice}")
    return number


def parse_numbers(lines: list[str], delimiter: str = "\t") -> np.ndarray | None:
    """Return a matrix, or None if `read_number` may refuse a cell."""
    try:
        numbers = np.loadtxt(lines, delimiter=delimiter, comments=None, ndmin=2)
    except ValueError:
        return None
    # Beyond NUMBER, loadtxt takes only "nan" and "inf".
    return numbers if np.all(np.abs(numbers) <= LARGEST_NUMBER) else None


def write_whole(header: Sequence[str]) -> list[str]:
    """Write 42.0 as 42, as which pandas turns seeds in a header, or on its side.

    Other names, such as 0.5 and 1.0, stay.
    """
    numbers = [x for x in header if NUMBER.fullmatch(x)]
    whole = {x: x.partition(".")[0] for x in numbers if _FLOAT.fullmatch(x)}
    if not 1 < len(whole) == len(numbers) == len({*whole.values()}):
        return [*header]
    return [whole.get(x, x) for x in header]


def get_cell(cells: tuple[str, ...], position: int) -> str:
    return cells[position] if position < len(cells) else ""


def _split_numbers(text: str) -> tuple[list[Row], np.ndarray] | None:
    text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    line = next((k for k, line in enumerate(lines) if line.strip()), len(lines))
    body = lines[line + 1 :]
    if (
        not any(body)
        or '"' in text
        or "\r" in text
        or re.search(r"\n[ \t]*\n", "\n".join(body).strip())
    ):
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


def find_delimiter(header: str) -> str:
    # A name may hold a comma or a semicolon, but hardly a tab.
    return "\t" if "\t" in header else max(",;", key=header.count)


def is_grouped(text: str) -> bool:
    return any(x.fullmatch(text) for x in (_BY_COMMAS, _BY_POINTS, _BY_APOSTROPHES))


def read_grouped(
    cells: list[Cell], columns: Mapping[str, Sequence[Any]], place: Place
) -> tuple[list[Cell], list[str]]:
    texts = [x for *_, x in cells if isinstance(x, str)]
    for mark, decimal, grouped, whole, called in (
        (",", ".", _BY_COMMAS, THOUSANDS, "commas"),
        (".", ",", _BY_POINTS, _POINTS, "points"),
        ("'", ".", _BY_APOSTROPHES, _BY_APOSTROPHES, "apostrophes"),
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
                    refuse(
                        f"{place(name, k)}: expected {called} of thousands, as other "
                        f"scores of the file have; got {show_cell(columns[name][k])}. "
                        "Write all of them in one way."
                    )
                text = cell.replace(mark, "").replace(decimal, ".")
            plain.append((name, k, text))
        first = f"1{mark}234{decimal}5"
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
        refuse(
            f"{place(name, k)}: expected a number; got {text!r} beside others without "
            f"a point, which is {text} or {text.replace('.', '')}. Write it without "
            "points, or all with as many decimals."
        )


def show_cell(cell: Any) -> str:
    shown = represent(cell)
    return shown if len(shown) <= _MAX_SHOWN else f"{shown[:_MAX_SHOWN]} ..."


def say_means(cells: Iterable[Any]) -> str:
    texts = [x.strip() for x in cells if isinstance(x, str)]
    mark = next((x[1] for y in texts if (x := _MARKED.fullmatch(y)) is not None), None)
    if mark is not None:
        return f" {mark!r} marks the number, as for a footnote: remove it."
    if not any(map(_MEAN.fullmatch, texts)):
        return ""
    return (
        " A mean with its deviation is no score, and does not say of how many runs it "
        "is. Write the score of each run in a row of its own, without a deviation."
    )
