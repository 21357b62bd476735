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
    with pytest.raises(TableError, match=r"got 'Average', which is hardly"):
        read.scores(path, score="arc,bbh,Average")
