"""Special functions, relative to SciPy's own."""

import math

import numpy as np
import pytest
import scipy.special
import scipy.stats

from sigarray._backend.of_numpy import HOST
from sigarray._numeric.special import (
    coarse_normal_sf,
    normal_quantile,
    normal_quantiles,
    normal_sf,
    student_quantile,
    student_t_sf,
)
from tests.backends import in_every_width


def tolerance(backend):
    return 1e-10 if backend.float_name == "float64" else 2e-5


class TestTails:
    T = np.array([0.0, 1e-3, 0.1, 0.7, 1.0, 1.96, 3.0, 8.0, 35.0, -0.2, -4.0])

    @in_every_width
    def test_student(self, backend):
        df = np.array([[1.0], [1.5], [2.0], [4.0], [11.7], [100.0], [1e4], [1e7]])
        ends = [math.inf, -math.inf, math.nan]
        t, df = np.broadcast_arrays([*self.T, *ends], df)
        expected = scipy.stats.t.sf(t, df)
        kept = expected > (1e-290 if backend.float_name == "float64" else 1e-30)
        tail = student_t_sf(backend.library, *map(backend.asarray, (t, df)))
        result = backend.to_numpy(tail)
        np.testing.assert_array_equal(result[:, -3:], [[0.0, 1.0, math.nan]] * len(df))
        np.testing.assert_allclose(
            result[kept], expected[kept], rtol=tolerance(backend) / 10
        )

    @in_every_width
    def test_normal(self, backend):
        expected = scipy.special.ndtr(-self.T)
        kept = expected > (1e-290 if backend.float_name == "float64" else 1e-30)
        result = backend.to_numpy(normal_sf(backend.library, backend.asarray(self.T)))
        np.testing.assert_allclose(
            result[kept], expected[kept], rtol=tolerance(backend) / 10
        )

    @in_every_width
    def test_coarse(self, backend):
        z = np.concatenate([self.T, np.linspace(-9.0, 9.0, 2001), [math.inf, 1e30]])
        z = np.concatenate([z, -z])
        tail = coarse_normal_sf(backend.library, backend.asarray(z))
        atol = 7.6e-8 if backend.float_name == "float64" else 3e-7
        expected = scipy.special.ndtr(-z)
        np.testing.assert_allclose(
            backend.to_numpy(tail), expected, atol=atol, rtol=0.0
        )

    def test_they_are_computed_in_chunks(self):
        t = np.random.default_rng(0).normal(size=(70, 100))
        tail = student_t_sf(HOST, t, np.full_like(t, 3.0))
        np.testing.assert_allclose(tail, scipy.stats.t.sf(t, 3.0), rtol=1e-11)

    @in_every_width
    def test_normal_quantiles(self, backend):
        p = np.array([1e-6, 1e-3, 0.02, 0.3, 0.499, 0.5, 0.6, 0.975, 0.9999])
        z = backend.to_numpy(normal_quantiles(backend.library, backend.asarray(p)))
        atol = 1e-11 if backend.float_name == "float64" else 2e-3
        np.testing.assert_allclose(z, scipy.special.ndtri(p), atol=atol)


@pytest.mark.parametrize("p", [1e-300, 1e-6, 0.025, 0.3, 0.5, 0.95, 1.0 - 1e-9])
def test_quantiles_of_static_numbers(p):
    assert normal_quantile(p) == pytest.approx(scipy.special.ndtri(p), rel=1e-12)
    for df in (1.0, 2.5, 4.0, 30.0, 1e6):
        if p > 1e-100:
            expected = scipy.special.stdtrit(df, p)
            assert student_quantile(p, df) == pytest.approx(expected, rel=1e-9)
