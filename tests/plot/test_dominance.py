"""Distribution and quantile functions, and what speaks against A between them."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from sigarray import aso, multi_aso, plot
from sigarray.results import AsoResult
from tests.plot.conftest import read_legend


def draw(a, b, **options):
    return plot.dominance(a, b, rng=0, **options)


@pytest.fixture(params=[(5, 5), (7, 4), (20, 12)])
def samples(request):
    rng = np.random.default_rng(request.param[0])
    n, m = request.param
    # With ties, within and between.
    return np.round(rng.normal(0.3, 1.0, n), 1), np.round(rng.normal(size=m), 1)


def height_of(line, x):
    """Return the height of steps that go on to the next point."""
    xs, ys = line.get_data()
    return ys[np.searchsorted(xs, x, side="right") - 1]


def test_steps_are_the_distribution_functions(samples):
    upper, _ = draw(*samples)
    for line, sample in zip(upper.lines, samples, strict=True):
        assert line.get_drawstyle() == "steps-post"
        for x in [*sample, *(sample + 0.01)]:
            assert height_of(line, x) == pytest.approx(np.mean(sample <= x))


def test_steps_are_the_quantile_functions(samples):
    _, lower = draw(*samples)
    for line, sample in zip(lower.lines, samples, strict=True):
        assert line.get_drawstyle() == "steps-post"
        n = len(sample)
        for k in range(n):
            middle = (k + 0.5) / n
            assert height_of(line, middle) == np.sort(sample)[k]


def measure(patch, *, transposed=False):
    """Return the integral of the squared heights of a shape of steps."""
    x, y = patch.get_paths()[0].vertices.T[:: -1 if transposed else 1]
    ends = np.unique(x)
    total = 0.0
    for low, high in itertools.pairwise(ends):
        middle = 0.5 * (low + high)
        crossings = [
            y[k]
            for k in range(len(x) - 1)
            if min(x[k], x[k + 1]) < middle < max(x[k], x[k + 1])
        ]
        assert len(crossings) == 2
        total += (high - low) * (crossings[0] - crossings[1]) ** 2
    return total


def integrate(a, b):
    """The squared lead of the first over the second, in exact steps of 1 / (n m)."""
    n, m = len(a), len(b)
    a, b = np.sort(a), np.sort(b)
    lead = [max(0.0, a[k // m] - b[k // n]) ** 2 for k in range(n * m)]
    return sum(lead) * float(Fraction(1, n * m))


@pytest.mark.parametrize("is_higher_better", [True, False])
def test_shapes_are_what_the_violation_ratio_is_made_of(samples, is_higher_better):
    a, b = samples
    axes = draw(a, b, higher_is_better=is_higher_better)
    better, worse = (a, b) if is_higher_better else (b, a)
    for ax, transposed in zip(axes, (True, False), strict=True):
        against, in_favour = (
            measure(patch, transposed=transposed) for patch in ax.collections
        )
        assert against == pytest.approx(integrate(worse, better))
        assert in_favour == pytest.approx(integrate(better, worse))
    result = aso(a, b, rng=0, higher_is_better=is_higher_better)
    assert against / (against + in_favour) == pytest.approx(result.violation_ratio)
    assert axes[1].collections[0].get_hatch()
    assert not axes[1].collections[1].get_hatch()


def test_words_say_the_numbers(digits):
    a, b = digits["wide_network"], digits["forest"]
    for names, x, y in ((("wide", "deep"), a, b), (("deep", "wide"), b, a)):
        upper, lower = draw(x, y, names=names)
        result = aso(x, y, rng=0)
        is_better = result.eps_min < 0.2
        assert lower.texts[0].get_text().splitlines() == [
            f"violation ratio eps = {result.violation_ratio:.2g}",
            f"bound eps_min = {result.eps_min:.2f}, "
            + ("below 0.2" if is_better else "not below 0.2"),
            f"{names[0]} is better" if is_better else f"no verdict for {names[0]}",
        ]
        assert read_legend(upper) == [
            names[0],
            f"{names[1]} ahead",
            names[1],
            f"{names[0]} ahead",
        ]
    assert not is_better


def test_options_go_to_the_test(digits):
    a, b = digits["wide_network"], digits["forest"]
    options = {"confidence_level": 0.999, "n_comparisons": 10, "n_resamples": 77}
    _, lower = draw(a, b, threshold=0.12, **options)
    bound = aso(a, b, rng=0, **options).eps_min
    assert f"eps_min = {bound:.2f}, not below 0.12" in lower.texts[0].get_text()


def test_a_result_is_written_as_it_is():
    """One-sided, A is better; of two-sided claims, p = 0.095 tells nothing."""
    a, b = [0.5, 10.0, 11.0, 12.0, 13.0], [0.0, 0.6, 1.0, 2.0, 3.0]
    _, lower = draw(a, b)
    assert lower.texts[0].get_text().endswith("below 0.2\nA is better")
    both = multi_aso([a, b], rng=0)
    _, lower = draw(a, b, result=AsoResult(*(x[0, 1] for x in both)))
    said = lower.texts[0].get_text().splitlines()
    assert said[0] == "violation ratio eps = 0"
    assert said[1].startswith("bound eps_min = 0.5")
    assert said[2] == "no verdict for A"
    with pytest.raises(
        TypeError, match="Expected the result of aso, or a mapping of l"
    ):
        draw(a, b, result=both)


def test_both_directions_are_named(digits):
    upper, _ = draw(*list(digits.values())[:2])
    assert upper.get_xlabel() == "score (higher is better)"
    upper, _ = draw(*list(digits.values())[:2], higher_is_better=False)
    assert upper.get_xlabel() == "score (lower is better)"


def test_many_scores_are_drawn_by_some_of_their_quantiles():
    a, b = np.random.default_rng(0).normal(size=(2, 10_000))
    upper, lower = draw(a, b, n_resamples=10)
    for line, sample in zip(upper.lines, (a, b), strict=True):
        assert len(line.get_xdata()) == 2049
        for x in (-2.0, 0.0, 1.5):
            assert abs(height_of(line, x) - np.mean(sample <= x)) < 1 / 2048
    assert len(lower.collections[0].get_paths()[0].vertices) < 3 * 4 * 2048


def test_scores_that_do_not_vary():
    upper, lower = plot.dominance([1.0] * 5, [1.0] * 5)
    assert "eps = 0.5" in lower.texts[0].get_text()
    assert upper.get_xlim()[0] < 1.0 < upper.get_xlim()[1]


def test_impossible_scores():
    with pytest.raises(ValueError, match="scores of cnn; got 1 of 3 that are NaN"):
        draw([1.0, 2.0, 3.0], [1.0, np.nan, 2.0], names=("lstm", "cnn"))
    with pytest.raises(ValueError, match=r"of A, of shape \(n,\); got shape \(2,"):
        draw(np.ones((2, 5)), np.ones(5))
    with pytest.raises(ValueError, match="Expected 2 names that differ"):
        draw([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], names=("a", "a"))
    with pytest.raises(ValueError, match=r"threshold to be in \(0, 0\.5\]"):
        draw([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], threshold=0.6)
    with pytest.raises(TypeError, match="names to be a sequence of 2 names; got str"):
        draw([1.0, 2.0, 3.0], [1.0, 2.0, 3.0], names="ab")


def test_one_panel_on_request(samples, make_axes):
    both = draw(*samples)
    for panel, expected in zip(("distribution", "quantile"), both, strict=True):
        for (ax,) in (
            draw(*samples, panel=panel),
            draw(*samples, panel=panel, ax=make_axes()),
        ):
            for line, other in zip(ax.lines, expected.lines, strict=True):
                np.testing.assert_array_equal(line.get_xydata(), other.get_xydata())
            assert ax.get_xlabel() == expected.get_xlabel()
            assert ax.get_ylabel() == expected.get_ylabel()
            assert ax.texts[0].get_text() == both[1].texts[0].get_text()
            assert read_legend(ax) == read_legend(both[0])
    with pytest.raises(ValueError, match="panel to be one of 'both', 'distribution'"):
        draw(*samples, panel="upper")


def test_outliers_are_out_of_view_and_named():
    a, b = np.random.default_rng(0).normal([[0.9], [0.8]], 0.02, (2, 20))
    a[3] = -55.0
    upper, lower = draw(a, b, names=("lstm", "cnn"))
    rest = np.concatenate([np.delete(a, 3), b])
    for low, high in (upper.get_xlim(), lower.get_ylim()):
        assert low < rest.min() < rest.max() < high
        assert high - low < 1.2 * np.ptp(rest)
    assert (
        lower.get_xlabel() == "share of runs\nnot in view: a run of lstm with score -55"
    )
    result = aso(a, b, rng=0)
    assert f"eps = {result.violation_ratio:.2g}" in lower.texts[0].get_text()
    assert min(lower.lines[0].get_ydata()) == -55.0
    # More than three are counted.
    a[:5] = [-50.0, -51.0, -52.0, -53.0, 60.0]
    _, lower = draw(a, b)
    said = "not in view: 5 runs of A with scores -53, -52, -51 and 2 more"
    assert lower.get_xlabel().replace("\n", " ").endswith(said)
    # A score of 0 does not read as no runs.
    a = np.append(a[5:], 0.0)
    _, lower = draw(a, b)
    assert lower.get_xlabel().endswith("not in view: a run of A with score 0")
    _, lower = draw(a, b, names=("a_long_name_of_some_model", "b"))
    lower.figure.draw_without_rendering()
    said = lower.xaxis.label.get_window_extent()
    assert 0.0 <= said.x0 < said.x1 <= lower.figure.bbox.width


def test_a_model_that_is_ahead_nowhere_is_not_said_to_be():
    low, high = np.arange(5.0), np.arange(5.0) + 10.0
    for scores, said in (
        ((high, low), ["A", "B", "A ahead"]),
        ((low, high), ["A", "B ahead", "B"]),
        ((low, low), ["A", "B"]),
    ):
        upper, _ = plot.dominance(*scores, rng=0)
        assert read_legend(upper) == said
