"""Statistics of whole clusters that are drawn, against resamples written out."""

import numpy as np
import pytest
import scipy.stats

from sigarray import (
    aso,
    bootstrap_ci,
    bootstrap_replicates,
    bootstrap_test,
    mann_whitney_u,
    permutation_replicates,
    permutation_test,
    t_test,
)
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import random_places
from tests.backends import require


def find_iqm(x):
    """Return the mean without floor(n / 4) at each end."""
    return scipy.stats.trim_mean(x, 0.25)


def find_range(x, axis):
    """Return what is known of samples of one size alone."""
    return x.max(axis=axis) - x.min(axis=axis)


STATISTICS = [("median", np.median), ("iqm", find_iqm)]
WITH_MEAN = [("mean", np.mean), *STATISTICS]


def draw(n_clusters=7, n=24, seed=0):
    """Return labels, and scores of A and of B with some ties."""
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(n_clusters), rng.integers(0, n_clusters, n))
    rng.shuffle(codes)
    return codes, np.round(4.0 * rng.normal(size=(2, len(codes))))


def draw_clusters(count, *numbers, paired=False, seed=1):
    """Return the clusters (count, C) that replicates draw from each sample."""
    words = seed_words(HOST, seed)
    return random_places(HOST, words, 0, count, numbers, numbers, paired)


def write_out(find, x, codes, drawn):
    """Return a statistic of the items of the clusters that were drawn, in a loop."""
    return find(np.concatenate([x[codes == code] for code in drawn]))


class TestReplicates:
    @pytest.mark.parametrize(("statistic", "find"), WITH_MEAN)
    def test_of_resamples_that_are_written_out(self, backend, statistic, find):
        codes, (a, b) = draw()
        b, of_b = b[:19], codes[:19] % 4
        options = {"statistic": statistic, "start": 0, "count": 25, "rng": 1}
        places, of_second = draw_clusters(25, 7, 4)
        values = [write_out(find, a, codes, x) for x in places]
        others = [write_out(find, b, of_b, x) for x in of_second]
        x, y = map(backend.asarray, (a, b))
        rtol, atol = (0, 1e-12) if backend.float_name == "float64" else (2e-5, 2e-6)
        for found, expected in (
            (bootstrap_replicates(x, clusters=codes, **options), values),
            (
                bootstrap_replicates(x, y, clusters=(codes, of_b), **options),
                np.subtract(values, others),
            ),
        ):
            np.testing.assert_allclose(
                backend.to_numpy(found), expected, rtol=rtol, atol=atol
            )

    @pytest.mark.parametrize(("statistic", "find"), WITH_MEAN)
    def test_of_pairs_and_in_batches(self, statistic, find):
        codes, (a, b) = draw()
        options = {"statistic": statistic, "clusters": codes, "rng": 1}
        stack = np.stack([b, -b, b * 2.0])
        found = bootstrap_replicates(a, stack, paired=True, start=2, count=9, **options)
        for row, other in zip(found, stack, strict=True):
            expected = [
                write_out(find, a, codes, x) - write_out(find, other, codes, x)
                for x in draw_clusters(11, 7)[0][2:]
            ]
            np.testing.assert_allclose(row, expected, rtol=0, atol=1e-14)

    @pytest.mark.parametrize("n_clusters", [2, 3])
    def test_of_few_items(self, n_clusters):
        """Of fewer than four items none is left out."""
        x, codes = np.array([3.0, 1.0, 7.0, 2.0])[:n_clusters], np.arange(n_clusters)
        for statistic, find in STATISTICS:
            found = bootstrap_replicates(
                x, statistic=statistic, clusters=codes, start=0, count=20, rng=1
            )
            drawn = draw_clusters(20, n_clusters)[0]
            np.testing.assert_allclose(found, [find(x[places]) for places in drawn])


class TestIntervalsAndTests:
    @pytest.mark.parametrize(("statistic", "find"), STATISTICS)
    @pytest.mark.parametrize("paired", [False, True])
    def test_of_percentiles_and_of_bca(self, statistic, find, paired):
        codes, (a, b) = draw()
        samples = [a, b] if paired else [a]
        drawn = draw_clusters(199, 7)[0]

        def subtract(values):
            return values[0] - values[1] if paired else values[0]

        values = np.array(
            [
                subtract([write_out(find, x, codes, places) for x in samples])
                for places in drawn
            ]
        )
        observed = subtract([find(x) for x in samples])
        options = {
            "statistic": statistic,
            "clusters": codes,
            "paired": paired,
            "n_resamples": 199,
            "rng": 1,
        }
        found = bootstrap_ci(*samples, method="percentile", **options)
        limits = np.quantile(values, (0.025, 0.975))
        np.testing.assert_allclose(found.confidence_interval, limits, atol=1e-12)
        np.testing.assert_allclose(found.statistic, observed, atol=1e-12)
        np.testing.assert_allclose(found.standard_error, values.std(ddof=1))

        gaps = np.where(np.abs(values - observed) < 1e-9, 0.0, values - observed)
        bias = scipy.stats.norm.ppf(np.mean(gaps < 0.0) + 0.5 * np.mean(gaps == 0.0))
        without = np.array(
            [subtract([find(x[codes != code]) for x in samples]) for code in range(7)]
        )
        influences = without.mean() - without
        acceleration = np.sum(influences**3) / (6.0 * np.sum(influences**2) ** 1.5)
        z = bias + scipy.stats.norm.ppf((0.025, 0.975))
        levels = scipy.stats.norm.cdf(bias + z / (1.0 - acceleration * z))
        found = bootstrap_ci(*samples, **options)
        np.testing.assert_allclose(
            found.confidence_interval, np.quantile(values, levels), atol=1e-9
        )

    @pytest.mark.parametrize(("statistic", "find"), STATISTICS)
    def test_of_differences(self, statistic, find):
        """The null hypothesis is imposed by centring, as it is without clusters."""
        codes, (a, b) = draw()
        a = a + 1.5
        drawn = draw_clusters(299, 7)[0]
        values = np.array(
            [write_out(find, a, codes, x) - write_out(find, b, codes, x) for x in drawn]
        )
        observed = find(a) - find(b)
        count = np.sum(np.abs(values - observed) >= abs(observed) - 1e-9)
        result = bootstrap_test(
            a,
            b,
            paired=True,
            statistic=statistic,
            clusters=codes,
            n_resamples=299,
            rng=1,
        )
        np.testing.assert_allclose(result.statistic, observed)
        np.testing.assert_allclose(result.pvalue, (count + 1) / 300)

    def test_clusters_of_one_item_change_nothing(self):
        _, (a, b) = draw()
        codes = np.random.default_rng(5).permutation(len(a))
        for statistic, _ in STATISTICS:
            options = {"statistic": statistic, "n_resamples": 99, "rng": 2}
            for paired, clusters, order in (
                (True, codes, np.argsort(codes)),
                (False, (codes, codes), np.argsort(codes)),
            ):
                found = bootstrap_ci(a, b, paired=paired, clusters=clusters, **options)
                plain = bootstrap_ci(a[order], b[order], paired=paired, **options)
                for one, other in zip(found, plain, strict=True):
                    np.testing.assert_allclose(one, other, rtol=1e-12)


class TestWrongCalls:
    def test_labels_on_a_device(self):
        torch = require("torch")
        codes, (a, _) = draw()
        labels = torch.asarray(codes)
        options = {"statistic": "iqm", "n_resamples": 29, "rng": 0}
        expected = bootstrap_ci(a, clusters=codes, **options)
        x = torch.asarray(a)
        found = bootstrap_ci(x, clusters=labels, n_clusters=7, **options)
        np.testing.assert_allclose(
            found.confidence_interval, expected.confidence_interval
        )
        for number, wrong in ((6, labels), (7, labels - 1), (8, labels - 1)):
            lost = bootstrap_ci(x, clusters=wrong, n_clusters=number, **options)
            assert all(torch.isnan(x) for x in (lost.statistic, lost.standard_error))
        drawn = bootstrap_ci(x, clusters=labels, **options)
        assert torch.isfinite(drawn.standard_error)
        with pytest.raises(ValueError, match="two clusters or more; got n_clusters=1"):
            bootstrap_ci(x, clusters=labels * 0, n_clusters=1, **options)

    def test_faults_are_nan(self):
        codes, (a, b) = draw()
        stack = np.stack([a, np.where(a == a.max(), np.inf, a), b])
        found = bootstrap_ci(
            stack, statistic="median", clusters=codes, n_resamples=9, rng=0
        )
        assert list(np.isnan(found.statistic)) == [False, True, False]
        assert list(np.isnan(found.confidence_interval.low)) == [False, True, False]

    @pytest.mark.parametrize(
        ("statistic", "said"),
        [
            ("t", "'t'. Use t_test, whose error is that of clusters"),
            (find_range, "got .*Average the items of each cluster"),
        ],
    )
    def test_statistics_of_samples_of_one_size(self, statistic, said):
        codes, (a, b) = draw()
        with pytest.raises(ValueError, match=rf"'mean', 'median', 'iqm' or.*{said}"):
            bootstrap_test(
                a, b, paired=True, clusters=codes, statistic=statistic, rng=0
            )

    def test_functions_without_clusters(self):
        codes, (a, b) = draw()
        for function in (aso, mann_whitney_u):
            with pytest.raises(TypeError, match=r"'clusters'\. Average the items"):
                function(a, b, clusters=codes)

    def test_exchanges_and_closed_forms(self):
        codes, (a, b) = draw()
        options = {"paired": True, "clusters": codes, "statistic": "median"}
        said = "statistic='mean' or of_sums.*'median'. Use bootstrap_ci or bootst"
        with pytest.raises(ValueError, match=said):
            permutation_test(a, b, rng=0, **options)
        with pytest.raises(ValueError, match=said):
            permutation_replicates(a, b, start=0, count=3, rng=0, **options)
        with pytest.raises(ValueError, match="statistic to be one of 'mean'"):
            t_test(a, b, **options)
