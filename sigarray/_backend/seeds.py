"""Words of seeds and streams, of what callers pass as `rng`, and numbers from words."""

import hashlib
import math
import operator
import secrets
from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from sigarray._backend.callers import Array, RandomSource, Seed
from sigarray._backend.checks import MAX_REPLICATES, SEED_BITS, check_seed, describe
from sigarray._backend.given import check_plain
from sigarray._backend.library import Library
from sigarray._backend.threefry import (
    WORD_BITS,
    encrypt_number,
    random_words,
    threefry2x32,
)

# No test has so many replicates that it takes the words of this one.
_SPARE_REPLICATE = MAX_REPLICATES - 1
# Up to so many streams, Python encrypts faster than NumPy.
_FEW = 8
# Uniforms have the 24 bits that float32 represents exactly.
_UNIFORM_BITS = 24
# This many terms in float32 may be summed one by one; more are summed by blocks.
_MAX_FLOAT32_TERMS = 1024
# NumPy's cumulative sum waits 3 ns for each term to be written. So blocks of terms are
# added up, and within these whole arrays.
_TERMS_OF_A_BLOCK = 8


def seed_words(xp: Library, rng: RandomSource) -> Seed:
    """Return two seed words, each of shape (1,), on the device and without a sync.

    An int is its low and high word; a generator or key draws two words.
    """
    if _is_array(rng):
        return _words_of_array(xp, rng)
    if xp.compiles and not _is_integer(rng):
        msg = (
            "Expected rng to be an int or a JAX key for JAX arrays; got "
            f"{describe(rng)}. Pass rng=jax.random.key(seed), and another key for "
            "every call."
        )
        raise TypeError(msg)
    words = None if _is_integer(rng) else xp.draw_seed(rng)
    if words is not None:
        return words
    return _upload_words(xp, [_draw_seed(rng)])


def number_streams(count: int) -> tuple[int, ...]:
    return tuple(range(count))


def name_streams(names: Iterable[Hashable]) -> tuple[int, ...]:
    """Return a stream for each name, whatever the others and their order are.

    Equal names have the same stream: an IntEnum or `numpy.int64(1)` that of 1.
    """
    return tuple(map(_hash, map(_text_of, names)))


def _text_of(name: Hashable) -> str:
    if isinstance(name, str):
        return str.__str__(name)
    if isinstance(name, (int, np.integer)):
        name = int(name)
    elif isinstance(name, float):
        name = int(name) if name.is_integer() else float(name)
    return f"\0{name!r}"


def stream_seeds(xp: Library, seed: Seed, streams: Sequence[int]) -> Seed:
    """Return seed words (K, 1) for K streams, each a function of the seed and stream.

    `random_words` of the streams are unrelated, and a new stream changes no other.
    """
    key = xp.read_numbers(xp.concat(seed)) if len(streams) <= _FEW else None
    if key is not None:
        words = [encrypt_number((key[0], key[1]), _split(n)) for n in streams]
        low, high = xp.asarray(words, dtype=xp.word_dtype).T
        return low[:, None], high[:, None]
    if tuple(streams) == tuple(range(len(streams))):
        words = random_words(xp, seed, 0, len(streams), 2)
        return words[:, :1], words[:, 1:]
    counters = _upload_words(xp, streams)
    low, high = threefry2x32(xp, seed, counters)
    return low[:, None], high[:, None]


def spare_seed(xp: Library, seed: Seed) -> Seed:
    """Return another seed, from words that no replicate uses."""
    words = random_words(xp, seed, _SPARE_REPLICATE, 1, 2)
    return words[0, :1], words[0, 1:]


def _upload_words(xp: Library, numbers: Sequence[int]) -> tuple[Array, Array]:
    """Return low and high words of integers below 2^64, without waiting."""
    halves = [list(half) for half in zip(*map(_split, numbers), strict=True)]
    dtype = xp.word_dtype
    if xp.isdtype(dtype, "signed integer"):
        halves = [[n - (n >> 31 << WORD_BITS) for n in half] for half in halves]
    low, high = (xp.upload_numbers(half, dtype) for half in halves)
    return low, high


def _split(number: int) -> tuple[int, int]:
    return number % 2**WORD_BITS, number >> WORD_BITS


def _draw_seed(rng: RandomSource) -> int:
    if rng is None:
        return secrets.randbits(SEED_BITS)
    # By name: NumPy loads its generators on first use, and a Ctrl-C in this moment is
    # lost (numpy 2.4).
    kind = type(rng)
    if (kind.__module__.partition(".")[0], kind.__name__) == ("numpy", "Generator"):
        low, high = rng.integers(0, 2**WORD_BITS, size=2, dtype=np.uint32)
        return int(low) | int(high) << WORD_BITS
    if not _is_integer(rng):
        msg = (
            f"Expected rng to be an int, None, a numpy.random.Generator, or a "
            f"generator or an array of two words of the samples' library; got "
            f"{describe(rng)}. Pass rng=0 for a fixed seed."
        )
        raise TypeError(msg)
    seed = operator.index(rng)
    check_seed(seed)
    return seed


def _is_integer(rng: RandomSource) -> bool:
    if isinstance(rng, np.ndarray):
        return rng.ndim == 0 and rng.dtype.kind in "iu"
    return isinstance(rng, (int, np.integer)) and not isinstance(rng, bool)


def _is_array(rng: RandomSource) -> bool:
    return hasattr(rng, "dtype") and hasattr(rng, "ndim") and not _is_integer(rng)


def _words_of_array(xp: Library, rng: Array) -> tuple[Array, Array]:
    """Return words of an integer that may be traced, or draw them with a JAX key."""
    check_plain(rng)
    words = xp.words_of_key(rng)
    if words is not None:
        return words
    try:
        is_integer = xp.isdtype(rng.dtype, "integral")
    except TypeError:  # a dtype of another library
        is_integer = False
    if not is_integer or tuple(rng.shape) not in ((), (2,)):
        msg = (
            f"Expected rng to be an int, an integer array of shape () or (2,) of "
            f"{xp.name}, or a generator or key of it; got {describe(rng)} of dtype "
            f"{rng.dtype}, shape {tuple(rng.shape)}. Pass rng=0 for a fixed seed, or "
            f"two words, {xp.name}.asarray([0, 1])."
        )
        raise TypeError(msg)
    xp.check_place(rng)
    number = xp.reshape(xp.asarray(rng), (-1,))
    if number.dtype == xp.uint64:
        number = xp.astype(number, xp.int64)  # torch has no shift of uint64
    dtype = xp.word_dtype
    bits = xp.iinfo(number.dtype).bits
    if rng.ndim == 1:
        if bits > WORD_BITS:
            number = number & (2**WORD_BITS - 1)
        words = xp.astype(number, dtype)
        return words[:1], words[1:]
    if bits <= WORD_BITS:
        # A negative number n, which cannot be seen here, is 2^64 + n on all backends.
        is_signed = xp.isdtype(number.dtype, "signed integer")
        high = number >> (bits - 1) if is_signed else xp.zeros_like(number)
        return xp.astype(number, dtype), xp.astype(high, dtype)
    mask = 2**WORD_BITS - 1
    return xp.astype(number & mask, dtype), xp.astype(number >> WORD_BITS, dtype)


def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "little")


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
