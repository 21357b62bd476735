"""Which models differ: tests of equal distributions for pairs or for all models."""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sigarray._backend.aliases import Alternative, Array
from sigarray._backend.chunks import map_entries
from sigarray._backend.library import Library
from sigarray._order.closed import (
    LEAST_LEVEL_OF_SHARES,
    tell_apart,
    tell_from_baseline,
)
from sigarray._order.comparison import Comparison, has_means_apart, p_of_means
from sigarray._order.families import Family, curve_of_wins, limit_of_pair
from sigarray._order.pairs import Stacks, as_matrix, join, list_blocks

# With at most this many pairs of scores, the host keeps tests of all numbers of wins.
_MAX_LISTED = 2**12


class Equality(NamedTuple):
    """For every pair: P(row > column), the p-value, and whether it is told apart.

    The shape is (..., K, K), in the order of the stacks, or (..., P) of pairs.
    """

    superiority: Array
    pvalue: Array
    is_told: Array


def find_equality(
    xp: Library, stacks: Stacks, compared: Sequence[Comparison], family: Family
) -> Equality:
    """Test equality for each pair, or in sets of models."""
    if family.kind in ("one-sided", "pairs"):
        return _test_pairs(xp, stacks, compared, family)
    return _test_models(xp, stacks, compared, family)


def _test_pairs(
    xp: Library, stacks: Stacks, compared: Sequence[Comparison], family: Family
) -> Equality:
    """Test every pair separately, (..., P): one-sided, or two-sided by Bonferroni."""
    side: Alternative = "greater" if family.kind == "one-sided" else "two-sided"
    parts = []
    for (g, h), pair in zip(list_blocks(stacks), compared, strict=True):
        n, m, wins = stacks[g].shape[-1], stacks[h].shape[-1], pair.wins
        p_values, is_told = _test_wins(xp, wins, n, m, family)
        by_means = p_of_means(xp, pair, (n, m), side)
        if by_means is not None:
            by_means = xp.clip(family.n_pairs * by_means, None, 1.0)
            is_told = is_told & has_means_apart(pair, by_means, family.level)
            p_values = xp.maximum(p_values, by_means)
        p_values = _agree(xp, p_values, is_told, family.level) + (wins - wins)
        parts.append((wins / (2.0 * n * m) + 0.5, p_values, is_told))
    return Equality(*(join(xp, list(part)) for part in zip(*parts, strict=True)))


def _test_wins(
    xp: Library, wins: Array, n: int, m: int, family: Family
) -> tuple[Array, Array]:
    """Return p-values of net wins, and whether they are enough to tell a pair apart."""
    if not xp.is_host or n * m > _MAX_LISTED:
        return _compute_tests(xp, wins, n, m, family)
    p_values, are_told = xp.kept_tables(_list_tests, n, m, family, wins.dtype)
    places = xp.where(xp.isnan(wins), 0.0, wins + (n * m + 1.0))
    places = xp.astype(places, xp.index_dtype)
    return xp.take_last(p_values, places), xp.take_last(are_told, places)


def _list_tests(
    xp: Library, n: int, m: int, family: Family, dtype: Any
) -> tuple[Array, Array]:
    """Return the tests of NaN, and of all possible net wins, from the least one on."""
    wins = xp.arange(-n * m - 1, n * m + 1, dtype=dtype)
    wins = xp.where(wins < -n * m, math.nan, wins)
    return _compute_tests(xp, wins, n, m, family)


def _compute_tests(
    xp: Library, wins: Array, n: int, m: int, family: Family
) -> tuple[Array, Array]:
    curve, limit = curve_of_wins(n, m, family), limit_of_pair(n, m, family)
    if family.kind != "one-sided":
        size = _without_ties(xp, xp.abs(wins), n * m)
        return curve(xp, size), size >= limit
    size = _without_ties(xp, wins, n * m)
    # P(D >= -d) = 1 - P(D >= d + 2): without ties, d + 2 is the next D.
    is_behind = size < 0.0
    p_values = curve(xp, xp.where(is_behind, 2.0 - size, size))
    return xp.where(is_behind, 1.0 - p_values, p_values), size >= limit


def _test_models(
    xp: Library, stacks: Stacks, compared: Sequence[Comparison], family: Family
) -> Equality:
    """Test all pairs, or those with the baseline, by the closure principle.

    Matrices are in the order of the stacks.
    """
    sizes = tuple(
        int(stack.shape[-1]) for stack in stacks for _ in range(stack.shape[-2])
    )
    spread = functools.partial(
        as_matrix,
        xp,
        sizes=tuple(int(stack.shape[-2]) for stack in stacks),
        order=tuple(range(family.n_models)),
    )
    parts, of_means, shares, has_means = [], [], [], False
    for (g, h), pair in zip(list_blocks(stacks), compared, strict=True):
        n, m, wins = stacks[g].shape[-1], stacks[h].shape[-1], pair.wins
        size = _without_ties(xp, xp.abs(wins), n * m)
        p_of_pair = curve_of_wins(n, m, family)(xp, size)
        is_enough = size >= limit_of_pair(n, m, family)
        by_means = p_of_means(xp, pair, (n, m), "two-sided")
        if by_means is not None:
            has_means = True
            if family.kind == "closed":
                # At most the K - 1 pairs of one model share its scores.
                by_means = xp.clip((family.n_models - 1) * by_means, None, 1.0)
                p_of_pair = xp.maximum(p_of_pair, by_means)
            is_enough = is_enough & has_means_apart(pair, by_means, family.level)
        parts.append((wins / (2.0 * n * m), p_of_pair, is_enough))
        if family.kind != "baseline":
            continue
        of_means.append(xp.zeros_like(wins) if by_means is None else by_means)
        # With unequal sizes, or at small levels, it is estimated too badly, and counts
        # as unknown.
        has_share = (
            pair.share is not None and n == m and family.level >= LEAST_LEVEL_OF_SHARES
        )
        shares.append(pair.share if has_share else xp.full_like(wins, math.nan))
    leads, p_of_pairs, are_enough = (
        join(xp, list(part)) for part in zip(*parts, strict=True)
    )
    leads = spread(leads, reverse=lambda x: -x, diagonal=0.0)
    p_of_pairs = spread(p_of_pairs, reverse=lambda p: p, diagonal=1.0)
    are_enough = spread(are_enough, reverse=lambda x: x, diagonal=False)
    matrices = [leads, p_of_pairs, are_enough]
    if has_means and family.kind == "baseline":
        by_means, all_shares = join(xp, of_means), join(xp, shares)
        matrices.append(spread(by_means, reverse=lambda p: p, diagonal=0.0))
        matrices.append(spread(all_shares, reverse=lambda x: 1.0 - x, diagonal=1.0))
    test = tell_apart if family.kind == "closed" else tell_from_baseline
    test = functools.partial(test, xp, sizes=sizes, family=family)
    p_values, is_told = _by_entry(xp, test, matrices, family.n_models)
    p_values = _agree(xp, p_values, is_told, family.level)
    models = xp.arange(family.n_models)
    is_itself = models[:, None] == models[None, :]
    p_values = xp.where(is_itself, 1.0, p_values + (leads - leads))
    return Equality(leads + 0.5, p_values, is_told)


def _without_ties(xp: Library, wins: Array, n_pairs: int) -> Array:
    """Round net wins down to a value that is possible without ties.

    Values between two such ones have the p-value of the lower one.
    """
    odd = n_pairs % 2
    return 2.0 * xp.floor(0.5 * (wins - odd)) + odd


def _agree(xp: Library, p_values: Array, is_told: Array, level: float) -> Array:
    """Make p-values, which are fitted for many scores, agree with the claims."""
    # 1 - 0.95 is a little more than 0.05.
    told = xp.clip(p_values, None, level * (1.0 - 1e-6))
    untold = xp.clip(p_values, min(level * (1.0 + 1e-5), 1.0), None)
    return xp.where(is_told, told, untold)


def _by_entry(
    xp: Library,
    test: Callable[..., tuple[Array, Array]],
    matrices: Sequence[Array],
    n_models: int,
) -> tuple[Array, Array]:
    """Apply a test to matrices (..., K, K), some batch entries at a time."""
    shape = matrices[0].shape
    if len(shape) == 2:
        return test(*matrices)
    flat = [xp.reshape(x, (math.prod(shape[:-2]), *shape[-2:])) for x in matrices]
    test_some = functools.partial(_test_some, xp, test)
    both = map_entries(xp, test_some, flat, elements=4 * n_models**3)
    p_values, is_told = (
        xp.reshape(xp.permute_dims(both[k, ...], (2, 0, 1)), shape) for k in (0, 1)
    )
    return p_values, is_told > 0.5


def _test_some(
    xp: Library, test: Callable[..., tuple[Array, Array]], *some: Array
) -> Array:
    """Test some batch entries, and move them to the last axis: (2, K, K, entries)."""
    p_values, is_told = test(*some)
    both = xp.stack([p_values, xp.astype(is_told, p_values.dtype)])
    return xp.permute_dims(both, (0, 2, 3, 1))
