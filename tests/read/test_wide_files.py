"""Clusters of items, of a table with a column for each model."""

import pytest

from sigarray import compare_models, read
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


def test_the_column_of_items_is_found(write):
    path = write_rows(write, ROWS)
    said = read.scores(path, **CHOSEN)
    assert read.scores(path, cluster="document").clusters == said.clusters
    assert read.scores(path, cluster="document").ids == said.ids


def test_rows_without_names_are_items(write):
    rows = [x.partition(",")[2] for x in ROWS]
    path = write_rows(write, rows, "document,ours,theirs")
    for options in ({}, {"models": ["theirs", "ours"]}, {"unit": "item"}):
        table = read.scores(path, cluster="document", **options)
        assert table.unit == "item"
        assert table.is_paired
        assert table.ids[""]["ours"] == ("1", "2", "3", "4")
        assert table.clusters == {"": ("x", "x", "y", "z")}
    assert any("each row was taken for an item" in x for x in table.notes)


def test_the_column_of_clusters_has_to_be_there(write):
    path = write_rows(write, ROWS)
    with pytest.raises(TableError, match=r"no column 'page' \(cluster\)\. Its columns"):
        read.scores(path, item="question", cluster="page", models=["ours", "theirs"])
    with pytest.raises(TableError, match="Leave out unit: items then"):
        read.scores(path, cluster="document", unit="run")


def test_clusters_that_are_not_said_are_asked_about(write):
    with pytest.raises(TableError, match="rows are of one of them, cluster='document'"):
        read.scores(write_rows(write, ROWS))
    rows = [x.replace("x", "1").replace("y", "2").replace("z", "3") for x in ROWS]
    path = write_rows(write, rows, "question,document_id,ours,theirs")
    with pytest.raises(TableError, match="several rows are of one, cluster='document"):
        read.scores(path)


def test_a_data_frame_with_a_column_for_each_model():
    pandas = pytest.importorskip("pandas")
    rows = [x.split(",") for x in ROWS]
    wide = pandas.DataFrame(rows, columns=["question", "document", "ours", "theirs"])
    wide = wide.astype({"ours": float, "theirs": float})
    long = wide.melt(["question", "document"], var_name="model", value_name="score")
    results = [compare_models(x, clusters="document") for x in (wide, long)]
    assert results[0].records == results[1].records
    assert "4 items in 3 clusters" in results[0].method
    without = compare_models(wide.drop(columns="question"), clusters="document")
    assert without.records == results[0].records


def test_clusters_of_a_table_with_a_column_for_each_model_are_of_items(write):
    rows = [f"{k},d{k % 4},.{k + 10},.{k + 30}" for k in range(20)]
    path = write("\n".join(["item,doc,a,b", *rows]))
    with pytest.raises(TableError, match=r"expected unit=.item. .* Leave out unit: "):
        read.scores(path, cluster="doc", unit="cluster")
    assert read.scores(path, cluster="doc").clusters is not None
