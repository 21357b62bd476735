"""Intervals of differences: those of SciPy, at one level for all pairs."""

import itertools
import json

import numpy as np
import pytest
import scipy.stats

from sigarray import compare_models, proportion_ci, t_ci, t_test
from sigarray._verdicts import intervals
from sigarray._verdicts.intervals import (
    UNKNOWN,
    find_intervals,
    find_probabilities,
    find_quantiles,
)
from tests.pairs import in_order

RNG = np.random.default_rng(0)
A, B = RNG.normal(0.3, 1.0, 9), RNG.normal(0.0, 3.0, 9)


@pytest.mark.parametrize("p", [0.4999, 0.3, 0.025, 1e-3, 1e-6, 1e-12])
def test_quantiles(p):
    df = np.asarray([1.0, 1.2, 2.0, 3.3, 5.0, 20.0, 1e3, 1e7])
    np.testing.assert_allclose(
        find_quantiles(p, df), scipy.stats.t.isf(p, df), rtol=1e-11
    )


def test_quantiles_of_degrees_of_freedom_that_are_equal_but_for_rounding():
    df = 99.0 - 1.5e-14 * np.arange(3).repeat(20)
    expected = scipy.stats.t.isf(0.025, 99.0)
    np.testing.assert_allclose(find_quantiles(0.025, df), expected, rtol=1e-9)


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


LEAST = 0.93


@pytest.mark.parametrize("n", [3, 5, 10, 20])
@pytest.mark.parametrize("p", [0.5, 0.7, 0.9, 1.0])
@pytest.mark.parametrize("is_paired", [False, True])
def test_probabilities_beside_a_constant_hold(n, p, is_paired):
    """All that runs of the other model say is a number of successes."""
    above = np.tri(n + 1, n, -1) * 2.0 - 1.0
    pairs = [(x, np.zeros(n)) for x in above]
    found = find_probabilities(pairs, 0.95, is_paired=is_paired)
    shares = scipy.stats.binom.pmf(np.arange(n + 1), n, p)
    held = [x.low <= p <= x.high for x in found]
    assert shares @ held >= LEAST
    assert all(x.low <= x.value <= x.high for x in found)
    assert found[-1].low == pytest.approx(0.05 ** (1.0 / n))


@pytest.mark.parametrize(("n", "m"), [(3, 3), (5, 5), (10, 10), (20, 20), (5, 20)])
@pytest.mark.parametrize("spread", [0.25, 1.0, 4.0])
@pytest.mark.parametrize("has_ties", [False, True])
def test_probabilities_hold(n, m, spread, has_ties):
    rng = np.random.default_rng(n + m)
    for z in (0.0, 0.5244, 1.2816):
        lead = z * np.hypot(spread, 1.0)
        x, y = spread * rng.normal(size=(1000, n)) + lead, rng.normal(size=(1000, m))
        many = spread * rng.normal(size=10**5) + lead, rng.normal(size=10**5)
        if has_ties:
            x, y, *many = map(np.round, (x, y, *many))
        p = float(np.mean((many[0] > many[1]) + 0.5 * (many[0] == many[1])))
        pairs = list(zip(x, y, strict=True))
        found = np.asarray(find_probabilities(pairs, 0.95, is_paired=False))
        assert np.mean((found[:, 1] <= p) & (p <= found[:, 2])) >= LEAST


def test_a_probability_is_that_of_one_pair_alone(monkeypatch):
    """Whatever other pairs are compared with it."""
    pairs = [(A.round(), B.round()), (B, A), (np.ones(9), np.ones(9))]
    together = find_probabilities(pairs, 0.99, is_paired=False)
    monkeypatch.setattr(intervals, "_MOST_HELD", 1)
    alone = find_probabilities(pairs, 0.99, is_paired=False)
    np.testing.assert_allclose(together, alone, rtol=1e-12)
    one = [(np.ones(1), np.zeros(1))]
    assert np.isnan(find_probabilities(one, 0.95, is_paired=False)[0][1:]).all()


def test_probabilities_of_a_comparison():
    higher = compare_models({"a": A, "b": B}, unit="run", test="t")
    lower = compare_models(
        {"a": A, "b": B}, unit="run", test="t", higher_is_better=False
    )
    (x,), (y,) = higher.records, lower.records
    names = ("probability_low", "probability_of_improvement", "probability_high")
    assert x["model_a"] == y["model_b"]
    assert [x[name] for name in names] == pytest.approx([y[name] for name in names])
    low, share, high = (x[name] for name in names)
    said = f"P({x['model_a']} > {x['model_b']}) = {share:.2f} [{low:.2f}, {high:.2f}]"
    assert said in higher.sentences[0]


def test_the_probability_of_hits_is_half_their_difference():
    rng = np.random.default_rng(0)
    hits = {name: rng.integers(0, 2, 40).astype(float) for name in "ab"}
    result = compare_models(hits, unit="item")
    (x,) = result.records
    for of, by in (
        ("mean_difference", "of_improvement"),
        *[(f"difference_{k}", k) for k in ("low", "high")],
    ):
        assert x[f"probability_{by}"] == pytest.approx(0.5 + 0.5 * x[of])
    assert "P(" not in result.sentences[0]


def test_many_models_have_probabilities_at_the_level_of_all():
    scores = {name: RNG.normal(size=6) for name in "abcd"}
    every = compare_models(scores, unit="run", test="t").records
    two = {name: scores[name] for name in (every[0]["model_a"], every[0]["model_b"])}
    (alone,) = compare_models(two, unit="run", test="t").records
    assert every[0]["probability_low"] < alone["probability_low"]
    assert every[0]["probability_of_improvement"] == alone["probability_of_improvement"]
