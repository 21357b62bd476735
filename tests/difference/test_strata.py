"""Strata: draws within each, errors, and what is refused."""

import itertools

import numpy as np
import pytest
import scipy.stats
from array_api_compat import array_namespace

from sigarray import (
    bootstrap_ci,
    bootstrap_replicates,
    bootstrap_test,
    corpus,
    of_sums,
    permutation_replicates,
    permutation_test,
    t_ci,
    t_test,
)
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import (
    random_places,
    random_words,
    uniform_indices,
)
from tests.oracles import FALSE_ALARM

RATIO = of_sums(corpus.ratio)


def iqm(x, axis=-1):
    return scipy.stats.trim_mean(x, 0.25, axis=axis)


STATISTICS = {"mean": np.mean, "median": np.median, "iqm": iqm, "range": np.ptp}


def draw(*shape, seed=0):
    """Scores (..., tasks, runs) in float32's digits, of tasks at unlike levels."""
    rng = np.random.default_rng(seed)
    x = rng.gamma(2.0, 1.0, shape) + 0.5 * np.arange(shape[-2])[:, None]
    return x.astype(np.float32).astype(float)


def remake_slowly(x, count, seed):
    """Draw one run less than there are of each task: (count, tasks, runs - 1)."""
    tasks, n = x.shape
    shape = (count, tasks, n - 1)
    (places,) = random_places(
        HOST, seed_words(HOST, seed), 0, count, [n], [tasks * (n - 1)], False
    )
    places = places.reshape(shape)
    resamples = np.empty(shape)
    for r, t, k in np.ndindex(shape):
        resamples[r, t, k] = x[t, places[r, t, k]]
    return resamples


def weigh_slowly(x, labels, count, seed):
    """Return how often each score counts, (count, n), of strata of unlike sizes."""
    words = random_words(HOST, seed_words(HOST, seed), 0, count, len(x))
    weights = np.zeros((count, len(x)))
    place = 0
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        n = len(members)
        for r in range(count):
            for k in range(1, n):  # the first draw of a stratum is left out
                word = words[r : r + 1, place + k : place + k + 1]
                weights[r, members[uniform_indices(HOST, word, n)[0, 0]]] += n / (n - 1)
        place += n
    return weights


def middle_slowly(x, weights, cut):
    """Return the mean of what is left if `cut` of the weight is off at each end."""
    order = np.argsort(x, kind="stable")
    x, weights = x[order], weights[order].copy()
    for ends in (range(len(x)), range(len(x) - 1, -1, -1)):
        rest = cut
        for i in ends:
            gone = min(rest, weights[i])
            weights[i] -= gone
            rest -= gone
    return np.sum(weights * x) / np.sum(weights)


class TestReplicates:
    @pytest.mark.parametrize("statistic", STATISTICS)
    def test_they_are_of_draws_within_each_task(self, backend, statistic):
        x = draw(6, 5)
        function = STATISTICS[statistic]
        resamples = remake_slowly(x, 40, seed=3).reshape(40, -1)
        expected = function(resamples, axis=-1)
        if statistic in ("median", "iqm"):  # 24 scores count as 30
            cut = 30 // 4 if statistic == "iqm" else 29 // 2
            weights = np.full(24, 30.0 / 24.0)
            expected = [middle_slowly(row, weights, cut) for row in resamples]
        own = _range if statistic == "range" else statistic
        options = {"start": 0, "count": 40, "statistic": own, "rng": 3}
        found = bootstrap_replicates(backend.asarray(x), strata=-2, **options)
        atol = 1e-12 if backend.float_name == "float64" else 1e-5
        np.testing.assert_allclose(backend.to_numpy(found), expected, atol=atol)
        turned = bootstrap_replicates(backend.asarray(x.T), axis=0, strata=1, **options)
        np.testing.assert_array_equal(backend.to_numpy(turned), backend.to_numpy(found))

    @pytest.mark.parametrize("statistic", ["mean", "median", "iqm", RATIO])
    def test_they_are_of_weights_if_sizes_differ(self, backend, statistic):
        labels = np.repeat([4, 1, 7, 2], [5, 3, 2, 6])
        order = np.random.default_rng(1).permutation(len(labels))
        labels = labels[order]
        x = draw(1, len(labels), seed=2)[0] + labels
        weights = weigh_slowly(x, labels, 30, seed=5)
        np.testing.assert_allclose(weights.sum(axis=-1), len(x))
        if statistic in ("median", "iqm"):
            cut = len(x) // 4 if statistic == "iqm" else (len(x) - 1) // 2
            expected = [middle_slowly(x, row, cut) for row in weights]
        else:
            expected = weights @ x / len(x)
        sample = backend.asarray(x)
        if statistic is RATIO:
            sample = (sample, backend.asarray(np.ones(len(x))))
        found = bootstrap_replicates(
            sample, start=0, count=30, statistic=statistic, strata=labels, rng=5
        )
        atol = 1e-12 if backend.float_name == "float64" else 1e-5
        np.testing.assert_allclose(backend.to_numpy(found), expected, atol=atol)

    @pytest.mark.parametrize("paired", [True, False])
    def test_labels_on_a_device_are_those_of_the_host(self, backend, paired):
        labels = np.repeat([0, 1, 2], [4, 6, 3])
        a, b = draw(2, len(labels), seed=3)
        x, y = map(backend.asarray, (a, b))
        codes = backend.asarray(labels)
        options = {"paired": paired, "statistic": "iqm", "rng": 1, "count": 20}
        results = [
            bootstrap_replicates(
                x, y, start=0, strata=of if paired else (of, of), **options
            )
            for of in (list(map(str, labels)), codes)
        ]
        np.testing.assert_array_equal(*map(backend.to_numpy, results))

    def test_labels_are_an_axis_but_for_the_draws(self):
        x = draw(26, 5)
        labels = np.repeat(np.arange(26), 5)
        options = {"statistic": "iqm", "n_resamples": 4000, "rng": 0}
        by_axis = bootstrap_ci(x, strata=0, **options)
        by_labels = bootstrap_ci(x.ravel(), strata=labels, **options)
        assert by_axis.statistic == by_labels.statistic
        np.testing.assert_allclose(
            by_axis.standard_error, by_labels.standard_error, rtol=0.05
        )

    @pytest.mark.parametrize("labels", [[7, 4, 7, 4, 4, 7], ["b", "a"] * 3])
    def test_integers_of_the_host_are_drawn_from_as_those_of_a_device(self, labels):
        """A seed has the same numbers wherever the labels are."""
        torch = pytest.importorskip("torch")
        x = draw(1, 6)[0]
        number = {7: 7, 4: 4, "b": 0, "a": 1}
        codes = [number[label] for label in labels]
        options = {"start": 0, "count": 9, "rng": 0}
        here, there = (
            bootstrap_replicates(sample, strata=of, **options)
            for sample, of in (
                (x, np.array(labels)),
                (torch.asarray(x), torch.asarray(codes)),
            )
        )
        np.testing.assert_array_equal(here, there.numpy())

    def test_more_than_three_sums_are_counted(self):
        """Places that are no score count in none of the sums."""
        labels = np.repeat(np.arange(3), [3, 5, 4])
        x = draw(5, len(labels), seed=4)
        share = of_sums(lambda first, *others: first / sum(others, first))
        options = {"start": 0, "count": 25, "strata": labels, "rng": 0}
        found = bootstrap_replicates(x, statistic=share, **options)
        sums = [
            bootstrap_replicates(
                (row, np.ones(len(labels))), statistic=RATIO, **options
            )
            for row in x
        ]
        np.testing.assert_allclose(found, sums[0] / sum(sums), rtol=1e-12)


def _range(x, axis):
    """Return the range."""
    xp = array_namespace(x)
    return xp.max(x, axis=axis) - xp.min(x, axis=axis)


class TestDeals:
    @pytest.mark.parametrize("statistic", ["mean", "iqm", RATIO])
    @pytest.mark.parametrize("kind", ["axis", "labels"])
    def test_scores_stay_in_their_stratum(self, backend, statistic, kind):
        """Tasks at unlike levels: each of two samples has as many scores of each."""
        a, b = 100.0 * np.arange(4)[:, None] + draw(4, 3), draw(4, 2, seed=1)
        b += 100.0 * np.arange(4)[:, None]
        labels = [np.repeat(np.arange(4), x.shape[-1]) for x in (a, b)]
        samples = [x if kind == "axis" else x.ravel() for x in (a, b)]
        samples = [backend.asarray(x) for x in samples]
        if statistic is RATIO:
            samples = [(x, x * 0.0 + 1.0) for x in samples]
        found = permutation_replicates(
            *samples,
            start=0,
            count=50,
            statistic=statistic,
            strata=0 if kind == "axis" else tuple(labels),
            rng=0,
        )
        found = backend.to_numpy(found)
        # If levels were mixed, means would differ by tens.
        assert np.abs(found).max() < 6.0
        assert len(np.unique(np.round(found, 4))) > 30

    @pytest.mark.parametrize("kind", [list, np.asarray])
    def test_names_in_two_orders_are_of_the_same_strata(self, kind):
        a, b = np.array([0.0, 1.0, 70.0, 71.0]), np.array([72.0, 73.0, 2.0, 3.0])
        strata = kind(list("xxyy")), kind(list("yyxx"))
        found = permutation_replicates(a, b, strata=strata, start=0, count=99, rng=0)
        assert np.abs(found).max() < 5.0
        mixed = kind([0, 0, 1, 1]), [1, 1, 0, 0]
        same = permutation_replicates(a, b, strata=mixed, start=0, count=99, rng=0)
        assert np.abs(same).max() < 5.0

    def test_all_deals_are_as_probable(self):
        a = np.array([[1.0, 2.0], [10.0, 30.0]])
        b = np.array([[4.0, 8.5], [70.0, 95.0]])
        expected = [
            np.mean([*one, *two]) - (220.5 - sum(one) - sum(two)) / 4.0
            for one in itertools.combinations([1.0, 2.0, 4.0, 8.5], 2)
            for two in itertools.combinations([10.0, 30.0, 70.0, 95.0], 2)
        ]
        found = permutation_replicates(a, b, start=0, count=9000, strata=0, rng=0)
        values, counts = np.unique(np.round(found, 9), return_counts=True)
        np.testing.assert_allclose(values, np.unique(np.round(expected, 9)))
        assert scipy.stats.chisquare(counts).pvalue > FALSE_ALARM

    @pytest.mark.parametrize("kind", ["axis", "labels", "clusters"])
    def test_few_deals_are_all_made(self, backend, kind):
        """One stratum of 3 + 3 had p-values from 0.0485 to 0.0530, by its seed."""
        a = np.array([[1.0, 2.0, 4.0], [10.0, 30.0, 11.0]])
        b = np.array([[4.5, 8.5], [70.0, 95.0]])
        splits = [itertools.combinations(range(5), 3) for _ in range(2)]
        pool = np.concatenate([a, b], axis=1)
        rest = pool.sum()
        expected = []
        for chosen in itertools.product(*splits):
            total = sum(pool[k, list(x)].sum() for k, x in enumerate(chosen))
            expected.append(total / 6.0 - (rest - total) / 4.0)
        samples, options = (a, b), {"strata": 0}
        if kind != "axis":
            of = np.arange(2).repeat(3), np.arange(2).repeat(2)
            options = {"strata": of}
            samples = a.ravel(), b.ravel()
        if kind == "clusters":
            options["clusters"] = np.arange(6), np.arange(4)
        given = [backend.asarray(x) for x in samples]
        found = permutation_replicates(
            *given, start=0, count=100, method="exact", **options
        )
        found = backend.to_numpy(found)
        np.testing.assert_allclose(np.sort(found), np.sort(expected), rtol=1e-5)
        exact = np.mean(np.array(expected) <= a.mean() - b.mean() + 1e-4)
        result = permutation_test(*given, alternative="less", **options)
        assert float(result.pvalue) == pytest.approx(exact, abs=1e-6)
        drawn = permutation_test(
            *given, alternative="less", n_resamples=99, rng=0, **options
        )
        assert 0.0 < float(drawn.pvalue) != float(result.pvalue)

    def test_one_stratum_is_none(self):
        a, b = draw(2, 7)
        zeros = np.zeros(7, dtype=int)
        options = {"start": 0, "count": 40, "rng": 2}
        within = permutation_replicates(a, b, strata=(zeros, zeros), **options)
        plain = permutation_replicates(a, b, **options)
        np.testing.assert_allclose(np.sort(within), np.sort(plain), atol=2.0)
        assert permutation_test(a, b, strata=(zeros, zeros), rng=0).pvalue > 0.0

    def test_pairs_are_exchanged_as_without_strata(self):
        a, b = draw(3, 4), draw(3, 4, seed=1)
        for method in ("resampling", "exact"):
            options = {"paired": True, "method": method, "rng": 0}
            within = permutation_test(a, b, strata=0, **options)
            plain = permutation_test(a.ravel(), b.ravel(), **options)
            np.testing.assert_allclose(within, plain)

    def test_equal_models_are_seldom_unequal(self):
        """The level is held if A and B have runs of unlike numbers on tasks."""
        rng = np.random.default_rng(3)
        of_a, of_b = np.repeat([0, 1], [8, 3]), np.repeat([0, 1], [3, 8])
        a = rng.normal(size=(800, 11)) + 9.0 * of_a
        b = rng.normal(size=(800, 11)) + 9.0 * of_b
        result = permutation_test(a, b, strata=(of_a, of_b), n_resamples=199, rng=0)
        share = np.mean(result.pvalue <= 0.05)
        assert abs(share - 0.05) < scipy.stats.norm.isf(FALSE_ALARM) * 0.0078


class TestErrors:
    @pytest.mark.parametrize("sizes", [[4, 4, 4], [5, 2, 9]])
    def test_the_error_is_that_of_the_textbook(self, backend, sizes):
        labels = np.repeat(np.arange(len(sizes)), sizes)
        x = draw(1, len(labels))[0] + 10.0 * labels
        variance, spread = 0.0, 0.0
        for k, n in enumerate(sizes):
            part = x[labels == k].var(ddof=1) * n / len(x) ** 2
            variance += part
            spread += part**2 / (n - 1)
        df = variance**2 / spread
        result = t_ci(backend.asarray(x), strata=labels)
        rtol = 1e-11 if backend.float_name == "float64" else 1e-4
        np.testing.assert_allclose(float(result.standard_error), variance**0.5, rtol)
        margin = scipy.stats.t.isf(0.025, df) * variance**0.5
        low, high = map(float, result.confidence_interval)
        np.testing.assert_allclose((high - low) / 2.0, margin, rtol)
        other = 0.5 * x[::-1]
        test = t_test(*map(backend.asarray, (x, x - other)), paired=True, strata=labels)
        one = t_ci(backend.asarray(other), strata=labels)
        expected = float(one.statistic) / float(one.standard_error)
        np.testing.assert_allclose(float(test.statistic), expected, rtol)

    def test_one_stratum_is_none(self):
        a, b = draw(2, 9)
        one = np.zeros(9, dtype=int)
        plain = t_test(a, b)
        found = t_test(a, b, strata=(one, list(one)))
        np.testing.assert_allclose(found, plain, rtol=1e-12)
        ragged = t_test(a, b[:7], strata=(one, one[:7]))
        np.testing.assert_allclose(ragged, t_test(a, b[:7]), rtol=1e-12)

    def test_two_samples_have_an_axis_of_tasks(self):
        a, b = draw(4, 5), draw(4, 3, seed=1)
        result = t_test(a, b, strata=0)
        parts = [x.var(axis=-1, ddof=1).mean() / x.size for x in (a, b)]
        t = (a.mean() - b.mean()) / np.sqrt(sum(parts))
        np.testing.assert_allclose(result.statistic, t, rtol=1e-12)

    def test_scores_that_do_not_vary_have_no_p_value(self):
        x = np.repeat([[1.0], [2.0]], 3, axis=-1)
        result = t_test(x, x - 1.0, strata=0)
        assert np.isinf(result.statistic)
        assert np.isnan(result.pvalue)
        assert result.df == 8.0

    def test_bca_is_of_deviations_within_strata(self):
        """Levels of tasks are no skewness of scores: without spread there is none."""
        x = draw(5, 4)
        moved = x + np.array([0.0, 0.0, 0.0, 0.0, 100.0])[:, None]
        one, other = (bootstrap_ci(y, strata=0, rng=0) for y in (x, moved))
        np.testing.assert_allclose(
            np.asarray(one.confidence_interval) + 20.0, other.confidence_interval
        )

    def test_equal_models_are_seldom_unequal(self):
        """Tasks at unlike levels do not hide what runs of one task show."""
        rng = np.random.default_rng(0)
        levels = 10.0 * np.arange(8)[:, None]
        a, b = rng.normal(size=(2, 600, 8, 4)) + levels
        for test, options in (
            (t_test, {}),
            (bootstrap_test, {"statistic": "iqm", "n_resamples": 299, "rng": 0}),
        ):
            share = np.mean(test(a, b, strata=1, **options).pvalue <= 0.05)
            assert abs(share - 0.05) < scipy.stats.norm.isf(FALSE_ALARM) * 0.009 + 0.01


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"strata": 5}, "an axis from -2 to 1, or a label"),
            ({"strata": -1}, "another axis than those of a sample"),
            ({"strata": [0, 0, 1]}, "a label for each of 4 items"),
            ({"strata": [0, 0, 0, 1]}, "two scores or more in each stratum"),
            ({"strata": [0, None, 1, 1]}, "a label for each item; got None"),
            ({"strata": True}, "strata to be a label for each of 4 items; got bool"),
            (
                {"strata": 0, "clusters": [0, 0, 1, 1]},
                "labels of strata with clusters, one for each item; got the axis 0",
            ),
        ],
    )
    def test_by_all(self, options, message):
        for function in (bootstrap_ci, t_ci):
            with pytest.raises((TypeError, ValueError), match=message):
                function(np.ones((3, 4)), **options)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"statistic": "t"}, "of_sums.f. with strata; got"),
            ({"method": "saddlepoint"}, "method='resampling' with strata"),
        ],
    )
    def test_by_bootstrap_test(self, options, message):
        with pytest.raises(ValueError, match=message):
            bootstrap_test(draw(3, 4), draw(3, 4), strata=0, rng=0, **options)

    def test_by_permutations(self):
        a, b = draw(3, 4), draw(3, 5)
        with pytest.raises(ValueError, match="'resampling' with strata"):
            permutation_test(a, b, strata=0, method="saddlepoint")

    def test_functions_of_scores_of_unlike_strata(self):
        with pytest.raises(ValueError, match="with labels of strata; got"):
            bootstrap_ci(draw(1, 5)[0], statistic=_range, strata=[0, 0, 1, 1, 1])
        with pytest.raises(ValueError, match="another method than 'studentized'"):
            bootstrap_ci(draw(3, 4), strata=0, method="studentized")

    def test_an_axis_that_is_shorter_in_one(self):
        """Before it is found that leading axes do not broadcast."""
        whole, part = np.ones((5, 8)), np.ones((5, 7))
        for pair, which in (((whole, part), "2"), ((part, whole), "1")):
            said = rf"got .* with strata=-1: sample {which} lacks some. Take"
            with pytest.raises(ValueError, match=said):
                t_ci(*pair, axis=0, strata=-1)
        with pytest.raises(ValueError, match="another axis than those of a sample"):
            t_ci(whole, np.ones((4, 8)), axis=0, strata=0)

    def test_strata_of_one_sample_alone(self):
        with pytest.raises(ValueError, match=r"same strata .*; got 'c' in B alone\."):
            t_test(np.ones(4), np.ones(6), strata=(list("aabb"), list("aabbcc")))
        with pytest.raises(ValueError, match="got 2, 5 in A alone and 9 in B alone"):
            t_test(np.ones(6), np.ones(4), strata=([1, 1, 2, 2, 5, 5], [1, 1, 9, 9]))
        with pytest.raises(ValueError, match="to be a pair"):
            t_test(np.ones(4), np.ones(4), strata=list("aabb"))

    def test_strata_of_one_sample_alone_on_a_device_are_a_fault(self, backend):
        labels = [backend.asarray(x) for x in ([0, 0, 1, 1], [1, 1, 2, 2])]
        if type(labels[0]).__module__ == "numpy":
            pytest.skip("labels of the host are read")
        a, b = (backend.asarray(x) for x in draw(2, 4))
        assert np.isnan(float(t_test(a, b, strata=labels).statistic))
        same = t_test(a, b, strata=(labels[0], labels[1] - 1))
        assert np.isfinite(float(same.statistic))

    def test_a_small_or_negative_stratum_on_a_device_is_a_fault(self, backend):
        labels = backend.asarray([0, 0, 1, 1, 2])
        x = backend.asarray(draw(1, 5)[0])
        if type(labels).__module__ == "numpy":
            pytest.skip("labels of the host are read")
        for result in (
            t_ci(x[:4], strata=labels[:4] - 1),
            t_ci(x, strata=labels),
            bootstrap_ci(x, strata=labels, statistic="iqm", rng=0, n_resamples=9),
            bootstrap_ci(x, strata=labels, rng=0, n_resamples=9),
        ):
            assert np.isnan(float(result.confidence_interval.low))
