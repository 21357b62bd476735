"""Rows of a table with a column for each model that are left out or averaged."""

import itertools
from collections import Counter
from collections.abc import Mapping

import numpy as np

from sigarray.read._cells import find_blank, find_missing
from sigarray.read._duplicates import have_parts, refuse_repeated_rows
from sigarray.read._frame import Names, Roles, shorten
from sigarray.read._messages import Caution
from sigarray.read._score_table import Choice
from sigarray.read._text import TableError
from sigarray.read._treatment import Averaged, Dropped
from sigarray.read._wide import WideTable, list_names_of_rows, read_wide, take_rows

_MAX_SHOWN = 5


def drop_unmatched(
    wide: WideTable, models: Names
) -> tuple[WideTable, dict[tuple[str, str], WideTable], list[str]]:
    """Return the rows with a score of each model, those of each pair, and a note.

    Pairs are empty if they have no more rows than all models have.
    """
    filled = {
        name: ~find_blank(wide.cells[k])
        for k, name in wide.names.items()
        if name in models
    }
    n_rows = min(map(len, filled.values()), default=0)
    has = np.asarray([x[:n_rows] for x in filled.values()])
    common = np.flatnonzero(np.all(has, axis=0))
    if len(common) == n_rows:
        return wide, {}, []
    if not len(common):
        msg = (
            f"{wide.source}: expected rows with a score of every model; got none. "
            "Choose models that have some in common with --columns."
        )
        raise TableError(msg)
    lacking = [
        f"{name} lacks {np.sum(~x)}" for name, x in filled.items() if not np.all(x)
    ]
    note = Caution(
        f"{n_rows - len(common)} of {n_rows} rows do not have a score of every model: "
        f"{shorten(lacking, _MAX_SHOWN, by='; ')}; left out"
    )
    pairs = {}
    names = list(filled)
    if len(names) > 2:
        for i, j in itertools.combinations(range(len(names)), 2):
            both = np.flatnonzero(has[i] & has[j])
            pairs[names[i], names[j]] = take_rows(wide, both.tolist())
    return take_rows(wide, common.tolist()), pairs, [note]


def take_pairs(
    of_pairs: Mapping[tuple[str, str], WideTable], chosen: Roles, unit: str | None
) -> dict[tuple[str, str], tuple[np.ndarray, np.ndarray]]:
    """Return the scores of each two models in the rows of both."""
    found = {}
    for (a, b), wide in of_pairs.items():
        scores = read_wide(
            wide,
            [a, b],
            item=chosen.get("item"),
            is_paired=True,
            is_averaged=have_parts(wide, chosen, unit),
        ).scores
        found[a, b] = scores[a], scores[b]
    return found


def count_averaged_rows(
    rows: WideTable, task: str, chosen: Roles, choice: Choice, models: Names
) -> dict[str, Averaged]:
    """Count the rows of each item of a task, if these are averaged."""
    if choice.unit != "item" or "item" not in chosen:
        return {}
    ids = list_names_of_rows(rows, chosen["item"], "item")
    counts = Counter(ids).values()
    if max(counts) == 1:
        return {}
    refuse_repeated_rows(rows, ids, [chosen["item"], *models])
    return {task: Averaged("item", "score", min(counts), max(counts))}


def count_dropped_rows(
    whole: WideTable, kept: WideTable, models: Names, task: str, unit: str
) -> dict[str, Dropped]:
    """Count the rows of a task that were left out, and the scores missing there."""
    places = [k for k, x in whole.names.items() if x in models]
    n_all, n_kept = (max(len(x.cells[k]) for k in places) for x in (whole, kept))
    if n_kept == n_all:
        return {}
    n_scores = sum(int(find_missing(whole.cells[k]).sum()) for k in places)
    return {task: Dropped(unit, n_all - n_kept, n_all, n_scores, n_scores)}
