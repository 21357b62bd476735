"""Tests of equivalence, against statsmodels and their two one-sided tests."""

import math

import numpy as np
import pytest
from statsmodels.stats.weightstats import ttost_ind, ttost_paired

from sigarray import (
    bootstrap_test,
    corpus,
    equivalence_test,
    of_sums,
    proportion_test,
    t_ci,
    t_test,
)
from sigarray.results import ProportionTestResult, ResamplingResult, TTestResult

LIMITS = {"low": -0.5, "high": 0.6}


def draw_samples(n=30, m=30, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(0.1, 1.0, n), rng.normal(0.0, 1.4, m)


class TestAgainstStatsmodels:
    @pytest.mark.parametrize("seed", range(5))
    def test_pairs(self, seed):
        a, b = draw_samples(seed=seed)
        pvalue, *sides = ttost_paired(a, b, LIMITS["low"], LIMITS["high"])
        self.compare(equivalence_test(a, b, paired=True, **LIMITS), pvalue, sides)

    @pytest.mark.parametrize("seed", range(5))
    def test_independent_samples(self, seed):
        a, b = draw_samples(30, 22, seed)
        pvalue, *sides = ttost_ind(
            a, b, LIMITS["low"], LIMITS["high"], usevar="unequal"
        )
        found = equivalence_test(a, b, **LIMITS)
        self.compare(found, pvalue, sides)
        assert found.difference == pytest.approx(a.mean() - b.mean(), rel=1e-12)

    def compare(self, found, pvalue, sides):
        assert found.pvalue == pytest.approx(pvalue, rel=1e-12)
        for one, other in zip((found.low, found.high), sides, strict=True):
            assert isinstance(one, TTestResult)
            assert one == pytest.approx(other, rel=1e-12)


F1 = {"statistic": of_sums(corpus.f1), "paired": True}
COUNTS = np.random.default_rng(1).poisson([[[5.0], [1.0], [2.0]]] * 2, (2, 3, 40))
CLUSTERS = np.repeat(np.arange(6), 5)


@pytest.mark.parametrize(
    ("function", "samples", "options"),
    [
        (t_test, COUNTS, F1),
        (t_test, draw_samples(), {"paired": True, "clusters": CLUSTERS}),
        (t_test, draw_samples(), {"clusters": (CLUSTERS, CLUSTERS)}),
        (bootstrap_test, draw_samples(), {"n_resamples": 99, "rng": 0}),
        (
            bootstrap_test,
            draw_samples(),
            {"statistic": "t", "paired": True, "n_resamples": 99, "rng": 0},
        ),
        (bootstrap_test, COUNTS, {"n_resamples": 99, "rng": 0, **F1}),
        (
            bootstrap_test,
            draw_samples(),
            {"paired": True, "clusters": CLUSTERS, "n_resamples": 99, "rng": 0},
        ),
        (proportion_test, np.random.default_rng(2).random((2, 40)) < 0.7, {}),
    ],
)
def test_it_is_two_tests_with_a_margin(function, samples, options):
    """Also of limits on one side of 0, as shifted margins."""
    method = {t_test: "t", bootstrap_test: "bootstrap", proportion_test: "score"}
    kind = {
        t_test: TTestResult,
        bootstrap_test: ResamplingResult,
        proportion_test: ProportionTestResult,
    }
    found = equivalence_test(
        *samples, low=-0.2, high=0.3, method=method[function], **options
    )
    low = function(*samples, alternative="greater", margin=0.2, **options)
    high = function(*samples, alternative="less", margin=0.3, **options)
    assert (found.low, found.high) == (low, high)
    assert isinstance(found.low, kind[function])
    assert found.pvalue == max(low.pvalue, high.pvalue)
    if function is t_test:
        expected = t_ci(*samples, **options).statistic
        assert found.difference == pytest.approx(expected, rel=1e-12)


def test_limits_may_be_on_one_side():
    a, b = draw_samples()
    found = equivalence_test(a, b, low=0.05, high=2.0, paired=True)
    expected = t_test(a - 0.05, b, alternative="greater", paired=True)
    assert found.low == pytest.approx(expected, rel=1e-12)


def test_it_is_the_interval_at_twice_the_level():
    a, b = draw_samples()
    for seed in range(40):
        low, high = np.sort(np.random.default_rng(seed).normal(0.0, 0.7, 2))
        p = equivalence_test(a, b, low=low, high=high).pvalue
        interval = t_ci(a, b, confidence_level=0.9).confidence_interval
        assert (p < 0.05) == (low < interval.low and interval.high < high)


def test_bootstrap_draws_once_for_both_limits():
    """A generator moves on as far as for one test."""
    a, b = draw_samples()
    rng, other = (np.random.default_rng(0) for _ in range(2))
    found = equivalence_test(
        a, b, method="bootstrap", n_resamples=99, rng=rng, **LIMITS
    )
    low = bootstrap_test(
        a, b, alternative="greater", margin=0.5, n_resamples=99, rng=other
    )
    assert found.low == low
    assert rng.random() == other.random()


def test_faults_show():
    a, b = draw_samples()
    a = np.stack([a, np.where(a == a[3], np.nan, a)])
    for method in ("t", "bootstrap"):
        found = equivalence_test(a, b, method=method, n_resamples=9, rng=0, **LIMITS)
        assert np.isfinite(found.pvalue[0])
        assert np.isnan(found.pvalue[1])
        assert np.isnan(found.difference[1])
    flat = equivalence_test([1.0, 1.0, 1.0], [1.0, 1.0, 1.0], **LIMITS)
    assert math.isnan(flat.pvalue)
    assert flat.difference == 0.0


def test_wrong_calls():
    a, b = draw_samples()
    with pytest.raises(ValueError, match=r"low < high.*got 0.5 and -0.5"):
        equivalence_test(a, b, low=0.5, high=-0.5)
    with pytest.raises(TypeError, match="low"):
        equivalence_test(a, b, high=0.5)
    with pytest.raises(ValueError, match="statistic to be one of 'mean'"):
        equivalence_test(a, b, statistic="median", **LIMITS)
    with pytest.raises(ValueError, match="method to be one of 't', 'bootstrap'"):
        equivalence_test(a, b, method="welch", **LIMITS)
    right = a > 0.0
    with pytest.raises(ValueError, match="neither clusters, strata nor two axes"):
        equivalence_test(
            right, right, method="score", clusters=CLUSTERS, paired=True, **LIMITS
        )
    with pytest.raises(ValueError, match=r"statistic='mean'.*got 't'"):
        equivalence_test(right, right, method="score", statistic="t", **LIMITS)


@pytest.mark.parametrize("method", ["t", "bootstrap"])
def test_strata_and_seeds_are_those_of_the_tests(method):
    rng = np.random.default_rng(5)
    a, b = rng.normal(size=(2, 4, 9)) + 3.0 * np.arange(4)[:, None]
    test = t_test if method == "t" else bootstrap_test
    random = {} if method == "t" else {"n_resamples": 99, "rng": 0}
    for design in ({"strata": 0}, {"axis": (0, 1)}):
        result = equivalence_test(
            a, b, low=-0.5, high=0.9, method=method, **design, **random
        )
        high = test(a - 0.9, b, alternative="less", **design, **random)
        np.testing.assert_allclose(result.high.pvalue, high.pvalue)
    for design in ({"strata": 0}, {"axis": (0, 1)}):
        with pytest.raises(ValueError, match="neither clusters, strata nor two axes"):
            equivalence_test(a, b, low=-1, high=1, method="score", **design)
