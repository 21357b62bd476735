"""Intervals of ranks: what is committed, and what pages say of it."""

from pathlib import Path

from benchmarks.reproduce import ranks
from benchmarks.reproduce.experiment import read_csv
from sigarray import rank_ci

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
ROWS = read_csv(RESULTS / "ranks.csv")
TIES, CLEAR, SPACED = ranks.FAMILIES


def is_skewed(row):
    """Tell whether models have long tails and unlike spreads, too."""
    return row["scores"] == "unlike lognormals"


def read_shares(column, family, *, statistics=("mean",)):
    """Return the shares of families with these statistics, but for skewed ones."""
    return [
        float(x[column])
        for x in ROWS
        if x["models"] == family and x["statistic"] in statistics and not is_skewed(x)
    ]


def say(shares):
    """Return the lowest and the highest share in percent."""
    return f"{100.0 * min(shares):.1f} to {100.0 * max(shares):.1f} %"


def test_the_committed_table_is_of_the_committed_rows():
    text = "\n\n".join([*ranks.tabulate(ROWS), ""])
    assert (RESULTS / "ranks.md").read_text("utf-8") == text


def test_intervals_hold_and_percentiles_do_not():
    every = [float(x["held"]) for x in ROWS if not is_skewed(x)]
    skewed = [float(x["held"]) for x in ROWS if is_skewed(x)]
    assert min(every) > 0.94
    one = read_shares("percentiles held one", TIES)
    assert max(one) < 0.85
    others = read_shares("held", TIES, statistics=("median", "iqm"))
    said = " ".join(rank_ci.__doc__.split())
    assert (
        f"Of 10 near ties with 5, 10 or 20 runs, intervals of 95 % held all ranks in "
        f"{say(read_shares('held', TIES))} of sets, and those of medians, and of "
        f"interquartile means of 26 tasks, in {say(others)}; but those of means in "
        f"{say(skewed)} if scores were lognormal, with spreads up to 10 times as wide "
        "as others. Percentiles of the rank of one model held that in "
        f"{say(one)}, and those of all in "
        f"{say(read_shares('percentiles held', TIES))}." in said
    )
    page = " ".join((ROOT / "docs" / "aggregates.md").read_text("utf-8").split())
    assert (
        f"Intervals of 95 % held in {say(every)}, and in {say(skewed)} if models had "
        "both long tails and unlike spreads, where Student's t errs, too; percentiles "
        f"of the ranks of near ties held that of one model in {say(one)}." in page
    )


def test_intervals_are_counted_as_then():
    (row,) = [
        x
        for x in ROWS
        if (x["models"], x["scores"], x["runs"]) == (SPACED, "normal", "10")
    ]
    found = ranks.count("mean", SPACED, "normal", 10, 1, 20, seed=10)
    assert abs(found["held"] - float(row["held"])) < 0.1
    assert abs(found["width"] - float(row["width"])) < 0.2
