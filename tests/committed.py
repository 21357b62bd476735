"""Rows of the committed files of `benchmarks.reproduce`, and ranges of their rates."""

import functools
import math
from pathlib import Path

from benchmarks.reproduce.experiment import read_csv
from benchmarks.reproduce.rates.ranges import say_range

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
USUAL = ("normal", "lognormal", "one run in ten fails", "ties")


@functools.cache
def committed():
    """Return the rows of the committed file, numbers as numbers."""
    rows = read_csv(RESULTS / "tests.csv")
    for row in rows:
        for name in ("n", "m", "n_sets"):
            row[name] = int(row[name]) if row[name] else ""
        for name in ("spread", "rate", "rate_at_1"):
            row[name] = float(row[name]) if row[name] else ""
    return rows


def choose(kind, **by):
    """Return the committed rows with such values, or with one of several."""
    found = [x for x in committed() if x["kind"] == kind and suits(x, by)]
    assert found, by
    return found


def choose_from(name, **by):
    """Return such rows of another committed file."""
    found = [x for x in read_csv(RESULTS / f"{name}.csv") if suits(x, by)]
    assert found, by
    return found


def suits(row, by):
    return all(
        row[name] in value if isinstance(value, tuple) else row[name] == value
        for name, value in by.items()
    )


def ends(rows, key="rate"):
    """Return the range of rates in whole percent, without their sign."""
    rates = [float(x[key]) for x in rows]
    return say_range((min(rates), max(rates)))


def around(rows):
    """Return a range of rates in whole percent that is no narrower than they are."""
    rates = [100 * float(x["rate"]) for x in rows]
    low, high = math.floor(min(rates)), math.ceil(max(rates))
    return f"{low} to {high}" if low < high else f"{high}"


def most(rows):
    """Return the largest rate in whole percent, no smaller than it is."""
    return f"{math.ceil(100 * max(float(x['rate']) for x in rows))}"


def highest(rows):
    return 100 * max(float(x["rate"]) for x in rows)


def listed(rows):
    """Return rates in percent, with a decimal."""
    return [f"{100 * x['rate']:.1f}" for x in rows]


def cover(**by):
    """Return the range of coverage in percent, no narrower than it is."""
    rates = [100 * x["rate"] for x in choose("interval", **by)]
    return f"{math.floor(min(rates))} to {math.ceil(max(rates))} %"
