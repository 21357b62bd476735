"""How near the responses of a system are to gold, and which system is nearer.

A metric takes gold and system responses of shape (..., n_items, k), where k may differ
and NaN is a missing response, and gives an array of shape (...). Whether lower or
higher is better is part of it. `wins` compares two systems item by item.
"""

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np

from sigarray._backend.aliases import Array, Namespace
from sigarray._backend.checks import (
    check_choice,
    checked,
    choice,
    choice_or_callable,
    count,
    describe,
    flag,
    function,
    number,
)
from sigarray._backend.libraries import array_kernel, as_scalars
from sigarray._numeric.statistic import check_result
from sigarray.responses import _measures as measures
from sigarray.responses._items import (
    AGGREGATES,
    Aggregate,
    average,
    standardize_responses,
)

_AGGREGATE = choice(*AGGREGATES, None)

# (namespace, gold, system) -> array.
Measure = Callable[[Namespace, Array, Array], Array]


@dataclass(frozen=True)
class Measurement:
    """What is compared of the responses of an item, and how.

    Attributes
    ----------
    name : str
        What tables and messages call it.
    measure : callable
        (xp, gold, system) -> array, in array-API code.
    higher_is_better : bool
        False for errors and distances.
    aggregate : {"mean", "median"} or None
        How the responses of an item become one number. None keeps them.
    takes : {"pairs", "samples", "items"}
        What the measure takes, batch axes aside. "pairs": two vectors of one length, of
        the aggregates of the items; or without an aggregate of all responses, the j-th
        of gold beside the j-th of the system, where a missing one makes the metric NaN.
        "samples": the same for a measure to which order does not matter; lengths may
        differ, and NaN is a missing response. "items": responses as they are, of shape
        (n_items, k).
    ignores_level : bool
        Whether the same number added to all responses makes no difference. The level,
        beside which small differences would be lost, is taken away then.
    """

    name: str
    measure: Measure
    higher_is_better: bool = False
    aggregate: Aggregate | None = "mean"
    takes: Literal["pairs", "samples", "items"] = "pairs"
    ignores_level: bool = False

    def __post_init__(self) -> None:
        """Check the options."""
        _AGGREGATE("aggregate", self.aggregate)
        check_choice("takes", self.takes, ("pairs", "samples", "items"))
        flag("higher_is_better", self.higher_is_better)
        flag("ignores_level", self.ignores_level)
        function("measure", self.measure)

    def aggregated_by(self, aggregate: Aggregate | None) -> Self:
        """Give this metric of other aggregates of the responses, or of all of them."""
        stem = self.name.removesuffix(_suffix(self.aggregate))
        name = stem + _suffix(aggregate)
        return dataclasses.replace(self, name=name, aggregate=aggregate)

    def center(self, xp: Namespace, gold: Array, *systems: Array) -> list[Array]:
        """Take the smallest of gold away from all responses, where that is allowed."""
        if not self.ignores_level:
            return [gold, *systems]
        is_there = ~xp.isnan(gold)
        low = xp.min(xp.where(is_there, gold, math.inf), axis=(-2, -1), keepdims=True)
        low = xp.where(xp.any(is_there, axis=(-2, -1), keepdims=True), low, 0.0)
        return [x - low for x in (gold, *systems)]

    def summarize(self, xp: Namespace, x: Array) -> Array:
        """Give what is compared of responses (..., k): one number each, or all."""
        if self.aggregate is None:
            return x
        return average(xp, x, self.aggregate)[..., None]

    def apply_measure(self, xp: Namespace, gold: Array, system: Array) -> Array:
        """Apply the measure to what `summarize` gave, of shape (..., n_items, d)."""
        if self.takes == "items":
            return self.measure(xp, gold, system)
        if self.takes == "pairs" and gold.shape[-1] != system.shape[-1]:
            msg = (
                f"Expected as many responses to an item of gold as of the system for "
                f"{self.name}, which takes them by pairs; got {gold.shape[-1]} and "
                f"{system.shape[-1]}. Give the metric an aggregate, or take a distance "
                f"of distributions such as 'mean_of_emds'."
            )
            raise ValueError(msg)
        vectors = (
            xp.reshape(x, (*x.shape[:-2], x.shape[-2] * x.shape[-1]))
            for x in (gold, system)
        )
        return self.measure(xp, *vectors)


@dataclass(frozen=True)
class Metric(Measurement):
    """A metric of one system against gold, called as `metric(gold, system)`.

    The attributes are those of `Measurement`.

    Examples
    --------
    >>> from sigarray.responses import metrics
    >>> gold = [[0.0, 0.5, 1.0], [1.0, 1.0, float("nan")]]
    >>> float(metrics.mae(gold, [0.5, 0.75]))
    0.125

    One of your own, of the medians of the responses:

    >>> def bias(xp, gold, system):
    ...     return xp.abs(xp.mean(system - gold, axis=-1))
    >>> metric = metrics.Metric("bias", bias, aggregate="median")
    >>> float(metric(gold, [0.5, 0.75]))
    0.125
    """

    def __call__(self, gold: Array, system: Array) -> Array:
        """Give the metric.

        Parameters
        ----------
        gold, system : array, shape (..., n_items, k), real
            Responses; NaN is a missing one. A vector is one response to each item.

        Returns
        -------
        array, shape (...)
            The metric, on the device and of the float dtype of the responses; NaN for a
            batch entry with an infinite response, or an item without any.
        """
        xp, responses = standardize_responses(gold, system)
        result: Array = as_scalars(_apply(xp, *responses, comparison=self))
        return result

    def evaluate(self, xp: Namespace, gold: Array, system: Array) -> Array:
        """Give the metric of what `summarize` gave."""
        result = self.apply_measure(xp, gold, system)
        leading = np.broadcast_shapes(gold.shape[:-2], system.shape[:-2])
        check_result(xp, f"{self.name}(gold, system)", result, leading, gold, system)
        return xp.astype(result, gold.dtype, copy=False)

    def compare(
        self, xp: Namespace, gold: Array, a: Array, b: Array
    ) -> tuple[Array, Array]:
        """Give the metric of A and that of B, of what `summarize` gave."""
        return self.evaluate(xp, gold, a), self.evaluate(xp, gold, b)


@dataclass(frozen=True)
class Wins(Measurement):
    """The share of items in which a system is nearer to gold than the other one.

    The attributes are those of `Measurement`, with a measure that gives the errors, one
    for each item or response. Errors that are the same, up to rounding, are nobody's.
    """

    higher_is_better: bool = True

    def __call__(self, gold: Array, a: Array, b: Array) -> tuple[Array, Array]:
        """Give the shares that A and B win, as `Metric` gives a metric."""
        xp, responses = standardize_responses(gold, a, b)
        shares: tuple[Array, Array] = as_scalars(
            _apply(xp, *responses, comparison=self)
        )
        return shares

    def compare(
        self, xp: Namespace, gold: Array, a: Array, b: Array
    ) -> tuple[Array, Array]:
        """Give the shares that A and B win, of what `summarize` gave."""
        error_a, error_b = (self._find_errors(xp, gold, x) for x in (a, b))
        lead, total = error_b - error_a, error_a + error_b
        tie = xp.max(measures.find_tie(xp, gold)[..., 0], axis=-1, keepdims=True)
        tie = tie + measures.find_tie(xp, total)
        fault = measures.find_fault(xp, total)
        is_ahead = (lead > tie, lead < -tie)
        wins_a, wins_b = (
            xp.mean(xp.astype(x, total.dtype), axis=-1) + fault for x in is_ahead
        )
        return wins_a, wins_b

    def _find_errors(self, xp: Namespace, gold: Array, system: Array) -> Array:
        errors = self.apply_measure(xp, gold, system)
        leading = np.broadcast_shapes(gold.shape[:-2], system.shape[:-2])
        n_errors = gold.shape[-2]
        if self.takes != "items":
            n_errors *= gold.shape[-1]
        shape = (*leading, n_errors)
        check_result(xp, f"{self.name}(gold, system)", errors, shape, gold, system)
        return xp.astype(errors, gold.dtype, copy=False)


@array_kernel
def _apply(xp: Namespace, *responses: Array, comparison: Metric | Wins) -> Any:
    """Give the metric of a system, or the shares that two of them win."""
    centered = comparison.center(xp, *responses)
    summaries = [comparison.summarize(xp, x) for x in centered]
    if isinstance(comparison, Wins):
        return comparison.compare(xp, *summaries)
    return comparison.evaluate(xp, *summaries)


@checked(error=choice_or_callable("mae", "emd"), aggregate=_AGGREGATE)
def wins(
    error: Callable[[Array, Array], Array] | Literal["mae", "emd"] = "mae",
    *,
    aggregate: Aggregate | None = "mean",
) -> Wins:
    """Compare two systems by the items in which they are nearer to gold.

    Parameters
    ----------
    error : {"mae", "emd"} or callable, default: "mae"
        The error of an item: "mae", the absolute difference of the aggregates (squares
        have the same winners); "emd", the distance between the distributions of its
        responses. A callable f(gold, system) gives the errors, of shape (..., n_items),
        of responses of shape (..., n_items, k) with NaN for missing ones.
    aggregate : {"mean", "median"} or None, default: "mean"
        Of "mae" alone: how the responses of an item become one number. None compares
        the j-th response of each system with the j-th of gold, all in turn.

    Returns
    -------
    Wins
        A comparison for `response_test`; `wins(...)(gold, a, b)` gives the shares of
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
    name = f"wins_mae{_suffix(aggregate)}"
    return Wins(name, _absolute_error, aggregate=aggregate, ignores_level=True)


@checked(
    low=number,
    high=number,
    n_bins=count(2**20),
    pseudocount=number,
    aggregate=_AGGREGATE,
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
        Where the histograms begin and end; what is beyond counts in the outer bins.
    n_bins : int, default: 10
        Bins of equal width.
    pseudocount : float, default: 1
        Added to all counts, so that an empty bin of the system does not make the
        divergence infinite, as it does with 0.
    aggregate : {"mean", "median"} or None, default: "mean"
        How the responses of an item become one number; None takes all.

    Raises
    ------
    ValueError
        An empty range, no bins, or a negative pseudocount.
    """
    if not low < high:
        msg = f"Expected low < high; got {low} and {high}."
        raise ValueError(msg)
    if pseudocount < 0.0:
        msg = f"Expected pseudocount to be 0 or more; got {pseudocount}."
        raise ValueError(msg)
    return Metric(
        f"kl_divergence{_suffix(aggregate)}",
        _Divergence(low, high, n_bins, pseudocount),
        aggregate=aggregate,
        takes="samples",
    )


@checked(
    score=choice("accuracy", "precision", "recall", "f1", "roc_auc"),
    gold_threshold=number,
    system_threshold=number,
    aggregate=_AGGREGATE,
)
def binary(
    score: Literal["accuracy", "precision", "recall", "f1", "roc_auc"],
    *,
    gold_threshold: float = 0.5,
    system_threshold: float = 0.5,
    aggregate: Aggregate | None = "mean",
) -> Metric:
    """Score of a classifier: items are positive at or above a threshold.

    Parameters
    ----------
    score : {"accuracy", "precision", "recall", "f1", "roc_auc"}
        Where nothing is positive, precision, recall and F1 are 0; the area under the
        ROC curve, for which the system needs no threshold, is NaN for one class alone.
    gold_threshold, system_threshold : float, default: 0.5
        Where the aggregate of an item counts as positive.
    aggregate : {"mean", "median"} or None, default: "mean"
        How the responses of an item become one number; None takes them by pairs.

    Raises
    ------
    ValueError
        A score that is unknown.
    """
    return Metric(
        score + _suffix(aggregate),
        _Classifier(score, gold_threshold, system_threshold),
        higher_is_better=True,
        aggregate=aggregate,
    )


def choose_metric(metric: Any) -> Metric | Wins:
    """Give a metric by its name, or made from a callable of responses.

    Raises
    ------
    ValueError, TypeError
        A name that is unknown, or no metric at all.
    """
    if isinstance(metric, Metric | Wins):
        return metric
    if isinstance(metric, str):
        check_choice("metric", metric, METRICS)
        return METRICS[metric]
    if not callable(metric):
        msg = (
            f"Expected metric to be a name, a Metric, or a callable (gold, system) -> "
            f"array; got {describe(metric)}."
        )
        raise TypeError(msg)
    name = getattr(metric, "__name__", "metric")
    return Metric(
        name,
        _OfResponses(metric),
        higher_is_better=True,
        aggregate=None,
        takes="items",
    )


# Measures with options are equal where these are, so that JAX compiles them once: no
# closure or partial is equal to another.
@dataclass(frozen=True)
class _Divergence:
    low: float
    high: float
    n_bins: int
    pseudocount: float

    def __call__(self, xp: Namespace, gold: Array, system: Array) -> Array:
        return measures.kl_divergence(
            xp,
            gold,
            system,
            **{x.name: getattr(self, x.name) for x in dataclasses.fields(self)},
        )


@dataclass(frozen=True)
class _Classifier:
    score: str
    gold_threshold: float
    system_threshold: float

    def __call__(self, xp: Namespace, gold: Array, system: Array) -> Array:
        labels = measures.label(xp, gold, self.gold_threshold)
        if self.score != "roc_auc":
            system = measures.label(xp, system, self.system_threshold)
        return SCORES[self.score](xp, labels, system)


@dataclass(frozen=True)
class _OfResponses:
    """A measure of a function that takes no namespace."""

    function: Callable[[Array, Array], Array]

    def __call__(self, _: Namespace, gold: Array, system: Array) -> Array:
        return self.function(gold, system)


def _suffix(aggregate: Aggregate | None) -> str:
    """Give what the name of a metric ends in, which averages by default."""
    return {"mean": "", None: "_all"}.get(aggregate, f"_{aggregate}")


def _absolute_error(xp: Namespace, gold: Array, system: Array) -> Array:
    return xp.abs(gold - system)


SCORES: dict[str, Measure] = {
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

# By the names that options take.
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
