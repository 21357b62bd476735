"""Columns with unknown names that may hold the items or runs of scores."""

import collections
import re
import statistics
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sigarray._backend.index_columns import looks_like_index
from sigarray.read._bytes import TableError
from sigarray.read._cells import is_blank, looks_like_score
from sigarray.read._frame import Frame, find_roles, find_score, squeeze
from sigarray.read._records import Record, as_text, find_column

# With more numbers a column is hardly one of runs.
_MAX_RUNS = 50
_RUN = re.compile(
    r"(.*\W|.*_)?(seed|run|trial|rep|repeat|fold|split|s|r)\W?_?\d+", re.I
)
_SAMPLE = re.compile(
    r"(sample|completion|attempt|generation|response|draw|rollout|choice|k|try)"
    r"(id|idx|index|no|nr|num|number|i)?"
)


class _Ids(NamedTuple):
    """A column in which every model has each value equally often."""

    column: str
    n_values: int
    n_each: int
    is_text: bool


def find_items(
    frames: Sequence[Frame],
    chosen: Mapping[str, str],
    metric: str | None,
) -> tuple[list[Frame], list[str]]:
    """Return the tables with the column of items, if only its values show it.

    Returns
    -------
    frames, notes : list of Frame, list of str
        Texts, or more than 50 values, that every model has equally often are items.

    Raises
    ------
    TableError
        A column that may be of items or of runs, which only the user knows.
    """
    plain = all(x.metrics is None and not x.roles and x.columns for x in frames)
    if not plain:
        return list(frames), []
    roles = find_roles(frames[0], chosen)
    if {"item", "run", "cluster", "step"} & {*roles, *frames[0].constants}:
        return list(frames), []
    counted = [
        ids
        for name in frames[0].columns
        if name not in roles.values()
        for ids in [_count_values(frames, roles, name)]
        if ids is not None
    ]
    names = {ids.column for ids in counted}
    others = {x: y for x, y in frames[0].columns.items() if x not in names}
    try:
        score = find_score(frames[0], roles, metric)
    except TableError:  # several may be the score, but some of them may be ids
        score = find_score(replace(frames[0], columns=others), roles, metric)
    candidates = [ids for ids in counted if ids.column != score]
    for ids in sorted(candidates, key=lambda x: (x.n_each > 1, not x.is_text)):
        name, often = ids.column, "once" if ids.n_each == 1 else f"{ids.n_each} times"
        is_many = ids.n_values > _MAX_RUNS
        if is_many or (ids.is_text and ids.n_each == 1):
            note = (
                f"{name!r} was taken for the items of a test set: every model has each "
                f"of its {ids.n_values} values {often}. If it is something else, pass "
                f"--run {name}, --task {name} or --ignore {name}"
            )
            return [replace(x, roles={"item": name}) for x in frames], [note]
        if ids.n_each == 1:
            msg = (
                f"{frames[0].source}: column {name!r} may be of items or of runs: each "
                f"model has each of its {ids.n_values} values once. Pass --item {name} "
                "where these are items of a test set, by which models are paired, "
                f"--run {name} where they are runs, or --ignore {name}."
            )
            raise TableError(msg)
    return list(frames), []


def are_samples(records: Sequence[Record], *, is_said: bool = False) -> bool:
    """Tell whether each item has several scores, from samples of an answer.

    Every model and item has equally many, unless `is_said` that scores of an item are
    to be averaged. Scores are no samples if a column of indices may name them.

    Raises
    ------
    TableError
        Another column has the same values of each item for every model: numbers of
        questions may begin anew in each category.
    """
    if any(x.run is not None or x.item is None for x in records):
        return False
    counts = collections.Counter((x.model, x.item) for x in records)
    sizes = set(counts.values())
    if sizes == {1} or (len(sizes) > 1 and not (is_said and have_samples(records))):
        return False
    frame = records[0].frame
    known = {*find_roles(frame, {}).values(), records[0].metric}
    known |= {*frame.roles.values()}
    for name in frame.columns:
        if name in known or _SAMPLE.fullmatch(squeeze(name)):
            continue
        names = _list_names(records, name)
        n_names = sum(map(len, names))
        if n_names > len(counts) and all(x == names[0] for x in names):
            raise _ask_about(name, records, max(sizes), n_names < len(records))
        if n_names == len(records) and looks_like_index(name, ()) and not is_said:
            return False
    return True


def have_samples(records: Sequence[Record]) -> bool:
    """Tell whether most items have several scores; a few may be repeated rows."""
    counts = collections.Counter((x.model, x.item) for x in records)
    return statistics.median(counts.values()) > 1


def _ask_about(
    column: str, records: Sequence[Record], n: int, has_samples: bool
) -> TableError:
    """Return an error for scores of an item that this column tells apart."""
    first = records[0]
    each = "some" if has_samples else "one"
    item = find_column(records, "item")
    task = f"--task {column} to compare on each, " if first.task is None else ""
    together = f"{column},{item}" if item is not None else "with columns that name it"
    return TableError(
        f"{first.frame.source}: expected one score of each item and model; got {n}, "
        f"{each} for each value of {column!r}. Pass {task}--item {together} where both "
        f"together name an item, or --ignore {column} to average them as samples of "
        "one answer."
    )


def _list_names(records: Sequence[Record], column: str) -> list[set[Hashable]]:
    """Return the items of each model's scores, together with this column."""
    by: dict[str, set[Hashable]] = {}
    for x in records:
        if column in x.frame.columns:
            cell = as_text(x.frame.columns[column][x.row])
            by.setdefault(x.model, set()).add((x.item, cell))
    return list(by.values())


def _count_values(
    frames: Sequence[Frame], roles: Mapping[str, str], column: str
) -> _Ids | None:
    """Count how often each model has each value; None if that differs."""
    groups: dict[Hashable, collections.Counter[str]] = {}
    models = set()
    is_text = False
    others = [roles[x] for x in ("model", "task", "metric") if x in roles]
    for k, frame in enumerate(frames):
        if column not in frame.columns or any(x not in frame.columns for x in others):
            return None
        cells: Sequence[Any] = frame.columns[column]
        if any(map(is_blank, cells)):
            return None
        is_text = is_text or not all(map(looks_like_score, cells))
        file = None if "model" in roles else k
        names = zip(*(frame.columns[x] for x in others), strict=True)
        keys = list(names) if others else [()] * len(cells)
        for key, cell in zip(keys, cells, strict=True):
            models.add((file, key[0] if "model" in roles else None))
            groups.setdefault((file, key), collections.Counter())[as_text(cell)] += 1
    each = {n for counts in groups.values() for n in counts.values()}
    known = [set(counts) for counts in groups.values()]
    every, common = set().union(*known), set.intersection(*known)
    if len(each) != 1 or len(models) < 2 or len(every) < 2:
        return None
    if 2 * len(common) < len(every):
        return None
    if not is_text and not all(re.fullmatch(r"[+-]?\d+", x) for x in every):
        return None
    is_of_runs = all(_RUN.fullmatch(x) for x in every)
    return _Ids(column, len(every), each.pop(), is_text and not is_of_runs)
