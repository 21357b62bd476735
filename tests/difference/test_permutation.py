"""Permutation tests, against SciPy and their definition."""

import math
from functools import partial

import numpy as np
import pytest
import scipy.stats

from sigarray import permutation_test
from tests.oracles import FALSE_ALARM

ALTERNATIVES = ["greater", "less", "two-sided"]
STATISTICS = {
    "mean": np.mean,
    "median": np.median,
    "iqm": partial(scipy.stats.trim_mean, proportiontocut=0.25),
}


def difference_of(statistic):
    def difference(a, b, axis=-1):
        return statistic(a, axis=axis) - statistic(b, axis=axis)

    return difference


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize(("kind", "n", "m"), [("samples", 7, 7), ("independent", 5, 4)])
def test_exact_permutations_are_scipys(backend, alternative, statistic, kind, n, m):
    rng = np.random.default_rng(n)
    for scale in (1, 3):
        # Small integers have many ties, in samples and in statistics.
        a, b = rng.integers(0, 5, n) / scale, rng.integers(0, 4, m) / scale
        expected = scipy.stats.permutation_test(
            (a, b),
            difference_of(STATISTICS[statistic]),
            permutation_type=kind,
            alternative=alternative,
            vectorized=True,
        )
        result = permutation_test(
            *map(backend.asarray, (a, b)),
            paired=kind == "samples",
            statistic=statistic,
            alternative=alternative,
        )
        assert float(result.pvalue) == pytest.approx(expected.pvalue, abs=1e-6)
        assert float(result.statistic) == pytest.approx(expected.statistic, abs=1e-6)


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_random_permutations_converge_to_all(backend, paired, alternative):
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.6, 1.0, 9), rng.normal(0.0, 1.0, 9 if paired else 6)
    a, b = backend.asarray(a), backend.asarray(b)
    options = {"paired": paired, "alternative": alternative}
    exact = float(permutation_test(a, b, n_resamples=10**4, **options).pvalue)
    count = 500 if paired else 5000  # fewer than 2^9 and C(15, 9): drawn at random
    drawn = permutation_test(a, b, n_resamples=count, rng=1, **options)
    error = 2.0 * math.sqrt(exact * (1.0 - exact) / count)
    z = scipy.stats.norm.isf(FALSE_ALARM / 2)
    assert float(drawn.pvalue) == pytest.approx(exact, abs=z * error + 2.0 / count)


def test_close_differences_are_no_ties():
    """The second pair alone makes the sum 1e-9, its exchange with the first -1e-9."""
    zeros = np.zeros(2)
    options = {"paired": True, "alternative": "greater"}
    close, equal = np.array([1.0, -1.0 + 1e-9]), np.array([1.0, -1.0])
    assert permutation_test(close, zeros, **options).pvalue == 2 / 4
    assert permutation_test(equal, zeros, **options).pvalue == 3 / 4
