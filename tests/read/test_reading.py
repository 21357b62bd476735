"""Rows of models that are left out, which may lack what those of others have."""

from pathlib import Path

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import refuse


@pytest.fixture
def games(write):
    """Four runs of two models, and one score of people, which has no seed."""
    rows = [f"{m},{g},{s},{s + 0.5}" for m in "ab" for g in "xy" for s in range(4)]
    people = [f"Human,{g},,7" for g in "xy"]
    return write("\n".join(["model,game,seed,score", *rows, *people]))


@pytest.mark.parametrize("options", [("--ignore", "Human"), ("--columns", "b,a")])
def test_cells_of_models_that_are_left_out_are_not_read(write, run, games, options):
    code, out, _ = run("compare", games, "--format", "text", *options)
    assert (code, "Human" in out) == (0, False)
    path = write(Path(games).read_text().replace("Human,x,,7", "Human,x,,n/a"))
    assert run("compare", path, "--format", "text", *options)[1] == out


def test_models_that_all_lack_a_name_may_be_left_out(write, run, games):
    with pytest.raises(TableError, match=r"leave out the row, or all of a model"):
        read.scores(games)
    refuse(run("compare", games), "of a model: --ignore Human, or --columns")
    refuse(run("compare", games, "--missing", "drop"), "--ignore Human")
    others = write(Path(games).read_text().replace("Human,x,,", "Human,x,0,"))
    assert "ignore" not in run("compare", others)[2]
