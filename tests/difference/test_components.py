"""Components of variance, and how many items a difference needs."""

import itertools
import math

import numpy as np
import pytest
import scipy.special
import scipy.stats

from sigarray import required_items, t_test, variance_components
from tests.numeric.test_crossed import draw, find_mean_squares

OF_DIFFERENCE = tuple(2.0 * sd**2 for sd in (0.015, 0.15, 0.2))


def find_by_mean_squares(x):
    (seeds, items, rest), _ = find_mean_squares(x)
    n_seeds, n_items = x.shape
    return (seeds - rest) / n_items, (items - rest) / n_seeds, rest


class TestComponents:
    @pytest.mark.parametrize("sds", [(0.3, 0.4, 0.2), (0.0, 0.0, 1.0)])
    def test_they_are_those_of_mean_squares(self, sds):
        a, b, c = draw(4, 9, sds, 1), draw(4, 9, sds, 2), draw(5, 9, sds, 3)
        found = variance_components(a)
        np.testing.assert_allclose(found[:3], find_by_mean_squares(a), rtol=1e-12)
        found = variance_components(a, b, paired=True)
        np.testing.assert_allclose(found[:3], find_by_mean_squares(a - b), rtol=1e-12)
        found = variance_components(a, c)
        (seed_a, _, both_a), (seed_c, _, both_c) = map(find_by_mean_squares, (a, c))
        gaps = a.mean(axis=0) - c.mean(axis=0)
        item = gaps.var(ddof=1) - both_a / 4 - both_c / 5
        expected = seed_a + seed_c, item, both_a + both_c
        np.testing.assert_allclose(found[:3], expected, rtol=1e-11)

    def test_they_are_unbiased(self):
        tables = np.stack([draw(4, 20, (0.1, 0.4, 0.2), seed) for seed in range(2000)])
        found = variance_components(tables)
        for component, sd in zip(found[:3], (0.1, 0.4, 0.2), strict=True):
            error = component.std() / 2000**0.5
            assert abs(component.mean() - sd**2) < 5.0 * error
        assert (found.seed < 0.0).any()

    def test_shares_add_up(self):
        for sds in ((0.1, 0.4, 0.2), (0.0, 0.0, 1.0)):
            found = variance_components(draw(4, 9, sds, 4))
            shares = np.asarray(found[3:])
            assert (shares >= 0.0).all()
            assert shares.sum() == pytest.approx(1.0)
            parts = np.clip(found[:3], 0.0, None)
            np.testing.assert_allclose(shares, parts / parts.sum())
        assert np.isnan(variance_components(np.ones((3, 9)))[3:]).all()
        assert variance_components(np.ones((3, 9)))[:3] == (0.0, 0.0, 0.0)

    def test_wrong_calls(self):
        x = draw(3, 9, (0.1, 0.4, 0.2))
        with pytest.raises(ValueError, match=r"a pair of axes, .*; got -1"):
            variance_components(x, axis=-1)
        with pytest.raises(ValueError, match=r"got one\. Pass b"):
            variance_components(x, paired=True)


def find_power(components, n_seeds, n_items, tail, n_tables):
    """Return the power of the test for a difference of 0.05: see Notes.

    By many mean squares of seeds and items, each of which is one of chi square.
    """
    seed, item, both = components
    rest = both / (n_seeds * n_items)
    variance = seed / n_seeds + item / n_items + rest
    nodes, weights = scipy.special.roots_genlaguerre(40, 0.5 * n_seeds - 1.5)
    squares, weights = 2.0 * nodes / (n_seeds - 1), weights / weights.sum()
    nodes, of_items = scipy.special.roots_genlaguerre(9, 0.5 * n_items - 1.5)
    of_items = of_items / of_items.sum()
    power = 0.0
    for by_item, weight in zip(2.0 * nodes / (n_items - 1), of_items, strict=True):
        items = by_item * (item / n_items + rest)
        every = np.asarray([*itertools.product(squares, repeat=n_tables)])
        chances = np.prod([*itertools.product(weights, repeat=n_tables)], axis=-1)
        seeds = (seed / n_seeds + rest) * every / n_tables
        of_seeds = seeds.sum(axis=-1)
        total = np.maximum(items + of_seeds - rest, np.maximum(items, of_seeds))
        spread = (seeds**2).sum(axis=-1) / (n_seeds - 1) + items**2 / (n_items - 1)
        spread += rest**2 / n_tables / (n_seeds - 1) / (n_items - 1)
        df = np.maximum(1.0, total**2 / spread)
        excess = 0.05 - scipy.stats.t.isf(tail, df) * np.sqrt(total)
        seen = scipy.stats.norm.cdf(excess / math.sqrt(variance))
        power += weight * float(chances @ seen)
    return power


class TestRequiredItems:
    @pytest.mark.parametrize("paired", [False, True])
    @pytest.mark.parametrize(
        ("alternative", "tail"), [("greater", 0.2), ("two-sided", 0.1)]
    )
    def test_one_item_fewer_is_too_few(self, paired, alternative, tail):
        options = {"alpha": 0.1, "power": 0.7, "alternative": alternative}
        n_seeds = [4, 5, 10, 50]
        found = required_items(OF_DIFFERENCE, n_seeds, 0.05, paired=paired, **options)
        for number, n_items in zip(n_seeds, found, strict=True):
            assert n_items == round(n_items)
            here, before = (
                find_power(OF_DIFFERENCE, number, n, 0.5 * tail, 2 - paired)
                for n in (n_items, n_items - 1)
            )
            assert before - 1e-3 < 0.7 <= here + 1e-3

    @pytest.mark.parametrize("deviations", [(0.0, 0.0, 0.2), (0.02, 0.0, 0.1)])
    def test_items_alone_may_not_matter(self, deviations):
        """Where the error of the test varies most, and falls short of 0 most often."""
        components = [2.0 * sd**2 for sd in deviations]
        for paired in (False, True):
            found = required_items(components, [5, 10], 0.05, paired=paired)
            for number, n_items in zip((5, 10), found, strict=True):
                here, before = (
                    find_power(components, number, n, 0.025, 2 - paired)
                    for n in (n_items, n_items - 1)
                )
                assert before - 2e-3 < 0.8 <= here + 2e-3

    def test_large_numbers_are_exact(self):
        (found,) = required_items((0.0, 1.0, 0.0), 3, 0.001)
        quantile = scipy.stats.norm.isf(0.025) + scipy.stats.norm.isf(0.2)
        assert found == pytest.approx(quantile**2 * 1e6, rel=1e-6)

    def test_seeds_alone_may_be_too_few(self):
        found = required_items(OF_DIFFERENCE, (2, 3, 4, 5, 10), 0.03)
        assert np.isinf(found[:4]).all()
        assert np.isfinite(found[4])
        # Seeds in question show no difference, whatever the items: Welch's t.
        rng = np.random.default_rng(0)
        seeds = 0.015 * rng.normal(size=(2, 2000, 5))
        p = t_test(seeds[0] + 0.03, seeds[1]).pvalue
        assert np.mean(p <= 0.05) < 0.8

    def test_without_variance_two_items_are_enough(self):
        np.testing.assert_array_equal(required_items((0.0, 0.0, 0.0), 3, 0.1), [2.0])

    def test_of_components(self):
        a, b = draw(4, 50, (0.05, 0.4, 0.2), 1), draw(4, 50, (0.05, 0.4, 0.2), 2)
        found = variance_components(a, b)
        parts = tuple(found[:3])
        assert (required_items(found, 9, 0.5) == required_items(parts, 9, 0.5)).all()

    @pytest.mark.parametrize("paired", [False, True])
    def test_it_has_the_power_that_was_asked_for(self, paired):
        n_seeds, n_sets = 5, 1000
        (n_items,) = required_items(OF_DIFFERENCE, n_seeds, 0.05, paired=paired)
        shape = n_sets, n_seeds, int(n_items)
        rng = np.random.default_rng(0)
        a, b = (
            0.015 * rng.normal(size=(n_sets, n_seeds, 1))
            + 0.15 * rng.normal(size=(n_sets, 1, shape[2]))
            + 0.2 * rng.normal(size=shape)
            for _ in range(2)
        )
        p = t_test(a + 0.05, b, axis=(-2, -1), paired=paired).pvalue
        assert abs(np.mean(p <= 0.05) - 0.8) < 0.05

    def test_a_power_below_the_level_needs_nothing(self):
        found = required_items(OF_DIFFERENCE, 5, 0.05, alpha=0.2, power=0.05)
        np.testing.assert_array_equal(found, [2.0])
        few, many = (
            required_items(OF_DIFFERENCE, 5, 0.05, power=power)[0]
            for power in (0.4, 0.5)
        )
        assert 2.0 < few < many

    def test_wrong_calls(self):
        with pytest.raises(ValueError, match="n_seeds to be an integer from 2"):
            required_items(OF_DIFFERENCE, [3, 1], 0.05)
        with pytest.raises(ValueError, match="difference to be a positive number"):
            required_items(OF_DIFFERENCE, 3, 0.0)
        with pytest.raises(ValueError, match=r"components to be three, .* got 2"):
            required_items(OF_DIFFERENCE[:2], 3, 0.05)
        with pytest.raises(ValueError, match=r"that broadcast; got \(2,\) and \(3,\)"):
            required_items((np.ones(2), np.ones(3), 1.0), 3, 0.05)
