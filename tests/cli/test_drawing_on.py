"""Bounds that are near the threshold are drawn on, by the rule of `multi_aso`."""

import numpy as np
import pytest

from sigarray import multi_aso
from sigarray._cli import drawing_on
from sigarray._cli.orders import OrderOptions


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
    ("n_models", "n_runs", "n_resamples"),
    [(2, 10, 400), (2, 25, 400), (3, 25, 1000), (12, 25, 2000)],
)
def test_bound_is_that_of_the_library(monkeypatch, n_models, n_runs, n_resamples):
    """With a percentile where `multi_aso` has one, and without where it has none."""
    rng = np.random.default_rng(1)
    scores = {f"m{k}": rng.normal(size=n_runs) for k in range(n_models)}
    scores["m0"] = scores["m0"] + 2.5
    result = multi_aso(scores, n_resamples=n_resamples, rng=0)
    find_bound, found = drawing_on._find_bound, []

    def spy(replicates, **options):
        found.append(find_bound(replicates, **options))
        return found[-1]

    monkeypatch.setattr(drawing_on, "_find_bound", spy)
    # Every bound is clear, whatever its error.
    monkeypatch.setattr(drawing_on, "_CLEAR", 0.0)
    drawing_on.draw_on(
        scores,
        result,
        OrderOptions(n_resamples=n_resamples),
        level=0.05 / (n_models * (n_models - 1) // 2),
        sign=1.0,
    )
    below = result.eps_min < 0.5
    assert len(found) == np.sum(below) >= n_models - 1
    expected = np.stack([result.eps_min[below], result.standard_error[below]], axis=-1)
    bounds = [(x.value, x.standard_error) for x in found]
    np.testing.assert_allclose(bounds, expected, rtol=1e-9, atol=1e-12)
