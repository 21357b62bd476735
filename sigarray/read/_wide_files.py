"""Files that may have a column for each model, in memory or left on the disk."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from sigarray._backend.given import looks_like_index
from sigarray._numeric.selection import Sample
from sigarray._numeric.sources import SUFFIXES, column_names, index_names
from sigarray.read._cells import as_text, encode_texts, is_blank, looks_like_score
from sigarray.read._codes import repeat
from sigarray.read._column_names import say_tasks
from sigarray.read._frame import (
    Frame,
    Names,
    Roles,
    ask_about_unnamed,
    check_count,
    choose,
    lacks_column,
    leave_out,
    list_names,
    refuse_indices,
)
from sigarray.read._groups import doubt_rated_rows
from sigarray.read._other_columns import add_others
from sigarray.read._roles import find_roles, guess_roles, is_long
from sigarray.read._row_names import (
    UNNAMED,
    find_role_of_names,
    name_items,
    number_items,
)
from sigarray.read._scales import doubt_items_of_table, doubt_scale_of_table
from sigarray.read._score_table import Choice, ScoreTable, find_direction
from sigarray.read._several_scores import find_sums_of_models
from sigarray.read._templates import say_grid
from sigarray.read._text import TableError, get_cell, lacks_file, refuse
from sigarray.read._wide import (
    WideTable,
    read_ids,
    refuse_factors,
    split_tasks,
    tabulate_rows,
)
from sigarray.read._wide_scores import take_wide

_ROLES = ("item", "cluster")


def read_columns(
    name: str, content: Any, frame: Frame | None, chosen: Roles, choice: Choice
) -> ScoreTable | None:
    """Read a table with a column for each model, or return None for another one."""
    if frame is not None and _may_be_wide(frame, chosen):
        if choice.where and isinstance(content, Frame):
            frame = content = _leave_out_constant(frame, chosen, choice)
        choice = _choose_direction(frame, choice)
        _ask_about_sums(frame, chosen, choice)
    counted = None if frame is None else _find_counts(content, frame, chosen, choice)
    if counted is not None:
        choice = replace(choice, ignored=[*choice.ignored, counted])
    of_index = {} if frame is None else _find_index_roles(frame, chosen, choice)
    chosen = {**chosen, **of_index}
    of_rows: list[str] = []
    if frame is not None and _may_be_wide(frame, chosen):
        chosen, choice, of_rows = find_role_of_names(frame, chosen, choice)
    wide = _find_wide(name, content, frame, chosen, choice)
    if wide is None:
        return None
    if "run" in of_index or (of_rows and "run" in chosen):
        for part in split_tasks(wide, chosen).values():
            read_ids(part, chosen["run"], "run")
    of_file = () if frame is None else frame.notes
    said = [f"{name}: {note}" for note in of_file]
    if counted is not None:
        which = f"{counted!r}, which" if counted else "which has no name and"
        said.append(
            f"{name}: its first column, {which} counts the rows from 0, was left out"
        )
    said += [f"{name}: its index {x!r} names the {y}s" for y, x in of_index.items()]
    said += of_rows
    doubts = () if frame is None else tuple(f"{name}: {x}" for x in frame.doubts)
    chosen, of_items = name_items(wide, chosen, choice)
    said += of_items
    refuse_factors(wide, chosen, choice.ignored, choice.models)
    try:
        if frame is not None and "cluster" in chosen and choice.unit in (None, "item"):
            table = _take_clusters(frame, wide, chosen, choice)
        else:
            table = take_wide(wide, chosen, choice)
    except TableError as error:
        rest = wide.name_cells(choice.list_taken(chosen))
        raise (add_others(error, rest) if choice.models is None else error) from None
    if frame is not None and frame.metric is not None:
        table = table._replace(metric=frame.metric)
    of_raters = say_grid(table, choice)
    is_said = choice.models is not None or "task" in chosen
    said += of_raters or ([] if is_said else say_tasks(name, table.models))
    doubts += tuple(doubt_items_of_table(table, chosen.get("item")))
    doubts += tuple(doubt_scale_of_table(wide, table.tasks))
    doubts += tuple(doubt_rated_rows(wide, chosen, table))
    return table._replace(notes=(*said, *table.notes), doubts=(*doubts, *table.doubts))


def _ask_about_sums(frame: Frame, chosen: Roles, choice: Choice) -> None:
    known = choice.list_taken(chosen)
    sums = find_sums_of_models(x for x in frame.columns if x not in known)
    if sums is not None and choice.models is None:
        refuse(
            f"{frame.source}: expected a column of scores for each model; got "
            f"{list_names(sums.columns, 3)}, as if {sums.metric} were to be computed "
            f"of them. Pass {sums.advice}; or, where each column is a model, name them "
            "with --columns."
        )


def _take_clusters(
    frame: Frame, wide: WideTable, chosen: Roles, choice: Choice
) -> ScoreTable:
    cluster, said = chosen["cluster"], []
    if cluster not in frame.columns:
        raise lacks_column(wide.source, cluster, frame.names_in_file, "cluster")
    if "item" not in chosen:
        frame, wide, numbered = number_items(frame, wide)
        chosen = {**chosen, "item": numbered}
        said.append(
            f"{wide.source}: each row was taken for an item, by which models are "
            f"paired, in the cluster that {cluster!r} names"
        )
    others = {role: x for role, x in chosen.items() if role != "cluster"}
    table = take_wide(wide, others, replace(choice, ignored=[*choice.ignored, cluster]))
    table = table._replace(notes=(*said, *table.notes))
    return put_into_clusters(table, frame, chosen)


def _choose_direction(frame: Frame, choice: Choice) -> Choice:
    if frame.metric is None:
        return choice
    said = choice.higher_is_better
    if isinstance(said, Mapping) and {frame.metric, *frame.other_metrics} & {*said}:
        said = find_direction(said, frame.metric, frame.source)
    return replace(choice, metrics=(), higher_is_better=said)


def _leave_out_constant(frame: Frame, chosen: Roles, choice: Choice) -> Frame:
    known = choice.list_taken(chosen)
    columns = {
        x: cells
        for x, cells in frame.columns.items()
        if x in known or len(cells) < 2 or not _is_constant(cells)
    }
    index = tuple(x for x in frame.index if x in columns)
    return replace(frame, columns=columns, index=index)


def _is_constant(cells: Sequence[Any]) -> bool:
    if isinstance(cells, np.ndarray) or looks_like_score(cells[0]):
        return False
    texts = encode_texts(cells)
    return bool(np.all(texts.codes == texts.codes[0]) and texts.codes[0] >= 0)


def _find_index_roles(frame: Frame, chosen: Roles, choice: Choice) -> dict[str, str]:
    """Return the roles of the index of a wide data frame, unless a column is chosen."""
    if is_long(frame, chosen) or frame.roles:
        return {}
    known = choice.list_taken(chosen)
    columns = {x: frame.columns[x] for x in frame.index if x not in known}
    roles = find_roles(replace(frame, columns=columns), {})
    return {
        role: roles[role]
        for role in ("item", "run", "task")
        if role in roles and role not in chosen
    }


def _may_be_wide(frame: Frame, chosen: Roles) -> bool:
    return not (is_long(frame, chosen) or frame.constants or frame.roles)


def _find_counts(
    content: Any, frame: Frame, chosen: Roles, choice: Choice
) -> str | None:
    if not _may_be_wide(frame, chosen) or choice.models is not None:
        return None
    if isinstance(content, Frame):
        name, cells = next(iter(frame.columns.items()), ("", ()))
    else:
        rows, numbers, _ = content
        name = get_cell(rows[0][1], 0).strip() if rows else ""
        cells = [get_cell(row, 0) for _, row in rows[1:]]
        cells = cells if numbers is None else numbers[:, 0]
    if name not in UNNAMED or name in {*chosen.values(), *choice.ignored}:
        return None
    are_counts = all(
        not is_blank(x) and as_text(x) == f"{k}" for k, x in enumerate(cells)
    )
    return name if len(cells) and are_counts else None


def _find_wide(
    name: str, content: Any, frame: Frame | None, chosen: Roles, choice: Choice
) -> WideTable | None:
    if frame is None:
        names = dict(enumerate(content))
        cells = {k: content[x] for k, x in names.items()}
        return WideTable(name, names, cells, lambda k: f"{name}, score {k + 1}")
    if not _may_be_wide(frame, chosen):
        return None
    column = find_roles(frame, {}).get("model")
    if column is not None and column not in {*(choice.models or ()), *choice.ignored}:
        refuse(
            f"{name}: expected to know what column {column!r} is; got numbers. Where "
            f"they name the models, pass --model {column}; where they are scores of "
            f"one, name all models with --columns."
        )
    if isinstance(content, Frame):
        is_known = choice.models is not None or "" in choice.list_taken(chosen)
        if "" in frame.columns and not is_known:
            position = [*frame.columns].index("") + 1
            filled = (str(x) for x in frame.columns[""] if not is_blank(x))
            place = f"{name}, column {position}"
            raise ask_about_unnamed(place, next(filled, ""))
        names = dict(enumerate(frame.columns))
        by_place = {k: frame.columns[x] for k, x in names.items()}
        return WideTable(name, names, by_place, frame.place_row)
    rows, numbers, _ = content
    return tabulate_rows(
        rows, numbers, name, choice.models, choice.ignored, [*chosen.values()]
    )


def put_into_clusters(table: ScoreTable, frame: Frame, chosen: Roles) -> ScoreTable:
    column = chosen["cluster"]
    rows = len(frame.lines)
    tasks = repeat("", rows)
    if "task" in chosen:
        tasks = encode_texts(frame.columns[chosen["task"]])
    items, clusters = (encode_texts(frame.columns[chosen[x]]) for x in _ROLES)
    known: dict[tuple[str, str], str] = {}
    for k, (task, item, cluster) in enumerate(zip(tasks, items, clusters, strict=True)):
        place = frame.place(column, k)
        if cluster is None:
            refuse(f"{place}: expected the cluster of an item; got a blank cell.")
        if known.setdefault((task, item), cluster) != cluster:
            refuse(
                f"{place}: expected item {item!r} to have one cluster; got {cluster!r} "
                f"and {known[task, item]!r}."
            )
    labels = {
        task: tuple(known[task, x] for x in next(iter(by.values())))
        for task, by in table.ids.items()
    }
    return table._replace(clusters=labels, pairs={}, unmatched={})


# With at most this many scores of all models, a table is read like any other file.
MAX_READ = 2**20


class StoredScores:
    def __init__(self, path: Path, column: str, *, higher_is_better: bool) -> None:
        self._name = f"{path}, column {column!r}"
        self._sign = 1.0 if higher_is_better else -1.0
        self.sample = Sample((path, column), sign=int(self._sign))

    def __len__(self) -> int:
        """Return the number of scores, counted in the first pass."""
        return self.sample.count()

    def describe(self) -> dict[str, float]:
        return self._summary

    @functools.cached_property
    def _summary(self) -> dict[str, float]:
        n = len(self)
        mean, deviation = self.sample.describe()
        places = np.asarray(sorted({0, (n - 1) // 2, n // 2, n - 1}))
        scores = self._sign * self.sample.find(places).astype(float)
        self._check_finite(scores)
        values = dict(zip(places.tolist(), scores.tolist(), strict=True))
        ends = sorted([values[0], values[n - 1]])
        return {
            "mean": min(max(self._sign * mean, ends[0]), ends[1]),
            "sd": deviation,
            "median": 0.5 * (values[(n - 1) // 2] + values[n // 2]),
            "min": ends[0],
            "max": ends[1],
        }

    def _check_finite(self, scores: np.ndarray) -> None:
        if not np.isfinite(scores).all():
            refuse(
                f"{self._name}: expected finite scores; got NaN or an infinity. Leave "
                "out its rows, or the column with --ignore."
            )


def is_wide_store(file: str) -> bool:
    if Path(file).suffix not in SUFFIXES or not Path(file).is_file():
        return False
    try:
        names = column_names(Path(file))
    except (ImportError, TypeError, OSError, ValueError):
        return False  # the reader of all files raises the error
    return "model" not in guess_roles(names)


def open_stored(
    file: str,
    columns: Names | None,
    *,
    ignored: Sequence[str] = (),
    higher_is_better: bool,
    max_models: int,
) -> dict[str, StoredScores]:
    """Return the models of a table on disk, with columns chosen as in `read_wide`."""
    try:
        every = column_names(Path(file))
        names = dict(enumerate(every))
        indices: dict[int, str] = {}
        if columns is not None:
            names = choose(names, columns, file)
        else:
            # An index is no model, whether it is left out or not.
            index = index_names(Path(file))
            names = leave_out(names, [x for x in ignored if x not in index], file)
            of_runs = guess_roles(names.values()).get("run")
            indices = {k: x for k, x in names.items() if looks_like_index(x, ())}
            others = {k: x for k, x in indices.items() if x != of_runs}
            refuse_indices(others, "by name", 1, file)
            names = {k: x for k, x in names.items() if x != of_runs or k not in indices}
        check_count(names, 2, max_models, file)
        stored = {
            name: StoredScores(Path(file), name, higher_is_better=higher_is_better)
            for name in (columns or names.values())
        }
        # So many rows are hardly runs.
        if indices and sum(map(len, stored.values())) > MAX_READ:
            refuse_indices(indices, "by name", 1, file)
        return stored
    except FileNotFoundError as error:
        raise lacks_file(file) from error
    except TableError:
        raise
    except (ImportError, TypeError, OSError, ValueError) as error:
        msg = f"{file}: {error}"
        raise TableError(msg) from error


def _counts_rows(scores: StoredScores) -> bool:
    # The summary of 0, 1, ... or 1, 2, ... in any order, which scores hardly have.
    n, summary = len(scores), scores.describe()
    return any(
        [summary["min"], summary["median"], summary["max"]]
        == [first, first + 0.5 * (n - 1), first + n - 1]
        and abs(summary["mean"] - summary["median"]) < 1e-9 * n
        for first in (0, 1)
    )


def refuse_counts(scores: Mapping[str, StoredScores], file: str) -> None:
    counts = {k: x for k, x in enumerate(scores) if _counts_rows(scores[x])}
    refuse_indices(counts, "for it counts the rows", 1, file)
