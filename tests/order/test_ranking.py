"""Who beats whom: an order, and the sets of models that nothing tells apart."""

import itertools

import numpy as np
import pytest

from sigarray import multi_aso, ranking
from sigarray.results import PairwiseAsoResult
from tests.backends import require


def result_of(eps_min, ratio=None):
    ratio = np.full_like(eps_min, 0.5) if ratio is None else ratio
    rest = [np.full_like(eps_min, x) for x in (0.0, 0.5, 1.0)]
    return PairwiseAsoResult(eps_min, ratio, *rest)


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_all_largest_sets_without_a_decision(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    eps_min = rng.uniform(size=(n, n)) ** rng.uniform(0.2, 1.0)
    np.fill_diagonal(eps_min, 1.0)
    found = ranking(result_of(eps_min), 0.4)
    beats = {(i, j) for i in range(n) for j in range(n) if eps_min[i, j] < 0.4}
    assert {(i, j) for i, own in zip(*found[:2], strict=True) for j in own} == beats
    n_beaten = [len(own) for own in found.beats]
    assert n_beaten == sorted(n_beaten, reverse=True)
    sets = [
        group
        for k in range(1, n + 1)
        for group in itertools.combinations(found.order, k)
        if not any(
            {(x, y), (y, x)} & beats for x, y in itertools.combinations(group, 2)
        )
    ]
    largest = [x for x in sets if not any(set(x) < set(other) for other in sets)]
    largest.sort(key=lambda group: [found.order.index(x) for x in group])
    assert list(found.groups) == largest


def test_too_many_groups_still_hold_every_pair():
    """3^12 groups, of 12 triples in each of which one is to be chosen."""
    n = 36
    triples = np.arange(n) // 3
    eps_min = np.ones((n, n))
    eps_min[(triples[:, None] == triples) & (np.arange(n)[:, None] < np.arange(n))] = (
        0.0
    )
    found = ranking(result_of(eps_min))
    assert len(found.groups) <= n * (n - 1) / 2
    assert len(set(found.groups)) == len(found.groups)
    shared = {x for group in found.groups for x in itertools.combinations(group, 2)}
    assert {frozenset(x) for x in shared} == {
        frozenset((i, j))
        for i, j in itertools.combinations(range(n), 2)
        if triples[i] != triples[j]
    }
    for group in found.groups:
        assert len(group) == 12


@pytest.mark.parametrize("library", ["numpy", "torch", "jax.numpy", "cupy"])
def test_models_of_every_library(library):
    """Of models that were shifted apart, each beats those below, by rows and losses."""
    rng = np.random.default_rng(0)
    levels = np.asarray([8.0, 0.0, 4.0, 4.0, 12.0])
    scores = require(library).asarray(rng.normal(size=(5, 30)) + levels[:, None])
    options = {"rng": 0, "n_resamples": 100}
    found = ranking(multi_aso(scores, **options), names=list("abcde"))
    assert found.order[:2] == ("e", "a")
    assert set(found.order[2:4]) == {"c", "d"}
    assert found.beats[0] == found.order[1:]
    assert found.groups == (("e",), ("a",), found.order[2:4], ("b",))
    losses = ranking(multi_aso(scores, higher_is_better=False, **options))
    assert losses.order[0] == 1
    assert losses.groups[0] == (1,)


def test_ties_keep_their_order_and_the_ratio_decides():
    eps_min = np.ones((3, 3))
    assert ranking(result_of(eps_min)).order == (0, 1, 2)
    ratio = np.asarray([[0.5, 0.6, 0.7], [0.4, 0.5, 0.6], [0.3, 0.4, 0.5]])
    found = ranking(result_of(eps_min, ratio))
    assert found.order == (2, 1, 0)
    assert found.groups == ((2, 1, 0),)


def test_impossible_results():
    eps_min = np.ones((3, 3))
    with pytest.raises(
        TypeError, match=r"Expected the result of multi_aso; got .*ndarray"
    ):
        ranking(eps_min)
    with pytest.raises(ValueError, match=r"one batch entry, of shape \(K, K\)"):
        ranking(result_of(np.ones((2, 3, 3))))
    for names in (["a", "b"], ["a", "a", "b"]):
        with pytest.raises(ValueError, match="Expected 3 names that differ"):
            ranking(result_of(eps_min), names=names)
    with pytest.raises(TypeError, match="a sequence of 3 names; got str"):
        ranking(result_of(eps_min), names="abc")
    with pytest.raises(ValueError, match="threshold"):
        ranking(result_of(eps_min), 1.5)
    with pytest.raises(ValueError, match=r"threshold to be in \(0, 0\.5\]; got 0\.6"):
        ranking(result_of(eps_min), 0.6)
    eps_min[1, [0, 2]] = eps_min[[0, 2], 1] = np.nan
    with pytest.raises(ValueError, match=r"got NaN for \['y'\]. Leave them out"):
        ranking(result_of(eps_min), names=["x", "y", "z"])


def test_traced_results():
    jax = require("jax")
    with pytest.raises(TypeError, match="traced"):
        jax.jit(lambda x: ranking(result_of(x, x)).order)(np.ones((3, 3)))
