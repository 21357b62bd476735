"""Sheets of Excel, read by openpyxl."""

import csv
import io
import zipfile
from typing import Any

from sigarray._plain_text import suggest
from sigarray.read._bytes import TableError
from sigarray.read._frame import list_names
from sigarray.read._layout import TextTable, read_table


def read_sheet(path: str, table: str | None) -> TextTable:
    """Return the rows of the only sheet with cells, or of the one with a name."""
    try:
        import openpyxl
    except ImportError as error:
        msg = f"{path}: expected openpyxl, to read it. Run: pip install openpyxl."
        raise TableError(msg) from error
    try:
        values, formulas = (
            openpyxl.load_workbook(path, data_only=x) for x in (True, False)
        )
    except FileNotFoundError as error:
        msg = f"{path} cannot be read: No such file or directory."
        raise TableError(msg) from error
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        msg = f"{path} cannot be read as a workbook of Excel: {error}."
        raise TableError(msg) from error
    filled = [x.title for x in formulas.worksheets if _has_cells(x)]
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


def _has_cells(sheet: Any) -> bool:
    return any(x is not None for row in sheet.values for x in row)


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
