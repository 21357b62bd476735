"""Results as tables for the paper: what is in them, and that LaTeX takes them."""

import json
import math
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest

from sigarray import (
    aso,
    bootstrap_ci,
    compare,
    holm,
    mann_whitney_u,
    multi_aso,
    rank_ci,
    ranking,
    report,
    t_test,
)
from tests.backends import require

SCORES = {
    "a_1": [0.9, 0.8, 0.7, 0.85],
    "b|c & $d$ #1 100%": [0.5, 0.4, 0.6, 0.55],
    "~^{}\\": [0.52, 0.41, 0.6, 0.5],
}
PAIRS = multi_aso(SCORES)
EVIL = ["\x1b[31mred", "\u202eright", "new\nline", "=1+1", "<b>x</b>"]


@pytest.mark.parametrize(
    ("lacking", "said"),
    [("narwhals", r"narwhals\.$"), ("pandas", r"pandas\. Or choose .* by backend=\.$")],
)
def test_a_frame_without_its_library(monkeypatch, lacking, said):
    pytest.importorskip("narwhals")
    monkeypatch.setitem(sys.modules, lacking, None)
    monkeypatch.delitem(sys.modules, "narwhals.stable.v1", raising=False)
    with pytest.raises(ImportError, match=rf"Expected {lacking}, .* install {said}"):
        report.to_frame(PAIRS, SCORES)


def test_pairs():
    pandas = pytest.importorskip("pandas")
    frame = report.to_frame(PAIRS, SCORES)
    assert isinstance(frame, pandas.DataFrame)
    names = list(SCORES)
    for record in frame.to_dict("records"):
        i, j = names.index(record["model_a"]), names.index(record["model_b"])
        assert record["eps_min"] == PAIRS.eps_min[i, j]
        assert record["violation_ratio"] == PAIRS.violation_ratio[i, j]
    assert len(frame) == 6
    assert json.loads(report.to_json(PAIRS, SCORES)) == frame.to_dict("records")
    polars = pytest.importorskip("polars")
    other = report.to_frame(PAIRS, SCORES, backend="polars")
    assert isinstance(other, polars.DataFrame)
    assert other["eps_min"].to_list() == frame["eps_min"].tolist()


@pytest.mark.parametrize(
    ("result", "columns"),
    [
        (
            aso([1.0, 2, 3], [1.0, 2, 4]),
            "eps_min violation_ratio standard_error probability_of_improvement pvalue",
        ),
        (t_test([1.0, 2, 3], [1.0, 2, 4]), "statistic pvalue df"),
        (
            bootstrap_ci([1.0, 2, 3], rng=0, n_resamples=99),
            "statistic low high standard_error",
        ),
        (
            mann_whitney_u([1.0, 2, 3], [1.0, 2, 4]),
            "statistic pvalue probability_of_improvement",
        ),
        (holm([0.1, 0.2]), "value"),
    ],
)
def test_columns(result, columns):
    pytest.importorskip("pandas")
    frame = report.to_frame(result)
    assert list(frame.columns) == ["name", *columns.split()]
    assert len(frame) == (2 if columns == "value" else 1)


def test_results_within_results():
    pytest.importorskip("pandas")
    result = compare([1.0, 2, 3], [1.0, 2, 4], rng=0)
    row = report.to_frame(result).iloc[0]
    assert row["summary_a.mean"] == 2
    assert row["aso_a_over_b.eps_min"] == float(result.aso_a_over_b.eps_min)
    assert row["mann_whitney.pvalue"] == float(result.mann_whitney.pvalue)


@pytest.mark.parametrize("library", ["numpy", "torch", "jax.numpy"])
def test_batches_of_any_library(library):
    xp = require(library)
    pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    a, b = (xp.asarray(x) for x in rng.normal(size=(2, 3, 9)))
    result = t_test(a, b)
    frame = report.to_frame(result, ["x", "y", "z"])
    assert frame["name"].tolist() == ["x", "y", "z"]
    np.testing.assert_array_equal(frame["pvalue"], np.asarray(result.pvalue))


def test_mappings_and_rankings():
    pytest.importorskip("pandas")
    by_task = {t: t_test([1.0, 2, 3], [k, 2, 4]) for k, t in enumerate("xy")}
    frame = report.to_frame(by_task)
    assert frame["name"].tolist() == ["x", "y"]
    assert frame["statistic"].tolist() == [float(x.statistic) for x in by_task.values()]
    order = report.to_frame(ranking(PAIRS, names=SCORES))
    assert order["name"][0] == "a_1"
    assert order["rank"].tolist() == [1, 2, 3]


def test_pairs_that_were_not_compared_are_blank():
    scores = {name: np.arange(5.0) + k for k, name in enumerate("abc")}
    result = multi_aso(scores, baseline="b", rng=0)
    rows = report.to_markdown(result, scores).splitlines()[2:]
    cells = [[x.strip(" *") for x in row.split("|")[2:-1]] for row in rows]
    assert [[bool(x) for x in row] for row in cells] == [
        [False, True, False],
        [True, False, True],
        [False, True, False],
    ]
    bounds = {
        (x["model_a"], x["model_b"]): x["eps_min"]
        for x in json.loads(report.to_json(result, scores))
    }
    assert {pair for pair, x in bounds.items() if x is None} == {("a", "c"), ("c", "a")}
    assert bounds["a", "b"] == result.eps_min[0, 1]


def test_nan_is_null():
    result = t_test([1.0, math.nan, 3], [1.0, 2, 4])
    assert json.loads(report.to_json(result))[0]["pvalue"] is None


def test_wrong_calls():
    with pytest.raises(ValueError, match=r"Expected 3 names"):
        report.to_markdown(PAIRS, ["x"])
    with pytest.raises(TypeError, match=r"result of a test, or an array; got str"):
        report.to_markdown("x")
    with pytest.raises(ValueError, match=r"one batch axis or none; got shape \(2, 3\)"):
        report.to_json(np.zeros((2, 3)))
    with pytest.raises(ValueError, match=r"one batch entry, of shape \(K, K\)"):
        report.to_json(multi_aso(np.random.default_rng(0).normal(size=(2, 3, 5))))
    with pytest.raises(ValueError, match=r"one result or more; got an empty mapping"):
        report.to_json({})


def test_markdown():
    text = report.to_markdown(PAIRS, SCORES)
    lines = text.splitlines()
    assert lines[0] == r"|  | a_1 | b\|c \& \$d\$ #1 100% | \~^{}\\ |"
    assert lines[2] == "| a_1 |  | **0.000** | **0.000** |"
    assert len(lines) == 5
    result = t_test([1.0, 2, 3], [1.0, 2, 4])
    assert report.to_markdown(result, ["x"]).splitlines()[2] == (
        f"| x | {result.statistic:.4g} | {result.pvalue:.4f} | {result.df:.4g} |"
    )


def test_p_values_are_shown_as_in_comparisons():
    """With four decimals, or as many as tell on which side of 0.05 they are."""
    shown = {1e-9: "<0.0001", 0.00012345: "0.0001", 0.050004: "0.050004", 1.0: "1.0000"}
    result = t_test([1.0, 2, 3], [1.0, 2, 4])
    results = {f"p{k}": result._replace(pvalue=p) for k, p in enumerate(shown)}
    lines = report.to_latex(results).splitlines()[4:8]
    assert [line.split(" & ")[2] for line in lines] == [
        f"${x}$" for x in shown.values()
    ]
    table = report.to_markdown(results).replace("\\<", "<").splitlines()[2:]
    assert [line.split(" | ")[2] for line in table] == list(shown.values())
    both = report.to_markdown(compare([1.0, 2, 3, 4], [5.0, 6, 7, 8], rng=0))
    header, _, row = (line.split(" | ") for line in both.splitlines())
    p_values = [x for name, x in zip(header, row, strict=True) if "pvalue" in name]
    assert p_values
    assert all(len(x.strip("| ")) >= len("0.0286") for x in p_values)


@pytest.mark.parametrize("write", [report.to_markdown, report.to_latex, report.to_json])
def test_controls_are_shown(write):
    text = write(t_test(np.ones((5, 3)), np.eye(3)[0]), EVIL)
    assert not set(text) & {"\x1b", "\u202e"}
    # One line of a table for each, and no more.
    assert "new\nline" not in text


def test_latex_compiles(tmp_path):
    """With pdflatex: every character that is special is shown as itself."""
    pdflatex = shutil.which("pdflatex")
    if pdflatex is None:
        pytest.skip(
            "there is no pdflatex here: apt-get install texlive-latex-recommended"
        )
    names = [*SCORES, *EVIL, "[x]", "*y", "--dash", "``q''", "ü ß"]
    rng = np.random.default_rng(0)
    tables = [
        report.to_latex(multi_aso(rng.normal(size=(len(names), 5))), names),
        report.to_latex(
            t_test(rng.normal(size=(len(names), 5)), rng.normal(size=5)), names
        ),
    ]
    body = "\n\n".join(tables)
    text = (
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{booktabs}"
        "\\usepackage[paperwidth=90cm,paperheight=60cm,margin=1cm]{geometry}"
        f"\\begin{{document}}{body}\\end{{document}}"
    )
    (tmp_path / "table.tex").write_text(text, "utf-8")
    process = subprocess.run(
        [pdflatex, "-halt-on-error", "-interaction=nonstopmode", "table.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=120,
    )
    assert process.returncode == 0, process.stdout[-2000:]
    assert "Overfull" not in process.stdout
    pdftotext = shutil.which("pdftotext")
    if pdftotext is not None:
        read = subprocess.run(
            [pdftotext, "-layout", "table.pdf", "-"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for name in (
            "a_1",
            "b|c & $d$ #1 100%",
            "~^{}\\",
            "=1+1",
            "[x]",
            "*y",
            "--dash",
        ):
            assert re.sub(r"\s", "", name) in re.sub(r"\s", "", read), name


def test_means_and_deviations_of_single_results_share_a_column():
    result = compare([0.92, 0.94, 0.93, 0.95, 0.94], [0.90, 0.92, 0.93, 0.89, 0.93])
    lines = report.to_latex(result.summary_a, ["lstm"]).splitlines()
    assert lines[2] == r"{} name & mean $\pm$ sd & median & min & max \\"
    assert lines[4].startswith(r"{} lstm & $0.9360 \pm 0.0114$ & $0.9400$ & ")
    text = report.to_latex({"a": result.summary_a, "b": result.summary_b})
    assert r"$0.9140 \pm 0.0182$" in text
    # Of a result in a result, too.
    text = report.to_latex(result)
    assert r"& summary\_a.mean $\pm$ sd & summary\_a.median &" in text


def test_ranks_have_a_row_for_each_model():
    result = rank_ci(SCORES, rng=0, n_resamples=99)
    first, *_ = json.loads(report.to_json(result, SCORES))
    low, high = result.confidence_interval
    assert first == {
        "name": "a_1",
        "rank": 1.0,
        "low": low[0],
        "high": high[0],
        **{f"probability_{k + 1}": result.probability[0, k] for k in range(3)},
    }
