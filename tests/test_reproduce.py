"""Published figures come out of the library, as `benchmarks.reproduce` does it."""

import dataclasses
from pathlib import Path

import pytest

from benchmarks.reproduce import error_rates
from benchmarks.reproduce.experiment import Cell, Experiment, Settings, agrees

REFERENCE = Path(__file__).parents[2] / "shared" / "reference"
SETTINGS = Settings(is_quick=True, backend="numpy", reference=REFERENCE)


def test_agreement_is_told_from_disagreement():
    cells = [Cell(str(i), 0.5, 0.5 + 0.01 * (i % 3), 0.01) for i in range(100)]
    assert agrees(Experiment("name", "title", [], cells))
    cells[:8] = [dataclasses.replace(cell, ours=0.6) for cell in cells[:8]]
    assert not agrees(Experiment("name", "title", [], cells))


@pytest.mark.skipif(not REFERENCE.exists(), reason="the published figures are not here")
def test_error_rates_agree():
    plans = [("type1", "normal", 5, 0.0), ("type2", "normal", 10, 0.5)]
    rows = [
        row
        for number, plan in enumerate(plans)
        for row in error_rates.find_rates(SETTINGS, number, *plan)
    ]
    cells = error_rates.compare(SETTINGS, rows)
    assert len(cells) == 72
    assert agrees(Experiment("name", "title", rows, cells))
    worse = [row | {"rate": min(1.0, row["rate"] + 0.1)} for row in rows]
    cells = error_rates.compare(SETTINGS, worse)
    assert not agrees(Experiment("name", "title", worse, cells))
