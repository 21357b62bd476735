"""Items that are tasks, such as games, and whose scores are of unlike scales."""

from collections.abc import Sequence

import numpy as np

from sigarray._plain_text import show_number
from sigarray.read._codes import Coded, encode
from sigarray.read._frame import shorten
from sigarray.read._records import Records, find_column
from sigarray.read._score_table import ScoreTable
from sigarray.read._words import TASKS, list_words

# Tasks whose scores differ in size by less than such a factor are alike.
_UNLIKE = 10.0
# Scores below this share of the size of a task's are near 0.
_NEAR_ZERO = 0.05
_MAX_NAMED = 3


def are_unlike(sizes: np.ndarray) -> bool:
    """Tell whether the mean over tasks is that of the few with the largest sizes (T,).

    The largest is 10 times the least, and the mean is worth that of fewer than half of
    the tasks: their effective number is (sum of s)^2 / sum of s^2. So normalized scores
    are alike, though they are small on some tasks.
    """
    if sizes.max() < _UNLIKE * sizes.min():
        return False
    shares = sizes / sizes.max()
    n_effective = np.sum(shares) ** 2 / np.sum(shares * shares)
    return bool(2.0 * n_effective < len(sizes) + 1)


def say_scaling(names: Sequence[str], lows: np.ndarray, sizes: np.ndarray) -> str:
    """Say how to bring tasks to one scale, of the least scores and sizes (T,) of each.

    To divide by a mean that is negative reverses the order of models, and by one near 0
    it makes differences as large as one likes.
    """
    where = np.flatnonzero(lows < _NEAR_ZERO * sizes).tolist()
    scaled = (
        "Normalize the scores of each task before comparing: (score - low) / (high - "
        "low), with a low and a high score of the task that are published, such as "
        "those of random and of human players"
    )
    if not where:
        return f"{scaled}; or divide them by the mean of a reference model"
    few = shorten([repr(names[k]) for k in where], _MAX_NAMED)
    return (
        f"{scaled}. Do not divide by the mean of a reference model: scores are "
        f"negative or near 0 on {few}, where that reverses the order of models, or "
        "inflates differences"
    )


def doubt_items_of_records(records: Records, source: str) -> list[str]:
    """Doubt the items of records, if their column is one of tasks."""
    column = find_column(records, "item")
    if column is None:
        return []
    is_once = records.group("model", "item")[1] == len(records)
    items = records.factors["item"]
    return _doubt(source, column, items, records.scores, is_once=is_once)


def doubt_items_of_table(table: ScoreTable, column: str | None) -> list[str]:
    """Doubt the items of a table with a column for each model."""
    if column is None or table.unit != "item" or not table.tasks:
        return []
    every = [
        (names, table.tasks[task][model])
        for task, by in table.ids.items()
        for model, names in by.items()
    ]
    items = encode([x for names, _ in every for x in names])
    scores = np.concatenate([np.asarray(x) for _, x in every])
    return _doubt(table.source, column, items, scores, is_once=True)


def _doubt(
    source: str, column: str, items: Coded, scores: np.ndarray, *, is_once: bool
) -> list[str]:
    """Say that means over tasks taken for items are those of tasks with large scores.

    Shares, and what may be percentages, are of one scale. `is_once` if each model has
    one score of an item, so that items cannot be tasks instead.
    """
    is_known = ~np.isnan(scores) & (items.codes >= 0)
    if not list_words(column) & TASKS or not is_known.any():
        return []
    codes, sizes = items.codes[is_known], np.abs(scores[is_known])
    if scores[is_known].min() >= 0.0 and sizes.max() <= 100.0:
        return []
    counts = np.bincount(codes)
    means = np.bincount(codes, sizes) / np.maximum(counts, 1)
    known = np.flatnonzero(means)
    if not len(known) or not np.isfinite(means).all():
        return []
    low, high = (known[choose(means[known])] for choose in (np.argmin, np.argmax))
    factor = float(means[high] / means[low])
    if not are_unlike(means[known]):
        return []
    lows = np.full(len(counts), np.inf)
    np.minimum.at(lows, codes, scores[is_known])
    names = [str(items.values[k]) for k in known]
    advice = say_scaling(names, lows[known], means[known])
    if not is_once:
        advice += (
            f"; or pass --task {column} in place of --item, which compares models on "
            "each, and over all by the ranks of their differences"
        )
    return [
        f"{source}: items are those of {column!r}, whose scores differ in size by a "
        f"factor of {show_number(factor, 2)} (means of {show_number(means[low])} for "
        f"{items.values[low]!r}, and {show_number(means[high])} for "
        f"{items.values[high]!r}): "
        "means over items, their differences and p-values are mostly those of the "
        f"largest. {advice}"
    ]
