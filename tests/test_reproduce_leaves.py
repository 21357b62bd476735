"""The tree of "Which test?": its calls, commands, and what was measured of them."""

import shlex
from pathlib import Path

import numpy as np
import pytest

import sigarray
from benchmarks.reproduce import leaves
from benchmarks.reproduce.experiment import read_csv
from benchmarks.reproduce.leaves import LEAVES
from sigarray import corpus
from sigarray._cli.main import main
from tests.test_rates import in_one_line

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "benchmarks" / "results"
ROWS = {x["leaf"]: x for x in read_csv(RESULTS / "leaves.csv")}

of_each_leaf = pytest.mark.parametrize("leaf", LEAVES, ids=lambda x: x.name)


def test_the_committed_table_is_of_the_committed_rows():
    text = "\n\n".join([*leaves.tabulate(list(ROWS.values())), ""])
    assert (RESULTS / "leaves.md").read_text("utf-8") == text
    assert list(ROWS) == [x.name for x in LEAVES]


@of_each_leaf
def test_the_page_has_what_was_measured(leaf):
    row = ROWS[leaf.name]
    assert (row["call"], row["other"]) == (leaf.call, leaf.other)
    page = in_one_line((ROOT / "docs" / "which_test.md").read_text("utf-8"))
    assert leaves.say(leaf, row) in page


@of_each_leaf
def test_the_call_holds_and_the_other_does_not(leaf):
    """Four deviations from 95 % of 2000 are two percent."""
    row = ROWS[leaf.name]
    held, by_other = (float(row[x]) for x in ("held", "held_by_other"))
    assert held >= 0.93
    assert not 0.93 <= by_other <= 0.98


@of_each_leaf
def test_calls_give_intervals(leaf):
    names, truth = leaf.draw(np.random.default_rng(1))
    (low, high), (other_low, other_high) = leaf.find_intervals(names)
    assert low < high
    # Student's of answers that are all the same is NaN.
    assert (other_low < other_high) == (leaf.name != "answers")
    assert np.isfinite(truth)


@of_each_leaf
def test_commands_run(leaf, monkeypatch, capsys):
    monkeypatch.chdir(ROOT / "docs" / "examples")
    options = [*shlex.split(leaf.full_command)[1:], "--format", "csv"]
    assert main(options) == 0
    assert capsys.readouterr().out.count("\n") > 1


@pytest.mark.parametrize(
    "command", ["profile tasks.csv", "power seeds.csv --difference 0.1"]
)
def test_commands_of_leaves_without_intervals_run(command, monkeypatch, capsys):
    page = (ROOT / "docs" / "which_test.md").read_text("utf-8")
    assert f"`sigarray {command}" in page
    monkeypatch.chdir(ROOT / "docs" / "examples")
    assert main([*shlex.split(command), "--format", "csv"]) == 0
    assert capsys.readouterr().out.count("\n") > 1


def test_the_true_difference_is_that_of_many_sentences():
    names, truth = leaves._draw_sentences(np.random.default_rng(0), 100_000)
    a, b = (corpus.f1(*(x.sum() for x in names[name])) for name in "ab")
    assert truth == pytest.approx(a - b, abs=0.006)
    assert abs(truth) > 0.05


def test_docstrings_say_what_was_measured():
    by_call = {x["call"]: x for x in ROWS.values()}

    def read(call, *names):
        return [f"{100.0 * float(by_call[call][name]):.1f} %" for name in names]

    said = " ".join(sigarray.probability_of_improvement.__doc__.split())
    (by_other,) = read(
        "probability_of_improvement(a, b, axis=0, strata=1)", "held_by_other"
    )
    assert f"pools runs of all tasks, they held it in {by_other} of sets" in said


def test_intervals_are_counted_as_then():
    leaf = next(x for x in LEAVES if x.name == "items in clusters")
    found, row = leaves.count(leaf, 30, seed=99), ROWS[leaf.name]
    for name in ("held", "held_by_other"):
        assert abs(found[name] - float(row[name])) < 0.3
    assert found["length_of_other"] == pytest.approx(
        float(row["length_of_other"]), rel=0.25
    )
