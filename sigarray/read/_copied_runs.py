"""Doubt runs that have the scores of another one on all tasks, steps and items."""

import math

import numpy as np

from sigarray.read._codes import Coded, group_rows
from sigarray.read._frame import shorten
from sigarray.read._records import Records
from sigarray.read._unlikely_rows import find_unit

# Chance repeats all scores of a run in fewer tables; and these have so many values.
_CHANCE, _MIN_VALUES, _MAX_SHOWN = 1e-3, 3, 3
# The density of the difference of two normal scores at 0, in standard deviations.
_AT_ZERO = 0.5 / math.sqrt(math.pi)


def doubt_copied_runs(records: Records, source: str) -> list[str]:
    """Doubt that a run is of its own if it has all scores of another by no chance."""
    if not records.has("run"):
        return []
    records = records.take(np.isfinite(records.scores))
    runs, n_runs = records.group("model", "run")
    curves = records.group("task", "item")[0]
    order = np.lexsort((records.scores, records.steps, curves, runs))
    parts = np.split(order, np.flatnonzero(np.diff(runs[order])) + 1)
    found: dict[bytes, list[np.ndarray]] = {}
    for rows in parts:
        key = curves[rows], records.steps[rows], records.scores[rows]
        found.setdefault(b"".join(x.tobytes() for x in key), []).append(rows)
    same = [x for x in found.values() if len(x) > 1 and len(x[0]) >= _MIN_VALUES]
    if not same:
        return []
    chances = _find_chances(records, curves, runs, order, same)
    level = math.log(_CHANCE / (0.5 * n_runs * (n_runs - 1)))
    said = []
    for copies, logs in zip(same, chances, strict=True):
        values = np.unique(records.scores[copies[0][logs < 0.0]])
        if logs.sum() < level and len(values) >= _MIN_VALUES:
            names = [records[int(x[0])] for x in copies]
            each = [f"run {x.run!r} of {x.model!r}" for x in names]
            said.append(shorten(each, _MAX_SHOWN, by=" and "))
    if not said:
        return []
    return [
        f"{source}: runs have the same scores everywhere, which chance does not "
        f"explain: {shorten(said, _MAX_SHOWN, by='; ')}. Each counts as a run of its "
        "own: remove copies"
    ]


def _find_chances(
    records: Records,
    curves: np.ndarray,
    runs: np.ndarray,
    order: np.ndarray,
    same: list[list[np.ndarray]],
) -> list[np.ndarray]:
    """Return logarithms of the chance that each score of a run is that of another.

    It is a step of the scores in the density of differences, of scores or, if these
    vary less, of their changes along a curve. Where a third run has it, too, it is 1.
    """
    scores, changes = records.scores, records.scores.copy()
    before, rows = order[:-1], order[1:]
    goes_on = (runs[before] == runs[rows]) & (curves[before] == curves[rows])
    changes[rows[goes_on]] -= scores[before[goes_on]]
    values, steps = np.unique(records.steps, return_inverse=True)
    cell_of = [records.factors["task"], records.factors["item"]]
    cells, n_cells = group_rows([*cell_of, Coded(steps, values.tolist())])
    is_own = np.ones(len(scores), bool)
    for copies in same:
        is_own[np.concatenate(copies[1:])] = False
    groups = group_rows([Coded(cells, range(n_cells)), records.factors["model"]])[0]
    spread = np.minimum(
        *(_find_spread(x, cells, groups, is_own) for x in (scores, changes))
    )
    tasks, n_tasks = records.group("task")
    units = np.asarray(
        [find_unit(scores[tasks == k], is_largest=True) for k in range(n_tasks)]
    )
    by_chance = np.minimum(
        _AT_ZERO * units[tasks] / np.maximum(spread[cells], 1e-300), 1.0
    )
    pairs = np.column_stack([cells, scores])
    _, again, counts = np.unique(pairs, axis=0, return_inverse=True, return_counts=True)
    n_equal = counts[again.ravel()]
    return [
        np.where(n_equal[x[0]] > len(x), 0.0, np.log(by_chance[x[0]])) for x in same
    ]


def _find_spread(
    x: np.ndarray, cells: np.ndarray, groups: np.ndarray, is_own: np.ndarray
) -> np.ndarray:
    """Return the standard deviation in each cell, within models; 0 if unknown."""
    n = np.bincount(groups[is_own], minlength=groups.max() + 1)
    means = np.bincount(groups[is_own], x[is_own], minlength=len(n)) / np.maximum(n, 1)
    squares = np.where(is_own, (x - means[groups]) ** 2, 0.0)
    dfs = np.where(is_own, 1.0 - 1.0 / np.maximum(n, 1)[groups], 0.0)
    total, df = (
        np.bincount(cells, y, minlength=cells.max() + 1) for y in (squares, dfs)
    )
    return np.where(df > 0.5, np.sqrt(total / np.maximum(df, 0.5)), 0.0)
