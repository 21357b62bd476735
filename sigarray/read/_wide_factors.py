"""Columns that tell the rows of an item apart, beside a column for each model."""

import math
import re
import shlex

import numpy as np

from sigarray.read._cells import encode_texts
from sigarray.read._codes import group_rows
from sigarray.read._frame import Names, Roles, list_names
from sigarray.read._text import TableError
from sigarray.read._wide import WideTable
from sigarray.read._words import RATERS, RATINGS, as_words, list_words

# Words for what tells the rows of an item apart, and names no model.
_FACTORS = (RATERS - RATINGS) | as_words("""
    user subject turn rep round attempt session version difficulty order position trial
    sample criterion
""")
# Scores tell the rows of all items apart in fewer tables than this.
_SELDOM = 1e-3


def refuse_factors(
    table: WideTable, chosen: Roles, ignored: Names, models: Names | None
) -> None:
    """Refuse columns of whole numbers that tell the rows of an item apart.

    They have names for such, or do so though numbers that were drawn would not.
    """
    known = [chosen[x] for x in ("task", "item", "cluster", "run") if x in chosen]
    cells = {x: table.cells[k] for k, x in table.names.items()}
    if "item" not in chosen or models is not None or not {*known} <= {*cells}:
        return
    rows = [encode_texts(cells[x]) for x in known]
    groups, n_groups = group_rows(rows)
    if n_groups == len(groups) or len({*map(len, cells.values())}) > 1:
        return
    of_items = np.bincount(group_rows(rows[:-1] if "run" in chosen else rows)[0])
    columns = {
        x: texts
        for x, y in cells.items()
        if x not in {*known, *ignored}
        for texts in [encode_texts(y)]
        if (texts.codes >= 0).all()
        and all(re.fullmatch(r"\d+(\.0*)?", str(z)) for z in texts.list_known())
    }
    named = [x for x in columns if list_words(x) & _FACTORS]
    for names in (named, *([x] for x in columns)):
        texts = [columns[x] for x in names]
        if not names or group_rows([*rows, *texts])[1] < len(groups):
            continue
        chance = _find_chance_of_others(of_items, np.bincount(texts[0].codes))
        if names == named or chance * len(columns) < _SELDOM:
            run = ",".join(x for x in (chosen.get("run"), *names) if x)
            msg = (
                f"{table.source}: expected a column of scores for each model; got "
                f"{list_names(names)}, whose numbers tell all rows of an item apart, "
                "as those of raters or samples do. Pass --run "
                f"{shlex.quote(run)}, with --unit item, which averages these rows; "
                "or, where these are scores of models, name all models with --columns."
            )
            raise TableError(msg)


def _find_chance_of_others(sizes: np.ndarray, counts: np.ndarray) -> float:
    """Return the chance that the rows of each item differ in a column.

    Of k rows it is k! times the elementary symmetric polynomial of the shares of values
    of degree k, as if scores were drawn by themselves.
    """
    polynomial = np.ones(1)
    for share in counts / counts.sum():
        polynomial = np.convolve(polynomial, [1.0, share])[: sizes.max() + 1]
    chances = [math.factorial(k) * p for k, p in enumerate(polynomial[:170])]
    return math.prod(chances[k] if k < len(chances) else 0.0 for k in sizes.tolist())
