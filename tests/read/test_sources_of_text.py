"""Tables of text, with what stands around them."""

import pandas as pd
import pytest

from sigarray import read
from sigarray.read import TableError
from tests.read.long_tables import EXPECTED, ROWS, as_csv, as_lists

WIDE = "lstm,cnn\n0.5,0.75\n0.25,1.0\n"
SCORES = {"": {"lstm": [0.5, 0.25], "cnn": [0.75, 1.0]}}


@pytest.mark.parametrize(
    ("above", "note"),
    [
        ("# lr=0.1, bs=32\n\n#eval.py\n", "2 lines that begin with # were left out"),
        ("Results of May\n", "line 1, 'Results of May', was taken for a title"),
        ("\nResults,\n\n", "line 2, 'Results', was taken for a title"),
        ("# a\nMay\n", "line 2, 'May', was taken for a title"),
    ],
)
def test_comments_and_a_title(write, above, note):
    table = read.scores(write(above + WIDE))
    assert as_lists(table) == SCORES
    assert any(x.endswith(note) for x in table.notes)
    assert as_lists(read.scores(write(above + as_csv(ROWS)))) == EXPECTED


def test_a_header_that_is_a_comment(write):
    """As `numpy.savetxt` writes it; here "# lstm" was the name of a model."""
    table = read.scores(write(f"# written by NumPy\n# {WIDE}"))
    assert as_lists(table) == SCORES
    assert "line 2, which begins with #, was taken for the header" in table.notes[0]
    # A column that counts rows may have this name.
    table = read.scores(write("#,lstm,cnn\n1,0.5,0.75\n2,0.25,1.0\n"), item="#")
    assert as_lists(table) == SCORES


def test_no_other_comment_or_title_is_guessed(write):
    with pytest.raises(TableError, match=r"line 3, column 1 .* got '# new GPUs'"):
        read.scores(write("a,b\n.1,.2\n# new GPUs\n.3,.4\n"))
    with pytest.raises(TableError, match=r"expected 1 cells, as in the header; got 2"):
        read.scores(write("score\n0,93\n0,95\n"))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16(tmp_path, encoding):
    mark = "" if encoding == "utf-16" else "\ufeff"
    path = tmp_path / "t.txt"
    path.write_text(mark + WIDE.replace(",", "\t"), encoding=encoding)
    assert as_lists(read.scores(path)) == SCORES
    path.write_bytes(WIDE.encode("utf-16-le"))  # without a mark
    with pytest.raises(TableError, match=r"expected UTF-8 text; got the byte 0x00"):
        read.scores(path)


class TestMarkdown:
    TABLE = "| lstm | cnn |\n|-----:|:----|\n| 0.5 | 0.75 |\n| **0.25** | 1.0 |\n"

    def test_the_only_table_of_a_text(self, write):
        assert as_lists(read.scores(write(self.TABLE, "t.md"))) == SCORES
        text = f"# Results\n\nOurs | is best.\n\n{self.TABLE}\nThe end.\n"
        table = read.scores(write(text, "t.md"))
        assert as_lists(table) == SCORES
        assert "3 lines were left out" in table.notes[0]
        bare = "a | b\n--- | ---\n.1 | .2\n.3 | .4\n"
        assert as_lists(read.scores(write(bare))) == {
            "": {"a": [0.1, 0.3], "b": [0.2, 0.4]}
        }

    def test_a_bar_in_a_name(self, write):
        table = read.scores(write(self.TABLE.replace("lstm", r"a\|b"), "t.md"))
        assert table.models == ("a|b", "cnn")

    def test_what_is_refused(self, write):
        with pytest.raises(TableError, match=r"one table of Markdown; got 2"):
            read.scores(write(f"{self.TABLE}\n{self.TABLE}", "t.md"))
        with pytest.raises(
            TableError, match=r"line 3, column 1 .lstm.: .* got '0.5 ± 0.1'\. A mean"
        ):
            read.scores(write(self.TABLE.replace("0.5", "0.5 ± 0.1"), "t.md"))


def test_latex_is_refused_with_what_to_do(write):
    text = "\\begin{tabular}{rr}\n\\toprule\na & b \\\\\n0.1 & 0.2 \\\\\n\\end{tabular}"
    with pytest.raises(TableError, match=r"a table of LaTeX.* docs/files.md"):
        read.scores(write(text, "t.tex"))


def test_two_rows_of_names_are_refused(write):
    frame = pd.DataFrame(ROWS, columns=["model", "task", "seed", "acc"])
    frame["f1"] = frame.acc / 2
    wide = frame.pivot_table(index="seed", columns="model", values=["acc", "f1"])
    with pytest.raises(TableError, match=r"line 2: .* a second row of names.*\.stack"):
        read.scores(write(wide.to_csv()))
