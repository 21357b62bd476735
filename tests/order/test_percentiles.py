"""Bounds of the violation ratio by percentiles of its replicates."""

from fractions import Fraction

import numpy as np
import pytest

from sigarray._backend.of_numpy import HOST
from sigarray._order.errors import count_beyond, find_tails


@pytest.mark.parametrize("level", ["0.05", "0.025", "0.01"])
@pytest.mark.parametrize("n", [1999, 2000, 2398, 2999, 5999])
def test_as_many_are_beyond_as_the_level_allows(n, level):
    """Of n replicates and another one, k or fewer are beyond in k / (n + 1)."""
    count = count_beyond(float(level), n)
    assert Fraction(count, n + 1) <= Fraction(level) or count == 20
    assert Fraction(count + 1, n + 1) > Fraction(level)
    below, above = find_tails(HOST, np.arange(n)[::-1], float(level))
    assert (below, above) == (count - 1, n - count)


def test_few_replicates_have_twenty_beyond_or_all():
    counts = {n: count_beyond(0.05, n) for n in (7, 20, 100, 418, 419)}
    assert counts == {7: 7, 20: 20, 100: 20, 418: 20, 419: 21}
