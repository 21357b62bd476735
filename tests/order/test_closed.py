"""The closed test of several models: against all sets of models, listed."""

import itertools
import math

import numpy as np
import pytest

from sigarray import multi_aso
from sigarray._backend.of_numpy import HOST
from sigarray._numeric.ranks import (
    OWN_WEIGHT,
    critical_range,
    critical_wins,
    variance_of_gap,
    win_tail,
)
from sigarray._order.closed import _in_order
from sigarray._order.comparison import compare_pairs, find_equality
from sigarray._order.families import adjust_for_set, family_of, level_of_set
from tests.oracles import count_wins, p_of_means


def list_claims(samples, level, *, looks_at_all=True, without=None):
    """Return who is told apart, by listing every set of models: the step-down test.

    Of sets in which all pairs are open, or only those with the two that are compared;
    all sets, or those without a model.
    """
    k_models = len(samples)
    n = len(samples[0])
    wins = np.asarray([[count_wins(x, y) for y in samples] for x in samples])
    part = 1.0 / n
    models = [k for k in range(k_models) if k != without]
    open_pairs = set(itertools.combinations(models, 2))

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
        rest = [c for c in models if c not in (i, j)]
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
    @pytest.mark.long
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

    @pytest.mark.long
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
