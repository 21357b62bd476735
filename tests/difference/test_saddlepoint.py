"""Saddlepoint tails, against enumeration, convolution and random resamples."""

import functools
import itertools
import math

import numpy as np
import pytest
import scipy.stats

from sigarray import bootstrap_test, permutation_test
from sigarray._backend.of_numpy import HOST
from sigarray._difference.saddlepoint import (
    bootstrap_tail,
    effective_size,
    permutation_tail,
)
from tests.oracles import FALSE_ALARM

Z = scipy.stats.norm.isf(FALSE_ALARM / 2)
TAILS = ["bootstrap-paired", "bootstrap", "permutation-paired", "permutation"]


def tail_of(name, xp, a, b):
    """The p-value of the one-sided test."""
    paired = name.endswith("paired")
    with xp.modes_off():
        if name.startswith("permutation"):
            return permutation_tail(xp, a, b, paired=paired)
        offset = xp.mean(a, axis=-1) - xp.mean(b, axis=-1)
        return bootstrap_tail(xp, a, b, offset, paired=paired)


def draw(*shape, seed=0):
    """Two samples as float32 holds them, the first a little higher."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(0.3, 1.0, shape), rng.exponential(size=shape) - 1.0
    return [x.astype(np.float32).astype(float) for x in (a, b)]


def bits_of(count):
    return np.array(list(itertools.product([0, 1], repeat=count)))


@functools.cache
def counts_of(size):
    """All ways to draw so many of as many scores, and the probability of each."""
    counts = np.array(
        [c for c in itertools.product(range(size + 1), repeat=size) if sum(c) == size]
    )
    factorials = np.array([math.factorial(k) for k in range(size + 1)])
    weights = math.factorial(size) / factorials[counts].prod(axis=-1) / size**size
    return counts, weights


def convolve_power(probabilities, power):
    """Distribution of a sum of so many integers."""
    total = np.ones(1)
    for _ in range(power):
        total = np.convolve(total, probabilities)
    return total


def paired_tails(backend, x, offsets):
    """The p-values of several distances of one sample of differences, in one call."""
    differences = np.tile(x, (len(offsets), 1))
    args = (differences, np.zeros_like(differences), offsets)
    args = (backend.asarray(x) for x in args)
    return backend.to_numpy(bootstrap_tail(backend.library, *args, paired=True))


class TestEnumeration:
    """Of a handful of scores: to 12 % for pairs and 3 % without replacement."""

    def test_resampled_pairs(self, backend):
        x = np.array([0.31, -1.24, 0.87, 1.95, -0.43, 0.11, 0.64])
        counts, weights = counts_of(7)
        shifts = counts @ x / 7 - x.mean()
        offsets = np.array([-0.7, -0.3, 0.02, 0.3, 0.6, 0.9])
        p = paired_tails(backend, x, offsets)
        expected = [weights[shifts >= offset].sum() for offset in offsets]
        assert p == pytest.approx(expected, rel=0.07)

    def test_resampled_samples(self):
        a = np.array([0.31, -1.24, 0.87, 1.95, -0.43, 0.11])
        b = np.array([0.2, 0.93, -0.77, 0.38, 1.31])
        (counts_a, p_a), (counts_b, p_b) = counts_of(6), counts_of(5)
        means = (counts_a @ a / 6)[:, None] - counts_b @ b / 5
        shifts = means - (a.mean() - b.mean())
        for offset in (-1.0, -0.3, 0.02, 0.3, 0.6, 1.2):
            expected = (p_a[:, None] * p_b)[shifts >= offset].sum()
            p = bootstrap_tail(HOST, a, b, np.asarray(offset), paired=False)
            assert float(p) == pytest.approx(expected, rel=0.02)

    @pytest.mark.parametrize("mean", [-0.5, 0.0, 0.3, 0.6, 0.9])
    def test_flipped_pairs(self, backend, mean):
        x = np.random.default_rng(1).normal(size=14)
        x = x - x.mean() + mean
        sums = (2.0 * bits_of(14) - 1.0) @ x
        expected = np.mean(sums >= x.sum() - 1e-9)
        p = tail_of(
            "permutation-paired",
            backend.library,
            backend.asarray(x),
            backend.asarray(np.zeros(14)),
        )
        assert float(p) == pytest.approx(expected, rel=0.12)

    def test_dealt_scores(self, backend):
        means = np.array([-0.5, 0.0, 0.4, 0.8, 1.2])[:, None]
        a, b = np.random.default_rng(2).normal(size=(2, 8))
        a, b = a - a.mean() + means, b[:7] - b[:7].mean() + 0.0 * means
        pool = np.concatenate([a, b], axis=-1)
        subsets = np.array(list(itertools.combinations(range(15), 8)))
        sums = pool[:, subsets].sum(axis=-1)
        expected = np.mean(sums >= a.sum(axis=-1, keepdims=True) - 1e-9, axis=-1)
        p = tail_of(
            "permutation", backend.library, backend.asarray(a), backend.asarray(b)
        )
        np.testing.assert_allclose(backend.to_numpy(p), expected, rtol=0.03)


class TestLattice:
    """Integer scores, whose ties count: against convolution."""

    @pytest.mark.parametrize(("n", "rtol"), [(30, 5e-3), (100, 5e-4), (1000, 1e-5)])
    @pytest.mark.parametrize("scale", [1.0, 0.1])
    def test_flipped_accuracies(self, n, rtol, scale):
        for ahead in (n // 2, n // 2 + round(n**0.5), n // 2 + round(1.6 * n**0.5)):
            d = np.concatenate([np.ones(ahead), -np.ones(n - ahead), np.zeros(9)])
            p = tail_of("permutation-paired", HOST, scale * d, np.zeros_like(d))
            assert p == pytest.approx(scipy.stats.binom.sf(ahead - 1, n, 0.5), rel=rtol)

    @pytest.mark.parametrize(("n", "rtol"), [(30, 5e-3), (100, 5e-4), (1000, 1e-5)])
    def test_dealt_accuracies(self, backend, n, rtol):
        n_right, spread = n, 0.35 * n**0.5
        rtol = max(rtol, 0.0 if backend.float_name == "float64" else 1e-3)
        right = np.array([[round(n / 2 + z * spread)] for z in (-1, 0, 1, 2, 3.5)])
        a, b = (np.arange(n) < k for k in (right, n_right - right))
        samples = (backend.asarray(x.astype(float)) for x in (a, b))
        p = backend.to_numpy(tail_of("permutation", backend.library, *samples))
        expected = scipy.stats.hypergeom.sf(right[:, 0] - 1, 2 * n, n_right, n)
        assert p == pytest.approx(expected, rel=rtol)

    @pytest.mark.parametrize(("n", "rtol"), [(30, 5e-3), (100, 5e-4), (1000, 1e-5)])
    def test_resampled_ratings(self, backend, n, rtol):
        """Sums of n of 1 to 5 points, a quarter of a point apart."""
        rng = np.random.default_rng(n)
        points = rng.choice(5, n, p=[0.1, 0.2, 0.4, 0.2, 0.1])
        sums = convolve_power(np.bincount(points) / n, n)
        spread = points.std() * n**0.5
        rtol = max(rtol, 0.0 if backend.float_name == "float64" else 1e-3)
        least = np.round(
            points.sum() + np.array([-2.0, 0.0, 0.1, 1.0, 2.5, 4.0]) * spread
        ).astype(int)
        expected = [sums[k:].sum() for k in least]
        # Between two points of the lattice, the upper one is reached.
        for part in (0.0, 0.4):
            offsets = 0.25 * (least - part - points.sum()) / n
            p = paired_tails(backend, 0.25 * points, offsets)
            assert p == pytest.approx(expected, rel=rtol)

    def test_resampled_accuracies_of_two_samples(self):
        n = 200
        a, b = np.arange(n) < 130, np.arange(n) < 110
        right_a, right_b = (scipy.stats.binom(n, k / n) for k in (130, 110))
        mass_b = right_b.pmf(np.arange(n + 1))
        for more in (0, 10, 20, 35):
            expected = np.sum(mass_b * right_a.sf(np.arange(n + 1) + 20 + more - 1))
            p = bootstrap_tail(
                HOST,
                a.astype(float),
                b.astype(float),
                np.asarray(more / n),
                paired=False,
            )
            assert p == pytest.approx(expected, rel=2e-4)


class TestResampling:
    """The tests with 100,000 resamples of 60 scores."""

    COUNT = 100_000

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("name", TAILS)
    def test_one_sided(self, name, seed):
        a, b = draw(60, seed=seed)
        test = permutation_test if name.startswith("permutation") else bootstrap_test
        p = float(tail_of(name, HOST, a, b))
        options = {"paired": name.endswith("paired"), "alternative": "greater"}
        approximate = test(a, b, method="saddlepoint", **options)
        assert approximate.pvalue == pytest.approx(p, rel=1e-9)
        mirrored = test(b, a, method="saddlepoint", **options | {"alternative": "less"})
        assert mirrored.pvalue == pytest.approx(p, rel=1e-9)
        drawn = test(a, b, n_resamples=self.COUNT, rng=seed, **options)
        assert approximate.statistic == pytest.approx(drawn.statistic)
        error = Z * math.sqrt(p * (1.0 - p) / self.COUNT) + 0.002 * p
        assert drawn.pvalue == pytest.approx(p, abs=error + 1.0 / self.COUNT)

    @pytest.mark.parametrize("paired", [True, False])
    def test_two_sided(self, paired):
        a, b = draw(60, seed=5)
        d = abs(a.mean() - b.mean())
        tails = (bootstrap_tail(HOST, *x, d, paired=paired) for x in ((a, b), (b, a)))
        p = float(sum(tails))
        drawn = bootstrap_test(
            a,
            b,
            paired=paired,
            alternative="two-sided",
            n_resamples=self.COUNT,
            rng=1,
        )
        error = Z * math.sqrt(p * (1.0 - p) / self.COUNT) + 0.002 * p
        assert drawn.pvalue == pytest.approx(p, abs=error + 1.0 / self.COUNT)
        approximate = bootstrap_test(a, b, paired=paired, method="saddlepoint")
        assert approximate.pvalue == pytest.approx(p, rel=1e-9)

    def test_the_mean_alone(self):
        for test in (bootstrap_test, permutation_test):
            with pytest.raises(ValueError, match="'mean' with method='saddlepoint'"):
                test([1.0, 2.0], [3.0, 4.0], statistic="median", method="saddlepoint")


@pytest.mark.parametrize("name", TAILS)
class TestEveryTail:
    def test_both_tails_add_up_to_one(self, name):
        """Of continuous scores, whose ties have no probability."""
        a, b = draw(50)
        xp, paired = HOST, name.endswith("paired")
        if name.startswith("permutation"):
            upper, lower = (
                permutation_tail(xp, *x, paired=paired) for x in ((a, b), (b, a))
            )
        else:
            upper = bootstrap_tail(HOST, a, b, np.asarray(0.1), paired=paired)
            lower = bootstrap_tail(xp, b, a, np.asarray(-0.1), paired=paired)
        assert upper + lower == pytest.approx(1.0, abs=1e-12)

    def test_scale_and_shift(self, name):
        a, b = draw(50)
        p = tail_of(name, HOST, a, b)
        for exponent in (-1000, -30, 7, 990):
            scale = 2.0**exponent
            assert tail_of(name, HOST, scale * a, scale * b) == p
        # What the shift rounds off is lost before.
        for shift in (1.0, 2.0**15):
            shifted = tail_of(name, HOST, a + shift, b + shift)
            assert shifted == pytest.approx(p, rel=1e-12 * max(1.0, shift))

    def test_batches_are_a_loop(self, backend, name):
        a, b = draw(2, 2, 40)
        a[1, 0, 3], b[1, 1, 0] = math.nan, math.inf
        a[0, 0, :] = b[0, 0, :]
        batch = backend.to_numpy(
            tail_of(name, backend.library, backend.asarray(a), backend.asarray(b))
        )
        assert batch.shape == (2, 2)
        for entry in np.ndindex(2, 2):
            p = tail_of(
                name,
                backend.library,
                backend.asarray(a[entry]),
                backend.asarray(b[entry]),
            )
            np.testing.assert_allclose(
                batch[entry], backend.to_numpy(p), rtol=10.0 * backend.rtol
            )
        faults = np.isnan(batch)
        assert faults.tolist() == [[False, False], [True, True]]

    def test_samples_broadcast(self, backend, name):
        a, b = draw(3, 40)
        many = tail_of(name, backend.library, backend.asarray(a), backend.asarray(b[0]))
        one = tail_of(
            name, backend.library, backend.asarray(a[1]), backend.asarray(b[0])
        )
        assert float(many[1]) == pytest.approx(float(one), rel=10.0 * backend.rtol)

    @pytest.mark.parametrize("n", [20, 3000])
    def test_float32_is_near_float64(self, backend, name, n):
        a, b = draw(n, seed=n)
        shifts = np.array([[0.0], [0.1], [3.0 / n**0.5]])
        shifted = (a - a.mean() + shifts).astype(np.float32)
        other = (b - b.mean() + 0.0 * shifts).astype(np.float32)
        expected = tail_of(name, HOST, shifted.astype(float), other.astype(float))
        samples = (backend.asarray(x, "float32") for x in (shifted, other))
        p = tail_of(name, backend.library, *samples)
        assert p.dtype == backend.xp.float32
        np.testing.assert_allclose(backend.to_numpy(p), expected, rtol=5e-4)

    @pytest.mark.parametrize("n", [10, 1000, 40_000])
    def test_it_is_smooth_in_the_middle(self, name, n):
        """Straight lines through neighbours on a grid of distances from d = 0."""
        a, b = draw(n, seed=n)
        a, b = a - a.mean(), b - b.mean()
        for step in (1e-7, 1e-5, 1e-3):
            p = [tail_of(name, HOST, a + k * step / n**0.5, b) for k in range(-5, 6)]
            bends = np.diff(p, 2)
            assert np.max(np.abs(bends)) < 1e-6 + 0.1 * step**2

    def test_no_transfers(self, backend, name):
        a, b = (backend.asarray(x) for x in draw(30))
        with backend.no_transfers():
            tail_of(name, backend.library, a, b)
            effective_size(backend.library, a, b, paired=name.endswith("paired"))

    def test_constant_samples_are_ties(self, backend, name):
        x = backend.asarray(np.tile([[0.0], [0.3], [-1e6]], 12))
        p = backend.to_numpy(tail_of(name, backend.library, x, x))
        assert p.tolist() == [1.0, 1.0, 1.0]

    def test_it_is_a_probability(self, backend, name):
        rng = np.random.default_rng(0)
        shifts = np.array([-1e3, -1.0, -1e-9, 0.0, 1e-9, 1.0, 1e3])[:, None]
        for n in (2, 5, 300):
            draws = (
                rng.normal(size=(2, n)),
                rng.integers(0, 2, (2, n)),
                rng.standard_cauchy((2, n)),
                np.exp(20.0 * rng.normal(size=(2, n))),
            )
            a = np.stack([x[0] + shifts for x in draws]).astype(np.float32)
            b = np.stack([x[1] + 0.0 * shifts for x in draws]).astype(np.float32)
            args = (backend.asarray(x.astype(float)) for x in (a, b))
            p = backend.to_numpy(tail_of(name, backend.library, *args))
            # Every permutation has a probability, of 1 / 32 and 1 / 252 for n = 5.
            least = {"permutation-paired": 0.5**5, "permutation": 1 / 252}
            bound = 0.999 * least.get(name, 0.0) if n == 5 else 0.0
            assert np.all((p >= bound) & (p <= 1.0))


class TestEnds:
    """At the ends of the support there are exact values."""

    def test_all_ahead(self, backend):
        for n in (4, 20, 100):
            a = backend.asarray(np.linspace(0.5, 1.7, n))
            b = backend.asarray(np.zeros(n))
            p = tail_of("permutation-paired", backend.library, a, b)
            assert float(p) == pytest.approx(0.5**n, rel=1e-5)
            p = tail_of("permutation-paired", backend.library, b, a)
            assert float(p) == 1.0

    def test_all_of_a_above_all_of_b(self, backend):
        a, b = np.linspace(2.0, 3.0, 12), np.linspace(0.0, 1.0, 9)
        a[:5], b[:3] = 1.5, 1.5  # of these eight, five
        args = backend.asarray(a), backend.asarray(b)
        expected = math.comb(8, 5) / math.comb(21, 12)
        p = tail_of("permutation", backend.library, *args)
        assert float(p) == pytest.approx(expected, rel=1e-5)

    def test_the_largest_resample_and_beyond(self, backend):
        x = np.array([0.0, 1.0, 3.0, 3.0, 2.2])
        args = backend.asarray(x), backend.asarray(np.zeros(5))
        for offset, expected in (
            (3.0 - x.mean(), (2 / 5) ** 5),
            (3.1 - x.mean(), (1 / 5) ** 5),
            (1e30, (1 / 5) ** 5),
            (0.0 - x.mean(), 1.0),
            (-1e30, 1.0),
        ):
            p = bootstrap_tail(
                backend.library, *args, backend.asarray(offset), paired=True
            )
            assert float(p) == pytest.approx(expected, rel=1e-5)


def test_effective_size(backend):
    x = np.zeros(1000)
    x[:20] = np.tile([-1.0, 1.0], 10)
    y = np.tile([0.0, 3.0], 500)

    def size(a, b, paired):
        a, b = backend.asarray(a), backend.asarray(b)
        return float(effective_size(backend.library, a, b, paired=paired))

    zeros = np.zeros(1000)
    assert size(x, zeros, True) == pytest.approx(20.0, rel=1e-5)
    assert size(x, y, False) == pytest.approx(20.0, rel=1e-5)
    assert size(y, zeros, False) == pytest.approx(1000.0, rel=1e-5)
    assert size(zeros, zeros, True) == 1000.0
    assert math.isnan(size(zeros, x * math.nan, False))
