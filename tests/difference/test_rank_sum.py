"""Mann-Whitney's U, against SciPy and its definition."""

import itertools

import numpy as np
import pytest
import scipy.special
import scipy.stats

from sigarray import mann_whitney_u

ALTERNATIVES = ["greater", "less", "two-sided"]


def tolerance(backend):
    return 1e-10 if backend.float_name == "float64" else 2e-5


class TestMannWhitney:
    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    @pytest.mark.parametrize(("n", "m"), [(9, 9), (20, 13), (3, 300), (30_000, 40_000)])
    @pytest.mark.parametrize("levels", [3, 50, None])
    def test_it_is_scipys(self, backend, alternative, n, m, levels):
        rng = np.random.default_rng(n)
        a, b = rng.normal(0.5, 1.0, (4, n)), rng.normal(0.0, 1.0, (4, m))
        if levels is not None:  # ties within samples and between them
            a, b = np.round(levels * a) / 4, np.round(levels * b) / 4
        a, b = a.astype(np.float32).astype(float), b.astype(np.float32).astype(float)
        expected = scipy.stats.mannwhitneyu(
            a, b, alternative=alternative, axis=-1, method="asymptotic"
        )
        result = mann_whitney_u(
            backend.asarray(a), backend.asarray(b), alternative=alternative
        )
        u, pvalue, probability = map(backend.to_numpy, result)
        np.testing.assert_allclose(u, expected.statistic, rtol=1e-6)
        # Never 0, where SciPy's are too small for a float.
        least = 2.0 * np.finfo(pvalue.dtype).smallest_normal
        is_least = expected.pvalue < least
        assert ((pvalue[is_least] > 0.0) & (pvalue[is_least] <= least)).all()
        np.testing.assert_allclose(
            pvalue[~is_least], expected.pvalue[~is_least], rtol=tolerance(backend)
        )
        np.testing.assert_allclose(probability, u / (n * m), atol=1e-6)

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    def test_infinite_scores_have_ranks(self, backend, alternative):
        a = [np.inf, 3.0, -np.inf, np.inf, 0.5, 2.0]
        b = [1.0, np.inf, -np.inf, 0.0, -np.inf, 1.5, 0.7]
        expected = scipy.stats.mannwhitneyu(
            a, b, alternative=alternative, method="asymptotic"
        )
        result = mann_whitney_u(
            backend.asarray(a), backend.asarray(b), alternative=alternative
        )
        assert float(result.statistic) == expected.statistic
        assert float(result.pvalue) == pytest.approx(
            expected.pvalue, rel=tolerance(backend)
        )

    def test_probability_of_improvement_counts_pairs(self, backend):
        a, b = [1.0, 2.0, 2.0, 5.0], [2.0, 3.0, 0.0]
        wins = [(x > y) + 0.5 * (x == y) for x, y in itertools.product(a, b)]
        result = mann_whitney_u(backend.asarray(a), backend.asarray(b))
        assert float(result.probability_of_improvement) == pytest.approx(
            sum(wins) / len(wins)
        )

    @pytest.mark.parametrize("alternative", ALTERNATIVES)
    def test_scores_that_are_all_the_same(self, backend, alternative):
        a, b = backend.asarray([0.3] * 4), backend.asarray([0.3] * 7)
        result = mann_whitney_u(a, b, alternative=alternative)
        assert float(result.pvalue) == 1.0
        assert float(result.probability_of_improvement) == 0.5

    def test_zeros_of_both_signs_are_ties(self, backend):
        a, b = backend.asarray([0.0, -0.0, 1.0]), backend.asarray([-0.0, 0.0, 1.0])
        assert float(mann_whitney_u(a, b).statistic) == 4.5
