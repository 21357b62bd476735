"""How many items a difference needs, by the power of `t_test` of seeds and items."""

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sigarray._backend.callers import Array
from sigarray._backend.chunks import iterate, map_entries
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel
from sigarray._numeric.designs import Parts, add_parts
from sigarray._numeric.faults import add_up_faults
from sigarray._numeric.special import coarse_normal_sf, student_quantile

# More items than these are infinitely many: float32 cannot count on.
_MOST_ITEMS = 2.0**24
# As many ratios from 1 on, and then as many parts of what is left, until that is one
# item: an eighth of 2^24 after eight times.
_PARTS, _ROUNDS = 8, 9
# Mean squares of the seeds of each table, and of items, by which power is averaged:
# for 3 to 10 seeds it differs by less than 0.001 from that of 64 and 6.
_SEED_NODES, _ITEM_NODES = 8, 3
# Terms of quantiles by one over the degrees of freedom, to 1e-6 for tails of 1e-4.
_TERMS = 12
# About as many numbers are held at a time for each node.
_HELD = 16


@array_kernel
def find_items(
    xp: Library,
    seed: Array,
    item: Array,
    both: Array,
    *,
    n_seeds: tuple[int, ...],
    difference: float,
    n_tables: int,
    tail: float,
    power: float,
) -> Array:
    """Return the smallest numbers of items (..., K), by a search in parts."""
    fault = add_up_faults((seed, item, both))
    flat = [xp.reshape(x + fault, (-1,)) for x in (seed, item, both)]
    search = functools.partial(_search, xp, n_seeds, difference, n_tables, tail, power)
    n_nodes = _SEED_NODES**n_tables * _ITEM_NODES
    elements = _HELD * len(n_seeds) * _PARTS * n_nodes
    found = map_entries(xp, search, flat, elements=elements)
    return xp.reshape(xp.matrix_transpose(found), (*fault.shape, len(n_seeds)))


def _search(
    xp: Library,
    n_seeds: tuple[int, ...],
    difference: float,
    n_tables: int,
    tail: float,
    power: float,
    *components: Array,
) -> Array:
    """Return the smallest numbers (K, R) of items for some components (R,)."""
    # In units of the square of the difference.
    variances = [
        (xp.clip(x / difference, 0.0, None) / difference)[:, None, None]
        for x in components
    ]
    dtype = components[0].dtype
    tables = xp.kept_tables(_place_nodes, n_seeds, n_tables, dtype)
    terms = _fit_quantiles(tail)
    steps = xp.astype(xp.arange(_PARTS + 1), dtype) / _PARTS
    tried = xp.floor(_MOST_ITEMS**steps) + xp.zeros_like(variances[0] + tables[0])
    find_power = functools.partial(_find_power, xp, variances, tables, terms)

    def narrow(state: tuple[Array, Array]) -> tuple[Array, Array]:
        tried, _ = state
        is_enough = (tried >= 2.0) & (find_power(tried) >= power)
        found = xp.min(xp.where(is_enough, tried, math.inf), axis=-1, keepdims=True)
        below = xp.max(xp.where(tried < found, tried, 1.0), axis=-1, keepdims=True)
        end = xp.where(xp.isinf(found), below, found)
        return xp.floor(below + (end - below) * steps), found

    _, found = iterate(xp, narrow, (tried, tried[..., :1]), _ROUNDS)
    fault = add_up_faults(components)
    return xp.matrix_transpose(found[..., 0] + fault[:, None])


def _find_power(
    xp: Library,
    variances: Sequence[Array],
    tables: Sequence[Array],
    terms: tuple[float, ...],
    n_items: Array,
) -> Array:
    """Return in what share of experiments a difference of 1 is seen, (R, K, P).

    Variances are (R, 1, 1), and numbers of items (R, K, P).
    """
    n_seeds, weights, normals, *of_seeds = tables
    n_tables = len(of_seeds)
    seed, item, both = variances
    rest = both / (n_seeds * n_items)
    by_seed = (seed / n_seeds + rest)[..., None]
    by_item = (item / n_items + rest)[..., None]
    rest, df = rest[..., None], (n_items - 1.0)[..., None]
    # Wilson and Hilferty (1931): the cube root of a mean square is nearly normal.
    spread = 2.0 / (9.0 * df)
    root = xp.clip(1.0 - spread + normals * xp.sqrt(spread), 0.0, None)
    parts = Parts(
        by_item,
        by_item * root * root * root,
        [by_seed * x / n_tables for x in of_seeds],
        [rest / n_tables] * n_tables,
        by_item,
        df,
    )
    of_seeds_df = [n_seeds[..., None] - 1.0] * n_tables
    total, dfs, _ = add_parts(xp, parts, of_seeds_df)
    variance = by_seed + by_item - rest
    varies = variance > 0.0
    lead = 1.0 - _find_quantiles(xp, terms, dfs) * xp.sqrt(total)
    z = xp.where(varies, lead / xp.sqrt(xp.where(varies, variance, 1.0)), math.inf)
    return xp.sum(coarse_normal_sf(xp, -z) * weights, axis=-1)


def _find_quantiles(xp: Library, terms: tuple[float, ...], df: Array) -> Array:
    """Return quantiles of Student's t, by Clenshaw's sums of Chebyshev's terms."""
    spread = 1.0 / df
    x = 2.0 * spread - 1.0
    after, here = xp.zeros_like(x), xp.zeros_like(x)
    for term in terms[:0:-1]:
        after, here = here, 2.0 * x * here - after + term
    u = x * here - after + terms[0]
    return xp.sqrt(df * xp.expm1(u * u * spread))


def _place_nodes(
    xp: Library, n_seeds: tuple[int, ...], n_tables: int, dtype: Any
) -> tuple[Array, ...]:
    """Return numbers of seeds (K, 1), weights (K, 1, Q) and normals of items (Q,).

    Behind them are mean squares of the seeds of each table over their mean, (K, 1, Q).
    """
    places = xp.arange(_SEED_NODES**n_tables * _ITEM_NODES, dtype=xp.index_dtype)
    of_items, places = places % _ITEM_NODES, places // _ITEM_NODES
    normals, weight = (
        xp.take(xp.upload_numbers(x.tolist(), dtype), of_items, axis=0)
        for x in np.polynomial.hermite_e.hermegauss(_ITEM_NODES)
    )
    nodes, weights = (
        xp.stack([xp.upload_numbers(x.tolist(), dtype) for x in of])[:, None, :]
        for of in zip(*(_place_squares(n - 1) for n in n_seeds), strict=True)
    )
    every, total = [], math.sqrt(2.0 * math.pi)
    for k in range(n_tables):
        of_table = places // _SEED_NODES**k % _SEED_NODES
        every.append(xp.take_last(nodes, of_table))
        weight = weight * xp.take_last(weights, of_table)
    seeds = xp.upload_numbers(list(map(float, n_seeds)), dtype)
    return seeds[:, None], weight / total, normals, *every


def _place_squares(df: int) -> tuple[np.ndarray, np.ndarray]:
    """Return nodes of a mean square of normal numbers, and their weights.

    They are those of Gauss and Laguerre, by Golub and Welsch (1969).
    """
    k, shift = np.arange(_SEED_NODES), 0.5 * df - 1.0
    side = np.sqrt(k[1:] * (k[1:] + shift))
    matrix = np.diag(2.0 * k + shift + 1.0) + np.diag(side, 1) + np.diag(side, -1)
    nodes, vectors = np.linalg.eigh(matrix)
    return 2.0 * nodes / df, vectors[0] ** 2


@functools.cache
def _fit_quantiles(tail: float) -> tuple[float, ...]:
    """Return Chebyshev's terms of u by 1 / df, as in `student_t_sf`.

    That is smooth, and t = (df expm1(u^2 / df))^1/2.
    """

    def find(x: Any) -> Any:
        spread = 0.5 * (x + 1.0)
        t = np.asarray([student_quantile(1.0 - tail, 1.0 / y) for y in spread])
        return np.sign(t) * np.sqrt(np.log1p(t * t * spread) / spread)

    return tuple(np.polynomial.chebyshev.chebinterpolate(find, _TERMS - 1).tolist())
