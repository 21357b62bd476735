"""Rows of means, deviations and extremes, which are no scores of runs or items."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

import numpy as np

from sigarray.read._bytes import TableError
from sigarray.read._frame import Frame, find_roles, is_long

# Names of rows that pandas, spreadsheets and people add below scores.
STATISTICS = frozenset(
    (
        *("mean", "avg", "average", "averages", "median", "total", "sum", "overall"),
        *("std", "sd", "stdev", "stddev", "sem", "stderr", "deviation", "variance"),
        *("best", "worst", "min", "max", "minimum", "maximum", "geomean", "iqm"),
        *("mittelwert", "durchschnitt", "mittel", "summe", "standardabweichung"),
        *("moyenne", "médiane", "media", "média", "promedio", "mediana", "±"),
        *("\N{GREEK SMALL LETTER SIGMA}", "μ", "\N{MICRO SIGN}"),
    )
)
# What may stand beside them: "macro avg", "mean over seeds", "std dev".
_BESIDE = frozenset(
    (
        *("of", "over", "across", "the", "all", "n", "and", "standard", "dev", "row"),
        *("error", "macro", "micro", "weighted", "geometric", "harmonic", "grand"),
        *("seeds", "runs", "tasks", "benchmarks", "datasets", "games", "folds"),
        *("score", "scores", "items", "questions", "models", "arithmetic", "value"),
    )
)
_MAX_WORDS = 4
_NAMING = ("model", "task", "metric")
# Of so many scores or more a row may be the mean; of more, nobody writes one below.
_MIN_ABOVE, _MAX_ROWS = 3, 10_000
# Where it is less likely that another run were so near, a row is refused: a mean below
# others, or another statistic. A last row that is less surprising is only named.
_MEAN_BY_CHANCE, _OTHER_BY_CHANCE, _SAID_BY_CHANCE = 5e-3, 5e-4, 0.2
_Statistic = Callable[[np.ndarray], np.ndarray]
_LEVELS: tuple[tuple[str, _Statistic], ...] = (
    ("means", lambda x: x.mean(1)),
    ("medians", lambda x: np.median(x, 1)),
    ("maxima", lambda x: x.max(1)),
    ("minima", lambda x: x.min(1)),
)
_SPREADS: tuple[tuple[str, _Statistic], ...] = (
    ("deviations", lambda x: x.std(1, ddof=1)),
    ("deviations", lambda x: x.std(1)),
    ("standard errors", lambda x: x.std(1, ddof=1) / math.sqrt(x.shape[1])),
)


def is_summary(cell: object) -> bool:
    """Tell the name of a row of means, and the like: "Avg.", "mean (6 runs)"."""
    if not isinstance(cell, str):
        return False
    text = re.sub(r"\(.*?\)|\[.*?\]", " ", cell.casefold())
    text = re.sub(r"standard error|std\.? err", "stderr", text)
    words = re.findall(r"[^\W\d_]+|±", text)
    return (
        0 < len(words) <= _MAX_WORDS
        and not STATISTICS.isdisjoint(words)
        and set(words) <= STATISTICS | _BESIDE
    )


def refuse_summary_rows(
    frame: Frame, chosen: Mapping[str, str], ignored: Sequence[str]
) -> None:
    """Refuse rows of means beside those of which they are the means.

    Their label may be in a column that was left out. Of a table with a row for each
    score, models, runs, items and tasks are looked at when they are joined.

    Raises
    ------
    TableError
        A row that is named "mean", "std" and so on, beside others that are not.
    """
    if frame.metrics is not None:
        return
    names: set[str] = set()
    if is_long(frame, chosen):
        roles = {**find_roles(frame, {}), **chosen}
        names = {roles[role] for role in _NAMING if role in roles}
        names |= {roles[x] for x in ("run", "item") if x in roles} - {*ignored}
    for column, cells in frame.columns.items():
        if column in names or isinstance(cells, np.ndarray):
            continue
        found = [k for k, x in enumerate(cells) if is_summary(x)]
        if 0 < len(found) < len(cells):
            msg = (
                f"{frame.place(column, found[0])}: expected a row of scores; got "
                f"{str(cells[found[0]]).strip()!r}, which is hardly one beside others. "
                "Leave out such rows, or rename them."
            )
            raise TableError(msg)


def refuse_mean_rows(source: str, scores: Mapping[str, np.ndarray]) -> list[str]:
    """Refuse rows of means, medians, extremes and deviations that have no label.

    Means are rounded as they are written. Where other runs might well be so near, as of
    scores of two digits, it is only said.

    Returns
    -------
    notes : list of str

    Raises
    ------
    TableError
        The first or the last row is a statistic of all others, for every model.
    """
    sizes = {len(x) for x in scores.values()}
    if len(scores) < 2 or len(sizes) > 1 or not _MIN_ABOVE < max(sizes) <= _MAX_ROWS:
        return []
    table = np.stack(list(scores.values()))
    n = table.shape[1]
    notes: list[str] = []
    looks = [
        (n, table[:, :-1], _LEVELS + _SPREADS),
        (n, table[:, :-2], _SPREADS),
        (n - 1, table[:, :-2], _LEVELS),
        (1, table[:, 1:], _LEVELS[:1]),
    ]
    for number, others, statistics in looks:
        if others.shape[1] < _MIN_ABOVE:
            continue
        for what, find in statistics:
            is_usual = what == "means" and number > 1
            limit = _MEAN_BY_CHANCE if is_usual else _OTHER_BY_CHANCE
            chance = _find_chance(table[:, number - 1], others, find)
            where = "below" if number == 1 else "above"
            which = f"the {what} of the {others.shape[1]} {where}"
            if chance < limit:
                msg = (
                    f"{source}, row {number} of scores: expected another run; got "
                    f"{which}. Remove rows that are no runs, or name all models with "
                    "--columns where it is one."
                )
                raise TableError(msg)
            if is_usual and number == n and chance < _SAID_BY_CHANCE:
                notes = [f"the last row may be {which}: remove it if it is no run"]
    return notes


def _find_chance(row: np.ndarray, others: np.ndarray, statistic: _Statistic) -> float:
    """Give how likely another run of all models were so near; 1 where it is not near.

    By the density of Student's t with 2 degrees of freedom, whose tails are long, or by
    how many of the others are as near, where that is more: scores may be of few values.
    """
    unit = 10.0 ** -max(map(_count_decimals, row.tolist()))
    # Half of it, and errors of scores that were rounded after their mean was taken.
    near = (0.5 + 0.6 / math.sqrt(others.shape[1])) * unit
    near = np.maximum(near, 1e-7 * np.abs(row))
    deviations = others.std(1, ddof=1)
    if np.any(np.abs(statistic(others) - row) > near) or not deviations.any():
        return 1.0
    near, row, others = (x[deviations > 0.0] for x in (near, row, others))
    deviations = deviations[deviations > 0.0]
    z = (row - others.mean(1)) / deviations
    densities = (1.0 + z**2 / 2.0) ** -1.5 / (math.sqrt(8.0) * deviations)
    n_near = (np.abs(others - row[:, None]) <= near[:, None]).sum(1)
    # One of them may be the statistic itself: a median, or an extreme.
    shares = (n_near - 1) / others.shape[1]
    return float(np.prod(np.clip(2.0 * near * densities, shares, 1.0)))


def _count_decimals(x: float) -> int:
    exponent = Decimal(repr(x)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0
