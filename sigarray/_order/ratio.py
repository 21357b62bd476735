"""Violation ratios of sorted samples, observed and resampled, for all pairs of models.

Stacks of samples and the shapes of results are those of `sigarray._order.pairs`.
"""

import functools
import itertools
import math
from collections.abc import Sequence

import numpy as np

from sigarray._backend.aliases import Array, Namespace, Seed
from sigarray._backend.chunks import map_replicates
from sigarray._backend.libraries import array_kernel, clip, device_of, take_last
from sigarray._backend.seeds import stream_seeds
from sigarray._backend.threefry import random_uniforms
from sigarray._numeric.quantile import (
    Grid,
    MergedSteps,
    grid_ranks,
    grid_widths,
    merge_steps,
    resample_width,
    sort_scores,
    sorted_resamples,
)
from sigarray._numeric.statistic import largest_or_one
from sigarray._order.pairs import (
    Block,
    Stacks,
    count_pairs,
    join,
    list_blocks,
    map_block,
)

# The streams of random numbers of the models of each stack.
Streams = tuple[tuple[int, ...], ...]
Steps = dict[Block, MergedSteps | None]


def merge_pairs(
    xp: Namespace, stacks: Stacks, blocks: Sequence[Block], grid: Grid | None
) -> Steps:
    """Merge the steps of the stacks of every block."""
    device = device_of(xp, stacks[0])
    if grid is not None:
        widths = grid_widths(xp, device, grid)
        merged = None if widths is None else MergedSteps(None, None, widths)
        return dict.fromkeys(blocks, merged)
    sizes = [stack.shape[-1] for stack in stacks]
    return {(g, h): merge_steps(xp, device, sizes[g], sizes[h]) for g, h in blocks}


@array_kernel
def observed_ratios(xp: Namespace, stacks: Stacks, *, grid: Grid | None) -> Array:
    """Violation ratio of every pair, shape (..., P)."""
    stacks = [sort_scores(xp, stack) for stack in stacks]
    steps = merge_pairs(xp, stacks, list_blocks(stacks), grid)
    return join(xp, ratios_of_blocks(xp, stacks, steps, grid))


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
    seeds = seed_stacks(xp, seed, streams)
    steps = merge_pairs(xp, stacks, list_blocks(stacks), grid)

    def replicate(chunk_start: int | Array, size: int) -> Array:
        ratios = resampled_ratios(
            xp, stacks, steps, seeds, start + chunk_start, size, grid
        )
        return join(xp, ratios, axis=-2)

    return map_replicates(
        xp,
        device_of(xp, stacks[0]),
        replicate,
        count,
        elements=count_elements(stacks, grid),
        batch=batch,
    )


def seed_stacks(xp: Namespace, seed: Seed, streams: Streams) -> list[Seed]:
    """Give the seeds of the models of each stack, by their streams."""
    every = [stream for group in streams for stream in group]
    low, high = stream_seeds(xp, seed, every)
    ends = itertools.accumulate(map(len, streams))
    return [
        (low[end - len(group) : end, :], high[end - len(group) : end, :])
        for end, group in zip(ends, streams, strict=True)
    ]


def ratios_of_blocks(
    xp: Namespace, stacks: Stacks, steps: Steps, grid: Grid | None
) -> list[Array]:
    """Violation ratio of every pair of sorted samples, block by block."""
    if grid is not None:
        device = device_of(xp, stacks[0])
        stacks = [
            take_last(xp, stack, grid_ranks(xp, device, stack.shape[-1], grid))
            for stack in stacks
        ]
    return _compare_blocks(xp, stacks, steps)


def resampled_ratios(
    xp: Namespace,
    stacks: Stacks,
    steps: Steps,
    seeds: Sequence[Seed],
    start: int | Array,
    count: int,
    grid: Grid | None,
) -> list[Array]:
    """Resample every model once per replicate, compare all pairs: (..., P, count)."""
    uniforms = _draw_uniforms(xp, stacks, seeds, start, count, grid)
    resamples = [
        sorted_resamples(xp, stack, own, grid)
        for stack, own in zip(stacks, uniforms, strict=True)
    ]
    return [xp.matrix_transpose(x) for x in _compare_blocks(xp, resamples, steps)]


def _compare_blocks(xp: Namespace, stacks: Stacks, steps: Steps) -> list[Array]:
    """Violation ratio of every pair of samples that are sorted, or at their grid."""
    return [
        map_block(xp, stacks, block, functools.partial(ratio_of_samples, xp, merged))
        for block, merged in steps.items()
    ]


def _draw_uniforms(
    xp: Namespace,
    stacks: Stacks,
    seeds: Sequence[Seed],
    start: int | Array,
    count: int,
    grid: Grid | None,
) -> list[Array]:
    """Draw (count, K, width) for each stack, at once where widths are one."""
    widths = [resample_width(stack.shape[-1], grid) for stack in stacks]
    if len(stacks) == 1 or len(set(widths)) > 1:
        return [
            random_uniforms(xp, seed, start, count, width)
            for seed, width in zip(seeds, widths, strict=True)
        ]
    every = (xp.concat([x for x, _ in seeds]), xp.concat([x for _, x in seeds]))
    uniforms = random_uniforms(xp, every, start, count, widths[0])
    ends = itertools.accumulate(stack.shape[-2] for stack in stacks)
    return [
        uniforms[:, end - stack.shape[-2] : end, :]
        for end, stack in zip(ends, stacks, strict=True)
    ]


def ratio_of_samples(
    xp: Namespace, steps: MergedSteps | None, x: Array, y: Array
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
    unit = largest_or_one(xp, difference, axis=axis)
    difference = difference / xp.expand_dims(unit, axis=axis)
    weighted = difference if widths is None else difference * widths
    violation = xp.sum(clip(xp, difference, 0.0, None) * weighted, axis=axis)
    distance = xp.sum(difference * weighted, axis=axis)
    is_zero = distance == 0.0
    # XLA may add up both in different orders, and 1 - eps is the other direction.
    ratio = clip(xp, violation / xp.where(is_zero, 1.0, distance), None, 1.0)
    return xp.where(is_zero, 0.5, ratio)


def count_elements(stacks: Stacks, grid: Grid | None) -> int:
    """Count what a replicate holds: its uniforms, and the differences of every pair."""
    uniforms = sum(s.shape[-2] * resample_width(s.shape[-1], grid) for s in stacks)
    nodes = [grid.size if grid else stack.shape[-1] for stack in stacks]
    leading = np.broadcast_shapes(*(stack.shape[:-2] for stack in stacks))
    n_differences = math.prod(leading) * count_pairs(stacks) * max(nodes)
    return int(uniforms + n_differences)


def in_dtype_of(xp: Namespace, table: Array, x: Array) -> Array:
    """Give the table in the dtype of the scores."""
    return xp.astype(table, x.dtype, copy=False)
