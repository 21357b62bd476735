"""Verdicts on single tasks, and the paragraphs of a paper on several."""

import random

import pytest

from sigarray import compare_models
from sigarray._verdicts.paragraph import name_tasks

EVERY = [f"t{k:02d}" for k in range(20)]
DRAW = random.Random(2)
# A is ahead on all tasks, and B and C are equal.
SCORES = {
    task: {
        m: [DRAW.gauss(100.0 + 9.0 * (m == "A") * (k != 4), 1.0) for _ in range(6)]
        for m in "ABC"
    }
    for k, task in enumerate(EVERY)
}


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        (EVERY, ""),
        ([], ""),
        (EVERY[:2], " (t00, t01)"),
        (EVERY[:6], f" ({', '.join(EVERY[:6])})"),
        (EVERY[:7], ""),
        (EVERY[:12], ""),
        (EVERY[:-2], " (all but t18, t19)"),
    ],
)
def test_a_few_tasks_are_named(tasks, said):
    assert name_tasks(tasks, EVERY) == said


def split(run, write, *options, scores=SCORES):
    rows = [
        f"{task},{m},{k},{x}"
        for task, by in scores.items()
        for m, xs in by.items()
        for k, x in enumerate(xs)
    ]
    path = write("\n".join(["game,model,seed,score", *rows]))
    command = ("compare", path, "--format", "sentences", "--quiet", "--test", "t")
    code, out, err = run(*command, *options)
    assert code == 0, err
    return out.rstrip("\n").split("\n\n")


def test_the_verdict_over_all_tasks_comes_first(run, write):
    summary, over, single, method = split(run, write)
    assert summary.startswith("3 models were compared on 20 tasks (6 runs of each ")
    assert "; ranking over tasks like these 20: A > " in summary
    assert over.startswith(
        "3 models were compared on 20 tasks (6 runs of each model on each task; higher "
        "is better). Ranking over tasks like these 20: A > "
    )
    assert "A is better than B (+" in over
    assert ", ahead on 20 of 20, adjusted p" in over
    assert over.count("Inconclusive: ") == 1
    assert single.startswith("On one task, a model is better than another if p <= 0.05")
    assert "A is better than B on 19 of 20 tasks (all but t04)" in single
    assert "and C on 19 of 20 (all but t04)." in single
    assert "share a letter" not in over + single
    assert method.startswith("Method: Welch's t-test")


def test_these_tasks_come_first_and_tasks_like_them_not_at_all(run, write):
    summary, *said, method = split(run, write, "--statistic", "mean")
    these, single = said
    assert "; ranking by means over these 20 tasks: A > " in summary
    assert "tasks like these" not in summary
    what = "3 models were compared on 20 tasks (6 runs of each model on each task; "
    assert these.startswith(what)
    assert "Ranking by means over these 20 tasks: A > " in these
    assert "In parentheses: the difference of means with its interval, 95 %" in these
    assert "tasks like these" not in these + single
    assert single.startswith("On one task, ")
    assert "Over these 20 tasks: t-test" in method


def test_of_equal_models_nothing_is_said_of_any_task(run, write):
    scores = {
        x: {m: by["B"][::k] for m, k in (("p", 1), ("q", -1))}
        for x, by in SCORES.items()
    }
    summary, _, single, _ = split(run, write, scores=scores)
    assert summary.startswith("2 models were compared on 20 tasks (6 runs of each ")
    assert "inconclusive" in summary.lower()
    assert single.endswith(
        "No model is shown to be better than another one on any task."
    )


def test_python_lists_the_tasks_by_exceptions():
    result = compare_models(SCORES, test="t")
    (said,) = [x for x in result.sentences if x.startswith("A is better than B")]
    assert "better on 19 of 20 tasks (all but t04) and not shown to be worse" in said
