"""Probability of improvement over tasks, against its definition."""

import numpy as np
import pytest

from sigarray import probability_of_improvement
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import random_places
from tests.backends import everywhere


def draw(seed=0):
    """Runs of A and of B on six tasks, with ties."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 5, (6, 5)) + 1.0, rng.integers(0, 5, (6, 4)) * 1.0


def find_slowly(a, b):
    """Return the mean over tasks of P(A > B) + P(A = B) / 2, pair by pair."""
    return np.mean(
        [
            np.mean([(x > y) + 0.5 * (x == y) for x in of_a for y in of_b])
            for of_a, of_b in zip(a, b, strict=True)
        ]
    )


@everywhere
def test_it_is_the_mean_over_tasks(backend):
    a, b = draw()
    samples = map(backend.asarray, (a, b))
    result = probability_of_improvement(*samples, strata=0, n_resamples=50, rng=0)
    assert float(result.statistic) == pytest.approx(find_slowly(a, b), abs=1e-6)
    one = probability_of_improvement(*map(backend.asarray, (a[0], b[0])), rng=0)
    assert float(one.statistic) == pytest.approx(find_slowly(a[:1], b[:1]), abs=1e-6)


def test_runs_are_drawn_within_tasks():
    a, b = draw()
    n_resamples, draws = 60, [6 * 4, 6 * 3]
    places = random_places(
        HOST, seed_words(HOST, 3), 0, n_resamples, [5, 4], draws, False
    )
    values = [
        find_slowly(
            np.take_along_axis(a, of_a.reshape(6, 4), axis=-1),
            np.take_along_axis(b, of_b.reshape(6, 3), axis=-1),
        )
        for of_a, of_b in zip(*places, strict=True)
    ]
    result = probability_of_improvement(
        a, b, strata=0, n_resamples=n_resamples, rng=3, confidence_level=0.8
    )
    low, high = np.quantile(values, (0.1, 0.9))
    np.testing.assert_allclose(result.confidence_interval, (low, high), atol=1e-12)
    np.testing.assert_allclose(result.standard_error, np.std(values, ddof=1))


def test_intervals_hold_the_probability():
    """Five runs on 26 tasks: in about 95 of 100 sets."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 400, 26, 5))
    low, high = probability_of_improvement(
        a, b, strata=1, n_resamples=400, rng=0
    ).confidence_interval
    assert 0.91 < np.mean((low <= 0.5) & (high >= 0.5)) < 0.985


def test_batches_have_results_of_their_own():
    a, b = draw()
    both = probability_of_improvement(
        np.stack([a, -a]), b[None, ...], strata=1, n_resamples=40, rng=0
    )
    alone = probability_of_improvement(a, b, strata=0, n_resamples=40, rng=0)
    assert both.statistic[0] == alone.statistic
    np.testing.assert_array_equal(
        [x[0] for x in both.confidence_interval], alone.confidence_interval
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"strata": 2}, "an axis from -2 to 1"),
        ({"strata": [0, 1]}, "an integer, the axis of the tasks; got list. Labels are"),
        ({"strata": np.arange(4)}, r"got numpy\.ndarray\. Labels are for t_ci, boots"),
        ({"strata": True}, "the axis of the tasks; got True"),
        ({"strata": 0, "axis": 0}, "another axis than those of a sample"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        probability_of_improvement(np.ones((3, 4)), np.ones((3, 4)), **options)
