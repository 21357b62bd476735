"""Many models are compared tile by tile: the same numbers, whoever computes a tile."""

import pickle
import random

import numpy as np
import pytest

from sigarray import multi_aso
from sigarray._backend.workers import Execution, executed_by
from sigarray._order import tiles
from tests.backends import require

OPTIONS = {"rng": 0, "n_resamples": 70, "method": "bootstrap"}


@pytest.fixture
def small_tiles(monkeypatch):
    monkeypatch.setattr(tiles, "_SIDE", 3)
    monkeypatch.setattr(tiles, "_MIN_MODELS", 4)


@pytest.fixture
def always_shared():
    """Short calls too."""
    with executed_by(Execution(least=0)):
        yield


def draw(sizes, *leading):
    rng = np.random.default_rng(0)
    return [rng.normal(size=(*leading, n)) for n in sizes]


SCORES = {
    "one size": np.stack(draw([9] * 8)),
    "batch": np.stack(draw([9] * 7, 2), axis=-2),
    "sizes": draw([9, 7, 9, 7, 9, 9, 7, 5, 9, 7, 9]),
    "one of a size": draw([6, *[9] * 10]),
    "grid": np.stack(draw([300] * 5)),
}


@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("name", SCORES)
def test_tiles_give_the_same(name, library, monkeypatch):
    xp, scores = require(library), SCORES[name]
    if isinstance(scores, list):
        scores = [xp.asarray(x) for x in scores]
    else:
        scores = xp.asarray(scores)
    options = OPTIONS | ({"dt": 0.01} if name == "grid" else {})
    expected = multi_aso(scores, **options)
    monkeypatch.setattr(tiles, "_SIDE", 3)
    monkeypatch.setattr(tiles, "_MIN_MODELS", 4)
    for result, value in zip(multi_aso(scores, **options), expected, strict=True):
        np.testing.assert_allclose(result, value, rtol=1e-12, atol=1e-13)


def test_every_worker_gives_the_same_bits(small_tiles, always_shared):
    seen = []

    def shuffled(function, tasks):
        seen.append(len(tasks))
        results = [function(task) for task in tasks]
        return random.Random(0).sample(results, len(results))

    for scores in SCORES.values():
        expected = multi_aso(scores, **OPTIONS)
        for who in (shuffled, map, 1, 2, -1):
            for result, value in zip(
                multi_aso(scores, workers=who, **OPTIONS), expected, strict=True
            ):
                np.testing.assert_array_equal(result, value)
    # Three parts of eight models: 3 + 3 tiles.
    assert seen[0] == 6


def test_a_fault_stays_in_its_model(small_tiles):
    scores = SCORES["one size"].copy()
    scores[4, 2] = np.nan
    result = multi_aso(scores, **OPTIONS)
    is_faulty = np.isnan(result.standard_error)
    others = np.arange(8) != 4
    assert not is_faulty[np.ix_(others, others)].any()
    assert is_faulty[4, others].all()
    assert is_faulty[others, 4].all()


def test_what_is_sent_is_small(always_shared):
    cloudpickle = pytest.importorskip("cloudpickle")
    scores = np.random.default_rng(0).normal(size=(300, 20))
    sizes = []

    def apply(function, tasks):
        for task in tasks:
            sent = cloudpickle.dumps((function, task))
            sizes.append(len(sent))
            own, item = pickle.loads(sent)
            yield own(item)

    result = multi_aso(scores, rng=0, n_resamples=4, workers=apply)
    assert len(sizes) == 6
    assert max(sizes) < 100_000
    again = multi_aso(scores, rng=0, n_resamples=4)
    np.testing.assert_array_equal(result.standard_error, again.standard_error)
