"""Runs that are tested on several tasks are seen by what they have in common."""

import re
import warnings

import numpy as np
import pytest

from sigarray import read
from sigarray.read._one_task import find_chance

TASKS, RUNS = 12, 4


def draw(shared, seed=0, n_models=3):
    """Return scores by model, task and run, with a part that runs have on all tasks."""
    rng = np.random.default_rng(seed)
    of_runs = rng.normal(0.0, shared, (n_models, 1, RUNS))
    return (
        rng.normal(0.0, 9.0, (1, TASKS, 1))
        + of_runs
        + rng.normal(0.0, 1.0, (n_models, TASKS, RUNS))
    )


def as_rows(scores, name_run):
    return [
        f"m{m},{name_run(t, r)},t{t},{x}" for (m, t, r), x in np.ndenumerate(scores)
    ]


def read_table(write, rows, **options):
    path = write("\n".join(["model,seed,benchmark,score", *rows, ""]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read.scores(path, **options)


def find_doubts(write, rows, **options):
    doubts = read_table(write, rows, **options).doubts
    return [x for x in doubts if "good or bad together" in x]


def test_runs_that_go_together_are_asked_about(write, run):
    rows = as_rows(draw(2.0), lambda _, r: r)
    shuffled = np.random.default_rng(0).permutation(rows)
    for some in (rows, shuffled):
        with pytest.raises(read.TableError, match="good or bad together") as error:
            read_table(write, some)
        said = str(error.value)
        assert "on the 12 tasks ('m0', 'm1', 'm2')" in said
    path = write("\n".join(["model,seed,benchmark,score", *rows, ""]))
    said = " ".join(run("compare", path)[2].split())
    ways = re.findall("(--[a-z].+?)(?: for |[.])", said.split("Pass")[1])
    assert ways == [
        "--item benchmark",
        "--item benchmark --unit run",
        "--task benchmark --run seed,benchmark",
    ]
    for way in ways:
        code, _, err = run("compare", path, *way.split())
        assert code == 0, err
        # What was said is doubted alone.
        assert ("bad together" in err) == way.startswith("--task")


def test_runs_that_go_together_on_few_tasks_are_doubted(write):
    """Where no verdict over tasks like these is possible."""
    rows = as_rows(draw(2.0)[:, :5], lambda _, r: r)
    (doubt,) = find_doubts(write, rows)
    assert "Pass --item benchmark for verdicts on other runs" in doubt
    assert read_table(write, rows).shares_runs
    assert find_doubts(write, rows, item="benchmark") == []
    assert find_doubts(write, rows, item="benchmark", unit="run") == []


def test_a_column_for_each_model_is_looked_at_as_well(write, run):
    scores = draw(2.0)
    lines = [
        f"{r},t{t},{','.join(map(str, scores[:, t, r]))}"
        for t in range(TASKS)
        for r in range(RUNS)
    ]
    path = write("\n".join(["seed,benchmark,a,b,c", *lines]))
    said = " ".join(run("compare", path, "--task", "benchmark")[2].split())
    assert "good or bad together on the 12 tasks ('a', 'b', 'c')" in said
    assert "Write a row for each score, with its model, and pass --item bench" in said
    way = re.findall("(--task .+?)[.]", said)[-1]
    assert run("compare", path, *way.split())[0] == 0


def test_lost_runs_do_not_hide_it(write):
    rows = np.asarray(as_rows(draw(2.0), lambda _, r: r))
    kept = np.delete(rows, [3, 50, 51, 101])
    with pytest.raises(read.TableError, match="bad together on the 12 tasks"):
        read_table(write, kept)


def test_runs_of_their_own_are_not(write):
    scores = draw(2.0)
    assert find_doubts(write, as_rows(scores, lambda t, r: f"t{t}-{r}")) == []
    assert find_doubts(write, as_rows(draw(0.0), lambda _, r: r)) == []
    mixed = np.random.default_rng(1).permuted(scores, axis=2)
    assert find_doubts(write, as_rows(mixed, lambda _, r: r)) == []
    flat = np.zeros((3, TASKS, RUNS))
    assert find_doubts(write, as_rows(flat, lambda _, r: r)) == []
    one_task = as_rows(scores[:, :1], lambda _, r: r)
    assert find_doubts(write, one_task) == []


def test_what_one_table_in_twenty_shows_is_doubted_alone(write):
    """Independent runs are refused in one table of a hundred, not of twenty."""
    every = (draw(0.0, seed) for seed in range(200))
    found = [find_chance([*x]) for x in every]
    chance = [(x < 0.05) + (x < 0.01) for x in found]
    assert 0 < chance.count(2) <= 6
    doubts = find_doubts(write, as_rows(draw(0.0, chance.index(1)), lambda _, r: r))
    assert len(doubts) == 1
    with pytest.raises(read.TableError, match="good or bad together"):
        read_table(write, as_rows(draw(0.0, chance.index(2)), lambda _, r: r))


@pytest.mark.parametrize("has_ties", [False, True])
@pytest.mark.long
def test_few_honest_tables_are_doubted(has_ties):
    """One in twenty, whatever the scales of tasks, and with ties; or in a hundred."""
    rng = np.random.default_rng(0)
    counts = [0, 0]
    for _ in range(500):
        tables = rng.normal(0.0, 1.0, (4, 8, 5)) * rng.lognormal(0.0, 2.0, (8, 1))
        scores = np.round(tables) if has_ties else tables
        for k, level in enumerate((0.05, 0.01)):
            counts[k] += find_chance([*scores]) < level
    assert counts[0] <= 40  # three deviations above 25
    assert counts[1] <= 12  # and above 5
