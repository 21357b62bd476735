"""Estimates of models, and comparisons of all pairs: which, at what level, and so what.

A model whose scores are huge, as those of a diverged run are, costs the others no
digits: what is said of two models depends on their own scores.
"""

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

from sigarray._backend.callers import Array, Statistic
from sigarray._backend.chunks import map_entries, sum_replicates
from sigarray._backend.library import Library
from sigarray._difference.influences import find_influences
from sigarray._numeric.faults import add_up_faults
from sigarray._numeric.ranks import normal_range
from sigarray._numeric.special import normal_sf, student_t_sf
from sigarray._numeric.statistic import (
    add_rounding_of_scores,
    apply_statistic,
    rounding_of,
    scale_scores,
    standard_deviation,
)
from sigarray._numeric.student import (
    Strata,
    average_df,
    find_errors_of_strata,
    find_t,
    list_samples,
    split_axis,
)
from sigarray._numeric.sums import uses_sums
from sigarray._order.pairs import join, slices_of

# Critical values are found anew for the comparisons that are left, so many times. More
# steps could only tell more models apart.
_N_STEPS = 3
# Beyond so many errors no p-value matters; it keeps the squares of t in range.
_MOST_ERRORS = 2.0**60


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


class Levels(NamedTuple):
    """What was subtracted from the scores x of models (E, K): `unit` (`level` + x)."""

    level: Array
    unit: Array


def center_stack(
    xp: Library, statistic: Statistic, x: Array, n_strata: int
) -> tuple[Array, Levels]:
    """Return the scores (E, K, n) of each model less the middle one, their level.

    It is near most scores, so that neither a level nor outliers cost digits; whole
    numbers stay whole. Where means are asked for, scores of a stratum that vary only by
    rounding are made the same. The scores of a callable, which may not move with them,
    stay.
    """
    if callable(statistic):
        level = xp.zeros_like(x[..., 0])
        return x, Levels(level, level + 1.0)
    if statistic == "mean":
        rows = split_axis(xp, x, n_strata)
        x = xp.reshape(list_samples(xp, [rows], paired=False)[0][0], x.shape)
    (x,), unit = scale_scores(xp, x)
    level = xp.sort(x, axis=-1, stable=False)[..., (x.shape[-1] - 1) // 2]
    return x - level[..., None], Levels(level, unit)


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences (E, K, K, ...) of numbers of models (E, K, ...), row less column.

    They are in the larger of the units of two models, of which each has a `share`
    (E, K, K): 1, or a power of two; and `gap` is that of what was subtracted.
    """

    xp: Library
    share: Array
    gap: Array

    def __call__(self, values: Array) -> Array:
        axes = (..., *(None,) * (values.ndim - 2))
        rows = values[:, :, None, ...] * self.share[axes]
        columns = values[:, None, ...] * self.xp.matrix_transpose(self.share)[axes]
        return self.gap[axes] + (rows - columns)


def find_differences(xp: Library, levels: Levels) -> Differences:
    unit = levels.unit
    share = unit[:, :, None] / xp.maximum(unit[:, :, None], unit[:, None, :])
    first, second = scale_pair(xp, levels.level, share)
    return Differences(xp, share, first - second)


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


class Errors(NamedTuple):
    """Errors of pairs (E, K, K): a size, in the unit of the pair, and their shares.

    `rows` and `columns` are the errors of the two models in units of the size, and
    `weights` that of the row in units of the error of the difference.
    """

    size: Array
    rows: Array
    columns: Array
    weights: Array


def pair_errors(xp: Library, error: Array, share: Array) -> Errors:
    """Return the errors of pairs, whose squares neither overflow nor underflow."""
    first, second = scale_pair(xp, error, share)
    size = xp.maximum(first, second)
    size = xp.where(size > 0.0, size, 1.0)
    rows, columns = first / size, second / size
    total = rows * rows + columns * columns
    varies = total > 0.0
    weights = xp.where(varies, rows / xp.sqrt(xp.where(varies, total, 1.0)), 0.0)
    return Errors(size, rows, columns, weights)


def limit_gaps(xp: Library, gaps: Array, size: Array) -> Array:
    """Return differences in units of a size, so large at most that squares are kept."""
    return xp.clip(gaps / size, -_MOST_ERRORS, _MOST_ERRORS)


def scale_pair(xp: Library, x: Array, share: Array) -> tuple[Array, Array]:
    """Return numbers (E, K) of the row and of the column (E, K, K), in its unit."""
    return x[:, :, None] * share, x[:, None, :] * xp.matrix_transpose(share)


class Estimates(NamedTuple):
    """The statistic of each model (E, K), and what is known of its error.

    `rounding` is how far apart two equal statistics may be. The errors have degrees of
    freedom, and are unknown if the scores, or the resamples, do not vary. Of models
    that share their items all three are those of differences (E, K, K).
    """

    statistic: Array
    rounding: Array
    error: Array
    df: Array
    is_known: Array


class Models(NamedTuple):
    """How the scores of K models lie in stacks, in which models have as many scores.

    `shapes` are those of stacks (K, n), `order` has the place in them of each model,
    and each sample has the scores of `n_strata`, one stratum after another.
    """

    shapes: tuple[tuple[int, int], ...]
    order: tuple[int, ...]
    n_strata: int

    def split(self, xp: Library, scores: Array) -> list[Array]:
        """Return stacks (E, K, n) of the scores of all models, (E, N)."""
        parts = slices_of(k * n for k, n in self.shapes)
        return [
            xp.reshape(scores[:, part], (scores.shape[0], *shape))
            for part, shape in zip(parts, self.shapes, strict=True)
        ]

    def gather(self, xp: Library, parts: Sequence[Array]) -> Array:
        """Return numbers (E, K, ...) of models, of those of each stack."""
        every = join(xp, parts, axis=1)
        if self.order == tuple(range(len(self.order))):
            return every
        return xp.stack([every[:, k, ...] for k in self.order], axis=1)


def center_models(
    xp: Library, statistic: Statistic, models: Models, scores: Array
) -> tuple[list[Array], Levels]:
    """Return stacks of the scores (E, N) of models, each about a level of its own."""
    parts = [
        center_stack(xp, statistic, x, models.n_strata)
        for x in models.split(xp, scores)
    ]
    levels = zip(*(of for _, of in parts), strict=True)
    return [x for x, _ in parts], Levels(*(models.gather(xp, x) for x in levels))


def estimate(
    xp: Library,
    stacks: Sequence[Array],
    models: Models,
    statistic: Statistic,
    replicates: Array,
) -> Estimates:
    """Estimate the statistic of each model, from stacks (E, K, n), and its error.

    That of a mean is known; others have the standard deviation of the replicates, and
    the degrees of freedom of the mean of their influences.
    """
    parts = []
    for x in stacks:
        value = apply_statistic(xp, statistic, x)
        rounding = rounding_of(xp, statistic, [x], [value])
        if statistic == "mean":
            # Those of a stratum that are the same are then exactly 0.
            rows = split_axis(xp, x, models.n_strata)
            numbers = xp.reshape(rows - xp.min(rows, axis=-1, keepdims=True), x.shape)
        else:
            rows = xp.reshape(x, (-1, x.shape[-1]))
            numbers = xp.reshape(find_influences(xp, statistic, rows), x.shape)
        _, (square,), (df,), unit, *_ = find_errors_of_strata(
            xp, [numbers], Strata(models.n_strata), paired=False
        )
        parts.append((value, rounding, unit * xp.sqrt(square), df))
    value, rounding, error, df = (
        models.gather(xp, list(x)) for x in zip(*parts, strict=True)
    )
    if statistic == "mean":
        return Estimates(value, rounding, error, df, error > 0.0)
    error = standard_deviation(xp, replicates)
    return Estimates(value, rounding, error, df, error > rounding)


def rank_estimates(
    xp: Library,
    replicates: Array,
    of: Estimates,
    levels: Levels,
    *,
    statistic: Statistic,
    size: int,
    higher_is_better: bool,
    alpha: float,
    are_unlike: bool = False,
) -> Array:
    """Return ranks, both limits and K probabilities (3 + K, K, E).

    The replicates (E, K, R) and estimates are about the levels; each model has `size`
    scores, or more. If `are_unlike`, two models with unlike numbers of scores have
    fewer degrees of freedom than Welch's: their harmonic mean with those of the fewer.
    """
    sign = 1.0 if higher_is_better else -1.0
    subtract = find_differences(xp, levels)
    is_known, are_known = of.is_known, [of.is_known]
    if of.error.ndim == of.statistic.ndim:
        # A mean of scores that are all the same is known by the spread of the other.
        are_known = list(_pair(is_known))
        is_known = are_known[0] | are_known[1]
    ties = add_rounding_of_scores(
        xp,
        operator.add(*scale_pair(xp, of.rounding, subtract.share)),
        statistic,
        scale_pair(xp, levels.level, subtract.share),
        [size, size],
        # Without any known error no scores differ but by rounding.
        xp.where(is_known, math.inf, xp.zeros_like(subtract.share)),
    )
    if not uses_sums(statistic):
        is_known = functools.reduce(operator.and_, are_known)
    gaps = sign * subtract(of.statistic)
    gaps = xp.where(xp.abs(gaps) > ties, gaps, 0.0 * gaps)
    if of.error.ndim > of.statistic.ndim:
        of_model = of.error[:, 0, :]
        error = xp.where(of.error > 0.0, of.error, 1.0)
        t, df = limit_gaps(xp, gaps, error), of.df
        # In units of the largest error, whatever that is.
        unit = xp.max(error, axis=(-2, -1))[:, None, None]
        weights = xp.where(is_known, unit / error, 0.0)
    else:
        of_model = of.error
        errors = pair_errors(xp, of.error, subtract.share)
        squares = [errors.rows * errors.rows, errors.columns * errors.columns]
        dfs = _pair(of.df)
        t, df = find_t(xp, limit_gaps(xp, gaps, errors.size), squares, dfs)
        if are_unlike:
            careful = average_df(df, xp.minimum(*dfs))
            df = xp.where(dfs[0] == dfs[1], df, careful)
        unit = xp.where(of.error > 0.0, of.error, 1.0)[..., None]
        weights = errors.weights
    p_values = xp.where(is_known, student_t_sf(xp, t, df), 1.0)
    shifts = sign * ((replicates - of.statistic[..., None]) / unit)
    is_better = tell_apart(xp, p_values, weights, shifts, alpha)
    rows = xp.contiguous(xp.move_axis(replicates, -1, 0))
    shares = Shares(xp, rows, subtract, ties, sign)
    n_resamples = replicates.shape[-1]
    counts = sum_replicates(
        xp, shares, n_resamples, initial=0.0 * gaps, elements=shares.elements
    )
    rank, _ = bound_ranks(xp, gaps > 0.0, gaps.dtype)
    ranks = [rank, *bound_ranks(xp, is_better, gaps.dtype)]
    found = [xp.stack(ranks), xp.permute_dims(counts / n_resamples, (2, 0, 1))]
    fault = xp.sum(add_up_faults([of_model, of.statistic]), axis=-1)
    return xp.permute_dims(xp.concat(found, axis=0) + fault[:, None], (0, 2, 1))


def split_ranks(
    xp: Library, found: Array, leading: tuple[int, ...]
) -> tuple[Array, ...]:
    """Return ranks, limits (..., K) and probabilities (..., K, K) of entries."""
    found = xp.reshape(found, (*found.shape[:2], *leading))
    ranks = [xp.move_axis(found[k, ...], 0, -1) for k in range(3)]
    probability = xp.move_axis(xp.move_axis(found[3:, ...], 1, -1), 0, -1)
    return *ranks, probability


def _pair(x: Array) -> tuple[Array, Array]:
    return x[:, :, None], x[:, None, :]
