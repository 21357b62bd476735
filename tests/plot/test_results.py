"""Differences, replicates and power: what is drawn of results."""

import itertools

import numpy as np
import pytest

import sigarray
from sigarray import plot
from sigarray.plot._replicates import _find_tail
from sigarray.results import BootstrapResult, ConfidenceInterval, SampleSizeResult
from tests.plot.conftest import find_lines, read_legend, read_ticks

RNG = np.random.default_rng(0)
A, B = RNG.normal(0.5, 1.0, (6, 12)), RNG.normal(size=(6, 12))


def interval(middle, low, high):
    return BootstrapResult(middle, ConfidenceInterval(low, high), np.zeros_like(low))


def read_rows(ax):
    """Return {row: (difference, low, high)}, and the rows of full marks."""
    rows, full = {}, set()
    bars = find_lines(ax, "interval")
    for mark, bar in zip(find_lines(ax, "difference"), bars, strict=True):
        (middle,), (place,) = mark.get_data()
        low, high = bar.get_xdata()
        assert tuple(bar.get_ydata()) == (place, place)
        rows[place] = (middle, low, high)
        full |= {place} if mark.get_markerfacecolor() != "white" else set()
    return rows, full


def test_rows_are_differences_and_intervals():
    result = sigarray.bootstrap_ci(A, B, n_resamples=99, rng=0)
    low, high = result.confidence_interval
    by_label = {
        f"t{k}": interval(result.statistic[k], low[k], high[k]) for k in range(6)
    }
    for ax in (
        plot.differences(result, labels=list(by_label)),
        plot.differences(by_label),
    ):
        rows, full = read_rows(ax)
        assert list(rows) == list(range(6))
        np.testing.assert_allclose(
            list(rows.values()), np.stack([result.statistic, low, high], axis=-1)
        )
        assert full == {k for k in range(6) if low[k] > 0.0 or high[k] < 0.0}
        assert 0 < len(full) < 6
        assert read_ticks(ax.yaxis) == list(by_label)
        assert ax.get_ylim()[0] > ax.get_ylim()[1]


@pytest.mark.parametrize(
    ("low", "high", "is_full"),
    [(0.1, 2.0, True), (-2.0, -0.1, True), (-0.1, 2.0, False), (-2.0, 0.0, False)],
)
def test_full_marks_have_zero_outside(low, high, is_full):
    ax = plot.differences({"x": interval(0.5 * (low + high), low, high)})
    assert read_rows(ax)[1] == ({0.0} if is_full else set())


@pytest.mark.parametrize("is_higher_better", [True, False])
def test_marks_are_of_verdicts_where_there_are_any(is_higher_better):
    """Whatever the interval says of 0."""
    verdicts = ["B", "A", "unequal", "inconclusive"]
    ax = plot.differences(
        interval(np.ones(4), np.full(4, -1.0), np.full(4, 3.0)),
        verdicts=verdicts,
        names=("lstm", "cnn"),
        higher_is_better=is_higher_better,
    )
    marks = find_lines(ax, "difference")
    of_a, of_b = "><" if is_higher_better else "<>"
    assert [x.get_marker() for x in marks] == [of_b, of_a, "s", "o"]
    assert [x.get_fillstyle() for x in marks] == ["full", "full", "bottom", "full"]
    assert [x.get_markerfacecolor() for x in marks][-1] == "white"
    left, right = ("cnn", "lstm") if is_higher_better else ("lstm", "cnn")
    assert read_legend(ax) == [
        f"{left} is better",
        f"{right} is better",
        "unequal",
        "inconclusive",
    ]
    some = plot.differences({"x": interval(1.0, 0.5, 2.0)}, verdicts=["inconclusive"])
    assert read_legend(some) == ["inconclusive"]
    bare = plot.differences({"x": interval(1.0, 0.5, 2.0)}, legend=False)
    assert bare.get_legend() is None
    assert not bare.texts


def test_overall_stands_apart():
    result = sigarray.bootstrap_ci(A, B, n_resamples=99, rng=0)
    overall = sigarray.bootstrap_ci(A.ravel(), B.ravel(), n_resamples=99, rng=0)
    ax = plot.differences(result, overall=overall)
    rows, _ = read_rows(ax)
    places = sorted(rows)
    assert places[:-1] == list(range(6))
    assert places[-1] > 6.0
    assert rows[places[-1]] == (overall.statistic, *overall.confidence_interval)
    assert read_ticks(ax.yaxis) == [*"012345", "overall"]
    assert ax.get_legend().get_texts()[-1].get_text() == "overall"
    markers = [x.get_marker() for x in find_lines(ax, "difference")]
    assert markers == ["o"] * 6 + ["D"]


@pytest.mark.parametrize("is_higher_better", [True, False])
def test_the_better_model_is_named_on_its_side(is_higher_better):
    result = sigarray.bootstrap_ci(A, B, n_resamples=99, rng=0)
    ax = plot.differences(
        result, names=("lstm", "cnn"), higher_is_better=is_higher_better
    )
    said = {x.get_position()[0]: x.get_text() for x in ax.texts}
    right, left = ("lstm", "cnn") if is_higher_better else ("cnn", "lstm")
    assert said == {0.0: f"\u2190 better: {left}", 1.0: f"better: {right} \u2192"}


@pytest.mark.parametrize("shift", [-50.0, 0.0, 50.0])
def test_zero_is_there_with_room_on_both_sides(shift):
    ax = plot.differences({"x": interval(shift, shift - 1.0, shift + 1.0)})
    low, high = ax.get_xlim()
    assert -low >= 0.1 * (high - low)
    assert high >= 0.1 * (high - low)
    zero = next(x for x in ax.lines if x.get_linestyle() == "--")
    assert tuple(zero.get_xdata()) == (0.0, 0.0)


def test_proportions_have_rows_too():
    right = np.arange(50) < np.array([[50], [40]])
    result = sigarray.proportion_ci(right, right[0])
    rows, _ = read_rows(plot.differences(result))
    other, _ = read_rows(plot.differences(BootstrapResult(*result, np.zeros(2))))
    assert list(rows) == [0, 1]
    assert rows == other


def test_a_row_without_numbers_says_so():
    result = sigarray.bootstrap_ci(A, np.where(B[2, 3] == B, np.nan, B), rng=0)
    ax = plot.differences(result)
    rows, _ = read_rows(ax)
    assert list(rows) == [0, 1, 3, 4, 5]
    (text,) = (x for x in ax.texts if "NaN" in x.get_text())
    assert text.get_text() == " no verdict: NaN"
    assert text.get_position() == (0.0, 2.0)


def test_impossible_differences():
    one = interval(1.0, 0.0, 2.0)
    match = "results of bootstrap_ci or proportion_ci for the tasks; got"
    with pytest.raises(TypeError, match=match):
        plot.differences([1.0, 2.0])
    with pytest.raises(ValueError, match=r"shape \(T,\) for the tasks; got shape \(\)"):
        plot.differences(one)
    with pytest.raises(ValueError, match="Expected labels in the mapping alone"):
        plot.differences({"x": one}, labels=["y"])
    with pytest.raises(ValueError, match=r"of shape \(\) for overall; got shape \(2,"):
        plot.differences({"x": one}, overall=interval(*np.ones((3, 2))))
    for verdicts, got in ((["A", "B"], "2 verdicts"), (["yes"], "'yes'")):
        with pytest.raises(ValueError, match=rf"each of 1 rows, .*; got {got}"):
            plot.differences({"x": one}, verdicts=verdicts)
    with pytest.raises(ValueError, match="Expected one or more results; got none"):
        plot.differences({})


def read_bars(ax):
    """Return the height of all bars, of hatched ones, and (left, right) of both."""
    plain = [x for x in ax.patches if not x.get_hatch()]
    hatched = [x for x in ax.patches if x.get_hatch()]
    spans = [
        [(x.get_x(), x.get_x() + x.get_width()) for x in y] for y in (plain, hatched)
    ]
    heights = [sum(x.get_height() for x in y) for y in (plain, hatched)]
    return heights, spans


OPTIONS = [
    (test, alternative)
    for test in ("permutation", "bootstrap")
    for alternative in ("two-sided", "greater", "less")
]


@pytest.mark.parametrize(
    ("test", "side", "counted"),
    [
        ("bootstrap", "two-sided", [0, 1, 2]),
        ("permutation", "two-sided", [1, 2]),
        ("bootstrap", "greater", [1, 2]),
        ("permutation", "less", [0, 1, 2, 3]),
    ],
)
def test_ties_count_but_for_rounding(test, side, counted):
    """0.1 + 0.2 is a bit more than 0.3."""
    drawn = np.asarray([-0.3, 0.3, 0.1 + 0.2, 0.2])
    for observed in (0.3, 0.1 + 0.2):
        found, _ = _find_tail(drawn, observed, test, side)
        assert np.flatnonzero(found).tolist() == counted


@pytest.mark.parametrize(("test", "alternative"), OPTIONS)
@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("is_swapped", [True, False])
def test_what_is_hatched_makes_the_p_value(test, alternative, row, is_swapped):
    a, b = (B[row], A[row]) if is_swapped else (A[row], B[row])
    options = {"rng": 0}
    result = getattr(sigarray, f"{test}_test")(
        a, b, alternative=alternative, n_resamples=999, **options
    )
    drawn = getattr(sigarray, f"{test}_replicates")(a, b, start=0, count=999, **options)
    ax = plot.replicates(drawn, result, test=test, alternative=alternative)
    (plain, hatched), (rest, counted) = read_bars(ax)
    assert plain + hatched == pytest.approx(1.0)
    is_doubled = (test, alternative) == ("permutation", "two-sided")
    count = round(hatched * 999)
    expected = min(1.0, (1 + is_doubled) * (count + 1) / 1000)
    assert result.pvalue == pytest.approx(expected)
    label = f"counted, p = {float(result.pvalue):.3g}"
    label += ", twice its share" if is_doubled and result.pvalue < 1.0 else ""
    assert read_legend(ax) == [f"observed: {float(result.statistic):.3g}", label]
    assert ax.lines[0].get_xdata()[0] == result.statistic
    if (test, alternative) != ("bootstrap", "two-sided"):
        # One tail, and a bar does not hold both kinds.
        assert not set(rest) & set(counted)


def test_replicates_of_the_bootstrap_test_lie_around_no_difference():
    drawn = sigarray.bootstrap_replicates(A[0] + 9.0, B[0], start=0, count=500, rng=0)
    result = sigarray.bootstrap_test(A[0] + 9.0, B[0], rng=0)
    ax = plot.replicates(drawn, result, test="bootstrap")
    centres = [x.get_x() + 0.5 * x.get_width() for x in ax.patches]
    heights = [x.get_height() for x in ax.patches]
    assert abs(np.average(centres, weights=heights)) < 0.1
    low, high = ax.get_xlim()
    assert low < 0.0 < result.statistic < high


def test_lines_are_the_interval():
    drawn = sigarray.bootstrap_replicates(A[0], B[0], start=0, count=999, rng=0)
    result = sigarray.bootstrap_ci(A[0], B[0], rng=0)
    ax = plot.replicates(drawn, result)
    low, high = result.confidence_interval
    assert [x.get_xdata()[0] for x in ax.lines] == [result.statistic, low, high]
    assert read_legend(ax)[1] == f"interval: {low:.3g} to {high:.3g}"
    (plain, hatched), (spans, _) = read_bars(ax)
    assert (plain, hatched) == (pytest.approx(1.0), 0)
    for left, right in spans:
        share = np.mean((drawn >= left) & (drawn < right))
        (bar,) = (x for x in ax.patches if x.get_x() == left)
        assert bar.get_height() == pytest.approx(share)


@pytest.mark.parametrize("threshold", [0.01, 0.5])
def test_lines_are_the_bound_and_the_threshold(threshold):
    drawn = sigarray.aso_replicates(A[1], B[1], start=0, count=300, rng=0)
    result = sigarray.aso(A[1], B[1], rng=0)
    ax = plot.replicates(drawn, result, threshold=threshold)
    lines = [x.get_xdata()[0] for x in ax.lines]
    assert lines == [result.violation_ratio, result.eps_min, threshold]
    is_below = result.eps_min < threshold
    assert ("not below" in read_legend(ax)[1]) != is_below


def test_replicates_of_one_value():
    result = sigarray.bootstrap_ci([1.0, 1.0], rng=0)
    ax = plot.replicates(np.ones(10), result)
    assert sum(x.get_height() for x in ax.patches) == pytest.approx(1.0)


def test_impossible_replicates():
    result = sigarray.bootstrap_ci(A[0], rng=0)
    drawn = np.arange(9.0)
    with pytest.raises(TypeError, match="Expected a result of aso, bootstrap_ci"):
        plot.replicates(drawn, 3.0)
    with pytest.raises(ValueError, match=r"of shape \(count,\); got shape \(3, 3\)"):
        plot.replicates(drawn.reshape(3, 3), result)
    with pytest.raises(ValueError, match="1 of 9 that are NaN or infinite"):
        plot.replicates(np.where(drawn == 2.0, np.nan, drawn), result)
    with pytest.raises(ValueError, match="got NaN: there is no verdict"):
        plot.replicates(drawn, interval(np.nan, np.nan, np.nan))
    with pytest.raises(ValueError, match=r"one batch entry, of shape \(\)"):
        plot.replicates(drawn, interval(*np.ones((3, 2))))
    with pytest.raises(ValueError, match="Expected test to be one of 'permutation'"):
        plot.replicates(drawn, result, test="t")


SIZES = (3, 5, 8, 13, 21, 40, 80)


def test_curves_are_the_power_and_the_size_found():
    found = sigarray.required_sample_size(A, B, sizes=SIZES, rng=0, power=0.7)
    ax = plot.power(SIZES, found, labels=list("abcdef"), wanted=0.7)
    curves = [x for x in ax.lines if len(x.get_xdata()) == len(SIZES)]
    for curve, powers in zip(curves, found.power, strict=True):
        assert tuple(curve.get_xdata()) == SIZES
        np.testing.assert_array_equal(curve.get_ydata(), powers)
    sizes = [float(n) for n in found.sample_size if np.isfinite(n)]
    assert 0 < len(sizes) < 6
    rings = find_lines(ax, "ring")
    assert [x.get_xdata()[0] for x in rings] == sizes
    for ring in rings:
        assert ring.get_ydata()[0] >= 0.7
    assert read_legend(ax) == [
        *(
            f"{name}: " + (f"{n:.0f} runs" if np.isfinite(n) else "more than 80 runs")
            for name, n in zip("abcdef", found.sample_size, strict=True)
        ),
        "wanted: power 0.7",
    ]
    (wanted,) = (x for x in ax.lines if tuple(x.get_ydata()) == (0.7, 0.7))
    assert tuple(wanted.get_xdata()) == (0, 1)
    assert ax.get_ylim() == (-0.02, 1.02)


def test_one_curve_and_several_results():
    one = sigarray.required_sample_size(A[0], B[0], sizes=SIZES, rng=0)
    assert read_legend(plot.power(SIZES, one))[0] == f"{one.sample_size:.0f} runs"
    named = plot.power(SIZES, one, labels=["x"])
    assert read_legend(named)[0] == f"x: {one.sample_size:.0f} runs"
    several = plot.power(SIZES, {"_x": one, "y": one})
    assert [x.partition(":")[0] for x in read_legend(several)] == ["_x", "y", "wanted"]
    curves = [x for x in several.lines if len(x.get_xdata()) == len(SIZES)]
    assert len({x.get_marker() for x in curves}) == 2


def test_power_that_is_not_known():
    a = np.where(A[0, 0] == A, np.nan, A)
    found = sigarray.required_sample_size(a, B, sizes=SIZES, rng=0)
    ax = plot.power(SIZES, found)
    assert read_legend(ax)[0] == "0: no verdict, NaN"
    assert np.isnan(ax.lines[0].get_ydata()).all()


def test_ticks_are_sizes():
    found = SampleSizeResult(np.inf, np.zeros(7))
    ax = plot.power(SIZES, found)
    assert ax.get_xscale() == "log"
    assert set(map(int, read_ticks(ax.xaxis))) <= set(SIZES)
    assert (
        plot.power((3, 4), SampleSizeResult(3.0, np.ones(2))).get_xscale() == "linear"
    )


def test_numbers_that_the_key_names_have_ticks_and_none_collide():
    sizes = (3, 5, 8, 10, 20, 40, 70, 90, 100, 150, 220, 400, 800)
    at = {"a": 90, "b": 220}
    results = {
        name: SampleSizeResult(np.float64(n), 1.0 * (np.asarray(sizes) >= n))
        for name, n in at.items()
    }
    ax = plot.power(sizes, results)
    shown = list(map(int, read_ticks(ax.xaxis)))
    assert {3, 800, *at.values()} <= {*shown}
    assert 150 not in shown
    ax.figure.draw_without_rendering()
    boxes = [x.get_window_extent() for x in ax.get_xticklabels()]
    boxes.sort(key=lambda box: box.x0)
    assert all(x.x1 < y.x0 for x, y in itertools.pairwise(boxes))


def test_impossible_power():
    found = sigarray.required_sample_size(A[0], B[0], sizes=SIZES, rng=0)
    with pytest.raises(TypeError, match="result of required_sample_size, or a mapping"):
        plot.power(SIZES, [0.1] * 7)
    with pytest.raises(TypeError, match="got an empty mapping"):
        plot.power(SIZES, {})
    with pytest.raises(ValueError, match=r"power at 2 sizes, .* got shape \(7,\)"):
        plot.power((3, 5), found)
    with pytest.raises(ValueError, match="sizes to be ascending"):
        plot.power((5, 3), found)
    with pytest.raises(ValueError, match="Expected wanted to be the power that"):
        plot.power(SIZES, found, wanted=0.1)
    with pytest.raises(ValueError, match="Expected labels in the mapping alone"):
        plot.power(SIZES, {"a": found}, labels=["b"])
