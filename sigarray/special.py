"""Special functions that the array API lacks."""

import math
from collections.abc import Callable

from sigarray._typing import Array, Namespace
from sigarray.dispatch import default_batch, device_of, map_entries

# Nine reach the last bit for every p from 1e-300 to 0.5.
_NEWTON_STEPS = 10

# Where the trapezoidal rule for the tail of Student's t starts, how far its nodes are
# apart, and how many there are: 5e-14 of the tail for 1 to 10^8 degrees of freedom.
_FIRST_NODE, _SPACING, _NODES = -4.0, 0.12, 64

# Abramowitz and Stegun (1964), 26.2.23: the normal quantile to 4.5e-4.
_NUMERATOR = (2.515517, 0.802853, 0.010328)
_DENOMINATOR = (1.0, 1.432788, 0.189269, 0.001308)


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

    def add_up(half: Array, half_df: Array) -> Array:
        half = half[..., None]
        logs = i * xp.log(half) - log_factorials - half
        return xp.sum(
            xp.exp(xp.where(i < half_df[..., None], logs, -math.inf)), axis=-1
        )

    half = xp.clip(0.5 * x, xp.finfo(x.dtype).smallest_normal, None)
    return _map_elements(xp, add_up, (half, half_df), 4 * max_half_df)


def student_t_sf(xp: Namespace, t: Array, df: Array) -> Array:
    """P(T >= t) of Student's t, to 1e-13 of itself in float64, for df >= 1.

    For t from 1e154 on (in float32, 1e19) it is the tail at that t, or 0 at infinity.

    With u^2 = df log(1 + t^2 / df), its density is proportional to that of a normal u,
    but for a smooth factor:

        exp(-u^2 / 2) sqrt(q / (1 - exp(-q))),  q = u^2 / df.

    The tail beyond u and the one beyond 0 are integrated by the same rule, so that the
    constant cancels. The regularized incomplete beta function, which is the textbook's
    way, needs a continued fraction and the logarithm of gamma, which arrays lack.
    """
    return _upper_tail(xp, t, df)


def normal_sf(xp: Namespace, z: Array) -> Array:
    """P(Z >= z) of a standard normal, to 1e-13 of itself in float64."""
    return _upper_tail(xp, z, xp.full_like(z, math.inf))


def _upper_tail(xp: Namespace, t: Array, df: Array) -> Array:
    """Student's tail, which is normal where df is infinite."""
    # So that its square does not overflow.
    size = xp.clip(xp.abs(t), None, 0.5 * xp.finfo(t.dtype).max ** 0.5)
    is_normal = xp.isinf(df)
    finite_df = xp.where(is_normal, 1.0, df)
    u = xp.sqrt(finite_df * xp.log1p(size * size / finite_df))
    u = xp.where(is_normal, size, u)

    def tails(u: Array, spread: Array) -> Array:
        mills = _integrate_density(xp, u, spread)
        half = _integrate_density(xp, xp.zeros_like(u), spread)
        return 0.5 * xp.exp(-0.5 * u * u) * mills / half

    tail = _map_elements(xp, tails, (u, 1.0 / df), 4 * _NODES)
    tail = xp.where(xp.isinf(t), 0.0, tail)
    return xp.where(t < 0.0, 1.0 - tail, tail)


def _map_elements(
    xp: Namespace,
    function: Callable[..., Array],
    arrays: tuple[Array, ...],
    width: int,
) -> Array:
    """Apply a function to flat chunks, for an element takes `width` numbers."""
    shape = arrays[0].shape
    flat = [xp.reshape(xp.broadcast_to(x, shape), (-1,)) for x in arrays]
    batch = default_batch(xp, device_of(xp, arrays[0]), width)
    return xp.reshape(map_entries(xp, function, flat, batch), shape)


def _integrate_density(xp: Namespace, start: Array, spread: Array) -> Array:
    """Integrate the density beyond `start`, relative to its normal factor there.

    The substitution u = start + exp(w - exp(-w)) / (1 + start) makes the integrand fall
    off doubly exponentially in w on the left, and faster on the right [1]_.

    References
    ----------
    .. [1] H. Takahasi, M. Mori (1974). Double exponential formulas for numerical
       integration. Publications of the RIMS 9, 721-741. :doi:`10.2977/prims/1195192451`
    """
    nodes = xp.arange(_NODES, dtype=start.dtype, device=device_of(xp, start))
    w = _FIRST_NODE + _SPACING * nodes
    decay = xp.exp(-w)
    steps = xp.exp(w - decay)
    weights = _SPACING * steps * (1.0 + decay)
    width = 1.0 / (1.0 + start)
    distance = steps * width[..., None]
    u = start[..., None] + distance
    # Small enough for the factor to be 1, and not so small that it is 0 / 0.
    q = xp.clip(u * u * spread[..., None], 1e-30, None)
    density = xp.exp(-0.5 * distance * (u + start[..., None])) * xp.sqrt(
        q / -xp.expm1(-q)
    )
    return width * xp.sum(weights * density, axis=-1)


def normal_quantiles(xp: Namespace, p: Array) -> Array:
    """Give z with Phi(z) = p, for probabilities in (0, 1) of an array.

    Two steps of Newton's method from a rational approximation: each squares its error.
    """
    smaller = xp.where(p < 0.5, p, 1.0 - p)
    t = xp.sqrt(-2.0 * xp.log(smaller))
    z = t - _polynomial(_NUMERATOR, t) / _polynomial(_DENOMINATOR, t)
    for _ in range(2):
        density = xp.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        z = z + (normal_sf(xp, z) - smaller) / density
    return xp.where(p < 0.5, -z, z)


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    """Evaluate a polynomial, the constant first."""
    value = coefficients[-1] + 0.0 * x
    for coefficient in reversed(coefficients[:-1]):
        value = value * x + coefficient
    return value
