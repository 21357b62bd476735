"""Tests of equality: of two samples by enumeration, and with a baseline."""

import math

import numpy as np
import pytest

from sigarray import aso, mann_whitney_u, multi_aso
from sigarray._backend.of_numpy import HOST
from sigarray._order.comparison import compare_pairs, find_equality
from sigarray._order.families import family_of
from tests.oracles import count_wins, enumerate_wins, p_of_means


@pytest.mark.filterwarnings("ignore:confidence_level=1e-06 is a confidence")
@pytest.mark.parametrize("models", [[[0.0] * 4] * 3, [[1.0, 2.0], [3.0, 4.0]]])
def test_no_p_value_is_above_one(models):
    """Whatever the level, also where p is to be above it."""
    result = multi_aso(models, confidence_level=1e-6, n_resamples=2, rng=0)
    assert np.asarray(result.pvalue).max() <= 1.0


class TestBaseline:
    def test_few_runs_are_told_from_a_baseline_by_their_wins(self):
        rng = np.random.default_rng(8)
        scores = rng.normal(size=(5, 5)) + np.asarray([[0], [9], [9], [-9], [0]])
        result = multi_aso(scores, baseline=0)
        is_told = result.pvalue <= 0.05
        assert is_told[0].tolist() == [False, True, True, True, False]
        assert (result.eps_min < 0.2).sum() == 3
        assert result.eps_min[1, 0] < 0.2
        assert result.eps_min[0, 3] < 0.2
        # Holm on exact tails: the fourth part of four, then of the rest.
        assert result.pvalue[1, 0] == pytest.approx(4 * 2 / 252)
        assert np.isnan(result.pvalue[1, 2])

    def test_more_models_than_wins_allow_are_told_by_ranks_among_all(self):
        rng = np.random.default_rng(9)
        scores = rng.normal(size=(10, 5))
        scores[:5] += 12.0
        result = multi_aso(scores, baseline=9)
        assert (result.pvalue[9, :5] <= 0.05).all()
        assert (result.pvalue[9, 5:9] > 0.05).all()

    @pytest.mark.long
    def test_errs_in_one_family_of_twenty_at_most(self):
        """Of 4000 families each; a false alarm has a probability of 1e-6."""
        rng = np.random.default_rng(10)
        for k, n in ((5, 5), (10, 5), (4, 3), (6, 12)):
            stack = np.sort(rng.normal(size=(4000, k, n)), axis=-1)
            family = family_of(k, 0.05, 0)
            result = find_equality(HOST, [stack], compare_pairs(HOST, [stack]), family)
            rate = float(np.mean(np.any(result.is_told, axis=(-2, -1))))
            assert rate <= 0.05 + 4.75 * math.sqrt(0.05 * 0.95 / 4000), (k, n)

    def test_is_a_model_by_name_or_place(self):
        scores = {"a": [1.0, 2.0, 3.0, 5.0], "b": [1.0, 2.0, 4.0], "c": [2.0, 3.0, 4.0]}
        by_name = multi_aso(scores, baseline="b", rng=0)
        by_place = multi_aso(list(scores.values()), baseline=1, rng=0)
        np.testing.assert_array_equal(by_name.pvalue, by_place.pvalue)
        with pytest.raises(
            ValueError, match="one of the models, 'a', 'b', 'c'; got 'd"
        ):
            multi_aso(scores, baseline="d")
        with pytest.raises(ValueError, match="one of the models, 0 to 2; got 3"):
            multi_aso(list(scores.values()), baseline=3)


class TestAso:
    def test_one_sided_p_is_exact_but_for_that_of_means(self):
        stats = pytest.importorskip("scipy.stats")
        rng = np.random.default_rng(11)
        for n in (4, 5, 7):
            a, b = rng.normal(size=(2, n))
            expected = stats.mannwhitneyu(
                a, b, alternative="greater", method="exact"
            ).pvalue
            result = aso(a, b, rng=0)
            expected = max(expected, p_of_means(a, b, "greater"))
            assert result.pvalue == pytest.approx(expected, rel=1e-9)
            share = mann_whitney_u(a, b).probability_of_improvement
            assert result.probability_of_improvement == pytest.approx(share)

    def test_p_of_more_scores_is_near_the_exact_one(self):
        stats = pytest.importorskip("scipy.stats")
        rng = np.random.default_rng(12)
        for _ in range(10):
            a, b = rng.normal(0.4, 1.0, 30), rng.normal(size=25)
            expected = stats.mannwhitneyu(
                a, b, alternative="greater", method="exact"
            ).pvalue
            assert aso(a, b, rng=0).pvalue == pytest.approx(expected, rel=5e-3)

    @pytest.mark.long
    @pytest.mark.filterwarnings("ignore:confidence_level=.* is a confidence of")
    @pytest.mark.parametrize("n", [5, 6])
    def test_p_of_tied_scores_is_the_level_from_which_on_they_are_told_apart(self, n):
        tails = enumerate_wins(n, n)
        rng = np.random.default_rng(13)
        n_between = 0
        for _ in range(100):
            # No sample is constant, of which SciPy's t is in doubt.
            a, b = rng.integers(1, 6, n), rng.integers(0, 4, n)
            a[:2], b[:2] = (1, 5), (0, 3)
            wins = count_wins(a, b)
            n_between += wins not in tails
            expected = float(tails[max(d for d in tails if d <= wins)])
            p = float(aso(a, b).pvalue)
            expected = max(expected, p_of_means(a, b, "greater"))
            assert p == pytest.approx(expected, rel=1e-9)
            for level in (0.99 * p, min(1.01 * p, 0.999)):
                is_told = aso(a, b, confidence_level=1.0 - level).eps_min < 0.5
                assert not is_told or p <= level
            two_sided = multi_aso([a, b]).pvalue[0, 1]
            tail = tails[max(d for d in tails if d <= abs(wins))]
            expected = max(min(1.0, 2.0 * float(tail)), p_of_means(a, b))
            assert two_sided == pytest.approx(expected, rel=1e-9)
        assert n_between >= 20

    def test_a_bound_below_a_half_needs_that_equality_is_rejected(self):
        a, b = [8.0, 8.2, 8.3], [0.0, 0.5, 0.9]  # p = 1/20
        assert aso(a, b).eps_min == 0.0
        assert aso(a, b, n_comparisons=2).eps_min == 0.5
        assert aso(a, b, confidence_level=0.96).eps_min == 0.5

    def test_two_models_are_compared_both_ways(self):
        a, b = [8.0, 8.2, 8.3], [0.0, 0.5, 0.9]
        with pytest.warns(UserWarning, match="3 scores a side are too few .* 4 times"):
            result = multi_aso([a, b])
        assert result.eps_min[0, 1] == 0.5
        assert result.pvalue[0, 1] == pytest.approx(0.1)
