"""Rows of text as numbers: the fast way, and cell by cell."""

import random

import pytest

from sigarray.read import TableError
from sigarray.read import _bytes as byte_file
from sigarray.read import _cells as cell_file
from sigarray.read import _text as table_file
from sigarray.read._score_table import Choice
from sigarray.read._scores import read_sources

WRONG = (
    "1_0 nan inf -Infinity 1e999 1e151 0x1 1j 1\t2 ٣ x --1 1e . 1d3 1,5 TRUE 1\x0b2 #1"
)


def read_scores(path, columns=None, ignored=()):
    choice = Choice(models=columns, ignored=ignored, unit="run")
    return read_sources([path], choice).scores


def split(path):
    name, text = byte_file.read_text(path)
    return table_file.split_table(text, name)


def slow_scores(path):
    """Read cell by cell."""
    name, rows = table_file.read_rows(path)
    return {
        model: [table_file.read_number(row[k], name) for _, row in rows[1:] if row[k]]
        for k, model in enumerate(rows[0][1])
    }


class TestNumbers:
    def test_the_fast_way_gives_the_same_numbers(self, write):
        draw = random.Random(0)
        cells = ["+1e-3", ".5", "-2.", "3E+2", " 7", "8 ", "1e-400", "1e150", "-0"]
        cells += [repr(draw.gauss(0, 10.0 ** draw.randint(-30, 30))) for _ in range(99)]
        cells += [str(draw.randint(0, 10**25)) for _ in range(20)]
        draw.shuffle(cells)
        body = "\n".join(f"{x},{y}" for x, y in zip(cells, cells[::-1], strict=True))
        path = write(f"a,b\n{body}\n")
        assert split(path)[1] is not None
        for model, column in read_scores(path).items():
            assert column.tolist() == slow_scores(path)[model]

    @pytest.mark.parametrize("cell", ["", *WRONG.split(" ")])
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_what_is_no_number_goes_the_slow_way(self, write, cell, end):
        path = write(end.join(["a,b", "1,2", f"{cell},3", "4,5", ""]))
        assert split(path)[1] is None
        if not cell:
            assert len(read_scores(path)["a"]) == 2
            return
        with pytest.raises(TableError, match=r"line 3, column [13]"):
            read_scores(path)

    def test_windows_lines_and_blank_ones_go_the_fast_way(self, write):
        path = write("\r\n a\tb\r\n\r\n1\t2\r\n3\t4\r\n\r\n")
        rows, numbers = split(path)
        assert rows == [(2, ("a", "b"))]
        assert numbers.tolist() == [[1, 2], [3, 4]]

    def test_long_columns_with_blanks_are_not_read_cell_by_cell(
        self, write, monkeypatch
    ):
        monkeypatch.setattr(cell_file, "_as_number", None)
        scores = read_scores(write("a,b\n1,2\n3.5,\n4,1\n"))
        assert scores["a"].tolist() == [1, 3.5, 4]
        assert scores["b"].tolist() == [2, 1]
