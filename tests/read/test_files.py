"""Which files there are to read, and their names."""

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import as_lists


def test_names_for_files(write, tmp_path):
    a, b = write("acc\n1\n", "x.csv"), write("acc\n2\n", "y.csv")
    table = read.scores(f"new model={a}", f"old={b}")
    assert as_lists(table) == {"": {"new model": [1], "old": [2]}}
    with pytest.raises(TableError, match=r"each file once; got .*x.csv twice"):
        read.scores(a, a)


def test_nothing_to_read(tmp_path):
    (tmp_path / "a.png").write_bytes(b"x")
    with pytest.raises(TableError, match=r"files of scores.*; got 'a.png'"):
        read.scores(tmp_path)
