"""Pictures of performance profiles: what is drawn, and what raises an error."""

import numpy as np
import pytest

from sigarray import performance_profile, plot
from sigarray.results import ConfidenceInterval, ProportionResult

pytest.importorskip("matplotlib")

TAU = np.linspace(-1.0, 1.0, 21)


def make(k, at=TAU):
    share = np.linspace(1.0, 0.0, len(at)) * np.linspace(1.0, 0.2, k)[:, None]
    limits = ConfidenceInterval(np.clip(share - 0.1, 0, 1), np.clip(share + 0.1, 0, 1))
    return ProportionResult(share, limits)


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_curves_are_shares_and_bands_their_limits():
    rng = np.random.default_rng(0)
    scores = rng.normal([[0.5], [0.0]], 1.0, (2, 30))
    result = performance_profile(scores, TAU, n_resamples=99, rng=0)
    ax = plot.profiles(result, TAU, names=["a", "b"])
    assert {x.get_drawstyle() for x in ax.lines} == {"steps-post"}
    for line, share in zip(ax.lines, result.statistic, strict=True):
        assert np.allclose(line.get_xydata(), np.stack([TAU, share], 1))
    low, high = result.confidence_interval
    for band, *limits in zip(ax.collections, low, high, strict=True):
        corners = {tuple(x) for x in band.get_paths()[0].vertices.round(9)}
        for limit in limits:
            assert {*zip(TAU.round(9), limit.round(9), strict=True)} <= corners
    assert legend(ax) == ["a", "b", "band: all thresholds"]


@pytest.mark.parametrize(("k", "n_bands"), [(4, 4), (5, 2), (9, 2)])
def test_bands_of_many_models_would_cover_one_another(k, n_bands):
    ax = plot.profiles(make(k), TAU)
    assert len(ax.collections) == n_bands
    of_some = "" if n_bands == k else f", of the first {n_bands}"
    assert legend(ax)[-1] == f"band: all thresholds{of_some}"


def test_few_thresholds_have_marks_and_bars_alone():
    """A step between them would draw shares of other thresholds, which are unknown."""
    at = np.asarray([1.0, 0.5, 2.0])
    rng = np.random.default_rng(0)
    result = performance_profile(
        rng.normal([[1.5], [1.0]], 0.5, (2, 40)), at, n_resamples=99, rng=0
    )
    ax = plot.profiles(result, at, names=["a", "b"])
    order = np.argsort(at)
    for k, drawn in enumerate(ax.containers):
        marks, _, (bars,) = drawn
        assert marks.get_linestyle() == "None"
        x, y = marks.get_xydata().T
        assert np.allclose(x, at[order], atol=0.03)
        assert np.allclose(y, result.statistic[k][order])
        limits = np.asarray([x[:, 1] for x in bars.get_segments()]).T
        assert np.allclose(limits, [z[k][order] for z in result.confidence_interval])
    assert len(ax.containers) == 2
    assert legend(ax) == ["a", "b", "bar: band at these thresholds"]


def test_thresholds_may_be_in_any_order():
    result, places = make(1), np.random.default_rng(1).permutation(len(TAU))
    mixed = ProportionResult(
        result.statistic[:, places],
        ConfidenceInterval(*(x[:, places] for x in result.confidence_interval)),
    )
    lines = [
        plot.profiles(x, at).lines[0] for x, at in ((result, TAU), (mixed, TAU[places]))
    ]
    assert np.array_equal(lines[0].get_xydata(), lines[1].get_xydata())


def test_the_best_of_many_are_drawn():
    ax = plot.profiles(make(12), TAU, names=[f"m{k}" for k in range(12)][::-1])
    assert legend(ax)[:7] == [f"m{k}" for k in range(11, 4, -1)]
    assert "not drawn: 5 models with smaller shares" in ax.get_xlabel()


def test_losses_are_below():
    results = {
        "a": ProportionResult(
            make(1).statistic[0],
            ConfidenceInterval(*(x[0] for x in make(1).confidence_interval)),
        )
    }
    ax = plot.profiles(results, TAU, higher_is_better=False)
    assert ax.get_ylabel() == "share of scores below it"


@pytest.mark.parametrize(
    ("results", "at", "names", "error", "said"),
    [
        (make(2), TAU[:3], None, ValueError, r"shape \(K, T\) at 3 thresholds; got"),
        ({"a": make(2)}, TAU, None, ValueError, r"of a of shape \(T,\) at 21"),
        ({}, TAU, None, ValueError, "one or more models; got none"),
        ({"a": make(1)}, TAU, ["b"], ValueError, "names in the mapping alone"),
        (make(2), [[0.0]], None, ValueError, r"thresholds of shape \(T,\)"),
        (make(2), [0.0, np.inf], None, ValueError, "finite numbers"),
        (np.ones((2, 21)), TAU, None, TypeError, "of performance_profile; got"),
        (make(2), TAU, ["a"], ValueError, "2"),
    ],
)
def test_what_cannot_be_drawn_raises_an_error(results, at, names, error, said):
    with pytest.raises(error, match=said):
        plot.profiles(results, at, names=names)
