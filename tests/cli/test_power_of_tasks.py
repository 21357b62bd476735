"""`sigarray power` of several tasks, at one level for all."""

import csv
import functools
import io
import json

import numpy as np
import pytest

SCORES = np.random.default_rng(1).normal([0.0, 1.5], 1.0, (14, 2)).round(3)


def find_power(run, *arguments):
    code, out, err = run("power", *arguments, "--format", "json")
    assert code == 0, err
    return json.loads(out)


@pytest.mark.parametrize(
    ("options", "level"),
    [([], ["--confidence-level", "0.975"]), (["--test", "t"], ["--alpha", "0.025"])],
)
def test_tasks_share_the_level(write, run, options, level):
    """Of two tasks, each is as by itself at half of the level; of two models."""
    rows = [
        f"{task},{model},{k},{x}"
        for task, x_of in (("first", SCORES), ("second", SCORES[::-1] * 2.0))
        for model, column in zip("ab", x_of.T, strict=True)
        for k, x in enumerate(column)
    ]
    path = write("\n".join(["task,model,seed,score", *rows, ""]), "tasks.csv")
    options = [*options, "--n-samples", "20"]
    power = functools.partial(find_power, run)
    several = power(path, *options)
    assert list(several["tasks"]) == ["first", "second"]
    assert several["method"].endswith("where the others show no difference")
    for task, found in several["tasks"].items():
        alone = power(path, "--tasks", task, *options, *level)
        assert found["models"] == alone["models"]
        assert found["pairs"] == alone["pairs"]
        assert "tasks" not in alone
    uncorrected = power(path, *options, "--no-correction")
    alone = power(path, "--tasks", "second", *options)
    assert uncorrected["tasks"]["second"]["pairs"] == alone["pairs"]


def test_tasks_are_named_in_tables_and_sentences(write, run):
    rows = [
        f"{task},{model},{k},{0.5 + gain + 0.01 * (k * 7 % 5)}"
        for task in ("nli", "qa")
        for model, gain in (("a", 0.0), ("b", 0.05))
        for k in range(8)
    ]
    path = write("\n".join(["task,model,seed,score", *rows, ""]))
    arguments = ["power", path, "--test", "t", "--n-samples", "20"]
    code, out, _ = run(*arguments)
    assert code == 0
    assert "nli: 8 runs of a are" in out
    assert "On qa: about" in out
    _, out, _ = run(*arguments, "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [x["task"] for x in rows] == ["nli"] * 3 + ["qa"] * 3


def test_power_of_tasks_under_a_false_discovery_rate_is_said_to_be_a_bound(write, run):
    rows = [
        f"t{task:02},{model},{k},{k * 7 % 5 + gain}"
        for task in range(26)
        for model, gain in (("a", 0.0), ("b", 9.0))
        for k in range(5)
    ]
    path = write("\n".join(["task,model,seed,score", *rows, ""]))
    code, out, err = run("power", path, "--n-samples", "5")
    assert code == 0
    assert "controls the false discovery rate over tasks, which may find more" in err
    assert "of 52 models, over 26 tasks, have enough runs" in out
