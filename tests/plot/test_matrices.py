"""The matrix of all pairs, and models in their order."""

import itertools

import numpy as np
import pytest

import sigarray
from sigarray import multi_aso, plot
from sigarray.results import PairwiseAsoResult
from tests.plot.conftest import find_lines, read_legend, read_ticks


def result_of(eps_min, ratio=None):
    ratio = np.full_like(eps_min, 0.5) if ratio is None else ratio
    rest = [np.full_like(eps_min, x) for x in (0.0, 0.5, 1.0)]
    return PairwiseAsoResult(eps_min, ratio, *rest)


def draw_bounds(n, seed=0):
    eps_min = np.random.default_rng(seed).uniform(size=(n, n)) ** 2
    np.fill_diagonal(eps_min, 1.0)
    return eps_min


def read_marks(ax):
    """Return the cells that are marked as better, without a look at colours."""
    bold = {x.get_position() for x in ax.texts if x.get_fontweight() == "bold"}
    dots = {
        (int(x), int(y))
        for line in ax.lines
        if line.get_marker() == "o"
        for x, y in line.get_xydata()
    }
    return {(int(y), int(x)) for x, y in bold | dots}


@pytest.mark.parametrize("n", [2, 3, 10, 11, 40])
@pytest.mark.parametrize("threshold", [0.2, 0.5])
def test_marks_are_what_is_below_the_threshold(n, threshold):
    eps_min = draw_bounds(n)
    ax = plot.pairwise(result_of(eps_min), threshold=threshold)
    expected = {(i, j) for i, j in zip(*np.nonzero(eps_min < threshold), strict=True)}
    assert read_marks(ax) == expected
    frames = {(x.get_y() + 0.44, x.get_x() + 0.44) for x in ax.patches}
    assert frames == (expected if n <= 10 else set())
    assert read_legend(ax)[0] == f"eps_min below {threshold:g}: yes"


@pytest.mark.parametrize("n", [3, 40])
def test_cells_are_dark_where_better_and_pale_where_not(n):
    eps_min = draw_bounds(n)
    (mesh,) = (x for x in plot.pairwise(result_of(eps_min)).collections)
    grey = mesh.get_array() @ [0.299, 0.587, 0.114]
    is_better = eps_min < 0.2
    assert grey[is_better].max() < 0.4
    assert grey[~is_better].min() > 0.7
    pale = np.argsort(eps_min[~is_better])
    assert np.all(np.diff(grey[~is_better][pale]) >= -1e-9)


def test_few_models_have_numbers_and_many_have_none(digits):
    result = multi_aso(digits, rng=0)
    ax = plot.pairwise(result, digits)
    numbers = {x.get_position(): x.get_text() for x in ax.texts}
    assert numbers == {
        (j, i): f"{result.eps_min[i, j]:.2f}"
        for i, j in itertools.permutations(range(4), 2)
    }
    assert read_ticks(ax.xaxis) == read_ticks(ax.yaxis) == list(digits)
    assert ax.get_ylim() == (3.5, -0.5)
    assert ax.get_ylabel() == "is this model better ..."
    assert ax.get_xlabel() == "... than this one?"
    assert not plot.pairwise(result_of(draw_bounds(11))).texts


@pytest.mark.parametrize("n", [3, 10, 11, 40, 80])
def test_names_have_room(n):
    """No two names of a side overlap, and no number leaves its cell."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    ax = plot.pairwise(result_of(draw_bounds(n)), [f"model_{k}" for k in range(n)])
    FigureCanvasAgg(ax.figure).draw()
    for axis, side in ((ax.xaxis, "x"), (ax.yaxis, "y")):
        boxes = [x.get_window_extent() for x in axis.get_ticklabels()]
        places = sorted((getattr(x, f"{side}0"), getattr(x, f"{side}1")) for x in boxes)
        assert all(a[1] <= b[0] + 1.0 for a, b in itertools.pairwise(places))
    cell = ax.get_window_extent().width / n
    assert all(x.get_window_extent().width < cell for x in ax.texts)


@pytest.mark.parametrize("n", [4, 20])
def test_a_model_without_numbers_is_crossed_out(n):
    eps_min = draw_bounds(n)
    eps_min[1, :] = eps_min[:, 1] = np.nan
    eps_min[1, 1] = 1.0
    ax = plot.pairwise(result_of(eps_min))
    crosses = {
        tuple(x.get_position()[::-1]) for x in ax.texts if x.get_text() == "\u00d7"
    } | {
        (int(y), int(x))
        for line in ax.lines
        if line.get_marker() == "x"
        for x, y in line.get_xydata()
    }
    assert crosses == {(1, k) for k in range(n) if k != 1} | {
        (k, 1) for k in range(n) if k != 1
    }
    assert "no verdict: NaN" in read_legend(ax)
    assert not {pair for pair in read_marks(ax) if 1 in pair}


def test_impossible_results():
    eps_min = draw_bounds(3)
    for draw in (plot.pairwise, plot.ranking):
        with pytest.raises(TypeError, match="Expected the result of multi_aso"):
            draw(eps_min)
        with pytest.raises(ValueError, match="one batch entry"):
            draw(result_of(np.ones((2, 3, 3))))
        with pytest.raises(ValueError, match="Expected 3 names"):
            draw(result_of(eps_min), ["a", "b"])
        with pytest.raises(ValueError, match="threshold"):
            draw(result_of(eps_min), threshold=0.7)
    with pytest.raises(ValueError, match="got NaN for"):
        plot.ranking(result_of(np.full((3, 3), np.nan)))


@pytest.mark.parametrize("n", [2, 3, 8, 20])
@pytest.mark.parametrize("seed", range(5))
def test_bars_join_the_groups_and_nothing_else(n, seed):
    rng = np.random.default_rng(seed)
    ratio = rng.uniform(size=(n, n))
    result = result_of(draw_bounds(n, seed) ** 0.25, ratio)
    names = [f"m{k}" for k in range(n)]
    ax = plot.ranking(result, names, threshold=0.45)
    found = sigarray.ranking(result, 0.45, names=names)
    assert tuple(read_ticks(ax.yaxis)) == found.order
    bars = [tuple(line.get_ydata()) for line in find_lines(ax, "bar")]
    joined = [tuple(found.order[k] for k in rows) for rows in bars]
    assert joined == [group for group in found.groups if len(group) > 1]
    places = [
        (line.get_xdata()[0], *line.get_ydata()[[0, -1]])
        for line in find_lines(ax, "bar")
    ]
    for (x, first, last), (x2, first2, last2) in itertools.combinations(places, 2):
        assert x != x2 or last < first2 or last2 < first
    (points,) = (x for x in ax.lines if x.get_marker() == "o")
    order = [names.index(name) for name in found.order]
    means = [np.mean(np.delete(ratio[k], k)) for k in order]
    # The diagonal of a real result is 0.5.
    means += (np.diag(ratio)[order] - 0.5) / (n - 1)
    np.testing.assert_allclose(points.get_xdata(), means)
    assert list(points.get_ydata()) == list(range(n))
    assert len(ax.get_legend().get_texts()) == 1 + bool(bars)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_best_are_on_top_and_to_the_left_for_losses_too(sign):
    levels = np.asarray([8.0, 0.0, 4.0, 4.0, 12.0])
    scores = np.random.default_rng(0).normal(size=(5, 30)) + levels[:, None]
    result = multi_aso(sign * scores, higher_is_better=sign > 0.0, rng=0)
    ax = plot.ranking(result, list("abcde"))
    assert read_ticks(ax.yaxis)[:2] == ["e", "a"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1]
    assert ax.get_xlim()[0] < ax.get_xlim()[1]
    (points,) = (x for x in ax.lines if x.get_marker() == "o")
    assert np.all(np.diff(points.get_xdata()[[0, 1, 2, 4]]) > 0.0)
    assert points.get_xdata()[0] == pytest.approx(0.0)
    (bar,) = find_lines(ax, "bar")
    assert list(bar.get_ydata()) == [2, 3]
