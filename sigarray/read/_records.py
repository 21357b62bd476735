"""Scores with their model, item, run and so on, from the rows of files."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sigarray.read._bytes import TableError
from sigarray.read._cells import (
    is_blank,
    list_filled,
    looks_like_score,
    read_cells,
)
from sigarray.read._frame import (
    Frame,
    UnknownMetricError,
    find_roles,
    find_score,
    list_names,
)

# The most cells by which a column of numbers is recognized.
_MAX_LOOKED_AT = 50
KEYS = ("task", "model", "item", "run", "cluster", "step", "content")


class Record(NamedTuple):
    """A score, its model, item and so on, and its place; None if the file has none."""

    task: str | None
    model: Any
    item: str | None
    run: str | None
    cluster: str | None
    step: float | None
    content: str | None
    score: float
    metric: str
    frame: Frame
    row: int

    @property
    def place(self) -> str:
        """Return words for the place of the score."""
        frame = self.frame
        return f"{frame.source}, {frame.line_word} {frame.lines[self.row]}"


@dataclass(frozen=True)
class Reading:
    """The scores of a file, how they were written, and what was changed."""

    records: list[Record]
    is_percent: bool
    notes: list[str]
    doubts: list[str]


def read_records(
    frame: Frame, chosen: Mapping[str, str], metric: str | None
) -> Reading:
    """Return the scores of a table with a row for each.

    Raises
    ------
    TableError
        A column or a cell is not what was expected.
    """
    if frame.twice:
        msg = (
            f"{frame.source}: expected each column once; got {list_names(frame.twice)} "
            "twice. Rename one, or remove it."
        )
        raise TableError(msg)
    roles = find_roles(frame, chosen)
    rows: Sequence[int] = range(len(frame.lines))
    if "metric" in roles:
        metric, rows = _choose_metric(frame, roles["metric"], metric)
    column = find_score(frame, roles, metric)
    cells = frame.columns[column]
    filled = list_filled(cells)
    if not isinstance(rows, range):
        filled = sorted({*filled} & {*rows})
    numbers = read_cells(
        {column: [cells[k] for k in filled]},
        lambda name, k: frame.place(name, filled[k]),
    )
    notes = [*frame.notes, *numbers.notes]
    n_blank = len(rows) - len(filled)
    if n_blank:
        some = (
            "row without a score was" if n_blank == 1 else "rows without a score were"
        )
        notes.append(f"{n_blank} {some} left out")
    if frame.metrics is None:
        notes += _say_columns(frame, roles, column, chosen)
    name = metric if metric is not None and "metric" in roles else column
    keys = {role: _read_keys(frame, roles, role, filled) for role in KEYS}
    keys["step"] = _read_steps(frame, roles.get("step"), keys["step"], filled)
    records = [
        *map(
            Record,
            *keys.values(),
            numbers.columns[column].tolist(),
            itertools.repeat(name),
            itertools.repeat(frame),
            filled,
        )
    ]
    if not records:
        msg = f"{frame.source}: expected rows of scores; got none in {column!r}."
        raise TableError(msg)
    doubts = _doubt_columns(frame, roles, column, keys["model"], filled)
    return Reading(records, numbers.is_percent, notes, doubts)


def as_text(cell: object) -> str:
    """Return the text of an id: 3, 3.0 and "3" are the same."""
    if isinstance(cell, (float, np.floating)) and float(cell).is_integer():
        return str(int(cell))
    return " ".join(str(cell).split())


def find_column(records: Sequence[Record], role: str) -> str | None:
    """Return the first column with the role's value of all records, or None."""
    for name in records[0].frame.columns:
        if all(_says(x, name, getattr(x, role)) for x in records):
            return name
    return None


def _says(record: Record, column: str, value: Any) -> bool:
    cells = record.frame.columns.get(column)
    if cells is None:
        return False
    if not isinstance(value, float):
        return bool(as_text(cells[record.row]) == value)
    try:
        return float(cells[record.row]) == value
    except (TypeError, ValueError):
        return False


def _say_columns(
    frame: Frame, roles: Mapping[str, str], score: str, chosen: Mapping[str, str]
) -> list[str]:
    """Say what columns were taken for, and which were ignored."""
    known = {role: x for role, x in roles.items() if role not in chosen} | {
        "score": score
    }
    said = ", ".join(f"{role} is {name!r}" for role, name in known.items())
    notes = [f"of its columns, {said}"]
    unused = [x for x in frame.columns if x not in {*roles.values(), score}]
    if unused:
        notes.append(
            f"not used: {list_names(unused, 8)}; name what tells scores apart with "
            "--item, --run or --task"
        )
    groups = [x for x in unused if _groups_items(frame, roles, x)]
    if groups and "cluster" not in roles:
        notes.append(
            f"{list_names(groups, 4)} may group the items: those of one document, say, "
            f"are not independent. Where it does, pass --cluster {groups[0]}"
        )
    return notes


def _groups_items(frame: Frame, roles: Mapping[str, str], column: str) -> bool:
    """Tell whether a column of texts has one value for each item, and groups items."""
    if "item" not in roles:
        return False
    items, texts = frame.columns[roles["item"]], frame.columns[column]
    if isinstance(texts, np.ndarray) or any(map(is_blank, texts)):
        return False
    if all(map(looks_like_score, texts[:_MAX_LOOKED_AT])):
        return False
    n_items = len(set(items))
    return (
        len(set(texts)) <= n_items // 2
        and len(set(zip(items, texts, strict=True))) == n_items
    )


def _doubt_columns(
    frame: Frame,
    roles: Mapping[str, str],
    score: str,
    models: list[Any],
    rows: Sequence[int],
) -> list[str]:
    """Doubt that scores are of runs if a column, maybe of tasks, groups them."""
    if frame.metrics is not None or {"run", "item"} & set(roles):
        return []
    n_models = len(set(models))
    doubts = []
    for name, cells in frame.columns.items():
        texts = [cells[k] for k in rows]
        if name in (*roles.values(), score) or any(map(looks_like_score, texts)):
            continue
        values = {as_text(x) for x in texts if not is_blank(x)}
        pairs = {(m, as_text(x)) for m, x in zip(models, texts, strict=True)}
        if len(values) > 1 and len(pairs) == n_models * len(values) < len(rows):
            doubts.append(
                f"{frame.source}: scores of all {len(values)} values of column "
                f"{name!r} were taken together, as runs. Where these are tasks, pass "
                f"--task {name}"
            )
    return doubts


def _choose_metric(
    frame: Frame, column: str, metric: str | None
) -> tuple[str, list[int]]:
    """Return the chosen or only metric, and its rows."""
    texts = [as_text(cell) for cell in frame.columns[column]]
    known = list(dict.fromkeys(texts))
    if metric is None and len(known) > 1:
        msg = (
            f"{frame.source}, column {column!r}: expected one metric; got "
            f"{list_names(known)}. Choose one with --metric NAME."
        )
        raise TableError(msg)
    chosen = known[0] if metric is None else metric
    starts = [x for x in known if x.split(",")[0] == chosen]
    if chosen not in known and len(starts) == 1:
        chosen = starts[0]
    if chosen not in known:
        msg = (
            f"{frame.source}, column {column!r}: has no metric {chosen!r}. Those in "
            f"it: {list_names(known)}."
        )
        raise UnknownMetricError(msg, frame, known)
    return chosen, [k for k, text in enumerate(texts) if text == chosen]


def _read_keys(
    frame: Frame, roles: Mapping[str, str], role: str, rows: Sequence[int]
) -> list[Any]:
    """Return the name in a role for each row, or None for each."""
    if role not in roles:
        return [frame.constants.get(role)] * len(rows)
    name = roles[role]
    cells = frame.columns[name]
    if {*map(type, cells)} in ({str}, {int}):
        # Many rows have few different cells.
        texts = {x: as_text(x) for x in {*cells}}
        if all(texts.values()):
            return [texts[cells[k]] for k in rows]
    for k in rows:
        if is_blank(cells[k]) or cells[k] != cells[k]:
            msg = (
                f"{frame.place(name, k)}: expected the {role} of a score; got "
                f"{'a blank cell' if is_blank(cells[k]) else repr(cells[k])}. Fill it "
                "in, or leave out the row."
            )
            raise TableError(msg)
    return [as_text(cells[k]) for k in rows]


def _read_steps(
    frame: Frame, column: str | None, keys: list[Any], rows: Sequence[int]
) -> list[float | None]:
    if column is None:
        return [None] * len(keys)
    cells = frame.columns[column]
    numbers = read_cells(
        {column: [cells[k] for k in rows]}, lambda name, k: frame.place(name, rows[k])
    )
    return list(numbers.columns[column])
