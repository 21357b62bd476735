"""`sigarray compare`: what it prints, and where."""

import functools
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from sigarray import aso, multi_aso, violation_ratio
from sigarray.read._score_table import Choice
from sigarray.read._scores import read_sources
from sigarray.report._rendering import STYLES
from tests import oracles

NER = Path(__file__).parents[3] / "shared" / "data" / "ner_test_f1.csv"

FILE = """\
small,large,huge
0.81,0.90,0.95
0.80,0.92,0.96
0.83,0.91,0.94
0.82,0.93,0.97
0.81,,
"""


def read(path):
    return read_sources([path], Choice()).scores


@pytest.fixture
def compare(run):
    return functools.partial(run, "compare")


@pytest.fixture(params=["rich", "plain"])
def printer(request, monkeypatch):
    if request.param == "plain":
        monkeypatch.setitem(sys.modules, "rich", None)
    else:
        pytest.importorskip("rich")
    monkeypatch.setenv("COLUMNS", "200")


# Scores that leave room for every option to matter.
NORMAL = np.random.default_rng(0).normal([0.0, 0.5, 1.0], 1.0, (15, 3)).round(3)


@pytest.fixture
def normal_file(write):
    rows = "".join(f"{a},{b},{c}\n" for a, b, c in NORMAL)
    return write(f"a,b,c\n{rows}")


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        ([], {}),
        (["--no-correction"], {"correction": None}),
        (["--confidence-level", "0.7"], {"confidence_level": 0.7}),
        (["--n-resamples", "333"], {"n_resamples": 333}),
        (["--seed", "5"], {"rng": 5}),
        (["--lower-is-better"], {"higher_is_better": False}),
        (["--method", "asymptotic"], {"method": "asymptotic"}),
        (["--method", "bootstrap"], {"method": "bootstrap"}),
    ],
)
def test_options_are_those_of_the_library(normal_file, compare, arguments, options):
    _, out, _ = compare(normal_file, "--format", "json", *arguments)
    document = json.loads(out)
    models = dict(zip("abc", NORMAL.T, strict=True))
    expected = multi_aso(models, **{"rng": 0} | options)
    np.testing.assert_allclose(document["eps_min"], expected.eps_min)
    for pair in document["pairs"]:
        i, j = ("abc".index(pair[key]) for key in ("model_a", "model_b"))
        assert pair["eps_min_b_over_a"] == pytest.approx(expected.eps_min[j, i])
        keys = {"eps_min": "eps_min_a_over_b", "pvalue": "equality_pvalue"}
        for name, matrix in expected._asdict().items():
            key = keys.get(name, name)
            assert pair[key] == pytest.approx(float(matrix[i, j])), name
        difference = NORMAL[:, i].mean() - NORMAL[:, j].mean()
        assert pair["mean_difference"] == pytest.approx(difference)
        a_is_better = expected.eps_min[i, j] < 0.2
        assert (pair["better"] == pair["model_a"]) == a_is_better
        assert (pair["verdict"] == "better") == (pair["better"] is not None)
        assert pair["pvalue"] is pair["adjusted_pvalue"] is None


def test_options_are_distinguishable():
    """Or else the test above could not fail."""
    plain = multi_aso(NORMAL.T, rng=0).eps_min
    for options in (
        {"correction": None},
        {"confidence_level": 0.7},
        {"n_resamples": 333},
        {"higher_is_better": False},
        {"method": "asymptotic"},
    ):
        assert (
            np.abs(multi_aso(NORMAL.T, **{"rng": 0} | options).eps_min - plain).max()
            > 0
        )


def test_summaries(normal_file, compare):
    document = json.loads(compare(normal_file, "--format", "json")[1])
    for name, column in zip("abc", NORMAL.T, strict=True):
        assert document["models"][name] == pytest.approx(
            {
                "n": 15,
                "mean": column.mean(),
                "sd": column.std(ddof=1),
                "median": np.median(column),
                "min": column.min(),
                "max": column.max(),
            }
        )


def test_direction_is_said(write, compare, printer):
    assert "higher is better" in compare(write(FILE))[1]
    assert "lower is better" in compare(write(FILE), "--lower-is-better")[1]


def test_bounds_are_shown_on_their_side_of_the_threshold(normal_file, compare):
    """With three digits, a bound of 0.2574 is not below 0.2574."""
    document = json.loads(compare(normal_file, "--format", "json")[1])
    bound = min(x for row in document["eps_min"] for x in row if x > 0)
    for threshold in (bound + 1e-7, bound - 1e-7):
        _, out, _ = compare(normal_file, "--threshold", repr(threshold))
        sentences = re.findall(r"eps_min = ([\d.]+) <\s+([\d.e-]+),", out)
        assert all(float(x) < threshold for x, _ in sentences)
        undecided = re.findall(
            r"eps_min\s+=\s+([\d.]+)\s+and\s+([\d.]+),\s+neither", out
        )
        assert all(float(x) >= threshold for pair in undecided for x in pair)


def test_text_has_the_ranking_and_then_tables(write, compare, printer):
    code, out, err = compare(write(FILE))
    assert (code, err.count("\n")) == (0, 1)
    assert err.endswith("left out: 1 of 'large', 1 of 'huge'.\n")
    lines = [line.split() for line in out.splitlines()]
    assert lines[:2] == [
        [out.splitlines()[0].split(",")[0] + ",", "higher", "is", "better"],
        ["Ranking:", "huge", ">", "large", ">", "small"],
    ]
    scores = ["4", "0.9150", "0.0129", "0.9150", "0.9000", "0.9300"]
    assert ["large", "b", *scores] in lines
    (row,) = (line for line in lines if line[:2] == ["large", "small"])
    assert row[2].startswith("+0.10")
    assert row[3].startswith("[+0.0")
    assert [row[5], *row[7:]] == ["1.00", "1.00]", "0.000", "large"]
    rule = "eps_min < 0.2, at confidence 0.95 for all 3 comparisons together."
    assert f"A model is better than another if {rule}" in " ".join(out.split())


def test_undecided_pairs_are_said_to_be(write, compare, printer):
    _, out, _ = compare(write("a,b\n1,2\n3,1\n2,4\n"))
    out = " ".join(out.split())
    bounds = "eps_min 1.000 for b over a, 1.000 for the reverse, threshold 0.2"
    # Of 9 pairs of runs b is ahead in 4, and equal in 2.
    assert (
        f"b vs. a: inconclusive, for lack of runs ({bounds}; P(b > a) = "
        "0.56 [0.08, 0.95]; p of equality = 1.0000); the means" in out
    )
    assert "at confidence 0.95 for one comparison" in out
    _, out, _ = compare(write("a,b\n1,2\n3,1\n2,4\n"), "--lower-is-better")
    assert "P(a < b) = 0.56 [0.08, 0.95]; p of equality = 1.0000)" in " ".join(
        out.split()
    )


def test_models_that_are_not_equal_are_said_to_be_so(write, compare, printer):
    """Of a model that is mostly ahead, and sometimes far behind."""
    wide = [1.005 + k / 100 for k in range(16)] + [-9.0, -8.0, -7.0, -6.0]
    narrow = [k / 100 for k in range(20)]
    cells = zip(wide, narrow, strict=True)
    _, out, _ = compare(write("a,b\n" + "".join(f"{x},{y}\n" for x, y in cells)))
    out = " ".join(out.split())
    assert "b vs. a: not equal, but neither is shown to be better (eps_min " in out
    assert "unequal: not equal, but neither is shown to be better." in out
    exact = scipy.stats.mannwhitneyu(wide, narrow, method="exact").pvalue
    assert f"P(b > a) = 0.20 [0.08, 0.43]; p of equality = {exact:.4f})" in out


def test_library_and_command_agree(write, compare):
    scores = read(write(FILE))
    _, out, _ = compare(write(FILE), "--format", "json", "--no-correction")
    document = json.loads(out)
    expected = multi_aso(scores, correction=None, rng=0).eps_min
    np.testing.assert_allclose(document["eps_min"], expected)
    assert document["models"]["small"]["n"] == 5
    assert document["correction"] is None


def test_latex_is_escaped(write, compare):
    _, out, _ = compare(write("a_1,[b%{}]\n-1,-2\n-2,-3\n"), "--format", "latex")
    assert r"a\_1 & [b\%\{\}]" in out
    assert r"$\mathbf{-1.50 \pm 0.71}$ & $-1.50$ &" in out
    assert "\n{} [b\\%" in out


def test_latex_marks_the_better(write, compare):
    _, out, _ = compare(write(FILE), "--format", "latex")
    assert r"& $0.000$ & \textbf{huge} \\" in out
    assert re.search(r"\{\} large & small & \$\+0\.\d+\\ \[\+0\.\d+, \+0\.\d+\]\$", out)
    assert out.count(r"\mathbf{") == 1  # the best mean


def test_markdown_is_escaped(write, compare):
    _, out, _ = compare(write("a|1,_b_,c_d\n1,2,3\n2,3,4\n"), "--format", "markdown")
    assert r"| c_d | a\|1 |" in out
    assert r"| \_b\_ | a\|1 |" in out


def test_wide_characters_are_aligned(write, compare, printer):
    _, out, _ = compare(write("模型,b\n1,2\n2,3\n"))
    rows = [
        line for line in out.splitlines() if line.lstrip().startswith(("模型", "b "))
    ]
    assert (
        len({line.index(" 2 ") + (2 if "模型" in line else 0) for line in rows[-2:]})
        == 1
    )


def test_quoted_names(write, compare):
    path = write('"x, y","a\nb"\n1,2\n2,3\n')
    _, out, _ = compare(path, "--columns", '"x, y",a b', "--format", "json")
    assert list(json.loads(out)["models"]) == ["x, y", "a b"]


def test_index_is_skipped_where_columns_are_chosen(write, compare):
    path = write(",a,b\n0,1,2\n1,2,3\n")
    _, out, _ = compare(path, "--columns", "a,b", "--format", "json")
    assert list(json.loads(out)["models"]) == ["a", "b"]


def test_markdown_marks_the_better(write, compare):
    _, out, _ = compare(write(FILE), "--format", "markdown")
    assert "| 0.000 | **huge** |" in out


def test_lower_is_better(write, compare):
    _, out, _ = compare(write(FILE), "--lower-is-better", "--format", "json")
    assert "small is better than large" in " ".join(json.loads(out)["verdicts"])


def test_columns_are_chosen_and_ordered(write, compare):
    path = write("run,b,a\nfirst,1,2\nsecond,2,3\n")
    _, out, _ = compare(path, "--columns", "a,b", "--format", "json")
    assert list(json.loads(out)["models"]) == ["a", "b"]


def test_seed_and_resamples(write, compare):
    rng = np.random.default_rng(0)
    rows = "\n".join(f"{a},{b}" for a, b in rng.normal(size=(20, 2)))
    path = write(f"a,b\n{rows}\n")
    errors = {
        json.loads(compare(path, "--format", "json", *options)[1])["pairs"][0][
            "standard_error"
        ]
        for options in ([], ["--seed", "1"], ["--n-resamples", "50"], ["--seed", "0"])
    }
    assert len(errors) == 3


def test_workers(write, compare):
    rng = np.random.default_rng(0)
    rows = "\n".join(f"{a},{b}" for a, b in rng.normal(size=(60, 2)))
    path = write(f"a,b\n{rows}\n")
    alone = compare(path, "--n-resamples", "200000")
    for count in ("2", "-1"):
        shared = compare(path, "--n-resamples", "200000", "--workers", count)
        assert shared[:2] == alone[:2]
    for count in ("0", "-2", "x"):
        with pytest.raises(SystemExit):
            compare(path, "--workers", count)


def test_one_score_is_a_warning(write, compare):
    code, out, err = compare(write("a,b\n1,2\n2,\n"), "--format", "csv")
    assert code == 0
    assert "sigarray: warning: 1 to 2 scores a side are too few for" in err
    assert ",1,2,0.5,nan,nan," in out


@pytest.mark.parametrize("style", STYLES)
def test_example_needs_no_file(compare, style):
    code, out, err = compare("--format", style)
    assert code == 0
    assert "forest" in out
    assert "example" in err


def test_real_scores(compare):
    """LSTM and CNN named-entity recognisers: 127 and 194 runs."""
    if not NER.exists():
        pytest.skip("the shared data are not here")
    scores = read(NER)
    lstm, cnn = scores["lstm"], scores["cnn"]
    assert (len(lstm), len(cnn)) == (127, 194)
    exact = oracles.violation_ratio(lstm, cnn)
    assert float(violation_ratio(lstm, cnn)) == pytest.approx(float(exact), rel=1e-9)
    _, out, _ = compare(str(NER), "--format", "json")
    verdict = json.loads(out)["verdicts"][0]
    # Its ratio is small, for runs of cnn fail; but in ranks they may be the same.
    assert verdict.startswith("lstm vs. cnn: inconclusive (eps_min 0.500 for lstm ove")
    assert float(aso(lstm, cnn, rng=1).pvalue) == pytest.approx(0.0863, abs=1e-4)
    stats = pytest.importorskip("scipy.stats")
    by_ranks = stats.mannwhitneyu(lstm, cnn, alternative="greater").pvalue
    assert by_ranks == pytest.approx(0.0863, abs=1e-3)


def test_module_reads_standard_input_and_stdout_is_the_result():
    process = subprocess.run(
        [sys.executable, "-m", "sigarray", "compare", "-", "--format", "json"],
        input=FILE,
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(process.stdout)["source"] == "standard input"
    assert process.stderr == (
        "sigarray: note: standard input: 2 blank cells below the last score were left "
        "out: 1 of 'large', 1 of 'huge'.\n"
    )


@pytest.mark.parametrize("style", ["json", "text"])
def test_closed_pipe_is_no_error(style):
    process = subprocess.run(
        f"set -o pipefail; {sys.executable} -m sigarray compare --format {style} |true",
        shell=True,
        check=False,
        executable="/bin/bash",
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0
    assert "Traceback" not in process.stderr


@pytest.mark.long
def test_full_disk_is_said():
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    with open("/dev/full", "w", encoding="utf-8") as full:
        process = subprocess.run(
            [sys.executable, "-m", "sigarray", "compare"],
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
        )
    assert process.returncode == 1
    assert process.stderr.splitlines()[-1] == (
        "sigarray: error: the result cannot be written: No space left on device."
    )
