"""Intervals of aggregates over tasks: what is committed, and what pages say of it."""

from pathlib import Path

import pytest

from benchmarks.reproduce import strata
from benchmarks.reproduce.experiment import read_csv
from sigarray import bootstrap_ci, t_ci

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"


def read_rows(method, n_tasks, *, fewest_runs=2):
    """Return the shares of a method with so many tasks."""
    return [
        float(x[method])
        for x in read_csv(RESULTS / "strata.csv")
        if int(x["tasks"]) == n_tasks and int(x["runs"]) >= fewest_runs
    ]


def say(shares):
    """Return the lowest and the highest share in percent."""
    return f"{100.0 * min(shares):.1f} to {100.0 * max(shares):.1f}"


def test_the_committed_table_is_of_the_committed_rows():
    text = "\n\n".join([*strata.tabulate(read_csv(RESULTS / "strata.csv")), ""])
    assert (RESULTS / "strata.md").read_text("utf-8") == text


def test_intervals_hold_and_those_of_all_runs_do_less_often():
    assert min(read_rows("t_ci of the mean", 6)) > 0.9
    assert min(read_rows("t_ci of the mean", 26)) > 0.93
    ours = read_rows("percentile", 26, fewest_runs=3)
    assert 0.91 < min(ours) <= max(ours) < 0.97
    theirs = read_rows("all runs drawn", 26, fewest_runs=3)
    assert all(x > y for x, y in zip(ours, theirs, strict=True))
    few = read_rows("percentile", 6)[:-2]  # without those of ten runs
    said = " ".join(bootstrap_ci.__doc__.split())
    assert f"held the interquartile mean in {say(ours)} % of 26 tasks" in said
    assert f"of n draws in {say(theirs)} %; of 6 tasks with two to five" in said
    assert f"five runs only in {say(few)} %" in said
    of_t = " ".join(t_ci.__doc__.split())
    many = say(read_rows("t_ci of the mean", 26))
    fewer = say(read_rows("t_ci of the mean", 6))
    assert (
        f"`strata` in {many} % of 26 tasks with 2 to 10 runs, and in {fewer} %" in of_t
    )


@pytest.mark.long
def test_intervals_are_counted_as_then():
    (row,) = [
        x
        for x in read_csv(RESULTS / "strata.csv")
        if (x["tasks"], x["runs"], x["scores"]) == ("26", "3", "normal")
    ]
    found = strata.count(26, 3, "normal", 80, seed=1)
    for method in ("t_ci of the mean", "percentile"):
        assert abs(found[method] - float(row[method])) < 0.12
