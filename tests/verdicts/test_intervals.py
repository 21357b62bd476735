"""Intervals of differences: those of SciPy, at one level for all pairs."""

import itertools
import json

import numpy as np
import pytest
import scipy.stats

from sigarray import compare_models, proportion_ci, t_ci, t_test
from sigarray._verdicts.intervals import UNKNOWN, find_intervals, find_quantiles
from tests.pairs import in_order

RNG = np.random.default_rng(0)
A, B = RNG.normal(0.3, 1.0, 9), RNG.normal(0.0, 3.0, 9)


@pytest.mark.parametrize("p", [0.4999, 0.3, 0.025, 1e-3, 1e-6, 1e-12])
def test_quantiles(p):
    df = np.asarray([1.0, 1.2, 2.0, 3.3, 5.0, 20.0, 1e3, 1e7])
    np.testing.assert_allclose(
        find_quantiles(p, df), scipy.stats.t.isf(p, df), rtol=1e-11
    )


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999])
@pytest.mark.parametrize("scale", [1.0, 1e200, 1e-200])
def test_they_are_scipys(level, scale):
    for is_paired, expected in (
        (False, scipy.stats.ttest_ind(A, B, equal_var=False)),
        (True, scipy.stats.ttest_rel(A, B)),
    ):
        pairs = [(scale * A, scale * B), (scale * B, scale * A)]
        first, second = find_intervals(pairs, level, is_paired=is_paired)
        limits = expected.confidence_interval(level)
        np.testing.assert_allclose(first, scale * np.asarray(limits), rtol=1e-9)
        np.testing.assert_allclose(second, first.turn(), rtol=1e-9)


@pytest.mark.parametrize("scores", [RNG.normal(size=(2, 25)), np.eye(2, 25)])
def test_those_of_splits_that_overlap_say_what_the_test_says(scores):
    """Each ends where the corrected t is just at the level, and t_ci is the same."""
    a, b = scores
    splits = {"paired": True, "test_share": 0.2}
    ((low, high),) = find_intervals([(a, b)], 0.9, is_paired=True, test_share=0.2)
    for limit in (low, high):
        assert t_test(a - limit, b, **splits).pvalue == pytest.approx(0.1)
    result = t_ci(a, b, confidence_level=0.9, **splits)
    assert result.confidence_interval == pytest.approx((low, high))


def test_few_runs_beside_many_have_their_degrees_of_freedom():
    """Welch's are too many: 92.5 % of intervals of 3 and 20 runs would hold."""
    rng = np.random.default_rng(1)
    pairs = [(rng.normal(size=3), rng.normal(size=20)) for _ in range(4000)]
    intervals = np.asarray(find_intervals(pairs, 0.95, is_paired=False))
    share = np.mean((intervals[:, 0] <= 0.0) & (intervals[:, 1] >= 0.0))
    assert 0.96 < share < 0.999


@pytest.mark.parametrize("is_paired", [False, True])
def test_proportions_are_newcombes(is_paired):
    hits = RNG.integers(0, 2, (5, 40)).astype(float)
    pairs = list(itertools.combinations(hits, 2))
    intervals = find_intervals(pairs, 0.99, is_paired=is_paired)
    for (a, b), interval in zip(pairs, intervals, strict=True):
        expected = proportion_ci(a, b, paired=is_paired, confidence_level=0.99)
        assert interval == pytest.approx(tuple(expected.confidence_interval))


def test_nothing_is_said_of_scores_that_do_not_vary_or_of_one():
    same, other = np.full(5, 2.0), np.full(5, 3.0)
    for pair in ((same, other), (same[:1], other), (A[:1], B)):
        assert find_intervals([pair], 0.95, is_paired=False) == [UNKNOWN]
    assert find_intervals([(A, A)], 0.95, is_paired=True) == [UNKNOWN]


def test_they_are_of_all_comparisons_together():
    scores = {"a": A, "b": B, "c": A + 1.0}
    for options, n in (({}, 3), ({"corrected": False}, 1), ({"baseline": "a"}, 2)):
        for by in ({"test": "t", "alpha": 0.1}, {"confidence_level": 0.9}):
            result = compare_models(scores, unit="run", **by, **options)
            record = in_order(result.records, "abc")[0]
            scores_of = {"a": A, "b": B}
            x, y = (scores_of[record[key]] for key in ("model_a", "model_b"))
            expected = scipy.stats.ttest_ind(x, y, equal_var=False)
            limits = expected.confidence_interval(1.0 - 0.1 / n)
            found = [record["difference_low"], record["difference_high"]]
            np.testing.assert_allclose(found, limits, rtol=1e-9)
            both = "both" if n == 2 else f"all {n}"
            level = f"90 % confidence for {'each' if n == 1 else f'{both} together'}"
            assert f"Welch's intervals of differences, {level}" in result.method
            title = f"Differences of means, {level}"
            if "baseline" in options:
                title += "; B is the baseline a"
            assert result.tables[0].title.partition("; eps_min")[0] == title
            assert any(
                "the means differ by" in x and "[" in x for x in result.sentences
            )
            pair = in_order(json.loads(result.to_json())["pairs"], "abc")[0]
            assert pair["difference_low"] == pytest.approx(limits.low)


def test_a_verdict_that_is_sharper_than_its_interval_is_said():
    """By permutations of pairs, of which one differs greatly."""
    gaps = np.asarray([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 30.0])
    scores = {"a": B + gaps, "b": B}
    result = compare_models(scores, unit="item", test="permutation")
    assert result.better("a", "b")
    assert result.records[0]["difference_low"] < 0.0
    assert "], though this interval includes 0." in result.sentences[0]
    assert "Student's interval of the difference, 95 %" in result.method


def test_the_method_line_says_where_there_are_fewer_degrees_of_freedom():
    fewer = ", with fewer degrees of freedom where sizes differ"
    scores = {"a": A, "b": A + 1.0, "c": A - 1.0}
    assert fewer not in compare_models(scores, unit="run").method
    scores["c"] = scores["c"][:-1]
    method = compare_models(scores, unit="run").method
    assert f"for fewer than 20 runs, by Welch's t{fewer}. " in method
    assert f"Welch's intervals of differences{fewer}, 95 %" in method
    method = compare_models(scores, unit="run", test="permutation").method
    assert method.count(fewer) == 1
    # Welch's t-test has Welch's own, and so have its intervals.
    assert fewer not in compare_models(scores, unit="run", test="t").method


def test_which_tests_have_fewer_degrees_of_freedom():
    """As the page on reading a result says: that of means in ASO alone."""
    a, b = np.arange(12.0) / 100, np.asarray([0.14, 0.22, 0.27])
    welch = scipy.stats.ttest_ind(b, a, equal_var=False)

    def find(test):
        result = compare_models({"b": b, "a": a}, unit="run", test=test)
        key = "equality_pvalue" if test == "aso" else "pvalue"
        return result, result.records[0][key]

    result, p = find("t")
    np.testing.assert_allclose(p, welch.pvalue, rtol=1e-12)
    np.testing.assert_allclose(t_test(b, a).pvalue, p, rtol=1e-12)
    # So has the interval in the same row: both say the same thing.
    assert result.better("b", "a")
    low, high = welch.confidence_interval()
    found = [result.records[0][f"difference_{x}"] for x in ("low", "high")]
    np.testing.assert_allclose(found, (low, high), rtol=1e-9)
    assert "fewer degrees" not in result.method
    # That of other tests has fewer, and is wider.
    of_permutations = find("permutation")[0].records[0]
    assert of_permutations["difference_low"] < 0.0 < low
    np.testing.assert_allclose(find("permutation")[1], welch.pvalue, rtol=1e-12)
    fewer = 2.0 * scipy.stats.t.sf(welch.statistic, df=len(b) - 1)
    np.testing.assert_allclose(find("aso")[1], fewer, rtol=1e-6)
    assert fewer > 0.05 > welch.pvalue
