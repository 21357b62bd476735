"""Text of files, within limits of size and encoding, and its rows with their lines."""

import io
import random
from pathlib import Path

import pytest

from sigarray.read import _cells as cell_file
from sigarray.read import _text as table_file
from sigarray.read._score_table import Choice
from sigarray.read._scores import read_sources
from sigarray.read._text import TableError, read_bytes


class TestLimits:
    @pytest.mark.parametrize("device", ["/dev/zero", "/dev/urandom"])
    def test_endless_files_are_refused(self, run, device):
        if not Path(device).exists():
            pytest.skip(f"there is no {device} here")
        code, _, err = run("compare", device)
        assert code == 2
        assert "expected UTF-8 text; got the byte 0x" in err

    def test_the_first_null_is_named(self, write, run):
        path = write(b"a,b\n1,2\n3,\0\n")
        assert (
            "line 3, byte 3: expected UTF-8 text; got the byte 0x00"
            in (run("compare", path)[2])
        )

    def test_compressed_files_are_to_be_uncompressed(self, write, run):
        path = write(b"\x28\xb5\x2f\xfd", "scores.csv.zst")
        err = run("compare", path)[2]
        assert "got the byte 0xb5. Uncompress it first; of compressed files" in err

    def test_large_files_are_refused_before_they_are_read(self, monkeypatch):
        class Endless(io.RawIOBase):
            n_read = 0

            def read(self, size=-1):
                assert size > 0
                self.n_read += size
                return b"1,2\n" * (size // 4)

        stream = Endless()
        monkeypatch.setattr("sys.stdin", type("Stdin", (), {"buffer": stream}))
        message = "standard input: expected a table of at most 3145728 bytes; got more"
        with pytest.raises(TableError, match=message):
            read_bytes("-", is_text=True, most=3 * 2**20)
        assert stream.n_read == 4 * 2**20

    def test_closed_standard_input(self, monkeypatch, run):
        monkeypatch.setattr("sys.stdin", None)
        code, _, err = run("compare", "-")
        assert code == 2
        assert "standard input cannot be read: it is closed." in err


WRONG = (
    "1_0 nan inf -Infinity 1e999 1e151 0x1 1j 1\t2 ٣ x --1 1e . 1d3 1,5 TRUE 1\x0b2 #1"
)


def read_scores(path, columns=None, ignored=()):
    choice = Choice(models=columns, ignored=ignored, unit="run")
    return read_sources([path], choice).scores


def split(path):
    name, text = table_file.read_text(path)
    return table_file.split_table(text, name)


def slow_scores(path):
    """Read cell by cell."""
    name, text = table_file.read_text(path)
    rows = table_file.split_rows(text, name)
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
