"""What p-values of responses are of: models, metrics, and items with responses."""

from typing import Any

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


def count_bins(xp: Any, x: Any, n_bins: int) -> Any:
    """Return the counts of a histogram on [0, 1], sorted."""
    place = xp.astype(xp.where(x == 1.0, n_bins - 1.0, xp.floor(x * n_bins)), xp.int16)
    bins = xp.astype(xp.arange(n_bins), xp.int16)
    # A few bins at a time: all take much memory, and one by one is a long program.
    step = max(1, n_bins // 5)
    counts = [
        xp.sum(place[..., None, :] == bins[first : first + step, None], axis=-1)
        for first in range(0, n_bins, step)
    ]
    return xp.sort(xp.astype(xp.concat(counts, axis=-1), x.dtype), axis=-1)


def distance_of_counts(n_bins: int) -> Any:
    """Return the Wasserstein distance of histogram counts taken as values."""

    def measure(xp: Any, gold: Any, system: Any) -> Any:
        distance = xp.abs(count_bins(xp, gold, n_bins) - count_bins(xp, system, n_bins))
        return xp.mean(distance, axis=-1)

    return measure


def mean_distance_of_counts(xp: Any, gold: Any, system: Any) -> Any:
    """Return the mean over items of the distance of the counts in five bins."""
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


def varies(row: dict[str, Any]) -> bool:
    """Whether a metric tells any systems apart.

    The sorted counts of a single response are the same for all.
    """
    return row["true_p"] < 1.0
