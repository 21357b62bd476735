"""Made-up scores of runs and of items, for measuring tests under their null."""

import math
from collections.abc import Callable

import numpy as np

from benchmarks.reproduce.families import (
    draw_failing,
    draw_five_values,
    draw_normal,
    draw_ties,
)


def draw_lognormal(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
    """Draw runs with a long tail, log-deviation 1."""
    return rng.lognormal(0.0, 1.0, shape)


DRAWS: dict[str, Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]] = {
    "normal": draw_normal,
    "lognormal": draw_lognormal,
    "one run in ten fails": draw_failing,
    "ties": draw_ties,
    "nine of ten the same": draw_five_values,
}
MEANS = {
    "normal": 0.0,
    "lognormal": math.exp(0.5),
    "one run in ten fails": -1.0,
    "ties": 0.0,
    "nine of ten the same": 0.25,
}
# About their mean.
SYMMETRIC = ("normal", "ties")
OF_ITEMS = ("0 or 1", "0 to 4", "normal", "lognormal")


def draw_of_models(
    rng: np.random.Generator, scores: str, shape: tuple[int, ...]
) -> np.ndarray:
    """Return scores (..., models, items) of items that are as hard for all models."""
    hard = rng.random((*shape[:-2], 1, shape[-1]))
    return _draw_scores(rng, scores, np.broadcast_to(hard, shape))


def draw_items(scores: str, n: int, n_sets: int, unit: str) -> list[np.ndarray]:
    """Return scores (sets, n) of two models that are the same, of items or clusters.

    Those of a cluster are the sum of its 1 to 15 items, which have the hardness of the
    cluster and one chance of each model in it, in units of a cluster of mean size.
    """
    is_of_clusters = unit == "clusters"
    rng = np.random.default_rng((6, n, OF_ITEMS.index(scores), is_of_clusters))
    if not is_of_clusters:
        found = draw_of_models(rng, scores, (n_sets, 2, n))
        return [found[:, 0], found[:, 1]]
    hard = rng.random((n_sets, n))
    sizes = rng.integers(1, 16, (n_sets, n))
    is_there = np.arange(15) < sizes[..., None]
    sums = []
    for _ in range(2):
        chance = 0.5 * hard + 0.5 * rng.random((n_sets, n))
        chance = np.broadcast_to(chance[..., None], is_there.shape)
        items = np.where(is_there, _draw_scores(rng, scores, chance), 0.0)
        sums.append(items.sum(axis=-1) / sizes.mean(axis=-1, keepdims=True))
    return sums


def _draw_scores(
    rng: np.random.Generator, scores: str, chance: np.ndarray
) -> np.ndarray:
    if scores == "0 or 1":
        return (rng.random(chance.shape) < chance).astype(float)
    if scores == "0 to 4":
        return rng.binomial(4, chance).astype(float)
    noise = rng.normal(size=chance.shape)
    return 3.0 * chance + (np.exp(noise) if scores == "lognormal" else noise)
