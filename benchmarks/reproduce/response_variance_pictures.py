"""Pictures of item and response variance: Wein et al. (2023), Figures 1 and 2."""

from typing import Any

import numpy as np

from benchmarks.reproduce.response_variance_designs import (
    METRICS,
    MODELS,
    STRATEGIES,
    varies,
)


def draw_figure(
    figure: Any, rows: list[dict[str, Any]], samples: dict[str, Any]
) -> None:
    """Draw the items of the models, and p-values by strategy and perturbation."""
    axes = figure.subplots(len(MODELS), 1 + len(STRATEGIES), squeeze=False)
    for row, model in zip(axes, MODELS, strict=True):
        gold = np.asarray(samples[model])
        row[0].hist(gold.mean(axis=-1), bins=50, alpha=0.6, label="means")
        row[0].hist(gold.std(axis=-1), bins=50, alpha=0.6, label="deviations")
        row[0].set_title(f"items of the {model} model", fontsize=8)
        row[0].legend(fontsize=7)
        for axis, strategy in zip(row[1:], STRATEGIES, strict=True):
            chosen = [
                x
                for x in rows
                if (x["model"], x["items"], x["responses"]) == (model, *strategy)
                and not x["null"]
                and varies(x)
            ]
            draw_p_values(axis, chosen)
            axis.set_title(f"{model}: {', '.join(strategy)}", fontsize=8)
            axis.set_xlabel("perturbation of B", fontsize=8)
        row[1].set_ylabel("p: true (lines), estimated (dots)", fontsize=8)
        for axis in row:
            axis.tick_params(labelsize=7)
    handles, labels = axes[0, 1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=9, fontsize=8)


def draw_p_values(axis: Any, rows: list[dict[str, Any]]) -> None:
    """Draw true p-values as lines, and medians of estimated ones as dots."""
    for number, name in enumerate(METRICS):
        chosen = [x for x in rows if x["metric"] == name]
        points = [x for x in chosen if x["estimated_p"] != ""]
        color = f"C{number}"
        axis.plot(
            [x["perturbation"] for x in chosen],
            [x["true_p"] for x in chosen],
            "--" if name.endswith("_vectorized") else "-",
            color=color,
            label=name,
            linewidth=1,
        )
        axis.plot(
            [x["perturbation"] for x in points],
            [x["estimated_p"] for x in points],
            "o",
            color=color,
            markersize=3,
        )
    axis.set_ylim(-0.02, 0.7)
