"""Tables with a row for each model, and a column for each of its runs."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sigarray._backend.index_columns import looks_like_index
from sigarray.read._bytes import TableError
from sigarray.read._cells import is_blank, looks_like_score
from sigarray.read._columns import quote_names
from sigarray.read._frame import Frame, find_roles, is_numeric, list_names
from sigarray.read._words import RUN_NAME

_NUMBER = re.compile(r"\d+")
# A table with more rows has no row for each model.
_MAX_MODELS = 10_000


def turn_runs(
    frame: Frame,
    chosen: Mapping[str, str],
    ignored: Sequence[str],
    metric: str | None,
) -> Frame:
    """Turn a column for each run, seed0, seed1, ..., into a row for each score.

    Tables of other kinds are returned as they are.

    Raises
    ------
    TableError
        Other columns of numbers, such as means, beside those of runs.
    """
    if frame.metrics is not None or frame.roles or frame.constants or metric:
        return frame
    if len(frame.lines) > _MAX_MODELS:
        return frame
    runs = [x for x in frame.columns if x not in ignored and RUN_NAME.fullmatch(x)]
    words = {RUN_NAME.fullmatch(x)[1].lower() for x in runs}  # type: ignore[index]
    column = _find_models(frame, chosen, ignored, runs)
    if not runs and column is not None:
        runs = _list_numbers(frame, chosen, ignored, column)
    if len(runs) < 2 or len(words) > 1 or column is None:
        return frame
    name = words.pop() if words else "run"
    # There is no column of runs before they are turned.
    known = find_roles(frame, {x: y for x, y in chosen.items() if x != "run"})
    if chosen.get("run", name) != name or {"score", "item", "step"} & set(known):
        return frame
    task = known.get("task")
    others = [x for x in frame.columns if x not in (*runs, *ignored, column, task)]
    numeric = [x for x in others if is_numeric(frame.columns[x])]
    if numeric:
        msg = (
            f"{frame.source}: expected no other numbers beside runs, which columns "
            f"{list_names(runs, 3)} seem to be; got {list_names(numeric, 4)}. Leave "
            f"them out with --ignore {quote_names(numeric)}."
        )
        raise TableError(msg)
    rows = [k for k in range(len(frame.lines)) for _ in runs]
    kept = [x for x in frame.columns if x not in runs]
    columns: dict[str, Sequence[Any]] = {
        "model" if x == column and x not in chosen.values() else x: [
            frame.columns[x][k] for k in rows
        ]
        for x in kept
    }
    columns[name] = list(runs) * len(frame.lines)
    columns["score"] = [
        frame.columns[x][k] for k in range(len(frame.lines)) for x in runs
    ]
    note = (
        f"columns {list_names(runs, 3)} were taken for runs of one score, and what "
        f"{column!r} names for models"
    )
    return replace(
        frame,
        columns=columns,
        lines=[frame.lines[k] for k in rows],
        notes=(*frame.notes, note),
    )


def _find_models(
    frame: Frame, chosen: Mapping[str, str], ignored: Sequence[str], runs: Sequence[str]
) -> str | None:
    """Find a column of distinct texts, which names the model of each row."""
    roles = find_roles(frame, {})
    texts = [
        x
        for x, cells in frame.columns.items()
        if x not in (*runs, *ignored)
        and not any(is_blank(y) or looks_like_score(y) for y in cells)
    ]
    known = chosen.get("model", roles.get("model"))
    tasks = frame.columns.get(chosen.get("task", roles.get("task", "")))
    if known is None:
        named = {y for x, y in roles.items() if x != "run"} | {*chosen.values()}
        unknown = [x for x in texts if x not in named]
        known = unknown[0] if len(unknown) == 1 else None
    if known not in texts or known is None:
        return None
    names = frame.columns[known]
    keys = list(zip(names, names if tasks is None else tasks, strict=True))
    if len(set(keys)) == len(keys) > 1:
        return known
    if len(runs) > 1 and known in (chosen.get("model"), roles.get("model")):
        twice = next(x for k, (x, _) in enumerate(keys) if keys[k] in keys[:k])
        msg = (
            f"{frame.source}: expected a row for each model, for columns "
            f"{list_names(runs, 3)} seem to be its runs; got {twice!r} again. Name a "
            "column that tells its rows apart with --task, or take some with --where "
            "COLUMN=VALUE."
        )
        raise TableError(msg)
    return None


def _list_numbers(
    frame: Frame, chosen: Mapping[str, str], ignored: Sequence[str], column: str
) -> list[str]:
    """List columns that are numbered like runs, beside names of models."""
    numbered = [x for x in frame.columns if x not in ignored and _NUMBER.fullmatch(x)]
    is_known = column in (chosen.get("model"), find_roles(frame, {}).get("model"))
    counts = looks_like_index("", [int(x) for x in numbered])
    is_of_runs = looks_like_index(column, ()) or (not column and counts)
    return numbered if is_known or is_of_runs else []
