"""Rows that are hardly runs: means and deviations of others, or their copies."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sigarray._plain_text import list_in_words
from sigarray.read._frame import Names, Roles, shorten
from sigarray.read._text import refuse
from sigarray.read._wide import WideTable

# A row may be the mean of at least this many scores, and of at most this many.
_MIN_ABOVE, _MAX_ROWS = 3, 10_000
# A row is refused if the chance that another run is as near is below this: for a mean
# below others, and for another statistic. Below the third chance, a last row is noted.
_MEAN_BY_CHANCE, _OTHER_BY_CHANCE, _SAID_BY_CHANCE = 5e-3, 5e-4, 0.2
# A score is coarse in units of more than this many deviations.
_COARSEST = 2.0
# Deviations and errors are at most this many times the deviation of the others, which
# are further away than this many times their range.
_LARGEST_SPREAD, _FAR = 5.0, 5.0
_Statistic = Callable[[np.ndarray], float]
_LEVELS: tuple[tuple[str, _Statistic], ...] = (
    ("means", np.mean),
    ("medians", np.median),
    ("maxima", np.max),
    ("minima", np.min),
)
_SPREADS: tuple[tuple[str, _Statistic], ...] = (
    ("deviations", lambda x: x.std(ddof=1)),
    ("deviations", np.std),
    ("standard errors", lambda x: x.std(ddof=1) / math.sqrt(len(x))),
)
# The most scores of a model whose digits are counted; the most items of test sets.
MAX_LOOKED_AT, _MAX_ITEMS = 100, 10_000
# Rows that honest runs have in common in fewer tables than this are hardly theirs.
_SELDOM = 0.01
_BY_CHANCE = 0.05
# So many times as far as half of the scores are from the middle.
_FAILED = 5.0
_MOST_ROWS = 10_000
_MOST_SHOWN = 3


class _Row(NamedTuple):
    scores: np.ndarray
    others: list[np.ndarray]


class _Digits(NamedTuple):
    """The unit in which a row is written, and the least distance of other runs."""

    unit: float
    grain: float


def refuse_mean_rows(source: str, scores: Mapping[str, np.ndarray]) -> list[str]:
    """Refuse rows of means, medians, extremes and deviations that have no label.

    Means are rounded as they are written. If other runs might well be as near, as with
    scores of two digits, there is only a note.
    """
    columns = list(scores.values())
    sizes = {len(x) for x in columns}
    if _are_marks(columns):
        return []  # 0 and 1 below others are an answer, and no mean
    if len(columns) < 2 or min(sizes) <= _MIN_ABOVE or max(sizes) > _MAX_ROWS:
        return []
    last = _take(columns, -1, slice(None, -1))
    looks = [
        ("last", last, _LEVELS + _SPREADS),
        ("last", _take(columns, -1, slice(None, -2)), _SPREADS),
        ("next to last", _take(columns, -2, slice(None, -2)), _LEVELS),
        ("first", _take(columns, 0, slice(1, None)), _LEVELS[:1]),
    ]
    notes: list[str] = []
    for place, row, statistics in looks:
        if min(map(len, row.others)) < _MIN_ABOVE:
            continue
        digits = _find_digits(row)
        for what, find in statistics:
            is_usual = what == "means" and place != "first"
            chance = _find_chance(row, find, digits)
            if chance < (_MEAN_BY_CHANCE if is_usual else _OTHER_BY_CHANCE):
                refuse(_describe(source, place, what, row))
            if is_usual and place == "last" and chance < _SAID_BY_CHANCE:
                described = f"the {what} of {_count(row)} above"
                notes = [f"the last row may be {described}: remove it if it is no run"]
    if _are_far_and_small(last):
        refuse(_describe(source, "last", "deviations or errors", last))
    return notes


def _are_marks(columns: Sequence[np.ndarray]) -> bool:
    starts = np.unique(np.concatenate([x[:MAX_LOOKED_AT] for x in columns]))
    if len(starts) > 2 or np.any(starts != np.round(starts)):
        return False
    return len(np.unique(np.concatenate(columns))) == 2


def _take(columns: Iterable[np.ndarray], place: int, others: slice) -> _Row:
    return _Row(np.asarray([x[place] for x in columns]), [x[others] for x in columns])


def _count(row: _Row) -> str:
    sizes = {len(x) for x in row.others}
    return f"the {sizes.pop()}" if len(sizes) == 1 else "those"


def _describe(source: str, place: str, what: str, row: _Row) -> str:
    where = "below" if place == "first" else "above"
    numbers = ", ".join(f"{x:.6g}" for x in row.scores[:3])
    return (
        f"{source}, the {place} score of each model: expected another run; got the "
        f"{what} of {_count(row)} {where}: {numbers}{', ...' * (len(row.scores) > 3)}. "
        "Remove rows that are no runs; or pass --unit run where each row is a run, "
        "--unit item where each is of an item of a test set."
    )


def _are_far_and_small(row: _Row) -> bool:
    for score, others in zip(row.scores, row.others, strict=True):
        gap = float(np.abs(others - score).min())
        is_small = 0.0 < score <= _LARGEST_SPREAD * others.std(ddof=1)
        if not is_small or gap <= _FAR * float(np.ptp(others)):
            return False
    # Models that all fail to train may have the same score.
    return len(np.unique(row.scores)) > 1


def _find_chance(row: _Row, statistic: _Statistic, digits: _Digits) -> float:
    """Return the chance that another run of all models is as near; 1 if it is not near.

    It is from the density of Student's t with 2 degrees of freedom, for long tails, or,
    if larger, the share of the others that are as near: scores may have few values.
    """
    chance, varies = 1.0, False
    for score, others in zip(row.scores, row.others, strict=True):
        n = len(others)
        rounding = 0.6 / math.sqrt(n)  # if scores were rounded after their mean
        finest = 1e-7 * abs(score)
        fine = min(digits.unit, digits.grain)
        near = max(0.5 * digits.unit + rounding * fine, finest)
        if abs(statistic(others) - score) > near:
            return 1.0
        deviation = float(others.std(ddof=1))
        is_coarse = digits.unit > max(digits.grain, _COARSEST * deviation)
        if is_coarse and _may_be_bound(score, row):
            return 1.0
        if deviation == 0.0:
            continue
        varies = True
        width = max((0.5 + rounding) * digits.grain, finest)
        z = (score - others.mean()) / deviation
        density = (1.0 + z**2 / 2.0) ** -1.5 / (math.sqrt(8.0) * deviation)
        n_near = int((np.abs(others - score) <= width).sum())
        # One of them may be the statistic itself: a median, or an extreme. That shows
        # little if scores are repeated, or are bounds such as 1, 100 or 500.
        is_discrete = len(np.unique(others)) < n or score == round(score)
        share = n_near / (n + 1) if is_discrete else (n_near - 1) / n
        chance *= min(max(2.0 * width * density, share), 1.0)
    return chance if varies else 1.0


def _may_be_bound(score: float, row: _Row) -> bool:
    is_whole = score == round(score)
    return is_whole and (score in (0, 1, 100) or len(np.unique(row.scores)) == 1)


def _find_digits(row: _Row) -> _Digits:
    """Return how a row is written, and how near to each other runs may be.

    Runs on small test sets are as far apart as one item makes them, whatever their
    digits. A row with fewer digits than all others is rounded, which happens to runs
    only by chance.
    """
    known = [list_decimals(x) for x in row.others]
    n_decimals = max(map(count_decimals, row.scores.tolist()))
    finest = max(map(max, known))
    is_usual = all(min(x) <= n_decimals for x in known)
    unit = 10.0**-n_decimals
    return _Digits(
        unit,
        max(
            unit if is_usual else 10.0 ** -max(finest, n_decimals),
            _find_step(row, 10.0**-finest, unit),
        ),
    )


def _find_step(row: _Row, unit: float, unit_of_row: float) -> float:
    """Return the distance of scores that are shares of a few items; 0 for others."""
    sizes, scale = find_sizes(np.concatenate([thin(x) for x in row.others]), unit)
    if not len(sizes):
        return 0.0
    error = max(0.5 * unit_of_row, 0.5 * unit, 1e-12 * scale) / scale
    if all(len(keep_sizes(sizes[:1], x / scale, error)) for x in row.scores.tolist()):
        return scale / float(sizes[0])
    return 0.0


def find_sizes(
    scores: np.ndarray, unit: float, most: float = 0.25
) -> tuple[np.ndarray, float]:
    """Return of how many items scores may all be shares, and the score of all items.

    With more items than `most` / rounding, nearly any score would be near one.
    """
    values = np.unique(scores)
    low, high = float(values[0]), float(values[-1])
    scale = 1.0 if high <= 1.0 else 100.0
    if low < 0.0 or high > scale:
        return np.empty(0), scale
    rounding = max(0.5 * unit, 1e-12 * scale) / scale
    sizes = np.arange(1.0, 1.0 + min(_MAX_ITEMS, int(most / rounding)))
    for x in thin(values).tolist():
        sizes = keep_sizes(sizes, x / scale, rounding)
    return sizes, scale


def keep_sizes(sizes: np.ndarray, share: float, error: float) -> np.ndarray:
    counts = sizes * share
    return sizes[np.abs(counts - np.round(counts)) <= 1.01 * error * sizes]


def thin(x: np.ndarray) -> np.ndarray:
    return x[:: -(-len(x) // MAX_LOOKED_AT)]


def list_decimals(x: np.ndarray) -> Sequence[int]:
    return [count_decimals(y) for y in thin(x).tolist()]


def count_decimals(x: float) -> int:
    digits, _, exponent = repr(x).partition("e")
    fraction = digits.partition(".")[2].rstrip("0")
    return max(0, len(fraction) - int(exponent or 0))


def doubt_same_rows(
    columns: Mapping[str, np.ndarray],
    name: Callable[[int], str],
    source: str,
    *,
    are_named: bool = False,
) -> list[str]:
    """Doubt that runs are independent if all models have the same scores in two rows.

    Whole numbers, such as 0 and 100, may well be; scores with decimals by chance, if
    these are few: there are about as many as steps of the last digit, or of one item,
    between the least and the largest one, or in twice the middle half. `name` names a
    row. Of runs that have names, such as seeds, a tenth as much may be by chance.
    """
    limit = math.log(0.1 * _SELDOM if are_named else _SELDOM)
    sizes = {len(x) for x in columns.values()}
    n = max(sizes, default=0)
    if len(columns) < 2 or len(sizes) > 1 or not 2 < n <= _MOST_ROWS:
        return []
    rows = np.stack(list(columns.values()), axis=1)
    different, groups = np.unique(rows, axis=0, return_inverse=True)
    if len(different) == n:
        return []
    # Of different rows: copies do not make their scores more likely.
    chances = np.stack([_list_chances(x) for x in different.T], axis=1)
    found = []
    for group, by_model in enumerate(chances):
        same = np.flatnonzero(groups.reshape(-1) == group).tolist()
        others = (len(same) - 1) * float(np.log(by_model).sum())
        expected = math.log(math.comb(n, len(same))) + others
        if expected < limit and len(same) > 1 < sum(by_model < 1.0):
            found.append(same)
    if not found:
        return []
    found.sort()
    said = _say(found, name, source, len(columns), sum(len(x) - 1 for x in found))
    of_seeds = "; a column with the seeds of runs shows that they are others"
    return [said if are_named else said + of_seeds]


def doubt_same_runs(
    tasks: Mapping[str, Mapping[str, np.ndarray]],
    ids: Mapping[str, Mapping[str, Names]],
    source: str,
) -> list[str]:
    doubts: list[str] = []
    for task, scores in tasks.items():
        if min(map(len, scores.values()), default=0) > _MOST_ROWS:
            continue
        names = ids.get(task, {})
        common = sorted(set.intersection(*map(set, names.values()))) if names else []
        if not scores or any(len({*x}) < len(x) for x in names.values()):
            continue
        aligned = dict(scores)
        for model, runs in names.items():
            by_run = dict(zip(runs, scores[model], strict=True))
            aligned[model] = np.asarray([by_run[run] for run in common])
        places = range(1, 1 + max(map(len, scores.values())))
        said = [f"run {x!r}" for x in common] or [f"place {k}" for k in places]
        doubts += doubt_same_rows(
            aligned,
            said.__getitem__,
            f"{source}, task {task!r}" if task else source,
            are_named=bool(names),
        )
    return doubts


def doubt_rows(
    wide: WideTable,
    scores: Mapping[str, np.ndarray],
    names: Mapping[str, Names],
    task: str,
    chosen: Roles,
) -> list[str]:
    start = f"{wide.source}, task {task!r}" if task else wide.source
    if "run" in chosen and "item" not in chosen:
        return doubt_same_runs({task: scores}, {task: names}, wide.source)
    numbers = list(map(str, range(1, len(wide.ids) + 1)))
    if list(wide.ids) != numbers or "item" in chosen or len(numbers) > _MOST_ROWS:
        return []
    common = set(numbers).intersection(*names.values())
    of_all = {
        model: column[[x in common for x in names[model]]]
        for model, column in scores.items()
    }
    kept = [k for k, x in enumerate(numbers) if x in common]
    return doubt_same_rows(
        of_all, lambda k: wide.place(kept[k]).removeprefix(f"{wide.source}, "), start
    )


def _list_chances(x: np.ndarray) -> np.ndarray:
    """Return about the chance that another row has each score as well."""
    # In the middle they are densest, and outliers say nothing of that.
    spread = min(np.ptp(x), 2.0 * np.subtract(*np.quantile(x, [0.75, 0.25])))
    n_values = max(1.0, float(spread) / find_unit(x))
    _, places, counts = np.unique(x, return_inverse=True, return_counts=True)
    # Scores that are in several different rows come again by themselves.
    often = (counts[places.reshape(-1)] - 1) / len(x)
    # Whole numbers may be bounds, and scores far from the others those of failures.
    middle = np.median(x)
    is_far = np.abs(x - middle) > _FAILED * np.median(np.abs(x - middle))
    is_common = is_far | (x == np.round(x))
    return np.where(is_common, 1.0, np.maximum(1.0 / n_values, often))


def find_unit(x: np.ndarray, *, is_largest: bool = False) -> float:
    """Return a unit of the last decimal, or the distance of shares of a few items.

    It may be larger by chance, if there are few scores: `is_largest` says that it is.
    """
    values = np.unique(thin(x))
    unit = 10.0 ** -max(list_decimals(values))
    steps = np.round(np.diff(values) / unit)
    if is_largest and steps.max(initial=0.0) < 2**53:
        unit *= float(np.gcd.reduce(steps.astype(int)) or 1)
    sizes, scale = find_sizes(values, unit, 0.5 if is_largest else 0.25)
    if not len(sizes):
        return unit
    n_items = float(sizes[0])
    by_chance = n_items * (unit / scale * n_items) ** len(values)
    is_known = is_largest or by_chance < _BY_CHANCE
    return max(unit, scale / n_items) if is_known else unit


def _say(
    found: Sequence[Sequence[int]],
    name: Callable[[int], str],
    source: str,
    n_models: int,
    n_again: int,
) -> str:
    listed = [list_in_words([*map(name, x)], most=_MOST_SHOWN) for x in found]
    shown = shorten(listed, _MOST_SHOWN, "; ")
    every = "both models" if n_models == 2 else f"all {n_models} models"
    it, copies = ("it is a copy", "it") if n_again == 1 else ("they are copies", "them")
    return (
        f"{source}: {every} have the same scores at {shown}, and each counts as a run "
        f"of its own. If {it}, remove {copies}"
    )
