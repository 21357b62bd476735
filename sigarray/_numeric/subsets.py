"""All resamples of a few scores, instead of random ones, and all signs of ranks."""

import functools
import itertools
import math

from sigarray._backend.aliases import Array
from sigarray._backend.chunks import iterate, map_entries
from sigarray._backend.library import Library
from sigarray._numeric.faults import spread_faults
from sigarray._numeric.ranks import middle_ranks
from sigarray._numeric.statistic import center_scores, concat_samples

# Lists of this many resamples are kept on the host: those of up to eight scores.
_MAX_KEPT = 2**13


def count_resamples(n: int) -> int:
    """Count the distinct resamples of n scores: multisets of size n."""
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


# The rounding of a difference, in units of the largest score.
_ROUNDING = 4
# Differences that are closer than this share of their mean distance may be ties.
_LEAST_GAP = 1 / 64


def double_signed_ranks(xp: Library, a: Array, b: Array) -> Array:
    """Return twice the rank of the size of each difference, with its sign."""
    n = a.shape[-1]
    pool = concat_samples(xp, a, b)
    pool = spread_faults(xp, pool)
    (centered,), *_, scale = center_scores(xp, "mean", pool)
    differences = centered[..., :n] - centered[..., n:]
    size = xp.abs(differences)
    # Of scores as they are, for these were rounded before they came.
    level = xp.max(xp.abs(pool / scale[..., None]), axis=-1, keepdims=True)
    least_gap = (_LEAST_GAP / n) * xp.max(size, axis=-1, keepdims=True)
    rounding = xp.minimum(_ROUNDING * xp.finfo(a.dtype).eps * level, least_gap)
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
