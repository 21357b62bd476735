"""How responses are compared with gold, and how far A is ahead of B in test sets."""

import dataclasses
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from sigarray._backend.callers import Alternative, Array, Seed
from sigarray._backend.checks import choice, flag, function_of
from sigarray._backend.chunks import MAX_HELD, map_entries
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._backend.public import array_kernel, as_scalars, traceable
from sigarray._backend.seeds import spare_seed
from sigarray._numeric.faults import check_result
from sigarray._resampling.replicates import Remade, keep
from sigarray.responses import _measures as measures
from sigarray.responses._measures import (
    Aggregate,
    average,
    compare_leads,
    standardize_responses,
)
from sigarray.responses._sampling import (
    Draws,
    Items,
    Responses,
    Sampler,
    count_dealt,
    plan_draws,
    plan_sampler,
)

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


@dataclass(frozen=True, eq=False)
class Leads:
    """How far A is ahead in test sets that are drawn from one.

    `values` are the metrics of A and of B in the test set itself, of shape (R,). A call
    returns the leads of replicates, without and under the null hypothesis, of shape (R,
    2, size), and holds `elements` numbers for each of them.
    """

    xp: Library
    metric: Metric | Wins
    values: tuple[Array, Array]
    draws: Draws
    null_draws: Draws
    elements: int

    def __call__(self, start: int | Array, size: int) -> Array:
        xp, metric = self.xp, self.metric
        (gold,), (drawn_a,), (drawn_b,) = self.draws.draw(start, size)
        lead = find_lead(metric, *metric.compare(xp, gold, drawn_a, drawn_b))
        (gold,), drawn = self.null_draws.draw(start, size)
        null_lead = find_lead(metric, *metric.compare(xp, gold, *drawn))
        return xp.stack([lead, null_lead], axis=-2)


def _plan_leads(
    xp: Library,
    seed: Seed,
    sets: tuple[Array, ...],
    metric: Metric | Wins,
    *,
    items: Items,
    responses: Responses,
) -> Leads:
    """Plan to draw test sets from gold, A and B, (R, n_items, k) each, and measure."""
    sets = tuple(metric.center(xp, *sets))
    summarize = functools.partial(metric.summarize, xp)

    def plan(*group: Array) -> Sampler:
        return plan_sampler(xp, group, responses, summarize)

    values = metric.compare(xp, *(summarize(x) for x in sets))
    gold, a, b, both = *(plan(x) for x in sets), plan(*sets[1:])
    n, null_seed = sets[0].shape[-2], spare_seed(xp, seed)
    draws = plan_draws(xp, seed, [gold, a, b], n, items=items)
    null_draws = plan_draws(xp, null_seed, [gold, both], n, items=items)
    n_drawn = max(draws.n_elements, null_draws.n_elements)
    elements = n_drawn * sets[0].shape[0]
    return Leads(xp, metric, values, draws, null_draws, elements)


def _map_test_sets(
    xp: Library, test: Callable[..., Array], *sets: Array
) -> tuple[Array, tuple[int, ...]]:
    """Apply a function to gold, A and B (R, n_items, k), some batch entries at a time.

    Its results have the entries last. Returns those of all, and the leading axes.
    """
    leading = broadcast_shapes(*(x.shape[:-2] for x in sets))
    flat = [
        xp.reshape(
            xp.broadcast_to(x, (*leading, *x.shape[-2:])),
            (math.prod(leading), *x.shape[-2:]),
        )
        for x in sets
    ]
    gold, a, b = sets
    n_held = count_dealt(gold.shape[-2], a.shape[-1], b.shape[-1])
    results = map_entries(xp, test, flat, elements=4 * n_held, budget=MAX_HELD)
    return results, leading


@array_kernel
def draw_leads(
    xp: Library,
    gold: Array,
    a: Array,
    b: Array,
    seed: Seed,
    start: int | Array,
    *,
    metric: Metric | Wins,
    count: int,
    **samplers: Any,
) -> tuple[Array, Array]:
    """Return leads without and under the null hypothesis from a place: (..., count)."""
    find_leads = functools.partial(
        _find_leads_of, xp, seed, start, metric=metric, count=count, **samplers
    )
    results, leading = _map_test_sets(xp, find_leads, gold, a, b)
    leads, null_leads = (
        xp.reshape(xp.matrix_transpose(results[i, ...]), (*leading, count))
        for i in range(2)
    )
    return leads, null_leads


def _find_leads_of(
    xp: Library,
    seed: Seed,
    start: int | Array,
    *sets: Array,
    metric: Metric | Wins,
    count: int,
    **samplers: Any,
) -> Array:
    make = functools.partial(_plan_leads, xp, seed, sets, metric, **samplers)
    leads = keep(xp, Remade.of(make), count, start)
    return xp.permute_dims(leads, (1, 2, 0))


def _test_sets(
    xp: Library,
    seed: Seed,
    *sets: Array,
    metric: Metric | Wins,
    alternative: Alternative,
    n_resamples: int,
    **samplers: Any,
) -> Array:
    make = functools.partial(_plan_leads, xp, seed, sets, metric, **samplers)
    plan = Remade.of(make)
    values = plan.made.values
    observed = find_lead(metric, *values)
    leads = keep(xp, plan, n_resamples)
    scale = xp.abs(values[0]) + xp.abs(values[1])
    pvalue = compare_leads(xp, leads[..., 0, :], leads[..., 1, :], scale, alternative)
    return xp.stack([observed, pvalue + (observed - observed), *values])


@array_kernel
def find_p_values(
    xp: Library,
    gold: Array,
    a: Array,
    b: Array,
    seed: Seed,
    *,
    metric: Metric | Wins,
    alternative: Alternative,
    n_resamples: int,
    **samplers: Any,
) -> tuple[Array, Array, Array, Array]:
    """Return statistic, p-value and metrics, for a few batch entries at a time."""
    test = functools.partial(
        _test_sets,
        xp,
        seed,
        metric=metric,
        alternative=alternative,
        n_resamples=n_resamples,
        **samplers,
    )
    results, leading = _map_test_sets(xp, test, gold, a, b)
    statistic, pvalue, metric_a, metric_b = (
        xp.reshape(results[i, ...], leading) for i in range(4)
    )
    return statistic, pvalue, metric_a, metric_b


def find_lead(metric: Metric | Wins, value_a: Array, value_b: Array) -> Array:
    return value_a - value_b if metric.higher_is_better else value_b - value_a
