"""Ratios by hand."""

import numpy as np
import pytest

from sigarray import (
    bootstrap_ci,
    bootstrap_replicates,
    bootstrap_test,
    corpus,
    of_sums,
    permutation_replicates,
    permutation_test,
    t_ci,
)
from tests.backends import everywhere


def test_by_hand():
    assert corpus.ratio(3, 4) == 0.75
    assert corpus.word_error_rate(3 + 1 + 0, 10 + 20 + 10) == 0.1
    nll = -np.log([0.5, 0.25, 0.125])
    assert corpus.perplexity(nll.sum(), 3) == pytest.approx(4.0, rel=1e-14)


def test_ratios_of_nothing():
    """Without a warning, and no error of division."""
    assert np.isnan(corpus.ratio(0, 0))
    assert corpus.ratio(1, 0) == np.inf
    assert np.isnan(corpus.perplexity(0.0, 0))
    assert np.isnan(corpus.perplexity(10.0, 0))


def test_a_column_of_weights():
    rng = np.random.default_rng(0)
    scores, weights = rng.normal(size=30), rng.uniform(1.0, 3.0, 30)
    statistic = of_sums(corpus.ratio)
    found = t_ci((weights * scores, weights), statistic=statistic).statistic
    assert found == pytest.approx(np.average(scores, weights=weights), rel=1e-12)
    # Of equal weights the interval is that of the mean.
    same = t_ci((scores, np.ones(30)), statistic=statistic).confidence_interval
    np.testing.assert_allclose(same, t_ci(scores).confidence_interval, rtol=1e-10)


@everywhere
def test_resamples_without_a_value(backend):
    """Tests count them as extreme, and intervals have no limits."""
    places = (([0, 1], [0, 1, 2]), ([3], [3, 4]))  # of ones among 20 items
    a, b = (
        [backend.asarray(np.isin(np.arange(20), ones) + 0.0) for ones in pair]
        for pair in places
    )
    options = {"paired": True, "statistic": of_sums(corpus.ratio), "rng": 3}
    for replicates, test, alternative in (
        (bootstrap_replicates, bootstrap_test, "two-sided"),
        (permutation_replicates, permutation_test, "greater"),
    ):
        found = test(a, b, n_resamples=99, alternative=alternative, **options)
        shifts = backend.to_numpy(replicates(a, b, start=0, count=99, **options))
        observed = float(found.statistic)
        if test is bootstrap_test:
            shifts, observed = np.abs(shifts - observed), abs(observed)
        assert 0 < np.isnan(shifts).sum() < 99
        n_beyond = np.sum(np.isnan(shifts) | (shifts >= observed - 1e-6))
        assert float(found.pvalue) == pytest.approx((n_beyond + 1) / 100)
    for method in ("percentile", "basic", "bca"):
        limits = bootstrap_ci(a, b, method=method, n_resamples=99, **options)
        assert all(np.isnan(backend.to_numpy(x)) for x in limits.confidence_interval)
