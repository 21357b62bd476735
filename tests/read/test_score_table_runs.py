"""What is said of runs that a model lacks on some tasks."""

import pytest

from sigarray import compare_models, read
from sigarray.read._early_ends import say_fewer_runs
from tests.read.asking import wide_table


@pytest.mark.parametrize("is_long", [True, False])
def test_names_that_differ_by_case_or_spaces(write, run, is_long):
    names = ("BERT", "bert", "gpt 2", "GPT2", "lstm")
    rows = [[(k * j) % 7 / 10 for j in range(1, 6)] for k in range(1, 7)]
    text = wide_table(",".join(names), rows)
    if is_long:
        runs = [(m, k, y[j]) for j, m in enumerate(names) for k, y in enumerate(rows)]
        text = wide_table("model,seed,acc", runs)
    err = run("compare", write(text))[2]
    assert "for several models: 'BERT', 'bert'; 'gpt 2', 'GPT2'. If they are" in err
    once = run("compare", write(text.replace("BERT", "roberta").replace("GPT2", "t5")))
    assert (once[0], "differ by case" in once[2]) == (0, False)


def make_rows(fewer=(), n_runs=5, tasks="tuvw"):
    fewer = dict(fewer)
    return "\n".join(
        [
            "task,model,seed,acc",
            *(
                f"{task},{model},{k},.{7 * ((k + shift) % n_runs) + i + 11}"
                for shift, task in enumerate(tasks)
                for i, model in enumerate("ab")
                for k in range(fewer.get((task, model), n_runs))
            ),
        ]
    )


def list_said(path, **options):
    notes = read.scores(path, **options).notes
    return [x for x in notes if " runs on " in x]


def test_a_run_that_a_model_lacks_on_one_task_is_named(write):
    path = write(make_rows({("u", "b"): 4}))
    (line,) = list_said(path)
    assert line.startswith(
        "'b' has 4 of 5 runs on 'u', without run '4': for a crash write nan, and pass "
        "--missing drop, which"
    )
    assert any(
        "'u', without run '4'" in x for x in compare_models(read.scores(path)).notes
    )
    assert list_said(path, tasks=["t", "v"]) == []
    assert list_said(path, paired=True, drop_unmatched=True) == []
    crashed = write(make_rows({("u", "b"): 4}) + "\nu,b,4,nan")
    for missing in ("drop", "worst"):
        assert list_said(crashed, missing=missing) == []
    lines = ["task,a,b", *(f"{t},.{k + 11},.{k + 15}" for t in "tuv" for k in range(5))]
    wide = write("\n".join([*lines[:-1], "v,.15,"]))
    # Blank cells are counted in a note of their own.
    assert list_said(wide, task="task") == ["'b' has 4 of 5 runs on 'v'"]


def test_many_are_counted():
    sizes = {f"t{k}": {"a": 5, "b": 5 - k % 2} for k in range(9)}
    (line,) = say_fewer_runs(sizes, {}, {})
    assert line == (
        "'b' has 4 of 5 runs on 't1', 'b' has 4 of 5 runs on 't3', "
        "'b' has 4 of 5 runs on 't5', and 1 more"
    )


def test_what_is_no_gap(write):
    """Models of other sizes, tasks with fewer runs of all, and what has been said."""
    for fewer in (
        {},
        {(task, "b"): 3 for task in "tuvw"},
        {("t", "a"): 3, ("t", "b"): 3},
    ):
        assert list_said(write(make_rows(fewer))) == []
    missing = make_rows().replace("u,b,4,.40", "u,b,4,nan")
    path = write(missing)
    assert list_said(path, missing="drop") == []
    assert list_said(write(make_rows({("t", "a"): 3}, tasks="t"))) == []
