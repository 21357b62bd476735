"""One method line for several tasks: what holds for all of them is said once."""

import numpy as np

from sigarray import compare_models
from sigarray._verdicts.intervals import FEWER_DEGREES
from sigarray._verdicts.score_lines import join_methods

DRAW = np.random.default_rng(0)


def test_sentences_of_some_tasks_say_of_which():
    methods = {f"t{k}": "t-test. Exact. Seed 0" for k in range(5)}
    assert join_methods(methods) == "t-test. Exact. Seed 0"
    methods["t 5"] = "t-test. By draws. Seed 0. 1 missing"
    assert join_methods(methods) == (
        't-test. On all tasks but "t 5": Exact. On "t 5": By draws. Seed 0. On "t 5": '
        "1 missing"
    )
    methods |= {f"u{k}": methods["t 5"] for k in range(4)}
    assert join_methods(methods) == (
        "t-test. On 5 of 10 tasks: Exact. On 5 of 10 tasks: By draws. Seed 0. On 5 of "
        "10 tasks: 1 missing"
    )


def test_one_run_less_on_one_task_says_nothing_twice():
    scores = {
        f"task {k}": {name: DRAW.normal(size=5) for name in "abc"} for k in range(6)
    }
    plain = compare_models(scores, unit="run").method
    scores["task 3"]["b"][4] = np.nan
    method = compare_models(scores, unit="run", missing="drop").method
    assert 'On "task 3": 1 missing score, left out. ' in method
    assert f"for fewer than 20 runs, by Welch's t, {FEWER_DEGREES}. " in method
    sentences = method.split(". ")
    assert len({*sentences}) == len(sentences) == len(plain.split(". ")) + 1
    assert "by the scores of a task" not in method
