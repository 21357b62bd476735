"""Items of 0 and 1: the two-by-two table and the difference."""

import numpy as np
import pytest

from sigarray import plot, proportion_ci
from tests.plot.conftest import find_lines, read_legend

A = np.repeat([1.0, 1.0, 0.0, 0.0], (50, 9, 4, 17))
B = np.repeat([1.0, 0.0, 1.0, 0.0], (50, 9, 4, 17))


def test_cells_are_counts_and_rectangles_their_shares():
    table, lower = plot.contingency(A, B, names=("tuned", "base"))
    cells = {x.get_text(): tuple(np.round(x.get_position())) for x in table.texts}
    assert cells == {
        "both\n50 (62 %)": (0, 0),
        "tuned alone\n9 (11 %)": (1, 0),
        "base alone\n4 (5 %)": (0, 1),
        "neither\n17 (21 %)": (1, 1),
    }
    areas = {
        (round(x.get_x() + x.get_width() / 2), round(x.get_y() + x.get_height() / 2)): (
            x.get_width() * x.get_height()
        )
        for x in table.patches
    }
    shares = np.asarray([areas[place] for place in cells.values()])
    np.testing.assert_allclose(shares / shares.sum(), np.asarray([50, 9, 4, 17]) / 80)
    assert table.get_ylabel() == "tuned: 74 % right"
    assert table.get_xlabel() == "base: 68 % right"
    (mark,), (bar,) = find_lines(lower, "difference"), find_lines(lower, "interval")
    result = proportion_ci(A, B, paired=True)
    assert mark.get_xdata()[0] == pytest.approx(5 / 80)
    assert tuple(bar.get_xdata()) == pytest.approx(tuple(result.confidence_interval))


def test_items_are_paired_by_their_labels():
    pandas = pytest.importorskip("pandas")
    turned = pandas.Series(B).iloc[::-1]
    found, expected = (
        [x.get_text() for x in plot.contingency(pandas.Series(A), y)[0].texts]
        for y in (turned, B)
    )
    assert found == expected


def test_a_result_and_a_verdict_are_drawn_as_they_are():
    wide = proportion_ci(A, B, paired=True, confidence_level=0.999)
    _, lower = plot.contingency(A, B, difference=wide, verdict="A")
    (bar,) = find_lines(lower, "interval")
    assert tuple(bar.get_xdata()) == tuple(wide.confidence_interval)
    assert read_legend(lower) == ["A is better"]
    _, lower = plot.contingency(A, B, confidence_level=0.999)
    (bar,) = find_lines(lower, "interval")
    assert tuple(bar.get_xdata()) == tuple(wide.confidence_interval)


def test_impossible_items():
    with pytest.raises(ValueError, match=r"scores of 0 and 1 of A; got .*0\.5"):
        plot.contingency([0.5, 1.0], [1.0, 0.0])
    with pytest.raises(ValueError, match="on the same items; got 3 and 2"):
        plot.contingency([1, 0, 1], [1, 0])
    with pytest.raises(ValueError, match=r"a verdict on each of 1 rows, .*'yes'"):
        plot.contingency(A, B, verdict="yes")
