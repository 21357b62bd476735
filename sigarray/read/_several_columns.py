"""Several columns of scores beside columns of names: of benchmarks, or of items."""

import re
import shlex
from collections.abc import Sequence

from sigarray.read._losses import find_mixed
from sigarray.read._run_columns import are_runs

# The most columns that are named, to be pasted.
_MAX_NAMED = 20
_FEWEST_ITEMS = 3


def advise_all(names: Sequence[str]) -> str:
    """Say how to take several columns for benchmarks, or for items."""
    if any("," in x for x in names) or find_mixed(names) or are_runs(names):
        return ""
    kinds = {re.sub(r"\d+", "0", x) for x in names}
    if len(names) >= _FEWEST_ITEMS and len(kinds) == 1:
        return (
            "; or, where each column is a run of the model in its row, name columns "
            "seed1, seed2 and so on, or turn the table, so that each model has a "
            "column; or, where each column is of an item and each row of a run, write "
            "a row for each score, with columns of models, runs and items, and pass "
            "--unit run,item"
        )
    every = ",".join(names if len(names) <= _MAX_NAMED else (*names[:3], "..."))
    return (
        "; or, where each column is of a benchmark, compare on all of them with "
        f"--score {shlex.quote(every)}"
    )
