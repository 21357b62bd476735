"""With --quiet, readers still hear what the answer is without."""

import random

from sigarray import compare_models

DRAW = random.Random(7)


def _write_games(write, lacking="", sizes=(1.0,)):
    rows = [
        f"{model},game{task},{seed},{sizes[task % len(sizes)] * (lead + DRAW.random())}"
        for model, lead in (("a", 2.0), ("b", 1.0))
        for task in range(8)
        for seed in range(3)
        if f"{model}{task}" != lacking
    ]
    return write("\n".join(["model,task,seed,score", *rows]))


def test_tasks_that_a_model_lacks(write, run):
    path = _write_games(write, lacking="b3")
    lost = "task 'game3' was left out: only 'a' has scores"
    _, out, err = run("compare", path, "--quiet")
    assert f"warning: {lost}" in err
    assert ", 7 of 8 tasks\n" in out
    assert "(7 of 8 have these scores of all models)" in " ".join(out.split())
    with open(path) as file:
        named = write(file.read().replace("score", "acc", 1))
    out = run("compare", named, "--quiet")[1]
    assert "(7 of 8 have acc of all models)" in " ".join(out.split())
    _, out, err = run("compare", path, "--format", "sentences")
    assert f"warning: {lost}" in err
    assert out.startswith("2 models were compared on 7 of 8 tasks (")
    assert "Task game3 was left out, without scores of two models." in out
    _, out, _ = run("compare", path, "--statistic", "mean")
    assert "over these 7 of 8 tasks" in out


def test_tasks_that_one_of_three_models_lacks(write, run):
    path = _write_games(write)
    with open(path, "a") as file:
        file.writelines(
            f"\nc,game{k},{seed},0.{int(seed) * (k + 1) % 7}"
            for k in range(7)
            for seed in "345"
        )
    _, out, err = run("compare", path, "--quiet")
    said = "c has no scores on game7, so that verdicts over tasks are on the other 7."
    assert f"warning: {said}" in err
    # Joined: plain tables break the line behind a long path.
    assert ", 8 tasks, 7 of them with scores of all models " in " ".join(out.split())
    _, out, _ = run("compare", path, "--format", "sentences")
    assert said in out


def test_tasks_on_unlike_scales(write, run):
    """An interval with 0 beside a verdict by ranks needs a word on it."""
    path = _write_games(write, sizes=(4000.0, *[1.0] * 7))
    _, out, err = run("compare", path, "--quiet")
    assert "warning: Scores on tasks differ in size by a factor of" in err
    assert "p of Wilcoxon's signed-rank test, and not by whether an" in out
    _, out, err = run("compare", _write_games(write), "--quiet")
    assert "warning: Scores on tasks differ" not in err
    assert "not by whether" not in out


def test_scores_that_are_missing(write, run):
    rows = [f"{k},0.9{k},0.8{k},0.7{k}" for k in range(5)]
    path = write("\n".join(["seed,a,b,c", *rows[:4], "4,,0.84,0.74"]))
    _, _, err = run("compare", path, "--quiet")
    assert "warning: " in err
    assert "1 blank cell was left out: 1 of 'a'" in err
    path = write("\n".join(["seed,a,b,c", *rows[:4], "4,nan,0.84,0.74"]))
    _, _, err = run("compare", path, "--quiet", "--missing", "drop")
    assert "warning: " in err
    assert "without a score were left out" in err


def test_runs_that_have_not_ended(write, run):
    header = "Name,State,config.seed,config.arch,acc"
    rows = [
        f"r{m}{k},finished,{k},{m},0.{8 + (m == 'a')}{k}"
        for m in "ab"
        for k in range(5)
    ]
    odd = ["x,running,6,a,0.1", "y,crashed,7,b,0.2"]
    path = write("\n".join([header, *rows, *odd]))
    options = ("--model", "config.arch", "--metric", "acc", "--missing", "drop")
    _, _, err = run("compare", path, *options, "--quiet")
    assert "warning" in err
    assert "1 run that has not finished (running) left out: 'a', run '6'" in err
    assert "crashed" in err


def test_settings_that_runs_of_a_model_pool(write, run):
    rows = [
        f"{m},{k},0.{1 + k % 2},0.{n}{k}" for m, n in ("a7", "b8") for k in range(5)
    ]
    path = write("\n".join(["model,seed,lr,acc", *rows]))
    _, _, err = run("compare", path, "--quiet")
    assert "warning: " in err
    assert "runs of one model differ in 'lr', and were taken together" in err


def test_in_python_they_are_notes():
    """Arrays are the caller's own, who is told in `notes`, and printed it once."""
    scores = {f"t{k}": {"a": [2.0, 3.0], "b": [1.0, 1.5]} for k in range(6)}
    result = compare_models(scores | {"u": {"a": [1.0, 2.0]}}, test="t", unit="run")
    assert result.warnings == ()
    assert any("task 'u' was left out: only 'a' has scores" in x for x in result.notes)
    assert str(result).count("only 'a' has scores") == 1
