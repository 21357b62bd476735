"""Differences of two samples whose scores are exchanged or dealt out anew."""

import math

from sigarray._backend.aliases import Array, Seed, Statistic, TestedStatistic
from sigarray._backend.checks import MAX_REPLICATES
from sigarray._backend.library import Library
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
    xp: Library,
    pool: Array,
    n: int,
    seed: Seed | None,
    start: int | Array,
    size: int,
    statistic: Statistic,
) -> Array:
    """Difference (..., size) with some pairs (n = m) exchanged, by one bit each."""
    if statistic == "mean":
        words = _words_of_pairs(xp, n, seed, start, size)
        return _mean_of_exchanged(xp, pool[..., :n] - pool[..., n:], words)
    a, b = exchange_samples(xp, pool, n, seed, start, size)
    return apply_statistic(xp, statistic, a) - apply_statistic(xp, statistic, b)


def exchange_samples(
    xp: Library, pool: Array, n: int, seed: Seed | None, start: int | Array, size: int
) -> tuple[Array, Array]:
    """Return both samples (..., size, n) with some pairs exchanged."""
    words = _words_of_pairs(xp, n, seed, start, size)
    is_exchanged = random_bits(xp, words, n) == 1
    a, b = pool[..., None, :n], pool[..., None, n:]
    return xp.where(is_exchanged, b, a), xp.where(is_exchanged, a, b)


def _words_of_pairs(
    xp: Library, n: int, seed: Seed | None, start: int | Array, size: int
) -> Array:
    """Return words whose bits say which pairs to exchange."""
    if seed is None:
        return (xp.arange(size) + start)[:, None]
    return random_words(xp, seed, start, size, -(-n // WORD_BITS))


def _mean_of_exchanged(xp: Library, gaps: Array, words: Array) -> Array:
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
    if xp.is_processor and n * rows.shape[0] <= _MAX_SCORES_BY_BYTES:
        exchanged = _sum_by_bytes(xp, pairs, words, min(n, WORD_BITS))
    else:
        exchanged = xp.zeros_like(rows[:, :1])
        step = count_bits_at_once(xp)
        for k in range(0, min(n, WORD_BITS), step):
            places = xp.arange(k, k + step, dtype=words.dtype)
            bits = xp.astype((words[..., None] >> places) & 1, gaps.dtype)
            bits = xp.matrix_transpose(xp.reshape(bits, (size, width * step)))
            chosen = xp.reshape(pairs[..., k : k + step], (-1, width * step))
            exchanged = exchanged + xp.matrix_product(chosen, bits)
    sums = xp.sum(rows, axis=-1, keepdims=True) - 2.0 * exchanged
    return xp.reshape(sums, (*leading, size)) / n


def _sum_by_bytes(xp: Library, pairs: Array, words: Array, n_bits: int) -> Array:
    """Sum the numbers (R, width, 32) whose bits are 1 in words (size, width).

    By a table of the sums of each eight numbers for all bytes: an eighth of the terms.
    Numbers behind the first `n_bits` of each word are 0.
    """
    n_rows, width, _ = pairs.shape
    every = xp.arange(2**_BYTE, dtype=words.dtype)
    bits = (every >> xp.arange(_BYTE, dtype=words.dtype)[:, None]) & 1
    n_bytes = width * (WORD_BITS // _BYTE)
    eights = xp.reshape(pairs, (n_rows, n_bytes, _BYTE))
    table = xp.matrix_product(eights, xp.astype(bits, pairs.dtype))
    table = xp.reshape(table, (n_rows, n_bytes * 2**_BYTE))
    dtype = xp.index_dtype
    # Where the table of the first byte of each word begins.
    first = xp.arange(width, dtype=dtype)
    first *= WORD_BITS // _BYTE * 2**_BYTE
    sums = xp.zeros_like(table[:, :1])
    for k in range(-(-n_bits // _BYTE)):
        places = xp.astype((words >> (_BYTE * k)) & (2**_BYTE - 1), dtype)
        places += first + k * 2**_BYTE
        sums = sums + xp.sum(xp.take_last(table, places), axis=-1)
    return sums


def count_bits_at_once(xp: Library) -> int:
    """Count the bits of a word that are numbers at the same time."""
    return WORD_BITS if xp.is_accelerator else 1


def deal_out(
    xp: Library,
    pool: Array,
    n: int,
    seed: Seed | None,
    start: int | Array,
    size: int,
    statistic: Statistic,
) -> Array:
    """Difference (..., size) with all scores dealt out anew to samples of n and m."""
    leading, m = pool.shape[:-1], pool.shape[-1] - n
    if statistic == "mean":
        keys = _keys_of_scores(xp, n, m, seed, start, size)
        # A gets the n smallest keys: no permutation is made.
        threshold = xp.nth_smallest(keys, n)
        is_chosen = xp.astype(keys <= threshold, pool.dtype)
        rows = xp.reshape(pool, (math.prod(leading), n + m))
        sums = xp.matrix_product(rows, xp.matrix_transpose(is_chosen))
        sums = xp.reshape(sums, (*leading, size))
        # Two keys may be the same at the threshold, once in two million times.
        n_chosen = xp.sum(is_chosen, axis=-1)
        rest = xp.sum(pool, axis=-1, keepdims=True) - sums
        return sums / n_chosen - rest / (n + m - n_chosen)
    a, b = deal_samples(xp, pool, n, seed, start, size)
    return apply_statistic(xp, statistic, a) - apply_statistic(xp, statistic, b)


def deal_samples(
    xp: Library, pool: Array, n: int, seed: Seed | None, start: int | Array, size: int
) -> tuple[Array, Array]:
    """Return samples (..., size, n) and (..., size, m) of scores dealt out anew."""
    m = pool.shape[-1] - n
    keys = _keys_of_scores(xp, n, m, seed, start, size)
    dealt = xp.take_last(pool, xp.argsort(keys, axis=-1, stable=False))
    return dealt[..., :n], dealt[..., n:]


def _keys_of_scores(
    xp: Library, n: int, m: int, seed: Seed | None, start: int | Array, size: int
) -> Array:
    """Return keys (size, n + m), of which the n smallest are those of A."""
    if seed is None:
        return _enumerated_keys(xp, n, m, start, size)
    words = overlapping_words(xp, seed, start, size, n + m, n + m)
    return ordered_keys(xp, words)


def _enumerated_keys(
    xp: Library, n: int, m: int, start: int | Array, size: int
) -> Array:
    """Return 0 for the n scores of A and 1 for the m of B, in one subset after another.

    Those of the smaller sample are listed: where there are few subsets of many scores,
    these are few.
    """
    places = xp.arange(size) + start
    chosen = xp.stack(subset_at(xp, places, min(n, m), n + m), axis=-1)
    everyone = xp.arange(n + m, dtype=chosen.dtype)
    is_chosen = xp.any(chosen[..., None] == everyone, axis=-2)
    return xp.astype(is_chosen if m < n else ~is_chosen, xp.int32)


def count_permutations(n: int, m: int, *, paired: bool) -> float:
    """Count the distinct ones, or give infinity for more than any `n_resamples`."""
    if min(n, m) > math.log2(MAX_REPLICATES):
        return math.inf
    return 2**n if paired else math.comb(n + m, n)


def count_exchanged(
    xp: Library, pool: Array, n: int, paired: bool, statistic: TestedStatistic
) -> int:
    """Count what a replicate holds: its words or keys, and scores or a difference."""
    n_entries: int = math.prod(pool.shape[:-1])
    n_exchanged: int = n if paired else pool.shape[-1]
    if statistic != "mean":
        return n_exchanged * (1 + n_entries)
    if not paired:
        return n_entries + n_exchanged  # one product for all batch entries
    # As many pairs as bits of a word take one of them.
    n_words = math.ceil(n_exchanged / WORD_BITS)
    return n_entries + n_words * count_bits_at_once(xp)
