"""Rows of scores that are there twice, which nothing names."""

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sigarray.read._grains import find_sizes, list_decimals, thin
from sigarray.read._wide import WideTable

# Rows that honest runs have in common in fewer tables than this are hardly theirs. Of
# 400 tables each of 3 to 50 normal or heavy-tailed runs of 2 to 5 models, which may
# share a part, at most 0.5 % were doubted; a copy of a row of 5 was found in 98 % where
# three models vary by 30 steps of the last digit, and in 68 % where two do.
_SELDOM = 0.01
_BY_CHANCE = 0.05
_MOST_ROWS = 10_000
_MOST_SHOWN = 3


def doubt_same_rows(
    columns: Mapping[str, np.ndarray], name: Callable[[int], str], source: str
) -> list[str]:
    """Doubt that runs are independent if all models have the same scores in two rows.

    Of whole numbers, such as 0 and 100, that may well be; of scores with decimals it
    may be by chance, if these are few: a score has about as many values as steps of its
    last digit, or of one item, fit between the least and the largest one, or into twice
    the middle half. `name` names a row.
    """
    sizes = {len(x) for x in columns.values()}
    n = max(sizes, default=0)
    if len(columns) < 2 or len(sizes) > 1 or not 2 < n <= _MOST_ROWS:
        return []
    rows = np.stack(list(columns.values()), axis=1)
    _, groups, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
    if counts.max() == 1:
        return []
    chances = [_list_chances(x) for x in columns.values()]
    found = []
    for group in np.flatnonzero(counts > 1).tolist():
        same = np.flatnonzero(groups.reshape(-1) == group).tolist()
        by_model = [float(x[same[0]]) for x in chances]
        expected = math.comb(n, 2) * math.prod(by_model)
        if expected < _SELDOM and sum(x < 1.0 for x in by_model) > 1:
            found.append(same)
    if not found:
        return []
    found.sort()
    return [_say(found, name, source, len(columns), sum(len(x) - 1 for x in found))]


def doubt_rows(
    wide: WideTable,
    scores: Mapping[str, np.ndarray],
    names: Mapping[str, Sequence[str]],
    task: str,
    chosen: Mapping[str, str],
) -> list[str]:
    """Doubt that rows without names are runs, of a table with a column for each model.

    `names` are those of the rows of each model's scores. There are none of items.
    """
    numbers = list(map(str, range(1, len(wide.ids) + 1)))
    is_named = list(wide.ids) != numbers or {"run", "item"} & {*chosen}
    if is_named or len(numbers) > _MOST_ROWS:
        return []
    common = set(numbers).intersection(*names.values())
    of_all = {
        model: column[[x in common for x in names[model]]]
        for model, column in scores.items()
    }
    kept = [k for k, x in enumerate(numbers) if x in common]
    start = f"{wide.source}, task {task!r}" if task else wide.source
    return doubt_same_rows(
        of_all, lambda k: wide.place(kept[k]).removeprefix(f"{wide.source}, "), start
    )


def _list_chances(x: np.ndarray) -> np.ndarray:
    """Return for each score about the share of other rows that have it by chance."""
    # In the middle they are densest, and outliers say nothing of that.
    spread = min(np.ptp(x), 2.0 * np.subtract(*np.quantile(x, [0.75, 0.25])))
    n_values = max(1.0, float(spread) / _find_step(x))
    _, places, counts = np.unique(x, return_inverse=True, return_counts=True)
    by_values = np.full(len(x), 1.0 / n_values)
    # Scores that come more often than in two rows do so by themselves.
    often = np.maximum(0, counts[places.reshape(-1)] - 2) / len(x)
    chances: np.ndarray = np.where(x == np.round(x), 1.0, np.maximum(by_values, often))
    return chances


def _find_step(x: np.ndarray) -> float:
    """Return a unit of the last decimal, or the distance of shares of a few items."""
    unit = 10.0 ** -max(list_decimals(x))
    sizes, scale = find_sizes(thin(x), unit)
    if not len(sizes):
        return unit
    # Of more items, any few scores are shares by chance.
    n_items, n_values = float(sizes[0]), len(np.unique(thin(x)))
    by_chance = n_items * (unit / scale * n_items) ** n_values
    return max(unit, scale / n_items) if by_chance < _BY_CHANCE else unit


def _say(
    found: Sequence[Sequence[int]],
    name: Callable[[int], str],
    source: str,
    n_models: int,
    n_again: int,
) -> str:
    """Say which rows are the same."""
    shown = "; ".join(
        " and ".join(name(k) for k in same[:_MOST_SHOWN])
        + (f" and {len(same) - _MOST_SHOWN} more" if len(same) > _MOST_SHOWN else "")
        for same in found[:_MOST_SHOWN]
    )
    if len(found) > _MOST_SHOWN:
        shown += f"; and {len(found) - _MOST_SHOWN} more"
    every = "both models" if n_models == 2 else f"all {n_models} models"
    it, copies = ("it is a copy", "it") if n_again == 1 else ("they are copies", "them")
    return (
        f"{source}: {every} have the same scores at {shown}, and each counts as a run "
        f"of its own. If {it}, remove {copies}; a column with the seeds of runs shows "
        "that they are others"
    )
