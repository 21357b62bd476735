"""What holds for all metrics: backends, numbers, faults, and statistics of them."""

import pickle
import types

import numpy as np
import pytest
import scipy.stats

from sigarray import (
    bootstrap_ci,
    bootstrap_replicates,
    bootstrap_test,
    corpus,
    of_sums,
    permutation_replicates,
    permutation_test,
    rank_ci,
    t_ci,
    t_test,
)
from tests.backends import everywhere, require, use_backend
from tests.corpus.items import COUNTED, COUNTING, ITEMS, NAMES_OF_COUNTING, N, find

of_each_metric = pytest.mark.parametrize("name", ITEMS)


def test_all_are_in_the_table():
    counting = {function.__name__ for function in COUNTED}
    of_scores = {"OptimalityGap", "optimality_gap"}
    assert set(ITEMS) | counting | of_scores == set(corpus.__all__)


@everywhere
class TestBackends:
    """Their numbers are those of NumPy, and nothing waits for a device."""

    @of_each_metric
    def test_metrics(self, backend, name):
        metric, sums, columns = find(name)
        arrays = [backend.asarray(x) for x in columns]
        with backend.no_transfers():
            found = metric(*arrays)
        assert found.dtype == arrays[0].dtype
        assert tuple(found.shape) == sums.shape[:-1]
        expected = metric(*columns)
        assert np.all(np.isfinite(expected))
        scale = max(1.0, np.max(np.abs(expected)))
        np.testing.assert_allclose(
            backend.to_numpy(found), expected, atol=10 * scale * backend.atol
        )

    @pytest.mark.parametrize(
        ("function", "arrays", "options"), COUNTING, ids=NAMES_OF_COUNTING
    )
    def test_counting(self, backend, function, arrays, options):
        given = [backend.asarray(x) for x in arrays]
        with backend.no_transfers():
            found = function(*given, **options)
        np.testing.assert_allclose(
            backend.to_numpy(found), COUNTED[function], atol=backend.atol
        )

    def test_numbers_beside_arrays(self, backend):
        tp = backend.asarray([3.0, 4.0])
        found = corpus.f1(tp, 1, np.float64(2.0))
        assert found.dtype == tp.dtype
        np.testing.assert_allclose(backend.to_numpy(found), [6 / 9, 8 / 11], rtol=1e-6)

    def test_integers(self, backend):
        found = corpus.ratio(backend.asarray([1, 3]), backend.asarray([4, 4]))
        np.testing.assert_array_equal(backend.to_numpy(found), [0.25, 0.75])


class TestJax:
    @of_each_metric
    def test_programs_and_maps(self, name):
        jax = require("jax")
        metric, _, columns = find(name)
        with jax.enable_x64(True):
            arrays = [jax.numpy.asarray(x) for x in columns]
            for transformed in (jax.jit(metric), jax.vmap(metric)):
                found = transformed(*arrays)
                np.testing.assert_allclose(found, metric(*columns), rtol=1e-12)

    @pytest.mark.parametrize(
        ("function", "arrays", "options"), COUNTING, ids=NAMES_OF_COUNTING
    )
    def test_counting(self, function, arrays, options):
        """But for the level that is subtracted, which is rounded."""
        jax = require("jax")
        with jax.enable_x64(True):
            given = [jax.numpy.asarray(x) for x in arrays]
            found = jax.jit(lambda *x: function(*x, **options))(*given)
        pair = np.asarray(found), COUNTED[function]
        found, expected = (np.moveaxis(x.sum(axis=-1), -1, 0) for x in pair)
        if function in (corpus.residuals, corpus.products):
            metric = corpus.r2 if function is corpus.residuals else corpus.pearson
            found, expected = metric(*found), metric(*expected)
        np.testing.assert_allclose(found, expected, atol=1e-12)

    def test_a_metric_is_compiled_once(self):
        jax = require("jax")
        from sigarray._backend.of_jax import _is_of_caller

        assert not _is_of_caller(of_sums(corpus.f1))
        assert of_sums(corpus.f1) == of_sums(corpus.f1)
        x = jax.numpy.asarray(ITEMS["f1"])
        t_ci(x, statistic=of_sums(corpus.f1))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(jax._src.compiler, "compile_or_get_cached", None)
            t_ci(x, statistic=of_sums(corpus.f1))


@of_each_metric
class TestNumbers:
    def test_python_numbers(self, name):
        metric, sums, _ = find(name)
        row = sums.reshape(-1, sums.shape[-1])[0]
        found = metric(*map(float, row))
        assert isinstance(found, np.float64)
        assert found == pytest.approx(metric(*row), rel=1e-14)

    @pytest.mark.parametrize("fault", [np.nan, np.inf, -np.inf])
    def test_faults_are_nan(self, name, fault):
        metric, sums, _ = find(name)
        row = sums.reshape(-1, sums.shape[-1])[0]
        for k in range(len(row)):
            changed = [*row]
            changed[k] = fault
            assert np.isnan(metric(*changed))

    def test_pickle(self, name):
        metric = getattr(corpus, name)
        assert pickle.loads(pickle.dumps(of_sums(metric))) == of_sums(metric)


@of_each_metric
class TestStatistics:
    def test_replicates_are_those_of_places(self, name):
        """Of a callable that sums the items at the places which it is given."""
        items = ITEMS[name]
        items = items.reshape(-1, *items.shape[-2:])[0]
        metric = getattr(corpus, name)

        def of_places(places, axis):
            assert axis == -1
            return metric(*items[:, places.astype(int)].sum(axis=-1))

        options = {"start": 0, "count": 50, "rng": 3}
        found = bootstrap_replicates(items, statistic=of_sums(metric), **options)
        places = np.arange(float(N))
        expected = bootstrap_replicates(places, statistic=of_places, **options)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)

    def test_exchanges_are_those_of_places(self, name):
        a = ITEMS[name].reshape(-1, *ITEMS[name].shape[-2:])[0]
        b = np.roll(a, 1, axis=-1)
        pool = np.concatenate([a, b], axis=-1)
        metric = getattr(corpus, name)

        def of_places(places, axis):
            return metric(*pool[:, places.astype(int)].sum(axis=axis))

        options = {"start": 0, "count": 50, "rng": 3, "paired": True}
        found = permutation_replicates(a, b, statistic=of_sums(metric), **options)
        places = np.arange(float(N)), np.arange(float(N)) + N
        expected = permutation_replicates(*places, statistic=of_places, **options)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("n_sums", [2, 5])
@pytest.mark.parametrize("n_strata", [None, 4])
def test_replicates_of_fractions_are_those_of_places(n_sums, n_strata):
    """Sums of numbers that are no counts are rounded, by gathers and by products."""
    items = 100.0 + np.random.default_rng(n_sums).normal(size=(n_sums, N))

    def metric(*sums):
        return sum(sums[1:-1], sums[0]) / sums[-1]

    def of_places(places, axis):
        return metric(*items[:, places.astype(int)].sum(axis=axis))

    shape = (N,) if n_strata is None else (n_strata, -1)
    options = {"start": 0, "count": 50, "rng": 3}
    options |= {} if n_strata is None else {"strata": -2}
    split = tuple(items.reshape(n_sums, *shape))
    found = bootstrap_replicates(split, statistic=of_sums(metric), **options)
    places = np.arange(float(N)).reshape(shape)
    expected = bootstrap_replicates(places, statistic=of_places, **options)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_bca_is_scipys():
    """With the acceleration of its jackknife, on the same replicates."""
    items, statistic = ITEMS["f1"][0], of_sums(corpus.f1)
    replicates = bootstrap_replicates(
        items, statistic=statistic, start=0, count=500, rng=0
    )

    def f1(*columns, axis=-1):
        return corpus.f1(*(x.sum(axis=axis) for x in columns))

    expected = scipy.stats.bootstrap(
        tuple(items),
        f1,
        paired=True,
        n_resamples=0,
        bootstrap_result=types.SimpleNamespace(bootstrap_distribution=replicates),
        method="BCa",
    ).confidence_interval
    found = bootstrap_ci(
        items, statistic=statistic, n_resamples=500, rng=0
    ).confidence_interval
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@everywhere
class TestItemsWithoutNumbers:
    """They change no sum, and are none of the items that the df count."""

    options = {"statistic": of_sums(corpus.precision)}  # noqa: RUF012
    few = np.zeros((2, 40))
    few[0, :3] = 1.0
    many = np.random.default_rng(0).integers(0, 2, (2, 40)) * 1.0

    @pytest.mark.parametrize("paired", [True, False])
    def test_few_items_without_an_error_are_few(self, backend, paired):
        """Their influences are all 0: the p-value was 3e-13, by 39 df."""
        a, b = (backend.asarray(x) for x in (self.few, self.many))
        for pair in ((a, b), (b, a)):
            found = t_test(*pair, paired=paired, **self.options)
            assert float(found.df) == 2.0
            assert 0.005 < float(found.pvalue) < 0.05
            # The error alone, and t with two df.
            interval = t_ci(*pair, paired=paired, **self.options)
            half = float(interval.confidence_interval.high - interval.statistic)
            t = scipy.stats.t.isf(0.025, 2) * float(interval.standard_error)
            np.testing.assert_allclose(half, t, rtol=1e-5)

    def test_one_item_has_no_spread(self, backend):
        one = self.few.copy()
        one[:, 1:] = 0.0
        found = t_test(*map(backend.asarray, (one, self.many)), **self.options)
        assert np.isnan(float(found.pvalue))

    def test_of_one_metric_others_add_nothing(self, backend):
        counts = np.random.default_rng(1).poisson(2.0, (2, 12)) + 1.0
        padded = np.concatenate([counts, np.zeros((2, 5000))], axis=-1)
        low, high = (
            float(x)
            for x in t_ci(backend.asarray(padded), **self.options).confidence_interval
        )
        alone = t_ci(counts, **self.options).confidence_interval
        # By the square root of 12/11: the jackknife is of 12 items, not of 5,012.
        np.testing.assert_allclose(
            (high - low) / (alone.high - alone.low), (12 / 11) ** 0.5, rtol=0.02
        )


class TestTablesOnTheirSide:
    """Counts (n, d) instead of (d, n), which many metrics would take as sums."""

    @of_each_metric
    @pytest.mark.parametrize("make", [np.array, np.ndarray.tolist])
    def test_are_refused_for_all_numbers_of_items(self, name, make):
        items = ITEMS[name].reshape(-1, *ITEMS[name].shape[-2:])[0]
        d = len(items)
        for n in range(d + 1, N + 1):
            with pytest.raises(
                ValueError, match=f"if there are {n} items; if .* {d}, "
            ):
                t_ci(make(items[:, :n].T), statistic=of_sums(getattr(corpus, name)))

    @pytest.mark.parametrize("n_counts", [2, 3, 4])
    def test_counts_that_the_metric_does_not_take_are_refused(self, n_counts):
        with pytest.raises(ValueError, match="on its side"):
            t_ci(np.ones((399, n_counts)), statistic=of_sums(corpus.f1))

    def test_an_axis_and_a_tuple_say_what_is_meant(self):
        statistic = of_sums(corpus.f1)
        counts = ITEMS["f1"][0]
        upright = t_ci(counts, statistic=statistic)
        assert t_ci(counts.T, statistic=statistic, axis=-2) == upright
        with pytest.raises(ValueError, match=r"Pass axis=1 if there are 40 items"):
            t_ci(counts, statistic=statistic, axis=0)
        wide = np.random.default_rng(0).poisson(3.0, (30, 6))
        found = t_ci(tuple(wide), statistic=of_sums(corpus.macro_f1)).statistic
        assert found == corpus.macro_f1(*wide.sum(axis=-1))

    def test_functions_of_a_caller(self):
        def three(tp, fp, fn):
            return 2.0 * tp / (2.0 * tp + fp + fn)

        def some(first, *others):
            return first / sum(others, first)

        table = np.random.default_rng(0).poisson(3.0, (30, 3)) + 1.0
        for statistic in map(of_sums, (three, some)):
            with pytest.raises(ValueError, match="on its side"):
                t_ci(table, statistic=statistic)
        with pytest.raises(TypeError, match=r"Expected 3 numbers of each.*; got 2\."):
            t_ci(tuple(table[:, :2].T), statistic=of_sums(three))
        models = [tuple(table[:, :2].T)] * 2
        with pytest.raises(TypeError, match=r"whose sums three\(tp, fp, fn\) takes"):
            rank_ci(models, statistic=of_sums(three), rng=0)
        by_default = of_sums(lambda tp, fp, fn=0.0: tp / (tp + fp + fn))
        with pytest.raises(TypeError, match="Expected 2 to 3 numbers of each item"):
            t_ci((table[:, 0],), statistic=by_default)

    @pytest.mark.filterwarnings("ignore:axis=.seeds, items. has")
    def test_seeds_and_items(self):
        cells = np.random.default_rng(0).poisson(3.0, (6, 40, 3)) + 1.0
        right = t_ci(cells, statistic=of_sums(corpus.f1), axis=(0, 1))
        moved = np.moveaxis(cells, -1, 0)
        assert t_ci(moved, statistic=of_sums(corpus.f1), axis=(-2, -1)) == right
        with pytest.raises(ValueError, match=r"Pass axis=\(seeds, items\) if"):
            t_ci(cells, statistic=of_sums(corpus.f1), axis=(-2, -1))


class TestLargeCorporaWithoutFloat64:
    """A metric without one of many items differs from that of all by its rounding."""

    N = 30_000

    def draw(self):
        rng = np.random.default_rng(0)
        skill = rng.beta(40.0, 10.0, self.N)
        for lead in (0.0, 0.002):
            noise = rng.normal(lead, 0.05, self.N)
            hits = rng.binomial(30, np.clip(skill + noise, 0.0, 1.0))
            yield np.stack([hits, rng.poisson(6.0, self.N), 30 - hits])

    @pytest.mark.parametrize("library", ["jax.numpy", "array_api_strict:no_float64"])
    @pytest.mark.parametrize("clusters", [None, np.arange(N) // 4])
    def test_single_precision_gives_the_interval_of_float64(self, library, clusters):
        pair = list(self.draw())
        options = {
            "paired": True,
            "statistic": of_sums(corpus.f1),
            "clusters": clusters,
        }
        with use_backend(library) as backend:
            found = t_ci(*(backend.asarray(x, "float32") for x in pair), **options)
            assert backend.to_numpy(found.statistic).dtype == np.float32
        exact = t_ci(*pair, **options)
        error = float(exact.standard_error)
        for x, y in (
            (found.statistic, exact.statistic),
            *zip(found.confidence_interval, exact.confidence_interval, strict=True),
        ):
            assert abs(float(x) - y) < 1e-3 * error

    @pytest.mark.parametrize("test", [bootstrap_test, permutation_test])
    def test_ties_are_rare(self, test):
        """Of a hundred units of rounding, they would be three in a hundred."""
        pair = list(self.draw())
        options = {"paired": True, "statistic": of_sums(corpus.f1), "rng": 0}
        with use_backend("jax.numpy") as backend:
            arrays = [backend.asarray(x, "float32") for x in pair]
            found = test(*arrays, n_resamples=499, **options)
        exact = test(*pair, n_resamples=499, **options)
        assert abs(float(found.pvalue) - exact.pvalue) < 0.01

    def test_a_few_items_are_left_out_one_by_one(self):
        """And one that dominates a sum, beside however many."""
        rng = np.random.default_rng(1)
        for n, scale in ((6, 1.0), (4000, 1e5)):
            sums = rng.poisson(9.0, (2, n)) + 1.0
            sums[:, 0] *= scale
            options = {"statistic": of_sums(corpus.ratio)}
            with use_backend("array_api_strict:no_float64") as strict:
                found = t_ci(strict.asarray(sums), **options)
            exact = t_ci(sums, **options)
            np.testing.assert_allclose(
                float(found.standard_error), exact.standard_error, rtol=1e-4
            )
