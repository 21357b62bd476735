"""All resamples of a few scores, instead of random ones."""

import functools
import itertools
import math

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library

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
