"""Tables of LaTeX: numbers in mathematics, and a document that compiles."""

import re
import shutil
import subprocess

import pytest

from sigarray import compare_models, t_test
from sigarray.report import to_latex
from sigarray.report._latex import draw_latex
from sigarray.report._layout import Table
from tests.backends import whole_suite

LATEX = shutil.which("pdflatex")
SCORES = {
    "a_1 & b": [0.90, 0.92, 0.93, 0.91, 0.92, 0.94],
    "3e5": [0.80, 0.82, 0.85, 0.81, 0.83, 0.84],
    r"\x{$": [0.70, 0.72, 0.78, 0.71, 0.75, 0.74],
}


def test_formulas_and_quotes_of_captions_are_those_of_latex():
    result = t_test([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])

    def write(caption):
        (line,) = re.findall(r"\\caption\{(.*)\}", to_latex(result, caption=caption))
        return line

    assert write('"a_1, b" and ("c d"): p <= 0.05.') == (
        r"``a\_1, b'' and (``c d''): $p \leq 0.05$."
    )
    assert write("eps_min = 0.100 < 0.2, adjusted p < 1e-05; eps_min of A") == (
        r"$\varepsilon_{\min} = 0.100 < 0.2$, adjusted $p < 1 \times 10^{-5}$; "
        r"$\varepsilon_{\min}$ of A"
    )
    assert write("even where P(A>B) is large") == "even where $P(A > B)$ is large"
    # Not what is a part of a name, or no formula.
    assert write('my-p = 0.5, top_p = 1, 5" and 6"') == (
        r"my-p = 0.5, top\_p = 1, 5\symbol{34} and 6\symbol{34}"
    )


def test_numbers_are_mathematics_and_names_are_text():
    rows = [["1e5", "0.912", "0.004", "1.9e-07", "+0.1 [-0.2, +0.4]", "1e5"]]
    header = ["model", "mean", "sd", "p", "A - B, interval", "better"]
    marked = frozenset({(0, 1), (0, 5)})
    assert draw_latex(Table("", header, rows, marked)).splitlines() == [
        r"\begin{tabular}{lrrrr}",
        r"\toprule",
        r"{} model & mean $\pm$ sd & $p$ & $A - B$, interval & better \\",
        r"\midrule",
        r"{} 1e5 & $\mathbf{0.912 \pm 0.004}$ & $1.9 \times 10^{-7}$ & "
        r"$+0.1\ [-0.2, +0.4]$ & \textbf{1e5} \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_tables_have_captions_and_labels():
    text = compare_models({"x": SCORES, "y": SCORES}, test="t").to_latex()
    n_tables = text.count(r"\begin{table}")
    assert len(re.findall(r"\\caption\{.*\.\}", text)) == n_tables > 2
    labels = re.findall(r"\\label\{(.*)\}", text)
    assert len(set(labels)) == n_tables
    assert all(re.fullmatch(r"tab:[a-z0-9-]+", x) for x in labels)
    # Models in rows, tasks in columns, and the best of each in bold.
    assert r"{} model & x & y \\" in text
    assert text.count(r"\mathbf{0.920 \pm 0.014}") == 2
    assert "sigarray power" not in re.sub("^%.*$", "", text, flags=re.MULTILINE)


@whole_suite
@pytest.mark.skipif(LATEX is None, reason="there is no LaTeX here")
def test_it_compiles(tmp_path):
    tables = [
        compare_models(SCORES).to_latex(),
        compare_models({f"task_{k}": SCORES for k in range(9)}, test="t").to_latex(),
    ]
    (package,) = {x.partition("\n")[0].removeprefix("% ") for x in tables}
    body = "\n".join(tables)
    document = rf"\documentclass{{article}}{package}\begin{{document}}{body}"
    (tmp_path / "x.tex").write_text(rf"{document}\end{{document}}", "utf-8")
    process = subprocess.run(
        [LATEX, "-halt-on-error", "-interaction=nonstopmode", "x.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert process.returncode == 0, process.stdout[-2000:]
    assert (tmp_path / "x.pdf").stat().st_size > 10_000
    assert "Overfull \\hbox" not in process.stdout
