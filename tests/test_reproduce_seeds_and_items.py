"""Intervals of seeds and items: what is committed, and what docstrings say of it."""

import math
from pathlib import Path

import pytest

from benchmarks.reproduce import seeds_and_items
from benchmarks.reproduce.experiment import read_csv
from sigarray import bootstrap_ci, required_items, t_ci

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
ROWS = read_csv(RESULTS / "seeds_and_items.csv")
OF_POWER = read_csv(RESULTS / "required_items.csv")


def around(rows, name):
    shares = [100.0 * float(x[name]) for x in rows]
    shares = [x for x in shares if math.isfinite(x)]
    return f"{min(shares):.1f} to {max(shares):.1f} %"


def test_tables_are_those_of_the_numbers():
    for name, lines in (
        ("seeds_and_items", seeds_and_items.tabulate(ROWS)),
        ("required_items", seeds_and_items.tabulate_power(OF_POWER)),
    ):
        text = "\n\n".join([*lines, ""])
        assert (RESULTS / f"{name}.md").read_text("utf-8") == text


def test_committed_intervals_are_those_of_docstrings():
    said = " ".join(t_ci.__doc__.split())
    assert f"of items in {around(ROWS, 't_ci')}, those of items alone" in said
    assert f"in {around(ROWS, 'items alone')}, and those of seeds alone in" in said
    assert f"{around(ROWS, 'seeds alone')} (see" in said
    said = " ".join(bootstrap_ci.__doc__.split())
    few, more, many = (
        around([x for x in ROWS if x["seeds"] == str(n)], "percentile")
        for n in seeds_and_items.NUMBERS
    )
    assert f"{few} with 3 seeds, {more} with 5 and {many} with 10 (see" in said
    assert all(0.92 < float(x["t_ci"]) < 0.98 for x in ROWS)


def test_committed_power_is_that_of_the_docstring():
    said = " ".join(required_items.__doc__.split())
    two, three = (
        around([x for x in OF_POWER if x["seeds"] == n], "power") for n in ("2", "3")
    )
    many = [x for x in OF_POWER if int(x["seeds"]) > 3]
    assert f"in {around(many, 'power')} for a power of 0.8 with 4 to 10 seeds" in said
    assert f"in {three} with 3, and in {two} with 2." in said
    shares = [float(x["power"]) for x in many]
    assert all(abs(x - 0.8) <= 0.03 for x in shares if not math.isnan(x))


def test_intervals_are_counted_as_then():
    row = next(
        x
        for x in ROWS
        if (x["models"], x["seeds"], x["items"], x["deviation"])
        == ("2", "3", "200", "0.1")
    )
    found = seeds_and_items.count(2, 3, 200, 0.1, 200, seed=2)
    for method in seeds_and_items.METHODS:
        assert abs(found[method] - float(row[method])) < 0.15


@pytest.mark.parametrize("is_paired", [False, True])
def test_power_is_counted_as_then(is_paired):
    row = next(
        x
        for x in OF_POWER
        if (x["seed"], x["seeds"], x["paired"]) == ("0.015", "5", str(int(is_paired)))
    )
    found = seeds_and_items.count_seen((0.015, 0.15, 0.2), 5, is_paired, 400, seed=1)
    assert found["items"] == float(row["items"])
    assert abs(found["power"] - float(row["power"])) < 0.12
