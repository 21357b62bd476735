"""Draw every picture of `sigarray.plot`: `python docs/gallery.py`.

The files in docs/gallery are those of one machine, byte for byte: all seeds are fixed,
and no file says when it was made, or by which version. To add a picture, draw it here,
and say in docs/gallery/pictures.toml which function and which line of code make it.
"""

import argparse
import csv
import importlib.resources
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aso_in_pictures
import matplotlib as mpl
import numpy as np
from PIL import Image

from sigarray import (
    aso,
    aso_replicates,
    bootstrap_ci,
    compare_models,
    multi_aso,
    performance_profile,
    permutation_replicates,
    permutation_test,
    plot,
    read,
    required_sample_size,
    responses,
)

FOLDER = Path(__file__).parent / "gallery"
# Letters stay letters, and ids in SVG are the same each time.
SETTINGS = {"pdf.fonttype": 42, "svg.fonttype": "none", "svg.hashsalt": "sigarray"}
# What would differ from one day, or one version, to the next.
METADATA: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "svg": {"Date": None, "Creator": None},
}


def draw() -> Iterator[tuple[str, Any]]:
    """Draw them, one after another: (name, axes)."""
    digits = read_digits()
    yield from draw_as_commands(digits)
    yield "scores", plot.scores(digits)
    yield "leaderboard", plot.leaderboard(make_tasks(6))
    yield "critical_differences", draw_critical_differences()
    yield "contingency", draw_contingency()
    yield "learning_curves", draw_learning_curves()
    yield "profiles", draw_profiles()
    a, b = digits["wide_network"], digits["forest"]
    names = ("wide_network", "forest")
    yield "dominance", plot.dominance(a, b, names=names, rng=0)
    (one,) = plot.dominance(a, b, names=names, rng=0, panel="quantile")
    yield "dominance_in_one_panel", one
    a, b = digits["linear"], digits["network"]
    names = ("linear", "network")
    yield "dominance_without_verdict", plot.dominance(a, b, names=names, rng=0)
    result = multi_aso(digits, rng=0)
    yield "pairwise", plot.pairwise(result, digits)
    yield "ranking", plot.ranking(result, digits)
    many = make_models(40)
    yield "pairwise_of_many", plot.pairwise(multi_aso(many, rng=0), many)
    several = make_models(20)
    yield "ranking_of_many", plot.ranking(multi_aso(several, rng=0), several)
    yield "differences", draw_differences()
    yield from draw_replicates(digits["linear"], digits["network"])
    yield "power", draw_power(digits)
    yield "study", draw_study()
    yield "looks", plot.looks(n_sets=4000, rng=0)
    yield from aso_in_pictures.draw(digits)


def read_digits() -> dict[str, np.ndarray]:
    """Read the scores of the example, by model."""
    path = importlib.resources.files("sigarray") / "data" / "digits.csv"
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    return {
        name: np.asarray([float(row[name]) for row in rows if row[name]])
        for name in rows[0]
    }


def make_models(n: int) -> dict[str, np.ndarray]:
    """Make up models, each a little better than the one before."""
    rng = np.random.default_rng(n)
    levels = np.linspace(4.0, 0.0, n)
    return {f"model {k + 1}": x + rng.normal(size=10) for k, x in enumerate(levels)}


def make_tasks(n_models: int) -> dict[str, dict[str, np.ndarray]]:
    """Make up scores of 8 runs on tasks of different scales."""
    rng = np.random.default_rng(0)
    scales = {"reading": 1.0, "algebra": 100.0, "translation": 40.0, "code": 1.0}
    return {
        task: {
            f"model {k + 1}": scale * (0.8 - 0.03 * k + 0.03 * rng.normal(size=8))
            for k in range(n_models)
        }
        for task, scale in scales.items()
    }


def draw_as_commands(digits: dict[str, np.ndarray]) -> Iterator[tuple[str, Any]]:
    """Draw what a command draws of the example, and of three agents on eight games."""
    compared = compare_models(digits, unit="run")
    yield "compare", compared.draw()[0].axes[0]
    compared = compare_models(read.scores(FOLDER.parent / "examples" / "games.csv"))
    yield "differences_on_tasks", compared.draw()[0].axes[0]


def draw_critical_differences() -> Any:
    """Draw made-up mean ranks of 12 models; those within 2 of each other are joined."""
    rng = np.random.default_rng(1)
    ranks = {f"model {k + 1}": k + rng.uniform(0.6, 1.4) for k in range(12)}
    groups = [
        [name for name, rank in ranks.items() if first <= rank <= first + 2.0]
        for first in ranks.values()
    ]
    largest = [x for x in groups if not any(set(x) < set(y) for y in groups)]
    return plot.critical_differences(ranks, largest)


def draw_contingency() -> Any:
    """Draw made-up right and wrong answers of two models to 400 items."""
    rng = np.random.default_rng(0)
    difficulty = rng.normal(size=400)
    a, b = (
        (difficulty + 0.5 * rng.normal(size=400) < level).astype(float)
        for level in (0.8, 0.6)
    )
    return plot.contingency(a, b, names=("tuned", "baseline"))


def draw_learning_curves() -> Any:
    """Draw made-up runs of three models."""
    rng = np.random.default_rng(0)
    curve = 1.0 - np.exp(-np.arange(40) / 10.0)
    noise = 0.005 * rng.normal(size=(3, 5, 40)).cumsum(axis=-1)
    runs = np.asarray([0.9, 0.84, 0.8])[:, None, None] * curve + noise
    names = ("large", "medium", "small")
    return plot.learning_curves(runs, 100 * np.arange(40), names=names)


def draw_profiles() -> Any:
    """Draw made-up runs of three models, five on each of 26 games."""
    rng = np.random.default_rng(0)
    level = np.geomspace(0.1, 3.0, 26)
    gains = np.asarray([0.5, 0.1, 0.0])[:, None, None]
    scores = level * np.exp(rng.normal(gains, 0.4, (3, 5, 26)))
    tau = np.linspace(0.0, 4.0, 81)
    result = performance_profile(scores, tau, axis=1, strata=2, rng=0)
    return plot.profiles(result, tau, names=("agent57", "rainbow", "dqn"))


def draw_differences() -> Any:
    """Draw made-up accuracies of two models on eight tasks of 500 items."""
    rng = np.random.default_rng(0)
    tasks = [f"task {k + 1}" for k in range(8)]
    levels = rng.uniform(0.6, 0.8, len(tasks))[:, None]
    leads = rng.normal(0.05, 0.05, len(tasks))[:, None]
    a, b = (
        (rng.uniform(size=(len(tasks), 500)) < level).astype(float)
        for level in (levels + leads, levels)
    )
    options: dict[str, Any] = {"n_resamples": 999, "rng": 0}
    return plot.differences(
        bootstrap_ci(a, b, **options),
        labels=tasks,
        overall=bootstrap_ci(a.ravel(), b.ravel(), **options),
        names=("tuned", "baseline"),
    )


def draw_replicates(a: np.ndarray, b: np.ndarray) -> Iterator[tuple[str, Any]]:
    """Draw what three tests resample."""
    drawn = permutation_replicates(a, b, start=0, count=9999, rng=0)
    found = permutation_test(a, b, n_resamples=9999, rng=0)
    yield "replicates_of_permutation", plot.replicates(drawn, found)
    drawn = aso_replicates(a, b, start=0, count=1000, rng=0)
    yield "replicates_of_aso", plot.replicates(drawn, aso(a, b, rng=0))


def draw_power(digits: dict[str, np.ndarray]) -> Any:
    """Draw in how many runs three tests see that one model is better."""
    sizes = (3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 25, 30, 40, 50)
    a, b = digits["wide_network"], digits["forest"]
    return plot.power(
        sizes,
        {
            test: required_sample_size(
                a, b, sizes=sizes, test=test, n_resamples=500, rng=0
            )
            for test in ("welch", "mann_whitney", "aso")
        },
    )


def draw_study() -> Any:
    """Draw how good p-values of four metrics are."""
    options: dict[str, Any] = {
        "metrics": ["mae", "mse", "cosine", "wins_mae"],
        "items": ["all", "bootstrap"],
        "responses": ["all", "bootstrap", "one", "first"],
        "perturbations": [0.0, 0.1, 0.2, 0.3],
    }
    found = responses.study(**options, n_items=100, n_sets=500, n_resamples=500, rng=0)
    return plot.study(found, **options)


def main() -> None:
    """Write them all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=FOLDER, help="where to")
    parser.add_argument("--format", choices=METADATA, default="png")
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    kind = options.format
    for name, axes in draw():
        figure = np.ravel(axes)[0].figure
        path = options.output / f"{name}.{kind}"
        with mpl.rc_context(SETTINGS):
            figure.savefig(path, dpi=200, metadata=METADATA[kind])
        if kind == "png":
            reduce(path)


def reduce(path: Path) -> None:
    """Keep 64 colours, which are more than these pictures need."""
    with Image.open(path) as image:
        reduced = image.convert("RGB").quantize(64)
    reduced.save(path, optimize=True)


if __name__ == "__main__":
    main()
