"""Cells of tables: marks of numbers, what is no number, blanks."""

import json

import numpy as np
import pytest

from sigarray import read
from sigarray.read import TableError
from sigarray.read._messages import Caution
from tests.read.long_tables import as_csv, as_lists


class TestNumbers:
    def read(self, write, *cells, by=";"):
        rows = [("a", cell) for cell in cells] + [("b", cells[0])]
        return read.scores(write(as_csv(rows, "model,score", by=by))).scores["a"]

    def test_percent_signs(self, write):
        assert self.read(write, "85.5%", "7 %").tolist() == [85.5, 7]
        with pytest.raises(TableError, match=r"line 3.*expected a percent sign.*'0.7'"):
            self.read(write, "85%", "0.7")
        with pytest.raises(TableError, match=r"line 3.*expected no percent .*'7%'"):
            self.read(write, "0.8", "7%", "0.6")

    def test_commas_of_thousands(self, write):
        cells = ["1,234.5", "2,345", "987.25", "1,234,567.0"]
        expected = [1234.5, 2345.0, 987.25, 1234567.0]
        assert self.read(write, *cells).tolist() == expected
        cells = ["1,234,567", "12,345", "999", "-1,000,000"]
        expected = [1234567.0, 12345.0, 999.0, -1000000.0]
        assert self.read(write, *cells).tolist() == expected
        with pytest.raises(TableError, match=r"line 3.*commas of thousands.*'0,5'"):
            self.read(write, "1,234.5", "0,5")

    @pytest.mark.parametrize("by", [",", ";", "\t", " | "])
    def test_the_minus_of_typesetters(self, write, by):
        minus = "\N{MINUS SIGN}"
        rows = [["x{}1", "b"], ["{}0.51", "1e{}3"], ["{}.25", "{}2"]]
        text = "".join(f"{by.join(x)}\n" for x in rows).replace("{}", minus)
        if by == " | ":
            lines = [f"|{x}|" for x in text.splitlines()]
            text = "\n".join([lines[0], "|-|-|", *lines[1:]])
        (scores,) = read.scores(write(text), unit="run").tasks.values()
        assert {x: y.tolist() for x, y in scores.items()} == {
            f"x{minus}1": [-0.51, -0.25],
            "b": [0.001, -2.0],
        }

    def test_points_of_thousands_and_decimal_commas(self, write):
        cells = ["1.234,5", "2.345", "-987,25", "1.234.567,0", "12"]
        expected = [1234.5, 2345.0, -987.25, 1234567.0, 12]
        rows = "\n".join(["model;score", *(f"m;{x}" for x in cells)])
        assert read.scores(write(rows)).scores["m"].tolist() == expected
        wide = "\n".join(["seed;A;B", *(f"{k};{x};1,5" for k, x in enumerate(cells))])
        table = read.scores(write(wide))
        assert table.scores["A"].tolist() == expected
        assert any("points were taken for those of thousands" in x for x in table.notes)
        for odd in ("0.5", "1,234.5", "12.34"):
            with pytest.raises(TableError, match=r"line [23].* of thousands, as"):
                read.scores(write(f"model;score\na;1.234,5\na;{odd}\n"))

    def test_apostrophes_of_thousands(self, write):
        cells = ["1'234", "-12\N{RIGHT SINGLE QUOTATION MARK}345.5", "987", "0.25"]
        cells += ["1'234'567"]
        expected = [1234.0, -12345.5, 987.0, 0.25, 1234567.0]
        assert self.read(write, *cells).tolist() == expected
        wide = "\n".join(["A,B", *(f"{x},1'5{k}0" for k, x in enumerate(cells))])
        assert read.scores(write(wide)).scores["A"].tolist() == expected
        with pytest.raises(TableError, match=r"line 3.*apostrophes of thousands"):
            self.read(write, "1'234", "1'23")

    def test_yes_and_no_are_scores_where_these_are_named(self, write):
        rows = [(m, k, "yes" if k % 3 else "no") for m in "ab" for k in range(6)]
        path = write(as_csv(rows, "model,item,answer"))
        with pytest.raises(TableError, match=r"Name it with score"):
            read.scores(path)
        table = read.scores(path, score="answer")
        assert as_lists(table)[""]["a"] == [0, 1, 1, 0, 1, 1]
        assert any(x.endswith("yes is 1, and no is 0") for x in table.notes)
        passed = write(
            as_csv(
                [(m, k, "passed") for m, k, _ in rows[:-1]] + [("b", 5, "failed")],
                "model,item,x",
            )
        )
        assert as_lists(read.scores(passed))[""]["b"] == [1, 1, 1, 1, 1, 0]

    def test_percent_signs_in_one_of_two_files(self, write):
        a, b = write("score\n85%\n", "a.csv"), write("score\n0.9\n", "b.csv")
        with pytest.raises(TableError, match=r"percent signs in .*a.csv, and none in"):
            read.scores(a, b)

    def test_decimal_commas(self, write):
        assert self.read(write, "0,125", "1", "1,5e-1").tolist() == [0.125, 1, 0.15]
        with pytest.raises(TableError, match=r"a decimal comma, as other.*'0.5'"):
            self.read(write, "0,25", "0.5")
        with pytest.raises(TableError, match=r"got '1,234', which is 1.234 or 1234"):
            self.read(write, "1,234", "2,345")

    def test_points_of_thousands(self, write):
        with pytest.raises(
            TableError, match=r"got '1.024' beside others without a poi"
        ):
            self.read(write, "987", "1.024", "995")
        assert self.read(write, "1.024", "2.250").tolist() == [1.024, 2.25]
        wide = write("a;b\n987;933\n1.024;950\n")
        with pytest.raises(TableError, match=r"row 2|line 3.*got '1.024' beside"):
            read.scores(wide)

    def test_truth(self, write):
        assert self.read(write, "True", "false").tolist() == [1, 0]
        with pytest.raises(TableError, match=r"expected a number, as other.*'True'"):
            self.read(write, "0.5", "True")
        with pytest.raises(TableError, match=r"expected true or false, as.*'0.5'"):
            self.read(write, "True", "0.5")
        records = [{"model": m, "ok": m == "a"} for m in "ab"]
        table = read.scores(write(json.dumps(records), "t.json"))
        assert as_lists(table) == {"": {"a": [1.0], "b": [0.0]}}

    @pytest.mark.parametrize("cell", ["NA", "nan", "n/a", "-", "inf", "0x1", "1_0"])
    def test_what_is_no_number_is_refused(self, write, cell):
        with pytest.raises(TableError, match=r"line 3, column 'score': expected a n"):
            self.read(write, "0.5", cell)

    @pytest.mark.parametrize("value", ["NaN", "Infinity", "1e400", "[]", "{}", '"x"'])
    def test_what_is_no_number_in_json(self, write, value):
        text = f'[{{"model": "a", "score": 0.5}}, {{"model": "b", "score": {value}}}]'
        with pytest.raises(TableError, match=r"record 2, column 'score': expected a n"):
            read.scores(write(text, "t.json"))

    def test_blank_scores_are_counted(self, write):
        table = read.scores(write("model,seed,score\na,1,0.5\na,2,\nb,1,0.25\n"))
        assert as_lists(table) == {"": {"a": [0.5], "b": [0.25]}}
        assert any("1 row without a score was left out" in x for x in table.notes)

    def test_missing_cells_of_data_frames(self):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"model": ["a", "b"], "score": [0.5, np.nan]})
        table = read.scores(frame)
        assert as_lists(table) == {"": {"a": [0.5]}}
        assert any("1 row without a score" in note for note in table.notes)

    def test_numbers_of_numpy_are_shown_as_plain_ones(self):
        pandas = pytest.importorskip("pandas")
        cells = np.array([0.5, np.True_, 0.25], dtype=object)
        frame = pandas.DataFrame({"a": cells, "b": [0.5, 0.25, 0.75]})
        with pytest.raises(TableError, match=r"got True\. Write all as numbers"):
            read.scores(frame)

    def test_nan_of_data_frames_and_files(self, tmp_path):
        polars = pytest.importorskip("polars")
        cells = [0.5, np.nan, None, 0.25, 1.0]
        frame = polars.DataFrame({"model": [*"aaabb"], "score": cells})
        for data in (frame, frame.to_arrow(), frame.to_pandas()):
            table = read.scores(data)
            assert as_lists(table) == {"": {"a": [0.5], "b": [0.25, 1.0]}}
            assert any("2 rows without a score" in note for note in table.notes)
        with pytest.raises(TableError, match=r"row 2, column 'seed'.*got a blank cell"):
            read.scores(frame.rename({"score": "seed"}).with_columns(acc=1.0))
        # A program wrote it, for a run that failed, say; what is missing is null.
        frame.write_parquet(tmp_path / "t.parquet")
        with pytest.raises(TableError, match=r"row 2, column 'score'.*got nan\. Where"):
            read.scores(tmp_path / "t.parquet")

    def test_a_blank_model_is_an_error(self, write):
        with pytest.raises(TableError, match=r"line 3, column 'model': expected the"):
            read.scores(write("model,score\na,1\n,2\nb,1\n"))


@pytest.mark.parametrize(
    "cell", ["86.45 ± 0.1", "86.45 (0.1)", "86.45+-0.1", r"86.45 $\pm$ 0.1", "86 +/- 1"]
)
@pytest.mark.parametrize("n", [1, 5])
def test_means_with_deviations_are_no_scores(write, cell, n):
    rows = [f"{k},{cell if k < n else 86.1},85.{k}" for k in range(5)]
    with pytest.raises(TableError, match=r"score of each run in a row of its own") as e:
        read.scores(write("\n".join(["seed,ours,base", *rows])))
    assert f"got '{cell}'" in str(e.value) or repr(cell) in str(e.value)
    assert "model=" not in str(e.value)


def test_one_comma_among_points_is_the_odd_one(write):
    rows = ["1,84.7,85.2", '2,84.1,"86,4"', "3,84.3,85.1"]
    with pytest.raises(TableError, match=r"line 3.*a decimal point, as.*'86,4'"):
        read.scores(write("\n".join(["seed,a,b", *rows])))


@pytest.mark.parametrize("word", ["OOM", "timeout", "diverged", "n/a"])
def test_words_for_runs_that_have_failed(write, word):
    path = write(f"seed,a,b\n1,0.1,0.5\n2,0.2,{word}\n3,0.3,0.7\n4,0.4,0.8\n")
    with pytest.raises(TableError, match=r"missing=.worst"):
        read.scores(path)
    assert len(read.scores(path, missing="drop").scores["b"]) == 3


@pytest.mark.parametrize("head", ["model,score", "a,b"])
def test_whole_numbers_that_are_rounded_are_said(write, head):
    def warn(first):
        rows = [("a", first), ("b", 7), ("a", 8), ("b", 9)]
        if head == "a,b":
            rows = [(first, 7), (8, 9)]
        notes = read.scores(write(as_csv(rows, head))).notes
        return [x for x in notes if isinstance(x, Caution) and "beyond 2^53" in x]

    (said,) = warn(2**53 + 1)
    assert "such as 9007199254740993, which" in said
    assert not warn(2**53 + 2)
    assert not warn("9007199254740993.5e3")


@pytest.mark.parametrize("head", ["model,time_ns", "a,b"])
def test_whole_numbers_that_become_one_are_refused(write, head):
    """Or else it would be said that scores do not vary."""
    times = [2**60 + k for k in range(8)]
    rows = list(zip(*[iter(times)] * 2, strict=True))
    if head != "a,b":
        rows = [("ab"[k % 2], x) for k, x in enumerate(times)]
    with pytest.raises(
        TableError, match=r"so that all of them become 11529215046068469"
    ):
        read.scores(write(as_csv(rows, head)))
    same = [(x if head == "a,b" else x[:1], 2**60 + 1) for x in ["a", "b"] * 3]
    if head == "a,b":
        same = [(2**60 + 1, 2**60 + 1)] * 3
    assert any(
        "become equal" in x for x in read.scores(write(as_csv(same, head))).notes
    )


@pytest.mark.parametrize("mean", ["91.1 ± 0.8", r"92.3 $\pm$ 0.4", r"$92.3 \pm 0.4$"])
def test_columns_of_means_are_no_scores(write, mean):
    for header in ("Model,Acc", "Model,SST-2"):
        path = write(f"{header}\na,{mean}\nb,{mean}\n")
        with pytest.raises(TableError, match=r"A mean with its deviation is no score"):
            read.scores(path)
    path = write(
        f"| Model | Acc |\n|---|---|\n| a | {mean} |\n| b | {mean} |\n", "t.md"
    )
    with pytest.raises(TableError, match=r"Write the score of each run in a row of"):
        read.scores(path)


def test_marks_of_footnotes(write):
    path = write("model,seed,acc\na,1,90.1*\na,2,91\nb,1,90\nb,2,90.5\n")
    with pytest.raises(
        TableError, match=r"got '90.1\*'\. '\*' marks the number, as for"
    ):
        read.scores(path)
