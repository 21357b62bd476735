"""Rates of all tests, families and intervals, as an experiment."""

from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.rates.families import describe_families
from benchmarks.reproduce.rates.intervals import describe_intervals
from benchmarks.reproduce.rates.page import judge, write_page
from benchmarks.reproduce.rates.published import describe_published
from benchmarks.reproduce.rates.responses import describe_responses
from benchmarks.reproduce.rates.splits import describe_splits
from benchmarks.reproduce.rates.tests import TESTS, describe_test

NAMES = (
    *("kind", "test", "function", "options", "unit", "null"),
    *("n", "m", "scores", "spread", "n_sets", "rate", "rate_at_1"),
)


def run(settings: Settings) -> Experiment:
    """Simulate all of it."""
    rows = [
        {"kind": "command" if row["test"] else "function", **row}
        for found in (
            *(describe_test(settings, test) for test in TESTS),
            describe_splits(settings),
        )
        for row in found
    ]
    rows += [{"kind": "family", **row} for row in describe_families(settings)]
    rows += [{"kind": "responses", **row} for row in describe_responses(settings)]
    rows += [{"kind": "published", **row} for row in describe_published(settings)]
    rows += [{"kind": "interval", **row} for row in describe_intervals(settings)]
    rows = [{x: row.get(x, "") for x in NAMES} for row in rows]
    said = judge(rows)
    return Experiment(
        "Rates of the tests of `sigarray compare`",
        rows,
        [],
        findings=[said],
        page=[said, *write_page(rows)],
    )
