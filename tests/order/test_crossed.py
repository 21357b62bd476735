"""Stochastic order of seeds, with items drawn too, against loops over the same places.

The places are found with the words of the bootstrap of tables, and ratios are exact.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.stats

from sigarray import aso, aso_replicates, multi_aso, t_test
from tests import oracles
from tests.numeric.test_crossed import draw, find_error, find_mean_squares
from tests.resampling.test_crossed import SPLIT, draw_places

SDS = (0.1, 0.4, 0.2)
AXES = {"axis": (0, 1)}


def draw_pair(n_seeds=(4, 5), n_items=9, sds=SDS, lead=0.1):
    return [
        lead * (k == 0) + draw(n, n_items, sds, seed=k + 1)
        for k, n in enumerate(n_seeds)
    ]


def mean_exactly(table):
    return [sum(map(Fraction, row)) / len(row) for row in table.tolist()]


def replicate(a, b, dt=None):
    """Ratios of seeds that were drawn, of their means over items that were drawn."""
    items, of_a, of_b = draw_places((len(a), len(b)), a.shape[1])
    return [
        float(
            oracles.violation_ratio(
                mean_exactly(a[np.ix_(s, i)]), mean_exactly(b[np.ix_(r, i)]), dt
            )
        )
        for s, r, i in zip(of_a, of_b, items, strict=True)
    ]


def find_df_of_bound(a, b):
    """Satterthwaite's, with the variances of seeds of both models in one term."""
    terms, n_items = [], a.shape[1]
    gaps = a.mean(axis=0) - b.mean(axis=0)
    terms.append(("items", gaps.var(ddof=1) / n_items, n_items - 1))
    squares = [(find_mean_squares(x)[0], x.size) for x in (a, b)]
    least = min(len(a), len(b)) - 1
    for name, place, df in (("seeds", 0, least), ("rest", 2, least * (n_items - 1))):
        square = sum(found[place] / size for found, size in squares)
        terms.append((name, square, df))
    return find_error(terms)[1]


class TestReplicates:
    @pytest.mark.parametrize("dt", [None, 0.3])
    def test_a_loop_over_the_same_places(self, dt):
        a, b = draw_pair()
        found = aso_replicates(a, b, dt=dt, **AXES, **SPLIT)
        expected = replicate(a, b, dt and Fraction(str(dt)))
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)

    def test_every_backend_and_batch(self, backend):
        a, b = draw_pair()
        tables = backend.asarray(np.stack([a, a + 0.1])), backend.asarray(b)
        found = aso_replicates(*tables, axis=(-2, -1), batch=7, **SPLIT)
        expected = [replicate(x, b) for x in (a, a + 0.1)]
        np.testing.assert_allclose(
            backend.to_numpy(found), expected, atol=30.0 * backend.atol
        )

    def test_ties_stay_ties(self):
        """Sums of whole numbers are exact, at any level: a ratio of 0.5 is one."""
        rng = np.random.default_rng(0)
        a, b = rng.integers(0, 2, (2, 3, 4)) / 2.0
        for level in (0.0, 2.0**20):
            found = aso_replicates(a + level, b + level, **AXES, **SPLIT)
            np.testing.assert_allclose(found, replicate(a, b), rtol=1e-12, atol=1e-12)
        equal = np.broadcast_to(rng.integers(0, 2, 50), (3, 50))
        found = aso_replicates(equal, equal[:2], **AXES, **SPLIT)
        assert (found == 0.5).all()

    def test_levels_and_units_do_not_matter(self):
        a, b = draw_pair()
        options = {"n_resamples": 30, "rng": 0, **AXES}
        expected = aso(a, b, **options)
        for x, y, rtol in (
            (a + 2.0**30, b + 2.0**30, 1e-6),
            (a * 1e300, b * 1e300, 1e-10),
            (a * 1e-200, b * 1e-200, 1e-10),
        ):
            np.testing.assert_allclose(aso(x, y, **options), expected, rtol=rtol)

    def test_lower_is_better_is_the_sign(self):
        a, b = draw_pair()
        for function, options in (
            (aso, {"n_resamples": 30, "rng": 0}),
            (aso_replicates, SPLIT),
        ):
            lower = function(a, b, higher_is_better=False, **options, **AXES)
            np.testing.assert_allclose(lower, function(-a, -b, **options, **AXES))


class TestAso:
    @pytest.mark.filterwarnings("ignore:confidence_level=0.3 is a confidence")
    @pytest.mark.parametrize("confidence_level", [0.95, 0.3])
    @pytest.mark.parametrize("sds", [SDS, (0.0, 0.0, 0.4)])
    def test_the_bound(self, sds, confidence_level):
        a, b = draw_pair((4, 5), 30, sds, lead=0.6)
        options = {"n_resamples": 200, "confidence_level": confidence_level}
        result = aso(a, b, rng=3, **options, **AXES)
        replicates = aso_replicates(a, b, start=0, count=200, rng=3, **AXES)
        ratio = oracles.violation_ratio(a.mean(axis=1), b.mean(axis=1))
        np.testing.assert_allclose(result.violation_ratio, float(ratio), atol=1e-12)
        np.testing.assert_allclose(result.standard_error, replicates.std(), atol=1e-12)
        quantile = scipy.stats.t.ppf(confidence_level, find_df_of_bound(a, b))
        bound = result.violation_ratio + quantile * replicates.std()
        np.testing.assert_allclose(result.eps_min, np.clip(bound, 0, 1), atol=1e-10)
        wins = oracles.count_wins(a.mean(axis=1), b.mean(axis=1))
        assert result.probability_of_improvement == pytest.approx(0.5 + wins / 40)

    def test_equality_is_tested_by_t(self):
        """The bound is below 1/2 only if that rejects."""
        for seed, lead in enumerate(np.linspace(0.0, 1.0, 9)):
            a, b = draw(5, 40, SDS, 2 * seed) + lead, draw(4, 40, SDS, 2 * seed + 1)
            result = aso(a, b, n_resamples=50, rng=0, **AXES)
            p = t_test(a, b, alternative="greater", **AXES).pvalue
            assert result.pvalue == p
            assert result.eps_min >= 0.5 or p <= 0.05
        assert result.eps_min < 0.2
        a = a - 0.5
        p = t_test(a, b, alternative="greater", **AXES).pvalue
        for n_comparisons, is_better in ((1, True), (math.ceil(0.05 / p), False)):
            options = {"n_comparisons": n_comparisons, "n_resamples": 50, "rng": 0}
            assert (aso(a, b, **options, **AXES).eps_min < 0.5) == is_better

    def test_many_seeds_have_a_percentile(self):
        a, b = draw_pair((20, 22), 30, (0.3, 0.1, 0.1), lead=0.1)
        result = aso(a, b, n_resamples=400, rng=3, **AXES)
        replicates = aso_replicates(a, b, start=0, count=400, rng=3, **AXES)
        quantile = scipy.stats.t.ppf(0.95, find_df_of_bound(a, b))
        bound = result.violation_ratio + quantile * replicates.std()
        assert result.eps_min >= 0.5
        expected = max(0.5, min(1.0, max(bound, np.sort(replicates)[-20])))
        assert result.eps_min == pytest.approx(expected, abs=1e-10)

    def test_what_does_not_vary(self):
        """It does not show how much others would: no model is better."""
        a, b = np.ones((3, 20)), np.zeros((4, 20))
        result = aso(a, b, rng=0, **AXES)
        assert tuple(map(float, result)) == (0.5, 0.0, 0.0, 1.0, 1.0)
        result = aso(a, a, rng=0, **AXES)
        assert tuple(map(float, result)) == (0.5, 0.5, 0.0, 0.5, 0.5)

    def test_labels_bring_items_into_one_order(self):
        pandas = pytest.importorskip("pandas")
        a, b = draw_pair()
        names = [f"item {k}" for k in range(9)]
        tables = [pandas.DataFrame(x, columns=names) for x in (a, b)]
        found = aso(tables[0], tables[1].iloc[:, ::-1], n_resamples=9, rng=0, **AXES)
        np.testing.assert_allclose(found, aso(a, b, n_resamples=9, rng=0, **AXES))

    def test_two_seeds_are_too_few(self):
        a, b = draw_pair((2, 5), 30, lead=2.0)
        with pytest.warns(UserWarning, match="2 seeds of a model are too few") as found:
            result = aso(a, b, n_resamples=9, rng=0, **AXES)
        assert found[0].filename == __file__
        assert result.eps_min == 1.0

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"method": "exact"}, r"'auto' or 'bootstrap' with axis=.*; got 'exact'"),
            ({"method": "asymptotic"}, "got 'asymptotic'"),
            ({"n_resamples": 1}, "n_resamples of 2 or more"),
            ({"axis": (0, 0)}, "two different axes"),
            ({"axis": (0, 1, 2)}, r"\(seeds, items\); got 3 of them"),
            ({"axis": (0, 2)}, "two axes of the scores"),
        ],
    )
    def test_impossible_options(self, options, message):
        a, b = draw_pair()
        with pytest.raises(ValueError, match=message):
            aso(a, b, **AXES | options)

    def test_impossible_tables(self):
        a, b = draw_pair()
        for function, options in ((aso, {}), (aso_replicates, SPLIT)):
            with pytest.raises(ValueError, match="the same items of both models"):
                function(a, b[:, :8], **options, **AXES)
        with pytest.raises(ValueError, match="two or more models"):
            multi_aso([a], **AXES)


class TestManyModels:
    def test_pairs_are_those_of_aso(self):
        """With the same words, tested on both sides, at a share of the level."""
        models = [draw(n, 30, SDS, k) + 0.2 * k for k, n in enumerate((4, 5, 4))]
        options = {"n_resamples": 50, "rng": 3, **AXES}
        result = multi_aso(models, **options)
        for i, j in ((0, 1), (0, 2), (1, 2)):
            a, b = models[i], models[j]
            p = t_test(a, b, **AXES).pvalue
            assert result.pvalue[i, j] == pytest.approx(min(1.0, 3.0 * p))
            wins = oracles.count_wins(a.mean(axis=1), b.mean(axis=1))
            share = result.probability_of_improvement[i, j] - 0.5
            assert share == pytest.approx(wins / (2 * len(a) * len(b)))
            quantile = scipy.stats.t.ppf(1.0 - 0.05 / 3, find_df_of_bound(a, b))
            for k, m in ((i, j), (j, i)):
                ratio = oracles.violation_ratio(
                    *(models[x].mean(axis=1) for x in (k, m))
                )
                assert result.violation_ratio[k, m] == pytest.approx(float(ratio))
                bound = float(ratio) + quantile * result.standard_error[k, m]
                is_told = 3.0 * p <= 0.05 and ratio < 0.5
                expected = min(1.0, max(bound, 0.0 if is_told else 0.5))
                assert result.eps_min[k, m] == pytest.approx(expected, abs=1e-9)
        alone = aso(*models[:2], **options)
        assert result.standard_error[0, 1] == pytest.approx(alone.standard_error)
        assert (np.diagonal(result.eps_min) == 1.0).all()

    def test_a_baseline_is_compared_with_each(self):
        models = {x: draw(4, 30, SDS, k) + 0.2 * k for k, x in enumerate("abc")}
        options = {"n_resamples": 50, "rng": 3, **AXES}
        result = multi_aso(models, baseline="b", **options)
        assert np.isnan(result.pvalue[0, 2])
        for k, name in ((0, "a"), (2, "c")):
            p = t_test(models[name], models["b"], **AXES).pvalue
            assert result.pvalue[k, 1] == pytest.approx(min(1.0, 2.0 * p))
        turned = multi_aso({x: models[x] for x in "cab"}, baseline="b", **options)
        order = [1, 2, 0]
        for found, expected in zip(turned, result, strict=True):
            np.testing.assert_allclose(found[np.ix_(order, order)], expected)
        free = multi_aso(models, correction=None, **options)
        p = t_test(models["a"], models["c"], **AXES).pvalue
        assert free.pvalue[0, 2] == pytest.approx(float(p))

    def test_one_array(self):
        models = np.stack([draw(4, 9, SDS, k) for k in range(3)])
        options = {"n_resamples": 20, "rng": 3}
        expected = multi_aso(list(models), **options, **AXES)
        for x, axis in ((models, (1, 2)), (np.moveaxis(models, 2, 0), (-1, 0))):
            for found, one in zip(
                multi_aso(x, axis=axis, **options), expected, strict=True
            ):
                np.testing.assert_allclose(found, one)
        with pytest.raises(ValueError, match="scores of two or more models, shape"):
            multi_aso(models[0], **AXES)
        # Axes as of a mapping, which would compare items.
        with pytest.raises(ValueError, match=r"If .* in front, pass axis=\(-2, -1\)"):
            multi_aso(models, **AXES)


def test_equal_models_with_their_own_hard_items_are_rarely_called_better():
    """At most as often as is said, but means over items far more often."""
    rng, n_sets = np.random.default_rng(0), 400
    n_seeds, n_items = 10, 60
    a, b = (
        0.3 * rng.normal(size=(n_sets, 1, n_items))
        + 0.2 * rng.normal(size=(n_sets, n_seeds, n_items))
        for _ in range(2)
    )
    options = {"n_resamples": 100, "rng": 0}
    both = aso(a, b, axis=(-2, -1), **options)
    means = aso(a.mean(axis=-1), b.mean(axis=-1), **options)
    # Binomial, false alarm 1e-6.
    assert np.mean(both.eps_min < 0.2) < 0.05 + 4.9 * math.sqrt(0.05 * 0.95 / n_sets)
    assert np.mean(means.eps_min < 0.2) > 0.2
