"""What resampling tests compare, and how scores are centred."""

import pytest

from sigarray import bootstrap_ci, bootstrap_test, permutation_test


def test_complex_statistics_are_refused(backend):
    xp = backend.xp

    def transform(x, axis):
        kind = xp.complex128 if x.dtype == xp.float64 else xp.complex64
        return xp.astype(xp.mean(x, axis=axis), kind)

    a, b = backend.asarray([1.0, 2.0, 4.0]), backend.asarray([0.5, 2.5, 3.0])
    for test in (bootstrap_test, permutation_test, bootstrap_ci):
        with pytest.raises(TypeError, match=r"to give real numbers; got .*complex"):
            test(a, b, statistic=transform, rng=0)


def test_counts_are_a_statistic(backend):
    xp = backend.xp

    def count(x, axis):
        return xp.count_nonzero(x > 1.0, axis=axis)

    a, b = backend.asarray([1.0, 2.0, 4.0]), backend.asarray([0.5, 2.5, 0.0])
    result = permutation_test(a, b, statistic=count)
    assert float(result.statistic) == 1.0
    assert float(result.pvalue) == 1.0
