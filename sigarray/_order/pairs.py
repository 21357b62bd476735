"""Pairs of models: lists of them, their matrices, and a function of every pair.

Samples come in stacks of shape (..., K, n), one stack for each size of sample. Results
have shape (..., P), one entry for each pair of models, in the order of `list_blocks`.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sigarray._backend.aliases import Array, Namespace
from sigarray._backend.chunks import MAX_DIFFERENCES, chunk_size, map_entries
from sigarray._backend.libraries import device_of, take_last

Stacks = Sequence[Array]
# Places of two stacks: the pairs within one, or between both.
Block = tuple[int, int]
PairFunction = Callable[[Array, Array], Array]


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
    xp: Namespace, stacks: Stacks, block: Block, function: PairFunction
) -> Array:
    """Apply `function(x, y)` to all pairs of a block: result of shape (..., P).

    Pairs within a stack are in the order of `pair_of`, those of two go row by row.
    """
    x, y = (stacks[place] for place in block)
    leading = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    is_within = block[0] == block[1]
    n, m = x.shape[-2], y.shape[-2]
    n_pairs = n * (n - 1) // 2 if is_within else n * m
    n_results = math.prod(leading) * n_pairs
    size = max(x.shape[-1], y.shape[-1])
    n_scores = math.prod(x.shape) + math.prod(y.shape)
    device = device_of(xp, x)
    limit = max(MAX_DIFFERENCES, n_scores, chunk_size(xp, device, 1))
    is_small = n_results * size <= limit
    if is_small and not is_within:
        result = function(x[..., :, None, :], y[..., None, :, :])
        return xp.reshape(result, (*leading, n_pairs))
    pairs = xp.arange(n_pairs, device=device)
    first, second = pair_of(pairs, n) if is_within else (pairs // m, pairs % m)
    if is_small:
        return function(xp.take(x, first, axis=-2), xp.take(x, second, axis=-2))
    # Few scores are compared in many ways: some results at a time, by their samples.
    rows = [
        _rows_of_models(xp, stack, leading, models)
        for stack, models in ((x, first), (y, second))
    ]
    x, y = (xp.reshape(z, (math.prod(z.shape[:-1]), z.shape[-1])) for z in (x, y))

    def compare(first: Array, second: Array) -> Array:
        return function(xp.take(x, first, axis=0), xp.take(y, second, axis=0))

    result = map_entries(xp, compare, rows, elements=size, budget=MAX_DIFFERENCES)
    return xp.reshape(result, (*leading, n_pairs))


def _rows_of_models(
    xp: Namespace, stack: Array, leading: tuple[int, ...], models: Array
) -> Array:
    """Give the sample of the flat stack for each batch entry and model, as a vector."""
    n_models, shape = stack.shape[-2], stack.shape[:-2]
    entries = xp.arange(
        math.prod(shape), dtype=models.dtype, device=device_of(xp, stack)
    )
    entries = xp.broadcast_to(xp.reshape(entries, shape), leading)
    return xp.reshape(n_models * entries[..., None] + models, (-1,))


def orient(stacks: Stacks, higher_is_better: bool) -> Stacks:
    """Turn losses into scores of which the higher are better."""
    return stacks if higher_is_better else [-stack for stack in stacks]


def count_pairs(stacks: Stacks) -> int:
    """Count the pairs of models."""
    n_models = sum(int(stack.shape[-2]) for stack in stacks)
    return n_models * (n_models - 1) // 2


def join(xp: Namespace, parts: Sequence[Array], axis: int = -1) -> Array:
    """Put the results of blocks side by side."""
    return parts[0] if len(parts) == 1 else xp.concat(parts, axis=axis)


def as_matrix(
    xp: Namespace,
    pairs: Array,
    sizes: tuple[int, ...],
    order: tuple[int, ...],
    reverse: Callable[[Array], Array],
    *,
    diagonal: float,
) -> Array:
    """Put the pairs of all blocks in their places, reversed in the opposite ones."""
    blocks: dict[tuple[int, int], Array] = {}
    start = 0
    for g, size in enumerate(sizes):
        stop = start + size * (size - 1) // 2
        within = pairs[..., start:stop]
        blocks[g, g] = _spread(xp, within, size, reverse, diagonal=diagonal)
        for h in range(g + 1, len(sizes)):
            start, stop = stop, stop + size * sizes[h]
            shape = (*pairs.shape[:-1], size, sizes[h])
            blocks[g, h] = xp.reshape(pairs[..., start:stop], shape)
            blocks[h, g] = reverse(xp.matrix_transpose(blocks[g, h]))
        start = stop
    groups = range(len(sizes))
    matrix = xp.concat(
        [xp.concat([blocks[g, h] for h in groups], axis=-1) for g in groups], axis=-2
    )
    if order == tuple(range(len(order))):
        return matrix
    matrix = xp.stack([matrix[..., k, :] for k in order], axis=-2)
    return xp.stack([matrix[..., k] for k in order], axis=-1)


def _spread(
    xp: Namespace,
    pairs: Array,
    n_models: int,
    reverse: Callable[[Array], Array],
    *,
    diagonal: float,
) -> Array:
    """Spread the pairs within one stack over its matrix: the inverse of `pair_of`."""
    if n_models == 1:
        shape, device = (*pairs.shape[:-1], 1, 1), device_of(xp, pairs)
        return xp.full(shape, diagonal, dtype=pairs.dtype, device=device)
    models = xp.arange(n_models, device=device_of(xp, pairs))
    i, j = models[:, None], models[None, :]
    shift = (j - i) % n_models
    # In an even number of models, those that are opposite are a pair once.
    is_pair = (2 * shift < n_models) | ((2 * shift == n_models) & (i < shift))
    forward, backward = (
        (shift - 1) * n_models + i,
        (n_models - shift - 1) * n_models + j,
    )
    place = xp.where(is_pair, forward, backward)
    values = take_last(xp, pairs, xp.where(shift == 0, 0, place))
    values = xp.where(is_pair, values, reverse(values))
    return xp.where(shift == 0, diagonal, values)
