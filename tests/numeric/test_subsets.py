"""Subsets of a few scores, and all of their resamples: against listing them."""

import itertools
from collections import Counter

import pytest

from sigarray._numeric import subsets
from tests.backends import in_every_width


@in_every_width
@pytest.mark.parametrize("n", range(1, 7))
def test_enumeration_counts_ordered_resamples(backend, n):
    """Every multiset once, with the share of the n^n ordered resamples that give it."""
    ranks, weights = subsets.enumerate_resamples(backend.library, n)
    ranks, weights = backend.to_numpy(ranks), backend.to_numpy(weights)
    ordered = Counter(tuple(sorted(r)) for r in itertools.product(range(n), repeat=n))
    assert len(ordered) == subsets.count_resamples(n) == ranks.shape[1]
    for column, weight in zip(ranks.T, weights, strict=True):
        assert weight == pytest.approx(ordered.pop(tuple(column)) / n**n, rel=1e-6)
    assert not ordered
