"""Rates as tables of Markdown, and what is too high among them."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.reproduce.rates.ranges import FEWEST, find_ranges, say_range
from benchmarks.reproduce.rates.scores import DRAWS
from benchmarks.reproduce.verdict_page import show, write_table

Rows = Sequence[dict[str, Any]]

# More than this, and two standard errors of a simulation, is said in docstrings.
LARGEST = 0.07


def is_high(row: dict[str, Any]) -> bool:
    """Tell a rate that is above 7 % by more than two standard errors."""
    error = math.sqrt(LARGEST * (1.0 - LARGEST) / int(row["n_sets"]))
    is_large = min(int(row["n"]), int(row["m"])) >= FEWEST
    return is_large and float(row["rate"]) > LARGEST + 2.0 * error


def judge(rows: Rows) -> str:
    """Say how many rates are too high, of which scores."""
    own = [x for x in rows if x["kind"] == "command" and x["unit"] != "splits"]
    own = [x for x in own if min(x["n"], x["m"]) >= FEWEST]
    high = [x for x in own if is_high(x)]
    same = [x for x in high if x["spread"] == 1.0]
    worst = max(own, key=lambda x: x["rate"])
    return (
        f"Of {len(own)} designs with {FEWEST} scores or more, of which the null "
        f"hypothesis is true, {len(high)} have p <= 0.05 in more than 7 % by more than "
        f"two standard errors; of the {sum(x['spread'] == 1.0 for x in own)} in which "
        f"both models are the same, {len(same)}. The worst: `--test {worst['test']}` "
        f"of {worst['unit']}, {_say_sizes(worst)}, {worst['scores']}, spreads "
        f"{worst['spread']:g} : 1, {show(worst['rate'])} %."
    )


def write_page(rows: Rows) -> list[str]:
    """Return all tables, with marks between them for pages that include some."""
    detailed = [x for x in rows if x["kind"] in ("command", "function")]
    return [
        "<!-- by function -->",
        *write_ranges(detailed),
        "<!-- in detail -->",
        "In detail, by scores of A and of B; in a cell, spreads of 1 : 1, 4 : 1 and "
        "1 : 4, those of them for which the null hypothesis is true, and which are not "
        "the same but for the names.",
        *(block for group in group_by(detailed) for block in write_group(group)),
        "<!-- families -->",
        *write_families([x for x in rows if x["kind"] == "family"]),
        "<!-- responses -->",
        *write_responses([x for x in rows if x["kind"] == "responses"]),
        "<!-- published -->",
        *write_published([x for x in rows if x["kind"] == "published"]),
        "<!-- intervals -->",
        *write_intervals([x for x in rows if x["kind"] == "interval"]),
        "<!-- end -->",
    ]


def write_ranges(rows: Rows) -> list[str]:
    """Return the lowest and the highest rate of each test and kind of scores."""
    found = find_ranges(rows)
    body = []
    for (function, options, unit, null), by in found.items():
        if unit in ("items", "clusters"):
            continue
        name = f"`{function}`" + (f", {options}" if options else "")
        name += ", pairs" if unit != "runs" else ""
        body.append([name, null, *(say_range(by.get(x)) for x in DRAWS)])
    title = (
        "Lowest and highest rate of p <= 0.05, two-sided, in percent of 4000 pairs of "
        "samples each, of 5, 10, 20 and 50 scores a side and, if they are not pairs, 5 "
        "against 20 and 50:"
    )
    return [title, write_table(["", "null hypothesis", *DRAWS], body)]


def group_by(rows: Rows) -> list[list[dict[str, Any]]]:
    """Return the rows of each test."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in rows:
        key = row["function"], row["options"], row["unit"], row["null"]
        groups.setdefault(key, []).append(row)
    return list(groups.values())


def write_group(rows: Rows) -> list[str]:
    """Return the table of one test, under its name."""
    first = rows[0]
    size = _say_number if first["unit"] == "splits" else _say_sizes
    name = f"`{first['function']}`"
    name += f", {first['options']}" if first["options"] else ""
    name += f", of {first['unit']}; {first['null']}"
    name += f" (`--test {first['test']}`)" if first["test"] else ""
    return [f"{name}:", pivot(rows, size, "scores")]


def write_families(rows: Rows) -> list[str]:
    """Return the table of families."""
    names = {"holm": "Holm", "benjamini_hochberg": "false discovery rate"}
    title = (
        "Families of equal models in which any is called better, two-sided at level "
        "0.05 as corrected by `sigarray compare` for all models and tasks, in percent "
        f"of {rows[0]['n_sets']}:"
    )

    def say(row: dict[str, Any]) -> str:
        what = f"{row['null']}, {row['n']} {row['unit']} each"
        return f"`--test {row['test']}`, {what}; {names[row['options']]}"

    return [title, pivot(rows, say, "scores")]


def write_responses(rows: Rows) -> list[str]:
    """Return the table of tests of responses."""
    first = rows[0]
    title = (
        f"`response_test` of two systems that are the same, {first['n']} items with "
        f"{first['m']} responses, two-sided p <= 0.05, in percent of "
        f"{first['n_sets']}:"
    )
    return [title, pivot(rows, lambda x: x["options"], "scores")]


def write_published(rows: Rows) -> list[str]:
    """Return the table of the published bound of almost stochastic order."""
    title = (
        "The published bound of almost stochastic order, which `sigarray.deepsig` "
        "keeps: in how many percent of pairs of equal normal models it is below 0.2 "
        f"one way or the other, of {rows[0]['n_sets']}, by the number of runs:"
    )
    return [title, pivot(rows, lambda x: f"`{x['function']}`", "n")]


def write_intervals(rows: Rows) -> list[str]:
    """Return the table of intervals."""
    title = (
        "Intervals of 95 %: in how many percent they hold the proportion or no "
        "difference of two equal ones (summed over all outcomes), or the mean (of 4000 "
        "samples), by the number of scores:"
    )

    def say(row: dict[str, Any]) -> str:
        return f"`{row['function']}`, {row['options']}, {row['scores']}"

    return [title, pivot(sorted(rows, key=lambda x: x["n"]), say, "n")]


def pivot(rows: Rows, name: Callable[[dict[str, Any]], str], by: str) -> str:
    """Return a table with a column for each value of a field."""
    columns = list(dict.fromkeys(x[by] for x in rows))
    cells: dict[str, dict[Any, list[str]]] = {}
    for row in rows:
        cells.setdefault(name(row), {}).setdefault(row[by], []).append(
            show(row["rate"])
        )
    body = [
        [label, *("; ".join(found.get(x, [])) for x in columns)]
        for label, found in cells.items()
    ]
    return write_table(["", *map(str, columns)], body)


def _say_number(row: dict[str, Any]) -> str:
    return str(row["n"])


def _say_sizes(row: dict[str, Any]) -> str:
    n, m = row["n"], row["m"]
    return f"{n}" if n == m else f"{n} v {m}"
