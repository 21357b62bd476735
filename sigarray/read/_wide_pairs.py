"""Incomplete rows of a table with a column for each model."""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np

from sigarray.read._bytes import TableError
from sigarray.read._cautions import Caution
from sigarray.read._cells import find_blank
from sigarray.read._frame import shorten
from sigarray.read._repeats import have_parts
from sigarray.read._wide import WideTable, read_wide, take_rows

_MAX_SHOWN = 5


def drop_unmatched(
    wide: WideTable, models: Sequence[str]
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
    of_pairs: Mapping[tuple[str, str], WideTable],
    chosen: Mapping[str, str],
    unit: str | None,
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
