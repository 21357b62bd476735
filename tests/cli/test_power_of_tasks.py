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
    assert "on each task, where the others show no difference." in several["method"]
    for task, found in several["tasks"].items():
        alone = power(path, "--tasks", task, *options, *level)
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
    assert "of 8 runs" not in out
    code, out, _ = run(*arguments, "--lift", "1.1")
    assert "nli: 8 runs of a are" in out
    _, out, _ = run(*arguments, "--format", "sentences")
    assert "On qa: about" in out
    _, out, _ = run(*arguments, "--lift", "1.1", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [x["task"] for x in rows] == ["nli"] * 3 + ["qa"] * 3


@pytest.mark.parametrize("options", [[], ["--test", "permutation"]])
def test_with_few_runs_power_is_that_of_the_discovery_rate(write, run, options):
    """As compare says, which with so few runs controls that rate over tasks."""
    rows = [
        f"t{task:02},{model},{task}-{k},{k * 7 % 5 + gain}"
        for task in range(26)
        for model, gain in (("a", 0.0), ("b", 9.0 * (task > 3)))
        for k in range(5)
    ]
    path = write("\n".join(["task,model,seed,score", *rows, ""]))
    code, out, err = run("power", path, *options, "--n-samples", "5")
    assert code == 0
    assert "controls" not in err
    text = " ".join(out.split())
    assert "The present 5 runs of each model show 22 of 22 differences" in text
    assert "with power 0.8 under control of the false discovery rate, if" in text
    assert "From 7 runs on, sigarray compare controls the probability of any" in text
    compared = run("compare", path, *options, "--format", "csv")[1]
    found = [
        x["better"]
        for x in csv.DictReader(io.StringIO(compared))
        if x["task"][0] == "t"
    ]
    assert found.count("b") == 22


@pytest.mark.parametrize("is_short", [lambda _: True, lambda task: task == 0])
def test_so_few_runs_that_no_rate_is_controlled_say_nothing_of_more(
    write, run, is_short
):
    rows = [
        f"t{task:02},{model},{task}-{k},{k * 7 % 5 + gain}"
        for task in range(26)
        for model, gain in (("a", 0.0), ("b", 9.0))
        for k in range(3 if is_short(task) else 5)
    ]
    path = write("\n".join(["task,model,seed,score", *rows, ""]))
    _, out, _ = run("power", path, "--test", "permutation", "--n-samples", "3")
    assert "From 7 runs on, sigarray compare controls" in " ".join(out.split())


def test_pairs_are_in_the_order_of_compare(write, run):
    rng = np.random.default_rng(0)
    rows = [
        f"{task},{model},{k},{rng.normal(gain, 1.0):.3f}"
        for task in ("x", "y")
        for model, gain in (("a", 3.0), ("b", 0.0), ("c", 6.0))
        for k in range(4)
    ]
    path = write("\n".join(["task,model,seed,score", *rows, ""]))
    for options in ([], ["--tasks", "y"], ["--statistic", "mean"]):
        arguments = [path, "--test", "t", *options]
        outs = [
            run("compare", *arguments)[1],
            run("power", *arguments, "--n-samples", "5")[1],
        ]
        names = [
            [x.split()[:2] for x in out.splitlines() if x[:3] in ("c  ", "a  ")]
            for out in outs
        ]
        pairs = [[x for x in by if len(x) > 1 and x[1] in "abc"] for by in names]
        assert pairs[0][:3] == pairs[1][:3] == [["c", "a"], ["c", "b"], ["a", "b"]]


class TestAnswer:
    """With several tasks, the answer comes first, and a line for each pair."""

    @pytest.fixture
    def path(self, write):
        """Write scores of three tasks: c is far ahead, and a and b are near."""
        rng = np.random.default_rng(0)
        rows = [
            f"{task},{model},{k},{rng.normal(gain, 1.0):.3f}"
            for j, task in enumerate(("x", "y", "z"))
            for model, gain in (("a", 0.3 * (j == 2)), ("b", 0.1), ("c", 9.0 - 3 * j))
            for k in range(6 - (j == 1 and model == "a"))
        ]
        return write("\n".join(["task,model,seed,score", *rows, ""]))

    @pytest.mark.long
    def test_counts_are_those_of_the_numbers(self, path, run):
        arguments = ["power", path, "--test", "t", "--n-samples", "40"]
        document = find_power(run, *arguments[1:])
        pairs = [x for by in document["tasks"].values() for x in by["pairs"]]
        assert {x["n"] for x in pairs} == {5, 6}
        code, out, _ = run(*arguments)
        assert code == 0
        text = " ".join(out.split())
        n_now = sum(x["power_at_n"] >= 0.8 for x in pairs)
        assert f"The present 5 to 6 runs of each model show {n_now} of 9 diff" in text
        sizes = sorted(x["required_sample_size"] or 1000 for x in pairs)
        assert (f"bout {sizes[4]} runs show 5 of 9" in text) == (n_now < 5)
        n_more = sizes.count(1000)
        assert f"bout {sizes[8 - n_more]} runs show {9 - n_more} of 9" in text
        assert 0 < n_more < 4
        assert "would need more than 100" in text
        assert text.index("The present") < text.index("Method")

    @pytest.mark.long
    def test_a_line_has_the_median_of_tasks(self, path, run):
        arguments = ["power", path, "--test", "t", "--n-samples", "40"]
        document = find_power(run, *arguments[1:])
        out = run(*arguments)[1]
        lines = [
            x.split() for x in out.splitlines() if x.startswith(("a ", "b ", "c "))
        ]
        lines = {frozenset(x[:2]): x for x in lines}
        assert len(lines) == 3
        for names, line in lines.items():
            found = [
                x
                for by in document["tasks"].values()
                for x in by["pairs"]
                if names == {x["better"], x["worse"]}
            ]
            assert len(found) == 3
            n_better = sum(x["better"] == line[0] for x in found)
            assert n_better >= 2
            n_now = sum(x["power_at_n"] >= 0.8 for x in found)
            sizes = sorted(x["required_sample_size"] or 1000 for x in found)
            shown = " ".join(line[2:])
            half = str(sizes[1]) if sizes[1] < 1000 else "> 100"
            every = str(sizes[2]) if sizes[2] < 1000 else "> 100"
            assert shown == f"{n_better} of 3 {n_now} of 3 {half} {every}"

    def test_too_few_tasks_for_a_verdict_over_all_are_told_as_compare_does(
        self, path, run
    ):
        few = (
            "3 tasks are too few to generalize to other tasks like these, whatever "
            "the scores: that takes 6 or more."
        )
        for arguments in (["compare", path], ["power", path, "--n-samples", "5"]):
            text = " ".join(run(*arguments, "--test", "t")[1].split())
            assert few in text
        assert (
            "These numbers are of verdicts on single tasks, and no number of runs "
            f"gives one over tasks like these. {few} About how many runs"
        ) in text
        arguments += ["--test", "t", "--tasks", "x"]
        assert "single tasks" not in run(*arguments)[1]

    def test_with_enough_tasks_numbers_are_said_to_be_of_single_ones(self, write, run):
        rows = [
            f"t{task},{model},{task}-{k},{k * 7 % 5 + 9 * gain}"
            for task in range(6)
            for gain, model in enumerate("ab")
            for k in range(4)
        ]
        path = write("\n".join(["task,model,seed,score", *rows, ""]))
        out = run("power", path, "--test", "t", "--n-samples", "5")[1]
        said = "single tasks, not of the verdict over tasks like these."
        assert said in " ".join(out.split())
        assert "that takes" not in out

    @pytest.mark.long
    def test_many_tasks_have_no_line_each(self, write, run):
        rng = np.random.default_rng(0)
        rows = [
            f"t{task},{model},{k},{rng.normal(2.0 * gain, 1.0):.3f}"
            for task in range(7)
            for gain, model in enumerate("ab")
            for k in range(4)
        ]
        path = write("\n".join(["task,model,seed,score", *rows, ""]))
        arguments = ["power", path, "--test", "t", "--n-samples", "20"]
        out = run(*arguments)[1]
        assert "The numbers of each task are in --format csv and --format json." in out
        assert "t3" not in out
        assert len(run(*arguments, "--format", "csv")[1].splitlines()) == 8
        out = run(*arguments, "--lift", "1.5")[1]
        assert "of 14 sets of scores, each on a task, have enough runs to see" in out


def test_a_given_difference_is_on_all_tasks(write, run):
    """A rate over tasks is of tasks with it, not of tasks whose scores are equal."""
    rng = np.random.default_rng(0)
    rows = [
        f"{m},t{k},{s},{0.5 + rng.normal(0.0, 0.01):.4f}"
        for m in "ab"
        for k in range(5)
        for s in range(4)
    ]
    path = write("\n".join(["model,task,seed,acc", *rows, ""]))
    tasks = find_power(run, path, "--difference", "0.05")["tasks"]
    powers = [x["power_at_n"] for found in tasks.values() for x in found["pairs"]]
    assert len(powers) == 5
    assert min(powers) > 0.6  # 0 beside tasks without it
