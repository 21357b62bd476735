"""What stands beside means: deviations of runs, and standard errors over items."""

import numpy as np
import pytest

from sigarray import compare_models

DRAW = np.random.default_rng(0)
SHARES = {"a": 0.8, "b": 0.7}
ITEMS = {name: (DRAW.random(400) < p).astype(float) for name, p in SHARES.items()}
RUNS = {name: DRAW.normal(p, 0.02, size=6) for name, p in SHARES.items()}


@pytest.mark.parametrize("has_tasks", [False, True])
def test_items_have_standard_errors_and_runs_deviations(has_tasks):
    for scores, unit, name, word in (
        (ITEMS, "item", "se", "standard error"),
        (RUNS, "run", "sd", "standard deviation"),
    ):
        one = scores["a"]
        spread = np.std(one, ddof=1) / (1.0 if unit == "run" else np.sqrt(len(one)))
        result = compare_models(
            {"x": scores, "y": scores} if has_tasks else scores, unit=unit
        )
        latex, markdown = result.to_latex(), result.to_markdown()
        digits = 3 if unit == "item" or has_tasks else 4
        assert rf"\mathbf{{{one.mean():.{digits}f} \pm {spread:.{digits}f}}}" in latex
        of = "runs" if unit == "run" else "the mean over items"
        where = " on each task" if has_tasks else ""
        note = f"The {word} ({name}) is that of {of}; the highest mean{where} is bold"
        assert f"{note}." in latex
        assert note in markdown
        assert note not in str(result)
        if has_tasks:
            assert f"Means and {word}s of {len(one)} {unit}s on each task" in str(
                result
            )
        else:
            assert rf"mean $\pm$ {name}" in latex
            assert f"| mean | {name} |" in markdown
            assert name in str(result).split()
            said = f"Means ({word}; {unit}s): a {one.mean():.{digits}f}"
            assert said in result.content.paragraphs[0]


def test_the_lowest_mean_is_bold_of_losses():
    latex = compare_models(RUNS, unit="run", higher_is_better=False).to_latex()
    assert "the lowest mean is bold." in latex
    assert rf"\mathbf{{{RUNS['b'].mean():.4f} \pm" in latex


@pytest.mark.parametrize(
    ("decimals", "shown"), [(4, "0.78494 0.00226"), (9, "0.784940 0.002263")]
)
def test_means_have_a_decimal_more_than_scores_or_digits_of_their_error(
    decimals, shown
):
    """A small deviation of one model adds no digits that its error does not have."""
    rounded = {
        "ours": [0.7849, 0.7874, 0.7858, 0.7866, 0.7868],
        "old": [0.7855, 0.7825, 0.7831, 0.7882, 0.7854],
    }
    if decimals > 4:  # as computed
        rounded = {k: [x + 1e-9 for x in by] for k, by in rounded.items()}
    result = compare_models(rounded, unit="run")
    assert shown in " ".join(str(result).split())
    assert shown.replace(" ", " \\pm ") in result.to_latex()
    # Of two levels: two digits of the error of 20 are more than a decimal more.
    levels = {"a": [0.90, 0.91] * 10, "b": [0.80, 0.81] * 10}
    assert "a 20 0.9050 0.0051" in " ".join(
        str(compare_models(levels, unit="run")).split()
    )


def test_tasks_have_as_many_decimals_where_one_deviation_is_small_by_chance():
    """Tasks on other scales have their own."""
    steps = 0.1 * np.arange(5.0)
    tasks = {f"t{k}": {"a": 1.0 + steps, "b": 0.5 + steps} for k in range(5)}
    tasks["t2"] = {"a": 1.0 + steps, "b": 0.5 + 0.3 * steps, "c": 0.01 * steps}
    tasks["t4"] = {name: 1000.0 * x for name, x in tasks["t4"].items()}
    rows = compare_models(tasks, unit="run", test="t").tables
    rows = next(x.rows for x in rows if x.title.startswith("Means and standard"))
    means = {row[0]: row[1:3] for row in rows}
    assert means["t4"] == ["1200 (158)", "700 (158)"]
    assert means["t1"] == ["1.20 (0.16)", "0.70 (0.16)"]
    del tasks["t4"]
    rows = compare_models(tasks | {"t9": tasks["t0"]}, unit="run", test="t").tables
    rows = next(x.rows for x in rows if x.title.startswith("Means and standard"))
    cells = [cell for row in rows for cell in row[1:] if cell != "-"]
    assert len({len(x.split()[0].partition(".")[2]) for x in cells}) == 1
