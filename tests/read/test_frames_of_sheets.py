"""Sheets of Excel."""

import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import EXPECTED, ROWS, as_lists

openpyxl = pytest.importorskip("openpyxl")


LONG = [("model", "task", "seed", "score"), *ROWS]


SHEET = [("a", "b"), (0.5, 0.3), (0.75, 1)]


@pytest.fixture
def save(tmp_path):
    """Write a workbook with a sheet of rows for each name."""

    def save(**sheets):
        book = openpyxl.Workbook()
        book.remove(book.active)
        for name, rows in sheets.items():
            sheet = book.create_sheet(name)
            for row in rows:
                sheet.append(row)
        book.save(tmp_path / "t.xlsx")
        return tmp_path / "t.xlsx"

    return save


def test_the_only_sheet(save):
    assert as_lists(read.scores(save(runs=LONG, empty=[]))) == EXPECTED
    table = read.scores(save(x=[("Results of May",), *SHEET]))
    assert as_lists(table) == {"": {"a": [0.5, 0.75], "b": [0.3, 1.0]}}
    flags = [("model", "item", "ok"), *((m, k, k > 1) for m in "ab" for k in range(4))]
    assert as_lists(read.scores(save(x=flags)))[""]["a"] == [0, 0, 1, 1]


def test_one_of_several_sheets(save):
    path = save(runs=LONG, means=SHEET)
    with pytest.raises(TableError, match=r"one sheet.* 'runs', 'means'.* table='NAME'"):
        read.scores(path)
    assert as_lists(read.scores(path, table="runs")) == EXPECTED
    with pytest.raises(TableError, match=r"a sheet of it for table; got 'x'"):
        read.scores(path, table="x")


def test_what_is_refused(save, tmp_path):
    """A formula that nobody computed would be a blank cell."""
    with pytest.raises(TableError, match=r"cell B3: .* the formula =0.5\+0.1, .* save"):
        read.scores(save(x=[("a", "b"), (0.5, 0.6), (0.7, "=0.5+0.1")]))
    with pytest.raises(TableError, match=r"got '#DIV/0!'"):
        read.scores(save(x=[*SHEET, (0.5, "#DIV/0!")]))
    (tmp_path / "bad.xlsx").write_text("a,b\n")
    with pytest.raises(TableError, match=r"cannot be read as a workbook of Excel"):
        read.scores(tmp_path / "bad.xlsx")
    with pytest.raises(TableError, match=r"No such file"):
        read.scores(tmp_path / "no.xlsx")
