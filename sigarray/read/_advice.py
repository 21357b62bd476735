"""What to pass where several columns may be the score: counts, ratings, benchmarks."""

import re
import shlex
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sigarray._plain_text import PASS_AT_K
from sigarray.read._cells import is_blank
from sigarray.read._frame import MAX_LOOKED_AT, Frame, Names, list_names, say_choice
from sigarray.read._sum_columns import Sums, find_sums
from sigarray.read._words import (
    LIKELY,
    RATERS,
    SPREADS,
    are_runs,
    find_mixed,
    is_metric,
    is_summary,
    list_words,
)

# The most columns that are named, to be pasted; the fewest that may be of items.
_MAX_NAMED, _FEWEST_ITEMS = 20, 3


def advise_all(names: Names) -> str:
    """Say how to take several columns for benchmarks, or for items."""
    if any(list_words(x) & SPREADS for x in names):
        return ". Means with deviations or intervals are no scores of runs"
    names = [x for x in names if not is_summary(x)]
    are_costs = any(LIKELY & list_words(x) for x in names)
    is_other = are_costs or "," in "".join(names) or find_mixed(names)
    if len(names) < 2 or is_other or are_runs(names):
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


def advise_first(frame: Frame, names: Names, roles: Collection[str]) -> str:
    """Say how to take columns of counts, or those of raters, if they are."""
    if {x.lower() for x in names} in ({"n", "c"}, {"total", "correct"}):
        return f"Where they count samples, {PASS_AT_K}"
    sums = find_item_sums(names, roles)
    if sums is not None:
        others = [x for x in names if x not in sums.columns]
        return (
            f"Where {sums.metric} is to be computed of the sums of "
            f"{list_names(sums.columns)}, pass {sums.advice}"
            + (f". {say_choice(others)}, for a mean of items" if others else "")
        )
    raters = advise_raters(frame, names, roles)
    if raters is None:
        return ""
    if raters.are_numbered:
        return f"To average the ratings of an item, pass {raters.options}"
    return (
        f"Where each has the ratings of one rater, average them with {raters.options}. "
        f"{say_choice(names)}, where each is a criterion"
    )


def find_item_sums(names: Names, roles: Collection[str]) -> Sums | None:
    """Return the metric of which columns have the parameters, unless rows are runs."""
    are_runs = "run" in roles and "item" not in roles
    return None if are_runs else find_sums(names)


class Raters(NamedTuple):
    """Columns of ratings, one for each rater, and the options that average these."""

    columns: Names
    options: str
    are_numbered: bool


def advise_raters(frame: Frame, names: Names, roles: Collection[str]) -> Raters | None:
    """Return those columns that seem to be of raters, or None."""
    by_word = [x for x in names if list_words(x) & RATERS]
    kinds = {re.sub(r"\d+", "{rater}", x, count=1) for x in by_word}
    average = "--unit item --run rater"
    if len(by_word) == len(names) > 1 and len(kinds) == 1 and "{" in min(kinds):
        options = f"--columns {shlex.quote(*kinds)} {average}"
        return Raters(names, options, are_numbered=True)
    whole = [x for x in names if is_rating(frame.columns[x])]
    rated = [x for x in whole if not is_metric(x)]
    if len(rated) < 2 or not {"model", "item"} <= {*roles} or are_criteria(whole):
        return None
    return Raters(rated, f"--columns '{{rater}}' {average}", are_numbered=False)


_RATING = re.compile(r"(\d|10)(\.0*)?")
# Endings of names of criteria, such as fluency, helpfulness and safety; and others.
_CRITERION = re.compile(
    r".*(ness|ty|cy|nce|sion|tion|ment|thy|depth|style|grammar|tone|overall|detail)"
    r"|em|correct|valid|pass|match|contains|safe|toxic|hits?"
)


def are_criteria(names: Names) -> bool:
    """Tell by their names whether columns are of what was rated, not of who rated."""
    return 3 * sum(bool(_CRITERION.fullmatch(x.lower())) for x in names) >= len(names)


def is_rating(cells: Sequence[Any]) -> bool:
    """Tell whether a column has whole numbers from 0 to 10, by its first cells."""
    values = {str(x) for x in cells[:MAX_LOOKED_AT] if not is_blank(x)}
    return len(values) > 1 and all(map(_RATING.fullmatch, values))
