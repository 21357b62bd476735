"""Which models differ, by the closure principle: sets of models at one level in all.

A pair is told apart if every open set of models with it, which may still be one of
equal models, is rejected (Marcus, Peritz and Gabriel 1976), by the gap of the pair in
the ranks of the set. The gap is a sum over the models of the set: so the least one over
all sets of k models takes the k - 2 smallest terms, and no set is ever listed. See
docs/mathematics.md.
"""

import functools
import math

import numpy as np

from sigarray._backend.callers import Array
from sigarray._backend.chunks import iterate_until
from sigarray._backend.library import Library
from sigarray._backend.of_numpy import HOST
from sigarray._numeric.ranks import OWN_WEIGHT, variance_of_gap
from sigarray._order.families import (
    Family,
    Segments,
    curve_of_sets,
    list_critical_ranges,
    list_limits,
)
from sigarray._order.pairs import spread_pairs

# Rounds of claims: each tests the sets that earlier claims have left open. Nearly all
# claims are made in four rounds; those of later rounds are given up.
_ROUNDS = 8
# Claims at this share of the level come first, and keep their p-values.
_FIRST_SHARE = 0.1
# At smaller levels of all claims, as with many tasks, the shares of models in squared
# errors are estimated too badly.
LEAST_LEVEL_OF_SHARES = 0.02
# The term of a model that is not in the set.
_NO_MODEL = 1e6

# Which pairs are open, their ratios to critical values in their last round, and the
# number of that round; with a baseline, also how many others were open, and p-values by
# means.
State = tuple[Array, Array, Array]
BaselineState = tuple[Array, Array, Array, Array, Array]


def tell_apart(
    xp: Library,
    leads: Array,
    p_of_pairs: Array,
    are_enough: Array,
    *,
    sizes: tuple[int, ...],
    family: Family,
) -> tuple[Array, Array]:
    """Return p-values and who is told apart.

    The tests are of the pair alone, and of all open sets of three or more models.
    """
    k = family.n_models
    # The order of `spread_pairs`.
    pairs = xp.arange(k * (k - 1) // 2)
    first, second = pairs % k, (pairs % k + pairs // k + 1) % k
    place = first * k + second
    lead, p_of_pair, is_enough = (
        _at(xp, x, place) for x in (leads, p_of_pairs, are_enough)
    )
    rows = xp.take(leads, first, axis=-2) - xp.take(leads, second, axis=-2)
    parts = xp.where(lead < 0.0, -1.0, xp.ones_like(lead))[..., None] * rows
    lead = 2.0 * OWN_WEIGHT * xp.abs(lead)[..., None]
    inverse_gaps = 1.0 / _gaps_of_sets(xp, leads, sizes, family, first, second)
    curve = curve_of_sets(family, sizes)
    surest = _FIRST_SHARE * family.level
    is_sure = is_enough & (p_of_pair <= surest)

    def claim(state: State, is_able: Array, least_ratio: float) -> tuple[State, Array]:
        is_open, ratios, rounds = state
        is_open_row = xp.take(is_open, first, axis=-2)
        is_open_row = is_open_row & xp.take(is_open, second, axis=-2)
        others = xp.where(is_open_row, parts, _NO_MODEL)
        others = xp.sort(others, axis=-1, stable=False)[..., : k - 2]
        gaps = lead + xp.cumulative_sum(others, axis=-1)
        ratio = xp.min(gaps * inverse_gaps, axis=-1)
        is_open_pair = _at(xp, is_open, place)
        is_new = is_open_pair & is_able & (ratio >= least_ratio)
        state = (
            is_open & ~xp.take_last(is_new, pair_of),
            xp.where(is_open_pair, ratio, ratios),
            rounds + xp.astype(is_open_pair & ~is_new, rounds.dtype),
        )
        return state, ~xp.any(is_new)

    pair_of = spread_pairs(xp, pairs, k, lambda x: x, diagonal=0)
    models = xp.arange(k)
    is_other = models[:, None] != models[None, :]
    is_open = is_other & ~xp.isnan(leads)
    start = is_open, lead[..., 0], xp.zeros_like(p_of_pair)
    state, _ = claim(start, is_sure, ratio_at(curve, surest))
    step = functools.partial(claim, is_able=is_enough, least_ratio=1.0)
    is_open, ratios, rounds = iterate_until(xp, step, state, _ROUNDS)
    is_told = ~_at(xp, is_open, place) & ~xp.isnan(p_of_pair)
    by_sets = _by_ratio(xp, curve, ratios)
    p_values = xp.maximum(p_of_pair, by_sets)
    p_values = _in_order(xp, p_values, is_told, rounds, _ROUNDS)
    return xp.take_last(p_values, pair_of), xp.take_last(is_told, pair_of) & is_other


def tell_from_baseline(
    xp: Library,
    leads: Array,
    p_of_pairs: Array,
    are_enough: Array,
    by_means: Array | None = None,
    shares: Array | None = None,
    *,
    sizes: tuple[int, ...],
    family: Family,
) -> tuple[Array, Array]:
    """Return p-values and who is told apart from the baseline, by all open sets.

    If there are p-values by means, they must reject too. All others share the error of
    the baseline's mean, but not those of their means: a p-value is multiplied by 1 plus
    the shares of the other open models in the squared errors of their differences. An
    unknown share counts as 1.
    """
    k, base = family.n_models, family.baseline or 0
    lead, p_of_one, is_enough = (
        x[..., :, base] for x in (leads, p_of_pairs, are_enough)
    )
    adjust = None
    if by_means is not None and shares is not None:
        share = shares[..., :, base]
        share = xp.where(xp.isnan(share), 1.0, share)
        adjust = functools.partial(_adjust_by_shares, xp, by_means[..., :, base], share)
    rows = leads - leads[..., base : base + 1, :]
    parts = xp.where(lead < 0.0, -1.0, xp.ones_like(lead))[..., None] * rows
    lead = xp.abs(lead)[..., None]
    least_leads, inverse_gaps = _limits_of_sets(xp, leads, sizes, family)
    # Sets of up to this many others are decided by wins.
    n_by_wins = xp.sum(xp.astype(least_leads > 0.0, leads.dtype), axis=-1)
    models = xp.arange(k)
    is_itself = models[:, None] == models[None, :]
    count = xp.astype(models[1:], leads.dtype)

    def claim(state: BaselineState) -> tuple[BaselineState, Array]:
        is_open, ratios, rounds, n_others, by_mean = state
        others = xp.where(is_open[..., None, :] & ~is_itself, parts, _NO_MODEL)
        others = xp.sort(others, axis=-1, stable=False)[..., : k - 2]
        sums = xp.cumulative_sum(others, axis=-1)
        gaps = 2.0 * OWN_WEIGHT * lead + xp.concat([xp.zeros_like(lead), sums], axis=-1)
        n_open = xp.sum(xp.astype(is_open, leads.dtype), axis=-1)[..., None]
        is_set = count <= n_open[..., None]
        is_won = xp.all((lead >= least_leads) | ~is_set, axis=-1)
        is_by_range = inverse_gaps > 0.0
        ratio = xp.where(is_by_range, gaps * inverse_gaps, _NO_MODEL)
        ratio = xp.min(xp.where(is_set, ratio, _NO_MODEL), axis=-1)
        is_new = is_open & is_enough & is_won & (ratio >= 1.0)
        if adjust is not None:
            adjusted = adjust(is_open, n_open)
            is_new = is_new & (adjusted <= family.level)
            by_mean = xp.where(is_open, adjusted, by_mean)
        state = (
            is_open & ~is_new,
            xp.where(is_open, ratio, ratios),
            rounds + xp.astype(is_open & ~is_new, rounds.dtype),
            xp.where(is_open, n_open, n_others),
            by_mean,
        )
        return state, ~xp.any(is_new)

    is_open = (models != base) & ~xp.isnan(lead[..., 0])
    zeros = xp.zeros_like(p_of_one)
    start = is_open, lead[..., 0], zeros, xp.ones_like(p_of_one), zeros
    state = iterate_until(xp, claim, start, k - 1)
    is_open, ratios, rounds, n_others, by_mean = state
    is_told = (models != base) & ~is_open & ~xp.isnan(lead[..., 0])
    n_wins = xp.clip(xp.minimum(n_by_wins, n_others), 1.0, None)
    p_values = xp.clip(p_of_one * n_wins, None, 1.0)
    if adjust is not None:
        p_values = xp.maximum(p_values, xp.clip(by_mean, None, 1.0))
    # There is no p-value by ranges where wins decide all sets.
    by_range = _by_ratio(xp, curve_of_sets(family, sizes), ratios)
    by_range = xp.where(xp.any(inverse_gaps > 0.0, axis=-1), by_range, 0.0)
    p_values = xp.maximum(p_values, by_range)
    p_values = _in_order(xp, p_values, is_told, rounds, k - 1)
    return _spread_from_baseline(xp, p_values, is_told, base)


def _adjust_by_shares(
    xp: Library, p_values: Array, shares: Array, is_open: Array, n_open: Array
) -> Array:
    """Multiply p-values by 1 plus the shares of the other open models.

    Small p-values are adjusted by Holm: at such levels no share is known.
    """
    shares = xp.where(is_open, shares, 0.0)
    of_others = xp.sum(shares, axis=-1, keepdims=True) - shares
    adjusted = (1.0 + of_others) * p_values
    by_holm = xp.clip(n_open * p_values, None, LEAST_LEVEL_OF_SHARES)
    is_small = adjusted < LEAST_LEVEL_OF_SHARES
    return xp.where(is_small, xp.maximum(adjusted, by_holm), adjusted)


def _spread_from_baseline(
    xp: Library, p_values: Array, is_told: Array, base: int
) -> tuple[Array, Array]:
    """Return matrices (..., K, K) from the results of each model and the baseline."""
    is_row = xp.arange(p_values.shape[-1]) == base
    p_values = xp.where(
        is_row[None, :],
        p_values[..., :, None],
        xp.where(is_row[:, None], p_values[..., None, :], math.nan),
    )
    is_told = (is_row[None, :] & is_told[..., :, None]) | (
        is_row[:, None] & is_told[..., None, :]
    )
    return p_values, is_told


def _by_ratio(xp: Library, curve: Segments | None, ratios: Array) -> Array:
    """Return p-values from ratios to critical ranges, or 0 if there are none."""
    if curve is None:
        return xp.zeros_like(ratios)
    return curve(xp, xp.clip(ratios, 0.0, None))


def _in_order(
    xp: Library, p_values: Array, is_told: Array, rounds: Array, n_rounds: int
) -> Array:
    """Raise the p-value of a claim to those of earlier rounds, on which it depends."""
    largest = xp.zeros_like(p_values[..., :1])
    for k in range(min(n_rounds, p_values.shape[-1])):
        is_of_round = is_told & (rounds == k)
        of_round = xp.max(xp.where(is_of_round, p_values, 0.0), axis=-1, keepdims=True)
        largest = xp.maximum(largest, of_round)
        p_values = xp.where(rounds > k, xp.maximum(p_values, largest), p_values)
    return p_values


def ratio_at(curve: Segments | None, p: float) -> float:
    """Return the ratio, at least 1, from which on a p-value is at most p."""
    low, high = 1.0, 1.0 if curve is None else curve.end
    if curve is None or low >= high or float(curve(HOST, np.float64(high))) > p:
        return max(low, high)
    for _ in range(50):
        middle = 0.5 * (low + high)
        is_small = float(curve(HOST, np.float64(middle))) <= p
        low, high = (low, middle) if is_small else (middle, high)
    return high


def _at(xp: Library, matrices: Array, places: Array) -> Array:
    """Return the entries (..., P) of matrices (..., K, K) at flat places."""
    *leading, k, _ = matrices.shape
    flat = xp.reshape(matrices, (*leading, k * k))
    return xp.take(flat, places, axis=-1)


def _gaps_of_sets(
    xp: Library,
    leads: Array,
    sizes: tuple[int, ...],
    family: Family,
    first: Array,
    second: Array,
) -> Array:
    """Return critical gaps of sets of 3, 4, ..., K models, (K - 2) or (P, K - 2)."""
    smallest = min(sizes)
    ranges = list_critical_ranges(family, max(sizes))
    if len(set(sizes)) == 1:
        part = 1.0 / smallest
        gaps = [
            x * math.sqrt(0.5 * variance_of_gap(k, part, part, part))
            for k, x in enumerate(ranges, start=3)
        ]
        return xp.upload_numbers(gaps, leads.dtype)
    inverse = xp.upload_numbers([1.0 / n for n in sizes], leads.dtype)
    a, b = (xp.take(inverse, x)[:, None] for x in (first, second))
    k = xp.arange(3, len(sizes) + 1, dtype=leads.dtype)
    variance = variance_of_gap(k, a, b, 1.0 / smallest)
    return xp.upload_numbers(list(ranges), leads.dtype) * xp.sqrt(0.5 * variance)


def _limits_of_sets(
    xp: Library, leads: Array, sizes: tuple[int, ...], family: Family
) -> tuple[Array, Array]:
    """Return least leads, and inverse critical gaps, of sets of 1, 2, ... others.

    The shape is (K, K - 1), or (1, K - 1) if sizes are equal. Where wins decide, the
    inverse gap is 0; where ranks decide, no lead is too small.
    """
    m = sizes[family.baseline or 0]
    rows = {}
    for n in set(sizes):
        least_leads, inverse_gaps = [], []
        for k, limit in enumerate(list_limits(family, n, m), start=2):
            unit = math.sqrt(0.5 * variance_of_gap(k, 1 / n, 1 / m, 1 / min(sizes)))
            is_by_wins = limit.wins is not None
            least = (limit.wins or 0.0) - 0.5
            least_leads.append(least / (2.0 * n * m) if is_by_wins else -1.0)
            is_by_range = not is_by_wins and k > 2
            inverse_gaps.append(1.0 / (limit.range * unit) if is_by_range else 0.0)
        rows[n] = least_leads, inverse_gaps
    chosen = sizes if len(set(sizes)) > 1 else sizes[:1]
    tables = []
    for kind in (0, 1):
        numbers = [x for n in chosen for x in rows[n][kind]]
        flat = xp.upload_numbers(numbers, leads.dtype)
        tables.append(xp.reshape(flat, (len(chosen), -1)))
    return tables[0], tables[1]
