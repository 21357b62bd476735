"""Several scores of one model for one item or run."""

import json

import numpy as np
import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.long_tables import as_csv

DRAW = np.random.default_rng(0)


class TestSeedsThatAreThereTwice:
    """Of a sweep, each seed has a score for each learning rate."""

    ROWS = tuple(
        f"{m},{seed},{lr},{DRAW.random()}"
        for m in "ab"
        for seed in range(4)
        for lr in (0.1, 0.01)
    )

    def test_the_column_that_tells_them_apart_is_named(self, write, run):
        path = write("\n".join(["model,seed,lr,acc", *self.ROWS]))
        options = ("--metric", "acc", "--format", "json")
        done = run("compare", path, *options)
        refuse(done, "differ in 'lr'", "--where lr=0.1", "--task lr", "--run seed,lr")
        for answer in (("--where", "lr=0.1"), ("--task", "lr"), ("--run", "seed,lr")):
            assert run("compare", path, *options, *answer)[0] == 0
        _, out, _ = run("compare", path, *options, "--where", "lr=0.1")
        assert json.loads(out)["models"]["a"]["n"] == 4

    def test_a_row_that_is_there_twice_is_to_be_removed(self, write, run):
        rows = [f"{m},{seed},{DRAW.random()}" for m in "ab" for seed in (1, 2, 2)]
        done = run("compare", write("\n".join(["model,seed,acc", *rows])))
        refuse(done, "line 4", "Remove one")


class TestCrashedAndRunAgain:
    """A run has crashed, and another one of its seed has finished."""

    ROWS = tuple(
        f"{m}{seed},finished,{m},{seed},{0.5 + DRAW.random() / 9}"
        for m in "ab"
        for seed in range(4)
    )
    TEXT = "\n".join(["Name,State,model,seed,acc", "x,crashed,b,2,0.1", *ROWS, ""])

    def test_the_finished_one_is_advised(self, write, run):
        path = write(self.TEXT)
        for missing in ("worst", "keep"):
            done = run("compare", path, "--missing", missing)
            refuse(done, "--where State=finished, or leave", "--missing drop.")
            assert "=crashed" not in done[2]
        for answer in (("--where", "State=finished"), ("--missing", "drop")):
            code, out, _ = run("compare", path, *answer, "--format", "json")
            assert (code, json.loads(out)["models"]["b"]["n"]) == (0, 4)

    def test_a_note_says_which_was_left_out(self, write):
        (note,) = (
            x
            for x in read.scores(write(self.TEXT), missing="drop").notes
            if "left out" in x
        )
        assert "'b', run '2', beside one that has finished" in note


def test_duplicates_name_both_places(write):
    rows = [("a", "q1", 1), ("b", "q1", 2), ("a", "q1", 3)]
    path = write(as_csv(rows, "model,item,score"))
    match = r"line 4: expected one score of 'a' for item 'q1'; got another.*line 2"
    with pytest.raises(TableError, match=match):
        read.scores(path)
    rows = [("a", 1, 1), ("b", 1, 2), ("a", 1, 3)]
    with pytest.raises(TableError, match=r"line 4: .*'a' for run '1'"):
        read.scores(write(as_csv(rows, "model,seed,score")))
