"""How far A is ahead of B in test sets, and of how many pairs of these it is so."""

import math
from typing import Any

import numpy as np

from sigarray._backend.aliases import Array, Namespace, Seed
from sigarray._backend.chunks import MAX_HELD, map_entries, map_replicates
from sigarray._backend.libraries import array_kernel, device_of
from sigarray._backend.seeds import spare_seed
from sigarray._numeric.statistic import TIE_UNITS, Alternative, find_p_value
from sigarray.responses._models import Model
from sigarray.responses._pools import count_dealt
from sigarray.responses._sampling import plan_draws
from sigarray.responses._simulation import (
    Hypothesis,
    count_elements,
    draw_sets,
)
from sigarray.responses.metrics import Metric, Wins


@array_kernel
def test_sets(
    xp: Namespace,
    gold: Array,
    a: Array,
    b: Array,
    seed: Seed,
    *,
    metric: Metric | Wins,
    alternative: Alternative,
    n_resamples: int,
    batch: int | None,
    **samplers: Any,
) -> tuple[Array, Array, Array, Array]:
    """Statistic, p-value and metrics; a few batch entries at a time."""
    leading = np.broadcast_shapes(*(x.shape[:-2] for x in (gold, a, b)))
    n_entries = math.prod(leading)
    flat = [
        xp.reshape(
            xp.broadcast_to(x, (*leading, *x.shape[-2:])), (n_entries, *x.shape[-2:])
        )
        for x in (gold, a, b)
    ]
    device = device_of(xp, gold)

    def test(*sets: Array) -> Array:
        """Give the four results of some batch entries, as rows."""
        sets = tuple(metric.center(xp, *sets))

        def summarize(x: Array) -> Array:
            return metric.summarize(xp, x)

        values = metric.compare(xp, *(summarize(x) for x in sets))
        observed = _find_lead(metric, *values)
        groups = [(x,) for x in sets]
        draws = plan_draws(xp, seed, groups, summarize=summarize, **samplers)
        null_draws = plan_draws(
            xp,
            spare_seed(xp, seed),
            [groups[0], sets[1:]],
            summarize=summarize,
            **samplers,
        )

        def find_leads(start: int | Array, count: int) -> Array:
            (drawn_gold,), (drawn_a,), (drawn_b,) = draws.draw(start, count)
            lead = _find_lead(metric, *metric.compare(xp, drawn_gold, drawn_a, drawn_b))
            (drawn_gold,), drawn = null_draws.draw(start, count)
            null_lead = _find_lead(metric, *metric.compare(xp, drawn_gold, *drawn))
            return xp.stack([lead, null_lead], axis=-2)

        n_drawn = max(draws.n_elements, null_draws.n_elements) * sets[0].shape[0]
        leads = map_replicates(
            xp, device, find_leads, n_resamples, elements=n_drawn, batch=batch
        )
        scale = xp.abs(values[0]) + xp.abs(values[1])
        pvalue = compare_leads(
            xp, leads[..., 0, :], leads[..., 1, :], scale, alternative
        )
        fault = observed - observed
        return xp.stack([observed, pvalue + fault, *values])

    n_held = count_dealt(gold.shape[-2], a.shape[-1], b.shape[-1])
    results = map_entries(xp, test, flat, elements=4 * n_held, budget=MAX_HELD)
    statistic, pvalue, metric_a, metric_b = (
        xp.reshape(results[i, ...], leading) for i in range(4)
    )
    return statistic, pvalue, metric_a, metric_b


@array_kernel
def simulate_tests(
    xp: Namespace,
    seed: Seed,
    model: Model,
    perturbations: tuple[Any, ...],
    *,
    metrics: tuple[Metric | Wins, ...],
    takes_one: tuple[bool, ...],
    alternative: Alternative,
    n_sets: int,
    batch: int | None,
    **options: Any,
) -> tuple[Array, Array, Array, Array]:
    """Give mean statistics, p-values and mean metrics, all on the same new test sets.

    Each metric has a place in the results, and takes all responses or one.
    """
    device = device_of(xp, seed[0])
    null_seed = spare_seed(xp, seed)

    def measure(start: int | Array, count: int) -> Array:
        """Give the metrics of A and B under both hypotheses, (2, metrics, 2, count)."""
        rows = []
        hypotheses: list[tuple[Seed, Hypothesis]] = [
            (seed, "alternative"),
            (null_seed, "null"),
        ]
        for words, hypothesis in hypotheses:
            sets = draw_sets(
                xp,
                words,
                start,
                count,
                model,
                perturbations,
                hypothesis=hypothesis,
                **options,
            )
            for metric, is_one in zip(metrics, takes_one, strict=True):
                taken = sets[..., :1] if is_one else sets
                gold, a, b = (metric.summarize(xp, taken[:, i, ...]) for i in range(3))
                rows.append(xp.stack(metric.compare(xp, gold, a, b)))
        return xp.reshape(xp.stack(rows), (2, len(metrics), 2, count))

    elements = count_elements(**options)
    values = map_replicates(xp, device, measure, n_sets, elements=elements, batch=batch)
    means = xp.mean(values[0, ...], axis=-1)
    scale = xp.sum(xp.abs(means), axis=-1)
    statistics, pvalues = [], []
    for i, metric in enumerate(metrics):
        leads, null_leads = (
            _find_lead(metric, values[k, i, 0, :], values[k, i, 1, :]) for k in range(2)
        )
        statistics.append(xp.mean(leads))
        pvalues.append(compare_leads(xp, leads, null_leads, scale[i, ...], alternative))
    return xp.stack(statistics), xp.stack(pvalues), means[:, 0], means[:, 1]


def compare_leads(
    xp: Namespace,
    leads: Array,
    null_leads: Array,
    scale: Array,
    alternative: Alternative,
) -> Array:
    """P that a lead under the null hypothesis is as extreme as one without, or more.

    Leads have shape (..., M). Pairs of them are ties where they are closer than the
    rounding of the largest, or of the metrics, whose `scale` has shape (...).
    """

    def find_tail(side: str) -> Array:
        if side == "greater":
            return _count_pairs(xp, leads, null_leads, scale)
        return _count_pairs(xp, -leads, -null_leads, scale)

    return find_p_value(xp, alternative, find_tail)


def _count_pairs(xp: Namespace, leads: Array, null_leads: Array, scale: Array) -> Array:
    """Give the share of pairs in which the lead is not the larger one."""
    n = leads.shape[-1]
    largest = xp.max(xp.abs(xp.concat([leads, null_leads], axis=-1)), axis=-1)
    scale = xp.where(largest > scale, largest, scale)
    tolerance = TIE_UNITS * xp.finfo(leads.dtype).eps * scale[..., None]
    both = xp.concat([leads - tolerance, null_leads], axis=-1)
    # Of ties, the lead comes first, and the one under the null hypothesis counts.
    order = xp.argsort(both, axis=-1, stable=True)
    is_null = order >= n
    n_below = xp.cumulative_sum(xp.astype(is_null, leads.dtype), axis=-1)
    share = xp.mean(xp.where(is_null, 0.0, n - n_below), axis=-1) * 2.0
    fault = xp.sum(both - both, axis=-1)
    # The mean is over both kinds; `share` is the mean count for a lead.
    pvalue = (share / n + 1.0 / n**2) / (1.0 + 1.0 / n**2)
    return xp.clip(pvalue, None, 1.0) + fault


def _find_lead(metric: Metric | Wins, value_a: Array, value_b: Array) -> Array:
    """How far A is ahead of B."""
    return value_a - value_b if metric.higher_is_better else value_b - value_a
