"""Student's t, against SciPy."""

import math

import numpy as np
import pytest
import scipy.stats

from sigarray import t_test
from sigarray._numeric.student import (
    find_t_of,
    list_samples,
    squared_error,
    studentize,
)
from tests.backends import everywhere


@everywhere
@pytest.mark.parametrize("shift", [0.0, 1e6, 4e6])
def test_welch_at_a_high_level(backend, shift):
    """In float32, t was infinite at 10^6 and 0 at 4 x 10^6."""
    b = np.array([0.0, 0.25, 0.5, 0.75]) + shift
    a, b = backend.asarray(b + 2.0, "float32"), backend.asarray(b, "float32")
    result = t_test(a, b)
    expected = scipy.stats.ttest_ind([2, 2.25, 2.5, 2.75], [0, 0.25, 0.5, 0.75])
    assert float(result.statistic) == pytest.approx(expected.statistic, rel=1e-6)
    assert float(result.pvalue) == pytest.approx(expected.pvalue, rel=1e-5)


@pytest.mark.parametrize("paired", [True, False])
def test_t_and_its_degrees_of_freedom_are_scipys(backend, paired):
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.5, 2.0, (3, 8)), rng.normal(0.0, 0.5, (3, 8 if paired else 5))
    if paired:
        expected = scipy.stats.ttest_rel(a, b, axis=-1)
    else:
        expected = scipy.stats.ttest_ind(a, b, axis=-1, equal_var=False)
    found = find_t_of(backend.library, list(map(backend.asarray, (a, b))), paired)
    t, df = map(backend.to_numpy, found)
    np.testing.assert_allclose(t, expected.statistic, rtol=10 * backend.rtol)
    np.testing.assert_allclose(df, expected.df, rtol=10 * backend.rtol)


def test_a_difference_without_error_is_infinite_or_none(backend):
    difference = backend.asarray([2.0, -3.0, 0.0, 1.0])
    squares = backend.asarray([0.0, 0.0, 0.0, 4.0])
    with backend.library.modes_off():
        found = backend.to_numpy(studentize(backend.library, difference, squares))
    np.testing.assert_array_equal(found, [math.inf, -math.inf, 0.0, 0.5])


def test_the_squared_error_is_that_of_a_mean(backend):
    x = np.random.default_rng(1).normal(size=(4, 9))
    found = backend.to_numpy(squared_error(backend.library, backend.asarray(x)))
    expected = scipy.stats.sem(x, axis=-1) ** 2
    np.testing.assert_allclose(found, expected, rtol=10 * backend.rtol)


def test_differences_of_decimals_are_flat(backend):
    """0.02 - 0.01 and 0.98 - 0.97 are not one float; whole numbers differ by 1."""
    samples = [backend.asarray(np.arange(k, 98.0 + k)[None, :] / 100) for k in (1, 0)]
    assert np.ptp(backend.to_numpy(samples[0] - samples[1])) > 0.0
    (found,), _ = list_samples(backend.library, samples, True)
    assert len(set(backend.to_numpy(found).ravel().tolist())) == 1
    whole = [backend.asarray(np.array([[2.0**22, 2.0**22 + 1.0]])) for _ in "ab"]
    for found in list_samples(backend.library, whole, False)[0]:
        assert np.ptp(backend.to_numpy(found)) == 1.0
