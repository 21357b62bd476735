"""Clusters of items: errors of means, and resamples of whole clusters."""

import itertools

import numpy as np
import pytest
import scipy.stats

from sigarray import (
    bootstrap_ci,
    bootstrap_replicates,
    bootstrap_test,
    of_sums,
    permutation_replicates,
    permutation_test,
    rank_ci,
    t_ci,
    t_test,
)
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import random_bits, seed_words
from sigarray._backend.threefry import overlapping_words, random_words
from tests.backends import require


def f1(tp, fp, fn):
    return 2.0 * tp / (2.0 * tp + fp + fn)


def ratio(x, y):
    return x / y


def draw(n_clusters=8, n=60, seed=0):
    """Return labels, and two columns of scores that are alike within clusters."""
    rng = np.random.default_rng(seed)
    codes = np.append(np.arange(n_clusters), rng.integers(0, n_clusters, n))
    rng.shuffle(codes)
    effects = rng.normal(size=(2, n_clusters))
    return codes, effects[:, codes] + rng.normal(size=(2, len(codes)))


def find_by_matrices(y, codes):
    """Return CR2 of a mean, and its degrees of freedom, as of any linear model."""
    n = len(y)
    design = np.ones((n, 1))
    bread = np.linalg.inv(design.T @ design)
    hat = design @ bread @ design.T
    residuals = y - hat @ y
    meat, rows = 0.0, []
    for code in np.unique(codes):
        inside = np.flatnonzero(codes == code)
        values, vectors = np.linalg.eigh(
            np.eye(len(inside)) - hat[np.ix_(inside, inside)]
        )
        root = (vectors / np.sqrt(values)) @ vectors.T
        meat += (design[inside].T @ root @ residuals[inside])[0] ** 2
        by_row = (np.eye(n) - hat)[inside].T @ root @ design[inside]
        rows.append(by_row[:, 0] * bread[0, 0])
    gram = np.asarray(rows) @ np.asarray(rows).T
    return bread[0, 0] ** 2 * meat, np.trace(gram) ** 2 / np.sum(gram**2)


class TestStudent:
    def test_it_is_that_of_matrices(self):
        codes, (a, b) = draw()
        names = [f"document {code}" for code in codes]
        for y, result in (
            (a - b, t_test(a, b, paired=True, clusters=names)),
            (a, t_test(a, np.zeros(len(a)), paired=True, clusters=codes)),
        ):
            variance, df = find_by_matrices(y, codes)
            np.testing.assert_allclose(result.df, df, rtol=1e-12)
            t = y.mean() / np.sqrt(variance)
            np.testing.assert_allclose(result.statistic, t, rtol=1e-12)
            p = 2.0 * scipy.stats.t.sf(abs(t), df)
            np.testing.assert_allclose(result.pvalue, p, rtol=1e-12)
        found = t_ci(a, clusters=names, confidence_level=0.9)
        variance, df = find_by_matrices(a, codes)
        np.testing.assert_allclose(found.standard_error, variance**0.5, rtol=1e-12)
        limits = a.mean() + scipy.stats.t.interval(0.9, df, scale=variance**0.5)
        np.testing.assert_allclose(found.confidence_interval, limits, rtol=1e-11)

    def test_two_samples_have_clusters_of_their_own(self):
        codes, (a, b) = draw()
        b, of_b = b[:40] + 5.0, codes[:40] % 5
        result = t_test(a, b, clusters=(codes, of_b))
        (var_a, df_a), (var_b, df_b) = (
            find_by_matrices(a, codes),
            find_by_matrices(b, of_b),
        )
        t = (a.mean() - b.mean()) / np.sqrt(var_a + var_b)
        np.testing.assert_allclose(result.statistic, t, rtol=1e-12)
        df = (var_a + var_b) ** 2 / (var_a**2 / df_a + var_b**2 / df_b)
        np.testing.assert_allclose(result.df, df, rtol=1e-12)
        p = 2.0 * scipy.stats.t.sf(abs(t), df)
        np.testing.assert_allclose(result.pvalue, p, rtol=1e-11)

    def test_clusters_of_one_item_change_nothing(self, backend):
        a, b = np.random.default_rng(1).normal(size=(2, 12))
        a, b = (x.astype(np.float32) for x in (a, b))
        x, y = backend.asarray(a), backend.asarray(b)
        for options, clusters in (
            ({"paired": True}, np.arange(12)),
            ({}, (np.arange(12), list("abcdefghijkl"))),
        ):
            plain = t_test(x, y, **options)
            found = t_test(x, y, clusters=clusters, **options)
            for one, other in zip(plain, found, strict=True):
                np.testing.assert_allclose(
                    backend.to_numpy(one), backend.to_numpy(other), rtol=2e-5
                )

    def test_labels_are_names_and_nothing_else(self):
        """Neither their order, nor their kind, nor unused numbers matter."""
        codes, (a, b) = draw()
        expected = t_test(a, b, paired=True, clusters=codes)
        order = np.random.default_rng(2).permutation(len(a))
        for x, y, clusters in (
            (a, b, [str(code) for code in codes]),
            (a, b, codes * 1000 - 7),
            (a, b, codes.astype(float) / 3),
            (a[order], b[order], codes[order]),
        ):
            found = t_test(x, y, paired=True, clusters=clusters)
            np.testing.assert_allclose(found, expected, rtol=1e-11)
        shifted = t_test(a + 2.0**30, b + 2.0**30, paired=True, clusters=codes)
        np.testing.assert_allclose(shifted, expected, rtol=1e-6)

    def test_labels_on_a_device(self, backend):
        codes, scores = draw(n_clusters=6, n=30)
        a, b = (backend.asarray(x.astype(np.float32)) for x in scores)
        expected = t_test(a, b, paired=True, clusters=codes)
        labels = backend.asarray(codes.astype(np.int32))
        for options in ({}, {"n_clusters": 6}, {"n_clusters": 50}):
            found = t_test(a, b, paired=True, clusters=labels, **options)
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(
                    backend.to_numpy(one), backend.to_numpy(other), rtol=1e-4
                )
        if not backend.name.startswith("numpy"):
            lost = t_test(a, b, paired=True, clusters=labels, n_clusters=5)
            assert all(np.isnan(backend.to_numpy(x)) for x in lost)

    def test_a_metric_of_sums(self):
        codes, (a, b) = draw()
        ones = np.ones(len(a))
        for of_mean, of_ratio in (
            (t_ci(a, clusters=codes), t_ci((a, ones), clusters=codes, statistic=RATIO)),
            (
                t_ci(a, b, paired=True, clusters=codes),
                t_ci(
                    (a, ones), (b, ones), paired=True, clusters=codes, statistic=RATIO
                ),
            ),
        ):
            low, high = of_mean.confidence_interval
            np.testing.assert_allclose(
                of_ratio.statistic, of_mean.statistic, rtol=1e-12
            )
            np.testing.assert_allclose(
                of_ratio.confidence_interval, (low, high), rtol=1e-12
            )

    @pytest.mark.long
    @pytest.mark.parametrize(("n_clusters", "least"), [(5, 0.92), (20, 0.92)])
    def test_it_holds_what_it_says(self, n_clusters, least):
        """Of clusters of uneven sizes; items alone hold far less."""
        rng, n_sets = np.random.default_rng(n_clusters), 400
        held = held_by_items = 0
        for _ in range(n_sets):
            sizes = 2 + np.floor(8 * np.exp(0.8 * rng.normal(size=n_clusters)))
            codes = np.repeat(np.arange(n_clusters), sizes.astype(int))
            x = rng.normal(size=n_clusters)[codes] + rng.normal(size=len(codes))
            low, high = t_ci(x, clusters=codes).confidence_interval
            held += low <= 0.0 <= high
            low, high = t_ci(x).confidence_interval
            held_by_items += low <= 0.0 <= high
        assert least <= held / n_sets <= 0.98
        assert held_by_items / n_sets < 0.65


RATIO, F1 = of_sums(ratio), of_sums(f1)


def sum_up(x, codes):
    """Return the sums of clusters (d, C), in the order of their numbers."""
    seen = list(np.unique(codes))
    return np.stack([x[:, codes == code].sum(axis=1) for code in seen], axis=1)


class TestResamples:
    def test_whole_clusters_are_drawn(self):
        codes, (a, b) = draw()
        split = {"start": 3, "count": 40, "rng": 1}
        sums = [sum_up(np.stack([x, np.ones(len(x))]), codes) for x in (a, b)]
        for options, of_items, of_sums_ in (
            ({}, [a], sums[:1]),
            ({"paired": True}, [a, b], sums),
        ):
            np.testing.assert_allclose(
                bootstrap_replicates(*of_items, clusters=codes, **options, **split),
                bootstrap_replicates(*of_sums_, statistic=RATIO, **options, **split),
                rtol=1e-12,
                atol=1e-12,
            )
        counts = np.random.default_rng(3).poisson(2.0, (3, len(codes)))
        np.testing.assert_allclose(
            bootstrap_replicates(counts, statistic=F1, clusters=codes, **split),
            bootstrap_replicates(sum_up(counts, codes), statistic=F1, **split),
            rtol=1e-12,
        )

    def test_whole_clusters_are_exchanged(self):
        codes, (a, b) = draw(n_clusters=5, n=14)
        sums = np.stack([sum_up(x[None, :], codes)[0] for x in (a, b)])
        n = len(a)
        every = sorted(
            float((np.where(flip, sums[::-1], sums) @ np.ones(5) * [1, -1]).sum() / n)
            for flip in itertools.product((False, True), repeat=5)
        )
        found = permutation_replicates(
            a, b, paired=True, method="exact", start=0, count=32, clusters=codes
        )
        np.testing.assert_allclose(np.sort(found), every, atol=1e-12)
        result = permutation_test(a, b, paired=True, clusters=codes)
        observed = a.mean() - b.mean()
        share = np.mean(np.abs(every) >= abs(observed) - 1e-9)
        np.testing.assert_allclose(result.pvalue, share, rtol=1e-12)
        np.testing.assert_allclose(result.statistic, observed, rtol=1e-12)

    def test_draws_of_exchanges_and_of_deals(self):
        """In a loop over the words of the seed: a bit for a pair, or ranks of words."""
        codes, (a, b) = draw(n_clusters=40, n=70)
        split, seed = {"start": 0, "count": 30, "rng": 1}, seed_words(HOST, 1)
        bits = random_bits(HOST, random_words(HOST, seed, 0, 30, 2), 40)
        expected = []
        for row in bits:
            is_exchanged = row[codes] == 1
            expected.append(np.mean(np.where(is_exchanged, b - a, a - b)))
        found = permutation_replicates(a, b, paired=True, clusters=codes, **split)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)
        b, of_b = b[:50], codes[:50] % 6
        pool, of_pool = np.append(a, b), np.append(codes, of_b + 40)
        expected = []
        for words in overlapping_words(HOST, seed, 0, 30, 46, 46):
            is_of_a = np.isin(of_pool, np.argsort(words)[:40])
            expected.append(pool[is_of_a].mean() - pool[~is_of_a].mean())
        found = permutation_replicates(a, b, clusters=(codes, of_b), **split)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)

    @pytest.mark.parametrize("statistic", ["mean", RATIO])
    def test_whole_clusters_are_dealt_out(self, statistic):
        """In all ways, each of which a loop over its clusters makes."""
        codes, (a, b) = draw(n_clusters=5, n=14)
        b, of_b = b[:10] + 1.0, codes[:10] % 3
        pool = [a[codes == k] for k in range(5)] + [b[of_b == k] for k in range(3)]
        gaps = []
        for of_a in itertools.combinations(range(8), 5):
            dealt = [np.concatenate([pool[k] for k in of_a])]
            dealt += [np.concatenate([x for k, x in enumerate(pool) if k not in of_a])]
            gaps.append(dealt[0].mean() - dealt[1].mean())
        samples = (a, b) if statistic == "mean" else ((a, a**0), (b, b**0))
        options = {"clusters": (codes, of_b), "statistic": statistic}
        found = permutation_replicates(
            *samples, method="exact", start=0, count=56, **options
        )
        np.testing.assert_allclose(np.sort(found), np.sort(gaps), rtol=0, atol=1e-12)
        observed = a.mean() - b.mean()
        assert gaps[0] == pytest.approx(observed, rel=1e-12)
        above = np.mean(gaps >= observed - 1e-9)
        below = np.mean(gaps <= observed + 1e-9)
        for alternative, share in (
            ("two-sided", 2.0 * min(above, below)),
            ("greater", above),
            ("less", below),
        ):
            result = permutation_test(*samples, alternative=alternative, **options)
            np.testing.assert_allclose(result.statistic, observed, rtol=1e-12)
            np.testing.assert_allclose(result.pvalue, share, rtol=1e-12)

    def test_equal_systems(self):
        codes, (a, _) = draw()
        for test in (permutation_test, bootstrap_test):
            assert test(a, a, paired=True, clusters=codes, rng=0).pvalue == 1.0

    def test_intervals_are_wider_than_those_of_items(self):
        codes, (a, _) = draw(n_clusters=20, n=400)
        low, high = bootstrap_ci(a, clusters=codes, rng=0).confidence_interval
        of_items = bootstrap_ci(a, rng=0).confidence_interval
        assert high - low > 2.0 * (of_items.high - of_items.low)
        closed = t_ci(a, clusters=codes).confidence_interval
        assert (high - low) / (closed.high - closed.low) == pytest.approx(0.95, abs=0.1)


class TestExactPValues:
    """Of exchanges of whole clusters, by all signs in exact integers."""

    CODES = np.array([0, 3, 3, 1, 2, 2, 2, 1, 4, 5, 5, 0, 6, 6, 7])

    @pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
    @pytest.mark.parametrize("kind", [None, "float32"])
    def test_of_all_signs(self, backend, alternative, kind):
        rng = np.random.default_rng(4)
        for _ in range(5):
            ratings = rng.integers(0, 4, (2, len(self.CODES)))
            differences = ratings[0] - ratings[1]
            sums = np.bincount(self.CODES, differences).astype(int)
            signs = np.asarray(list(itertools.product([-1, 1], repeat=len(sums))))
            totals, total = signs @ sums, sums.sum()
            tails = {
                "greater": np.mean(totals >= total),
                "less": np.mean(totals <= total),
                "two-sided": np.mean(np.abs(totals) >= abs(total)),
            }
            a, b = (backend.asarray(x * 0.1 + 1.0, kind) for x in ratings)
            found = permutation_test(
                a,
                b,
                paired=True,
                method="exact",
                clusters=self.CODES,
                alternative=alternative,
            )
            rtol = 1e-12 if (kind or backend.float_name) == "float64" else 2e-5
            np.testing.assert_allclose(
                backend.to_numpy(found.pvalue), tails[alternative], rtol=rtol
            )
            np.testing.assert_allclose(
                backend.to_numpy(found.statistic),
                0.1 * differences.mean(),
                rtol=rtol,
                atol=1e-6,
            )

    def test_clusters_of_one_item_change_nothing(self):
        a, b = np.random.default_rng(1).integers(0, 3, (2, 30))
        options = {"paired": True, "method": "exact"}
        found = permutation_test(a, b, clusters=np.arange(30), **options)
        assert found == permutation_test(a, b, **options)

    def test_what_has_no_p_value(self):
        b = np.random.default_rng(1).integers(0, 2, 60)
        options = {"paired": True, "method": "exact"}
        far = permutation_test(
            np.ones(60), b * 0, clusters=[0] * 21 + [1] * 39, **options
        )
        assert np.isnan(far.pvalue)
        assert far.statistic == 1.0
        noise = np.random.default_rng(2).normal(size=60)
        result = permutation_test(noise, b, clusters=self.CODES.repeat(4), **options)
        assert np.isnan(result.pvalue)

    def test_labels_on_a_device(self):
        torch = require("torch")
        options = {"paired": True, "method": "exact"}
        a, b = np.random.default_rng(1).integers(0, 3, (2, 15))
        expected = permutation_test(a, b, clusters=self.CODES, **options)
        samples, codes = (torch.asarray(a), torch.asarray(b)), torch.asarray(self.CODES)
        for number in (7, 8, 9, None):
            found = permutation_test(
                *samples, clusters=codes, n_clusters=number, **options
            )
            if number == 7:  # of 8
                assert torch.isnan(found.pvalue)
            else:
                np.testing.assert_allclose(found.pvalue, expected.pvalue, rtol=1e-5)

    def test_unlike_numbers_of_clusters_on_a_device(self):
        """One number of both is an upper bound of that of each."""
        torch = require("torch")
        x, labels = np.random.default_rng(0).normal(size=18), np.arange(18) % 4
        codes = labels, labels[:15] % 3
        expected, options = (x, x[:15] + 1.0), {"rng": 0, "n_resamples": 99}
        given = tuple(map(torch.asarray, expected))
        on_device = tuple(map(torch.asarray, codes))
        for function in (bootstrap_test, permutation_test, bootstrap_ci):
            found = function(*given, clusters=on_device, n_clusters=(4, 3), **options)
            told = function(*expected, clusters=codes, **options)
            np.testing.assert_allclose(found.statistic, told.statistic)
            assert torch.isfinite(found[1] if hasattr(found, "pvalue") else found[2])
        for number in ((4, 3), [4, 3], 4):
            found = t_test(*given, clusters=on_device, n_clusters=number)
            assert torch.isfinite(found.pvalue)
            drawn = bootstrap_ci(
                *given, clusters=on_device, n_clusters=number, **options
            )
            assert torch.isfinite(drawn.standard_error)
        ranks = [
            rank_ci(pair, clusters=of, n_clusters=number, rng=0, n_resamples=99)
            for pair, of, number in (
                (given, on_device, (4, 3)),
                (expected, codes, None),
            )
        ]
        np.testing.assert_array_equal(*(x.confidence_interval.low for x in ranks))
        with pytest.raises(ValueError, match="one n_clusters for each array of labels"):
            t_test(*given, clusters=on_device, n_clusters=(4, 3, 2))

    def test_other_calls_are_refused_by_name(self):
        codes, (a, b) = draw()
        options = {"clusters": codes, "paired": True, "rng": 0}
        for test in (permutation_test, bootstrap_test):
            with pytest.raises(
                ValueError, match="'resampling' with clusters; got 'sad"
            ):
                test(a, b, method="saddlepoint", **options)
        with pytest.raises(ValueError, match=r"'mean' with method='exact'; got 'medi"):
            permutation_test(a, b, method="exact", statistic="median", **options)
        with pytest.raises(ValueError, match="paired=True with method='exact'"):
            permutation_test(a, b, method="exact", clusters=(codes, codes))


class TestWrongCalls:
    @pytest.mark.parametrize(
        ("clusters", "options", "said"),
        [
            (
                ["a"] * 5,
                {"paired": True},
                "clusters to be a label for each of 68 items; got",
            ),
            (["a"] * 68, {"paired": True}, "two clusters or more; got one"),
            ([None] * 68, {"paired": True}, "got None at place 0"),
            (["a", "b"] * 34, {}, "a pair, the labels of A and those of B"),
        ],
    )
    def test_labels(self, clusters, options, said):
        _, (a, b) = draw()
        for function in (t_test, t_ci, permutation_test, bootstrap_test):
            with pytest.raises(ValueError, match=said):
                function(a, b, clusters=clusters, **options)

    def test_numbers_of_clusters(self):
        codes, (a, _) = draw()
        with pytest.raises(ValueError, match="at most n_clusters=3 clusters; got 8"):
            t_ci(a, clusters=codes, n_clusters=3)
        with pytest.raises(ValueError, match="clusters with n_clusters=3; got none"):
            t_ci(a, n_clusters=3)
