"""Violation ratios of sorted samples, observed and resampled, for all pairs of models.

Samples come in stacks of shape (..., K, n), one stack for each size of sample. Results
have shape (..., P), one entry for each pair of models, in the order of `list_blocks`.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from sigarray._backend.aliases import Array, Namespace, Seed
from sigarray._backend.dispatch import (
    array_kernel,
    default_batch,
    device_of,
    map_batches,
)
from sigarray._backend.threefry import random_words, stream_seeds
from sigarray._numeric.quantile import (
    Grid,
    MergedSteps,
    grid_ranks,
    grid_widths,
    merge_steps,
    resample_width,
    sort_scores,
    sorted_resamples,
    take_last,
)

Stacks = Sequence[Array]
# The streams of random numbers of the models of each stack.
Streams = tuple[tuple[int, ...], ...]
# Places of two stacks: the pairs within one, or between both.
Block = tuple[int, int]
Steps = dict[Block, MergedSteps | None]
PairFunction = Callable[[Array, Array, MergedSteps | None], Array]

# Differences of quantile functions that are held at a time, to bound memory.
_MAX_DIFFERENCES = 2**21


def list_blocks(stacks: Stacks) -> list[Block]:
    """Give the blocks of pairs: for each stack within it, then with all later ones."""
    return [
        (g, h)
        for g, stack in enumerate(stacks)
        for h in range(g, len(stacks))
        if h > g or stack.shape[-2] > 1
    ]


def pair_of(p: Any, n_models: int) -> tuple[Any, Any]:
    """Give the two models of pair p, by cyclic shifts: every pair once, no table.

    All pairs of neighbours come first, then all that are two apart, and so on.
    """
    return p % n_models, (p + p // n_models + 1) % n_models


def map_block(
    xp: Namespace, stacks: Stacks, block: Block, steps: Steps, function: PairFunction
) -> Array:
    """Apply `function(x, y, steps)` to all pairs of a block: result of shape (..., P).

    Pairs within a stack are in the order of `pair_of`, those of two go row by row.
    """
    g, h = block
    if g == h:
        results = [
            _by_halves(xp, function, x, y, steps[block])
            for x, y in _pairs_within(xp, stacks[g])
        ]
        return results[0] if len(results) == 1 else xp.concat(results, axis=-1)
    x, y = stacks[g][..., :, None, :], stacks[h][..., None, :, :]
    result = _by_halves(xp, function, x, y, steps[block])
    n_pairs = stacks[g].shape[-2] * stacks[h].shape[-2]
    return xp.reshape(result, (*result.shape[:-2], n_pairs))


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


def merge_pairs(
    xp: Namespace, stacks: Stacks, blocks: Sequence[Block], grid: Grid | None
) -> Steps:
    """Merge the steps of the stacks of every block."""
    device = device_of(xp, stacks[0])
    if grid is not None:
        widths = grid_widths(grid, xp, device)
        merged = None if widths is None else MergedSteps(None, None, widths)
        return dict.fromkeys(blocks, merged)
    sizes = [stack.shape[-1] for stack in stacks]
    return {(g, h): merge_steps(sizes[g], sizes[h], xp, device) for g, h in blocks}


@array_kernel
def observed_ratios(xp: Namespace, stacks: Stacks, *, grid: Grid | None) -> Array:
    """Violation ratio of every pair, shape (..., P)."""
    stacks = [sort_scores(xp, stack) for stack in stacks]
    return join(xp, ratios_of_blocks(xp, stacks, list_blocks(stacks), grid))


@array_kernel
def bootstrap_ratios(
    xp: Namespace,
    stacks: Stacks,
    seed: Seed,
    start: int | Array,
    *,
    streams: Streams,
    count: int,
    grid: Grid | None,
    batch: int | None,
) -> Array:
    """Violation ratios of every pair in `count` replicates: (..., P, count)."""
    stacks = [sort_scores(xp, stack) for stack in stacks]
    seeds = seed_stacks(xp, stacks, seed, streams)
    blocks = list_blocks(stacks)
    steps = merge_pairs(xp, stacks, blocks, grid)

    def replicate(chunk_start: int | Array, size: int) -> Array:
        ratios = resampled_ratios(
            xp, stacks, blocks, steps, seeds, start + chunk_start, size, grid
        )
        return join(xp, ratios, axis=-2)

    batch = batch or default_replicates(xp, stacks, grid)
    return map_batches(xp, replicate, count, batch)[..., :count]


def join(xp: Namespace, parts: Sequence[Array], axis: int = -1) -> Array:
    """Put the results of blocks side by side."""
    return parts[0] if len(parts) == 1 else xp.concat(parts, axis=axis)


def seed_stacks(
    xp: Namespace, stacks: Stacks, seed: Seed, streams: Streams
) -> list[Seed]:
    """Give the seeds of the models of each stack, by their streams."""
    device = device_of(xp, stacks[0])
    every = [stream for group in streams for stream in group]
    low, high = stream_seeds(seed, every, xp, device)
    ends = itertools.accumulate(map(len, streams))
    return [
        (low[end - len(group) : end, :], high[end - len(group) : end, :])
        for end, group in zip(ends, streams, strict=True)
    ]


def ratios_of_blocks(
    xp: Namespace, stacks: Stacks, blocks: Sequence[Block], grid: Grid | None
) -> list[Array]:
    """Violation ratio of every pair of sorted samples, block by block."""
    steps = merge_pairs(xp, stacks, blocks, grid)
    if grid is not None:
        device = device_of(xp, stacks[0])
        stacks = [
            take_last(xp, stack, grid_ranks(stack.shape[-1], grid, xp, device))
            for stack in stacks
        ]
    ratio = functools.partial(ratio_of_samples, xp)
    return [map_block(xp, stacks, block, steps, ratio) for block in blocks]


def resampled_ratios(
    xp: Namespace,
    stacks: Stacks,
    blocks: Sequence[Block],
    steps: Steps,
    seeds: Sequence[Seed],
    start: int | Array,
    count: int,
    grid: Grid | None,
) -> list[Array]:
    """Resample every model once per replicate, compare all pairs: (..., P, count)."""
    words = _words_of_stacks(xp, stacks, seeds, start, count, grid)
    resamples = [
        sorted_resamples(xp, stack, own, grid)
        for stack, own in zip(stacks, words, strict=True)
    ]
    ratio = functools.partial(ratio_of_samples, xp)
    return [
        xp.matrix_transpose(map_block(xp, resamples, block, steps, ratio))
        for block in blocks
    ]


def _words_of_stacks(
    xp: Namespace,
    stacks: Stacks,
    seeds: Sequence[Seed],
    start: int | Array,
    count: int,
    grid: Grid | None,
) -> list[Array]:
    """Draw words (count, K, width) for each stack, at once where widths are one."""
    device = device_of(xp, stacks[0])
    widths = [resample_width(stack.shape[-1], grid) for stack in stacks]
    if len(stacks) == 1 or len(set(widths)) > 1:
        return [
            random_words(seed, start, count, width, xp, device)
            for seed, width in zip(seeds, widths, strict=True)
        ]
    every = (xp.concat([x for x, _ in seeds]), xp.concat([x for _, x in seeds]))
    words = random_words(every, start, count, widths[0], xp, device)
    ends = itertools.accumulate(stack.shape[-2] for stack in stacks)
    return [
        words[:, end - stack.shape[-2] : end, :]
        for end, stack in zip(ends, stacks, strict=True)
    ]


def ratio_of_samples(
    xp: Namespace, x: Array, y: Array, steps: MergedSteps | None
) -> Array:
    """Violation ratio of sorted samples (..., n) and (..., m), which broadcast."""
    if steps is None:
        return ratio_of_differences(xp, y - x, None, axis=-1)
    if steps.ranks_a is not None and steps.ranks_b is not None:
        x, y = take_last(xp, x, steps.ranks_a), take_last(xp, y, steps.ranks_b)
    widths = in_dtype_of(xp, steps.widths, x)
    return ratio_of_differences(xp, y - x, widths, axis=-1)


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


def default_replicates(xp: Namespace, stacks: Stacks, grid: Grid | None) -> int:
    """Replicates that fit a chunk: their words, and the differences of every pair."""
    words = sum(s.shape[-2] * resample_width(s.shape[-1], grid) for s in stacks)
    nodes = [grid.size if grid else stack.shape[-1] for stack in stacks]
    leading = np.broadcast_shapes(*(stack.shape[:-2] for stack in stacks))
    elements = words + math.prod(leading) * count_pairs(stacks) * max(nodes)
    return default_batch(xp, device_of(xp, stacks[0]), elements)


def in_dtype_of(xp: Namespace, table: Array, x: Array) -> Array:
    """Give the table in the dtype of the scores."""
    return xp.astype(table, x.dtype, copy=False)
