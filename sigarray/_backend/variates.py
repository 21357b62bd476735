"""Bits, uniforms, exponentials, normals and sorted places, from random words."""

import math

import numpy as np

from sigarray._backend.callers import Array
from sigarray._backend.library import Library
from sigarray._backend.threefry import WORD_BITS

# Uniforms have the 24 bits that float32 represents exactly.
_UNIFORM_BITS = 24
# This many terms in float32 may be summed one by one; more are summed by blocks.
_MAX_FLOAT32_TERMS = 1024
# NumPy's cumulative sum waits 3 ns for each term to be written. So blocks of terms are
# added up, and within these whole arrays.
_TERMS_OF_A_BLOCK = 8


def uniforms(xp: Library, words: Array) -> Array:
    """Return float32 uniforms on {1, ..., 2**24} / 2**24, without 0 for the log."""
    bits = words >> (WORD_BITS - _UNIFORM_BITS)
    if xp.isdtype(bits.dtype, "signed integer"):
        bits &= (1 << _UNIFORM_BITS) - 1
    values = xp.astype(bits, xp.float32)
    values += 1.0
    values *= 2.0**-_UNIFORM_BITS
    return values


def exponentials(xp: Library, uniforms: Array) -> Array:
    values = xp.log(uniforms)
    values *= -1.0
    return values


def normals(xp: Library, u: Array, v: Array) -> Array:
    """Return float32 standard normals, two from each pair of uniforms (Box-Muller).

    Those of the cosine and those of the sine are joined along the last axis.
    """
    radius = exponentials(xp, u)
    radius *= 2.0
    radius = xp.sqrt(radius)
    angle = (2.0 * math.pi) * v
    return xp.concat([radius * xp.cos(angle), radius * xp.sin(angle)], axis=-1)


def random_bits(xp: Library, words: Array, n: int) -> Array:
    """Return n bits from ceil(n / 32) words on the last axis, as integers 0 and 1."""
    places = xp.arange(WORD_BITS, dtype=words.dtype)
    bits = words[..., None] >> places
    bits &= 1
    return xp.reshape(bits, (*words.shape[:-1], -1))[..., :n]


def cumulative_places(
    xp: Library, widths: Array, n: int, *, is_last: bool = True
) -> Array:
    """Return floor(n s) for the shares s of all widths that lie below the end of each.

    Widths (count, K, T + 1) are float32 of one sign; places are (K, count, T), or, if
    they are not to be last, (K, T, count).
    """
    if xp.is_host:
        return _add_up_blocks(widths, n) if is_last else _add_up_terms(widths, n)
    sums = _cumulative_sum(xp, widths)
    places = sums[..., :-1]
    places *= below(n, is_wide=sums.dtype == xp.float64) / sums[..., -1:]
    places = xp.astype(places, xp.index_dtype)
    return xp.contiguous(xp.move_axis(places, 0, 1 if is_last else 2))


def below(n: int, *, is_wide: bool) -> float:
    """Return n times a factor just below 1, so that floor(n u) < n for all u <= 1."""
    return n * (1.0 - (2.0**-50 if is_wide else 2.0**-21))


def _add_up_terms(widths: np.ndarray, n: int) -> np.ndarray:
    """Return `cumulative_places` (K, T, count) of many replicates.

    The first axis of the sums has the terms. They are added in the order of
    `_add_up_blocks`, so that all bits are the same.
    """
    sums = widths.transpose(2, 1, 0).astype(np.float64, order="C")
    for k in range(1, len(sums)):
        if k % _TERMS_OF_A_BLOCK:
            sums[k] += sums[k - 1]
    for k in range(_TERMS_OF_A_BLOCK, len(sums), _TERMS_OF_A_BLOCK):
        sums[k : k + _TERMS_OF_A_BLOCK] += sums[k - 1]
    places = sums[:-1]
    places *= below(n, is_wide=True) / sums[-1]
    return places.transpose(1, 0, 2).astype(np.intp, order="C")


def _add_up_blocks(widths: np.ndarray, n: int) -> np.ndarray:
    """Return `cumulative_places` (K, count, T) of many terms.

    The last axis of the sums has the blocks, and the first the terms of a block, so
    that whole arrays are added.
    """
    count, n_samples, width = widths.shape
    rows = widths.transpose(1, 0, 2).reshape(n_samples * count, width)
    whole, rest = divmod(width, _TERMS_OF_A_BLOCK)
    sums = np.empty((_TERMS_OF_A_BLOCK, len(rows), whole + (rest > 0)))
    sums[..., :whole] = _blocks_of(rows, whole)
    if rest:
        sums[:rest, :, whole] = rows[:, -rest:].T
        sums[rest:, :, whole] = 0.0
    for k in range(1, len(sums)):
        sums[k] += sums[k - 1]
    up_to_block = np.cumsum(sums[-1], axis=-1)
    sums[..., 1:] += up_to_block[:, :-1]
    sums *= below(n, is_wide=True) / up_to_block[:, -1:]
    places = np.empty((len(rows), width - 1), dtype=np.intp)
    whole, rest = divmod(width - 1, _TERMS_OF_A_BLOCK)
    _blocks_of(places, whole)[...] = sums[..., :whole]
    if rest:
        places[:, -rest:] = sums[:rest, :, whole].T
    return places.reshape(n_samples, count, width - 1)


def _blocks_of(rows: np.ndarray, whole: int) -> np.ndarray:
    """Return a view (terms, rows, blocks) of the whole blocks of rows."""
    shape = len(rows), whole, _TERMS_OF_A_BLOCK
    return rows[:, : whole * _TERMS_OF_A_BLOCK].reshape(shape).transpose(2, 0, 1)


def _cumulative_sum(xp: Library, x: Array) -> Array:
    """Return the cumulative sum along the last axis, as in float64 if possible."""
    dtype = xp.widest_float
    n = x.shape[-1]
    if dtype == xp.float64 or n <= _MAX_FLOAT32_TERMS:
        return xp.cumulative_sum(xp.astype(x, dtype, copy=False), axis=-1)
    blocks = math.ceil(math.sqrt(n))
    padding = xp.zeros((*x.shape[:-1], -n % blocks), dtype=dtype)
    rows = xp.reshape(xp.concat([x, padding], axis=-1), (*x.shape[:-1], -1, blocks))
    within = xp.cumulative_sum(rows, axis=-1)
    totals = within[..., -1]
    before = xp.cumulative_sum(totals, axis=-1) - totals
    sums = xp.reshape(within + before[..., None], (*x.shape[:-1], -1))
    return sums[..., :n]
