"""`sigarray power --statistic`: how many scores a verdict over these tasks needs."""

import csv
import io

import numpy as np
import pytest

FEW = ("--n-samples", "8", "--task", "game")


@pytest.fixture
def games(write):
    rng = np.random.default_rng(0)
    rows = [
        f"t{t},{name},{k},{rng.normal(lead, 1.0):.3f}"
        for t in range(4)
        for name, lead in (("a", 0.0), ("b", 0.8), ("c", 0.9))
        for k in range(5)
    ]
    return write("\n".join(["game,agent,seed,score", *rows, ""]))


@pytest.mark.parametrize("statistic", ["mean", "iqm", "improvement"])
def test_numbers_are_of_scores_on_each_task(games, run, power, statistic):
    options = (*FEW, "--statistic", statistic, "--columns", "a,b", "--power", "0.5")
    document = power(games, *options)
    (pair,) = document["pairs"]
    assert (pair["better"], pair["worse"], pair["n"]) == ("b", "a", 5)
    assert document["tasks"] == ["t0", "t1", "t2", "t3"]
    assert document["n_resamples"] == (None if statistic == "mean" else 999)
    compared = run("compare", games, *options[2:-2], "--format", "csv")[1]
    (row,) = (
        x for x in csv.DictReader(io.StringIO(compared)) if x["task"] == "these tasks"
    )
    names = {"improvement": ("probability_of_improvement",) * 2}
    ours, theirs = names.get(statistic, ("difference", "mean_difference"))
    assert row["model_a"] == "b"
    assert pair[ours] == pytest.approx(float(row[theirs]))
    assert pair["required_sample_size"] <= 10


def test_text_says_where(games, run):
    code, out, _ = run("power", games, *FEW, "--statistic", "mean", "--margin", "2")
    said = " ".join(out.split())
    assert code == 0
    assert (
        "runs of each model on each of 4 tasks show that A is not worse than B" in said
    )
    assert "by means over these 4 tasks: p <= 0.05, Holm's correction for 3" in said
    assert "estimate from 5 on each of 4 tasks" in said


def test_it_is_drawn(games, run, tmp_path):
    path = tmp_path / "power.svg"
    options = ("--statistic", "mean", "--baseline", "a", "--plot", str(path))
    assert run("power", games, *FEW, *options)[0] == 0
    assert path.stat().st_size > 1000


def test_one_task_has_its_median(table, power):
    options = ("--statistic", "median", "--columns", "a,c", "--n-samples", "4")
    document = power(table, *options)
    assert [(x["better"], x["n"]) for x in document["pairs"]] == [("c", 14)]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--statistic", "mean", "--columns", "a"), "Expected two models or more with"),
        (("--statistic", "mean", "--lift", "1.1"), "got --lift, of single tasks"),
        (("--statistic", "mean", "--difference", "1"), "got --difference, of single"),
        (("--statistic", "improvement", "--margin", "1"), "without --margin"),
        (("--statistic", "mean", "--tasks", "t0"), "Expected several tasks"),
    ],
)
def test_others_are_refused(games, run, more, said):
    code, _, err = run("power", games, *FEW, *more)
    assert code == 2
    assert said in err
