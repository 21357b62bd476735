"""Order statistics of scores that are not held: those of a sort."""

import itertools

import numpy as np
import pytest

from sigarray import order_statistics
from sigarray._backend.workers import Execution, executed_by
from sigarray._numeric.selection import Room, Sample
from tests.backends import whole_suite
from tests.numeric.chunks import KINDS, ROOMS, draw


@pytest.mark.parametrize("room", ROOMS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", KINDS)
def test_order_statistics_are_those_of_a_sort(kind, dtype, room):
    scores = draw(kind, 1003).astype(dtype)
    for ranks in (np.arange(1003), np.array([0, 3, 500, 501, 1002])):
        found = Sample(scores, room=ROOMS[room]._replace(part=400)).find(ranks)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, np.sort(scores)[ranks])


def test_ranks_have_any_order_and_shape():
    scores = draw("normal", 200_000)  # in several blocks
    ranks = np.random.default_rng(1).integers(0, 200_000, (9, 4))
    found = order_statistics(scores, ranks)
    np.testing.assert_array_equal(found, np.sort(scores)[ranks])


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("kind", ["normal", "losses", "close together"])
def test_moments_are_joined_from_parts(kind, sign):
    scores = draw(kind, 1003)
    found = Sample(scores, sign=sign, room=Room(part=100)).describe()
    expected = sign * scores.mean(), scores.std(ddof=1)
    assert found == pytest.approx(expected, rel=1e-9)


def test_order_statistics_of_what_is_not_finite():
    scores = np.r_[np.inf, draw("normal", 50), -np.inf, -np.inf]
    np.testing.assert_array_equal(
        order_statistics(scores, [0, 1, 2, 52]), np.sort(scores)[[0, 1, 2, 52]]
    )
    for place, sign in itertools.product((0, 20), (1.0, -1.0)):
        faulty = draw("normal", 50)
        faulty[place] = np.copysign(np.nan, sign)
        assert np.isnan(order_statistics(faulty, [0, 49])).all()
    assert order_statistics(scores, np.zeros((0,), dtype=int)).shape == (0,)
    assert order_statistics(scores, 0) == -np.inf


@pytest.mark.long
@whole_suite
def test_processes_read_their_parts(tmp_path):
    loky = pytest.importorskip("loky")
    x = draw("normal", 10**6)
    np.save(tmp_path / "x.npy", x)
    with loky.get_reusable_executor(2) as executor:
        sample = Sample(tmp_path / "x.npy", room=Room(part=10**5))
        with executed_by(Execution(workers=executor.map)):
            found = sample.find(np.array([5, 10**5, 10**6 - 1]))
    np.testing.assert_array_equal(found, np.sort(x)[[5, 10**5, -1]])
