"""Ranks and their intervals, against slow code from their definitions."""

import itertools

import numpy as np
import pytest
import scipy.stats

from sigarray import rank_ci
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words, stream_seeds
from sigarray._backend.threefry import random_places
from tests.backends import everywhere

N_RESAMPLES = 99


def draw(*shape, seed=0):
    x = np.random.default_rng(seed).normal(size=shape)
    return x.astype(np.float32).astype(float)


def resample(models, n_strata, stream, seed, n_resamples=N_RESAMPLES):
    """Return resamples (R, T (n - 1)) of a model's scores (T, n), task by task."""
    low, high = stream_seeds(HOST, seed_words(HOST, seed), range(10))
    n = models.shape[-1]
    of_stream = (low[stream], high[stream])
    (places,) = random_places(
        HOST, of_stream, 0, n_resamples, [n], [n_strata * (n - 1)], False
    )
    return np.asarray(
        [[models[k // (n - 1), place] for k, place in enumerate(row)] for row in places]
    )


def rank_slowly(values):
    """Return the first and the last rank of each value, the largest first."""
    first = [1 + sum(y > x for y in values) for x in values]
    last = [sum(y >= x for y in values) for x in values]
    return np.asarray(first), np.asarray(last)


def find_probabilities(replicates):
    """Return the share of each rank, which ties share, of replicates (K, R)."""
    n_models, count = replicates.shape
    shares = np.zeros((n_models, n_models))
    for values in replicates.T:
        for k, (first, last) in enumerate(zip(*rank_slowly(values), strict=True)):
            shares[k, first - 1 : last] += 1.0 / (last - first + 1.0) / count
    return shares


def tell_apart_slowly(observed, errors, dfs, replicates, alpha):
    """Return the pairs (i, j) of which i is better, by steps until none is left."""
    error, p_values = {}, {}
    for i, j in itertools.permutations(range(len(observed)), 2):
        error[i, j] = np.hypot(errors[i], errors[j])
        squares = errors[[i, j]] ** 2
        df = squares.sum() ** 2 / (squares**2 / dfs[[i, j]]).sum()
        if dfs[i] != dfs[j]:
            df = 2.0 / (1.0 / df + 1.0 / min(dfs[i], dfs[j]))
        t = (observed[i] - observed[j]) / error[i, j]
        p_values[i, j] = scipy.stats.t.sf(t, df)
    return reject_slowly(error, p_values, replicates - observed[:, None], alpha)


def reject_slowly(error, p_values, shifts, alpha):
    """Return the pairs that are rejected, by errors and p-values of pairs (i, j)."""
    of_range = scipy.stats.studentized_range.isf(alpha, len(shifts), np.inf)
    rejected = []
    while True:
        left = [x for x in p_values if x not in rejected]
        largest = [max((x[i] - x[j]) / error[i, j] for i, j in left) for x in shifts.T]
        place = min(int(np.ceil((1 - alpha) * (len(largest) + 1))), len(largest))
        critical = np.sort(largest)[place - 1]
        level = max(scipy.stats.norm.sf(of_range / np.sqrt(2.0)), alpha / len(left))
        level = min(level, scipy.stats.norm.sf(critical))
        more = [x for x in left if p_values[x] <= level]
        if not more:
            return rejected
        rejected += more


def bound_slowly(n_models, pairs):
    low = [1 + sum(j == k for _, j in pairs) for k in range(n_models)]
    high = [n_models - sum(i == k for i, _ in pairs) for k in range(n_models)]
    return low, high


SETS = [  # spacing of means, and the seed
    *((spacing, seed) for spacing in (0.3, 1.2, 3.0) for seed in range(3)),
]


@pytest.mark.parametrize(("spacing", "seed"), SETS)
def test_it_inverts_comparisons_of_means(spacing, seed):
    sizes = [8, 6, 8, 5, 6]
    rng = np.random.default_rng(seed)
    models = [spacing * k + rng.normal(size=n) for k, n in enumerate(sizes)]
    alpha = 0.1
    result = rank_ci(
        models, n_resamples=N_RESAMPLES, rng=seed, confidence_level=1.0 - alpha
    )
    observed = np.asarray([np.mean(x) for x in models])
    errors = np.asarray([scipy.stats.sem(x) for x in models])
    replicates = np.asarray(
        [resample(x[None], 1, k, seed).mean(axis=-1) for k, x in enumerate(models)]
    )
    dfs = np.asarray(sizes) - 1.0
    pairs = tell_apart_slowly(observed, errors, dfs, replicates, alpha)
    limits = bound_slowly(len(models), pairs)
    np.testing.assert_array_equal(result.confidence_interval, limits)
    np.testing.assert_array_equal(result.rank, rank_slowly(observed)[0])
    np.testing.assert_allclose(
        result.probability, find_probabilities(replicates), atol=1e-12
    )


def test_unlike_numbers_of_runs_hold_all_ranks():
    """With Welch's degrees of freedom in 89 to 91 % of sets."""
    rng = np.random.default_rng(1)
    models = [rng.normal(size=(600, n)) for n in (3, 3, 3, 20, 20, 20)]
    low, high = rank_ci(models, n_resamples=299, rng=0).confidence_interval
    assert np.mean(np.all((low == 1) & (high == 6), axis=-1)) > 0.95


def test_some_of_these_sets_need_several_steps():
    """Or else the test above would hold of one step."""
    widths = []
    for n_steps in (1, 3):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sigarray._rank_intervals.comparisons._N_STEPS", n_steps)
            models = draw(60, 6, 12) + 1.3 * np.arange(6)[:, None]
            low, high = rank_ci(models, n_resamples=60, rng=0).confidence_interval
            widths.append(np.mean(high - low))
    assert widths[0] > widths[1] + 0.05


def evaluate_slowly(statistic, scores, n_left_out, weight=1):
    """Return a statistic of scores that count `weight` each."""
    if callable(statistic):
        return statistic(scores)
    ordered = np.sort(np.repeat(scores, weight))
    return np.mean(ordered[n_left_out : len(ordered) - n_left_out])


def count_left_out(statistic, n):
    """Return how many of n scores the statistic leaves out at each end."""
    return n // 4 if statistic == "iqm" else (n - 1) // 2


def find_df_slowly(statistic, tasks):
    """Return the degrees of freedom of the mean of the influences of scores (T, n)."""
    scores, n = tasks.ravel(), tasks.shape[1]
    left_out = count_left_out(statistic, scores.size - 1)
    without = [
        evaluate_slowly(statistic, np.delete(scores, k), left_out)
        for k in range(scores.size)
    ]
    variances = np.var(np.reshape(without, tasks.shape), axis=1, ddof=1)
    return variances.sum() ** 2 / (variances**2 / (n - 1.0)).sum()


@pytest.mark.parametrize("statistic", ["median", "iqm", np.std])
@pytest.mark.parametrize("seed", range(3))
def test_it_inverts_comparisons_of_other_statistics_of_tasks(statistic, seed):
    rng = np.random.default_rng(seed)
    runs = [4, 3, 4, 5]
    models = [
        (rng.normal(size=(6, n)) + np.linspace(0.0, 2.0, 6)[:, None]) * (1 + k / 2) + k
        for k, n in enumerate(runs)
    ]
    result = rank_ci(
        models, statistic=statistic, strata=0, n_resamples=N_RESAMPLES, rng=seed
    )
    observed, replicates, dfs = [], [], []
    for k, (tasks, n) in enumerate(zip(models, runs, strict=True)):
        left_out = count_left_out(statistic, tasks.size)
        observed.append(evaluate_slowly(statistic, tasks.ravel(), left_out))
        # Each of n - 1 runs counts n / (n - 1), and so n times among n - 1 times all.
        replicates.append(
            [
                evaluate_slowly(statistic, x, left_out * (n - 1), n)
                for x in resample(tasks, 6, k, seed)
            ]
        )
        dfs.append(find_df_slowly(statistic, tasks))
    observed, replicates, dfs = map(np.asarray, (observed, replicates, dfs))
    errors = np.std(replicates, axis=-1, ddof=1)
    pairs = tell_apart_slowly(observed, errors, dfs, replicates, 0.05)
    np.testing.assert_array_equal(result.confidence_interval, bound_slowly(4, pairs))
    np.testing.assert_allclose(
        result.probability, find_probabilities(replicates), atol=1e-12
    )


@everywhere
def test_models_on_an_axis_or_in_a_list(backend):
    x = draw(4, 3, 5) + np.arange(4)[:, None, None]
    options = {"statistic": "iqm", "n_resamples": 60, "rng": 2}
    whole = rank_ci(backend.asarray(x), axis=2, strata=1, **options)
    models = [backend.asarray(np.moveaxis(one, 0, 1)) for one in x]
    listed = rank_ci(models, axis=0, strata=1, **options)
    expected = rank_ci(x, strata=-2, **options)
    for result in (whole, listed):
        found = backend.to_numpy(result.probability)
        np.testing.assert_allclose(found, expected.probability, atol=1e-6)
        for limit, on_numpy in zip(
            result.confidence_interval, expected.confidence_interval, strict=True
        ):
            np.testing.assert_array_equal(backend.to_numpy(limit), on_numpy)


def test_ties_share_their_ranks():
    """Whole numbers, whose resamples are often tied; and two that are the same."""
    x = np.asarray([[1, 2, 2, 3], [2, 2, 2, 2], [2, 2, 1, 3], [9, 9, 8, 9]]) / 10.0
    result = rank_ci(x, n_resamples=N_RESAMPLES, rng=0)
    np.testing.assert_array_equal(result.rank, [2, 2, 2, 1])
    replicates = np.asarray(
        [
            np.round(resample(one[None], 1, k, 0).sum(axis=-1), 9)
            for k, one in enumerate(x)
        ]
    )
    np.testing.assert_allclose(
        result.probability, find_probabilities(replicates), atol=1e-12
    )
    # The same number, summed in other orders.
    flat = rank_ci([[0.1] * 3, [0.1] * 7, [0.2] * 6], n_resamples=9, rng=0)
    np.testing.assert_array_equal(flat.rank, [2, 2, 1])
    np.testing.assert_array_equal(flat.confidence_interval, [[1] * 3, [3] * 3])


def test_losses_are_turned():
    x = draw(5, 8) + np.arange(5)[:, None]
    turned = rank_ci(-x, n_resamples=60, rng=0, higher_is_better=False)
    for one, other in zip(rank_ci(x, n_resamples=60, rng=0), turned, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("exponent", [-60, 60])
def test_levels_and_scales_change_nothing(exponent):
    x = np.round(draw(4, 6) * 64.0)
    moved = (x + 2.0**20) * 2.0 ** (8 * exponent)
    results = [rank_ci(y, n_resamples=60, rng=0) for y in (x, moved)]
    for one, other in zip(*results, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_fault_of_one_model_leaves_no_rank():
    """A rank is among all models; only those of its batch entry are unknown."""
    x = draw(2, 4, 6)
    clean = rank_ci(x, n_resamples=40, rng=0)
    x[1, 2, 3] = np.nan
    found = rank_ci(x, n_resamples=40, rng=0)
    assert np.isnan(found.rank[1]).all()
    assert np.isnan(found.probability[1]).all()
    assert all(np.isnan(limit[1]).all() for limit in found.confidence_interval)
    np.testing.assert_array_equal(found.rank[0], clean.rank[0])


def test_resamples_that_do_not_vary_tell_nothing():
    """The median of 0, 0, 0, 0, 1 has an error, whatever resamples say."""
    x = np.asarray([[0.0] * 15 + [1.0], [0.5] * 15 + [1.0], [3.0] * 15 + [4.0]])
    low, high = rank_ci(x, statistic="median", n_resamples=99, rng=0)[1]
    np.testing.assert_array_equal(low, 1.0)
    np.testing.assert_array_equal(high, 3.0)


def test_each_model_has_a_stream_of_its_own():
    """Another model, and another number of its runs, changes no resample of others."""
    x = draw(3, 6)
    few = rank_ci(list(x[:2]), n_resamples=80, rng=4).probability
    low = [*x[:2], draw(9, seed=3) - 50.0]
    np.testing.assert_array_equal(
        rank_ci(low, n_resamples=80, rng=4).probability[:2, :2], few
    )
    names = {"a": x[0], "b": x[1]}
    by_name = rank_ci(names, n_resamples=80, rng=4).probability
    turned = {"c": low[2], "b": x[1], "a": x[0]}
    others = rank_ci(turned, n_resamples=80, rng=4).probability
    np.testing.assert_array_equal(others[[2, 1], :2], by_name)
    alike = rank_ci(np.stack([x[0], x[0]]), n_resamples=80, rng=4)
    assert alike.probability[0, 0] != 0.5  # the resamples of both are others
    np.testing.assert_array_equal(alike.rank, 1.0)


def test_near_ties_are_held():
    """Five runs of equal models; percentiles of ranks hold those of all in few sets."""
    held = [
        rank_ci(draw(40, 6, 5, seed=seed), n_resamples=99, rng=seed)
        for seed in range(3)
    ]
    low, high = (
        np.concatenate([x.confidence_interval[side] for x in held]) for side in (0, 1)
    )
    assert np.mean(((low == 1.0) & (high == 6.0)).all(axis=-1)) > 0.92


def test_axes_from_the_end_are_those_of_an_array_and_of_a_mapping():
    x = draw(3, 4, 5)
    options = {"n_resamples": 20, "rng": 0, "axis": -2, "strata": -1}
    of_array, of_list = rank_ci(x, **options), rank_ci([*x], **options)
    by_place = rank_ci(x, **options | {"axis": 1, "strata": 2})
    for found in (of_list, by_place):
        np.testing.assert_array_equal(found.probability, of_array.probability)
    # Of runs, models and tasks, of which no mapping has such axes.
    between = rank_ci(np.moveaxis(x, 0, 1), **options | {"axis": 0, "strata": 2})
    np.testing.assert_array_equal(between.probability, of_array.probability)


@pytest.mark.parametrize(
    ("axis", "strata", "advice"),
    [
        (0, 1, "axis=-2, strata=-1"),
        (1, 0, "axis=-1, strata=-2"),
        (-3, 1, "axis=-2, strata=-1"),
    ],
)
def test_tasks_are_not_taken_for_models(axis, strata, advice):
    """Axes as of a mapping would rank 26 tasks, by models taken for runs."""
    with pytest.raises(ValueError, match=f"last axis, 26 long, .* pass {advice}, as"):
        rank_ci(np.ones((4, 5, 26)), axis=axis, strata=strata, rng=0)


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ([[0.1, 0.2]], {}, "two or more models; got 1"),
        (
            np.ones(4),
            {},
            r"shape \(\.\.\., K, n\); got shape \(4,\)",
        ),
        (np.ones((3, 1)), {}, "two scores or more in a sample"),
        (
            {"a": np.ones((5, 26)), "b": np.ones((5, 26))},
            {"axis": 1, "strata": 2},
            "from -2 to 1; got 2. In a mapping or list, axes do not count that of the",
        ),
        (np.ones((3, 5, 4)), {"axis": 1, "strata": 3}, "from -3 to 2; got 3.$"),
        (np.ones((3, 1, 4)), {"axis": 1, "strata": 2}, "two scores or more in each"),
        (
            [np.ones((1, 3)), np.ones((4, 3))],
            {"strata": 0},
            "as many strata of each model; got 1, 4",
        ),
        (np.ones((3, 4)), {"statistic": "t"}, "one of 'mean', 'median', 'iqm'"),
    ],
)
def test_what_is_refused(scores, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        rank_ci(scores, rng=0, **options)
