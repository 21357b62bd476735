"""Columns that are named by the ends of their names."""

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.asking import refuse
from tests.read.tool_files import FILES

ROWS = [f"r{m}{k},{m},x,{k},0.{k},finished" for m in "ab" for k in range(4)]


def test_columns_of_a_tracker(write):
    header = "Name,config.arch,params/data,config.seed,test/acc,State"
    path = write("\n".join([header, *ROWS]))
    table = read.scores(path, model="arch", metric="acc", run="seed")
    assert table.models == ("a", "b")
    assert table.metric == "test/acc"
    table = read.scores(path, model="arch", metric="acc", where={"data": ["x"]})
    assert table.models == ("a", "b")


def test_several_columns_that_end_so(write):
    header = "Name,config.arch,params/arch,config.seed,test/acc,State"
    path = write("\n".join([header, *ROWS]))
    with pytest.raises(TableError, match=r"no column 'arch' .model"):
        read.scores(path, model="arch", metric="acc")
    whole = "Name,config.arch,arch,config.seed,test/acc,State"
    with pytest.raises(TableError, match=r"differ in .config.arch"):
        read.scores(write("\n".join([whole, *ROWS])), model="arch", metric="acc")


class TestNamesWithCommas:
    ROWS = tuple(f"{m},{k},0.{k},0.{k}5" for m in "ab" for k in range(4))

    def test_in_lists(self, write, run):
        """Neighbours in a list that together are the name of a column."""
        path = write("\n".join(['m,seed,"acc,none","f1,none"', *self.ROWS]))
        assert run("compare", path, "--model", "m", "--ignore", "f1,none")[0] == 0
        columns = ("--columns", "acc,none,f1,none", "--unit", "run")
        code, out, err = run("compare", path, *columns)
        assert code == 0, err
        assert '"f1,none" vs. "acc,none"' in out or '"acc,none" vs. "f1,none"' in out

    def test_of_metrics_in_several_columns(self, write):
        path = write("\n".join(['m,seed,"acc,none","f1,none"', *self.ROWS]))
        one = read.scores(path, model="m", score="acc,none")
        assert (one.metric, {*one.tasks}) == ("acc,none", {""})
        both = read.scores(path, model="m", score="acc,none,f1,none")
        assert {*both.tasks} == {"acc,none", "f1,none"}

    def test_of_a_tool_are_for_another_option(self, run):
        path = next((FILES / "lm_eval" / "toy-org__model-a").glob("samples_toy_mc*"))
        path = f"a={path}"
        refuse(run("compare", path, "--score", "acc,none"), "Or pass --metric acc,none")
