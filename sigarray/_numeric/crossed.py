"""Errors of means of tables: every seed has a score for every item, both were drawn.

A score is a mean plus an effect of its seed, one of its item, and a rest of both; the
error of the mean is that for other seeds and other items, of which each is drawn on its
own: the crossed analysis of variance.
"""

from collections.abc import Sequence
from typing import NamedTuple

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._numeric.statistic import difference_of
from sigarray._numeric.student import (
    find_flat,
    range_of,
    relate_to_smallest,
    squared_error,
)


class Parts(NamedTuple):
    """A mean, or the difference of two, and the parts of its squared error.

    `items` is the part of items, and there is one of `seeds` for each table; either has
    what is left of the variance beside both, `rests`, which so counts twice. All are in
    `unit`.
    """

    mean: Array
    items: Array
    seeds: list[Array]
    rests: list[Array]
    unit: Array


def find_parts(
    xp: Library, scores: Sequence[Array], n_items: int, paired: bool
) -> Parts:
    """Return the parts of the error of tables in rows (..., S * n).

    Pairs have the same seeds and items, and are one table of their differences. Two
    tables have the same items, and seeds of their own.
    """
    rows, gap, unit, scaled, unit_of_scaled = relate_to_smallest(xp, scores, paired)
    tables = [
        xp.reshape(x, (*x.shape[:-1], x.shape[-1] // n_items, n_items)) for x in rows
    ]
    of_seeds = [xp.mean(x, axis=-1) for x in tables]
    of_items = [xp.mean(x, axis=-2) for x in tables]
    means = [xp.mean(x, axis=-1) for x in of_seeds]
    rests = [
        _mean_square(
            xp, table - seeds[..., None] - (items - mean[..., None])[..., None, :]
        )
        for table, seeds, items, mean in zip(
            tables, of_seeds, of_items, means, strict=True
        )
    ]
    gaps = difference_of(of_items)
    return Parts(
        gap + difference_of(means),
        _error_of(xp, scaled, [gaps], unit)[0],
        _error_of(xp, scaled, of_seeds, unit),
        rests,
        unit * unit_of_scaled,
    )


def _mean_square(xp: Library, rest: Array) -> Array:
    """Return the squared error of the mean of a table (..., S, n) from its rest."""
    n_seeds, n_items = rest.shape[-2:]
    squares = xp.sum(xp.sum(rest * rest, axis=-1), axis=-1)
    return squares / ((n_seeds - 1.0) * (n_items - 1.0) * n_seeds * n_items)


def _error_of(
    xp: Library, scores: Sequence[Array], means: Sequence[Array], unit: Array
) -> list[Array]:
    """Return the squared errors of means, 0 where these differ by rounding alone."""
    sizes = [range_of(xp, x).size(xp) for x in scores]
    of_means = [range_of(xp, x * unit[..., None]) for x in means]
    are_flat = find_flat(xp, sizes, [high - low for low, high in of_means])
    return [
        xp.where(flat, 0.0, squared_error(xp, x))
        for x, flat in zip(means, are_flat, strict=True)
    ]


def find_crossed_errors(
    xp: Library, scores: Sequence[Array], n_items: int, paired: bool
) -> tuple[Array, list[Array], list[Array], Array]:
    """Return a mean, or the difference of two, its squared error, df and the unit.

    With the mean squares MS of one table, that of seeds, of items and of the rest, the
    squared error is (MS_seed + MS_item - MS_rest) / (S n), and at least MS_seed / (S n)
    and MS_item / (S n), for the difference of them may come out too small [1]_. Two
    tables with seeds of their own have the MS_item of the difference of their means,
    and the sum of the others. The degrees of freedom are Satterthwaite's [2]_: the
    square of that by the sum of the squares of its terms over their own.

    References
    ----------
    .. [1] A. B. Owen (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1,
       386-411. :doi:`10.1214/07-AOAS122`
    .. [2] F. E. Satterthwaite (1946). An approximate distribution of estimates of
       variance components. Biometrics Bulletin 2, 110-114. :doi:`10.2307/3002019`
    """
    parts = find_parts(xp, scores, n_items, paired)
    sizes = [x.shape[-1] // n_items - 1.0 for x in scores[: len(parts.seeds)]]
    total, df = add_parts(xp, parts, sizes, n_items - 1.0)
    return parts.mean, [total], [df], parts.unit


def add_parts(
    xp: Library,
    parts: Parts,
    dfs_of_seeds: Sequence[float | Array],
    df_of_items: float | Array,
) -> tuple[Array, Array]:
    """Return the squared error of a mean, and its degrees of freedom, from its parts.

    Without any variance these are those of the seeds. They are at least 1: terms that
    are subtracted may make them less.
    """
    of_seeds = sum(parts.seeds[1:], parts.seeds[0])
    of_rests = sum(parts.rests[1:], parts.rests[0])
    total = xp.maximum(
        parts.items + of_seeds - of_rests, xp.maximum(parts.items, of_seeds)
    )
    varies = total > 0.0
    divisor = xp.where(varies, total, 1.0)
    spread = (parts.items / divisor) ** 2 / df_of_items
    for seeds, rest, df in zip(parts.seeds, parts.rests, dfs_of_seeds, strict=True):
        shares = (seeds / divisor) ** 2, (rest / divisor) ** 2 / df_of_items
        spread = spread + (shares[0] + shares[1]) / df
    least = sum(dfs_of_seeds[1:], dfs_of_seeds[0])
    df = xp.clip(1.0 / xp.where(varies, spread, 1.0), 1.0, None)
    return total, xp.where(varies, df, least)
