"""Scores far outside a scale of few numbers, and items whose scales are unlike."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sigarray._plain_text import show_number
from sigarray.read._cells import as_text
from sigarray.read._codes import Coded, encode
from sigarray.read._frame import Names, shorten
from sigarray.read._records import Records, find_column
from sigarray.read._score_table import ScoreTable
from sigarray.read._wide import WideTable
from sigarray.read._words import TASKS, as_words, list_words

# With fewer scores, it is not known what the scale is.
_MIN_SCORES = 20
# The most numbers of a scale, as from 0 to 10, and of those outside.
_MAX_VALUES = 11
_MAX_ODD = 3
# The least distance from a scale of two or three numbers,
_MIN_DISTANCE = 3.0
# and the largest share of scores that are no part of the scale.
_MAX_SHARE = 0.05
_FIRST = 1000
# Tasks whose scores differ in size by less than such a factor are alike.
_UNLIKE = 10.0
# In the mean over as few tasks as this, one that has no weight matters.
_FEW_TASKS = 6
# Scores below this share of the size of a task's are near 0.
_NEAR_ZERO = 0.05
_MAX_NAMED = 3
# Numbers that often stand for no answer.
_CODES = (-9999.0, -999.0, -99.0, -9.0, -1.0, 9.0, 99.0, 999.0, 9999.0)
# The last of ratings that begin with 1.
_ENDS = (2.0, 3.0, 4.0, 5.0, 7.0, 10.0)
# Of few scores, one is a code if it is this many times as far away as others differ.
_FAR = 10.0
# Scores that may be of losses, draws and wins.
_SIGNED = as_words("""
    preference pref win wins outcome reward return returns vote votes result sentiment
    margin stance
""")


def doubt_scale_of_records(
    tasks: Iterable[Records], advice: str | None = None
) -> list[str]:
    return [
        doubt
        for records in tasks
        for doubt in _doubt_scale(
            records.scores,
            lambda k, records=records: records[k].place,  # type: ignore[misc]
            ",".join(records.metrics),
            advice,
        )
    ]


def doubt_scale_of_table(
    wide: WideTable, tasks: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    return [
        doubt
        for by in tasks.values()
        for scores in [[np.asarray(x, np.float64) for x in by.values()]]
        for doubt in _doubt_scale(
            np.concatenate(scores), _place_in_columns(wide, [*by], scores)
        )
    ]


def _place_in_columns(
    wide: WideTable, names: Names, scores: Sequence[np.ndarray]
) -> Callable[[int], str]:
    ends = np.cumsum([len(x) for x in scores])
    columns = {name: k for k, name in wide.names.items()}

    def place(k: int) -> str:
        of = int(np.searchsorted(ends, k, side="right"))
        score = float(scores[of][k - ends[of]])
        texts = map(as_text, wide.cells[columns[names[of]]])
        row = next((n for n, x in enumerate(texts) if _is_number(x, score)), None)
        where = wide.source if row is None else wide.place(row)
        return f"{where}, column {names[of]!r}"

    return place


def find_off_scale(scores: np.ndarray) -> tuple[np.ndarray, float, float] | None:
    """Return the places of scores far outside a scale, and its least and largest one.

    All are whole numbers, and those of the scale are few. At most one in 20 is outside,
    as far from it as the scale is long.
    """
    known = scores[np.isfinite(scores)]
    if len(known) < _MIN_SCORES:
        return None
    for part in (known[:_FIRST], known):
        values, counts = np.unique(part, return_counts=True)
        if len(values) > _MAX_VALUES + _MAX_ODD or np.any(values != np.round(values)):
            return None
    if len(values) < 3:
        return None
    k = int(np.argmax(np.diff(values))) + 1
    sides = [slice(None, k), slice(k, None)]
    odd, scale = sorted(sides, key=lambda x: counts[x].sum())
    low, high = values[scale][[0, -1]]
    distance = max(_MIN_DISTANCE, high - low)
    are_few = counts[odd].sum() <= _MAX_SHARE * len(known)
    is_scale = 2 <= len(values[scale]) <= _MAX_VALUES and high > low
    if not (are_few and is_scale and values[k] - values[k - 1] >= distance):
        return None
    return np.flatnonzero(np.isin(scores, values[odd])), float(low), float(high)


def find_codes(scores: np.ndarray) -> tuple[np.ndarray, float, float] | None:
    """Return the same of scores that are codes for no answer, at any share of them.

    A code is further from the others than these are apart. -1 may be nearer, if no
    other score is negative, and it is not the end of a tail of whole numbers.
    """
    known = scores[np.isfinite(scores)]
    if not len(known) or not {float(known.min()), float(known.max())} & {*_CODES}:
        return None
    others = known[~np.isin(known, _CODES)]
    low, high = (float(x.reduce(others, initial=np.nan)) for x in (np.fmin, np.fmax))
    if not low < high:
        return None
    width, are_many = high - low, len(known) >= _MIN_SCORES
    are_whole = not np.any(others % 1.0)
    n_values = len(np.unique(others)) if are_whole else len(others)
    found = []
    for code in {*known[np.isin(known, _CODES)].tolist()}:
        distance = max(low - code, code - high)
        is_one = distance >= width * (1.0 if are_many else _FAR)
        if code == 9.0 and not (are_many and n_values <= _MAX_VALUES):
            is_one = distance >= width * _FAR
        if code == -1.0 and low >= 0.0 and not are_whole:
            is_one = True
        elif code == -1.0 and low >= 0.0 and are_many:
            n, n_near = np.sum(known == code), np.sum(others < max(1.0, 0.1 * width))
            is_scale = high == 1.0 or (low == 1.0 and high in _ENDS)
            is_scale |= low > 1.0 and n_values <= _MAX_VALUES  # 0 and 1 are lacking
            is_one |= is_scale or n - n_near > 2.0 * np.sqrt(n + n_near)
        found += [code] * bool(is_one)
    return (np.flatnonzero(np.isin(scores, found)), low, high) if found else None


def _doubt_scale(
    scores: np.ndarray,
    place: Callable[[int], str],
    metric: str = "",
    advice: str | None = None,
) -> list[str]:
    found = find_codes(scores) or find_off_scale(scores)
    if found is None:
        return []
    rows, low, high = found
    first = float(scores[rows[0]])
    is_signed = (first, low, high) == (-1.0, 0.0, 1.0)
    if is_signed and list_words(metric) & _SIGNED:
        return []
    far = "far " * (max(low - first, first - high) >= high - low)
    more = f", and so are {len(rows) - 1} more scores" if len(rows) > 1 else ""
    more = more.replace("are 1 more scores", "is 1 more score")
    advice = advice or (
        "If it stands for no answer, write nan in its place, and pass --missing drop"
        + "; a loss, beside draws and wins, counts" * is_signed
    )
    return [
        f"{place(int(rows[0]))}: score {first:.10g} is {far}outside the scale of all "
        f"others, {low:.10g} to {high:.10g}{more}. {advice}"
    ]


def _is_number(text: str, score: float) -> bool:
    try:
        return float(text) == score
    except ValueError:
        return False


def are_unlike(sizes: np.ndarray) -> bool:
    """Tell whether the mean over tasks is that of the few with the largest sizes (T,).

    The largest is 10 times the least, and the mean is worth that of fewer than half of
    the tasks: their effective number is (sum of s)^2 / sum of s^2. So normalized scores
    are alike, though small on some tasks; on few tasks only if all may be percentages,
    or about 1.
    """
    if sizes.max() < _UNLIKE * sizes.min():
        return False
    is_one = sizes.max() <= _UNLIKE or (sizes.min() > 1.0 and sizes.max() <= 100.0)
    if len(sizes) <= _FEW_TASKS and not is_one:
        return True
    shares = sizes / sizes.max()
    n_effective = np.sum(shares) ** 2 / np.sum(shares * shares)
    return bool(2.0 * n_effective < len(sizes) + 1)


def say_scaling(names: Names, lows: np.ndarray, sizes: np.ndarray) -> str:
    """Say how to bring tasks to one scale, of the least scores and sizes (T,) of each.

    To divide by a negative mean reverses the order of models, and by one near 0 it
    inflates differences.
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
    column = find_column(records, "item")
    if column is None:
        return []
    is_once = records.group("model", "item")[1] == len(records)
    items = records.factors["item"]
    return _doubt_items(source, column, items, records.scores, is_once=is_once)


def doubt_items_of_table(table: ScoreTable, column: str | None) -> list[str]:
    if column is None or table.unit != "item" or not table.tasks:
        return []
    every = [
        (names, table.tasks[task][model])
        for task, by in table.ids.items()
        for model, names in by.items()
    ]
    items = encode([x for names, _ in every for x in names])
    scores = np.concatenate([np.asarray(x) for _, x in every])
    return _doubt_items(table.source, column, items, scores, is_once=True)


def _doubt_items(
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
