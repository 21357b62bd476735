"""Densities, points and means of models."""

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from sigarray import plot, t_ci
from tests.plot.conftest import read_legend, read_ticks


def list_rows(ax):
    """Return points, means and their intervals, row by row."""
    points = [x for x in ax.lines if x.get_marker() == "o"]
    means = [x for x in ax.lines if x.get_marker() == "D"]
    bars = [x.get_paths()[0].vertices for x in ax.collections]
    bars = [bar for bar in bars if len(bar) == 2 and bar[0, 1] == bar[1, 1]]
    return points, means, bars


def list_clouds(ax):
    """Return {row: corners of the density} of those that have one."""
    clouds = [
        x.get_paths()[0].vertices for x in ax.collections if x.get_hatch() is None
    ]
    clouds = [x for x in clouds if len(x) > 100]
    return {round(float(x[:, 1].max())): x for x in clouds}


def order_of(models):
    """Return the names of models, the best mean first."""
    return sorted(models, key=lambda name: -np.mean(models[name]))


def test_points_and_intervals_are_those_of_the_scores(digits):
    ax = plot.scores(digits, confidence_level=0.9)
    order = order_of(digits)
    assert order != list(digits)
    rows = zip(order, *list_rows(ax), strict=True)
    for row, (name, points, mean, bar) in enumerate(rows):
        values = digits[name]
        np.testing.assert_array_equal(points.get_xdata(), values)
        assert np.all(np.abs(points.get_ydata() - row) < 0.5)
        assert mean.get_xdata() == [pytest.approx(values.mean())]
        interval = scipy.stats.t.interval(
            0.9, len(values) - 1, values.mean(), scipy.stats.sem(values)
        )
        assert bar[:, 0] == pytest.approx(interval)
    assert read_ticks(ax.yaxis) == [f"{k}\nn = {len(digits[k])}" for k in order]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first one is on top
    assert "mean, 90 % interval (Student's t)" in read_legend(ax)


def test_the_least_losses_are_on_top():
    ax = plot.scores({"a": [1.0, 2.0], "b": [0.0, 1.0]}, higher_is_better=False)
    assert read_ticks(ax.yaxis) == ["b\nn = 2", "a\nn = 2"]


@pytest.mark.parametrize("n", [5, 19, 20, 300])
def test_densities_are_of_20_scores_or_more(n):
    values = np.random.default_rng(n).gamma(2.0, size=n)
    ax = plot.scores({"a": values})
    assert ("density" in read_legend(ax)) == (n >= 20)
    if n < 20:
        assert not list_clouds(ax)
        return
    low, high = np.quantile(values, (0.25, 0.75))
    width = 0.9 * min(values.std(ddof=1), (high - low) / 1.34) * n**-0.2
    density = scipy.stats.gaussian_kde(values, width / values.std(ddof=1))
    (corners,) = list_clouds(ax).values()
    ground = corners[:, 1].max()
    top = corners[corners[:, 1] < ground]
    heights = ground - top[:, 1]
    expected = density(top[:, 0])
    np.testing.assert_allclose(
        heights / heights.max(), expected / expected.max(), rtol=1e-6, atol=1e-9
    )
    assert corners[:, 0].min() == values.min()
    assert corners[:, 0].max() == values.max()


def test_scores_of_few_values_have_bars_in_place_of_points():
    values = np.repeat([0.0, 1.0], (15, 45))
    ax = plot.scores({"a": values}, unit="item")
    assert read_legend(ax) == [
        "share of each score",
        "mean, 95 % interval (Student's t)",
    ]
    assert not list_rows(ax)[0]
    bars = {x[0, 0]: abs(x[0, 1] - x[1, 1]) for x in ax.collections[0].get_segments()}
    assert bars[0.0] / bars[1.0] == pytest.approx(1 / 3)


def test_models_beyond_40_are_counted():
    ax = plot.scores(np.arange(50.0)[:, None] + [0.0, 1.0])
    assert read_ticks(ax.yaxis) == [f"{k}\nn = 2" for k in range(49, 9, -1)]
    assert ax.get_xlabel().endswith("not drawn: 10 models of lower rank")


def test_all_ways_to_give_scores(digits):
    table = np.stack([x[:12] for x in digits.values()])
    drawn = {
        "mapping": plot.scores(dict(zip(digits, table, strict=True))),
        "frame": plot.scores(pd.DataFrame(dict(zip(digits, table, strict=True)))),
        "array": plot.scores(table, names=digits),
        "list": plot.scores(list(table), names=list(digits)),
    }
    models = dict(zip(digits, table, strict=True))
    for ax in drawn.values():
        assert read_ticks(ax.yaxis) == [f"{x}\nn = 12" for x in order_of(models)]
        for points, name in zip(list_rows(ax)[0], order_of(models), strict=True):
            np.testing.assert_array_equal(points.get_xdata(), models[name])
    places = sorted(range(4), key=lambda k: -table[k].mean())
    assert read_ticks(plot.scores(table).yaxis) == [f"{k}\nn = 12" for k in places]


def test_pictures_are_the_same_each_time(digits):
    drawn = [list_rows(plot.scores(digits))[0] for _ in range(2)]
    for one, other in zip(*drawn, strict=True):
        np.testing.assert_array_equal(one.get_xydata(), other.get_xydata())
        assert len(set(one.get_ydata())) == len(one.get_ydata())


def test_one_score_has_no_interval():
    ax = plot.scores([[9.0], [1.0, 2.0, 4.0]])
    _, means, _ = list_rows(ax)
    assert len(means) == 2
    none, some = (x.get_segments()[0] for x in ax.collections)
    assert not np.isfinite(none).any()
    assert np.isfinite(some).all()


def test_many_points_are_pixels_in_vector_formats():
    many, few = list_rows(plot.scores([np.arange(9.0), np.arange(5000.0)]))[0]
    assert not few.get_rasterized()
    assert many.get_rasterized()


def test_figures_grow_with_the_models():
    heights = [
        plot.scores(np.zeros((n, 3))).figure.get_figheight() for n in (1, 10, 40)
    ]
    assert np.diff(heights) == pytest.approx([9 * 0.36, 30 * 0.36])


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


def test_intervals_of_items_in_clusters():
    rng = np.random.default_rng(0)
    document = np.repeat(np.arange(12), rng.integers(1, 9, 12))
    x = rng.normal(size=12)[document] + rng.normal(size=len(document))
    _, means, bars = list_rows(plot.scores({"a": x}, clusters=document))
    expected = t_ci(x, clusters=document).confidence_interval
    assert means[0].get_xdata() == [pytest.approx(x.mean())]
    assert bars[0][:, 0] == pytest.approx([float(y) for y in expected])
    (narrow,) = list_rows(plot.scores({"a": x}))[2]
    assert np.ptp(narrow[:, 0]) < 0.8 * np.ptp(bars[0][:, 0])
