"""Score tests of proportions, against likelihoods that SciPy maximizes."""

import itertools
import math

import numpy as np
import pytest
import scipy.optimize
import scipy.stats
from statsmodels.stats.proportion import proportions_ztest

from sigarray import proportion_test
from tests.backends import everywhere

NULLS = (-0.6, -0.1, -0.01, 0.02, 0.3)


def most_likely(counts, find_chances, low, high):
    """Return the most likely parameter of a multinomial distribution."""

    def lack(x):
        chances = find_chances(x)
        return -sum(k * math.log(p) for k, p in zip(counts, chances, strict=True) if k)

    edge = 1e-12
    return scipy.optimize.minimize_scalar(
        lack, bounds=(low + edge, high - edge), method="bounded", options={"xatol": 0.0}
    ).x


def slow_z_of_pairs(a, b, null):
    n, one, other = len(a), np.sum(a > b), np.sum(a < b)
    q = most_likely(
        (one, other, n - one - other),
        lambda q: (q + null, q, 1.0 - 2.0 * q - null),
        max(0.0, -null),
        0.5 * (1.0 - null),
    )
    return (one - other - n * null) / math.sqrt(n * (2.0 * q + null - null**2))


def slow_z(a, b, null):
    n, m, of_a, of_b = len(a), len(b), np.sum(a), np.sum(b)
    p = most_likely(
        (of_a, n - of_a, of_b, m - of_b),
        lambda p: (p + null, 1.0 - p - null, p, 1.0 - p),
        max(0.0, -null),
        min(1.0, 1.0 - null),
    )
    variance = (p + null) * (1.0 - p - null) / n + p * (1.0 - p) / m
    return (of_a / n - of_b / m - null) / math.sqrt(variance)


def test_with(a, b, null, **options):
    alternative = "greater" if null < 0.0 else "less"
    return proportion_test(a, b, alternative=alternative, margin=abs(null), **options)


test_with.__test__ = False


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("n", [5, 23])
def test_pairs_of_every_table(null, n):
    for one, other, both in itertools.product(range(0, n + 1, 3), repeat=3):
        if one + other + both > n:
            continue
        a, b = np.zeros((2, n))
        a[: both + one], b[:both] = 1.0, 1.0
        b[both + one : both + one + other] = 1.0
        found = test_with(a, b, null, paired=True)
        assert found.statistic == pytest.approx(
            slow_z_of_pairs(a, b, null), rel=1e-5, abs=1e-6
        )
        assert found.difference == pytest.approx((one - other) / n, abs=1e-15)


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize(("n", "m"), [(5, 5), (7, 40), (31, 12)])
def test_independent_samples_of_every_table(null, n, m):
    for of_a, of_b in itertools.product(range(0, n + 1, 2), range(0, m + 1, 3)):
        a, b = (np.arange(k) < x for k, x in ((n, of_a), (m, of_b)))
        found = test_with(a, b, null)
        assert found.statistic == pytest.approx(slow_z(a, b, null), rel=1e-5, abs=1e-6)


@everywhere
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_without_a_margin(backend, alternative):
    """McNemar's z, and that of pooled proportions."""
    rng = np.random.default_rng(3)
    a, b = rng.random(60) < 0.8, rng.random(50) < 0.6
    names = {"two-sided": "two-sided", "greater": "larger", "less": "smaller"}
    z, p = proportions_ztest(
        [a.sum(), b.sum()], [60, 50], alternative=names[alternative]
    )
    arrays = [backend.asarray(x.astype(float)) for x in (a, b)]
    found = proportion_test(*arrays, alternative=alternative)
    tolerance = 1e-10 if backend.float_name == "float64" else 1e-5
    found = [float(backend.to_numpy(x)) for x in found]
    assert found[:2] == pytest.approx([z, p], rel=tolerance)

    one, other = np.sum(a[:50] & ~b), np.sum(~a[:50] & b)
    z = (one - other) / math.sqrt(one + other)
    p = {
        "greater": scipy.stats.norm.sf(z),
        "less": scipy.stats.norm.cdf(z),
        "two-sided": 2.0 * scipy.stats.norm.sf(abs(z)),
    }[alternative]
    found = proportion_test(
        arrays[0][:50], arrays[1], paired=True, alternative=alternative
    )
    found = [float(backend.to_numpy(x)) for x in found]
    assert found[:2] == pytest.approx([z, p], rel=tolerance)


def test_one_pair_disagrees():
    """By hand: 88 q^2 - 9.9 q + 0.11 is 0 for q = 0.1, and z is 3.4 / 3.96^1/2."""
    a, b = np.ones((2, 44))
    a[43] = 0.0
    found = proportion_test(a, b, paired=True, alternative="greater", margin=0.1)
    assert found.statistic == pytest.approx(3.4 / math.sqrt(3.96), rel=1e-12)
    assert found.pvalue == pytest.approx(scipy.stats.norm.sf(found.statistic), rel=1e-9)


def test_tables_without_a_difference():
    same = np.ones(20)
    for paired in (True, False):
        found = proportion_test(same, same, paired=paired)
        assert (found.statistic, found.pvalue) == (0.0, 1.0)
        found = test_with(same, same, -0.1, paired=paired)
        assert 0.0 < found.pvalue < 0.2


def test_faults_and_wrong_calls():
    right = np.array([1.0, 0.0, 1.0, 1.0])
    for wrong in (0.5, 2.0, math.nan):
        batch = np.stack([right, np.where(np.arange(4) == 2, wrong, right)])
        for paired in (True, False):
            found = proportion_test(right, batch, paired=paired)
            assert np.isfinite(found.pvalue[0])
            assert all(np.isnan(x[1]) for x in found)
    with pytest.raises(ValueError, match=r"below 1; got 5\. Pass a share"):
        proportion_test(right, right, alternative="greater", margin=5)
    with pytest.raises(ValueError, match="got 'two-sided'"):
        proportion_test(right, right, margin=0.1)
    with pytest.raises(ValueError, match="as many scores of A as of B"):
        proportion_test(right, right[:3], paired=True)
