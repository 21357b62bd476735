"""Files of JSON, the tables within a document, nested mappings, and NumPy's files."""

import itertools
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sigarray._plain_text import suggest
from sigarray.read._codes import encode
from sigarray.read._frame import Frame, Names, Roles, list_names
from sigarray.read._roles import find_roles
from sigarray.read._text import NoPartError, TableError, lacks_file, refuse
from sigarray.read._words import METRICS, RUN, list_words

_KNOWN = (
    "a list of records, such as {'model': 'a', 'seed': 1, 'score': 0.5}; a mapping of "
    "models to lists or mappings of scores; or what a tool of docs/files.md wrote"
)
_MAX_DEPTH = 4
# What a document may say of all of its records.
_CONSTANTS = ("model", "run", "task")


def parse_lines(text: str, name: str) -> tuple[list[int], list[dict[str, Any]]]:
    lines, records = [], []
    for line, part in enumerate(text.split("\n"), 1):
        if part.strip():
            try:
                record = _DECODER.decode(part)
            except (ValueError, RecursionError):
                record = parse_document(part, name, line)  # which says what is wrong
            if not isinstance(record, dict):
                refuse(
                    f"{name}, line {line}: expected a record in braces, as in every "
                    f"line; got {type(record).__name__}."
                )
            lines.append(line)
            records.append(record)
    return lines, records


def tabulate_records(
    kind: str,
    name: str,
    records: list[dict[str, Any]],
    word: str,
    lines: Sequence[int] | None = None,
    **known: Any,
) -> Frame:
    """Return records as columns; nested numbers and texts are "metrics.acc"."""
    if not records:
        refuse(f"{name}: expected records; got none.")
    flat = [
        flatten(record) if dict in map(type, record.values()) else record
        for record in records
    ]
    names = dict.fromkeys(itertools.chain.from_iterable(flat))
    columns = {key: _shorten([record.get(key) for record in flat]) for key in names}
    lines = range(1, len(records) + 1) if lines is None else lines
    return Frame(kind, name, columns, lines, word, **known)


def _shorten(cells: list[Any]) -> Sequence[Any]:
    kinds = set(map(type, cells)) - {type(None)}
    return encode(cells) if kinds in ({str}, {bool}) else cells


def flatten(record: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in record.items():
        if isinstance(value, dict) and value:
            flat |= flatten(value, f"{prefix}{key}.")
        else:
            flat[f"{prefix}{key}"] = value
    return flat


def list_plain(record: Any, prefix: str) -> dict[str, Any]:
    if not isinstance(record, dict):
        return {}
    return {
        key: x
        for key, x in flatten(record, f"{prefix}.").items()
        if isinstance(x, (str, int, float))
    }


def refuse_document(document: Any, name: str, tables: Sequence[str] = ()) -> TableError:
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


def parse_document(text: str, name: str, line: int = 1) -> Any:
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

    If all values of a mapping are such lists, with the same keys, they are one table,
    with a column `key1`. Records have the model, run or task that is named around them.
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
    plain = {x: [y] for x, y in node.items() if isinstance(y, (str, int, float))}
    roles = find_roles(Frame("", "", plain, ()), {})
    known = [roles[x] for x in _CONSTANTS if x in roles]
    around = {**around, **{x: node[x] for x in known}}
    for key, x in node.items():
        path = f"{prefix}{key}"
        if _are_records(x):
            tables[path] = [{**around, **record} for record in x]
        elif (
            isinstance(x, dict)
            and len(x) > 1
            and all(map(_are_records, x.values()))
            and len({frozenset(y[0]) for y in x.values()}) == 1
        ):
            tables[path] = [
                {**around, "key1": name, **record}
                for name, records in x.items()
                for record in records
            ]
        elif isinstance(x, dict) and path.count(".") < _MAX_DEPTH:
            _find(x, f"{path}.", around, tables)


def _are_records(x: Any) -> bool:
    return isinstance(x, list) and bool(x) and all(isinstance(y, dict) for y in x)


def take_part(document: Any, table: str, name: str) -> Any:
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
            raise NoPartError(msg)
        part, rest = part[key], rest[len(key) + 1 :]
    return part


def tabulate_part(document: Any, table: str, name: str) -> Frame | None:
    records = find_tables(document).get(table)
    if records is None:
        return None
    return tabulate_records("records of JSON", name, records, "record")


_MAX_LEVELS = 4
_ROLES = ("model", "task", "run", "item")
_Key = tuple[Any, ...]
_ADVICE = (
    "Save arrays by the names of their models: np.savez('scores.npz', **arrays), where "
    "arrays is a dict"
)


def read_nested(name: str, document: Any) -> Frame | None:
    """Return the scores of nested mappings and lists, or None for other documents.

    Columns `key1`, `key2` and so on have the keys, those of a list from 1 on. If the
    last keys are metrics, each is a column too.
    """
    leaves = list(_walk(document, ()))
    depths = {len(keys) for keys, _ in leaves}
    kinds = _list_kinds(document, max(depths, default=0))
    if len(depths) > 1 or not 1 < len(kinds) <= _MAX_LEVELS or None in kinds:
        return None
    if dict not in kinds or any(isinstance(x, (dict, list)) for _, x in leaves):
        return None
    named = max(k for k, kind in enumerate(kinds) if kind is dict)
    names = list(dict.fromkeys(str(keys[named]) for keys, _ in leaves))
    are_numbers = all(x is None or isinstance(x, (int, float)) for _, x in leaves)
    is_wide = len(kinds) > 1 and all(list_words(x) & METRICS for x in names)
    if not is_wide and not are_numbers:
        return None
    levels = {k: f"key{k + 1}" for k in range(len(kinds)) if k != named or not is_wide}
    rows: dict[_Key, dict[str, Any]] = {}
    for keys, x in leaves:
        kept = tuple(keys[k] for k in levels)
        column = str(keys[named]) if is_wide else "score"
        rows.setdefault(kept, {})[column] = x
    columns: dict[str, list[Any]] = {
        level: [kept[k] for kept in rows] for k, level in enumerate(levels.values())
    }
    for column in names if is_wide else ["score"]:
        columns[column] = [row.get(column) for row in rows.values()]
    return Frame(
        "nested keys",
        name,
        columns,
        range(1, len(rows) + 1),
        "entry",
        roles={} if is_wide else {"score": "score"},
        levels={level: kinds[k] is list for k, level in levels.items()},
    )


def _walk(node: Any, keys: _Key) -> Iterator[tuple[_Key, Any]]:
    if isinstance(node, (dict, list)) and node and len(keys) <= _MAX_LEVELS:
        items = node.items() if isinstance(node, dict) else enumerate(node, 1)
        for key, x in items:
            yield from _walk(x, (*keys, key))
    else:
        yield keys, node


def _list_kinds(document: Any, depth: int) -> list[type | None]:
    """Return the kind of nodes of each level; None for several."""
    kinds: list[type | None] = []
    nodes = [document]
    for _ in range(depth):
        found = {type(x) for x in nodes}
        kinds.append(found.pop() if len(found) == 1 else None)
        nodes = [
            y
            for x in nodes
            if isinstance(x, (dict, list))
            for y in (x.values() if isinstance(x, dict) else x)
        ]
    return kinds


def name_levels(
    frame: Frame, chosen: Roles, ignored: Names, *, has_model: bool
) -> Frame:
    """Return nested scores with the roles of their keys, if these are clear.

    Keys such as seed0 are of runs; then the only others are of models, unless the file
    names its model. Numbers may be of runs or of items.
    """
    if not frame.levels:
        return frame
    named = {y.strip() for x in chosen.values() for y in x.split(",")}
    left = [x for x in frame.levels if x not in {*named, *ignored}]
    left = [x for x in left if x in frame.columns]  # where rows of one were not taken
    keys = {x: list(dict.fromkeys(map(str, frame.columns[x]))) for x in left}
    roles, notes = dict(frame.roles), []
    numbered = [x for x in left if all(map(RUN.fullmatch, keys[x]))]
    if len(numbered) == 1:
        (run,) = numbered
        left.remove(run)
        if "run" not in chosen and not any(x.isdecimal() for x in keys[run]):
            roles["run"] = run
    if len(left) == 1 and not has_model and "model" not in chosen:
        roles["model"] = left.pop()
        known = list_names(keys[roles["model"]], 3)
        notes.append(f"the keys {known} were taken for models")
    if left:
        raise _ask(frame, keys, left, {*chosen, *(["model"] if has_model else [])})
    return replace(frame, roles=roles, notes=(*frame.notes, *notes))


def _ask(
    frame: Frame, keys: Mapping[str, list[str]], left: Names, known: set[str]
) -> TableError:
    said = "; ".join(f"{x} is {list_names(keys[x], 3)}" for x in left)
    roles = [x for x in _ROLES if x not in known]
    options = ", ".join(f"--{x}" for x in roles)
    return TableError(
        f"{frame.source}: expected to know what the levels of its keys are; got "
        f"{said}. Name each with one of {options}, such as --{roles[0]} {left[0]}."
    )


def read_arrays(path: str) -> dict[str, Any] | Frame:
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            refuse(f"{path}: expected a name for each array; got one array. {_ADVICE}.")
        with loaded:
            arrays = {name: loaded[name] for name in loaded.files}
    except FileNotFoundError as error:
        raise lacks_file(path) from error
    except TableError:
        raise
    except (OSError, EOFError, ValueError, zipfile.BadZipFile) as error:
        is_pickled = "allow_pickle" in str(error)
        got = "objects of Python, which are not loaded" if is_pickled else str(error)
        load = "; load such a file by np.load(..., allow_pickle=True)[()]"
        msg = (
            f"{path}: expected arrays of numbers; got {got.splitlines()[0]}. {_ADVICE}"
            f"{load if Path(path).suffix == '.npy' else ''}."
        )
        raise TableError(msg) from error
    for name, x in arrays.items():
        if x.dtype.kind not in "biuf" or not x.ndim or not x.size:
            refuse(
                f"{path}: expected arrays of numbers; got {name!r} of shape {x.shape} "
                f"and dtype {x.dtype}."
            )
    if all(x.ndim == 1 for x in arrays.values()):
        return arrays
    frame = read_nested(path, {name: x.tolist() for name, x in arrays.items()})
    if frame is None:
        shapes = ", ".join(f"{name} {x.shape}" for name, x in arrays.items())
        refuse(f"{path}: expected arrays of as many axes, three at most; got {shapes}.")
    return frame
