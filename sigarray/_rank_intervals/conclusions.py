"""Ranks of models, their limits and probabilities, by estimates and replicates."""

from typing import NamedTuple

from sigarray._backend.aliases import Array, Statistic
from sigarray._backend.chunks import sum_replicates
from sigarray._backend.library import Library
from sigarray._numeric.faults import add_up_faults
from sigarray._numeric.special import student_t_sf
from sigarray._numeric.student import find_t
from sigarray._numeric.sums import uses_sums
from sigarray._rank_intervals.comparisons import Shares, bound_ranks, tell_apart
from sigarray._rank_intervals.levels import (
    Levels,
    find_differences,
    find_ties,
    limit_gaps,
    pair_errors,
)


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
) -> Array:
    """Return ranks, both limits and K probabilities (3 + K, K, E).

    The replicates (E, K, R) and estimates are about the levels; each model has `size`
    scores, or more.
    """
    sign = 1.0 if higher_is_better else -1.0
    subtract = find_differences(xp, levels)
    ties = find_ties(xp, statistic, of.rounding, levels, subtract.share, size)
    gaps = sign * subtract(of.statistic)
    gaps = xp.where(xp.abs(gaps) > ties, gaps, 0.0 * gaps)
    if of.error.ndim > of.statistic.ndim:
        of_model = of.error[:, 0, :]
        error = xp.where(of.error > 0.0, of.error, 1.0)
        t, df, is_known = limit_gaps(xp, gaps, error), of.df, of.is_known
        # In units of the largest error, whatever that is.
        unit = xp.max(error, axis=(-2, -1))[:, None, None]
        weights = xp.where(is_known, unit / error, 0.0)
    else:
        of_model = of.error
        errors = pair_errors(xp, of.error, subtract.share)
        squares = [errors.rows * errors.rows, errors.columns * errors.columns]
        t, df = find_t(xp, limit_gaps(xp, gaps, errors.size), squares, _pair(of.df))
        first, second = _pair(of.is_known)
        # A mean of scores that are all the same is known by the spread of the other.
        is_known = first | second if uses_sums(statistic) else first & second
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
    """Return numbers (E, K) for the rows and the columns of a matrix (E, K, K)."""
    return x[:, :, None], x[:, None, :]
