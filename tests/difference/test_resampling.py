"""Bootstrap and permutation tests, against SciPy, enumeration and their definitions."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from sigarray import bootstrap_test, permutation_test
from sigarray._backend.dispatch import library_of
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import random_bits, random_words, uniform_indices
from tests.backends import everywhere, require
from tests.oracles import FALSE_ALARM

ALTERNATIVES = ["greater", "less", "two-sided"]


def difference_of(statistic):
    def difference(a, b, axis=-1):
        return statistic(a, axis=axis) - statistic(b, axis=axis)

    return difference


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("statistic", [np.mean, np.median])
@pytest.mark.parametrize(("kind", "n", "m"), [("samples", 7, 7), ("independent", 5, 4)])
def test_exact_permutations_are_scipys(backend, alternative, statistic, kind, n, m):
    rng = np.random.default_rng(n)
    for scale in (1, 3):
        # Small integers have many ties, in samples and in statistics.
        a, b = rng.integers(0, 5, n) / scale, rng.integers(0, 4, m) / scale
        expected = scipy.stats.permutation_test(
            (a, b),
            difference_of(statistic),
            permutation_type=kind,
            alternative=alternative,
            vectorized=True,
        )
        result = permutation_test(
            *map(backend.asarray, (a, b)),
            paired=kind == "samples",
            statistic=statistic.__name__,
            alternative=alternative,
        )
        assert float(result.pvalue) == pytest.approx(expected.pvalue, abs=1e-6)
        assert float(result.statistic) == pytest.approx(expected.statistic, abs=1e-6)


@everywhere
@pytest.mark.parametrize(("n", "m"), [(3000, 1), (1, 3000), (130, 2)])
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


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_random_permutations_converge_to_all(backend, paired, alternative):
    rng = np.random.default_rng(3)
    a, b = rng.normal(0.6, 1.0, 9), rng.normal(0.0, 1.0, 9 if paired else 6)
    a, b = backend.asarray(a), backend.asarray(b)
    options = {"paired": paired, "alternative": alternative}
    exact = float(permutation_test(a, b, n_resamples=10**4, **options).pvalue)
    count = 500 if paired else 5000  # fewer than 2^9 and C(15, 9): drawn at random
    drawn = permutation_test(a, b, n_resamples=count, rng=1, **options)
    error = 2.0 * math.sqrt(exact * (1.0 - exact) / count)
    z = scipy.stats.norm.isf(FALSE_ALARM / 2)
    assert float(drawn.pvalue) == pytest.approx(exact, abs=z * error + 2.0 / count)


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


@pytest.mark.parametrize("test", [bootstrap_test, permutation_test])
@pytest.mark.parametrize("statistic", ["mean", "median"])
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_float32_resolves_a_small_spread_at_a_high_level(
    backend, test, statistic, paired, alternative
):
    rng = np.random.default_rng(0)
    a = (1e4 + 0.15 + rng.normal(size=200)).astype(np.float32)
    b = (1e4 + rng.normal(size=200)).astype(np.float32)
    options = {"statistic": statistic, "paired": paired, "alternative": alternative}
    options |= {"n_resamples": 400, "rng": 1}
    expected = test(a.astype(float) - 1e4, b.astype(float) - 1e4, **options)
    result = test(
        backend.asarray(a, "float32"), backend.asarray(b, "float32"), **options
    )
    assert float(result.pvalue) == pytest.approx(float(expected.pvalue), abs=0.003)
    assert float(result.statistic) == pytest.approx(float(expected.statistic), abs=2e-3)


@pytest.mark.parametrize("paired", [True, False])
def test_one_score_cannot_be_resampled(paired):
    with pytest.raises(ValueError, match="two scores or more in a sample, to resample"):
        bootstrap_test([1.0], [0.5], paired=paired, rng=0)


def test_close_differences_are_no_ties():
    """The second pair alone makes the sum 1e-9, its exchange with the first -1e-9."""
    zeros = np.zeros(2)
    options = {"paired": True, "alternative": "greater"}
    close, equal = np.array([1.0, -1.0 + 1e-9]), np.array([1.0, -1.0])
    assert permutation_test(close, zeros, **options).pvalue == 2 / 4
    assert permutation_test(equal, zeros, **options).pvalue == 3 / 4


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("paired", [True, False])
def test_bootstrap_counts_are_its_definition(alternative, paired):
    """All n^n resamples of a few scores, in place of random ones."""
    a, b = np.array([0.9, 0.7, 0.8, 0.3]), np.array([0.6, 0.5, 0.7, 0.4])
    observed = a.mean() - b.mean()
    places = np.array(list(itertools.product(range(4), repeat=4)))
    if paired:
        shifts = (a - b)[places].mean(axis=-1) - observed
    else:
        means = a[places].mean(axis=-1)[:, None] - b[places].mean(axis=-1)
        shifts = means.ravel() - observed
    is_extreme = {
        "greater": shifts >= observed - 1e-12,
        "less": shifts <= observed + 1e-12,
        "two-sided": np.abs(shifts) >= abs(observed) - 1e-12,
    }[alternative]
    expected, count = is_extreme.mean(), 40_000
    result = bootstrap_test(
        a, b, paired=paired, alternative=alternative, n_resamples=count, rng=0
    )
    z = scipy.stats.norm.isf(FALSE_ALARM / 2)
    error = math.sqrt(expected * (1.0 - expected) / count)
    assert result.pvalue == pytest.approx(expected, abs=z * error + 1.0 / count)
    assert result.statistic == pytest.approx(observed)


@given(
    x=st.lists(st.integers(-3, 3).map(float), min_size=2, max_size=8),
    shift=st.sampled_from([0.0, 1e3, 1 / 3]),
    alternative=st.sampled_from(ALTERNATIVES),
    paired=st.booleans(),
)
def test_identical_samples_are_never_significant(x, shift, alternative, paired):
    x = np.array(x) + shift
    for test in (bootstrap_test, permutation_test):
        result = test(
            x, x.copy(), paired=paired, alternative=alternative, n_resamples=99, rng=0
        )
        assert result.pvalue > 0.2


def test_p_values_are_never_zero(backend):
    a, b = backend.asarray(np.linspace(5.0, 6.0, 30)), backend.asarray(np.zeros(30))
    for test in (bootstrap_test, permutation_test):
        for paired in (True, False):
            result = test(
                a, b, paired=paired, alternative="greater", n_resamples=99, rng=0
            )
            assert float(result.pvalue) == pytest.approx(0.01)


@pytest.mark.parametrize("test", [bootstrap_test, permutation_test])
@pytest.mark.parametrize("paired", [True, False])
def test_level_is_kept_under_the_null(test, paired):
    """Of 2000 experiments without a difference, 5 % have p <= 0.05, or fewer."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 2000, 20))
    rate = (test(a, b, paired=paired, n_resamples=499, rng=0).pvalue <= 0.05).mean()
    # The bootstrap of 20 scores is a little liberal: it divides by n, not n - 1.
    nominal = 0.05 if test is permutation_test else 0.065
    bound = scipy.stats.binom.isf(FALSE_ALARM, 2000, nominal) / 2000
    assert 0.02 < rate <= bound


def test_callables_are_the_statistic(backend):
    rng = np.random.default_rng(0)
    a, b = backend.asarray(rng.normal(size=8)), backend.asarray(rng.normal(size=8))

    def mean(x, axis):
        return backend.xp.mean(x, axis=axis)

    for test in (bootstrap_test, permutation_test):
        for paired in (True, False):
            options = {"paired": paired, "n_resamples": 99, "rng": 0}
            by_name = test(a, b, **options)
            by_function = test(a, b, statistic=mean, **options)
            # Exchanged pairs and dealt scores are the same ones.
            assert float(by_function.statistic) == pytest.approx(
                float(by_name.statistic), abs=1e-6
            )
            assert float(by_function.pvalue) == pytest.approx(float(by_name.pvalue))


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


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"alternative": "higher"}, ValueError, "alternative to be one of 'two-sided'"),
        ({"statistic": "mode"}, ValueError, "statistic to be one of 'mean', 'median'"),
        ({"n_resamples": 0}, ValueError, "n_resamples to be an integer of 1 to"),
        ({"batch": 0}, ValueError, "batch to be an integer of 1 to"),
        ({"paired": True}, ValueError, "they are pairs; got 3 and 2"),
        (
            {"statistic": lambda x, axis: x},
            ValueError,
            r"statistic\(x, axis=-1\) to give",
        ),
        ({"statistic": lambda x: x}, TypeError, r"called as statistic\(x, axis=-1\)"),
    ],
)
def test_impossible_options(options, error, message):
    for test in (bootstrap_test, permutation_test):
        with pytest.raises(error, match=message):
            test([1.0, 2.0, 3.0], [1.0, 2.0], **{"paired": False, "rng": 0} | options)
