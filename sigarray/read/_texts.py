"""Columns of texts among those of models."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from sigarray.read._bytes import TableError
from sigarray.read._cells import (
    as_text,
    is_blank,
    looks_like_score,
    looks_like_verdict,
)
from sigarray.read._deviations import say_means
from sigarray.read._states import find_state
from sigarray.read._text import MISSING
from sigarray.read._words import names_clusters


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
    values = [{*map(as_text, columns[x])} for x in texts]
    if 1 < len(texts) == len(columns) and any(values[0] & x for x in values[1:]):
        msg = (
            f"{got}, as in other columns. Write whether each answer is right, as 1 or "
            "0: 1 for pass and 0 for fail, or 1 where a prediction is the truth."
        )
        raise TableError(msg)
    state = find_state({x: columns[x] for x in texts})
    if state is not None:
        msg = (
            f"{place(state)}: expected scores; got {columns[state][0]!r}, as of runs "
            "that have finished, crashed and so on. Take the rows of some with --where "
            f"{state}=finished, say; or leave the column out with --ignore {state!r}, "
            "which takes the scores of all runs."
        )
        raise TableError(msg)
    quoted = repr(first)
    clusters = f"where several rows are of one of them, --cluster {quoted}; "
    msg = (
        f"{got}. Where the column names the models, pass --model {quoted}; where it "
        f"names items, by which models are paired, --item {quoted}; "
        f"{clusters if names_clusters(first) else ''}where it names tasks, "
        f"--task {quoted}; or leave it out with --ignore {quoted}."
    )
    raise TableError(msg)


def _is_text(cells: Sequence[Any]) -> bool:
    """Tell whether no cell of a column may be a number."""
    filled = [x for x in cells if not is_blank(x) and str(x).lower() not in MISSING]
    return len(filled) > 1 and not any(map(looks_like_score, filled))
