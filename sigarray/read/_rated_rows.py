"""Ratings in a column for each model, with a row for each item and rater."""

import numpy as np

from sigarray.read._cells import encode_texts, find_missing
from sigarray.read._frame import Names, Roles
from sigarray.read._score_table import ScoreTable
from sigarray.read._settings import center_ratings, doubt_parts
from sigarray.read._wide import WideTable, split_tasks
from sigarray.read._words import names_raters


def doubt_rated_rows(wide: WideTable, chosen: Roles, table: ScoreTable) -> Names:
    """Doubt verdicts on these raters, as of a table with a row for each rating."""
    column = chosen.get("run", "")
    if not (table.averaged and names_raters(column)):
        return []
    parts = []
    for task, rows in split_tasks(wide, chosen).items():
        if task in table.averaged:
            of = {name: rows.cells[place] for place, name in rows.names.items()}
            cells = [of[name] for name in table.tasks[task]]
            kept = np.flatnonzero(~np.any([find_missing(x) for x in cells], axis=0))
            scores = np.asarray([[float(x[k]) for k in kept.tolist()] for x in cells])
            codes = [encode_texts(of[x]).codes[kept] for x in (column, chosen["item"])]
            parts.append(center_ratings(scores, *codes))
    return doubt_parts(parts, table.source, column, chosen["item"])
