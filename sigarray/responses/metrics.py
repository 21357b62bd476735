"""How near the responses of a system are to gold, and which system is nearer.

A metric takes gold and system responses of shape (..., n_items, k), where k may differ
and NaN is a missing response, and returns an array of shape (...). It also says whether
lower or higher is better. `wins` compares two systems item by item.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sigarray._backend.callers import Array
from sigarray._backend.checks import (
    check_call,
    choice,
    choice_or_callable,
    count,
    describe,
    number,
)
from sigarray._backend.library import Library
from sigarray._backend.public import checked
from sigarray.responses import _measures as measures
from sigarray.responses._measurement import (
    AGGREGATE_RULE,
    Measure,
    Measurement,
    Metric,
    Wins,
    suffix_of,
)
from sigarray.responses._measures import Aggregate

__all__ = [
    "METRICS",
    "SCORES",
    "Measurement",
    "Metric",
    "Wins",
    "accuracy",
    "binary",
    "cosine",
    "emd",
    "emd_all",
    "f1",
    "histogram_kl",
    "kl_divergence",
    "mae",
    "max_error",
    "mean_of_emds",
    "mse",
    "precision",
    "recall",
    "rmse",
    "roc_auc",
    "spearman",
    "wins",
    "wins_emd",
    "wins_mae",
    "wins_mae_all",
]

ItemError = Literal["mae", "emd"]
Score = Literal["accuracy", "precision", "recall", "f1", "roc_auc"]


@checked(error=choice_or_callable(*get_args(ItemError)), aggregate=AGGREGATE_RULE)
def wins(
    error: Callable[[Array, Array], Array] | ItemError = "mae",
    *,
    aggregate: Aggregate | None = "mean",
) -> Wins:
    """Compare two systems by the items in which they are nearer to gold.

    Parameters
    ----------
    error : {"mae", "emd"} or callable, default: "mae"
        The error of an item: "mae", the absolute difference of the aggregates (squares
        have the same winners); "emd", the distance between the distributions of its
        responses. A callable f(gold, system) returns the errors (..., n_items) of
        responses of shape (..., n_items, k) with NaN for missing ones.
    aggregate : {"mean", "median"} or None, default: "mean"
        Only for "mae": how the responses of an item become one number. None compares
        the j-th response of each system with the j-th of gold, all in turn.

    Returns
    -------
    Wins
        A comparison for `response_test`; `wins(...)(gold, a, b)` returns the shares of
        items that A and B win.

    Raises
    ------
    ValueError
        An error or an aggregate that is unknown.

    Examples
    --------
    >>> from sigarray.responses import metrics
    >>> share_a, share_b = metrics.wins("mae")([1.0, 2.0, 3.0], [1, 2, 5], [0, 4, 5])
    >>> round(float(share_a), 3), round(float(share_b), 3)
    (0.667, 0.0)
    """
    if callable(error):
        name = f"wins_{getattr(error, '__name__', 'callable')}"
        measure = _OfResponses(error)
        return Wins(name, measure, aggregate=None, takes="items")
    if error == "emd":
        emd = measures.earth_movers_distance
        return Wins("wins_emd", emd, aggregate=None, takes="items", ignores_level=True)
    name = f"wins_mae{suffix_of(aggregate)}"
    return Wins(name, _absolute_error, aggregate=aggregate, ignores_level=True)


@checked(
    low=number,
    high=number,
    n_bins=count(2**20),
    pseudocount=number,
    aggregate=AGGREGATE_RULE,
)
def histogram_kl(
    *,
    low: float = 0.0,
    high: float = 1.0,
    n_bins: int = 10,
    pseudocount: float = 1.0,
    aggregate: Aggregate | None = "mean",
) -> Metric:
    """Kullback-Leibler divergence of the system's histogram from that of gold.

    Parameters
    ----------
    low, high : float, default: 0 and 1
        The ends of the histograms; responses beyond count in the outer bins.
    n_bins : int, default: 10
        Bins of equal width.
    pseudocount : float, default: 1
        Added to all counts, so that an empty bin of the system does not make the
        divergence infinite, as it does with 0.
    aggregate : {"mean", "median"} or None, default: "mean"
        How the responses of an item become one number; None takes all.

    Returns
    -------
    Metric
        Called as `metric(gold, system)`, or passed to `response_test`.

    Raises
    ------
    ValueError
        An empty range, no bins, or a negative pseudocount.

    Examples
    --------
    >>> from sigarray.responses import metrics
    >>> divergence = metrics.histogram_kl(n_bins=2, pseudocount=0.0)
    >>> round(float(divergence([0.1, 0.2, 0.8], [0.3, 0.7, 0.9])), 3)
    0.231
    """
    if not low < high:
        msg = f"Expected low < high; got {low} and {high}."
        raise ValueError(msg)
    if pseudocount < 0.0:
        msg = f"Expected pseudocount to be 0 or more; got {pseudocount}."
        raise ValueError(msg)
    return Metric(
        f"kl_divergence{suffix_of(aggregate)}",
        _Divergence(low, high, n_bins, pseudocount),
        aggregate=aggregate,
        takes="samples",
    )


@checked(
    score=choice(*get_args(Score)),
    gold_threshold=number,
    system_threshold=number,
    aggregate=AGGREGATE_RULE,
)
def binary(
    score: Score,
    *,
    gold_threshold: float = 0.5,
    system_threshold: float = 0.5,
    aggregate: Aggregate | None = "mean",
) -> Metric:
    """Score of a classifier: items are positive at or above a threshold.

    Parameters
    ----------
    score : {"accuracy", "precision", "recall", "f1", "roc_auc"}
        If nothing is positive, precision, recall and F1 are 0; the area under the ROC
        curve, for which the system needs no threshold, is NaN for only one class.
    gold_threshold, system_threshold : float, default: 0.5
        From here on the aggregate of an item counts as positive.
    aggregate : {"mean", "median"} or None, default: "mean"
        How the responses of an item become one number; None takes them by pairs.

    Returns
    -------
    Metric
        Called as `metric(gold, system)`, or passed to `response_test`.

    Raises
    ------
    ValueError
        A score that is unknown.

    Examples
    --------
    Four items with one response each, of which the second is missed:

    >>> from sigarray.responses import metrics
    >>> recall = metrics.binary("recall", gold_threshold=0.5, system_threshold=0.6)
    >>> float(recall([1, 1, 0, 0], [0.9, 0.55, 0.2, 0.1]))
    0.5
    """
    return Metric(
        score + suffix_of(aggregate),
        _Classifier(score, gold_threshold, system_threshold),
        higher_is_better=True,
        aggregate=aggregate,
    )


def choose_metric(metric: Any) -> Metric | Wins:
    if isinstance(metric, Metric | Wins):
        return metric
    if isinstance(metric, str):
        choice(*METRICS)("metric", metric)
        return METRICS[metric]
    if not callable(metric):
        msg = (
            f"Expected metric to be a name, a Metric, or a callable (gold, system) -> "
            f"array; got {describe(metric)}."
        )
        raise TypeError(msg)
    check_call("metric", metric, "gold, system")
    name = getattr(metric, "__name__", "metric")
    return Metric(
        name,
        _OfResponses(metric),
        higher_is_better=True,
        aggregate=None,
        takes="items",
    )


# Measures are equal if their options are, so that JAX compiles them once: closures and
# partials are never equal.
@dataclass(frozen=True)
class _Divergence:
    low: float
    high: float
    n_bins: int
    pseudocount: float

    def __call__(self, xp: Library, gold: Array, system: Array) -> Array:
        return measures.kl_divergence(xp, gold, system, **vars(self))


@dataclass(frozen=True)
class _Classifier:
    score: Score
    gold_threshold: float
    system_threshold: float

    def __call__(self, xp: Library, gold: Array, system: Array) -> Array:
        labels = measures.label(xp, gold, self.gold_threshold)
        if self.score != "roc_auc":
            system = measures.label(xp, system, self.system_threshold)
        return SCORES[self.score](xp, labels, system)


@dataclass(frozen=True)
class _OfResponses:
    """A measure from a function that takes no namespace."""

    function: Callable[[Array, Array], Array]

    def __call__(self, _: Library, gold: Array, system: Array) -> Array:
        return self.function(gold, system)


def _absolute_error(xp: Library, gold: Array, system: Array) -> Array:
    return xp.abs(gold - system)


SCORES: dict[Score, Measure] = {
    "accuracy": measures.accuracy,
    "precision": measures.precision,
    "recall": measures.recall,
    "f1": measures.f1_score,
    "roc_auc": measures.roc_auc,
}

mae = Metric("mae", measures.mean_absolute_error, ignores_level=True)
mse = Metric("mse", measures.mean_squared_error, ignores_level=True)
rmse = Metric("rmse", measures.root_mean_squared_error, ignores_level=True)
max_error = Metric("max_error", measures.max_absolute_error, ignores_level=True)
cosine = Metric("cosine", measures.cosine_distance)
spearman = Metric(
    "spearman", measures.spearman_correlation, higher_is_better=True, ignores_level=True
)
emd = Metric("emd", measures.earth_movers_distance, takes="samples", ignores_level=True)
emd_all = emd.aggregated_by(None)
mean_of_emds = Metric(
    "mean_of_emds",
    measures.mean_earth_movers_distance,
    aggregate=None,
    takes="items",
    ignores_level=True,
)
kl_divergence = histogram_kl()
accuracy = binary("accuracy")
precision = binary("precision")
recall = binary("recall")
f1 = binary("f1")
roc_auc = binary("roc_auc")
wins_mae = wins("mae")
wins_mae_all = wins("mae", aggregate=None)
wins_emd = wins("emd")

# The metrics by the names that options take.
METRICS: dict[str, Metric | Wins] = {
    metric.name: metric
    for metric in (
        wins_mae,
        wins_mae_all,
        wins_emd,
        mae,
        mse,
        rmse,
        max_error,
        cosine,
        spearman,
        emd,
        emd_all,
        mean_of_emds,
        kl_divergence,
        accuracy,
        precision,
        recall,
        f1,
        roc_auc,
    )
}
