"""Exact p-values of pairs whose differences are small multiples of a unit.

Accuracies (0 or 1), partial credits, votes and ratings have such differences. A sum of
these with random signs has few values: its tail is a finite sum over its characteristic
function, whatever the number of pairs.
"""

import functools
import math
from dataclasses import dataclass

from sigarray._backend.callers import Alternative, Array
from sigarray._backend.chunks import map_replicates, sum_replicates
from sigarray._backend.library import Library
from sigarray._numeric.clusters import Clusters, sum_clusters
from sigarray._numeric.statistic import (
    TIE_UNITS,
    center_scores,
    find_symmetric_p_value,
    largest_or_one,
)
from sigarray._numeric.subsets import or_one, solve

# The most units of a difference.
MAX_UNITS = 20
# Remainders below this share of the least possible unit are rounding.
_LEAST_SHARE = 0.25
# The largest error of a difference by rounding, in units.
_LARGEST_ROUNDING = 0.05
# One period is this many deviations of the widest sum: beyond it there is a probability
# below 2 exp(-50), by Hoeffding's inequality.
_PERIOD = 22.0


def lattice_p_value(
    xp: Library,
    pool: Array,
    n: int,
    alternative: Alternative,
    clusters: Clusters | None = None,
) -> Array:
    """Return the p-value of the mean difference of n pairs, NaN if they have no unit.

    The pool has the scores of A and then of B. Signs are those of pairs, or of the sums
    of clusters, which are multiples of the same unit.
    """
    multiples, is_lattice = find_multiples(xp, pool, n)
    if clusters is not None:
        sums, sizes = sum_clusters(xp, multiples, clusters)
        multiples = xp.round(sums)
        is_inside = xp.max(xp.abs(multiples), axis=-1) <= MAX_UNITS
        is_lattice = is_lattice & is_inside & (xp.sum(sizes) == float(n))
    counts = _count_sizes(xp, multiples)
    pvalue = find_symmetric_p_value(
        xp,
        alternative,
        0.5 * xp.sum(multiples, axis=-1),
        lambda lead: _flipped_tail(xp, counts, lead, multiples.shape[-1]),
    )
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


def _flipped_tail(xp: Library, counts: Array, lead: Array, n: int) -> Array:
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
    places = xp.arange(size) + start
    return xp.astype(places, like.dtype)
