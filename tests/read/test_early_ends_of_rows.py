"""Rows that are runs of their own, and no steps of one curve."""

import re

import numpy as np
import pandas as pd
import pytest

from sigarray import read
from sigarray.read import TableError

METRIC = "val/acc"


def list_sweep(step="_step"):
    """Two models, with a batch of 256 and twice as many steps of a batch of 128."""
    rows = [
        {"model": m, "seed": s, "batch_size": b, step: 45000 * 256 // b}
        for m in ("a", "b")
        for b in (256, 128)
        for s in range(6)
    ]
    draw = np.random.default_rng(0)
    return [{**x, METRIC: draw.normal(0.7, 0.01)} for x in rows]


def as_api(rows):
    """Return the usual data frame of the API of W&B."""
    of_summary = ("_step", METRIC)
    return pd.DataFrame(
        {
            "summary": [{x: row[x] for x in of_summary} for row in rows],
            "config": [
                {x: y for x, y in row.items() if x not in of_summary} for row in rows
            ],
            "name": [f"silver-sky-{k + 1}" for k in range(len(rows))],
        }
    )


def as_table(rows):
    """Return the table of runs of W&B, whose column State is hidden."""
    frame = pd.DataFrame(rows)
    frame.insert(0, "Name", [f"silver-sky-{k + 1}" for k in range(len(rows))])
    times = [f"2026-10-02T10:{k:02d}:00.000Z" for k in range(len(rows))]
    frame.insert(1, "Created", times)
    return frame


def write_frame(write, frame):
    return write(frame.to_csv(index=False))


@pytest.mark.parametrize("make", [as_api, as_table, pd.DataFrame])
def test_runs_of_other_settings_are_no_steps_of_one(write, make):
    path = write_frame(write, make(list_sweep()))
    column = "config.batch_size" if make is as_api else "batch_size"
    with pytest.raises(TableError) as error:
        read.scores(path, metric=METRIC)
    assert f"They differ in '{column}': choose rows with where=" in str(error.value)
    some = read.scores(path, metric=METRIC, where={column: ["128"]})
    assert [len(x) for x in some.scores.values()] == [6, 6]
    every = read.scores(
        path, metric=METRIC, model=f"{column.replace('batch_size', 'model')},{column}"
    )
    assert [len(x) for x in every.scores.values()] == [6] * 4


def test_runs_of_other_names_alone_are_asked_about(write):
    rows = [{x: y for x, y in row.items() if x != "batch_size"} for row in list_sweep()]
    path = write_frame(write, as_table(rows))
    with pytest.raises(TableError, match=r"before three quarters of .* got 12 of 24:"):
        read.scores(path, metric=METRIC)


def list_reruns():
    """Three models of six runs, of which one crashed and was run again."""
    rows = [
        {"model": m, "seed": s, "_step": step, METRIC: 0.7 + 0.01 * s}
        for m in ("a", "b", "c")
        for s in range(6)
        for step in ([18000, 45000] if (m, s) == ("b", 3) else [45000])
    ]
    rows[-1]["_step"] = 31499
    return rows


def test_a_run_that_was_run_again_is_asked_about(write):
    path = write_frame(write, as_table(list_reruns()))
    said = (
        "before three quarters of the others' steps; got 2 of 19: 'b', run '3', at "
        "_step 18000 (most at 45000); 'c', run '5', at _step 31499"
    )
    with pytest.raises(TableError, match=re.escape(said)):
        read.scores(path, metric=METRIC)
    table = read.scores(path, metric=METRIC, missing="drop")
    assert [len(x) for x in table.scores.values()] == [6, 6, 5]
    assert any("'b', run '3'" in x for x in table.notes)
    for missing in ("keep", "worst"):
        with pytest.raises(TableError, match="missing='drop', or remove it; or pass "):
            read.scores(path, metric=METRIC, missing=missing)
        both = read.scores(path, metric=METRIC, missing=missing, run="Name")
        assert [len(x) for x in both.scores.values()] == [6, 7, 6]


LR = [0.1, 0.05, 0.025, 0.0125]


@pytest.mark.parametrize("n_steps", [2, 4])
@pytest.mark.parametrize(
    "more",
    [
        lambda m, s, t: {"lr": LR[t], "weight_decay": LR[t] / 10, "epoch": t},
        lambda m, s, t: {"batch_size": 2**t, "n_samples": 100 * 2**t},
        lambda m, s, t: {"Name": f"{m}-{s}", "config.lr": 0.1, "loss": t + 0.1 * s},
        lambda m, s, t: {"name": str(t), "checkpoint": f"{m}/{s}/{t}.pt"},
        lambda m, s, t: {"time": 60.5 * t + s, "_runtime": 60 * t, "Created": t},
    ],
)
def test_curves_stay_curves(write, more, n_steps):
    rows = [
        {"model": m, "seed": s, "step": t, METRIC: 0.7 + 0.01 * s, **more(m, s, t)}
        for m in ("a", "b")
        for s in range(3)
        for t in range(n_steps)
    ]
    table = read.scores(write_frame(write, pd.DataFrame(rows)), metric=METRIC)
    assert [len(x) for x in table.scores.values()] == [3, 3]
    assert table.last_steps is not None
