"""Item and response variance: Wein et al. (2023), Tables 1 to 14, Figures 1 and 2."""

import csv
import math
from typing import Any

import numpy as np
import scipy.stats

from benchmarks.reproduce.experiment import Cell, Experiment, Settings
from sigarray import responses
from sigarray.responses import metrics

PERTURBATIONS = (0.0, 0.05, 0.1, 0.3, 0.7)
MODELS = ("normal", "likert")
# Items, responses of them; "bootstrap" is what the paper calls sample(5).
STRATEGIES = {
    ("all_items", "sample(1)"): ("all", "one"),
    ("all_items", "sample(5)"): ("all", "bootstrap"),
    ("bootstrap_items", "all"): ("bootstrap", "all"),
    ("bootstrap_items", "first_element"): ("bootstrap", "first"),
    ("bootstrap_items", "sample(1)"): ("bootstrap", "one"),
    ("bootstrap_items", "sample(5)"): ("bootstrap", "bootstrap"),
}
PUBLISHED_SETS = 1000
POOL_REASON = (
    "under the null hypothesis the pool of an item is shared out at random between the "
    "systems for all and first responses; in the paper both systems have all of it"
)


def count_bins(xp: Any, x: Any, n_bins: int) -> Any:
    """Give the counts of a histogram on [0, 1], sorted."""
    place = xp.where(x == 1.0, n_bins - 1.0, xp.floor(x * n_bins))
    counts = [
        xp.sum(xp.astype(place == bin_, x.dtype), axis=-1) for bin_ in range(n_bins)
    ]
    return xp.sort(xp.stack(counts, axis=-1), axis=-1)


def distance_of_counts(n_bins: int) -> Any:
    """Give the Wasserstein distance of histogram counts taken as values."""

    def measure(xp: Any, gold: Any, system: Any) -> Any:
        distance = xp.abs(count_bins(xp, gold, n_bins) - count_bins(xp, system, n_bins))
        return xp.mean(distance, axis=-1)

    return measure


def mean_distance_of_counts(xp: Any, gold: Any, system: Any) -> Any:
    """Give the mean over items of the distance of the counts in five bins."""
    return xp.mean(distance_of_counts(5)(xp, gold, system), axis=-1)


_COUNTS = distance_of_counts(50)
METRICS = {
    "mae": metrics.mae,
    "mse": metrics.mse,
    "cosine": metrics.cosine.aggregated_by(None),
    "spearman": metrics.spearman,
    "wins_mae": metrics.wins("mae"),
    "wins_mae_vectorized": metrics.wins("mae", aggregate=None),
    "emd_aggregated": metrics.Metric("emd_aggregated", _COUNTS, takes="samples"),
    "emd_aggregated_vectorized": metrics.Metric(
        "emd_aggregated_vectorized", _COUNTS, aggregate=None, takes="samples"
    ),
    "mean_of_emds": metrics.Metric(
        "mean_of_emds", mean_distance_of_counts, aggregate=None, takes="items"
    ),
}


def run(settings: Settings) -> Experiment:
    """Compute true and estimated p-values of all metrics and strategies."""
    rows: list[dict[str, Any]] = []
    samples = {}
    for model in MODELS:
        rows += find_p_values(settings, model)
        samples[model] = responses.simulate(
            20_000, 5, model=model, xp=settings.namespace, rng=1
        ).gold
    return Experiment(
        "response_variance",
        "Item and response variance (Wein et al. 2023)",
        rows,
        compare(settings, rows),
        describe(rows),
        lambda figure: draw_figure(figure, rows, samples),
        (12.0, 8.0),
    )


def find_p_values(settings: Settings, model: str) -> list[dict[str, Any]]:
    """Give the true p-values, and the mean and spread of estimated ones."""
    rows = []
    xp = settings.namespace
    n_sets = settings.choose(100, PUBLISHED_SETS)
    n_tests, n_resamples = settings.choose(2, 4), settings.choose(50, 200)
    sizes = PERTURBATIONS[:3] if settings.is_quick else PERTURBATIONS
    # All metrics on the same test sets, of all responses and of one.
    true_p = responses.study(
        metrics=METRICS.values(),
        items="all",
        responses=("all", "one"),
        perturbations=sizes,
        model=model,
        n_sets=n_sets,
        n_resamples=1,
        xp=xp,
        rng=1,
    ).true_p
    for i, size in enumerate(sizes):
        sets = responses.simulate(
            n_sets=n_tests, perturbation_b=size, model=model, xp=xp, rng=2
        )
        for (items, answers), (by_items, by_responses) in STRATEGIES.items():
            is_one = int(by_responses in ("one", "first"))
            for j, (name, metric) in enumerate(METRICS.items()):
                row = {
                    "model": model,
                    "perturbation": size,
                    "items": items,
                    "responses": answers,
                    "metric": name,
                    "true_p": float(true_p[i, j, 0, is_one]),
                    "n_sets": n_sets,
                }
                if settings.is_quick and name not in ("mae", "wins_mae", "spearman"):
                    rows.append(row | {"estimated_p": "", "spread": ""})
                    continue
                p = responses.response_test(
                    *sets,
                    metric=metric,
                    items=by_items,
                    responses=by_responses,
                    n_resamples=n_resamples,
                    rng=3,
                ).pvalue
                z = to_normal(np.asarray(p))
                rows.append(
                    row
                    | {
                        "estimated_p": float(scipy.stats.norm.cdf(np.mean(z))),
                        "spread": float(np.std(z, ddof=1)),
                    }
                )
    return rows


def to_normal(p: np.ndarray) -> np.ndarray:
    """Give normal quantiles, of p-values that are not nearer to 0 or 1 than 10^-6."""
    return scipy.stats.norm.ppf(np.clip(p, 1e-6, 1.0 - 1e-6))


def true_error(p: float, n_sets: int, other_sets: int) -> float:
    """Standard error of the difference of two true p-values of normal differences.

    By Hoeffding's decomposition that of one is (2 v / n_sets)^1/2, with the variance v
    over d1 of P(d0 >= d1): P(d0 >= d1 and d0' >= d1) - p^2.
    """
    z = float(to_normal(np.asarray(p)))
    both = scipy.stats.multivariate_normal.cdf([z, z], cov=[[1.0, 0.5], [0.5, 1.0]])
    variance = max(float(both) - p * p, 0.0)
    return math.sqrt(2.0 * variance * (1.0 / n_sets + 1.0 / other_sets)) + 2e-6


def compare(settings: Settings, rows: list[dict[str, Any]]) -> list[Cell]:
    """Put the published p-values beside ours."""
    path = settings.reference / "response_p_values.csv"
    if not path.exists():
        return []
    found = {
        (x["perturbation"], x["items"], x["responses"], x["metric"]): x
        for x in rows
        if x["model"] == "normal"
    }
    cells = []
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = (
                float(row["perturbation"]),
                row["items"],
                row["responses"],
                row["metric"],
            )
            ours = found[key]
            label = f"{key[3]} at {key[0]:g}, {key[1]}, {key[2]}"
            p = ours["true_p"]
            error = true_error(p, ours["n_sets"], PUBLISHED_SETS)
            cells.append(Cell(f"true p of {label}", float(row["true_p"]), p, error))
            if ours["estimated_p"] == "":
                continue
            # One draw beside the mean of several, as normal quantiles.
            z, mean = (
                float(to_normal(np.asarray(x)))
                for x in (float(row["estimated_p"]), ours["estimated_p"])
            )
            spread = math.hypot(ours["spread"], 0.1) * 1.1
            reason = POOL_REASON if key[2] in ("all", "first_element") else ""
            cells.append(
                Cell(f"quantile of estimated p of {label}", z, mean, spread, reason)
            )
    return cells


def describe(rows: list[dict[str, Any]]) -> list[str]:
    """Say which way to resample comes nearest to the true p-values."""
    findings = []
    for model in MODELS:
        distances = {
            strategy: np.mean(
                [
                    abs(x["estimated_p"] - x["true_p"])
                    for x in rows
                    if (x["model"], x["items"], x["responses"]) == (model, *strategy)
                    and x["estimated_p"] != ""
                ]
            )
            for strategy in STRATEGIES
        }
        ranked = sorted(distances, key=lambda x: distances[x])
        shown = ", ".join(
            f"{items} with {answers} {distances[items, answers]:.3f}"
            for items, answers in ranked
        )
        findings.append(
            f"Mean distance of the median estimated p from the true one, {model} "
            f"model: {shown}."
        )
    return findings


def draw_figure(
    figure: Any, rows: list[dict[str, Any]], samples: dict[str, Any]
) -> None:
    """Draw p-values against the perturbation, and the items of the models."""
    axes = figure.subplots(2, 3)
    for row, model in zip(axes, MODELS, strict=True):
        gold = np.asarray(samples[model])
        row[0].hist(gold.mean(axis=-1), bins=50, alpha=0.6, label="item means")
        row[0].hist(gold.std(axis=-1), bins=50, alpha=0.6, label="item deviations")
        row[0].set_title(f"{model} model", fontsize=9)
        row[0].legend(fontsize=7)
        for axis, strategy in zip(
            row[1:],
            (("bootstrap_items", "all"), ("bootstrap_items", "sample(1)")),
            strict=True,
        ):
            for number, name in enumerate(METRICS):
                chosen = [
                    x
                    for x in rows
                    if (x["model"], x["items"], x["responses"], x["metric"])
                    == (model, *strategy, name)
                ]
                places = [x["perturbation"] for x in chosen]
                axis.plot(
                    places,
                    [x["true_p"] for x in chosen],
                    color=f"C{number}",
                    label=name,
                    linewidth=1,
                )
                points = [x for x in chosen if x["estimated_p"] != ""]
                axis.plot(
                    [x["perturbation"] for x in points],
                    [x["estimated_p"] for x in points],
                    "o",
                    color=f"C{number}",
                    markersize=4,
                )
            axis.set_title(
                f"{model}, {' '.join(strategy)}: true (lines), estimated (dots)",
                fontsize=8,
            )
            axis.set_xlabel("perturbation of B", fontsize=8)
        row[1].legend(fontsize=6)
