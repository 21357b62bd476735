"""Scores without names, which may be of runs or of items of a test set."""

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from sigarray.read._frame import list_names
from sigarray.read._missing import count_models
from sigarray.read._records import Records
from sigarray.read._text import TableError
from sigarray.read._unlikely_rows import refuse_mean_rows

# Models rarely have equally many runs if these are more; items are many.
_MAX_RUNS = 50
# Marks of single answers: wrong and right, the same in percent, and preferences.
_PAIRS_OF_MARKS = ((0.0, 1.0), (0.0, 100.0), (-1.0, 1.0))
# So many scores, all on a short scale of halves, are hardly of runs.
_MIN_MARKS, _MAX_MARKS, _LARGEST_MARK = 8, 11, 10.0
_ADVICE = "Pass {item}--unit run where each is a run of its own, with a seed of its own"


def find_unnamed_items(
    source: str, scores: Mapping[str, np.ndarray], n_gaps: Mapping[str, int]
) -> tuple[bool, list[str]]:
    """Tell by values whether rows of a table with a column for each model are items.

    `n_gaps` counts the blank cells between scores.

    Returns
    -------
    are_items, notes : bool, list of str
    """
    n_rows = [len(x) + n_gaps.get(name, 0) for name, x in scores.items()]
    reason = doubt_runs(list(scores.values()), n_rows)
    if reason is None:
        return False, []
    if not reason:
        if not n_gaps:
            _refuse_lengths(source, scores)
        low, high = sorted({float(x) for y in scores.values() for x in np.unique(y)})
        note = (
            f"scores of {low:g} and {high:g} were taken for those of items, a row for "
            "each, by which models are paired. If each is a run, pass --unit run"
        )
        return True, [note]
    item = (
        "--unit item where each row is of an item of a test set, by which models are "
        "paired (or --item with a column that names it); or "
    )
    msg = (
        f"{source}: expected to know what a row is of, a run or an item; got {reason}. "
        f"{_ADVICE.format(item=item)}."
    )
    raise TableError(msg)


def doubt_runs(
    columns: Sequence[np.ndarray], n_rows: Sequence[int] | None = None
) -> str | None:
    """Say why scores are hardly of runs; "" if they are marks of single answers.

    `n_rows` counts the rows of each model, by default those with a score.
    """
    if _are_marks_of_two(columns):
        return ""
    sizes = {len(x) for x in columns}
    n, rows = max(sizes), {*(n_rows or sizes)}
    # Items have a row of each model, while models may differ in runs.
    if len(rows) == 1 and max(rows) > _MAX_RUNS:
        is_whole = len(sizes) == 1
        return f"{n:,} scores of each model" if is_whole else f"{max(rows):,} rows"
    if min(sizes) < _MIN_MARKS or not all(map(_are_halves, columns)):
        return None
    values = np.unique(np.concatenate(columns))
    is_short = len(values) <= _MAX_MARKS and np.abs(values).max() <= _LARGEST_MARK
    if not is_short or len(values) == 1:
        return None
    shown = ", ".join(f"{x:g}" for x in values[:_MAX_MARKS].tolist())
    return f"{n} scores of a model, each one of {shown}"


def refuse_unnamed_rows(records: Records) -> list[str]:
    """Refuse scores without names that are hardly those of runs.

    Returns
    -------
    notes : list of str
    """
    is_named = any(map(records.has, ("item", "run", "cluster")))
    if is_named or not np.isnan(records.steps).all():
        return []
    by_task = [
        {x[0].model: x.scores for x in of_task.split("model")}
        for of_task in records.split("task")
    ]
    _refuse_unnamed_items(records, [x for by in by_task for x in by.values()])
    first = records[0].frame
    return [
        f"{first.source}: {note}"
        for by in by_task
        for note in refuse_mean_rows(first.source, by)
    ]


def refuse_unnamed_pairs(records: Records, n_blank: Counter[tuple[str, str]]) -> None:
    """Refuse pairs by the order of rows if models may have them in other places.

    Rows of a table with a column of models are in any order. Files of a model each have
    theirs, as columns do, if all scores are there.
    """
    is_named = any(map(records.has, ("item", "run", "cluster")))
    if is_named or not np.isnan(records.steps).all():
        return
    first, roles = records[0].frame, records.roles[records.files[0]]
    advice = "Name the column of runs with --run, or that of items with --item"
    if "model" in roles:
        got = f"columns {list_names(list(first.columns))}"
    else:
        got = _find_gaps(records, n_blank)
        advice = "Name the column of runs with --run"
    if not got:
        return
    msg = (
        f"{first.source}: expected to know which scores are pairs, for --paired or "
        "--test-share, such as those of one seed or split; got no names of runs or "
        f"items, and {got}. {advice}; or leave the option out."
    )
    raise TableError(msg)


def _find_gaps(records: Records, n_blank: Counter[tuple[str, str]]) -> str:
    """Say which scores are missing, if the same places are not those of pairs."""
    lacks: Counter[str] = Counter()
    sizes: dict[str | None, set[int]] = {}
    for one in records.split("task", "model"):
        task, model = one[0].task, str(one[0].model)
        lacks[model] += int(np.isnan(one.scores).sum()) + n_blank[task or "", model]
        sizes.setdefault(task, set()).add(len(one))
    if +lacks:
        return f"cells without a score, {count_models(+lacks)}"
    if any(len(x) > 1 for x in sizes.values()):
        counts = sorted({n for x in sizes.values() for n in x})
        return f"{' and '.join(map(str, counts))} scores of models"
    return ""


def _refuse_unnamed_items(records: Records, columns: Sequence[np.ndarray]) -> None:
    reason = doubt_runs(columns) if min(map(len, columns)) > 1 else None
    if reason is None:
        return
    first = records[0].frame
    low, high = records.scores.min(), records.scores.max()
    got = reason or f"scores of {low:g} and {high:g}"
    item = "--item with the column of items, by which models are paired, or "
    msg = (
        f"{first.source}: expected to know of which run or item each score is; got "
        f"{got}, and columns {list_names(first.columns)}. {_ADVICE.format(item=item)}."
    )
    raise TableError(msg)


def _refuse_lengths(source: str, scores: Mapping[str, np.ndarray]) -> None:
    """Refuse models with different numbers of items, if items have no names."""
    sizes = {name: len(x) for name, x in scores.items()}
    if len(set(sizes.values())) > 1:
        (a, n), *others = sizes.items()
        b, m = next((x, y) for x, y in others if y != n)
        msg = (
            f"{source}: expected as many scores of each model, a row for each item; "
            f"got {n} of {a!r} and {m} of {b!r}. Name the column of items with --item, "
            "or pass --unit run where each is a run of its own."
        )
        raise TableError(msg)


def _are_marks_of_two(columns: Sequence[np.ndarray]) -> bool:
    """Tell whether all scores are one of two marks, and some model has both."""
    for low, high in _PAIRS_OF_MARKS:
        # The start of long columns is tested first, for it mostly decides.
        if all(
            bool(np.all((part == low) | (part == high)))
            for part in (*(x[:100] for x in columns), *columns)
        ):
            return any(x.size and x.min() < x.max() for x in columns)
    return False


def _are_halves(x: np.ndarray) -> bool:
    return bool(np.all(2.0 * x == np.round(2.0 * x)))
