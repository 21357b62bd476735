"""Empirical quantile functions: sorted samples, where to evaluate them, resamples.

A sample of n scores has the quantile function F^-1(t) = x_(ceil(n t)): n steps of one
width. Ranks are counted from zero here.
"""

import math
from fractions import Fraction
from typing import NamedTuple

from sigarray._typing import Array, Device, Namespace
from sigarray.dispatch import (
    build_tables,
    device_of,
    index_dtype,
    spread_faults,
    widest_float,
)
from sigarray.rng import exponentials, normals
from sigarray.validation import check_fraction

# A step of the grid is a ratio of integers up to this denominator.
_MAX_GRID_DENOMINATOR = 10**6

# Below this rank gap, drawing the scores in between costs less than one gamma.
_MIN_RANK_GAP = 16
# Marsaglia and Tsang's candidates for Gamma(k) fail with probability < _FAILURE / k.
_FAILURE = 0.05
_MAX_FAILURE = 1e-9

# Sequential float32 sums are exact enough for so many terms: beyond, sum by blocks.
_MAX_FLOAT32_TERMS = 1024


class MergedSteps(NamedTuple):
    """Ranks of two samples on the merged breakpoints {i/n} and {j/m}, and widths."""

    ranks_a: Array
    ranks_b: Array
    widths: Array


def sort_scores(xp: Namespace, scores: Array) -> Array:
    """Sort along the last axis and halve, so that differences cannot overflow.

    As in `spread_faults`, a sample with a score that is not finite becomes NaN.
    """
    return 0.5 * xp.sort(spread_faults(xp, scores), axis=-1, stable=False)


def grid_step(dt: float | None) -> Fraction | None:
    """Check the width of a quantile grid and make it rational."""
    if dt is None:
        return None
    width = check_fraction("dt", dt)
    step = Fraction(width).limit_denominator(_MAX_GRID_DENOMINATOR)
    if not 0 < step < 1:
        msg = f"Expected dt in [1e-6, 1 - 1e-6]; got {dt}. Pass dt=None: it is exact."
        raise ValueError(msg)
    return step


def grid_size(step: Fraction) -> int:
    """Count the points t = dt, 2 dt, ... < 1."""
    return math.ceil(1 / step) - 1


def grid_ranks(n: int, step: Fraction, xp: Namespace, device: Device) -> Array:
    """Give the rank ceil(n t) - 1 at each point of the grid, in integer arithmetic."""

    def build(xp: Namespace, device: Device) -> tuple[Array, ...]:
        points = xp.arange(1, grid_size(step) + 1, dtype=xp.int64, device=device)
        return ((n * step.numerator * points - 1) // step.denominator,)

    return build_tables(build, xp, device)[0]


def merge_steps(n: int, m: int, xp: Namespace, device: Device) -> MergedSteps | None:
    """Merge the steps of two sizes; None where they coincide.

    A breakpoint of both sizes stands twice, the second time with no width.
    """
    if n == m:
        return None

    def build(xp: Namespace, device: Device) -> tuple[Array, ...]:
        ends_a = m * xp.arange(1, n + 1, dtype=xp.int64, device=device)
        ends_b = n * xp.arange(1, m + 1, dtype=xp.int64, device=device)
        ends = xp.sort(xp.concat([ends_a, ends_b]), stable=False)
        starts = xp.concat([xp.zeros_like(ends[:1]), ends[:-1]])
        widths = xp.astype(ends - starts, widest_float(xp, device)) / (n * m)
        return (ends - 1) // m, (ends - 1) // n, widths

    return MergedSteps(*build_tables(build, xp, device))


def take_last(xp: Namespace, x: Array, indices: Array) -> Array:
    """Index the last axis of x by an array of any shape."""
    flat = xp.take(x, xp.reshape(indices, (-1,)), axis=-1)
    return xp.reshape(flat, (*x.shape[:-1], *indices.shape))


def resample_width(n: int, step: Fraction | None) -> int:
    """Count the random words that a resample of n scores takes."""
    candidates = _gamma_candidates(n, step)
    if candidates == 0 or step is None:
        return n + 1
    return (2 * -(-candidates // 2) + candidates) * (grid_size(step) + 1)


def sorted_resamples(
    xp: Namespace, scores: Array, words: Array, step: Fraction | None
) -> Array:
    """Resample sorted scores with replacement, without a sort.

    The order statistics of a resample are those of n uniforms, pushed through the
    quantile function: uniforms sorted from the start, by exponential spacings.

    Parameters
    ----------
    scores : array, shape (..., K, n)
        K sorted samples.
    words : array, shape (count, K, width)
        Random words, `resample_width` of them for each sample.
    step : Fraction or None
        Give only the order statistics at this grid; all of them where None.

    Returns
    -------
    array, shape (..., count, K, n or T)
    """
    n_samples, n = scores.shape[-2:]
    device = device_of(xp, scores)
    ranks = None if step is None else grid_ranks(n, step, xp, device)
    n_candidates = _gamma_candidates(n, step)
    if n_candidates == 0 or ranks is None:
        sums = _cumulative_sum(xp, exponentials(words, xp), device)
        if ranks is not None:
            ends = xp.full((1,), n, dtype=ranks.dtype, device=device)
            sums = take_last(xp, sums, xp.concat([ranks, ends]))
    else:
        sums = _cumulative_sum(
            xp, _rank_gammas(xp, words, ranks, n, n_candidates), device
        )
    # A factor so close to 1 that floor(n u) is below n for every u <= 1.
    below_one = 1.0 - (2.0**-50 if sums.dtype == xp.float64 else 2.0**-21)
    positions = sums[..., :-1] * (n * below_one / sums[..., -1:])
    indices = xp.astype(positions, index_dtype(xp, device))
    rows = n * xp.arange(n_samples, dtype=indices.dtype, device=device)
    indices += rows[:, None]
    return take_last(
        xp, xp.reshape(scores, (*scores.shape[:-2], n_samples * n)), indices
    )


def _gamma_candidates(n: int, step: Fraction | None) -> int:
    """How many candidates each gamma needs; 0 where drawing every score costs less."""
    if step is None or n * step < _MIN_RANK_GAP:
        return 0
    smallest_gap = min(
        math.floor(n * step), n + 1 - math.ceil(n * step * grid_size(step))
    )
    return math.ceil(math.log(_MAX_FAILURE) / math.log(_FAILURE / smallest_gap))


def _rank_gammas(
    xp: Namespace, words: Array, ranks: Array, n: int, n_candidates: int
) -> Array:
    """Draw Gamma(k) for the gap k before each rank, and after the last one.

    Marsaglia and Tsang (2000), with the acceptance test in a form that float32 bears:
    with v = (1 + t)^3, 1 - v + log v = 3 log1p(t) - t (3 + t (3 + t)).
    """
    device = device_of(xp, words)
    edges = xp.astype(ranks + 1, xp.float32)
    zero = xp.zeros((1,), dtype=xp.float32, device=device)
    gaps = xp.concat([edges, zero + (n + 1)]) - xp.concat([zero, edges])
    d = gaps - 1.0 / 3.0
    c = 1.0 / xp.sqrt(9.0 * d)

    n_pairs = -(-n_candidates // 2)
    words = xp.reshape(
        words, (*words.shape[:-1], 2 * n_pairs + n_candidates, gaps.shape[0])
    )
    pairs = xp.reshape(
        words[..., : 2 * n_pairs, :], (*words.shape[:-2], 2, n_pairs, gaps.shape[0])
    )
    x = xp.reshape(normals(pairs, xp), (*words.shape[:-2], 2 * n_pairs, gaps.shape[0]))
    x = x[..., :n_candidates, :]
    log_u = -exponentials(words[..., 2 * n_pairs :, :], xp)
    # A t below -1 is to be rejected; -0.999 is rejected too, and has a logarithm.
    t = xp.clip(c * x, -0.999, None)
    log_ratio = 3.0 * xp.log1p(t) - t * (3.0 + t * (3.0 + t))
    accepted = log_u < 0.5 * x * x + d * log_ratio
    first = t[..., -1, :]
    for candidate in range(n_candidates - 2, -1, -1):
        first = xp.where(accepted[..., candidate, :], t[..., candidate, :], first)
    return d * (1.0 + first) ** 3


def _cumulative_sum(xp: Namespace, x: Array, device: Device) -> Array:
    """Cumulative sum along the last axis, in float64 or as exact as may be."""
    dtype = widest_float(xp, device)
    n = x.shape[-1]
    if dtype == xp.float64 or n <= _MAX_FLOAT32_TERMS:
        return xp.cumulative_sum(x, axis=-1, dtype=dtype)
    blocks = math.ceil(math.sqrt(n))
    padding = xp.zeros((*x.shape[:-1], -n % blocks), dtype=dtype, device=device)
    rows = xp.reshape(xp.concat([x, padding], axis=-1), (*x.shape[:-1], -1, blocks))
    within = xp.cumulative_sum(rows, axis=-1)
    totals = within[..., -1]
    before = xp.cumulative_sum(totals, axis=-1) - totals
    sums = xp.reshape(within + before[..., None], (*x.shape[:-1], -1))
    return sums[..., :n]
