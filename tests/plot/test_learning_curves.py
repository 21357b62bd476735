"""Means of runs at each step, and their intervals."""

import numpy as np
import pytest
import scipy.stats

from sigarray import plot
from tests.plot.conftest import read_legend

LEVELS = np.asarray([0.0, 9.0, 4.0])[:, None, None]
RUNS = np.random.default_rng(0).normal(size=(3, 5, 30)) + LEVELS
STEPS = 100.0 * np.arange(30)


def read_band(patch, steps):
    """Return the lower and upper edge of a band."""
    corners = patch.get_paths()[0].vertices
    edges = [corners[corners[:, 0] == step, 1] for step in steps]
    return np.asarray([(x.min(), x.max()) for x in edges]).T


def test_lines_are_means_and_bands_are_intervals():
    ax = plot.learning_curves(dict(zip("abc", RUNS, strict=True)), STEPS)
    # The best at the end is the first.
    order = [1, 2, 0]
    assert read_legend(ax) == [
        *(f"{'abc'[k]}: 5 runs" for k in order),
        "95 % at each step",
    ]
    for k, line, band in zip(order, ax.lines, ax.collections, strict=True):
        np.testing.assert_array_equal(line.get_xdata(), STEPS)
        np.testing.assert_allclose(line.get_ydata(), RUNS[k].mean(axis=0))
        interval = scipy.stats.t.interval(
            0.95, 4, RUNS[k].mean(axis=0), scipy.stats.sem(RUNS[k], axis=0)
        )
        np.testing.assert_allclose(read_band(band, STEPS), interval)
    looks = {(x.get_marker(), str(x.get_linestyle())) for x in ax.lines}
    assert len(looks) == 3


def test_ways_to_give_runs_and_steps():
    models = {"a": RUNS[0], "b": RUNS[1][:2, :7]}
    ax = plot.learning_curves(models, {"a": STEPS, "b": np.arange(7)})
    assert [len(x.get_xdata()) for x in ax.lines] == [7, 30]
    ax = plot.learning_curves(RUNS, names=list("xyz"), higher_is_better=False)
    assert [x[0] for x in read_legend(ax)[:3]] == ["x", "z", "y"]
    assert tuple(ax.lines[0].get_xdata()[[0, -1]]) == (1.0, 30.0)
    assert ax.get_ylabel() == "mean score (lower is better)"
    one = plot.learning_curves(RUNS[:1, :1])
    assert read_legend(one) == ["0: 1 run"]
    assert not one.collections


def test_models_beyond_7_are_counted():
    runs = np.arange(9.0)[:, None, None] + np.ones((9, 2, 3))
    ax = plot.learning_curves(runs)
    assert [x.get_ydata()[-1] for x in ax.lines] == [9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0]
    assert ax.get_xlabel() == "step\nnot drawn: 2 models of lower rank"


def test_impossible_curves():
    draw = plot.learning_curves
    with pytest.raises(TypeError, match="Expected scores of runs by model"):
        draw(3.0)
    with pytest.raises(ValueError, match="the runs of one or more models; got none"):
        draw({})
    with pytest.raises(ValueError, match=r"shape \(R, S\), .* Pass x\[None\]"):
        draw({"a": [1.0, 2.0]})
    with pytest.raises(ValueError, match=r"got 1 of 2 that are NaN.*Cut runs"):
        draw({"a": [[1.0, np.nan]]})
    with pytest.raises(ValueError, match=r"2 ascending steps of a; got shape \(3,\)"):
        draw({"a": [[1.0, 2.0]]}, [1, 2, 3])
    with pytest.raises(ValueError, match=r"ascending steps of a; got .*Sort them"):
        draw({"a": [[1.0, 2.0]]}, [2, 1])
    with pytest.raises(ValueError, match="2 ascending steps of a"):
        draw({"a": [[1.0, 2.0]]}, {"b": [1, 2]})
    with pytest.raises(ValueError, match="names in the mapping alone"):
        draw({"a": [[1.0, 2.0]]}, names=["b"])
