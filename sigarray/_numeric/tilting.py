"""Exponentially tilted resamples and chances: sums over scores, and the tilt."""

import math
from collections.abc import Callable, Iterable, Sequence

from sigarray._backend.aliases import Array
from sigarray._backend.chunks import chunk_size, iterate
from sigarray._backend.library import Library

# Newton's steps: 5 are enough in the middle; the far tails need the others.
STEPS = 16
# At least this many scores of a batch entry are summed at a time.
_NARROWEST = 1024


def solve(
    xp: Library,
    tilt: Callable[[Array], Sequence[Array]],
    goal: Array,
    end: Array,
) -> Array:
    """Return t >= 0 with K'(t) = goal, by Newton's method on log(end - K'(t)).

    K' approaches the end of the support exponentially, so that the logarithm is linear
    there. A step that leaves the bracket is replaced by a bisection.
    """
    room = xp.where(end > goal, end - goal, 1.0)

    def step(state: tuple[Array, ...]) -> tuple[Array, ...]:
        t, low, high = state
        mean, variance = tilt(t)
        lack = goal - mean
        low = xp.where(lack > 0.0, t, low)
        high = xp.where(lack < 0.0, t, high)
        ratio = xp.clip(lack / room, -1.0 + xp.finfo(t.dtype).eps, None)
        moved = t + (end - mean) / variance * xp.log1p(ratio)
        middle = xp.where(xp.isinf(high), 4.0 * low, 0.5 * (low + high))
        is_inside = (moved >= low) & (moved <= high)
        return xp.where(is_inside, moved, middle), low, high

    zero = xp.zeros_like(goal)
    state = (zero, zero, xp.full_like(goal, math.inf))
    return iterate(xp, step, state, STEPS)[0]


def tilt_sample(xp: Library, x: Array, t: Array) -> tuple[Array, Array]:
    """K' and K'' of the mean of a resample of x, for t >= 0."""
    n, top = x.shape[-1], xp.max(x, axis=-1, keepdims=True)
    rate = (t / n)[..., None]

    def weigh(x: Array) -> list[Array]:
        weight = xp.exp(rate * (x - top))
        first = weight * x
        return [weight, first, first * x]

    total, first, second = _add_up(xp, weigh, x)
    mean = first / total
    return mean, or_one(xp, second / total - mean * mean) / n


def weigh_sample(xp: Library, x: Array, t: Array) -> list[Array]:
    """K', K'', its derivative and t K' - K, from small terms without cancellation.

    With weights w of mean 1 the last is the sum of w log w - w + 1, all non-negative.
    """
    n, top = x.shape[-1], xp.max(x, axis=-1, keepdims=True)
    rate = (t / n)[..., None]

    def weigh(x: Array) -> list[Array]:
        weight = xp.exp(rate * (x - top))
        return [weight, weight * x]

    total, first = _add_up(xp, weigh, x)
    mean, level = (first / total)[..., None], xp.log(total / n)[..., None]

    def center(x: Array) -> list[Array]:
        logs = rate * (x - top) - level
        weight, rest = xp.exp(logs), x - mean
        first = weight * rest
        second = first * rest
        entropy = _entropy(xp, logs, logs * weight - xp.expm1(logs), 1.0, 1.0, 1.0)
        return [first, second, second * rest, entropy]

    error, second, third, divergence = _add_up(xp, center, x)
    return [
        mean[..., 0] + error / n,
        second / float(n) ** 2,
        third / float(n) ** 3,
        divergence,
    ]


def tilt_chances(
    xp: Library, prize: Array, u: Array, t: Array, f: float
) -> list[Array]:
    """Return the changes by a tilt in the number chosen and their prizes, and K''.

    These are sums of p - f and prize (p - f), and of p (1 - p) times 1, the prize and
    its square, for chances p with logit(p) = logit(f) + u + t prize.
    """
    level = u + math.log(f / (1.0 - f))

    def tilt(prize: Array) -> list[Array]:
        # Clipped, so that its exponential is still finite in float32.
        logit = level[..., None] + t[..., None] * prize
        chance = 1.0 / (1.0 + xp.exp(-xp.clip(logit, -80.0, None)))
        shift, variance = chance - f, chance - chance * chance
        first = variance * prize
        return [shift, shift * prize, variance, first, first * prize]

    return _add_up(xp, tilt, prize)


def weigh_chances(
    xp: Library, prize: Array, center: Array, u: Array, t: Array, f: float
) -> list[Array]:
    """Sum p - f, prize (p - f), p (1 - p), K'' and its derivative, and t K' - K."""
    base = f * (1.0 - f)

    def tilt(prize: Array) -> list[Array]:
        z = u[..., None] + t[..., None] * prize
        decay = xp.expm1(-xp.abs(z))
        other = xp.where(z > 0.0, 1.0 - f, f + xp.zeros_like(z))
        scale = 1.0 + other * decay
        # `sign` waits on CuPy: array-api-compat writes through a mask.
        shift = -base * xp.where(z > 0.0, decay, -decay) / scale
        variance = base * (1.0 + decay) / (scale * scale)
        cumulant = xp.clip(z, 0.0, None) + xp.log1p(other * decay) - f * z
        rest = prize - center[..., None]
        second = variance * rest * rest
        third = second * rest * (1.0 - 2.0 * f - 2.0 * shift)
        cumulants = (base, base * (1.0 - 2.0 * f), base * (1.0 - 6.0 * base))
        entropy = _entropy(xp, z, shift * z - cumulant, *cumulants)
        return [shift, shift * prize, variance, second, third, entropy]

    return _add_up(xp, tilt, prize)


def _entropy(
    xp: Library,
    z: Array,
    direct: Array,
    second: float,
    third: float,
    fourth: float,
) -> Array:
    """Return z k'(z) - k(z), and for small z its series in the cumulants of k."""
    series = z * z * (second / 2.0 + z * (third / 3.0 + z * (fourth / 8.0)))
    return xp.where(xp.abs(z) < xp.finfo(z.dtype).eps ** 0.25, series, direct)


def _add_up(
    xp: Library, terms: Callable[[Array], Sequence[Array]], x: Array
) -> list[Array]:
    """Sum terms over the last axis of x, as many scores at a time as fit in a cache."""
    n, n_entries = x.shape[-1], math.prod(x.shape[:-1])
    width = max(_NARROWEST, chunk_size(xp, 4 * n_entries))
    parts = [
        [xp.sum(term, axis=-1) for term in terms(x[..., start : min(start + width, n)])]
        for start in range(0, n, width)
    ]
    return add_columns(parts)


def add_columns(rows: Iterable[Sequence[Array]]) -> list[Array]:
    """Add up the first arrays of all rows, the second ones, and so on."""
    return [sum(column[1:], column[0]) for column in zip(*rows, strict=True)]


def or_one(xp: Library, x: Array) -> Array:
    """Return 1 for numbers that should be positive, but are not by rounding or ends."""
    return xp.where(x > 0.0, x, 1.0)
