"""Random numbers as a pure function of (seed words, replicate, element).

The words are those of Threefry-2x32 with 20 rounds [1]_, a counter-based generator: the
seed words are its key, and (replicate, element) its counter. It is 32-bit add, shift
and xor alone, so that every backend and device draws the same words, in any order, for
any split of the replicates, without a state to read or write.

References
----------
.. [1] J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw (2011). Parallel random
   numbers: as easy as 1, 2, 3. SC '11. :doi:`10.1145/2063384.2063405`
"""

import hashlib
import math
import operator
import secrets
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import array_api_compat
import numpy as np

from sigarray._backend.aliases import Array, Device, Namespace, RandomSource, Seed
from sigarray._backend.checks import MAX_REPLICATES, describe

# Salmon et al. (2011), as fixed in Random123 1.14: rotations of even and odd groups of
# four rounds, and the parity word of the key schedule.
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_KEY_PARITY = 0x1BD11BDA
_GROUPS_OF_ROUNDS = 5

WORD_BITS = 32
_HALF_BITS = 16
_HALF_MASK = 2**_HALF_BITS - 1
_SEED_BITS = 64
# Uniforms have the 24 bits that float32 represents exactly.
_UNIFORM_BITS = 24


def seed_words(rng: RandomSource, xp: Namespace, device: Device) -> Seed:
    """Give the two seed words, each of shape (1,), on the device and without a sync.

    An int is its low and high word; a generator or key draws two words.

    Raises
    ------
    TypeError
        `rng` is of a kind that the backend cannot use, or None on JAX.
    ValueError
        An int outside [0, 2**64), or a torch generator on another device.
    """
    if _is_array(rng):
        return _words_of_array(rng, xp)
    if array_api_compat.is_jax_namespace(xp) and not _is_integer(rng):
        msg = (
            f"Expected rng to be an int or a JAX key for JAX arrays; got {_name(rng)}. "
            "Pass rng=jax.random.key(seed), and another key for every call."
        )
        raise TypeError(msg)
    if array_api_compat.is_torch_namespace(xp) and _is_from(rng, "torch", "Generator"):
        return _draw_with_torch(rng, device)
    if array_api_compat.is_cupy_namespace(xp) and _is_from(rng, "cupy", "Generator"):
        # By halves: before 14.2 the whole range was read from memory that nobody had
        # written to (cupy/cupy#9745).
        halves = rng.integers(0, 2**_HALF_BITS, size=4, dtype=xp.uint32)
        words = halves[:2] << _HALF_BITS | halves[2:]
        return words[:1], words[1:]
    return _upload_words([_draw_seed(rng)], xp, device)


def as_argument(xp: Namespace, number: int | Array) -> int | Array:
    """Give an integer as one of a kernel's arrays, so that JAX compiles it once."""
    if not isinstance(number, int) or not array_api_compat.is_jax_namespace(xp):
        return number
    return _constant(np.uint32(number))


def number_streams(count: int) -> tuple[int, ...]:
    """Give the streams of samples that have places and no names."""
    return tuple(range(count))


def name_streams(names: Iterable[Hashable]) -> tuple[int, ...]:
    """Give each name a stream of its own, whatever the others are and their order."""
    texts = (x if isinstance(x, str) else f"\0{x!r}" for x in names)
    return tuple(map(_hash, texts))


def stream_seeds(
    seed: Seed, streams: Sequence[int], xp: Namespace, device: Device
) -> Seed:
    """Give seed words (K, 1) for K streams, each a function of the seed and its own.

    `random_words` of the streams are then unrelated, and one more changes no other.
    """
    counters = _upload_words(streams, xp, device)
    words = threefry2x32(seed, counters, xp, device)
    return words[0][:, None], words[1][:, None]


def spare_seed(seed: Seed, xp: Namespace, device: Device) -> Seed:
    """Give another seed, from words that no replicate takes."""
    words = random_words(seed, MAX_REPLICATES - 1, 1, 2, xp, device)
    return words[0, :1], words[0, 1:]


def random_words(
    seed: Seed,
    start: int | Array,
    count: int,
    width: int,
    xp: Namespace,
    device: Device,
) -> Array:
    """Give words of shape (count, width) for replicates start, ..., start + count - 1.

    For seeds of K streams they have shape (count, K, width). A block has two words:
    element i takes the first where i < ceil(width / 2), else the second of block i -
    ceil(width / 2).
    """
    dtype = _word_dtype(xp)
    blocks, streams = -(-width // 2), seed[0].shape[:-1]
    replicates = xp.arange(count, dtype=dtype, device=device) + _as_word(start, xp)
    replicates = xp.reshape(replicates, (count, *(1,) * (len(streams) + 1)))
    elements = xp.arange(blocks, dtype=dtype, device=device)
    grid = xp.zeros((count, *streams, blocks), dtype=dtype, device=device)
    words = threefry2x32(seed, (replicates + grid, elements + grid), xp, device)
    return xp.concat(words, axis=-1)[..., :width]


def threefry2x32(
    key: tuple[Array, Array],
    counter: tuple[Array, Array],
    xp: Namespace,
    device: Device,
) -> tuple[Array, Array]:
    """Encrypt a counter in 20 rounds: Salmon et al. (2011), section 4.2.

    Words are uint32, or int32 with the same bits on torch. The counter is overwritten
    where arrays are writeable.
    """
    # Arrays of shape (1,), for NumPy warns when its scalars wrap around.
    parity = xp.full((1,), _KEY_PARITY, dtype=_word_dtype(xp), device=device)
    schedule = (key[0], key[1], key[0] ^ key[1] ^ parity)
    is_signed = xp.isdtype(_word_dtype(xp), "signed integer")
    x, y = counter
    x += schedule[0]
    y += schedule[1]
    for group in range(_GROUPS_OF_ROUNDS):
        for rotation in _ROTATIONS[group % 2]:
            x += y
            high = y << rotation
            y >>= WORD_BITS - rotation
            if is_signed:
                y &= (1 << rotation) - 1
            y |= high
            y ^= x
        x += schedule[(group + 1) % 3]
        y += schedule[(group + 2) % 3] + (group + 1)
    return x, y


def uniforms(words: Array, xp: Namespace) -> Array:
    """Give float32 uniforms on {1, ..., 2**24} / 2**24: never 0, for the log."""
    bits = words >> (WORD_BITS - _UNIFORM_BITS)
    if xp.isdtype(bits.dtype, "signed integer"):
        bits &= (1 << _UNIFORM_BITS) - 1
    values = xp.astype(bits, xp.float32)
    values += 1.0
    values *= 2.0**-_UNIFORM_BITS
    return values


def exponentials(words: Array, xp: Namespace) -> Array:
    """Give float32 standard exponentials, one for each word."""
    values = xp.log(uniforms(words, xp))
    values *= -1.0
    return values


def normals(words: Array, xp: Namespace) -> Array:
    """Give float32 standard normals by Box and Muller (1958).

    Words of shape (..., 2, k, width) give normals of shape (..., 2, k, width).
    """
    radius = xp.sqrt(2.0 * exponentials(words[..., 0, :, :], xp))
    angle = (2.0 * math.pi) * uniforms(words[..., 1, :, :], xp)
    return xp.stack([radius * xp.cos(angle), radius * xp.sin(angle)], axis=-3)


def uniform_indices(
    words: Array, n: int | Array, xp: Namespace, device: Device
) -> Array:
    """Give floor(n w / 2^32) for each word: the same places in [0, n) everywhere.

    An array of numbers broadcasts with the words.
    """
    integers = xp.__array_namespace_info__().dtypes(
        device=device, kind="signed integer"
    )
    if "int64" in integers:
        wide = xp.astype(words, xp.int64)
        if xp.isdtype(words.dtype, "signed integer"):
            wide &= 2**WORD_BITS - 1
        wide = wide * n if isinstance(n, int) else wide * xp.astype(n, xp.int64)
        wide >>= WORD_BITS
        return wide
    # The upper half of a product of 32-bit numbers, from 16-bit halves.
    n = n if isinstance(n, int) else xp.astype(n, words.dtype)
    low, high = words & 0xFFFF, words >> 16
    n_low, n_high = n & 0xFFFF, n >> 16
    carry = (low * n_low >> 16) + (high * n_low & 0xFFFF) + (low * n_high & 0xFFFF)
    product = high * n_high + (high * n_low >> 16) + (low * n_high >> 16)
    return xp.astype(product + (carry >> 16), xp.int32)


def overlapping_words(
    seed: Seed,
    start: int | Array,
    count: int,
    width: int,
    n_choices: int,
    xp: Namespace,
    device: Device,
) -> Array:
    """Give words (count, width), each to choose one of `n_choices` places or ranks.

    The upper half of a word is half a word of `random_words` for its own replicate. The
    lower half is the upper one of the next replicate: it decides between neighbours
    alone, so that replicates have next to nothing in common, and half as many random
    bits do. Beyond 2^16 choices it would decide more, and all bits are drawn.
    """
    if n_choices > 2**_HALF_BITS:
        return random_words(seed, start, count, width, xp, device)
    words = random_words(seed, start, count + 1, -(-width // 2), xp, device)
    halves = [(words >> _HALF_BITS) & _HALF_MASK, words & _HALF_MASK]
    upper = xp.concat(halves, axis=-1)[:, :width]
    result = upper[:-1, :] << _HALF_BITS
    result |= upper[1:, :]
    return result


def random_places(
    seed: Seed,
    start: int | Array,
    count: int,
    sizes: Sequence[int],
    draws: Sequence[int],
    is_together: bool,
    xp: Namespace,
    device: Device,
) -> list[Array]:
    """Give places (count, draws) in each of the samples, with replacement.

    Samples have a word for each draw; together, as pairs, they share the words.
    """
    width = draws[0] if is_together else sum(draws)
    words = overlapping_words(seed, start, count, width, max(sizes), xp, device)
    places, first = [], 0
    for size, n_draws in zip(sizes, draws, strict=True):
        chosen = words[:, first : first + n_draws]
        places.append(uniform_indices(chosen, size, xp, device))
        first += 0 if is_together else n_draws
    return places


def ordered_keys(words: Array, xp: Namespace) -> Array:
    """Give the words as integers of one order on every backend."""
    if xp.isdtype(words.dtype, "signed integer"):
        return words ^ -(2 ** (WORD_BITS - 1))
    return words


def random_bits(words: Array, n: int, xp: Namespace, device: Device) -> Array:
    """Give n bits from ceil(n / 32) words on the last axis, as integers 0 and 1."""
    places = xp.arange(WORD_BITS, dtype=words.dtype, device=device)
    bits = words[..., None] >> places
    bits &= 1
    return xp.reshape(bits, (*words.shape[:-1], -1))[..., :n]


def _word_dtype(xp: Namespace) -> Any:
    # torch has neither add nor shift for uint32 (pytorch/pytorch#58734); int32 wraps
    # around with the same bits.
    return xp.int32 if array_api_compat.is_torch_namespace(xp) else xp.uint32


def _as_word(number: int | Array, xp: Namespace) -> int | Array:
    if isinstance(number, int):
        return number
    return xp.astype(xp.asarray(number), _word_dtype(xp))


def _upload_words(
    numbers: Sequence[int], xp: Namespace, device: Device
) -> tuple[Array, Array]:
    """Give low and high words of integers below 2^64; nothing waits for the device."""
    halves = [[n % 2**WORD_BITS for n in numbers], [n >> WORD_BITS for n in numbers]]
    if array_api_compat.is_jax_namespace(xp):
        low, high = (_constant(np.asarray(x, np.uint32)) for x in halves)
        return low, high
    dtype = _word_dtype(xp)
    if xp.isdtype(dtype, "signed integer"):
        halves = [[n - (n >> 31 << WORD_BITS) for n in half] for half in halves]
    low, high = (_fill(xp, half, dtype, device) for half in halves)
    return low, high


def _constant(value: Any) -> Array:
    """Give a value to JAX: a constant where a function is traced.

    Else it is sent in a way that `jax.transfer_guard("disallow")` lets pass.
    """
    import jax

    with jax.ensure_compile_time_eval():
        return jax.device_put(value)


def _fill(xp: Namespace, numbers: list[int], dtype: Any, device: Device) -> Array:
    """Give integers as an array, without a copy from the host."""
    if numbers == list(range(len(numbers))):
        return xp.arange(len(numbers), dtype=dtype, device=device)
    if len(set(numbers)) == 1:
        return xp.full((len(numbers),), numbers[0], dtype=dtype, device=device)
    return xp.concat([xp.full((1,), n, dtype=dtype, device=device) for n in numbers])


def _draw_seed(rng: RandomSource) -> int:
    if rng is None:
        return secrets.randbits(_SEED_BITS)
    if isinstance(rng, np.random.Generator):
        low, high = rng.integers(0, 2**WORD_BITS, size=2, dtype=np.uint32)
        return int(low) | int(high) << WORD_BITS
    if not _is_integer(rng):
        msg = (
            f"Expected rng to be an int, None, a numpy.random.Generator or a generator "
            f"of the samples' library; got {_name(rng)}. Pass rng=0 for a fixed seed."
        )
        raise TypeError(msg)
    seed = operator.index(rng)
    if not 0 <= seed < 2**_SEED_BITS:
        msg = f"Expected an integer rng in [0, 2**{_SEED_BITS}); got {seed}."
        raise ValueError(msg)
    return seed


def _is_integer(rng: RandomSource) -> bool:
    if isinstance(rng, np.ndarray):
        return rng.ndim == 0 and rng.dtype.kind in "iu"
    return isinstance(rng, int | np.integer) and not isinstance(rng, bool)


def _is_from(rng: RandomSource, library: str, name: str) -> bool:
    kind = type(rng)
    return kind.__name__ == name and kind.__module__.partition(".")[0] == library


def _name(rng: RandomSource) -> str:
    return "None" if rng is None else describe(rng)


def _is_array(rng: RandomSource) -> bool:
    return hasattr(rng, "dtype") and hasattr(rng, "ndim") and not _is_integer(rng)


def _words_of_array(rng: Array, xp: Namespace) -> tuple[Array, Array]:
    """Give the words of an integer that may be traced, or draw them with a JAX key."""
    if array_api_compat.is_jax_namespace(xp) and array_api_compat.is_jax_array(rng):
        import jax

        is_key = jax.dtypes.issubdtype(rng.dtype, jax.dtypes.prng_key)
        is_raw_key = rng.dtype == np.uint32 and rng.ndim > 0
        if (is_key and rng.ndim == 0) or (is_raw_key and rng.ndim == 1):
            words = jax.random.bits(rng, (2,), "uint32")
            return words[:1], words[1:]
        if is_key or is_raw_key:
            msg = (
                f"Expected rng to be one JAX key; got several, of shape {rng.shape}. "
                "Pass one of them, or map over them with jax.vmap."
            )
            raise ValueError(msg)
    try:
        is_number = rng.ndim == 0 and xp.isdtype(rng.dtype, "integral")
    except TypeError:  # a dtype of another library
        is_number = False
    if not is_number:
        msg = (
            f"Expected rng to be an integer, or a generator or key of the samples' "
            f"library; got {describe(rng)} of dtype {rng.dtype}, shape "
            f"{tuple(rng.shape)}. Pass rng=0 for a fixed seed."
        )
        raise TypeError(msg)
    number = xp.reshape(xp.asarray(rng), (1,))
    dtype = _word_dtype(xp)
    bits = xp.iinfo(number.dtype).bits
    if bits <= WORD_BITS:
        # A negative one, which cannot be seen here, is 2^64 less it on all backends.
        is_signed = xp.isdtype(number.dtype, "signed integer")
        high = number >> (bits - 1) if is_signed else xp.zeros_like(number)
        return xp.astype(number, dtype), xp.astype(high, dtype)
    mask = 2**WORD_BITS - 1
    return xp.astype(number & mask, dtype), xp.astype(number >> WORD_BITS, dtype)


def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "little")


def _draw_with_torch(generator: RandomSource, device: Device) -> tuple[Array, Array]:
    import torch

    device = torch.get_default_device() if device is None else torch.device(device)
    # A device without an index is the current one of its type.
    places = {device.index, generator.device.index} - {None}
    if generator.device.type != device.type or len(places) > 1:
        msg = (
            f"Expected a generator on {device}, where the scores are; got one on "
            f"{generator.device}. Make it with torch.Generator(device={str(device)!r})."
        )
        raise ValueError(msg)
    words = torch.randint(
        -(2**31), 2**31, (2,), dtype=torch.int32, device=device, generator=generator
    )
    return words[:1], words[1:]
