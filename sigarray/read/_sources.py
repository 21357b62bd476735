"""The kind of a file, and the tables in it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sigarray.read import _helm, _inspect, _lighteval, _lm_eval, _trackers
from sigarray.read._bytes import TableError, read_text
from sigarray.read._cells import is_blank, looks_like_score
from sigarray.read._codes import distinct, encode
from sigarray.read._files import SourceFile, is_of_suffix
from sigarray.read._frame import Frame
from sigarray.read._frames import is_stored_table, read_stored_table
from sigarray.read._json import (
    flatten,
    parse_document,
    parse_lines,
    refuse_document,
    tabulate_records,
)
from sigarray.read._text import Row, split_table

# Rows of text, which have columns of models or are to be a frame.
TextTable = tuple[list[Row], np.ndarray | None]
# The scores of models, whose numbers may differ.
Columns = dict[str, list[Any]]

_OF_LINES: tuple[Callable[..., Frame | None], ...] = (_lm_eval.read_samples,)
_OF_TABLES: tuple[Callable[[Frame, str], Frame | None], ...] = (
    _inspect.convert_data_frame,
    _lighteval.convert_details,
    _trackers.convert_runs,
    _trackers.convert_curve,
    _trackers.convert_chart,
)
_OF_DOCUMENTS: tuple[Callable[..., Frame | None], ...] = (
    _lm_eval.read_results,
    _inspect.read_log,
    _trackers.read_evaluate,
)


def open_source(file: SourceFile) -> tuple[str, Frame | TextTable | Columns]:
    """Return the name and the content of a file.

    Raises
    ------
    TableError
        A file that cannot be read, or is of an unknown kind.
    """
    path = file.path
    if path != "-" and Path(path).is_dir():
        return path, _trackers.read_mlflow_store(Path(path))
    if path.lower().endswith(".eval"):
        return path, _inspect.read_archive(path)
    if is_stored_table(path):
        return path, read_stored_table(path)
    name, text = read_text(path)
    start = text.lstrip()[:1]
    is_lines = is_of_suffix(path, (".jsonl", ".ndjson"))
    if start not in ("{", "[") or is_of_suffix(path, (".csv", ".tsv")):
        return name, split_table(text, name)
    if is_lines or (start == "{" and _has_records(text)):
        lines, records = parse_lines(text, name)
        return name, _recognise_lines(name, lines, records)
    return name, _recognise_document(name, parse_document(text, name))


def tabulate(content: Frame | TextTable, name: str, path: str) -> Frame:
    """Return a table as a frame, converted if a known tool wrote it."""
    frame = content if isinstance(content, Frame) else _tabulate_text(*content, name)
    if not frame.roles and frame.columns:
        for convert in _OF_TABLES:
            converted = convert(frame, path)
            if converted is not None:
                return converted
    return frame


def _tabulate_text(rows: list[Row], numbers: np.ndarray | None, name: str) -> Frame:
    header = [" ".join(cell.split()) for cell in rows[0][1]] if rows else []
    if numbers is not None:
        columns: dict[str, Any] = {
            column: numbers[:, k] for k, column in enumerate(header)
        }
        lines: Sequence[int] = range(rows[0][0] + 1, rows[0][0] + 1 + len(numbers))
    else:
        for line, row in rows[1:]:
            if any(row[len(header) :]):
                msg = (
                    f"{name}, line {line}, column {len(header) + 1}: expected "
                    f"{len(header)} cells, as in the header; got {len(row)}."
                )
                raise TableError(msg)
        columns = {
            column: encode([x[k] if k < len(x) else "" for _, x in rows[1:]])
            for k, column in enumerate(header)
        }
        # The index of a data frame has no name; its numbers of rows have no meaning.
        unnamed = distinct(columns.get("", []))
        if all(map(is_blank, unnamed)) or all(map(looks_like_score, unnamed)):
            columns.pop("", None)
        lines = [line for line, _ in rows[1:]]
    twice = tuple(x for x in columns if header.count(x) > 1)
    return Frame("a table", name, columns, lines, twice=twice)


def _has_records(text: str) -> bool:
    """Tell whether lines are records, not one document."""
    lines = [line for line in text.split("\n", 2)[:2] if line.strip()]
    return len(lines) > 1 and all(
        line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines
    )


def _recognise_lines(
    name: str, lines: list[int], records: list[dict[str, Any]]
) -> Frame:
    for read in _OF_LINES:
        frame = read(name, lines, records)
        if frame is not None:
            return frame
    return tabulate_records("records of JSON", name, records, lines, "line")


def _recognise_document(name: str, document: Any) -> Frame | Columns:
    if not isinstance(document, (dict, list)):
        raise refuse_document(document, name)
    if isinstance(document, dict):
        for read in _OF_DOCUMENTS:
            frame = read(name, document)
            if frame is not None:
                return frame
        if document and all(isinstance(x, list) for x in document.values()):
            return dict(document)
        # The document of a single run, such as metrics.json.
        n_inner = sum(isinstance(x, dict) for x in document.values())
        is_flat = not any(isinstance(x, list) for x in flatten(document).values())
        if is_flat and n_inner < len(document):
            return tabulate_records("a record of JSON", name, [document], [1], "record")
    elif document and all(isinstance(x, dict) for x in document):
        frame = _helm.read_instances(name, document)
        if frame is not None:
            return frame
        places = list(range(1, len(document) + 1))
        return tabulate_records("records of JSON", name, document, places, "record")
    raise refuse_document(document, name)
