"""Columns that count the steps of runs, by their names and numbers."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from sigarray._backend.index_columns import names_steps
from sigarray._plain_text import squeeze
from sigarray.read._cells import encode_texts
from sigarray.read._codes import Coded, group_rows, repeat
from sigarray.read._text import NUMBER
from sigarray.read._words import HYPERPARAMETERS

# What a run without a name has to rise by, so as not to be taken for others by chance.
_FEWEST = 3


def find_step_column(
    columns: Mapping[str, Sequence[Any]],
    roles: Mapping[str, str],
    names: Collection[str],
) -> str | None:
    """Return the one of some columns that counts the steps of each run, or None.

    Its name says so, and each run has several numbers of it: those of other runs, or
    rising ones. A number of frames that a run has once is no step of it.
    """
    if "item" in roles:
        return None
    for name in names:
        if not names_steps(name) or squeeze(name) in HYPERPARAMETERS:
            continue
        factors = [
            encode_texts(columns[roles[x]])
            for x in ("task", "model", "run", "metric")
            if x in roles
        ]
        is_of_runs = "run" in roles
        if counts_steps(columns[name], factors, may_recur=is_of_runs):
            return name
    return None


def find_largest(values: Sequence[Any]) -> str | None:
    """Return the largest of some texts of numbers, or None if some are no numbers."""
    texts = [str(x) for x in values]
    if not texts or not all(map(NUMBER.fullmatch, texts)):
        return None
    return max(texts, key=float)


def counts_steps(
    cells: Sequence[Any], factors: Sequence[Coded], *, may_recur: bool
) -> bool:
    """Tell whether numbers differ in each run, and rise there.

    They need not rise, as in a sorted table, if they `may_recur` and most are of
    several runs; otherwise some run has three or more.
    """
    texts = encode_texts(cells)
    if np.any(texts.codes < 0) or find_largest(texts.values) is None:
        return False
    runs, n_runs = group_rows(factors or [repeat("", len(texts))])
    if group_rows([*factors, texts])[1] < len(runs) or n_runs == len(runs):
        return False
    if may_recur and 2 * len(texts.list_known()) <= len(runs):
        return True
    order = np.argsort(runs, kind="stable")
    numbers = np.asarray([float(x) for x in texts.values])[texts.codes][order]
    is_same = np.diff(runs[order]) == 0
    is_long = may_recur or np.bincount(runs).max() >= _FEWEST
    return is_long and bool(np.all(np.diff(numbers)[is_same] > 0))
