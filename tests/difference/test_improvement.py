"""Probability of improvement over tasks, against its definition."""

import numpy as np
import pytest

from sigarray import probability_of_improvement
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import (
    _SECOND_SAMPLE,
    random_places,
    random_words,
    uniform_indices,
)
from tests.backends import everywhere, require


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


def draw_ragged(seed=0):
    """Return scores and names of tasks: other numbers of runs, in other orders."""
    rng = np.random.default_rng(seed)
    names = np.array(list("zzxxxyyyy")), np.array(list("yyyxxzzz"))
    return [rng.integers(0, 4, len(x)) * 1.0 for x in names], names


def split(x, labels, tasks="xyz"):
    """Return the scores of each task."""
    return [x[labels == task] for task in tasks]


def test_tasks_have_unlike_numbers_of_runs(backend):
    (a, b), names = draw_ragged()
    a[0], b[0] = np.inf, -np.inf
    expected = find_slowly(split(a, names[0]), split(b, names[1]))
    x, y = map(backend.asarray, (a, b))
    result = probability_of_improvement(x, y, strata=names, n_resamples=9, rng=0)
    assert float(result.statistic) == pytest.approx(expected, abs=1e-6)
    fault = np.where(a == 2.0, np.nan, a)
    x = backend.asarray(np.stack([a, fault, -a]))
    result = probability_of_improvement(x, y, strata=names, n_resamples=9, rng=0)
    found = backend.to_numpy(result.statistic)
    assert found[0] == pytest.approx(expected, abs=1e-6)
    assert np.isnan(found[1])
    mirrored = find_slowly(split(-a, names[0]), split(b, names[1]))
    assert found[2] == pytest.approx(mirrored, abs=1e-6)


def test_runs_with_labels_are_drawn_within_tasks():
    """Against resamples of n - 1 runs of each task, written out."""
    (a, b), names = draw_ragged()
    codes = [np.searchsorted(list("xyz"), x) for x in names]
    order = [np.argsort(x, kind="stable") for x in codes]
    words = [
        random_words(
            HOST, seed_words(HOST, 3), 0, 60, len(x), first_block=k * _SECOND_SAMPLE
        )
        for k, x in enumerate(codes)
    ]
    values = []
    for r in range(60):
        drawn = []
        for x, of, ranked, rows in zip((a, b), codes, order, words, strict=True):
            ordered, chosen = x[ranked], []
            place = 0
            for runs in split(ordered, of[ranked], range(3)):
                n = len(runs)
                places = uniform_indices(HOST, rows[r, place + 1 : place + n], n)
                chosen.append(runs[places])
                place += n
            drawn.append(chosen)
        values.append(find_slowly(*drawn))
    result = probability_of_improvement(
        a, b, strata=tuple(codes), n_resamples=60, rng=3, confidence_level=0.8
    )
    low, high = np.quantile(values, (0.1, 0.9))
    np.testing.assert_allclose(result.confidence_interval, (low, high), atol=1e-12)
    np.testing.assert_allclose(result.standard_error, np.std(values, ddof=1))


def test_labels_on_a_device():
    torch = require("torch")
    (a, b), names = draw_ragged()
    codes = [np.searchsorted(list("xyz"), x) for x in names]
    expected = probability_of_improvement(a, b, strata=codes, n_resamples=40, rng=0)
    x, y, *labels = map(torch.asarray, (a, b, *codes))
    found = probability_of_improvement(x, y, strata=labels, n_resamples=40, rng=0)
    np.testing.assert_allclose(found.confidence_interval, expected.confidence_interval)
    lost = probability_of_improvement(x, y, strata=(labels[0], labels[1] + 1), rng=0)
    assert torch.isnan(lost.statistic)


def test_intervals_of_ragged_tasks_hold_the_probability():
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(26), rng.integers(3, 7, (2, 26)).ravel()[:26])
    a, b = rng.normal(size=(2, 150, len(codes)))
    low, high = probability_of_improvement(
        a, b, strata=(codes, codes), n_resamples=200, rng=0
    ).confidence_interval
    assert 0.89 < np.mean((low <= 0.5) & (high >= 0.5)) < 0.995


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
        ({"strata": np.arange(4)}, "strata to be a pair, the labels of A and those"),
        ({"strata": ([0, 1, 2, 2], [0, 1, 2, 2])}, "two scores or more in each strat"),
        ({"strata": ([0, 0, 2, 2], [0, 0, 1, 1])}, "the same strata of A and of B"),
        ({"strata": True}, "strata to be a pair.*got bool"),
        ({"strata": 0, "axis": 0}, "another axis than those of a sample"),
    ],
)
def test_what_is_refused(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        probability_of_improvement(np.ones((3, 4)), np.ones((3, 4)), **options)
