"""Errors of tables of seeds and items, and components of their variance."""

import itertools

import numpy as np
import pytest
import scipy.stats

from sigarray import bootstrap_test, of_sums, t_ci, t_test


def ratio(x, y):
    return x / y


def draw(n_seeds, n_items, sds, seed=0):
    """Return a table, with standard deviations of seeds, of items and of both."""
    rng = np.random.default_rng(seed)
    shapes = (n_seeds, 1), (1, n_items), (n_seeds, n_items)
    return sum(
        sd * rng.normal(size=shape) for sd, shape in zip(sds, shapes, strict=True)
    )


def find_mean_squares(x):
    """Return the mean squares of seeds, of items and of the rest, by a loop."""
    n_seeds, n_items = x.shape
    mean = sum(map(sum, x.tolist())) / x.size
    of_seeds = [sum(row) / n_items for row in x.tolist()]
    of_items = [sum(row) / n_seeds for row in x.T.tolist()]
    cells = itertools.product(range(n_seeds), range(n_items))
    squares = (
        n_items * sum((m - mean) ** 2 for m in of_seeds),
        n_seeds * sum((m - mean) ** 2 for m in of_items),
        sum((x[s, i] - of_seeds[s] - of_items[i] + mean) ** 2 for s, i in cells),
    )
    dfs = n_seeds - 1, n_items - 1, (n_seeds - 1) * (n_items - 1)
    return [s / df for s, df in zip(squares, dfs, strict=True)], dfs


def find_error(terms):
    """Return a squared error and its df, of (which, square, df) for each term.

    The square is that of seeds, and of items, less that of the rest, and at least that
    of seeds and of items. With unlike numbers of seeds the df are the harmonic mean of
    these, and of those with the seeds and the rests of both tables as one.
    """
    of_seeds = {df for name, _, df in terms if name == "seeds"}
    if len(of_seeds) > 1:
        ((_, _, df_of_items),) = (x for x in terms if x[0] == "items")
        as_one = {"seeds": min(of_seeds), "items": df_of_items}
        as_one["rest"] = min(of_seeds) * df_of_items
        pooled = [
            (name, sum(x[1] for x in terms if x[0] == name), df)
            for name, df in as_one.items()
        ]
        total, fewer = find_error(pooled)
        df = sum_up(terms, total)
        return total, 2.0 / (1.0 / df + 1.0 / fewer)
    sums = {
        which: sum(square for name, square, _ in terms if name == which)
        for which in ("seeds", "items", "rest")
    }
    total = max(
        sums["seeds"] + sums["items"] - sums["rest"], sums["seeds"], sums["items"]
    )
    return total, sum_up(terms, total)


def sum_up(terms, total):
    """Return Satterthwaite's degrees of freedom, at least 1."""
    return max(1.0, total**2 / sum(square**2 / df for _, square, df in terms))


def list_terms(x):
    squares, dfs = find_mean_squares(x)
    names = "seeds", "items", "rest"
    return [
        (name, s / x.size, df) for name, s, df in zip(names, squares, dfs, strict=True)
    ]


SDS = [(0.1, 0.4, 0.2), (0.0, 0.4, 0.2), (0.3, 0.0, 0.2), (0.0, 0.0, 1.0)]


class TestErrors:
    @pytest.mark.parametrize("sds", SDS)
    def test_one_table(self, sds):
        x = 5.0 + draw(4, 9, sds)
        variance, df = find_error(list_terms(x))
        result = t_ci(x, axis=(0, 1), confidence_level=0.9)
        np.testing.assert_allclose(result.statistic, x.mean(), rtol=1e-13)
        np.testing.assert_allclose(result.standard_error, variance**0.5, rtol=1e-12)
        margin = scipy.stats.t.isf(0.05, df) * variance**0.5
        limits = x.mean() + margin * np.array([-1.0, 1.0])
        np.testing.assert_allclose(result.confidence_interval, limits, rtol=1e-12)

    @pytest.mark.parametrize("sds", SDS)
    def test_paired_tables_are_their_difference(self, sds):
        a, b = (draw(4, 9, sds, seed) for seed in (1, 2))
        variance, df = find_error(list_terms(a - b))
        result = t_test(a, b, paired=True, axis=(0, 1))
        t = (a - b).mean() / variance**0.5
        np.testing.assert_allclose(result.statistic, t, rtol=1e-12)
        np.testing.assert_allclose(result.df, df, rtol=1e-12)
        p = 2.0 * scipy.stats.t.sf(abs(t), df)
        np.testing.assert_allclose(result.pvalue, p, rtol=1e-11)

    @pytest.mark.parametrize("sds", SDS)
    def test_two_tables_have_seeds_of_their_own(self, sds):
        a, b = draw(3, 9, sds, 1), draw(5, 9, sds, 2)
        gaps = a.mean(axis=0) - b.mean(axis=0)
        terms = [x for table in (a, b) for x in list_terms(table) if x[0] != "items"]
        terms.append(("items", gaps.var(ddof=1) / 9, 8))
        variance, df = find_error(terms)
        result = t_test(a, b, axis=(0, 1))
        t = gaps.mean() / variance**0.5
        np.testing.assert_allclose(result.statistic, t, rtol=1e-12)
        np.testing.assert_allclose(result.df, df, rtol=1e-12)

    def test_mean_squares_are_those_of_a_linear_model(self):
        formula = pytest.importorskip("statsmodels.formula.api")
        linear = pytest.importorskip("statsmodels.stats.anova")
        x = draw(4, 9, SDS[0])
        seeds, items = np.indices(x.shape)
        table = {"x": x.ravel(), "seed": seeds.ravel(), "item": items.ravel()}
        rows = pytest.importorskip("pandas").DataFrame(table)
        fit = formula.ols("x ~ C(seed) + C(item)", rows).fit()
        expected = linear.anova_lm(fit)["mean_sq"].to_numpy()
        np.testing.assert_allclose(find_mean_squares(x)[0], expected, rtol=1e-12)

    def test_equal_seeds_are_items_alone(self):
        """Miller (2024): the error of means of questions, and of paired differences."""
        a, b = (draw(4, 30, SDS[1], seed) for seed in (1, 2))
        a, b = (x - x.mean(axis=1, keepdims=True) for x in (a, b))
        a += 0.3
        for found, of_items in (
            (
                t_ci(a, axis=(0, 1)).standard_error,
                a.mean(axis=0).std(ddof=1) / 30**0.5,
            ),
            (
                t_ci(a, b, paired=True, axis=(0, 1)).standard_error,
                (a - b).mean(axis=0).std(ddof=1) / 30**0.5,
            ),
            (
                t_ci(a, b, axis=(0, 1)).standard_error,
                (a - b).mean(axis=0).std(ddof=1) / 30**0.5,
            ),
        ):
            np.testing.assert_allclose(found, of_items, rtol=1e-12)
        single = [np.repeat(x[:1], 4, axis=0) for x in (a, b)]
        found = t_ci(*single, axis=(0, 1)).standard_error
        expected = t_ci(a[0], b[0], paired=True).standard_error
        np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_equal_items_are_seeds_alone(self):
        seeds = draw(5, 1, (0.1, 0.0, 0.0))
        x = seeds + np.zeros(20)
        found, expected = t_ci(x, axis=(0, 1)), t_ci(seeds[:, 0])
        np.testing.assert_allclose(found.standard_error, expected.standard_error)
        np.testing.assert_allclose(
            found.confidence_interval, expected.confidence_interval, rtol=1e-10
        )

    @pytest.mark.parametrize("sds", SDS)
    @pytest.mark.parametrize("n_tables", [1, 2])
    def test_items_in_clusters(self, sds, n_tables):
        """By sums of clusters, and CR2 and its df by matrices."""
        codes = np.array([0, 2, 1, 0, 0, 2, 1, 0, 3])
        tables = [5.0 + draw(3 + k, 9, sds, k) for k in range(n_tables)]
        # Of independent items the mean has residuals I - 1 1' / n, and a cluster of
        # them the inverse root of its own part: here all of it is a share of 1.
        means = [x.mean(axis=0) for x in tables]
        gaps = means[0] - means[1] if n_tables == 2 else means[0]
        weights, total = [], {"items": 0.0}
        residuals = np.eye(9) - 1.0 / 9
        for k in range(4):
            rows = residuals[codes == k]
            size = len(rows)
            values, vectors = np.linalg.eigh(np.eye(size) - 1.0 / 9)
            root = vectors @ np.diag(values**-0.5) @ vectors.T
            weights.append(np.ones(size) @ root @ rows / 9)
        weights = np.array(weights)
        total["items"] = np.sum((weights @ gaps) ** 2)
        squares = np.linalg.eigvalsh(weights @ weights.T)
        df_of_items = np.sum(squares) ** 2 / np.sum(squares**2)
        terms = [("items", total["items"], df_of_items)]
        for x in tables:
            n_seeds = len(x)
            of_seeds = x.mean(axis=1)
            rest = x - of_seeds[:, None] - x.mean(axis=0) + x.mean()
            square = np.sum((rest @ weights.T) ** 2) / (n_seeds * (n_seeds - 1))
            df = n_seeds - 1
            terms.append(("seeds", of_seeds.var(ddof=1) / n_seeds, df))
            terms.append(("rest", square, df * df_of_items))
        variance, df = find_error(terms)
        result = t_ci(*tables, axis=(0, 1), clusters=codes, confidence_level=0.9)
        np.testing.assert_allclose(result.standard_error, variance**0.5, rtol=1e-12)
        margin = scipy.stats.t.isf(0.05, df) * variance**0.5
        limits = gaps.mean() + margin * np.array([-1.0, 1.0])
        np.testing.assert_allclose(result.confidence_interval, limits, rtol=1e-11)

    def test_clusters_of_one_item_are_items(self):
        a, b = draw(3, 9, SDS[0], 1), draw(4, 9, SDS[0], 2)
        found = t_test(a, b, axis=(0, 1), clusters=[f"d{k}" for k in range(9)])
        np.testing.assert_allclose(found, t_test(a, b, axis=(0, 1)), rtol=1e-12)

    def test_clusters_hold_their_level_whatever_their_sizes(self):
        """Sums of clusters that are taken for items find differences in 14 %."""
        rng, n_found, n_sets = np.random.default_rng(0), np.zeros(2), 400
        for _ in range(n_sets):
            sizes = np.ceil(6.0 * rng.lognormal(0.0, 1.2, 10)).astype(int)
            codes = np.repeat(np.arange(10), sizes)
            a, b = (
                rng.normal(size=10)[codes]
                + rng.normal(0.0, 0.1, (5, 1))
                + rng.normal(size=(5, len(codes)))
                for _ in "ab"
            )
            sums = [np.stack([np.bincount(codes, x) for x in y]) for y in (a, b)]
            as_items = [(x, sizes + np.zeros((5, 1))) for x in sums]
            by = {"axis": (0, 1)}
            n_found += (
                t_test(a, b, **by, clusters=codes).pvalue <= 0.05,
                t_test(*as_items, **by, statistic=of_sums(ratio)).pvalue <= 0.05,
            )
        assert n_found[0] / n_sets <= 0.075
        assert n_found[1] / n_sets >= 0.1

    @pytest.mark.parametrize("n_seeds", [(2, 10), (3, 20)])
    def test_it_holds_its_level_with_unlike_numbers_of_seeds(self, n_seeds):
        rng = np.random.default_rng(1)
        items = rng.normal(size=(3000, 1, 20))
        a, b = (
            items
            + 0.5 * rng.normal(size=(3000, n, 1))
            + 0.5 * rng.normal(size=(3000, n, 20))
            for n in n_seeds
        )
        result = t_test(a, b, axis=(-2, -1))
        assert np.mean(result.pvalue <= 0.05) <= 0.06
        assert np.mean(result.pvalue <= 0.005) <= 0.01

    def test_a_metric_of_sums(self):
        a, b = draw(3, 9, SDS[0], 1), draw(4, 9, SDS[0], 2)
        options = {"statistic": of_sums(ratio), "axis": (-2, -1)}
        as_sums = [(x, np.ones_like(x)) for x in (a, b)]
        for found, expected in (
            (t_ci(as_sums[0], **options), t_ci(a, axis=(0, 1))),
            (t_ci(*as_sums, **options), t_ci(a, b, axis=(0, 1))),
            (t_ci(np.stack(as_sums[0]), **options), t_ci(a, axis=(0, 1))),
        ):
            np.testing.assert_allclose(found.statistic, expected.statistic)
            np.testing.assert_allclose(
                found.confidence_interval, expected.confidence_interval, rtol=1e-10
            )

    def test_tables_that_vary_by_rounding_alone(self):
        items = draw(1, 20, (0.0, 1.0, 0.0))
        for a, b in (
            (np.repeat(items, 3, axis=0), np.repeat(items - 0.1, 3, axis=0)),
            (np.full((3, 20), 0.7), np.full((3, 20), 0.6)),
        ):
            for paired in (False, True):
                result = t_test(a, b, paired=paired, axis=(0, 1))
                assert result.statistic == np.inf
                assert np.isnan(result.pvalue)
            assert t_test(a, a, axis=(0, 1)).statistic == 0.0

    def test_levels_and_units_do_not_matter(self):
        a, b = draw(3, 9, SDS[0], 1), draw(4, 9, SDS[0], 2)
        expected = t_test(a, b, axis=(0, 1))
        for x, y, rtol in (
            (a + 2.0**30, b + 2.0**30, 1e-6),
            (a * 1e200, b * 1e200, 1e-11),
            (a * 1e-200, b * 1e-200, 1e-11),
        ):
            np.testing.assert_allclose(t_test(x, y, axis=(0, 1)), expected, rtol=rtol)


class TestAxes:
    def test_they_may_be_anywhere(self, backend):
        tables = np.stack([draw(3, 9, SDS[0], seed) for seed in range(2)])
        expected = t_ci(tables, axis=(-2, -1)).confidence_interval
        for order in itertools.permutations(range(3)):
            x = backend.asarray(np.transpose(tables, order))
            axes = order.index(1), order.index(2)
            for axis in (axes, [k - 3 for k in axes]):
                found = t_ci(x, axis=axis).confidence_interval
                for one, other in zip(found, expected, strict=True):
                    np.testing.assert_allclose(
                        backend.to_numpy(one), other, rtol=backend.rtol
                    )

    def test_labels_bring_items_into_one_order(self):
        pandas = pytest.importorskip("pandas")
        names = [f"item {k}" for k in range(9)]
        a, b = draw(4, 9, SDS[0], 1), draw(4, 9, SDS[0], 2)
        first = pandas.DataFrame(a, columns=names, index=list("abcd"))
        other = pandas.DataFrame(b, columns=names, index=list("abcd"))
        turned = other.iloc[::-1, ::-1]
        for paired in (False, True):
            expected = t_test(a, b, paired=paired, axis=(0, 1))
            for x, y, axis in (
                (first, turned, (0, 1)),
                (first.T, turned.T, (1, 0)),
            ):
                found = t_test(x, y, paired=paired, axis=axis)
                np.testing.assert_allclose(found, expected, rtol=1e-12)
        renamed = other.rename(columns={"item 3": "item 33"})
        with pytest.raises(ValueError, match="1 of 9 labels of the first sample"):
            t_test(first, renamed, axis=(0, 1))
        assert t_test(first, other.set_axis(list("efgh")), axis=(0, 1)).df > 1.0
        with pytest.raises(ValueError, match="4 of 4 labels of the first sample"):
            t_test(first, other.set_axis(list("efgh")), paired=True, axis=(0, 1))

    def test_labels_of_xarray(self):
        xarray = pytest.importorskip("xarray")
        a, b = (
            xarray.DataArray(
                draw(4, 9, SDS[0], seed),
                dims=("seed", "item"),
                coords={"item": list("abcdefghi")},
            )
            for seed in (1, 2)
        )
        expected = t_test(a.values, b.values, axis=(0, 1))
        found = t_test(a, b[:, ::-1], axis=(0, 1))
        np.testing.assert_allclose(found, expected, rtol=1e-12)


class TestWrongCalls:
    @pytest.mark.parametrize(
        ("shapes", "options", "said"),
        [
            (((1, 9),), {}, "two seeds and two items or more, .* got 1 seeds and 9"),
            (((3, 1),), {}, "got 3 seeds and 1 items"),
            (((3, 9), (3, 8)), {}, "the same items of both models .* got 9 and 8"),
            (((3, 9), (4, 9)), {"paired": True}, "the same seeds .* got 3 and 4"),
            (((9,),), {}, r"two axes of the scores; got \(0, 1\) for shape \(9,\)"),
            (((3, 9),), {"axis": (0, 2)}, r"got \(0, 2\) for shape \(3, 9\)"),
            (((3, 9),), {"axis": (1, -1)}, "two different axes"),
            (((3, 9),), {"axis": (0, 1, 2)}, r"\(seeds, items\); got 3 of them"),
            (((2, 3, 9), (3, 3, 9)), {"axis": (-2, -1)}, "leading axes that broadcast"),
        ],
    )
    def test_shapes(self, shapes, options, said):
        samples = [np.random.default_rng(0).normal(size=shape) for shape in shapes]
        with pytest.raises(ValueError, match=said):
            t_ci(*samples, **{"axis": (0, 1), **options})

    def test_other_designs(self):
        x, labels = draw(3, 9, SDS[0]), np.arange(9) // 3
        for more, said in (
            ({"strata": labels}, "strata or axis=.*as axis=seeds, strata=items"),
            ({"strata": labels, "clusters": labels}, "Expected strata or axis="),
            (
                {"clusters": (labels, labels)},
                r"a pair\. .* one label for each: pass clusters=labels",
            ),
            ({"clusters": labels[:3]}, "a label for each of 9 items; got labels of"),
        ):
            with pytest.raises(ValueError, match=said):
                t_ci(x, axis=(0, 1), **more)
        with pytest.raises(ValueError, match="Use t_test or t_ci, which take both"):
            bootstrap_test(x, x, axis=(0, 1), clusters=labels)

    def test_kinds(self):
        x = draw(3, 9, SDS[0])
        with pytest.raises(TypeError, match=r"axis to be an integer; got 1\.0"):
            t_ci(x, axis=(0, 1.0))
        with pytest.raises(ValueError, match=r"Expected test_share, or clusters"):
            t_test(x, x, paired=True, test_share=0.2, axis=(0, 1))


@pytest.mark.parametrize("n_seeds", [3, 10])
@pytest.mark.parametrize("sd", [0.0, 0.1])
def test_it_holds_what_it_says(n_seeds, sd):
    """Of a mean, and of two models with own seeds; items or seeds alone do not."""
    rng, n_sets, n_items = np.random.default_rng(n_seeds), 1000, 100

    def make(*leading):
        return (
            sd * rng.normal(size=(n_sets, n_seeds, 1))
            + 0.4 * rng.normal(size=(*leading, 1, n_items))
            + 0.2 * rng.normal(size=(n_sets, n_seeds, n_items))
        )

    def share(low_and_high):
        low, high = low_and_high
        return np.mean((low <= 0.0) & (high >= 0.0))

    tables = [make(n_sets) for _ in range(2)]
    for samples in (tables[:1], tables):
        result = t_ci(*samples, axis=(-2, -1))
        assert 0.91 <= share(result.confidence_interval) <= 0.985
    alone = t_ci(tables[0].mean(axis=1)), t_ci(tables[0].mean(axis=2))
    of_items, of_seeds = (share(x.confidence_interval) for x in alone)
    assert (of_items if sd else of_seeds) < 0.9
