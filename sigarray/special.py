"""Special functions that the array API lacks."""

import math

from sigarray._typing import Array, Namespace
from sigarray.dispatch import device_of

# Nine reach the last bit for every p from 1e-300 to 0.5.
_NEWTON_STEPS = 10


def normal_quantile(p: float) -> float:
    """Give z with Phi(z) = p, for a probability that is static.

    Newton's method on log Phi(z), which is concave: from a start on the left of the
    root it climbs to it without overshooting. `statistics.NormalDist` has a faster one
    in C, which `torch.compile` cannot trace.
    """
    if p > 0.5:
        return -normal_quantile(1.0 - p)
    z = -math.sqrt(-2.0 * math.log(p))
    for _ in range(_NEWTON_STEPS):
        probability = 0.5 * math.erfc(-z / math.sqrt(2.0))
        density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        z += probability / density * math.log(p / probability)
    return z


def cumulative_maximum(xp: Namespace, x: Array) -> Array:
    """Give the largest element so far along the last axis, in log2(n) passes."""
    shift = 1
    while shift < x.shape[-1]:
        larger = xp.maximum(x[..., shift:], x[..., :-shift])
        x = xp.concat([x[..., :shift], larger], axis=-1)
        shift *= 2
    return x


def chi_square_sf(xp: Namespace, x: Array, half_df: Array, max_half_df: int) -> Array:
    """P(X >= x) of chi-square with 2 m degrees of freedom, for integers m.

    It is a Poisson probability: e^(-x/2) times the sum over i < m of (x/2)^i / i!.
    """
    i = xp.arange(max_half_df, dtype=x.dtype, device=device_of(xp, x))
    log_factorials = xp.cumulative_sum(xp.log(xp.clip(i, 1.0, None)))
    half = xp.clip(0.5 * x, xp.finfo(x.dtype).smallest_normal, None)[..., None]
    powers = i * xp.log(half)
    terms = xp.where(i < half_df[..., None], powers - log_factorials - half, -math.inf)
    return xp.sum(xp.exp(terms), axis=-1)
