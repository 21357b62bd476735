"""Scores far outside a scale of few whole numbers, such as 99 for no answer."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sigarray.read._cells import as_text
from sigarray.read._records import Records
from sigarray.read._wide import WideTable

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


def doubt_scale_of_records(tasks: Iterable[Records]) -> list[str]:
    """Doubt scores that are far outside the scale of all others of a task."""
    return [
        doubt
        for records in tasks
        for doubt in _doubt(
            records.scores,
            lambda k, records=records: records[k].place,  # type: ignore[misc]
        )
    ]


def doubt_scale_of_table(
    wide: WideTable, tasks: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """Doubt so the scores of a table with a column for each model."""
    return [
        doubt
        for by in tasks.values()
        for scores in [[np.asarray(x, np.float64) for x in by.values()]]
        for doubt in _doubt(
            np.concatenate(scores), _place_in_columns(wide, [*by], scores)
        )
    ]


def _place_in_columns(
    wide: WideTable, names: Sequence[str], scores: Sequence[np.ndarray]
) -> Callable[[int], str]:
    """Return words for the place of a score, of all models one after the other."""
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
    as far from it as the scale is long. None if there is no such score.
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


def _doubt(scores: np.ndarray, place: Callable[[int], str]) -> list[str]:
    found = find_off_scale(scores)
    if found is None:
        return []
    rows, low, high = found
    more = f", and so are {len(rows) - 1} more scores" if len(rows) > 1 else ""
    more = more.replace("are 1 more scores", "is 1 more score")
    return [
        f"{place(int(rows[0]))}: score {scores[rows[0]]:.10g} is far outside the scale "
        f"of all others, {low:.10g} to {high:.10g}{more}. If it stands for no answer, "
        "write nan in its place, and pass --missing drop"
    ]


def _is_number(text: str, score: float) -> bool:
    try:
        return float(text) == score
    except ValueError:
        return False
