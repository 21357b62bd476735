"""Brunner and Munzel's test, against SciPy, its definition and what it promises."""

import functools
import itertools
import math
import warnings

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from sigarray import brunner_munzel
from tests.backends import EAGER, everywhere

ALTERNATIVES = ["greater", "less", "two-sided"]
SIZES = [(2, 2), (3, 3), (5, 5), (4, 9), (2000, 3000)]
SCORES = st.lists(st.integers(-20, 20), min_size=2, max_size=9)


@functools.cache
def draw(n, m, levels):
    """Return four samples of each model, and how often the first one is ahead."""
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.3, 1.0, (4, n)), rng.normal(0.0, 2.0, (4, m))
    if levels is not None:  # ties within samples and between them
        a, b = np.round(levels * a) / 4, np.round(levels * b) / 4
    a, b = a.astype(np.float32).astype(float), b.astype(np.float32).astype(float)
    pairs = zip(a, b, strict=True)
    wins = [np.mean(np.sign(x[:, None] - y)) / 2.0 + 0.5 for x, y in pairs]
    return a, b, wins


@functools.cache
def compute_by_scipy(n, m, levels, alternative):
    a, b, _ = draw(n, m, levels)
    with warnings.catch_warnings(action="ignore"):
        return scipy.stats.brunnermunzel(a, b, axis=-1, alternative=alternative)


def tolerance(backend):
    return 1e-10 if backend.float_name == "float64" else 2e-5


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize(("n", "m"), [(2, 3), (9, 9), (20, 13), (4, 300), (3000, 4000)])
@pytest.mark.parametrize("levels", [3, 50, None])
def test_it_is_scipys(backend, alternative, n, m, levels):
    a, b, wins = draw(n, m, levels)
    expected = compute_by_scipy(n, m, levels, alternative)
    result = brunner_munzel(*map(backend.asarray, (a, b)), alternative=alternative)
    statistic, pvalue, df, probability = map(backend.to_numpy, result)
    sides = 2.0 if alternative == "two-sided" else 1.0
    least = max(
        sides * math.exp(-math.log(math.comb(n + m, n))),
        float(np.finfo(pvalue.dtype).smallest_normal),
    )
    varies = np.isfinite(expected.statistic)
    assert n == 2 or varies.all()
    np.testing.assert_allclose(
        statistic[varies],
        -expected.statistic[varies],
        rtol=tolerance(backend),
        atol=tolerance(backend),
    )
    np.testing.assert_allclose(
        pvalue[varies],
        np.maximum(expected.pvalue[varies], least),
        rtol=20 * tolerance(backend),
    )
    assert probability == pytest.approx(wins, abs=1e-6)
    assert ((df >= min(n, m) - 1 - 1e-4) & (df <= n + m - 2 + 1e-2)).all()


# JAX, which compiles each alternative for each size, for few of them.
@pytest.mark.parametrize(
    ("backend", "n", "m"),
    [
        *((name, n, m) for name in EAGER for n, m in SIZES),
        *(pytest.param("jax.numpy", *x, marks=pytest.mark.long) for x in SIZES[-2:]),
    ],
    indirect=["backend"],
)
def test_samples_that_are_apart_have_the_least_p(backend, n, m):
    """That of the most extreme order of all C(n + m, n): never 0."""
    low = backend.asarray(np.arange(0.0, m))
    high = backend.asarray(np.arange(float(m), m + n))
    least = math.exp(-math.log(math.comb(n + m, n)))
    least = max(least, float(np.finfo(backend.to_numpy(low).dtype).smallest_normal))
    for a, b, sides in (
        (high, low, {"greater": least, "less": 1.0, "two-sided": 2.0 * least}),
        (low, high, {"greater": 1.0, "less": least, "two-sided": 2.0 * least}),
    ):
        for alternative, p in sides.items():
            result = brunner_munzel(a, b, alternative=alternative)
            assert float(result.pvalue) == pytest.approx(p, rel=1e-5)
            assert math.isinf(float(result.statistic))
            assert float(result.df) == n + m - 2


@everywhere
def test_no_p_is_below_that_of_samples_that_are_apart(backend):
    """One score of five behind one of the other five: SciPy says 0.0002."""
    a, b = [4.0, 6.0, 7.0, 8.0, 9.0], [0.0, 1.0, 2.0, 3.0, 5.0]
    assert scipy.stats.brunnermunzel(a, b).pvalue < 1e-3
    result = brunner_munzel(backend.asarray(a), backend.asarray(b))
    assert float(result.pvalue) == pytest.approx(2.0 / 252.0, rel=1e-5)


@everywhere
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_scores_that_are_all_the_same(backend, alternative):
    a, b = backend.asarray([0.3] * 4), backend.asarray([0.3] * 7)
    result = brunner_munzel(a, b, alternative=alternative)
    assert float(result.pvalue) == 1.0
    assert float(result.statistic) == 0.0
    assert float(result.probability_of_improvement) == 0.5


@given(SCORES, SCORES)
def test_ranks_alone_count(a, b):
    a, b = np.array(a, float), np.array(b, float)
    plain = brunner_munzel(a, b)
    np.testing.assert_array_equal(
        brunner_munzel(np.exp(a / 9.0), np.exp(b / 9.0)), plain
    )
    turned = brunner_munzel(b, a)
    assert turned.pvalue == pytest.approx(plain.pvalue)
    assert turned.statistic == pytest.approx(-plain.statistic)
    sides = [brunner_munzel(a, b, alternative=x).pvalue for x in ("greater", "less")]
    assert plain.pvalue == pytest.approx(min(1.0, 2.0 * min(sides)))


def test_infinite_scores_have_ranks(backend):
    a = [np.inf, 3.0, -np.inf, np.inf, 0.5, 2.0]
    b = [1.0, np.inf, -np.inf, 0.0, -np.inf, 1.5, 0.7]
    order = {x: float(k) for k, x in enumerate(sorted({*a, *b}))}
    ranks = [[order[x] for x in sample] for sample in (a, b)]
    result = brunner_munzel(*map(backend.asarray, (a, b)))
    expected = brunner_munzel(*map(backend.asarray, ranks))
    assert [float(x) for x in result] == [float(x) for x in expected]


@pytest.mark.parametrize(("n", "m"), [(10, 10), (10, 20), (20, 20)])
def test_unequal_spreads_are_no_difference(n, m):
    """P(A > B) = 1/2: at level 0.05, p is as small in 4.7 to 5.9 % of cases."""
    rng = np.random.default_rng(n + m)
    for spread_a, spread_b in itertools.permutations((1.0, 3.0)):
        a = rng.normal(0.0, spread_a, (4000, n))
        b = rng.normal(0.0, spread_b, (4000, m))
        is_seen = brunner_munzel(a, b).pvalue <= 0.05
        # Of a test at 6 %, in one of 10^6 cases more are.
        assert is_seen.sum() < scipy.stats.binom.isf(1e-6, 4000, 0.06)


def test_one_score_is_refused():
    with pytest.raises(ValueError, match="two scores or more in a sample"):
        brunner_munzel([1.0], [1.0, 2.0])
