"""Scores that differ by rounding alone are the same for each test."""

import numpy as np
import pytest

from sigarray import (
    aso,
    bootstrap_test,
    brunner_munzel,
    mann_whitney_u,
    permutation_test,
    probability_of_improvement,
    rank_ci,
    t_test,
    wilcoxon_test,
)
from sigarray._numeric.ranks import net_wins
from sigarray._verdicts.floors import p_value_of_ranks
from tests.backends import everywhere

ONCE = [0.1, 0.1, 0.2, 0.2, 0.1, 0.2, 0.4, 0.8]
# Of A and B.
SCORES = {
    "one number": ([0.1 + 0.2] * 6, [0.3] * 6),
    "negative": ([-0.3] * 6, [-0.1 - 0.2] * 6),
    "and one more": ([0.1 + 0.2] * 6 + [0.5], [0.3] * 6 + [0.5]),
    "means": (ONCE, [sum([x] * 10) / 10 for x in ONCE]),
    "either way": ([0.3, 0.1 + 0.2] * 3, [0.1 + 0.2, 0.3] * 3),
}
FEW = {"rng": 0, "n_resamples": 99}
PAIRS = np.arange(8) // 2
# Options of functions that take pairs and independent samples alike.
TESTS = {
    "t": (t_test, {}),
    "exchanged": (permutation_test, FEW),
    "exchanged t": (permutation_test, FEW | {"statistic": "t"}),
    "exchanged median": (permutation_test, FEW | {"statistic": "median"}),
    "exchanged saddlepoint": (permutation_test, {"method": "saddlepoint"}),
    "drawn": (bootstrap_test, FEW),
    "drawn t": (bootstrap_test, FEW | {"statistic": "t"}),
    "drawn iqm": (bootstrap_test, FEW | {"statistic": "iqm"}),
    "drawn saddlepoint": (bootstrap_test, {"method": "saddlepoint"}),
}


@everywhere
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("name", TESTS)
def test_none_differ(backend, name, paired):
    """Six were apart with p = 0.031, 0.0022 or 0.0001, and t was infinite."""
    test, options = TESTS[name]
    of = ["one number"] if backend.is_jax else SCORES
    for samples in (SCORES[key] for key in of):
        result = test(*map(backend.asarray, samples), paired=paired, **options)
        assert float(result.pvalue) == pytest.approx(1.0, rel=1e-6), samples
        assert abs(float(result.statistic)) <= 1e-12, samples


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("test", [t_test, permutation_test, bootstrap_test])
def test_none_differ_in_other_designs(test, paired):
    drawn = {} if test is t_test else FEW
    for a, b in (np.array(x) for x in SCORES.values()):
        labels = PAIRS[: len(a)]
        both, none = labels, 0 * labels
        if not paired:
            both, none = (both, both), (none, none)
        designs = [(a, b, {"clusters": both}), (a, b, {"strata": none})]
        designs.append(([a, b], [b, b], {"axis": 1, "strata": 0}))
        if test is not permutation_test:
            designs.append(([a, a], [b, b], {"axis": (0, 1)}))
        for x, y, options in designs:
            result = test(np.array(x), np.array(y), paired=paired, **drawn, **options)
            np.testing.assert_allclose(result.pvalue, 1.0, rtol=1e-6)


@everywhere
def test_none_are_ahead(backend):
    """P(A > B) was 1, and of Wilcoxon's ranks p = 0.031 and 0.0625."""
    of = ["and one more"] if backend.is_jax else SCORES
    for a, b in (map(backend.asarray, SCORES[key]) for key in of):
        assert float(wilcoxon_test(a, b).pvalue) == 1.0
        assert float(wilcoxon_test(a, b).rank_biserial) == 0.0
        for test in (mann_whitney_u, brunner_munzel):
            result = test(a, b)
            assert float(result.pvalue) == 1.0
            assert float(result.probability_of_improvement) == 0.5
        found = aso(a, b, **FEW)
        assert float(found.probability_of_improvement) == 0.5
        assert float(found.pvalue) >= 0.5
        assert float(probability_of_improvement(a, b, **FEW).statistic) == 0.5
    ranks = rank_ci([a, b], **FEW).rank
    np.testing.assert_array_equal(backend.to_numpy(ranks), 1.0)


def test_none_are_ahead_in_tasks_and_by_exact_ranks():
    for a, b in SCORES.values():
        labels = np.arange(len(a)) // 4 if len(a) == 8 else np.zeros(len(a))
        options = FEW | {"strata": (labels, labels)}
        assert probability_of_improvement(a, b, **options).statistic == 0.5
        assert p_value_of_ranks(np.array(a), np.array(b)) == 1.0


def test_ties_of_many_scores_are_those_of_tenths(backend):
    """More than 32 x 32 scores are sorted."""
    whole = np.random.default_rng(0).integers(-9, 10, (2, 60))
    ends = [np.sort(whole / 10.0), np.sort(whole * 0.1)]
    for a, b in ((ends[0][0], ends[1][1]), (ends[1][0], ends[0][1])):
        found = net_wins(backend.library, backend.asarray(a), backend.asarray(b))
        expected = np.sign(np.subtract.outer(*np.sort(whole))).sum()
        assert float(found) == expected


@pytest.mark.parametrize("paired", [True, False])
def test_real_differences_stay(paired):
    """Whole numbers at a high level, one unit of single precision apart, are others."""
    level = 2.0**20
    a, b = np.array([level + 0.125] * 6), np.array([level] * 6)
    for x, y in ((a, b), (a.astype("float32") + 1.0, b.astype("float32"))):
        options = {"paired": paired, "rng": 0}
        assert permutation_test(x, y, **options).pvalue < 0.05
        assert bootstrap_test(x, y, **options).pvalue < 0.05
    assert wilcoxon_test(a, b).pvalue < 0.05
    assert mann_whitney_u(*(x.astype("float32") for x in (a, b))).pvalue < 0.05
