"""The lowest and the highest rate of each test, for pages and for docstrings."""

from collections.abc import Sequence
from typing import Any

from benchmarks.reproduce.rates.tests import SYMMETRY

Key = tuple[str, str, str, str]
Range = tuple[float, float]

# Fewer scores are not looked at: no test is of use.
FEWEST = 5
# What is said of models that are the same.
ONE = "one distribution"
_KINDS = ("command", "function")


def find_ranges(rows: Sequence[dict[str, Any]]) -> dict[Key, dict[str, Range]]:
    """Return them by function, options, unit and null hypothesis, and by scores."""
    found: dict[Key, dict[str, list[float]]] = {}
    for row in rows:
        if row["kind"] not in _KINDS or row["unit"] == "splits":
            continue
        if min(int(row["n"]), int(row["m"])) < FEWEST:
            continue
        null = name_null(row)
        key = row["function"], row["options"], row["unit"], null
        by = found.setdefault(key, {})
        by.setdefault(row["scores"], []).append(float(row["rate"]))
    return {
        key: {scores: (min(rates), max(rates)) for scores, rates in by.items()}
        for key, by in sorted(found.items(), key=_place)
    }


def name_null(row: dict[str, Any]) -> str:
    """Say what is true of the models of a row."""
    return ONE if float(row["spread"]) == 1.0 else f"{row['null']}, spreads 4 : 1"


def _place(item: tuple[Key, Any]) -> tuple[Any, ...]:
    (function, options, unit, null), _ = item
    return function, unit != "runs", unit, options, null != ONE


def say_range(range_of: Range | None) -> str:
    """Return both ends in whole percent."""
    if range_of is None:
        return ""
    return " to ".join(dict.fromkeys(f"{100 * x:.0f}" for x in range_of))


def say_highest(rows: Sequence[dict[str, Any]], function: str) -> list[str]:
    """Return the ranges of a function over all scores, in words, one for each test."""
    said = []
    for (name, options, unit, null), by in find_ranges(rows).items():
        is_subset = null != ONE and null.startswith(SYMMETRY)
        if name != function or unit in ("items", "clusters") or is_subset:
            continue
        ends = [end for range_of in by.values() for end in range_of]
        words = [options, "pairs" if unit != "runs" else ""]
        of = " ".join(x for x in words if x)
        spread = "" if null == ONE else " with spreads 4 : 1"
        said.append(f"{of}{spread}: {say_range((min(ends), max(ends)))} %".lstrip(" :"))
    return said


def say_units(rows: Sequence[dict[str, Any]], function: str) -> str:
    """Return the ranges of a function of items and clusters of them, in words."""
    said = []
    for unit in ("items", "clusters"):
        ends = [
            end
            for (name, _, of, _), by in find_ranges(rows).items()
            if (name, of) == (function, unit)
            for range_of in by.values()
            for end in range_of
        ]
        said.append(f"{say_range((min(ends), max(ends)))} % of {unit}")
    return " and ".join(said)
