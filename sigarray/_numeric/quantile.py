"""Empirical quantile functions: sorted samples, grids of points, and resamples.

A sample of n scores has the quantile function F^-1(t) = x_(ceil(n t)): n steps of one
width. Ranks are counted from zero here.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from sigarray._backend.callers import Array
from sigarray._backend.library import Library
from sigarray._backend.seeds import below, cumulative_places, exponentials, normals

# A step of the grid is a ratio of integers up to this denominator.
_MAX_GRID_DENOMINATOR = 10**6

# Ranks of a grid between one power of two and the next.
_EDGES_PER_OCTAVE = 64
# In the middle, at least this many in n^-1/2 of the scores.
_EDGES_PER_STEP = 16

# With smaller gaps between ranks, the scores in between are drawn as well.
_MIN_RANK_GAP = 16


class MergedSteps(NamedTuple):
    """The common steps of two samples: their ranks, or None for all, and widths."""

    ranks_a: Array | None
    ranks_b: Array | None
    widths: Array


@dataclass(frozen=True)
class Grid:
    """Points t at which quantile functions are compared: equidistant, or by ranks.

    By a `step` dt the points are dt, 2 dt, ... < 1, with equal weights. Without one
    they stand for the ranks of n scores: the first and last 64 each for one, and others
    for as many neighbours as make 1/128 to 1/64 of the distance from the nearer end, up
    to n^1/2 / 16. So tails, which may go to infinity, are as fine as the middle, and
    the steps of scores with many ties, which move by n^-1/2 between resamples, are
    seen. If the other sample has `n_others`, its outermost ranks end steps, too.
    """

    step: Fraction | None = None
    n_scores: int = 0
    n_others: int = 0

    @property
    def size(self) -> int:
        if self.step is None:
            n_outer = 2 * _count_outer_edges(self.n_others)
            return 2 * _count_low_edges(self.n_scores) + n_outer - 1
        return math.ceil(1 / self.step) - 1


class KnownScores:
    """Some order statistics of n sorted scores, in place of a stack (1, n) of NumPy."""

    device, ndim = "cpu", 2

    def __init__(self, n: int, ranks: Array, values: Array) -> None:
        self.shape = 1, n
        self.ranks, self.values = ranks, values

    def at(self, ranks: Array) -> Array:
        return self.values[np.searchsorted(self.ranks, ranks)]


def scores_at(xp: Library, scores: Array | KnownScores, ranks: Array) -> Array:
    """Return the order statistics at some ranks, on a new last axis."""
    if isinstance(scores, KnownScores):
        return scores.at(ranks)[None, :]
    return xp.take_last(scores, ranks)


def even_grid(dt: float | None) -> Grid | None:
    if dt is None:
        return None
    step = Fraction(dt).limit_denominator(_MAX_GRID_DENOMINATOR)
    if not 0 < step < 1:
        msg = f"Expected dt in [1e-6, 1 - 1e-6]; got {dt}. Pass dt=None: it is exact."
        raise ValueError(msg)
    return Grid(step)


def grid_ranks(xp: Library, n: int, grid: Grid) -> Array:
    """Return rank ceil(n t) - 1 at each point of the grid, in integer arithmetic."""

    def build(xp: Library) -> tuple[Array, ...]:
        if grid.step is None:
            edges = _grid_edges(xp, grid)
            points = edges[1:] + edges[:-1]  # in units of half an edge's
            if not grid.n_others:
                return ((n * points - 1) // (2 * grid.n_scores),)
            unit = grid.n_others if n == grid.n_scores else grid.n_scores
            return ((points - 1) // (2 * unit),)
        points = xp.arange(1, grid.size + 1, dtype=xp.int64)
        return ((n * grid.step.numerator * points - 1) // grid.step.denominator,)

    return xp.build_tables(build)[0]


def grid_widths(xp: Library, grid: Grid) -> Array | None:
    """Return the weight of each point, or None if all are equal."""
    if grid.step is not None:
        return None

    def build(xp: Library) -> tuple[Array, ...]:
        edges = _grid_edges(xp, grid)
        total = grid.n_scores * max(1, grid.n_others)
        widths = xp.astype(edges[1:] - edges[:-1], xp.widest_float)
        return (widths / total,)

    return xp.build_tables(build)[0]


def _count_low_edges(n: int) -> int:
    """Count the edges from 0 to n / 2: see `_grid_edges`."""
    half, last = n // 2, _last_octave(n)
    octave = min(last, max(0, (half // _EDGES_PER_OCTAVE).bit_length() - 1))
    return octave * _EDGES_PER_OCTAVE + (half >> octave) + 1


def _last_octave(n: int) -> int:
    """Return the octave from which on edges are n^1/2 / 16 ranks apart, or less."""
    return max(0, (math.isqrt(n) // _EDGES_PER_STEP).bit_length() - 1)


def _count_outer_edges(n: int) -> int:
    """Count the edges of the outermost ranks of the other sample, at either end."""
    return min(2 * _EDGES_PER_OCTAVE, n // 2)


def _grid_edges(xp: Library, grid: Grid) -> Array:
    """Return the edges of the ranks of each point: 0, 1, ..., 128, 130, ... n.

    From 64 * 2^s on they are 2^s apart, alike from both ends. With m other scores,
    edges count in units of 1 / (n m), and include the outermost ranks of the others.
    """
    n, m = grid.n_scores, grid.n_others
    place = xp.arange(_count_low_edges(n), dtype=xp.int64)
    octave = xp.clip(place // _EDGES_PER_OCTAVE - 1, 0, _last_octave(n))
    low = (place - octave * _EDGES_PER_OCTAVE) * 2**octave
    edges = xp.concat([low, n - xp.flip(low)])
    if not m:
        return edges
    outer = xp.arange(1, _count_outer_edges(m) + 1, dtype=xp.int64)
    both = xp.concat([m * edges, n * outer, n * (m - outer)])
    return xp.sort(both, stable=False)


def merge_steps(xp: Library, n: int, m: int) -> MergedSteps | None:
    """Merge the steps of two sizes; None if they coincide.

    A breakpoint of both sizes occurs twice, the second time without a width.
    """
    return None if n == m else merge_all_steps(xp, n, m)


def merge_all_steps(
    xp: Library, n: int, m: int, grid: Grid | None = None
) -> MergedSteps:
    """Merge the steps of two sizes, even if they coincide.

    With an equidistant grid, the width of a step is the share of its points.
    """

    def build(xp: Library) -> tuple[Array, ...]:
        ends = m * xp.arange(1, n + 1, dtype=xp.int64)
        if n != m:
            ends_b = n * xp.arange(1, m + 1, dtype=xp.int64)
            ends = xp.sort(xp.concat([ends, ends_b]), stable=False)
        until, total = ends, n * m
        if grid is not None and grid.step is not None:
            until = ends * grid.step.denominator // (n * m * grid.step.numerator)
            until, total = xp.clip(until, None, grid.size), grid.size
        before = xp.concat([xp.zeros_like(until[:1]), until[:-1]])
        widths = xp.astype(until - before, xp.widest_float) / total
        return (ends - 1) // m, (ends - 1) // n, widths

    return MergedSteps(*xp.build_tables(build))


def resample_width(n: int, grid: Grid | None) -> int:
    if _draws_all(n, grid) or grid is None:
        return n + 1
    return 2 * -(-(grid.size + 1) // 2)


class Gaps(NamedTuple):
    """The gaps between ranks, (T + 1,), and what `_draw_gammas` needs of them."""

    sizes: Array
    divisor: Array
    factor: Array
    offset: Array
    has_single: bool


class Spacings(NamedTuple):
    """How ranks of n sorted scores are drawn: all, or some `nodes`, or by `gaps`."""

    n: int
    nodes: Array | None = None
    gaps: Gaps | None = None


def plan_spacings(xp: Library, n: int, grid: Grid | None) -> Spacings:
    """Plan to draw all order statistics of n scores, or those at a grid."""
    if grid is None:
        return Spacings(n)
    ranks = grid_ranks(xp, n, grid)
    if _draws_all(n, grid):
        return Spacings(n, nodes=ranks)
    return Spacings(n, gaps=_find_gaps(xp, ranks, n, grid))


def _find_gaps(xp: Library, ranks: Array, n: int, grid: Grid) -> Gaps:
    """Find the gap before each rank and the end, whose widths are gamma variates.

    Gamma(k) is the cube of a normal by Wilson and Hilferty (1931), with mean and
    variance k and a distribution within 8e-3 / k of the gamma's; it is exact for k = 1,
    an exponential, and for k = 0, a repeated rank.
    """
    zero = xp.zeros_like(ranks[:1])
    edges = xp.concat([zero, ranks + 1, zero + (n + 1)])
    sizes = xp.astype(edges[1:] - edges[:-1], xp.float32)
    d = xp.clip(sizes, 1.0, None) - 1.0 / 3.0
    spread = xp.sqrt(sizes / (d + 4.0 / 9.0 + 5.0 / (243.0 * d)))
    # With equidistant points, only the last gap may be as small.
    has_single = grid.step is None or n + 1 - math.ceil(n * grid.step * grid.size) <= 1
    divisor, factor = xp.sqrt(9.0 * d), d * spread
    return Gaps(sizes, divisor, factor, sizes - sizes * spread, has_single)


def sorted_resamples(
    xp: Library,
    scores: Array | KnownScores,
    uniforms: Array,
    spacings: Spacings,
    *,
    is_last: bool = True,
) -> Array:
    """Resample sorted scores (..., K, n) with replacement, without a sort.

    Of one sample it may be known scores alone. The result is (..., K, count, n or T) or
    (..., K, n or T, count), as of `resampled_ranks`.
    """
    n_samples, n = scores.shape[-2:]
    widths = _draw_widths(xp, uniforms, spacings)
    if spacings.nodes is None and not isinstance(scores, KnownScores):
        most = below(n, is_wide=True)
        found = xp.resample_sorted(scores, widths, most, is_last=is_last)
        if found is not None:
            return found
    ranks = _ranks_of_widths(xp, widths, spacings, is_last=is_last)
    if isinstance(scores, KnownScores):
        return scores.at(ranks)
    if n_samples > 1:
        places = xp.arange(n_samples, dtype=ranks.dtype)
        ranks += n * places[:, None, None]
    return xp.take_last(xp.reshape(scores, (*scores.shape[:-2], n_samples * n)), ranks)


def resampled_ranks(
    xp: Library, uniforms: Array, spacings: Spacings, *, is_last: bool = True
) -> Array:
    """Return the ranks of resamples of n sorted scores, ascending.

    The order statistics of a resample are the quantile function at those of n uniforms,
    which exponential spacings give in order. Uniforms are (count, K, width), with the
    `resample_width` of a sample; ranks are (K, count, n or T), or, if they are not to
    be last, (K, n or T, count).
    """
    widths = _draw_widths(xp, uniforms, spacings)
    return _ranks_of_widths(xp, widths, spacings, is_last=is_last)


def _draw_widths(xp: Library, uniforms: Array, spacings: Spacings) -> Array:
    """Return the widths between order statistics, all of one sign."""
    if spacings.gaps is None:
        # Their sign does not matter.
        return xp.log(uniforms)
    return _draw_gammas(xp, uniforms, spacings.gaps)


def _ranks_of_widths(
    xp: Library, widths: Array, spacings: Spacings, *, is_last: bool
) -> Array:
    ranks = cumulative_places(xp, widths, spacings.n, is_last=is_last)
    nodes = spacings.nodes
    return ranks if nodes is None else xp.take(ranks, nodes, axis=1 + is_last)


def _draws_all(n: int, grid: Grid | None) -> bool:
    """Tell whether all n scores cost less to draw than only those at the grid."""
    if grid is None:
        return True
    if grid.step is None:
        return grid.size >= n
    return n * grid.step < _MIN_RANK_GAP


def _draw_gammas(xp: Library, uniforms: Array, gaps: Gaps) -> Array:
    """Draw Gamma(k) for gaps k, from one uniform each: see `_find_gaps`."""
    half, n_gaps = uniforms.shape[-1] // 2, gaps.sizes.shape[0]
    normal = normals(xp, uniforms[..., :half], uniforms[..., half:])[..., :n_gaps]
    root = normal / gaps.divisor
    root += 1.0
    gammas = root * root
    gammas *= root
    gammas *= gaps.factor
    gammas += gaps.offset
    gammas = xp.clip(gammas, 0.0, None)
    if not gaps.has_single:
        return gammas
    single = exponentials(xp, uniforms[..., :n_gaps])
    zero_or_one = xp.where(gaps.sizes > 0.0, single, 0.0)
    return xp.where(gaps.sizes > 1.0, gammas, zero_or_one)


def interpolate(xp: Library, ordered: Array, quantile: Array) -> Array:
    """Return a quantile (R,) of sorted rows (R, N), by linear interpolation."""
    count = ordered.shape[-1]
    place = xp.where(xp.isnan(quantile), 0.0, quantile) * (count - 1)
    below = xp.clip(xp.floor(place), 0.0, max(0.0, count - 2.0))
    first = xp.astype(below, xp.index_dtype)[:, None]
    low = xp.take_along_axis(ordered, first, axis=-1)[:, 0]
    high = xp.take_along_axis(ordered, first + min(1, count - 1), axis=-1)[:, 0]
    return low + (place - below) * (high - low)
