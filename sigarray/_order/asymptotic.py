"""Standard errors of violation ratios by their normal limit."""

import functools

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._numeric.quantile import MergedSteps
from sigarray._numeric.statistic import largest_or_one
from sigarray._order.pairs import Block, Stacks, map_block
from sigarray._order.violation import in_dtype_of, ratio_of_samples


def asymptotic_errors(
    xp: Library, stacks: Stacks, block: Block, steps: MergedSteps | None
) -> Array:
    """Return standard errors by the delta method, pair by pair."""
    find_error = functools.partial(_asymptotic_error, xp, steps)
    return map_block(xp, stacks, block, find_error)


def _asymptotic_error(
    xp: Library, steps: MergedSteps | None, x: Array, y: Array
) -> Array:
    """Return the standard error by the delta method, from the Kantorovich potentials.

    sigma^2 = [var(phi_V - eps phi_W) / n + var(psi_V - eps psi_W) / m] / W2^4, where
    the potentials have the increments h(T_i - x_(i+1)) - h(T_i - x_(i)) with T_i =
    G^-1(i/n), and h(y_(j+1) - S_j) - h(y_(j) - S_j) with S_j = F^-1(j/m): del Barrio et
    al. (2018).
    """
    n, m = x.shape[-1], y.shape[-1]
    # Added to the level of the scores, small differences would be lost.
    lowest = xp.minimum(x[..., :1], y[..., :1])
    x, y = x - lowest, y - lowest
    unit = largest_or_one(xp, x[..., -1:], y[..., -1:])[..., None]
    x, y = x / unit, y / unit
    if steps is None:
        distance = xp.mean((y - x) ** 2, axis=-1)
    else:
        squares = (xp.take_last(y, steps.ranks_b) - xp.take_last(x, steps.ranks_a)) ** 2
        distance = xp.sum(in_dtype_of(xp, steps.widths, x) * squares, axis=-1)

    eps = ratio_of_samples(xp, steps, x, y)[..., None]

    def cost(u: Array) -> Array:
        return xp.clip(u, 0.0, None) ** 2 - eps * u * u

    transported = _at_breakpoints(xp, y, n)
    variance = _variance_of_sums(
        xp, cost(transported - x[..., 1:]) - cost(transported - x[..., :-1])
    )
    transported = _at_breakpoints(xp, x, m)
    variance_b = _variance_of_sums(
        xp, cost(y[..., 1:] - transported) - cost(y[..., :-1] - transported)
    )
    is_zero = distance == 0.0
    error = xp.sqrt(variance / n + variance_b / m) / xp.where(is_zero, 1.0, distance)
    return xp.where(is_zero, 0.0, error)


def _at_breakpoints(xp: Library, x: Array, n: int) -> Array:
    """Return the quantile function of x at 1/n, ..., (n-1)/n; the middle of jumps."""
    m = x.shape[-1]

    def build(xp: Library) -> tuple[Array, ...]:
        positions = m * xp.arange(1, n, dtype=xp.int64)
        return (positions - 1) // n, positions // n

    left, right = xp.build_tables(build)
    return 0.5 * (xp.take_last(x, left) + xp.take_last(x, right))


def _variance_of_sums(xp: Library, increments: Array) -> Array:
    """Return the variance (ddof 0) of 0 and the cumulative sums of the increments."""
    dtype = xp.widest_float
    zero = xp.zeros((*increments.shape[:-1], 1), dtype=increments.dtype)
    sums = xp.cumulative_sum(
        xp.concat([zero, increments], axis=-1), axis=-1, dtype=dtype
    )
    deviations = sums - xp.mean(sums, axis=-1, keepdims=True)
    variance = xp.mean(deviations * deviations, axis=-1)
    return xp.astype(variance, increments.dtype)
