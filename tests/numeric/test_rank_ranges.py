"""Wins of two samples and ranges of ranks: enumeration, simulation, normal limits."""

import math

import numpy as np
import pytest

from sigarray._backend.of_numpy import HOST
from sigarray._numeric import ranks
from sigarray._numeric.ranks import (
    OWN_WEIGHT,
    critical_range,
    critical_wins,
    net_wins,
    range_tail,
    variance_of_gap,
    win_tail,
)
from tests.oracles import enumerate_wins


class TestTwoSamples:
    @pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 3), (5, 5), (2, 6), (7, 4)])
    def test_tails_are_those_of_enumeration(self, n, m):
        for d, tail in enumerate_wins(n, m).items():
            if d >= 0:
                assert win_tail(n, m, d) == pytest.approx(float(tail), rel=1e-12)

    @pytest.mark.parametrize("level", [0.05, 0.025, 0.001, 0.4])
    def test_critical_wins_are_the_smallest_at_the_level(self, level):
        tails = enumerate_wins(5, 5)
        wanted = min((d for d, p in tails.items() if p <= level), default=math.inf)
        assert critical_wins(5, 5, level) == wanted

    def test_a_level_that_is_met_exactly_is_enough(self):
        assert critical_wins(3, 3, 1.0 - 0.95) == 9  # 1 / C(6, 3)
        assert critical_wins(3, 3, 0.0499) == math.inf

    def test_counts_of_many_scores_end_in_the_normal_limit(self):
        n = 390
        exact = win_tail(n, n, 20_001)
        deviation = math.sqrt(n * n * (2 * n + 1) / 3)
        z = (20_001 - 1) / deviation
        assert exact == pytest.approx(math.erfc(z / math.sqrt(2)) / 2, rel=2e-3)


class TestRanges:
    @pytest.mark.parametrize("k", [3, 10, 100])
    @pytest.mark.parametrize("level", [0.05, 1e-5])
    def test_normal_limit_is_the_studentized_range(self, k, level):
        stats = pytest.importorskip("scipy.stats")
        expected = stats.studentized_range.ppf(1 - level, k, np.inf)
        found = ranks.normal_range(k, level)
        assert found == pytest.approx(expected, rel=1e-5)

    @pytest.mark.long
    def test_variance_is_that_of_simulated_gaps(self):
        rng = np.random.default_rng(1)
        sizes = 4, 6, 5
        x = rng.random((200_000, sum(sizes)))
        a, b, c = np.split(x, np.cumsum(sizes)[:-1], axis=-1)
        gap = (
            2 * OWN_WEIGHT * net_wins(HOST, a, b) / (2 * 4 * 6)
            + net_wins(HOST, a, c) / (2 * 4 * 5)
            - net_wins(HOST, b, c) / (2 * 6 * 5)
        )
        expected = variance_of_gap(3, 1 / 4, 1 / 6, 1 / 5)
        # Of 200,000 draws: a relative error of 0.3 %.
        assert np.var(gap) == pytest.approx(expected, rel=0.015)

    @pytest.mark.parametrize(("k", "n"), [(3, 3), (4, 5), (6, 10)])
    def test_shipped_tails_are_those_of_a_simulation(self, k, n):
        """Each within five standard errors of 20,000 draws."""
        from benchmarks.rank_ranges import draw_gaps

        gaps = np.concatenate(
            [x for x, _ in draw_gaps(np.random.default_rng(2), k, n, 20_000)]
        )
        unit = 2 * n * n * math.sqrt(0.5 * variance_of_gap(k, 1 / n, 1 / n, 1 / n))
        for level in (0.2, 0.05, 0.01):
            x = critical_range(k, n, level)
            tail = float(np.mean(gaps / unit >= x))
            assert tail <= level + 5 * math.sqrt(level / len(gaps))
            assert range_tail(k, n, x) <= level
            # The next smaller gap is too likely, or one of those that were not kept.
            below = float(np.mean(gaps / unit >= x - 2.0 / unit))
            assert below >= 0.97 * level - 5 * math.sqrt(level / len(gaps))

    def test_normal_limit_is_larger_than_every_simulation(self):
        for (is_of_baseline, k, _), (values, tails) in ranks._tables().items():
            if is_of_baseline:
                continue
            for level in (0.05, 0.01, 0.002):
                place = np.searchsorted(-tails, -level)
                if place < len(values):
                    limit = ranks.normal_range(k, level)
                    # At most one more value of the lattice.
                    assert values[place] <= limit * 1.05 + 1e-9
