"""Bounds that are near the threshold are drawn on, by the rule of `multi_aso`."""

import numpy as np
import pytest

from sigarray import multi_aso
from sigarray._verdicts import near_levels
from sigarray._verdicts.asked import OrderOptions


@pytest.fixture
def path(write):
    rng = np.random.default_rng(0)
    rows = "\n".join(f"{a},{b}" for a, b in rng.normal([2.0, 0.0], 1.0, (20, 2)))
    return write(f"large,small\n{rows}\n")


@pytest.mark.parametrize("n_resamples", ["2", "3", "10", "50"])
def test_few_resamples_are_drawn_on(path, run, n_resamples):
    code, out, err = run("compare", path, "--n-resamples", n_resamples)
    assert (code, err) == (0, "")
    assert "large is better than small" in out


@pytest.mark.parametrize(
    ("n_models", "n_runs", "n_resamples", "lead"),
    [(2, 10, 400, 2.5), (2, 25, 400, 0.8), (3, 25, 1000, 1.0), (12, 25, 2000, 2.5)],
)
def test_bound_is_that_of_the_library(n_models, n_runs, n_resamples, lead):
    """With a percentile where `multi_aso` has one, and without where it has none."""
    rng = np.random.default_rng(1)
    scores = {f"m{k}": rng.normal(size=n_runs) for k in range(n_models)}
    scores["m0"] = scores["m0"] + lead
    result = multi_aso(scores, n_resamples=n_resamples, rng=0)
    drawn = near_levels.list_drawn(
        scores,
        result,
        OrderOptions(n_resamples=n_resamples),
        level=0.05 / (n_models * (n_models - 1) // 2),
        sign=1.0,
    )
    bounds, errors = np.full((2, n_models, n_models), np.nan)
    for i, j, draw, find_bound in drawn:
        bound = find_bound(draw(0, count=n_resamples)[0])
        bounds[i, j], errors[i, j] = bound.value, bound.standard_error
    below = result.eps_min < 0.5
    assert np.sum(below) >= n_models - 1
    for found, expected in ((bounds, result.eps_min), (errors, result.standard_error)):
        np.testing.assert_array_equal(np.isnan(found), ~below)
        np.testing.assert_allclose(found[below], expected[below], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("is_skewed", [True, False])
@pytest.mark.parametrize("has_percentile", [True, False])
def test_limits_hold_what_more_resamples_give(is_skewed, has_percentile):
    """In all of 500 sets, and the errors that they go by are those that are seen."""
    rng = np.random.default_rng(0)
    replicates = rng.beta(*((0.3, 3.0) if is_skewed else (4.0, 6.0)), (501, 2000))
    options = {"ratio": 0.1, "level": 0.05, "scale": 1.02, "quantile": 1.71}
    options["has_percentile"] = has_percentile
    found = [near_levels.find_bound(x, **options) for x in replicates]
    truth = near_levels.find_bound(np.ravel(replicates), **options).value
    assert all(x.low <= truth <= x.high for x in found)
    seen = np.std([x.value for x in found])
    assert np.median([x.high - x.low for x in found]) == pytest.approx(
        8 * seen, rel=0.2
    )
    clear = near_levels.Bound(0.3, 0.1, 0.2, 0.4, 2000)
    assert [clear.is_clear_of(x) for x in (0.1, 0.2, 0.3, 0.4, 0.5)] == [1, 1, 0, 0, 1]


def test_samples_of_a_power_analysis_stop_early(monkeypatch):
    """Toss-ups are not drawn on to 2^18, and only pairs that are asked for are."""
    rng = np.random.default_rng(3)
    scores = {f"m{k}": rng.normal(size=25) for k in range(3)}
    scores["m0"] = scores["m0"] + 1.0
    result = multi_aso(scores, n_resamples=100, rng=0)
    counts = []
    draw = near_levels._draw_until_clear

    def count(draw_more, *args):
        def counted(start, *, count):
            counts.append(count)
            return draw_more(start, count=count)

        return draw(counted, *args)

    monkeypatch.setattr(near_levels, "_draw_until_clear", count)

    def find_bounds(options):
        drawn = near_levels.list_drawn(
            scores, result, options, level=0.05 / 3, sign=1.0
        )
        return near_levels.find_bounds(drawn, options, [(0, 2)])

    ((pair, bound),) = find_bounds(OrderOptions(n_resamples=100)).items()
    assert pair == (0, 2)
    assert sum(counts) < 2**13
    counts.clear()
    toss_up = OrderOptions(n_resamples=100, threshold=bound)
    drawn = find_bounds(toss_up)[0, 2]
    assert 2**13 <= sum(counts) < 2**14
    many = multi_aso(
        {name: scores[name] for name in ("m0", "m2")},
        confidence_level=1.0 - 0.05 / 3,
        n_resamples=2**16,
        rng=1,
    )
    assert drawn == pytest.approx(many.eps_min[0, 1], abs=0.01)
