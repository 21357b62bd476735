"""Data frames of any library, tables of Parquet and Arrow, and sheets of Excel."""

import collections
import csv
import io
import math
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sigarray._backend.checks import describe
from sigarray._numeric.sources import SUFFIXES
from sigarray._plain_text import suggest
from sigarray.read._cells import as_text, have_names
from sigarray.read._codes import Coded, encode
from sigarray.read._frame import Frame, Names, list_names, refuse_twice
from sigarray.read._roles import guess_roles, names_runs
from sigarray.read._text import (
    TableError,
    lacks_file,
    lacks_library,
    refuse,
    write_whole,
)
from sigarray.read._words import RUN_NAME, is_metric

# The name that pandas stores for a level of an index that has none.
_STORED = re.compile(r"__index_level_\d+__")


def is_stored_table(path: str) -> bool:
    return Path(path).suffix.lower() in SUFFIXES


def read_stored_table(path: str) -> Frame:
    try:
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError as error:
        raise lacks_library(path, "pyarrow") from error
    is_parquet = Path(path).suffix.lower() in (".parquet", ".pq")
    try:
        if is_parquet:
            refuse_twice(path, _list_twice(pyarrow.parquet.read_schema(path).names))
        table = (
            pyarrow.parquet.read_table(path)
            if is_parquet
            else pyarrow.feather.read_table(path)
        )
    except FileNotFoundError as error:
        raise lacks_file(path) from error
    except (pyarrow.ArrowException, OSError) as error:
        text = str(error).splitlines()[0].rstrip(".")
        msg = f"{path} cannot be read as a table: {text}."
        raise TableError(msg) from error
    return read_data_frame(table, path, nan_is_blank=False)


def read_data_frame(data: Any, name: str, *, nan_is_blank: bool = True) -> Frame:
    """Return the columns of a data frame, whose missing cells are blank.

    NaN is blank too, as in pandas; in a file it is refused later.
    """
    try:
        import narwhals.stable.v1 as nw
        from narwhals.exceptions import DuplicateError
    except ImportError as error:
        raise lacks_library(name, "narwhals") from error
    data, index = _name_columns(data, name)
    try:
        frame = nw.from_native(data, eager_only=True)
        names = frame.columns
    except DuplicateError:
        names = getattr(data, "column_names", None) or list(data.columns)
    except TypeError as error:
        msg = (
            "Expected a path, a data frame, or a mapping of models to scores, such as "
            f"{{'lstm': [0.9, 0.8], 'cnn': [0.7, 0.8]}}; got {describe(data)}."
        )
        if isinstance(data, list) and all(isinstance(x, (str, Path)) for x in data):
            msg += " Pass several files one by one, as scores(*files)."
        elif isinstance(data, list) and all(isinstance(x, dict) for x in data):
            msg += " Make a data frame of rows: pandas.DataFrame(rows)."
        raise TypeError(msg) from error
    texts = write_whole(
        [
            "" if x is None or (isinstance(x, float) and math.isnan(x)) else str(x)
            for x in names
        ]
    )
    refuse_twice(name, _list_twice(texts))
    if not len(frame):
        refuse(
            f"{name}: expected rows of scores; got columns {list_names(texts)} alone."
        )
    columns = {
        text: _read_column(frame.get_column(x), nan_is_blank=nan_is_blank)
        for text, x in zip(texts, names, strict=True)
    }
    columns, index = _name_stored_index(columns, index, name, data)
    lines = range(1, len(frame) + 1)
    return Frame("a data frame", name, columns, lines, "row", index=index)


def _list_twice(names: Names) -> list[str]:
    return [x for x, n in collections.Counter(names).items() if n > 1]


def _read_column(series: Any, *, nan_is_blank: bool) -> Any:
    import narwhals.stable.v1 as nw

    blank = series.is_null()
    if nan_is_blank and series.dtype.is_float():
        blank |= series.is_nan()
    if series.dtype.is_numeric() and not series.dtype.is_decimal():
        if not blank.any():
            return series.to_numpy()
        is_filled = (~blank).to_numpy()
        codes = np.where(is_filled, np.cumsum(is_filled) - 1, -1)
        return Coded(codes, series.filter(~blank).to_numpy())
    if series.dtype in (nw.String, nw.Categorical, nw.Enum, nw.Boolean):
        column = _encode_in_arrow(series)
        if column is not None:
            return column
    cells = [
        None if x else cell
        for x, cell in zip(blank.to_list(), series.to_list(), strict=True)
    ]
    return encode(cells) if {*map(type, cells)} <= {str, type(None)} else cells


def _encode_in_arrow(series: Any) -> Coded | None:
    try:
        import pyarrow
    except ImportError:
        return None
    try:
        column = series.to_arrow()
        if not pyarrow.types.is_dictionary(column.type):
            column = column.dictionary_encode()
        if isinstance(column, pyarrow.ChunkedArray):  # as from pandas
            column = column.combine_chunks()
        codes = column.indices.cast(pyarrow.int32()).fill_null(-1)
    except pyarrow.ArrowException:  # too much text, or other cells below texts
        return None
    return Coded(codes.to_numpy(zero_copy_only=False), column.dictionary.to_pylist())


def _name_columns(data: Any, name: str) -> tuple[Any, tuple[str, ...]]:
    """Return a data frame with one name for each column, and the names of its index.

    Of several levels, those that never vary are left out, metrics are joined with runs,
    and tasks beside models become rows.
    """
    index: Any = getattr(data, "index", None)
    if not hasattr(index, "nlevels") or not hasattr(data, "columns"):
        return data, _list_stored_index(data)  # from another library
    data = _stack_tasks(data)
    columns = data.columns
    levels = [columns.get_level_values(k) for k in range(columns.nlevels)]
    telling = [k for k, level in enumerate(levels) if len(set(level)) > 1]
    of_runs = _join_runs([levels[k] for k in telling])
    if len(levels) > 1 and len(telling) != 1 and of_runs is None:
        refuse(
            f"{name}: expected one name for each column; got {len(levels)} levels of "
            f"them, such as {tuple(map(str, columns[0]))}. Where one of them names "
            "metrics, choose one by data.xs(metric, axis=1, level=...); or give a row "
            "to each score by data.stack(level=...).reset_index()."
        )
    data = data.copy(deep=False)
    data.columns = levels[telling[0] if len(levels) > 1 else 0]
    if of_runs is not None:
        data.columns = of_runs
    data, unnamed = _name_rows(data, name)
    names = tuple(str(x) for x in data.index.names if x is not None)
    twice = [x for x in names if x in data.columns]
    if twice:
        refuse(
            f"{name}: expected each column once; got {list_names(twice)} as a column "
            "and as an index. Remove one: data.reset_index(drop=True)."
        )
    return data.reset_index() if names else data, (*names, *unnamed)


def _stack_tasks(data: Any) -> Any:
    columns = data.columns
    levels = [columns.get_level_values(k) for k in range(columns.nlevels)]
    telling = [k for k, level in enumerate(levels) if len(set(level)) > 1]
    names = [str(levels[k].name) for k in telling]
    roles = guess_roles(names)
    if len(names) != 2 or roles.keys() != {"model", "task"}:
        return data
    unused = [k for k in range(len(levels)) if k not in telling]
    data = data.copy(deep=False)
    data.columns = columns.droplevel(unused) if unused else columns
    task = telling[names.index(roles["task"])]
    return data.stack(levels[task].name, future_stack=True).dropna(how="all")


def _join_runs(levels: Sequence[Any]) -> list[str] | None:
    """Return names such as "acc_seed0" for a level of metrics and one of runs."""
    if len(levels) != 2:
        return None
    for runs, metrics in (levels, levels[::-1]):
        texts = list(map(as_text, runs))
        are_named = all(map(RUN_NAME.fullmatch, texts))
        are_numbers = names_runs(str(runs.name)) and all(map(str.isdecimal, texts))
        names = list(map(as_text, metrics))
        if (are_named or are_numbers) and any(map(is_metric, names)):
            word = "" if are_named else "seed"
            return [f"{x}_{word}{run}" for x, run in zip(names, texts, strict=True)]
    return None


def _list_stored_index(data: Any) -> tuple[str, ...]:
    index = _read_pandas_metadata(data).get("index_columns", ())
    names = [x for x in index if isinstance(x, str)]
    return tuple(x for x in names if not _STORED.fullmatch(x))


def _name_rows(data: Any, name: str) -> tuple[Any, tuple[str, ...]]:
    """Return a data frame with its index as a column "", unless it numbers the rows."""
    index = data.index
    levels = [k for k, x in enumerate(index.names) if x is None]
    if not levels or not len(index):
        return data, ()
    if len(levels) > 1:
        raise _ask_about_levels(name, index[0])
    labels = index.get_level_values(levels[0])
    named = data.droplevel(levels[0]) if index.nlevels > 1 else data
    if "" in data.columns or not have_names(labels.unique().to_numpy()):
        return named, ()
    cells = labels.astype(str) if labels.dtype.kind in "mM" else labels
    texts = [
        None if x else cell if isinstance(cell, str) else as_text(cell)
        for x, cell in zip(labels.isna().tolist(), cells, strict=True)
    ]
    named = named.copy(deep=False)
    named.insert(0, "", texts)
    return named, ("",)


def _name_stored_index(
    columns: dict[str, Any], index: tuple[str, ...], name: str, data: Any
) -> tuple[dict[str, Any], tuple[str, ...]]:
    levels = [x for x in columns if _STORED.fullmatch(x)]
    if not levels or "" in columns:
        return columns, index
    others = {x: y for x, y in columns.items() if x not in levels}
    if len(levels) > 1:
        raise _ask_about_levels(name, tuple(columns[x][0] for x in levels))
    cells = columns[levels[0]]
    if not have_names(cells) and not _are_periods(data, levels[0]):
        return others, index
    texts = [None if x is None else as_text(x) for x in cells]
    midnight = " 00:00:00"
    if all(x is None or x.endswith(midnight) for x in texts):
        texts = [x and x.removesuffix(midnight) for x in texts]
    return {"": texts, **others}, (*index, "")


def _are_periods(data: Any, column: str) -> bool:
    return any(
        about["field_name"] == column and about["numpy_type"].startswith("period")
        for about in _read_pandas_metadata(data).get("columns", ())
    )


def _read_pandas_metadata(data: Any) -> Any:
    return getattr(getattr(data, "schema", None), "pandas_metadata", None) or {}


def _ask_about_levels(name: str, first: tuple[object, ...]) -> TableError:
    return TableError(
        f"{name}: expected a name of each level of its index; got "
        f"{tuple(map(as_text, first))}. Say what they are, as with "
        "data.rename_axis(['task', 'item']), or leave them out: "
        "data.reset_index(drop=True)."
    )


def read_sheet(path: str, table: str | None) -> str:
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
        refuse(
            f"{path}: expected one sheet with cells; got {list_names(filled)}. Choose "
            "one with --table NAME."
        )
    if table is not None and table not in filled:
        refuse(
            f"{path}: expected a sheet of it for --table; got {table!r}."
            f"{suggest(table, filled)} Its sheets with cells are {list_names(filled)}."
        )
    sheet = filled[0] if table is None else table
    rows = [
        [_write(x, y, path) for x, y in zip(shown, meant, strict=True)]
        for shown, meant in zip(
            values[sheet].iter_rows(), formulas[sheet].iter_rows(), strict=True
        )
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def _write(shown: Any, meant: Any, path: str) -> str:
    value = shown.value
    if value is None and meant.value is not None:
        refuse(
            f"{path}, cell {meant.coordinate}: expected a value; got the formula "
            f"{meant.value}, which was never computed. Open the file in Excel, and "
            "save it."
        )
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
