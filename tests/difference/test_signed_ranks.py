"""Wilcoxon's signed-rank test, against SciPy, all choices of signs and its promises."""

import itertools

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from sigarray import wilcoxon_test
from tests.backends import ONE_WIDTH, everywhere
from tests.chosen import few_on_jax

ALTERNATIVES = ["greater", "less", "two-sided"]
PAIRS = st.lists(
    st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=9
)


def tolerance(backend):
    return 1e-12 if backend.float_name == "float64" else 2e-5


def list_sums(ranks):
    """Return W+ of all choices of signs."""
    signs = itertools.product((0.0, 1.0), repeat=len(ranks))
    return np.asarray([np.dot(x, ranks) for x in signs])


def p_value_of(a, b, alternative):
    """Return W+ and its p-value, from the definition."""
    d = np.asarray(a, float) - np.asarray(b, float)
    d = d[d != 0.0]
    ranks = scipy.stats.rankdata(np.abs(d))
    sums, observed = list_sums(ranks), float(np.sum(ranks[d > 0.0]))
    above, below = np.mean(sums >= observed), np.mean(sums <= observed)
    sides = {"greater": above, "less": below}
    return observed, sides.get(alternative, min(1.0, 2.0 * min(above, below)))


@few_on_jax(
    "alternative, n",
    itertools.product(ALTERNATIVES, [1, 6, 20, 50, 51, 300]),
    few=[("two-sided", 6), ("greater", 20), ("less", 51)],
    backends=ONE_WIDTH,
)
def test_it_is_scipys(backend, alternative, n):
    rng = np.random.default_rng(n)
    # Multiples of 2^-16, whose differences float32 holds.
    a, b = (np.round(2**16 * rng.normal(x, 1.0, (3, n))) / 2**16 for x in (0.3, 0.0))
    method = "exact" if n <= 50 else "asymptotic"
    expected = scipy.stats.wilcoxon(
        a, b, axis=-1, method=method, alternative=alternative
    )
    result = wilcoxon_test(*map(backend.asarray, (a, b)), alternative=alternative)
    statistic, pvalue, share = map(backend.to_numpy, result)
    np.testing.assert_allclose(pvalue, expected.pvalue, rtol=50 * tolerance(backend))
    total = n * (n + 1) / 2
    smaller = np.minimum(statistic, total - statistic)
    is_two_sided = alternative == "two-sided"
    np.testing.assert_array_equal(
        smaller if is_two_sided else statistic, expected.statistic
    )
    np.testing.assert_allclose(share, 2.0 * statistic / total - 1.0, atol=1e-6)


@pytest.mark.parametrize("n", [60, 400])
def test_ties_and_zeros_of_many_pairs_are_as_scipys(n):
    rng = np.random.default_rng(n)
    a, b = np.round(rng.normal(0.2, 2.0, (2, n)))
    expected = scipy.stats.wilcoxon(a, b, method="asymptotic")
    assert wilcoxon_test(a, b).pvalue == pytest.approx(expected.pvalue, rel=1e-12)


@given(PAIRS, st.sampled_from(ALTERNATIVES))
def test_it_counts_all_signs(pairs, alternative):
    a, b = np.asarray(pairs, float).T
    statistic, p = p_value_of(a, b, alternative)
    result = wilcoxon_test(a, b, alternative=alternative)
    assert result.statistic == statistic
    assert result.pvalue == pytest.approx(p, rel=1e-12)


@given(PAIRS)
def test_models_change_sides(pairs):
    a, b = np.asarray(pairs, float).T
    result, turned = wilcoxon_test(a, b), wilcoxon_test(b, a)
    assert turned.pvalue == result.pvalue
    assert turned.rank_biserial == -result.rank_biserial
    order = np.random.default_rng(0).permutation(len(a))
    assert wilcoxon_test(a[order], b[order]) == result
    # Tenths are no floats, and no shift or unit is of consequence.
    assert wilcoxon_test(0.1 * a + 70.0, 0.1 * b + 70.0) == result
    assert wilcoxon_test(1e300 * a, 1e300 * b) == result


@everywhere
def test_no_pair_that_differs(backend):
    x = backend.asarray([0.3, 0.1, 0.7])
    for alternative in ALTERNATIVES:
        result = wilcoxon_test(x, x, alternative=alternative)
        assert [float(y) for y in result] == [0.0, 1.0, 0.0]


@everywhere
@pytest.mark.parametrize("n", [5, 6, 50])
def test_the_least_p(backend, n):
    """All pairs go one way: 2 / 2^n, to the last digit."""
    a = backend.asarray(np.arange(1.0, n + 1.0))
    result = wilcoxon_test(a, a * 0.0)
    assert float(result.pvalue) == pytest.approx(2.0 ** (1 - n), rel=1e-6)
    assert float(result.rank_biserial) == 1.0


def test_many_close_differences_are_no_tie():
    """In float32, with differences that are nearer than their rounding might be."""
    rng = np.random.default_rng(0)
    a, b = (rng.normal(size=(2, 10**5)) + 100.0).astype(np.float32)
    expected = scipy.stats.wilcoxon(a, b)
    assert wilcoxon_test(a, b).pvalue == pytest.approx(expected.pvalue, rel=1e-2)


def test_batches_are_as_single_ones():
    """More of them than are computed at once."""
    a, b = np.random.default_rng(0).normal(size=(2, 300, 40))
    results = wilcoxon_test(a, b)
    for k in (0, 150, 299):
        one = wilcoxon_test(a[k], b[k])
        assert [x[k] for x in results] == list(one)


def test_other_numbers_of_scores_are_refused():
    with pytest.raises(ValueError, match="as many scores of A as of B"):
        wilcoxon_test([1.0], [1.0, 2.0])
