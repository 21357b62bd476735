"""Means of models on tasks, the best models first."""

import math

import numpy as np
import pytest
import scipy.stats

from sigarray import plot
from tests.plot.conftest import read_legend, read_ticks

# Means that are easy to rank; the second model lacks a task.
SCORES = {
    "x": {"a": [0.5, 0.7], "b": [0.9], "c": [0.1, 0.3, 0.2]},
    "y": {"c": [30.0], "a": [10.0]},
}


def read_cells(ax):
    """Return {(task, model): (text, is bold)} and {model: mean rank}."""
    tasks = read_ticks(ax.xaxis)
    models = read_ticks(ax.yaxis)
    cells, ranks = {}, {}
    for text in ax.texts:
        x, y = text.get_position()
        if x < len(tasks) - 1.5:
            look = (text.get_text(), text.get_fontweight() == "bold")
            cells[tasks[round(x)], models[round(y)]] = look
        else:
            ranks[models[round(y)]] = float(text.get_text())
    return cells, ranks


def read_greys(ax):
    """Return how bright each cell (K, T) is in grey."""
    (mesh,) = ax.collections
    return np.asarray(mesh.get_array()) @ [0.299, 0.587, 0.114]


@pytest.mark.parametrize("is_higher_better", [True, False])
def test_cells_are_means_and_the_best_is_bold_and_dark(is_higher_better):
    ax = plot.leaderboard(SCORES, higher_is_better=is_higher_better)
    cells, ranks = read_cells(ax)
    best = {"x": "b", "y": "c"} if is_higher_better else {"x": "c", "y": "a"}
    shown = {
        ("x", "a"): "0.600",
        ("x", "b"): "0.900",
        ("x", "c"): "0.200",
        ("y", "a"): "10.0",
        ("y", "b"): "\u00d7",
        ("y", "c"): "30.0",
    }
    assert cells == {key: (text, best[key[0]] == key[1]) for key, text in shown.items()}
    # b has the rank of its only task; a and c have ranks 1 to 3 of x, 1 and 2 of y.
    expected = {"b": 1.0, "a": 2.0, "c": 2.0}
    if not is_higher_better:
        expected = {"a": 1.5, "c": 1.5, "b": 3.0}
    assert ranks == expected
    assert read_ticks(ax.yaxis) == list(expected)
    greys = read_greys(ax)
    models = read_ticks(ax.yaxis)
    for k, task in enumerate(["x", "y"]):
        assert np.argmin(greys[:, k]) == models.index(best[task])
    assert read_legend(ax) == ["best of the task", "worst", "no scores"]


def test_colours_are_places_within_a_task_and_grow_darker():
    levels = np.linspace(0.0, 1.0, 9)
    scores = {
        task: {f"m{k}": [scale * x] for k, x in enumerate(levels)}
        for task, scale in {"small": 1e-3, "large": 1e6}.items()
    }
    ax = plot.leaderboard(scores)
    greys = read_greys(ax)
    np.testing.assert_allclose(greys[:, 0], greys[:, 1])
    assert np.all(np.diff(greys[:, 0]) > 0.02)
    for text in ax.texts:
        x, y = map(round, text.get_position())
        if x < 2:
            # Letters are three quarters of the scale away from their cell, or half.
            is_white = text.get_color() == "white"
            assert abs(greys[y, x] - is_white) > 0.3


def test_ranks_are_those_of_scipy():
    values = np.random.default_rng(0).integers(0, 5, size=(6, 8)).astype(float)
    ax = plot.leaderboard(
        {
            f"t{t}": {f"m{k}": [x] for k, x in enumerate(row)}
            for t, row in enumerate(values)
        }
    )
    _, ranks = read_cells(ax)
    expected = scipy.stats.rankdata(-values, axis=1).mean(axis=0)
    for k, rank in enumerate(expected):
        assert ranks[f"m{k}"] == pytest.approx(rank, abs=0.0051)
    assert list(ranks.values()) == sorted(ranks.values())


def test_many_tasks_have_no_numbers_and_what_is_left_out_is_counted():
    def make(n_tasks, n_models):
        rng = np.random.default_rng(0)
        return {
            f"t{t}": {f"m{k}": rng.normal(k, 0.1, 2) for k in range(n_models)}
            for t in range(n_tasks)
        }

    few, many = (plot.leaderboard(make(n, 3)) for n in (12, 13))
    assert len(few.texts) == 3 * 12 + 3
    assert len(many.texts) == 3
    ax = plot.leaderboard(make(61, 41))
    assert read_ticks(ax.yaxis) == [f"m{k}" for k in range(40, 0, -1)]
    assert len(read_ticks(ax.xaxis)) == 60 + 1
    assert ax.get_xlabel().splitlines() == [
        "not drawn: 1 model of lower rank",
        "not drawn: 1 task after these",
    ]


def test_crosses_of_many_tasks():
    scores = {f"t{t}": {"a": [1.0], "b": [2.0]} for t in range(20)}
    del scores["t3"]["b"]
    ax = plot.leaderboard(scores)
    (line,) = (x for x in ax.lines if x.get_marker() == "x")
    assert line.get_xydata().tolist() == [[3.0, read_ticks(ax.yaxis).index("b")]]


@pytest.mark.parametrize(
    ("means", "shown"),
    [
        ([0.812, 0.795], ["0.812", "0.795"]),
        ([0.9912, 0.9915], ["0.9912", "0.9915"]),
        ([0.0788, 0.0651], ["0.0788", "0.0651"]),
        ([81.2, 40.0], ["81.2", "40.0"]),
        ([12345.6, 99.0], ["12346", "99"]),
        ([2e6, 1e6], ["2e+06", "1e+06"]),
        ([0.5, 0.5], ["0.500", "0.500"]),
    ],
)
def test_numbers_have_digits_that_tell_them_apart(means, shown):
    ax = plot.leaderboard({"t": dict(zip("ab", [[x] for x in means], strict=True))})
    cells, _ = read_cells(ax)
    assert [cells["t", name][0] for name in "ab"] == shown


def test_impossible_tasks():
    with pytest.raises(TypeError, match="mapping of tasks to mappings of models to sc"):
        plot.leaderboard({"a": [1.0, 2.0]})
    with pytest.raises(TypeError, match="mapping of tasks"):
        plot.leaderboard({})
    with pytest.raises(ValueError, match="finite scores of a; got 1 of 1"):
        plot.leaderboard({"x": {"a": [math.nan]}})


def test_where_all_means_are_equal_none_is_the_worst():
    scores = {task: {"a": [1.0, 2.0], "b": [2.0, 1.0]} for task in "xy"}
    assert read_legend(plot.leaderboard(scores)) == ["best of the task"]
    scores["x"]["a"] = [3.0, 3.0]
    assert read_legend(plot.leaderboard(scores)) == ["best of the task", "worst"]
