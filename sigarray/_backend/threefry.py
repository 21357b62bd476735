"""Random numbers as a pure function of (seed words, replicate, element).

The words are those of Threefry-2x32 with 20 rounds [1]_, a counter-based generator: the
seed words are its key, and (replicate, element) its counter. It consists of 32-bit add,
shift and xor, so that every backend and device draws the same words, in any order, for
any split of the replicates, without a state to read or write.

The array code, which is the reference, takes some 70 launches on an accelerator. On
CUDA tensors of torch a kernel is Triton's, which comes with torch; on CuPy it is CUDA
C. XLA needs none: it fuses the array code.

References
----------
.. [1] J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw (2011). Parallel random
   numbers: as easy as 1, 2, 3. SC '11. :doi:`10.1145/2063384.2063405`
"""

from collections.abc import Sequence
from typing import Any, Literal

from sigarray._backend.callers import Array, Seed
from sigarray._backend.library import Library

Kind = Literal["words", "uniforms", "places"]

# The numbers of these kinds in the kernels.
_KINDS = {"words": 0, "uniforms": 1, "places": 2}
# Salmon et al. (2011), as fixed in Random123 1.14: rotations of even and odd groups of
# four rounds, and the parity word of the key schedule.
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
_KEY_PARITY = 0x1BD11BDA
_GROUPS_OF_ROUNDS = 5

WORD_BITS = 32
_HALF_BITS = 16
_HALF_MASK = 2**_HALF_BITS - 1
# With up to this many choices, replicates share half of their random bits.
_MAX_OVERLAPPING = 2**12
# Counters of a second sample begin here: no first sample has as many elements.
_SECOND_SAMPLE = 2**30


def draw_fused(
    xp: Library,
    seed: Seed,
    kind: Kind,
    start: int | Array,
    count: int,
    width: int,
    *,
    halves: bool = False,
    size: int = 1,
    first_block: int = 0,
) -> Array | None:
    """Draw for replicates `start`, ..., or return None if there is no kernel.

    Words are those of `random_words`, or, from halves, those of `overlapping_words`;
    uniforms are those of `random_uniforms`, and places are below `size`. The shape is
    (count, K, width) for K streams, or (count, width).
    """
    if not isinstance(start, int) or width == 0:
        return None
    numbers = [start, count, width, int(halves), size, first_block]
    flat = xp.draw_fused(seed, _KINDS[kind], numbers)
    if flat is None:
        return None
    return xp.reshape(flat, (count, *seed[0].shape[:-1], width))


def random_words(
    xp: Library,
    seed: Seed,
    start: int | Array,
    count: int,
    width: int,
    *,
    first_block: int = 0,
) -> Array:
    """Return words (count, width) for replicates start, ..., start + count - 1.

    For seeds of K streams they have shape (count, K, width). A block has two words:
    element i takes the first where i < ceil(width / 2), else the second of block i -
    ceil(width / 2). Blocks are counted from `first_block` on.
    """
    fused = draw_fused(xp, seed, "words", start, count, width, first_block=first_block)
    if fused is not None:
        return fused
    return _random_rows(xp, seed, start, count, [width], [first_block])[0][..., :width]


def _random_rows(
    xp: Library,
    seed: Seed,
    start: int | Array,
    count: int,
    widths: Sequence[int],
    first_blocks: Sequence[int],
) -> list[Array]:
    """Return `random_words` of several widths or one more, encrypted at once."""
    dtype = xp.word_dtype
    blocks, streams = [-(-width // 2) for width in widths], seed[0].shape[:-1]
    first = start if isinstance(start, int) else xp.astype(xp.asarray(start), dtype)
    replicates = xp.arange(count, dtype=dtype) + first
    replicates = xp.reshape(replicates, (count, *(1,) * (len(streams) + 1)))
    elements = [
        xp.arange(place, place + n, dtype=dtype)
        for n, place in zip(blocks, first_blocks, strict=True)
    ]
    every = elements[0] if len(elements) == 1 else xp.concat(elements)
    shape = (count, *streams, sum(blocks))
    counter = (xp.broadcast_to(replicates, shape), xp.broadcast_to(every, shape))
    words = threefry2x32(xp, seed, counter)
    rows, end = [], 0
    for n in blocks:
        part = slice(end, end + n)
        rows.append(xp.concat([x[..., part] for x in words], axis=-1))
        end += n
    return rows


def random_uniforms(
    xp: Library, seed: Seed, start: int | Array, count: int, width: int
) -> Array:
    """Return float32 uniforms on {1/2, 3/2, ..., 2^16 - 1/2} / 2^16, two of a word.

    The shape is (count, width), or (count, K, width). Columns have the upper halves of
    the words of `random_words`, and then the lower ones. For sums of exponentials, with
    a variance 1.3e-4 too small, and of normals that is as good as all bits.
    """
    fused = draw_fused(xp, seed, "uniforms", start, count, width, halves=True)
    if fused is not None:
        return fused
    halves = _random_halves(xp, seed, start, count, width)
    values = xp.astype(halves, xp.float32)
    values += 0.5
    values *= 2.0**-_HALF_BITS
    return values


def _random_halves(
    xp: Library,
    seed: Seed,
    start: int | Array,
    count: int,
    width: int,
    *,
    first_block: int = 0,
) -> Array:
    """Return half words: the upper halves of `random_words`, and then the lower ones.

    The shape is (count, width), or (count, K, width).
    """
    n_words = -(-width // 2)
    words = _random_rows(xp, seed, start, count, [n_words], [first_block])[0]
    return _halve(xp, words, n_words)[..., :width]


def _halve(xp: Library, words: Array, n_words: int) -> Array:
    """Return the halves of the first words: the upper ones, and then the lower ones.

    Only results are cut to their width: what is contiguous takes half as long.
    """
    halves = [(words >> _HALF_BITS) & _HALF_MASK, words & _HALF_MASK]
    return xp.concat([x[..., :n_words] for x in halves], axis=-1)


def threefry2x32(
    xp: Library, key: tuple[Array, Array], counter: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Encrypt a counter in 20 rounds: Salmon et al. (2011), section 4.2."""
    # Arrays of shape (1,), because NumPy warns when scalars wrap around.
    dtype = xp.word_dtype
    parity = xp.full((1,), _KEY_PARITY, dtype=dtype)
    schedule = (key[0], key[1], key[0] ^ key[1] ^ parity)
    is_signed = xp.isdtype(dtype, "signed integer")
    # Not in place: torch.func.vmap may have many keys for one counter.
    x, y = counter[0] + schedule[0], counter[1] + schedule[1]
    if xp.has_no_numbers:
        return x, y
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


def encrypt_number(key: tuple[int, int], counter: tuple[int, int]) -> tuple[int, int]:
    """Return the words of `threefry2x32` of one counter, all as Python's integers."""
    mask = 2**WORD_BITS - 1
    schedule = (*key, key[0] ^ key[1] ^ _KEY_PARITY)
    x, y = (counter[0] + key[0]) & mask, (counter[1] + key[1]) & mask
    for group in range(_GROUPS_OF_ROUNDS):
        for rotation in _ROTATIONS[group % 2]:
            x = (x + y) & mask
            y = ((y << rotation | y >> WORD_BITS - rotation) & mask) ^ x
        x = (x + schedule[(group + 1) % 3]) & mask
        y = (y + schedule[(group + 2) % 3] + group + 1) & mask
    return x, y


def uniform_indices(xp: Library, words: Array, n: int | Array) -> Array:
    """Return floor(n w / 2^32) for each word: the same places in [0, n) everywhere.

    An array of numbers broadcasts with the words.
    """
    if xp.has_int64:
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
    xp: Library,
    seed: Seed,
    start: int | Array,
    count: int,
    width: int,
    n_choices: int,
    *,
    first_block: int = 0,
) -> Array:
    """Return words (count, width), each to choose one of `n_choices` places or ranks.

    The upper half of a word is half a word of `random_words` for its replicate. The
    lower half is the upper one of the next replicate: it only decides between
    neighbours, in one of 16 draws or fewer, and so half as many random bits suffice.
    Whatever the scores are, means of neighbouring replicates correlate by less than
    0.01 (the largest eigenvalue for 1500 to 4095 choices is 0.0065), and they take
    three quarters of the time. Beyond 2^12 choices all bits are drawn.
    """
    where = {"first_block": first_block}
    if n_choices > _MAX_OVERLAPPING:
        return random_words(xp, seed, start, count, width, **where)
    fused = draw_fused(xp, seed, "words", start, count, width, halves=True, **where)
    if fused is not None:
        return fused
    upper = _random_halves(xp, seed, start, count + 1, width, **where)
    result = upper[:-1, :] << _HALF_BITS
    result |= upper[1:, :]
    return result


def _overlapping_indices(xp: Library, halves: Array, n: int, width: int) -> Array:
    """Return `uniform_indices` of `overlapping_words`, from their first halves."""
    scaled = n * halves
    indices = scaled[1:, ...] >> _HALF_BITS
    indices += scaled[:-1, ...]
    indices >>= _HALF_BITS
    is_wide = xp.has_int64
    return xp.astype(indices[..., :width], xp.int64 if is_wide else xp.int32)


def random_places(
    xp: Library,
    seed: Seed,
    start: int | Array,
    count: int,
    sizes: Sequence[int],
    draws: Sequence[int],
    is_together: bool,
) -> list[Array]:
    """Return places (count, draws) in each of the samples, with replacement.

    Those of a sample depend neither on the size nor on the presence of the other one;
    pairs have the same places in both.
    """
    if is_together:
        return 2 * random_places(xp, seed, start, count, sizes[:1], draws[:1], False)
    first_blocks = [k * _SECOND_SAMPLE for k in range(len(sizes))]
    are_overlapping = [n <= _MAX_OVERLAPPING for n in sizes]
    fused = [
        draw_fused(
            xp,
            seed,
            "places",
            start,
            count,
            width,
            halves=is_overlapping,
            size=n,
            first_block=first_block,
        )
        for n, width, first_block, is_overlapping in zip(
            sizes, draws, first_blocks, are_overlapping, strict=True
        )
    ]
    if fused[0] is not None:
        return fused
    places = {}
    for is_overlapping in dict.fromkeys(are_overlapping):
        which = [k for k, x in enumerate(are_overlapping) if x == is_overlapping]
        widths = [-(-draws[k] // 2) if is_overlapping else draws[k] for k in which]
        firsts = [first_blocks[k] for k in which]
        rows = _random_rows(xp, seed, start, count + is_overlapping, widths, firsts)
        for k, words, width in zip(which, rows, widths, strict=True):
            if is_overlapping:
                halves = _halve(xp, words, width)
                places[k] = _overlapping_indices(xp, halves, sizes[k], draws[k])
            else:
                places[k] = uniform_indices(xp, words[..., :width], sizes[k])
    return [places[k] for k in range(len(sizes))]


def random_counts(
    xp: Library,
    seed: Seed,
    start: int | Array,
    count: int,
    n: int,
    n_drawn: int,
    dtype: Any,
) -> Array:
    """Return how often each of n places is drawn by `random_places`: (count, n)."""
    if n > _MAX_OVERLAPPING and isinstance(start, int):
        counts = xp.count_drawn(seed, start, count, n_drawn, n, dtype)
        if counts is not None:
            return counts
    (places,) = random_places(xp, seed, start, count, [n], [n_drawn], False)
    return xp.weigh_places(places, n, dtype)


def random_places_of_intervals(
    xp: Library,
    seed: Seed,
    start: int | Array,
    count: int,
    firsts: Sequence[Array],
    sizes: Sequence[Array],
    is_together: bool,
) -> list[Array]:
    """Return places (count, n), each one of its own interval of `sizes` places."""
    places, drawn = [], slice(1) if is_together else slice(None)
    for k, (first, size) in enumerate(zip(firsts[drawn], sizes[drawn], strict=True)):
        words = random_words(
            xp, seed, start, count, first.shape[0], first_block=k * _SECOND_SAMPLE
        )
        chosen = uniform_indices(xp, words, size)
        places.append(chosen + xp.astype(first, chosen.dtype))
    return 2 * places if is_together else places


def random_places_of_first(
    xp: Library,
    seed: Seed,
    start: int | Array,
    count: int,
    sizes: Sequence[int],
    numbers: Sequence[Array],
    is_together: bool,
) -> list[Array]:
    """Return as many places as `numbers` say, below these, in each of the samples.

    The shape is (count, size); other places are `size`. If a number is the size, these
    are the places of `random_places`.
    """
    places, drawn = [], slice(1) if is_together else slice(None)
    for k, (size, number) in enumerate(zip(sizes[drawn], numbers[drawn], strict=True)):
        first_block = k * _SECOND_SAMPLE
        words = overlapping_words(
            xp, seed, start, count, size, size, first_block=first_block
        )
        chosen = uniform_indices(xp, words, number)
        is_drawn = xp.arange(size, dtype=xp.index_dtype) < number
        places.append(xp.where(is_drawn, chosen, size))
    return 2 * places if is_together else places


def ordered_keys(xp: Library, words: Array) -> Array:
    """Return the words as integers with the same order on every backend."""
    if xp.isdtype(words.dtype, "signed integer"):
        return words ^ -(2 ** (WORD_BITS - 1))
    return words
