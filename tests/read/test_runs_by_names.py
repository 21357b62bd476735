"""Names that differ by case or spaces alone, and may be one."""

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import as_csv


def make(name, column="game", runs=4):
    """Scores of two models on two games, of which `name` says how a run writes one."""
    rows = [
        (m, x if x == "Pong" else name(m, s), s, 0.5 + s / 10 + (m == "b") / 7)
        for m in "ab"
        for x in ("Alien", "Pong")
        for s in range(runs)
    ]
    return as_csv(rows, f"model,{column},seed,score")


def test_a_task_in_two_spellings_is_one(write):
    """It counted twice: of equal models 16 % of data had a verdict over tasks."""
    path = write(make(lambda m, s: "Alien" if s < 2 else "alien "))
    with pytest.raises(TableError, match=r"each task in one spelling; .*'Alien', 'al"):
        read.scores(path)
    assert read.scores(write(make(lambda m, s: "Alien"))).notes


def test_tasks_of_which_a_run_has_both_are_two(write):
    text = make(lambda m, s: "Alien").splitlines()
    both = [x.replace("Alien", "ALIEN") for x in text if "Alien" in x]
    table = read.scores(write("\n".join([*text, *both])))
    assert set(table.tasks) == {"ALIEN", "Alien", "Pong"}
    assert any("differ by case or spaces" in x for x in table.notes)


def test_without_names_of_runs_there_is_a_warning(write, run):
    text = make(lambda m, s: "Alien" if s < 2 else "alien").splitlines()
    cells = [x.split(",") for x in text]
    path = write("\n".join(",".join([*x[:2], x[3]]) for x in cells))
    err = run("compare", path)[2]
    assert f"warning: {path}: names of tasks that differ by case" in err


def test_an_item_in_two_spellings_is_one(write):
    path = write(make(lambda m, s: "q1" if s < 2 else "Q1", "item"))
    with pytest.raises(TableError, match=r"each item in one spelling; .*'q1', 'Q1'"):
        read.scores(path, unit="item")


def test_items_of_which_a_run_has_both_are_two(write):
    """Ids may be of letters in both cases."""
    text = make(lambda m, s: "a1", "item").splitlines()
    both = [x.replace("a1", "A1") for x in text if "a1" in x]
    table = read.scores(write("\n".join([*text, *both])))
    assert len(table.runs[""]["a"].scores[0]) == 3
    assert table.doubts == ()


def test_clusters_in_two_spellings_are_doubted(write):
    rows = [
        (m, "Doc1" if i % 2 else "doc1", f"{d}{i}", i / 7)
        for m in "ab"
        for d in "xyz"
        for i in range(4)
    ]
    rows += [(m, d, d, 0.5) for m in "ab" for d in ("x", "y")]
    path = write(as_csv(rows, "model,doc,item,score"))
    doubts = read.scores(path, cluster="doc", item="item").doubts
    assert any("names of clusters that differ by case" in x for x in doubts)
