"""How pairs compare, and which models differ: by tests of pairs, or of all at once.

Ranks hold their level for two samples of one distribution. But few scores with a wide
spread about the same mean as others may all lie on one side of these: 5 of them in 1 of
16 cases, and then they win all or none. So a pair with few scores is told apart by its
means, too. See docs/mathematics.md.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sigarray._backend.callers import Alternative, Array
from sigarray._backend.chunks import map_entries
from sigarray._backend.library import Library
from sigarray._numeric.faults import fill_flat, limit_rounding
from sigarray._numeric.quantile import MergedSteps
from sigarray._numeric.ranks import net_wins
from sigarray._numeric.special import student_p_value
from sigarray._numeric.student import average_df, divisor_of_error, find_t
from sigarray._order.closed import LEAST_LEVEL_OF_SHARES, tell_apart, tell_from_baseline
from sigarray._order.families import Family, curve_of_wins, limit_of_pair
from sigarray._order.pairs import (
    Stacks,
    as_matrix,
    join,
    list_blocks,
    list_sizes,
    map_block,
)

# The ranks and widths of samples of one size.
ALL_STEPS = (None, None, None)


def ratio_of_samples(
    xp: Library, steps: MergedSteps | None, x: Array, y: Array, axis: int = -1
) -> Array:
    """Return the ratio of samples that are sorted along an axis, and broadcast."""
    found = xp.find_ratios(x, y, ALL_STEPS if steps is None else steps, axis)
    if found is not None:
        return found
    if steps is None:
        return ratio_of_differences(xp, y - x, None, axis=axis)
    if steps.ranks_a is None or steps.ranks_b is None:
        difference = y - x
    else:
        difference = xp.take(y, steps.ranks_b, axis=axis)
        difference = difference - xp.take(x, steps.ranks_a, axis=axis)
    widths = xp.astype(steps.widths, difference.dtype, copy=False)
    return ratio_of_differences(xp, difference, widths, axis=axis)


def ratio_of_differences(
    xp: Library, difference: Array, widths: Array | None, *, axis: int
) -> Array:
    """Violation ratio from G^-1 - F^-1 on steps: del Barrio et al. (2018), equation 4.

    eps = int over {F^-1 < G^-1} of (F^-1 - G^-1)^2 dt / int (F^-1 - G^-1)^2 dt, exact
    for steps of these widths (None: equal); 0.5 if both functions are the same. The
    differences may be overwritten.
    """
    weighted = difference
    if widths is not None:
        weighted = difference * widths[(slice(None), *(None,) * (-1 - axis))]
    distance = xp.sum_of_products(difference, weighted, axis)
    above = xp.positive_part(difference)
    # Where it is above 0, it equals the difference.
    violation = xp.sum_of_products(above, above if widths is None else weighted, axis)
    return ratio_of_sums(xp, violation, distance)


def ratio_of_sums(xp: Library, violation: Array, distance: Array) -> Array:
    """Return violation / distance, or 0.5 where both are 0."""
    # XLA may add up both in different orders, and 1 - eps is the other direction.
    ratio = xp.clip(violation / distance, None, 1.0)
    if xp.is_host and xp.all(distance > 0.0):
        return ratio
    return xp.where(distance == 0.0, 0.5, ratio)


# From this many scores on, bounds hold for equal means without a test of means.
_MIN_SIZE = 20
# For fewer scores beside more of another model, degrees of freedom are not estimated.
_MIN_ESTIMATED = 5


class Comparison(NamedTuple):
    """Net wins of a block of pairs, (..., P), and t with its degrees of freedom.

    `share` is that of the first model in the squared error of the difference.
    """

    wins: Array
    t: Array | None = None
    df: Array | None = None
    share: Array | None = None


def needs_means(n: int, m: int) -> bool:
    """Tell whether pairs of such sizes are told apart by their means, too."""
    return 1 < min(n, m) < _MIN_SIZE


def compare_pairs(
    xp: Library, stacks: Stacks, *, has_shares: bool = True
) -> list[Comparison]:
    """Compare every pair, block by block; NaN if a sorted sample is NaN."""
    compared, sizes = [], [stack.shape[-1] for stack in stacks]
    means = {
        g: _find_means(xp, stack)
        for g, stack in enumerate(stacks)
        if sizes[g] > 1 and min(sizes) < _MIN_SIZE
    }
    for g, h in list_blocks(stacks):
        n, m = sizes[g], sizes[h]
        width = min(n * m, 8 * (n + m))
        count = functools.partial(count_wins, xp)
        wins = map_block(xp, stacks, (g, h), count, width=width)
        if not needs_means(n, m):
            compared.append(Comparison(wins))
            continue
        compare = functools.partial(compare_means, xp, n, m, has_shares)
        both = map_block(
            xp, [means[g], means[h]], (0, int(h > g)), compare, elements=12
        )
        parts = [both[k, ...] for k in range(both.shape[0])]
        compared.append(Comparison(wins, *parts))
    return compared


def count_wins(xp: Library, x: Array, y: Array) -> Array:
    """Return `net_wins` of sorted samples, or NaN with a fault."""
    fault = x[..., 0] - x[..., 0] + (y[..., 0] - y[..., 0])
    return net_wins(xp, x, y) + fault


def _find_means(xp: Library, stack: Array) -> Array:
    """Return the smallest score, the mean above it and its squared error, (..., K, 3).

    The samples are sorted, and their squares neither overflow nor underflow.
    """
    low, high = stack[..., 0], stack[..., -1]
    is_flat = high - low <= limit_rounding(xp, xp.maximum(high, -low))
    unit = fill_flat(xp, is_flat, xp.ones_like(low), math.inf)
    mean, squares = xp.relative_moments(stack, low, unit)
    return xp.stack([low, mean, squares / divisor_of_error(stack)], axis=-1)


def compare_means(
    xp: Library, n: int, m: int, has_share: bool, x: Array, y: Array
) -> Array:
    """Return t, its degrees of freedom, and the share of x in the squared error."""
    difference = (x[..., 0] - y[..., 0]) + (x[..., 1] - y[..., 1])
    errors = [x[..., 2], y[..., 2]]
    t, df = find_t(xp, difference, errors, [n - 1.0, m - 1.0])
    if not has_share:
        return xp.stack([t, df])
    total = errors[0] + errors[1]
    varies = total > 0.0
    share = xp.where(varies, errors[0] / xp.where(varies, total, 1.0), 1.0)
    return xp.stack([t, df, share])


def p_of_means(
    xp: Library, pair: Comparison, sizes: tuple[int, int], alternative: Alternative
) -> Array | None:
    """Return the p-value of Welch's t, or None if the sizes need none.

    If neither sample varies, t is infinite and p is 1: others might vary.
    """
    if pair.t is None or pair.df is None:
        return None
    df = choose_degrees_of_freedom(pair.df, *sizes)
    p_value = student_p_value(xp, alternative, pair.t, df)
    return xp.where(xp.isinf(pair.t), 1.0, p_value)


def choose_degrees_of_freedom(df: Array | float, n: int, m: int) -> Any:
    """Return degrees of freedom for two means of n and m scores, from Welch's.

    If sizes differ, they are the harmonic mean of Welch's and those of the smaller
    sample alone; below 5 scores, the latter. Welch's are estimated, and often too many
    for a level that is divided by the number of models or tasks.
    """
    if n == m:
        return df
    of_smaller = min(n, m) - 1.0
    if min(n, m) < _MIN_ESTIMATED:
        df = df - df + of_smaller
    return average_df(df, of_smaller)


def has_means_apart(pair: Comparison, p_values: Array, level: float) -> Array:
    """Tell which pairs differ in means at a level, in the direction of the net wins."""
    is_significant = p_values <= level
    return (
        is_significant
        if pair.t is None
        else is_significant & (pair.t * pair.wins >= 0.0)
    )


# With at most this many pairs of scores, the host keeps tests of all numbers of wins.
_MAX_LISTED = 2**12


class Equality(NamedTuple):
    """For every pair: P(row > column), the p-value, and whether it is told apart.

    The shape is (..., K, K), in the order of the stacks, or (..., P) of pairs.
    """

    superiority: Array
    pvalue: Array
    is_told: Array


def find_equality(
    xp: Library, stacks: Stacks, compared: Sequence[Comparison], family: Family
) -> Equality:
    if family.kind in ("one-sided", "pairs"):
        return _test_pairs(xp, stacks, compared, family)
    return _test_models(xp, stacks, compared, family)


def _test_pairs(
    xp: Library, stacks: Stacks, compared: Sequence[Comparison], family: Family
) -> Equality:
    """Test every pair separately, (..., P): one-sided, or two-sided by Bonferroni."""
    side: Alternative = "greater" if family.kind == "one-sided" else "two-sided"
    parts = []
    for (g, h), pair in zip(list_blocks(stacks), compared, strict=True):
        n, m, wins = stacks[g].shape[-1], stacks[h].shape[-1], pair.wins
        p_values, is_told = _test_wins(xp, wins, n, m, family)
        by_means = p_of_means(xp, pair, (n, m), side)
        if by_means is not None:
            if family.n_pairs > 1:
                by_means = xp.clip(family.n_pairs * by_means, None, 1.0)
            is_told = is_told & has_means_apart(pair, by_means, family.level)
            p_values = xp.maximum(p_values, by_means)
        p_values = _agree(xp, p_values, is_told, family.level) + (wins - wins)
        parts.append((wins / (2.0 * n * m) + 0.5, p_values, is_told))
    return Equality(*[join(xp, part) for part in zip(*parts, strict=True)])


def _test_wins(
    xp: Library, wins: Array, n: int, m: int, family: Family
) -> tuple[Array, Array]:
    """Return p-values of net wins, and whether they are enough to tell a pair apart."""
    if not xp.is_host or n * m > _MAX_LISTED:
        return _compute_tests(xp, wins, n, m, family)
    p_values, are_told = xp.kept_tables(_list_tests, n, m, family, wins.dtype)
    places = xp.where(xp.isnan(wins), 0.0, wins + (n * m + 1.0))
    places = xp.astype(places, xp.index_dtype)
    return xp.take_last(p_values, places), xp.take_last(are_told, places)


def _list_tests(
    xp: Library, n: int, m: int, family: Family, dtype: Any
) -> tuple[Array, Array]:
    """Return the tests of NaN, and of all possible net wins, from the least one on."""
    wins = xp.arange(-n * m - 1, n * m + 1, dtype=dtype)
    wins = xp.where(wins < -n * m, math.nan, wins)
    return _compute_tests(xp, wins, n, m, family)


def _compute_tests(
    xp: Library, wins: Array, n: int, m: int, family: Family
) -> tuple[Array, Array]:
    curve, limit = curve_of_wins(n, m, family), limit_of_pair(n, m, family)
    if family.kind != "one-sided":
        size = _without_ties(xp, xp.abs(wins), n * m)
        return curve(xp, size), size >= limit
    size = _without_ties(xp, wins, n * m)
    # P(D >= -d) = 1 - P(D >= d + 2): without ties, d + 2 is the next D.
    is_behind = size < 0.0
    p_values = curve(xp, xp.where(is_behind, 2.0 - size, size))
    return xp.where(is_behind, 1.0 - p_values, p_values), size >= limit


def _test_models(
    xp: Library, stacks: Stacks, compared: Sequence[Comparison], family: Family
) -> Equality:
    """Test all pairs, or those with the baseline, by the closure principle.

    Matrices are in the order of the stacks.
    """
    sizes = list_sizes(stacks)
    spread = functools.partial(
        as_matrix,
        xp,
        sizes=tuple(int(stack.shape[-2]) for stack in stacks),
        order=tuple(range(family.n_models)),
    )
    parts, of_means, shares, has_means = [], [], [], False
    for (g, h), pair in zip(list_blocks(stacks), compared, strict=True):
        n, m, wins = stacks[g].shape[-1], stacks[h].shape[-1], pair.wins
        size = _without_ties(xp, xp.abs(wins), n * m)
        p_of_pair = curve_of_wins(n, m, family)(xp, size)
        is_enough = size >= limit_of_pair(n, m, family)
        by_means = p_of_means(xp, pair, (n, m), "two-sided")
        if by_means is not None:
            has_means = True
            if family.kind == "closed":
                # At most the K - 1 pairs of one model share its scores.
                by_means = xp.clip((family.n_models - 1) * by_means, None, 1.0)
                p_of_pair = xp.maximum(p_of_pair, by_means)
            is_enough = is_enough & has_means_apart(pair, by_means, family.level)
        parts.append((wins / (2.0 * n * m), p_of_pair, is_enough))
        if family.kind != "baseline":
            continue
        of_means.append(xp.zeros_like(wins) if by_means is None else by_means)
        # With unequal sizes, or at small levels, it is estimated too badly, and counts
        # as unknown.
        has_share = (
            pair.share is not None and n == m and family.level >= LEAST_LEVEL_OF_SHARES
        )
        shares.append(pair.share if has_share else xp.full_like(wins, math.nan))
    leads, p_of_pairs, are_enough = (
        join(xp, list(part)) for part in zip(*parts, strict=True)
    )
    leads = spread(leads, reverse=lambda x: -x, diagonal=0.0)
    p_of_pairs = spread(p_of_pairs, reverse=lambda p: p, diagonal=1.0)
    are_enough = spread(are_enough, reverse=lambda x: x, diagonal=False)
    matrices = [leads, p_of_pairs, are_enough]
    if has_means and family.kind == "baseline":
        by_means, all_shares = join(xp, of_means), join(xp, shares)
        matrices.append(spread(by_means, reverse=lambda p: p, diagonal=0.0))
        matrices.append(spread(all_shares, reverse=lambda x: 1.0 - x, diagonal=1.0))
    test = tell_apart if family.kind == "closed" else tell_from_baseline
    test = functools.partial(test, xp, sizes=sizes, family=family)
    p_values, is_told = _by_entry(xp, test, matrices, family.n_models)
    p_values = _agree(xp, p_values, is_told, family.level)
    models = xp.arange(family.n_models)
    is_itself = models[:, None] == models[None, :]
    p_values = xp.where(is_itself, 1.0, p_values + (leads - leads))
    return Equality(leads + 0.5, p_values, is_told)


def _without_ties(xp: Library, wins: Array, n_pairs: int) -> Array:
    """Round net wins down to a value that is possible without ties.

    Values between two such ones have the p-value of the lower one.
    """
    odd = n_pairs % 2
    return 2.0 * xp.floor(0.5 * (wins - odd)) + odd


def _agree(xp: Library, p_values: Array, is_told: Array, level: float) -> Array:
    """Make p-values, which are fitted for many scores, agree with the claims."""
    # 1 - 0.95 is a little more than 0.05.
    told = xp.clip(p_values, None, level * (1.0 - 1e-6))
    untold = xp.clip(p_values, min(level * (1.0 + 1e-5), 1.0), None)
    return xp.where(is_told, told, untold)


def _by_entry(
    xp: Library,
    test: Callable[..., tuple[Array, Array]],
    matrices: Sequence[Array],
    n_models: int,
) -> tuple[Array, Array]:
    """Apply a test to matrices (..., K, K), some batch entries at a time."""
    shape = matrices[0].shape
    if len(shape) == 2:
        return test(*matrices)
    flat = [xp.reshape(x, (math.prod(shape[:-2]), *shape[-2:])) for x in matrices]
    test_some = functools.partial(_test_some, xp, test)
    both = map_entries(xp, test_some, flat, elements=4 * n_models**3)
    p_values, is_told = (
        xp.reshape(xp.permute_dims(both[k, ...], (2, 0, 1)), shape) for k in (0, 1)
    )
    return p_values, is_told > 0.5


def _test_some(
    xp: Library, test: Callable[..., tuple[Array, Array]], *some: Array
) -> Array:
    """Test some batch entries, and move them to the last axis: (2, K, K, entries)."""
    p_values, is_told = test(*some)
    both = xp.stack([p_values, xp.astype(is_told, p_values.dtype)])
    return xp.permute_dims(both, (0, 2, 3, 1))
