"""`sigarray compare --statistic iqm|mean|median`: verdicts over these tasks."""

import csv
import io
import json
import random
import re
from pathlib import Path

import pytest

from sigarray import compare_models
from tests.verdicts.test_aggregates import NAMES, draw


@pytest.fixture
def games(write):
    rows = [
        f"{model},{task},{k},{x}"
        for task, by in draw().items()
        for model, scores in by.items()
        for k, x in enumerate(scores)
    ]
    return write("\n".join(["model,game,seed,score", *rows, ""]))


def compare(run, *arguments):
    code, out, err = run("compare", *arguments, "--format", "json")
    assert code == 0, err
    return json.loads(out)


@pytest.mark.filterwarnings("ignore:The adjusted p")
@pytest.mark.filterwarnings("ignore:.*another seed may decide otherwise")
@pytest.mark.parametrize("statistic", ["iqm", "mean", "median", "improvement"])
def test_it_is_what_python_says(games, run, statistic):
    more = ("--statistic", statistic, "--test", "permutation", "--n-resamples", "199")
    document = compare(run, games, "--task", "game", *more)
    result = compare_models(
        draw(), test="permutation", unit="run", statistic=statistic, n_resamples=199
    )
    found = json.loads(result.to_json())
    assert document["over_these_tasks"]["models"].keys() == {*NAMES}
    assert document["over_these_tasks"] == found["over_these_tasks"]


def test_a_missing_run_is_answered_by_what_to_type(games, run):
    lines = Path(games).read_text("utf-8").splitlines()
    lines.remove(next(x for x in lines if x.startswith("dqn,") and ",1," in x))
    Path(games).write_text("\n".join(lines), "utf-8")
    options = ("--task", "game", "--statistic", "iqm")
    code, _, err = run("compare", games, *options)
    assert code == 2
    assert "too few" not in err  # it is refused before there is any verdict
    assert "--where" not in err  # which would leave out runs of all other games
    (other,) = re.findall(
        r"Pass (--statistic mean)(?: or --statistic improvement)?, for which each task",
        err,
    )
    assert run("compare", games, *options[:2], *other.split())[0] == 0


@pytest.mark.parametrize(
    ("statistic", "more"),
    [
        ("iqm", ()),
        ("iqm", ("--test", "t")),
        ("median", ("--test", "permutation", "--n-resamples", "299")),
        ("median", ("--test", "t", "--n-resamples", "299", "--seed", "4")),
        ("mean", ("--test", "mann-whitney")),
        ("improvement", ("--test", "t", "--n-resamples", "299")),
    ],
)
def test_a_signature_repeats_it(games, run, statistic, more):
    chosen = ("--task", "game", "--columns", "rainbow,dqn")
    options = (*chosen, "--statistic", statistic, *more)
    signature = compare(run, games, *options)["signature"]
    assert f"|statistic:{statistic}|" in signature
    code, out, err = run("compare", games, *chosen, "--verify", signature)
    assert code == 0, out + err
    other = "median" if statistic == "iqm" else "iqm"
    changed = signature.replace(f"statistic:{statistic}", f"statistic:{other}")
    assert run("compare", games, *chosen, "--verify", changed)[0] == 1


def test_csv_has_rows_of_these_tasks(games, run):
    options = ("--task", "game", "--statistic", "mean", "--format", "csv")
    _, out, _ = run("compare", games, *options)
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [x["task"] for x in rows][-6:] == ["all tasks"] * 3 + ["these tasks"] * 3
    assert all(x["adjusted_pvalue"] for x in rows[-3:])


def test_they_are_first_in_the_answer(games, run):
    _, out, _ = run("compare", games, "--task", "game", "--statistic", "mean")
    text = " ".join(out.split())
    first = text.index("Ranking by means over these 6 tasks: ours")
    assert first < text.index("Differences of means over these 6 tasks")
    assert "tasks like these" not in text


@pytest.mark.long
def test_pages_and_margins_go_with_it(games, run, tmp_path):
    page = tmp_path / "page.html"
    chosen = ("--task", "game", "--columns", "ours,dqn")
    options = (*chosen, "--statistic", "mean", "--margin", "0.3")
    assert run("compare", games, *options, "--report", str(page))[0] == 0
    text = page.read_text()
    assert "over these 6 tasks" in text
    assert "not worse by 0.3 or more" in text


def test_a_gate_asks_for_the_verdict_over_these_tasks(games, run):
    gate = (games, "--task", "game", "--test", "t", "--fail-unless-better")
    assert run("compare", *gate, "ours")[0] == 1
    assert run("compare", *gate, "ours", "--statistic", "mean")[0] == 0
    code, _, err = run("compare", *gate, "dqn", "--statistic", "mean")
    assert code == 1
    assert "dqn is not better than ours by means over these 6 tasks" in err
    assert " on t0" not in err
    one = (games, "--task", "game", "--tasks", "t0", "--test", "t")
    more = ("--statistic", "median", "--n-resamples", "199")
    code, _, err = run("compare", *one, *more, "--fail-unless-better", "dqn")
    assert code == 1
    assert "dqn is not better than ours by medians\n" in err


def test_of_few_tasks_means_are_the_answer_and_a_gate_is_of_every_task(run, write):
    """Python, CSV and JSON have what --statistic mean gives, but not the exit code."""
    draw = random.Random(5)
    leads = {"x": 3.0, "y": 3.0, "z": 0.0}  # on z the models are equal
    tasks = {
        t: {m: [draw.gauss(k * d, 1) for _ in range(6)] for k, m in enumerate("ab")}
        for t, d in leads.items()
    }
    rows = [
        f"{t},{m},{x}" for t, by in tasks.items() for m, xs in by.items() for x in xs
    ]
    path = write("\n".join(["task,model,score", *rows, ""]))
    few = compare_models(tasks, test="t", unit="run")
    chosen = compare_models(tasks, test="t", unit="run", statistic="mean")
    assert few.better("b", "a")
    assert not few.better("b", "a", task="z")
    assert few.records == chosen.records
    assert few.to_json() == chosen.to_json()
    assert few.to_frame()["task"].tolist()[-2:] == ["all tasks", "these tasks"]
    for style in ("csv", "json"):
        shown = [
            run("compare", path, "--test", "t", "--format", style, *options)[1]
            for options in ((), ("--statistic", "mean"))
        ]
        assert shown[0] == shown[1]
    gate = ("compare", path, "--test", "t", "--fail-unless-better", "b")
    code, out, err = run(*gate)
    assert "b is better than a by means over these 3 tasks" in " ".join(out.split())
    assert (code, "b is not better than a on z" in err) == (1, True)
    assert run(*gate, "--tasks", "x,y")[0] == 0
    assert run(*gate, "--statistic", "mean")[0] == 0


def test_items_in_several_runs_are_refused(write, run):
    rows = [
        f"{m},{r},q{k},{k * 7 % 5}.{r}" for m in "ab" for r in "123" for k in range(9)
    ]
    path = write("\n".join(["model,run,item,score", *rows, ""]))
    code, _, err = run("compare", path, "--statistic", "iqm")
    assert code == 2
    assert "--unit item averages the runs of an item" in err
