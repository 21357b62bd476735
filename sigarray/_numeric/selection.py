"""Order statistics of scores that are not held, by counting them in a few passes.

The bits of floats, some of them inverted, are integers in the same order. A pass counts
those in each cell, which has all integers that begin with the same bits; the next pass
divides only the cells with requested ranks. Once these have few scores, they are
collected and sorted.
"""

import functools
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._backend.workers import compute_items
from sigarray._numeric.sources import PART, Part, find_dtype, list_parts, read_blocks

# Called with the number of scores read, and of all, which is None if not yet known.
Progress = Callable[[int, int | None], Any]


class Room(NamedTuple):
    """Limits on what is held at once.

    `first_bits` are those of the first cells, whose counts take 8 MiB, and `cells` the
    most cells of a later pass. `collected` is the most scores that are collected, of 8
    bytes at most, `part` the scores of a part, which one worker reads, `read` the most
    scores in all samples that are read as arrays, and `held` the most scores of a
    sample that are held beside larger ones.
    """

    first_bits: int = 20
    cells: int = 2**23
    collected: int = 2**24
    part: int = PART
    read: int = 2**20
    held: int = 2**10


_ROOM = Room()


class Level(NamedTuple):
    """The bits by which a pass divides integers: their place and number.

    After the pass, the cells that matter are marked and numbered.
    """

    shift: int
    bits: int
    matters: np.ndarray | None = None
    numbers: np.ndarray | None = None


class Sample:
    """Scores of a source of `list_parts`, which are read anew in every pass.

    A sign of -1 turns losses into scores that are better if higher; `progress` is
    called with the number of scores that a pass has read, and of all or None; `room`
    says how much is held at once.
    """

    def __init__(
        self,
        source: Any,
        *,
        sign: int = 1,
        progress: Progress | None = None,
        room: Room = _ROOM,
    ) -> None:
        self.room = room
        self._parts = list_parts(source, room.part)
        self.dtype = find_dtype(self._parts)
        self._sign, self._progress = sign, progress
        self.size = 0

    def read_as(self, dtype: np.dtype) -> None:
        if dtype != self.dtype:
            self.dtype, self.size = dtype, 0

    def count(self) -> int:
        """Count the scores, once, in the first pass of `find`."""
        if self.size:
            return self.size
        bits = self.room.first_bits
        level = Level(8 * self.dtype.itemsize - bits, bits)
        self._first, self.has_nan = level, False
        self._counts = self._count_cells((level,), 2**bits)
        if not self.size:
            msg = "Expected one score or more; got none."
            raise ValueError(msg)
        return self.size

    def read(self) -> np.ndarray:
        blocks = [b for part in self._parts for b in read_blocks(part, self.dtype)]
        scores = np.concatenate([np.zeros(0, self.dtype), *blocks]) * self._sign
        cells, _ = _locate((self._first,), _keys_of(scores))
        counts = np.bincount(cells, minlength=len(self._counts))
        self._check_again(int((counts != self._counts).sum()), 0)
        return scores

    def describe(self) -> tuple[float, float]:
        """Return mean and standard deviation (ddof 1), in a separate pass."""
        total = 0, 0.0, 0.0
        with np.errstate(invalid="ignore"):
            for moments, n, _ in self._map(_add_moments, (), 0):
                total = _join_moments(total, (n, *moments))
        n, mean, squares = total
        return float(mean), math.sqrt(squares / (n - 1)) if n > 1 else math.nan

    def find(self, ranks: np.ndarray) -> np.ndarray:
        """Return the order statistics at ascending ranks; NaN if there is one."""
        self.count()
        if self.has_nan:
            return np.full(len(ranks), np.nan, dtype=self.dtype)
        levels, counts = [self._first], self._counts
        prefixes = np.arange(len(counts), dtype=np.uint64)
        starts = np.cumsum(counts) - counts
        while True:
            # The last cell that starts at or before a rank is not empty.
            cells = np.searchsorted(starts, ranks, side="right") - 1
            needed, place = np.unique(cells, return_inverse=True)
            matters = np.zeros(len(starts), dtype=bool)
            matters[needed] = True
            numbers = np.zeros(len(starts), dtype=np.int32)
            numbers[needed] = np.arange(len(needed), dtype=np.int32)
            prefixes, starts, counts = (x[needed] for x in (prefixes, starts, counts))
            shift = levels[-1].shift
            if shift == 0:
                return self._scores_of(prefixes[place])
            levels[-1] = levels[-1]._replace(matters=matters, numbers=numbers)
            n_inside = int(counts.sum())
            if n_inside <= self.room.collected:
                keys = self._collect(tuple(levels), n_inside)
                before = np.cumsum(counts) - counts
                return self._scores_of(keys[ranks + (before - starts)[place]])
            bits = min(shift, max(1, (self.room.cells // len(needed)).bit_length() - 1))
            levels.append(Level(shift - bits, bits))
            table = self._count_cells(tuple(levels), len(needed) << bits)
            self._check_again(int(table.sum()), n_inside)
            ends = np.cumsum(table.reshape(len(needed), -1), axis=1)
            starts = (starts[:, None] + ends).reshape(-1) - table
            inner = np.arange(1 << bits, dtype=np.uint64)
            prefixes = (prefixes[:, None] << np.uint64(bits) | inner).reshape(-1)
            counts = table

    def _count_cells(self, levels: tuple[Level, ...], n_cells: int) -> np.ndarray:
        total = np.zeros(n_cells, dtype=np.int64)
        for counts, n, has_nan in self._map(_count_part, levels, n_cells):
            total += counts
            if len(levels) == 1:
                self.size += n
                self.has_nan |= has_nan
        return total

    def _collect(self, levels: tuple[Level, ...], count: int) -> np.ndarray:
        parts = [keys for keys, _, _ in self._map(_collect_part, levels, 0)]
        keys = np.concatenate(parts)
        self._check_again(len(keys), count)
        keys.sort()
        return keys

    def _map(
        self, function: Callable[..., Any], levels: tuple[Level, ...], n_cells: int
    ) -> Iterator[tuple[np.ndarray, int, bool]]:
        work = functools.partial(function, self.dtype, self._sign, levels, n_cells)
        n_read, known = 0, self.size or None
        elements = (known or self.room.collected) // max(1, len(self._parts))
        for result in compute_items(HOST, work, self._parts, elements=elements):
            n_read += result[1]
            if self._progress is not None:
                self._progress(n_read, known)
            yield result
        if known:
            self._check_again(n_read, known)

    def _check_again(self, counted: int, expected: int) -> None:
        if counted != expected:
            msg = (
                "Expected the same scores in every pass; got others in the second. "
                "A function has to give all its chunks anew whenever it is called."
            )
            raise ValueError(msg)

    def _scores_of(self, keys: np.ndarray) -> np.ndarray:
        kind = np.uint32 if self.dtype == np.float32 else np.uint64
        keys = keys.astype(kind)
        sign = kind(1 << (8 * self.dtype.itemsize - 1))
        # Those of negative numbers have all bits inverted.
        bits = np.where(keys >= sign, keys ^ sign, ~keys)
        return bits.view(self.dtype)


def _keys_of(scores: np.ndarray) -> np.ndarray:
    signed = np.int32 if scores.dtype == np.float32 else np.int64
    bits: np.ndarray = scores.view(signed)
    width = 8 * bits.itemsize
    keys: np.ndarray = np.right_shift(bits, width - 1)
    keys &= np.iinfo(signed).max
    keys ^= bits
    keys ^= np.iinfo(signed).min
    unsigned: np.ndarray = keys.view(np.uint32 if width == 32 else np.uint64)
    return unsigned


def _count_part(
    dtype: np.dtype, sign: int, levels: tuple[Level, ...], n_cells: int, part: Part
) -> tuple[np.ndarray, int, bool]:
    """Return the counts of a part by cells, their sum, and whether any is NaN."""
    counts = np.zeros(n_cells, dtype=np.int64)
    n, has_nan = 0, False
    for block in _read(part, dtype, sign):
        cells, _ = _locate(levels, _keys_of(block))
        np.add.at(counts, cells, 1)
        n += len(block)
        if len(levels) == 1:
            has_nan |= bool(np.isnan(np.max(block)))
    return counts, n, has_nan


def _collect_part(
    dtype: np.dtype, sign: int, levels: tuple[Level, ...], _: int, part: Part
) -> tuple[np.ndarray, int, bool]:
    """Return the integers of a part in cells that matter, and as `_count_part`."""
    n, keys = 0, [np.zeros(0, np.uint32 if dtype == np.float32 else np.uint64)]
    for block in _read(part, dtype, sign):
        keys.append(_locate(levels, _keys_of(block))[1])
        n += len(block)
    return np.concatenate(keys), n, False


def _add_moments(
    dtype: np.dtype, sign: int, _: Any, __: int, part: Part
) -> tuple[np.ndarray, int, bool]:
    """Return the mean of a part and the squares about it, and as `_count_part`."""
    total = 0, 0.0, 0.0
    with np.errstate(invalid="ignore"):  # NaN for a score that is not finite
        for block in _read(part, dtype, sign):
            wide = block.astype(np.float64)
            mean = float(np.mean(wide))
            wide -= mean
            total = _join_moments(total, (len(wide), mean, float(wide @ wide)))
    return np.asarray(total[1:]), total[0], False


def _join_moments(
    a: tuple[int, float, float], b: tuple[int, float, float]
) -> tuple[int, float, float]:
    """Join numbers, means, and squares about them: Chan, Golub, LeVeque (1983)."""
    n = a[0] + b[0]
    step = b[1] - a[1]
    mean = a[1] + step * b[0] / n
    return n, mean, a[2] + b[2] + step * step * a[0] * b[0] / n


def _read(part: Part, dtype: np.dtype, sign: int) -> Iterator[np.ndarray]:
    for block in read_blocks(part, dtype):
        if len(block):
            yield block if sign > 0 else -block


def _locate(levels: Iterable[Level], keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return cells on the last level, of integers in cells that mattered before."""
    cells = numbers = keys[:0]
    for k, level in enumerate(levels):
        cells = keys >> keys.dtype.type(level.shift)
        if k > 0:
            inner = cells & keys.dtype.type((1 << level.bits) - 1)
            cells = numbers.astype(np.int64) << level.bits | inner.astype(np.int64)
        if level.matters is not None and level.numbers is not None:
            # No place is outside; this mode makes NumPy twice as fast.
            matters = np.flatnonzero(level.matters.take(cells, mode="clip"))
            keys, cells = keys[matters], cells[matters]
            numbers = level.numbers[cells]
    return cells, keys
