"""Points, boxes and means of models."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from sigarray import plot
from tests.plot.conftest import read_legend, read_ticks


def list_rows(ax):
    """Return (points, mean with its interval) of each row, and the boxes."""
    points = [x for x in ax.lines if x.get_marker() == "o"]
    means = [x for x in ax.lines if x.get_marker() == "D"]
    bars = [x.get_segments()[0] for x in ax.collections]
    return points, means, bars, ax.patches


def test_points_boxes_and_intervals_are_those_of_the_scores(digits):
    ax = plot.scores(digits, confidence_level=0.9)
    rows = zip(digits.values(), *list_rows(ax), strict=True)
    for row, (values, points, mean, bar, box) in enumerate(rows):
        np.testing.assert_array_equal(points.get_xdata(), values)
        assert np.all(np.abs(points.get_ydata() - row) < 0.5)
        assert mean.get_xdata() == [pytest.approx(values.mean())]
        interval = scipy.stats.t.interval(
            0.9, len(values) - 1, values.mean(), scipy.stats.sem(values)
        )
        assert bar[:, 0] == pytest.approx(interval)
        low, high = np.quantile(values, (0.25, 0.75))
        assert (box.get_x(), box.get_width()) == pytest.approx((low, high - low))
        assert row - 0.5 < box.get_y() < box.get_y() + box.get_height() < row + 0.5
    assert read_ticks(ax.yaxis) == [f"{k}\nn = {len(x)}" for k, x in digits.items()]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first one is on top
    assert "mean, 90 % interval (Student's t)" in read_legend(ax)


def test_all_ways_to_give_scores(digits):
    table = np.stack([x[:12] for x in digits.values()])
    drawn = {
        "mapping": plot.scores(dict(zip(digits, table, strict=True))),
        "frame": plot.scores(pd.DataFrame(dict(zip(digits, table, strict=True)))),
        "array": plot.scores(table, names=digits),
        "list": plot.scores(list(table), names=list(digits)),
    }
    for ax in drawn.values():
        assert read_ticks(ax.yaxis) == [f"{name}\nn = 12" for name in digits]
        for points, values in zip(list_rows(ax)[0], table, strict=True):
            np.testing.assert_array_equal(points.get_xdata(), values)
    assert read_ticks(plot.scores(table).yaxis)[1] == "1\nn = 12"


def test_pictures_are_the_same_each_time(digits):
    drawn = [list_rows(plot.scores(digits))[0] for _ in range(2)]
    for one, other in zip(*drawn, strict=True):
        np.testing.assert_array_equal(one.get_xydata(), other.get_xydata())
        assert len(set(one.get_ydata())) == len(one.get_ydata())


def test_one_score_has_no_interval():
    ax = plot.scores([[1.0], [1.0, 2.0, 4.0]])
    _, means, bars, _ = list_rows(ax)
    assert len(means) == 2
    assert not np.isfinite(bars[0]).any()
    assert bars[1].size
    assert np.isfinite(bars[1]).all()


def test_many_points_are_pixels_in_vector_formats():
    few, many = list_rows(plot.scores([np.arange(9.0), np.arange(5000.0)]))[0]
    assert not few.get_rasterized()
    assert many.get_rasterized()


def test_figures_grow_with_the_models():
    heights = [
        plot.scores(np.zeros((n, 3))).figure.get_figheight() for n in (1, 10, 40)
    ]
    assert np.diff(heights) == pytest.approx([9 * 0.34, 30 * 0.34])


def test_impossible_scores(digits):
    with pytest.raises(ValueError, match=r"finite scores of b; got 8 of 20 .*dropna"):
        plot.scores({"a": np.ones(20), "b": [1.0] * 12 + [np.nan] * 8})
    with pytest.raises(ValueError, match="Expected 4 names"):
        plot.scores(digits, names=["a", "b"])
    with pytest.raises(ValueError, match=r"shape \(K, n\).*Pass x\[None\]"):
        plot.scores(np.ones(4))
    with pytest.raises(TypeError, match="Expected scores by model"):
        plot.scores(3.0)
    with pytest.raises(ValueError, match="confidence_level"):
        plot.scores(digits, confidence_level=95)
