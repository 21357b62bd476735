"""Clusters within strata: errors of means, and resamples of whole clusters of each."""

import numpy as np
import pytest
import scipy.stats

from sigarray import (
    bootstrap_ci,
    bootstrap_replicates,
    of_sums,
    permutation_replicates,
    permutation_test,
    t_ci,
    t_test,
)
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import random_words, uniform_indices
from sigarray._numeric.clusters import weigh_clusters
from sigarray._numeric.student import Intervals
from tests.backends import require

STRATUM_OF = np.array([1, 0, 2, 1, 0, 2, 1, 1, 2, 2])


def draw(seed=0, n=30):
    """Return clusters, their strata at unlike levels, and scores of A and of B."""
    rng = np.random.default_rng(seed)
    number = len(STRATUM_OF)
    codes = np.append(np.arange(number), rng.integers(0, number, n))
    rng.shuffle(codes)
    strata = STRATUM_OF[codes]
    effects = rng.normal(size=(2, number))[:, codes]
    return codes, strata, 4.0 * strata + effects + rng.normal(size=(2, len(codes)))


def find_slowly(x, codes, strata):
    """Return the mean, its squared error and the df, by matrices of each stratum."""
    squares, dfs = [], []
    for stratum in np.unique(strata):
        of, scores = codes[strata == stratum], x[strata == stratum]
        named = np.unique(of)
        p = np.array([np.mean(of == code) for code in named])
        means = [np.mean(scores[of == code]) for code in named]
        form, df, _ = find_form(p)
        squares.append(means @ form @ means * np.mean(strata == stratum) ** 2)
        dfs.append(df)
    df = np.sum(squares) ** 2 / np.sum(np.square(squares) / dfs)
    return x.mean(), np.sum(squares), df


def find_form(p):
    """Return the squared error of a stratum, by means of clusters, its df and factors.

    The means have one variance, so that the trace is that of the mean of all.
    """
    others = [np.sum(np.delete(p, k) ** 2) for k in range(len(p))]
    rest = [np.sum(np.delete(p, k)) for k in range(len(p))]
    a = 1.0 / (np.square(rest) + others)
    centered = (np.eye(len(p)) - np.outer(p, np.ones(len(p)))) @ np.diag(p)
    root = np.sqrt(a)[:, None] * centered
    form = root.T @ root
    np.testing.assert_allclose(np.trace(form), p @ p)
    return form, np.trace(form) ** 2 / np.trace(form @ form), a


class TestStudent:
    def test_the_error_adds_up_those_of_strata(self, backend):
        codes, strata, (a, b) = draw()
        names = [f"document {code}" for code in codes], [f"topic {k}" for k in strata]
        x, y = map(backend.asarray, (a, b))
        mean, square, df = find_slowly(a - b, codes, strata)
        for clusters, within in ((codes, strata), names):
            result = t_test(x, y, paired=True, clusters=clusters, strata=within)
            found = [float(value) for value in result]
            t = mean / np.sqrt(square)
            expected = t, 2.0 * scipy.stats.t.sf(abs(t), df), df
            np.testing.assert_allclose(found, expected, rtol=2e-5)
        result = t_ci(x, clusters=codes, strata=strata, confidence_level=0.9)
        mean, square, df = find_slowly(a, codes, strata)
        margin = scipy.stats.t.isf(0.05, df) * np.sqrt(square)
        found = [float(value) for value in result.confidence_interval]
        np.testing.assert_allclose(found, (mean - margin, mean + margin), rtol=2e-5)

    def test_two_samples_have_clusters_of_their_own(self):
        codes, strata, (a, b) = draw()
        order = np.random.default_rng(3).permutation(len(b))[::-1]
        names = np.array(["u", "v", "w"])
        result = t_test(
            a,
            b[order] + 1.0,
            clusters=(codes, codes[order] * 7),
            strata=(names[strata], names[strata[order]]),
        )
        (mean_a, var_a, df_a), (mean_b, var_b, df_b) = (
            find_slowly(x, codes, strata) for x in (a, b + 1.0)
        )
        t = (mean_a - mean_b) / np.sqrt(var_a + var_b)
        df = (var_a + var_b) ** 2 / (var_a**2 / df_a + var_b**2 / df_b)
        np.testing.assert_allclose((result.statistic, result.df), (t, df))

    @pytest.mark.parametrize("largest", [30, 100_000])
    def test_factors_and_df_are_those_of_matrices(self, backend, largest):
        """One stratum after another, where one cluster may have nearly all items."""
        rng = np.random.default_rng(0)
        of_strata = [rng.integers(1, 30, rng.integers(2, 9)) for _ in range(40)]
        for sizes in of_strata[::2]:
            sizes[rng.integers(len(sizes))] = largest
        count = [len(sizes) for sizes in of_strata]
        first = np.repeat(np.cumsum(count) - count, count)
        within = Intervals(*map(backend.asarray, (first, np.repeat(count, count))))
        items = np.repeat([float(sum(sizes)) for sizes in of_strata], count)
        sizes = np.concatenate(of_strata)
        numbers = map(backend.asarray, (1.0 * sizes, items))
        found = weigh_clusters(backend.library, *numbers, within)
        factors, inverse_df = map(backend.to_numpy, found)
        expected = [find_form(sizes / sum(sizes)) for sizes in of_strata]
        a = np.concatenate([a for _, _, a in expected])
        df = np.repeat([df for _, df, _ in expected], count)
        is_double = factors.dtype == np.float64
        np.testing.assert_allclose(factors, a, rtol=1e-12 if is_double else 1e-5)
        np.testing.assert_allclose(
            1.0 / inverse_df, df, rtol=1e-12 if is_double else 5e-4
        )

    def test_one_stratum_of_equal_clusters_is_clusters_alone(self):
        codes = np.repeat(np.arange(6), 7)
        rng = np.random.default_rng(1)
        x, y = rng.normal(size=(2, 6))[:, codes] + rng.normal(size=(2, 42))
        one = np.zeros(42, int)
        for options, clusters, within in (
            ({"paired": True}, codes, one),
            ({}, (codes, codes), (one, one)),
        ):
            found = t_test(x, y, clusters=clusters, strata=within, **options)
            alone = t_test(x, y, clusters=clusters, **options)
            np.testing.assert_allclose(found, alone, rtol=1e-12)
        ratio = of_sums(lambda a, b: a / b)
        options = {"statistic": ratio, "clusters": codes}
        found = t_ci((x, y + 9.0), strata=one, **options)
        alone = t_ci((x, y + 9.0), **options)
        np.testing.assert_allclose(found.standard_error, alone.standard_error)
        for p, q in zip(
            found.confidence_interval, alone.confidence_interval, strict=True
        ):
            np.testing.assert_allclose(p, q, rtol=1e-9)
        flat = t_test(one + 1.0, one, paired=True, clusters=codes, strata=one)
        alone = t_test(one + 1.0, one, paired=True, clusters=codes)
        np.testing.assert_allclose(flat, alone, rtol=1e-12)

    def test_large_clusters_cost_single_precision_no_digits(self, backend):
        """One cluster holds nearly all items of a stratum: shares near 1."""
        codes = np.repeat(np.arange(6), [1, 900, 1, 2, 2, 2])
        strata = np.repeat([7, 8], [902, 6])
        x = np.random.default_rng(0).normal(size=6)[codes] + codes % 2 + 100.0 * strata
        _, square, df = find_slowly(x, codes, strata)
        zeros = backend.asarray(0.0 * x)
        options = {"paired": True, "clusters": codes, "strata": strata}
        found = t_test(backend.asarray(x), zeros, **options)
        assert float(found.df) == pytest.approx(df, rel=2e-3)
        assert float(found.statistic) == pytest.approx(
            x.mean() / np.sqrt(square), rel=2e-3
        )

    @pytest.mark.parametrize(
        ("number", "sizes"), [(1, [1, 1, 2, 2, 3, 30]), (10, [1, 2, 3, 30])]
    )
    def test_few_unequal_clusters_are_no_findings(self, number, sizes):
        """45 % by linearization, and by CR2 of each of ten strata 20 %."""
        sizes = np.tile(sizes, number)
        codes = np.repeat(np.arange(len(sizes)), sizes)
        strata = codes // (len(sizes) // number)
        rng = np.random.default_rng(0)
        x = rng.normal(size=(1000, len(sizes)))[:, codes]
        x = x + rng.normal(size=x.shape)
        options = {"clusters": codes, "strata": strata}
        pvalue = t_test(x, 0.0 * x, paired=True, **options).pvalue
        assert np.mean(pvalue <= 0.05) < 0.06

    def test_clusters_of_one_item_are_strata_alone(self):
        _, strata, (a, b) = draw()
        every = np.arange(len(a))
        for options, clusters, within in (
            ({"paired": True}, every, strata),
            ({}, (every, every), (strata, strata)),
        ):
            found = t_test(a, b, clusters=clusters, strata=within, **options)
            plain = t_test(a, b, strata=within, **options)
            np.testing.assert_allclose(found, plain, rtol=1e-11)

    def test_a_metric_of_sums_and_scores_in_batches(self):
        codes, strata, (a, b) = draw()
        ratio = of_sums(lambda x, y: x / y)
        ones = np.ones(len(a))
        options = {"clusters": codes, "strata": strata}
        both = t_ci(np.stack([a, b]), **options)
        for k, x in enumerate((a, b)):
            found = t_ci((x, ones), statistic=ratio, **options)
            np.testing.assert_allclose(found.statistic, both.statistic[k])
            np.testing.assert_allclose(found.standard_error, both.standard_error[k])

    def test_intervals_hold_the_mean(self):
        """Six strata of five clusters, of shares that are fixed: in about 95 of 100."""
        rng, held, n_sets = np.random.default_rng(0), 0, 150
        for _ in range(n_sets):
            codes = np.repeat(np.arange(30), rng.integers(2, 9, 30))
            strata = codes // 5
            x = rng.normal(size=30)[codes] + rng.normal(size=len(codes)) + strata
            low, high = t_ci(x, clusters=codes, strata=strata).confidence_interval
            held += low <= strata.mean() <= high
        assert 0.88 < held / n_sets < 0.995


class TestResamples:
    def test_whole_clusters_of_each_stratum_are_drawn(self):
        """N - 1 of n clusters, each of which counts n / (n - 1), in a loop."""
        codes, strata, (a, b) = draw()
        words = random_words(HOST, seed_words(HOST, 1), 0, 20, len(STRATUM_OF))
        by_stratum = np.argsort(STRATUM_OF, kind="stable")
        expected = []
        for row in words:
            weights, place = np.zeros(len(STRATUM_OF)), 0
            for stratum in range(3):
                members = by_stratum[STRATUM_OF[by_stratum] == stratum]
                n = len(members)
                for k in range(1, n):  # the first draw of a stratum is left out
                    chosen = members[uniform_indices(HOST, row[place + k], n)]
                    weights[chosen] += n / (n - 1)
                place += n
            of_items = weights[codes]
            expected.append(np.average(a, weights=of_items))
            expected[-1] -= np.average(b, weights=of_items)
        found = bootstrap_replicates(
            a, b, paired=True, clusters=codes, strata=strata, start=0, count=20, rng=1
        )
        np.testing.assert_allclose(found, expected, rtol=1e-10)

    def test_clusters_are_dealt_out_within_strata(self):
        codes, strata, (a, b) = draw()
        a, b = a + 96.0 * strata, b + 96.0 * strata
        sums = {"start": 0, "count": 60, "rng": 0, "clusters": (codes, codes)}
        # Sums of clusters less the level of their stratum are small.
        found = permutation_replicates(a, b, strata=(strata, strata), **sums)
        assert found.std() < 0.5 * permutation_replicates(a, b, **sums).std()
        for method in ("resampling", "exact"):
            options = {"paired": True, "clusters": codes, "method": method}
            x, y = np.round(a), np.round(b)
            plain = permutation_test(x, y, rng=0, **options)
            within = permutation_test(x, y, rng=0, strata=strata, **options)
            np.testing.assert_allclose(within, plain)

    def test_intervals_are_about_those_of_t(self):
        codes = np.arange(300) // 3
        strata = codes % 4
        x = 5.0 * strata + np.random.default_rng(0).normal(size=100)[codes]
        options = {"clusters": codes, "strata": strata}
        for method in ("percentile", "bca"):
            found = bootstrap_ci(x, method=method, rng=0, **options)
            closed = t_ci(x, **options)
            assert found.standard_error == pytest.approx(closed.standard_error, 0.05)


class TestWrongCalls:
    def test_on_the_host(self):
        codes, strata, (a, _) = draw()
        for clusters, within, said in (
            (codes, np.arange(len(a)) % 3, "each cluster in one stratum; got one in"),
            (codes, np.where(codes == 2, 9, strata), "two clusters or more in each st"),
            (codes, 0, "labels of strata with clusters, one for each item; got the a"),
        ):
            for function, options in ((t_ci, {}), (bootstrap_ci, {"rng": 0})):
                with pytest.raises(ValueError, match=said):
                    function(a, clusters=clusters, strata=within, **options)
        for statistic in ("median", "iqm", find_top):
            options = {"clusters": codes, "strata": strata, "statistic": statistic}
            with pytest.raises(ValueError, match=r"of_sums.* with clusters and strata"):
                bootstrap_ci(a, rng=0, **options)

    def test_on_a_device(self):
        torch = require("torch")
        codes, strata, (a, _) = draw()
        x, of, within = map(torch.asarray, (a, codes, strata))
        expected = t_ci(a, clusters=codes, strata=strata)
        found = t_ci(x, clusters=of, strata=within, n_clusters=10)
        np.testing.assert_allclose(found.standard_error, expected.standard_error)
        for clusters, stratum, number in (
            (of, within, 9),
            (of, within, 11),
            (of, torch.arange(len(a)) % 3, 10),
            (of, torch.where(of == 2, 9, within), 10),
        ):
            lost = t_ci(x, clusters=clusters, strata=stratum, n_clusters=number)
            assert torch.isnan(lost.standard_error)
        with pytest.raises(ValueError, match="Expected n_clusters, the number"):
            t_ci(x, clusters=of, strata=within)


def find_top(x, axis):
    """Return a statistic of scores."""
    return x.max(axis=axis)
