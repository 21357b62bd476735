"""The optimality gap, against its definition."""

import pickle

import numpy as np
import pytest

from sigarray import bootstrap_ci, bootstrap_replicates, corpus, rank_ci
from tests.backends import everywhere, require


def draw(*shape, seed=0):
    """Scores of runs and tasks, some of them above the level."""
    x = np.random.default_rng(seed).uniform(size=shape) * 2.0
    return x.astype(np.float32).astype(float)


@everywhere
def test_it_is_how_far_scores_are_below_the_level(backend):
    x = draw(5, 26)
    for gamma in (1.0, 0.3):
        gap = corpus.optimality_gap(gamma=gamma)
        scores = backend.asarray(x)
        with backend.no_transfers():
            found = gap(scores, axis=0)
        expected = [sum(max(gamma - score, 0.0) for score in task) / 5 for task in x.T]
        np.testing.assert_allclose(backend.to_numpy(found), expected, atol=1e-6)
    assert corpus.optimality_gap()([0.5, 2.0]) == 0.25
    assert np.isnan(corpus.optimality_gap()([0.5, np.nan]))


def test_its_intervals_are_those_of_the_mean_of_gaps():
    x = draw(5, 26)
    options = {"axis": 0, "strata": 1, "rng": 0, "n_resamples": 99}
    gap = corpus.optimality_gap(gamma=0.8)
    found = bootstrap_ci(x, statistic=gap, method="percentile", **options)
    gaps = np.maximum(0.8 - x, 0.0)
    expected = bootstrap_ci(gaps, method="percentile", **options)
    np.testing.assert_allclose(found.statistic, expected.statistic)
    np.testing.assert_allclose(found.confidence_interval, expected.confidence_interval)


def test_models_are_ranked_by_it():
    """The one with the smallest gap first, though its mean is the lowest."""
    models = [[0.9, 0.8, 0.9], [0.2, 3.0, 0.3]]
    by_gap = rank_ci(
        models, statistic=corpus.optimality_gap(), higher_is_better=False, rng=0
    )
    np.testing.assert_array_equal(by_gap.rank, [1, 2])
    np.testing.assert_array_equal(rank_ci(models, rng=0).rank, [2, 1])


def test_one_level_is_one_statistic():
    gap = corpus.optimality_gap(gamma=0.5)
    assert gap == corpus.optimality_gap(gamma=0.5) != corpus.optimality_gap()
    assert len({gap, corpus.optimality_gap(gamma=0.5)}) == 1
    assert pickle.loads(pickle.dumps(gap)) == gap


def test_jax_compiles_it_once():
    jax = require("jax")
    x = jax.numpy.asarray(draw(4, 6))

    def call():
        gap = corpus.optimality_gap(gamma=0.7)
        return bootstrap_replicates(x, start=0, count=9, rng=0, statistic=gap)

    first = call()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jax._src.compiler, "compile_or_get_cached", None)
        np.testing.assert_array_equal(call(), first)


@pytest.mark.parametrize("gamma", ["1", None, np.nan])
def test_levels_are_numbers(gamma):
    with pytest.raises((TypeError, ValueError), match="gamma to be a finite number"):
        corpus.optimality_gap(gamma=gamma)
    with pytest.raises(TypeError, match=r"called as statistic\(x, axis=-1\); got opt"):
        bootstrap_ci([0.1, 0.2, 0.3], statistic=corpus.optimality_gap)
