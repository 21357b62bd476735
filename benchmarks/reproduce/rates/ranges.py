"""The lowest and the highest rate of each test, for pages and for docstrings."""

from collections.abc import Sequence
from typing import Any

from benchmarks.reproduce.rates.scores import DRAWS
from benchmarks.reproduce.rates.tests import SYMMETRY

Key = tuple[str, str, str, str]
Range = tuple[float, float]

# Fewer scores are not looked at: no test is of use.
FEWEST = 5
# What is said of models that are the same.
ONE = "one distribution"
SHORT = dict(
    zip(DRAWS, ("normal", "lognormal", "failing", "ties", "9 same"), strict=True)
)
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


def write_docstring_table(rows: Sequence[dict[str, Any]], function: str) -> str:
    """Return the ranges of a function as a simple table of reStructuredText."""
    body = [["", *SHORT.values()]]
    for (name, options, unit, null), by in find_ranges(rows).items():
        is_subset = null != ONE and null.startswith(SYMMETRY)
        if name != function or unit in ("items", "clusters") or is_subset:
            continue
        spread = ONE if null == ONE else "spreads 4 : 1"
        words = [options, "pairs" if unit != "runs" else "", spread]
        label = ", ".join(x for x in words if x)
        body.append([label, *(say_range(by.get(x)) for x in DRAWS)])
    widths = [max(map(len, column)) for column in zip(*body, strict=True)]
    rule = "  ".join("=" * width for width in widths)
    lines = [
        "  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)).rstrip()
        for row in body
    ]
    lines[0] = ".." + lines[0][2:]
    return "\n".join([rule, lines[0], rule, *lines[1:], rule])


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
