"""Errors and correlations against SciPy and scikit-learn."""

import numpy as np
import pytest
import scipy.stats

from sigarray import corpus

RNG = np.random.default_rng(2)
GOLD = RNG.normal(size=200)
PREDICTED = 0.7 * GOLD + RNG.normal(0.0, 0.5, 200)
# Whose squares, not centred, would lose 12 digits.
LEVELS = (0.0, 2.0**20)


@pytest.mark.parametrize("level", LEVELS)
def test_they_are_those_of_scipy_and_scikit_learn(level):
    metrics = pytest.importorskip("sklearn.metrics")
    gold, predicted = GOLD + level, PREDICTED + level
    sums = corpus.residuals(gold, predicted).sum(axis=-1)
    expected = metrics.root_mean_squared_error(gold, predicted)
    assert corpus.rmse(*sums) == pytest.approx(expected, rel=1e-12)
    assert np.isnan(corpus.rmse(1.0, 0.0, 0.0, 0.0))
    r2 = metrics.r2_score(gold, predicted)
    assert corpus.r2(*sums) == pytest.approx(r2, rel=1e-12)
    sums = corpus.products(gold, predicted).sum(axis=-1)
    r = scipy.stats.pearsonr(gold, predicted).statistic
    assert corpus.pearson(*sums) == pytest.approx(r, rel=1e-12)


def test_what_does_not_vary():
    constant = np.full(5, 0.1)
    other = np.arange(5.0)
    assert np.isnan(corpus.r2(*corpus.residuals(constant, other).sum(axis=-1)))
    for pair in ((constant, other), (other, constant)):
        assert np.isnan(corpus.pearson(*corpus.products(*pair).sum(axis=-1)))
    # Nor do five of a larger sample that are the same.
    x = np.concatenate([np.full(5, 0.1), GOLD])
    part = corpus.products(x, np.arange(205.0))[:, :5].sum(axis=-1)
    assert np.isnan(corpus.pearson(*part))
    part = corpus.residuals(x, np.arange(205.0))[:, :5].sum(axis=-1)
    assert np.isnan(corpus.r2(*part))


def test_correlations_are_at_most_1():
    for x in (GOLD, 1e100 * GOLD, 1e-100 * GOLD, GOLD + 0.1):
        for sign in (1.0, -1.0):
            found = corpus.pearson(*corpus.products(x, sign * 3.0 * x).sum(axis=-1))
            assert found == pytest.approx(sign, rel=1e-14)
            assert abs(found) <= 1.0


def test_faults_are_nan():
    gold = np.where(np.arange(200) == 3, np.nan, GOLD)
    for count, functions in (
        (corpus.residuals, (corpus.rmse, corpus.r2)),
        (corpus.products, (corpus.pearson,)),
    ):
        for function in functions:
            assert np.isnan(function(*count(gold, PREDICTED).sum(axis=-1)))


def test_other_numbers_of_items():
    for function in (corpus.residuals, corpus.products):
        with pytest.raises(ValueError, match=r"\(3,\) and \(2,\)"):
            function([1.0, 2.0, 3.0], [1.0, 2.0])
