"""What became of scores while they were read: left out, averaged, or pooled."""

from typing import NamedTuple

import numpy as np

from sigarray.read._records import Records


class Dropped(NamedTuple):
    """Items, or runs that are pairs, left out for all models: some model lacks them.

    Of `n_all` of them `n` were left out, in which `n_scores` were missing; `unit` is
    "item", "run", "cluster" or "row".
    """

    unit: str
    n: int
    n_all: int
    n_scores: int


class Averaged(NamedTuple):
    """The score of an item, or of a run, is a mean of so many at least, and at most.

    `of` is what is averaged: "score", "rating", "run" or "item"; `by` has the column
    of raters, if any.
    """

    unit: str
    of: str
    least: int
    most: int
    by: str | None = None


class LastSteps(NamedTuple):
    """The column of steps, and the least and the largest last one of a run."""

    column: str
    least: float
    most: float


def count_dropped(
    records: Records, kept: Records, unit: str, *, is_paired: bool
) -> Dropped | None:
    """Count the items or runs of a task that were left out for all models, if any."""
    role = "item" if records.has("item") else unit
    if not records.has(role) or (role == "run" and not is_paired):
        return None
    n_all, n_kept = (len(x.list_known(role)) for x in (records, kept))
    if n_kept == n_all:
        return None
    holders = ["model", "run"] if unit == "run" and role == "item" else ["model"]
    n_holders, n_held = records.group(*holders)[1], records.group(*holders, role)[1]
    n_missing = int(np.isnan(records.scores).sum()) + n_holders * n_all - n_held
    return Dropped(role, n_all - n_kept, n_all, n_missing)


def count_averaged(records: Records, unit: str) -> Averaged | None:
    """Count the scores of each item, or the items of each run, if there are several."""
    if not records.has("item") or (unit == "run" and not records.has("run")):
        return None
    of_runs = unit == "run"
    counts = np.bincount(records.group("model", "run" if of_runs else "item")[0])
    if counts.max() == 1:
        return None
    of = "item" if of_runs else "run" if records.has("run") else "score"
    least, most = int(counts.min()), int(counts.max())
    return Averaged("run" if of_runs else "item", of, least, most)
