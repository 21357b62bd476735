"""Numbers of pairs for programs: the same columns, whatever the test."""

import csv
import io
import itertools
import json
import warnings

import numpy as np
import pytest

from sigarray import compare_models
from sigarray._verdicts.decisions import MARGIN_FIELDS
from sigarray._verdicts.records import AGGREGATE_FIELDS, FIELDS
from sigarray.report._rendering import render

FILE = """\
small,large,huge
0.81,0.90,0.95
0.80,0.92,0.96
0.83,0.91,0.94
0.82,0.93,0.97
0.81,,
"""


@pytest.mark.parametrize("test", ["aso", "t", "mann-whitney", "permutation"])
@pytest.mark.parametrize("direction", [[], ["--lower-is-better"]])
def test_csv_has_the_same_columns_for_every_test(write, run, test, direction):
    options = ["--test", test, *direction]
    _, out, _ = run("compare", write(FILE), "--format", "csv", *options)
    records = list(csv.DictReader(io.StringIO(out)))
    assert tuple(records[0]) == FIELDS
    names = ["huge", "large", "small"][:: -1 if direction else 1]
    pairs = list(itertools.combinations(names, 2))
    assert [(r["model_a"], r["model_b"]) for r in records] == pairs
    assert {r["verdict"] for r in records} <= {"better", "unequal", "inconclusive"}
    assert all((r["better"] == "") == (r["verdict"] != "better") for r in records)
    signs = {float(r["mean_difference"]) > 0.0 for r in records}
    assert signs == {not direction}
    for r in records:
        low, share, high = (
            float(r[f"probability_{x}"]) for x in ("low", "of_improvement", "high")
        )
        assert low < share <= high
        assert share > 0.5


def test_records_of_a_turned_pair_are_those_of_the_other_order(write, run):
    """Each number of A and B, from those of B and A."""
    paths = [
        write("a,b\n0.0,1.0\n1.5,2.0\n2.0,2.5\n0.5,3.5\n3.0,2.0\n", "ab.csv"),
        write("b,a\n1.0,0.0\n2.0,1.5\n2.5,2.0\n3.5,0.5\n2.0,3.0\n", "ba.csv"),
    ]
    for test in ("aso", "t", "mann-whitney", "brunner-munzel", "permutation"):
        found = []
        for path in paths:
            _, out, _ = run("compare", path, "--test", test, "--format", "json")
            found += json.loads(out)["pairs"]
        first, second = found
        assert (first["model_a"], first["model_b"]) == ("b", "a")
        assert first == pytest.approx(second)


@pytest.mark.parametrize("n_runs", [30, 4])
def test_models_are_unequal_at_the_level_of_all_tasks(n_runs):
    """With n tasks, p of equality counts at the level over n, as eps_min does.

    With four runs the false discovery rate is controlled: one p of 0.03 is too few.
    """
    rng, lead = np.random.default_rng(3), 0.6 if n_runs == 30 else 60.0
    tasks = {
        f"t{k}": {
            "a": rng.normal(lead if k == 0 else 0.0, 1.6, n_runs),
            "b": rng.normal(0.0, 0.4, n_runs),
        }
        for k in range(4)
    }
    verdicts, p_values = [], []
    for x in ({task: tasks[task]} for task in tasks), [tasks]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            records = [
                record
                for table in x
                for record in compare_models(table, test="aso", unit="run").records
                if record["task"] not in ("all tasks", "these tasks")
            ]
        verdicts.append([record["verdict"] for record in records])
        p_values.append([record["equality_pvalue"] for record in records])
    assert p_values[0] == pytest.approx(p_values[1], rel=0.01)
    assert verdicts[1] == ["inconclusive"] * 4
    assert 0.05 / 4 < min(p_values[1]) < 0.05
    alone = "unequal" if n_runs == 30 else "better"
    assert verdicts[0] == [alone, *["inconclusive"] * 3]


@pytest.mark.parametrize("statistic", [None, "mean"])
def test_records_over_tasks_have_the_columns_of_a_margin(statistic):
    """They are empty: NaN in a data frame."""
    rng = np.random.default_rng(0)
    tasks = {t: {m: rng.normal(size=5) for m in "ab"} for t in "uvwxyz"}
    options = {"test": "t", "margin": 0.3, "statistic": statistic}
    result = compare_models(tasks, unit="run", **options)
    frame = result.to_frame()
    own = [] if statistic is None else AGGREGATE_FIELDS
    assert list(frame) == [*FIELDS, *MARGIN_FIELDS, *own]
    if own:
        of_all = frame["task"] != "these tasks"
        assert frame["aggregate_low_b"].isna().tolist() == of_all.tolist()
    lacks = frame["margin"].isna().tolist()
    assert lacks == [x == "all tasks" for x in frame["task"]]
    assert len(frame) == (7 if statistic is None else 8)
    assert {len(x) for x in csv.reader(result_as_csv(result))} == {len(list(frame))}


def test_records_over_tasks_have_the_columns_of_clusters():
    rng = np.random.default_rng(0)
    tasks = {t: {m: rng.normal(size=12) for m in "ab"} for t in "uvwxyz"}
    labels = dict.fromkeys(tasks, np.repeat(np.arange(6), 2))
    result = compare_models(tasks, test="t", clusters=labels)
    frame = result.to_frame()
    assert frame["n_clusters"].tolist()[:6] == [6] * 6
    assert frame["n_clusters"].isna().tolist() == [False] * 6 + [True]
    assert frame["task"].tolist()[6] == "all tasks"
    assert frame["n_a"].tolist()[6] == 6


def result_as_csv(result):
    return io.StringIO(render(result.content, "csv"))
