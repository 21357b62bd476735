"""Models of unlike levels and sizes, and those whose runs are all the same."""

from fractions import Fraction

import numpy as np
import pytest

from sigarray import rank_ci, t_test
from tests.rank_intervals.test_interval import bound_slowly, draw, tell_apart_slowly

LOSSES = np.asarray([20.1, 20.4, 20.2, 20.3, 20.2])


@pytest.mark.parametrize(
    ("dtype", "diverged"),
    [(np.float32, 1e7), (np.float32, 1e30), (float, 1e16), (float, 1e200)],
)
@pytest.mark.parametrize("statistic", ["mean", "median", "iqm", np.median])
def test_a_diverged_run_leaves_the_ranks_of_others(dtype, diverged, statistic):
    models = {"a": LOSSES, "b": LOSSES + 5.0, "d": LOSSES + 9.0}
    models = {name: x.astype(dtype) for name, x in models.items()}
    models["d"][2] = diverged
    result = rank_ci(
        models, statistic=statistic, higher_is_better=False, n_resamples=199, rng=0
    )
    np.testing.assert_array_equal(result.rank, [1, 2, 3])
    np.testing.assert_array_equal(result.confidence_interval, [[1, 2, 1], [2, 3, 3]])


def test_means_are_as_near_as_exact_ones():
    """Means that a common level would make ties, beside a model far away."""
    rng = np.random.default_rng(0)
    near = (rng.normal(size=(6, 9)) * 1e-3 + 0.5).astype(np.float32)
    models = [*near, np.full(9, 1e9, np.float32) + rng.normal(size=9) * 1e6]
    models = [x.astype(np.float32) for x in models]
    means = [sum(Fraction(float(y)) for y in x) / len(x) for x in models]
    expected = [1 + sum(y > x for y in means) for x in means]
    result = rank_ci(models, n_resamples=19, rng=0)
    np.testing.assert_array_equal(result.rank, expected)


@pytest.mark.parametrize("statistic", ["mean", "median", "iqm"])
@pytest.mark.parametrize("higher_is_better", [True, False])
def test_sizes_beyond_the_squares_of_floats(statistic, higher_is_better):
    """Scores whose squares overflow or vanish have the ranks of others like them."""
    x = draw(4, 8) + 3.0 * np.arange(4)[:, None]
    options = {
        "statistic": statistic,
        "higher_is_better": higher_is_better,
        "n_resamples": 99,
        "rng": 0,
    }
    expected = rank_ci(list(x), **options)
    for power in (2.0**100, 2.0**-100):
        scaled = list((x * power).astype(np.float32))
        result = rank_ci(scaled, **options)
        np.testing.assert_array_equal(
            result.confidence_interval, expected.confidence_interval
        )
        both = [*scaled, *x.astype(np.float32)]
        rank = rank_ci(both, **options).rank
        for part in (slice(4), slice(4, 8)):
            order = np.argsort(rank[part])
            np.testing.assert_array_equal(order, np.argsort(expected.rank))


def test_a_pair_without_errors_is_unknown():
    """As it is to `t_test`: few scores that are the same may differ in the next run."""
    x = [[0.5, 0.5], [0.4, 0.4], [0.1 + 0.2, 0.3]]
    result = rank_ci(x, n_resamples=19, rng=0)
    np.testing.assert_array_equal(result.rank, [1, 2, 3])
    np.testing.assert_array_equal(result.confidence_interval, [[1] * 3, [3] * 3])
    assert np.isnan(t_test(x[0], x[1]).pvalue)
    same = rank_ci([[0.3, 0.3], [0.1 + 0.2, 0.3]], n_resamples=19, rng=0)
    np.testing.assert_array_equal(same.rank, 1.0)
    # Tasks that differ, of which each has the same score in each run.
    tasks = np.repeat(draw(3, 26, 1), 3, axis=-1) / 10.0
    tasks[..., 1] = np.nextafter(tasks[..., 1], 9.0)  # by rounding
    of_tasks = rank_ci(tasks, strata=1, n_resamples=19, rng=0)
    np.testing.assert_array_equal(of_tasks.confidence_interval, [[1] * 3, [3] * 3])


@pytest.mark.parametrize("gap", [0.0, 0.05, 0.3, 2.0])
def test_one_model_without_an_error_has_the_other_one(gap):
    """Welch's t with the degrees of freedom of the model that varies."""
    varied = np.asarray([0.1, 0.15, 0.12, 0.13, 0.11, 0.14])
    flat = np.full(4, 0.125 + gap)
    alpha = 0.05
    result = rank_ci([varied, flat], n_resamples=9, rng=0)
    pvalue = t_test(flat, varied, alternative="greater").pvalue
    errors = np.asarray([varied.std(ddof=1) / 6**0.5, 0.0])
    observed = np.asarray([varied.mean(), flat[0]])
    shifts = np.repeat(observed[:, None], 9, axis=1)
    pairs = tell_apart_slowly(observed, errors, np.asarray([5, 3]), shifts, alpha)
    assert bool(pairs) is bool(pvalue <= alpha / 2.0)
    np.testing.assert_array_equal(result.confidence_interval, bound_slowly(2, pairs))


def test_rounded_scores_of_two_runs_hold_ranks():
    """Of equal models, scores with two decimals are often the same in both runs."""
    rng = np.random.default_rng(0)
    for spread in (0.005, 0.01):
        x = np.round(rng.normal(0.5, spread, (150, 5, 2)), 2)
        low, high = rank_ci(x, n_resamples=39, rng=0).confidence_interval
        assert np.mean(((low == 1.0) & (high == 5.0)).all(axis=-1)) >= 0.94
