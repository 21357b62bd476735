"""Standard errors and tails of violation ratios.

They are those of replicates, of all resamples of few scores, or of the normal limit.
Tails go beside Student's bound, which is too low if the ratio equals the threshold.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from sigarray._backend.callers import Array
from sigarray._backend.chunks import AddUp, add_chunks
from sigarray._backend.library import Library
from sigarray._numeric.quantile import Grid, MergedSteps, merge_all_steps
from sigarray._numeric.statistic import largest_or_one
from sigarray._numeric.subsets import count_resamples, enumerate_resamples
from sigarray._order.comparison import ratio_of_samples, ratio_of_sums
from sigarray._order.pairs import (
    Block,
    Stacks,
    count_pairs,
    join,
    list_sizes,
    map_block,
)


class Estimates(NamedTuple):
    """Estimates for every pair, all of shape (..., P).

    The bounds are `ratio` + `margin`, and 1 - `ratio` + `reverse_margin` for the pair
    in the other direction.
    """

    ratio: Array
    error: Array
    margin: Array
    reverse_margin: Array


def estimate_block(
    xp: Library,
    ratio: Array,
    error: Array,
    quantile: Array | float | None,
    tails: tuple[Array, Array] | None = None,
) -> Estimates:
    """Return the estimates of a block, whose bounds are 1 without a quantile."""
    margin = reverse = error - error + 1.0 if quantile is None else quantile * error
    if tails is not None:
        low, high = tails
        margin = xp.maximum(margin, high - ratio)
        reverse = xp.maximum(reverse, ratio - low)
    return Estimates(ratio, error, margin, reverse)


def join_estimates(xp: Library, blocks: Sequence[Estimates]) -> Estimates:
    return Estimates(*[join(xp, part) for part in zip(*blocks, strict=True)])


def moments(xp: Library, deviations: Array, weights: Array | float) -> Array:
    """Return w d and w d^2, stacked on a new first axis."""
    weighted = weights * deviations
    return xp.stack([weighted, weighted * deviations])


def standard_deviation(
    xp: Library,
    add_moments: Callable[[Any, int, AddUp], Array],
    count: int,
    observed: Array,
    elements: int,
    batch: int | None = None,
) -> Array:
    """Return the standard deviation (ddof 0) from moments about the observed ratio."""
    # 0, or NaN where the ratio is NaN; with its shape and, in shard_map, its mesh axes.
    zero = observed - observed
    sums = add_chunks(
        xp,
        add_moments,
        count,
        initial=xp.stack([zero, zero]),
        elements=elements,
        batch=batch,
    )
    return xp.sqrt(xp.clip(sums[1, ...] - sums[0, ...] ** 2, 0.0, None))


def deviation_of(xp: Library, replicates: Array, ratio: Array) -> Array:
    """Return the standard deviation (ddof 0) of replicates about the observed ratio."""
    deviations = replicates - ratio[..., None]
    mean = xp.mean(deviations, axis=-1)
    variance = xp.mean(deviations * deviations, axis=-1) - mean**2
    return xp.sqrt(xp.clip(variance, 0.0, None))


# The least scores of each sample, the least replicates beyond a percentile, and the
# most replicates of all pairs that are held.
_MIN_SIZE, _MIN_BEYOND, _MAX_RATIOS = 20, 20, 2**16


def has_percentiles(n: int, m: int, n_pairs: int, n_resamples: int) -> bool:
    """Tell whether a pair of these sizes has percentiles, given the number of pairs.

    The number of batch entries does not matter, because results do not depend on it.
    """
    return min(n, m) >= _MIN_SIZE and n_pairs * n_resamples <= _MAX_RATIOS


def has_any_percentiles(stacks: Stacks, n_resamples: int) -> bool:
    *_, n, m = sorted(list_sizes(stacks))
    return has_percentiles(n, m, count_pairs(stacks), n_resamples)


def count_beyond(level: float, n_resamples: int) -> int:
    """Count the replicates from the percentile on: a share of `level` of them.

    The least number is `_MIN_BEYOND`, so that chance does not decide.
    """
    count = math.floor(level * (n_resamples + 1) + 1e-9)
    return min(max(count, _MIN_BEYOND), n_resamples)


def find_tails(xp: Library, replicates: Array, level: float) -> tuple[Array, Array]:
    """Return the replicates beyond which there is a share of `level`, on each side."""
    count = replicates.shape[-1]
    n_beyond = count_beyond(level, count)
    return (
        xp.nth_smallest(replicates, n_beyond)[..., 0],
        xp.nth_smallest(replicates, count + 1 - n_beyond)[..., 0],
    )


# Tables of this many numbers are kept on the host: half a megabyte.
_MAX_KEPT = 2**16


def exact_errors(
    xp: Library, stacks: Stacks, block: Block, ratios: Array, grid: Grid | None
) -> Array:
    """Return the standard deviation of the ratio over all multisets of A and of B.

    A step compares one of n scores of A with one of m of B, so that the integrals are
    sums over a table of n m squares, of which those of a score in the more numerous
    multisets are rows.
    """
    n, m = (stacks[place].shape[-1] for place in block)
    sizes = n, m, grid, stacks[0].dtype
    is_small = count_resamples(max(n, m)) * max(n, m) * (n + m) <= _MAX_KEPT
    tables = _Tables(
        *(xp.kept_tables(_list, *sizes) if is_small else _list(xp, *sizes))
    )
    resamples = _AllResamples(xp, tables, max(n, m), m > n)
    n_scores, (n_rows, n_nodes) = max(n, m), tables.rows.shape
    elements = tables.columns.shape[-1] * (n_rows + 2 * n_scores * n_nodes)
    return map_block(xp, stacks, block, resamples.find_error, ratios, elements=elements)


class _Tables(NamedTuple):
    """All multisets of two samples, with weights; the more numerous ones are rows.

    Ranks are (rows, nodes) and (nodes, columns). Widths (nodes, 1), if any, are those
    of steps.
    """

    rows: Array
    weights_of_rows: Array
    columns: Array
    weights_of_columns: Array
    widths: Array | None = None


def _list(xp: Library, n: int, m: int, grid: Grid | None, dtype: Any) -> _Tables:
    tables = {size: enumerate_resamples(xp, size) for size in {n, m}}
    (ranks_a, weights_a), (ranks_b, weights_b) = (
        (ranks, xp.astype(weights, dtype, copy=False))
        for ranks, weights in (tables[n], tables[m])
    )
    widths = None
    if n != m or grid is not None:
        steps = merge_all_steps(xp, n, m, grid)
        ranks_a = xp.take(ranks_a, steps.ranks_a, axis=0)
        ranks_b = xp.take(ranks_b, steps.ranks_b, axis=0)
        widths = xp.astype(steps.widths, dtype, copy=False)[:, None]
    if m > n:
        ranks_a, weights_a, ranks_b, weights_b = ranks_b, weights_b, ranks_a, weights_a
    rows = xp.contiguous(xp.matrix_transpose(ranks_a))
    return _Tables(rows, weights_a, ranks_b, weights_b, widths)


@dataclass(frozen=True, eq=False)
class _AllResamples:
    """All multisets of two samples, of which the larger one has `n_scores`."""

    xp: Library
    tables: _Tables
    n_scores: int
    has_rows_of_b: bool

    def find_error(self, x: Array, y: Array, center: Array) -> Array:
        xp = self.xp
        differences = y[..., None, :] - x[..., :, None]
        if self.has_rows_of_b:
            differences = xp.matrix_transpose(differences)
        above = xp.clip(differences, 0.0, None)
        squares = xp.stack([above * above, differences * differences])
        # (2, ..., scores, nodes, columns)
        steps = xp.take_last(squares, self.tables.columns)
        if self.tables.widths is not None:
            steps *= self.tables.widths
        n_nodes, n_columns = self.tables.columns.shape
        shape = (*steps.shape[:-3], self.n_scores * n_nodes, n_columns)
        add_moments = _MomentsOfRows(self, xp.reshape(steps, shape), center)
        # Elements are the sums, and the selection of their scores.
        elements = math.prod(center.shape) * 4 * n_columns + self.n_scores * n_nodes
        n_rows = self.tables.rows.shape[0]
        return standard_deviation(xp, add_moments, n_rows, center, elements)


@dataclass(frozen=True, eq=False)
class _MomentsOfRows:
    """Moments of ratios of some of the more numerous multisets with all others.

    Steps (2, ..., scores * nodes, columns) are those of violations and of distances.
    """

    resamples: _AllResamples
    steps: Array
    center: Array

    def __call__(self, start: int | Array, size: int, add_up: AddUp) -> Array:
        xp = self.resamples.xp
        ranks, weights = self._take_rows(start, size)
        of_columns = self.resamples.tables.weights_of_columns
        sums = xp.sum_deviations(self.steps, ranks, self.center, of_columns)
        if sums is None:
            both = xp.sum_rows(self.steps, ranks)
            ratios = ratio_of_sums(xp, both[0, ...], both[1, ...])
            deviations = ratios - self.center[..., None, None]
            weighted = of_columns * deviations
            # In a product of matrices, threads may change the order of sums.
            parts = [xp.sum(x, axis=-1) for x in (weighted, weighted * deviations)]
            sums = xp.stack(parts)
        return add_up(weights * sums)

    def _take_rows(self, start: int | Array, size: int) -> tuple[Array, Array]:
        xp, (ranks, weights, *_) = self.resamples.xp, self.resamples.tables
        if isinstance(start, int):
            return ranks[start : start + size, :], weights[start : start + size]
        rows = xp.clip(xp.arange(size) + start, None, weights.shape[0] - 1)
        return xp.take(ranks, rows, axis=0), xp.take(weights, rows, axis=0)


def asymptotic_error(
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
        widths = xp.astype(steps.widths, x.dtype, copy=False)
        distance = xp.sum(widths * squares, axis=-1)

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
