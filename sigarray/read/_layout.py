"""Tables of text, with what stands around them, and sheets of Excel."""

import csv
import io
import re
import zipfile
from typing import Any, NamedTuple

import numpy as np

from sigarray._plain_text import suggest
from sigarray.read._frame import list_names
from sigarray.read._text import (
    NUMBER,
    Row,
    TableError,
    find_delimiter,
    lacks_file,
    lacks_library,
    split_table,
)

# "# lr=0.1" or "#lr", but not "#,lstm" or "#1,lstm", which are names of columns.
_COMMENT = re.compile(r"\s*#(#|\s|[^\W\d]|$)")
_BAR = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+\s*(:?-+:?)?\s*")
_BOLD = re.compile(r"(\*\*|__)(.+)\1")
_LATEX = re.compile(r"\\begin\{(tabular|table|longtable)|\\(top|mid)rule|\\hline")
# The part of a file in which a table of LaTeX or Markdown shows.
_START = 10_000


class TextTable(NamedTuple):
    """Rows of a table of text, or its header and a matrix, and what was left out."""

    rows: list[Row]
    numbers: np.ndarray | None
    notes: tuple[str, ...] = ()


def read_table(text: str, name: str) -> TextTable:
    """Return the rows of a table of text, without comments and a title above it."""
    if _LATEX.search(text[:_START]):
        msg = (
            f"{name}: expected cells between commas, tabs or semicolons; got a table "
            "of LaTeX. Write its rows with commas in place of & and without what is no "
            "row; docs/files.md has lines of Python that do so."
        )
        raise TableError(msg)
    if _is_markdown(text):
        return _split_markdown(text, name)
    text, notes = _take_off_comments(text)
    text, title = _take_off_title(text)
    rows, numbers = split_table(text, name)
    if numbers is None:
        _refuse_two_headers(rows, name)
    return TextTable(rows, numbers, (*notes, *title))


def _is_markdown(text: str) -> bool:
    lines = [x for x in text[:_START].split("\n") if "|" in x]
    return len(lines) > 1 and any(map(_BAR.fullmatch, lines))


def _split_markdown(text: str, name: str) -> TextTable:
    """Return the rows of the only table in a text of Markdown."""
    lines = text.split("\n")
    bars = [k for k, line in enumerate(lines) if k and _BAR.fullmatch(line)]
    if len(bars) != 1 or "|" not in lines[bars[0] - 1]:
        msg = (
            f"{name}: expected one table of Markdown; got {len(bars)}. Leave one in "
            "the file, or save one as CSV."
        )
        raise TableError(msg)
    (bar,) = bars
    places = [bar - 1]
    for k in range(bar + 1, len(lines)):
        if "|" not in lines[k]:
            break
        places.append(k)
    inner = [re.sub(r"^\s*\||(?<!\\)\|\s*$", "", lines[k].strip()) for k in places]
    split = csv.reader(
        inner, delimiter="|", quoting=csv.QUOTE_NONE, escapechar="\\", strict=True
    )
    rows: list[Row] = [
        (k + 1, tuple(_BOLD.sub(r"\2", cell.strip()) for cell in cells))
        for k, cells in zip(places, split, strict=True)
    ]
    n_others = sum(bool(x.strip()) for x in lines) - len(rows) - 1
    notes: tuple[str, ...] = ()
    if n_others:
        some = "line was" if n_others == 1 else "lines were"
        notes = (f"{n_others} {some} left out, which are not of its table",)
    return TextTable(rows, None, notes)


def _take_off_comments(text: str) -> tuple[str, list[str]]:
    """Blank the comments at the start, but for a header that is written as one."""
    start, lines = 0, []
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        line = text[start:end]
        if line.strip() and not _COMMENT.match(line):
            break
        lines.append(line)
        start = end
    comments = [k for k, line in enumerate(lines) if line.strip()]
    if not comments:
        return text, []
    first = text[start : text.find("\n", start) + 1 or len(text)]
    last, notes = comments[-1], []
    kept = ["\n"] * len(lines)
    if _is_header(lines[last], first):
        kept[last] = re.sub(r"^\s*#+\s*", "", lines[last])
        notes.append(f"line {last + 1}, which begins with #, was taken for the header")
        comments.pop()
    if comments:
        some = "line that begins" if len(comments) == 1 else "lines that begin"
        verb = "was" if len(comments) == 1 else "were"
        notes.append(f"{len(comments)} {some} with # {verb} left out")
    return "".join(kept) + text[start:], notes


def _is_header(comment: str, below: str) -> bool:
    """Tell whether a comment has a name for each cell below it, which has numbers."""
    delimiter = find_delimiter(below)
    cells, names = below.split(delimiter), comment.split(delimiter)
    has_numbers = any(NUMBER.fullmatch(x.strip()) for x in cells)
    return has_numbers and len(cells) == len(names)


def _take_off_title(text: str) -> tuple[str, list[str]]:
    """Blank a line of one cell above a header of several names."""
    lines = text.split("\n", 50)
    places = [k for k, line in enumerate(lines[:50]) if line.strip()][:3]
    if len(places) < 3:
        return text, []
    title, header, row = (lines[k] for k in places)
    delimiter = find_delimiter(header)
    names = [x.strip() for x in header.split(delimiter)]
    cells = [x.strip() for x in row.split(delimiter)]
    filled = [x for x in title.split(delimiter) if x.strip()]
    is_title = len(filled) == 1 and not _is_number(filled[0])
    if (
        not is_title
        or '"' in title + header
        or len(names) < 2
        or len(names) != len(cells)
        or any(map(_is_number, names))
        or not any(map(_is_number, cells))
    ):
        return text, []
    lines[places[0]] = ""
    said = f"line {places[0] + 1}, {filled[0].strip()!r}, was taken for a title"
    return "\n".join(lines), [said]


def _is_number(cell: str) -> bool:
    return bool(NUMBER.fullmatch(cell.strip().strip('"').rstrip("%")))


def _refuse_two_headers(rows: list[Row], name: str) -> None:
    """Refuse two rows of names, as pandas writes of columns with several levels."""
    if len(rows) < 3:
        return
    header, second = ([x for x in cells if x] for _, cells in rows[:2])
    below = [cells for _, cells in rows[2:4]]
    if (
        len(second) > 1
        and len(set(header)) < len(header)
        and not any(map(_is_number, second))
        and any(_is_number(x) for cells in below for x in cells)
    ):
        msg = (
            f"{name}, line {rows[1][0]}: expected scores below one row of names; got "
            f"a second row of names, {', '.join(second[:3])}, as pandas writes of "
            "columns with several levels. Write a row for each score: "
            "frame.stack().reset_index().to_csv(...)."
        )
        raise TableError(msg)


def read_sheet(path: str, table: str | None) -> TextTable:
    """Return the rows of the only sheet with cells, or of the one with a name."""
    try:
        import openpyxl
    except ImportError as error:
        raise lacks_library(path, "openpyxl") from error
    try:
        values, formulas = (
            openpyxl.load_workbook(path, data_only=x) for x in (True, False)
        )
    except FileNotFoundError as error:
        raise lacks_file(path) from error
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        msg = f"{path} cannot be read as a workbook of Excel: {error}."
        raise TableError(msg) from error
    filled = [
        x.title
        for x in formulas.worksheets
        if any(y is not None for row in x.values for y in row)
    ]
    if table is None and len(filled) != 1:
        msg = (
            f"{path}: expected one sheet with cells; got {list_names(filled)}. Choose "
            "one with --table NAME."
        )
        raise TableError(msg)
    if table is not None and table not in filled:
        msg = (
            f"{path}: expected a sheet of it for --table; got {table!r}."
            f"{suggest(table, filled)} Its sheets with cells are {list_names(filled)}."
        )
        raise TableError(msg)
    sheet = filled[0] if table is None else table
    rows = [
        [_write(x, y, path) for x, y in zip(shown, meant, strict=True)]
        for shown, meant in zip(
            values[sheet].iter_rows(), formulas[sheet].iter_rows(), strict=True
        )
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return read_table(text.getvalue(), path)


def _write(shown: Any, meant: Any, path: str) -> str:
    """Return the text of a cell; `meant` is its formula, if it has one."""
    value = shown.value
    if value is None and meant.value is not None:
        msg = (
            f"{path}, cell {meant.coordinate}: expected a value; got the formula "
            f"{meant.value}, which was never computed. Open the file in Excel, and "
            "save it."
        )
        raise TableError(msg)
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
