"""Tables of runs and items."""

import numpy as np
import pytest

from sigarray import read
from sigarray.read import TableError

HEADER = "model,seed,item,score"


def list_rows(model, n_runs, n_items, task=None):
    """Return rows whose scores say which run and item they are of, in reverse."""
    start = "" if task is None else f"{task},"
    rows = [
        f"{start}{model},{k},{i},{100 * k + i}"
        for k in range(n_runs)
        for i in range(n_items)
    ]
    return rows[::-1]


def write_rows(write, *parts, header=HEADER):
    return write("\n".join([header, *(row for rows in parts for row in rows), ""]))


def test_runs_and_items_have_the_order_of_their_names(write):
    path = write_rows(write, list_rows("a", 12, 11), list_rows("b", 2, 11))
    table = read.scores(path)
    assert (table.unit, table.is_paired) == ("run,item", True)
    for model, n_runs in (("a", 12), ("b", 2)):
        found = table.runs[""][model]
        assert found.runs == tuple(map(str, range(n_runs)))
        expected = 100 * np.arange(n_runs)[:, None] + np.arange(11)
        np.testing.assert_array_equal(found.scores, expected)
        np.testing.assert_array_equal(table.scores[model], expected.mean(axis=0))
    assert not table.averaged
    assert not any("averaged" in x for x in table.notes)


def test_each_task_has_its_own(write):
    sizes = {("x", "a"): (2, 3), ("x", "b"): (3, 3), ("y", "a"): (4, 2)}
    sizes["y", "b"] = 2, 2
    rows = [list_rows(model, *by, task=task) for (task, model), by in sizes.items()]
    table = read.scores(write_rows(write, *rows, header=f"task,{HEADER}"))
    found = {
        (task, model): x.scores.shape
        for task, by in table.runs.items()
        for model, x in by.items()
    }
    assert found == sizes


@pytest.mark.parametrize("unit", ["item", "run"])
def test_other_units_have_none(write, unit):
    path = write_rows(write, list_rows("a", 2, 3), list_rows("b", 2, 3))
    assert not read.scores(path, unit=unit).runs


@pytest.mark.parametrize(
    ("b", "said"),
    [
        ((1, 4), r"two runs or more of each model on task 'x'.*got one of 'b'"),
        ((3, 3), r"1 of 4 items of task 'x'.*'b' in run '0' lacks 1 \('3'\)"),
    ],
)
def test_what_is_no_table_is_named(write, b, said):
    rows = list_rows("a", 3, 4, task="x"), list_rows("b", *b, task="x")
    path = write_rows(write, *rows, header=f"task,{HEADER}")
    with pytest.raises(TableError, match=said):
        read.scores(path)


def test_one_item_is_an_error(write):
    path = write_rows(write, list_rows("a", 3, 1), list_rows("b", 3, 1))
    with pytest.raises(TableError, match=r"two items or more.*got 1\. Pass unit='run'"):
        read.scores(path)


@pytest.mark.parametrize("column", ["item", "seed"])
def test_both_columns_are_needed(write, column):
    rows = [f"{m},{k},{k / 7:.3f}" for m in "ab" for k in range(4)]
    path = write_rows(write, rows, header=f"model,{column},score")
    other = {"item": "run", "seed": "item"}[column]
    with pytest.raises(TableError, match=f"of which {other} a score is, for unit='run"):
        read.scores(path, unit="run,item")


def test_clusters_that_are_found_are_left_out_with_a_note(write):
    rows = [f"{x},d{k % 2}" for m in "ab" for k, x in enumerate(list_rows(m, 2, 4))]
    path = write_rows(write, rows, header=f"{HEADER},document_id")
    assert read.scores(path).unit == "item"  # in clusters, with the means of runs
    table = read.scores(path, unit="run,item")
    assert not table.clusters
    assert "of 'document_id' are not used, as --unit run,item says" in table.notes[-1]
    with pytest.raises(TableError, match="without cluster"):
        read.scores(path, unit="run,item", cluster="document_id")


@pytest.mark.parametrize("of_arrays", [True, False])
def test_a_column_for_each_model_has_no_both(write, of_arrays):
    scores = {"a": [0.1, 0.2, 0.5], "b": [0.3, 0.1, 0.4]}
    source = scores if of_arrays else write("a,b\n0.1,0.3\n0.2,0.1\n0.5,0.4\n")
    with pytest.raises(TableError, match=r"needs columns of models, runs and items"):
        read.scores(source, unit="run,item")


@pytest.mark.parametrize(
    ("n_runs", "options", "is_said"),
    [(1, {}, True), (1, {"unit": "item"}, False), (2, {}, False)],
)
def test_one_run_of_each_model_says_nothing_of_others(write, n_runs, options, is_said):
    rows = [list_rows(x, n_runs, 3) for x in "ab"]
    notes = read.scores(write_rows(write, *rows), **options).notes
    said = [x for x in notes if "one 'seed' of each model" in x]
    assert len(said) == is_said
    assert all(x.endswith("nothing is said of other runs") for x in said)
