"""Files of JSON and of JSON lines, and the tables within a document."""

import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from sigarray._plain_text import suggest
from sigarray.read._codes import encode
from sigarray.read._frame import Frame, list_names
from sigarray.read._roles import find_roles
from sigarray.read._text import TableError

# The kinds of files of scores, for messages.
_KNOWN = (
    "a list of records, such as {'model': 'a', 'seed': 1, 'score': 0.5}; a mapping of "
    "models to lists or mappings of scores; or what a tool of docs/files.md wrote"
)
_MAX_DEPTH = 4
# What a document may say of all of its records.
_CONSTANTS = ("model", "run", "task")


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


def find_tables(document: Any) -> dict[str, list[dict[str, Any]]]:
    """Return the lists of records in a document, by keys such as "results.results".

    If all values of a mapping are such lists, of records with the same keys, these are
    one table, with a column `key1`.
    Records have the model, run or task that the mappings around them name.
    """
    tables: dict[str, list[dict[str, Any]]] = {}
    if isinstance(document, dict):
        _find(document, "", {}, tables)
    return tables


def _find(
    node: Mapping[str, Any],
    prefix: str,
    around: Mapping[str, Any],
    tables: dict[str, list[dict[str, Any]]],
) -> None:
    around = {**around, **_list_constants(node)}
    for key, x in node.items():
        path = f"{prefix}{key}"
        if _are_records(x):
            tables[path] = [{**around, **record} for record in x]
        elif isinstance(x, dict) and _are_of_one_kind(list(x.values())):
            tables[path] = [
                {**around, "key1": name, **record}
                for name, records in x.items()
                for record in records
            ]
        elif isinstance(x, dict) and path.count(".") < _MAX_DEPTH:
            _find(x, f"{path}.", around, tables)


def _are_records(x: Any) -> bool:
    return isinstance(x, list) and bool(x) and all(isinstance(y, dict) for y in x)


def _are_of_one_kind(lists: list[Any]) -> bool:
    """Tell whether all of several lists have records with the same keys."""
    if len(lists) < 2 or not all(map(_are_records, lists)):
        return False
    return all(x[0].keys() == lists[0][0].keys() for x in lists)


def _list_constants(node: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a mapping whose names are those of a model, run or task."""
    plain = {x: [y] for x, y in node.items() if isinstance(y, (str, int, float))}
    roles = find_roles(Frame("", "", plain, ()), {})
    return {roles[x]: node[roles[x]] for x in _CONSTANTS if x in roles}


def take_part(document: Any, table: str, name: str) -> Any:
    """Return the part of a document at keys such as "results.results"."""
    part, rest = document, table
    while rest:
        known = list(part) if isinstance(part, dict) else []
        key = next((x for x in known if rest == x or rest.startswith(f"{x}.")), None)
        if key is None:
            tables = list(find_tables(document))
            msg = (
                f"{name}: expected a key of it for --table; got {table!r}."
                f"{suggest(table, tables)} Tables in it: {list_names(tables)}."
            )
            raise TableError(msg)
        part, rest = part[key], rest[len(key) + 1 :]
    return part


def tabulate_part(document: Any, table: str, name: str) -> Frame | None:
    """Return the records at some keys of a document, or None if there are none."""
    records = find_tables(document).get(table)
    if records is None:
        return None
    places = list(range(1, len(records) + 1))
    return tabulate_records("records of JSON", name, records, places, "record")
