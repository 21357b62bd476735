"""Verdicts over several tasks: against all sets of models, and what they promise."""

import itertools
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from sigarray import compare_models, holm, wilcoxon_test
from sigarray._numeric.ranks import OWN_WEIGHT, range_bound
from sigarray._order.families import adjust_for_set
from sigarray._verdicts.over_tasks import _least_p_value, adjust_over_tasks
from sigarray._verdicts.overall import describe_method, table_of_pairs

ROOT = Path(__file__).parents[2]
LEVEL = 0.05


def compare_means(means, **options):
    """Compare models by two runs on each task, whose means are 50 + means (T, K)."""
    scores = {
        f"task {t}": {f"m{k}": [49.5 + x, 50.5 + x] for k, x in enumerate(row)}
        for t, row in enumerate(np.asarray(means).tolist())
    }
    return compare_models(scores, test="t", unit="run", **options).over_tasks


def find_p_values(means, *, has_baseline=False):
    """Return all pairs, or those of the first model, and p-values: alone, adjusted."""
    pairs = itertools.combinations(range(means.shape[1]), 2)
    pairs = np.asarray([x for x in pairs if not has_baseline or 0 in x])
    return pairs, *adjust_over_tasks(means, pairs, has_baseline=has_baseline)


def close_over_all_sets(means, level, *, has_baseline=False):
    """Decide pairs as `close_over_sets` does, by a list of all sets of models."""
    n_tasks, k_models = means.shape
    pairs, alone, _ = find_p_values(means)

    def adjust(p, k):
        return p if has_baseline else adjust_for_set(p, k, k_models)

    sides = {
        tuple(p): np.sign(x) for p, x in zip(pairs, alone.rank_biserial, strict=True)
    }
    p_alone = {
        tuple(p): adjust(float(x), 2) for p, x in zip(pairs, alone.pvalue, strict=True)
    }
    decided = set()

    def find_p_value(pair, models):
        i, j = pair
        if len(models) == 2:
            return p_alone[pair]
        ranks = scipy.stats.rankdata(means[:, models], axis=1).sum(axis=0)
        own = np.sign(means[:, i] - means[:, j]).sum()
        at = dict(zip(models, ranks, strict=True))
        # Friedman's rank sums count the pair once.
        gap = sides[pair] * (at[i] - at[j] + (OWN_WEIGHT - 1) * own)
        return adjust(range_bound(len(models), n_tasks, gap), len(models))

    while True:
        new = set()
        for pair in p_alone.keys() - decided:
            # Sets in which no model is told apart from one of the pair.
            others = [
                c
                for c in range(k_models)
                if c not in pair and not {tuple(sorted((c, x))) for x in pair} & decided
            ]
            sets = itertools.chain.from_iterable(
                itertools.combinations(others, n) for n in range(len(others) + 1)
            )
            if all(find_p_value(pair, sorted((*pair, *x))) <= level for x in sets):
                new.add(pair)
        if not new:
            return decided
        decided |= new


@pytest.mark.parametrize("seed", range(12))
def test_no_set_is_forgotten(seed):
    rng = np.random.default_rng(seed)
    k, n_tasks = 3 + seed % 4, 8 + seed
    means = rng.normal(size=(n_tasks, k)) + rng.choice([0.6, 1.2]) * np.arange(k)
    if seed % 3 == 0:
        means = np.round(means)  # ties
    pairs, _, adjusted = find_p_values(means)
    for level in (0.001, 0.01, LEVEL, 0.2, 0.9):
        decided = {tuple(x) for x in pairs[adjusted <= level].tolist()}
        assert decided == close_over_all_sets(means, level)


@pytest.mark.long
@pytest.mark.parametrize(("n_tasks", "k"), [(6, 3), (7, 5), (8, 9)])
def test_few_tasks_with_a_baseline(n_tasks, k):
    """Where Holm's correction can decide no pair, sets of models can."""
    n_decided = 0
    for seed in range(6 if k < 9 else 4):  # of 2^k sets
        rng = np.random.default_rng(seed)
        means = rng.normal(size=(n_tasks, k)) + 2.5 * (np.arange(k) > k // 2)
        pairs, alone, adjusted = find_p_values(means, has_baseline=True)
        assert np.min(holm(alone.pvalue)) > LEVEL
        for level in (LEVEL, 0.2, 0.9):
            decided = {tuple(x) for x in pairs[adjusted <= level].tolist()}
            by_sets = close_over_all_sets(means, level, has_baseline=True)
            assert decided == {x for x in by_sets if 0 in x}
            n_decided += level == LEVEL and len(decided)
        # They are never larger than those of all pairs.
        every, _, of_all = find_p_values(means)
        assert np.all(adjusted <= of_all[np.any(every == 0, axis=1)] + 1e-12)
    assert n_decided > 0
    over = compare_means(means - means.min(), baseline="m0")
    assert over.is_by_sets
    assert over.can_decide == (n_tasks >= over.needed_tasks)


def test_more_tasks_with_a_baseline_are_by_holm():
    means = np.random.default_rng(0).normal(size=(9, 4)) + np.arange(4)
    _, alone, adjusted = find_p_values(means, has_baseline=True)
    np.testing.assert_array_equal(adjusted, holm(alone.pvalue))
    over = compare_means(means - means.min(), baseline="m0")
    assert not over.is_by_sets
    assert "Holm's correction for 3 comparisons" in describe_method(over)


@pytest.mark.parametrize(
    ("k", "n_tasks"),
    [
        (3, 9),
        *(
            pytest.param(*x, marks=pytest.mark.long)
            for x in ((3, 26), (5, 12), (8, 20))
        ),
    ],
)
@pytest.mark.parametrize("kind", ["normal", "apart", "scales"])
def test_equal_models_are_seldom_better_than_a_baseline(k, n_tasks, kind):
    """At level 0.05, by families; with half of the others far from the baseline."""
    rng = np.random.default_rng(k)
    count, errors = 200, 0
    are_apart = (np.arange(k) > k // 2) & (kind == "apart")
    for _ in range(count):
        means = rng.normal(size=(n_tasks, k)) + 5.0 * are_apart
        if kind == "scales":
            means *= np.exp(1.5 * rng.normal(size=(n_tasks, 1)))
        pairs, _, adjusted = find_p_values(means, has_baseline=True)
        errors += bool(np.any(adjusted[~are_apart[pairs[:, 1]]] <= LEVEL))
    # Of a test at 5 %, in one of 10^4 cases more are.
    assert 0 < errors < scipy.stats.binom.isf(1e-4, count, LEVEL)


def test_some_pairs_are_decided_and_others_not():
    """The oracle would agree with a test that never decides."""
    rng = np.random.default_rng(0)
    means = rng.normal(size=(15, 4)) + np.asarray([0.0, 0.0, 2.5, 6.0])
    pairs, _, adjusted = find_p_values(means)
    decided = {tuple(x) for x in pairs[adjusted <= LEVEL].tolist()}
    assert decided == {(0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}


@pytest.mark.parametrize(
    ("k", "n_tasks", "kind"),
    [(3, 8, "normal"), (5, 12, "apart"), (10, 57, "apart"), (4, 12, "spreads")],
)
def test_equal_models_are_seldom_called_better(k, n_tasks, kind):
    """At level 0.05, by families; with half of the models far apart from the others."""
    rng = np.random.default_rng(k)
    count, errors = 200, 0
    place = np.arange(k)
    level = 5.0 * (place < k // 2) if kind == "apart" else np.zeros(k)
    spread = np.where(place < k // 2, 4.0, 1.0) if kind == "spreads" else 1.0
    for _ in range(count):
        means = spread * rng.normal(size=(n_tasks, k)) + level
        pairs, _, adjusted = find_p_values(means)
        are_equal = level[pairs[:, 0]] == level[pairs[:, 1]]
        errors += bool(np.any(adjusted[are_equal] <= LEVEL))
    # Of a test at 5 %, in one of 10^4 cases more are.
    assert errors < scipy.stats.binom.isf(1e-4, count, LEVEL)


def test_two_models_are_compared_by_wilcoxon():
    means = np.random.default_rng(0).normal(size=(12, 2))
    means[:, 0] += 1.5
    over = compare_means(means)
    (pair,) = over.pairs
    expected = wilcoxon_test(*means.T)
    assert pair.pvalue == pair.adjusted_pvalue == pytest.approx(float(expected.pvalue))
    assert pair.pvalue < LEVEL
    assert pair.better == "m0"
    assert (pair.wins, pair.ties, pair.losses) == (
        np.sum(means[:, 0] > means[:, 1]),
        0,
        np.sum(means[:, 0] < means[:, 1]),
    )
    low, high = scipy.stats.ttest_rel(*means.T).confidence_interval()
    assert tuple(pair.interval) == pytest.approx((low, high))
    turned = compare_means(-means, higher_is_better=False)
    assert turned.pairs[0].better == "m0"
    assert turned.pairs[0].wins == pair.wins
    assert turned.pairs[0].difference == pytest.approx(-pair.difference)


def test_a_baseline_is_last_and_has_holms_correction():
    means = np.random.default_rng(0).normal((0.0, 0.5, 1.0, 2.0), size=(12, 4))
    over = compare_means(means, baseline="m0")
    assert [(x.a, x.b) for x in over.pairs] == [(f"m{k}", "m0") for k in (3, 2, 1)]
    alone = [float(wilcoxon_test(means[:, 0], means[:, k]).pvalue) for k in (3, 2, 1)]
    assert [x.adjusted_pvalue for x in over.pairs] == pytest.approx(list(holm(alone)))
    over = compare_means(means, baseline="m0", corrected=False)
    assert [x.adjusted_pvalue for x in over.pairs] == pytest.approx(alone)


def test_mean_ranks_are_friedmans():
    means = np.round(np.random.default_rng(0).normal(size=(9, 5)), 1)
    over = compare_means(means)
    ranks = scipy.stats.rankdata(-means, axis=1).mean(axis=0)
    assert list(over.mean_ranks.values()) == pytest.approx(list(ranks))
    assert list(over.mean_of_means.values()) == pytest.approx(
        list(means.mean(axis=0) + 50.0)
    )


def test_rounding_breaks_no_tie():
    scores = {
        f"t{k}": {"a": [0.1, 0.2, 0.3], "b": [0.3, 0.2, 0.1], "c": [0.0, 0.1, 0.2]}
        for k in range(8)
    }
    over = compare_models(scores, test="t", unit="run").over_tasks
    assert {(x.a, x.b): x.ties for x in over.pairs}["a", "b"] == 8
    cells = {tuple(x[:2]): x[3] for x in table_of_pairs(over).rows}
    assert cells["a", "b"] == "0 : 0, 8 ties"


@pytest.mark.long
def test_the_page_says_how_many_tasks_are_needed():
    needed = {
        k: compare_means(np.arange(2.0)[:, None] * np.arange(k)).needed_tasks
        for k in range(2, 15)
    }
    assert [k for k in needed if needed[k] == 6] == [2, 3]
    assert [k for k in needed if needed[k] == 7] == [4, 5, 6]
    assert [k for k in needed if needed[k] == 8] == list(range(7, 14))
    page = (ROOT / "docs" / "reading.md").read_text("utf-8")
    assert (
        "6 tasks to call any of two or three models better, 7 for four to six models, "
        "and 8 for 7 to 13 models."
    ) in " ".join(page.split())


@pytest.mark.parametrize(
    ("k", "options", "needed"),
    [(2, {}, 6), (4, {}, 7), (4, {"baseline": "m0"}, 6), (4, {"corrected": False}, 6)],
)
def test_how_many_tasks_are_needed(k, options, needed):
    """With these, and no fewer, models that are always in one order are told apart."""
    for n_tasks in (needed - 1, needed):
        means = np.arange(1.0, n_tasks + 1.0)[:, None] * np.arange(k)
        over = compare_means(means, **options)
        assert over.needed_tasks == needed
        least = min(x.adjusted_pvalue for x in over.pairs)
        assert _least_p_value(over, n_tasks) == pytest.approx(least)
        assert any(x.better for x in over.pairs) == (n_tasks == needed)


def test_tasks_that_a_model_lacks_do_not_count():
    scores = {
        f"t{k}": {"a": [8.0, 8.1, 8.2], "b": [7.0, 7.1, 7.2]}
        | ({"c": [9.0, 9.1, 9.2]} if k else {})
        for k in range(8)
    }
    result = compare_models(scores, test="t", unit="run")
    assert result.over_tasks.tasks == [f"t{k}" for k in range(1, 8)]
    assert result.better("c", "a")
    assert not result.better("a", "c")
    assert result.better("a", "b", task="t0")
    with pytest.raises(KeyError, match="two models that were compared"):
        result.better("a", "d")
    del scores["t1"], scores["t2"], scores["t3"], scores["t4"], scores["t5"]
    few = compare_models({k: scores[k] for k in ("t0", "t6")}, test="t", unit="run")
    assert few.over_tasks is None
    with pytest.raises(KeyError, match="task to be one of 't0', 't6'; got None"):
        few.better("a", "b")


def test_tasks_that_do_not_count_are_named():
    scores = {
        f"t{k}": {"a": [8.0, 8.1, 8.2], "b": [7.0, 7.1, 7.2]}
        | ({"c": [9.0, 9.1, 9.2]} if k else {})
        for k in range(8)
    }
    result = compare_models(scores, test="t", unit="run")
    said = "c has no scores on t0, so that verdicts over tasks are on the other 7."
    assert said in result.content.paragraphs[0]
    assert said in result.notes
    text = " ".join(str(result).split())
    assert text.count(said) == 1
    count = "8 tasks, 7 of them with scores of all models"
    ranking = (
        "Ranking over tasks like these (7 of 8 have these scores of all models): "
        "c > a > b"
    )
    assert text.startswith(f"the scores, higher is better, {count} {ranking}")
    assert result.content.paragraphs[0].startswith(f"3 models were compared on {count}")
    del scores["t0"]
    text = str(compare_models(scores, test="t", unit="run"))
    assert "Ranking over tasks like these 7: c > a > b" in text
    assert "no scores" not in text


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        (
            (1.0, 500.0),
            'by a factor of 500 (means of up to 1 on "task 0" and 500 on "task 1"): ',
        ),
        (
            (-0.5, 5.0),
            'by a factor of 10 (means of up to 0.5 on "task 0" and 5 on "task 1"): ',
        ),
        ((1.0, 9.5), None),
        ((0.05, 1.0), None),  # both are shares
        ((-0.05, 1.0), None),
        # Normalized scores, which may be above 1, and the same in percent.
        ((-0.04, 0.3, 0.6, 1.2, 0.9, 0.02, 0.5, 1.1), None),
        ((3.0, 30.0, 60.0, 80.0, 45.0), None),
        ((0.04, 0.9, 1.2), None),
        # One of them has no weight, though the others are alike.
        (
            (0.96, 79.0, 63.0),
            'by a factor of 82 (means of up to 0.96 on "task 0" and 79 on "task 1"): ',
        ),
        (
            (5.0, 500.0, 600.0),
            'by a factor of 120 (means of up to 5 on "task 0" and 600 on "task 2"): ',
        ),
        (
            (0.5, 3.0, 4.0, 5.0, 6.0, 7.0, 200.0),
            'by a factor of 400 (means of up to 0.5 on "task 0" and 200 on "task 6"): ',
        ),
    ],
)
def test_tasks_of_unlike_scales_are_named(sizes, said):
    runs = np.asarray([0.9, 1.0, 0.8, 0.95, 0.85])
    scores = {
        f"task {k}": {"a": size * runs / 0.9, "b": size * runs / 1.8}
        for k, size in enumerate(sizes)
    }
    result = compare_models(scores, unit="run")
    lines = [x for x in result.content.remarks if "differ in size" in x]
    assert len(lines) == (said is not None)
    if said:
        assert said in lines[0]
        assert "by the ranks of differences, depend on these units" in lines[0]
        assert "by means over these" not in str(result)
        (advice,) = (x for x in result.content.advice if "normalized" in x)
        assert "(score - low) / (high - low)" in advice
        assert ("Do not divide" in advice) == (min(sizes) < 0.0)
        assert set(lines) < set(result.sentences)


def test_units_of_tasks_move_p_values_as_the_line_says():
    leads = np.asarray([300.0, -2.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1])
    units = np.asarray([1000.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    p_values = [
        compare_means(np.column_stack([means, np.zeros(8)])).pairs[0].pvalue
        for means in (leads, leads * units[::-1])
    ]
    assert p_values[0] != p_values[1]


def test_a_verdict_beside_an_interval_with_0_is_explained():
    """One task of large scores makes the interval wide, and no rank."""
    over = [f"task {k}" for k in range(7)]
    runs = np.asarray([0.9, 1.0, 0.8, 0.95, 0.85])
    why = "Verdicts are by p of Wilcoxon's signed-rank test, and not by whe"
    for size, is_wide in ((1.0, False), (900.0, True)):
        scores = {
            task: {"a": x * (runs + 0.4), "b": x * runs}
            for task, x in zip(over, [size, *np.linspace(1.0, 1.2, 6)], strict=True)
        }
        result = compare_models(scores, test="t", unit="run")
        assert result.better("a", "b")
        assert any(x.startswith(why) for x in result.content.remarks) == is_wide
        assert (
            "], though this interval includes 0; " in result.sentences[0]
        ) == is_wide


def test_so_is_one_on_a_single_task_in_pictures():
    """The table of tasks has no intervals, so that nothing is said of them there."""
    pytest.importorskip("matplotlib")
    why = "intervals are of means, and verdicts of whole distributions: "
    clear = {"a": np.linspace(2.0, 3.0, 20), "b": np.linspace(0.5, 1.5, 20)}
    # The order is clear, and the mean is not.
    wide = clear | {"a": np.append(clear["a"][:-1], 200.0)}
    for first, is_wide in ((clear, False), (wide, True)):
        result = compare_models({"x": first, "y": clear}, unit="run")
        assert result.better("a", "b", task="x")
        assert (why in result.list_pictures()[0].caption) == is_wide
        assert why not in str(result)


@pytest.mark.filterwarnings("ignore:missing='worst'")
def test_the_method_line_says_that_missing_scores_count_as_the_worst():
    runs = [0.9, 1.0, 0.8, 0.95, 0.85]
    scores = {f"task {k}": {"a": runs, "b": [*runs[:4], np.nan]} for k in range(2)}
    said = "on each task, in which missing scores count as the worst, two-sided"
    assert said in compare_models(scores, unit="run", missing="worst").method
    assert said not in compare_models(scores, unit="run", missing="drop").method
