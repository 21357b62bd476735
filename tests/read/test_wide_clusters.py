"""Clusters of items, of a table with a column for each model."""

import pytest

from sigarray import read
from sigarray.read import TableError

ROWS = ["q2,x,1,0", "q1,x,0,0", "q3,y,1,1", "q4,z,0,1"]
CHOSEN = {"item": "question", "cluster": "document"}


def write_rows(write, rows, header="question,document,ours,theirs"):
    return write("\n".join([header, *rows, ""]))


def test_items_have_the_clusters_of_their_rows(write):
    table = read.scores(write_rows(write, ROWS), **CHOSEN)
    assert table.unit == "item"
    assert table.models == ("ours", "theirs")
    assert table.ids[""]["ours"] == ("q1", "q2", "q3", "q4")
    assert table.clusters == {"": ("x", "x", "y", "z")}
    assert table.scores["theirs"].tolist() == [0, 0, 1, 1]


def test_tasks_have_clusters_of_their_own(write):
    rows = [f"t1,{x}" for x in ROWS] + ["t2,q1,y,1,0", "t2,q2,y,1,0", "t2,q3,w,0,1"]
    path = write_rows(write, rows, "set,question,document,ours,theirs")
    table = read.scores(path, **CHOSEN, task="set")
    assert table.clusters == {"t1": ("x", "x", "y", "z"), "t2": ("y", "y", "w")}


def test_items_that_are_left_out(write):
    path = write_rows(write, [*ROWS, "q5,z,1,"])
    table = read.scores(path, **CHOSEN, drop_unmatched=True)
    assert table.clusters == {"": ("x", "x", "y", "z")}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("q5,,1,1", "expected the cluster of an item; got a blank cell"),
        ("q5,x,1,1", None),
    ],
)
def test_blank_clusters(write, row, said):
    path = write_rows(write, [*ROWS, row])
    if said is None:
        assert len(read.scores(path, **CHOSEN).clusters[""]) == 5
        return
    with pytest.raises(TableError, match=said):
        read.scores(path, **CHOSEN)


def test_items_have_to_be_named(write):
    path = write_rows(write, ROWS)
    with pytest.raises(TableError, match="Items that pair the models need item"):
        read.scores(path, cluster="document")
    with pytest.raises(TableError, match=r"no column 'page' \(cluster\)\. Its columns"):
        read.scores(path, item="question", cluster="page", models=["ours", "theirs"])
