"""Whether models are no worse than others: p-values, their correction, and words.

The tests of two samples are the oracle, and all sets of null hypotheses that may hold.
"""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from sigarray import (
    bootstrap_test,
    compare_models,
    equivalence_test,
    holm,
    permutation_test,
    proportion_test,
    t_test,
)
from sigarray._verdicts.asked import PairOptions
from sigarray._verdicts.decisions import MarginTest, PairTest, decide_by_tests
from sigarray._verdicts.margins import adjust_claims
from sigarray._verdicts.pairwise_tests import find_tests
from tests.cli.test_clusters import draw as draw_clusters
from tests.cli.test_runs_and_items import draw as draw_tables

MARGIN = 0.02
RNG = np.random.default_rng(7)
RUNS = {
    name: RNG.normal(mean, 0.02, n).round(4)
    for name, mean, n in (("c", 0.8, 14), ("a", 0.795, 14), ("b", 0.75, 9))
}
ITEMS = {name: RNG.normal(0.7, 0.1, 60).round(3) for name in "bca"}
RIGHT = {
    name: (RNG.random(150) < p).astype(float)
    for name, p in zip("bca", (0.8, 0.79, 0.6), strict=True)
}


def claims_of(result):
    """Return the p-value, and the adjusted one, that each model is no worse."""
    found = {}
    for x in result.records:
        for this, other in ("ab", "ba"):
            p = x[f"margin_pvalue_{this}"]
            if p is not None and not np.isnan(p):
                models = x[f"model_{this}"], x[f"model_{other}"]
                found[models] = p, x[f"adjusted_margin_pvalue_{this}"]
    return found


def one_sided(call, scores, pair, **options):
    """Call a test of the claim that the first model is no worse, by sorted names."""
    a, b = (scores[x] for x in pair)
    return float(call(a, b, alternative="greater", margin=MARGIN, **options).pvalue)


@pytest.mark.filterwarnings("ignore:The adjusted p")
@pytest.mark.parametrize("baseline", [None, "c"])
@pytest.mark.parametrize(
    ("test", "paired", "unit", "scores", "call"),
    [
        ("t", False, "run", RUNS, t_test),
        ("t", True, "item", ITEMS, t_test),
        ("permutation", True, "item", ITEMS, permutation_test),
        ("bootstrap", True, "item", ITEMS, bootstrap_test),
        ("bootstrap", False, "run", RUNS, bootstrap_test),
        ("permutation", True, "item", RIGHT, proportion_test),
        ("t", True, "item", RIGHT, proportion_test),
    ],
)
def test_p_values_are_those_of_one_sided_tests(
    test, paired, unit, scores, call, baseline
):
    options = (
        {} if call in (t_test, proportion_test) else {"rng": 3, "n_resamples": 999}
    )
    result = compare_models(
        scores, test=test, unit=unit, margin=MARGIN, baseline=baseline, **options
    )
    if (test, unit) == ("bootstrap", "run"):
        options |= {"statistic": "t"}
        scores = {name: np.sort(x) for name, x in scores.items()}
    found = claims_of(result)
    pairs = [x for x in itertools.permutations(scores, 2) if baseline in (None, x[1])]
    assert {*found} == {*pairs}
    for pair, (p, _) in found.items():
        is_exchanged = pair[0] > pair[1] and options
        if is_exchanged:  # resamples are those of the names in order
            b, a = (scores[x] for x in pair)
            expected = call(
                a, b, alternative="less", margin=MARGIN, paired=paired, **options
            ).pvalue
        else:
            expected = one_sided(call, scores, pair, paired=paired, **options)
        assert p == pytest.approx(float(expected), rel=1e-9)


def test_permutations_of_runs_are_bounded_by_welch():
    options = {"rng": 3, "n_resamples": 999}
    result = compare_models(RUNS, test="permutation", margin=MARGIN, **options)
    for pair, (p, _) in claims_of(result).items():
        first, second = sorted(pair)
        side = "greater" if pair[0] == first else "less"
        by = {"alternative": side, "margin": MARGIN}
        a, b = RUNS[first], RUNS[second]
        welch = t_test(a, b, **by).pvalue
        permuted = permutation_test(a, b, statistic="t", **by, **options).pvalue
        assert p == pytest.approx(max(welch, permuted), rel=1e-9)


def test_lower_scores_are_better_where_they_are():
    turned = {name: -x for name, x in RUNS.items()}
    expected = claims_of(compare_models(RUNS, test="t", margin=MARGIN))
    result = compare_models(turned, test="t", margin=MARGIN, higher_is_better=False)
    found = claims_of(result)
    assert {*found} == {*expected}
    for claim, numbers in found.items():
        assert numbers == pytest.approx(expected[claim], rel=1e-9)
    assert "p(A<B+0.02)" in result.tables[0].header


def test_the_order_of_models_changes_no_number():
    expected = claims_of(compare_models(ITEMS, unit="item", margin=MARGIN))
    turned = dict(reversed(ITEMS.items()))
    assert claims_of(compare_models(turned, unit="item", margin=MARGIN)) == expected


@pytest.mark.filterwarnings("ignore:The p-values of the bootstrap are too small")
@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_whole_clusters_are_drawn(test):
    cluster, scores = draw_clusters()
    more = {} if test == "t" else {"rng": 2, "n_resamples": 499}
    result = compare_models(scores, test=test, clusters=cluster, margin=0.3, **more)
    call = t_test if test == "t" else bootstrap_test
    for (a, b), (p, _) in claims_of(result).items():
        expected = call(
            *(scores[a], scores[b]),
            alternative="greater",
            margin=0.3,
            paired=True,
            clusters=cluster,
            **more,
        )
        assert p == pytest.approx(float(expected.pvalue), rel=1e-9)


@pytest.mark.filterwarnings("ignore:The adjusted p")
@pytest.mark.filterwarnings("ignore:The p-values of the bootstrap are too small")
@pytest.mark.parametrize("test", ["t", "bootstrap"])
def test_clusters_of_losses_have_the_other_side(test):
    cluster, scores = draw_clusters()
    turned = {name: -x for name, x in scores.items()}
    by = {"test": test, "clusters": cluster, "margin": 0.3}
    by |= {} if test == "t" else {"rng": 2, "n_resamples": 199}
    expected = claims_of(compare_models(scores, **by))
    found = claims_of(compare_models(turned, higher_is_better=False, **by))
    for claim, numbers in expected.items():
        assert found[claim] == pytest.approx(numbers, rel=1e-9)


def test_samples_of_unequal_sizes_stay_with_resamples():
    """Of their t there is no approximation, where p is near the least possible."""
    options = PairOptions(
        "permutation",
        is_paired=False,
        n_resamples=99,
        seed=0,
        unit="item",
        n_comparisons=50,
        margin=0.5,
    )
    draw = np.random.default_rng(0)
    scores = {"a": draw.normal(2.0, 1.0, 60), "b": draw.normal(0.0, 1.0, 80)}
    assert options.more_draws is not None
    (test,) = find_tests(scores, options, higher_is_better=True, pairs=[("a", "b")])
    by = {"alternative": "greater", "margin": 0.5, "rng": 0}
    number = options.more_draws.number
    expected = permutation_test(*scores.values(), n_resamples=number, **by)
    assert test.p_value == float(expected.pvalue)


def test_a_better_model_is_not_worse():
    result = compare_models({x: ITEMS[x] for x in "ab"}, unit="item", margin=0.1)
    (comparison,) = result.compared.values()
    margins = tuple(MarginTest(x, 0.3, adjusted=0.3) for x in "ab")
    test = PairTest(1.0, 0.01, "a", margins=margins)
    (x,) = decide_by_tests(comparison, [test], [0.01])
    assert (x.verdict, x.better, x.not_worse) == ("better", "a", ("a",))


def test_runs_and_items_are_both_drawn():
    tables = draw_tables(runs={"m0": 3, "m1": 5})
    rows = [
        (m, k, i, x[k, i]) for m, x in tables.items() for k, i in np.ndindex(x.shape)
    ]
    frame = pd.DataFrame(rows, columns=["model", "seed", "item", "score"])
    result = compare_models(frame, margin=0.5)
    assert result.table.runs
    a, b = tables.values()
    by = {"alternative": "greater", "margin": 0.5, "axis": (0, 1)}
    found = claims_of(result)
    assert found["m0", "m1"][0] == pytest.approx(float(t_test(a, b, **by).pvalue))
    assert found["m1", "m0"][0] == pytest.approx(float(t_test(b, a, **by).pvalue))


def test_two_claims_are_a_test_of_equivalence():
    both = {name: ITEMS[name] for name in "ab"}
    result = compare_models(both, test="t", unit="item", margin=0.08)
    numbers = claims_of(result)
    limits = {"low": -0.08, "high": 0.08, "paired": True}
    expected = equivalence_test(both["a"], both["b"], **limits).pvalue
    assert max(p for p, _ in numbers.values()) == pytest.approx(float(expected))
    (x,) = result.decisions[""]
    assert x.verdict == ("equivalent" if expected <= 0.05 else "inconclusive")
    assert x.verdict == "equivalent"


def adjust_by_sets(p_values):
    """Adjust by all sets of null hypotheses of which no two are of one pair."""
    places = list(np.ndindex(p_values.shape))
    sets = [
        some
        for k in range(1, len(p_values) + 1)
        for some in itertools.combinations(places, k)
        if len({pair for pair, _ in some}) == k
    ]
    adjusted = np.zeros(p_values.shape)
    for x in places:
        adjusted[x] = max(
            min(1.0, len(some) * min(p_values[y] for y in some))
            for some in sets
            if x in some
        )
    return adjusted


@pytest.mark.parametrize("n_claims", [1, 2])
def test_the_correction_is_closed_over_sets_that_may_hold(n_claims):
    draw = np.random.default_rng(n_claims)
    for _ in range(30):
        p_values = draw.random((4, n_claims)) ** 3
        expected = adjust_by_sets(p_values)
        assert adjust_claims(p_values) == pytest.approx(expected)
        if n_claims == 1:
            assert adjust_claims(p_values)[:, 0] == pytest.approx(holm(p_values[:, 0]))


def test_models_at_the_margin_are_seldom_no_worse():
    """Of 9 models that are worse than a tenth by just the margin."""
    n_families, n = 1000, 20
    draw = np.random.default_rng(0)
    scores = draw.normal(0.0, 1.0, (n_families, 10, n))
    scores[:, 0] += 0.5
    p_values = np.asarray(
        t_test(scores[:, 1:], scores[:, :1], alternative="greater", margin=0.5).pvalue
    )
    wrong = sum(bool((adjust_claims(p[:, None]) <= 0.05).any()) for p in p_values)
    assert scipy.stats.binomtest(wrong, n_families, 0.05, "greater").pvalue > 1e-6
    assert wrong > 0.02 * n_families


class TestVerdicts:
    @pytest.fixture
    def scores(self):
        draw = np.random.default_rng(3)
        shared = draw.normal(0.7, 0.1, 200)
        means = {"best": 0.05, "large": 0.0, "small": 0.0, "worse": -0.012}
        every = {m: shared + draw.normal(x, 0.05, 200) for m, x in means.items()}
        return every | {"noisy": shared + draw.normal(-0.02, 0.15, 200)}

    def test_a_margin_makes_no_model_better(self, scores):
        plain = compare_models(scores, unit="item", test="t")
        result = compare_models(scores, unit="item", test="t", margin=0.03)
        assert result.verdicts == plain.verdicts
        for x, y in zip(result.records, plain.records, strict=True):
            for name in ("pvalue", "adjusted_pvalue", "statistic", "mean_difference"):
                assert x[name] == y[name]
        assert "margin" not in plain.records[0]
        assert "margin" not in json.loads(plain.to_json())
        assert result.to_frame()["margin"].tolist() == [0.03] * 10

    def test_words_are_those_of_the_p_values(self, scores):
        result = compare_models(scores, unit="item", test="t", margin=0.03)
        kinds = set()
        for x in result.decisions[""]:
            adjusted = {y.model: y.adjusted for y in x.margins}
            assert {*adjusted} == {x.a, x.b}
            small = {name for name, p in adjusted.items() if p <= 0.05}
            assert {*x.not_worse} == small | ({x.better} - {None})
            kinds.add(x.verdict)
        assert kinds == {"better", "equivalent", "not worse"}
        text = " ".join(result.sentences)
        assert "large and small are equivalent, apart by less than 0.03" in text
        assert "is not worse than" in text

    def test_with_a_baseline_each_other_model_is_asked_for(self, scores):
        result = compare_models(
            scores, unit="item", test="t", margin=0.03, baseline="large"
        )
        claims = claims_of(result)
        assert {other for _, other in claims} == {"large"}
        p_values = [p for p, _ in claims.values()]
        assert [q for _, q in claims.values()] == pytest.approx(holm(p_values))
        assert result.content.headline[-1].startswith("Not worse than large by 0.03")
        assert "p(A>B-0.03)" in result.tables[0].header
        assert "B>A-0.03" not in result.tables[0].header
        for other in {*scores} - {"large"}:
            assert f"margin of {other}: p " in result.content.paragraphs[0]

    def test_on_several_tasks_there_is_a_table(self, scores):
        result = compare_models(
            {"x": scores, "y": scores}, unit="item", test="t", margin=0.03
        )
        table = result.tables[-1]
        assert table.title == "Tasks on which a model is not worse by 0.03 or more"
        rows = {tuple(row[:2]): row[2:] for row in table.rows}
        assert rows["best", "worse"] == ["2 of 2", "x, y"]
        assert rows["worse", "best"] == ["0 of 2", "-"]
        assert any("Not worse by 0.03 or more: " in x for x in result.sentences)

    @pytest.mark.parametrize("is_higher", [True, False])
    def test_pictures_have_a_line_where_a_model_is_worse(self, scores, is_higher):
        few = {name: scores[name] for name in ("small", "large")}
        options = {"unit": "item", "test": "t", "margin": 0.03}
        options["higher_is_better"] = is_higher
        for baseline, places in (("large", {-0.03}), (None, {-0.03, 0.03})):
            result = compare_models(few, baseline=baseline, **options)
            (ax,) = result.plot().axes
            dotted = {x.get_xdata()[0] for x in ax.lines if x.get_linestyle() == ":"}
            assert dotted == {x if is_higher else -x for x in places}
            low, high = ax.get_xlim()
            assert all(low < x < high for x in dotted)
            assert "dotted: the margin" in " ".join(
                ax.figure.texts[-1].get_text().split()
            )

    def test_it_is_asked_for_in_python(self, scores):
        result = compare_models(scores, unit="item", test="t", margin=0.03)
        for x in result.decisions[""]:
            for model, other in ((x.a, x.b), (x.b, x.a)):
                assert result.not_worse(model, other) is (model in x.not_worse)
        of_two = compare_models(
            {"x": scores, "y": scores}, unit="item", test="t", margin=0.03
        )
        assert of_two.not_worse("best", "worse")
        assert of_two.not_worse("best", "worse", "x")
        with pytest.raises(KeyError, match="Expected task"):
            of_two.not_worse("best", "worse", "z")
        with pytest.raises(KeyError, match="two models that were compared"):
            result.not_worse("best", "other")
        alone = compare_models(
            scores, unit="item", test="t", margin=0.03, baseline="large"
        )
        assert alone.not_worse("best", "large")
        with pytest.raises(KeyError, match="Compare without baseline"):
            alone.not_worse("large", "best")
        plain = compare_models(scores, unit="item", test="t")
        with pytest.raises(ValueError, match="Expected a comparison with a margin"):
            plain.not_worse("best", "large")

    def test_without_a_correction_p_values_stay(self, scores):
        result = compare_models(
            scores, unit="item", test="t", margin=0.03, corrected=False
        )
        assert all(p == q for p, q in claims_of(result).values())


@pytest.mark.parametrize("margin", [0.0, -0.1, np.nan, np.inf, "1"])
def test_a_margin_is_above_zero(margin):
    with pytest.raises((TypeError, ValueError), match="Expected margin to be"):
        compare_models(RUNS, margin=margin)


@pytest.mark.parametrize("test", ["aso", "mann-whitney", "brunner-munzel"])
def test_a_margin_is_of_means(test):
    with pytest.raises(ValueError, match=r"Expected margin with test='bootstrap'"):
        compare_models(RUNS, test=test, margin=MARGIN)


def test_permutations_of_clusters_take_none():
    cluster, scores = draw_clusters()
    with pytest.raises(ValueError, match=r"with margin; got test='permutation'"):
        compare_models(scores, test="permutation", clusters=cluster, margin=0.1)
    result = compare_models(scores, clusters=cluster, margin=0.1)
    assert result.test.name == "t"
    (note,) = (x for x in result.notes if "no margin" in x)
    assert (
        note
        == "models are compared by test='t': permutations of clusters take no margin."
    )


def test_a_margin_of_shares_is_below_one():
    with pytest.raises(ValueError, match=r"margin below 1 of scores of 0 and 1; got 5"):
        compare_models(RIGHT, unit="item", margin=5)


def test_a_margin_beyond_all_scores_is_doubted():
    with pytest.warns(UserWarning, match="margin 3 is no less than all scores"):
        compare_models(RUNS, margin=3.0)
