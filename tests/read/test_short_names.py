"""Columns that are named by the ends of their names."""

import pytest

from sigarray import read
from sigarray.read import TableError

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
