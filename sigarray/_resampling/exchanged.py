"""Sums of pairs that are exchanged, by the bits of random words."""

import math
from typing import Any

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._backend.threefry import WORD_BITS

_BYTE = 8
# With up to this many scores a table of bytes is faster than products of bit matrices.
_MAX_SCORES_BY_BYTES = 2**12


def mean_of_exchanged(xp: Library, gaps: Array, words: Array) -> Array:
    return sum_of_exchanged(xp, gaps, words) / gaps.shape[-1]


def sum_of_exchanged(xp: Library, gaps: Array, words: Array) -> Array:
    """Sum (1 - 2 bit) (a - b), with some bits of all words at a time.

    Bit k of word w belongs to pair 32 w + k. An accelerator takes all bits at once; a
    processor takes one at a time, without a matrix of bits, or bytes if scores are few.
    """
    *leading, n = gaps.shape
    size, _ = words.shape
    rows = xp.reshape(gaps, (math.prod(leading), n))
    exchanged = xp.sum_bits_exactly(rows, words)
    if exchanged is None:
        exchanged = _sum_by_bits(xp, rows, words)
    sums = xp.sum(rows, axis=-1, keepdims=True) - 2.0 * exchanged
    return xp.reshape(sums, (*leading, size))


def _sum_by_bits(xp: Library, rows: Array, words: Array) -> Array:
    """Sum the numbers (R, n) whose bits are 1 in words (size, width): (R, size)."""
    n, width = rows.shape[-1], words.shape[-1]
    spare = xp.zeros_like(rows[:, :1])
    spare = xp.broadcast_to(spare, (rows.shape[0], WORD_BITS * width - n))
    pairs = xp.reshape(xp.concat([rows, spare], axis=-1), (-1, width, WORD_BITS))
    if xp.is_processor and n * rows.shape[0] <= _MAX_SCORES_BY_BYTES:
        return _sum_by_bytes(xp, pairs, words, min(n, WORD_BITS))
    exchanged = xp.zeros_like(rows[:, :1])
    step = count_bits_at_once(xp)
    for k in range(0, min(n, WORD_BITS), step):
        bits = xp.matrix_transpose(xp.spread_bits(words, k, step, rows.dtype))
        chosen = xp.reshape(pairs[..., k : k + step], (-1, width * step))
        exchanged = exchanged + xp.matrix_product(chosen, bits)
    return exchanged


def _sum_by_bytes(xp: Library, pairs: Array, words: Array, n_bits: int) -> Array:
    """Sum the numbers (R, width, 32) whose bits are 1 in words (size, width).

    A table has the sums of each eight numbers for all bytes: an eighth of the terms.
    Numbers after the first `n_bits` of each word are 0.
    """
    n_rows, width, _ = pairs.shape
    (bits,) = xp.kept_tables(_list_bits, words.dtype, pairs.dtype)
    n_bytes = width * (WORD_BITS // _BYTE)
    eights = xp.reshape(pairs, (n_rows, n_bytes, _BYTE))
    table = xp.matrix_product(eights, bits)
    table = xp.reshape(table, (n_rows, n_bytes * 2**_BYTE))
    found = xp.sum_bytes(table, words, -(-n_bits // _BYTE))
    if found is not None:
        return found
    dtype = xp.index_dtype
    # The start of the table of the first byte of each word.
    first = xp.arange(width, dtype=dtype)
    first *= WORD_BITS // _BYTE * 2**_BYTE
    sums = xp.zeros_like(table[:, :1])
    for k in range(-(-n_bits // _BYTE)):
        places = xp.astype((words >> (_BYTE * k)) & (2**_BYTE - 1), dtype)
        places += first + k * 2**_BYTE
        sums = sums + xp.sum(xp.take_last(table, places), axis=-1)
    return sums


def _list_bits(xp: Library, integer: Any, dtype: Any) -> tuple[Array, ...]:
    """Return the bits of all bytes, (8, 256), made of integers of a dtype."""
    every = xp.arange(2**_BYTE, dtype=integer)
    bits = (every >> xp.arange(_BYTE, dtype=integer)[:, None]) & 1
    return (xp.astype(bits, dtype),)


def count_bits_at_once(xp: Library) -> int:
    return WORD_BITS if xp.is_accelerator else 1
