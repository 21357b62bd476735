"""Scores joined by items, runs, clusters and steps."""

import numpy as np
import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import as_csv, as_lists

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
    def test_duplicates_name_both_places(self, write):
        rows = [("a", "q1", 1), ("b", "q1", 2), ("a", "q1", 3)]
        path = write(as_csv(rows, "model,item,score"))
        match = r"line 4: expected one score of 'a' for item 'q1'; got another.*line 2"
        with pytest.raises(TableError, match=match):
            read.scores(path)
        rows = [("a", 1, 1), ("b", 1, 2), ("a", 1, 3)]
        with pytest.raises(TableError, match=r"line 4: .*'a' for run '1'"):
            read.scores(write(as_csv(rows, "model,seed,score")))

    def test_items_of_one_model_alone(self, write):
        rows = [("a", f"q{k}", k) for k in range(6)] + [
            ("b", f"q{k}", k) for k in (1, 9)
        ]
        path = write(as_csv(rows, "model,item,score"))
        match = (
            r"6 of 7 items are not those of all models: 'a' lacks 1 \('q9'\); 'b' "
            r"lacks 5 \('q0', 'q2', 'q3', and 2 more\)\. Pass --drop-unmatched"
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
        with pytest.raises(TableError, match=r"--unit item averages.*--unit run av"):
            read.scores(path)
        table = read.scores(path, unit="item")
        assert as_lists(table)[""]["a"] == [0.5, 1.0, 0.0]
        table = read.scores(path, unit="run")
        assert as_lists(table)[""]["a"] == [2 / 3, 1 / 3]
        with pytest.raises(TableError, match=r"which cluster a score is"):
            read.scores(path, unit="cluster")

    def test_clusters(self, write):
        path = write(as_csv(ITEMS, "model,item,seed,cluster,score"))
        table = read.scores(path)
        assert table.unit == "cluster"
        # Two items of x and one of y: sums, in units of one and a half.
        a, b = as_lists(table)[""].values()
        assert a == pytest.approx([0.75 * 4 / 3, 0.0])
        assert b == pytest.approx([0.25 * 4 / 3, 2 / 3])
        assert "each weighed by its number of items" in table.notes[-1]
        rows = [*ITEMS[:6], *(("b", *x[1:3], "x", x[4]) for x in ITEMS[:6])]
        with pytest.raises(TableError, match=r"item 'q3' to be in one cluster"):
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
        table = read.scores(write(as_csv(rows, "model,item,cluster,score")))
        for m, found in scores.items():
            assert len(table.scores[m]) == len(sizes)
            assert table.scores[m].mean() == pytest.approx(found.mean())
        even = [row for row in rows if row[2] in ("c0", "c1")]
        table = read.scores(write(as_csv(even, "model,item,cluster,score")))
        assert as_lists(table)[""]["a"] == [row[3] for row in even if row[0] == "a"]
        rows = [(m, "x", k) for m in "ab" for k in range(3)] + [("a", "y", 1)]
        rows += [("b", "y", 1), ("b", "y", 2)]
        match = r"as many scores of a cluster for all models; got 1 of 'a' and 2 of 'b'"
        with pytest.raises(TableError, match=match):
            read.scores(write(as_csv(rows, "model,cluster,score")))

    def test_the_last_step_of_each_run(self, write):
        rows = [(m, s, t, s + t) for m in "ab" for s in (1, 2) for t in (10, 20, 15)]
        path = write(as_csv(rows, "model,seed,step,acc"))
        table = read.scores(path)
        assert as_lists(table) == {"": {"a": [21, 22], "b": [21, 22]}}
        assert any("(20) for its score: 4 of 12 rows" in note for note in table.notes)
        assert not table.doubts
        early = read.scores(
            write(as_csv(rows[:-3] + rows[-3:-2], "model,seed,step,acc"))
        )
        (doubt,) = early.doubts
        assert doubt.startswith("'b', run '2', ends at step 10, and others at 20")

    def test_averages_are_said(self, write):
        rows = [row[:3] + row[4:] for row in ITEMS]
        path = write(as_csv(rows, "model,item,seed,score"))
        notes = read.scores(path, unit="item").notes
        assert any("12 scores were averaged: 6 items are left" in x for x in notes)


class TestRowsOfColumns:
    """Tables with a column for each model, of which some cells are blank."""

    LINES = "q,a,b,c\nx1,1,0,1\nx2,,1,1\nx3,1,0,\nx4,0,1,1\nx5,1,1,0\nx6,1,0,0\n"

    def test_blank_cells_ask_to_leave_out_the_row(self, write):
        with pytest.raises(TableError, match=r"blank one\. Pass --drop-unmatched"):
            read.scores(write(self.LINES), item="q")

    def test_of_each_pair_what_both_have(self, write):
        table = read.scores(write(self.LINES), item="q", drop_unmatched=True)
        (by,) = table.tasks.values()
        assert {name: x.tolist() for name, x in by.items()} == {
            "a": [1.0, 0.0, 1.0, 1.0],
            "b": [0.0, 1.0, 1.0, 0.0],
            "c": [1.0, 1.0, 0.0, 0.0],
        }
        assert any(
            "2 of 6 rows do not have a score of every model: a lacks 1; c lacks 1; "
            "left out" in note
            for note in table.notes
        )
        (pairs,) = table.pairs.values()
        sizes = {names: len(x) for names, (x, _) in pairs.items()}
        assert sizes == {("a", "b"): 5, ("a", "c"): 4, ("b", "c"): 5}
        x, y = pairs["b", "c"]
        assert (x.tolist(), y.tolist()) == ([0, 1, 1, 1, 0], [1, 1, 1, 0, 0])

    def test_rows_that_nobody_shares_are_refused(self, write):
        lines = "q,a,b\nx1,1,\nx2,,1\nx3,1,\nx4,,0\n"
        with pytest.raises(TableError, match=r"a score of every model; got none"):
            read.scores(write(lines), item="q", drop_unmatched=True)

    def test_whole_rows_and_runs_stay_as_they_are(self, write):
        whole = "q,a,b\nx1,1,0\nx2,0,1\nx3,1,0\n"
        options = {"item": "q", "drop_unmatched": True}
        assert not read.scores(write(whole), **options).pairs
        runs = write("a,b\n.71,.72\n.73,\n.74,.75\n.72,.77\n")
        (by,) = read.scores(runs, drop_unmatched=True).tasks.values()
        assert [len(x) for x in by.values()] == [4, 3]


def test_columns_that_may_group_items_are_named(write):
    lines = ["model,item,document,topic,score"]
    lines += [
        f"{model},q{k},d{k // 3},t{(k + len(model)) % 4},0.{(7 * k + len(model)) % 10}"
        for model in ("a", "bb")
        for k in range(12)
    ]
    table = read.scores(write("\n".join(lines)))
    (said,) = [x for x in table.notes if "may group the items" in x]
    # A topic is not the same for both models.
    assert "'document' may group" in said
    assert said.endswith("pass --cluster document")
