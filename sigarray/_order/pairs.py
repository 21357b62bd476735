"""Pairs of models: lists and tiles of them, their matrices, a function of every pair.

Samples come in stacks of shape (..., K, n), one stack for each size of sample. Results
have shape (..., P), one entry for each pair of models, in the order of `list_blocks`.
"""

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from sigarray._backend.callers import Array
from sigarray._backend.chunks import (
    MAX_DIFFERENCES,
    chunk_size,
    map_entries,
    map_windows,
    rows_of,
    within_room,
)
from sigarray._backend.compiled_numpy import Pairs
from sigarray._backend.library import Library, broadcast_shapes

Stacks = Sequence[Array]
# Places of two stacks: the pairs within one, or between both.
Block = tuple[int, int]
PairFunction = Callable[..., Array]

# Resamples of so many models are compared with one after the other.
_MODELS_OF_GROUP = 8


def list_blocks(stacks: Stacks) -> Sequence[Block]:
    """Return blocks of pairs: for each stack within it, then with all later ones."""
    return _list_blocks(*[stack.shape[-2] > 1 for stack in stacks])


@functools.lru_cache(maxsize=64)
def _list_blocks(*have_pairs: bool) -> tuple[Block, ...]:
    groups = itertools.combinations_with_replacement(range(len(have_pairs)), 2)
    return tuple((g, h) for g, h in groups if h > g or have_pairs[g])


def map_block(
    xp: Library,
    stacks: Stacks,
    block: Block,
    function: PairFunction,
    *along: Array,
    n_axes: int = 1,
    elements: int = 0,
    width: int = 0,
) -> Array:
    """Apply `function(x, y, *along)` to all pairs of a block: shape (..., P).

    Pair p is of model i = p % K of one stack and model i + p // K of the other one,
    counted around; within a stack, of models i and i + p // K + 1.

    Samples (..., *sample) have `n_axes` axes, and broadcast; `along` are values of
    pairs (..., P); the function returns (...), after any other axes. A pair takes
    `elements` numbers for each batch entry, by default those of a sample, and a single
    result `width`, if these are more.
    """
    x, y = stacks[block[0]], stacks[block[1]]
    axis = -1 - n_axes
    is_within = block[0] == block[1]
    if not is_within and math.prod(x.shape[:-n_axes] + y.shape[:-n_axes]) == 1:
        return function(x, y, *along)
    n, m = x.shape[axis], y.shape[axis]
    first = int(is_within)
    n_pairs = n * (n - 1) // 2 if is_within else n * m
    leading = broadcast_shapes(x.shape[:axis], y.shape[:axis])
    n_entries = math.prod(leading)
    sample = max(width, *(math.prod(z.shape[axis + 1 :]) for z in (x, y)))
    n_scores = math.prod(x.shape) + math.prod(y.shape)
    limit = max(within_room(MAX_DIFFERENCES), n_scores, chunk_size(xp, 1))
    if n_entries * sample <= limit:
        # y is repeated as far around as rows of x reach.
        n_windows = first + min(n, n_pairs) + -(-n_pairs // n) - 1
        parts = [y] * (n_windows // m)
        parts += [rows_of(y, 0, n_windows % m, axis)] * (n_windows % m > 0)
        around = parts[0] if len(parts) == 1 else xp.concat(parts, axis=axis)
        return map_windows(
            xp,
            x,
            rows_of(around, first, n_windows, axis),
            function,
            along,
            count=n_pairs,
            axis=axis,
            elements=n_entries * max(sample, elements),
        )
    # Here few scores have many pairs: some results at a time are computed.
    pairs = xp.arange(n_pairs)
    models = pairs % n, (pairs % n + pairs // n + first) % m
    rows = [
        _rows_of_models(xp, z, leading, places, axis)
        for z, places in zip((x, y), models, strict=True)
    ]
    x, y = (xp.reshape(z, (-1, *z.shape[axis + 1 :])) for z in (x, y))
    shape = (*leading, n_pairs)
    flat = [xp.reshape(xp.broadcast_to(z, shape), (-1,)) for z in along]

    compare = functools.partial(_compare_models, xp, function, x, y)
    result = map_entries(
        xp, compare, [*rows, *flat], elements=sample, budget=MAX_DIFFERENCES
    )
    return xp.reshape(result, (*result.shape[:-1], *shape))


def _compare_models(
    xp: Library,
    function: PairFunction,
    x: Array,
    y: Array,
    first: Array,
    second: Array,
    *along: Array,
) -> Array:
    return function(xp.take(x, first, axis=0), xp.take(y, second, axis=0), *along)


def _rows_of_models(
    xp: Library, stack: Array, leading: tuple[int, ...], models: Array, axis: int
) -> Array:
    """Return the row in the flat stack of each batch entry and model, as a vector."""
    n_models, shape = stack.shape[axis], stack.shape[:axis]
    entries = xp.arange(math.prod(shape), dtype=models.dtype)
    entries = xp.broadcast_to(xp.reshape(entries, shape), leading)
    return xp.reshape(n_models * entries[..., None] + models, (-1,))


def models_of_pairs(n: int, m: int | None = None) -> tuple[Array, Array]:
    """Return the places i and j of the pairs of a block, in the order of `map_block`.

    They are of two stacks of n and m models, or of one of n, and NumPy arrays.
    """
    if m is None:
        pairs = np.arange(n * (n - 1) // 2)
        return pairs % n, (pairs % n + pairs // n + 1) % n
    pairs = np.arange(n * m)
    return pairs % n, (pairs % n + pairs // n) % m


@functools.lru_cache(maxsize=16)
def list_pairs(n: int, m: int | None, at_once: int) -> tuple[tuple[slice, Pairs], ...]:
    """Return the pairs of `models_of_pairs`, some at a time, and which these are.

    They are ordered by groups of few models, which stay in the cache.
    """
    first, second = models_of_pairs(n, m)
    parts = []
    for start in range(0, len(first), at_once):
        part = slice(start, start + at_once)
        i, j = first[part], second[part]
        order = np.lexsort((i % _MODELS_OF_GROUP, j, i // _MODELS_OF_GROUP))
        parts.append((part, Pairs(i, j, order)))
    return tuple(parts)


def orient(stacks: Stacks, higher_is_better: bool) -> Stacks:
    return stacks if higher_is_better else [-stack for stack in stacks]


def count_pairs(stacks: Stacks) -> int:
    n_models = sum([int(stack.shape[-2]) for stack in stacks])
    return n_models * (n_models - 1) // 2


def list_sizes(stacks: Stacks) -> tuple[int, ...]:
    return tuple([int(x.shape[-1]) for x in stacks for _ in range(x.shape[-2])])


def slices_of(sizes: Iterable[int]) -> list[slice]:
    ends = [0, *itertools.accumulate(sizes)]
    return [slice(start, end) for start, end in itertools.pairwise(ends)]


def join(xp: Library, parts: Sequence[Array], axis: int = -1) -> Array:
    return parts[0] if len(parts) == 1 else xp.concat(parts, axis=axis)


def as_matrix(
    xp: Library,
    pairs: Array,
    *,
    sizes: tuple[int, ...],
    order: tuple[int, ...],
    reverse: Callable[[Array], Array],
    diagonal: float,
) -> Array:
    """Put the pairs of all blocks in a matrix, and reversed ones in opposite places."""
    blocks: dict[tuple[int, int], Array] = {}
    start = 0
    for g, size in enumerate(sizes):
        stop = start + size * (size - 1) // 2
        within = pairs[..., start:stop]
        blocks[g, g] = spread_pairs(xp, within, size, reverse, diagonal=diagonal)
        for h in range(g + 1, len(sizes)):
            start, stop = stop, stop + size * sizes[h]
            between = pairs[..., start:stop]
            blocks[g, h] = _spread_between(xp, between, size, sizes[h])
            blocks[h, g] = reverse(xp.matrix_transpose(blocks[g, h]))
        start = stop
    groups = range(len(sizes))
    matrix = xp.concat(
        [xp.concat([blocks[g, h] for h in groups], axis=-1) for g in groups], axis=-2
    )
    return reorder(xp, matrix, order)


def reorder(xp: Library, matrix: Array, order: tuple[int, ...]) -> Array:
    """Put rows and columns in an order of the places in the stacks."""
    if order == tuple(range(len(order))):
        return matrix
    matrix = xp.stack([matrix[..., k, :] for k in order], axis=-2)
    return xp.stack([matrix[..., k] for k in order], axis=-1)


def spread_pairs(
    xp: Library,
    pairs: Array,
    n_models: int,
    reverse: Callable[[Array], Array],
    *,
    diagonal: float,
) -> Array:
    """Spread the pairs within one stack over its matrix: the inverse of `map_block`.

    The opposite places get `reverse` of the pairs.
    """
    if n_models == 1:
        return xp.full((*pairs.shape[:-1], 1, 1), diagonal, dtype=pairs.dtype)
    models = xp.arange(n_models)
    i, j = models[:, None], models[None, :]
    shift = (j - i) % n_models
    # With an even number of models, opposite ones are a pair only once.
    is_pair = (2 * shift < n_models) | ((2 * shift == n_models) & (i < shift))
    forward, backward = (
        (shift - 1) * n_models + i,
        (n_models - shift - 1) * n_models + j,
    )
    place = xp.where(is_pair, forward, backward)
    values = xp.take_last(pairs, xp.where(shift == 0, 0, place))
    values = xp.where(is_pair, values, reverse(values))
    return xp.where(shift == 0, diagonal, values)


def _spread_between(xp: Library, pairs: Array, n: int, m: int) -> Array:
    """Spread the pairs of two stacks over their matrix, shape (..., n, m)."""
    if n == 1 or m == 1:
        return xp.reshape(pairs, (*pairs.shape[:-1], n, m))
    i = xp.arange(n)[:, None]
    j = xp.arange(m)[None, :]
    return xp.take_last(pairs, (j - i) % m * n + i)


# The models on one side of a tile, and the least number of models for tiles: each tile
# draws its resamples again, which takes a tenth of the time.
_SIDE, _MIN_MODELS = 128, 257


class Tile(NamedTuple):
    """Some pairs of a block: those within one part of a stack, or between two parts.

    Parts are slices of the models of a stack.
    """

    block: Block
    parts: tuple[tuple[int, slice], ...]


def has_tiles(xp: Library, stacks: Stacks) -> bool:
    """Tell whether there are so many models that pairs are computed tile by tile.

    Not on JAX, which compiles loops, or an accelerator, which takes few large launches.
    """
    sizes = [int(stack.shape[-2]) for stack in stacks]
    return max(sizes) >= _MIN_MODELS and xp.is_processor


def largest_tile() -> int:
    return _SIDE**2


def list_tiles(stacks: Stacks, blocks: Sequence[Block]) -> list[Tile]:
    tiles = []
    for g, h in blocks:
        for i, first in enumerate(_parts_of(stacks[g])):
            for j, second in enumerate(_parts_of(stacks[h])):
                if g < h or i < j:
                    tiles.append(Tile((g, h), ((g, first), (h, second))))
                elif i == j and first.stop - first.start > 1:
                    tiles.append(Tile((g, h), ((g, first),)))
    return tiles


def join_tiles(
    xp: Library,
    values: Sequence[Array],
    tiles: Sequence[Tile],
    stacks: Stacks,
    blocks: Sequence[Block],
) -> list[Array]:
    """Put the values of tiles in the order of `map_block`, block by block.

    Values have shape (..., largest_tile()) each, and begin with the pairs. Those of
    (i, j) and (j, i) are the same.
    """
    results = []
    for block in blocks:
        n, m = (int(stacks[g].shape[-2]) for g in block)
        tiles_of_block = [k for k, tile in enumerate(tiles) if tile.block == block]
        place = np.zeros((n, m), dtype=np.int64)
        for k, tile in enumerate(tiles_of_block):
            parts = [part for _, part in tiles[tile].parts]
            sizes = [part.stop - part.start for part in parts]
            i, j = models_of_pairs(*sizes)
            rows, columns = i + parts[0].start, j + parts[-1].start
            place[rows, columns] = k * largest_tile() + np.arange(len(i))
            if block[0] == block[1]:
                place[columns, rows] = place[rows, columns]
        i, j = models_of_pairs(*((n,) if block[0] == block[1] else (n, m)))
        every = xp.concat([values[k] for k in tiles_of_block], axis=-1)
        places = xp.asarray(place[i, j])
        results.append(xp.take_last(every, places))
    return results


def _parts_of(stack: Array) -> list[slice]:
    n = int(stack.shape[-2])
    count = -(-n // _SIDE)
    ends = [n * k // count for k in range(count + 1)]
    return [slice(ends[k], ends[k + 1]) for k in range(count)]
