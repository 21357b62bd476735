"""Violation ratios of sorted samples, observed and resampled, for all pairs of models.

Samples come in stacks of shape (..., K, n), one stack for each size of sample. Results
have shape (..., P), one entry for each pair of models, in the order of `map_pairs`.
"""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from sigarray._typing import Array, Namespace, Seed
from sigarray.dispatch import array_kernel, default_batch, device_of, map_batches
from sigarray.quantile import (
    MergedSteps,
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
# Merged steps of two stacks, by their places.
Steps = dict[tuple[int, int], MergedSteps | None]

PairFunction = Callable[[Array, Array, MergedSteps | None], Array]

# Differences of quantile functions that are held at a time, to bound memory.
_MAX_DIFFERENCES = 2**21


def pair_of(p: Any, n_models: int) -> tuple[Any, Any]:
    """Give the two models of pair p, by cyclic shifts: every pair once, no table.

    All pairs of neighbours come first, then all that are two apart, and so on.
    """
    return p % n_models, (p + p // n_models + 1) % n_models


def map_pairs(
    xp: Namespace,
    stacks: Stacks,
    steps: Steps,
    function: PairFunction,
) -> Array:
    """Apply `function(x, y, steps)` to all pairs, in blocks: result of shape (..., P).

    For each stack, the pairs within it come first, in the order of `pair_of`; then
    those with each of the later stacks, row by row.
    """
    results = []
    for g, stack in enumerate(stacks):
        for x, y in _pairs_within(xp, stack):
            results.append(_by_halves(xp, function, x, y, None))
        for h in range(g + 1, len(stacks)):
            x, y = stack[..., :, None, :], stacks[h][..., None, :, :]
            result = _by_halves(xp, function, x, y, steps[g, h])
            n_pairs = stack.shape[-2] * stacks[h].shape[-2]
            results.append(xp.reshape(result, (*result.shape[:-2], n_pairs)))
    return results[0] if len(results) == 1 else xp.concat(results, axis=-1)


def _by_halves(
    xp: Namespace,
    function: PairFunction,
    x: Array,
    y: Array,
    steps: MergedSteps | None,
) -> Array:
    """Apply the function by halves where few scores broadcast to many differences."""
    shape = np.broadcast_shapes(x.shape[:-1], y.shape[:-1])
    n_differences = math.prod(shape) * max(x.shape[-1], y.shape[-1])
    n_scores = math.prod(x.shape) + math.prod(y.shape)
    if max(shape) == 1 or n_differences <= max(_MAX_DIFFERENCES, n_scores):
        return function(x, y, steps)
    axis = shape.index(max(shape)) - len(shape)
    halves = zip(_halve(x, axis), _halve(y, axis), strict=True)
    results = [_by_halves(xp, function, *half, steps) for half in halves]
    return xp.concat(results, axis=axis)


def _halve(x: Array, axis: int) -> tuple[Array, Array]:
    """Split samples along a leading axis, from the last; twice all where it is 1."""
    if x.ndim <= -axis or x.shape[axis - 1] == 1:
        return x, x
    middle = x.shape[axis - 1] // 2
    after = (slice(None),) * -axis
    return x[..., :middle, *after], x[..., middle:, *after]


def _pairs_within(xp: Namespace, stack: Array) -> Iterator[tuple[Array, Array]]:
    """Give both samples (..., block, n) of the pairs, in blocks that bound memory."""
    n_models = stack.shape[-2]
    n_pairs = n_models * (n_models - 1) // 2
    block = max(1, _MAX_DIFFERENCES * n_models // max(1, math.prod(stack.shape)))
    for start in range(0, n_pairs, block):
        stop = min(start + block, n_pairs)
        pairs = xp.arange(start, stop, device=device_of(xp, stack))
        first, second = pair_of(pairs, n_models)
        yield xp.take(stack, first, axis=-2), xp.take(stack, second, axis=-2)


def orient(stacks: Stacks, higher_is_better: bool) -> Stacks:
    """Turn losses into scores of which the higher are better."""
    return stacks if higher_is_better else [-stack for stack in stacks]


def count_pairs(stacks: Stacks) -> int:
    """Count the pairs of models."""
    n_models = sum(int(stack.shape[-2]) for stack in stacks)
    return n_models * (n_models - 1) // 2


def merge_pairs(xp: Namespace, stacks: Stacks, step: Fraction | None) -> Steps:
    """Merge the steps of every two stacks."""
    sizes = [grid_size(step) if step else stack.shape[-1] for stack in stacks]
    device = device_of(xp, stacks[0])
    return {
        (g, h): merge_steps(sizes[g], sizes[h], xp, device)
        for g in range(len(sizes))
        for h in range(g + 1, len(sizes))
    }


@array_kernel
def observed_ratios(xp: Namespace, stacks: Stacks, *, step: Fraction | None) -> Array:
    """Violation ratio of every pair, shape (..., P)."""
    stacks = [sort_scores(xp, stack) for stack in stacks]
    return ratios_of_pairs(xp, stacks, merge_pairs(xp, stacks, step), step)


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
    steps = merge_pairs(xp, stacks, step)

    def replicate(chunk_start: int | Array, size: int) -> Array:
        return resampled_ratios(
            xp, stacks, steps, seed, start + chunk_start, size, step
        )

    batch = batch or default_replicates(xp, stacks, step)
    return map_batches(xp, replicate, count, batch)[..., :count]


def ratios_of_pairs(
    xp: Namespace, stacks: Stacks, steps: Steps, step: Fraction | None
) -> Array:
    """Violation ratio of every pair of sorted samples."""
    if step is not None:
        stacks = [
            take_last(
                xp, stack, grid_ranks(stack.shape[-1], step, xp, device_of(xp, stack))
            )
            for stack in stacks
        ]
    return map_pairs(xp, stacks, steps, functools.partial(ratio_of_samples, xp))


def resampled_ratios(
    xp: Namespace,
    stacks: Stacks,
    steps: Steps,
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
    ratio = functools.partial(ratio_of_samples, xp)
    return xp.matrix_transpose(map_pairs(xp, resamples, steps, ratio))


def ratio_of_samples(
    xp: Namespace, x: Array, y: Array, steps: MergedSteps | None
) -> Array:
    """Violation ratio of sorted samples (..., n) and (..., m), which broadcast."""
    if steps is None:
        return ratio_of_differences(xp, y - x, None, axis=-1)
    difference = take_last(xp, y, steps.ranks_b) - take_last(xp, x, steps.ranks_a)
    widths = in_dtype_of(xp, steps.widths, x)
    return ratio_of_differences(xp, difference, widths, axis=-1)


def ratio_of_differences(
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
    # XLA may add up both in different orders, and 1 - eps is the other direction.
    ratio = xp.clip(violation / xp.where(is_zero, 1.0, distance), None, 1.0)
    return xp.where(is_zero, 0.5, ratio)


def default_replicates(xp: Namespace, stacks: Stacks, step: Fraction | None) -> int:
    """Replicates that fit a chunk: their words, and the differences of every pair."""
    words = sum(s.shape[-2] * resample_width(s.shape[-1], step) for s in stacks)
    nodes = [grid_size(step) if step else stack.shape[-1] for stack in stacks]
    leading = np.broadcast_shapes(*(stack.shape[:-2] for stack in stacks))
    elements = words + math.prod(leading) * count_pairs(stacks) * max(nodes)
    return default_batch(xp, device_of(xp, stacks[0]), elements)


def in_dtype_of(xp: Namespace, table: Array, x: Array) -> Array:
    """Give the table in the dtype of the scores."""
    return xp.astype(table, x.dtype, copy=False)
