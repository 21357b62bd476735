"""Pictures of the error rates of tests: Ulmer et al. (2022), Figures 3, 6, 7."""

from typing import Any

import numpy as np

from benchmarks.reproduce.error_rate_designs import (
    DIFFERENCES,
    DISTRIBUTIONS,
    PLACE,
    SIZES,
    find_place,
)

LABELS = {
    "aso": "ASO",
    "student_t": "Welch's t",
    "bootstrap": "bootstrap",
    "permutation": "permutation",
    "wilcoxon": "Wilcoxon",
    "mann_whitney": "Mann-Whitney",
}
KINDS = {"type1": "Type I", "type2": "Type II", "type2_diff": "Type II"}


def draw_rates(
    figure: Any, rows: list[dict[str, Any]], published: list[dict[str, str]]
) -> None:
    """Draw errors against sizes and differences, and the published ones as circles."""
    panels = [("type1", name, "size") for name in DISTRIBUTIONS] + [
        ("type2", "normal", "size"),
        ("type2", "normal mixture", "size"),
        ("type2_diff", "normal", "difference"),
        ("type2_diff", "normal mixture", "difference"),
    ]
    others = [
        dict(zip(PLACE, find_place(row), strict=True)) | {"rate": float(row["rate"])}
        for row in published
    ]
    axes = figure.subplots(2, 4)
    for axis, (error, name, against) in zip(axes.flat, panels, strict=True):
        chosen, circles = (
            [
                x
                for x in found
                if (x["error"], x["distribution"]) == (error, name)
                and x["threshold"] == (0.2 if x["test"] == "aso" else 0.05)
            ]
            for found in (rows, others)
        )
        title = f"{KINDS[error]}, {name}"
        if against == "difference":
            title += ", n = 5"
        draw_lines(axis, chosen, against, title)
        for number, test in enumerate(LABELS):
            axis.plot(
                [x[against] for x in circles if x["test"] == test],
                [x["rate"] for x in circles if x["test"] == test],
                "o",
                color=f"C{number}",
                markersize=7,
                fillstyle="none",
            )
        axis.set_xticks(SIZES if against == "size" else DIFFERENCES)
        axis.set_ylim(*((0.0, 0.12) if error == "type1" else (0.0, 1.04)))
        if error == "type1":
            axis.axhline(0.05, color="grey", linewidth=0.6, linestyle=":")
    axes[0, 0].set_ylabel("error rate; ASO at 0.2, p at 0.05", fontsize=8)
    axes[1, 0].set_ylabel("circles: published", fontsize=8)
    axes[1, 0].legend(fontsize=7)


def draw_thresholds(figure: Any, rows: list[dict[str, Any]]) -> None:
    """Draw errors against thresholds."""
    panels = [
        (error, name, size)
        for size in (5, 20)
        for error, name in (
            ("type1", "normal"),
            ("type1", "normal mixture"),
            ("type2", "normal"),
            ("type2", "normal mixture"),
        )
    ]
    axes = figure.subplots(2, 4)
    for axis, panel in zip(axes.flat, panels, strict=True):
        error, name, size = panel
        chosen = [
            x for x in rows if (x["error"], x["distribution"], x["size"]) == panel
        ]
        draw_lines(axis, chosen, "threshold", f"{KINDS[error]}, {name}, n = {size}")
        axis.set_ylim(*((0.0, 0.54) if error == "type1" else (0.0, 1.04)))
        if error == "type1":
            axis.plot([0.0, 0.5], [0.0, 0.5], "k:", linewidth=0.6)
    axes[0, 0].set_ylabel("error rate", fontsize=8)
    axes[0, 0].legend(fontsize=7)


def draw_lines(axis: Any, rows: list[dict[str, Any]], against: str, title: str) -> None:
    """Draw a line for each test."""
    for test, label in LABELS.items():
        chosen = [x for x in rows if x["test"] == test]
        axis.plot(
            [x[against] for x in chosen],
            [x["rate"] for x in chosen],
            marker="o",
            markersize=3,
            label=label,
            linewidth=2.0 if test == "aso" else 1.0,
        )
    names = {"size": "scores a side", "difference": "difference of the means"}
    title = title.replace("laplace", "Laplace").replace("rayleigh", "Rayleigh")
    axis.set_title(title, fontsize=9)
    axis.set_xlabel(names.get(against, against), fontsize=8)
    axis.tick_params(labelsize=7)


def draw_distributions(figure: Any) -> None:
    """Draw what scores are drawn from, equal and better."""
    axes = figure.subplots(1, 4)
    better = {"normal": 0.5, "normal mixture": 1.0}
    rng = np.random.default_rng(0)
    for axis, (name, draw) in zip(axes, DISTRIBUTIONS.items(), strict=True):
        bins = np.linspace(-6.0, 7.0, 80)
        options = {"bins": bins, "density": True, "histtype": "stepfilled"}
        axis.hist(draw(rng, (2000, 20), 0.0).ravel(), alpha=0.6, label="B", **options)
        if name in better:
            scores = draw(rng, (2000, 20), better[name]).ravel()
            axis.hist(scores, alpha=0.4, label="better A", **options)
        axis.set_title(name, fontsize=9)
        axis.tick_params(labelsize=7)
    axes[0].set_ylabel("density", fontsize=8)
    axes[1].legend(fontsize=7)
