"""Ratios by hand."""

import numpy as np
import pytest

from sigarray import corpus, of_sums, t_ci


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


def test_a_column_of_weights():
    rng = np.random.default_rng(0)
    scores, weights = rng.normal(size=30), rng.uniform(1.0, 3.0, 30)
    statistic = of_sums(corpus.ratio)
    found = t_ci((weights * scores, weights), statistic=statistic).statistic
    assert found == pytest.approx(np.average(scores, weights=weights), rel=1e-12)
    # Of equal weights the interval is that of the mean.
    same = t_ci((scores, np.ones(30)), statistic=statistic).confidence_interval
    np.testing.assert_allclose(same, t_ci(scores).confidence_interval, rtol=1e-10)
