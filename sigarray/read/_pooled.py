"""Settings that the runs of a model pool, of the scores that were taken."""

from collections.abc import Iterable

import numpy as np

from sigarray.read._codes import find_first, group_rows
from sigarray.read._records import Records
from sigarray.read._score_table import ScoreTable


def count_settings(
    columns: Iterable[str], records: Records, table: ScoreTable
) -> dict[str, int]:
    """Count the values in each column that runs of one model have on one task.

    Of several models it is the largest number; columns with one value are left out.
    """
    ids = {x for by in table.ids.values() for names in by.values() for x in names}
    is_kept = records.factors["model"].find(table.models)
    is_kept &= records.factors["run"].find(ids)
    if table.missing == "drop":
        is_kept &= ~np.isnan(records.scores)
    records = records.take(is_kept)
    counts = {}
    for name in columns:
        having, texts = records.take_texts(name)
        having, texts = having.take(texts.codes >= 0), texts[texts.codes >= 0]
        owners = [having.factors[role] for role in ("task", "model")]
        groups, n_groups = group_rows([*owners, texts])
        first = find_first(groups, n_groups)
        counts[name] = int(np.bincount(group_rows(owners)[0][first]).max(initial=0))
    return {name: n for name, n in counts.items() if n > 1}
