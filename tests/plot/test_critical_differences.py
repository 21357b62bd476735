"""Models on an axis, and bars that join those not told apart."""

import itertools

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import sigarray
from sigarray import multi_aso, plot
from sigarray.plot._critical_differences import draw_on_axis
from sigarray.plot._style import show_names
from tests.plot.conftest import find_lines, read_legend
from tests.plot.test_matrices import draw_bounds, result_of


def read_models(ax):
    """Return {name: place}: of each model the top of the line that leads to it."""
    stems = find_lines(ax, "stem")
    names = [x for x in ax.texts if x.get_label() == "model"]
    for stem, name in zip(stems, names, strict=True):
        assert stem.get_ydata()[-1] == name.get_position()[1]
    return {
        name.get_text(): stem.get_xdata()[0]
        for stem, name in zip(stems, names, strict=True)
    }


def read_bars(ax):
    """Return the models of each bar, by its squares, and its height."""
    at = {place: name for name, place in read_models(ax).items()}
    return [
        ([at[x] for x in bar.get_xdata()], bar.get_ydata()[0])
        for bar in find_lines(ax, "bar")
    ]


def draw_ranks(n, groups=(), seed=0):
    ranks = np.random.default_rng(seed).uniform(1.0, n, n)
    return plot.critical_differences({f"m{k}": x for k, x in enumerate(ranks)}, groups)


def test_models_are_at_their_ranks_the_best_on_the_left():
    ranks = {"c": 2.9, "a": 1.25, "b": 1.7, "d": 4.0}
    groups = [["b", "a"], ["c", "b"], ["d"]]
    ax = plot.critical_differences(ranks, groups)
    assert list(read_models(ax).items()) == sorted(ranks.items(), key=lambda x: x[1])
    (first, low), (second, high) = read_bars(ax)
    assert (first, second) == (["a", "b"], ["b", "c"])
    assert low != high  # both touch b
    left, right = ax.get_xlim()
    assert (left, right) == (min(left, 1.0), max(right, 4.0))
    ticks = [x for x in ax.texts if x.get_label() == "tick"]
    assert [(x.get_text(), x.get_position()[0]) for x in ticks] == [
        (str(k), k) for k in range(1, 5)
    ]
    sides = [x.get_ha() for x in ax.texts if x.get_label() == "model"]
    assert sides == ["right", "right", "left", "left"]
    assert read_legend(ax) == ["not told apart"]
    assert plot.critical_differences(ranks).get_legend() is None


@pytest.mark.parametrize("n", [1, 2, 7, 20, 40])
def test_names_do_not_overlap_and_lines_do_not_cross(n):
    ax = draw_ranks(n)
    FigureCanvasAgg(ax.figure).draw()
    names = [x for x in ax.texts if x.get_label() == "model"]
    boxes = [x.get_window_extent() for x in names]
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))
    inside = ax.figure.bbox
    assert all(inside.x0 <= box.x0 < box.x1 <= inside.x1 for box in boxes)
    paths = [np.stack(x.get_data(), axis=-1) for x in find_lines(ax, "stem")]
    for one, other in itertools.permutations(paths, 2):
        (left, right), row = sorted(one[1:, 0]), one[1, 1]
        assert not (left < other[0, 0] < right and row < other[1, 1])


def test_models_beyond_40_are_counted():
    ax = draw_ranks(1000, [["m0", "m1"]])
    assert len(read_models(ax)) == 40
    assert ax.get_xlabel() == "not drawn: 960 models of lower rank"
    assert max(read_models(ax).values()) < 1000 * 0.06


def test_more_bars_than_can_be_followed_are_said_in_words():
    n = 34
    names = [f"m{k}" for k in range(n)]
    groups = [[names[k], names[-1]] for k in range(n - 1)] * 2
    ax = plot.critical_differences(
        dict(zip(names, range(1, n + 1), strict=True)), groups
    )
    assert not find_lines(ax, "bar")
    assert read_legend(ax) == ["not told apart: 66 groups, too many to draw"]


def test_impossible_ranks():
    draw = plot.critical_differences
    with pytest.raises(TypeError, match="a mean rank of each model; got str"):
        draw("ab")
    with pytest.raises(ValueError, match=r"of shape \(K,\); got \[ 1\. nan\]"):
        draw([1.0, np.nan])
    with pytest.raises(ValueError, match="Expected names of the models in groups; got"):
        draw({"a": 1.0, "b": 2.0}, [["a", "c"]])
    with pytest.raises(ValueError, match="names in the mapping alone"):
        draw({"a": 1.0, "b": 2.0}, names=["a", "b"])
    with pytest.raises(ValueError, match="Expected 2 names"):
        draw([1.0, 2.0], names=["a"])


@pytest.mark.parametrize("n", [2, 3, 12])
@pytest.mark.parametrize("seed", range(3))
def test_bars_of_a_ranking_join_the_groups_and_nothing_else(n, seed):
    ratio = np.random.default_rng(seed).uniform(size=(n, n))
    result = result_of(draw_bounds(n, seed) ** 0.25, ratio)
    names = [f"m{k}" for k in range(n)]
    ax = plot.ranking(result, names, threshold=0.45)
    found = sigarray.ranking(result, 0.45, names=names)
    expected = {frozenset(group) for group in found.groups if len(group) > 1}
    assert {frozenset(group) for group, _ in read_bars(ax)} == expected
    spans = [
        (bar.get_ydata()[0], *bar.get_xdata()[[0, -1]]) for bar in find_lines(ax, "bar")
    ]
    for (y, first, last), (y2, first2, last2) in itertools.combinations(spans, 2):
        assert y != y2 or last < first2 or last2 < first
    # The diagonal of a real result is 0.5.
    means = (ratio.sum(axis=1) - 0.5) / (n - 1)
    places = read_models(ax)
    assert [places[name] for name in names] == pytest.approx(means)
    assert list(places.values()) == sorted(places.values())


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_the_best_of_a_ranking_are_on_the_left_for_losses_too(sign):
    levels = np.asarray([8.0, 0.0, 4.0, 4.0, 12.0])
    scores = np.random.default_rng(0).normal(size=(5, 30)) + levels[:, None]
    result = multi_aso(sign * scores, higher_is_better=sign > 0.0, rng=0)
    ax = plot.ranking(result, list("abcde"))
    assert list(read_models(ax))[:2] == ["e", "a"]
    assert ax.get_xlim()[0] < ax.get_xlim()[1]


@pytest.mark.parametrize(
    ("ranks", "n_letters"),
    [
        ({"a": 1.5, "b": 1.49, "c": 1.51}, 14),
        ({f"m{k}": 1.0 + 0.9 * k for k in range(9)}, 14),
        ({"a": 1.0, "b": 2.0}, 1),
    ],
)
def test_numbers_on_the_axis_do_not_overlap(ranks, n_letters):
    ranks = {name.ljust(n_letters, "x"): rank for name, rank in ranks.items()}
    check_ticks(plot.critical_differences(ranks))


@pytest.mark.filterwarnings("ignore:No installed font has all letters")
def test_names_in_words_are_beside_the_axis():
    names = ["\U00018b00" * 6 + x for x in "ab"] + ["c" * 9, "\U00018b01" * 6]
    ax = plot.critical_differences({x: k + 1.0 for k, x in enumerate(names)})
    stems = [x.get_xdata() for x in ax.lines if x.get_label() == "stem"]
    assert [bool(end <= 1.0) for _, _, end in stems] == [True, True, False, False]
    assert [bool(end >= 4.0) for _, _, end in stems] == [False, False, True, True]
    shown = [x.get_text() for x in ax.texts if x.get_label() == "model"]
    assert len({*shown}) == 4
    cut, _ = show_names([names[3], "c"], 24)
    assert cut in ("name 1", names[3])


@pytest.mark.parametrize("level", [0.8912345, 89123.4567, -3e-6, 1.0])
@pytest.mark.parametrize("gap", [2e-5, 0.0])
def test_numbers_of_scores_that_are_close_do_not_overlap(level, gap):
    scores = {f"a long name {k}": level * (1.0 + gap * k) for k in range(5)}
    order = sorted(scores.values(), reverse=True)
    limits = order[0], order[-1]
    check_ticks(draw_on_axis(scores, [], limits=limits, label="mean", says=""))


def check_ticks(ax):
    ax.figure.draw_without_rendering()
    ticks = [x for x in ax.texts if x.get_label() == "tick"]
    boxes = sorted((x.get_window_extent() for x in ticks), key=lambda box: box.x0)
    assert boxes
    for left, right in itertools.pairwise(boxes):
        assert left.x1 < right.x0
