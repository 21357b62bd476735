"""Data frames of any library, and tables of Parquet and Arrow."""

from pathlib import Path
from typing import Any

from sigarray._numeric.sources import SUFFIXES
from sigarray.read._bytes import TableError
from sigarray.read._frame import Frame


def is_stored_table(path: str) -> bool:
    """Tell by its name whether a file is of Parquet or Arrow."""
    return Path(path).suffix.lower() in SUFFIXES


def read_stored_table(path: str) -> Frame:
    """Read a file of Parquet or Arrow.

    Raises
    ------
    TableError
        No such file, a file of another kind, or no pyarrow.
    """
    try:
        import pyarrow.feather
        import pyarrow.parquet
    except ImportError as error:
        msg = f"{path}: expected pyarrow, to read it. Run: pip install pyarrow."
        raise TableError(msg) from error
    is_parquet = Path(path).suffix.lower() in (".parquet", ".pq")
    try:
        table = (
            pyarrow.parquet.read_table(path)
            if is_parquet
            else pyarrow.feather.read_table(path)
        )
    except FileNotFoundError as error:
        msg = f"{path} cannot be read: No such file or directory."
        raise TableError(msg) from error
    except (pyarrow.ArrowException, OSError) as error:
        text = str(error).splitlines()[0].rstrip(".")
        msg = f"{path} cannot be read as a table: {text}."
        raise TableError(msg) from error
    return read_data_frame(table, path)


def read_data_frame(data: Any, name: str) -> Frame:
    """Return the columns of a data frame, with None for missing cells.

    Raises
    ------
    TableError
        No data frame, one with a column twice or with several names for each, or no
        narwhals.
    """
    try:
        import narwhals.stable.v1 as nw
    except ImportError as error:
        msg = f"{name}: expected narwhals, to read it. Run: pip install narwhals."
        raise TableError(msg) from error
    data = _name_columns(data, name)
    index = getattr(data, "index", None)
    if any(x is not None for x in getattr(index, "names", ())):  # of pandas
        data = data.reset_index()
    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError as error:
        msg = (
            "Expected a path, a data frame, or a mapping of models to scores, such as "
            f"{{'lstm': [0.9, 0.8], 'cnn': [0.7, 0.8]}}; got {type(data).__name__}."
        )
        raise TypeError(msg) from error
    columns: dict[str, Any] = {}
    for column in frame.columns:
        series = frame.get_column(column)
        n_blank = series.null_count()
        if not n_blank and series.dtype.is_numeric() and not series.dtype.is_decimal():
            columns[str(column)] = series.to_numpy()
            continue
        # Equal texts are held once.
        texts: dict[Any, Any] = {}
        cells = series.to_list()
        if {*map(type, cells)} <= {str, type(None)}:
            cells = [texts.setdefault(x, x) for x in cells]
        if n_blank:
            blank = series.is_null().to_list()
            cells = [None if b else x for x, b in zip(cells, blank, strict=True)]
        columns[str(column)] = cells
    return Frame("a data frame", name, columns, range(1, len(frame) + 1), "row")


def _name_columns(data: Any, name: str) -> Any:
    """Return a data frame of pandas whose columns have one name each.

    If there are several levels, as in a pivot, those that never vary are left out.
    """
    columns = getattr(data, "columns", None)
    if getattr(columns, "nlevels", 1) == 1 or columns is None:
        return data
    levels = [columns.get_level_values(k) for k in range(columns.nlevels)]
    telling = [k for k, level in enumerate(levels) if len(set(level)) > 1]
    if len(telling) != 1:
        msg = (
            f"{name}: expected one name for each column; got {columns.nlevels} levels "
            f"of them, such as {columns[0]!r}. Where one of them names metrics, choose "
            "one by data.xs(metric, axis=1, level=...); or give a row to each score by "
            "data.stack(level=...).reset_index()."
        )
        raise TableError(msg)
    data = data.copy(deep=False)
    data.columns = levels[telling[0]]
    return data
