"""Scores of all files, joined task by task."""

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import numbers, refuse
from tests.read.long_tables import ROWS, as_csv


def test_losses_of_one_task_and_gains_of_another(write, run, tmp_path):
    for task, metric in (("x", "loss"), ("y", "acc")):
        rows = [f"{m},{k},{numbers(0, 1)}" for m in "ab" for k in range(5)]
        write("\n".join([f"model,seed,{metric}", *rows]), f"{task}.csv")
    refuse(run("compare", str(tmp_path)), "'loss'", "'acc'", "--metric")


def test_models_and_tasks_are_chosen(write):
    path = write(as_csv([*ROWS, ("crf", "ner", 1, 0.5)]))
    table = read.scores(path, models=["cnn", "lstm"], tasks=["ner"])
    assert table.models == ("cnn", "lstm")
    assert list(table.tasks) == ["ner"]
    with pytest.raises(TableError, match=r"a model of the files; got 'x'.*'lstm'"):
        read.scores(path, models=["x"])
    with pytest.raises(TableError, match=r"a task of the files; got 'x'.*'ner'"):
        read.scores(path, tasks=["x"])


def test_every_wrong_name_is_told_among_all_that_files_have(write):
    path = write(as_csv([*ROWS, ("crf", "ner", 1, 0.5)]))
    told = r"got 'cn', 'lst'\. Did you mean 'cnn' for 'cn', 'lstm' for 'lst'\? Those"
    with pytest.raises(TableError, match=told):
        read.scores(path, models=["cn", "lst"])
    told = r"got 'cn', 'x'\. Did you mean 'cnn' for 'cn'\? "
    with pytest.raises(TableError, match=told):
        read.scores(path, models=["cn", "x"])


def test_models_with_tasks_of_their_own_are_told_so(write, run):
    rows = [f"{m},{d},{0.5 + k / 9}" for m, d in ("ax", "by") for k in range(3)]
    path = write("\n".join(["model,dataset,acc", *rows]))
    refuse(
        run("compare", path),
        "got models with tasks of their own: 'a' has 'x', 'b' has 'y'. Pass scores",
        "--ignore dataset, where it does not say what",
    )


def test_another_metric_in_another_file(write):
    a, b = write("acc\n1\n", "a.csv"), write("f1\n1\n", "b.csv")
    with pytest.raises(TableError, match=r"one metric; got 'acc' in .*'f1' in"):
        read.scores(a, b)
