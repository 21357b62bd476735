"""Power analyses, against SciPy's tests on samples drawn by NumPy."""

import math
import warnings

import numpy as np
import pytest
import scipy.stats

from sigarray import (
    aso,
    aso_uncertainty_reduction,
    bootstrap_power_analysis,
    required_sample_size,
)
from tests.oracles import FALSE_ALARM

SCORES = np.random.default_rng(0).normal(1.0, 0.3, 8)


def seen(test, a, b, level):
    """Which samples SciPy's test declares different, one-sided."""
    if test == "welch":
        result = scipy.stats.ttest_ind(
            a, b, axis=-1, equal_var=False, alternative="greater"
        )
    elif test == "paired_t":
        result = scipy.stats.ttest_rel(a, b, axis=-1, alternative="greater")
    else:
        result = scipy.stats.mannwhitneyu(
            a, b, axis=-1, alternative="greater", method="asymptotic"
        )
    return result.pvalue < level


def assert_same_rate(rate, expected, count, expected_count):
    """Two binomial rates that differ by chance alone."""
    error = math.sqrt(expected * (1.0 - expected) * (1 / count + 1 / expected_count))
    z = scipy.stats.norm.isf(FALSE_ALARM / 2)
    assert rate == pytest.approx(expected, abs=z * error + 2.0 / count)


def widen(x):
    """Scores of which resamples vary as much as samples do."""
    return x.mean() + np.sqrt(len(x) / (len(x) - 1)) * (x - x.mean())


@pytest.mark.long
def test_power_of_pilots_is_on_average_nearer_to_that_of_samples():
    """Of pilots of 5 normal scores and a difference of one deviation."""
    scipy_stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    pilots = rng.normal(size=(2, 400, 5))
    a, b = pilots - pilots.mean(-1, keepdims=True)  # whose means are as they are
    spread = np.sqrt((pilots.var(-1, ddof=1)).mean())
    powers = required_sample_size(a + 1.0, b, sizes=(12,), n_resamples=500, rng=0).power
    x, y = rng.normal(1.0, 1.0, (20_000, 12)), rng.normal(size=(20_000, 12))
    p = scipy_stats.ttest_ind(x, y, axis=-1, equal_var=False, alternative="greater")
    assert spread == pytest.approx(1.0, abs=0.05)
    # Resamples that are not widened: 0.80. Power is no straight line of the spread.
    assert powers.mean() == pytest.approx((p.pvalue <= 0.05).mean(), abs=0.04)


class TestBootstrapPowerAnalysis:
    @pytest.mark.parametrize("test", ["welch", "paired_t", "mann_whitney"])
    @pytest.mark.parametrize(("lift", "level"), [(1.25, 0.05), (1.1, 0.2), (1.0, 0.1)])
    def test_it_is_the_share_of_small_p_values(self, backend, test, lift, level):
        rng = np.random.default_rng(1)
        scores = SCORES - 0.9  # some of them negative
        lifted = scores + np.abs(scores) * (lift - 1.0)
        drawn = (x[rng.integers(0, 8, (20_000, 8))] for x in (lifted, scores))
        expected = seen(test, *drawn, level).mean()
        power = bootstrap_power_analysis(
            backend.asarray(scores),
            lift=lift,
            alpha=level,
            test=test,
            n_resamples=5000,
            rng=2,
        )
        assert_same_rate(float(power), expected, 5000, 20_000)

    def test_a_lift_below_one_asks_whether_the_scores_are_better(self):
        power = bootstrap_power_analysis(SCORES, lift=0.8, rng=0)
        upside_down = bootstrap_power_analysis(-SCORES, lift=1.2, rng=0)
        assert power > 0.5
        assert 0.0 < upside_down < 1.0

    def test_aso_decides_by_its_bound(self):
        rng = np.random.default_rng(0)
        x = np.array([0.6, 0.9, 0.7, 0.8])
        a, b = (
            widen(1.25 * x)[rng.integers(0, 4, (4000, 4))],
            widen(x)[rng.integers(0, 4, (4000, 4))],
        )
        expected = (aso(a, b, confidence_level=0.9).eps_min < 0.2).mean()
        power = bootstrap_power_analysis(
            x, test="aso", alpha=0.1, n_resamples=1000, rng=0
        )
        assert_same_rate(power, expected, 1000, 4000)

    def test_callables_are_the_test(self, backend):
        def welch(a, b, axis):
            from sigarray import t_test

            assert axis == -1
            return t_test(a, b, axis=axis, alternative="greater").pvalue

        x = backend.asarray(SCORES)
        by_name = bootstrap_power_analysis(x, n_resamples=200, rng=0)
        by_function = bootstrap_power_analysis(x, n_resamples=200, test=welch, rng=0)
        assert float(by_name) == float(by_function)

    def test_a_p_value_at_the_level_is_small_enough(self):
        def find(a, b, axis):
            return np.full(a.shape[:-1], 0.05)

        options = {"test": find, "n_resamples": 9, "rng": 0}
        assert bootstrap_power_analysis(SCORES, alpha=0.05, **options) == 1.0
        assert bootstrap_power_analysis(SCORES, alpha=0.04, **options) == 0.0

    @pytest.mark.parametrize(
        ("scores", "options", "message"),
        [
            ([1.0], {}, "two scores or more in a sample, to resample; got 1"),
            ([1.0, 2.0], {"lift": 0.0}, "lift to be a positive number; got 0.0"),
            ([1.0, 2.0], {"lift": "2"}, "lift to be a finite number; got '2'"),
            ([1.0, 2.0], {"test": "t"}, "test to be one of 'welch', 'paired_t'"),
            ([1.0, 2.0], {"alpha": 5}, r"alpha to be in \(0"),
            (
                [1.0, 2.0],
                {"test": lambda a, b, axis: a},
                r"test\(a, b, axis=-1\) to give",
            ),
            ([1.0, 2.0], {"test": lambda a, b: a}, r"called as test\(a, b, axis=-1\)"),
        ],
    )
    def test_impossible_options(self, scores, options, message):
        with pytest.raises((TypeError, ValueError), match=message):
            bootstrap_power_analysis(scores, rng=0, **options)


class TestRequiredSampleSize:
    A = np.array([0.91, 0.94, 0.90, 0.95, 0.93, 0.96])
    B = np.array([0.90, 0.92, 0.89, 0.93, 0.92, 0.91])

    @pytest.mark.parametrize("test", ["welch", "paired_t", "mann_whitney"])
    def test_power_at_each_size(self, backend, test):
        rng = np.random.default_rng(1)
        sizes = (4, 10, 30)
        result = required_sample_size(
            backend.asarray(self.A),
            backend.asarray(self.B),
            test=test,
            sizes=sizes,
            n_resamples=3000,
            rng=5,
        )
        powers = backend.to_numpy(result.power)
        for n, power in zip(sizes, powers, strict=True):
            places = rng.integers(0, 6, (2, 10_000, n))
            if test == "paired_t":
                places[1] = places[0]
            a, b = widen(self.A)[places[0]], widen(self.B)[places[1]]
            samples = [a - b] if test == "paired_t" else [a, b]
            # SciPy warns of samples that do not vary, of which we see no difference.
            varies = np.any([np.ptp(x, axis=-1) > 1e-9 for x in samples], axis=0)
            if test == "mann_whitney":
                varies[:] = True
            is_seen = np.zeros(len(a), bool)
            with warnings.catch_warnings(action="ignore"):
                is_seen[varies] = seen(test, a[varies], b[varies], 0.05)
            expected = is_seen.mean()
            assert_same_rate(power, expected, 3000, 10_000)
        smallest = next(
            (n for n, p in zip(sizes, powers, strict=True) if p >= 0.8), math.inf
        )
        assert float(result.sample_size) == smallest

    def test_no_size_is_enough_where_there_is_no_difference(self, backend):
        a = backend.asarray(self.A)
        result = required_sample_size(a, a, sizes=(3, 6), n_resamples=100, rng=0)
        assert float(result.sample_size) == math.inf

    def test_losses(self):
        options = {"test": "welch", "sizes": (5, 10), "n_resamples": 200, "rng": 0}
        result = required_sample_size(self.A, self.B, **options)
        losses = required_sample_size(
            -self.A, -self.B, higher_is_better=False, **options
        )
        np.testing.assert_array_equal(result.power, losses.power)

    @pytest.mark.parametrize(
        ("sizes", "message"),
        [
            ((), "one or more sizes; got none"),
            ((1, 5), "sizes to be an integer from 2 to .*; got 1"),
            ((5, 3), r"sizes to be ascending; got \[5, 3\]"),
            ((4, 4), r"sizes to be ascending; got \[4, 4\]"),
        ],
    )
    def test_impossible_sizes(self, sizes, message):
        with pytest.raises(ValueError, match=message):
            required_sample_size(self.A, self.B, sizes=sizes, rng=0)

    def test_pairs_need_partners(self):
        with pytest.raises(ValueError, match="got 6 and 5"):
            required_sample_size(self.A, self.B[:5], test="paired_t", rng=0)


class TestUncertaintyReduction:
    def test_published_values(self):
        assert aso_uncertainty_reduction(5, 3, 5, 5) == pytest.approx(
            1.1547005, abs=5e-8
        )
        assert aso_uncertainty_reduction(5, 3, 7, 3) == pytest.approx(
            1.0583005, abs=5e-8
        )

    def test_it_is_the_ratio_of_the_asymptotic_errors(self):
        """Samples of other sizes with the same quantile functions."""
        x, y = np.random.default_rng(0).normal([[0.0], [1.0]], [[1.0], [2.0]], (2, 300))
        old = aso(x, y, method="asymptotic")
        new = aso(np.repeat(x, 2), np.repeat(y, 3), method="asymptotic")
        ratio = aso_uncertainty_reduction(300, 300, 600, 900)
        assert old.standard_error / new.standard_error == pytest.approx(ratio, rel=0.2)

    def test_impossible_numbers(self):
        with pytest.raises(ValueError, match="n_new to be an integer of 1 or more"):
            aso_uncertainty_reduction(5, 3, 5, 0)
        with pytest.raises(TypeError, match="m_old to be an integer"):
            aso_uncertainty_reduction(5.5, 3, 5, 5)


@pytest.mark.parametrize("test", ["aso", "mann_whitney"])
def test_scores_near_the_largest_float_have_the_power_of_others(test):
    """Scores that are moved from their mean overflowed: NaN."""
    a, b = np.random.default_rng(0).uniform([[1.0], [0.8]], 1.5, (2, 6))
    options = {"test": test, "sizes": (3, 5), "n_resamples": 20, "rng": 0}
    scale = 2.0**1023
    found = required_sample_size(scale * a, scale * b, **options).power
    expected = required_sample_size(a, b, **options).power
    np.testing.assert_array_equal(found, expected)
