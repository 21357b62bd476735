"""How pairs compare: violation ratios, net wins, and Welch's t of few scores.

Ranks hold their level for two samples of one distribution. But few scores with a wide
spread about the same mean as others may all lie on one side of these: 5 of them in 1 of
16 cases, and then they win all or none. So a pair with few scores is told apart by its
means, too. See docs/mathematics.md.
"""

import functools
from typing import Any, NamedTuple

from sigarray._backend.aliases import Alternative, Array
from sigarray._backend.library import Library
from sigarray._numeric.quantile import MergedSteps
from sigarray._numeric.ranks import net_wins
from sigarray._numeric.special import student_p_value
from sigarray._numeric.student import (
    Range,
    divisor_of_error,
    find_flat,
    find_t,
    infinite_if_flat,
)
from sigarray._order.pairs import Stacks, list_blocks, map_block

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
    widths = in_dtype_of(xp, steps.widths, difference)
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


def in_dtype_of(xp: Library, table: Array, x: Array) -> Array:
    return xp.astype(table, x.dtype, copy=False)


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


def compare_pairs(xp: Library, stacks: Stacks) -> list[Comparison]:
    """Compare every pair, block by block; NaN if a sorted sample is NaN."""
    compared = []
    means = {
        g: _find_means(xp, stack)
        for g, stack in enumerate(stacks)
        if stack.shape[-1] > 1 and min(x.shape[-1] for x in stacks) < _MIN_SIZE
    }
    for g, h in list_blocks(stacks):
        n, m = (stacks[place].shape[-1] for place in (g, h))
        width = min(n * m, 8 * (n + m))
        count = functools.partial(_count_wins, xp)
        wins = map_block(xp, stacks, (g, h), count, width=width)
        if not needs_means(n, m):
            compared.append(Comparison(wins))
            continue
        compare = functools.partial(_stack_means, xp, n=n, m=m)
        both = map_block(
            xp, [means[g], means[h]], (0, int(h > g)), compare, elements=12
        )
        compared.append(Comparison(wins, *(both[k, ...] for k in range(3))))
    return compared


def _count_wins(xp: Library, x: Array, y: Array) -> Array:
    fault = x[..., 0] - x[..., 0] + (y[..., 0] - y[..., 0])
    return net_wins(xp, x, y) + fault


def _stack_means(xp: Library, x: Array, y: Array, *, n: int, m: int) -> Array:
    return xp.stack(compare_means(xp, x, y, n, m))


def _find_means(xp: Library, stack: Array) -> Array:
    """Return the smallest score, the mean above it and its squared error, (..., K, 3).

    The samples are sorted, and their squares neither overflow nor underflow.
    """
    ends = Range(stack[..., 0], stack[..., -1])
    (is_flat,) = find_flat(xp, [ends.size(xp)], [ends.high - ends.low])
    unit = infinite_if_flat(xp, is_flat, xp.ones_like(ends.low))
    mean, squares = xp.relative_moments(stack, ends.low, unit)
    error = squares / divisor_of_error(stack)
    return xp.stack([ends.low, mean, error], axis=-1)


def compare_means(
    xp: Library, x: Array, y: Array, n: int, m: int
) -> tuple[Array, Array, Array]:
    """Return t, its degrees of freedom, and the share of x in the squared error."""
    difference = (x[..., 0] - y[..., 0]) + (x[..., 1] - y[..., 1])
    errors = [x[..., 2], y[..., 2]]
    t, df = find_t(xp, difference, errors, [n - 1.0, m - 1.0])
    total = errors[0] + errors[1]
    varies = total > 0.0
    share = xp.where(varies, errors[0] / xp.where(varies, total, 1.0), 1.0)
    return t, df, share


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
    return 2.0 / (1.0 / df + 1.0 / of_smaller)


def has_means_apart(pair: Comparison, p_values: Array, level: float) -> Array:
    """Tell which pairs differ in means at a level, in the direction of the net wins."""
    is_significant = p_values <= level
    return (
        is_significant
        if pair.t is None
        else is_significant & (pair.t * pair.wins >= 0.0)
    )
