"""The kind of a file, and the tables in it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sigarray.read import _harnesses, _layout, _lm_eval, _trackers
from sigarray.read._cells import as_text, have_names, is_blank, looks_like_score
from sigarray.read._codes import distinct, encode
from sigarray.read._files import (
    ARRAYS,
    EXCEL,
    SourceFile,
    is_mlflow_store,
    is_of_suffix,
)
from sigarray.read._frame import Frame, list_names
from sigarray.read._frames import is_stored_table, read_stored_table
from sigarray.read._json import (
    find_tables,
    flatten,
    parse_document,
    parse_lines,
    read_arrays,
    read_nested,
    refuse_document,
    tabulate_part,
    tabulate_records,
    take_part,
)
from sigarray.read._layout import TextTable, read_table
from sigarray.read._text import NUMBER, TableError, read_text

# The scores of models, whose numbers may differ.
Columns = dict[str, list[Any]]

_OF_TABLES: tuple[Callable[[Frame, str], Frame | None], ...] = (
    _harnesses.convert_data_frame,
    _harnesses.convert_details,
    _trackers.convert_runs,
    _trackers.convert_curve,
    _trackers.convert_chart,
)
_OF_DOCUMENTS: tuple[Callable[..., Frame | None], ...] = (
    _lm_eval.read_results,
    _harnesses.read_log,
    _trackers.read_evaluate,
    _trackers.read_history,
)


def open_source(
    file: SourceFile, table: str | None = None
) -> tuple[str, Frame | TextTable | Columns]:
    """Return the name and the content of a file, or of a table in it."""
    path = file.path
    if path.lower().endswith(EXCEL):
        return path, _layout.read_sheet(path, table)
    name, content = _open(path)
    if isinstance(content, _Document):
        return name, _recognise(name, content.content, table)
    if table is not None:
        msg = (
            f"{name}: expected a workbook of Excel or a document of JSON, for --table "
            f"{table}; got a file of one table."
        )
        raise TableError(msg)
    return name, content


class _Document(NamedTuple):
    """A document of JSON, which may hold several tables."""

    content: Any


def _open(path: str) -> tuple[str, Frame | TextTable | Columns | _Document]:
    """Return the name and the content of a file of any kind but Excel's."""
    lower = path.lower()
    if path != "-" and Path(path).is_dir():
        folder = Path(path)
        is_store = is_mlflow_store(folder)
        read = _trackers.read_mlflow_store if is_store else _trackers.read_events
        return path, read(folder)
    if lower.endswith(".eval"):
        return path, _harnesses.read_archive(path)
    if lower.endswith(ARRAYS):
        return path, read_arrays(path)
    if is_stored_table(path):
        return path, read_stored_table(path)
    name, text = read_text(path)
    return name, _parse(text, name, path)


def _parse(text: str, name: str, path: str) -> Frame | TextTable | _Document:
    """Return the content of a text of CSV, JSON or JSON lines."""
    start = text.lstrip()[:1]
    is_lines = is_of_suffix(path, (".jsonl", ".ndjson"))
    if start not in ("{", "[") or is_of_suffix(path, (".csv", ".tsv")):
        return read_table(text, name)
    if is_lines or (start == "{" and _has_records(text)):
        lines, records = parse_lines(text, name)
        return _lm_eval.read_samples(name, lines, records) or tabulate_records(
            "records of JSON", name, records, "line", lines
        )
    return _Document(parse_document(text, name))


def tabulate(content: Frame | TextTable, name: str, path: str) -> Frame:
    """Return a table as a frame, converted if a known tool wrote it."""
    frame = content if isinstance(content, Frame) else _tabulate_text(content, name)
    _refuse_no_header(frame)
    if not frame.roles and frame.columns:
        for convert in _OF_TABLES:
            converted = convert(frame, path)
            if converted is not None:
                return converted
    return frame


def _refuse_no_header(frame: Frame) -> None:
    """Refuse a header of numbers, and of words that recur in the rows below."""
    words = [x for x in frame.columns if not NUMBER.fullmatch(x)]
    if len(words) == len(frame.columns) or not words:
        return
    if all(x in map(as_text, distinct(frame.columns[x])) for x in words):
        msg = (
            f"{frame.source}: expected a line of names of columns; got "
            f"{list_names(frame.columns, 4)}, as in the rows below. Put a line of "
            "names first, such as model,score."
        )
        raise TableError(msg)


def _tabulate_text(table: TextTable, name: str) -> Frame:
    rows, numbers, notes = table
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
        are_names = header[:1] == [""] and have_names(unnamed)
        are_numbers = all(map(looks_like_score, unnamed)) and not are_names
        if are_numbers or all(map(is_blank, unnamed)):
            columns.pop("", None)
        lines = [line for line, _ in rows[1:]]
    twice = tuple(x for x in columns if header.count(x) > 1)
    return Frame("a table", name, columns, lines, twice=twice, notes=notes)


def _has_records(text: str) -> bool:
    """Tell whether lines are records, not one document."""
    lines = [line for line in text.split("\n", 2)[:2] if line.strip()]
    return len(lines) > 1 and all(
        line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines
    )


def _recognise(name: str, document: Any, table: str | None) -> Frame | Columns:
    if table is not None:
        frame = tabulate_part(document, table, name)
        if frame is not None:
            return frame
        document = take_part(document, table, name)
    if isinstance(document, dict):
        return _recognise_mapping(name, document)
    are_records = isinstance(document, list) and all(
        isinstance(x, dict) for x in document
    )
    if not document or not are_records:
        raise refuse_document(document, name)
    return _harnesses.read_instances(name, document) or tabulate_records(
        "records of JSON", name, document, "record"
    )


def _recognise_mapping(name: str, document: dict[str, Any]) -> Frame | Columns:
    for read in _OF_DOCUMENTS:
        frame = read(name, document)
        if frame is not None:
            return frame
    if document and all(map(_is_column, document.values())):
        return document
    nested = read_nested(name, document)
    if nested is not None:
        return nested
    # The document of a single run, such as metrics.json.
    n_inner = sum(isinstance(x, dict) for x in document.values())
    is_flat = not any(isinstance(x, list) for x in flatten(document).values())
    if is_flat and n_inner < len(document):
        return tabulate_records("a record of JSON", name, [document], "record")
    tables = find_tables(document)
    if len(tables) == len(document) == 1:
        return _recognise(name, document, *tables)
    raise refuse_document(document, name, list(tables))


def _is_column(x: Any) -> bool:
    """Tell whether a value is a list of cells, as of a model."""
    return isinstance(x, list) and not any(isinstance(y, (list, dict)) for y in x)
