"""Doubts that runs on several tasks are independent: one training, tested on all."""

import math
import shlex
from collections.abc import Mapping
from statistics import NormalDist

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._numeric.ranks import middle_ranks
from sigarray.read._frame import list_names
from sigarray.read._one_task import JoinedTask

# Runs that are independent lead to a doubt in as many cases, or fewer.
_LEVEL = 0.01


def doubt_shared_runs(
    joined: Mapping[str, JoinedTask], source: str, column: str | None
) -> list[str]:
    """Doubt that runs with one name on all tasks are others on each of them.

    `column`, if any, is that of the tasks.
    """
    if len(joined) < 2:
        return []
    tables = _list_tables(joined)
    if not exceeds_chance(list(tables.values())):
        return []
    n, models = len(joined), list_names(sorted(tables), 3)
    doubt = (
        f"{source}: runs of one name are good or bad together on the {n} tasks "
        f"({models}), as if each were one training that was tested on "
        "all of them. Then runs on a task say the same as those on another, and "
        "verdicts over tasks find differences of equal models too often"
    )
    if column is None:
        return [f"{doubt}: compare the mean over tasks of each run"]
    item = f"--item {shlex.quote(column)}"
    return [
        f"{doubt}: pass {item} for verdicts on other runs and tasks like these, or "
        f"{item} --unit run for other runs on these tasks"
    ]


def _list_tables(joined: Mapping[str, JoinedTask]) -> dict[str, np.ndarray]:
    """Return scores (tasks, runs) of models whose runs have the same names on all."""
    first, *others = joined.values()
    tables = {}
    for model, ids in first.ids.items():
        names = sorted(ids)
        if len(names) < 2 or any(sorted(x.ids.get(model, ())) != names for x in others):
            continue
        tables[model] = np.stack(
            [x.scores[model][np.argsort(x.ids[model])] for x in joined.values()]
        )
    return tables


def exceeds_chance(tables: list[np.ndarray]) -> bool:
    """Tell whether runs are ranked more alike on tasks (tasks, runs) than by chance.

    Friedman's statistics of the models add up to one that is about chi-squared, whose
    cube root is about normal (Wilson and Hilferty 1931). Their variance is (T - 1) / T
    of that of chi-squared, for T tasks.
    """
    total, df = 0.0, 0
    for x in tables:
        ranks = middle_ranks(HOST, x, np.zeros((len(x), 1)))
        squares = np.sum(ranks**2)
        if squares > 0.0:
            total += (x.shape[1] - 1) * np.sum(np.sum(ranks, axis=0) ** 2) / squares
            df += x.shape[1] - 1
    if df == 0:
        return False
    n_tasks = len(tables[0])
    total = max(0.0, df + (total - df) * math.sqrt(n_tasks / (n_tasks - 1.0)))
    spread = 2.0 / (9.0 * df)
    z = (np.cbrt(total / df) - (1.0 - spread)) / math.sqrt(spread)
    return bool(z > NormalDist().inv_cdf(1.0 - _LEVEL))
