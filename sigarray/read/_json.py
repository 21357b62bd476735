"""Files of JSON, and of JSON lines."""

import itertools
import json
from collections.abc import Sequence
from typing import Any

from sigarray.read._bytes import TableError
from sigarray.read._codes import encode
from sigarray.read._frame import Frame, list_names

# The kinds of files of scores, for messages.
_KNOWN = (
    "a list of records, such as {'model': 'a', 'seed': 1, 'score': 0.5}; a mapping of "
    "models to lists or mappings of scores; or what a tool of docs/files.md wrote"
)


def parse_lines(text: str, name: str) -> tuple[list[int], list[dict[str, Any]]]:
    """Return the records of a file with one in each line, and their lines."""
    lines, records = [], []
    for line, part in enumerate(text.split("\n"), 1):
        if part.strip():
            try:
                record = _DECODER.decode(part)
            except (ValueError, RecursionError):
                record = _parse(part, name, line)  # which says what is wrong
            if not isinstance(record, dict):
                msg = (
                    f"{name}, line {line}: expected a record in braces, as in every "
                    f"line; got {type(record).__name__}."
                )
                raise TableError(msg)
            lines.append(line)
            records.append(record)
    return lines, records


def parse_document(text: str, name: str) -> Any:
    """Return the content of a file of JSON."""
    return _parse(text, name, 1)


def tabulate_records(
    kind: str,
    name: str,
    records: list[dict[str, Any]],
    lines: list[int],
    word: str,
    **known: Any,
) -> Frame:
    """Return records as columns, with None for missing values.

    Numbers and texts of nested mappings have names such as "metrics.acc".
    """
    if not records:
        msg = f"{name}: expected records; got none."
        raise TableError(msg)
    flat = [
        flatten(record) if dict in map(type, record.values()) else record
        for record in records
    ]
    names = dict.fromkeys(itertools.chain.from_iterable(flat))
    columns = {key: _shorten([record.get(key) for record in flat]) for key in names}
    return Frame(kind, name, columns, lines, word, **known)


def _shorten(cells: list[Any]) -> Sequence[Any]:
    """Return a column of texts, or of true and false, with codes for equal cells."""
    kinds = set(map(type, cells)) - {type(None)}
    return encode(cells) if kinds in ({str}, {bool}) else cells


def flatten(record: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return the values of a record and of nested mappings."""
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict) and value:
            flat |= flatten(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def list_plain(record: Any, prefix: str) -> dict[str, Any]:
    """Return the texts and numbers of a mapping, nested or not, by names of columns."""
    if not isinstance(record, dict):
        return {}
    return {
        key: x
        for key, x in flatten(record, f"{prefix}.").items()
        if isinstance(x, (str, int, float))
    }


def refuse_document(document: Any, name: str, tables: Sequence[str] = ()) -> TableError:
    """Return the error for a document of an unknown kind, which may hold tables."""
    got = type(document).__name__
    if isinstance(document, dict):
        keys = ", ".join(repr(key) for key in list(document)[:8])
        got = f"a mapping with keys {keys}" if keys else "an empty mapping"
    elif isinstance(document, list):
        kinds = sorted({type(x).__name__ for x in document})
        got = f"a list of {' and '.join(kinds)}" if kinds else "an empty list"
    advice = "docs/files.md has lines of pandas for others"
    if tables:
        advice = f"It has tables {list_names(tables)}: choose one with --table NAME"
    return TableError(f"{name}: expected {_KNOWN}; got {got}. {advice}.")


def _parse(text: str, name: str, line: int) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_refuse_twice)
    except json.JSONDecodeError as error:
        place = f"{name}, line {line + error.lineno - 1}, column {error.colno}"
        msg = f"{place}: not JSON: {error.msg}."
        raise TableError(msg) from error
    except RecursionError as error:
        msg = f"{name}, line {line}: expected records; got brackets within brackets."
        raise TableError(msg) from error
    except _TwiceError as error:
        msg = f"{name}: expected each key of a mapping once; got {error} twice."
        raise TableError(msg) from error


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _TwiceError(repr(twice))
    return mapping


class _TwiceError(ValueError):
    """A key that occurs twice in a mapping."""


_DECODER = json.JSONDecoder(object_pairs_hook=_refuse_twice)
