"""Intervals of proportions: statsmodels, the definitions, and coverage."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportion_confint,
)

from sigarray import proportion_ci


def scores(n_right, n):
    return (np.arange(n) < n_right).astype(float)


@pytest.mark.parametrize("n", [1, 7, 50, 1000])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_one_proportion_is_statsmodels(n, level):
    for n_right in {0, 1, n // 3, n - 1, n}:
        result = proportion_ci(scores(n_right, n), confidence_level=level)
        assert result.statistic == n_right / n
        expected = proportion_confint(n_right, n, alpha=1 - level, method="wilson")
        assert result.confidence_interval == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("sizes", [(9, 9), (30, 12), (500, 400)])
def test_a_difference_is_statsmodels(sizes):
    n, m = sizes
    for share_a, share_b in ((0.0, 1.0), (0.3, 0.5), (1.0, 1.0), (0.9, 0.0)):
        right = round(share_a * n), round(share_b * m)
        result = proportion_ci(scores(right[0], n), scores(right[1], m))
        expected = confint_proportions_2indep(
            right[0], n, right[1], m, method="newcomb"
        )
        assert result.statistic == pytest.approx(right[0] / n - right[1] / m)
        assert result.confidence_interval == pytest.approx(expected, abs=1e-12)


def newcombe_of_pairs(both, only_a, only_b, neither):
    """Method 10 of Newcombe (1998), from the counts of its table."""
    n = both + only_a + only_b + neither
    right = both + only_a, both + only_b
    limits = [proportion_confint(x, n, alpha=0.05, method="wilson") for x in right]
    (l1, u1), (l2, u2) = limits
    p1, p2 = (x / n for x in right)
    product = right[0] * (n - right[0]) * right[1] * (n - right[1])
    excess = both * neither - only_a * only_b
    if excess > 0:
        excess = max(excess - n / 2, 0)
    phi = 0.0 if product == 0 else excess / math.sqrt(product)
    x, y = p1 - l1, u2 - p2
    low = p1 - p2 - math.sqrt(x * x - 2 * phi * x * y + y * y)
    x, y = u1 - p1, p2 - l2
    return low, p1 - p2 + math.sqrt(x * x - 2 * phi * x * y + y * y)


TABLES = [(36, 12, 2, 0), (43, 0, 0, 7), (0, 20, 3, 5), (54, 0, 0, 0), (1, 1, 1, 1)]


@pytest.mark.parametrize("table", TABLES)
def test_pairs_are_newcombes(table):
    pairs = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], table, axis=0).astype(float)
    order = np.random.default_rng(0).permutation(len(pairs))
    result = proportion_ci(*pairs[order].T, paired=True)
    expected = newcombe_of_pairs(*table)
    assert result.confidence_interval == pytest.approx(expected, abs=1e-12)


def wilson_by_bisection(count, n, z):
    """Where (count / n - P)^2 = z^2 P (1 - P) / n, below and above count / n."""
    share, limits = Fraction(count, n), []
    for end in (0, 1):
        outside, inside = Fraction(end), share
        for _ in range(50):
            middle = (outside + inside) / 2
            is_in = (share - middle) ** 2 * n <= z * z * middle * (1 - middle)
            outside, inside = (outside, middle) if is_in else (middle, inside)
        limits.append(inside)
    return limits


def test_an_interval_of_pairs_by_bisection_in_fractions():
    """36 pairs that both have right, 12 that A alone has, 2 that B alone has."""
    n, z = 50, Fraction(stats.norm.ppf(0.975))
    p1, p2 = Fraction(48, n), Fraction(38, n)
    (l1, u1), (l2, u2) = (wilson_by_bisection(x, n, z) for x in (48, 38))
    # 36 x 0 - 12 x 2 is negative: phi has no correction.
    phi = -24 / math.sqrt(48 * 38 * 2 * 12)

    def side(x, y):
        return math.sqrt(x * x + y * y - 2 * phi * float(x * y))

    expected = (
        float(p1 - p2) - side(p1 - l1, u2 - p2),
        float(p1 - p2) + side(u1 - p1, p2 - l2),
    )
    pairs = np.repeat([[1, 1], [1, 0], [0, 1]], (36, 12, 2), axis=0)
    found = proportion_ci(*pairs.T, paired=True).confidence_interval
    assert found == pytest.approx(expected, abs=1e-12)


def test_all_right_is_no_certainty():
    low, high = proportion_ci(np.ones(50)).confidence_interval
    assert 0.92 < low < 0.93
    assert high == 1.0
    ones = np.ones(50)
    for paired in (True, False):
        low, high = proportion_ci(ones, ones, paired=paired).confidence_interval
        assert low == pytest.approx(-high)
        assert 0.05 < high < 0.08


def test_other_scores_are_nan():
    x = np.array([[0.0, 1.0, 1.0], [0.0, 1.0, 0.5], [0.0, math.nan, 1.0]])
    for result in (proportion_ci(x), proportion_ci(x, x[0]), proportion_ci(x[0], x)):
        for part in (result.statistic, *result.confidence_interval):
            assert np.isnan(part).tolist() == [False, True, True]


@pytest.mark.parametrize("share", [0.5, 0.9, 0.98])
@pytest.mark.parametrize("n", [20, 50, 100])
def test_coverage_over_all_outcomes(n, share):
    counts = np.arange(n + 1)
    x = (np.arange(n) < counts[:, None]).astype(float)
    chance = stats.binom.pmf(counts, n, share)
    low, high = proportion_ci(x).confidence_interval
    assert 0.92 < np.sum(chance[(low <= share) & (share <= high)]) < 0.975
    low, high = proportion_ci(x[:, None], x).confidence_interval
    holds = (low <= 1e-12) & (high >= -1e-12)
    assert np.sum((chance[:, None] * chance)[holds]) > 0.94


def test_what_is_refused():
    with pytest.raises(ValueError, match="two samples with paired=True; got one"):
        proportion_ci([1, 0], paired=True)
    with pytest.raises(ValueError, match="as many scores of A as of B"):
        proportion_ci([1, 0], [1, 0, 1], paired=True)
