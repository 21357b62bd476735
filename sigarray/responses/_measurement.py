"""How the responses of a system and of gold are compared."""

import dataclasses
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from sigarray._backend.aliases import Array
from sigarray._backend.checks import choice, flag, function_of
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._backend.public import array_kernel, as_scalars, traceable
from sigarray._numeric.faults import check_result
from sigarray.responses import _measures as measures
from sigarray.responses._measures import Aggregate, average, standardize_responses

AGGREGATE_RULE = choice(*get_args(Aggregate), None)
# The arguments of a measure: see `Measurement`.
Takes = Literal["pairs", "samples", "items"]

# (namespace, gold, system) -> array.
Measure = Callable[[Library, Array, Array], Array]


@dataclass(frozen=True)
class Measurement:
    """How the responses to an item are compared.

    Attributes
    ----------
    name : str
        Its name in tables and messages.
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
        "samples": the same for a measure that ignores order; lengths may differ, and
        NaN is a missing response. "items": unchanged responses, of shape (n_items, k).
    ignores_level : bool
        Whether adding the same number to all responses changes nothing. If so, the
        level, beside which small differences would be lost, is subtracted.
    """

    name: str
    measure: Measure
    higher_is_better: bool = False
    aggregate: Aggregate | None = "mean"
    takes: Takes = "pairs"
    ignores_level: bool = False

    def __post_init__(self) -> None:
        """Check the options."""
        AGGREGATE_RULE("aggregate", self.aggregate)
        choice(*get_args(Takes))("takes", self.takes)
        flag("higher_is_better", self.higher_is_better)
        flag("ignores_level", self.ignores_level)
        function_of("xp, gold, system")("measure", self.measure)

    def aggregated_by(self, aggregate: Aggregate | None) -> Self:
        """Return this metric with another aggregate of the responses, or with all."""
        stem = self.name.removesuffix(suffix_of(self.aggregate))
        name = stem + suffix_of(aggregate)
        return dataclasses.replace(self, name=name, aggregate=aggregate)

    def center(self, xp: Library, gold: Array, *systems: Array) -> list[Array]:
        """Subtract the smallest of gold from all responses, if that is allowed."""
        if not self.ignores_level:
            return [gold, *systems]
        is_there = ~xp.isnan(gold)
        low = xp.min(xp.where(is_there, gold, math.inf), axis=(-2, -1), keepdims=True)
        low = xp.where(xp.any(is_there, axis=(-2, -1), keepdims=True), low, 0.0)
        return [x - low for x in (gold, *systems)]

    def summarize(self, xp: Library, x: Array) -> Array:
        """Return what is compared: one number for each responses (..., k), or all."""
        if self.aggregate is None:
            return x
        return average(xp, x, self.aggregate)[..., None]

    def apply_measure(self, xp: Library, gold: Array, system: Array) -> Array:
        """Apply the measure to results of `summarize`, of shape (..., n_items, d)."""
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

    A new metric, of the medians of the responses:

    >>> def bias(xp, gold, system):
    ...     return xp.abs(xp.mean(system - gold, axis=-1))
    >>> metric = metrics.Metric("bias", bias, aggregate="median")
    >>> float(metric(gold, [0.5, 0.75]))
    0.125
    """

    def __call__(self, gold: Array, system: Array) -> Array:
        """Return the metric.

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
        return _measure(gold, system, comparison=self)

    def evaluate(self, xp: Library, gold: Array, system: Array) -> Array:
        """Return the metric from results of `summarize`."""
        result = self.apply_measure(xp, gold, system)
        leading = broadcast_shapes(gold.shape[:-2], system.shape[:-2])
        check_result(xp, f"{self.name}(gold, system)", result, leading, gold, system)
        return xp.astype(result, gold.dtype, copy=False)

    def compare(
        self, xp: Library, gold: Array, a: Array, b: Array
    ) -> tuple[Array, Array]:
        """Return the metrics of A and of B from results of `summarize`."""
        return self.evaluate(xp, gold, a), self.evaluate(xp, gold, b)


@dataclass(frozen=True)
class Wins(Measurement):
    """The share of items in which a system is nearer to gold than the other one.

    The attributes are those of `Measurement`, with a measure that returns the errors,
    one for each item or response. Errors that are equal, up to rounding, are no wins.
    """

    higher_is_better: bool = True

    def __call__(self, gold: Array, a: Array, b: Array) -> tuple[Array, Array]:
        """Return the shares that A and B win, as `Metric` returns a metric."""
        shares: tuple[Array, Array] = _measure(gold, a, b, comparison=self)
        return shares

    def compare(
        self, xp: Library, gold: Array, a: Array, b: Array
    ) -> tuple[Array, Array]:
        """Return the shares that A and B win from results of `summarize`."""
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

    def _find_errors(self, xp: Library, gold: Array, system: Array) -> Array:
        errors = self.apply_measure(xp, gold, system)
        leading = broadcast_shapes(gold.shape[:-2], system.shape[:-2])
        n_errors = gold.shape[-2]
        if self.takes != "items":
            n_errors *= gold.shape[-1]
        shape = (*leading, n_errors)
        check_result(xp, f"{self.name}(gold, system)", errors, shape, gold, system)
        return xp.astype(errors, gold.dtype, copy=False)


@traceable
def _measure(*responses: Array, comparison: Metric | Wins) -> Any:
    xp, standardized = standardize_responses(*responses)
    return as_scalars(_apply(xp, *standardized, comparison=comparison))


@array_kernel
def _apply(xp: Library, *responses: Array, comparison: Metric | Wins) -> Any:
    centered = comparison.center(xp, *responses)
    summaries = [comparison.summarize(xp, x) for x in centered]
    if isinstance(comparison, Wins):
        return comparison.compare(xp, *summaries)
    return comparison.evaluate(xp, *summaries)


def suffix_of(aggregate: Aggregate | None) -> str:
    """Return the end of the name of a metric for an aggregate; none for averages."""
    return {"mean": "", None: "_all"}.get(aggregate, f"_{aggregate}")
