"""A run of items that has crashed is left out, however its cells are written."""

import pytest

from sigarray import read
from tests.read.long_tables import as_csv

LOST = [("b", "2")]


def make(blank, lost=LOST, others=()):
    rows = [
        (m, seed, f"q{k}", blank if (m, seed) in lost or (m, seed, k) in others else y)
        for m in "abc"
        for seed in "1234"
        for k in range(10)
        for y in [(7 * k + 3 * int(seed) + ord(m)) % 10 / 10]
    ]
    return as_csv(rows, "model,seed,item,acc")


@pytest.mark.parametrize("blank", ["nan", "n/a", ""])
def test_it_is_left_out(write, run, blank):
    expected = read.scores(write(make(""), "blank.csv"))
    path = write(make(blank))
    table = read.scores(path, missing="drop")
    for model, by in expected.runs[""].items():
        found = table.runs[""][model]
        assert found.runs == by.runs
        assert (found.scores == by.scores).all()
    assert len(table.runs[""]["b"].runs) == 3
    code, out, err = run("compare", path, "--missing", "drop")
    assert code == 0
    assert "warning: runs without any score were left out: run '2' of 'b'." in err
    assert "3 to 4 runs x 10 items" in out


def test_beside_items_without_an_answer(write):
    table = read.scores(write(make("nan", others=[("c", "1", 4)])), missing="drop")
    assert len(table.ids[""]["a"]) == 9
    assert len(table.runs[""]["b"].runs) == 3


def test_a_model_without_any_is_refused(write):
    lost = [("b", x) for x in "1234"]
    with pytest.raises(ValueError, match="not missing; got none of"):
        read.scores(write(make("nan", lost)), missing="drop", models=["a", "b"])


def test_examples_are_the_items_of_documents(write):
    rows = [
        (m, f"t{k}", f"d{k // 5}", (k + ord(m)) % 3) for m in "ab" for k in range(40)
    ]
    table = read.scores(write(as_csv(rows, "model,example,doc,acc")))
    assert len({*table.clusters[""]}) == 8
    assert len(table.ids[""]["a"]) == 40
