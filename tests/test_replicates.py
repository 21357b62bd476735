"""Replicates from any place on: the numbers inside the tests, however they are cut."""

import inspect
import itertools

import numpy as np
import pytest

import sigarray
from sigarray import (
    bootstrap_ci,
    bootstrap_replicates,
    bootstrap_test,
    permutation_replicates,
    permutation_test,
    responses,
)
from tests.backends import everywhere, require
from tests.cases import CASES
from tests.test_contract import over

REPLICATES = [case for case in CASES if "start" in case.options]
ALTERNATIVES = {
    "greater": lambda d, observed: d >= observed - 1e-9,
    "less": lambda d, observed: d <= observed + 1e-9,
    "two-sided": lambda d, observed: np.abs(d) >= np.abs(observed) - 1e-9,
}


def draw_scores(*sizes, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.normal(0.3 * k, 1.0, (2, size)) for k, size in enumerate(sizes)]


@everywhere
@over(REPLICATES)
def test_any_split_gives_the_same(backend, case):
    arrays = [backend.asarray(sample) for sample in case.samples(2)]
    parts = [15, 15] if backend.is_jax else [1, 2, 3, 7, 17]
    wholes = case(*arrays)
    starts = itertools.accumulate(parts[:-1], initial=case.options["start"])
    pieces = [
        case(*arrays, start=start, count=count)
        for start, count in zip(starts, parts, strict=True)
    ]
    for whole, own in zip(wholes, zip(*pieces, strict=True), strict=True):
        assert whole.shape == (2, 30)
        joined = np.concatenate([backend.to_numpy(x) for x in own], axis=-1)
        np.testing.assert_allclose(
            backend.to_numpy(whole), joined, rtol=backend.rtol, atol=backend.atol
        )


@over(REPLICATES)
def test_the_start_may_be_traced(case):
    """One program for all shards."""
    jax = require("jax")
    arrays = [jax.numpy.asarray(x, dtype="float32") for x in case.samples()]
    traces = []

    @jax.jit
    def program(start, *arrays):
        traces.append(start)
        return case(*arrays, start=start)

    for start in (0, 5, 40):
        for result, expected in zip(
            program(start, *arrays), case(*arrays, start=start), strict=True
        ):
            np.testing.assert_allclose(result, expected, atol=case.float32_error)
    assert len(traces) == 1


@over(REPLICATES)
def test_starts_that_are_refused(case):
    samples = case.samples()
    for start, error in ((-1, ValueError), (2**31 - 29, ValueError), (5.0, TypeError)):
        with pytest.raises(error, match="Expected start"):
            case(*samples, start=start)
    with pytest.raises(TypeError, match=r"start to be an integer; got numpy\.ndarray"):
        case(*samples, start=np.array(5.0))
    with pytest.raises(ValueError, match=r"start to be one integer; got shape \(2,\)"):
        case(*samples, start=np.array([5, 6]))
    with pytest.raises(ValueError, match="Expected start in"):
        case(*samples, start=np.array(2**32 + 5))
    for start in (5, np.array(5), np.uint8(5)):
        for result, expected in zip(
            case(*samples, start=start), case(*samples), strict=True
        ):
            np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("statistic", ["mean", "median", np.ptp])
@pytest.mark.parametrize("paired", [False, True])
class TestDifferences:
    def test_bootstrap_p_values_count_them(self, statistic, paired, alternative):
        a, b = draw_scores(12, 12)
        options = {"statistic": statistic, "paired": paired, "rng": 3}
        d = bootstrap_replicates(a, b, start=0, count=300, **options)
        result = bootstrap_test(
            a, b, n_resamples=300, alternative=alternative, **options
        )
        observed = result.statistic[:, None]
        count = ALTERNATIVES[alternative](d - observed, observed).sum(axis=-1)
        np.testing.assert_allclose(result.pvalue, (count + 1) / 301)

    def test_permutation_p_values_count_them(self, statistic, paired, alternative):
        a, b = draw_scores(12, 12)
        options = {"statistic": statistic, "paired": paired, "rng": 3}
        d = permutation_replicates(a, b, start=0, count=300, **options)
        result = permutation_test(
            a, b, n_resamples=300, alternative=alternative, **options
        )
        tails = {
            side: (ALTERNATIVES[side](d, result.statistic[:, None]).sum(-1) + 1) / 301
            for side in ("greater", "less")
        }
        tails["two-sided"] = np.minimum(1.0, 2.0 * np.minimum(*tails.values()))
        np.testing.assert_allclose(result.pvalue, tails[alternative])

    def test_exact_p_values_count_all(self, statistic, paired, alternative):
        a, b = draw_scores(5, 5)
        options = {"statistic": statistic, "paired": paired}
        count = 32 if paired else 252
        d = permutation_replicates(
            a, b, start=0, count=count, method="exact", **options
        )
        result = permutation_test(a, b, alternative=alternative, **options)
        tails = {
            side: ALTERNATIVES[side](d, result.statistic[:, None]).mean(axis=-1)
            for side in ("greater", "less")
        }
        tails["two-sided"] = np.minimum(1.0, 2.0 * np.minimum(*tails.values()))
        np.testing.assert_allclose(result.pvalue, tails[alternative])


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


@pytest.mark.parametrize("statistic", ["mean", "median", np.ptp])
@pytest.mark.parametrize("sizes", [(11,), (11, 8)])
def test_intervals_have_their_quantiles(statistic, sizes):
    samples = draw_scores(*sizes)
    options = {"statistic": statistic, "rng": 3}
    d = bootstrap_replicates(*samples, start=0, count=400, **options)
    result = bootstrap_ci(
        *samples, method="percentile", n_resamples=400, confidence_level=0.9, **options
    )
    limits = np.quantile(d, [0.05, 0.95], axis=-1)
    np.testing.assert_allclose(result.confidence_interval, limits, atol=1e-12)
    np.testing.assert_allclose(result.standard_error, d.std(axis=-1, ddof=1))


def test_they_keep_level_and_scale():
    a, b = draw_scores(9, 7)
    for replicates in (bootstrap_replicates, permutation_replicates):
        plain = replicates(a, b, start=0, count=50, rng=0)
        moved = replicates(1e6 + a, 1e6 + b, start=0, count=50, rng=0)
        np.testing.assert_allclose(moved, plain, atol=1e-8)
        huge = replicates(1e300 * a, 1e300 * b, start=0, count=50, rng=0)
        np.testing.assert_allclose(huge / 1e300, plain, atol=1e-12)
    one = bootstrap_replicates(1e6 + a, start=0, count=50, rng=0)
    assert np.abs(one - 1e6).max() < 5.0


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


def test_leads_give_the_p_value_of_the_test():
    test_set = responses.simulate(40, 3, perturbation_b=0.2, rng=1)
    for metric in ("mae", "wins_mae"):
        options = {"metric": metric, "responses": "bootstrap", "rng": 2}
        drawn = responses.response_replicates(*test_set, start=0, count=50, **options)
        result = responses.response_test(
            *test_set, n_resamples=50, alternative="greater", **options
        )
        pairs = drawn.null_statistic[:, None] >= drawn.statistic - 1e-9
        assert result.pvalue == pytest.approx((pairs.sum() + 50) / (50 * 51))


def test_new_test_sets_give_the_true_p_value():
    options = {"n_items": 30, "perturbation_b": 0.3, "metric": "mae", "rng": 4}
    drawn = responses.true_replicates(start=0, count=60, **options)
    result = responses.true_p_value(n_sets=60, alternative="greater", **options)
    pairs = drawn.null_statistic[:, None] >= drawn.statistic - 1e-9
    assert result.pvalue == pytest.approx((pairs.sum() + 1) / (60**2 + 1))
    assert result.statistic == pytest.approx(drawn.statistic.mean())
    later = responses.true_replicates(start=25, count=35, **options)
    for whole, part in zip(drawn, later, strict=True):
        np.testing.assert_array_equal(whole[25:], part)


def test_test_sets_from_a_later_one_on():
    options = {"n_items": 7, "n_responses": 2, "rng": 4}
    sets = responses.simulate(n_sets=9, **options)
    later = responses.simulate(n_sets=4, start=5, **options)
    last = responses.simulate(start=8, **options)
    for whole, part, one in zip(sets, later, last, strict=True):
        np.testing.assert_array_equal(whole[5:], part)
        np.testing.assert_array_equal(whole[8], one)
    drawn = responses.resample(*sets, n_resamples=9, rng=0)
    later = responses.resample(*sets, n_resamples=4, start=5, rng=0)
    for whole, part in zip(drawn, later, strict=True):
        np.testing.assert_array_equal(whole[:, 5:], part)
    with pytest.raises(ValueError, match=r"start in \[0, 2\*\*31 - n_resamples\]"):
        responses.resample(*sets, start=-1, rng=0)


def test_their_signatures_have_one_shape():
    functions = [
        getattr(package, name)
        for package in (sigarray, responses)
        for name in package.__all__
        if name.endswith("_replicates")
    ]
    assert len(functions) == 5
    for function in functions:
        parameters = inspect.signature(function).parameters.values()
        options = [x for x in parameters if x.kind is x.KEYWORD_ONLY]
        needed = [x.name for x in options if x.default is x.empty]
        assert needed == [x.name for x in options[:2]] == ["start", "count"]
        assert {"batch", "rng"} <= {x.name for x in options}


@everywhere
@pytest.mark.parametrize("n", [6, 5000])
@pytest.mark.parametrize("m", [6, 7, 5000])
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
