"""`sigarray correct`: what it prints and refuses."""

import io
import json

import pytest
from statsmodels.stats.multitest import multipletests

from sigarray.report._rendering import STYLES


class TestCorrect:
    @pytest.mark.parametrize(
        ("method", "theirs"),
        [
            ("holm", "holm"),
            ("bonferroni", "bonferroni"),
            ("benjamini-hochberg", "fdr_bh"),
            ("benjamini-yekutieli", "fdr_by"),
        ],
    )
    def test_methods(self, write, run, method, theirs):
        p_values = [0.04, 0.012, 0.9, 0.002, 0.03]
        path = write("\n".join(map(str, p_values)))
        arguments = ["--method", method, "--alpha", "0.1"]
        _, out, _ = run("correct", path, *arguments, "--format", "json")
        document = json.loads(out)
        expected = multipletests(p_values, alpha=0.1, method=theirs)
        adjusted = [r["adjusted_pvalue"] for r in document["pvalues"]]
        assert adjusted == pytest.approx(expected[1])
        assert f"{expected[0].sum()} of 5 are significant" in document["verdict"]

    def test_the_level_itself_is_significant(self, write, run):
        _, out, _ = run("correct", write("x,0.025\ny,0.5\n"))
        assert "1 of 2 is significant at level 0.05 after Holm's correction: x." in out

    def test_many_p_values_are_no_long_sentence(self, write, run, monkeypatch):
        monkeypatch.setattr("sigarray.report._text._render_rich", None)  # slow
        rows = "".join(f"t{k},{0.0 if k < 21 else 1.0}\n" for k in range(1001))
        _, out, _ = run("correct", write(rows))
        assert "21 of 1001 are significant at level 0.05 after Holm's corr" in out
        assert "correction: t0" not in out
        assert out.count("\n") < 1020

    @pytest.mark.parametrize("style", STYLES)
    def test_all_formats(self, write, run, style):
        path = write("first,0.01\nsecond,0.5\n")
        code, out, err = run("correct", path, "--format", style)
        assert (code, err) == (0, "")
        assert "first" in out

    def test_standard_input(self, run, monkeypatch):
        stream = io.TextIOWrapper(io.BytesIO(b"0.01\n0.5\n"))
        monkeypatch.setattr("sys.stdin", stream)
        assert "1 of 2 is significant" in run("correct")[1]
