"""Bits, and uniforms, exponentials and normals in float32, from random words."""

import math

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._backend.threefry import WORD_BITS

# Uniforms have the 24 bits that float32 represents exactly.
_UNIFORM_BITS = 24


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
    """Return float32 standard exponentials, one for each uniform."""
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
