"""Cells that have a mean with its deviation, in place of a score."""

import re
from collections.abc import Iterable
from typing import Any

# 86.45 ± 0.1, 86.45 +- 0.1, 86.45 +/- 0.1, 86.45 \\pm 0.1 and 86.45 (0.1).
_NUMBER = r"[\d.,]+\s*%?"
_MEAN = re.compile(
    rf"[+-]?{_NUMBER}\s*((±|\+/?-|\$?\\pm\$?)\s*{_NUMBER}|\({_NUMBER}\))", re.ASCII
)


def say_means(cells: Iterable[Any]) -> str:
    """Say what is needed in place of means with deviations; "" of other cells."""
    if not any(isinstance(x, str) and _MEAN.fullmatch(x.strip()) for x in cells):
        return ""
    return (
        " A mean with its deviation is no score, and does not say of how many runs it "
        "is. Write the score of each run in a row of its own, without a deviation."
    )
