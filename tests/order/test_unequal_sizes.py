"""Models of few runs, of which Welch's t is asked, too."""

import itertools

import numpy as np
import pytest

from sigarray import aso, multi_aso
from sigarray._order.comparison import Comparison, has_means_apart
from tests.oracles import p_of_means


def test_wide_scores_on_one_side_are_not_better():
    narrow = np.linspace(-0.1, 0.1, 20)
    wide = np.asarray([0.2, 5.0, 9.0, 0.3, 0.4])
    result = multi_aso([wide, narrow], rng=0)
    assert result.pvalue[0, 1] > 0.05
    assert np.min(result.eps_min) >= 0.5
    assert aso(wide + 9.0, narrow, rng=0).eps_min < 0.2


def test_means_in_the_other_direction_tell_nothing():
    """All but one of few scores are higher, and their mean is lower."""
    few = np.asarray([1.0] * 17 + [-30.0, -30.0]) + 1e-3 * np.arange(19)
    many = np.linspace(-0.5, 0.5, 60)
    t, df = np.full(2, 4.0), np.full(2, 9.0)
    pair = Comparison(np.asarray([-9.0, 9.0]), t, df)
    apart = has_means_apart(pair, np.asarray([0.001, 0.001]), 0.05)
    assert apart.tolist() == [False, True]
    assert np.min(multi_aso([few, many], rng=0).eps_min) >= 0.5


@pytest.mark.parametrize("offset", [-3.0, 3.0])
def test_few_wide_scores_about_the_mean_of_narrow_ones_are_not_better(offset):
    """On one side of these by chance, which ranks alone take for certain."""
    wide = np.asarray([0.2, 5.0, 9.0, 0.3, 0.4]) * np.sign(offset)
    narrow = 0.01 * np.arange(5.0)
    p = multi_aso([wide, narrow], rng=0).pvalue[0, 1]
    assert p == pytest.approx(p_of_means(wide, narrow), rel=1e-9)
    assert p > 0.05
    never = multi_aso([wide, np.zeros(5)], rng=0)
    assert never.pvalue[0, 1] > 0.05
    assert np.min(never.eps_min) >= 0.5
    sure = multi_aso([wide + 10.0 * offset, narrow], rng=0)
    assert sure.pvalue[0, 1] < 0.05
    assert np.min(sure.eps_min) < 0.2


@pytest.mark.parametrize("spread", [0.0, 0.01, 1.0, 100.0])
def test_p_with_a_baseline_that_is_narrow_or_wide(spread):
    """An error of a wide baseline is one for all; of wide others, each has its own."""
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(5)
    base = spread * rng.normal(size=7)
    others = rng.normal(size=(4, 7)) + 0.3 * (1.0 + spread)
    found = multi_aso([base, *others], baseline=0, rng=0).pvalue[0, 1:]
    errors = np.var(others, axis=-1, ddof=1)
    shares = errors / (errors + np.var(base, ddof=1))
    of_others = np.sum(shares) - shares
    by_means = (1.0 + of_others) * [p_of_means(x, base) for x in others]
    by_ranks = [stats.mannwhitneyu(x, base, method="exact").pvalue for x in others]
    expected = np.minimum(1.0, np.maximum(by_means, 4.0 * np.asarray(by_ranks)))
    assert np.min(expected) > 0.05  # all are open
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_order_moves_nothing_with_a_baseline_of_another_size():
    rng = np.random.default_rng(3)
    base, others = rng.normal(size=19), 3.0 * rng.normal(size=(4, 8))
    first = multi_aso([base, *others], baseline=0, rng=0)
    last = multi_aso([*others, base], baseline=4, rng=0)
    np.testing.assert_allclose(first.pvalue[0, 1:], last.pvalue[4, :4], rtol=1e-9)
    by_holm = 4.0 * np.asarray([p_of_means(x, base) for x in others])
    # All are open where none is told apart.
    assert np.min(last.pvalue[4, :4]) > 0.05
    assert (last.pvalue[4, :4] >= np.minimum(1.0, by_holm) * (1.0 - 1e-9)).all()


@pytest.mark.parametrize("n", [2, 3, 19, 20])
def test_p_is_the_larger_one(n):
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(n)
    for shift in (0.0, 1.0, -3.0):
        a, b = 5.0 * rng.normal(size=n) + shift, rng.normal(size=40)
        ranks = stats.mannwhitneyu(a, b, method="exact").pvalue
        expected = max(ranks, p_of_means(a, b)) if n < 20 else ranks
        found = multi_aso([a, b], rng=0).pvalue[0, 1]
        assert found == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("sizes", [(5, 7), (8, 6), (3, 12)])
def test_one_sided_p_is_the_larger_one(sizes):
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(11)
    for shift in (-1.0, 0.0, 1.0, 4.0):
        a, b = rng.normal(size=sizes[0]) + shift, rng.normal(size=sizes[1])
        by_ranks = stats.mannwhitneyu(a, b, alternative="greater", method="exact")
        expected = max(by_ranks.pvalue, p_of_means(a, b, "greater"))
        assert aso(a, b, rng=0).pvalue == pytest.approx(expected, rel=1e-9)


def test_a_baseline_takes_them_by_shares_of_the_error():
    pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(1)
    base = rng.normal(size=12)
    others = rng.normal(size=(3, 7)) * 2.0 + np.asarray([[9.0], [7.0], [0.0]])
    p = multi_aso([base, *others], baseline=0, rng=0).pvalue[0, 1:]
    alone = [p_of_means(x, base) for x in others]
    for k, (found, own) in enumerate(zip(p, alone, strict=True)):
        assert found >= own * (1.0 - 1e-9), k
    assert (p[:2] <= 0.05).all()
    assert p[2] > 0.05


def test_of_several_models_it_is_tested_at_its_share():
    pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(2)
    sizes = (4, 6, 8, 25)
    n_told = 0
    for _ in range(30):
        samples = [rng.normal(2.0 * k, 1.0 + (k == 0), n) for k, n in enumerate(sizes)]
        p = multi_aso(samples, rng=0, n_resamples=20).pvalue
        for i, j in itertools.combinations(range(4), 2):
            alone = p_of_means(samples[i], samples[j])
            assert p[i, j] >= min(1.0, 3.0 * alone) * (1.0 - 1e-9)
            n_told += p[i, j] <= 0.05
    assert n_told > 60
