"""All resamples of a few scores, all signs of ranks, and tilted chances of many."""

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence

from sigarray._backend.callers import Array
from sigarray._backend.chunks import chunk_size, iterate, map_entries
from sigarray._backend.library import Library
from sigarray._numeric.faults import limit_rounding, spread_faults
from sigarray._numeric.ranks import middle_ranks
from sigarray._numeric.statistic import center_scores, concat_samples

# Lists of this many resamples are kept on the host: those of up to eight scores.
_MAX_KEPT = 2**13
# Newton's steps: 5 are enough in the middle; the far tails need the others.
STEPS = 16
# At least this many scores of a batch entry are summed at a time.
_NARROWEST = 1024


def count_resamples(n: int) -> int:
    return math.comb(2 * n - 1, n)


def enumerate_resamples(xp: Library, n: int) -> tuple[Array, Array]:
    """Return all distinct resamples of n scores, and the probability of each.

    Ranks have shape (n, C(2n-1, n)), ascending along the first axis; a multiset with
    multiplicities c_i has the probability n! / (prod c_i!) / n^n.
    """
    if count_resamples(n) <= _MAX_KEPT:
        ranks, weights = xp.kept_tables(_list_resamples, n)
    else:
        ranks, weights = _list_resamples(xp, n)
    return ranks, weights


def _list_resamples(xp: Library, n: int) -> tuple[Array, ...]:
    return xp.build_tables(functools.partial(_build_resamples, n=n))


def _build_resamples(xp: Library, *, n: int) -> tuple[Array, Array]:
    # Subsets c_1 < ... < c_n of 2n - 1 are the multisets c_1, c_2 - 1, c_3 - 2, ...
    places = xp.arange(count_resamples(n), dtype=xp.int64)
    subset = subset_at(xp, places, n, 2 * n - 1)
    ranks = [element - i for i, element in enumerate(subset)]
    run = xp.ones_like(ranks[0])
    repeats = xp.ones_like(ranks[0])
    for previous, rank in itertools.pairwise(ranks):
        run = xp.where(rank == previous, run + 1, 1)
        repeats = repeats * run
    total = math.factorial(n) / n**n
    weights = total / xp.astype(repeats, xp.widest_float)
    return xp.stack(ranks), weights


def subset_at(xp: Library, places: Array, size: int, n: int) -> list[Array]:
    """Return the elements of the subsets of n at these places, ascending.

    Combinatorial number system: every number below C(n, k) is a sum
    C(c_k, k) + ... + C(c_1, 1) with c_k > ... > c_1 >= 0, in one way. The first subset
    is 0, 1, ..., k - 1.
    """
    build = functools.partial(binomial_rows, size=size, count=n - size + 1)
    rows = xp.build_tables(build)
    rest = places
    elements: list[Array] = []
    for i in range(size, 0, -1):
        index = xp.searchsorted(rows[i], rest, side="right") - 1
        elements.insert(0, xp.astype(index, places.dtype) + (i - 1))
        rest = rest - xp.take(rows[i], index)
    return elements


def binomial_rows(xp: Library, *, size: int, count: int) -> tuple[Array, ...]:
    """C(i - 1 + j, i) for i = 0, ..., size and j = 0, ..., count - 1: Pascal's sums.

    At j = 0 it is 0 for i = 0 as well.
    """
    row = xp.arange(count, dtype=xp.int64)
    rows = [xp.astype(row > 0, xp.int64), row]
    while len(rows) <= size:
        rows.append(xp.cumulative_sum(rows[-1]))
    return tuple(rows)


# Differences that are closer than this share of their mean distance may be ties, if
# some are more than rounding.
_LEAST_GAP = 1 / 64


def double_signed_ranks(xp: Library, a: Array, b: Array) -> Array:
    """Return twice the rank of the size of each difference, with its sign."""
    n = a.shape[-1]
    pool = concat_samples(xp, a, b)
    pool = spread_faults(xp, pool)
    (centered,), *_, scale, _ = center_scores(xp, "mean", pool)
    differences = centered[..., :n] - centered[..., n:]
    size = xp.abs(differences)
    # Of scores as they are, for these were rounded before they came.
    level = xp.max(xp.abs(pool / scale[..., None]), axis=-1, keepdims=True)
    limit = limit_rounding(xp, level, paired=True)
    largest = xp.max(size, axis=-1, keepdims=True)
    rounding = xp.minimum(limit, (_LEAST_GAP / n) * largest)
    rounding = xp.where(largest <= limit, limit, rounding)
    size = xp.where(size <= rounding, 0.0, size)
    is_zero = size == 0.0
    zeros = xp.sum(xp.astype(is_zero, size.dtype), axis=-1, keepdims=True)
    # Middle ranks count from the middle.
    double = 2.0 * (middle_ranks(xp, size, rounding) - zeros) + (n + 1.0)
    double = xp.where(is_zero, 0.0, double) + (level - level)
    return xp.where(differences < 0.0, -double, double)


def count_tail(xp: Library, sizes: Array, goal: Array) -> Array:
    """P(the sum of the sizes that are chosen >= goal), each chosen or not by a coin.

    Sizes (..., n) are whole numbers, n (n + 1) in all. The number of choices with each
    sum grows by one size after another, by additions only, so that small tails keep
    their digits.
    """
    n = sizes.shape[-1]
    # The first place is of no sum: what is moved from below the least sum is 0.
    places = xp.arange(n * (n + 1) + 2)
    sums = places - 1

    def add_size(state: tuple[Array, Array]) -> tuple[Array, Array]:
        counts, rest = state
        size, rest = rest[..., :1], xp.concat([rest[..., 1:], rest[..., :1]], axis=-1)
        before = xp.clip(places - size, 0, None)
        return counts + xp.take_along_axis(counts, before, axis=-1), rest

    def find_tails(sizes: Array, goal: Array) -> Array:
        # NaN is no whole number; what it gives here is not used.
        whole = xp.astype(xp.where(xp.isnan(sizes), 0.0, sizes), places.dtype)
        counts = xp.astype(sums == 0, goal.dtype)
        counts = xp.broadcast_to(counts, (*goal.shape, *sums.shape))
        counts, _ = iterate(xp, add_size, (counts, whole), n)
        is_above = xp.astype(sums, goal.dtype) >= goal[..., None]
        return 0.5**n * xp.sum(xp.where(is_above, counts, 0.0), axis=-1)

    flat = xp.reshape(sizes, (-1, n)), xp.reshape(goal, (-1,))
    tails = map_entries(xp, find_tails, flat, elements=4 * places.shape[0])
    return xp.reshape(tails, goal.shape)


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
