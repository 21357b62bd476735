"""What became of the rows of a table with a column for each model."""

from collections import Counter
from collections.abc import Mapping, Sequence

from sigarray.read._cells import find_missing
from sigarray.read._repeats import refuse_repeated_rows
from sigarray.read._score_table import Choice
from sigarray.read._treatment import Averaged, Dropped
from sigarray.read._wide import WideTable, list_names_of_rows


def count_averaged_rows(
    rows: WideTable,
    task: str,
    chosen: Mapping[str, str],
    choice: Choice,
    models: Sequence[str],
) -> dict[str, Averaged]:
    """Count the rows of each item of a task, if these are averaged."""
    if choice.unit != "item" or "item" not in chosen:
        return {}
    ids = list_names_of_rows(rows, chosen["item"], "item")
    counts = Counter(ids).values()
    if max(counts) == 1:
        return {}
    refuse_repeated_rows(rows, ids, [chosen["item"], *models])
    return {task: Averaged("item", "score", min(counts), max(counts))}


def count_dropped_rows(
    whole: WideTable, kept: WideTable, models: Sequence[str], task: str, unit: str
) -> dict[str, Dropped]:
    """Count the rows of a task that were left out, and the scores missing there."""
    places = [k for k, x in whole.names.items() if x in models]
    n_all, n_kept = (max(len(x.cells[k]) for k in places) for x in (whole, kept))
    if n_kept == n_all:
        return {}
    n_scores = sum(int(find_missing(whole.cells[k]).sum()) for k in places)
    return {task: Dropped(unit, n_all - n_kept, n_all, n_scores, n_scores)}
