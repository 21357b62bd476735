"""Seeds: what `rng=` may be, the two words it becomes, and streams of one seed."""

import enum
import functools

import numpy as np
import pytest
import scipy.stats

from sigarray import aso, responses
from sigarray._backend.dispatch import library_of
from sigarray._backend.of_cupy import CupyLibrary
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import (
    name_streams,
    seed_words,
    spare_seed,
    stream_seeds,
)
from sigarray._backend.threefry import random_words
from tests import oracles
from tests.backends import HERE, require
from tests.chosen import few_on_jax


def test_generators_move_on_and_repeat_by_seed(backend):
    if backend.is_jax:
        pytest.skip("JAX keys have no state: see test_jax_keys")
    make = generator_maker(backend)
    generator = make(5)
    draws = [
        [backend.to_words(word)[0] for word in seed_words(backend.library, g)]
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
    assert backend.to_words(first[0]) != backend.to_words(second[0])


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
    assert [int(backend.to_words(word)[0]) for word in words] == [2**32 - 1] * 2


def test_torch_generator_on_another_device():
    torch = require("torch")
    import array_api_compat.torch

    library = library_of(array_api_compat.torch, torch.device("meta"))
    with pytest.raises(
        ValueError, match=r"Expected a generator on meta.*got one on cpu"
    ):
        seed_words(library, torch.Generator())


def test_streams_are_unrelated_and_know_nothing_of_each_other(backend):
    seed = seed_words(backend.library, 3)
    streams = (5, 0, 2**63 + 1)

    def draw(chosen):
        seeds = stream_seeds(backend.library, seed, chosen)
        return backend.to_words(random_words(backend.library, seeds, 4, 500, 7))

    words = draw(streams)
    assert words.shape == (500, 3, 7)
    np.testing.assert_array_equal(words[:, 1:2, :], draw((0,)))
    np.testing.assert_array_equal(words[:, ::-1, :], draw(streams[::-1]))
    columns = words.reshape(500, 21).astype(float)
    correlation = np.corrcoef(columns.T) - np.eye(21)
    assert np.abs(correlation).max() < scipy.stats.norm.isf(1e-6 / 420) / np.sqrt(500)


def test_no_replicate_takes_the_words_of_the_spare_seed():
    seed = seed_words(HOST, 5)
    words = np.stack(spare_seed(HOST, seed), axis=-1)
    assert words.shape == (1, 2)
    taken = random_words(HOST, seed, 0, 10_000, 2)
    assert not np.isin(words, taken).any()


@few_on_jax("n_streams", [1, 2, 8, 9, 30], few=[2, 9], backends=HERE)
def test_few_and_many_streams_have_the_same_seeds(backend, n_streams):
    seed = seed_words(backend.library, 2**63 + 3)
    numbered = range(n_streams)
    named = [2**63 + 1, *numbered][:n_streams]
    for streams in (numbered, named):
        low, high = map(
            backend.to_words, stream_seeds(backend.library, seed, tuple(streams))
        )
        assert low.shape == high.shape == (n_streams, 1)
        expected = [
            oracles.threefry2x32((3, 2**31), (x % 2**32, x >> 32)) for x in streams
        ]
        assert list(zip(low[:, 0], high[:, 0], strict=True)) == expected


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

    @pytest.mark.long
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
                # A compiler may round a division elsewhere.
                assert float(found) == pytest.approx(float(expected), rel=1e-6)


def test_cupy_generators_are_read_by_halves():
    """CuPy before 14.2 fills a whole range of uint32 from memory nobody wrote to."""

    class Generator:
        def integers(self, low, high, size, dtype):
            assert (low, high) == (0, 2**16)
            return np.array([1, 2, 3, 4], dtype)

    Generator.__module__ = "cupy.random"
    low, high = seed_words(CupyLibrary(np, None), Generator())
    assert (low.tolist(), high.tolist()) == ([2**16 + 3], [2 * 2**16 + 4])
