"""Threefry words, and the uniforms, exponentials and normals made from them."""

import math

import numpy as np
import pytest
import scipy.stats

from sigarray._backend.dispatch import library_of
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import (
    exponentials,
    normals,
    random_bits,
    seed_words,
    stream_seeds,
    uniforms,
)
from sigarray._backend.threefry import (
    encrypt_number,
    overlapping_words,
    random_places,
    random_uniforms,
    random_words,
    threefry2x32,
    uniform_indices,
)
from tests import oracles
from tests.backends import ONE_WIDTH, everywhere, require
from tests.chosen import few_on_jax
from tests.oracles import FALSE_ALARM

# Random123 1.14, tests/kat_vectors: threefry2x32 with 20 rounds.
KNOWN_ANSWERS = [
    ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
    ((2**32 - 1,) * 2, (2**32 - 1,) * 2, (0x1CB996FC, 0xBB002BE7)),
    ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
]


def words_on(backend, pair):
    """Return words as arrays of shape (1,), signed where the backend has them so."""
    dtype = "int32" if backend.name.startswith("torch") else "uint32"
    words = np.array(pair, dtype=np.uint32).view(dtype)
    return tuple(backend.asarray(word[None]) for word in words)


@pytest.mark.parametrize(("key", "counter", "expected"), KNOWN_ANSWERS)
def test_known_answers(backend, key, counter, expected):
    counter_words = words_on(backend, counter)
    words = threefry2x32(backend.library, words_on(backend, key), counter_words)
    assert tuple(int(backend.to_words(word)[0]) for word in words) == expected
    assert oracles.threefry2x32(key, counter) == expected
    assert encrypt_number(key, counter) == expected


def test_words_are_a_function_of_seed_replicate_and_element(backend):
    seed, start, count, width = 2**63 + 12345, 7, 3, 5
    words = random_words(
        backend.library,
        seed_words(backend.library, seed),
        start,
        count,
        width,
    )
    key = (seed % 2**32, seed >> 32)
    for row, replicate in enumerate(range(start, start + count)):
        blocks = [oracles.threefry2x32(key, (replicate, block)) for block in range(3)]
        expected = [block[half] for half in (0, 1) for block in blocks][:width]
        assert backend.to_words(words)[row].tolist() == expected


@pytest.fixture(scope="module")
def many_words():
    return random_words(HOST, seed_words(HOST, 2026), 0, 1000, 1000)


def test_uniforms_are_uniform(many_words):
    values = uniforms(HOST, many_words).ravel()
    assert values.dtype == np.float32
    assert values.min() > 0.0
    assert values.max() <= 1.0
    counts, _ = np.histogram(values, bins=1000, range=(0.0, 1.0))
    assert scipy.stats.chisquare(counts).pvalue > FALSE_ALARM


def test_exponentials_are_exponential(many_words):
    values = exponentials(HOST, uniforms(HOST, many_words)).ravel()
    edges = scipy.stats.expon.ppf(np.linspace(0.0, 1.0, 1001))
    counts, _ = np.histogram(values, bins=edges)
    assert scipy.stats.chisquare(counts).pvalue > FALSE_ALARM


def test_normals_are_normal(many_words):
    values = normals(HOST, *uniforms(HOST, many_words.reshape(2, 500, 1000)))
    edges = scipy.stats.norm.ppf(np.linspace(0.0, 1.0, 1001))
    counts, _ = np.histogram(values, bins=edges)
    assert scipy.stats.chisquare(counts).pvalue > FALSE_ALARM
    assert_uncorrelated(values[:, :1000].ravel(), values[:, 1000:].ravel())


@pytest.mark.parametrize("draw", [uniforms, exponentials])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("lag", [1, 2, 500])
def test_neighbours_are_uncorrelated(many_words, draw, axis, lag):
    """Along elements and along replicates; 500 is the other word of a block."""
    values = np.moveaxis(draw(np, many_words), axis, 0).astype(np.float64)
    assert_uncorrelated(values[lag:].ravel(), values[:-lag].ravel())


def test_neighbouring_seeds_are_uncorrelated(many_words):
    others = random_words(HOST, seed_words(HOST, 2027), 0, 1000, 1000)
    assert_uncorrelated(
        uniforms(HOST, many_words).ravel(), uniforms(HOST, others).ravel()
    )


def assert_uncorrelated(x, y):
    z = np.corrcoef(x.astype(np.float64), y.astype(np.float64))[0, 1] * np.sqrt(x.size)
    assert 2.0 * scipy.stats.norm.sf(abs(z)) > FALSE_ALARM


def test_uniforms_are_the_halves_of_words(backend):
    seed = stream_seeds(backend.library, seed_words(backend.library, 5), (0, 1, 2))
    values = backend.to_numpy(random_uniforms(backend.library, seed, 3, 40, 7))
    words = backend.to_words(random_words(backend.library, seed, 3, 40, 4))
    halves = np.concatenate([words >> 16, words & 0xFFFF], axis=-1)[..., :7]
    np.testing.assert_array_equal(values, (halves + 0.5) / 2**16)


def test_halves_are_good_enough_for_exponentials_and_normals():
    """By the moments of all that there are."""
    u = (np.arange(2**16) + 0.5) / 2**16
    values = exponentials(HOST, u.astype(np.float32)).astype(np.float64)
    assert abs(values.mean() - 1.0) < 1e-5
    assert abs(values.var() - 1.0) < 1.3e-4
    squares = 2.0 * values  # of radii
    assert abs(np.mean(squares**2) / 8.0 - 1.0) < 1e-4


def test_overlapping_words_have_the_upper_halves_of_two_replicates(backend):
    seed = seed_words(backend.library, 5)
    words = backend.to_numpy(overlapping_words(backend.library, seed, 3, 40, 7, 9))
    plain = backend.to_numpy(random_words(backend.library, seed, 3, 41, 4))
    words, plain = words.astype(np.uint32), plain.astype(np.uint32)
    upper = np.concatenate([plain >> 16, plain & 0xFFFF], axis=-1)[:, :7]
    np.testing.assert_array_equal(words >> 16, upper[:-1])
    np.testing.assert_array_equal(words & 0xFFFF, upper[1:])
    later = backend.to_numpy(overlapping_words(backend.library, seed, 20, 5, 7, 9))
    np.testing.assert_array_equal(later.astype(np.uint32), words[17:22])


@few_on_jax(
    "n, m",
    [(1, 1), (7, 3), (1000, 999), (2**12, 5), (4097, 2)],
    few=[(7, 3), (4097, 2)],
    backends=ONE_WIDTH,
)
def test_places_are_the_shares_of_words(backend, n, m):
    """Floor(n w / 2^32) in exact integers, for words that overlap and for others."""
    sizes = n, m
    seed = seed_words(backend.library, 5)
    draws, count = (60, 41), 12
    found = random_places(
        backend.library, seed, 3, count, sizes, draws, is_together=False
    )
    words = overlapping_words(backend.library, seed, 3, count, draws[0], sizes[0])
    words = backend.to_words(words).astype(object)
    expected = ((sizes[0] * words) >> 32).astype(np.int64)
    np.testing.assert_array_equal(backend.to_numpy(found[0]), expected)
    # Each is as if it were alone, and the second one has other words.
    (alone,) = random_places(
        backend.library, seed, 3, count, sizes[:1], draws[:1], False
    )
    np.testing.assert_array_equal(backend.to_numpy(alone), expected)
    _, second = random_places(
        backend.library, seed, 3, count, (9, sizes[1]), (5, draws[1]), False
    )
    np.testing.assert_array_equal(*map(backend.to_numpy, (found[1], second)))
    if min(sizes) > 1:
        assert np.mean(backend.to_numpy(found[1]) == expected[:, :41]) < 0.9


@pytest.mark.long
def test_overlapping_words_choose_uncorrelated_resamples():
    """Means of resamples of 1000 scores, one replicate after the other."""
    words = overlapping_words(HOST, seed_words(HOST, 0), 0, 20_001, 1000, 1000)
    scores = np.random.default_rng(0).normal(size=1000)
    means = scores[uniform_indices(HOST, words, 1000)].mean(axis=-1)
    means = (means - scores.mean()) / (scores.std() / np.sqrt(1000))
    z = scipy.stats.norm.isf(1e-6 / 2)
    assert abs(means.mean()) < z / np.sqrt(20_001)
    assert abs(means.var() - 1.0) < z * np.sqrt(2.0 / 20_001)
    assert abs(np.mean(means[1:] * means[:-1])) < z / np.sqrt(20_000)


@everywhere
@pytest.mark.parametrize("n", [1, 2, 5, 1000, 2**16, 2**20 + 7, 2**31 - 1])
def test_indices_are_scaled_words(backend, n):
    words = np.random.default_rng(n).integers(0, 2**32, 1000, dtype=np.uint32)
    words[:2] = 0, 2**32 - 1
    signed = words.view(np.int32) if backend.name.startswith("torch") else words
    places = uniform_indices(backend.library, backend.asarray(signed), n)
    expected = (words.astype(object) * n) // 2**32
    assert backend.to_numpy(places).tolist() == expected.tolist()


def test_indices_without_64_bit_integers():
    strict = require("array_api_strict")
    device = strict.Device("no_x64")
    library = library_of(strict, device)
    words = np.random.default_rng(0).integers(0, 2**32, 1000, dtype=np.uint32)
    for n in (5, 2**16 + 3, 2**31 - 1):
        places = uniform_indices(library, strict.asarray(words, device=device), n)
        expected = (words.astype(object) * n) // 2**32
        host = np.asarray(places.to_device(strict.Device("CPU_DEVICE")))
        assert host.tolist() == expected.tolist()


@everywhere
def test_bits_are_fair(backend):
    words = random_words(backend.library, seed_words(backend.library, 1), 0, 2000, 3)
    bits = backend.to_numpy(random_bits(backend.library, words, 70))
    assert bits.shape == (2000, 70)
    assert set(np.unique(bits)) == {0, 1}
    z = (bits.mean(axis=0) - 0.5) * 2.0 * math.sqrt(2000)
    assert np.abs(z).max() < scipy.stats.norm.isf(FALSE_ALARM / 140)
