"""Ranks on the same items: what is committed, and what the docstring says of it."""

from pathlib import Path

from benchmarks.reproduce import item_ranks
from benchmarks.reproduce.experiment import read_csv
from sigarray import rank_ci

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
ROWS = read_csv(RESULTS / "item_ranks.csv")


def say(shares):
    """Return the lowest and the highest share in percent."""
    numbers = [100.0 * float(x) for x in shares if x]
    return f"{min(numbers):.1f} to {max(numbers):.1f} %"


def test_the_committed_table_is_of_the_committed_rows():
    text = "\n\n".join([*item_ranks.tabulate(ROWS), ""])
    assert (RESULTS / "item_ranks.md").read_text("utf-8") == text


def test_the_docstring_says_what_was_measured():
    items = [x["paired: held"] for x in ROWS if x["size"] == "1"]
    in_clusters = [x["paired, clusters: held"] for x in ROWS]
    without = [x["paired: held"] for x in ROWS if x["size"] != "1"]
    assert min(float(x) for x in [*items, *filter(None, in_clusters)]) > 0.93
    said = " ".join(rank_ci.__doc__.split())
    assert (
        f"held all ranks in {say(items)} of sets, and in {say(in_clusters)} of sets of "
        f"items in 20 and 50 clusters; without `clusters` in {say(without)}." in said
    )


def test_intervals_are_counted_as_then():
    found = item_ranks.count(20, 10, 6, seed=2)
    assert found["paired, clusters: held"] > 0.6
    assert found["paired: held"] < 0.9
