"""What resampling tests compare, and how scores are centred."""

import math

import numpy as np
import pytest

from sigarray import bootstrap_ci, bootstrap_test, permutation_test
from sigarray._numeric.statistic import (
    apply_statistic,
    center_scores,
    find_p_value,
    move_back,
    scale_scores,
    standard_deviation,
)


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


@pytest.mark.parametrize("n", [1, 4, 7])
def test_statistics_are_numpys(backend, n):
    x = np.random.default_rng(n).normal(size=(3, n))
    for name in ("mean", "median"):
        found = apply_statistic(backend.library, name, backend.asarray(x))
        expected = getattr(np, name)(x, axis=-1)
        np.testing.assert_allclose(backend.to_numpy(found), expected, atol=backend.atol)
    x[1, 0] = np.nan
    found = apply_statistic(backend.library, "median", backend.asarray(x))
    assert np.isnan(backend.to_numpy(found)).tolist() == [False, True, False]


@pytest.mark.parametrize("level", [0.0, 2.0**20, -3.0 * 2.0**18])
def test_centred_whole_numbers_are_exact_at_any_level(backend, level):
    x = np.random.default_rng(0).integers(0, 9, (2, 50)) + level
    centered = center_scores(backend.library, "mean", backend.asarray(x, "float32"))
    unit = backend.to_numpy(centered.unit)
    scores, low, middle = (
        (backend.to_numpy(part[0]).T * unit).T
        for part in (centered.scores, centered.levels, centered.middles)
    )
    np.testing.assert_array_equal(low, x.min(axis=-1))
    np.testing.assert_array_equal(scores + middle[:, None] + low[:, None], x)
    assert np.abs(scores.mean(axis=-1)).max() < 8.0 / 128.0
    # Of few bits, so that sums of scores are exact.
    assert (256.0 / 8.0 * middle % 1.0 == 0.0).all()
    means = apply_statistic(backend.library, "mean", centered.scores[0])
    found = backend.to_numpy(move_back(centered, means)) * unit
    np.testing.assert_allclose(found, x.mean(axis=-1), rtol=1e-7)


def test_units_are_powers_of_two_that_keep_squares_finite(backend):
    top = float(np.finfo(backend.float_name).max)
    for size in (1.0, 0.9 * top, 4.0 / top):
        x = backend.asarray(np.array([[0.5, -1.0]]) * size)
        (scaled,), unit = scale_scores(backend.library, x)
        unit = float(backend.to_numpy(unit)[0])
        assert math.frexp(unit)[0] == 0.5
        back = backend.to_numpy(scaled).astype(float) * unit
        np.testing.assert_array_equal(back, backend.to_numpy(x).astype(float))
        squares = backend.to_numpy(scaled * scaled)
        assert np.isfinite(squares).all()
        assert (squares > 0.0).all()


def test_the_standard_deviation_neither_overflows_nor_vanishes(backend):
    top = float(np.finfo(backend.float_name).max)
    x = np.array([0.1, 0.4, -0.3, 0.2])
    for size in (1.0, top, 16.0 / top):
        found = standard_deviation(backend.library, backend.asarray(x * size))
        expected = np.std(x, ddof=1) * size
        assert float(backend.to_numpy(found)) == pytest.approx(expected, rel=1e-5)
    one = standard_deviation(backend.library, backend.asarray([0.5]))
    assert np.isnan(backend.to_numpy(one))


def test_two_sided_p_values_are_twice_the_smaller_and_at_most_one(backend):
    tails = {
        "greater": backend.asarray([0.1, 0.7, 0.75]),
        "less": backend.asarray([0.9, 0.3, 0.6]),
    }
    for side, tail in tails.items():
        assert find_p_value(backend.library, side, tails.get) is tail
    found = find_p_value(backend.library, "two-sided", tails.get)
    np.testing.assert_allclose(backend.to_numpy(found), [0.2, 0.6, 1.0], rtol=1e-6)
