"""Labels of clusters and strata: which are the same, and whose they are."""

import numpy as np
import pytest

from sigarray import (
    bootstrap_ci,
    compare_models,
    corpus,
    equivalence_test,
    of_sums,
    permutation_test,
    proportion_test,
    rank_ci,
    required_sample_size,
    t_ci,
    t_test,
    wilcoxon_test,
)
from tests.difference.test_clusters import ratio


class TestSharedClusters:
    """Two samples with items of the same documents are not independent."""

    DOCUMENT = np.repeat([f"d{k:02d}" for k in range(20)], 4)

    @pytest.mark.parametrize("function", [t_ci, t_test, bootstrap_ci, permutation_test])
    def test_names_that_both_have_are_warned_of(self, function):
        a, b = np.random.default_rng(0).normal(size=(2, 80))
        drawn = {} if function in (t_ci, t_test) else {"n_resamples": 9, "rng": 0}
        with pytest.warns(UserWarning, match="share 20 .* such as 'd00'.*paired=True"):
            function(a, b, clusters=(self.DOCUMENT, self.DOCUMENT), **drawn)
        some = [*self.DOCUMENT[:76], *["x"] * 4]
        with pytest.warns(UserWarning, match="share 19 of their clusters"):
            function(a, b, clusters=(some, self.DOCUMENT.tolist()), **drawn)

    def test_other_names_numbers_and_pairs_are_not(self):
        a, b = np.random.default_rng(0).normal(size=(2, 80))
        others = [f"{x} of B" for x in self.DOCUMENT]
        numbers = np.arange(80) // 4
        expected = t_ci(a, b, clusters=(self.DOCUMENT, others))
        assert t_ci(a, b, clusters=(numbers, numbers)) == expected
        assert t_ci(a, b, clusters=(numbers.tolist(), others)) == expected
        t_ci(a, b, paired=True, clusters=self.DOCUMENT)

    def test_documents_as_pairs_see_what_two_sets_of_clusters_do_not(self):
        """By the advice of the warning; all that documents have in common cancels."""
        rng = np.random.default_rng(0)
        hardness = np.repeat(rng.normal(size=20), 4)
        a, b = hardness + rng.normal(size=(2, 80)) * 0.1 + [[0.2], [0.0]]
        codes, size = np.arange(80) // 4, np.full(20, 4.0)
        by = [(np.bincount(codes, weights=x), size) for x in (a, b)]
        pairs = t_ci(*by, paired=True, statistic=of_sums(ratio))
        apart = t_ci(a, b, clusters=(codes, codes))
        assert pairs.statistic == pytest.approx(apart.statistic)
        assert pairs.standard_error < 0.1 * apart.standard_error


class TestLabelsOfPandas:
    """An index is a sequence of labels; a column of labels has an index of its own."""

    OPTIONS = (
        (t_ci, "clusters", {}),
        (t_test, "strata", {}),
        (bootstrap_ci, "strata", {"rng": 0, "n_resamples": 19}),
        (permutation_test, "clusters", {"rng": 0, "n_resamples": 19}),
    )

    @pytest.fixture
    def frame(self):
        pandas = pytest.importorskip("pandas")
        rng = np.random.default_rng(3)
        levels = {"document": np.repeat(list("wxyz"), 5), "item": np.arange(20)}
        index = pandas.MultiIndex.from_arrays(list(levels.values()), names=levels)
        return pandas.DataFrame(rng.normal(size=(20, 2)), index, ["a", "b"])

    @pytest.mark.parametrize(("function", "name", "options"), OPTIONS)
    def test_an_index_is_labels(self, frame, function, name, options):
        labels = frame.index.get_level_values("document")
        options = {"paired": True, **options}
        expected = function(*frame.to_numpy().T, **{name: list(labels)}, **options)
        for a, b in ((frame["a"], frame["b"]), tuple(frame.to_numpy().T)):
            found = function(a, b, **{name: labels}, **options)
            assert str(found) == str(expected)

    @pytest.mark.parametrize(("function", "name", "options"), OPTIONS)
    def test_two_orders_need_labels_with_an_index(self, frame, function, name, options):
        labels = frame.index.get_level_values("document")
        turned = frame["b"].iloc[::-1]
        options = {"paired": True, **options}
        expected = function(frame["a"], frame["b"], **{name: labels}, **options)
        series = labels.to_series().set_axis(frame.index).iloc[::-1]
        found = function(frame["a"], turned, **{name: series}, **options)
        assert str(found) == str(expected)
        for alone in (labels, list(labels), labels.to_numpy()):
            with pytest.raises(
                ValueError, match=f"Expected {name} with an index.* two"
            ):
                function(frame["a"], turned, **{name: alone}, **options)

    def test_levels_have_no_order(self, frame):
        labels = frame.index.get_level_values("document")
        a, b = frame["a"], frame["b"]
        found = t_test(a, b.swaplevel(), paired=True, clusters=labels)
        assert str(found) == str(t_test(a, b, paired=True, clusters=labels))

    @pytest.mark.parametrize(("function", "name", "options"), OPTIONS)
    def test_they_are_of_the_axis_of_the_scores(self, frame, function, name, options):
        xarray = pytest.importorskip("xarray")
        labels = frame.index.get_level_values("document")
        items = frame.index.get_level_values("item")
        series = labels.to_series().set_axis(items)
        options = {"paired": True, "axis": 0, **options}
        scores = np.stack([frame.to_numpy(), frame.to_numpy() * 2.0], axis=1)
        expected = function(
            scores[..., 0], scores[..., 1], **{name: list(labels)}, **options
        )
        a, b = (
            xarray.DataArray(
                scores[..., k],
                dims=("item", "run"),
                coords={"item": items.to_numpy(), "run": [7, 3]},
            )
            for k in range(2)
        )
        for of in (series.iloc[::-1], xarray.DataArray.from_series(series)):
            found = function(a, b, **{name: of}, **options)
            assert str(found) == str(expected)
        turned = b.isel(item=slice(None, None, -1))
        found = function(a, turned, **{name: series}, **options)
        assert str(found) == str(expected)
        with pytest.raises(ValueError, match="with an index, for samples whose labels"):
            function(a, turned, **{name: list(labels)}, **options)

    @pytest.mark.parametrize(
        ("function", "options"),
        [
            (wilcoxon_test, {}),
            (t_test, {"paired": True}),
            (equivalence_test, {"paired": True, "low": -1.0, "high": 1.0}),
            (proportion_test, {"paired": True}),
            (permutation_test, {"paired": True, "rng": 0, "n_resamples": 19}),
            (required_sample_size, {"test": "paired_t", "rng": 0, "n_resamples": 9}),
        ],
    )
    def test_they_pair_samples(self, frame, function, options):
        if function is proportion_test:
            frame = (frame > 0.0).astype(float)
        turned = frame["b"].sample(frac=1.0, random_state=1)
        found = function(frame["a"], turned, **options)
        assert str(found) == str(function(frame["a"], frame["b"], **options))

    @pytest.mark.parametrize("options", [{}, {"clusters": None}, {"strata": None}])
    @pytest.mark.parametrize("kind", [list, dict])
    def test_they_pair_models_that_are_ranked(self, frame, options, kind):
        labels = frame.index.get_level_values("document").to_series()
        labels = labels.set_axis(frame.index)
        drawn = {"paired": True, "rng": 0, "n_resamples": 19}
        a, b = frame["a"], frame["b"]
        expected = rank_ci(frame, **drawn, **{key: list(labels) for key in options})
        turned = dict.fromkeys(options, labels.iloc[::-1])
        scores = {"a": a, "b": b.sample(frac=1.0, random_state=1)}
        if kind is list:
            scores = list(scores.values())
        found = rank_ci(scores, **drawn, **turned)
        np.testing.assert_array_equal(found.rank, expected.rank)
        np.testing.assert_array_equal(found.probability, expected.probability)
        for name in options:
            with pytest.raises(ValueError, match=f"{name} with an index.* two"):
                rank_ci(scores, **drawn, **{name: list(labels)})

    @pytest.mark.parametrize("name", ["clusters", "strata"])
    def test_labels_of_each_model_that_is_ranked(self, frame, name, recwarn):
        labels = frame.index.get_level_values("document").to_series()
        labels = labels.set_axis(frame.index)
        drawn = {"rng": 0, "n_resamples": 19}
        expected = rank_ci(frame, **{name: list(labels)}, **drawn)
        turned = labels.iloc[::-1]
        for of in (turned, {"a": labels, "b": turned}, [turned, labels]):
            assert str(rank_ci(frame, **{name: of}, **drawn)) == str(expected)
        assert not recwarn.list
        with pytest.warns(UserWarning, match="not in rising order"):
            rank_ci(frame.to_numpy().T, **{name: turned}, **drawn)

    @pytest.mark.parametrize("paired", [None, False, True])
    def test_they_pair_the_numbers_of_an_item(self, frame, paired):
        x, size = frame["a"], frame["b"].abs() + 1.0
        both = [(x, size), (x, size[::-1]), tuple(y.to_numpy() for y in (x, size))]
        rest = () if paired is None else ((size, size),)
        options = {"statistic": of_sums(corpus.ratio), "paired": bool(paired)}
        found = [str(t_ci(y, *rest, **options)) for y in both[:2]]
        assert found == [str(t_ci(both[2], *rest, **options))] * 2
        labels = frame.index.get_level_values("document")
        if not paired and not rest:
            with pytest.raises(ValueError, match="clusters with an index"):
                t_ci(both[1], statistic=options["statistic"], clusters=list(labels))
        other = size.set_axis(range(20))
        with pytest.raises(ValueError, match="labels"):
            t_ci((x.droplevel(0), other.iloc[:-1].reindex(range(1, 21))), **options)

    def test_they_pair_sums(self, frame):
        x, size = frame["a"], frame["b"].abs() + 1.0
        found = corpus.ratio(x, size.iloc[::-1])
        np.testing.assert_array_equal(found, corpus.ratio(*map(np.asarray, (x, size))))

    def test_they_are_of_the_items_of_tables(self):
        """Of pandas.DataFrame, with a row for each seed, or a column."""
        pandas = pytest.importorskip("pandas")
        items = pandas.Index([f"q{k}" for k in range(12)])
        rng = np.random.default_rng(0)
        a, b = (
            pandas.DataFrame(rng.normal(size=(n, 12)), columns=items) for n in (4, 5)
        )
        label = pandas.Series(np.repeat([*"abcd"], 3), index=items)
        options = {"axis": (0, 1), "clusters": label.to_numpy()}
        expected = t_test(a.to_numpy(), b.to_numpy(), **options)
        other = {"axis": (0, 1), "clusters": label[::-1]}
        assert t_test(a, b[items[::-1]], **other) == expected
        assert t_test(a.T, b.T, axis=(1, 0), clusters=label[::-1]) == expected
        assert t_test(a, b, **options) == expected
        with pytest.raises(ValueError, match="clusters with an index"):
            t_test(a, b[items[::-1]], **options)

    def test_an_index_is_scores(self, frame):
        numbers = frame.index.get_level_values("item")
        found = t_test(frame["a"], numbers, paired=True)
        expected = t_test(frame["a"].to_numpy(), np.arange(20), paired=True)
        assert str(found) == str(expected)


def test_draws_take_texts_as_first_seen_and_integers_in_their_order():
    """As the docstrings say: names of the first kind may change, and no draw does."""
    x = np.random.default_rng(0).normal(size=12)
    codes = np.repeat([3, 1, 2, 0, 5, 4], 2)

    def limits(labels):
        by = {"n_resamples": 49, "rng": 0, "clusters": labels}
        return tuple(map(float, bootstrap_ci(x, **by).confidence_interval))

    texts = [f"document {k}" for k in codes]
    renamed = ["zyxwvu"[k] for k in codes]
    seen = np.repeat(np.arange(6), 2)
    assert limits(texts) == limits(renamed) == limits(seen)
    assert limits(codes) != limits(texts)
    assert limits(codes) == limits(10 * codes + 3)
    # And in any container: a column of a frame is as its values are.
    pandas = pytest.importorskip("pandas")
    for kind in (list, tuple, pandas.Series, pandas.Index, pandas.Categorical):
        assert limits(kind(codes.tolist())) == limits(codes)
    assert limits(codes.astype(object)) == limits(codes * 1.0) == limits(codes)
    assert limits(pandas.Series(codes).astype("Int64")) == limits(codes)
    assert limits([2**53 + k for k in codes.tolist()]) == limits(codes)
    assert limits((codes * 0.5).tolist()) == limits(texts)
    exchanged = [
        bootstrap_ci(x, x[::-1], strata=(of, of), rng=0, n_resamples=49)
        for of in (codes, codes.tolist())
    ]
    assert exchanged[0] == exchanged[1]


class TestLabelsOfOneName:
    """Columns of pandas may hold the numbers and the texts of one name."""

    MIXED = (1, "1", 2, "2 ", 3.0, 3, "x  y", " x y")
    CODES = (0, 0, 1, 1, 2, 2, 3, 3)

    @pytest.mark.parametrize("option", ["clusters", "strata"])
    @pytest.mark.parametrize("kind", ["list", "array", "Series"])
    def test_they_are_one_label(self, option, kind):
        make = {"list": list, "array": lambda x: np.asarray(x, object)}.get(kind)
        make = make or pytest.importorskip("pandas").Series
        a, b = np.random.default_rng(0).normal(size=(2, 8))
        found = t_ci(a, b, paired=True, **{option: make(self.MIXED)})
        assert found == t_ci(a, b, paired=True, **{option: np.asarray(self.CODES)})

    def test_strata_of_two_samples(self):
        a, b = np.random.default_rng(0).normal(size=(2, 8))
        texts = [str(x) for x in self.CODES]
        found = t_ci(a, b, strata=(list(self.CODES), texts))
        assert found == t_ci(a, b, strata=(texts, texts))

    def test_verdicts_have_the_same(self):
        scores = dict(
            zip("ab", np.random.default_rng(0).normal(size=(2, 8)), strict=True)
        )
        found, expected = (
            compare_models(scores, clusters=list(x), unit="item")
            for x in (self.MIXED, self.CODES)
        )
        assert found.records[0] == expected.records[0]

    @pytest.mark.parametrize("labels", ["ab", (1.5, 1.25), (10, "01"), ((1,), ("1",))])
    def test_others_are_not(self, labels):
        a, b = np.random.default_rng(0).normal(size=(2, 8))
        found = t_ci(a, b, paired=True, clusters=[*labels] * 4)
        assert found == t_ci(a, b, paired=True, clusters=[0, 1] * 4)
