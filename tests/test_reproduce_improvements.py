"""Errors of `--statistic improvement`: what is committed, and what the page says."""

from pathlib import Path

from benchmarks.reproduce import improvements
from benchmarks.reproduce.experiment import read_csv

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
ROWS = read_csv(RESULTS / "improvements.csv")


def test_the_committed_table_is_of_the_committed_rows():
    text = "\n\n".join([*improvements.tabulate(ROWS), ""])
    assert (RESULTS / "improvements.md").read_text("utf-8") == text


def test_the_page_says_what_was_measured():
    rates = [100.0 * float(x["rate"]) for x in ROWS]
    assert max(rates) < 5.0
    page = " ".join((ROOT / "docs" / "aggregates.md").read_text("utf-8").split())
    assert f"p <= 0.05 in {min(rates):.1f} to {max(rates):.1f} %" in page


def test_errors_are_counted_as_then():
    row = next(x for x in ROWS if (x["tasks"], x["runs"]) == ("6", "3 to 6"))
    found = improvements.count(6, "3 to 6", 1.0, 30, seed=10)
    assert abs(found["rate"] - float(row["rate"])) < 0.15
