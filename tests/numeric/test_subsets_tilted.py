"""Tilted resamples and chances: against all resamples, listed, and divergences."""

import itertools
from decimal import Decimal

import numpy as np
import pytest
import scipy.optimize
import scipy.special

from sigarray._numeric.subsets import (
    solve,
    tilt_chances,
    tilt_sample,
    weigh_chances,
    weigh_sample,
)

X = np.array([-1.0, 0.25, 0.5, 2.0, 0.0])


def to_host(backend, arrays):
    return [float(backend.to_numpy(x)[0]) for x in arrays]


def tilt_all(t):
    """Return moments of the mean of all n^n resamples, each with weight exp(t mean).

    And the divergence of these weights from even ones.
    """
    means = np.array(list(itertools.product(X, repeat=len(X)))).mean(axis=-1)
    weights = np.exp(t * means)
    weights /= weights.sum()
    mean = weights @ means
    second, third = (weights @ (means - mean) ** k for k in (2, 3))
    return mean, second, third, weights @ np.log(weights * len(means))


@pytest.mark.parametrize("t", [0.0, 1e-3, 1.0, 5.0, 40.0])
def test_cumulants_are_those_of_all_resamples(backend, t):
    x, tilt = backend.asarray(X[None, :]), backend.asarray([t])
    expected = tilt_all(t)
    near = {"rel": 1e-9, "abs": 1e-11}
    if backend.float_name == "float32":
        near = {"rel": 1e-4, "abs": 1e-6}
    found = to_host(backend, tilt_sample(backend.library, x, tilt))
    assert found == pytest.approx(expected[:2], **near)
    found = to_host(backend, weigh_sample(backend.library, x, tilt))
    assert found == pytest.approx(expected, **near)


@pytest.mark.parametrize("goal", [1e-3, 0.1, 1.0, 1.99])
def test_the_tilt_is_that_of_a_search(backend, goal):
    x = backend.asarray((X - X.mean())[None, :])

    def tilt(t):
        return tilt_sample(backend.library, x, t)

    end = float(X.max() - X.mean())
    goal *= end / 2.0
    ends = backend.asarray([goal]), backend.asarray([end])
    found = float(backend.to_numpy(solve(backend.library, tilt, *ends))[0])
    wanted = scipy.optimize.brentq(
        lambda t: tilt_all(t)[0] - X.mean() - goal, 0.0, 200.0, xtol=1e-14
    )
    is_single = backend.float_name == "float32"
    assert found == pytest.approx(wanted, rel=2e-3 if is_single else 1e-8)


@pytest.mark.parametrize(
    ("u", "t"), [(0.0, 0.0), (0.3, 1e-4), (-0.7, 1.5), (2.0, 30.0)]
)
@pytest.mark.parametrize("f", [0.5, 0.2])
def test_sums_over_chances_are_their_definitions(backend, u, t, f):
    """And the last one is the divergence of the chances from f."""
    center = 0.35
    chance = 1.0 / (1.0 + (1.0 / f - 1.0) * np.exp(-(u + t * X)))
    shift, variance, rest = chance - f, chance * (1.0 - chance), X - center
    prize, middle, level, tilt = (
        backend.asarray(x) for x in (X[None, :], [center], [u], [t])
    )
    near = {"rel": 1e-9, "abs": 1e-12}
    if backend.float_name == "float32":
        near = {"rel": 1e-4, "abs": 2e-6}
    found = tilt_chances(backend.library, prize, level, tilt, f)
    products = [shift, shift * X, variance, variance * X, variance * X * X]
    assert to_host(backend, found) == pytest.approx([x.sum() for x in products], **near)
    found = weigh_chances(backend.library, prize, middle, level, tilt, f)
    found = to_host(backend, found)
    divergence = scipy.special.rel_entr([chance, 1.0 - chance], [[f], [1.0 - f]]).sum()
    products = [
        *products[:3],
        variance * rest**2,
        variance * (1.0 - 2.0 * chance) * rest**3,
    ]
    assert found[:5] == pytest.approx([x.sum() for x in products], **near)
    assert found[5] == pytest.approx(divergence, rel=1e-6, abs=near["abs"] * 10)


def sum_exactly(weights, level):
    """Return the sum of w log(w / level), in decimals of which none cancel."""
    return sum(w * (w / level).ln() for w in weights)


def test_divergences_of_a_small_tilt_do_not_cancel(backend):
    t, f = Decimal("1e-4"), Decimal("0.2")
    near = 1e-4 if backend.float_name == "float32" else 1e-9
    x, tilt = backend.asarray(X[None, :]), backend.asarray([float(t)])
    *_, found = to_host(backend, weigh_sample(backend.library, x, tilt))
    weights = [(t * Decimal(value) / len(X)).exp() for value in X.tolist()]
    shares = [w / sum(weights) for w in weights]
    expected = len(X) * sum_exactly(shares, Decimal(1) / len(X))
    assert found == pytest.approx(float(expected), rel=near, abs=0.0)
    zero = backend.asarray([0.0])
    *_, found = to_host(
        backend, weigh_chances(backend.library, x, zero, zero, tilt, float(f))
    )
    odds = [(t * Decimal(value)).exp() * f / (1 - f) for value in X.tolist()]
    expected = sum_exactly([y / (1 + y) for y in odds], f)
    expected += sum_exactly([1 / (1 + y) for y in odds], 1 - f)
    assert found == pytest.approx(float(expected), rel=near, abs=0.0)
