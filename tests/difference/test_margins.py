"""Tests with a margin, against SciPy, enumeration and tests of shifted scores."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from sigarray import bootstrap_test, corpus, of_sums, permutation_test, t_test
from tests.backends import everywhere
from tests.difference.test_studentized import slow_t

SIDES = {"greater": 1.0, "less": -1.0}
MARGIN = 0.3


def draw_samples(n=9, m=7, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(0.1, 1.0, n), rng.normal(0.0, 2.0, m)


@everywhere
@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("paired", [True, False])
def test_t_is_scipys_of_shifted_scores(backend, alternative, paired):
    a, b = draw_samples(9, 9)
    shifted = a + SIDES[alternative] * MARGIN
    if paired:
        expected = scipy.stats.ttest_rel(shifted, b, alternative=alternative)
    else:
        expected = scipy.stats.ttest_ind(
            shifted, b, equal_var=False, alternative=alternative
        )
    found = t_test(
        backend.asarray(a),
        backend.asarray(b),
        paired=paired,
        alternative=alternative,
        margin=MARGIN,
    )
    tolerance = 1e-12 if backend.float_name == "float64" else 1e-5
    for name in ("statistic", "pvalue", "df"):
        value = float(backend.to_numpy(getattr(found, name)))
        assert value == pytest.approx(getattr(expected, name), rel=tolerance)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("options", [{}, {"test_share": 0.2}])
@pytest.mark.parametrize("level", [0.0, 1e8])
def test_t_of_any_design_is_that_of_shifted_scores(alternative, options, level):
    a, b = draw_samples(12, 12)
    clusters = np.repeat(np.arange(4), 3)
    options = options or {"clusters": clusters}
    options |= {"paired": True, "alternative": alternative}
    found = t_test(level + a, level + b, margin=MARGIN, **options)
    expected = t_test(a + SIDES[alternative] * MARGIN, b, **options)
    np.testing.assert_allclose(found, expected, rtol=1e-12 if level == 0.0 else 1e-6)


@pytest.mark.parametrize("alternative", SIDES)
def test_a_margin_is_of_the_metric(alternative):
    """Influences are numbers whose mean is the metric: t of them, one by one."""
    rng = np.random.default_rng(1)
    counts = rng.poisson([[[5.0], [1.0], [2.0]]] * 2, (2, 3, 40))

    def f1(tp, fp, fn):
        return 2.0 * tp / (2.0 * tp + fp + fn)

    numbers = []
    for x in counts:
        total = x.sum(axis=-1)
        without = np.array([f1(*(total - item)) for item in x.T])
        numbers.append(f1(*total) + 39.0 * (without.mean() - without))
    expected = scipy.stats.ttest_rel(
        numbers[0] + SIDES[alternative] * 0.05, numbers[1], alternative=alternative
    )
    options = {"paired": True, "alternative": alternative, "margin": 0.05}
    for statistic in (of_sums(f1), of_sums(corpus.f1)):
        found = t_test(*counts, statistic=statistic, **options)
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
        assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize(
    "options",
    [
        {"statistic": "mean"},
        {"statistic": "median"},
        {"statistic": "t"},
        {"statistic": np.mean},
        {"method": "saddlepoint"},
    ],
    ids=["mean", "median", "t", "callable", "saddlepoint"],
)
def test_bootstrap_is_that_of_shifted_scores(alternative, paired, options):
    a, b = draw_samples(12, 12)
    options = options | {"paired": paired, "alternative": alternative, "rng": 3}
    found = bootstrap_test(a, b, margin=MARGIN, n_resamples=999, **options)
    shifted = a + SIDES[alternative] * MARGIN
    expected = bootstrap_test(shifted, b, n_resamples=999, **options)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    if options.get("statistic") == "t":
        assert found.statistic == pytest.approx(expected.statistic, rel=1e-12)
    else:
        observed = bootstrap_test(a, b, n_resamples=999, **options).statistic
        assert found.statistic == observed


@pytest.mark.parametrize("alternative", SIDES)
def test_bootstrap_counts_are_their_definition(alternative):
    """All n^n resamples of a few pairs: d* - d is as far as d is from the margin."""
    a, b = np.array([0.9, 0.7, 0.8, 0.3]), np.array([0.6, 0.5, 0.7, 0.4])
    differences, sign = a - b, SIDES[alternative]
    places = np.array(list(itertools.product(range(4), repeat=4)))
    shifts = sign * (differences[places].mean(axis=-1) - differences.mean())
    expected = np.mean(shifts >= sign * differences.mean() + 0.05 - 1e-12)
    assert 0.0 < expected < 1.0
    count = 40_000
    found = bootstrap_test(
        a,
        b,
        paired=True,
        alternative=alternative,
        margin=0.05,
        n_resamples=count,
        rng=0,
    )
    error = math.sqrt(expected * (1.0 - expected) / count)
    assert found.pvalue == pytest.approx(expected, abs=5.0 * error + 1.0 / count)


@pytest.mark.parametrize("alternative", SIDES)
def test_flips_are_all_of_them(alternative):
    a, b = draw_samples(8, 8)
    sign = SIDES[alternative]
    differences = sign * (a - b) + MARGIN
    flips = np.array(list(itertools.product((1.0, -1.0), repeat=8)))
    expected = np.mean(flips @ differences >= differences.sum() - 1e-9)
    options = {"paired": True, "alternative": alternative, "margin": MARGIN}
    found = permutation_test(a, b, **options)
    assert found.pvalue == expected
    assert found.statistic == pytest.approx(a.mean() - b.mean(), rel=1e-12)
    assert permutation_test(a, b, statistic="t", **options).pvalue == expected


@pytest.mark.parametrize("alternative", SIDES)
@pytest.mark.parametrize("sizes", [(4, 5), (4, 4)])
def test_deals_are_compared_by_t(alternative, sizes):
    """All of them, one by one; with equal sizes that is a comparison of means."""
    a, b = draw_samples(*sizes)
    sign = SIDES[alternative]
    pool = np.concatenate([a + sign * MARGIN, b])
    places = set(range(len(pool)))
    deals = [
        (list(x), sorted(places - set(x)))
        for x in itertools.combinations(range(len(pool)), len(a))
    ]
    t = sign * np.array([slow_t(pool[x], pool[y]) for x, y in deals])
    expected = np.mean(t >= t[0] - 1e-9)
    options = {"alternative": alternative, "margin": MARGIN}
    found = permutation_test(a, b, **options)
    assert found.pvalue == pytest.approx(expected, rel=1e-12)
    assert found.statistic == pytest.approx(a.mean() - b.mean(), rel=1e-12)
    found = permutation_test(a, b, statistic="t", **options)
    assert found.pvalue == pytest.approx(expected, rel=1e-12)
    assert found.statistic == pytest.approx(sign * t[0], rel=1e-9)


def test_exact_flips_of_ratings():
    """Differences plus the margin are multiples of half a star."""
    rng = np.random.default_rng(4)
    a, b = rng.integers(1, 6, (2, 12)).astype(float)
    options = {"paired": True, "alternative": "greater", "margin": 0.5}
    expected = permutation_test(a, b, n_resamples=2**12, **options).pvalue
    found = permutation_test(a, b, method="exact", **options).pvalue
    assert found == pytest.approx(expected, rel=1e-10)
    # Of 0.3 they are not.
    other = permutation_test(a, b, method="exact", **(options | {"margin": 0.29}))
    assert math.isnan(other.pvalue)


@pytest.mark.long
@given(st.floats(0.0, 10.0), st.floats(0.0, 10.0))
def test_a_larger_margin_has_a_smaller_p_value(one, other):
    a, b = draw_samples(9, 9)
    small, large = sorted([one, other])
    for function, options in (
        (t_test, {}),
        (bootstrap_test, {"n_resamples": 99, "rng": 0}),
        (permutation_test, {"paired": True}),
    ):
        for alternative in SIDES:
            p = [
                function(a, b, alternative=alternative, margin=x, **options).pvalue
                for x in (small, large)
            ]
            assert p[1] <= p[0]


@pytest.mark.parametrize("function", [t_test, bootstrap_test, permutation_test])
class TestWrongCalls:
    def test_two_sided(self, function):
        match = "alternative='greater' or 'less' with margin=0.3; got 'two-sided'"
        with pytest.raises(ValueError, match=match):
            function([1.0, 2.0], [2.0, 4.0], margin=0.3)

    @pytest.mark.parametrize("margin", [-0.1, math.nan, math.inf])
    def test_no_margin(self, function, margin):
        with pytest.raises(ValueError, match="margin to be"):
            function([1.0, 2.0], [2.0, 4.0], alternative="less", margin=margin)

    def test_no_number(self, function):
        with pytest.raises(TypeError, match="an option is no array"):
            function([1.0, 2.0], [2.0], alternative="less", margin=np.zeros(1))


def test_what_permutations_with_a_margin_are_not_for():
    a, b = draw_samples(9, 9)
    options = {"paired": True, "alternative": "greater", "margin": MARGIN}
    with pytest.raises(ValueError, match=r"'mean' or 't' with a margin.*got 'median'"):
        permutation_test(a, b, statistic="median", **options)
    with pytest.raises(ValueError, match="no clusters with a margin"):
        permutation_test(a, b, clusters=[0, 1, 2] * 3, **options)
    options["paired"] = False
    with pytest.raises(ValueError, match="no strata of independent samples with a m"):
        permutation_test(a, b, strata=([0, 0, 1] * 3,) * 2, **options)
    with pytest.raises(ValueError, match=r"samples of one size.*got 9 and 5 scores"):
        permutation_test(a, b[:5], method="saddlepoint", **options)


@pytest.mark.parametrize("exponent", [-600, 7, 600])
@pytest.mark.parametrize("alternative", SIDES)
def test_a_margin_has_the_unit_of_the_scores(exponent, alternative):
    """Also where scores are so large or small that they are computed in another."""
    a, b = draw_samples(9, 9)
    unit = 2.0**exponent
    for function, options in (
        (t_test, {}),
        (t_test, {"clusters": [0, 1, 2] * 3, "paired": True}),
        (bootstrap_test, {"n_resamples": 99, "rng": 0}),
        (bootstrap_test, {"n_resamples": 99, "rng": 0, "statistic": "t"}),
        (bootstrap_test, {"method": "saddlepoint"}),
        (permutation_test, {"paired": True}),
        (permutation_test, {"n_resamples": 99, "rng": 0}),
    ):
        expected, found = (
            function(
                x * a, x * b, alternative=alternative, margin=x * MARGIN, **options
            ).pvalue
            for x in (1.0, unit)
        )
        assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("method", ["saddlepoint", "exact"])
@pytest.mark.parametrize("alternative", SIDES)
def test_permutations_without_draws(alternative, method):
    """The p-value is that of shifted scores, and the difference that of the others."""
    rng = np.random.default_rng(5)
    a, b = rng.integers(1, 6, (2, 30)).astype(float)
    options = {"paired": True, "method": method, "alternative": alternative}
    found = permutation_test(a, b, margin=0.5, **options)
    expected = permutation_test(a + SIDES[alternative] * 0.5, b, **options)
    assert found.pvalue == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.statistic == pytest.approx(a.mean() - b.mean(), abs=1e-14)


@pytest.mark.parametrize("paired", [True, False])
def test_a_margin_beyond_all_units_of_the_scores_makes_t_infinite(paired):
    """It was NaN, as if a score were not finite."""
    a, b = 1e-311 * np.array(draw_samples(9, 9))
    result = t_test(a, b, paired=paired, alternative="greater", margin=MARGIN)
    assert result.statistic == math.inf
    assert math.isnan(result.pvalue)
