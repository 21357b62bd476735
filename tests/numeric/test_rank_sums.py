"""Gaps of ranks over tasks, against all orders of the models."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from sigarray._numeric.ranks import OWN_WEIGHT, gap_tail, range_bound


def list_gaps(k):
    """Count the gaps of models 0 and 1 on one task, over all orders of k models."""
    gaps = Counter()
    for ranks in itertools.permutations(range(k)):
        own = np.sign(ranks[1] - ranks[0])
        others = sum(
            np.sign(ranks[c] - ranks[0]) - np.sign(ranks[c] - ranks[1])
            for c in range(2, k)
        )
        gaps[int(OWN_WEIGHT * own + others // 2)] += 1
    return gaps


def add_up(gaps, n_tasks):
    total, number = Counter({0: Fraction(1)}), sum(gaps.values())
    for _ in range(n_tasks):
        following = Counter()
        for (x, p), (y, count) in itertools.product(total.items(), gaps.items()):
            following[x + y] += p * Fraction(count, number)
        total = following
    return total


@pytest.mark.parametrize(("k", "n_tasks"), [(2, 7), (3, 1), (3, 6), (4, 5), (5, 4)])
def test_tails_are_those_of_all_orders(k, n_tasks):
    total = add_up(list_gaps(k), n_tasks)
    for gap in range(1, max(total) + 2):
        expected = float(sum(p for x, p in total.items() if abs(x) >= gap))
        assert gap_tail(k, n_tasks, gap) == pytest.approx(expected, abs=1e-13)
        # Half a unit: by ties.
        assert gap_tail(k, n_tasks, gap - 0.5) == gap_tail(k, n_tasks, gap)
    assert gap_tail(k, n_tasks, 0.0) == gap_tail(k, n_tasks, -3.0) == 1.0


@pytest.mark.parametrize(("k", "n_tasks"), [(4, 8), (10, 12)])
def test_the_largest_gap_is_bounded(k, n_tasks):
    """By simulation: never above the bound, and not far below where it is small."""
    rng = np.random.default_rng(0)
    ranks = np.argsort(rng.random((10_000, n_tasks, k)), axis=-1)
    above = np.sign(ranks[..., :, None] - ranks[..., None, :]).sum(axis=1)
    of_gaps = np.arange(-1.0, n_tasks * (k + OWN_WEIGHT), 0.5)
    by_gap = range_bound(k, n_tasks, of_gaps).tolist()
    assert by_gap == [range_bound(k, n_tasks, gap) for gap in of_gaps.tolist()]
    assert by_gap[0] == 1.0
    assert by_gap[-1] == range_bound(k, n_tasks, math.inf) == 0.0
    gaps = OWN_WEIGHT * above
    gaps = gaps + 0.5 * (above.sum(-1)[:, :, None] - above.sum(-1)[:, None, :]) - above
    largest = np.sort(gaps.reshape(len(gaps), -1).max(axis=1))[::-1]
    for share in (0.05, 0.02):
        gap = largest[int(share * len(largest))]
        seen = np.mean(largest >= gap)
        bound = range_bound(k, n_tasks, gap)
        error = 4.0 * np.sqrt(seen / len(largest))
        assert seen - error <= bound <= 1.4 * (seen + error)
