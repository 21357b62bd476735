"""The level and the size of scores move no result: scores are centred and scaled."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sigarray
from sigarray import (
    bootstrap_ci,
    bootstrap_test,
    compare,
    corpus,
    of_sums,
    permutation_test,
    responses,
    t_ci,
    t_test,
)
from tests.backends import everywhere
from tests.cases import CASES
from tests.chosen import over

FLAT_CASES = [
    case for case in CASES if not case.is_within_one and case.moved is not None
]


@pytest.mark.parametrize(
    ("backend", "dtype", "shifts"),
    [
        ("numpy", "float32", (1.0, -1000.0, 2.0**20)),
        ("numpy", "float64", (-3.0, 2.0**40)),
        ("torch", "float32", (2.0**20,)),
        ("array_api_strict", "float32", (2.0**20,)),
    ],
    indirect=["backend"],
)
@over(FLAT_CASES)
def test_a_shift_that_is_exact_changes_nothing(backend, case, dtype, shifts):
    samples = [np.round(8.0 * x) / 8.0 for x in case.samples(2)]
    results = case(*(backend.asarray(x, dtype) for x in samples))
    for shift in shifts:
        moved = case(*(backend.asarray(x + shift, dtype) for x in samples))
        pairs = list(zip(moved, results, strict=True))
        assert set(case.moved) < set(range(len(pairs)))
        for place, (result, expected) in enumerate(pairs):
            if place in case.moved:
                continue
            np.testing.assert_array_equal(
                backend.to_numpy(result), backend.to_numpy(expected), err_msg=shift
            )


@pytest.mark.parametrize("scale", [1.7e308 / 6, -1.7e308 / 6, 1e-300])
@pytest.mark.parametrize("paired", [True, False])
def test_the_largest_and_smallest_floats(scale, paired):
    """Sums of scores near 1.7e308 were infinite, and an exact p-value 0."""
    rng = np.random.default_rng(0)
    a, b = rng.uniform([[-2.0], [-6.0]], 6.0, (2, 8))
    options = {"paired": paired, "rng": 0, "n_resamples": 300}
    for method in ("resampling", "saddlepoint"):
        for test in (permutation_test, bootstrap_test):
            result = test(scale * a, scale * b, method=method, **options)
            plain = test(a, b, method=method, **options)
            assert result.pvalue == pytest.approx(plain.pvalue, rel=1e-9)
            assert result.statistic == pytest.approx(scale * plain.statistic)
    result = t_test(scale * a, scale * b, paired=paired)
    plain = t_test(a, b, paired=paired)
    sign = math.copysign(1.0, scale)
    assert result.statistic == pytest.approx(sign * plain.statistic)
    assert result.pvalue == pytest.approx(plain.pvalue, rel=1e-9)
    result = bootstrap_ci(scale * a, scale * b, **options)
    plain = bootstrap_ci(a, b, **options)
    ends = plain.confidence_interval[:: int(sign)]
    assert result.confidence_interval == pytest.approx([scale * x for x in ends])
    summary = compare(scale * a, scale * b, rng=0).summary_a
    assert summary.mean == pytest.approx(scale * a.mean())


@pytest.mark.parametrize(
    ("dtype", "exponent"),
    [("float64", 1000), ("float64", -1000), ("float32", 100), ("float32", -100)],
)
@pytest.mark.parametrize("statistic", ["mean", of_sums(corpus.ratio)])
@pytest.mark.parametrize("clusters", [np.arange(24) // 3, None])
def test_sums_of_the_largest_and_smallest_floats(clusters, statistic, dtype, exponent):
    """The number by which a level is rounded overflowed beyond 1e295: NaN, or p low."""
    scale = 2.0**exponent
    x, y = np.random.default_rng(0).normal(size=(2, 24)).astype(dtype)
    parts, large = [x, y], [scale * x, scale * y]
    if statistic != "mean":
        parts, large = ([(z, np.ones_like(z)) for z in of] for of in (parts, large))
    options = {"statistic": statistic, "clusters": clusters, "paired": True}
    draws = options | {"rng": 0, "n_resamples": 99}
    for test in (permutation_test, bootstrap_test):
        assert test(*large, **draws).pvalue == test(*parts, **draws).pvalue
    for find, of in ((bootstrap_ci, draws), (t_ci, options)):
        found, expected = find(*large, **of), find(*parts, **of)
        assert found.statistic == scale * expected.statistic
        ends = [scale * end for end in expected.confidence_interval]
        assert found.confidence_interval == pytest.approx(ends, rel=1e-6)


@everywhere
@pytest.mark.parametrize("test", [bootstrap_test, permutation_test])
@pytest.mark.parametrize("factor", [1e4, -1e4])
def test_heavy_tails_in_single_precision(backend, test, factor):
    """An outlier leaves the other scores their bits."""
    scores = np.random.default_rng(0).standard_cauchy((2, 200)) * factor
    scores = scores.astype("float32")
    p = test(*(backend.asarray(x, "float32") for x in scores), rng=0).pvalue
    expected = test(*scores.astype(float), rng=0).pvalue
    assert float(backend.to_numpy(p)) == pytest.approx(float(expected), abs=5e-4)


@pytest.mark.parametrize("paired", [True, False])
def test_subnormal_scores(paired):
    """Exact, but for their means, which were rounded to whole subnormal numbers."""
    a, b = np.array([5.0, 4, 3, 6, 7, 8]), np.array([-1.0, 2, 1, 0, 1, 3])
    for test in (permutation_test, bootstrap_test, t_test):
        options = {} if test is t_test else {"rng": 0, "n_resamples": 999}
        tiny = test(a * 5e-324, b * 5e-324, paired=paired, **options)
        plain = test(a, b, paired=paired, **options)
        assert tiny.pvalue == pytest.approx(plain.pvalue, rel=1e-9)


@pytest.mark.long
@given(
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=3),
    st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=3),
    st.sampled_from(["float32", "float64"]),
)
def test_p_values_are_probabilities(a, b, dtype):
    """Never above 1, and 0 only for constant samples that differ."""
    a, b = np.array(a, dtype), np.array(b, dtype)
    options = {"n_resamples": 50, "rng": 0}
    found = [
        t_test(a, b).pvalue,
        sigarray.mann_whitney_u(a, b).pvalue,
        *(
            test(a, b, method=method, **options).pvalue
            for test in (bootstrap_test, permutation_test)
            for method in ("resampling", "saddlepoint")
        ),
    ]
    is_constant = len(set(a)) == len(set(b)) == 1
    for p in found:
        assert p >= 0.0 if is_constant else p > 0.0, found
        assert p <= 1.0, found


@everywhere
def test_p_values_of_responses_are_at_most_one(backend):
    gold = backend.asarray(np.zeros((5, 1)), "float32")
    worse = backend.asarray(np.full((5, 1), 2.0), "float32")
    for n_resamples in range(1, 40):
        result = responses.response_test(
            gold,
            worse,
            gold,
            metric="mae",
            items="all",
            alternative="greater",
            n_resamples=n_resamples,
            rng=0,
        )
        assert 0.0 < float(result.pvalue) <= 1.0
        if backend.is_jax and n_resamples == 3:
            break  # it compiles for each


@everywhere
@pytest.mark.parametrize("dtype", ["float32", None])
def test_differences_that_vary_by_rounding_alone_are_the_same(backend, dtype):
    """Ten units of rounding were a difference without error, with p = 1e-54."""
    rng = np.random.default_rng(0)
    b = np.round(rng.uniform(0.0, 0.9, (5, 12)), 2)
    a = np.round(b + np.array([[0.1], [0.01], [-0.3], [0.07], [0.02]]), 2)
    samples = backend.asarray(a, dtype), backend.asarray(b, dtype)
    result = t_test(*samples, paired=True)
    assert np.isinf(backend.to_numpy(result.statistic)).all()
    assert np.isnan(backend.to_numpy(result.pvalue)).all()
    options = {"paired": True, "rng": 0, "n_resamples": 99}
    p = bootstrap_test(*samples, statistic="t", **options).pvalue
    np.testing.assert_array_equal(backend.to_numpy(p), 1.0)
    interval = bootstrap_ci(*samples, method="studentized", **options)
    low, high = map(backend.to_numpy, interval.confidence_interval)
    np.testing.assert_array_equal(low, high)
    a[:, 0] += 1e-4
    varied = t_test(backend.asarray(a, dtype), samples[1], paired=True)
    assert np.isfinite(backend.to_numpy(varied.pvalue)).all()


@everywhere
def test_scores_that_vary_in_their_last_bit_are_the_same(backend):
    a = backend.asarray([0.1 + 0.2, 0.3, 0.3, 0.3])
    result = t_test(a, backend.asarray([0.5, 0.5, 0.5]))
    assert float(result.statistic) == -math.inf
    assert math.isnan(float(result.pvalue))


@pytest.mark.parametrize("statistic", ["mean", "t"])
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("test", [permutation_test, bootstrap_test])
@pytest.mark.parametrize(
    ("level", "spread", "decimals"),
    [(99.3, 0.03, 2), (0.993, 3e-4, 4), (93.2, 0.15, 2), (1e5, 0.5, 1), (0.5, 0.01, 3)],
)
def test_decimals_have_the_ties_of_whole_numbers(
    level, spread, decimals, test, paired, statistic
):
    """99.29 is no float, and what is lost of it is not small beside the spread."""
    rng = np.random.default_rng(7)
    options = {"paired": paired, "statistic": statistic, "rng": 0, "n_resamples": 999}
    sizes = [(5, 5), (8, 8)] if paired else [(5, 5), (6, 7), (12, 9)]
    for n, m in sizes:
        for _ in range(5):
            a, b = (rng.normal(level, spread, k).round(decimals) for k in (n, m))
            whole = [np.round((x - level) * 10.0**decimals) for x in (a, b)]
            assert test(a, b, **options).pvalue == test(*whole, **options).pvalue


@pytest.mark.parametrize("statistic", ["mean", "iqm", "median"])
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("test", [permutation_test, bootstrap_test])
def test_many_decimals_of_single_precision_have_no_more_ties(test, paired, statistic):
    """Means of n scores have errors of 1 / n^(1/2); p was too large by up to 0.08."""
    rng = np.random.default_rng(7)
    options = {"paired": paired, "statistic": statistic, "rng": 0, "n_resamples": 99}
    for _ in range(5):
        a, b = (rng.normal(99.3, 0.03, 1000).round(2) for _ in "ab")
        whole = [np.round((x - 99.3) * 100.0) for x in (a, b)]
        found = test(a.astype("float32"), b.astype("float32"), **options)
        expected = test(*whole, **options).pvalue
        assert found.pvalue == pytest.approx(expected, rel=1e-6)


def test_seeds_on_many_items_vary_by_less_than_a_score_is_rounded(backend):
    """Near 10^6 float32 has steps of 1/16, and means of 500 items vary by less.

    Seeds that count as the same would leave the error of the items alone.
    """
    rng = np.random.default_rng(0)
    items = rng.normal(0.0, 0.4, 500)
    pair = [
        1e6
        + rng.normal(0.0, 0.03, (5, 1))
        + items
        + rng.normal(0.0, 0.3, (5, 500)).astype(np.float32)
        for _ in "ab"
    ]
    single = [x.astype(np.float32) for x in pair]
    arrays = [backend.asarray(x, "float32") for x in single]
    found = t_test(*arrays, axis=(0, 1))
    exact = t_test(*(x.astype(float) for x in single), axis=(0, 1))
    assert float(found.pvalue) == pytest.approx(float(exact.pvalue), rel=1e-2)
