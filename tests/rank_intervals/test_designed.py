"""Ranks of models by sums, on the same items, of clusters, or with labels of strata.

The slow code takes the errors of pairs from `t_ci` and the draws from
`bootstrap_replicates`, each of which has slow code of its own.
"""

import itertools

import numpy as np
import pytest
import scipy.stats

from sigarray import bootstrap_replicates, corpus, of_sums, rank_ci, t_ci, t_test
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words, stream_seeds
from tests.rank_intervals.test_interval import (
    bound_slowly,
    find_probabilities,
    rank_slowly,
    reject_slowly,
    tell_apart_slowly,
)

F1 = of_sums(corpus.f1)
N_ITEMS, N_RESAMPLES = 24, 99
DRAWN = {"n_resamples": N_RESAMPLES, "rng": 5}
LABELS = np.arange(N_ITEMS) // 3


def draw_counts(n_models=4, n=N_ITEMS, seed=0):
    """Return counts (K, 3, n); each system is a little better than the one before."""
    rng = np.random.default_rng(seed)
    right = rng.binomial(12, np.linspace(0.5, 0.8, n_models)[:, None], (n_models, n))
    wrong = rng.binomial(4, 0.3, (n_models, n))
    return np.stack([right, wrong, 12 - right], axis=1).astype(float)


def check(result, observed, replicates, pairs):
    limits = bound_slowly(len(observed), pairs)
    np.testing.assert_array_equal(result.confidence_interval, limits)
    np.testing.assert_array_equal(result.rank, rank_slowly(observed)[0])
    expected = find_probabilities(replicates)
    np.testing.assert_allclose(result.probability, expected, atol=1e-12)


DESIGNS = {
    "items": {},
    "clusters": {"clusters": LABELS},
    "strata": {"strata": LABELS // 4},
    "clusters in strata": {"clusters": LABELS, "strata": LABELS // 4},
}


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("statistic", ["mean", F1])
def test_models_that_share_their_items(design, statistic):
    by, counts = DESIGNS[design], draw_counts()
    x = counts[:, 0, :] + counts[:1, 1, :] if statistic == "mean" else counts
    result = rank_ci(x, paired=True, statistic=statistic, **by, **DRAWN)
    by = by | {"statistic": statistic}
    observed = np.asarray([t_ci(y, **by).statistic for y in x])
    # All are drawn together: with one seed, each by itself.
    replicates = np.asarray(
        [bootstrap_replicates(y, start=0, count=N_RESAMPLES, rng=5, **by) for y in x]
    )
    error, p_values = {}, {}
    for i, j in itertools.permutations(range(len(x)), 2):
        pair = {"paired": True, **by}
        error[i, j] = float(t_ci(x[i], x[j], **pair).standard_error)
        p = t_test(x[i], x[j], alternative="greater", **pair).pvalue
        p_values[i, j] = float(p)
    pairs = reject_slowly(error, p_values, replicates - observed[:, None], 0.05)
    assert 0 < len(pairs) < 6
    check(result, observed, replicates, pairs)


@pytest.mark.parametrize("design", ["items", "clusters", "strata"])
def test_models_with_items_of_their_own(design):
    sizes = [24, 18, 24]
    models = [draw_counts(n=n, seed=k)[k + 1] for k, n in enumerate(sizes)]
    every = [
        {name: y[: len(x[0])] for name, y in DESIGNS[design].items()} for x in models
    ]
    names = list(every[0])
    result = rank_ci(
        {f"m{k}": tuple(x) for k, x in enumerate(models)},
        statistic=F1,
        **{x: {f"m{k}": by[x] for k, by in enumerate(every)} for x in names},
        **DRAWN,
    )
    numbers = rank_ci([*models], statistic=F1, **DRAWN | listed(every, names))
    np.testing.assert_array_equal(result.rank, numbers.rank)
    low, high = stream_seeds(HOST, seed_words(HOST, 5), range(3))
    observed, errors, dfs, replicates = [], [], [], []
    for k, (x, by) in enumerate(zip(models, every, strict=True)):
        of_all = t_ci(x, statistic=F1, **by)
        observed.append(float(of_all.statistic))
        errors.append(float(of_all.standard_error))
        half = float(of_all.confidence_interval.high) - observed[-1]
        dfs.append(find_df(half / errors[-1]))
        seed = int(low[k, 0]) + (int(high[k, 0]) << 32)
        replicates.append(
            bootstrap_replicates(
                x, statistic=F1, start=0, count=N_RESAMPLES, rng=seed, **by
            )
        )
    of_each = map(np.asarray, (observed, errors, dfs, replicates))
    observed, errors, dfs, replicates = of_each
    pairs = tell_apart_slowly(observed, errors, dfs, replicates, 0.05)
    check(numbers, observed, replicates, pairs)


def listed(every, names):
    return {name: [by[name] for by in every] for name in names}


def find_df(quantile):
    """Return the degrees of freedom whose t has this quantile at 0.975."""
    low, high = 1.0, 1e6
    for _ in range(100):
        df = np.sqrt(low * high)
        low, high = (df, high) if scipy.stats.t.isf(0.025, df) > quantile else (low, df)
    return df


def test_one_array_or_a_list(backend):
    counts = draw_counts()
    options = {"statistic": F1, "paired": True, **DRAWN}
    whole = rank_ci(backend.asarray(counts), **options)
    parts = [tuple(map(backend.asarray, x)) for x in counts]
    for found in (whole, rank_ci(parts, **options)):
        expected = rank_ci(counts, **options)
        np.testing.assert_array_equal(backend.to_numpy(found.rank), expected.rank)
        np.testing.assert_allclose(
            backend.to_numpy(found.probability), expected.probability, atol=1e-6
        )


@pytest.mark.parametrize("statistic", ["median", "iqm", np.std])
def test_other_statistics_of_the_same_items(statistic):
    """Items that vary much more than models are no error of their differences."""
    rng = np.random.default_rng(0)
    x = 0.9 * np.arange(3)[:, None] + rng.normal(0.0, 0.3, (3, 60))
    x = np.where(statistic is np.std, (1 + np.arange(3))[:, None], 1.0) * x
    x = x + rng.normal(0.0, 2.0, 60) * (statistic is not np.std)
    low, high = rank_ci(x, statistic=statistic, paired=True, **DRAWN)[1]
    np.testing.assert_array_equal([low, high], [[3, 2, 1]] * 2)


def test_ragged_runs_of_tasks_have_labels():
    rng = np.random.default_rng(0)
    strata = {"a": np.repeat(range(6), 3), "b": np.repeat(range(6), [3, 4, 3, 4, 3, 5])}
    scores = {
        name: x + rng.normal(2.0 * (name == "b"), 0.5, len(x))
        for name, x in strata.items()
    }
    for statistic in ("mean", "iqm"):
        with pytest.warns(UserWarning, match="unlike shares"):
            result = rank_ci(scores, strata=strata, statistic=statistic, **DRAWN)
        np.testing.assert_array_equal(result.confidence_interval, [[2, 1]] * 2)


@pytest.mark.parametrize(
    ("scores", "options", "message"),
    [
        ([[3.0, 1.0, 2.0], [1.0, 2.0]], {"paired": True}, "the same items; got 3, 2"),
        (
            {"x": [3.0, 1.0, 2.0], "y": [1.0, 2.0]},
            {"paired": True},
            "the same items; got 3 of 'x', 2 of 'y'",
        ),
        (np.ones((3, 4)), {"statistic": F1}, r"shape \(\.\.\., K, d, n\)"),
        (np.ones((3, 4)), {"clusters": [[0, 1, 0, 1]]}, "3 arrays, or one array"),
        ([[1.0, 2.0]] * 2, {"clusters": {"a": [0, 1]}}, "the names of the models"),
        (
            np.ones((3, 4)),
            {"clusters": [0, 0, 1, 1], "statistic": "iqm"},
            "with clusters, for resamples of clusters are of other sizes",
        ),
        (np.ones((3, 4)), {"strata": [0, 1, 1, 1]}, "two scores or more in each"),
        (
            [np.ones(4), np.ones(4)],
            {"strata": [[0, 0, 1, 1], [0, 0, 2, 2]]},
            "the same strata of A and of B",
        ),
    ],
)
def test_what_is_refused(scores, options, message):
    with pytest.raises(ValueError, match=message):
        rank_ci(scores, **DRAWN | options)
