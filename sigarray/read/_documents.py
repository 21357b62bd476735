"""Tables within a document of JSON: lists of records, by the names of their keys."""

from collections.abc import Mapping
from typing import Any

from sigarray._plain_text import suggest
from sigarray.read._bytes import TableError
from sigarray.read._frame import Frame, find_roles, list_names
from sigarray.read._json import tabulate_records

_MAX_DEPTH = 4
# What a document may say of all of its records.
_CONSTANTS = ("model", "run", "task")


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
