"""Scores joined by items, runs, clusters and steps."""

import random

import numpy as np
import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import as_csv, as_lists

DRAW = random.Random(0)
ITEMS = [
    ("a", "q1", 1, "x", 1.0),
    ("a", "q1", 2, "x", 0.0),
    ("a", "q2", 1, "x", 1.0),
    ("a", "q2", 2, "x", 1.0),
    ("a", "q3", 1, "y", 0.0),
    ("a", "q3", 2, "y", 0.0),
]
ITEMS += [("b", *row[1:-1], 1.0 - row[-1]) for row in ITEMS]


class TestJoins:
    def test_items_of_one_model_alone(self, write):
        rows = [("a", f"q{k}", k) for k in range(6)] + [
            ("b", f"q{k}", k) for k in (1, 9)
        ]
        path = write(as_csv(rows, "model,item,score"))
        match = (
            r"6 of 7 items are not those of all models: 'a' lacks 1 \('q9'\); 'b' "
            r"lacks 5 \('q0', 'q2', 'q3', and 2 more\)\. Pass drop_unmatched=True"
        )
        with pytest.raises(TableError, match=match):
            read.scores(path)
        table = read.scores(path, drop_unmatched=True)
        assert as_lists(table) == {"": {"a": [1.0], "b": [1.0]}}
        rows = [("a", "x1", 1), ("b", "y1", 2)]
        with pytest.raises(TableError, match=r"No item is in all of them"):
            read.scores(write(as_csv(rows, "model,item,score")), drop_unmatched=True)

    def test_runs_are_joined_only_where_they_are_pairs(self, write):
        path = write(
            as_csv([("a", 2, 1), ("a", 1, 2), ("b", 1, 3)], "model,seed,score")
        )
        assert as_lists(read.scores(path)) == {"": {"a": [2, 1], "b": [3]}}
        with pytest.raises(TableError, match=r"same runs; but 1 of 2 runs"):
            read.scores(path, paired=True)
        table = read.scores(path, paired=True, drop_unmatched=True)
        assert as_lists(table) == {"": {"a": [2], "b": [3]}}

    def test_items_in_several_runs(self, write):
        rows = [row[:3] + row[4:] for row in ITEMS]
        path = write(as_csv(rows, "model,item,seed,score"))
        table = read.scores(path)
        assert table.unit == "run,item"
        assert table.runs[""]["a"].scores.shape == (2, 3)
        table = read.scores(path, unit="item")
        assert as_lists(table)[""]["a"] == [0.5, 1.0, 0.0]
        table = read.scores(path, unit="run")
        assert as_lists(table)[""]["a"] == [2 / 3, 1 / 3]
        with pytest.raises(TableError, match=r"which cluster a score is"):
            read.scores(path, unit="cluster")

    def test_clusters(self, write):
        path = write(as_csv(ITEMS, "model,item,seed,cluster,score"))
        assert read.scores(path).unit == "run,item"
        items = read.scores(path, unit="item", cluster="cluster")
        assert items.clusters == {"": ("x", "x", "y")}
        assert as_lists(items)[""]["a"] == [0.5, 1.0, 0.0]
        alone = read.scores(path, unit="item")
        assert not alone.clusters
        assert "the clusters of 'cluster' are not used" in " ".join(alone.notes)
        table = read.scores(path, unit="cluster")
        assert not table.clusters
        # Two items of x and one of y: sums, in units of one and a half.
        a, b = as_lists(table)[""].values()
        assert a == pytest.approx([0.75 * 4 / 3, 0.0])
        assert b == pytest.approx([0.25 * 4 / 3, 2 / 3])
        assert "each weighed by its number of items" in table.notes[-1]
        rows = [*ITEMS[:6], *(("b", *x[1:3], "x", x[4]) for x in ITEMS[:6])]
        with pytest.raises(TableError, match=r"'q3' to have one cluster; got 'x', and"):
            read.scores(write(as_csv(rows, "model,item,seed,cluster,score")))

    def test_clusters_keep_their_sizes(self, write):
        """The mean is that of items; of clusters of one size it is that of clusters."""
        rng = np.random.default_rng(0)
        sizes = [1, 1, 1, 40, 7]
        places = [(f"c{k}", f"q{k}-{i}") for k, n in enumerate(sizes) for i in range(n)]
        scores = {m: rng.random(len(places)) for m in "ab"}
        rows = [
            (m, item, cluster, x)
            for m, found in scores.items()
            for (cluster, item), x in zip(places, found.tolist(), strict=True)
        ]
        items = read.scores(write(as_csv(rows, "model,item,cluster,score")))
        assert items.unit == "item"
        told = {"unit": "cluster"}
        table = read.scores(write(as_csv(rows, "model,item,cluster,score")), **told)
        for m, found in scores.items():
            assert len(table.scores[m]) == len(sizes)
            assert table.scores[m].mean() == pytest.approx(found.mean())
        even = [row for row in rows if row[2] in ("c0", "c1")]
        table = read.scores(write(as_csv(even, "model,item,cluster,score")), **told)
        assert as_lists(table)[""]["a"] == [row[3] for row in even if row[0] == "a"]
        rows = [(m, "x", k) for m in "ab" for k in range(3)] + [("a", "y", 1)]
        rows += [("b", "y", 1), ("b", "y", 2)]
        match = r"as many scores of a cluster for all models; got 1 of 'a' and 2 of 'b'"
        for said in ({}, told):
            with pytest.raises(TableError, match=match):
                read.scores(write(as_csv(rows, "model,cluster,score")), **said)

    def test_items_of_a_cluster_need_no_names(self, write):
        """Their sums are the same whatever stands beside what."""
        rows = [("a", "x", 1), ("a", "y", 2), ("a", "x", 3)]
        rows += [("b", "y", 4), ("b", "x", 5), ("b", "x", 6)]
        table = read.scores(write(as_csv(rows, "model,cluster,score")))
        assert as_lists(table) == {"": {"a": [1, 3, 2], "b": [5, 6, 4]}}
        assert table.clusters == {"": ("x", "x", "y")}
        assert table.ids[""]["b"] == ("x, 1", "x, 2", "y, 1")

    def test_the_last_step_of_each_run(self, write):
        rows = [(m, s, t, s + t) for m in "ab" for s in (1, 2) for t in (10, 20, 15)]
        path = write(as_csv(rows, "model,seed,step,acc"))
        table = read.scores(path)
        assert as_lists(table) == {"": {"a": [21, 22], "b": [21, 22]}}
        assert any("(20) for its score: 4 of 12 rows" in note for note in table.notes)
        assert not table.doubts
        early = read.scores(
            write(as_csv([*rows[:-2], rows[-1]], "model,seed,step,acc"))
        )
        (doubt,) = early.doubts
        assert doubt.startswith("1 run ends at another step than most: 'b', run")

    def test_averages_are_said(self, write):
        rows = [row[:3] + row[4:] for row in ITEMS]
        path = write(as_csv(rows, "model,item,seed,score"))
        notes = read.scores(path, unit="item").notes
        assert any(
            "12 scores were averaged within items: each model has 3 items" in x
            for x in notes
        )


class TestSteps:
    def test_the_note_names_the_column_of_steps(self, write, run):
        rows = [
            f"{m},{k},{step},{DRAW.random()}"
            for m in "ab"
            for k in range(4)
            for step in (0, 1, 2)
        ]
        path = write("\n".join(["model,seed,epoch,acc", *rows]))
        _, _, err = run("compare", path)
        assert "'epoch' was taken for the steps of a run" in err
        assert "--run" not in err


@pytest.mark.parametrize("form", ["long", "wide"])
def test_tasks_that_end_in_numbers_are_in_their_order(write, form):
    """Whatever the order of rows is, long or wide."""
    names = [
        "-10",
        "-2",
        "3",
        "20",
        "a",
        *(f"game-{k}" for k in range(12)),
        "game-x",
        "v2",
    ]
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2, len(names), 4)).round(3)
    if form == "long":
        rows = [f"m{m},{s},{names[t]},{x}" for (m, t, s), x in np.ndenumerate(scores)]
        head = "model,seed,task,acc"
    else:
        rows = [
            f"{s},{name},{x[0, s]},{x[1, s]}"
            for name, x in zip(names, scores.swapaxes(0, 1), strict=True)
            for s in range(4)
        ]
        head = "seed,task,m0,m1"
    for some in (rows, rows[::-1]):
        table = read.scores(write("\n".join([head, *some, ""])), task="task")
        assert [*table.tasks] == names
