"""Learning curves: what runs scored at the steps before the last."""

import itertools

import numpy as np
import pandas as pd

from sigarray import compare_models, read


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
