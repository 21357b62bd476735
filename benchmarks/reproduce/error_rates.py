"""Error rates of tests: Ulmer et al. (2022), Tables 1, 2, 3, 7, 8, Figures 3, 6, 7."""

import csv
from typing import Any

import numpy as np
import scipy.stats

import sigarray
from benchmarks.reproduce.experiment import (
    Cell,
    Experiment,
    Settings,
    binomial_error,
)

SIZES = (5, 10, 15, 20)
DIFFERENCES = (0.25, 0.5, 0.75, 1.0)
THRESHOLDS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
N_RESAMPLES = 1000
TESTS = ("aso", "student_t", "bootstrap", "permutation", "wilcoxon", "mann_whitney")
LABELS = ("ASO", "Welch's t", "bootstrap", "permutation", "Wilcoxon", "Mann-Whitney")
TIE_REASON = (
    "p-values of ranks are 0.5 for the middle rank sum, which p < 0.5 leaves out here "
    "and the rounding of their p-values lets in there"
)
# Simulations behind a published rate.
PUBLISHED_SETS = {"aso": 500}
OTHER_SETS = 1000


def draw_normal(rng: np.random.Generator, shape: tuple, shift: float) -> np.ndarray:
    """N(shift, 1.5^2)."""
    return rng.normal(shift, 1.5, shape)


def draw_mixture(rng: np.random.Generator, shape: tuple, shift: float) -> np.ndarray:
    """A fixed share of N(1.5 + shift, 1), the rest N(-0.5, 0.25^2)."""
    n_high = int(0.7 * shape[-1])
    high = rng.normal(1.5 + shift, 1.0, (*shape[:-1], n_high))
    low = rng.normal(-0.5, 0.25, (*shape[:-1], shape[-1] - n_high))
    # In random order, for the tests of pairs.
    return rng.permuted(np.concatenate([high, low], axis=-1), axis=-1)


def draw_laplace(rng: np.random.Generator, shape: tuple, shift: float) -> np.ndarray:
    """Laplace(shift, 1.5)."""
    return rng.laplace(shift, 1.5, shape)


def draw_rayleigh(rng: np.random.Generator, shape: tuple, shift: float) -> np.ndarray:
    """Rayleigh(1) + shift."""
    return rng.rayleigh(1.0, shape) + shift


DISTRIBUTIONS = {
    "normal": draw_normal,
    "normal mixture": draw_mixture,
    "laplace": draw_laplace,
    "rayleigh": draw_rayleigh,
}


def run(settings: Settings) -> Experiment:
    """Compute all error rates."""
    rows = []
    plans = [("type1", name, size, 0.0) for name in DISTRIBUTIONS for size in SIZES]
    for name, better in (("normal", 0.5), ("normal mixture", 1.0)):
        plans += [("type2", name, size, better) for size in SIZES]
        plans += [("type2_diff", name, 5, shift) for shift in DIFFERENCES]
    for number, (error, name, size, shift) in enumerate(plans):
        rows += find_rates(settings, number, error, name, size, shift)
    return Experiment(
        "error_rates",
        "Error rates of tests (Ulmer et al. 2022)",
        rows,
        compare(settings, rows),
        [],
        lambda figure: draw_figure(figure, rows),
        (12.0, 9.0),
    )


def find_rates(
    settings: Settings, number: int, error: str, name: str, size: int, shift: float
) -> list[dict[str, Any]]:
    """Give the error rate of each test at each threshold."""
    rng = np.random.default_rng([2022, number])
    n_sets = settings.choose(400, 5000)
    draw = DISTRIBUTIONS[name]
    a, b = draw(rng, (n_sets, size), shift), draw(rng, (n_sets, size), 0.0)
    found = decide(settings, a, b, number)
    rows = []
    for test, values in found.items():
        for threshold in THRESHOLDS:
            rate = float(np.mean(values < threshold))
            rows.append(
                {
                    "error": error,
                    "distribution": name,
                    "size": size,
                    "difference": shift,
                    "threshold": threshold,
                    "test": test,
                    "rate": rate if error == "type1" else 1.0 - rate,
                    "n_sets": n_sets,
                }
            )
    return rows


def decide(
    settings: Settings, a: np.ndarray, b: np.ndarray, seed: int
) -> dict[str, np.ndarray]:
    """Give eps_min or the p-value of each pair of samples, for each test."""
    x, y = settings.put(a), settings.put(b)
    options = {"n_resamples": N_RESAMPLES, "rng": seed}
    found = {
        "aso": sigarray.aso(x, y, method="bootstrap", dt=0.005, **options).eps_min,
        "student_t": sigarray.welch_t_test(x, y).pvalue,
        "bootstrap": sigarray.bootstrap_test(x, y, **options).pvalue,
        "permutation": sigarray.permutation_test(x, y, **options).pvalue,
        "mann_whitney": sigarray.mann_whitney_u(x, y).pvalue,
    }
    found = {name: np.asarray(values) for name, values in found.items()}
    found["wilcoxon"] = scipy.stats.wilcoxon(
        a, b, alternative="greater", axis=-1
    ).pvalue
    return {name: found[name] for name in TESTS}


def compare(settings: Settings, rows: list[dict[str, Any]]) -> list[Cell]:
    """Put the published rates beside ours."""
    path = settings.reference / "error_rates.csv"
    if not path.exists():
        return []
    names = ("error", "distribution", "size", "difference", "threshold", "test")
    found = {tuple(x[name] for name in names): x for x in rows}
    cells = []
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            is_difference = row["error"] == "type2_diff"
            number = float(row["size_or_difference"])
            size = 5 if is_difference else int(number)
            shift = number if is_difference else 0.5 * (row["error"] == "type2")
            threshold, test = float(row["threshold"]), row["test"]
            key = (row["error"], row["distribution"], size, shift, threshold, test)
            ours = found.get(key)
            if ours is None:
                continue
            rate = float(row["rate"])
            n_published = PUBLISHED_SETS.get(test, OTHER_SETS)
            error = binomial_error(rate, n_published, ours["rate"], ours["n_sets"])
            name = (
                f"Table {row['table']}, {test}, {row['size_or_difference']} at "
                f"{threshold:g}"
            )
            is_tie = threshold == 0.5 and test in ("wilcoxon", "mann_whitney")
            cells.append(
                Cell(name, rate, ours["rate"], error, TIE_REASON if is_tie else "")
            )
    return cells


def draw_figure(figure: Any, rows: list[dict[str, Any]]) -> None:
    """Draw errors against sizes, differences and thresholds."""
    axes = figure.subplots(3, 4)
    panels = [("type1", name, "size") for name in DISTRIBUTIONS] + [
        ("type2", "normal", "size"),
        ("type2", "normal mixture", "size"),
        ("type2_diff", "normal", "difference"),
        ("type2_diff", "normal mixture", "difference"),
        ("type1", "normal", "threshold"),
        ("type2", "normal", "threshold"),
        ("type1", "normal mixture", "threshold"),
        ("type2", "normal mixture", "threshold"),
    ]
    for axis, (error, name, against) in zip(axes.flat, panels, strict=True):
        for test, label in zip(TESTS, LABELS, strict=True):
            level = 0.2 if test == "aso" else 0.05
            chosen = [
                x
                for x in rows
                if (x["error"], x["distribution"], x["test"]) == (error, name, test)
                and (
                    x["size"] == 5
                    if against == "threshold"
                    else x["threshold"] == level
                )
            ]
            axis.plot(
                [x[against] for x in chosen],
                [x["rate"] for x in chosen],
                marker="o",
                markersize=3,
                label=label,
                linewidth=2.0 if test == "aso" else 1.0,
            )
        kind = "Type I" if error == "type1" else "Type II"
        axis.set_title(f"{kind}, {name}", fontsize=9)
        axis.set_xlabel(against if against != "size" else "scores a side", fontsize=8)
        axis.tick_params(labelsize=7)
        if error == "type1" and against == "size":
            axis.axhline(0.05, color="grey", linewidth=0.6, linestyle=":")
    axes[0, 0].legend(fontsize=6)
