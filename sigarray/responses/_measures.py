"""Items with several responses each: averages, and formulas of metrics."""

import math
from typing import Literal

from sigarray._backend.callers import Alternative, Array
from sigarray._backend.dispatch import standardize
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._backend.public import array_kernel
from sigarray._numeric.ranks import middle_ranks
from sigarray._numeric.statistic import TIE_UNITS, find_p_value

Aggregate = Literal["mean", "median"]
# Averages closer than this many units of rounding of the largest are tied.
_TIE_UNITS = 16


def standardize_responses(*arrays: Array) -> tuple[Library, list[Array]]:
    """Return responses of one namespace and dtype, of shape (..., n_items, k).

    NaN is a missing response. A batch entry with an item without responses, or with an
    infinite response, becomes NaN throughout.
    """
    xp, samples = standardize(*arrays, n_axes=2, paired=True, what="responses")
    samples = [x[..., None] if x.ndim == 1 else x for x in samples]
    numbers = [x.shape[-2] for x in samples]
    if len(set(numbers)) > 1 or numbers[0] == 0:
        shapes = " and ".join(str(tuple(x.shape)) for x in samples)
        msg = (
            f"Expected responses of shape (..., n_items, k) to the same items, one or "
            f"more; got {shapes}. Responses to an item are on the last axis; for one "
            f"response to each item of a batch, add that axis: x[..., None]."
        )
        raise ValueError(msg)
    return xp, list(_spread_faults(xp, *samples))


def average(xp: Library, x: Array, how: Aggregate) -> Array:
    """Return the mean or median of the present responses on the last axis."""
    is_there = xp.equal(x, x)  # NaN is not equal to itself
    count = add_up(xp, xp.astype(is_there, x.dtype))
    if how == "mean":
        total = add_up(xp, xp.where(is_there, x, 0.0))
        return total / count  # NaN if there are none
    ordered = xp.sort(xp.where(is_there, x, math.inf), axis=-1, stable=False)
    places = xp.arange(x.shape[-1], dtype=x.dtype)
    # The middle place, or the two next to the middle.
    is_middle = xp.abs(places - 0.5 * (count[..., None] - 1.0)) < 0.75
    total = add_up(xp, xp.where(is_middle & (ordered < math.inf), ordered, 0.0))
    n_middle = add_up(xp, xp.astype(is_middle, x.dtype))
    return total / xp.where(count > 0.0, n_middle, math.nan)


def add_up(xp: Library, x: Array) -> Array:
    """Sum the last axis, which is short: on a processor a product is faster."""
    if xp.is_accelerator:
        return xp.sum(x, axis=-1)
    ones = xp.ones((x.shape[-1], 1), dtype=x.dtype)
    return xp.matrix_product(x, ones)[..., 0]


def gather_present(xp: Library, x: Array) -> Array:
    size = x.shape[-1]
    places = xp.arange(size)
    keys = xp.where(xp.isnan(x), places + size, places)
    order = xp.argsort(keys, axis=-1, stable=False)
    return xp.take_along_axis(x, order, axis=-1)


@array_kernel
def _spread_faults(xp: Library, *samples: Array) -> tuple[Array, ...]:
    spread = []
    for x in samples:
        has_response = xp.any(xp.isfinite(x), axis=-1)
        is_sound = xp.all(has_response, axis=-1) & ~xp.any(xp.isinf(x), axis=(-2, -1))
        spread.append(xp.where(is_sound[..., None, None], x, math.nan))
    return tuple(spread)


def mean_absolute_error(xp: Library, gold: Array, system: Array) -> Array:
    return xp.mean(xp.abs(gold - system), axis=-1)


def mean_squared_error(xp: Library, gold: Array, system: Array) -> Array:
    difference = gold - system
    return xp.mean(difference * difference, axis=-1)


def root_mean_squared_error(xp: Library, gold: Array, system: Array) -> Array:
    return xp.sqrt(mean_squared_error(xp, gold, system))


def max_absolute_error(xp: Library, gold: Array, system: Array) -> Array:
    return xp.max(xp.abs(gold - system), axis=-1) + find_fault(xp, gold, system)


def cosine_distance(xp: Library, gold: Array, system: Array) -> Array:
    """1 less the cosine of the angle between the vectors; NaN for one of zeros."""
    return 1.0 - _cosine(xp, gold, system)


def spearman_correlation(xp: Library, gold: Array, system: Array) -> Array:
    """Correlation of the middle ranks; NaN for a constant vector."""
    ranks = (middle_ranks(xp, x, find_tie(xp, x)) for x in (gold, system))
    return _cosine(xp, *ranks) + find_fault(xp, gold, system)


def earth_movers_distance(xp: Library, gold: Array, system: Array) -> Array:
    """Wasserstein-1 distance of the present responses of two samples.

    It is the integral of abs(F - G), the distribution functions, over their joint
    steps; a missing response is a step of no height.
    """
    leading = broadcast_shapes(gold.shape[:-1], system.shape[:-1])
    values, steps, faults = [], [], []
    for sample, sign in ((gold, 1.0), (system, -1.0)):
        is_there = xp.astype(~xp.isnan(sample), sample.dtype)
        count = xp.sum(is_there, axis=-1, keepdims=True)
        step = sign * is_there / xp.where(count > 0.0, count, 1.0)
        # By a condition, because 0 / NaN is 0 if XLA compiles it (jax 0.10).
        faults.append(xp.where(count > 0.0, 0.0 * count, math.nan)[..., 0])
        shape = (*leading, sample.shape[-1])
        values.append(xp.broadcast_to(sample, shape))
        steps.append(xp.broadcast_to(step, shape))
    pool, step = xp.concat(values, axis=-1), xp.concat(steps, axis=-1)
    # At another response, because a number far off would cost digits.
    smallest = xp.min(xp.where(xp.isnan(pool), math.inf, pool), axis=-1, keepdims=True)
    pool = xp.where(xp.isnan(pool), smallest, pool)
    order = xp.argsort(pool, axis=-1, stable=False)
    pool = xp.take_along_axis(pool, order, axis=-1)
    height = xp.cumulative_sum(xp.take_along_axis(step, order, axis=-1), axis=-1)
    widths = pool[..., 1:] - pool[..., :-1]
    return xp.sum(xp.abs(height[..., :-1]) * widths, axis=-1) + faults[0] + faults[1]


def mean_earth_movers_distance(xp: Library, gold: Array, system: Array) -> Array:
    return xp.mean(earth_movers_distance(xp, gold, system), axis=-1)


def kl_divergence(
    xp: Library,
    gold: Array,
    system: Array,
    *,
    low: float,
    high: float,
    n_bins: int,
    pseudocount: float,
) -> Array:
    """Sum of p log(p / q) of the histograms of gold, p, and of the system, q."""
    shares = []
    for sample in (gold, system):
        # A number at an edge is in the upper bin, up to rounding.
        place = xp.floor(
            (sample + find_tie(xp, sample) - low) * (n_bins / (high - low))
        )
        place = xp.clip(place, 0.0, n_bins - 1.0)
        counts = xp.stack(
            [
                xp.sum(xp.astype(place == bin_, sample.dtype), axis=-1)
                for bin_ in range(n_bins)
            ],
            axis=-1,
        )
        total = xp.sum(counts, axis=-1, keepdims=True)
        # A batch entry with a fault has no responses.
        total = xp.where(total > 0.0, total, math.nan)
        shares.append((counts + pseudocount) / (total + n_bins * pseudocount))
    p, q = shares
    ratio = xp.where(p > 0.0, p, 1.0) / xp.where(q > 0.0, q, 1.0)
    terms = xp.where((p > 0.0) & (q == 0.0), math.inf, p * xp.log(ratio))
    return xp.sum(terms, axis=-1)


def label(xp: Library, x: Array, threshold: float) -> Array:
    """Return 1 at or above the threshold, up to rounding, else 0; NaN stays."""
    is_positive = x + find_tie(xp, x) >= threshold
    return xp.where(xp.isnan(x), math.nan, xp.astype(is_positive, x.dtype))


def accuracy(xp: Library, gold: Array, system: Array) -> Array:
    """Share of labels, 0 and 1, that agree."""
    return 1.0 - mean_absolute_error(xp, gold, system)


def precision(xp: Library, gold: Array, system: Array) -> Array:
    """Share of positive items among those that the system calls so; 0 for none."""
    return _ratio(xp, xp.sum(gold * system, axis=-1), xp.sum(system, axis=-1))


def recall(xp: Library, gold: Array, system: Array) -> Array:
    """Share of the positive items that the system calls so; 0 for none."""
    return precision(xp, system, gold)


def f1_score(xp: Library, gold: Array, system: Array) -> Array:
    """Harmonic mean of precision and recall; 0 where both are 0."""
    both = xp.sum(gold + system, axis=-1)
    return _ratio(xp, 2.0 * xp.sum(gold * system, axis=-1), both)


def roc_auc(xp: Library, gold: Array, system: Array) -> Array:
    """P(a positive item scores higher) + P(the same) / 2; NaN for only one class."""
    n_positive = xp.sum(gold, axis=-1)
    n_pairs = n_positive * (gold.shape[-1] - n_positive)
    lead = xp.sum(gold * middle_ranks(xp, system, find_tie(xp, system)), axis=-1)
    has_both = n_pairs > 0.0
    area = 0.5 + lead / xp.where(has_both, n_pairs, 1.0)
    return xp.where(has_both, area, math.nan) + find_fault(xp, gold, system)


def find_tie(xp: Library, x: Array) -> Array:
    """Return how far apart equal numbers on the last axis may be, shape (..., 1).

    Averages of the same responses in another order differ by so much.
    """
    scale = xp.max(xp.where(xp.isnan(x), 0.0, xp.abs(x)), axis=-1, keepdims=True)
    return _TIE_UNITS * xp.finfo(x.dtype).eps * scale


def find_fault(xp: Library, *arrays: Array) -> Array:
    """Return 0, or NaN if a number on the last axis is not finite."""
    faults = [xp.sum(x - x, axis=-1) for x in arrays]
    return sum(faults[1:], faults[0])


def _cosine(xp: Library, x: Array, y: Array) -> Array:
    squares = xp.sqrt(xp.sum(x * x, axis=-1)) * xp.sqrt(xp.sum(y * y, axis=-1))
    product = xp.sum(x * y, axis=-1)
    return product / xp.where(squares > 0.0, squares, math.nan)


def _ratio(xp: Library, part: Array, whole: Array) -> Array:
    is_empty = whole == 0.0
    return xp.where(is_empty, 0.0, part) / xp.where(is_empty, 1.0, whole)


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
