"""Pictures of `sigarray compare`, in files of every kind."""

import csv
import json
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from sigarray._verdicts import page as picture_room

pytest.importorskip("matplotlib")


@pytest.mark.parametrize(
    ("end", "start", "options"),
    [
        ("pdf", b"%PDF", []),
        ("pdf", b"%PDF", ["--test", "t"]),
        ("svg", b"<?xml", ["--columns", "a,c"]),
        ("png", b"\x89PNG", ["--test", "t"]),
    ],
)
def test_pictures(wide, run, tmp_path, options, end, start):
    path = tmp_path / f"out.{end}"
    code, out, _ = run("compare", wide, *options, "--plot", str(path))
    assert code == 0
    assert "Method: " in out
    assert path.read_bytes().startswith(start)
    assert sorted(x.name for x in tmp_path.iterdir()) == [path.name, "scores.csv"]


@pytest.mark.long
def test_what_is_drawn(wide, long, run, monkeypatch):
    captions = []
    save = picture_room.save_pictures

    def note(pictures, path):
        captions.append([picture.caption for picture in pictures])
        save(pictures, path)

    monkeypatch.setattr("sigarray._cli.compare.save_pictures", note)
    monkeypatch.setattr(picture_room, "write_file", lambda path, data: None)
    for options in (
        [wide],
        [wide, "--columns", "a,b"],
        [wide, "--test", "t"],
        [wide, "--test", "t", "--columns", "b,c"],
        [long],
    ):
        assert run("compare", *options, "--plot", "x.pdf")[0] == 0
    all_pairs, scores = "Differences of the means, first minus second model", "Scores"
    by_mean = "Models by their mean score"
    starts = [
        [all_pairs, by_mean, "Bounds eps_min of every", scores],
        ["Differences of the means, b minus a", "b and a: all scores", scores],
        [all_pairs, by_mean, scores],
        ["Differences of the means, c minus b", scores],
        [
            "Differences of the means, b minus a",
            "Mean scores on 2 tasks",
            scores,
            scores,
        ],
    ]
    for found, expected in zip(captions, starts, strict=True):
        assert len(found) == len(expected)
        for caption, start in zip(found, expected, strict=True):
            assert caption.startswith(start)
    assert captions[0][0].endswith(
        "Welch's intervals of differences, 95 % confidence for all 3 together."
    )
    assert "Welch's interval of the difference, 95 % confidence" in captions[3][0]
    assert "Student's intervals" in captions[4][0]


def test_the_picture_of_two_models_has_the_verdict_of_the_table(
    write, run, monkeypatch
):
    """Where one-sided p is 0.048, and two-sided 0.095."""
    drawn = []
    save = "sigarray._cli.compare.save_pictures"
    monkeypatch.setattr(save, lambda pictures, _: drawn.extend(pictures))
    rows = zip([0.5, 10, 11, 12, 13], [0, 0.6, 1, 2, 3], strict=True)
    path = write("a,b\n" + "".join(f"{x},{y}\n" for x, y in rows))
    _, out, _ = run("compare", path, "--plot", "x.svg")
    assert "a vs. b: inconclusive" in out
    assert "no verdict for a" in drawn[-2].figure.axes[1].texts[0].get_text()
    _, out, _ = run("compare", path, "--confidence-level", "0.9", "--plot", "x.svg")
    assert "a is better than b: eps_min = 0.031" in " ".join(out.split())
    assert drawn[-2].figure.axes[1].texts[0].get_text().endswith("a is better")


def test_pictures_are_described_to_those_who_do_not_see_them(wide, run, tmp_path):
    path = tmp_path / "out.svg"
    assert run("compare", wide, "--test", "t", "--plot", str(path))[0] == 0
    svg = ElementTree.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    assert [x.tag for x in svg[:2]] == [f"{space}title", f"{space}desc"]
    title, description = (x.text for x in svg[:2])
    assert title.startswith(
        "Differences of the means, first minus second model: Welch's"
    )
    for pair in ("c minus b", "c minus a", "b minus a"):
        assert f"{pair}: +0." in description


def test_the_power_is_drawn_and_its_numbers_stay_the_same(
    wide, run, tmp_path, monkeypatch
):
    drawn = []
    save = "sigarray._cli.power.save_pictures"
    monkeypatch.setattr(save, lambda pictures, _: drawn.extend(pictures))
    options = ["power", wide, "--test", "t", "--n-samples", "40", "--format", "csv"]
    _, plain, _ = run(*options)
    _, out, _ = run(*options, "--plot", "x.png")
    assert out == plain
    (picture,) = drawn
    (ax,) = picture.figure.axes
    rows = list(csv.DictReader(out.splitlines()))
    curves = [x for x in ax.lines if len(x.get_xdata()) > 2]
    rings = {
        x.get_xdata()[0]: x.get_ydata()[0] for x in ax.lines if x.get_label() == "ring"
    }
    assert len(curves) == len(rows) > 1
    for curve, row in zip(curves, rows, strict=True):
        assert f"{row['better']} vs. {row['worse']}: " in picture.description
        if row["required_sample_size"]:
            size = int(row["required_sample_size"])
            power = float(row["power_at_required_sample_size"])
            # The ring of the first size with this power, and sizes beyond it.
            assert dict(curve.get_xydata())[size] == power
            assert size in rings
            assert max(curve.get_xdata()) > size
            assert all(y < 0.8 for x, y in curve.get_xydata() if x < size)
    assert picture.caption.startswith("Power by the number of runs; the dotted line")


def test_a_jump_of_the_power_is_said_where_sizes_cross_it(write, run, monkeypatch):
    """Almost stochastic order, below 20 runs, has to pass Welch's test as well."""
    drawn = []
    save = "sigarray._cli.power.save_pictures"
    monkeypatch.setattr(save, lambda pictures, _: drawn.extend(pictures))
    said = (
        "Power may jump at 20 runs: with fewer, a difference also has to pass Welch's"
    )
    x = np.random.default_rng(0).normal(0.0, 1.0, 8)
    for gain, test, is_said in (
        (0.7, "aso", True),
        (9.0, "aso", False),
        (0.7, "permutation", True),
        (0.7, "t", False),
    ):
        rows = [f"{y:.3f},{y + gain:.3f}" for y in x]
        path = write("\n".join(["a,b", *rows, ""]))
        options = ["power", path, "--test", test, "--n-samples", "10"]
        out = run(*options, "--plot", "x.png")[1]
        assert (said in " ".join(out.split())) == is_said
        assert (said in drawn[-1].caption) == is_said


@pytest.fixture
def drawn(monkeypatch):
    """List the pictures that commands draw, in place of writing them."""
    pictures = []
    for command in ("compare", "power"):
        save = f"sigarray._cli.{command}.save_pictures"
        monkeypatch.setattr(save, lambda x, _: pictures.extend(x))
    return pictures


def test_curves_that_end_before_the_scores_say_so(write, run, drawn):
    """A run that ends at epoch 1 ends the curve there, and not the scores."""
    rows = [
        f"{m},{k},{e},{0.1 * e + 0.01 * k + (m == 'a')}"
        for m in "ab"
        for k in range(4)
        for e in range(5)
        if e < 2 or (m, k) != ("b", 3)
    ]
    path = write("\n".join(["model,seed,epoch,acc", *rows, ""]))
    for missing, mean in (("keep", "0.34"), ("drop", None)):
        options = ("--missing", missing, "--test", "t", "--plot", "x.pdf")
        code, _, err = run("compare", path, *options)
        assert code == 0, err
        (curves,) = [x for x in drawn if x.caption.startswith("Learning curves")]
        assert curves.figure.axes[0].get_xlabel() == "epoch"
        is_last = curves.caption.endswith("The verdict is on the last step.")
        assert is_last == (mean is None)
        if mean is not None:
            assert curves.caption.endswith(f"scores with other means: b {mean}.")
        drawn.clear()


@pytest.mark.parametrize("statistic", ["iqm", "improvement"])
def test_many_models_over_these_tasks_are_drawn_by_their_statistic(
    write, run, drawn, statistic
):
    rng = np.random.default_rng(0)
    rows = [
        f"m{m},t{t},{k},{m / 10 + rng.normal():.4f}"
        for m in range(7)
        for t in range(3)
        for k in range(3)
    ]
    path = write("\n".join(["model,task,seed,score", *rows, ""]))
    shared = ("--statistic", statistic, "--n-resamples", "99", "--format", "json")
    _, out, _ = run("compare", path, *shared, "--plot", "x.png")
    forest, picture, *_ = drawn
    values = json.loads(out)["over_these_tasks"]["models"]
    best = max(values, key=lambda name: values[name]["value"])
    name = {"iqm": "interquartile mean", "improvement": "probability of improvement"}
    assert f"{name[statistic]} over these 3 tasks" in picture.caption
    start = {"iqm": "Differences of interq", "improvement": "Probabilities that a run"}
    assert forest.caption.startswith(start[statistic])
    said = {"iqm": f"{best} minus m", "improvement": f"{best} beats m"}
    assert forest.description.count(said[statistic]) >= 6
    assert picture.description.startswith(f"Values: {best} ")
    assert "Not told apart: " in picture.description


@pytest.mark.parametrize(("baseline", "n"), [((), 2), (("--baseline", "a"), 1)])
def test_a_margin_over_these_tasks_is_drawn(write, run, drawn, baseline, n):
    rows = [f"{m},{t},{k},{k + t}" for m in "abc" for t in range(3) for k in range(4)]
    path = write("\n".join(["model,task,seed,score", *rows, ""]))
    options = ("--statistic", "mean", "--margin", "1.5", *baseline)
    run("compare", path, *options, "--plot", "x.png")
    axes = drawn[0].figure.axes
    assert len(axes) == 4
    for ax in axes:
        lines = [x.get_xdata()[0] for x in ax.lines if x.get_linestyle() == ":"]
        assert sorted(lines) == [-1.5, 1.5][:n]
    assert drawn[0].caption.count("Dotted: the margin of 1.5.") == 2


def test_a_difference_of_one_model_is_drawn(write, run, drawn):
    path = write("a\n.1\n.2\n.4\n.3\n")
    shared = ("--test", "t", "--n-samples", "50", "--plot", "x.png")
    for scores, what, said in (
        (("--sd", "0.3"), ("--difference", "0.5"), "a difference of 0.5: {} runs"),
        (("--sd", "0.3"), ("--margin", "0.4"), "not worse by 0.4: {} runs"),
        ((path,), ("--difference", "0.2"), "a difference of 0.2: {} runs"),
        ((path,), ("--lift", "2"), "a lift by a factor of 2: {} runs"),
    ):
        options = ("power", *scores, *what, *shared, "--format", "json")
        code, out, err = run(*options)
        assert code == 0, err
        (row,) = json.loads(out)["alone"]
        text = said.format(row["required_sample_size"])
        assert text in drawn[-1].description
        (ax,) = drawn[-1].figure.axes
        if "required_sample_size_low" in row:  # by what the runs tell of the spread
            low, high = (row[f"required_sample_size_{x}"] for x in ("low", "high"))
            text += f", or {low} to {'> 100' if high is None else high}"
        assert ax.get_legend().get_texts()[0].get_text() == text
        assert json.loads(run(*options[:-4], *options[-2:])[1])["alone"] == [row]


@pytest.mark.parametrize("n", [2, 4])
def test_both_models_of_a_pair_are_named_in_a_picture(write, run, drawn, n):
    names = [f"model-with-a-rather-long-name-{k:02d}" for k in range(n)]
    rows = [",".join(f"{k + i % 5}.{i}" for k in range(n)) for i in range(9)]
    path = write("\n".join([",".join(names), *rows, ""]))
    run("power", path, "--test", "t", "--n-samples", "9", "--plot", "x.png")
    (ax,) = drawn[-1].figure.axes
    *curves, _ = [x.get_text().split(":")[0] for x in ax.get_legend().get_texts()]
    assert len(curves) == n * (n - 1) // 2
    for label in curves:
        both = label.split(" vs. ")
        assert len(both) == 2, label
        assert all(x[-2:] in {name[-2:] for name in names} for x in both), label


@pytest.mark.parametrize("command", ["power", "profile", "compare"])
def test_without_matplotlib_the_line_that_installs_it_is_named(
    wide, run, monkeypatch, command
):
    for name in ("matplotlib", "matplotlib.axes"):
        monkeypatch.setitem(sys.modules, name, None)
    code, _, err = run(command, wide, "--plot", "x.png")
    assert code == 2
    assert 'Run: pip install "sigarray[plot]".' in " ".join(err.split())


def test_impossible_pictures_of_power(write, wide, run):
    for options, said, status in (
        ([wide, "--plot", "x.txt"], "Expected --plot to end in .pdf, .svg", 2),
        ([write("a\n1\n2\n4\n"), "--plot", "x.png"], "pass --difference.", 0),
    ):
        code, out, error = run("power", *options, "--test", "t", "--n-samples", "9")
        assert code == status
        assert ("Method:" in out) == (not status)
        assert said in " ".join(error.split())
