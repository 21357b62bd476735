"""Which models are better than which others, and the ranks that this leaves."""

import functools
import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from sigarray._backend.aliases import Array
from sigarray._backend.chunks import map_entries
from sigarray._backend.library import Library
from sigarray._numeric.rank_ranges import normal_range
from sigarray._numeric.special import normal_sf
from sigarray._rank_intervals.levels import Differences

# Critical values are found anew for the comparisons that are left, so many times. More
# steps could only tell more models apart.
_N_STEPS = 3


def tell_apart(
    xp: Library, p_values: Array, weights: Array, shifts: Array, alpha: float
) -> Array:
    """Tell which models are better than which others, row than column: (E, K, K).

    The hypotheses are that a row is no better than a column, all K (K - 1) at once. In
    each step those are rejected whose p-value is at most the tail of a normal beyond
    the critical value, the quantile of the largest of the `shifts` (E, K, R) of
    resamples between models, in units of the error of each pair; each shift is in that
    of the error of its model, of which a pair has the `weights` (E, K, K) of the row.
    It is no less than that of normals, by the range of K of them [1]_ or by the number
    of hypotheses that are left [2]_. As these become fewer, critical values can only
    become smaller, so that the first error in any step has the probability `alpha`
    [3]_.

    References
    ----------
    .. [1] A. J. Hayter (1984). A proof of the conjecture that the Tukey-Kramer multiple
       comparisons procedure is conservative. Annals of Statistics 12, 61-75.
       :doi:`10.1214/aos/1176346392`
    .. [2] S. Holm (1979). A simple sequentially rejective multiple test procedure.
       Scandinavian Journal of Statistics 6, 65-70. https://www.jstor.org/stable/4615733
    .. [3] J. P. Romano, M. Wolf (2005). Exact and approximate stepdown methods for
       multiple hypothesis testing. Journal of the American Statistical Association 100,
       94-108. :doi:`10.1198/016214504000000539`
    """
    n_models, n_resamples = shifts.shape[1:]
    models = xp.arange(n_models)
    is_other = models[:, None] != models[None, :]
    of_columns = xp.matrix_transpose(weights)
    of_range = NormalDist().cdf(-normal_range(n_models, alpha) / math.sqrt(2.0))
    place = min(math.ceil((1.0 - alpha) * (n_resamples + 1)), n_resamples) - 1
    rows = xp.contiguous(xp.move_axis(shifts, -1, 0))
    is_left = xp.broadcast_to(is_other, p_values.shape)
    for _ in range(_N_STEPS):
        kept = [xp.where(is_left, x, 0.0) for x in (weights, of_columns)]
        find = functools.partial(_find_largest, xp, *kept)
        largest = map_entries(xp, find, [rows], elements=2 * math.prod(weights.shape))
        critical = xp.sort(largest, axis=-1, stable=False)[..., place]
        n_left = xp.sum(xp.astype(is_left, weights.dtype), axis=(-2, -1))
        level = xp.clip(alpha / n_left, of_range, None)
        level = xp.minimum(level, normal_sf(xp, critical))
        is_left = is_left & ~(p_values <= level[:, None, None])
    return is_other & ~is_left


def _find_largest(
    xp: Library, of_rows: Array, of_columns: Array, shifts: Array
) -> Array:
    """Return the largest weighted difference (E, R) of shifts (R, E, K)."""
    gaps = shifts[..., :, None] * of_rows - shifts[..., None, :] * of_columns
    return xp.matrix_transpose(xp.max(gaps, axis=(-2, -1)))


def bound_ranks(xp: Library, is_better: Array, dtype: Any) -> tuple[Array, Array]:
    """Return the first and the last rank of models (E, K, ...) by who is better."""
    better = xp.astype(is_better, dtype)
    return 1.0 + xp.sum(better, axis=1), better.shape[1] - xp.sum(better, axis=2)


@dataclass(frozen=True, eq=False)
class Shares:
    """How much of each rank each model has in replicates (R, E, K): (E, K, K, size)."""

    xp: Library
    values: Array
    subtract: Differences
    ties: Array
    sign: float

    @property
    def elements(self) -> int:
        return int(4 * math.prod(self.ties.shape))

    def __call__(self, start: int | Array, size: int) -> Array:
        xp = self.xp
        places = xp.clip(xp.arange(size) + start, None, self.values.shape[0] - 1)
        values = xp.move_axis(xp.take(self.values, places, axis=0), 0, -1)
        gaps = self.sign * self.subtract(values)
        limits = bound_ranks(xp, gaps > self.ties[..., None], gaps.dtype)
        first, last = (x[:, :, None, :] for x in limits)
        ranks = xp.arange(1, gaps.shape[1] + 1, dtype=gaps.dtype)[:, None]
        is_there = (first <= ranks) & (ranks <= last)
        return xp.where(is_there, 1.0 / (last - first + 1.0), 0.0)
