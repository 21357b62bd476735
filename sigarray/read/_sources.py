"""The kind of a file, and the tables in it, with what stands around them."""

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sigarray.read import _harnesses, _lm_eval, _trackers
from sigarray.read._cells import as_text, have_names, is_blank, looks_like_score
from sigarray.read._codes import distinct, encode
from sigarray.read._files import (
    ARRAYS,
    EVENTS,
    EXCEL,
    SourceFile,
    is_mlflow_store,
    is_of_suffix,
)
from sigarray.read._frame import Frame, list_names
from sigarray.read._frames import is_stored_table, read_sheet, read_stored_table
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
from sigarray.read._text import (
    NUMBER,
    Row,
    find_delimiter,
    read_text,
    refuse,
    split_table,
    write_whole,
)


class TextTable(NamedTuple):
    """Rows of a table, or its header and a matrix, and what was left out."""

    rows: list[Row]
    numbers: np.ndarray | None
    notes: tuple[str, ...] = ()


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
    path = file.path
    if path.lower().endswith(EXCEL):
        return path, read_table(read_sheet(path, table), path)
    name, content, is_document = _open(path)
    if is_document:
        return name, _recognise(name, content, table)
    if table is not None:
        refuse(
            f"{name}: expected a workbook of Excel or a document of JSON, for --table "
            f"{table}; got a file of one table."
        )
    return name, content


def _open(path: str) -> tuple[str, Any, bool]:
    """Return name and content, and whether it is JSON, of many tables."""
    lower = path.lower()
    folder = Path(path)
    if path != "-" and (folder.is_dir() or folder.name.startswith(EVENTS)):
        is_store = is_mlflow_store(folder)
        read = _trackers.read_mlflow_store if is_store else _trackers.read_events
        return path, read(folder), False
    if lower.endswith(".eval"):
        return path, _harnesses.read_archive(path), False
    if lower.endswith(ARRAYS):
        return path, read_arrays(path), False
    if is_stored_table(path):
        return path, read_stored_table(path), False
    name, text = read_text(path)
    return name, *_parse(text, name, path)


def _parse(text: str, name: str, path: str) -> tuple[Any, bool]:
    start = text.lstrip()[:1]
    is_lines = is_of_suffix(path, (".jsonl", ".ndjson"))
    if start not in ("{", "[") or is_of_suffix(path, (".csv", ".tsv")):
        return read_table(text, name), False
    if is_lines or (start == "{" and _has_records(text)):
        lines, records = parse_lines(text, name)
        records, notes = _harnesses.add_filters(name, records)
        samples = _lm_eval.read_samples(name, lines, records)
        if samples is not None:
            return replace(samples, notes=(*samples.notes, *notes)), False
        frame = tabulate_records("records of JSON", name, records, "line", lines)
        return frame, False
    return parse_document(text, name), True


def tabulate(content: Frame | TextTable, name: str, path: str) -> Frame:
    frame = content if isinstance(content, Frame) else _tabulate_text(content, name)
    _refuse_no_header(frame)
    if not frame.roles and frame.columns:
        for convert in _OF_TABLES:
            converted = convert(frame, path)
            if converted is not None:
                return converted
    return frame


def _refuse_no_header(frame: Frame) -> None:
    words = [x for x in frame.columns if not NUMBER.fullmatch(x)]
    if len(words) == len(frame.columns) or not words:
        return
    if all(x in map(as_text, distinct(frame.columns[x])) for x in words):
        refuse(
            f"{frame.source}: expected a line of names of columns; got "
            f"{list_names(frame.columns, 4)}, as in the rows below. Put a line of "
            "names first, such as model,score."
        )


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
                refuse(
                    f"{name}, line {line}, column {len(header) + 1}: expected "
                    f"{len(header)} cells, as in the header; got {len(row)}."
                )
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
    are_columns = all(
        isinstance(x, list) and not any(isinstance(y, (list, dict)) for y in x)
        for x in document.values()
    )
    if document and are_columns:
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


# "# lr=0.1" or "#lr", but not "#,lstm" or "#1,lstm", which are names of columns.
_COMMENT = re.compile(r"\s*#(#|\s|[^\W\d]|$)")
_BAR = re.compile(r"\s*\|?(\s*:?-+:?\s*\|)+\s*(:?-+:?)?\s*")
_BOLD = re.compile(r"(\*\*|__)(.+)\1")
_LATEX = re.compile(r"\\begin\{(tabular|table|longtable)|\\(top|mid)rule|\\hline")
# The part of a file in which a table of LaTeX or Markdown shows.
_START = 10_000


def read_table(text: str, name: str) -> TextTable:
    """Return the rows of a table of text, without comments and a title above it."""
    if _LATEX.search(text[:_START]):
        refuse(
            f"{name}: expected cells between commas, tabs or semicolons; got a table "
            "of LaTeX. Write its rows with commas in place of & and without what is no "
            "row; docs/files.md has lines of Python that do so."
        )
    lines = [x for x in text[:_START].split("\n") if "|" in x]
    if len(lines) > 1 and any(map(_BAR.fullmatch, lines)):
        return _split_markdown(text, name)
    text, notes = _take_off_comments(text)
    text, title = _take_off_title(text)
    rows, numbers = split_table(text, name)
    if numbers is None:
        _refuse_two_headers(rows, name)
    if rows and not all(map(_is_number, rows[0][1])):
        rows[0] = rows[0][0], tuple(write_whole(rows[0][1]))
    return TextTable(rows, numbers, (*notes, *title))


def _split_markdown(text: str, name: str) -> TextTable:
    lines = text.split("\n")
    bars = [k for k, line in enumerate(lines) if k and _BAR.fullmatch(line)]
    if len(bars) != 1 or "|" not in lines[bars[0] - 1]:
        refuse(
            f"{name}: expected one table of Markdown; got {len(bars)}. Leave one in "
            "the file, or save one as CSV."
        )
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
    delimiter = find_delimiter(below)
    cells, names = below.split(delimiter), comment.split(delimiter)
    has_numbers = any(NUMBER.fullmatch(x.strip()) for x in cells)
    return has_numbers and len(cells) == len(names)


def _take_off_title(text: str) -> tuple[str, list[str]]:
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
    # Each name may have all cells of the second, such as seeds.
    pairs = [*zip(*(cells[1:] for _, cells in rows[:2]), strict=False)]
    names, runs = ({x[k] for x in pairs} for k in (0, 1))
    are_runs = "" not in runs and len(names) * len(runs) == len({*pairs}) == len(pairs)
    header, second = ([x for x in cells if x] for _, cells in rows[:2])
    below = [cells for _, cells in rows[2:4]]
    if (
        len(second) > 1
        and len(set(header)) < len(header)
        and (are_runs or not any(map(_is_number, second)))
        and any(_is_number(x) for cells in below for x in cells)
    ):
        are_named = rows[0][1][0] and rows[1][1][0]
        way = "" if are_named else ".rename_axis(columns=['task', 'seed'])"
        refuse(
            f"{name}, line {rows[1][0]}: expected scores below one row of names; got "
            f"a second row of names, {', '.join(second[:3])}, as pandas writes of "
            "columns with several levels. Write a row for each score: pd.read_csv(FILE,"
            f" header=[0, 1], index_col=0).rename_axis('model'){way}.stack([0, 1])"
            ".rename('score').to_csv('long.csv'); where rows are of tasks, swap 'task' "
            "and 'model'."
        )
