"""What is said of several tasks: one order of models, the answer, and its numbers."""

import re
import warnings

import numpy as np
import pytest

from sigarray import compare_models

SHIFTS = {"base": 0.0, "alt": 1.0, "new": 4.0}


def make(n_tasks, n_equal=0, names=SHIFTS):
    """Return tasks on which models differ, from the worst on, but on some tasks."""
    rng = np.random.default_rng(0)
    return {
        f"t{k}": {
            name: rng.normal(SHIFTS[name] if k >= n_equal else 0.0, 1.0, 12).round(3)
            for name in names
        }
        for k in range(n_tasks)
    }


@pytest.mark.parametrize("names", [("base", "new"), ("base", "alt", "new")])
@pytest.mark.parametrize("is_turned", [False, True])
def test_models_have_one_order_in_tables_sentences_and_pictures(names, is_turned):
    scores = make(4, names=names)
    if is_turned:
        scores = {t: {name: -x for name, x in by.items()} for t, by in scores.items()}
    result = compare_models(
        scores, test="t", unit="run", higher_is_better=not is_turned
    )
    rows = [table.rows for table in result.tables if table.header[:2] == ["A", "B"]]
    assert result.tables[0].title.startswith("Differences of means over these 4 tasks")
    assert len(rows) == 2
    pairs = [tuple(row[:2]) for row in rows[0]]
    assert [tuple(row[:2]) for row in rows[1]] == pairs
    assert pairs[0] == ("new", names[-2])
    assert [(x.a, x.b) for x in result.over_tasks.pairs] == pairs
    assert all((x.difference > 0.0) != is_turned for x in result.over_tasks.pairs)
    first = result.list_pictures()[0]
    for task in scores:
        minus = re.findall(rf"(\w+) minus (\w+) on {task}: [+-]", first.description)
        assert sorted(minus) == sorted(pairs) or len(names) == 2
    minus = re.findall(r"(\w+) minus (\w+)", first.description)
    assert {*minus} == {*pairs}
    if len(names) == 2:
        assert first.caption.startswith("Differences of the means, new minus base:")
        (axes,) = first.figure.axes
        texts = [x.get_text() for x in axes.texts]
        assert "better: base" in " ".join(texts)


@pytest.mark.parametrize("is_turned", [False, True])
def test_two_models_have_one_order_on_one_task(is_turned):
    scores = make(1, names=("base", "new"))["t0"]
    result = compare_models(
        scores, test="aso", unit="run", higher_is_better=not is_turned
    )
    better, worse = ("base", "new") if is_turned else ("new", "base")
    assert result.tables[0].rows[0][:2] == [better, worse]
    assert result.tables[0].rows[0][2][0] == ("-" if is_turned else "+")
    captions = [x.caption for x in result.list_pictures()]
    said = f"Differences of the means, {better} minus {worse}: "
    assert captions[0].startswith(said)
    assert f"{better} and {worse}: all scores in order." in captions


def test_items_that_models_have_right_are_in_the_order_of_the_table():
    rng = np.random.default_rng(1)
    scores = {
        name: (rng.random(200) < share).astype(float)
        for name, share in (("base", 0.5), ("new", 0.8))
    }
    result = compare_models(scores, unit="item")
    assert result.tables[0].rows[0][:2] == ["new", "base"]
    caption = result.list_pictures()[0].caption
    assert caption.startswith("Items on which new and base are right")


@pytest.mark.parametrize(
    ("n_equal", "said"),
    [
        (0, "On single tasks, new is better than base on 4 of 4"),
        (1, "On single tasks, new is better than base on 3 of 4"),
        (4, "No model is shown to be better than another one on any single task."),
    ],
)
@pytest.mark.parametrize("baseline", [None, "base"])
def test_the_answer_over_tasks_counts_those_on_which_a_model_is_better(
    n_equal, said, baseline
):
    tasks = {
        t: {m: 10.0**k * np.asarray(x) for m, x in by.items()}
        for k, (t, by) in enumerate(make(4, n_equal).items())
    }
    result = compare_models(tasks, test="t", unit="run", baseline=baseline)
    text = " ".join(str(result).split())
    # What can be decided, on other scales than one, is first.
    assert f"higher is better, 4 tasks {said}" in text
    assert ". 4 tasks are too few to generalize to other tasks like these" in text
    assert "over tasks like these 4." not in text.partition("Differences")[0]
    # Of tasks on which all are compared, where a model is better over all of them.
    headline = " ".join(compare_models(make(9), test="t", unit="run").content.headline)
    assert "over tasks like these 9" in headline
    assert "ingle task" not in headline


@pytest.mark.parametrize(
    ("options", "number"),
    [
        ({"test": "aso"}, "the smaller eps_min of both, with its direction if n"),
        ({"test": "t"}, "adjusted p"),
        ({"test": "t", "corrected": False}, "p"),
    ],
)
def test_the_table_of_tasks_says_what_its_numbers_are(options, number):
    table = compare_models(make(3), unit="run", **options).tables[-1]
    title = f"On each task: the better model, A or B, if any, and {number}"
    assert table.title.startswith(title)
    assert re.fullmatch(r"A [<\d.]+", table.rows[0][2])


def test_letters_are_explained_below_the_table_that_has_them():
    noise = np.linspace(-1.0, 1.0, 5)
    # Over 8 tasks c is better than a, and b is between them.
    leads = {"a": 0.0, "b": 0.4, "c": 0.8}
    scores = {
        f"t{k}": {x: noise + lead + (k % 2) * (x == "b") for x, lead in leads.items()}
        for k in range(8)
    }
    content = compare_models(scores, unit="run", test="t").content
    said = "Of models that share a letter, neither is shown to be better."
    assert "group" in content.tables[1].header
    (place,) = (k for k, x in enumerate(content.tables) if said in x.remarks)
    assert place == 1


@pytest.mark.parametrize(("shifts", "more"), [((0, 9, 18), 0), ((0, 9, 18, 27, 36), 7)])
def test_few_pairs_are_all_named(shifts, more):
    """Of two runs each, where verdicts are on single tasks."""
    rng = np.random.default_rng(0)
    tasks = {
        t: {f"m{k}": rng.normal(100.0 * x, 1.0, 2) for k, x in enumerate(shifts)}
        for t in "xyz"
    }
    text = " ".join(str(compare_models(tasks, test="t", unit="run")).split())
    assert ("more pair" in text) is bool(more)
    assert not more or f"; {more} more pairs differ on some tasks." in text
    four = {
        t: dict([*by.items()][:3]) | {"m9": by["m0"] + 4e3} for t, by in tasks.items()
    }
    text = " ".join(str(compare_models(four, test="t", unit="run")).split())
    (said,) = re.findall(r"On single tasks, [^.]*\.", text)
    assert said.count(" is better than ") == 6


@pytest.mark.parametrize(("n", "is_valid"), [(3, False), (4, True)])
def test_statistics_that_need_more_runs_are_not_advised(n, is_valid):
    """By the number at which --statistic iqm warns that it is invalid."""
    rng = np.random.default_rng(0)
    tasks = {t: {x: rng.normal(size=n) for x in "ab"} for t in "uvwxyz"}
    advice = " ".join(str(compare_models(tasks, test="t", unit="run")).split())
    assert "pass statistic='mean'" in advice
    assert ("statistic='iqm'" in advice) is is_valid
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        compare_models(tasks, test="t", unit="run", statistic="iqm")
    assert any("for so few" in str(x.message) for x in warned) is not is_valid
