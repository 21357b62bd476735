"""Scores that are not held in memory: arrays on disk, files, and functions."""

import functools
import json
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sigarray._backend.callers import Array
from sigarray._backend.checks import describe
from sigarray._backend.given import check_plain

# Returns some of the scores of a sample, chunk by chunk, each time it is called.
Part = Callable[[], Iterable[Any]]

# The scores of a part, which one worker reads, and of a block, which fits in the cache
# of a core.
PART, _BLOCK = 2**26, 2**16
_BATCH = 2**20
_ARROW = (".arrow", ".feather", ".ipc")
_PARQUET = (".parquet", ".pq")
SUFFIXES = _PARQUET + _ARROW  # of tables


def list_parts(source: Any, size: int = PART) -> list[Part]:
    column = None
    if isinstance(source, tuple) and len(source) == 2 and isinstance(source[1], str):
        source, column = source
    if isinstance(source, np.ndarray) and column is None:
        check_plain(source)
        _check_vector(source)
        return [
            functools.partial(_slice, source[start:stop])
            for start, stop in _cut(len(source), size)
        ]
    if isinstance(source, (str, os.PathLike)):
        return _parts_of_file(Path(source), column, size)
    if callable(source) and column is None:
        return [source]
    msg = (
        f"Expected scores as a NumPy array, a path (.npy, .parquet, .arrow), a pair "
        f"(path, column), or a function that gives chunks anew whenever it is called; "
        f"got {describe(source)}."
    )
    raise TypeError(msg)


def find_dtype(parts: list[Part]) -> np.dtype:
    for part in parts:
        for chunk in part():
            return _as_floats(chunk).dtype
    msg = (
        "Expected one score or more; got none. A function has to give all its chunks "
        "anew whenever it is called, and no iterator that was used before."
    )
    raise ValueError(msg)


def read_blocks(part: Part, dtype: np.dtype) -> Iterator[np.ndarray]:
    for chunk in part():
        floats = _as_floats(chunk)
        if not np.can_cast(floats.dtype, dtype):
            msg = (
                f"Expected all chunks to have dtype {dtype}, as the first one has; got "
                f"{floats.dtype}. Make them one, with chunk.astype({floats.dtype})."
            )
            raise TypeError(msg)
        for start in range(0, len(floats), _BLOCK):
            yield floats[start : start + _BLOCK].astype(dtype, copy=False)


def _parts_of_file(path: Path, column: str | None, size: int) -> list[Part]:
    if path.suffix == ".npy":
        if column is not None:
            msg = f"Expected no column for {path}, which is one array; got {column!r}."
            raise ValueError(msg)
        array = np.load(path, mmap_mode="r")
        _check_vector(array)
        return [
            functools.partial(_read_npy, path, array.dtype, array.offset, start, stop)
            for start, stop in _cut(len(array), size)
        ]
    if path.suffix not in SUFFIXES:
        msg = (
            f"Expected a file that ends with .npy, .parquet or .arrow; got {path}. "
            f"Pass a function that gives its scores in chunks."
        )
        raise ValueError(msg)
    schema, n_groups, read = _open_table(path)
    names, models = schema.names, _list_models(schema)
    if column is None and len(models) == 1:
        column = models[0]
    if column is None or column not in names:
        got = "no column" if column is None else repr(column)
        msg = (
            f"Expected one of the columns of {path}, {', '.join(map(repr, names))}; "
            f"got {got}. Pass (path, column)."
        )
        raise ValueError(msg)
    return [functools.partial(_read_group, read, k, column) for k in range(n_groups)]


def column_names(path: Path) -> list[str]:
    """Return the names of the columns of a table on disk, without a pandas index."""
    return _list_models(_open_table(path)[0])


def index_names(path: Path) -> list[str]:
    schema = _open_table(path)[0]
    known = _list_models(schema)
    return [name for name in schema.names if name not in known]


def _list_models(schema: Any) -> list[str]:
    said = json.loads((schema.metadata or {}).get(b"pandas", b"{}"))
    index = said.get("index_columns", [])
    return [name for name in schema.names if name not in index]


def _open_table(path: Path) -> tuple[Any, int, Callable[..., Iterable[Any]]]:
    """Return the schema, the number of row groups, and a function that reads one."""
    try:
        import pyarrow.ipc
        import pyarrow.parquet
    except ImportError as error:
        msg = f'Expected pyarrow, to read {path}. Run: pip install "sigarray[arrow]".'
        raise ImportError(msg) from error
    if path.suffix in _PARQUET:
        with pyarrow.parquet.ParquetFile(path) as file:
            schema, n_groups = file.schema_arrow, file.num_row_groups
        read: Callable[..., Iterable[Any]] = functools.partial(_read_parquet, path)
    else:
        with pyarrow.memory_map(str(path)) as file:
            try:
                reader = pyarrow.ipc.open_file(file)
            except pyarrow.ArrowInvalid as error:
                msg = (
                    f"Expected an Arrow file with random access; got {path}: {error}. "
                    "A stream, as Hugging Face datasets write it, has to be written "
                    "anew: dataset.to_parquet(path)."
                )
                raise ValueError(msg) from error
            schema, n_groups = reader.schema, reader.num_record_batches
        read = functools.partial(_read_arrow, path)
    for name in schema.names:
        if schema.names.count(name) > 1:
            msg = f"Expected each column of {path} once; got {name!r} twice."
            raise ValueError(msg)
    return schema, n_groups, read


def _read_parquet(path: Path, group: int, column: str) -> Iterator[Any]:
    import pyarrow.parquet

    with pyarrow.parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(_BATCH, row_groups=[group], columns=[column]):
            yield batch.column(0)


def _read_arrow(path: Path, group: int, column: str) -> Iterator[Any]:
    import pyarrow.ipc

    with pyarrow.memory_map(str(path)) as file:
        yield pyarrow.ipc.open_file(file).get_batch(group).column(column)


def _read_group(
    read: Callable[..., Iterable[Any]], group: int, column: str
) -> Iterator[np.ndarray]:
    for values in read(group, column):
        if values.null_count:
            n, s = values.null_count, "" if values.null_count == 1 else "s"
            msg = (
                f"Expected a score in every row of column {column!r}; got {n:,} row{s} "
                f"without one. Leave out such rows."
            )
            raise ValueError(msg)
        array = values.to_numpy(zero_copy_only=False)
        if array.dtype.kind not in "biuf":
            msg = (
                f"Expected real numbers in column {column!r}; got {values.type}. Leave "
                "it out, or make it float64."
            )
            raise TypeError(msg)
        yield array


def _slice(array: np.ndarray) -> Iterator[np.ndarray]:
    yield array


def _read_npy(
    path: Path, dtype: np.dtype, offset: int, start: int, stop: int
) -> Iterator[np.ndarray]:
    """Read some of the scores without a memory map, which would hold what was read.

    The header was read before: NumPy parses it as Python, where threads that do so at
    once fail now and then (Python 3.11).
    """
    for first in range(start, stop, _BATCH):
        yield np.fromfile(
            path,
            dtype,
            count=min(_BATCH, stop - first),
            offset=offset + first * dtype.itemsize,
        )


def _cut(n: int, size: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + size, n)) for start in range(0, n, size))


def _check_vector(array: Array) -> None:
    if array.ndim != 1:
        msg = (
            f"Expected scores with one axis; got shape {array.shape}. Pass one model "
            f"at a time."
        )
        raise ValueError(msg)


def _as_floats(chunk: Any) -> np.ndarray:
    check_plain(chunk)
    array = np.asarray(chunk)
    _check_vector(array)
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8:
        kind = np.float64 if array.dtype.itemsize == 8 else np.float32
        return array.astype(kind, copy=False)
    if array.dtype.kind in "biu":
        return array.astype(np.float64)
    msg = f"Expected real numbers as scores, up to float64; got dtype {array.dtype}."
    raise TypeError(msg)
