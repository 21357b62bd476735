"""Middle ranks, places of ties, and wins of one sample over another."""

import numpy as np
import pytest
import scipy.stats

from sigarray._numeric.ranks import middle_ranks, net_wins, tie_bounds
from tests.backends import everywhere
from tests.oracles import count_wins


@pytest.mark.parametrize("levels", [1, 3, 1000])
def test_middle_ranks_are_scipys(backend, levels):
    x = np.random.default_rng(levels).integers(0, levels, (4, 31)) / 8.0
    found = middle_ranks(backend.library, backend.asarray(x), 0.0)
    # Counted from their middle, 16.
    expected = scipy.stats.rankdata(x, axis=-1) - 16.0
    np.testing.assert_array_equal(backend.to_numpy(found), expected)


def test_ranks_of_neighbours_within_the_tolerance_are_one(backend):
    x = backend.asarray([[0.0, 5.0, 1.0, 0.25, 4.75]])
    found = middle_ranks(backend.library, x, 0.25)
    np.testing.assert_array_equal(backend.to_numpy(found), [[-1.5, 1.5, 0, -1.5, 1.5]])


def test_bounds_of_ties_are_the_first_and_the_last(backend):
    x = np.array([[0.0, 0.0, 1.0, 2.0, 2.0, 2.0], [1.0, 2.0, 3.0, 4.0, 5.0, 5.0]])
    first, last = tie_bounds(backend.library, backend.asarray(x))
    for row, low, high in zip(x, *map(backend.to_numpy, (first, last)), strict=True):
        expected = [np.flatnonzero(row == value)[[0, -1]] for value in row]
        np.testing.assert_array_equal(np.stack([low, high], axis=-1), expected)


@everywhere
@pytest.mark.parametrize(("n", "m"), [(20, 13), (40, 26)])
def test_net_wins_are_counted(backend, n, m):
    """By pairs, and beyond 1024 of them by ranks."""
    rng = np.random.default_rng(0)
    a, b = (np.sort(rng.integers(-4, 5, (4, k)) / 4, axis=-1) for k in (n, m))
    # A zero is a zero.
    b = np.where(b == 0.0, -0.0, b)
    wins = [count_wins(x, y) for x, y in zip(a, b, strict=True)]
    found = net_wins(backend.library, *map(backend.asarray, (a, b)))
    np.testing.assert_array_equal(backend.to_numpy(found), wins)
