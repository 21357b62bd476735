"""`sigarray compare --margin`: numbers, words, files and signatures."""

import csv
import io
import json

import numpy as np
import pytest

from sigarray import compare_models, proportion_test
from sigarray.report._rendering import STYLES

RNG = np.random.default_rng(5)
RIGHT = {m: (RNG.random(300) < p).astype(int) for m, p in (("a", 0.8), ("b", 0.82))}


@pytest.fixture
def items(write):
    rows = [f"{m},q{k},{x}" for m, by in RIGHT.items() for k, x in enumerate(by)]
    return write("\n".join(["model,item,acc", *rows, ""]))


def compare(run, *arguments):
    code, out, err = run("compare", *arguments, "--format", "json")
    assert code == 0, err
    return json.loads(out)


def test_scores_of_0_and_1_have_score_tests(items, run):
    document = compare(run, items, "--margin", "0.06", "--baseline", "b")
    (pair,) = document["pairs"]
    expected = proportion_test(
        *(RIGHT["a"], RIGHT["b"]), paired=True, alternative="greater", margin=0.06
    )
    assert pair["margin_pvalue_a"] == pytest.approx(float(expected.pvalue), rel=1e-12)
    assert pair["margin_pvalue_b"] is None
    assert document["margin"] == 0.06
    assert "One-sided tests of a margin of 0.06: score tests" in document["method"]
    assert document["verdicts"][0].startswith("a ")


@pytest.mark.parametrize("style", STYLES)
def test_every_format_has_the_margin(items, run, style):
    code, out, _ = run("compare", items, "--margin", "0.06", "--format", style)
    assert code == 0
    assert "0.06" in out


def test_csv_has_its_columns_at_the_end(items, run):
    _, out, _ = run("compare", items, "--margin", "0.06", "--format", "csv")
    header, row = csv.reader(io.StringIO(out))
    names = ["margin_pvalue", "adjusted_margin_pvalue"]
    assert header[-5:] == ["margin", *(f"{x}_{y}" for x in names for y in "ab")]
    assert row[-5] == "0.06"
    _, plain, _ = run("compare", items, "--format", "csv")
    assert plain.splitlines()[0].split(",") == header[:-5]


def test_a_signature_has_it(items, run):
    signature = compare(run, items, "--margin", "0.06")["signature"]
    assert "|margin:0.06|" in signature
    for as_shown in (signature, f"Signature: {signature}", f"Signature: `{signature}`"):
        assert run("compare", items, "--verify", as_shown)[0] == 0
    for old, new in (("margin:0.06", "margin:0.07"), ("|margin:0.06", "")):
        code, out, _ = run("compare", items, "--verify", signature.replace(old, new))
        assert code == 1
        said = "the scores are the same, but they give other numbers"
        assert said in " ".join(out.split())
    both = ("--verify", signature, "--margin")
    assert run("compare", items, *both, "0.06")[0] == 0
    assert "Expected --margin as in the sig" in run("compare", items, *both, "0.07")[2]


def test_it_is_what_python_says(items, run):
    document = compare(run, items, "--margin", "0.06", "--test", "t")
    result = compare_models(RIGHT, unit="item", margin=0.06, test="t")
    found = json.loads(result.to_json())["pairs"]
    assert [x["margin_pvalue_a"] for x in found] == [
        x["margin_pvalue_a"] for x in document["pairs"]
    ]


def test_runs_are_compared_by_t(table, run):
    _, out, err = run("compare", table, "--margin", "0.5")
    assert "almost stochastic order, the default for runs, takes no margin" in err
    assert "One-sided tests of a margin of 0.5: t-tests, Holm's correction for 3" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("compare", "--test", "aso"),
            "a margin M is a shift: aso(a + M, b) in Python",
        ),
        (("compare", "--test", "mann-whitney"), "A margin is in the unit of means."),
    ],
)
def test_others_are_refused_in_words(table, run, arguments, said):
    command, *more = arguments
    code, out, err = run(command, table, *more, "--margin", "0.1")
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize("margin", ["0", "-1", "nan", "inf", "x"])
def test_a_margin_is_a_number_above_zero(table, run, capsys, margin):
    with pytest.raises(SystemExit):
        run("compare", table, f"--margin={margin}")
    assert "--margin" in capsys.readouterr().err


def test_pictures_and_pages_show_it(items, run, tmp_path):
    page, picture = tmp_path / "page.html", tmp_path / "picture.svg"
    arguments = ("--margin", "0.06", "--report", str(page), "--plot", str(picture))
    _, _, err = run("compare", items, *arguments)
    assert "Dotted: the margin of 0.06." in err
    assert "Dotted: the margin of 0.06." in page.read_text()
    assert "J. P. Shaffer (1986)" in page.read_text()
