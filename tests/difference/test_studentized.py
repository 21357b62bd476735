"""Tests and intervals by resampled t, against slow code, SciPy and enumeration."""

import functools
import itertools
import math

import numpy as np
import pytest
import scipy.stats

from sigarray import (
    bootstrap_ci,
    bootstrap_replicates,
    bootstrap_test,
    permutation_replicates,
    permutation_test,
    t_test,
)
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import random_places
from tests.backends import EAGER, everywhere

ALTERNATIVES = ["greater", "less", "two-sided"]


def slow_t(a, b=None, shift=0.0):
    """t of one sample or Welch's of two; infinite, or 0, of samples without a spread.

    What is less than a billionth of the scores is rounding.
    """
    samples = [np.asarray(a)] if b is None else [np.asarray(a), np.asarray(b)]
    difference = samples[0].mean() - (samples[1].mean() if b is not None else 0.0)
    difference -= shift
    error = math.sqrt(
        sum(0.0 if np.ptp(x) == 0.0 else x.var(ddof=1) / len(x) for x in samples)
    )
    if abs(difference) < 1e-9 * max(np.abs(x).max() for x in samples):
        difference = 0.0
    if error == 0.0:
        return math.copysign(math.inf, difference) if difference else 0.0
    return difference / error


def all_permuted(a, b, paired):
    """t of all distinct permutations, one after the other."""
    if paired:
        signs = itertools.product((1.0, -1.0), repeat=len(a))
        return np.array([slow_t(np.array(s) * (a - b)) for s in signs])
    pool, values = np.concatenate([a, b]), []
    for chosen in itertools.combinations(range(len(pool)), len(a)):
        rest = np.delete(pool, chosen)
        values.append(slow_t(pool[list(chosen)], rest))
    return np.array(values)


def share_of_extremes(values, observed, alternative):
    def is_tie(x):
        return np.isclose(x, observed, rtol=1e-6, atol=1e-9)

    upper = np.mean((values > observed) | is_tie(values))
    lower = np.mean((values < observed) | is_tie(values))
    sides = {
        "greater": upper,
        "less": lower,
        "two-sided": min(1.0, 2 * min(upper, lower)),
    }
    return sides[alternative]


@functools.cache
def permute_slowly(n, m, paired):
    """Draw samples, and list t of all their permutations.

    Small integers have many ties, and samples that do not vary.
    """
    rng, drawn = np.random.default_rng(n * m), []
    for levels in (3, 9, None):
        a = rng.integers(0, levels, n) / 3 if levels else rng.normal(1.0, 3.0, n)
        b = rng.integers(0, levels, m) / 3 if levels else rng.normal(0.0, 1.0, m)
        drawn.append((a, b, all_permuted(a, b, paired)))
    return drawn


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(
    ("n", "m", "paired"), [(7, 7, True), (5, 5, False), (5, 3, False), (4, 7, False)]
)
def test_exact_permutations(backend, alternative, n, m, paired):
    for a, b, permuted in permute_slowly(n, m, paired):
        result = permutation_test(
            *map(backend.asarray, (a, b)),
            paired=paired,
            statistic="t",
            alternative=alternative,
        )
        observed = slow_t(a - b) if paired else slow_t(a, b)
        expected = share_of_extremes(permuted, observed, alternative)
        assert float(result.pvalue) == pytest.approx(expected, abs=1e-6)
        assert float(result.statistic) == pytest.approx(observed, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("paired", [True, False])
def test_exact_replicates(backend, paired):
    rng = np.random.default_rng(4)
    a = rng.integers(0, 4, 4) / 2
    b = rng.integers(0, 3, 4 if paired else 6) / 2
    count = 16 if paired else 210
    replicates = permutation_replicates(
        *map(backend.asarray, (a, b)),
        start=0,
        count=count,
        paired=paired,
        statistic="t",
        method="exact",
    )
    expected = all_permuted(a, b, paired)
    np.testing.assert_allclose(
        np.sort(backend.to_numpy(replicates)), np.sort(expected), rtol=1e-4, atol=1e-5
    )


@everywhere
@pytest.mark.parametrize("paired", [True, False])
def test_of_equal_sizes_the_mean_decides(backend, paired):
    rng = np.random.default_rng(0)
    a, b = rng.normal(0.4, 1.0, (3, 20)), rng.normal(0.0, 2.0, (3, 20))
    samples = [backend.asarray(x) for x in (a, b)]
    options = {"paired": paired, "n_resamples": 500, "rng": 3}
    by_t = permutation_test(*samples, statistic="t", **options)
    by_mean = permutation_test(*samples, **options)
    np.testing.assert_array_equal(
        backend.to_numpy(by_t.pvalue), backend.to_numpy(by_mean.pvalue)
    )
    t = backend.to_numpy(t_test(*samples, paired=paired).statistic)
    rtol = max(1e-6, backend.rtol)
    np.testing.assert_allclose(backend.to_numpy(by_t.statistic), t, rtol=rtol)


def test_random_permutations_converge_to_all(backend):
    rng = np.random.default_rng(3)
    a, b = rng.normal(1.0, 3.0, 5), rng.normal(0.0, 1.0, 9)
    samples = [backend.asarray(x) for x in (a, b)]
    exact = float(permutation_test(*samples, statistic="t").pvalue)
    drawn = permutation_test(*samples, statistic="t", n_resamples=1900, rng=1)
    error = math.sqrt(exact * (1.0 - exact) / 1900)
    assert float(drawn.pvalue) == pytest.approx(exact, abs=10.0 * error)
    replicates = permutation_replicates(
        *samples, start=0, count=1900, statistic="t", rng=1
    )
    values = backend.to_numpy(replicates)
    observed = float(drawn.statistic)
    tails = [np.sum(values >= observed - 1e-5), np.sum(values <= observed + 1e-5)]
    assert float(drawn.pvalue) == pytest.approx(2 * (min(tails) + 1) / 1901, abs=2e-3)


# JAX, which compiles each function for each size, for one of them.
@pytest.mark.parametrize(
    ("backend", "n", "m"),
    [
        *((name, n, m) for name in EAGER for n, m in ((4, 4), (3, 5), (6, 2))),
        ("jax.numpy", 3, 5),
    ],
    indirect=["backend"],
)
def test_samples_that_do_not_vary(backend, n, m):
    a, b = backend.asarray([2.1] * n), backend.asarray([0.3] * m)
    result = permutation_test(a, b, statistic="t", alternative="greater")
    assert float(result.pvalue) == pytest.approx(1.0 / math.comb(n + m, n))
    assert float(result.statistic) == math.inf
    result = permutation_test(b, b, statistic="t")
    assert (float(result.statistic), float(result.pvalue)) == (0.0, 1.0)
    # Resamples of them tell nothing.
    options = {"n_resamples": 50, "rng": 0}
    for alternative in ALTERNATIVES:
        result = bootstrap_test(a, b, statistic="t", alternative=alternative, **options)
        assert float(result.pvalue) == 1.0
    low, high = bootstrap_ci(
        a, b, method="studentized", n_resamples=50, rng=0
    ).confidence_interval
    assert [float(low), float(high)] == pytest.approx([1.8, 1.8])


@functools.cache
def slow_replicates(n, m, paired, count):
    """t of resamples, about the observed difference, one after the other."""
    a, b = draw(n, m)
    samples = [a] if b is None else [a - b] if paired else [a, b]
    sizes = [len(x) for x in samples]
    seed = seed_words(HOST, 5)
    places = random_places(HOST, seed, 0, count, sizes, sizes, False)
    means = [x.mean() for x in samples]
    shift = means[0] - means[1] if len(means) == 2 else means[0]
    return np.array(
        [
            slow_t(
                *(x[p[k]] for x, p in zip(samples, places, strict=True)), shift=shift
            )
            for k in range(count)
        ]
    )


WAYS = [(5, None, False), (6, 6, True), (4, 7, False)]


def draw(n, m):
    rng = np.random.default_rng(n)
    a = (rng.integers(0, 9, n) / 4 + 0.5).astype(float)
    return a, None if m is None else rng.integers(0, 7, m) / 8


@pytest.mark.parametrize(("n", "m", "paired"), WAYS)
def test_bootstrap_replicates(backend, n, m, paired):
    a, b = draw(n, m)
    samples = [backend.asarray(x) for x in (a, b) if x is not None]
    options = {"statistic": "t", "paired": paired, "rng": 5}
    replicates = bootstrap_replicates(*samples, start=0, count=300, **options)
    expected = slow_replicates(n, m, paired, 300)
    is_finite = np.isfinite(expected)
    values = backend.to_numpy(replicates)
    np.testing.assert_allclose(
        values[is_finite], expected[is_finite], rtol=1e-4, atol=1e-5
    )
    # Rounding of 0 may be infinite.
    assert (np.isinf(values) | (values == 0.0))[~is_finite].all()
    later = bootstrap_replicates(*samples, start=100, count=200, **options)
    np.testing.assert_array_equal(backend.to_numpy(later), values[100:])


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("n", "m", "paired"), WAYS[1:])
def test_bootstrap_counts_replicates(backend, alternative, n, m, paired):
    a, b = draw(n, m)
    samples = [backend.asarray(x) for x in (a, b)]
    options = {"statistic": "t", "paired": paired, "rng": 5}
    result = bootstrap_test(
        *samples, n_resamples=300, alternative=alternative, **options
    )
    observed = slow_t(a - b) if paired else slow_t(a, b)
    values = slow_replicates(n, m, paired, 300)
    if alternative == "two-sided":
        count = np.sum(np.abs(values) >= abs(observed) - 1e-6)
    elif alternative == "greater":
        count = np.sum(values >= observed - 1e-6)
    else:
        count = np.sum(values <= observed + 1e-6)
    assert float(result.pvalue) == pytest.approx((count + 1) / 301)
    assert float(result.statistic) == pytest.approx(observed, rel=1e-4)


@pytest.mark.parametrize("level", [0.9, 0.5])
@pytest.mark.parametrize(("n", "m", "paired"), [(9, None, False), *WAYS[1:]])
def test_intervals(backend, level, n, m, paired):
    a, b = draw(n, m)
    samples = [backend.asarray(x) for x in (a, b) if x is not None]
    result = bootstrap_ci(
        *samples,
        method="studentized",
        paired=paired,
        confidence_level=level,
        n_resamples=299,
        rng=5,
    )
    values = np.sort(slow_replicates(n, m, paired, 299))
    given = [a] if b is None else [a - b] if paired else [a, b]
    difference = given[0].mean() - (given[1].mean() if len(given) == 2 else 0.0)
    error = math.sqrt(sum(x.var(ddof=1) / len(x) for x in given))
    k = round(300 * (1.0 - level) / 2.0)
    expected = difference - values[-k] * error, difference - values[k - 1] * error
    limits = [float(x) for x in result.confidence_interval]
    assert limits == pytest.approx(expected, rel=1e-4, abs=1e-5)
    assert float(result.statistic) == pytest.approx(difference, rel=1e-5)
    plain = bootstrap_ci(
        *samples, method="basic", paired=paired, n_resamples=299, rng=5
    )
    assert float(result.standard_error) == pytest.approx(
        float(plain.standard_error), rel=1e-4
    )


@everywhere
def test_two_scores_have_no_limits(backend):
    """Every other resample does not vary."""
    a = backend.asarray([0.3, 0.5])
    result = bootstrap_ci(a, method="studentized", n_resamples=199, rng=0)
    assert [float(x) for x in result.confidence_interval] == [-math.inf, math.inf]


@everywhere
def test_the_level_of_the_scores_costs_no_digits(backend):
    rng = np.random.default_rng(2)
    # Multiples of a power of two, which float32 holds with what is added.
    a, b = rng.integers(0, 64, 8) / 64, rng.integers(0, 64, 11) / 64
    for test in (permutation_test, bootstrap_test):
        options = {"statistic": "t", "n_resamples": 99, "rng": 0}
        plain = test(*map(backend.asarray, (a, b)), **options)
        moved = test(*map(backend.asarray, (a + 4096.0, b + 4096.0)), **options)
        for x, y in zip(plain, moved, strict=True):
            assert float(x) == pytest.approx(float(y), rel=1e-5)
    options = {"method": "studentized", "n_resamples": 99, "rng": 0}
    plain, moved = (
        bootstrap_ci(
            *map(backend.asarray, (a + x, b + x)), **options
        ).confidence_interval
        for x in (0.0, 4096.0)
    )
    for x, y in zip(plain, moved, strict=True):
        assert float(x) == pytest.approx(float(y), rel=1e-5)
    unit = bootstrap_ci(*map(backend.asarray, (2.0**30 * a, 2.0**30 * b)), **options)
    low, high = unit.confidence_interval
    assert [float(low), float(high)] == pytest.approx(
        [2.0**30 * float(x) for x in plain], rel=1e-6
    )


def test_only_means_have_a_known_error():
    with pytest.raises(ValueError, match="statistic='mean' with method='studentized'"):
        bootstrap_ci([1.0, 2.0, 4.0], statistic="median", method="studentized", rng=0)
    with pytest.raises(ValueError, match="statistic='mean' with method='saddlepoint'"):
        bootstrap_test([1.0, 2.0], [3.0, 4.0], statistic="t", method="saddlepoint")
    with pytest.raises(ValueError, match="two scores or more"):
        permutation_test([1.0], [3.0, 4.0], statistic="t")


def at_most(count, share):
    """How many of so many cases are seen by a test of a level, but for 10^-6."""
    return scipy.stats.binom.isf(1e-6, count, share)


@pytest.mark.long
@pytest.mark.parametrize(("n", "m"), [(5, 5), (5, 20), (10, 50)])
def test_equal_means_of_unequal_spreads(n, m):
    """By the bootstrap of t at most 5.5 %, by that of the mean up to 15 %."""
    rng = np.random.default_rng(n * m)
    for spread_a, spread_b in ((1.0, 3.0), (3.0, 1.0), (1.0, 1.0)):
        a = rng.normal(0.0, spread_a, (2000, n))
        b = rng.normal(0.0, spread_b, (2000, m))
        by_t = bootstrap_test(a, b, statistic="t", n_resamples=199, rng=1)
        assert np.sum(by_t.pvalue <= 0.05) < at_most(2000, 0.06)


def test_permuted_t_of_unequal_sizes_is_exact_for_equals():
    rng = np.random.default_rng(1)
    a, b = rng.lognormal(size=(2000, 4)), rng.lognormal(size=(2000, 7))
    p = permutation_test(a, b, statistic="t", n_resamples=330).pvalue
    for level in (0.02, 0.05, 0.2):
        assert np.sum(p <= level) < at_most(2000, level)


@pytest.mark.parametrize("n", [5, 10, 20])
def test_intervals_hold_the_mean(n):
    """In 95 % of normal samples, where bias-corrected ones hold it in 83 to 93."""
    a = np.random.default_rng(n).normal(size=(2000, n))
    interval = bootstrap_ci(a, method="studentized", n_resamples=499, rng=1)
    low, high = interval.confidence_interval
    n_missed = np.sum((low > 0.0) | (high < 0.0))
    assert n_missed < at_most(2000, 0.06)
    assert n_missed > 2000 - at_most(2000, 0.96)
