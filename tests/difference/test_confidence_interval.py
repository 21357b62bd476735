"""Bootstrap intervals, against SciPy on the same replicates, and their coverage."""

import types

import numpy as np
import pytest
import scipy.stats

import sigarray
from sigarray import bootstrap_ci, probability_of_improvement
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import random_words, uniform_indices
from sigarray._backend.workers import Execution, executed_by
from sigarray._difference.influences import _iqms_without_one, _medians_without_one
from tests.backends import ONE_WIDTH
from tests.chosen import few_on_jax
from tests.oracles import FALSE_ALARM

METHODS = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}


def spread(x, axis=-1):
    return (x**2).mean(axis=axis)


def iqm(x, axis=-1):
    return scipy.stats.trim_mean(x, 0.25, axis=axis)


STATISTICS = {
    "mean": np.mean,
    "median": np.median,
    "iqm": iqm,
    "callable": spread,
}


def replicates(statistic, samples, paired, count):
    """What the definition of the random words says, one sample at a time."""
    seed = seed_words(HOST, 3)
    values = []
    for k, sample in enumerate(samples):
        n = sample.shape[-1]
        # The second sample has counters of its own, from 2^30 on; pairs share them.
        first = 2**30 if k and not paired else 0
        words = random_words(HOST, seed, 0, count + 1, -(-n // 2), first_block=first)
        halves = np.concatenate([words >> 16, words & 0xFFFF], axis=-1)[:, :n]
        words = halves[:-1] << 16 | halves[1:]
        values.append(statistic(sample[uniform_indices(HOST, words, n)], axis=-1))
    return values[0] - values[1] if len(values) == 2 else values[0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("kind", ["one", "independent", "paired"])
@pytest.mark.parametrize("n", [8, 13])
def test_it_is_scipys_for_the_same_replicates(backend, method, statistic, kind, n):
    theirs = STATISTICS[statistic]
    rng = np.random.default_rng(n)
    samples = [rng.gamma(2.0, 1.0, n).astype(np.float32).astype(float)]
    if kind != "one":
        m = n if kind == "paired" else n + 4
        samples.append(rng.exponential(1.0, m).astype(np.float32).astype(float))
    paired = kind == "paired"

    def difference(*x, axis=-1):
        values = [theirs(y, axis=axis) for y in x]
        return values[0] - values[1] if len(values) == 2 else values[0]

    distribution = replicates(theirs, samples, paired, 700)
    expected = scipy.stats.bootstrap(
        samples,
        difference,
        n_resamples=0,
        bootstrap_result=types.SimpleNamespace(bootstrap_distribution=distribution),
        method=METHODS[method],
        paired=paired,
        confidence_level=0.9,
    )
    interval = bootstrap_ci(
        *map(backend.asarray, samples),
        statistic=(
            (lambda x, axis: backend.xp.mean(x * x, axis=axis))
            if statistic == "callable"
            else statistic
        ),
        confidence_level=0.9,
        method=method,
        paired=paired,
        n_resamples=700,
        rng=3,
    )
    atol = 1e-9 if backend.float_name == "float64" else 2e-4
    np.testing.assert_allclose(
        [float(limit) for limit in interval.confidence_interval],
        expected.confidence_interval,
        atol=atol,
    )
    assert float(interval.standard_error) == pytest.approx(
        expected.standard_error, abs=atol
    )
    assert float(interval.statistic) == pytest.approx(difference(*samples), abs=1e-5)


WITHOUT_ONE = [(_medians_without_one, np.median), (_iqms_without_one, iqm)]


@few_on_jax(
    "find, statistic, n",
    [(*x, n) for x in WITHOUT_ONE for n in (2, 3, 4, 5, 7, 8, 9, 10)],
    few=[(*x, n) for x in WITHOUT_ONE for n in (5, 8)],
    backends=ONE_WIDTH,
)
def test_values_without_one_score(backend, find, statistic, n):
    x = np.random.default_rng(n).integers(0, 4, (20, n)).astype(float)
    expected = [
        statistic(np.delete(x, i, axis=-1), axis=-1) for i in range(x.shape[-1])
    ]
    result = find(backend.library, backend.asarray(x))
    np.testing.assert_allclose(
        backend.to_numpy(result), np.stack(expected, axis=-1), atol=1e-6
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("statistic", ["mean", "median", "iqm"])
def test_data_that_do_not_vary_have_a_point(backend, method, statistic):
    x = backend.asarray([0.1] * 7)
    interval = bootstrap_ci(x, statistic=statistic, method=method, rng=0)
    for limit in interval.confidence_interval:
        assert float(limit) == pytest.approx(0.1, abs=1e-7)
    assert float(interval.standard_error) == pytest.approx(0.0, abs=1e-7)
    same = bootstrap_ci(x, x, statistic=statistic, method=method, paired=True, rng=0)
    assert float(same.confidence_interval.low) == pytest.approx(0.0, abs=1e-7)


def test_replicates_on_one_side_of_the_statistic():
    """The statistic is the sum of squares of unlike scores: resamples fall short."""

    def distinct(x, axis):
        ordered = np.sort(x, axis=axis)
        return np.mean(np.diff(ordered, axis=axis) > 0.0, axis=axis)

    interval = bootstrap_ci(np.arange(40.0), statistic=distinct, rng=0)
    assert interval.statistic == 1.0
    low, high = interval.confidence_interval
    assert 0.0 < low <= high < 1.0


def test_beyond_the_pole_the_limit_is_the_largest_replicate():
    """One score far off has the acceleration 1/6, and z reaches 7."""
    x = np.zeros(60)
    x[0] = 1.0
    options = {"confidence_level": 1.0 - 1e-12, "n_resamples": 99, "rng": 0}

    def find_limits(x, **changes):
        return bootstrap_ci(x, **options, **changes).confidence_interval

    largest = find_limits(x, method="percentile").high
    assert find_limits(x).high == pytest.approx(float(largest), rel=1e-9)
    smallest = find_limits(-x, method="percentile").low
    assert find_limits(-x).low == pytest.approx(float(smallest), rel=1e-9)


def test_batch_entries_taken_some_at_a_time():
    x = np.random.default_rng(0).normal(size=(5, 3, 12))
    whole = bootstrap_ci(x, n_resamples=200, rng=1)
    with executed_by(Execution(room=1000)):
        parts = bootstrap_ci(x, n_resamples=200, rng=1)
    for part, expected in zip(parts, whole, strict=True):
        np.testing.assert_allclose(part, expected, rtol=1e-13)


@pytest.mark.parametrize(
    ("method", "nominal"), [("percentile", 0.88), ("basic", 0.88), ("bca", 0.89)]
)
def test_coverage_of_the_mean(method, nominal):
    """2000 samples of 40 normal scores; 0.9 in the limit of many scores."""
    x = np.random.default_rng(5).normal(size=(2000, 40))
    interval = bootstrap_ci(
        x, confidence_level=0.9, method=method, n_resamples=999, rng=0
    )
    low, high = interval.confidence_interval
    covered = int(((low <= 0.0) & (high >= 0.0)).sum())
    low, high = scipy.stats.binom.interval(1 - FALSE_ALARM, 2000, nominal)
    assert low <= covered <= high


def test_methods_are_spelt_as_in_scipy():
    options = {"rng": 0, "n_resamples": 99}
    by_us = bootstrap_ci(np.arange(9.0), **options)
    assert bootstrap_ci(np.arange(9.0), method="BCa", **options) == by_us


@pytest.mark.parametrize(
    ("samples", "options", "message"),
    [
        (([1.0],), {}, "two scores or more in a sample, to resample; got 1"),
        (([1.0, 2.0], [1.0]), {}, "two scores or more in a sample.*got 2 and 1"),
        (([1.0, 2.0],), {"paired": True}, "two samples with paired=True; got one"),
        (([1.0, 2.0], [1.0] * 3), {"paired": True}, "they are pairs; got 2 and 3"),
        (
            ([1.0, 2.0],),
            {"method": "normal"},
            "method to be one of 'percentile', 'basic'",
        ),
        (([1.0, 2.0],), {"confidence_level": 1.0}, r"confidence_level to be in \(0, 1"),
        (([1.0, 2.0],), {"statistic": "mode"}, "statistic to be one of"),
        (([1.0, 2.0],), {"n_resamples": 0}, "n_resamples to be an integer from 2"),
    ],
)
def test_impossible_options(samples, options, message):
    with pytest.raises(ValueError, match=message):
        bootstrap_ci(*samples, rng=0, **options)


@pytest.mark.parametrize("n", [12, 3000])
def test_statistics_may_write_into_what_they_get(n):
    """The scores of the caller stay as they are, and so do the numbers."""

    def smallest(x, axis):
        x.sort(axis=axis)
        return x[..., 0]

    x = np.random.default_rng(0).normal(size=(3, n))
    kept, options = x.copy(), {"n_resamples": 9, "rng": 0}
    calls = {
        "one": lambda f: bootstrap_ci(x, statistic=f, **options),
        "paired": lambda f: bootstrap_ci(x[0], x[1], statistic=f, **options),
        "test": lambda f: sigarray.bootstrap_test(x[0], x[1], statistic=f, **options),
        "ranks": lambda f: sigarray.rank_ci(x, statistic=f, **options),
        "permutation": lambda f: sigarray.permutation_test(
            x[0], x[1], statistic=f, **options
        ),
    }
    for name, call in calls.items():
        result, expected = call(smallest), call(np.min)
        np.testing.assert_array_equal(x, kept, err_msg=name)
        for value, wanted in zip(result, expected, strict=True):
            if value is not None:
                np.testing.assert_allclose(value, wanted, rtol=1e-12, err_msg=name)


@pytest.mark.parametrize("find", [bootstrap_ci, probability_of_improvement])
def test_one_resample_is_no_interval(find):
    """It was a point, with an error of NaN."""
    with pytest.raises(ValueError, match="n_resamples to be an integer from 2"):
        find([1.0, 2.0], [2.0, 4.0], n_resamples=1, rng=0)
