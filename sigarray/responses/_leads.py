"""How far A is ahead of B in test sets, and in how many pairs of these."""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sigarray._backend.aliases import Alternative, Array, Seed
from sigarray._backend.chunks import MAX_HELD, map_entries
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._backend.public import array_kernel
from sigarray._backend.seeds import spare_seed
from sigarray._numeric.statistic import TIE_UNITS, find_p_value
from sigarray._resampling.replicates import Remade, keep
from sigarray.responses._measurement import Metric, Wins
from sigarray.responses._sampling import (
    Draws,
    Items,
    Responses,
    Sampler,
    count_dealt,
    plan_draws,
    plan_sampler,
)


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


def compare_leads(
    xp: Library,
    leads: Array,
    null_leads: Array,
    scale: Array,
    alternative: Alternative,
    added: float = 1.0,
) -> Array:
    """Return the mean p-value of leads, each among itself and those of the null.

    By default each lead adds 1 to the count of those as extreme, as in a test.

    Leads have shape (..., M). They are tied if they are closer than the rounding of the
    largest, or of the metrics, whose `scale` has shape (...).
    """

    def find_tail(side: str) -> Array:
        if side == "greater":
            return _count_pairs(xp, leads, null_leads, scale, added)
        return _count_pairs(xp, -leads, -null_leads, scale, added)

    return find_p_value(xp, alternative, find_tail)


def _count_pairs(
    xp: Library, leads: Array, null_leads: Array, scale: Array, added: float
) -> Array:
    """Return the mean of (c + 1) / (M + 1), where c of M others are not below a lead.

    `added` replaces the 1.
    """
    n = leads.shape[-1]
    largest = xp.max(xp.abs(xp.concat([leads, null_leads], axis=-1)), axis=-1)
    scale = xp.where(largest > scale, largest, scale)
    tolerance = TIE_UNITS * xp.finfo(leads.dtype).eps * scale[..., None]
    both = xp.concat([leads - tolerance, null_leads], axis=-1)
    # In ties the lead comes first, so that the one under the null hypothesis counts.
    order = xp.argsort(both, axis=-1, stable=True)
    is_null = order >= n
    n_below = xp.cumulative_sum(xp.astype(is_null, leads.dtype), axis=-1)
    share = xp.mean(xp.where(is_null, 0.0, n - n_below), axis=-1) * 2.0
    fault = xp.sum(both - both, axis=-1)
    # The mean is over both kinds; `share` is the mean count for a lead.
    pvalue = (share + added) / (n + added)
    return xp.clip(pvalue, None, 1.0) + fault


def find_lead(metric: Metric | Wins, value_a: Array, value_b: Array) -> Array:
    return value_a - value_b if metric.higher_is_better else value_b - value_a
