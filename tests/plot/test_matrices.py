"""The matrix of all pairs."""

import itertools

import numpy as np
import pytest

import sigarray
from sigarray import multi_aso, plot
from sigarray.results import PairwiseAsoResult
from tests.plot.conftest import read_legend, read_ticks


def result_of(eps_min, ratio=None):
    ratio = np.full_like(eps_min, 0.5) if ratio is None else ratio
    rest = [np.full_like(eps_min, x) for x in (0.0, 0.5, 1.0)]
    return PairwiseAsoResult(eps_min, ratio, *rest)


def draw_bounds(n, seed=0):
    eps_min = np.random.default_rng(seed).uniform(size=(n, n)) ** 2
    np.fill_diagonal(eps_min, 1.0)
    return eps_min


def read_order(ax):
    """Return the places of models in the result, from top to bottom."""
    order = [int(name) for name in read_ticks(ax.yaxis)]
    assert read_ticks(ax.xaxis) == read_ticks(ax.yaxis)
    return order


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
    order = read_order(ax)
    shown = eps_min[np.ix_(order, order)]
    expected = {(i, j) for i, j in zip(*np.nonzero(shown < threshold), strict=True)}
    assert read_marks(ax) == expected
    frames = {(x.get_y() + 0.44, x.get_x() + 0.44) for x in ax.patches}
    assert frames == (expected if n <= 10 else set())
    assert read_legend(ax)[0] == f"eps_min below {threshold:g}: yes"


@pytest.mark.parametrize("n", [3, 40])
def test_cells_are_dark_where_better_and_pale_where_not(n):
    eps_min = draw_bounds(n)
    ax = plot.pairwise(result_of(eps_min))
    order = read_order(ax)
    eps_min = eps_min[np.ix_(order, order)]
    (mesh,) = ax.collections
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
    ranked = list(sigarray.ranking(result, names=digits).order)
    assert read_ticks(ax.xaxis) == read_ticks(ax.yaxis) == ranked
    place = [list(digits).index(name) for name in ranked]
    assert numbers == {
        (j, i): f"{result.eps_min[place[i], place[j]]:.2f}"
        for i, j in itertools.permutations(range(4), 2)
    }
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
    ratio = np.where(np.isnan(eps_min), np.nan, 0.5)
    ax = plot.pairwise(result_of(eps_min, ratio))
    # A model of which nothing is known is the last one.
    row = n - 1
    assert read_order(ax)[row] == 1
    crosses = {
        tuple(x.get_position()[::-1]) for x in ax.texts if x.get_text() == "\u00d7"
    } | {
        (int(y), int(x))
        for line in ax.lines
        if line.get_marker() == "x"
        for x, y in line.get_xydata()
    }
    assert crosses == {(row, k) for k in range(row)} | {(k, row) for k in range(row)}
    assert "no verdict: NaN" in read_legend(ax)
    assert not {pair for pair in read_marks(ax) if row in pair}


def test_models_beyond_40_are_counted():
    ax = plot.pairwise(result_of(draw_bounds(80)))
    assert len(read_ticks(ax.yaxis)) == 40
    assert ax.get_xlabel().endswith("not drawn: 40 models of lower rank")


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


@pytest.mark.parametrize("n", [3, 11])
def test_a_legend_has_what_is_drawn(n):
    yes = "eps_min below 0.2: yes"
    none = np.ones((n, n))
    assert yes not in (read_legend(plot.pairwise(result_of(none))) or [])
    every = np.where(np.eye(n) > 0.0, 1.0, 0.0)
    assert read_legend(plot.pairwise(result_of(every))) == [yes]
    assert yes in read_legend(plot.pairwise(result_of(draw_bounds(n))))


@pytest.mark.parametrize("n", [4, 12])
def test_pairs_that_were_not_compared_are_blank(n):
    """Of models and a baseline; a faulty model is crossed out, as without one."""
    scores = np.random.default_rng(0).normal(np.arange(n)[:, None], 1.0, (n, 6))
    result = multi_aso(scores, baseline=2, rng=0)
    ax = plot.pairwise(result)
    order = read_order(ax)
    base = order.index(2)
    asked = {(i, base) for i in range(n)} | {(base, i) for i in range(n)}
    is_better = np.asarray(result.eps_min)[np.ix_(order, order)] < 0.2
    marks = set(zip(*(x.tolist() for x in np.nonzero(is_better)), strict=True))
    assert marks
    assert marks < asked
    assert read_marks(ax) == marks
    if n == 4:
        cells = {(int(y), int(x)) for x, y in (t.get_position() for t in ax.texts)}
        assert cells == asked - {(base, base)}
    assert "no verdict: NaN" not in read_legend(ax)
    scores[0, 0] = np.nan
    faulty = plot.pairwise(multi_aso(scores, baseline=2, rng=0))
    assert "no verdict: NaN" in read_legend(faulty)
