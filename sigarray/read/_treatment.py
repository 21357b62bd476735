"""What became of scores while they were read: left out, averaged, or pooled."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from sigarray.read._frame import list_names, shorten
from sigarray.read._records import Records, find_column

_MAX_SHOWN = 3


class Dropped(NamedTuple):
    """Items, or runs that are pairs, left out for all models: some model lacks them.

    Of `n_all` of them `n` were left out, in which `n_scores` were missing, `n_treated`
    of them by `missing`; `unit` is "item", "run", "cluster" or "row".
    """

    unit: str
    n: int
    n_all: int
    n_scores: int
    n_treated: int = 0


class Ended(NamedTuple):
    """Runs that have no score because they have crashed or ended early.

    Model -> how many of its runs `crashed`, and how many ended `early`; `worst` is the
    score that they count as, or None if left out.
    """

    crashed: Mapping[str, int]
    early: Mapping[str, int]
    worst: float | None = None


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


class Raters(NamedTuple):
    """Whether models have scores of an item by the same raters, whom a column names.

    `n` of `n_all` scores were left out, because not all models have one of the item by
    the same rater, and with them `n_items` of `n_all_items` items. By the columns of
    `others`, some model lacks scores by some rater, and by those of `unequal`, models
    have the same raters in unequal shares.
    """

    column: str
    n: int = 0
    n_all: int = 0
    n_items: int = 0
    n_all_items: int = 0
    others: tuple[str, ...] = ()
    unequal: tuple[str, ...] = ()


class LastSteps(NamedTuple):
    """The column of steps, and the least and the largest last one of a run.

    Of `n_early` more runs, which end much earlier, the score is missing.
    """

    column: str
    least: float
    most: float
    n_early: int = 0


def say_fewer_runs(
    sizes: Mapping[str, Mapping[str, int]], n_missing: Mapping[str, Mapping[str, int]]
) -> list[str]:
    """Say on which tasks a model, but not all of them, has fewer runs than usual.

    Usual is the largest number that it has on a quarter of tasks or more. `sizes` and
    `n_missing` count the runs and those without a score, by task and model: what is
    missing has been said.
    """
    by_model: dict[str, Counter[int]] = {}
    for by in sizes.values():
        for model, n in by.items():
            by_model.setdefault(model, Counter())[n] += 1
    usual = {
        model: max([n for n in counts if 4 * counts[n] >= counts.total()] or counts)
        for model, counts in by_model.items()
    }
    said = [
        f"{model!r} has {n} of {usual[model]} runs on {task!r}"
        for task, by in sizes.items()
        if any(n >= usual[model] for model, n in by.items())
        for model, n in by.items()
        if n < usual[model] and not n_missing.get(task, {}).get(model)
    ]
    return [shorten(said, _MAX_SHOWN)] if said else []


def say_alike(names: Iterable[str]) -> list[str]:
    """Say which models have names that differ by case or spaces alone."""
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault("".join(name.casefold().split()), []).append(name)
    same = [list_names(x) for x in alike.values() if len(x) > 1]
    if not same:
        return []
    return [
        f"names of models that differ by case or spaces alone were taken for several "
        f"models: {shorten(same, _MAX_SHOWN, by='; ')}. If they are one, write it in "
        "one way"
    ]


def count_dropped(
    records: Records, kept: Records, unit: str, *, is_paired: bool, n_others: int = 0
) -> Dropped | None:
    """Count the items or runs of a task that were left out for all models, if any.

    `n_others` were left out for their raters.
    """
    role = "item" if records.has("item") else unit
    if not records.has(role) or (role == "run" and not is_paired):
        return None
    n_all, n_kept = (len(x.list_known(role)) for x in (records, kept))
    n_left = n_all - n_kept - n_others
    if not n_left:
        return None
    is_by_run = unit in ("run", "run,item") and role == "item"
    holders = ["model", "run"] if is_by_run else ["model"]
    is_missing = np.isnan(records.scores)
    scored = records.take(np.flatnonzero(~is_missing))
    n_held = scored.group(*holders, role)[1]
    n_scores = records.group(*holders)[1] * n_all - n_held
    is_kept = records.factors[role].find({*kept.list_known(role)})
    return Dropped(role, n_left, n_all, n_scores, int(np.sum(is_missing & ~is_kept)))


def count_averaged(records: Records, unit: str) -> Averaged | None:
    """Count the scores of each item, or the items of each run, if there are several."""
    if not records.has("item") or (unit == "run" and not records.has("run")):
        return None
    if unit == "run,item":
        return None  # means decide nothing
    of_runs = unit == "run"
    counts = np.bincount(records.group("model", "run" if of_runs else "item")[0])
    if counts.max() == 1:
        return None
    least, most = int(counts.min()), int(counts.max())
    if of_runs:
        return Averaged("run", "item", least, most)
    if records.has("rater"):
        return Averaged("item", "rating", least, most, find_column(records, "rater"))
    return Averaged("item", "run" if records.has("run") else "score", least, most)
