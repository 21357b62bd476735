"""Samples that are made anew: with replacement, exchanged, dealt out."""

import functools
import itertools
import math

import numpy as np
import pytest

from sigarray import (
    bootstrap_replicates,
    corpus,
    of_sums,
    permutation_replicates,
    permutation_test,
)
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import random_bits, seed_words
from sigarray._backend.threefry import random_words
from sigarray._resampling.draws import Deals, Exchanges, Places, count_permutations
from tests.backends import ONE_WIDTH, everywhere, require
from tests.chosen import few_on_jax
from tests.resampling.test_replicates import draw_scores

SCORES = [0.5, 2.0, -1.0, 3.5, 0.25, 1.5, 4.0]
DRAWS = {
    "places": (Places, 2),
    "pairs": (functools.partial(Places, is_paired=True), 2),
    "places of one": (Places, 1),
    "exchanges": (functools.partial(Exchanges, n=7), 0),
    "deals": (functools.partial(Deals, n=5), 0),
}


def make_draws(backend, name, n_entries=3, seed=5):
    """Return draws, and scores of so many batch entries: samples, or a pool."""
    make, n_samples = DRAWS[name]
    rng = np.random.default_rng(0)
    shape = (n_entries, 7 if n_samples else 14)
    scores = [backend.asarray(rng.normal(size=shape)) for _ in range(n_samples or 1)]
    return make(seed_words(backend.library, seed)), scores


@pytest.mark.parametrize("name", DRAWS)
def test_means_are_those_of_the_samples_that_are_made(backend, name):
    """Also of replicates from a later one on."""
    draws, scores = make_draws(backend, name)
    for start in (0, 11):
        samples = draws.remake(backend.library, scores, start, 20)
        means = [backend.to_numpy(x).mean(axis=-1) for x in samples]
        expected = means[0] if len(means) == 1 else means[0] - means[1]
        found = draws.find_means(backend.library, scores, start, 20)
        assert found.shape == (3, 20)
        np.testing.assert_allclose(
            backend.to_numpy(found), expected, atol=10 * backend.atol
        )


@pytest.mark.parametrize("name", DRAWS)
def test_a_replicate_depends_on_its_number_alone(backend, name):
    draws, scores = make_draws(backend, name)
    whole = draws.remake(backend.library, scores, 0, 30)
    for start, size in ((0, 1), (7, 5), (29, 1)):
        part = draws.remake(backend.library, scores, start, size)
        for x, y in zip(whole, part, strict=True):
            np.testing.assert_array_equal(
                backend.to_numpy(x)[:, start : start + size], backend.to_numpy(y)
            )
    other, _ = make_draws(backend, name, seed=6)
    first, second = (
        backend.to_numpy(x.remake(backend.library, scores, 0, 30)[0])
        for x in (draws, other)
    )
    assert not np.array_equal(first, second)


@pytest.mark.parametrize("name", ["exchanges", "deals"])
def test_permuted_scores_are_those_of_the_pool(backend, name):
    draws, scores = make_draws(backend, name)
    samples = draws.remake(backend.library, scores, 0, 40)
    found = np.concatenate([backend.to_numpy(x) for x in samples], axis=-1)
    pool = np.sort(backend.to_numpy(scores[0]), axis=-1)[:, None, :]
    np.testing.assert_array_equal(np.sort(found, axis=-1), pool + 0.0 * found)


def test_pairs_stay_together(backend):
    """So do those of single sizes, and as many are drawn as is said."""
    x = backend.asarray(SCORES)
    seed = seed_words(backend.library, 1)
    a, b = Places(seed, is_paired=True).remake(backend.library, [x, 2.0 * x], 0, 50)
    np.testing.assert_array_equal(2.0 * backend.to_numpy(a), backend.to_numpy(b))
    a, b = Places(seed).remake(backend.library, [x, 2.0 * x], 0, 50)
    assert not np.array_equal(2.0 * backend.to_numpy(a), backend.to_numpy(b))
    (few,) = Places(seed, n_drawn=3).remake(backend.library, [x], 0, 50)
    assert few.shape == (50, 3)
    assert set(backend.to_numpy(few).ravel().tolist()) == set(SCORES)


@pytest.mark.parametrize(("n", "size"), [(2, 4), (3, 6), (3, 7), (5, 7)])
def test_without_a_seed_all_permutations_are_made_once(backend, n, size):
    pool = backend.asarray(SCORES[:size])
    if 2 * n == size:
        a, b = Exchanges(None, n).remake(backend.library, [pool], 0, 2**n)
        pairs = list(zip(SCORES[:n], SCORES[n:size], strict=True))
        rows = np.stack([backend.to_numpy(a), backend.to_numpy(b)], axis=-1).tolist()
        expected = itertools.product(*((x, x[::-1]) for x in pairs))
        assert sorted(tuple(map(tuple, x)) for x in rows) == sorted(expected)
    count = int(count_permutations(n, size - n, paired=False))
    a, _ = Deals(None, n).remake(backend.library, [pool], 0, count)
    found = sorted(tuple(sorted(x)) for x in backend.to_numpy(a).tolist())
    expected = itertools.combinations(sorted(SCORES[:size]), n)
    assert found == sorted(expected)


def test_permutations_are_counted():
    for n, m in ((1, 1), (5, 4), (7, 30), (2, 2000)):
        subsets = math.factorial(n + m) // math.factorial(n) // math.factorial(m)
        assert count_permutations(n, m, paired=False) == subsets
    assert count_permutations(13, 13, paired=True) == len(
        list(itertools.product((0, 1), repeat=13))
    )
    assert count_permutations(32, 32, paired=True) == math.inf


@pytest.mark.parametrize("make", [Exchanges, Deals])
def test_parts_of_many_models_add_up_to_the_differences_of_pairs(backend, make):
    stack = np.random.default_rng(0).normal(size=(4, 6))
    draws = make(seed_words(backend.library, 3), 6)
    first, second = (
        backend.to_numpy(x)
        for x in draws.find_parts(backend.library, backend.asarray(stack), 5, 9)
    )
    for i, j in itertools.permutations(range(4), 2):
        pool = backend.asarray(np.concatenate([stack[i], stack[j]]))
        expected = draws.find_means(backend.library, [pool], 5, 9)
        np.testing.assert_allclose(
            first[i] + second[j], backend.to_numpy(expected), atol=10 * backend.atol
        )


@pytest.mark.parametrize(("n", "n_entries"), [(31, 1), (70, 2), (70, 60), (33, 130)])
def test_many_exchanges_are_those_of_few(backend, n, n_entries):
    """Up to 4096 scores by a table of bytes, and beyond it by products of bits."""
    pool = np.random.default_rng(0).normal(size=(n_entries, 2 * n))
    draws = Exchanges(seed_words(backend.library, 7), n)
    found = draws.find_means(backend.library, [backend.asarray(pool)], 2, 40)
    a, b = draws.remake(backend.library, [backend.asarray(pool[:1])], 2, 40)
    expected = (backend.to_numpy(a) - backend.to_numpy(b)).mean(axis=-1)
    np.testing.assert_allclose(
        backend.to_numpy(found)[:1], expected, atol=10 * backend.atol
    )


@few_on_jax(
    "n, m", [(3000, 1), (1, 3000), (130, 2)], few=[(130, 2)], backends=ONE_WIDTH
)
def test_few_subsets_of_many_scores_are_enumerated(backend, n, m):
    """The one score, or both, may be any: a p-value is a rank, or one of pairs."""
    rng = np.random.default_rng(m)
    a, b = rng.normal(size=n), rng.normal(size=m)
    samples = backend.asarray(a), backend.asarray(b)
    result = permutation_test(*samples, paired=False, alternative="greater")
    pool = np.concatenate([a, b])
    subsets = np.array(list(itertools.combinations(pool, min(n, m))))
    few = subsets.mean(axis=-1)
    others = (pool.sum() - subsets.sum(axis=-1)) / max(n, m)
    differences = others - few if m < n else few - others
    expected = np.mean(differences >= a.mean() - b.mean() - 1e-6)
    assert float(result.pvalue) == pytest.approx(expected, abs=1.5 / len(subsets))


@everywhere
@pytest.mark.parametrize("n", [31, 32, 33, 70])
def test_signs_are_the_bits_of_words(backend, n):
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.3, 1.0, n), rng.normal(0.0, 1.0, n)
    result = permutation_test(
        backend.asarray(a),
        backend.asarray(b),
        paired=True,
        alternative="greater",
        n_resamples=300,
        rng=7,
    )
    words = random_words(HOST, seed_words(HOST, 7), 0, 300, -(-n // 32))
    signs = 1.0 - 2.0 * random_bits(HOST, words, n).astype(float)
    count = np.sum(np.mean(signs * (a - b), axis=-1) >= np.mean(a - b))
    assert float(result.pvalue) == pytest.approx((count + 1) / 301)


@pytest.mark.parametrize("statistic", [np.mean, np.median, np.ptp])
def test_exact_permutations_are_all_there_are(statistic):
    """P-values alone do not tell differences from multiples of them."""
    option = statistic if statistic is np.ptp else statistic.__name__
    options = {"statistic": option, "method": "exact", "start": 0}
    a, b = draw_scores(5, 5)[0]
    pairs = np.stack([a, b])
    expected = [
        statistic(pairs[list(x), range(5)]) - statistic(pairs[list(y), range(5)])
        for x in itertools.product((0, 1), repeat=5)
        for y in [[1 - i for i in x]]
    ]
    found = permutation_replicates(a, b, count=32, paired=True, **options)
    np.testing.assert_allclose(np.sort(found), np.sort(expected), atol=1e-12)
    pool = np.concatenate([a, b[:3]])
    expected = [
        statistic(pool[list(x)]) - statistic(np.delete(pool, x))
        for x in itertools.combinations(range(8), 5)
    ]
    found = permutation_replicates(a, b[:3], count=56, **options)
    np.testing.assert_allclose(np.sort(found), np.sort(expected), atol=1e-12)


@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("paired", [False, True])
def test_permutations_have_their_mean_and_spread(statistic, paired):
    """Of 4000 random ones, as of all."""
    a, b = (x[0] for x in draw_scores(7, 7))
    options = {"statistic": statistic, "paired": paired, "start": 0}
    count = 128 if paired else 3432
    every = permutation_replicates(a, b, count=count, method="exact", **options)
    drawn = permutation_replicates(a, b, count=4000, rng=0, **options)
    error = every.std() / np.sqrt(4000)
    assert abs(drawn.mean() - every.mean()) < 5.0 * error
    assert drawn.std() == pytest.approx(every.std(), rel=0.08)


def test_one_permutation_more_than_there_are():
    a, b = draw_scores(3, 4)
    options = {"method": "exact", "count": 35}
    assert permutation_replicates(a, b, start=0, **options).shape == (2, 35)
    with pytest.raises(ValueError, match=r"at most 35 with method='exact'.*got 36"):
        permutation_replicates(a, b, start=1, **options)


def test_traced_starts_beyond_the_permutations():
    jax = require("jax")
    a, b = (jax.numpy.asarray(x) for x in draw_scores(3, 4))
    program = jax.jit(
        lambda start: permutation_replicates(
            a, b, start=start, count=35, method="exact"
        )
    )
    late = program(30)
    assert np.isfinite(late[:, :5]).all()
    assert np.isnan(late[:, 5:]).all()
    early = program(-2)
    assert np.isnan(early[:, :2]).all()
    assert np.isfinite(early[:, 2:]).all()


@pytest.mark.parametrize(("n", "m", "paired"), [(33, 33, True), (7, 200, False)])
def test_more_permutations_than_can_be_counted(n, m, paired):
    a, b = np.zeros(n), np.ones(m)
    with pytest.raises(ValueError, match="fewer than 2,147,483,648 distinct"):
        permutation_replicates(a, b, start=0, count=3, paired=paired, method="exact")


@pytest.mark.parametrize(("n", "m"), [(3, 2300), (5, 150), (2000, 2), (15, 16)])
def test_many_permutations_are_enumerated_from_the_first_on(backend, n, m):
    a, b = np.random.default_rng(n).normal(size=n), np.arange(float(m)) / m
    found = permutation_replicates(
        *(backend.asarray(x) for x in (a, b)), start=0, count=3, method="exact"
    )
    pool, size = np.concatenate([a, b]), min(n, m)
    expected = []
    # Subsets of the smaller sample, in the order of their largest elements.
    subsets = itertools.combinations(range(size + 2), size)
    for chosen in sorted(subsets, key=lambda x: x[::-1])[:3]:
        part, rest = pool[list(chosen)].mean(), np.delete(pool, chosen).mean()
        expected.append(part - rest if n <= m else rest - part)
    # Of sums of 2000 terms.
    np.testing.assert_allclose(
        backend.to_numpy(found), expected, atol=20 * backend.atol
    )


@few_on_jax(
    "n, m",
    itertools.product([6, 5000], [6, 7, 5000]),
    few=[(6, 7), (5000, 6)],
    backends=ONE_WIDTH,
)
def test_resamples_of_a_sample_do_not_depend_on_the_other(backend, n, m):
    """Of zeros, resamples have a mean of 0, and what is left is that of the other."""
    x = backend.asarray(np.random.default_rng(0).normal(size=n))
    zeros = [backend.asarray(np.zeros(k)) for k in (m, 9)]

    def draw(*samples):
        found = bootstrap_replicates(*samples, start=0, count=20, rng=3)
        return backend.to_numpy(found)

    np.testing.assert_allclose(draw(x, zeros[0]), draw(x), atol=backend.atol)
    second, other = -draw(zeros[0], x), -draw(zeros[1], x)
    np.testing.assert_allclose(second, other, atol=backend.atol)
    assert not np.allclose(second, draw(x))


@pytest.mark.parametrize(
    ("draws", "shape", "places"),
    [
        (Places(None, is_paired=True), (20, 2000), 2000),
        (Exchanges(None, n=2000), (10, 4000), 63),
        (Deals(None, n=1000), (20, 2000), 2000),
    ],
)
def test_sums_have_room_for_weights_and_not_for_samples(draws, shape, places):
    """So that a chunk of them has many replicates, which is several times as fast."""
    statistic = of_sums(corpus.bleu)
    scores = [np.zeros(shape)] * (1 if isinstance(draws, (Exchanges, Deals)) else 2)
    found = draws.count_elements(HOST, scores, statistic)
    assert places <= found <= 2 * places + 40
    with_samples = draws.count_elements(HOST, scores, np.std)
    assert with_samples > shape[0] * shape[1] // 2
