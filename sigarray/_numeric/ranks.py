"""Ranks of scores, wins of two samples, and how far apart equal models are by chance.

On each task the models of a set are ranked. If they are equal, all orders are equally
probable, so that the distribution of the gap of two models depends on the numbers of
models and tasks alone, and is the sum of independent gaps of one task.

How far apart samples of one distribution are in ranks, without ties, depends only on
the numbers of samples and scores, and is computed on the host. For two samples it is
counted. For more, few scores are looked up in simulations (`python -m
benchmarks.rank_ranges`), and many have the normal limit.
"""

import functools
import importlib.resources
import math
from statistics import NormalDist
from typing import Any

import numpy as np

from sigarray._backend.callers import Array
from sigarray._backend.library import Library
from sigarray._numeric.faults import bound_score

# The weight of a pair against the other models of a set, in the gap of the pair; with
# 1 it is the difference of rank sums, as Friedman's. By simulation, of 5 and 10 models
# on 12 and 26 tasks, 3 tells as many pairs apart as 1 or more; of 10 models of 5 runs,
# twice as many.
OWN_WEIGHT = 3
# What is added to numbers in the file of simulations, so that none is below 0.
LEVEL = 9 * 128

# Sums of two places are below 2^31.
_MAX_SHORT = 2**30
# Up to this many pairs of scores are compared one by one; larger samples are sorted.
_MAX_COMPARED = 2**10


def tie_bounds(
    xp: Library, ordered: Array, tolerance: Array | None = None
) -> tuple[Array, Array]:
    """Return the first and the last place with the same score, for each place.

    Neighbours are the same if they are apart by no more than a tolerance, by default
    that of `bound_score`.
    """
    size = ordered.shape[-1]
    dtype = xp.int32 if size <= _MAX_SHORT else None
    place = xp.arange(size, dtype=dtype)
    ends = ordered[..., :-1]
    ends = bound_score(xp, ends)[1] if tolerance is None else ends + tolerance
    steps = ordered[..., 1:] > ends
    edge = xp.ones_like(ordered[..., :1], dtype=xp.bool)
    starts = xp.where(xp.concat([edge, steps], axis=-1), place, 0)
    ends = xp.where(xp.concat([steps, edge], axis=-1), size - 1 - place, 0)
    last = size - 1 - xp.flip(xp.cumulative_maximum(xp.flip(ends, axis=-1)), axis=-1)
    return xp.cumulative_maximum(starts), last


def middle_ranks(xp: Library, x: Array, tolerance: Array | None = None) -> Array:
    """Return the ranks along the last axis, from the middle one, as floats."""
    order = xp.argsort(x, axis=-1, stable=False)
    first, last = tie_bounds(xp, xp.take_along_axis(x, order, axis=-1), tolerance)
    ranks = 0.5 * xp.astype(first + last - (x.shape[-1] - 1), x.dtype)
    return xp.undo_order(ranks, order)


def place_samples(xp: Library, pool: Array, n: int) -> list[Array]:
    """Count what is below each score in the other one of two samples, less half of it.

    The first of them are n scores. Ties count half, and numbers are exact.
    """
    ranks = middle_ranks(xp, pool)
    parts = (..., slice(n)), (..., slice(n, None))
    return [ranks[x] - middle_ranks(xp, pool[x]) for x in parts]


def compare_each(xp: Library, a: Array, b: Array) -> Array:
    """Return 1 where a score of A is above one of B, -1 below, else 0: (..., n, m)."""
    low, high = bound_score(xp, a[..., :, None])
    b = b[..., None, :]
    return xp.astype(low > b, a.dtype) - xp.astype(high < b, a.dtype)


def net_wins(xp: Library, a: Array, b: Array) -> Array:
    """Count the pairs of a score of A and one of B that A wins, less those it loses.

    Samples (..., n) and (..., m) are sorted and broadcast. The count is 2 U - nm for
    Mann and Whitney's U; ties count nothing. It is exact up to 2^24 pairs in float32,
    and 2^53 in float64; with NaN it may be any number.
    """
    n, m = a.shape[-1], b.shape[-1]
    if n * m <= _MAX_COMPARED:
        return xp.sum(compare_each(xp, a, b), axis=(-2, -1))
    leading = (a[..., :1] + b[..., :1]).shape[:-1]
    # + 0.0, because sorts may tell -0 from 0.
    low, high, b = (
        xp.broadcast_to(x + 0.0, (*leading, x.shape[-1]))
        for x in (*bound_score(xp, a), b)
    )
    ranks = (xp.arange(n + m) * 2) - (n + m - 1)
    ranks = xp.astype(ranks, a.dtype)
    # In a stable sort with A before B, A's ranks count what is below; with A after B,
    # what is below or the same. NumPy merges sorted samples in linear time.
    is_first = xp.argsort(xp.concat([low, b], axis=-1), axis=-1, stable=True) < n
    is_last = xp.argsort(xp.concat([b, high], axis=-1), axis=-1, stable=True) >= m
    least = xp.sum(xp.where(is_first, ranks, 0.0), axis=-1)
    most = xp.sum(xp.where(is_last, ranks, 0.0), axis=-1)
    return 0.5 * least + 0.5 * most


# Fourier transforms are right to about this many units of rounding.
_ROUNDING = 1e-15


@functools.lru_cache(maxsize=512)
def _gap_tails(k: int, n_tasks: int) -> np.ndarray:
    """Return P(|gap| >= g) for g = 0, 1, ..., of two of k equal models.

    The ranks of both differ by j = 1, ..., k - 1 in 2 (k - j) of the k (k - 1) places
    of two models, and the gap on this task is then j + OWN_WEIGHT - 1, of either sign.
    """
    largest = k - 1 + OWN_WEIGHT - 1
    end = n_tasks * largest
    size = 1 << (2 * end + 1).bit_length()
    chances = np.zeros(size)
    j = np.arange(1, k)
    step = j + OWN_WEIGHT - 1
    chances[step] = chances[-step] = (k - j) / (k * (k - 1.0))
    of_sum = np.fft.irfft(np.fft.rfft(chances) ** n_tasks, size)[: end + 1]
    of_sum = np.clip(of_sum, _ROUNDING, None)
    tails = 2.0 * np.cumsum(of_sum[::-1])[::-1]
    tails[0] = 1.0
    return np.minimum(tails, 1.0)


def gap_tail(k: int, n_tasks: int, gap: float | np.ndarray) -> np.ndarray:
    """Return the probability that two of k equal models are so far apart, for each gap.

    The gap, of either sign, is OWN_WEIGHT times the net number of tasks that one of
    them wins from the other, and half of that number for each of the other models: wins
    of the first from it, less those of the second.
    """
    tails = np.append(_gap_tails(k, n_tasks), 0.0)
    places = np.clip(np.ceil(np.asarray(gap) - 1e-6), 0, len(tails) - 1)
    chances: np.ndarray = tails[places.astype(int)]
    return chances


def range_bound(k: int, n_tasks: int, gap: float | np.ndarray) -> np.ndarray:
    tails = gap_tail(k, n_tasks, gap)
    bounds: np.ndarray = np.minimum(1.0, 0.5 * k * (k - 1) * tails)
    return bounds


# The most numbers added up for the distribution of two samples: 0.1 s, once.
_MAX_COUNTED = 2e7
# Gauss-Legendre nodes, and their limits: six digits of a tail.
_NODES, _END = 160, 9.0
_PRECISION = 1e-9
_NORMAL = NormalDist()


@functools.lru_cache(maxsize=64)
def win_tails(n: int, m: int) -> np.ndarray | None:
    """Return P(D >= d) for d = nm, nm - 2, ..., 0 or 1, or None for many scores.

    D counts the pairs of a score of A and one of B in which A is ahead, less those in
    which B is. The number of ways to U = (nm + D) / 2 is a coefficient of the Gaussian
    binomial, prod (1 - q^(m + i)) / (1 - q^i) for i = 1, ..., n: Mann and Whitney
    (1947). They are symmetric, so that half of them suffice, without cancellation.
    """
    few, many = sorted((n, m))
    if few * n * m > _MAX_COUNTED or math.lgamma(n + m) > 1e5 or few > 400:
        return None
    size = n * m // 2 + 1
    ways = np.zeros(size)
    ways[0] = 1.0
    for i in range(1, few + 1):
        if many + i < size:
            ways[many + i :] -= ways[: size - many - i].copy()
        rows = np.zeros(-(-size // i) * i)
        rows[:size] = ways
        ways = np.cumsum(rows.reshape(-1, i), axis=0).reshape(-1)[:size]
    log_total = math.lgamma(n + m + 1) - math.lgamma(n + 1) - math.lgamma(m + 1)
    return np.cumsum(ways) * math.exp(-log_total)


def win_tail(n: int, m: int, wins: float) -> float:
    """P(D >= wins), for wins >= 0."""
    if wins > n * m:
        return 0.0
    tails = win_tails(n, m)
    if tails is not None:
        place = math.floor((n * m - wins) / 2.0 + _PRECISION)
        return float(tails[min(place, len(tails) - 1)])
    deviation = math.sqrt(n * m * (n + m + 1) / 3.0)
    return _NORMAL.cdf(-(wins - 1.0) / deviation)


def critical_wins(n: int, m: int, level: float) -> float:
    """Return the smallest d with P(D >= d) <= level, or infinity if there is none."""
    tails = win_tails(n, m)
    limit = level * (1.0 + _PRECISION)
    if tails is not None:
        place = int(np.searchsorted(tails, limit, side="right")) - 1
        return math.inf if place < 0 else n * m - 2.0 * place
    deviation = math.sqrt(n * m * (n + m + 1) / 3.0)
    wins = math.ceil(1.0 - deviation * _NORMAL.inv_cdf(level))
    return float(wins) if wins <= n * m else math.inf


@functools.cache
def _tables() -> dict[tuple[int, int, int], tuple[np.ndarray, np.ndarray]]:
    """Return values and their tails, by (is of a baseline, samples, scores of each)."""
    path = importlib.resources.files("sigarray") / "data" / "rank_gaps.npz"
    with path.open("rb") as file, np.load(file) as stored:
        steps = stored["steps"]
        keys, bends = (
            sum(256**k * part.astype(int) for k, part in enumerate(stored[x])) - LEVEL
            for x in ("keys", "bends")
        )
    tables, start = {}, 0
    for is_of_baseline, k, n, n_draws, length, value, root, slope in keys.T.tolist():
        part_of_table = slice(start, start + length)
        values = value + np.cumsum(steps[part_of_table], dtype=int)
        # Roots of numbers of draws, in quarters: see `benchmarks.rank_ranges`.
        roots = root + np.cumsum(slope + np.cumsum(bends[part_of_table]))
        tails = ((roots / 4.0) ** 2 + 1.0) / (n_draws + 1.0)
        # The unit is in pairs of scores; half a pair lower, rounding does not matter.
        part = 1.0 / n
        unit = 2.0 * n * n * math.sqrt(0.5 * variance_of_gap(k, part, part, part))
        limits = (values - 0.5) / unit
        tables[is_of_baseline, k, n] = limits, tails
        start += length
    return tables


@functools.cache
def _table(
    is_of_baseline: bool, k: int, n: int
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the simulation of samples of a size, or of the next larger one.

    Larger samples have longer tails, up to those of the normal limit.
    """
    known = _tables()
    sizes = [size for b, count, size in known if (b, count) == (is_of_baseline, k)]
    size = min((size for size in sizes if size >= n), default=None)
    return None if size is None else known[int(is_of_baseline), k, size]


def variance_of_gap(k: int, a: Any, b: Any, c: float) -> Any:
    """Return the variance of the gap between two of k equal models, without ties.

    The gap is 2 w (P(A > B) - 1/2) + sum over the others of P(A > C) - P(B > C), for
    samples of 1 / a, 1 / b, and 1 / c scores of each other one, or more. Here P(A > C)
    - 1/2 = (mean of U in A) - (mean of U in C) + W, for uniform U and uncorrelated W
    with the variance a c / 12.
    """
    weight = 2.0 * OWN_WEIGHT
    shared = (k - 2.0 + weight) ** 2 + (k - 2) * c
    return (shared * (a + b) + weight * weight * a * b) / 12.0


def range_tail(k: int, n: int, x: Any, *, is_of_baseline: bool = False) -> Any:
    """Return the probabilities that the largest gap of k equal models is x or more.

    It is that of all pairs, or of those with the first model. The unit is the deviation
    of a gap over the square root of two, as in the range of k standard normals.
    """
    x = np.asarray(x, dtype=float)
    table = _table(is_of_baseline, k, n)
    if table is None:
        return _normal_tail(k, x, is_of_baseline)
    values, tails = table
    place = np.searchsorted(values, x, side="left")
    # The largest stored value at or below x, whose tail is as long or longer.
    last = len(values) - 1
    is_stored = (place <= last) & (values[np.minimum(place, last)] == x)
    at = np.where(is_stored, place, place - 1)
    found = np.where(at < 0, 1.0, tails[np.maximum(at, 0)])
    if not np.any(at == last):
        return found
    beyond = np.maximum(_normal_tail(k, x, is_of_baseline), _PRECISION**2)
    return np.where(at == last, np.minimum(tails[-1], beyond), found)


@functools.cache
def critical_range(
    k: int, n: int, level: float, *, is_of_baseline: bool = False
) -> float:
    table = _table(is_of_baseline, k, n)
    if table is not None:
        values, tails = table
        place = int(np.searchsorted(-tails, -level, side="left"))
        if place < len(values):
            return float(values[place])
    if is_of_baseline:
        normal = -math.sqrt(2.0) * _NORMAL.inv_cdf(level / (2.0 * (k - 1)))
    else:
        normal = normal_range(k, level)
    # Only the normal limit has so short a tail.
    return max(normal, 0.0 if table is None else float(table[0][-1]))


def _normal_tail(k: int, x: np.ndarray, is_of_baseline: bool) -> Any:
    if not is_of_baseline:
        return _range_of_normals(k, x)
    below = [_NORMAL.cdf(y) for y in (-x / math.sqrt(2.0)).ravel().tolist()]
    return np.minimum(1.0, 2.0 * (k - 1) * np.asarray(below).reshape(x.shape))


@functools.cache
def _nodes() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return nodes, weights times the normal density there, and log Phi."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    z = _END * nodes
    density = np.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    return z, _END * weights * density, _log_normal_cdf(z)


@functools.cache
def _log_phi() -> tuple[np.ndarray, np.ndarray]:
    """Return log Phi at steps of 1/512, between which it is linear to 5e-7."""
    z = np.arange(-36 * 512, 9 * 512 + 1) / 512.0
    below = [0.5 * math.erfc(-x * math.sqrt(0.5)) for x in z.tolist()]
    return z, np.log(below)


def _log_normal_cdf(z: np.ndarray) -> np.ndarray:
    return np.asarray(np.interp(z, *_log_phi()))


def _range_of_normals(k: int, x: Any) -> Any:
    """P(the range of k standard normals >= x), for each x.

    It is k int phi(z) (Phi(z)^(k - 1) - (Phi(z) - Phi(z - x))^(k - 1)) dz, with the
    largest at z, so that small probabilities keep their digits.
    """
    x = np.asarray(x)
    z, weights, log_below = _nodes()
    share = np.exp(_log_normal_cdf(z - x[..., None]) - log_below)
    with np.errstate(divide="ignore"):
        factor = -np.expm1((k - 1) * np.log1p(-np.minimum(share, 1.0)))
    terms = weights * np.exp((k - 1) * log_below) * factor
    return np.where(x <= 0.0, 1.0, np.minimum(1.0, k * np.sum(terms, axis=-1)))


@functools.cache
def normal_range(k: int, level: float) -> float:
    """Return x with P(the range of k standard normals >= x) = level.

    Secants of the logarithm of that tail go between two bounds.
    """
    low, high = 0.0, -math.sqrt(2.0) * _NORMAL.inv_cdf(level / (k * (k - 1.0)))
    f_low, f_high = (
        math.log(_range_of_normals(k, x)) - math.log(level) for x in (low, high)
    )
    for _ in range(60):
        x = low + (high - low) * f_low / (f_low - f_high)
        x = min(max(x, low + 1e-3 * (high - low)), high - 1e-3 * (high - low))
        f = math.log(_range_of_normals(k, x)) - math.log(level)
        if f > 0.0:
            low, f_low = x, f
        else:
            high, f_high = x, f
        if high - low < _PRECISION or abs(f) < _PRECISION:
            break
    return x
