"""Threefry words, and the uniforms, exponentials and normals made from them."""

import contextlib
import enum
import functools

import numpy as np
import pytest
import scipy.stats

from sigarray import aso, responses
from sigarray._backend.dispatch import library_of
from sigarray._backend.of_cupy import CupyLibrary
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import name_streams, seed_words, stream_seeds
from sigarray._backend.threefry import (
    exponentials,
    normals,
    overlapping_words,
    random_places,
    random_uniforms,
    random_words,
    threefry2x32,
    uniform_indices,
    uniforms,
)
from sigarray.responses import metrics
from tests import oracles
from tests.backends import everywhere, require
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


def as_unsigned(backend, words):
    return backend.to_numpy(words).view(np.uint32)


@pytest.mark.parametrize(("key", "counter", "expected"), KNOWN_ANSWERS)
def test_known_answers(backend, key, counter, expected):
    counter_words = words_on(backend, counter)
    words = threefry2x32(backend.library, words_on(backend, key), counter_words)
    assert tuple(int(as_unsigned(backend, word)[0]) for word in words) == expected
    assert oracles.threefry2x32(key, counter) == expected


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
        assert as_unsigned(backend, words)[row].tolist() == expected


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


def test_generators_move_on_and_repeat_by_seed(backend):
    if backend.is_jax:
        pytest.skip("JAX keys have no state: see test_jax_keys")
    make = generator_maker(backend)
    generator = make(5)
    draws = [
        [as_unsigned(backend, word)[0] for word in seed_words(backend.library, g)]
        for g in (generator, generator, make(5))
    ]
    assert draws[0] == draws[2]
    assert draws[0] != draws[1]


def generator_maker(backend):
    if backend.name.startswith("torch"):
        import torch

        return lambda seed: torch.Generator(device=backend.device).manual_seed(seed)
    if backend.name == "cupy":
        import cupy

        return cupy.random.default_rng
    return np.random.default_rng


def test_numpy_generators_serve_torch():
    torch = require("torch")
    import array_api_compat.torch

    library = library_of(array_api_compat.torch, torch.device("cpu"))
    on_torch = seed_words(library, np.random.default_rng(1))
    on_numpy = seed_words(HOST, np.random.default_rng(1))
    for word, expected in zip(on_torch, on_numpy, strict=True):
        assert word.numpy().view(np.uint32) == expected


def test_jax_keys():
    jax = require("jax")
    typed, legacy = jax.random.key(4), jax.random.PRNGKey(4)
    library = library_of(jax.numpy, None)
    words = [seed_words(library, key) for key in (typed, legacy)]
    assert int(words[0][0][0]) == int(words[1][0][0])
    assert int(words[0][1][0]) == int(words[1][1][0])
    other = seed_words(library, jax.random.key(5))
    assert int(other[0][0]) != int(words[0][0][0])


def test_default_is_fresh_entropy(backend):
    if backend.is_jax:
        with pytest.raises(TypeError, match=r"got None.*jax\.random\.key"):
            seed_words(backend.library, None)
        return
    first, second = (seed_words(backend.library, None) for _ in range(2))
    assert as_unsigned(backend, first[0]) != as_unsigned(backend, second[0])


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_integers_out_of_range(backend, seed):
    with pytest.raises(ValueError, match=r"\[0, 2\*\*64\); got"):
        seed_words(backend.library, seed)


@pytest.mark.parametrize("rng", ["0", 1.0, True, np.random.RandomState(0)])
def test_unusable_sources(backend, rng):
    with pytest.raises(TypeError, match=r"Expected rng to be an int"):
        seed_words(backend.library, rng)


def test_largest_seed(backend):
    words = seed_words(backend.library, 2**64 - 1)
    assert [int(as_unsigned(backend, word)[0]) for word in words] == [2**32 - 1] * 2


def test_torch_generator_on_another_device():
    torch = require("torch")
    import array_api_compat.torch

    library = library_of(array_api_compat.torch, torch.device("meta"))
    with pytest.raises(
        ValueError, match=r"Expected a generator on meta.*got one on cpu"
    ):
        seed_words(library, torch.Generator())


def test_uniforms_are_the_halves_of_words(backend):
    seed = stream_seeds(backend.library, seed_words(backend.library, 5), (0, 1, 2))
    values = backend.to_numpy(random_uniforms(backend.library, seed, 3, 40, 7))
    words = as_unsigned(backend, random_words(backend.library, seed, 3, 40, 4))
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


@everywhere
@pytest.mark.parametrize("sizes", [(1, 1), (7, 3), (1000, 999), (2**12, 5), (4097, 2)])
def test_places_are_the_shares_of_words(backend, sizes):
    """Floor(n w / 2^32) in exact integers, for words that overlap and for others."""
    seed = seed_words(backend.library, 5)
    draws, count = (60, 41), 12
    found = random_places(
        backend.library, seed, 3, count, sizes, draws, is_together=False
    )
    words = overlapping_words(backend.library, seed, 3, count, draws[0], sizes[0])
    words = as_unsigned(backend, words).astype(object)
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


def test_streams_are_unrelated_and_know_nothing_of_each_other(backend):
    seed = seed_words(backend.library, 3)
    streams = (5, 0, 2**63 + 1)

    def draw(chosen):
        seeds = stream_seeds(backend.library, seed, chosen)
        return as_unsigned(backend, random_words(backend.library, seeds, 4, 500, 7))

    words = draw(streams)
    assert words.shape == (500, 3, 7)
    np.testing.assert_array_equal(words[:, 1:2, :], draw((0,)))
    np.testing.assert_array_equal(words[:, ::-1, :], draw(streams[::-1]))
    columns = words.reshape(500, 21).astype(float)
    correlation = np.corrcoef(columns.T) - np.eye(21)
    assert np.abs(correlation).max() < scipy.stats.norm.isf(1e-6 / 420) / np.sqrt(500)


def test_names_have_streams_whatever_the_others_are():
    first = name_streams(["lstm", "cnn"])
    assert name_streams(["crf", "cnn", "lstm"])[:0:-1] == first
    assert name_streams([1, "1", "lstm"]) == name_streams(["lstm", "1", 1])[::-1]
    assert len(set(name_streams([1, "1", 1.5, (1,), "lstm"]))) == 5
    # Equal names have one.
    for name in (np.int64(1), True, 1.0, enum.IntEnum("Number", "A").A):
        assert name_streams([name]) == name_streams([1])
    assert name_streams([np.str_("lstm")]) == name_streams(["lstm"])
    assert all(0 <= stream < 2**64 for stream in first)


def test_torch_generator_of_the_device_in_other_words():
    torch = require("torch")
    import array_api_compat.torch

    for device in (torch.device("cpu"), torch.device("cpu", 0)):
        library = library_of(array_api_compat.torch, device)
        words = seed_words(library, torch.Generator().manual_seed(0))
        assert words[0].device.type == "cpu"
    for options in ({}, {"device": "cpu"}):
        generator = torch.Generator().manual_seed(0)
        sets = [
            responses.simulate(3, 2, xp=torch, rng=generator, **options).gold
            for generator in (generator, torch.Generator().manual_seed(0))
        ]
        assert torch.equal(*sets)
    small = {"n_items": 4, "n_sets": 3, "xp": torch}
    generator = torch.Generator().manual_seed(0)
    assert 0.0 < float(responses.true_p_value(**small, rng=generator).pvalue) <= 1.0
    share = responses.power(4, 2, n_sets=3, n_resamples=3, xp=torch, rng=generator)
    assert share.shape == (1, 1)


@pytest.mark.parametrize("kind", ["uint32", "int64", "uint64"])
@pytest.mark.parametrize("seed", [0, 2**31 + 7, 2**64 - 1])
def test_two_words_are_a_seed(backend, seed, kind):
    if backend.is_jax and kind != "int64":
        pytest.skip("two uint32 are a raw key of JAX")
    if backend.name == "jax.numpy" and seed:
        pytest.skip("its signed integers have 32 bits")
    if backend.name.startswith("torch") and kind != "int64":
        pytest.skip("torch's unsigned integers know no arithmetic")
    samples = [backend.asarray(x) for x in np.random.default_rng(0).normal(size=(2, 9))]
    words = np.array([seed % 2**32, seed >> 32]).astype(kind)
    expected = aso(*samples, method="bootstrap", n_resamples=20, rng=seed)
    rng = backend.asarray(words)
    result = aso(*samples, method="bootstrap", n_resamples=20, rng=rng)
    for x, y in zip(result, expected, strict=True):
        np.testing.assert_array_equal(backend.to_numpy(x), backend.to_numpy(y))


def test_seeds_of_torch_are_where_the_scores_are():
    torch = require("torch")
    a = torch.linspace(0.0, 1.0, 20)
    with pytest.raises(ValueError, match=r"Expected an integer rng on cpu.*on meta"):
        aso(a, a, rng=torch.tensor(0, device="meta"))
    large = 2**63 + 9
    found = aso(a, a + 0.1, rng=torch.tensor(large, dtype=torch.uint64))
    assert torch.equal(found.standard_error, aso(a, a + 0.1, rng=large).standard_error)


def test_words_of_another_library_are_named():
    torch = require("torch")
    a = np.arange(20.0)
    with pytest.raises(TypeError, match=r"of numpy.*got torch\.Tensor.*numpy\.asarray"):
        aso(a, a, rng=torch.tensor([0, 1]))
    with pytest.raises(
        TypeError, match=r"of torch.*got numpy\.ndarray.*torch\.asarray"
    ):
        aso(torch.asarray(a), torch.asarray(a), rng=np.arange(2))


class TestJax:
    @pytest.fixture
    def jax(self):
        return require("jax")

    @pytest.mark.parametrize("is_wide", [False, True])
    def test_an_integer_may_be_traced(self, jax, is_wide):
        a, b = np.random.default_rng(0).normal(size=(2, 20))
        with jax.enable_x64(is_wide):
            a, b = jax.numpy.asarray(a), jax.numpy.asarray(b)
            traces = []

            @jax.jit
            def find(seed):
                traces.append(seed)
                return aso(a, b, n_resamples=50, rng=seed).standard_error

            minus_one = aso(a, b, n_resamples=50, rng=2**64 - 1).standard_error
            assert float(find(-1)) == pytest.approx(float(minus_one), rel=1e-6)
            for seed in (0, 7, 2**31 - 1, *((2**40 + 3,) if is_wide else ())):
                expected = aso(a, b, n_resamples=50, rng=seed).standard_error
                assert float(find(seed)) == pytest.approx(float(expected), rel=1e-6)
                number = jax.numpy.asarray(seed)
                eager = aso(a, b, n_resamples=50, rng=number).standard_error
                assert float(eager) == float(expected)
            assert len(traces) == 1

    def test_several_keys_are_refused(self, jax):
        a = jax.numpy.arange(20.0)
        for keys in (
            jax.random.split(jax.random.key(0), 3),
            jax.random.split(jax.random.PRNGKey(0), 3),
        ):
            with pytest.raises(
                ValueError, match=r"one JAX key; got several.*jax\.vmap"
            ):
                aso(a, a, rng=keys)

    def test_arrays_that_are_no_seed(self, jax):
        a = jax.numpy.arange(20.0)
        for rng in (jax.numpy.arange(3), jax.numpy.asarray(0.5), np.arange(2.0)):
            with pytest.raises(
                TypeError, match=r"integer array of shape \(\) or \(2,\)"
            ):
                aso(a, a, rng=rng)

    def test_words_of_numpy_are_those_of_jax(self, jax):
        """A pair of uint32 is a raw key, of whichever library."""
        a, b = jax.numpy.linspace(0.0, 1.0, 20), jax.numpy.linspace(0.3, 0.8, 15)

        def find(words):
            return aso(a, b, n_resamples=50, rng=words).standard_error

        for dtype in ("uint32", "int32", "int64"):
            words = np.asarray([1, 2], dtype)
            expected = find(jax.numpy.asarray(words))
            for found in (
                find(words),
                jax.jit(find)(words),
                jax.jit(functools.partial(find, words))(),
            ):
                assert float(found) == float(expected)

    def test_options_of_metrics_are_compiled_once(self, jax):
        gold, a, b = responses.simulate(6, 2, xp=jax.numpy, rng=0)
        make = (
            lambda: metrics.binary("f1", gold_threshold=0.4),
            lambda: metrics.histogram_kl(n_bins=3),
            lambda: metrics.wins("mae", aggregate="median"),
        )
        for metric in make:
            assert metric() == metric()
            assert hash(metric()) == hash(metric())
        assert metrics.binary("f1") != metrics.binary("f1", system_threshold=0.4)

        programs = []
        for _ in range(2):
            metric = metrics.binary("recall", gold_threshold=0.3)
            with jax.no_tracing() if programs else contextlib.nullcontext():
                result = responses.response_test(
                    gold, a, b, metric=metric, n_resamples=7, rng=0
                )
            programs.append(result)
        assert programs[0] == programs[1]


def test_cupy_generators_are_read_by_halves():
    """CuPy before 14.2 fills a whole range of uint32 from memory nobody wrote to."""

    class Generator:
        def integers(self, low, high, size, dtype):
            assert (low, high) == (0, 2**16)
            return np.array([1, 2, 3, 4], dtype)

    Generator.__module__ = "cupy.random"
    low, high = seed_words(CupyLibrary(np, None), Generator())
    assert (low.tolist(), high.tolist()) == ([2**16 + 3], [2 * 2**16 + 4])
