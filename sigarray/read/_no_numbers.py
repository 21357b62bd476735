"""Scores that are no numbers, such as 3/5 and fair, where no column has numbers."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sigarray.read._cells import as_text, is_blank
from sigarray.read._codes import distinct
from sigarray.read._words import METRICS, RATINGS, list_words

# Words of columns of scores and ratings, beside those of metrics.
_OF_SCORES = METRICS | RATINGS | {"grade", "quality", "mos", "points", "stars"}
_OF_ALL = re.compile(r"([+-]?[\d.,]+)\s*(/|out of|of)\s*[\d.,]+")
# These may be of answers, or of scores.
_TRUTHS = {"yes", "no", "true", "false"}
_MAX_SHOWN = 5


def advise_numbers(
    columns: Mapping[str, Sequence[Any]], known: Collection[str]
) -> str | None:
    """Say that the cells of a column are no numbers, and how to write them.

    The column has a name as of scores, or such cells as 3/5. None if not one has.
    """
    found = {
        x: [as_text(y) for y in distinct(cells) if not is_blank(y)]
        for x, cells in columns.items()
        if x and x not in known
    }
    found = {
        x: texts
        for x, texts in found.items()
        if all(map(_OF_ALL.fullmatch, texts)) or list_words(x) & _OF_SCORES
        if texts and not {y.lower() for y in texts} <= _TRUTHS
    }
    if len(found) != 1:
        return None
    ((name, texts),) = found.items()
    whole = [_OF_ALL.fullmatch(x) for x in texts]
    got = f"expected numbers in column {name!r}; got {texts[0]!r}"
    first = whole[0]
    if first is not None and all(whole):
        return (
            f"{got}, which is {first[1]} with what it is of: write {first[1]}, in "
            f"pandas frame[{name!r}].str.extract(r'^([-+\\d.,]+)', expand=False)"
            ".astype(float); and where cells are of different numbers, the share."
        )
    few = ", ".join(f"{x!r}: ..." for x in texts[:_MAX_SHOWN])
    more = ", ..." if len(texts) > _MAX_SHOWN else ""
    return (
        f"{got}. Write each word as its number, in pandas "
        f"frame[{name!r}].map({{{few}{more}}}); or name the column of scores with "
        "--score."
    )
