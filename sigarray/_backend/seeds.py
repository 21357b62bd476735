"""From what callers pass as `rng` to the words of a seed, and to those of streams."""

import contextlib
import contextvars
import hashlib
import operator
import secrets
from collections.abc import Hashable, Iterable, Iterator, Sequence

import array_api_compat
import numpy as np

from sigarray._backend.aliases import Array, Device, Namespace, RandomSource, Seed
from sigarray._backend.checks import (
    MAX_REPLICATES,
    SEED_BITS,
    check_seed,
    describe,
)
from sigarray._backend.dispatch import check_plain
from sigarray._backend.libraries import device_of, upload_numbers, word_dtype
from sigarray._backend.threefry import WORD_BITS, random_words, threefry2x32

_HALF_BITS = 16
_MAY_DRAW = contextvars.ContextVar("may_draw", default=True)


def seed_words(xp: Namespace, device: Device, rng: RandomSource) -> Seed:
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
        return _words_of_array(xp, device, rng)
    if array_api_compat.is_jax_namespace(xp) and not _is_integer(rng):
        msg = (
            f"Expected rng to be an int or a JAX key for JAX arrays; got {_name(rng)}. "
            "Pass rng=jax.random.key(seed), and another key for every call."
        )
        raise TypeError(msg)
    if array_api_compat.is_torch_namespace(xp):
        _refuse_while_tracing(rng)
        if _is_from(rng, "torch", "Generator"):
            return _draw_with_torch(rng, device)
    if array_api_compat.is_cupy_namespace(xp) and _is_from(rng, "cupy", "Generator"):
        # By halves: before 14.2 the whole range was read from memory that nobody had
        # written to (cupy/cupy#9745).
        halves = rng.integers(0, 2**_HALF_BITS, size=4, dtype=xp.uint32)
        words = halves[:2] << _HALF_BITS | halves[2:]
        return words[:1], words[1:]
    return _upload_words(xp, device, [_draw_seed(rng)])


def number_streams(count: int) -> tuple[int, ...]:
    """Give the streams of samples that have places and no names."""
    return tuple(range(count))


def name_streams(names: Iterable[Hashable]) -> tuple[int, ...]:
    """Give each name a stream of its own, whatever the others are and their order.

    Names that are equal have one: an IntEnum or `numpy.int64(1)` that of 1.
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


def stream_seeds(xp: Namespace, seed: Seed, streams: Sequence[int]) -> Seed:
    """Give seed words (K, 1) for K streams, each a function of the seed and its own.

    `random_words` of the streams are then unrelated, and one more changes no other.
    """
    if tuple(streams) == tuple(range(len(streams))):
        words = random_words(xp, seed, 0, len(streams), 2)
        return words[:, :1], words[:, 1:]
    counters = _upload_words(xp, device_of(xp, seed[0]), streams)
    low, high = threefry2x32(xp, seed, counters)
    return low[:, None], high[:, None]


def spare_seed(xp: Namespace, seed: Seed) -> Seed:
    """Give another seed, from words that no replicate takes."""
    words = random_words(xp, seed, MAX_REPLICATES - 1, 1, 2)
    return words[0, :1], words[0, 1:]


def _upload_words(
    xp: Namespace, device: Device, numbers: Sequence[int]
) -> tuple[Array, Array]:
    """Give low and high words of integers below 2^64; nothing waits for the device."""
    halves = [[n % 2**WORD_BITS for n in numbers], [n >> WORD_BITS for n in numbers]]
    dtype = word_dtype(xp)
    if xp.isdtype(dtype, "signed integer"):
        halves = [[n - (n >> 31 << WORD_BITS) for n in half] for half in halves]
    low, high = (upload_numbers(xp, device, half, dtype) for half in halves)
    return low, high


def _draw_seed(rng: RandomSource) -> int:
    if rng is None:
        return secrets.randbits(SEED_BITS)
    # By name: NumPy loads its generators when first asked for them, and what loads them
    # loses a Ctrl-C (numpy 2.4).
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


def _words_of_array(xp: Namespace, device: Device, rng: Array) -> tuple[Array, Array]:
    """Give the words of an integer that may be traced, or draw them with a JAX key."""
    check_plain(rng)
    # As JAX would take them from NumPy.
    is_of_jax = array_api_compat.is_jax_array(rng) or isinstance(rng, np.ndarray)
    if array_api_compat.is_jax_namespace(xp) and is_of_jax:
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
        is_integer = xp.isdtype(rng.dtype, "integral")
    except TypeError:  # a dtype of another library
        is_integer = False
    if not is_integer or tuple(rng.shape) not in ((), (2,)):
        library = xp.__name__.removeprefix("array_api_compat.")
        msg = (
            f"Expected rng to be an int, an integer array of shape () or (2,) of "
            f"{library}, or a generator or key of it; got {describe(rng)} of dtype "
            f"{rng.dtype}, shape {tuple(rng.shape)}. Pass rng=0 for a fixed seed, or "
            f"two words, {library}.asarray([0, 1])."
        )
        raise TypeError(msg)
    if array_api_compat.is_torch_namespace(xp):
        _check_place(device, rng.device, "an integer rng", "there: torch.tensor(0, ")
    number = xp.reshape(xp.asarray(rng), (-1,))
    if number.dtype == xp.uint64:
        number = xp.astype(number, xp.int64)  # torch has no shift of uint64
    dtype = word_dtype(xp)
    bits = xp.iinfo(number.dtype).bits
    if rng.ndim == 1:
        if bits > WORD_BITS:
            number = number & (2**WORD_BITS - 1)
        words = xp.astype(number, dtype)
        return words[:1], words[1:]
    if bits <= WORD_BITS:
        # A negative one, which cannot be seen here, is 2^64 less it on all backends.
        is_signed = xp.isdtype(number.dtype, "signed integer")
        high = number >> (bits - 1) if is_signed else xp.zeros_like(number)
        return xp.astype(number, dtype), xp.astype(high, dtype)
    mask = 2**WORD_BITS - 1
    return xp.astype(number & mask, dtype), xp.astype(number >> WORD_BITS, dtype)


@contextlib.contextmanager
def without_fresh_seeds() -> Iterator[None]:
    """Refuse seeds that a compiled program would not draw anew: see `compiling`."""
    token = _MAY_DRAW.set(False)
    try:
        yield
    finally:
        _MAY_DRAW.reset(token)


def _refuse_while_tracing(rng: RandomSource) -> None:
    if _is_integer(rng) or _MAY_DRAW.get():
        return
    msg = (
        f"Expected rng to be an int, or an integer tensor of the device, under "
        f"torch.compile; got {_name(rng)}. A tensor, torch.tensor(0) or one of two "
        f"words, may be another in every call, and nothing is compiled again."
    )
    raise TypeError(msg)


def _hash(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8)
    return int.from_bytes(digest.digest(), "little")


def _check_place(device: Device, own: Device, what: str, call: str) -> Device:
    """Give the device of the scores, and raise where a source of torch is elsewhere."""
    import torch

    device = torch.get_default_device() if device is None else torch.device(device)
    # A device without an index is the current one of its type.
    places = {device.index, own.index} - {None}
    if own.type != device.type or len(places) > 1:
        msg = (
            f"Expected {what} on {device}, where the scores are; got one on {own}. "
            f"Make it {call}device={str(device)!r})."
        )
        raise ValueError(msg)
    return device


def _draw_with_torch(generator: RandomSource, device: Device) -> tuple[Array, Array]:
    import torch

    device = _check_place(
        device, generator.device, "a generator", "with torch.Generator("
    )
    words = torch.randint(
        -(2**31), 2**31, (2,), dtype=torch.int32, device=device, generator=generator
    )
    return words[:1], words[1:]
