"""The line that answers first: which models are better than which."""

import re

import numpy as np
import pytest

from sigarray import compare_models
from sigarray._verdicts.ranking import order_by

RNG = np.random.default_rng(0)
NOISE = RNG.normal(0.0, 0.1, 20)
APART = {"low": NOISE, "high": NOISE[::-1] + 2.0, "middle": np.roll(NOISE, 3) + 1.0}


def rank(scores, **options):
    lines = str(compare_models(scores, unit="run", **options)).splitlines()
    return lines[1], [line.split()[:2] for line in lines[lines.index("Scores") + 3 :]]


@pytest.mark.parametrize("test", ["aso", "t", "mann-whitney"])
def test_models_that_are_all_told_apart(test):
    line, rows = rank(APART, test=test)
    assert line == "Ranking: high > middle > low"
    assert rows[1:4] == [["high", "a"], ["middle", "b"], ["low", "c"]]
    line, rows = rank(APART, test=test, higher_is_better=False)
    assert line == "Ranking: low > middle > high"


def test_models_of_one_group_are_listed_together():
    scores = APART | {"other": APART["low"] + RNG.normal(0.0, 0.1, 20)}
    line, rows = rank(scores, test="t")
    assert line.startswith("Ranking: high > middle > ")
    assert sorted(line.rpartition("> ")[2].split(", ")) == ["low", "other"]
    assert sorted(rows[3:5]) == [["low", "c"], ["other", "c"]]


def test_groups_that_overlap_have_letters():
    noise = NOISE - NOISE.mean()
    scores = {"a": noise, "b": noise[::-1] + 0.06, "c": np.roll(noise, 7) + 0.12}
    line, rows = rank(scores, test="t")
    said = "Of models that share a letter, neither is shown to be better."
    assert f"Ranking: c (a), b (ab), a (b). {said}".startswith(line)
    assert rows[1:4] == [["c", "a"], ["b", "ab"], ["a", "b"]]


def test_there_may_be_no_better_model():
    scores = {"a": NOISE, "b": NOISE[::-1], "c": np.roll(NOISE, 7)}
    line, _ = rank(scores)
    assert line == "No model is shown to be better than another one."
    text = str(compare_models(scores, unit="run"))
    assert "group" not in text
    assert "share a letter" not in text


@pytest.mark.parametrize("statistic", [None, "iqm", "improvement"])
@pytest.mark.parametrize("n_tasks", [1, 6])
def test_groups_are_explained_once(n_tasks, statistic):
    if n_tasks == 1 and statistic == "improvement":
        return
    scores = {f"task {k}": APART for k in range(n_tasks)} if n_tasks > 1 else APART
    text = str(compare_models(scores, unit="run", statistic=statistic))
    explained = "Of models that share a letter, neither is shown to be better."
    assert " ".join(text.split()).count(explained) == ("group" in text)


def test_there_is_no_ranking_with_a_baseline():
    _, rows = rank(APART, baseline="low", test="t")
    assert [name for name, _ in rows[1:4]] == ["low", "high", "middle"]
    text = str(compare_models(APART, unit="run", baseline="low", test="t"))
    answer = "Better than low: high, middle. Worse: none. Inconclusive: none."
    assert text.splitlines()[1] == answer
    assert "Ranking" not in text
    assert "middle  high" not in text


@pytest.mark.parametrize("test", ["aso", "t", "mann-whitney"])
def test_what_is_said_of_a_and_b_is_of_a_model_and_the_baseline(test):
    """So a positive difference speaks for the other model, everywhere."""
    scores = {f"task {k}": {"low": NOISE, "high": NOISE + 1.5 + k} for k in range(6)}
    by_task = compare_models(scores, unit="run", baseline="low", test=test)
    alone = compare_models(APART, unit="run", baseline="low", test=test)
    for result in (by_task, alone):
        for x in result.records:
            assert (x["model_b"], x["better"] == x["model_a"]) == ("low", True)
            assert 0.0 < x["difference_low"] < x["mean_difference"]
            if x["task"] == "all tasks":  # these are by Wilcoxon's test
                assert x["adjusted_pvalue"] <= 0.05
                continue
            if test != "t":
                assert x["probability_of_improvement"] > 0.5
            if test == "aso":
                assert x["eps_min_a_over_b"] < 0.2 < x["eps_min_b_over_a"]
        table = result.tables[0]
        assert "; B is the baseline low" in table.title
        for row in table.rows:
            assert (row[1], row[-1]) == ("low", row[0])
            assert row[2].startswith("+")
        assert all("differ by +" in x for x in result.sentences if " differ by " in x)
        picture = result.list_pictures()[0]
        assert "minus low: +" in picture.description
    (pair,) = by_task.over_tasks.pairs
    assert (pair.b, pair.better, pair.difference > 0.0) == ("low", "high", True)
    assert all("high vs. low" not in x for x in by_task.content.paragraphs)


def test_beside_a_baseline_all_models_are_in_the_answer(run):
    scores = APART | {"same": np.roll(NOISE, 5)}
    text = str(compare_models(scores, unit="run", baseline="middle", test="t"))
    answer = "Better than middle: high. Worse: low, same. Inconclusive: none."
    assert text.splitlines()[1] == answer
    text = str(compare_models(scores, unit="run", baseline="low", test="t"))
    answer = "Better than low: high, middle. Worse: none. Inconclusive: same."
    assert text.splitlines()[1] == answer
    # The file of the package has models that are unequal, and neither is better.
    _, out, _ = run("compare", "--baseline", "network")
    assert (
        "Better than network: wide_network, forest. Worse: none. Unequal: linear. "
        "Inconclusive: none."
    ) in " ".join(out.split())


def test_models_named_as_the_columns_are():
    """The better model is named, for "A" may be the second one of a row."""
    text = str(compare_models({"B": APART["high"], "A": NOISE}, unit="run"))
    (row,) = [x.split() for x in text.splitlines() if x.split()[:2] == ["B", "A"]]
    assert row[-1] == "B"


def test_where_interval_and_verdict_differ_it_is_said():
    few_fail = np.r_[np.full(15, 0.9), np.full(15, 0.5)] + NOISE[:1] * 0.0
    other = RNG.normal(0.8, 0.003, 30)
    text = str(compare_models({"a": few_fail, "b": other}, unit="run"))
    assert "inconclusive" in text or "unequal" in text
    assert "Intervals are of means, and verdicts of whole distributions" in text


def test_nothing_is_advised_where_no_score_varies():
    scores = {"x": np.full(6, 0.5), "y": np.full(6, 0.5)}
    with pytest.warns(UserWarning, match="do not vary"):
        text = str(compare_models(scores, unit="run"))
    assert "would decide more" not in text


def test_names_with_the_signs_of_lists_are_quoted():
    scores = {"x, y": APART["high"], "p > q": APART["middle"], "z": APART["low"]}
    line, _ = rank(scores, test="t")
    assert line == 'Ranking: "x, y" > "p > q" > z'
    text = str(compare_models(scores, unit="run", test="t", baseline="z"))
    assert 'Better than z: "x, y", "p > q". Worse: none. Inconclusive: none.' in text


def test_many_models_have_letters_and_a_baseline_has_rows():
    scores = {f"m{k}": np.roll(NOISE, k) + 0.5 * k for k in range(14)}
    options = {"unit": "run", "test": "t"}
    text = str(compare_models(scores, **options))
    rows = [x.split() for x in text.splitlines() if re.match(r"m\d", x)]
    assert [(x[0], x[1]) for x in rows] == [
        (f"m{13 - k}", letter) for k, letter in enumerate("abcdefghijklmn")
    ]
    assert "to_frame(). With baseline='MODEL' there are" in " ".join(text.split())
    text = str(compare_models(scores, baseline="m0", **options))
    assert len(re.findall(r"^m\d+ +m0 +\+", text, re.MULTILINE)) == 13


def test_a_model_that_is_told_apart_from_none_ranks_by_its_score():
    """One that fails once is behind those that are worse than another one."""
    scores = {"A": 0.9, "B": 0.87, "C": 0.77}
    ranks = {name: -x for name, x in scores.items()}
    order = order_by(ranks, [("A", "B")], None)
    assert order.names == ["A", "B", "C"]
    assert order.letters == {"A": "a", "B": "b", "C": "ab"}
    assert order_by(ranks, [("B", "A")], None).names == ["B", "A", "C"]
    assert order_by(ranks, [("A", "B")], "C").names == ["A", "B", "C"]
    # Verdicts that go in a circle.
    wins = [("A", "C"), ("C", "B"), ("B", "A")]
    assert order_by(ranks, wins, None).names == ["A", "C", "B"]


def test_columns_of_eps_min_have_one_direction():
    """Each says which; that of B over A is there where one of these is smaller."""
    for options in ({}, {"baseline": "low"}, {"higher_is_better": False}):
        table = compare_models(APART, unit="run", **options).tables[0]
        sign = "<" if "higher_is_better" in options else ">"
        assert table.header[-2:] == [f"eps_min(A{sign}B)", "better"]
        assert {row[-2] for row in table.rows} == {"0.000"}
        assert all(row[0] == row[-1] for row in table.rows)
    result = compare_models(APART, unit="run", baseline="high")
    table = result.tables[0]
    bounds = {(x["model_a"], x["model_b"]): x for x in result.records}
    for row in table.rows:
        cells = dict(zip(table.header, row, strict=True))
        record = bounds[cells["A"], cells["B"]]
        assert cells["B"] == "high"
        assert cells["eps_min(A>B)"] == f"{record['eps_min_a_over_b']:.3f}"
        assert cells["eps_min(B>A)"] == f"{record['eps_min_b_over_a']:.3f}"
        assert float(cells["eps_min(B>A)"]) < 0.2 < float(cells["eps_min(A>B)"])
        assert cells["better"] == cells["B"]
    losses = compare_models(APART, unit="run", baseline="low", higher_is_better=False)
    assert "eps_min(A<B)" in losses.tables[0].header
    assert r"$\varepsilon_{\min}^{A<B}$" in losses.to_latex()


@pytest.mark.parametrize("n_models", [2, 4, 14, 70])
@pytest.mark.parametrize("n_tasks", [1, 6])
@pytest.mark.parametrize("statistic", [None, "mean"])
def test_a_baseline_is_the_first_in_tables_of_scores(n_models, n_tasks, statistic):
    """Whatever its rank, in rows, or in the columns of many tasks."""
    rng = np.random.default_rng(0)
    tasks = {
        f"t{k}": {f"m{i}": rng.normal(i, 1.0, 5) for i in range(n_models)}
        for k in range(n_tasks)
    }
    scores = tasks["t0"] if n_tasks == 1 else tasks
    if n_tasks == 1 and statistic is not None:
        return
    asked = {"statistic": statistic} if statistic else {"test": "t"}
    result = compare_models(scores, baseline="m1", unit="run", **asked)
    of_scores = 0
    for table in result.content.tables:
        if table.header[0] == "model":
            assert table.rows[0][0] == "m1"
        elif table.header[:2] == ["task", "m1"]:
            assert len(table.header) == n_models + 1
        else:
            continue
        of_scores += 1
        for row, column in table.marked:  # the best, beside its own mean
            name = table.rows[row][0] if table.header[0] == "model" else ""
            assert f"m{n_models - 1}" in (name, table.header[column])
    assert of_scores
    document = result.content.document
    by_task = document.get("tasks", {"": document.get("models", {})})
    for models in [*by_task.values(), (document.get("over_tasks") or {}).get("models")]:
        assert next(iter(models or ["m1"])) == "m1"
