"""The numbers of a pair in text say whose they are, and for what p is adjusted."""

import numpy as np
import pytest

from sigarray import compare_models
from sigarray.report._rendering import render

RUNS = np.random.default_rng(3).normal(0.8, 0.02, 8).round(4)
LONG = ["resnet, wide", "resnet, deep", "vit"]


def make(names, gaps):
    """Return scores of models, the first of which is the best."""
    pairs = enumerate(zip(names, gaps, strict=True))
    return {name: np.roll(RUNS, k) - gap for k, (name, gap) in pairs}


@pytest.mark.parametrize("is_turned", [False, True])
def test_both_bounds_of_an_inconclusive_pair_say_whose_they_are(is_turned):
    scores = make(["new", "base"], [0.0, 0.012])
    if is_turned:
        scores = {name: -x for name, x in scores.items()}
    result = compare_models(scores, unit="run", higher_is_better=not is_turned)
    (record,) = result.records
    assert record["verdict"] == "inconclusive"
    assert record["model_a"] == "new"
    bounds = record["eps_min_a_over_b"], record["eps_min_b_over_a"]
    assert bounds[0] < bounds[1]
    said = "eps_min {:.3f} for new over base, {:.3f} for the reverse".format(*bounds)
    assert f"inconclusive ({said}, threshold 0.2; " in result.sentences[0]
    paragraph = render(result.content, "sentences")
    assert f"], {said})." in paragraph
    assert "95 % confidence, and eps_min of both. Inconclusive: new" in paragraph
    sign = "<" if is_turned else ">"
    why = (
        "eps_min is an upper bound, and cautious for few scores: it stays at 0.5 or "
        "above unless a test rejects that both models are equal, even where "
        f"P(A{sign}B) is 1. A high value never says that they are equal, or that the "
        "other one is better."
    )
    assert " ".join(str(result).split()).count(why) == 1


def test_paragraphs_say_whose_eps_min_they_have():
    scores = make("abc", [0.0, 0.01, 0.2])
    paragraph = render(compare_models(scores, unit="run").content, "sentences")
    assert "and eps_min of the better model, or of both where neither is. " in paragraph
    assert ", eps_min = 0.000)" in paragraph
    del scores["b"]
    paragraph = render(compare_models(scores, unit="run").content, "sentences")
    assert "and eps_min of the better model. a is better" in paragraph


def test_p_of_equality_says_for_what_it_is_adjusted():
    scores = make("abc", [0.0, 0.01, 0.02])
    said = compare_models(scores, unit="run").sentences[0]
    assert ", adjusted for 3 comparisons); the means differ" in said
    said = compare_models(scores, unit="run", baseline="a").sentences[0]
    assert ", adjusted for both comparisons); the means differ" in said
    for options in ({"corrected": False}, {"models": ["a", "b"]}):
        given = {x: scores[x] for x in options.pop("models", scores)}
        said = compare_models(given, unit="run", **options).sentences[0]
        assert "p of equality = " in said
        assert "adjusted" not in said


@pytest.mark.parametrize("test", ["t", "mann-whitney"])
def test_p_of_a_test_is_adjusted_only_for_several_comparisons(test):
    scores = make("abc", [0.0, 0.01, 0.2])
    sentences = compare_models(scores, unit="run", test=test).sentences
    assert all("adjusted p " in x for x in sentences if x[:3] in ("a i", "b i", "a v"))
    del scores["c"]
    said = compare_models(scores, unit="run", test=test).sentences[0]
    assert "(p = " in said
    assert "adjusted" not in said


def test_small_p_is_below_a_limit_for_readers_and_exact_for_programs():
    result = compare_models(make("ab", [0.0, 0.5]), unit="run", test="t")
    (record,) = result.records
    assert 0.0 < record["pvalue"] < 1e-9
    assert "a is better than b: p < 0.0001 <= 0.05; " in result.sentences[0]
    assert result.tables[0].rows[0][-2] == "<0.0001"
    assert "& $<0.0001$ &" in result.to_latex()
    assert r"| \<0.0001 |" in result.to_markdown()
    assert repr(record["pvalue"]) in result.to_json()
    # A verdict at a level that is so small is still checked.
    shown = compare_models(make("ab", [0.0, 0.5]), unit="run", test="t", alpha=1e-6)
    assert float(shown.tables[0].rows[0][-2]) == pytest.approx(
        record["pvalue"], rel=0.1
    )


def test_names_with_commas_are_quoted_in_sentences_and_not_in_cells():
    result = compare_models(make(LONG, [0.0, 0.005, 0.5]), unit="run")
    names = [f'"{name}"' for name in LONG[:2]]
    for text in (*result.sentences[:3], render(result.content, "sentences")):
        assert text.count("resnet") == sum(text.count(name) for name in names) > 0
    assert result.tables[0].rows[0][0] in LONG
    captions = [f"{x.caption} {x.description}" for x in result.list_pictures()]
    assert any(names[0] in x for x in captions)
    for text in captions:
        assert text.count("resnet") == sum(text.count(name) for name in names)


def test_few_runs_of_unequal_numbers_say_why_their_intervals_are_wide():
    """A run less narrows the interval; no run is to be removed for that."""
    full = [0.85702, 0.85344, 0.84765, 0.85245, 0.85244]
    crashed = [0.83505, 0.84059, 0.84124, 0.84507]
    said = "Intervals are wider where numbers of runs differ."
    advice = (
        "Do not remove runs to have equal numbers; if some are missing, repeat them."
    )
    widths = []
    for k, is_said in ((5, True), (4, False)):
        scores = {"t": full[:k], "m": crashed}
        result = compare_models(scores, unit="run")
        assert (said in " ".join(str(result).split())) is is_said
        # Captions describe, and do not advise.
        asked = [x for x in result.to_latex().splitlines() if advice in x]
        assert [x[0] for x in asked] == ["%"] * is_said
        (record,) = result.records
        widths.append(record["difference_high"] - record["difference_low"])
        # Of Welch's test they are its own, and of several tasks it is said once.
        assert said not in " ".join(
            str(compare_models(scores, unit="run", test="t")).split()
        )
        tasks = str(compare_models({"x": scores, "y": scores}, unit="run"))
        assert " ".join(tasks.split()).count(said) == is_said
    assert widths[0] > widths[1]


@pytest.mark.parametrize(("n_models", "is_shown"), [(6, True), (7, False)])
def test_intervals_are_explained_where_they_are_shown(n_models, is_shown):
    """Of more than 15 pairs there is a matrix of what decides, without intervals."""
    noise = np.random.default_rng(1).normal(size=(n_models, 12))
    noise -= noise.mean(axis=1, keepdims=True)
    # One pair is not clear enough for an interval that holds with all others.
    leads = [0.0, 0.7, *9.0 * np.arange(1, n_models - 1)]
    scores = {f"m{k}": x + leads[k] for k, x in enumerate(noise)}
    options = {"test": "t", "unit": "item"}
    result = compare_models(scores, **options)
    pairs = {(x["model_a"], x["model_b"]): x for x in result.records}
    near = pairs["m1", "m0"]
    assert near["better"] == "m1"
    assert near["difference_low"] < 0.0
    said = f"Intervals hold for all {len(pairs)} comparisons together"
    assert (said in " ".join(str(result).split())) == is_shown


def test_numbers_of_scores_are_those_on_each_task():
    items = {"a": [1.0] * 9 + [0.0], "b": [0.0] * 9 + [1.0]}
    caption = compare_models({"t": items, "u": items}, unit="item").content.measured
    assert caption == "Higher is better; 10 items on each task."
    assert compare_models(items, unit="item").content.measured.endswith("; 10 items.")
    runs = {name: RUNS[:5] + k for k, name in enumerate("ab")}
    caption = compare_models({"t": runs, "u": runs}, test="t").content.measured
    assert caption == "Higher is better; 5 runs of each model on each task."
    assert compare_models(runs, test="t").content.measured.endswith("; 5 runs each.")
