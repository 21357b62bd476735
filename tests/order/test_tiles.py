"""Many models are compared tile by tile: the same numbers, whoever computes a tile."""

import itertools
import pickle
import random

import numpy as np
import pytest

from sigarray import multi_aso
from sigarray._backend.workers import Execution, executed_by
from tests.backends import require

OPTIONS = {"rng": 0, "n_resamples": 20, "method": "bootstrap", "correction": None}
# From 257 models on there are tiles, of three parts here.
MANY = 260


@pytest.fixture
def always_shared():
    """Short calls too."""
    with executed_by(Execution(least=0)):
        yield


def draw(sizes, *leading):
    rng = np.random.default_rng(0)
    return {f"m{k}": rng.normal(size=(*leading, n)) for k, n in enumerate(sizes)}


SCORES = {
    "one size": draw([5] * MANY),
    "batch": draw([5] * MANY, 2),
    "sizes": draw([5, *[4, 5, 5, 6] * 4, *[5] * (MANY - 9)]),
    "one of a size": draw([6, *[5] * MANY]),
    "grid": draw([100] * MANY),
}


@pytest.mark.long
@pytest.mark.parametrize("library", ["numpy", "torch"])
@pytest.mark.parametrize("name", SCORES)
def test_tiles_give_the_same(name, library):
    """As two thirds of the models, which have no tiles: of any two of three parts."""
    xp = require(library)
    scores = {x: xp.asarray(values) for x, values in SCORES[name].items()}
    options = OPTIONS | ({"dt": 0.02} if name == "grid" else {})
    whole, names = multi_aso(scores, **options), list(scores)
    parts = [range(k, len(names), 3) for k in range(3)]
    for places in itertools.combinations(parts, 2):
        chosen = sorted(itertools.chain(*places))
        some = multi_aso({names[k]: scores[names[k]] for k in chosen}, **options)
        for result, expected in zip(whole, some, strict=True):
            found = np.asarray(result)[..., chosen, :][..., chosen]
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-13)


@pytest.mark.long
def test_every_worker_gives_the_same_bits(always_shared):
    seen = []

    def shuffled(function, tasks):
        seen.append(len(tasks))
        results = [function(task) for task in tasks]
        return random.Random(0).sample(results, len(results))

    for name in ("one size", "batch", "sizes"):
        expected = multi_aso(SCORES[name], **OPTIONS)
        for who in (shuffled, map, 2, -1):
            for result, value in zip(
                multi_aso(SCORES[name], workers=who, **OPTIONS), expected, strict=True
            ):
                np.testing.assert_array_equal(result, value)
    # Three parts of the models: 3 + 3 tiles.
    assert seen[0] == 6


def test_a_fault_stays_in_its_model():
    scores = np.stack(list(SCORES["one size"].values()))
    scores[4, 2] = np.nan
    result = multi_aso(scores, **OPTIONS)
    is_faulty = np.isnan(result.standard_error)
    others = np.arange(MANY) != 4
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
