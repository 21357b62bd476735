"""Differences of two samples whose scores are exchanged or dealt out anew."""

import math

from sigarray._backend.aliases import Array, Device, Namespace, Seed, Statistic
from sigarray._backend.libraries import (
    device_of,
    index_dtype,
    is_accelerator,
    is_processor,
    matrix_product,
    nth_smallest,
    take_last,
)
from sigarray._backend.threefry import (
    WORD_BITS,
    ordered_keys,
    overlapping_words,
    random_bits,
    random_words,
)
from sigarray._numeric.statistic import apply_statistic
from sigarray._numeric.subsets import subset_at

_BYTE = 8
# Scores for which a table of bytes is faster than products of matrices of bits.
_MAX_SCORES_BY_BYTES = 2**12


def exchange_pairs(
    xp: Namespace,
    pool: Array,
    n: int,
    seed: Seed | None,
    start: int | Array,
    size: int,
    statistic: Statistic,
) -> Array:
    """Difference (..., size) with some pairs (n = m) exchanged, by one bit each."""
    a, b, device = pool[..., :n], pool[..., n:], device_of(xp, pool)
    if seed is None:
        words = (xp.arange(size, device=device) + start)[:, None]
    else:
        words = random_words(xp, seed, start, size, -(-n // WORD_BITS))
    if statistic == "mean":
        return _mean_of_exchanged(xp, a - b, words)
    bits = random_bits(xp, words, n)
    is_exchanged = bits == 1
    a, b = a[..., None, :], b[..., None, :]
    exchanged_a = apply_statistic(xp, statistic, xp.where(is_exchanged, b, a))
    return exchanged_a - apply_statistic(xp, statistic, xp.where(is_exchanged, a, b))


def _mean_of_exchanged(xp: Namespace, gaps: Array, words: Array) -> Array:
    """Mean of (1 - 2 bit) (a - b), by some bits of all words at a time.

    Bit k of word w is that of pair 32 w + k. An accelerator takes all bits at once; a
    processor one by one, for which no matrix of them is made, or bytes where samples
    are few.
    """
    *leading, n = gaps.shape
    size, width = words.shape
    rows = xp.reshape(gaps, (math.prod(leading), n))
    spare = xp.zeros_like(rows[:, :1])
    spare = xp.broadcast_to(spare, (rows.shape[0], WORD_BITS * width - n))
    pairs = xp.reshape(xp.concat([rows, spare], axis=-1), (-1, width, WORD_BITS))
    device = device_of(xp, gaps)
    if is_processor(xp, device) and n * rows.shape[0] <= _MAX_SCORES_BY_BYTES:
        exchanged = _sum_by_bytes(xp, pairs, words, min(n, WORD_BITS))
    else:
        exchanged = xp.zeros_like(rows[:, :1])
        step = count_bits_at_once(xp, device)
        for k in range(0, min(n, WORD_BITS), step):
            places = xp.arange(k, k + step, dtype=words.dtype, device=device)
            bits = xp.astype((words[..., None] >> places) & 1, gaps.dtype)
            bits = xp.matrix_transpose(xp.reshape(bits, (size, width * step)))
            chosen = xp.reshape(pairs[..., k : k + step], (-1, width * step))
            exchanged = exchanged + matrix_product(xp, chosen, bits)
    sums = xp.sum(rows, axis=-1, keepdims=True) - 2.0 * exchanged
    return xp.reshape(sums, (*leading, size)) / n


def _sum_by_bytes(xp: Namespace, pairs: Array, words: Array, n_bits: int) -> Array:
    """Sum the numbers (R, width, 32) whose bits are 1 in words (size, width).

    By a table of the sums of each eight numbers for all bytes: an eighth of the terms.
    Numbers behind the first `n_bits` of each word are 0.
    """
    device, (n_rows, width, _) = device_of(xp, pairs), pairs.shape
    every = xp.arange(2**_BYTE, dtype=words.dtype, device=device)
    bits = (every >> xp.arange(_BYTE, dtype=words.dtype, device=device)[:, None]) & 1
    n_bytes = width * (WORD_BITS // _BYTE)
    eights = xp.reshape(pairs, (n_rows, n_bytes, _BYTE))
    table = matrix_product(xp, eights, xp.astype(bits, pairs.dtype))
    table = xp.reshape(table, (n_rows, n_bytes * 2**_BYTE))
    dtype = index_dtype(xp, device)
    # Where the table of the first byte of each word begins.
    first = xp.arange(width, dtype=dtype, device=device)
    first *= WORD_BITS // _BYTE * 2**_BYTE
    sums = xp.zeros_like(table[:, :1])
    for k in range(-(-n_bits // _BYTE)):
        places = xp.astype((words >> (_BYTE * k)) & (2**_BYTE - 1), dtype)
        places += first + k * 2**_BYTE
        sums = sums + xp.sum(take_last(xp, table, places), axis=-1)
    return sums


def count_bits_at_once(xp: Namespace, device: Device) -> int:
    """Count the bits of a word that are numbers at the same time."""
    return WORD_BITS if is_accelerator(xp, device) else 1


def deal_out(
    xp: Namespace,
    pool: Array,
    n: int,
    seed: Seed | None,
    start: int | Array,
    size: int,
    statistic: Statistic,
) -> Array:
    """Difference (..., size) with all scores dealt out anew to samples of n and m."""
    leading, m = pool.shape[:-1], pool.shape[-1] - n
    device = device_of(xp, pool)
    if seed is None:
        keys = _enumerated_keys(xp, n, m, start, size, device)
    else:
        words = overlapping_words(xp, seed, start, size, n + m, n + m)
        keys = ordered_keys(xp, words)
    if statistic == "mean":
        # A gets the n smallest keys: no permutation is made.
        threshold = nth_smallest(xp, keys, n)
        is_chosen = xp.astype(keys <= threshold, pool.dtype)
        rows = xp.reshape(pool, (math.prod(leading), n + m))
        sums = matrix_product(xp, rows, xp.matrix_transpose(is_chosen))
        sums = xp.reshape(sums, (*leading, size))
        # Two keys may be the same at the threshold, once in two million times.
        n_chosen = xp.sum(is_chosen, axis=-1)
        rest = xp.sum(pool, axis=-1, keepdims=True) - sums
        return sums / n_chosen - rest / (n + m - n_chosen)
    order = xp.argsort(keys, axis=-1, stable=False)
    dealt = take_last(xp, pool, order)
    dealt_a = apply_statistic(xp, statistic, dealt[..., :n])
    return dealt_a - apply_statistic(xp, statistic, dealt[..., n:])


def _enumerated_keys(
    xp: Namespace, n: int, m: int, start: int | Array, size: int, device: Device
) -> Array:
    """Give 0 for the n scores of A and 1 for the m of B, in one subset after another.

    Those of the smaller sample are listed: where there are few subsets of many scores,
    these are few.
    """
    places = xp.arange(size, device=device) + start
    chosen = xp.stack(subset_at(xp, places, min(n, m), n + m), axis=-1)
    everyone = xp.arange(n + m, dtype=chosen.dtype, device=device)
    is_chosen = xp.any(chosen[..., None] == everyone, axis=-2)
    return xp.astype(is_chosen if m < n else ~is_chosen, xp.int32)
