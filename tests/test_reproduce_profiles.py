"""Intervals over tasks beside rliable's: what is committed, and how it is counted."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.reproduce import profiles, strata
from benchmarks.reproduce.experiment import read_csv
from sigarray import performance_profile

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
ROWS = read_csv(RESULTS / "profiles.csv")


def test_the_committed_table_is_of_the_committed_rows():
    text = "\n\n".join([*profiles.tabulate(ROWS), ""])
    assert (RESULTS / "profiles.md").read_text("utf-8") == text
    found = [(int(x["runs"]), x["scores"]) for x in ROWS]
    assert found == [(n, kind) for n in profiles.RUNS for kind in profiles.KINDS]


def test_ours_hold_and_theirs_do_less_often():
    mean, mean_of_others, profile, profile_of_others = (
        [float(x[method]) for x in ROWS] for method in profiles.METHODS
    )
    assert 0.91 < min(mean) < max(mean) < 0.97
    assert all(x > y for x, y in zip(mean, mean_of_others, strict=True))
    assert min(profile) > 0.92
    assert max(profile_of_others) < 0.35
    said = " ".join(performance_profile.__doc__.split())
    assert f"81 thresholds, in {say(profile)} %; limits that hold at each" in said
    assert f"by n draws, held all of it in {say(profile_of_others)} %." in said


def say(shares):
    return f"{100.0 * min(shares):.1f} to {100.0 * max(shares):.1f}"


@pytest.mark.parametrize("kind", profiles.KINDS)
def test_the_true_profile_is_that_of_many_runs(kind):
    thresholds = profiles.place_thresholds(kind)
    levels = profiles.LEVELS[:, None]
    x = strata.draw_runs(np.random.default_rng(0), levels, kind, 1, 2000).ravel()
    expected = np.mean(x[:, None] > thresholds, axis=0)
    found = profiles.find_true_profile(kind, thresholds)
    np.testing.assert_allclose(found, expected, atol=6 * np.sqrt(0.25 / len(x)))
    np.testing.assert_allclose(found[[0, -1]], [0.95, 0.05], atol=1e-6)


def test_limits_as_rliable_are_of_draws_within_tasks():
    """Of tasks whose runs are the same, nothing varies but the others."""
    rng = np.random.default_rng(0)
    x = np.arange(8.0)[:, None] + np.array([0.0, 0.1, 0.2])
    thresholds = np.array([-1.0, 2.5, 3.15, 9.0])
    _, (low, high) = profiles.find_limits_as_rliable(rng, x, thresholds)
    assert low[[0, 1, 3]].tolist() == high[[0, 1, 3]].tolist() == [1.0, 0.625, 0.0]
    # Of task 3, none to all of three runs are above 3.15.
    assert (low[2], high[2]) == (12 / 24, 15 / 24)
    (low, high), _ = profiles.find_limits_as_rliable(rng, 0.0 * x + 2.0, thresholds)
    assert (low, high) == (2.0, 2.0)


def test_intervals_are_counted_as_then(monkeypatch):
    monkeypatch.setattr(strata, "_N_TRUE", 20_000)
    (row,) = [x for x in ROWS if (x["runs"], x["scores"]) == ("3", "normal")]
    found = profiles.count(3, "normal", 1, seed=99)
    for method in profiles.METHODS:
        assert abs(found[method] - float(row[method])) < 0.55
