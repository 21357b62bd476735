"""Intervals of clustered items: what is committed, and what the pages say of it."""

from pathlib import Path

import pytest

from benchmarks.reproduce import cluster_middles, cluster_verdicts, clusters
from benchmarks.reproduce.experiment import read_csv
from sigarray import bootstrap_ci, t_ci

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"


def test_committed_intervals_of_clusters_are_those_of_docstrings():
    rows = read_csv(RESULTS / "clusters.csv")
    text = "\n\n".join([*clusters.tabulate(rows), ""])
    assert (RESULTS / "clusters.md").read_text("utf-8") == text

    def around(method, number=None):
        chosen = [
            100.0 * float(x[method])
            for x in rows
            if number in (None, int(x["clusters"]))
        ]
        return f"{min(chosen):.1f} to {max(chosen):.1f} %"

    said = " ".join(t_ci.__doc__.split())
    assert f"held the mean in {around('t_ci')} with 5 to 100 clusters, and" in said
    assert f"the same items without `clusters` in {around('items')}" in said
    said = " ".join(bootstrap_ci.__doc__.split())
    by_number = [around("percentile", n) for n in clusters.NUMBERS]
    assert (
        f"held the mean in {by_number[0]} with 5 clusters, {by_number[1]} with" in said
    )
    assert f"20, {by_number[2]} with 50 and {by_number[3]} with 100," in said
    assert all(0.93 < float(x["t_ci"]) < 0.98 for x in rows)
    assert all(0.93 < float(x["t_ci of F1"]) < 0.98 for x in rows)


def test_intervals_of_clusters_are_counted_as_then():
    (row,) = [
        x
        for x in read_csv(RESULTS / "clusters.csv")
        if (x["clusters"], x["deviation"], x["correlation"]) == ("5", "0.8", "0.5")
    ]
    found = clusters.count(5, 0.8, 0.5, 100, seed=2)
    for method in ("t_ci", "items"):
        assert abs(found[method] - float(row[method])) < 0.2


def test_committed_intervals_of_medians_are_those_of_docstrings():
    rows = read_csv(RESULTS / "cluster_middles.csv")
    text = "\n\n".join([*cluster_middles.tabulate(rows), ""])
    assert (RESULTS / "cluster_middles.md").read_text("utf-8") == text

    def around(method, number=None):
        chosen = [
            100.0 * float(x[f"{statistic}, {method}"])
            for statistic in ("median", "iqm")
            for x in rows
            if number in (None, int(x["clusters"]))
        ]
        return f"{min(chosen):.1f} to {max(chosen):.1f} %"

    said = " ".join(bootstrap_ci.__doc__.split())
    a, b, c, d = (around("percentile", n) for n in cluster_middles.NUMBERS)
    assert f"interquartile means in {a}, {b}, {c} and {d}, and those of" in said
    assert f"the same items without `clusters` in {around('items')}" in said


def test_intervals_of_medians_are_counted_as_then():
    (row,) = [
        x
        for x in read_csv(RESULTS / "cluster_middles.csv")
        if (x["clusters"], x["correlation"]) == ("20", "0.5")
    ]
    found = cluster_middles.count(20, 0.5, 15, seed=5)
    for method in cluster_middles.METHODS:
        assert abs(found[method] - float(row[method])) < 0.3


def test_committed_verdicts_are_those_of_the_page():
    rows = read_csv(RESULTS / "cluster_verdicts.csv")
    text = "\n\n".join([*cluster_verdicts.tabulate(rows), ""])
    assert (RESULTS / "cluster_verdicts.md").read_text("utf-8") == text
    assert [int(x["number"]) for x in rows] == list(cluster_verdicts.NUMBERS)
    for x in rows:
        assert 0.04 <= float(x["by default"]) <= 0.07
        assert 0.04 <= float(x["by t"]) <= 0.07
        assert float(x["of items"]) > 0.4
    page = (RESULTS.parents[1] / "docs" / "clusters.md").read_text("utf-8")
    (twenty,) = [x for x in rows if x["number"] == "20"]
    found = [100.0 * float(twenty[x]) for x in ("by default", "of items")]
    assert "in {:.1f} % of sets of 20 clusters, and without in {:.1f} %".format(
        *found
    ) in " ".join(page.split())


@pytest.mark.long
def test_verdicts_on_clusters_are_counted_as_then():
    (row,) = [
        x for x in read_csv(RESULTS / "cluster_verdicts.csv") if x["number"] == "10"
    ]
    found = cluster_verdicts.count(10, 40, seed=0)
    for method in cluster_verdicts.METHODS:
        assert abs(found[method] - float(row[method])) < 0.3
    assert found["of items"] > 0.2 > found["by t"]
