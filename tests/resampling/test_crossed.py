"""The pigeonhole bootstrap: seeds and items are drawn, each on its own."""

import numpy as np
import pytest

from sigarray import (
    bootstrap_ci,
    bootstrap_replicates,
    bootstrap_test,
    of_sums,
    permutation_replicates,
    permutation_test,
    responses,
    variance_components,
)
from sigarray._backend.dispatch import standardize
from sigarray._backend.seeds import seed_words, stream_seeds
from sigarray._backend.threefry import random_places
from tests.numeric.test_crossed import draw

SDS = (0.1, 0.4, 0.2)
SPLIT = {"start": 3, "count": 25, "rng": 5}
AXES = {"axis": (0, 1)}


def ratio(x, y):
    return x / (y + 1.0)


def draw_places(n_seeds, n_items):
    """Return the items, and the seeds of each model, of every replicate."""
    xp, _ = standardize(np.zeros(1))
    low, high = stream_seeds(xp, seed_words(xp, SPLIT["rng"]), (0, 1, 2))
    streams = list(zip(low, high, strict=True))
    places = []
    for stream, n, n_drawn in (
        (streams[0], n_items, n_items),
        *((x, n, n - 1) for x, n in zip(streams[1:], n_seeds, strict=False)),
    ):
        start, count = SPLIT["start"], SPLIT["count"]
        places += random_places(xp, stream, start, count, [n], [n_drawn], False)
    return places


class TestReplicates:
    def test_a_loop_over_the_same_places(self):
        a, b = 3.0 + draw(4, 9, SDS, 1), draw(5, 9, SDS, 2)
        items, of_a, of_b = draw_places((4, 5), 9)
        means = np.array(
            [
                [x[np.ix_(s, i)].mean() for s, i in zip(seeds, items, strict=True)]
                for x, seeds in ((a, of_a), (b, of_b))
            ]
        )
        gaps = a - b[:4]
        of_gaps = [gaps[np.ix_(s, i)].mean() for s, i in zip(of_a, items, strict=True)]
        for samples, options, expected in (
            ([a], {}, means[0]),
            ([a, b], {}, means[0] - means[1]),
            ([a, b[:4]], {"paired": True}, of_gaps),
        ):
            found = bootstrap_replicates(*samples, **AXES, **options, **SPLIT)
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)

    def test_statistics_of_all_cells(self):
        a, b = draw(4, 9, SDS, 1), draw(5, 9, SDS, 2)
        items, of_a, of_b = draw_places((4, 5), 9)
        for statistic, function in (("median", np.median), (np.ptp, np.ptp)):
            expected = [
                function(a[np.ix_(s, i)]) - function(b[np.ix_(r, i)])
                for s, r, i in zip(of_a, of_b, items, strict=True)
            ]
            found = bootstrap_replicates(a, b, statistic=statistic, **AXES, **SPLIT)
            np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_sums_are_those_of_as_many_seeds(self):
        x, y = draw(2 * 4, 9, SDS, 1).reshape(2, 4, 9) + 5.0
        items, of_a = draw_places((4,), 9)
        for columns in ((x, y), (y, x), np.stack([x, y])):
            expected = [
                ratio(*(4 / 3 * column[np.ix_(s, i)].sum() for column in columns))
                for s, i in zip(of_a, items, strict=True)
            ]
            found = bootstrap_replicates(
                columns, statistic=of_sums(ratio), axis=(-2, -1), **SPLIT
            )
            np.testing.assert_allclose(found, expected, rtol=1e-12)

    def test_the_variance_is_that_of_components(self):
        """Seed / S + item / n, and both, which counts up to three times (Owen 2007)."""
        x = draw(6, 200, SDS)
        found = bootstrap_replicates(x, start=0, count=20000, rng=1, **AXES).var()
        components = variance_components(x)
        parts = [components.seed / 6, components.item / 200, components.both / 1200]
        assert sum(parts) < found < 1.1 * (sum(parts) + 2.0 * parts[2])

    def test_equal_seeds_are_items_alone(self):
        """There the design is that of items with responses, of which all are kept."""
        items = draw(1, 60, SDS)
        x = np.repeat(items, 4, axis=0)
        found = bootstrap_replicates(x, start=0, count=4000, rng=1, **AXES)
        ratings = np.repeat(items[0][:, None], 4, axis=1)
        metric = responses.metrics.mae
        other = responses.response_replicates(
            np.full_like(ratings, -9.0),
            np.full_like(ratings, -9.0),
            ratings,
            metric=metric.name,
            items="bootstrap",
            responses="all",
            start=0,
            count=4000,
            rng=2,
        ).statistic
        np.testing.assert_allclose(found.std(), other.std(), rtol=0.06)
        np.testing.assert_allclose(found.mean() + 9.0, other.mean(), atol=0.02)


class TestIntervalsAndTests:
    def test_intervals_are_quantiles_of_replicates(self):
        a, b = draw(4, 30, SDS, 1), draw(5, 30, SDS, 2)
        options = {"method": "percentile", "n_resamples": 500, "rng": 2, **AXES}
        result = bootstrap_ci(a, b, confidence_level=0.9, **options)
        replicates = bootstrap_replicates(a, b, start=0, count=500, rng=2, **AXES)
        limits = np.quantile(replicates, [0.05, 0.95])
        np.testing.assert_allclose(result.confidence_interval, limits, rtol=1e-10)
        np.testing.assert_allclose(result.standard_error, replicates.std(ddof=1))

    def test_p_values_count_replicates(self):
        a, b = draw(4, 30, SDS, 1), draw(5, 30, SDS, 2)
        result = bootstrap_test(a, b, n_resamples=500, rng=2, **AXES)
        replicates = bootstrap_replicates(a, b, start=0, count=500, rng=2, **AXES)
        observed = a.mean() - b.mean()
        count = np.sum(np.abs(replicates - observed) >= abs(observed))
        np.testing.assert_allclose(result.pvalue, (count + 1) / 501)
        assert bootstrap_test(a, a, n_resamples=50, rng=2, **AXES).statistic == 0.0

    def test_models_with_the_same_seeds_are_pairs(self):
        """Shared effects of seeds cancel, and are drawn together."""
        seeds = draw(5, 1, (1.0, 0.0, 0.0))
        a, b = (seeds + draw(5, 50, (0.0, 0.4, 0.2), k) for k in (1, 2))
        errors = [
            bootstrap_ci(a, b, method="basic", paired=paired, rng=0, **AXES)
            for paired in (True, False)
        ]
        assert 3.0 * errors[0].standard_error < errors[1].standard_error


class TestWrongCalls:
    def test_what_has_no_formula(self):
        x = draw(3, 9, SDS)
        for options, said in (
            ({}, "method to be 'percentile' or 'basic' .* got 'bca'"),
            ({"method": "studentized"}, "got 'studentized'"),
        ):
            with pytest.raises(ValueError, match=said):
                bootstrap_ci(x, **options, **AXES)
        for options, said in (
            ({"statistic": "t"}, "statistic to be 'mean' or 'median' .* got 't'"),
            ({"method": "saddlepoint"}, "method to be 'resampling' .* 'saddlepoint'"),
        ):
            with pytest.raises(ValueError, match=said):
                bootstrap_test(x, x, **options, **AXES)

    def test_nothing_is_exchanged(self):
        x = draw(3, 9, SDS)
        for function, options in (
            (permutation_test, {}),
            (permutation_replicates, {"start": 0, "count": 3}),
        ):
            with pytest.raises(ValueError, match="no scores can be exchanged"):
                function(x, x, **options, **AXES)
            with pytest.raises(TypeError, match="axis to be an integer"):
                function(x, x, **options, axis=1.0)
