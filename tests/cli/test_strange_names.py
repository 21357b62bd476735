"""Names that would be controls, formulas or markup are shown as text."""

import csv
import io
import json
import sys
import unicodedata

import pytest

from sigarray.report._rendering import STYLES


def say(name, shown, mark='"'):
    """Return a name as sentences have it: quoted, if it has a sign of sentences."""
    return f"{mark}{shown}{mark}" if set(name) & set(',>()"; \xa0') else shown


EVIL = [
    "\x1b[2Jevil",
    "\u202eright",
    "line\u2028two",
    "=1+1",
    "@SUM(A1)",
    "-2x",
    "\x9b1m",
]


@pytest.fixture
def evil(write):
    rows = "\n".join(",".join(str((7 * k + j) % 5) for j in range(7)) for k in range(4))
    return write(f"{','.join(EVIL)}\n{rows}\n")


class TestStrangeNames:
    @pytest.mark.parametrize("style", STYLES)
    @pytest.mark.parametrize("printer", ["rich", "plain"])
    def test_no_control_reaches_the_output(
        self, evil, run, style, printer, monkeypatch
    ):
        if printer == "plain":
            monkeypatch.setitem(sys.modules, "rich", None)
        _, out, _ = run("compare", evil, "--test", "t", "--format", style)
        assert "evil" in out
        found = {unicodedata.category(x) for x in out.replace("\n", "")}
        assert not found & {"Cc", "Cf", "Zl", "Zp", "Cs"}

    def test_text_shows_them_by_escapes(self, evil, run):
        _, out, _ = run("compare", evil, "--test", "t")
        assert r"\x1b[2Jevil" in out
        assert r"\u202eright" in out

    def test_json_keeps_them(self, evil, run):
        _, out, _ = run("compare", evil, "--test", "t", "--format", "json")
        names = [name.replace("\u2028", " ") for name in EVIL]
        assert list(json.loads(out)["models"]) == names

    def test_csv_has_no_formulas(self, evil, run):
        options = ["--test", "t", "--lower-is-better", "--format", "csv"]
        _, out, _ = run("compare", evil, *options)
        rows = list(csv.DictReader(io.StringIO(out)))
        names = {row[key] for row in rows for key in ("model_a", "model_b")}
        assert {"'=1+1", "'@SUM(A1)", "'-2x"} <= names
        assert any(row["mean_difference"].startswith("-") for row in rows)

    def test_labels_that_are_numbers_are_no_formulas(self, write, run):
        _, out, _ = run("correct", write("-5,0.1\n-x,0.2\n"), "--format", "csv")
        assert [line.split(",")[0] for line in out.splitlines()[1:]] == ["-5", "'-x"]

    def test_messages_and_errors_of_options(self, run, capsys):
        err = run("compare", "no\x1b[31m\u202efile.csv")[2]
        assert r"no\x1b[31m\u202efile.csv cannot be read" in err
        for arguments in (["power", "--test", "\x1b[31m"], ["compare", "--x\x1b[31m"]):
            with pytest.raises(SystemExit):
                run(*arguments)
            err = capsys.readouterr().err
            assert "\x1b" not in err
            assert r"\x1b[31m" in err

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ("a|b", r"a\|b"),
            ("<b>x</b>", r"\<b>x\</b>"),
            ("x &lt; y", r"x \&lt; y"),
            ("[x](http://y)", r"\[x\](http\://y)"),
            ("![x](y)", r"!\[x\](y)"),
            ("www.x.org", r"www\.x.org"),
            ("$x$", r"\$x\$"),
            ("`x`", r"\`x\`"),
            ("#x", r"\#x"),
            ("-x", r"\-x"),
            ("1.x", r"1\.x"),
            ("# x", "# x"),  # in quotes
        ],
    )
    def test_markdown(self, write, run, name, shown):
        path = write(f'"{name}",other\n3,0\n3.1,0.1\n3.2,0\n')
        _, out, _ = run("compare", path, "--test", "t", "--format", "markdown")
        assert f"\n{say(name, shown)} is better than other: p \\< 0.0001" in out
        if name[0] not in "#-1":  # which mean nothing within a table
            assert f"| {shown} | 3 |" in out

    @pytest.mark.parametrize(
        ("name", "shown"),
        [
            ('say "x"', r"say \symbol{34}x\symbol{34}"),
            ("[x]", "[x]"),
            ("a--b", "a-{}-b"),
            ("a~b^c\\d", r"a\textasciitilde{}b\textasciicircum{}c\textbackslash{}d"),
            ("100%_#&${}", r"100\%\_\#\&\$\{\}"),
            ("``x''", r"\textasciigrave{}\textasciigrave{}x'{}'"),
            ("a\u00a0b", "a b"),
        ],
    )
    def test_latex(self, write, run, name, shown):
        header = name.replace('"', '""')
        path = write(f'"{header}",other\n3,0\n3.1,0.1\n3.2,0\n')
        _, out, _ = run("compare", path, "--test", "t", "--format", "latex")
        assert f"\n{{}} {shown} & $3$ &" in out
        said = say(name, shown, r"\symbol{34}")
        if '"' not in name and said != shown:
            said = f"``{shown}''"
        assert f"\n{said} is better than other: $p < 0.0001 \\leq 0.05$; " in out
        assert r"if $p \leq 0.05$, for one comparison" in out

    def test_a_comment_of_latex_stays_one(self, tmp_path, run):
        path = tmp_path / "a\n\\input{x}.csv"
        path.write_text("a,b\n1,2\n2,3\n")
        _, out, _ = run("compare", str(path), "--test", "t", "--format", "latex")
        assert "\n\\input" not in out


def test_a_baseline_by_the_name_that_tables_print(write, run):
    names = ["meta-llama__Llama-8B", "Qwen__Qwen-7B", "a/Phi", "b/Phi"]
    means = zip(names, (90, 50, 70, 71), strict=True)
    rows = [f"{x},{k},{mean + k}" for x, mean in means for k in range(5)]
    path = write("\n".join(["model,seed,acc", *rows]))
    _, whole, _ = run("compare", path, "--baseline", "Qwen__Qwen-7B")
    code, short, _ = run("compare", path, "--baseline", "Qwen-7B")
    assert (code, short) == (0, whole)
    assert "|baseline:Qwen__Qwen-7B|" in short
    options = ["--fail-unless-better", "Qwen__Qwen-7B"]
    assert run("compare", path, "--baseline", "Qwen-7B", *options)[0] == 1
    code, _, err = run("compare", path, "--baseline", "Phi")
    assert code == 2
    assert "for --baseline; got 'Phi'." in err
