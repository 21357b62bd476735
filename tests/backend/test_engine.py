"""The engine gives the bits of the array code, with any instructions and threads."""

import functools
import threading

import numpy as np
import pytest

import sigarray
from sigarray import corpus, of_sums
from sigarray._backend.compiled_numpy import load_kernels
from sigarray._backend.library import Library
from sigarray._backend.of_numpy import HOST
from sigarray._backend.threefry import random_counts
from sigarray._backend.workers import Execution, executed_by
from sigarray._numeric.quantile import Spacings, merge_steps, sorted_resamples
from sigarray._numeric.sums import sum_of_exchanged
from sigarray._order.comparison import ratio_of_samples
from sigarray._order.errors import exact_errors
from sigarray._order.ratio import map_ratios, merge_sizes
from tests.backend.kernels import REQUESTS, expect, seed_of
from tests.backends import needs_engine, whole_suite, without_engine

pytestmark = [needs_engine, whole_suite]
REALS = ("float64", "float32")
# Below and beyond eight numbers, blocks of 128, and rows of more than one of these.
SIZES = (1, 2, 7, 8, 9, 31, 32, 33, 127, 128, 129, 257, 1000, 4097)


@pytest.fixture(params=range(2))
def level(request):
    """Each set of instructions that the processor has."""
    module = load_kernels().module
    if request.param >= module.count_levels():
        pytest.skip("the processor has no such instructions")
    module.use_level(request.param)
    yield request.param
    module.use_level(module.count_levels() - 1)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def assert_same(found, expected):
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert np.array_equal(found, expected, equal_nan=True)
    # 0 and -0 are equal, and not the same.
    signs = [np.signbit(x) & ~np.isnan(x) for x in (found, expected)]
    assert np.array_equal(*signs)


def make_numbers(rng, shape, dtype):
    """Make numbers of all sizes, whose sums depend on their order."""
    return (rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4, shape)).astype(dtype)


class TestWords:
    @pytest.mark.parametrize("request_", REQUESTS, ids=str)
    def test_kinds(self, level, request_):
        kind, numbers, streams = request_
        found = load_kernels().draw(seed_of(streams), kind, numbers)
        assert_same(found, expect(kind, numbers, streams))

    @pytest.mark.parametrize("rows", [1, 2, 70])
    def test_widths(self, level, rows):
        for width in (1, 2, 3, 126, 127, 128, 129, 255, 256, 257, 1001):
            for kind, halves, size in ((0, 0, 1), (0, 1, 1), (1, 1, 1), (2, 1, 99)):
                numbers = [5, rows, width, halves, size, 0]
                found = load_kernels().draw(seed_of(1), kind, numbers)
                assert_same(found, expect(kind, numbers, 1))


class TestSums:
    @pytest.mark.parametrize("dtype", REALS)
    def test_of_numbers_at_places(self, level, rng, dtype):
        for n in SIZES:
            places = rng.integers(0, n, (3, n + 5))
            for leading in ((), (2,), (2, 3)):
                x = make_numbers(rng, (*leading, n), dtype)
                x[..., -1:] *= -0.0 if leading else 1.0
                for name in ("sum_taken", "mean_taken"):
                    found = getattr(HOST, name)(x, places)
                    assert_same(found, getattr(Library, name)(HOST, x, places))

    @pytest.mark.parametrize("dtype", REALS)
    def test_of_numbers_in_a_unit(self, level, rng, dtype):
        """And of squares of their deviations; of samples that are flat, 0."""
        for n in SIZES[1:]:
            for leading in ((), (2,), (2, 3)):
                x = make_numbers(rng, (*leading, n), dtype)
                low = np.min(x, axis=-1)
                unit = np.asarray(rng.uniform(size=leading)).astype(dtype)
                for own in (unit, np.where(low < 0.5, np.inf, unit).astype(dtype)):
                    for y in (x, np.asfortranarray(x)):
                        with without_engine():
                            expected = HOST.relative_moments(y, low, own)
                        for f, e in zip(
                            HOST.relative_moments(y, low, own), expected, strict=True
                        ):
                            assert_same(f, e)

    def test_of_strided_numbers(self, rng):
        x, places = rng.normal(size=(5, 40, 2))[..., 0], rng.integers(0, 40, (6, 8))
        assert_same(HOST.sum_taken(x, places.T), Library.sum_taken(HOST, x, places.T))

    @pytest.mark.parametrize("dtype", REALS)
    def test_of_exchanged_pairs(self, level, rng, dtype):
        for n in SIZES:
            gaps = make_numbers(rng, (2, n), dtype)
            words = rng.integers(0, 2**32, (4, -(-n // 32)), dtype=np.uint32)
            found = sum_of_exchanged(HOST, gaps, words)
            with without_engine():
                assert_same(found, sum_of_exchanged(HOST, gaps, words))

    @pytest.mark.parametrize("dtype", REALS)
    def test_of_many_exchanged_pairs(self, level, rng, dtype):
        """By products of bits and numbers, beyond those that a table is made of."""
        gaps = make_numbers(rng, (5, 1100), dtype)
        words = rng.integers(0, 2**32, (4, 35), dtype=np.uint32)
        found = sum_of_exchanged(HOST, gaps, words)
        with without_engine():
            assert_same(found, sum_of_exchanged(HOST, gaps, words))


class TestExactSums:
    """Sums of whole multiples of a power of two; of others, none."""

    @pytest.mark.parametrize("dtype", REALS)
    @pytest.mark.parametrize("entries", [1, 15, 16, 17, 33])
    def test_at_places(self, level, rng, dtype, entries):
        for n in (1, 2, 33, 200):
            x = rng.integers(-99, 99, (entries, n)) * 2.0 ** rng.integers(-9, 9)
            places = rng.integers(0, n, (3, n + 1))
            found = load_kernels().sum_exactly(x.astype(dtype), places)
            assert_same(found, np.sum(x[:, places], axis=-1).astype(dtype))

    @pytest.mark.parametrize("dtype", REALS)
    @pytest.mark.parametrize("entries", [1, 16, 33])
    def test_of_bits(self, level, rng, dtype, entries):
        for n in (1, 31, 32, 33, 1024, 1025, 2100):
            x = rng.integers(-99, 99, (entries, n)) * 0.25
            words = rng.integers(0, 2**32, (5, -(-n // 32)), dtype=np.uint32)
            bits = np.unpackbits(words.view(np.uint8), axis=-1, bitorder="little")
            found = load_kernels().sum_bits_exactly(x.astype(dtype), words)
            assert_same(found, (x @ bits[:, :n].T).astype(dtype))

    @pytest.mark.parametrize("dtype", REALS)
    def test_pairs_are_summed_at_once(self, rng, dtype):
        samples = [
            rng.integers(0, 9, shape).astype(dtype) for shape in ((2, 3, 20), (4, 20))
        ]
        places = rng.integers(0, 20, (6, 20))
        for both in ([places, places], [places, places.copy()]):
            for x, found in zip(samples, HOST.sum_exactly(samples, both), strict=True):
                assert_same(found, Library.sum_taken(HOST, x, places))

    @pytest.mark.parametrize("dtype", REALS)
    def test_up_to_their_limits(self, level, dtype):
        """Two and three numbers whose sum is 2^24 or 2^31 less one, and one more."""
        most, places = 2**31 if dtype == "float64" else 2**24, np.asarray([[0, 1]])
        for low, is_exact in ((most // 2 - 1, True), (most // 2, False)):
            x = np.asarray([[most // 2 - 1, low]], dtype=dtype)
            found = load_kernels().sum_exactly(x, places)
            assert (found is not None) == is_exact
            assert not is_exact or found[0, 0] == most - 2

    @pytest.mark.parametrize("dtype", REALS)
    def test_of_large_numbers(self, level, dtype):
        """As long as no sum overflows, whatever the order."""
        largest = 2.0 ** (np.finfo(dtype).maxexp - 3)
        x = np.asarray([[largest, -largest]], dtype=dtype)
        for places, is_exact in (([[0, 1, 0]], True), ([[0, 1] * 8], False)):
            found = load_kernels().sum_exactly(x, np.asarray(places))
            assert (found is not None) == is_exact
            assert not is_exact or found[0, 0] == largest

    @pytest.mark.parametrize("dtype", REALS)
    @pytest.mark.parametrize(
        "fault", [0.1, np.nan, np.inf, -np.inf, "largest", "smallest"]
    )
    def test_of_others(self, level, dtype, fault):
        limits = np.finfo(dtype)
        limits = {"largest": limits.max, "smallest": limits.smallest_subnormal}
        x = np.ones((2, 40), dtype=dtype)
        x[1, 39] = limits.get(fault, fault)
        places, words = np.zeros((1, 40), int), np.zeros((1, 2), np.uint32)
        assert load_kernels().sum_exactly(x, places) is None
        assert load_kernels().sum_bits_exactly(x, words) is None


class TestChoices:
    @pytest.mark.parametrize("dtype", REALS)
    def test_places_are_counted(self, level, rng, dtype):
        for n in SIZES[:8]:
            places = rng.integers(0, n, (3, n + 5))
            found = HOST.weigh_places(places, n, np.dtype(dtype))
            assert_same(found, Library.weigh_places(HOST, places, n, np.dtype(dtype)))

    @pytest.mark.parametrize("dtype", REALS)
    def test_drawn_places_are_counted(self, level, dtype):
        """Of whole words; of halves, as for few choices, by their places."""
        draw = functools.partial(random_counts, HOST, seed_of(1), 3, 5)
        for n, n_drawn in ((4096, 5), (4097, 1), (5000, 5000), (9999, 131)):
            found = draw(n, n_drawn, np.dtype(dtype))
            assert found.sum() == 5 * n_drawn
            with without_engine():
                assert_same(found, draw(n, n_drawn, np.dtype(dtype)))

    @pytest.mark.parametrize("dtype", REALS)
    @pytest.mark.parametrize("most", [1, 3, 2**16, 2**32])
    def test_smallest_keys(self, level, rng, dtype, most):
        """Few values are ties at the threshold; of 2^16 all are far from even."""
        for size in SIZES[:11]:
            keys = rng.integers(0, most, (4, size), dtype=np.uint32)
            for n in {1, size // 3 + 1, size}:
                found = HOST.mark_smallest(keys, n, np.dtype(dtype))
                expected = Library.mark_smallest(HOST, keys, n, np.dtype(dtype))
                assert_same(found, expected)

    def test_keys_that_are_listed(self):
        keys = np.asarray([[0, 1, 1, 0]], dtype=np.int32)
        found = HOST.mark_smallest(keys, 2, np.dtype("float64"))
        assert found.tolist() == [[1.0, 0.0, 0.0, 1.0]]


class TestOrder:
    @pytest.mark.parametrize("dtype", REALS)
    def test_order_statistics(self, level, rng, dtype):
        for n in SIZES[:13]:
            for shape in ((1, n), (2, n), (2, 3, n)):
                scores = np.sort(rng.normal(size=shape), axis=-1).astype(dtype)
                uniforms = rng.uniform(0.01, 1.0, (19, shape[-2], n + 1))
                uniforms = uniforms.astype(np.float32)
                for is_last in (True, False):
                    found = sorted_resamples(
                        HOST, scores, uniforms, Spacings(n), is_last=is_last
                    )
                    with without_engine():
                        expected = sorted_resamples(
                            HOST, scores, uniforms, Spacings(n), is_last=is_last
                        )
                    assert_same(found, expected)

    @pytest.mark.parametrize("axis", [-1, -2])
    @pytest.mark.parametrize("n_more", [0, 3])
    @pytest.mark.parametrize("dtype", REALS)
    def test_ratios_of_replicates(self, level, rng, dtype, n_more, axis):
        """Of samples side by side and one by one, of one size and of two."""
        for n in (1, 2, 3, 5, 8, 9, 64, 130, 257, 1024, 1025):
            steps = merge_steps(HOST, n, n + n_more)
            for rows in (1, 2, 3, 64, 65):
                x, y = (
                    np.sort(rng.normal(size=(2, rows, k)), axis=-1).astype(dtype)
                    for k in (n, n + n_more)
                )
                if axis == -2:
                    x, y = (np.ascontiguousarray(z.swapaxes(-1, -2)) for z in (x, y))
                for a, b in ((x, y), (x[:1], y), (x[0], y[0])):
                    found = ratio_of_samples(HOST, steps, a, b, axis)
                    with without_engine():
                        assert_same(found, ratio_of_samples(HOST, steps, a, b, axis))

    @pytest.mark.parametrize("dtype", REALS)
    def test_ratios_of_all_resamples(self, level, rng, dtype):
        """Of few scores: their sums of squares are products of matrices."""
        for sizes in ((1, 2), (2, 3), (4, 5), (6, 6)):
            for n, m in (sizes, sizes[::-1]):
                stacks = [
                    np.sort(rng.integers(0, 9, (2, 1, k)), axis=-1).astype(dtype)
                    for k in (n, m)
                ]
                stacks[1][1, 0, 0] = np.nan
                ratios = rng.uniform(size=(2, 1)).astype(dtype)
                with HOST.modes_off():
                    found = exact_errors(HOST, stacks, (0, 1), ratios, None)
                    with without_engine():
                        expected = exact_errors(HOST, stacks, (0, 1), ratios, None)
                assert_same(found, expected)

    def test_ratios_of_observed_samples(self, rng):
        x, y = (np.sort(rng.normal(size=(4, n))) for n in (30, 20))
        steps = merge_steps(HOST, 30, 20)
        for a, b in ((x, y), (x[0], y[0]), (x[:, None], y), (x[::2], y[::-2])):
            found = ratio_of_samples(HOST, steps, a, b)
            with without_engine():
                assert_same(found, ratio_of_samples(HOST, steps, a, b))

    @pytest.mark.parametrize("sizes", [(9, 8), (700, 300), (2000, 25), (3000, 3000)])
    def test_ratios_of_samples_that_are_apart(self, level, sizes):
        x, y = (np.arange(float(n)) for n in sizes)
        steps = merge_steps(HOST, *sizes)
        for a, b in ((x + 1e4, y), (x, y + 1e4)):
            found = ratio_of_samples(HOST, steps, a, b)
            with without_engine():
                assert_same(found, ratio_of_samples(HOST, steps, a, b))

    def test_ratios_of_same_and_missing_scores(self, rng):
        x = np.sort(rng.normal(size=(3, 8)))
        y = x.copy()
        y[1, 3], y[2, -1] = np.nan, np.inf
        with HOST.modes_off():
            found = ratio_of_samples(HOST, None, x, y)
            assert found[0] == 0.5
            with without_engine():
                assert_same(found, ratio_of_samples(HOST, None, x, y))

    @pytest.mark.parametrize("shape", [(), (2,)])
    @pytest.mark.parametrize("axis", [-1, -2])
    def test_ratios_of_pairs(self, rng, axis, shape):
        """Of models of one stack and of two, whatever pairs are computed at a time."""
        stacks = [
            np.sort(rng.normal(size=(*shape, k, n, 40)), axis=-2)
            for k, n in ((11, 6), (1, 6), (3, 4))
        ]
        if axis == -1:
            stacks = [np.ascontiguousarray(z.swapaxes(-1, -2)) for z in stacks]
        blocks = [(0, 0), (0, 1), (0, 2), (1, 2), (2, 2)]
        steps = merge_sizes(HOST, [6, 6, 4], blocks, None)
        counts = [11 * 10 // 2, 11, 33, 3, 3]
        centers = {
            block: rng.normal(size=(*shape, count))
            for block, count in zip(blocks, counts, strict=True)
        }

        def shift(ratios, center):
            return np.sum(ratios - center[..., None], axis=-1)

        run = functools.partial(
            map_ratios, HOST, stacks, steps, shift, centers, axis=axis
        )
        with without_engine():
            expected = run()
        for room in (None, 400):
            with executed_by(Execution(room=room)):
                for found, other in zip(run(), expected, strict=True):
                    assert_same(found, other)


def test_threads_give_the_same_bits(rng):
    a, b = rng.normal(size=(2, 60)), rng.normal(size=(2, 60))
    counts = rng.poisson(4.0, (2, 10, 60)).astype(float)
    counts[:, 0] = counts[:, 6]  # words are n-grams of one word
    counts[:, 2:6] = np.minimum(counts[:, 2:6], counts[:, 6:])  # of n-grams, matches
    bleu = of_sums(corpus.bleu)
    calls = {
        "bootstrap": lambda **k: sigarray.bootstrap_test(a, b, rng=1, **k),
        "pairs": lambda **k: sigarray.permutation_test(a, b, paired=True, rng=1, **k),
        "deals": lambda **k: sigarray.permutation_test(a, b, rng=1, **k),
        "aso": lambda **k: sigarray.aso(a, b, rng=1, **k),
        "bleu": lambda **k: sigarray.bootstrap_test(
            *counts, statistic=bleu, paired=True, rng=1, **k
        ),
    }
    with executed_by(Execution(least=0, room=800)):
        for name, call in calls.items():
            with without_engine():
                expected = call(n_resamples=300)
            for workers in (1, 2, 3):
                found = call(n_resamples=300, workers=workers)
                for x, y in zip(found, expected, strict=True):
                    assert np.array_equal(x, y), (name, workers)


def test_lock_is_handed_back():
    """While a kernel computes, another thread goes on."""
    kernels, counter, steps = load_kernels(), [0], []

    def draw():
        before = counter[0]
        kernels.draw(seed_of(1), 0, [0, 1, 2**22, 0, 1, 0])
        steps.append(counter[0] - before)

    for _ in range(20):  # in case the other thread has no processor for once
        thread = threading.Thread(target=draw)
        thread.start()
        while thread.is_alive():
            counter[0] += 1
        if steps[-1] > 0:
            return
    raise AssertionError("no other thread has run")
