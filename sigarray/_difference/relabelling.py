"""Statistics and p-values of scores with permuted labels.

Accuracies, votes and ratings have differences that are small multiples of a unit. A sum
of these with random signs has few values: its tail is a finite sum over its
characteristic function, whatever the number of pairs.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from sigarray._backend.callers import (
    Alternative,
    Array,
    Seed,
    Statistic,
    TestedStatistic,
)
from sigarray._backend.chunks import map_replicates, sum_replicates
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel
from sigarray._difference.resampling import clip_p_value
from sigarray._difference.saddlepoint import permutation_tail
from sigarray._difference.studentized import (
    GapsOfT,
    MeansAndErrors,
    Studentized,
    above_null,
    beyond_null,
)
from sigarray._numeric.clusters import Clusters, sum_clusters
from sigarray._numeric.designs import Design, DesignArrays
from sigarray._numeric.faults import merge_same
from sigarray._numeric.statistic import (
    TIE_UNITS,
    apply_statistic,
    center_scores,
    concat_samples,
    find_p_value,
    find_rounding,
    find_symmetric_p_value,
    largest_or_one,
    pool_samples,
)
from sigarray._numeric.student import find_t_of
from sigarray._numeric.subsets import or_one, solve
from sigarray._resampling.draws import count_permutations
from sigarray._resampling.replicates import (
    Beyond,
    Replicates,
    Resampled,
    count_beyond,
    keep,
    permute_within,
)

# Remainders below this share of the least possible unit are rounding.
_LEAST_SHARE = 0.25
# The most units of a difference, and the largest error of one by rounding, in units.
MAX_UNITS, _LARGEST_ROUNDING = 20, 0.05
# One period is this many deviations of the widest sum: beyond it there is a probability
# below 2 exp(-50), by Hoeffding's inequality.
_PERIOD = 22.0


@array_kernel
def find_without_draws(
    xp: Library,
    a: Array,
    b: Array,
    codes: Sequence[Array] = (),
    *,
    method: str,
    paired: bool,
    alternative: Alternative,
    null: float,
    n_clusters: int = 0,
) -> tuple[Array, Array]:
    """Return difference and p-value, exact or by the saddlepoint approximation.

    With codes, whole clusters of pairs are exchanged, for exact p-values.
    """
    a = beyond_null(a, null)
    n = a.shape[-1]
    (scores,) = merge_same(xp, [pool_samples(xp, a, b)], paired=paired)
    (pool,), *_, unit, _ = center_scores(xp, "mean", scores)
    samples = [pool[..., :n], pool[..., n:]]
    difference = xp.mean(samples[0], axis=-1) - xp.mean(samples[1], axis=-1)

    def find_tail(side: str) -> Array:
        pair = samples if side == "greater" else samples[::-1]
        return permutation_tail(xp, *pair, paired=paired)

    if method == "exact":
        clusters = Clusters(codes[0], n_clusters) if codes else None
        pvalue = lattice_p_value(xp, scores, n, alternative, clusters)
    else:
        pvalue = find_p_value(xp, alternative, find_tail)
    return above_null(unit * difference, null), clip_p_value(xp, pvalue)


def observe(
    xp: Library, a: Array, b: Array, statistic: Statistic, paired: bool
) -> tuple[Array, Array, Array, Array]:
    """Return centered pool, difference, tolerance of ties, and the unit of all."""
    n = a.shape[-1]
    join = concat_samples if isinstance(statistic, str) else pool_samples
    centered = center_scores(xp, statistic, join(xp, a, b))
    (pool,), levels, _, unit, (extent,) = centered
    samples = [pool[..., :n], pool[..., n:]]
    values = [apply_statistic(xp, statistic, x) for x in samples]
    tolerance = find_rounding(xp, statistic, samples, values, levels, extent, paired)
    return pool, values[0] - values[1], tolerance, unit


@array_kernel
def count_extremes(
    xp: Library,
    a: Array,
    b: Array,
    seed: Seed | None,
    arrays: DesignArrays,
    *,
    design: Design,
    paired: bool,
    statistic: TestedStatistic,
    alternative: Alternative,
    null: float,
    count: int,
) -> tuple[Array, Array]:
    """Return statistic and p-value over random permutations, or all without a seed.

    A difference that is not 0 is taken off the scores of A, which then can be
    exchanged; their t is compared, because spreads may differ.
    """
    a = beyond_null(a, null)
    design = design.with_arrays(arrays)
    if seed is None and not paired:
        a = _need_all(xp, a, b, design)
    n, m = a.shape[-1], b.shape[-1]
    by: Statistic = "mean" if statistic == "t" else statistic
    # With equal sizes the sum of squares is constant, and t rises with the mean.
    is_studentized = (statistic == "t" or null != 0.0) and n != m
    pool, difference, tolerance, unit = observe(xp, a, b, by, paired)
    rounding: Array = sum(design.rounding, tolerance)
    draws = permute_within(xp, seed, n, m, paired, design)
    sides = ["greater", "less"] if alternative == "two-sided" else [alternative]
    extremes: Replicates
    if is_studentized:
        extremes = GapsOfT.of_pool(xp, draws, pool, n, rounding, tuple(sides))
    else:
        tie = rounding[..., None]
        limits = {"greater": -tie, "less": tie}
        extremes = Beyond(
            xp,
            Resampled(xp, draws, [pool], by),
            difference[..., None],
            {side: limits[side] for side in sides},
            may_be_nan=not isinstance(by, str),
        )
    counts = count_beyond(xp, extremes, count, len(sides), difference - difference)
    pvalues = counts / float(count) if seed is None else (counts + 1.0) / (count + 1.0)
    tails = {side: pvalues[k, ...] for k, side in enumerate(sides)}
    pvalue = find_p_value(xp, alternative, tails.__getitem__)
    if statistic == "t":
        return find_t_of(xp, [a, b], paired)[0], pvalue
    return above_null(unit * difference, null), pvalue


@array_kernel
def draw_permutations(
    xp: Library,
    a: Array,
    b: Array,
    seed: Seed | None,
    start: int | Array,
    arrays: DesignArrays,
    *,
    design: Design,
    paired: bool,
    statistic: TestedStatistic,
    count: int,
) -> Array:
    """Return differences of random permutations, or of distinct ones without a seed."""
    n, m, is_t = a.shape[-1], b.shape[-1], statistic == "t"
    by: Statistic = "mean" if statistic == "t" else statistic
    design = design.with_arrays(arrays)
    if seed is None and not paired:
        a = _need_all(xp, a, b, design)
    (pool,), *_, unit, _ = center_scores(xp, by, pool_samples(xp, a, b))
    draws = permute_within(xp, seed, n, m, paired, design)
    permuted: Replicates
    if is_t:
        pool = pool / largest_or_one(xp, pool)[..., None]
        permuted = Studentized(xp, MeansAndErrors(xp, draws, [pool], paired))
    else:
        permuted = Resampled(xp, draws, [pool], by)
    if seed is None:
        n_distinct = count_permutations(n, m, paired=paired, strata=design.strata)
        permuted = _Distinct(xp, permuted, n_distinct)
    differences = keep(xp, permuted, count, start)
    return differences if is_t else unit[..., None] * differences


def _need_all(xp: Library, a: Array, b: Array, design: Design) -> Array:
    """Return sums of A, NaN if clusters are fewer than said: deals are of all."""
    for x, n_there in zip((a, b), design.n_there, strict=False):
        a = xp.where(n_there == x.shape[-1], a, math.nan)
    return a


@dataclass(frozen=True, eq=False)
class _Distinct:
    """All permutations, one after the other, and NaN after the last."""

    xp: Library
    permuted: Replicates
    count: float

    @property
    def elements(self) -> int:
        return self.permuted.elements

    def __call__(self, start: int | Array, size: int) -> Array:
        places = self.xp.arange(size) + start
        is_inside = (places >= 0) & (places < self.count)
        return self.xp.where(is_inside, self.permuted(start, size), math.nan)


def lattice_p_value(
    xp: Library,
    pool: Array,
    n: int,
    alternative: Alternative,
    of: Clusters | None,
) -> Array:
    """Return the p-value of the mean difference of n pairs, NaN if they have no unit.

    The pool has the scores of A and then of B. Signs are those of pairs, or of the sums
    of clusters, which are multiples of the same unit.
    """
    multiples, is_lattice = find_multiples(xp, pool, n)
    if of is not None:
        sums, sizes = sum_clusters(xp, multiples, of)
        multiples = xp.round(sums)
        is_inside = xp.max(xp.abs(multiples), axis=-1) <= MAX_UNITS
        is_lattice = is_lattice & is_inside & (xp.sum(sizes) == float(n))
    counts = _count_sizes(xp, multiples)
    lead, n_signs = 0.5 * xp.sum(multiples, axis=-1), multiples.shape[-1]
    find_tail = functools.partial(_flipped_tail, xp, counts, n_signs)
    pvalue = find_symmetric_p_value(xp, alternative, lead, find_tail)
    return xp.where(is_lattice, pvalue, math.nan)


def find_multiples(xp: Library, pool: Array, n: int) -> tuple[Array, Array]:
    """Return the n differences in units, and whether they are multiples of a unit.

    They are so up to the rounding of the scores, and at most `MAX_UNITS`. The unit is
    the greatest common divisor, by Euclid's algorithm with remainders of least absolute
    value, which halve in each step.
    """
    (centered,), *_, scale, _ = center_scores(xp, "mean", pool)
    differences = centered[..., :n] - centered[..., n:]
    rounding, levels = (
        TIE_UNITS * xp.finfo(pool.dtype).eps * xp.max(xp.abs(x), axis=-1)
        for x in (centered, pool / scale[..., None])
    )
    size = xp.abs(differences)
    largest = largest_or_one(xp, size, least=rounding)
    noise = (_LEAST_SHARE / MAX_UNITS) * largest[..., None]
    unit = _smallest_above(xp, size, noise, largest)
    for _ in range(math.ceil(math.log2(MAX_UNITS))):
        step = unit[..., None]
        rest = xp.abs(size - step * xp.round(size / step))
        unit = _smallest_above(xp, rest, noise, unit)
    number = xp.round(largest / unit)
    unit = largest / number
    multiples = xp.round(differences / unit[..., None])
    error = xp.max(xp.abs(differences - unit[..., None] * multiples), axis=-1)
    allowed = xp.minimum(levels, _LARGEST_ROUNDING * unit)
    return multiples, (error <= allowed) & (number <= MAX_UNITS)


def _smallest_above(xp: Library, x: Array, noise: Array, other: Array) -> Array:
    return xp.min(xp.where(x > noise, x, other[..., None]), axis=-1)


def _count_sizes(xp: Library, multiples: Array) -> Array:
    """Count the differences of 1, 2, ... units: (..., MAX_UNITS)."""
    size = xp.abs(multiples)[..., None, :]
    count = functools.partial(_count_equal, xp, size)
    return map_replicates(xp, count, MAX_UNITS, elements=math.prod(size.shape))


def _count_equal(xp: Library, size: Array, start: int | Array, number: int) -> Array:
    k = _numbers(xp, size, start + 1, number)
    return xp.sum(xp.astype(size == k[:, None], size.dtype), axis=-1)


def _flipped_tail(xp: Library, counts: Array, n: int, lead: Array) -> Array:
    """P(S >= lead), where S is half of the sum of the multiples with random signs.

    S has steps of 1, and is symmetric: if the lead is not positive, it is 1 - P(S >=
    1 - lead). Else, with the distribution P_t tilted by exp(t S), and K(t) = log E
    exp(t S) = sum c_k log cosh(t k / 2) for c_k differences of k units,

        P(S >= s) = exp(K(t) - t s) sum over j >= 0 of exp(-t j) P_t(S = s + j),

    where all terms are positive, and P_t is the inverse of a discrete Fourier
    transform: a mean over L angles of E_t exp(i angle S), the product of [cos(angle k /
    2) + i tanh(t k / 2) sin(angle k / 2)]^c_k. The tilt is near the saddlepoint, where
    s is the mean, so that a small tail keeps its digits.
    """
    k = _numbers(xp, counts, 1, MAX_UNITS)
    end = 0.5 * xp.sum(counts * k, axis=-1)
    deviation = 0.5 * xp.sqrt(xp.sum(counts * k * k, axis=-1))
    is_behind = lead <= 0.0
    s = xp.where(is_behind, 1.0 - lead, lead)

    def tilt(t: Array) -> tuple[Array, Array]:
        pull = xp.tanh(0.5 * t[..., None] * k)
        mean = 0.5 * xp.sum(counts * k * pull, axis=-1)
        spread = (1.0 - pull) * (1.0 + pull)
        return mean, or_one(xp, 0.25 * xp.sum(counts * k * k * spread, axis=-1))

    # The tilt is finite half a step below the end, and not 0 in the middle.
    goal = xp.clip(xp.minimum(s, end - 0.5), 0.0, None)
    t = xp.maximum(solve(xp, tilt, goal, end), 1.0 / or_one(xp, deviation))
    exponent = xp.sum(counts * _log_cosh(xp, 0.5 * t[..., None] * k), axis=-1) - t * s
    tail = xp.exp(exponent) * _tilted_sum(xp, counts, s, t, n)
    tail = xp.where(s > end, 0.0, xp.clip(tail, 0.0, 1.0))
    return xp.where(is_behind, 1.0 - tail, tail)


def _tilted_sum(xp: Library, counts: Array, s: Array, t: Array, n: int) -> Array:
    """Sum exp(-t j) P_t(S = s + j) over half a period of j from 0 on."""
    k = _numbers(xp, counts, 1, MAX_UNITS)
    widest = math.ceil(0.5 * _PERIOD * MAX_UNITS * math.sqrt(n))
    half = min(n * MAX_UNITS, widest // 2)
    period, window = 2 * half + 1, half + 1
    t, s = t[..., None], s[..., None]
    pull = xp.tanh(0.5 * t[..., None] * k)
    spread = (1.0 - pull) * (1.0 + pull)
    counts = counts[..., None, :]
    transform = _Transform(xp, counts, k, pull, spread, s, t, period, window)
    initial, elements = xp.zeros_like(t[..., 0]), math.prod(counts.shape)
    total = sum_replicates(xp, transform, half + 1, initial=initial, elements=elements)
    return total / period


@dataclass(frozen=True, eq=False)
class _Transform:
    """Terms of `_tilted_sum` by angle; each but 0 stands for its negative, too."""

    xp: Library
    counts: Array
    k: Array
    pull: Array
    spread: Array
    s: Array
    t: Array
    period: int
    window: int

    def __call__(self, start: int | Array, size: int) -> Array:
        xp, t, pull, counts = self.xp, self.t, self.pull, self.counts
        decay, last = xp.exp(-t), xp.exp(-t * self.window)
        rise = 2.0 * xp.exp(-0.5 * t) * xp.sinh(0.5 * t)  # 1 - exp(-t)
        below_one = 1.0 - xp.finfo(t.dtype).eps
        place = _numbers(xp, counts, start, size)
        angle = place * (2.0 * math.pi / self.period)
        y = 0.5 * angle[:, None] * self.k
        sine = xp.sin(y)
        lost = xp.clip(self.spread * sine * sine, None, below_one)
        size_of = xp.exp(0.5 * xp.sum(counts * xp.log1p(-lost), axis=-1))
        turn = xp.atan2(pull * sine, xp.broadcast_to(xp.cos(y), lost.shape))
        phase = xp.sum(counts * turn, axis=-1) - angle * self.s
        # These are the parts of the fraction that is the sum of exp(-(t + i angle) j).
        at_end, sine_of_half = angle * self.window, xp.sin(0.5 * angle)
        top, side = 1.0 - last * xp.cos(at_end), last * xp.sin(at_end)
        bottom = rise + 2.0 * decay * sine_of_half * sine_of_half
        turned = decay * xp.sin(angle)
        real = top * bottom + side * turned
        imaginary = side * bottom - top * turned
        fraction = real * xp.cos(phase) - imaginary * xp.sin(phase)
        norm = bottom * bottom + turned * turned
        weight = 1.0 + xp.astype(place > 0.0, place.dtype)
        return weight * size_of * fraction / norm


def _log_cosh(xp: Library, x: Array) -> Array:
    """Return log cosh x for x >= 0, which is accurate to the last digit near 0."""
    small = xp.sinh(xp.clip(x, None, 1.0))
    large = x + xp.log1p(xp.exp(-2.0 * x)) - math.log(2.0)
    return xp.where(x < 1.0, 0.5 * xp.log1p(small * small), large)


def _numbers(xp: Library, like: Array, start: int | Array, size: int) -> Array:
    return xp.astype(xp.arange(size) + start, like.dtype)
