"""The scores of each run of a model: at its steps, or of its items."""

import itertools

import numpy as np
import pandas as pd
import pytest

from sigarray import compare_models, read
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


def test_items_in_several_runs_may_be_in_clusters(write):
    rows = [f"{x},d{k % 2}" for m in "ab" for k, x in enumerate(list_rows(m, 2, 4))]
    path = write_rows(write, rows, header=f"{HEADER},document_id")
    for options in ({}, {"unit": "run,item"}, {"cluster": "document_id"}):
        table = read.scores(path, **options)
        assert table.unit == "run,item"
        items = table.ids[""]["a"]
        assert table.clusters == {"": tuple(f"d{(3 - int(x)) % 2}" for x in items)}
        assert table.runs[""]["a"].scores.shape == (2, 4)


@pytest.mark.parametrize("of_arrays", [True, False])
def test_a_column_for_each_model_has_no_both(write, of_arrays):
    scores = {"a": [0.1, 0.2, 0.5], "b": [0.3, 0.1, 0.4]}
    source = scores if of_arrays else write("a,b\n0.1,0.3\n0.2,0.1\n0.5,0.4\n")
    with pytest.raises(TableError, match="needs columns of models, runs and items"):
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
    assert all(x.endswith("not for other runs") for x in said)


def make_rows(*, n_steps=4, tasks=("",)):
    """Scores that say where they are from: task, model, run and step."""
    return pd.DataFrame(
        [
            {"task": task, "model": model, "seed": seed, "step": 100 * k, "score": x}
            for (i, task), (j, model), seed, k in itertools.product(
                enumerate(tasks), enumerate("ab"), range(3), range(n_steps)
            )
            for x in [1000.0 * i + 100.0 * j + 10.0 * seed + k]
        ]
    ).sample(frac=1.0, random_state=0)


def test_curves_are_those_of_the_rows():
    table = read.scores(make_rows(tasks=("one", "other")))
    assert sorted(table.curves) == ["one", "other"]
    for i, task in enumerate(("one", "other")):
        for j, model in enumerate("ab"):
            steps, scores = table.curves[task][model]
            assert steps.tolist() == [0.0, 100.0, 200.0, 300.0]
            expected = 1000.0 * i + 100.0 * j + 10.0 * np.arange(3)[:, None] + range(4)
            np.testing.assert_array_equal(np.sort(scores, axis=0), expected)
    last = table.tasks["other"]["b"]
    assert sorted(last) == sorted(table.curves["other"]["b"].scores[:, -1])


def test_steps_that_a_run_lacks_are_left_out():
    rows = make_rows()
    is_lacking = (rows["seed"] == 1) & (rows["model"] == "a") & (rows["step"] == 100)
    table = read.scores(rows[~is_lacking].drop(columns="task"))
    assert table.curves[""]["a"].steps.tolist() == [0.0, 200.0, 300.0]
    assert table.curves[""]["b"].steps.tolist() == [0.0, 100.0, 200.0, 300.0]


def test_without_two_steps_there_are_no_curves():
    rows = make_rows().drop(columns="task")
    assert not read.scores(rows[rows["step"] == 300]).curves
    assert not read.scores({"a": [0.1, 0.2], "b": [0.3, 0.4]}).curves
    only = rows[(rows["model"] == "a") | (rows["step"] == 300)]
    assert not read.scores(only).curves


def test_a_comparison_draws_them_last():
    drawn = compare_models(read.scores(make_rows().drop(columns="task")))
    picture = drawn.list_pictures()[-1]
    assert picture.caption.startswith("Learning curves: means of runs at each step")
    assert picture.description == "Last means: a 13 at 300, b 113 at 300."
    (axes,) = picture.figure.axes
    lines = [line.get_xydata().tolist() for line in axes.lines]
    for base in (10.0, 110.0):
        assert [[100.0 * k, base + k] for k in range(4)] in lines
