"""Published figures come out of the library, as `benchmarks.reproduce` does it."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.reproduce import error_rates, response_variance
from benchmarks.reproduce.__main__ import main
from benchmarks.reproduce.experiment import Cell, Comparison, Settings

REFERENCE = Path(__file__).parents[2] / "shared" / "reference"
SETTINGS = Settings(is_quick=True, backend="numpy", reference=REFERENCE)

needs_reference = pytest.mark.skipif(
    not REFERENCE.exists(), reason="the published figures are not here"
)


def test_agreement_is_told_from_disagreement():
    cells = [Cell(str(i), 0.5, 0.5 + 0.01 * (i % 3), i % 3) for i in range(100)]
    assert Comparison("title", cells, True).agrees
    worse = [Cell("far", 0.5, 0.6, -10.0)] * 11 + cells[11:]
    comparison = Comparison("title", worse, True)
    assert len(comparison.outside) == 11
    assert not comparison.agrees
    assert Comparison("title", worse, False).agrees


@needs_reference
def test_error_rates_agree():
    plans = [("type1", "normal", 5, 0.0), ("type2", "normal", 10, 0.5)]
    rows = [
        row
        for number, plan in enumerate(plans)
        for row in error_rates.find_rates(SETTINGS, number, *plan)
    ]
    tests, below, ancestor, mended = error_rates.compare(SETTINGS, rows)
    assert len(tests.cells) == 60
    assert tests.agrees
    # 16 of 32 exchanges, and half of the rank sums, of five scores.
    tied = {cell.name for cell in below.cells}
    tests = ("permutation", "wilcoxon", "mann_whitney")
    assert {f"Table 1, {test}, 5 at 0.5" for test in tests} <= tied
    assert len(ancestor.cells) == len(mended.cells) == 12
    assert ancestor.agrees
    assert not mended.is_as_published
    worse = [row | {"rate": min(1.0, row["rate"] + 0.1)} for row in rows]
    assert not error_rates.compare(SETTINGS, worse)[0].agrees


@needs_reference
def test_response_p_values_agree(monkeypatch):
    chosen = {name: response_variance.METRICS[name] for name in ("mae", "wins_mae")}
    monkeypatch.setattr(response_variance, "METRICS", chosen)
    rows = response_variance.find_p_values(SETTINGS, "normal")
    true, drawn, without_null, shared_out = response_variance.compare(SETTINGS, rows)
    assert len(true.cells) == 36
    for comparison in (true, drawn, without_null):
        assert len(comparison.cells) in (12, 24, 36)
        assert comparison.agrees
    assert not shared_out.is_as_published
    worse = [row | {"true_p": 0.7 * row["true_p"]} for row in rows]
    assert not response_variance.compare(SETTINGS, worse)[0].agrees


def test_another_quantile_is_predicted_by_student_distribution():
    rng = np.random.default_rng(0)
    drawn = rng.normal(size=(2000, 7)) * 3.0
    z = [response_variance.predict(row[1:], row[0]) for row in drawn]
    # Six standard errors of 2000 normal quantiles.
    assert abs(np.mean(z)) < 6.0 / np.sqrt(2000)
    assert abs(np.std(z) - 1.0) < 6.0 / np.sqrt(4000)


def test_command_writes_the_same_again(tmp_path, capsys):
    arguments = ["--quick", "--only", "decisions", "--reference", str(tmp_path)]
    names = ("decisions.csv", "decisions.png", "summary.md")
    written = []
    for folder in ("first", "second", "second"):
        out = tmp_path / folder
        assert main([*arguments, "--out", str(out)]) == 0
        assert {path.name for path in out.iterdir()} == set(names)
        written.append([(out / name).read_bytes() for name in names])
    assert written[0] == written[1] == written[2]
    summary = written[0][-1].decode()
    assert "Case A" in summary
    assert capsys.readouterr().out == 3 * f"{summary}\n"
