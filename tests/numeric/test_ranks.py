"""Ranks among two samples, and wins of one over the other."""

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._numeric.ranks import net_wins
from tests.oracles import count_wins


def test_net_wins_are_the_same_by_both_ways(monkeypatch):
    rng = np.random.default_rng(0)
    a, b = (np.sort(rng.integers(-4, 5, (4, n)) / 4, axis=-1) for n in (20, 13))
    # A zero is a zero.
    b = np.where(b == 0.0, -0.0, b)
    wins = [count_wins(x, y) for x, y in zip(a, b, strict=True)]
    np.testing.assert_array_equal(net_wins(HOST, a, b), wins)
    monkeypatch.setattr("sigarray._numeric.ranks._MAX_COMPARED", 0)
    np.testing.assert_array_equal(net_wins(HOST, a, b), wins)
