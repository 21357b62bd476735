"""The violation ratio of two samples, against exact fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sigarray
from sigarray import violation_ratio
from tests import oracles

# As float32 holds them, so that every backend sees the same scores.
MAGNITUDES = st.floats(2.0**-100, 2.0**100, width=32)

SCORES = st.one_of(
    st.just(0.0),
    st.sampled_from([-1.0, 0.5, 1.0, 3.0]),
    MAGNITUDES,
    MAGNITUDES.map(lambda x: -x),
)

SAMPLES = st.lists(SCORES, min_size=1, max_size=12)

DT = st.sampled_from([None, 0.005, 0.1, 0.3])


@pytest.mark.long
@given(a=SAMPLES, b=SAMPLES, dt=DT)
def test_violation_ratio_is_exact(backend, a, b, dt):
    expected = oracles.violation_ratio(a, b, dt and Fraction(str(dt)))
    ratio = violation_ratio(backend.asarray(a), backend.asarray(b), dt=dt)
    tolerance = 1e-12 if backend.float_name == "float64" else 1e-5
    assert float(ratio) == pytest.approx(float(expected), abs=tolerance)


@pytest.mark.long
@given(a=SAMPLES, b=SAMPLES)
def test_directions_add_up_to_one(backend, a, b):
    a, b = backend.asarray(a), backend.asarray(b)
    forward, backward = violation_ratio(a, b), violation_ratio(b, a)
    assert float(forward + backward) == pytest.approx(1.0, abs=backend.atol)
    assert 0.0 <= float(forward) <= 1.0


@pytest.mark.parametrize("m", [25, 19])
def test_ratio_is_at_most_one(backend, m):
    # Of float32 added up by XLA, some of these were above 1, and others below 0.
    a, b = np.round(np.random.default_rng(0).random((2, 200, 25)), 3)
    worse, better = backend.asarray(a), backend.asarray((a + b + 0.001)[:, :m])
    result = sigarray.compare(worse, better, rng=0)
    assert bool(backend.xp.all(result.aso_a_over_b.violation_ratio <= 1.0))
    assert bool(backend.xp.all(result.aso_b_over_a.violation_ratio >= 0.0))


@given(a=SAMPLES)
def test_equal_samples_have_ratio_one_half(backend, a):
    assert float(violation_ratio(backend.asarray(a), backend.asarray(a[::-1]))) == 0.5


@pytest.mark.long
@given(
    a=st.lists(st.integers(-50, 50), min_size=1, max_size=12),
    b=st.lists(st.integers(-50, 50), min_size=1, max_size=12),
    shift=st.integers(-100, 100),
    scale=st.sampled_from([2.0**-40, 0.125, 3.0, 2.0**40]),
    seed=st.integers(0, 10),
)
def test_order_shift_and_scale_do_not_matter(backend, a, b, shift, scale, seed):
    a, b = np.array(a, float), np.array(b, float)
    rng = np.random.default_rng(seed)
    moved = [scale * (rng.permutation(x) + shift) for x in (a, b)]
    ratio = violation_ratio(*map(backend.asarray, (a, b)))
    again = violation_ratio(*map(backend.asarray, moved))
    assert float(again) == pytest.approx(float(ratio), abs=backend.atol)


def test_huge_and_tiny_differences_beside_each_other():
    assert violation_ratio([1e308, -1e308], [-1e308, 1e308]) == 0.5
    assert violation_ratio([1e308], [-1e308]) == 0.0
    assert violation_ratio([0.0, 1.0], [1e-200, 1.0]) == 1.0
    assert violation_ratio([1e-300], [2e-300]) == 1.0
