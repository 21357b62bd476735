"""Tests of equality: against enumeration, and against all sets of models, listed."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from sigarray import aso, mann_whitney_u, multi_aso
from sigarray._backend.of_numpy import HOST
from sigarray._numeric import rank_ranges
from sigarray._numeric.rank_ranges import (
    OWN_WEIGHT,
    critical_range,
    critical_wins,
    range_tail,
    variance_of_gap,
    win_tail,
)
from sigarray._numeric.ranks import net_wins
from sigarray._order.closed import _in_order
from sigarray._order.comparison import compare_pairs
from sigarray._order.equality import find_equality
from sigarray._order.families import (
    Family,
    adjust_for_set,
    can_decide,
    curve_of_wins,
    family_of,
    level_of_set,
    needed_size,
)
from tests.oracles import p_of_means


def count_wins(a, b):
    return int(np.sum(np.sign(np.subtract.outer(np.asarray(a), np.asarray(b)))))


def enumerate_wins(n, m):
    """Return P(D >= d) of every d, by all ways to choose the ranks of A."""
    found = {}
    for chosen in itertools.combinations(range(n + m), n):
        others = [x for x in range(n + m) if x not in chosen]
        d = count_wins(chosen, others)
        found[d] = found.get(d, 0) + 1
    total = math.comb(n + m, n)
    return {
        d: Fraction(sum(c for e, c in found.items() if e >= d), total) for d in found
    }


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

    def test_curves_go_through_every_value_of_few_scores(self):
        curve = curve_of_wins(5, 5, Family("one-sided", 0.05))
        for d, tail in enumerate_wins(5, 5).items():
            if d > 0:
                assert float(curve(HOST, np.float64(d))) == pytest.approx(float(tail))

    @pytest.mark.parametrize(("n", "m"), [(8, 7), (9, 9), (20, 12), (5, 50), (50, 50)])
    def test_curves_are_near_to_every_value_of_many_scores(self, n, m):
        """As docs/mathematics says of p-values that are fitted."""
        curve = curve_of_wins(n, m, Family("one-sided", 0.05))
        for d in range(2 - n * m % 2, n * m + 1, 2):
            tail = float(win_tail(n, m, d))
            if tail < 1e-8:
                break
            near = 0.02 if tail >= 0.01 else 0.04
            assert float(curve(HOST, np.float64(d))) == pytest.approx(tail, rel=near)

    def test_net_wins_are_the_same_by_both_ways(self, monkeypatch):
        rng = np.random.default_rng(0)
        a, b = (np.sort(rng.integers(-4, 5, (4, n)) / 4, axis=-1) for n in (20, 13))
        # A zero is a zero.
        b = np.where(b == 0.0, -0.0, b)
        wins = [count_wins(x, y) for x, y in zip(a, b, strict=True)]
        np.testing.assert_array_equal(net_wins(HOST, a, b), wins)
        monkeypatch.setattr("sigarray._numeric.ranks._MAX_COMPARED", 0)
        np.testing.assert_array_equal(net_wins(HOST, a, b), wins)


class TestRanges:
    @pytest.mark.parametrize("k", [3, 10, 100])
    @pytest.mark.parametrize("level", [0.05, 1e-5])
    def test_normal_limit_is_the_studentized_range(self, k, level):
        stats = pytest.importorskip("scipy.stats")
        expected = stats.studentized_range.ppf(1 - level, k, np.inf)
        found = rank_ranges._normal_range(k, level)
        assert found == pytest.approx(expected, rel=1e-5)

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
        for (is_of_baseline, k, _), (values, tails) in rank_ranges._tables().items():
            if is_of_baseline:
                continue
            for level in (0.05, 0.01, 0.002):
                place = np.searchsorted(-tails, -level)
                if place < len(values):
                    limit = rank_ranges._normal_range(k, level)
                    # At most one more value of the lattice.
                    assert values[place] <= limit * 1.05 + 1e-9


def list_claims(samples, level, *, looks_at_all=True):
    """Return who is told apart, by listing every set of models: the step-down test.

    Of sets in which all pairs are open, or only those with the two that are compared.
    """
    k_models = len(samples)
    n = len(samples[0])
    wins = np.asarray([[count_wins(x, y) for y in samples] for x in samples])
    part = 1.0 / n
    open_pairs = set(itertools.combinations(range(k_models), 2))

    def is_rejected(members, i, j):
        k = len(members)
        own_level = level_of_set(k, k_models, level)
        if k == 2:
            p = (k_models - 1) * p_of_means(samples[i], samples[j])
            is_won = abs(wins[i, j]) >= critical_wins(n, n, own_level / 2)
            return is_won and p <= level
        others = [c for c in members if c not in (i, j)]
        gap = 2 * OWN_WEIGHT * wins[i, j] + sum(wins[i, c] - wins[j, c] for c in others)
        unit = 2 * n * n * math.sqrt(0.5 * variance_of_gap(k, part, part, part))
        gap = gap if wins[i, j] > 0 else -gap
        return gap / unit >= critical_range(k, n, own_level)

    def list_sets(i, j):
        rest = [c for c in range(k_models) if c not in (i, j)]
        for size in range(len(rest) + 1):
            for others in itertools.combinations(rest, size):
                members = tuple(sorted((i, j, *others)))
                pairs = itertools.combinations(members, 2)
                if all(
                    p in open_pairs for p in pairs if looks_at_all or {i, j} & set(p)
                ):
                    yield members

    claims = set()
    while True:
        new = {
            (i, j)
            for i, j in open_pairs
            if all(is_rejected(members, i, j) for members in list_sets(i, j))
        }
        if not new:
            return claims
        claims |= new
        open_pairs -= new


class TestClosedTest:
    @pytest.mark.parametrize(("k", "n"), [(3, 5), (5, 5), (6, 8)])
    def test_claims_those_that_listed_sets_claim(self, k, n):
        rng = np.random.default_rng((k, n))
        n_claims = n_missed = 0
        for shift in (0.5, 1.0, 2.0, 3.0) * 4:
            samples = rng.normal(size=(k, n)) + shift * rng.integers(0, 3, (k, 1))
            expected = list_claims(samples, 0.05, looks_at_all=False)
            result = multi_aso(samples, rng=0, n_resamples=20)
            found = zip(*np.nonzero(np.triu(result.pvalue <= 0.05)), strict=True)
            claims = {(int(i), int(j)) for i, j in found}
            assert claims == expected
            every = list_claims(samples, 0.05)
            assert claims <= every
            n_claims += len(claims)
            n_missed += len(every - claims)
        assert n_missed <= 0.05 * n_claims
        assert n_claims > 10

    def test_p_values_are_the_levels_from_which_on_pairs_are_told_apart(self):
        rng = np.random.default_rng(3)
        for _ in range(20):
            samples = rng.normal(size=(5, 8)) + 1.5 * rng.integers(0, 3, (5, 1))
            p_values = multi_aso(samples, rng=0, n_resamples=20).pvalue
            for level in (0.2, 0.05, 0.02):
                claims = list_claims(samples, level)
                for i, j in itertools.combinations(range(5), 2):
                    # They may be too large, which claims less.
                    if p_values[i, j] <= 0.999 * level:
                        assert (i, j) in claims, (level, p_values[i, j])

    def test_no_claim_is_surer_than_those_on_which_it_stands(self):
        p_values, is_told = np.asarray([0.04, 0.01]), np.asarray([True, True])
        found = _in_order(HOST, p_values, is_told, np.asarray([0.0, 1.0]), 2)
        assert found.tolist() == [0.04, 0.04]
        rng = np.random.default_rng(113)
        samples = rng.normal(size=(4, 30)) + np.asarray([[0.0], [0.6], [0.6], [0.9]])
        options = {"rng": 0, "n_resamples": 20}
        below = multi_aso(samples, confidence_level=1.0 - 0.0402, **options)
        assert below.pvalue[2, 0] > 0.0402
        assert multi_aso(samples, **options).pvalue[2, 0] > 0.0402

    def test_p_value_of_a_plain_pair_is_near_the_least_that_there_is(self):
        samples = np.arange(5.0) + 0.01 * np.arange(3)[:, None]
        samples[0] += 100.0
        p_values = multi_aso(samples).pvalue
        least = adjust_for_set(2 / math.comb(10, 5), 2, 3)
        assert least <= p_values[0, 1] < 1.6 * least

    def test_one_error_in_twenty_families_at_most(self):
        """Of 2000 families each; a false alarm has a probability of 1e-6."""
        rng = np.random.default_rng(4)
        for sizes in ([5] * 5, [10] * 4, [3] * 6, [5, 5, 5, 20], [4, 9, 12]):
            samples = [rng.normal(size=(2000, 1, n)) for n in sizes]
            stacks = [
                np.sort(np.concatenate([x for x in samples if x.shape[-1] == n], 1))
                for n in dict.fromkeys(sizes)
            ]
            family = family_of(len(sizes), 0.05)
            result = find_equality(HOST, stacks, compare_pairs(HOST, stacks), family)
            rate = float(np.mean(np.any(result.is_told, axis=(-2, -1))))
            assert rate <= 0.05 + 4.75 * math.sqrt(0.05 * 0.95 / 2000), sizes

    def test_labels_and_order_move_nothing(self):
        rng = np.random.default_rng(5)
        names = list("abcdef")
        sizes = dict(zip(names, (5, 8, 5, 8, 6, 5), strict=True))
        scores = {x: rng.integers(0, 12, sizes[x]) / 4 + 2 * (x > "c") for x in names}
        first = multi_aso(scores, rng=0)
        for _ in range(3):
            order = [str(x) for x in rng.permutation(names)]
            second = multi_aso({x: scores[x] for x in order}, rng=0)
            place = [order.index(x) for x in names]
            for x, y in zip(first, second, strict=True):
                np.testing.assert_allclose(x, y[np.ix_(place, place)], atol=1e-12)

    def test_a_fault_leaves_the_other_models(self):
        samples = np.random.default_rng(6).normal(size=(4, 6))
        samples[:2] += 5.0
        samples[3, 0] = math.nan
        result = multi_aso(samples, rng=0)
        assert np.isnan(result.pvalue[3, :3]).all()
        assert result.pvalue[3, 3] == 1.0
        assert np.isfinite(result.pvalue[:3, :3]).all()
        assert result.eps_min[0, 2] < 0.2

    def test_every_pair_of_many_models_is_tested_by_bonferroni(self):
        samples = np.random.default_rng(7).normal(size=(101, 12))
        samples[0] += 9.0
        p_values = multi_aso(samples, rng=0, n_resamples=2).pvalue
        n_pairs = 101 * 100 // 2
        expected = min(1.0, n_pairs * 2 * win_tail(12, 12, 144))
        # Fitted: within 8 % where all scores of one are above those of the other.
        assert p_values[0, 1] == pytest.approx(expected, rel=0.08)


class TestBaseline:
    def test_few_runs_are_told_from_a_baseline_by_their_wins(self):
        rng = np.random.default_rng(8)
        scores = rng.normal(size=(5, 5)) + np.asarray([[0], [9], [9], [-9], [0]])
        result = multi_aso(scores, baseline=0)
        is_told = result.pvalue <= 0.05
        assert is_told[0].tolist() == [False, True, True, True, False]
        assert (result.eps_min < 0.2).sum() == 3
        assert result.eps_min[1, 0] < 0.2
        assert result.eps_min[0, 3] < 0.2
        # Holm on exact tails: the fourth part of four, then of the rest.
        assert result.pvalue[1, 0] == pytest.approx(4 * 2 / 252)
        assert np.isnan(result.pvalue[1, 2])

    def test_more_models_than_wins_allow_are_told_by_ranks_among_all(self):
        rng = np.random.default_rng(9)
        scores = rng.normal(size=(10, 5))
        scores[:5] += 12.0
        result = multi_aso(scores, baseline=9)
        assert (result.pvalue[9, :5] <= 0.05).all()
        assert (result.pvalue[9, 5:9] > 0.05).all()

    def test_errs_in_one_family_of_twenty_at_most(self):
        """Of 4000 families each; a false alarm has a probability of 1e-6."""
        rng = np.random.default_rng(10)
        for k, n in ((5, 5), (10, 5), (4, 3), (6, 12)):
            stack = np.sort(rng.normal(size=(4000, k, n)), axis=-1)
            family = family_of(k, 0.05, 0)
            result = find_equality(HOST, [stack], compare_pairs(HOST, [stack]), family)
            rate = float(np.mean(np.any(result.is_told, axis=(-2, -1))))
            assert rate <= 0.05 + 4.75 * math.sqrt(0.05 * 0.95 / 4000), (k, n)

    def test_is_a_model_by_name_or_place(self):
        scores = {"a": [1.0, 2.0, 3.0, 5.0], "b": [1.0, 2.0, 4.0], "c": [2.0, 3.0, 4.0]}
        by_name = multi_aso(scores, baseline="b", rng=0)
        by_place = multi_aso(list(scores.values()), baseline=1, rng=0)
        np.testing.assert_array_equal(by_name.pvalue, by_place.pvalue)
        with pytest.raises(
            ValueError, match="one of the models, 'a', 'b', 'c'; got 'd"
        ):
            multi_aso(scores, baseline="d")
        with pytest.raises(ValueError, match="one of the models, 0 to 2; got 3"):
            multi_aso(list(scores.values()), baseline=3)


class TestAso:
    def test_one_sided_p_is_exact_but_for_that_of_means(self):
        stats = pytest.importorskip("scipy.stats")
        rng = np.random.default_rng(11)
        for n in (4, 5, 7):
            a, b = rng.normal(size=(2, n))
            expected = stats.mannwhitneyu(
                a, b, alternative="greater", method="exact"
            ).pvalue
            result = aso(a, b, rng=0)
            expected = max(expected, p_of_means(a, b, "greater"))
            assert result.pvalue == pytest.approx(expected, rel=1e-9)
            share = mann_whitney_u(a, b).probability_of_improvement
            assert result.probability_of_improvement == pytest.approx(share)

    def test_p_of_more_scores_is_near_the_exact_one(self):
        stats = pytest.importorskip("scipy.stats")
        rng = np.random.default_rng(12)
        for _ in range(10):
            a, b = rng.normal(0.4, 1.0, 30), rng.normal(size=25)
            expected = stats.mannwhitneyu(
                a, b, alternative="greater", method="exact"
            ).pvalue
            assert aso(a, b, rng=0).pvalue == pytest.approx(expected, rel=5e-3)

    @pytest.mark.parametrize("n", [5, 6])
    def test_p_of_tied_scores_is_the_level_from_which_on_they_are_told_apart(self, n):
        tails = enumerate_wins(n, n)
        rng = np.random.default_rng(13)
        n_between = 0
        for _ in range(100):
            # No sample is constant, of which SciPy's t is in doubt.
            a, b = rng.integers(1, 6, n), rng.integers(0, 4, n)
            a[:2], b[:2] = (1, 5), (0, 3)
            wins = count_wins(a, b)
            n_between += wins not in tails
            expected = float(tails[max(d for d in tails if d <= wins)])
            p = float(aso(a, b).pvalue)
            expected = max(expected, p_of_means(a, b, "greater"))
            assert p == pytest.approx(expected, rel=1e-9)
            for level in (0.99 * p, min(1.01 * p, 0.999)):
                is_told = aso(a, b, confidence_level=1.0 - level).eps_min < 0.5
                assert not is_told or p <= level
            two_sided = multi_aso([a, b]).pvalue[0, 1]
            tail = tails[max(d for d in tails if d <= abs(wins))]
            expected = max(min(1.0, 2.0 * float(tail)), p_of_means(a, b))
            assert two_sided == pytest.approx(expected, rel=1e-9)
        assert n_between >= 20

    def test_a_bound_below_a_half_needs_that_equality_is_rejected(self):
        a, b = [8.0, 8.2, 8.3], [0.0, 0.5, 0.9]  # p = 1/20
        assert aso(a, b).eps_min == 0.0
        assert aso(a, b, n_comparisons=2).eps_min == 0.5
        assert aso(a, b, confidence_level=0.96).eps_min == 0.5

    def test_two_models_are_compared_both_ways(self):
        a, b = [8.0, 8.2, 8.3], [0.0, 0.5, 0.9]
        with pytest.warns(UserWarning, match="3 scores a side are too few .* 4 times"):
            result = multi_aso([a, b])
        assert result.eps_min[0, 1] == 0.5
        assert result.pvalue[0, 1] == pytest.approx(0.1)


def test_few_runs_of_many_models_need_more_runs_or_a_baseline():
    assert can_decide([5] * 12, family_of(12, 0.05))
    assert not can_decide([5] * 13, family_of(13, 0.05))
    assert needed_size(family_of(13, 0.05)) == 6
    with pytest.warns(UserWarning, match=r"13 models .* 6 times .* one baseline alone"):
        multi_aso(np.random.default_rng(0).normal(size=(13, 5)))


def test_levels_of_sets_add_up_to_that_of_the_family():
    for sizes in ((2, 2, 6), (5, 5), (3, 3, 4), (9,), (2, 8), (10,)):
        kept = math.prod(1 - level_of_set(k, 10, 0.05) for k in sizes)
        assert 1 - kept <= 0.05 + 1e-12
    assert adjust_for_set(level_of_set(4, 10, 0.05), 4, 10) == pytest.approx(0.05)
