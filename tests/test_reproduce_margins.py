"""Tests with a margin: what is committed, and what docstrings and pages say of it."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.reproduce import margins
from benchmarks.reproduce.experiment import read_csv
from sigarray import equivalence_test, proportion_test

RESULTS = Path(__file__).parents[1] / "benchmarks" / "results"
ROWS = read_csv(RESULTS / "margins.csv")


def test_the_page_has_the_committed_rates():
    text = "\n\n".join([*margins.tabulate(ROWS), ""])
    assert (RESULTS / "margins.md").read_text("utf-8") == text
    assert {x["n_sets"] for x in ROWS} == {"4000"}


def test_docstrings_have_the_committed_rates():
    said = " ".join(equivalence_test.__doc__.split())
    assert "; ".join(margins.say_ranges(ROWS)) in said
    said = " ".join(proportion_test.__doc__.split())
    for test in ("proportion_test", "permutation_test"):
        rates = margins.choose(ROWS, test, "pairs", "0 or 1")
        *first, last = (f"{x:.1f}" for x in rates)
        assert f"{', '.join(first)} and {last} %" in said


@pytest.mark.long
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("scores", margins.SCORES)
def test_rates_are_counted_as_then(scores, paired):
    """To within five standard errors of 500 sets."""
    for row in margins.count(scores, 20, 500, seed=3, paired=paired):
        (then,) = (
            x
            for x in ROWS
            if (x["test"], x["unit"], x["scores"], x["n"])
            == (row["test"], row["unit"], row["scores"], "20")
        )
        rate = float(then["rate"])
        error = (max(rate, 0.01) * (1.0 - rate) / 500) ** 0.5
        assert abs(row["rate"] - rate) < 5.0 * error


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("scores", margins.SCORES)
def test_a_is_worse_by_the_margin(scores, paired):
    rng = np.random.default_rng(0)
    a, b = margins.draw(scores, 200, 5000, rng, paired=paired)
    lead = np.mean(b) - np.mean(a)
    error = (np.var(a) + np.var(b)) ** 0.5 / 1000.0
    assert lead == pytest.approx(margins.SCORES[scores][0], abs=5.0 * error)
