"""Tables that are doubted: other scales, copies, one score of each."""

import numpy as np
import pytest

from sigarray import compare_models
from sigarray._verdicts.doubts import _find_far
from tests.read.asking import numbers, refuse

DRAW = np.random.default_rng(0)


class TestScales:
    def test_a_model_in_percent(self, write, run):
        rows = [f"{numbers(0.8, 0.9)},{numbers(80, 90)}" for _ in range(9)]
        refuse(run("compare", write("\n".join(["a,b", *rows]))), "of one scale?")

    def test_a_share_among_percentages(self, write, run):
        rows = [numbers(88, 94, 2) for _ in range(9)]
        path = write("\n".join(["a,b", *rows, "0.93,91.2"]))
        refuse(run("compare", path), "0.93", "one scale")

    def test_a_percentage_among_shares(self, write, run):
        rows = [numbers(0.88, 0.94, 2) for _ in range(7)]
        path = write("\n".join(["a,b", *rows, "91.5,0.93"]))
        refuse(run("compare", path), "got 91.5 of 'a' among scores of 0.8", "one scale")
        path = write("\n".join(["a,b", *rows, "89.97,93.76"]), "row.csv")
        refuse(run("compare", path), "89.97", "one scale")
        long = [f"a,{x.split(',')[0]}" for x in rows] + ["a,91.3", "b,0.9", "b,0.91"]
        path = write("\n".join(["model,acc", *long]), "long.csv")
        refuse(run("compare", path), "91.3", "one scale")

    def test_half_shares_and_half_percentages(self, write, run):
        rows = [numbers(0.88, 0.94, 2) for _ in range(4)]
        rows += [numbers(88, 94, 2) for _ in range(4)]
        refuse(run("compare", write("\n".join(["a,b", *rows]))), "one scale")

    def test_shares_that_spread_more_than_the_percentages(self, write, run):
        rows = ["0.88,0.93", "0.94,0.90", "0.94,0.91", "0.92,0.94"]
        rows += ["89.22,88.24", "89.06,88.21", "90.64,88.74", "88.57,89.85"]
        refuse(run("compare", write("\n".join(["a,b", *rows]))), "one scale")

    @pytest.mark.parametrize("n", [20, 60])
    def test_answers_of_0_and_1_beside_0_and_100(self, write, run, n):
        answers = np.random.default_rng(2).integers(0, 2, (2, 60))
        answers[1, :n] *= 100
        rows = [f"{'ab'[m]},{k},{y}" for (m, k), y in np.ndenumerate(answers)]
        path = write("\n".join(["model,item,correct", *rows]))
        refuse(run("compare", path), "' among scores of 1", "one scale")

    def test_scores_that_are_said_to_be_of_one_scale(self, write, run):
        """A run that diverged has a loss of another size, and so has an early agent."""
        rows = ["0.041,0.038", "0.039,0.042", "0.044,3.9", "0.040,0.037", "0.043,0.041"]
        path = write("\n".join(["a,b", *rows]))
        refuse(run("compare", path, "--lower-is-better"), "pass --unit run")
        status, _, err = run("compare", path, "--lower-is-better", "--unit", "run")
        assert status == 0
        assert err.count("got 3.9 of 'b' among scores of 0.037") == 1

    @pytest.mark.parametrize(
        ("metric", "sizes", "is_asked"),
        [
            ("accuracy", (0.95, 78.0, 62.0), True),
            ("score", (0.31, 0.95, 62.0), True),
            ("accuracy", (0.95, 0.78, 0.62), False),
            ("accuracy", (5.0, 78.0, 62.0), False),
            ("score", (0.95, 78.0, 500.0), False),  # of games
            ("return", (0.95, 78.0, 62.0), False),
        ],
    )
    def test_a_task_in_shares(self, write, run, metric, sizes, is_asked):
        rows = [
            f"{m},t{t},{k},{size * DRAW.uniform(0.96, 1.04):.4f}"
            for m in "ab"
            for t, size in enumerate(sizes)
            for k in range(4)
        ]
        path = write("\n".join([f"model,task,seed,{metric}", *rows]))
        if not is_asked:
            code, _, err = run("compare", path)
            assert (code, "of one scale?" in err) == (0, False), err
            return
        refuse(run("compare", path), "'t2' above 1.5: are they of one scale?")
        code, out, err = run("compare", path, "--unit", "run")
        assert code == 0, err
        assert "of one scale?" in err
        assert "means over these" not in out
        loss = path, "--lower-is-better"
        assert "of one scale?" not in run("compare", *loss)[2]

    @pytest.mark.parametrize(
        "rows",
        [
            ["0.5,812", "31.5,9.1", "77,0.8", "412,65", "2.5,88", "13,41"],  # returns
            ["0.91,0.93", "0.9,0.94", "0.92,0.0", "0.89,0.93", "0.9,0.92"],
            ["1,60", "70,80", "90,100", "65,75", "88,99", "92,77"],
            ["0.91,11.5", "0.9,0.94", "0.92,0.9", "0.89,0.93", "0.9,0.92"],
            ["0.61,1.2", "0.9,2.4", "1.1,0.9", "0.89,3.3", "0.7,0.92"],
        ],
    )
    def test_scores_of_no_one_scale(self, write, run, rows):
        code, _, err = run("compare", write("\n".join(["a,b", *rows])))
        assert code == 0, err

    def test_a_run_that_failed_is_none(self, write, run):
        rows = [numbers(88, 94, 2) for _ in range(9)]
        path = write("\n".join(["a,b", *rows, "0.1,91.2"]))
        assert run("compare", path)[0] == 0


class TestOneScoreOfEach:
    """Of one score of each model nothing can be said, whatever the test."""

    def test_files_of_one_score(self, write, run):
        files = [write(f'{{"acc": {x}}}', f"{m}.json") for m, x in (("a", 1), ("b", 2))]
        refuse(run("compare", *files), "expected several scores of each model", "seeds")
        path = write("a,b\n0.1,0.2\n")
        for test in ("aso", "permutation", "t", "mann-whitney"):
            refuse(run("compare", path, "--test", test), "got one of each")
        path = write("model,seed,acc\na,1,0.5\nb,1,0.6\nc,1,0.7\n")
        refuse(run("compare", path), "Run each model with more seeds")

    def test_tasks_with_one_score_each_may_be_items(self, write, run):
        rows = [
            f"{model},{task},{lead + DRAW.normal():.4f}"
            for model, lead in (("a", 0.0), ("b", 3.0))
            for task in "pqrstuvw"
        ]
        path = write("\n".join(["model,task,acc", *rows]))
        refuse(run("compare", path), "of each model on each task", "pass --item task, ")
        code, out, err = run("compare", path, "--item", "task")
        assert code == 0, err
        assert "b is better than a" in out

    def test_one_model_with_two_scores_is_enough_to_go_on(self, write, run):
        assert run("compare", write("a,b\n0.1,0.2\n0.3,\n"))[0] == 0


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        (
            {"a": [1, 2, 4.5], "b": [1, 2, 4.5], "c": [2, 1, 4.5]},
            "order: 'a' and 'b'. Is",
        ),
        ({"a": [0, 1] * 10, "b": [0, 1] * 10}, "order: 'a' and 'b'. Is"),
        ({"a": [0, 1] * 5, "b": [0, 1] * 5}, None),  # few answers
        ({"a": [0.5] * 4, "b": [0.5] * 4}, None),  # they do not vary
        ({"a": [1, 2, 4.5], "b": [2, 1, 4.5]}, None),
    ],
)
def test_copies_are_doubted(write, run, columns, said):
    rows = [",".join(map(str, row)) for row in zip(*columns.values(), strict=True)]
    path = write("\n".join([",".join(columns), *rows, ""]))
    code, _, err = run("compare", path, "--unit", "item")
    assert code == 0
    assert ("have the same scores in the same order" in err) == (said is not None)
    assert said is None or said in " ".join(err.split())


@pytest.mark.parametrize(("right", "is_said"), [(100, True), (1, False), (50, False)])
def test_answers_of_0_and_100_are_told_of(run, write, right, is_said):
    rows = [
        f"q{k},{right * (k % 3 == 0)},{right * (k % 2)}{'.0' * (k == 0)}"
        for k in range(30)
    ]
    path = write("\n".join(["question,a,b", *rows, ""]))
    _, _, err = run("compare", path)
    assert ("all scores are 0 or 100, and are taken for numbers" in err) == is_said


@pytest.mark.parametrize(("score", "is_said"), [(0.41, True), (0.84, False)])
def test_a_run_that_is_far_from_the_others_is_named(score, is_said):
    """Grubbs's test at 0.001 over all models and tasks."""
    scores = {
        "a": [0.85, 0.86, 0.853, score, 0.858],
        "b": [0.86, 0.87, 0.864, 0.868, 0.866],
    }
    notes = compare_models(scores, unit="run").notes
    said = [x for x in notes if "further from all others" in x]
    assert len(said) == is_said
    if is_said:
        assert (
            "0.41 of 'a' (others: 0.85 to 0.86). If it crashed, delete that" in said[0]
        )


@pytest.mark.parametrize("n", [5, 10, 30])
def test_healthy_runs_are_seldom_far(n):
    """At most 1 in 1000 normal samples, and few of those with heavier tails."""
    rng = np.random.default_rng(n)
    draws = {9: rng.normal(size=(4000, n)), 16: rng.standard_t(5, (4000, n))}
    for most, samples in draws.items():
        assert sum(_find_far(x, 0.001) is not None for x in samples) <= most


@pytest.mark.parametrize("is_wide", [False, True])
def test_one_score_on_each_task_is_a_task_for_an_item(write, run, is_wide):
    rows = ["data set,a,b", "x,.1,.2", "y,.3,.5", "z,.7,.8"]
    long = ["data set,model,acc", "x,a,.1", "x,b,.2", "y,a,.3", "y,b,.5"]
    path = write("\n".join(rows if is_wide else long))
    done = run("compare", path, "--task", "data set")
    refuse(done, "pass --item 'data set', without --task.")
    assert run("compare", path, "--item", "data set")[0] == 0
