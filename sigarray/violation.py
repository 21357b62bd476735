"""The violation ratio of sorted samples, and its standard error.

Samples come in stacks of shape (..., K, n), sorted: one stack of K models where all
have one size, else K stacks of one model. Results have shape (..., P), one entry for
each of the P = K (K - 1) / 2 pairs of models, in the order of `pair_of`.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from sigarray._typing import Array, Device, Namespace
from sigarray.dispatch import (
    array_kernel,
    build_tables,
    default_batch,
    device_of,
    map_batches,
    sum_batches,
    widest_float,
)
from sigarray.quantile import (
    MergedSteps,
    enumerate_resamples,
    grid_ranks,
    grid_size,
    merge_steps,
    resample_width,
    sort_scores,
    sorted_resamples,
    take_last,
)
from sigarray.rng import random_words

Stacks = Sequence[Array]
Seed = tuple[Array, Array]


def pair_of(p: Any, n_models: int) -> tuple[Any, Any]:
    """Give the two models of pair p, by cyclic shifts: every pair once, no table.

    All pairs of neighbours come first, then all that are two apart, and so on.
    """
    return p % n_models, (p + p // n_models + 1) % n_models


@array_kernel
def observed_ratios(xp: Namespace, stacks: Stacks, *, step: Fraction | None) -> Array:
    """Violation ratio of every pair, shape (..., P)."""
    stacks = [sort_scores(xp, stack) for stack in stacks]
    return _observed_ratios(xp, stacks, step)


@array_kernel
def bootstrap_ratios(
    xp: Namespace,
    stacks: Stacks,
    seed: Seed,
    start: int | Array,
    *,
    count: int,
    step: Fraction | None,
    batch: int | None,
) -> Array:
    """Violation ratios of every pair in `count` replicates: (..., P, count)."""
    stacks = [sort_scores(xp, stack) for stack in stacks]
    steps = _merged_steps(xp, stacks, step)

    def replicate(chunk_start: int | Array, size: int) -> Array:
        return _resampled_ratios(
            xp, stacks, steps, seed, start + chunk_start, size, step
        )

    batch = batch or _default_batch(xp, stacks, step)
    return map_batches(xp, replicate, count, batch)[..., :count]


@array_kernel
def ratios_and_bootstrap_errors(
    xp: Namespace,
    stacks: Stacks,
    seed: Seed,
    *,
    n_resamples: int,
    step: Fraction | None,
    batch: int | None,
) -> tuple[Array, Array]:
    """Violation ratio of every pair, and its standard deviation over resamples."""
    stacks = [sort_scores(xp, stack) for stack in stacks]
    steps = _merged_steps(xp, stacks, step)
    observed = _observed_ratios(xp, stacks, step)

    def add_up(start: int | Array, size: int) -> Array:
        ratios = _resampled_ratios(xp, stacks, steps, seed, start, size, step)
        replicates = xp.arange(size, device=device_of(xp, ratios)) + start
        weights = xp.astype(replicates < n_resamples, ratios.dtype) / n_resamples
        return _moments(xp, ratios - observed[..., None], weights)

    batch = batch or _default_batch(xp, stacks, step)
    return observed, _standard_deviation(xp, add_up, n_resamples, batch, observed)


@array_kernel
def ratios_and_exact_errors(
    xp: Namespace, stacks: Stacks, *, step: Fraction | None, batch: int | None
) -> tuple[Array, Array]:
    """Violation ratio of every pair, and its standard deviation over all resamples."""
    stacks = [sort_scores(xp, stack) for stack in stacks]
    observed = _observed_ratios(xp, stacks, step)
    errors = [
        _exact_errors(xp, x, y, steps, ratio, step, batch)
        for x, y, steps, ratio in _pairs_with_ratios(xp, stacks, observed, step)
    ]
    return observed, xp.concat(errors, axis=-1)


@array_kernel
def ratios_and_asymptotic_errors(xp: Namespace, stacks: Stacks) -> tuple[Array, Array]:
    """Violation ratio of every pair, and its standard error for large samples."""
    stacks = [sort_scores(xp, stack) for stack in stacks]
    observed = _observed_ratios(xp, stacks, None)
    errors = [
        _asymptotic_errors(xp, x, y, steps, ratio)
        for x, y, steps, ratio in _pairs_with_ratios(xp, stacks, observed, None)
    ]
    return observed, xp.concat(errors, axis=-1)


def _pair_up(xp: Namespace, stacks: Stacks) -> list[tuple[Array, Array]]:
    """Give both samples of the pairs: all at once, or one by one where sizes differ."""
    if len(stacks) == 1:
        (stack,) = stacks
        n_models = stack.shape[-2]
        pairs = xp.arange(n_models * (n_models - 1) // 2, device=device_of(xp, stack))
        first, second = pair_of(pairs, n_models)
        return [(xp.take(stack, first, axis=-2), xp.take(stack, second, axis=-2))]
    return [
        (stacks[i], stacks[j])
        for i, j in (pair_of(p, len(stacks)) for p in range(_count_pairs(stacks)))
    ]


def _count_pairs(stacks: Stacks) -> int:
    n_models = sum(int(stack.shape[-2]) for stack in stacks)
    return n_models * (n_models - 1) // 2


def _pairs_with_ratios(
    xp: Namespace, stacks: Stacks, ratios: Array, step: Fraction | None
) -> Iterator[tuple[Array, Array, MergedSteps | None, Array]]:
    """Give samples, merged steps and ratios: of all pairs at once, or one by one."""
    pairs = _pair_up(xp, stacks)
    width = ratios.shape[-1] // len(pairs)
    for p, ((x, y), steps) in enumerate(
        zip(pairs, _merged_steps(xp, stacks, step), strict=True)
    ):
        yield x, y, steps, ratios[..., p * width : (p + 1) * width]


def _merged_steps(
    xp: Namespace, stacks: Stacks, step: Fraction | None
) -> list[MergedSteps | None]:
    if len(stacks) == 1:
        return [None]
    device = device_of(xp, stacks[0])
    sizes = [grid_size(step) if step else stack.shape[-1] for stack in stacks]
    pairs = (pair_of(p, len(sizes)) for p in range(_count_pairs(stacks)))
    return [merge_steps(sizes[i], sizes[j], xp, device) for i, j in pairs]


def _observed_ratios(xp: Namespace, stacks: Stacks, step: Fraction | None) -> Array:
    steps = _merged_steps(xp, stacks, step)
    if step is not None:
        stacks = [
            take_last(
                xp, stack, grid_ranks(stack.shape[-1], step, xp, device_of(xp, stack))
            )
            for stack in stacks
        ]
    return _pairwise_ratios(xp, stacks, steps)


def _resampled_ratios(
    xp: Namespace,
    stacks: Stacks,
    steps: list[MergedSteps | None],
    seed: Seed,
    start: int | Array,
    count: int,
    step: Fraction | None,
) -> Array:
    """Resample every model once per replicate, compare all pairs: (..., P, count)."""
    columns = [s.shape[-2] * resample_width(s.shape[-1], step) for s in stacks]
    words = random_words(seed, start, count, sum(columns), xp, device_of(xp, stacks[0]))
    resamples, offset = [], 0
    for stack, width in zip(stacks, columns, strict=True):
        block = words[:, offset : offset + width]
        block = xp.reshape(block, (count, stack.shape[-2], -1))
        resamples.append(sorted_resamples(xp, stack, block, step))
        offset += width
    return xp.matrix_transpose(_pairwise_ratios(xp, resamples, steps))


def _pairwise_ratios(
    xp: Namespace, stacks: Stacks, steps: list[MergedSteps | None]
) -> Array:
    ratios = []
    for (x, y), merged in zip(_pair_up(xp, stacks), steps, strict=True):
        if merged is None:
            difference, widths = y - x, None
        else:
            difference = take_last(xp, y, merged.ranks_b)
            difference = difference - take_last(xp, x, merged.ranks_a)
            widths = _like(xp, merged.widths, x)
        ratios.append(_ratio(xp, difference, widths, axis=-1))
    return xp.concat(ratios, axis=-1)


def _ratio(
    xp: Namespace, difference: Array, widths: Array | None, *, axis: int
) -> Array:
    """Violation ratio from G^-1 - F^-1 on steps: del Barrio et al. (2018), equation 4.

    eps = int over {F^-1 < G^-1} of (F^-1 - G^-1)^2 dt / int (F^-1 - G^-1)^2 dt, exact
    for steps of these widths (equal where None); 0.5 where both functions are the same.
    """
    # Scaled, for squares of tiny or huge differences would leave the range of floats.
    largest = xp.max(xp.abs(difference), axis=axis, keepdims=True)
    difference = difference / xp.where(largest == 0.0, 1.0, largest)
    weighted = difference if widths is None else difference * widths
    violation = xp.sum(xp.clip(difference, 0.0, None) * weighted, axis=axis)
    distance = xp.sum(difference * weighted, axis=axis)
    is_zero = distance == 0.0
    return xp.where(is_zero, 0.5, violation / xp.where(is_zero, 1.0, distance))


def _like(xp: Namespace, table: Array, x: Array) -> Array:
    return xp.astype(table, x.dtype, copy=False)


def _default_batch(xp: Namespace, stacks: Stacks, step: Fraction | None) -> int:
    """Replicates that fit a chunk: their words, and the differences of every pair."""
    words = sum(s.shape[-2] * resample_width(s.shape[-1], step) for s in stacks)
    nodes = [grid_size(step) if step else stack.shape[-1] for stack in stacks]
    leading = max(math.prod(stack.shape[:-2]) for stack in stacks)
    elements = words + leading * _count_pairs(stacks) * max(nodes)
    return default_batch(xp, device_of(xp, stacks[0]), elements)


def _moments(xp: Namespace, deviations: Array, weights: Array) -> Array:
    """Sums of w d and w d^2 over the last axis, stacked on a new first one."""
    weighted = weights * deviations
    return xp.stack([xp.sum(weighted, axis=-1), xp.sum(weighted * deviations, axis=-1)])


def _standard_deviation(
    xp: Namespace,
    add_up: Callable[[Any, int], Array],
    count: int,
    batch: int,
    observed: Array,
) -> Array:
    """Standard deviation (ddof 0), from moments about the observed ratio."""
    # Zero, or NaN where the ratio is; its shape and, in shard_map, its mesh axes.
    zero = observed - observed
    sums = sum_batches(xp, add_up, count, batch, xp.stack([zero, zero]))
    return xp.sqrt(xp.clip(sums[1, ...] - sums[0, ...] ** 2, 0.0, None))


def _exact_errors(
    xp: Namespace,
    x: Array,
    y: Array,
    steps: MergedSteps | None,
    ratio: Array,
    step: Fraction | None,
    batch: int | None,
) -> Array:
    """Standard deviation of the ratio over all multisets of A and of B."""
    device = device_of(xp, x)
    ranks_a, weights_a = enumerate_resamples(x.shape[-1], xp, device)
    ranks_b, weights_b = enumerate_resamples(y.shape[-1], xp, device)
    n_a, n_b = weights_a.shape[0], weights_b.shape[0]
    weights = xp.reshape(weights_a[:, None] * weights_b[None, :], (-1,))
    weights = _like(xp, weights, x)
    if step is not None:
        ranks_a = xp.take(ranks_a, grid_ranks(x.shape[-1], step, xp, device), axis=0)
        ranks_b = xp.take(ranks_b, grid_ranks(y.shape[-1], step, xp, device), axis=0)
    widths = None
    if steps is not None:
        ranks_a = xp.take(ranks_a, steps.ranks_a, axis=0)
        ranks_b = xp.take(ranks_b, steps.ranks_b, axis=0)
        widths = _like(xp, steps.widths, x)[:, None]

    def add_up(start: int | Array, size: int) -> Array:
        combinations = xp.arange(size, device=device) + start
        is_inside = combinations < n_a * n_b
        combinations = xp.clip(combinations, None, n_a * n_b - 1)
        values_a = take_last(xp, x, xp.take(ranks_a, combinations // n_b, axis=1))
        values_b = take_last(xp, y, xp.take(ranks_b, combinations % n_b, axis=1))
        ratios = _ratio(xp, values_b - values_a, widths, axis=-2)
        chunk = xp.where(is_inside, xp.take(weights, combinations, axis=0), 0.0)
        return _moments(xp, ratios - ratio[..., None], chunk)

    leading = max(math.prod(x.shape[:-1]), math.prod(y.shape[:-1]))
    batch = batch or default_batch(xp, device, leading * ranks_a.shape[0])
    return _standard_deviation(xp, add_up, n_a * n_b, batch, ratio)


def _asymptotic_errors(
    xp: Namespace, x: Array, y: Array, steps: MergedSteps | None, ratio: Array
) -> Array:
    """Standard error by the delta method, from the Kantorovich potentials.

    sigma^2 = [var(phi_V - eps phi_W) / n + var(psi_V - eps psi_W) / m] / W2^4, where
    the potentials have the increments h(T_i - x_(i+1)) - h(T_i - x_(i)) with T_i =
    G^-1(i/n), and h(y_(j+1) - S_j) - h(y_(j) - S_j) with S_j = F^-1(j/m): del Barrio et
    al. (2018).
    """
    n, m = x.shape[-1], y.shape[-1]
    largest = xp.maximum(
        xp.max(xp.abs(x), axis=-1, keepdims=True),
        xp.max(xp.abs(y), axis=-1, keepdims=True),
    )
    largest = xp.where(largest == 0.0, 1.0, largest)
    x, y = x / largest, y / largest
    if steps is None:
        distance = xp.mean((y - x) ** 2, axis=-1)
    else:
        squares = (
            take_last(xp, y, steps.ranks_b) - take_last(xp, x, steps.ranks_a)
        ) ** 2
        distance = xp.sum(_like(xp, steps.widths, x) * squares, axis=-1)

    eps = ratio[..., None]

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


def _at_breakpoints(xp: Namespace, x: Array, n: int) -> Array:
    """Quantile function of x at 1/n, ..., (n-1)/n; the middle where it jumps."""
    m = x.shape[-1]

    def build(xp: Namespace, device: Device) -> tuple[Array, ...]:
        positions = m * xp.arange(1, n, dtype=xp.int64, device=device)
        return (positions - 1) // n, positions // n

    left, right = build_tables(build, xp, device_of(xp, x))
    return 0.5 * (take_last(xp, x, left) + take_last(xp, x, right))


def _variance_of_sums(xp: Namespace, increments: Array) -> Array:
    """Variance (ddof 0) of 0 and the cumulative sums of the increments."""
    dtype = widest_float(xp, device_of(xp, increments))
    zero = xp.zeros(
        (*increments.shape[:-1], 1),
        dtype=increments.dtype,
        device=device_of(xp, increments),
    )
    sums = xp.cumulative_sum(
        xp.concat([zero, increments], axis=-1), axis=-1, dtype=dtype
    )
    return xp.astype(xp.var(sums, axis=-1), increments.dtype)
