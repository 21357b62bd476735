"""`sigarray power` of items in several runs: how many items so many runs need."""

import csv
import io
import itertools
import json

import numpy as np
import pytest

from sigarray import required_items, variance_components
from sigarray._cli import power_designs
from tests.cli.test_runs_and_items import RUNS, as_rows, draw

RUNS_SHOWN = [2, 3, 5, 10, 20]


@pytest.fixture
def path(write):
    return write("\n".join(["model,seed,item,score", *as_rows(draw()), ""]))


def power(run, *arguments):
    code, out, err = run("power", *arguments, "--format", "json")
    assert code == 0, err
    return json.loads(out)


def as_numbers(x, end=""):
    return [np.inf if y is None else y for y in x[f"required_items{end}"]]


@pytest.mark.parametrize("difference", [None, 0.5])
@pytest.mark.parametrize("is_corrected", [True, False])
def test_it_is_what_arrays_give(path, run, difference, is_corrected):
    more = [] if difference is None else ["--difference", str(difference)]
    more += [] if is_corrected else ["--no-correction"]
    document = power(run, path, *more, "--power", "0.7", "--alpha", "0.1")
    tables = draw()
    assert document["n_runs"] == RUNS_SHOWN
    assert len(document["pairs"]) == 6
    for x in document["pairs"]:
        a, b = (tables[x[f"model_{k}"]] for k in "ab")
        found = variance_components(a, b)
        size = difference or abs(a.mean() - b.mean())
        alpha = 0.1 / (6 if is_corrected else 1)
        expected = required_items(found, RUNS_SHOWN, size, alpha=alpha, power=0.7)
        assert as_numbers(x) == expected.tolist()
        ends = [as_numbers(x, end) for end in ("_low", "_high")]
        assert np.all(ends[0] <= expected)
        assert np.all(expected <= ends[1])
        assert x["sd_by_item"] == pytest.approx(max(0.0, float(found.item)) ** 0.5)
        assert (x["n_runs_a"], x["n_items"]) == (RUNS[x["model_a"]], a.shape[1])


def test_each_task_is_said(write, run):
    rows = [*as_rows(draw(), "x,"), *as_rows(draw(1), "y,")]
    path = write("\n".join(["task,model,seed,item,score", *rows, ""]))
    document = power(run, path, "--baseline", "m0")
    assert document["n_comparisons"] == 6
    assert [x["task"] for x in document["pairs"]] == ["x"] * 3 + ["y"] * 3
    _, out, _ = run("power", path, "--baseline", "m0", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 6 * len(RUNS_SHOWN)
    known = {x["required_items"] for x in rows}
    every = itertools.chain(*(x["required_items"] for x in document["pairs"]))
    assert known == {"" if x is None else str(x) for x in every}


def test_numbers_and_their_doubts_are_said(path, run):
    options = ("--columns", "m0,m3", "--difference", "0.3")
    _, out, _ = run("power", path, *options)
    text = " ".join(out.split())
    assert "About how many items show a difference of 0.3 with power 0.8" in text
    assert "A B A - B now spread 2 runs 3 runs 5 runs 10 runs 20 runs" in text
    assert "3 and 2 x 12" in text
    assert '"none": no number of items is enough' in text
    assert "if the spread of runs is at the lower or the upper limit of what so" in text
    rows = [x.split()[-6:] for x in out.splitlines() if x.startswith("m0  m3")]
    assert [x[0] for x in rows] == ["now", "least", "most"]
    low, high = (int(x[-1]) for x in (rows[1], rows[0]))
    assert low < high
    assert rows[2][-1] == "none"
    assert "new runs and new items, two-sided at level 0.05." in text
    _, out, _ = run("power", path, *options, "--format", "sentences")
    text = " ".join(out.split())
    assert "m0 vs. m3, now 3 and 2 x 12: to see a difference of 0.3, it takes" in text
    assert "enough with 2, 3 and 5 runs of each model. With the least spread" in text
    assert "; with the most, no number of items is enough with" in text
    assert '"none"' not in text


def test_so_few_runs_allow_a_range_of_numbers():
    """Of pilots of 4 runs, hardly any range is beside the number of the truth."""
    rng = np.random.default_rng(0)
    n_items, n_pilots, (by_run, by_item, by_both) = 120, 200, (0.03, 0.15, 0.2)
    true = [2.0 * sd**2 for sd in (by_run, by_item, by_both)]
    needed = np.asarray(required_items(true, [5, 10], 0.06))
    missed = np.zeros(2)
    for _ in range(n_pilots):
        tables = [
            by_item * rng.normal(size=n_items)
            + by_run * rng.normal(size=(4, 1))
            + by_both * rng.normal(size=(4, n_items))
            for _ in "ab"
        ]
        components = [np.asarray(x) for x in variance_components(*tables)[:3]]
        components[0] = components[0] + power_designs._find_errors(tables)
        _, low, high = np.asarray(required_items(components, [5, 10], 0.06))
        missed += (needed < low) | (needed > high)
    assert missed.max() <= 0.15 * n_pilots


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--test", "aso"), "Expected --test t of"),
        (("--lift", "1.1"), "there is no lift, but --difference or"),
        (("--plot", "x.svg"), "there is no picture of power; got --plot."),
        (("--columns", "m0"), "Expected two models or more of"),
        (("--unit", "run", "--difference", "0.1", "--margin", "1"), "got both"),
        (("--difference", "0"), "expected a number in (0, 1e+09]"),
    ],
)
def test_other_options_raise_an_error(path, run, capsys, options, said):
    try:
        code, _, err = run("power", path, *options)
    except SystemExit as error:
        code, err = error.code, capsys.readouterr().err
    assert code == 2
    assert said in " ".join(err.split())
