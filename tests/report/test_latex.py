"""Tables of LaTeX: numbers in mathematics, and a document that compiles."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sigarray import compare_models, read, t_test
from sigarray._cli.main import main
from sigarray.report import to_latex
from sigarray.report._latex import draw_latex
from sigarray.report._layout import Table
from tests.backends import whole_suite

LATEX = shutil.which("pdflatex")
SCORES = {
    "a_1 & b": [0.92, 0.90, 0.93, 0.91, 0.92, 0.94],
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


def list_said(text):
    """Return what a reader of the paper sees: lines that are no comments."""
    return [line for line in text.splitlines() if not line.startswith("%")]


def test_captions_name_the_metric_and_count_the_runs(tmp_path):
    path = tmp_path / "runs.csv"
    rows = [f"{name},{x}" for name, y in SCORES.items() for x in y]
    path.write_text("\n".join(["model,val/acc", *rows]).replace("a_1 & b", "a"))
    text = compare_models(path).to_latex()
    captions = re.findall(r"\\caption\{(.*)\}", text)
    assert len(captions) == 2
    assert captions[1] == (
        "Scores. Metric: val/acc; higher is better; 6 runs each. The standard "
        "deviation (sd) is that of runs; the highest mean is bold."
    )
    assert " Metric: val/acc; higher is better; 6 runs each. A model" in captions[0]
    losses = {x: [-y for y in z] for x, z in SCORES.items()}
    text = compare_models({"x": losses}, higher_is_better=False).to_latex()
    assert r"\caption{Scores. Task: x; lower is better; 6 runs each. The" in text
    items = {x: [y > 0.81 for y in z] * 4 for x, z in SCORES.items()}
    text = compare_models({"x": items, "y": items}, unit="item").to_latex()
    captions = [x for x in text.split("\n") if "caption" in x]
    ends = [x.rsplit("24 items on each task.", 1)[1] for x in captions]
    assert [x[:3] for x in ends] == [" Ov", " In", " Hi", " On"]
    assert [x.count("24 items on each task") for x in captions] == [1] * 4
    # Advice is no caption.
    unlike = {"x": SCORES, "y": {x: [500 * y for y in z] for x, z in SCORES.items()}}
    text = compare_models(unlike, unit="run").to_latex()
    assert text.count("\n% Normalize the scores of each task") == 1
    assert text.count("Normalize the scores of each task") == 1


@pytest.mark.long
@pytest.mark.parametrize("command", ["compare", "power"])
def test_the_file_is_named_in_a_comment_alone(tmp_path, capsys, command):
    for n_models, n_tasks in ((3, 1), (3, 2), (13, 1), (13, 2)):
        path = tmp_path / f"{n_models}_{n_tasks}.csv"
        rows = [
            f"m{m},t{t},{0.1 * m + 0.01 * t + 0.001 * (s * (m + 3) % 7)}"
            for m in range(n_models)
            for t in range(n_tasks)
            for s in range(5)
        ]
        path.write_text("\n".join(["model,task,acc", *rows]))
        options = ["--format", "latex", *(["--n-samples", "9"] * (command == "power"))]
        assert main([command, str(path), *options]) == 0
        text = capsys.readouterr().out
        said = " ".join(list_said(text))
        assert str(path) in text
        assert path.name not in said
        assert "the data frame" not in said


def test_titles_of_other_commands_are_without_the_file(write, capsys):
    path = write("p\n0.01\n0.04\n")
    assert main(["correct", path, "--format", "latex"]) == 0
    out = capsys.readouterr().out
    assert r"\caption{Significant where the adjusted $p$ is at most 0.05.}" in out
    assert f"\n% {path}\n" in out
    options = ["--n-sets", "2", "--n-items", "2", "--n-resamples", "2"]
    assert main(["study", *options, "--format", "latex"]) == 0
    out = capsys.readouterr().out
    assert r"\caption{p-values from one test set and true ones.}" in out
    assert "% \n" not in out


def test_any_table_with_a_caption_is_made_to_fit():
    text = compare_models(SCORES).to_latex()
    assert text.count(r"\begin{tabular}") == text.count(r"\resizebox") == 2
    text = to_latex(t_test([1.0, 2.0, 3.0], [1.0, 2.0, 4.0]), caption="x")
    assert r"\resizebox" in text


def test_long_names_are_cut_in_tables_as_in_text():
    names = [f"meta-llama/Meta-Llama-3.1-{k}B-Instruct" for k in (8, 70, 405)]
    text = compare_models(dict(zip(names, SCORES.values(), strict=False))).to_latex()
    differences, scores, answer = text.split(r"\end{table}")
    assert "meta-llama" not in differences
    assert all(name in part for name in names for part in (scores, answer))


def test_names_that_fit_are_whole():
    names = ("transformer", "transformer-aug", "baseline-v2")
    text = compare_models(dict(zip(names, SCORES.values(), strict=False))).to_latex()
    assert "\N{HORIZONTAL ELLIPSIS}" not in text


@whole_suite
def test_letters_that_pdflatex_lacks_are_said():
    for name, is_said in (("b\u6a21", True), ("b\xfc \u2026", False)):
        scores = {"a": [1, 2, 4, 3, 5], name: [4, 3, 5, 6, 2]}
        text = compare_models(scores, test="t", unit="run").to_latex()
        assert ("Use XeLaTeX" in text.split("\n\n")[0]) == is_said


@pytest.mark.skipif(LATEX is None, reason="there is no LaTeX here")
def test_it_compiles(tmp_path):
    tables = [
        compare_models(SCORES).to_latex(),
        compare_models({f"task_{k}": SCORES for k in range(9)}, test="t").to_latex(),
        compare_models({f"DeBERTa-v3-{x}": y for x, y in SCORES.items()}).to_latex(),
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


def test_metrics_with_filters_are_named_in_words():
    metrics = "acc, exact_match,strict"
    scores = {x: {"a": [1, 0, 1, 1] * 3, "b": [0, 0, 1, 0] * 3} for x in "xy"}
    table = read.scores(scores, unit="item")._replace(metric=metrics)
    result = compare_models(table)
    said = "acc and exact\\_match (strict)"
    assert f"Metric: {said}; higher is better; 12 items on each" in result.to_latex()
    assert "higher acc and exact_match (strict) are better" in str(result)
    assert f"|metric:{metrics}|" in result.signature


def test_labels_are_those_of_a_file_and_of_whole_words(tmp_path, monkeypatch):
    """So that tables of two comparisons are in one paper."""
    monkeypatch.chdir(tmp_path)
    lines = [f"0.{a},0.{a + 2},0.{a + 31}" for a in (31, 42, 37, 35, 48)]
    labels = []
    for name in ("runs.csv", "other runs.csv"):
        Path(name).write_text("\n".join(["a,b,c", *lines]))
        text = compare_models(read.scores(name), unit="run", test="t").to_latex()
        labels += re.findall(r"\\label\{(.*)\}", text)
    assert labels[:2] == ["tab:runs-differences", "tab:runs-scores"]
    assert labels[2:] == ["tab:other-runs-differences", "tab:other-runs-scores"]
    games = read.scores(Path(__file__).parents[2] / "docs/examples/games.csv")
    labels = re.findall(r"\\label\{(.*)\}", compare_models(games).to_latex())
    kinds = ("differences", "mean-ranks", "means", "verdict")
    assert labels == [f"tab:games-{kind}" for kind in kinds]
