"""Which columns of a table are models, and which are texts."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from shlex import quote
from typing import Any

import numpy as np

from sigarray.read._cells import is_blank, looks_like_score, looks_like_verdict
from sigarray.read._frame import Names, lacks_column, list_names
from sigarray.read._text import MISSING, TableError, say_means
from sigarray.read._words import names_clusters

# With more numbers a column is hardly one of runs, and with fewer it may be of scores.
_MAX_RUNS, _MIN_NUMBERED = 50, 8


def choose(names: dict[int, str], columns: Names, name: str) -> dict[int, str]:
    """Return the columns that were asked for, by their places."""
    _check_known(names, columns, name)
    if len(set(columns)) < len(columns):
        msg = f"Expected each of --columns once; got {', '.join(columns)}."
        raise TableError(msg)
    return {position: model for position, model in names.items() if model in columns}


def leave_out(names: dict[int, str], ignored: Names, name: str) -> dict[int, str]:
    """Return all other columns."""
    _check_known(names, [column for column in ignored if column], name)
    return {k: model for k, model in names.items() if model not in ignored}


def _check_known(names: dict[int, str], columns: Names, name: str) -> None:
    for model in columns:
        if model not in names.values():
            raise lacks_column(name, model, names.values())


def check_count(
    names: dict[int, str], min_models: int, max_models: int | None, place: str
) -> None:
    """Refuse too few or too many models."""
    if len(names) < min_models:
        number = "two or more models" if min_models == 2 else "a model"
        msg = (
            f"{place}: expected columns for {number}; got "
            f"{list_names(list(names.values()))}. Columns are separated by commas, "
            "tabs or semicolons; where a file is of one model, pass one for each."
        )
        raise TableError(msg)
    if max_models is not None and len(names) > max_models:
        msg = (
            f"{place}: expected at most {max_models} models, every two of which are "
            f"compared; got {len(names)}. Choose some with --columns."
        )
        raise TableError(msg)


def list_numbered(scores: Mapping[str, np.ndarray]) -> list[str]:
    """List columns of distinct whole numbers beside scores that are not whole.

    Columns of up to 50 may well be scores, unless they are apart from all others.
    """
    numbered = [name for name, x in scores.items() if _are_numbers(x)]
    others = [x for name, x in scores.items() if name not in numbered]
    counts = (x for x in others if not np.isin(x, (0.0, 1.0)).all())
    if not others or any(map(_is_whole, counts)):
        return []
    low, high = min(x.min() for x in others), max(x.max() for x in others)
    return [
        name
        for name in numbered
        if len(scores[name]) > _MAX_RUNS
        or scores[name].min() > high
        or scores[name].max() < low
    ]


def _are_numbers(x: np.ndarray) -> bool:
    return len(x) >= _MIN_NUMBERED and _is_whole(x) and len(np.unique(x)) == len(x)


def _is_whole(x: np.ndarray) -> bool:
    return all(bool(np.all(part == np.round(part))) for part in (x[:100], x))


def refuse_indices(indices: dict[int, str], reason: str, line: int, name: str) -> None:
    """Refuse columns that are hardly models, which would enter the correction."""
    if not indices:
        return
    places = ", ".join(str(position + 1) for position in indices)
    columns = "columns" if len(indices) > 1 else "column"
    first = next(iter(indices.values()))
    of_clusters = ""
    if names_clusters(first):
        of_clusters = f", or where several rows are of one, --cluster {quote(first)}"
    msg = (
        f"{name}, line {line}, {columns} {places} ({', '.join(indices.values())}): "
        f"expected scores of a model; got what looks like an index, {reason}. Leave it "
        f"out with --ignore {quote_names(list(indices.values()))}, or choose the "
        f"models with --columns; or where it names the items of a test set, by which "
        f"models are paired, pass --item {quote(first)}{of_clusters}."
    )
    raise TableError(msg)


def quote_names(names: Names) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(names)
    return quote(text.getvalue())


def ask_about_unnamed(place: str, first: object) -> TableError:
    """Return the error for a column with cells but no name."""
    return TableError(
        f"{place}: expected a name; got a blank cell, above {first!r}. Where it names "
        "the items of a test set, by which models are paired, pass --item ''; where it "
        "names the model of each row, --model ''; where it numbers runs, --ignore ''; "
        "or choose the models with --columns."
    )


def refuse_texts(
    columns: Mapping[str, Sequence[Any]], place: Callable[[str], str]
) -> None:
    """Refuse columns of texts, such as names, or answers without a score yet.

    `place` gives words for the first cell of a column.
    """
    texts = [
        x
        for x, cells in columns.items()
        if not isinstance(cells, np.ndarray) and _is_text(cells)
    ]
    are_verdicts = len(texts) == len(columns) and all(
        looks_like_verdict(y) for x in texts for y in columns[x] if not is_blank(y)
    )
    if not texts or are_verdicts:
        return
    first = texts[0]
    got = f"{place(first)}: expected scores; got {columns[first][0]!r}"
    of_means = say_means(columns[first])
    if of_means:
        msg = f"{got}.{of_means}"
        raise TableError(msg)
    quoted = repr(first)
    clusters = f"where several rows are of one of them, --cluster {quoted}; "
    msg = (
        f"{got}. Where the column names the models, pass --model {quoted}; where it "
        f"names items, by which models are paired, --item {quoted}; "
        f"{clusters if names_clusters(first) else ''}where it names tasks, "
        f"--task {quoted}; where it has answers, write whether each is right, as 1 or "
        f"0; or leave it out with --ignore {quoted}."
    )
    raise TableError(msg)


def _is_text(cells: Sequence[Any]) -> bool:
    """Tell whether no cell of a column may be a number."""
    filled = [x for x in cells if not is_blank(x) and str(x).lower() not in MISSING]
    return len(filled) > 1 and not any(map(looks_like_score, filled))
