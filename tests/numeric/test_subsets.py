"""Subsets of a few scores, and all of their resamples: against listing them."""

import itertools
import math
from collections import Counter

import pytest

from sigarray._numeric import subsets
from tests.backends import HERE, in_every_width
from tests.chosen import few_on_jax


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


@few_on_jax(
    "size, n",
    [(0, 4), (1, 5), (3, 7), (4, 9), (6, 6)],
    few=[(0, 4), (4, 9)],
    backends=HERE,
)
def test_subsets_are_all_in_the_order_of_their_largest_elements(backend, size, n):
    expected = sorted(itertools.combinations(range(n), size), key=lambda x: x[::-1])
    places = backend.library.arange(len(expected))
    found = subsets.subset_at(backend.library, places, size, n)
    found = [backend.to_numpy(x).tolist() for x in found]
    assert list(zip(*found, strict=True)) == expected if size else not found


def test_rows_of_binomials_are_pascals(backend):
    rows = subsets.binomial_rows(backend.library, size=6, count=9)
    for i, row in enumerate(rows):
        expected = [math.comb(i - 1 + j, i) if j else 0 for j in range(9)]
        assert backend.to_numpy(row).tolist() == expected
