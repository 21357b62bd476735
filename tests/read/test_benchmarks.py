"""Leaderboards: a column of scores for each benchmark."""

import pytest

from sigarray import compare_models, read, wilcoxon_test
from sigarray.read import TableError
from tests.read.asking import parse, refuse
from tests.read.long_tables import as_lists

NAMES = ("mmlu", "gsm8k", "arc", "bbh", "piqa", "boolq")
SCORES = {
    "a": (0.70, 0.61, 0.55, 0.81, 0.74, 0.45),
    "b": (0.65, 0.52, 0.51, 0.78, 0.71, 0.43),
}
ROWS = [f"{m},{','.join(map(str, x))}" for m, x in SCORES.items()]
BOARD = "\n".join([f"Model,{','.join(NAMES)}", *ROWS, ""])


def test_one_score_of_each_model_on_each_benchmark(write, run):
    path = write(BOARD)
    every = ",".join(NAMES)
    refuse(run("compare", path), "--metric NAME", f"with --score {every}.")
    document = parse(run("compare", path, "--score", every, "--format", "json"))
    (pair,) = document["pairs"]
    assert wilcoxon_test(*SCORES.values()).pvalue == 2 / 2**6
    assert pair["pvalue"] == pytest.approx(2 / 2**6)
    table = read.scores(path, score=every)
    assert (table.unit, table.is_paired, table.metric) == ("item", True, "score")
    assert set(zip(table.ids[""]["a"], table.scores["a"], strict=True)) == set(
        zip(NAMES, SCORES["a"], strict=True)
    )
    assert any("'bbh', and 2 more were taken for items" in x for x in table.notes)
    assert compare_models(table).better("a", "b")


def test_a_file_for_each_model(write):
    paths = [write(f"arc,bbh\n.{k},.{k + 2}\n", f"m{k}.csv") for k in (1, 2)]
    table = read.scores(*paths, score="arc,bbh")
    assert as_lists(table) == {"": {"m1": [0.1, 0.3], "m2": [0.2, 0.4]}}


@pytest.mark.parametrize("of_tracker", [False, True])
def test_several_runs_on_each_benchmark(write, of_tracker):
    rows = [(m, k, (k + n) / 10, n / 2) for n, m in enumerate("ab") for k in range(3)]
    ends = ("State,", "finished,") if of_tracker else ("", "")
    lines = [f"{ends[1]}{m},{k},{x},{y}" for m, k, x, y in rows]
    path = write("\n".join([f"{ends[0]}Name,seed,mmlu,arc", *lines]))
    table = read.scores(path, model="Name", score="arc, mmlu")
    assert as_lists(table) == {
        "arc": {"a": [0, 0, 0], "b": [0.5, 0.5, 0.5]},
        "mmlu": {"a": [0, 0.1, 0.2], "b": [0.1, 0.2, 0.3]},
    }
    assert table.ids["arc"]["b"] == ("0", "1", "2")


def test_what_is_asked(write):
    path = write(BOARD)
    with pytest.raises(TableError, match=r"'MMLU' \(score\)\. Did you mean 'mmlu'\?"):
        read.scores(path, score="MMLU,bbh")
    path = write("Model,task,x,y\na,t,.1,.2\na,t,.1,.2\nb,t,.3,.4\n")
    with pytest.raises(TableError, match=r"no other column of tasks .* got 'task'"):
        read.scores(path, score="x,y")
    path = write("Model,score,x,y\na,.1,.2,.3\nb,.3,.4,.5\n")
    with pytest.raises(TableError, match=r"of items or scores .* got 'score'"):
        read.scores(path, score="x,y")
    path = write("Model,arc,bbh,Average\na,.1,.2,.15\nb,.3,.4,.35\n")
    with pytest.raises(TableError, match=r"got 'Average', which seems to"):
        read.scores(path, score="arc,bbh,Average")


def test_metrics_of_items_and_tasks_are_no_benchmarks(write, run):
    """Taken for tasks, and then averaged, they would be of no scale."""
    for column in ("task", "item"):
        path = write(f"Model,{column},acc,f1\na,t,.1,.2\nb,t,.3,.4\n")
        done = run("compare", path)
        refuse(done, "got 'acc', 'f1'. Choose one with --metric NAME.\n")
    samples = [
        write(
            "\n".join(
                f'{{"doc_id": {k}, "doc": {{}}, "target": "a", "filtered_resps": [],'
                f' "acc": {k % 2}, "acc_norm": {k % 3 % 2}}}'
                for k in range(9)
            ),
            f"samples_piqa_2026-01-0{day}T10-00-00.000000.jsonl",
        )
        for day in (1, 2)
    ]
    files = [f"{name}={path}" for name, path in zip("ab", samples, strict=True)]
    done = run("compare", *files)
    refuse(done, "got 'acc', 'acc_norm'. Choose one with --metric NAME.\n")
    done = run("compare", *files, "--score", "acc,acc_norm")
    refuse(done, "expected one metric of task 'piqa'; got 'acc', 'acc_norm' (--score)")
    assert run("compare", *files, "--metric", "acc")[0] == 0


def test_a_column_of_metrics_is_not_left_out(write, run):
    rows = [f"{m},q{k},{x},{k % 2}" for m in "ab" for k in range(8) for x in ("p", "r")]
    path = write("\n".join(["model,item,metric,score", *rows]))
    for more in ((), ("--unit", "item")):
        done = run("compare", path, "--ignore", "metric", *more)
        refuse(done, "got 'p', 'r', and --ignore metric, which would mix them")
    options = ("--ignore", "metric", "--where", "metric=p")
    assert run("compare", path, *options)[0] == 0


def test_columns_of_items_and_rows_of_runs(write, run):
    """A file of each model; items are no benchmarks."""
    rows = [f"{k},{k % 2},1,0,{k % 3 % 2}" for k in range(4)]
    paths = [write("\n".join(["seed,q0,q1,q2,q3", *rows]), f"{x}.csv") for x in "ab"]
    for options in ((), ("--unit", "item"), ("--unit", "run,item")):
        done = run("compare", *paths, *options)
        refuse(done, "each column is of an item and each row of a run", "run,item")
        assert "benchmark" not in done[2]


def test_columns_of_runs_without_their_name(write, run):
    """They may be items or runs, and the table is right, or on its side."""
    rows = [
        f"{m},{','.join(f'0.{k}{n}' for k in range(5))}" for n, m in enumerate("ab")
    ]
    done = run("compare", write("\n".join(["model,s1,s2,s3,s4,s5", *rows])))
    refuse(done, "name columns seed1, seed2 and so on, or turn the table")
    answer = "\n".join(["model,seed1,seed2,seed3,seed4,seed5", *rows])
    assert run("compare", write(answer))[0] == 0
