"""Clusters by labels on a device, of which there may be fewer than said."""

import numpy as np
import pytest

from sigarray import (
    bootstrap_ci,
    bootstrap_replicates,
    bootstrap_test,
    corpus,
    of_sums,
    permutation_replicates,
    permutation_test,
)
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import (
    overlapping_words,
    random_places,
    random_places_of_first,
)
from tests.backends import require

N_CLUSTERS = 7


@pytest.fixture(scope="module")
def items():
    """Return labels with gaps, and scores of two models."""
    rng = np.random.default_rng(0)
    codes = np.append(np.arange(N_CLUSTERS), rng.integers(0, N_CLUSTERS, 23))
    return 3 * codes, rng.normal(size=(2, 30)) + rng.normal(size=(2, 7))[:, codes]


def on_device(*arrays):
    torch = require("torch")
    return tuple(torch.asarray(x) for x in arrays)


class TestPlaces:
    def test_they_are_below_the_number(self):
        seed, number = seed_words(HOST, 3), np.array([N_CLUSTERS])
        (found,) = random_places_of_first(HOST, seed, 2, 50, [12], [number], False)
        words = overlapping_words(HOST, seed, 2, 50, 12, 12).astype(np.uint64)
        np.testing.assert_array_equal(found[:, :7], (words[:, :7] * 7 >> 32))
        assert np.all(found[:, 7:] == 12)

    @pytest.mark.parametrize("size", [5, 6000])
    def test_all_are_those_of_a_static_number(self, size):
        seed, numbers = seed_words(HOST, 3), [np.array([size]), np.array([size + 1])]
        sizes = [size, size + 1]
        found = random_places_of_first(HOST, seed, 1, 4, sizes, numbers, False)
        expected = random_places(HOST, seed, 1, 4, sizes, sizes, False)
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_array_equal(one, other)


class TestBootstrap:
    @pytest.mark.parametrize("statistic", ["mean", "median"])
    @pytest.mark.parametrize("number", [19, 25, None])
    def test_replicates_are_those_of_a_loop(self, items, statistic, number):
        labels, (a, b) = items
        size = number or len(labels)
        found = bootstrap_replicates(
            *on_device(a, b),
            paired=True,
            statistic=statistic,
            clusters=on_device(labels)[0],
            n_clusters=number,
            start=3,
            count=20,
            rng=0,
        )
        (drawn,) = random_places_of_first(
            HOST, seed_words(HOST, 0), 3, 20, [size], [np.array([7])], False
        )
        of = [np.flatnonzero(labels == 3 * k) for k in range(N_CLUSTERS)]
        measure = getattr(np, statistic)
        for value, places in zip(found.numpy(), drawn[:, :N_CLUSTERS], strict=True):
            chosen = np.concatenate([of[k] for k in places])
            expected = measure(a[chosen]) - measure(b[chosen])
            np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-14)

    @pytest.mark.parametrize("statistic", ["mean", "iqm", of_sums(corpus.ratio)])
    @pytest.mark.parametrize("is_one", [True, False])
    def test_the_interval_is_that_of_the_exact_number(self, items, statistic, is_one):
        """The acceleration does not count clusters that are not there."""
        labels, (a, b) = items
        samples = [a, b[:28]]
        if not isinstance(statistic, str):
            samples = [np.stack([x, x * x + 1.0]) for x in samples]
        codes = labels // 3, labels[:28] // 3
        if is_one:
            samples, codes = samples[:1], codes[:1]
        options = {"statistic": statistic, "method": "bca", "n_resamples": 8000}
        one = (lambda x: x[0]) if is_one else (lambda x: x)
        exact = bootstrap_ci(*samples, clusters=one(codes), rng=1, **options)
        found = bootstrap_ci(
            *on_device(*samples),
            clusters=one(on_device(*codes)),
            n_clusters=11,
            rng=1,
            **options,
        )
        np.testing.assert_allclose(found.statistic, exact.statistic, rtol=1e-12)
        error = float(exact.standard_error)
        np.testing.assert_allclose(found.standard_error, error, rtol=0.04)
        np.testing.assert_allclose(
            found.confidence_interval, exact.confidence_interval, atol=0.12 * error
        )

    def test_gaps_between_labels_change_nothing(self, items):
        labels, samples = items
        options = {"paired": True, "n_clusters": 20, "rng": 0, "n_resamples": 99}
        found = [
            bootstrap_test(
                *on_device(*samples), clusters=on_device(codes)[0], **options
            )
            for codes in (labels, labels // 3)
        ]
        assert found[0] == found[1]


class TestPermutations:
    def test_flips_of_nothing_change_nothing(self, items):
        labels, samples = items
        codes = on_device(labels // 3)[0]
        exact = permutation_test(*samples, paired=True, clusters=labels)
        for number in (7, 8, 11):
            found = permutation_test(
                *on_device(*samples), paired=True, clusters=codes, n_clusters=number
            )
            np.testing.assert_allclose(found.pvalue, exact.pvalue, rtol=1e-12)
        drawn = permutation_test(
            *on_device(*samples), paired=True, clusters=codes, rng=0
        )
        np.testing.assert_allclose(drawn.pvalue, exact.pvalue, atol=0.02)

    def test_deals_are_those_of_a_loop(self, items):
        labels, (a, b) = items
        b, codes, of_b = b[:20], labels // 3, labels[:20] // 6
        found = permutation_replicates(
            *on_device(a, b),
            clusters=on_device(codes, of_b),
            n_clusters=(15, 9),
            start=1,
            count=40,
            rng=0,
        )
        words = overlapping_words(HOST, seed_words(HOST, 0), 1, 40, 24, 24)
        are_there = np.append(np.arange(15) < N_CLUSTERS, np.arange(9) < 4)
        pool, of_pool = np.append(a, b), np.append(codes, of_b + 15)
        for value, row in zip(found.numpy(), words, strict=True):
            order = np.argsort(row)
            dealt = order[are_there[order]][:N_CLUSTERS]
            is_of_a = np.isin(of_pool, dealt)
            expected = pool[is_of_a].mean() - pool[~is_of_a].mean()
            np.testing.assert_allclose(value, expected, rtol=0, atol=1e-12)

    @pytest.mark.parametrize(("numbers", "is_known"), [((7, 4), True), ((8, 4), False)])
    def test_all_deals_need_the_exact_number(self, items, numbers, is_known):
        labels, (a, b) = items
        found = permutation_test(
            *on_device(a, b[:20]),
            clusters=on_device(labels // 3, labels[:20] // 6),
            n_clusters=numbers,
        )
        assert bool(np.isfinite(float(found.pvalue))) == is_known


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_a_single_cluster_has_no_interval(statistic):
    x = np.linspace(0.0, 1.0, 9)
    options = {"statistic": statistic, "n_resamples": 99, "rng": 0}
    found = bootstrap_ci(
        *on_device(x), clusters=on_device(np.zeros(9, int))[0], n_clusters=3, **options
    )
    assert np.isnan(float(found.statistic))
    assert np.isnan(float(found.standard_error))


def test_the_number_is_traced():
    """One program for any labels, and for batches of them."""
    jax = require("jax")
    x = np.random.default_rng(0).normal(size=(3, 12))
    labels = np.stack([np.arange(12) % k for k in (3, 4, 6)])
    options = {"n_resamples": 99, "rng": 0, "n_clusters": 8, "statistic": "median"}

    def find(x, labels):
        return bootstrap_ci(x, clusters=labels, **options).confidence_interval

    every = jax.jit(jax.vmap(find))(x, labels)
    for k in range(3):
        one = jax.jit(find)(x[k], jax.numpy.asarray(labels[k]))
        np.testing.assert_array_equal([x[k] for x in every], one)
        assert np.all(np.isfinite(one))
