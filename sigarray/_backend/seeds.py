"""The words of seeds and streams, from what callers pass as `rng`."""

import hashlib
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


def seed_words(xp: Library, rng: RandomSource) -> Seed:
    """Return two seed words, each of shape (1,), on the device and without a sync.

    An int is its low and high word; a generator or key draws two words.
    """
    if _is_array(rng):
        return _words_of_array(xp, rng)
    if xp.compiles and not _is_integer(rng):
        msg = (
            f"Expected rng to be an int or a JAX key for JAX arrays; got {_name(rng)}. "
            "Pass rng=jax.random.key(seed), and another key for every call."
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
    if _is_from(rng, "numpy", "Generator"):
        low, high = rng.integers(0, 2**WORD_BITS, size=2, dtype=np.uint32)
        return int(low) | int(high) << WORD_BITS
    if not _is_integer(rng):
        msg = (
            f"Expected rng to be an int, None, a numpy.random.Generator, or a "
            f"generator or an array of two words of the samples' library; got "
            f"{_name(rng)}. Pass rng=0 for a fixed seed."
        )
        raise TypeError(msg)
    seed = operator.index(rng)
    check_seed(seed)
    return seed


def _is_integer(rng: RandomSource) -> bool:
    if isinstance(rng, np.ndarray):
        return rng.ndim == 0 and rng.dtype.kind in "iu"
    return isinstance(rng, (int, np.integer)) and not isinstance(rng, bool)


def _is_from(rng: RandomSource, library: str, name: str) -> bool:
    kind = type(rng)
    return kind.__name__ == name and kind.__module__.partition(".")[0] == library


def _name(rng: RandomSource) -> str:
    return "None" if rng is None else describe(rng)


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
