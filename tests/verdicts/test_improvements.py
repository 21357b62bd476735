"""Probabilities of improvement over these tasks: calls on arrays are the oracle."""

import itertools
import json
import math

import numpy as np
import pytest

from sigarray import compare_models, probability_of_improvement
from sigarray._verdicts.aggregate_tests import (
    Pooled,
    average_improvements,
    compare_runs,
)
from tests.verdicts.test_aggregates import N_RUNS, N_TASKS, NAMES, draw

# Few resamples are enough here.
pytestmark = pytest.mark.filterwarnings("ignore:.*another seed may decide otherwise")

UNLIKE = (5, 3, 4, 5, 6, 2)


def compare(scores, **options):
    options = {"test": "t", "unit": "run", "n_resamples": 199, "rng": 3} | options
    return compare_models(scores, statistic="improvement", **options)


def improve(scores, a, b, **options):
    """Call the function of arrays, with a label for the task of each run."""
    tasks = sorted(scores)
    samples = [np.concatenate([np.sort(scores[t][x]) for t in tasks]) for x in (a, b)]
    labels = [
        np.concatenate([np.repeat(t, len(scores[t][x])) for t in tasks]) for x in (a, b)
    ]
    return probability_of_improvement(
        *samples, strata=tuple(labels), n_resamples=199, rng=3, **options
    )


@pytest.mark.parametrize("sizes", [(N_RUNS,) * N_TASKS, UNLIKE])
def test_it_is_the_function_of_arrays(sizes):
    scores = draw(sizes)
    result = compare(scores)
    for x in result.over_these_tasks.pairs:
        y = x if x.a < x.b else x.turn()
        expected = improve(scores, y.a, y.b, confidence_level=1.0 - 0.05 / 3)
        found = y.probability, *y.limits
        numbers = expected.statistic, *expected.confidence_interval
        assert found == pytest.approx([float(v) for v in numbers], rel=1e-12)


def test_lower_scores_may_be_better():
    scores = draw()
    negated = {t: {m: -x for m, x in by.items()} for t, by in scores.items()}
    higher = compare(scores).over_these_tasks
    lower = compare(negated, higher_is_better=False).over_these_tasks
    assert lower.values == pytest.approx(higher.values, rel=1e-12)
    assert [x.better for x in lower.pairs] == [x.better for x in higher.pairs]
    assert [x.pvalue for x in lower.pairs] == [x.pvalue for x in higher.pairs]


@pytest.mark.parametrize("seed", [0, 1, 2, 4, 5, 7])
def test_a_pvalue_says_what_the_interval_does(seed):
    rng = np.random.default_rng(seed)
    tasks = np.repeat(np.arange(5), 4)
    a, b = (Pooled(rng.normal(lead, 1.0, 20), tasks) for lead in (0.5, 0.0))
    resampling = {"n_resamples": 199, "rng": seed}
    _, _, p = compare_runs([a, b], 0.95, higher_is_better=True, resampling=resampling)
    for level, is_out in ((p + 0.02, True), (p - 0.02, False)):
        _, interval, _ = compare_runs(
            [a, b], 1.0 - level, higher_is_better=True, resampling=resampling
        )
        assert interval.includes_zero != is_out


def test_few_runs_that_are_apart_by_chance_are_not_better():
    """With two runs of each on two tasks, all of A are ahead in one case of 36."""
    tasks = np.asarray([0, 0, 1, 1])
    a, b = Pooled(tasks + 10.0, tasks), Pooled(tasks - 10.0, tasks)
    resampling = {"n_resamples": 999, "rng": 0}
    lead, _, p = compare_runs(
        [a, b], 0.95, higher_is_better=True, resampling=resampling
    )
    assert lead == 0.5
    assert p == 2 / math.comb(4, 2) ** 2


def test_equal_models_have_a_half():
    tasks = np.repeat(np.arange(3), 4)
    x = Pooled(np.tile([0.1, 0.2, 0.3, 0.4], 3), tasks)
    resampling = {"n_resamples": 99, "rng": 0}
    lead, interval, p = compare_runs(
        [x, x], 0.95, higher_is_better=True, resampling=resampling
    )
    assert (lead, p) == (0.0, 1.0)
    assert interval.includes_zero


def test_a_model_has_the_mean_over_those_it_is_compared_with():
    leads = {("a", "b"): 0.2, ("a", "c"): 0.4, ("b", "c"): -0.1}
    found = average_improvements("abc", leads)
    assert found == pytest.approx({"a": 0.8, "b": 0.35, "c": 0.35})


def test_scales_of_tasks_do_not_matter(recwarn):
    """Scores of one task may be a million times those of another, without a doubt."""
    scores = draw()
    factors = 10.0 ** np.arange(N_TASKS)
    scaled = {
        t: {m: f * x for m, x in by.items()}
        for f, (t, by) in zip(factors, scores.items(), strict=True)
    }
    found, expected = (compare(x).over_these_tasks for x in (scaled, scores))
    assert found.values == pytest.approx(expected.values, rel=1e-12)
    assert [x.limits for x in found.pairs] == [x.limits for x in expected.pairs]
    assert not any("takes them for scores on one scale" in str(x) for x in recwarn)


def test_records_have_the_probability_of_both():
    scores = draw(leads=(0.15, 0.0, 0.0))
    result = compare(scores)
    pairs = result.over_these_tasks.pairs
    rows = [x for x in result.records if x["task"] == "these tasks"]
    for row, pair in zip(rows, pairs, strict=True):
        assert row["probability_of_improvement"] == pair.probability
        assert row["mean_difference"] is None
        assert (row["aggregate_low_a"], row["aggregate_high_a"]) == pair.limits
        assert row["aggregate_b"] == pytest.approx(1.0 - row["aggregate_a"])
        assert row["aggregate_low_b"] == pytest.approx(1.0 - row["aggregate_high_a"])
    document = json.loads(result.to_json())["over_these_tasks"]
    assert document["models"].keys() == {*NAMES}
    assert {*document["models"]["ours"]} == {"value"}
    for row, pair in zip(document["pairs"], pairs, strict=True):
        assert row["probability_of_improvement"] == pair.probability
        assert row["probability_of_improvement_low"] == pair.limits.low


def test_sentences_say_the_probability():
    result = compare(draw(), n_resamples=999)
    said = next(x for x in result.sentences if x.startswith("ours is better than dqn"))
    assert "a run of ours beats one of dqn with probability 0." in said
    assert "the mean over tasks of P(A better) + P(A = B)/2" in result.method
    assert "A resample has one run fewer than there are on each" in result.method
    assert "Intervals of single models" not in result.method
    titles = [x.title for x in result.tables[:2]]
    assert titles[0].startswith("Probabilities of improvement over these 6 tasks, 95 %")
    assert titles[1].endswith("each the mean over the other models")
    assert result.tables[0].header[2] == "P(A>B), interval"


def test_an_interval_may_include_a_half_though_a_model_is_better():
    """Holm's correction decides sooner than intervals at one level for all."""
    scores = draw(seed=8, leads=(0.3, 0.0, 0.055))
    result = compare(scores, n_resamples=999)
    pairs = result.over_these_tasks.pairs
    assert [x.a for x in pairs if x.better and x.interval.includes_zero]
    assert any(
        x.endswith("though this interval includes 1/2.") for x in result.sentences
    )
    assert result.content.clauses == [
        "Verdicts are by adjusted p, and not by whether an interval includes 1/2."
    ]


def test_orders_of_models_and_tasks_change_no_number():
    scores = draw(UNLIKE)
    turned = {t: dict(reversed(by.items())) for t, by in reversed(scores.items())}
    found, expected = (
        {
            frozenset((x.a, x.b)): (x.pvalue, abs(x.difference))
            for x in compare(y).over_these_tasks.pairs
        }
        for y in (turned, scores)
    )
    assert found == expected


def test_a_probability_without_an_interval_is_explained(write, run):
    rows = [
        f"{m},t{t},{k},{0.1 * k + t + 100 * (m == 'a')}"
        for m in "abc"
        for t in range(3)
        for k in range(4)
    ]
    path = write("\n".join(["model,task,seed,score", *rows, ""]))
    options = ("--statistic", "improvement", "--n-resamples", "99")
    text = " ".join(run("compare", path, *options)[1].split())
    assert "A probability of 0 or 1 is that of all resamples: no interval." in text
    assert text.count("Of models that share a letter") <= 1


def test_a_picture_has_a_half_in_the_middle():
    pytest.importorskip("matplotlib")
    result = compare(draw())
    picture = result.list_pictures()[0]
    ax, *panels = picture.figure.axes
    assert len(panels) == 6
    assert ax.xaxis.get_major_formatter()(0.0, 0) == "0.5"
    assert ax.get_title().startswith("P(first is better) over these 6 tasks, 95 %")
    pair = result.over_these_tasks.pairs[0]
    assert f"{pair.a} beats {pair.b}: {pair.probability:.3g} [" in picture.description


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"margin": 0.1}, "without margin"),
        ({"paired": True, "test": "permutation"}, "got pairs of runs"),
        ({"unit": "item"}, "got items"),
    ],
)
def test_what_it_is_not_for_raises_an_error(options, said):
    with pytest.raises(ValueError, match=r"xpected .*runs|without margin") as error:
        compare(draw(), **options)
    assert said in str(error.value)


def test_one_task_is_for_another_test():
    with pytest.raises(ValueError, match="test='brunner-munzel' says how often"):
        compare({"t0": draw()["t0"]})


def test_it_is_of_every_two_models_of_many():
    """A circle of wins, in which no model is the best, has an order, too."""
    rng = np.random.default_rng(0)
    dice = {"x": [2, 4, 9], "y": [1, 6, 8], "z": [3, 5, 7]}
    scores = {
        f"t{k}": {m: rng.permutation(x) + 0.0 for m, x in dice.items()}
        for k in range(40)
    }
    found = compare(scores).over_these_tasks
    assert [abs(x.difference) for x in found.pairs] == pytest.approx([1 / 18] * 3)
    wins = {(x.a, x.b) if x.difference > 0 else (x.b, x.a) for x in found.pairs}
    assert wins == {("x", "y"), ("y", "z"), ("z", "x")}
    assert set(itertools.chain(*wins)) == {*found.order.names}
    assert found.values == pytest.approx(dict.fromkeys("xyz", 0.5))
