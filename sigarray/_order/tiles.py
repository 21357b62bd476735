"""Tiles of pairs: some of many models with some others."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._order.pairs import Block, Stacks, models_of_pairs

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
    """Count the pairs of the largest tile."""
    return _SIDE**2


def list_tiles(stacks: Stacks, blocks: Sequence[Block]) -> list[Tile]:
    """Return the tiles of all pairs of some blocks."""
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
