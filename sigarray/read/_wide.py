"""Tables with one column for each model, and a row for each run."""

import itertools
import math
import re
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sigarray._backend.given import looks_like_index
from sigarray.read._cells import as_text, encode_texts, find_blank, is_blank, read_cells
from sigarray.read._codes import encode, find_means, group_rows, take
from sigarray.read._frame import (
    Names,
    Roles,
    ask_about_unnamed,
    check_count,
    choose,
    lacks_column,
    leave_out,
    list_names,
    list_numbered,
    refuse_indices,
    refuse_texts,
)
from sigarray.read._text import MISSING, NUMBER, Row, get_cell, refuse
from sigarray.read._words import PEOPLE, as_words, list_words

Scores = dict[str, np.ndarray]
# What numbers in the header may be, if the first column has no name.
RUNS_OF_ROWS = "; where each row is a model, and each column a run, pass --model ''"


class WideTable(NamedTuple):
    """Columns of cells by position, and the places of their rows.

    `place` gives words for a row, from 0; `header_line` has the names. Rows keep their
    names, `ids`, where others are left out.
    """

    source: str
    names: dict[int, str]
    cells: Mapping[int, Sequence[Any]]
    place: Callable[[int], str]
    header_line: int = 1
    ids: Sequence[str] = ()

    def name_cells(self, without: Collection[str] = ()) -> dict[str, Sequence[Any]]:
        return {x: self.cells[k] for k, x in self.names.items() if x not in without}


class WideScores(NamedTuple):
    """Scores by model, the names of their rows, and notes.

    `n_blank` counts blank cells by model, and `n_gaps` those above its last score;
    below, other models may have more runs.
    """

    scores: Scores
    ids: list[str] | None
    notes: list[str]
    n_blank: dict[str, int]
    n_gaps: dict[str, int]


def tabulate_rows(
    rows: list[Row],
    numbers: np.ndarray | None,
    name: str,
    columns: Names | None,
    ignored: Names,
    known: Sequence[str] = (),
) -> WideTable:
    if not rows:
        refuse(f"{name} is empty. Expected a header of model names and scores.")
    names = _read_header(rows, name, columns, ignored, known)
    cells: dict[int, Any]
    if numbers is not None:
        cells = {k: numbers[:, k] for k in names}
        header = rows[0][0]  # no blank line is between the numbers
        return WideTable(
            name, names, cells, lambda k: f"{name}, line {header + k + 1}", header
        )
    if len(rows) == 1:
        refuse(f"{name}: expected rows of scores below the header; got none.")
    every = list(itertools.zip_longest(*(x for _, x in rows[1:]), fillvalue=""))
    blank = [""] * (len(rows) - 1)
    cells = {k: every[k] if k < len(every) else blank for k in names}
    return WideTable(
        name, names, cells, lambda k: f"{name}, line {rows[k + 1][0]}", rows[0][0]
    )


def split_tasks(table: WideTable, chosen: Roles) -> dict[str, WideTable]:
    """Return the rows of each task; all rows, of "", of a table without tasks."""
    if "task" not in chosen:
        return {"": table}
    rows: dict[str, list[int]] = {}
    for k, task in enumerate(list_names_of_rows(table, chosen["task"], "task")):
        rows.setdefault(task, []).append(k)
    return {task: take_rows(table, kept) for task, kept in rows.items()}


def take_rows(table: WideTable, kept: list[int]) -> WideTable:
    cells = {k: take(x, kept) for k, x in table.cells.items()}
    ids = [table.ids[k] for k in kept] if table.ids else ()
    return table._replace(cells=cells, place=lambda k: table.place(kept[k]), ids=ids)


def list_empty(table: WideTable) -> list[str]:
    return [
        name
        for name, cells in table.name_cells().items()
        if not isinstance(cells, np.ndarray) and all(map(is_blank, cells))
    ]


def read_wide(
    table: WideTable,
    columns: Names | None = None,
    *,
    ignored: Sequence[str] = (),
    item: str | None = None,
    is_paired: bool = False,
    min_models: int = 2,
    max_models: int | None = None,
    is_averaged: bool = False,
) -> WideScores:
    """Read the scores of the models of a table, in the order of its rows.

    `columns` are the models, in order, or all but those `ignored`. Rows of one `item`
    are averaged if `is_averaged`. If a row `is_paired`, it has no blank cell.
    """
    name, names = table.source, dict(table.names)
    ids = None
    if item is not None:
        ids = read_ids(table, item, are_averaged=is_averaged)
        names = {k: x for k, x in names.items() if x != item}
    if columns is not None:
        names = choose(names, columns, name)
    else:
        names = leave_out(names, ignored, name)
        indices = {k: x for k, x in names.items() if looks_like_index(x, ())}
        cells = [y for k in [*indices][:1] for y in table.cells[k]]
        why, line = "or a time, by name", table.header_line
        is_varied = any(x != cells[0] for x in cells)
        refuse_indices(indices, why, line, name, may_be_items=is_varied)
    line = max(1, table.header_line)  # 0 if there is no header
    check_count(names, min_models, max_models, f"{name}, line {line}")
    _check_filled(table, names, is_paired=is_paired or item is not None)
    positions = {model: k for k, model in names.items()}
    refuse_texts(
        {x: table.cells[k] for x, k in positions.items()},
        lambda x: f"{table.place(0)}, {_place_column(positions[x], x)}",
    )
    numbers = read_cells(
        {model: table.cells[k] for model, k in positions.items()},
        lambda model, k: f"{table.place(k)}, {_place_column(positions[model], model)}",
        of_items=item is not None or is_paired,
    )
    scores = {
        model: column[~np.isnan(column)] for model, column in numbers.columns.items()
    }
    if columns is not None:
        scores = {model: scores[model] for model in columns}
    else:
        counts = {k: x for k, x in names.items() if looks_like_index(x, scores[x])}
        refuse_indices(counts, "for it counts the rows", table.header_line, name)
        numbered = {k: x for k, x in names.items() if x in list_numbered(scores)}
        why = "for its whole numbers are all different"
        refuse_indices(numbered, why, table.header_line, name)
    n_cells = {x: len(numbers.columns[x]) for x in scores}
    n_blank = {x: n_cells[x] - len(y) for x, y in scores.items() if len(y) < n_cells[x]}
    n_gaps = {x: n for x in scores if (n := _count_gaps(numbers.columns[x]))}
    notes = numbers.notes
    if ids is not None and len({*ids}) < len(ids):
        n_rows = len(ids)
        items = encode(ids)
        ids = items.values
        n, of = len(ids), items.codes
        scores = {x: find_means(y, of, n) for x, y in scores.items()}
        averaged = f"{n_rows} rows were averaged within items"
        notes = [*notes, f"{averaged}: each model has {len(ids)} items"]
    return WideScores(scores, ids, notes, n_blank, n_gaps)


def _count_gaps(column: np.ndarray) -> int:
    is_filled = ~np.isnan(column)
    filled = np.flatnonzero(is_filled)
    return int(np.count_nonzero(~is_filled[: filled[-1]])) if len(filled) else 0


def _place_column(position: int, model: str) -> str:
    return f"column {position + 1} ({model})"


def read_ids(
    table: WideTable, column: str, role: str = "item", *, are_averaged: bool = False
) -> list[str]:
    """Return the names of rows, which must be different unless they `are_averaged`."""
    ids = list_names_of_rows(table, column, role)
    if are_averaged:
        return ids
    first: dict[str, int] = {}
    for k, name in enumerate(ids):
        if first.setdefault(name, k) != k:
            are_tasks = (
                "rows are ratings or samples of an item, pass --unit item, which "
                f"averages them; where these are tasks, --task {column!r}"
            )
            if len({*ids}) == 1 and len(ids) > 2:
                refuse(
                    f"{table.source}: expected a column of {role}s; got {column!r}, "
                    f"which has {name!r} in all rows. Leave it out with --ignore."
                )
            are_apart = "a column tells them apart, name it with --model or --task"
            refuse(
                f"{table.place(k)}, column {column!r}: expected each {role} once; got "
                f"{name!r} again, as at {table.place(first[name])}. Where "
                f"{are_tasks if role == 'item' else are_apart}."
            )
    return ids


def list_names_of_rows(table: WideTable, column: str, role: str) -> list[str]:
    position = next((k for k, x in table.names.items() if x == column), None)
    if position is None:
        raise lacks_column(table.source, column, table.names.values(), role)
    names = [as_text(cell) for cell in table.cells[position]]
    for k, name in enumerate(names):
        if not name:
            refuse(
                f"{table.place(k)}, {_place_column(position, column)}: expected the "
                f"{role} of each row; got a blank cell. Write it into each row."
            )
    return names


def _check_filled(table: WideTable, names: dict[int, str], *, is_paired: bool) -> None:
    blanks: list[tuple[int, int]] = []
    for position, model in names.items():
        cells = table.cells[position]
        if isinstance(cells, np.ndarray):
            continue
        blank = np.flatnonzero(find_blank(cells)).tolist()
        if len(blank) == len(cells):
            refuse(
                f"{table.source}, {_place_column(position, model)}: expected scores; "
                "got an empty column. Remove it, or choose others with --columns."
            )
        blanks += [(k, position) for k in blank]
    sizes = {len(table.cells[position]) for position in names}
    if is_paired and len(sizes) > 1:
        refuse(
            f"{table.source}: expected as many scores of each model, which are pairs; "
            f"got {' and '.join(map(str, sorted(sizes)))}."
        )
    if is_paired and blanks:
        row, position = min(blanks)
        place = f"{table.place(row)}, {_place_column(position, names[position])}"
        others = (x for k, x in table.cells.items() if k not in names)
        label = next((f" of {as_text(x[row])!r}" for x in others), "")
        refuse(
            f"{place}: expected a score in every cell, for those of a row are pairs; "
            f"got a blank one{label}. Pass --drop-unmatched to leave out such rows."
        )


def _read_header(
    rows: list[Row], name: str, columns: Names | None, ignored: Names, known: Names
) -> dict[int, str]:
    line, header = rows[0]
    cells = [cell for cell in header if cell]
    if any(map(NUMBER.fullmatch, cells)) and all(
        NUMBER.fullmatch(x) or x.lower() in MISSING for x in cells
    ):
        refuse(
            f"{name}, line {line}: expected a header of model names; got numbers: "
            f"{', '.join(cells[:3])}. If these are scores, put a line of names first; "
            f"if they are names, write a word to them, such as 'model{cells[0]}'"
            f"{'' if header[0] else RUNS_OF_ROWS}."
        )
    names: dict[int, str] = {}
    seen: set[str] = set()
    for position, cell in enumerate(header):
        model = " ".join(cell.split())
        place = f"{name}, line {line}, column {position + 1}"
        is_chosen = model not in ignored if columns is None else model in columns
        if is_chosen and model in seen:
            refuse(f"{place}: expected one column for each model; got {model!r} twice.")
        is_unnamed = not model and any(get_cell(row, position) for _, row in rows[1:])
        is_known = not model and "" in known
        if is_unnamed and columns is None and model not in ignored and not is_known:
            first = next(x for _, row in rows[1:] if (x := get_cell(row, position)))
            raise ask_about_unnamed(place, first)
        if model or (is_unnamed and is_known):
            names[position] = model
            seen.add(model)
    return names


# Words for what tells the rows of an item apart, and names no model.
_FACTORS = PEOPLE | as_words("""
    user subject turn rep round attempt session version difficulty order position trial
    sample criterion
""")
# Scores tell the rows of all items apart in fewer tables than this.
_SELDOM = 1e-3


def refuse_factors(
    table: WideTable, chosen: Roles, ignored: Names, models: Names | None
) -> None:
    """Refuse columns of whole numbers that tell the rows of an item apart.

    They have names for such, or numbers that were drawn would not do so.
    """
    known = [chosen[x] for x in ("task", "item", "cluster", "run") if x in chosen]
    cells = table.name_cells()
    if "item" not in chosen or models is not None or not {*known} <= {*cells}:
        return
    rows = [encode_texts(cells[x]) for x in known]
    groups, n_groups = group_rows(rows)
    if n_groups == len(groups) or len({*map(len, cells.values())}) > 1:
        return
    of_items = np.bincount(group_rows(rows[:-1] if "run" in chosen else rows)[0])
    columns = {
        x: texts
        for x, y in cells.items()
        if x not in {*known, *ignored}
        for texts in [encode_texts(y)]
        if (texts.codes >= 0).all()
        and all(re.fullmatch(r"\d+(\.0*)?", str(z)) for z in texts.list_known())
    }
    named = [x for x in columns if list_words(x) & _FACTORS]
    for names in (named, *([x] for x in columns)):
        texts = [columns[x] for x in names]
        if not names or group_rows([*rows, *texts])[1] < len(groups):
            continue
        chance = _find_chance_of_others(of_items, np.bincount(texts[0].codes))
        if names == named or chance * len(columns) < _SELDOM:
            run = ",".join(x for x in (chosen.get("run"), *names) if x)
            refuse(
                f"{table.source}: expected a column of scores for each model; got "
                f"{list_names(names)}, whose numbers tell all rows of an item apart, "
                "as those of raters or samples do. Pass --run "
                f"{shlex.quote(run)}, with --unit item, which averages these rows; "
                "or, where these are scores of models, name all models with --columns."
            )


def _find_chance_of_others(sizes: np.ndarray, counts: np.ndarray) -> float:
    """Return the chance that the rows of each item differ in a column.

    Of k rows it is k! times the elementary symmetric polynomial of the shares of values
    of degree k, as if scores were drawn by themselves.
    """
    polynomial = np.ones(1)
    for share in counts / counts.sum():
        polynomial = np.convolve(polynomial, [1.0, share])[: sizes.max() + 1]
    chances = [math.factorial(k) * p for k, p in enumerate(polynomial[:170])]
    return math.prod(chances[k] if k < len(chances) else 0.0 for k in sizes.tolist())
