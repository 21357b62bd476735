"""Nested mappings and lists of scores, and arrays that NumPy saved."""

import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sigarray.read._frame import Frame, Names, Roles, list_names
from sigarray.read._paths import RUN
from sigarray.read._text import TableError
from sigarray.read._words import METRICS, list_words

# The most levels of keys, such as task, model, run and item.
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
    keys of the last mapping are names of metrics, each of them is a column too.
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


def nest_lists(name: str, content: Any) -> Any:
    """Return a mapping to lists as a table, where it is not one of models."""
    return (
        read_nested(name, content) if isinstance(content, dict) else None
    ) or content


def _walk(node: Any, keys: _Key) -> Iterator[tuple[_Key, Any]]:
    """Yield the keys and the value of each leaf."""
    if isinstance(node, (dict, list)) and node and len(keys) <= _MAX_LEVELS:
        items = node.items() if isinstance(node, dict) else enumerate(node, 1)
        for key, x in items:
            yield from _walk(x, (*keys, key))
    else:
        yield keys, node


def _list_kinds(document: Any, depth: int) -> list[type | None]:
    """Return the kind of the nodes of each level; None for a level of several."""
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

    Keys such as seed0, seed1 are of runs; then the only others are of models, unless
    `has_model` says that the file names its model. Numbers alone may be of runs or of
    items, and stay without a role, as rows of a table do.
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
    example = f"--{roles[0]} {left[0]}"
    return TableError(
        f"{frame.source}: expected to know what the levels of its keys are; got "
        f"{said}. Name each with one of {options}, such as {example}."
    )


def read_arrays(path: str) -> dict[str, Any] | Frame:
    """Return scores by model, or with a column for each axis if these are several."""
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            msg = f"{path}: expected a name for each array; got one array. {_ADVICE}."
            raise TableError(msg)
        with loaded:
            arrays = {name: loaded[name] for name in loaded.files}
    except FileNotFoundError as error:
        msg = f"{path} cannot be read: No such file or directory."
        raise TableError(msg) from error
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
            msg = (
                f"{path}: expected arrays of numbers; got {name!r} of shape {x.shape} "
                f"and dtype {x.dtype}."
            )
            raise TableError(msg)
    if all(x.ndim == 1 for x in arrays.values()):
        return arrays
    frame = read_nested(path, {name: x.tolist() for name, x in arrays.items()})
    if frame is None:
        shapes = ", ".join(f"{name} {x.shape}" for name, x in arrays.items())
        msg = f"{path}: expected arrays of as many axes, three at most; got {shapes}."
        raise TableError(msg)
    return frame
