"""Special functions that the array API lacks."""

import functools
import math
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Any

from sigarray._backend.callers import Alternative, Array
from sigarray._backend.chunks import iterate, map_entries
from sigarray._backend.library import Library

# Nine steps reach the last bit for every p from 1e-300 to 0.5, and fewer for tails of
# 1e-12 or more.
_NEWTON_STEPS, _STEPS_OF_ARRAYS = 10, 6

# The start, spacing and number of the nodes of the trapezoidal rule for the tail of
# Student's t: 5e-14 of the tail for 1 to 10^8 degrees of freedom.
_FIRST_NODE, _SPACING, _NODES = -4.0, 0.12, 64

# Even terms of x / (exp(x) - 1) from x^2 on, to 1e-16 down to -1/4: Bernoulli numbers
# B_k / k!.
_BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160)
_MAX_SERIES = 0.25

# Abramowitz and Stegun (1964), 26.2.23: the normal quantile to 4.5e-4.
_NUMERATOR = (2.515517, 0.802853, 0.010328)
_DENOMINATOR = (1.0, 1.432788, 0.189269, 0.001308)
# 26.2.17: the normal tail over its density, by powers of 1 / (1 + 0.2316419 z).
_TAIL = (0.0, 0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429)
_SCALE_OF_TAIL = 0.2316419


def normal_quantile(p: float) -> float:
    return NormalDist().inv_cdf(p)


@functools.cache
def student_quantile(p: float, df: float) -> float:
    """Return t with P(T <= t) = p of Student's t, for static numbers.

    Newton's method on the logarithm of the tail starts at the normal quantile, which is
    near in the u of `student_t_sf`.
    """
    if p > 0.5:
        return -student_quantile(1.0 - p, df)
    half, u = _tail_integral(0.0, df), -normal_quantile(p)
    for _ in range(_NEWTON_STEPS):
        normal = 0.5 * math.exp(-0.5 * u * u) / half
        probability = normal * _tail_integral(u, df)
        u += probability / (normal * _density_factor(u, df)) * math.log(probability / p)
    return -math.sqrt(df * math.expm1(u * u / df))


def _tail_integral(start: float, df: float) -> float:
    """Integrate as `_integrate_density` does, for Python numbers."""
    total = 0.0
    for k in range(_NODES):
        decay = math.exp(-(_FIRST_NODE + _SPACING * k))
        step = math.exp(_FIRST_NODE + _SPACING * k - decay)
        u = start + step / (1.0 + start)
        normal = math.exp(-0.5 * (u - start) * (u + start))
        total += step * (1.0 + decay) * normal * _density_factor(u, df)
    return _SPACING * total / (1.0 + start)


def _density_factor(u: float, df: float) -> float:
    q = u * u / df
    return math.sqrt(q / -math.expm1(-q)) if q > 0.0 else 1.0


def chi_square_sf(xp: Library, x: Array, half_df: Array, max_half_df: int) -> Array:
    """P(X >= x) of chi-square with 2 m degrees of freedom, for integers m.

    It is a Poisson probability: e^(-x/2) times the sum over i < m of (x/2)^i / i!.
    """
    i = xp.arange(max_half_df, dtype=x.dtype)
    log_factorials = xp.cumulative_sum(xp.log(xp.clip(i, 1.0, None)))
    add_up = functools.partial(_add_up_poisson, xp, i, log_factorials)
    half = xp.clip(0.5 * x, xp.finfo(x.dtype).smallest_normal, None)
    return _map_elements(xp, add_up, (half, half_df), 4 * max_half_df)


def _add_up_poisson(
    xp: Library, i: Array, log_factorials: Array, half: Array, half_df: Array
) -> Array:
    half = half[..., None]
    logs = i * xp.log(half) - log_factorials - half
    return xp.sum(xp.exp(xp.where(i < half_df[..., None], logs, -math.inf)), axis=-1)


def student_t_sf(xp: Library, t: Array, df: Array) -> Array:
    """P(T >= t) of Student's t, to a relative error of 1e-13 in float64, for df >= 1.

    For t from 1e154 on (in float32, 1e19) it is the tail at that t. It is 0 only at
    infinity: where it is too small for the dtype, it is the smallest normal number.

    With u^2 = df log(1 + t^2 / df), its density is that of a normal u times a smooth
    factor, up to a constant:

        exp(-u^2 / 2) sqrt(q / (1 - exp(-q))),  q = u^2 / df.

    The tails beyond u and beyond 0 are integrated by the same rule, so that the
    constant cancels. The regularized incomplete beta function of textbooks needs a
    continued fraction and the logarithm of gamma, which the array API lacks.
    """
    tail = xp.where(xp.isinf(t), 0.0, 0.5 * _find_both_tails(xp, t, df))
    return xp.where(t < 0.0, 1.0 - tail, tail)


def student_p_value(
    xp: Library, alternative: Alternative, t: Array, df: Array
) -> Array:
    """Return the p-value of Student's t, which is unknown if that is infinite."""
    both = _find_both_tails(xp, t, df)
    if alternative == "two-sided":
        return both
    is_low = t < 0.0 if alternative == "greater" else t > 0.0
    return xp.where(is_low, 1.0 - 0.5 * both, 0.5 * both)


def student_t_isf(xp: Library, tail: float, df: Array) -> Array:
    """Return t with P(T >= t) = `tail` of Student's t, for df >= 1 and a static tail.

    The tail is 1e-12 or more, and as far from 1. As in `student_quantile`, Newton's
    method on the logarithm of the tail starts at the normal quantile.
    """
    if tail > 0.5:
        return -student_t_isf(xp, 1.0 - tail, df)
    is_normal = xp.isinf(df)
    finite_df = xp.where(is_normal, 1.0, df)
    start = -normal_quantile(tail)
    find = functools.partial(_find_quantiles, xp, tail, start)
    u = _map_elements(xp, find, (xp.reciprocal(-finite_df),), 16 * _NODES)
    t = xp.sqrt(finite_df * xp.expm1(u * u / finite_df))
    return xp.where(is_normal, start, t)


def _find_quantiles(xp: Library, tail: float, start: float, spread: Array) -> Array:
    nodes = xp.kept_tables(_place_nodes, spread.dtype)
    half, _ = _integrate_density(xp, nodes, xp.zeros_like(spread), spread)
    both_halves = 2.0 * half

    def improve(u: Array) -> Array:
        normal = xp.exp(-0.5 * u * u) / both_halves
        integral, factor = _integrate_density(xp, nodes, u, spread)
        probability = normal * integral
        u = u + probability / (normal * factor) * xp.log(probability / tail)
        return xp.clip(u, 0.0, None)

    # A loop to compilers: they search for tiles of steps that follow one another.
    return iterate(xp, improve, xp.full_like(spread, start), _STEPS_OF_ARRAYS)


def normal_sf(xp: Library, z: Array) -> Array:
    """P(Z >= z) of a standard normal, to a relative error of 1e-13 in float64.

    As `student_t_sf`, whose smooth factor is 1 here.
    """
    size = xp.abs(z)
    # Clipped, so that the square does not overflow.
    u = xp.clip(size, None, 0.5 * xp.finfo(size.dtype).max ** 0.5)
    tails = functools.partial(_find_normal_tails, xp)
    tail = _map_elements(xp, tails, (u,), 8 * _NODES)
    tail = xp.clip(tail, xp.finfo(size.dtype).smallest_normal, None)
    tail = xp.where(xp.isinf(size), 0.0, tail)
    return xp.where(z < 0.0, 1.0 - tail, tail)


def coarse_normal_sf(xp: Library, z: Array) -> Array:
    """P(Z >= z) of a standard normal to 7.5e-8, in a tenth of the time."""
    size = xp.clip(xp.abs(z), None, 40.0)
    density = xp.exp(-0.5 * size * size) / math.sqrt(2.0 * math.pi)
    tail = density * _polynomial(_TAIL, 1.0 / (1.0 + _SCALE_OF_TAIL * size))
    return xp.where(z < 0.0, 1.0 - tail, tail)


def _find_normal_tails(xp: Library, u: Array) -> Array:
    nodes = xp.kept_tables(_place_nodes, u.dtype)
    if xp.is_host:
        beyond, _ = _integrate_density(xp, nodes, u)
        (half,) = xp.kept_tables(_find_normal_half, u.dtype)
    else:
        both, _ = _integrate_density(xp, nodes, xp.stack([u, xp.zeros_like(u)]))
        beyond, half = both[0, ...], both[1, ...]
    return 0.5 * xp.exp(-0.5 * u * u) * beyond / half


def _find_normal_half(xp: Library, dtype: Any) -> tuple[Array, ...]:
    nodes = xp.kept_tables(_place_nodes, dtype)
    return _integrate_density(xp, nodes, xp.zeros((1,), dtype=dtype))[:1]


def _find_both_tails(xp: Library, t: Array, df: Array) -> Array:
    """Return P(|T| >= |t|) of Student's t, which is normal if df is infinite.

    It is never 0: an infinite t counts as a large one.
    """
    info = xp.finfo(t.dtype)
    # Clipped, so that the square does not overflow.
    t = xp.clip(t, -0.5 * info.max**0.5, 0.5 * info.max**0.5)
    # At a power of two, at which the square root below is |t| to the last bit.
    _, exponent = math.frexp(float(xp.finfo(df.dtype).max))
    finite_df = xp.clip(df, None, 2.0 ** (exponent // 2))
    u = xp.sqrt(finite_df * xp.log1p(t * t / finite_df))
    tails = functools.partial(_find_tails, xp)
    both = _map_elements(xp, tails, (u, xp.reciprocal(-df)), 8 * _NODES)
    return xp.clip(both, 2.0 * float(info.smallest_normal), 1.0)


def _find_tails(xp: Library, u: Array, spread: Array) -> Array:
    # The tails beyond u and beyond 0, which is one for all with the same df.
    nodes = xp.kept_tables(_place_nodes, u.dtype)
    if xp.is_host and len(u) > 1 and xp.all(spread == spread[0]):
        beyond, _ = _integrate_density(xp, nodes, u, spread)
        half, _ = _integrate_density(xp, nodes, xp.zeros_like(u[:1]), spread[:1])
    else:
        starts = xp.stack([u, xp.zeros_like(u)])
        both, _ = _integrate_density(xp, nodes, starts, spread)
        beyond, half = both[0, ...], both[1, ...]
    return xp.exp(-0.5 * u * u) * beyond / half


def _map_elements(
    xp: Library,
    function: Callable[..., Array],
    arrays: tuple[Array, ...],
    width: int,
) -> Array:
    """Apply a function to flat chunks, with `width` numbers for each element."""
    shape = arrays[0].shape
    flat = [xp.reshape(xp.broadcast_to(x, shape), (-1,)) for x in arrays]
    return xp.reshape(map_entries(xp, function, flat, elements=width), shape)


def _integrate_density(
    xp: Library, nodes: Sequence[Array], start: Array, spread: Array | None = None
) -> tuple[Array, Array]:
    """Integrate the density beyond `start`, relative to its normal factor there.

    Also return its other factor there. Without a spread, -1 / df, it is normal.

    Nodes are those of `_place_nodes`. With the substitution u = start + exp(w -
    exp(-w)) / (1 + start) the integrand falls off doubly exponentially in w on the
    left, and faster on the right [1]_.

    References
    ----------
    .. [1] H. Takahasi, M. Mori (1974). Double exponential formulas for numerical
       integration. Publications of the RIMS 9, 721-741. :doi:`10.2977/prims/1195192451`
    """
    steps, weights = nodes
    width = xp.reciprocal(1.0 + start)
    distance = steps * width[..., None]
    u = start[..., None] + distance
    density = xp.exp(-0.5 * distance * (u + start[..., None]))
    if spread is not None:
        factor = _ratio_to_rise(xp, u * u * spread[..., None])
        density = density * xp.sqrt(factor)
    integral = width * xp.sum(weights * density[..., 1:], axis=-1)
    return integral, density[..., 0]


def _place_nodes(xp: Library, dtype: Any) -> tuple[Array, ...]:
    """Return the steps from the start of the integral to its nodes, and weights.

    The first step has none: it is less than rounding.
    """
    w = _FIRST_NODE + _SPACING * xp.arange(-1, _NODES, dtype=dtype)
    decay = xp.exp(-w)
    steps = xp.exp(w - decay)
    return steps, _SPACING * steps[1:] * (1.0 + decay[1:])


def _ratio_to_rise(xp: Library, x: Array) -> Array:
    """Return x / (exp(x) - 1) for x <= 0, which is 1 at 0.

    Small x take the series, not expm1: compilers may replace this by exp(x) - 1, which
    is 0 there (torch 2.13's inductor does).
    """
    square = x * x
    series = 1.0 - 0.5 * x + square * _polynomial(_BERNOULLI, square)
    large = xp.clip(x, None, -_MAX_SERIES)
    return xp.where(x > -_MAX_SERIES, series, large / (xp.exp(large) - 1.0))


def normal_quantiles(xp: Library, p: Array) -> Array:
    """Return z with Phi(z) = p, for an array of probabilities in (0, 1).

    Two of Newton's steps follow a rational approximation; each squares the error.
    """
    smaller = xp.where(p < 0.5, p, 1.0 - p)
    t = xp.sqrt(-2.0 * xp.log(smaller))
    z = t - _polynomial(_NUMERATOR, t) / _polynomial(_DENOMINATOR, t)
    for _ in range(2):
        density = xp.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
        z = z + (normal_sf(xp, z) - smaller) / density
    return xp.where(p < 0.5, -z, z)


def _polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    *rest, second, first = coefficients
    value = first * x + second
    for coefficient in reversed(rest):
        value *= x
        value += coefficient
    return value
