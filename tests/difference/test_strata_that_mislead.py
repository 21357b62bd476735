"""What misleads with strata: unlike shares of scores, and spreads that are rounding."""

import math
import warnings

import numpy as np
import pytest

from sigarray import (
    bootstrap_ci,
    compare_models,
    corpus,
    of_sums,
    permutation_test,
    probability_of_improvement,
    t_ci,
    t_test,
)

RATIO = of_sums(corpus.ratio)


class TestUnlikeShares:
    """Models that are equal on each task, of which one has more runs of easy tasks."""

    TASKS = (np.repeat(range(3), [10, 5, 5]), np.repeat(range(3), [5, 5, 10]))

    def draw(self):
        rng = np.random.default_rng(0)
        levels = np.array([0.1, 0.5, 0.9])
        return [levels[of] + rng.normal(0.0, 0.02, 20) for of in self.TASKS]

    @pytest.mark.parametrize("function", [t_ci, t_test, bootstrap_ci, permutation_test])
    def test_a_warning_says_so(self, function):
        options = {} if function in (t_ci, t_test) else {"rng": 0, "n_resamples": 9}
        said = "such as 10 of 20 and 5 of 20: strata"
        with pytest.warns(UserWarning, match=said) as seen:
            function(*self.draw(), strata=self.TASKS, **options)
        assert seen[0].filename == __file__

    def test_strata_count_alike_by_their_sizes(self):
        a, b = self.draw()
        sizes = [np.bincount(of)[of] for of in self.TASKS]
        columns = [(x / n, 1.0 / n) for x, n in zip((a, b), sizes, strict=True)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            result = t_ci(*columns, statistic=of_sums(corpus.ratio), strata=self.TASKS)
        means = [
            np.mean([x[of == k].mean() for k in range(3)])
            for x, of in zip((a, b), self.TASKS, strict=True)
        ]
        assert result.statistic == pytest.approx(means[0] - means[1], abs=1e-12)
        low, high = result.confidence_interval
        assert low < 0.0 < high

    def test_what_counts_strata_alike_has_none(self):
        a, b = self.draw()
        tasks = {
            f"t{k}": {
                name: x[of == k]
                for name, x, of in zip("ab", (a, b), self.TASKS, strict=True)
            }
            for k in range(3)
        }
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message=".*unlike shares")
            by = {"strata": self.TASKS, "rng": 0, "n_resamples": 9}
            probability_of_improvement(a, b, **by)
            result = compare_models(tasks, statistic="mean", unit="run")
        assert result.over_these_tasks is not None

    def test_like_shares_have_none(self):
        tasks = np.repeat(range(3), [2, 4, 4]), np.repeat(range(3), [3, 6, 6])
        rng = np.random.default_rng(0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            t_ci(rng.normal(size=10), rng.normal(size=15), strata=tasks)


class TestRounding:
    """Decimals whose differences are one number in each stratum, but for rounding."""

    TASK = np.repeat(range(4), 5)

    def draw(self):
        b = np.round(np.random.default_rng(0).uniform(0.5, 0.9, 20), 2)
        return b + np.array([0.1, 0.2, 0.1, 0.3])[self.TASK], b

    def test_strata(self):
        a, b = self.draw()
        tables = [x.reshape(4, 5) for x in (a, b)]
        results = [
            t_test(a, b, paired=True, strata=self.TASK),
            t_test(*tables, paired=True, axis=1, strata=0),
            t_test(
                *(np.rint(100.0 * x) for x in (a, b)), paired=True, strata=self.TASK
            ),
        ]
        for result in results:
            assert result.statistic == math.inf
            assert math.isnan(result.pvalue)
            assert result.df == pytest.approx(16.0)

    def test_clusters_within_strata(self):
        _, b = self.draw()
        task, clusters = np.repeat(range(2), 10), np.repeat(range(10), 2)
        a = b + np.array([0.1, 0.3])[task]
        result = t_test(a, b, paired=True, strata=task, clusters=clusters)
        assert result.statistic == math.inf
        assert math.isnan(result.pvalue)

    @pytest.mark.parametrize("design", [{}, {"strata": TASK}, {"clusters": TASK}])
    def test_pseudo_values(self, design):
        """Which are rounded as n times the metric is."""
        _, b = self.draw()
        ones = np.ones(20)
        samples = (b + 0.1, ones), (b, ones)
        result = t_test(*samples, paired=True, statistic=RATIO, **design)
        assert result.statistic == math.inf
        assert math.isnan(result.pvalue)

    def test_small_spreads_are_none(self):
        """On levels that are far apart, in double and in single precision."""
        rng = np.random.default_rng(0)
        x = rng.normal(size=20) + np.array([0.0, 1e3, 2e3, 3e3])[self.TASK]
        wide = t_ci(x, strata=self.TASK)
        narrow = t_ci(x.astype(np.float32), strata=self.TASK)
        assert wide.standard_error > 0.1
        assert narrow.standard_error == pytest.approx(wide.standard_error, rel=1e-3)
