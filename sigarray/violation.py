"""Violation ratios of sorted samples, observed and resampled, for all pairs of models.

Samples come in stacks of shape (..., K, n): one stack of K models where all have one
size, else K stacks of one model. Results have shape (..., P), one entry for each of the
P = K (K - 1) / 2 pairs of models, in the order of `pair_of`.
"""

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from sigarray._typing import Array, Namespace
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
Seed = tuple[Array, Array]


def pair_of(p: Any, n_models: int) -> tuple[Any, Any]:
    """Give the two models of pair p, by cyclic shifts: every pair once, no table.

    All pairs of neighbours come first, then all that are two apart, and so on.
    """
    return p % n_models, (p + p // n_models + 1) % n_models


def pair_up(xp: Namespace, stacks: Stacks) -> list[tuple[Array, Array]]:
    """Give both samples of the pairs: all at once, or one by one where sizes differ."""
    if len(stacks) == 1:
        (stack,) = stacks
        n_models = stack.shape[-2]
        pairs = xp.arange(n_models * (n_models - 1) // 2, device=device_of(xp, stack))
        first, second = pair_of(pairs, n_models)
        return [(xp.take(stack, first, axis=-2), xp.take(stack, second, axis=-2))]
    return [
        (stacks[i], stacks[j])
        for i, j in (pair_of(p, len(stacks)) for p in range(count_pairs(stacks)))
    ]


def count_pairs(stacks: Stacks) -> int:
    """Count the pairs of models."""
    n_models = sum(int(stack.shape[-2]) for stack in stacks)
    return n_models * (n_models - 1) // 2


def merge_pairs(
    xp: Namespace, stacks: Stacks, step: Fraction | None
) -> list[MergedSteps | None]:
    """Merge the steps of all pairs at once, or one by one where sizes differ."""
    if len(stacks) == 1:
        return [None]
    device = device_of(xp, stacks[0])
    sizes = [grid_size(step) if step else stack.shape[-1] for stack in stacks]
    pairs = (pair_of(p, len(sizes)) for p in range(count_pairs(stacks)))
    return [merge_steps(sizes[i], sizes[j], xp, device) for i, j in pairs]


def pairs_with_ratios(
    xp: Namespace, stacks: Stacks, ratios: Array, step: Fraction | None
) -> Iterator[tuple[Array, Array, MergedSteps | None, Array]]:
    """Give samples, merged steps and ratios: of all pairs at once, or one by one."""
    pairs = pair_up(xp, stacks)
    width = ratios.shape[-1] // len(pairs)
    for p, ((x, y), steps) in enumerate(
        zip(pairs, merge_pairs(xp, stacks, step), strict=True)
    ):
        yield x, y, steps, ratios[..., p * width : (p + 1) * width]


@array_kernel
def observed_ratios(xp: Namespace, stacks: Stacks, *, step: Fraction | None) -> Array:
    """Violation ratio of every pair, shape (..., P)."""
    stacks = [sort_scores(xp, stack) for stack in stacks]
    return ratios_of_pairs(xp, stacks, step)


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


def ratios_of_pairs(xp: Namespace, stacks: Stacks, step: Fraction | None) -> Array:
    """Violation ratio of every pair of sorted samples."""
    steps = merge_pairs(xp, stacks, step)
    if step is not None:
        stacks = [
            take_last(
                xp, stack, grid_ranks(stack.shape[-1], step, xp, device_of(xp, stack))
            )
            for stack in stacks
        ]
    return _pairwise_ratios(xp, stacks, steps)


def resampled_ratios(
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
    for (x, y), merged in zip(pair_up(xp, stacks), steps, strict=True):
        if merged is None:
            difference, widths = y - x, None
        else:
            difference = take_last(xp, y, merged.ranks_b)
            difference = difference - take_last(xp, x, merged.ranks_a)
            widths = in_dtype_of(xp, merged.widths, x)
        ratios.append(ratio_of_differences(xp, difference, widths, axis=-1))
    return xp.concat(ratios, axis=-1)


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
    return xp.where(is_zero, 0.5, violation / xp.where(is_zero, 1.0, distance))


def default_replicates(xp: Namespace, stacks: Stacks, step: Fraction | None) -> int:
    """Replicates that fit a chunk: their words, and the differences of every pair."""
    words = sum(s.shape[-2] * resample_width(s.shape[-1], step) for s in stacks)
    nodes = [grid_size(step) if step else stack.shape[-1] for stack in stacks]
    leading = max(math.prod(stack.shape[:-2]) for stack in stacks)
    elements = words + leading * count_pairs(stacks) * max(nodes)
    return default_batch(xp, device_of(xp, stacks[0]), elements)


def in_dtype_of(xp: Namespace, table: Array, x: Array) -> Array:
    """Give the table in the dtype of the scores."""
    return xp.astype(table, x.dtype, copy=False)
