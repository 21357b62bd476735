"""The share of resamples in which a test sees that the first model is better."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from sigarray._backend.callers import Array, Seed
from sigarray._backend.chunks import sum_replicates
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._backend.public import array_kernel
from sigarray._backend.seeds import spare_seed
from sigarray._difference.location import t_test
from sigarray._difference.ranks import mann_whitney_u
from sigarray._numeric.faults import check_result, spread_faults
from sigarray._numeric.special import student_t_sf
from sigarray._numeric.statistic import largest_or_one, scale_scores
from sigarray._numeric.student import find_t
from sigarray._order.estimates import STREAMS, estimate
from sigarray._order.families import Family
from sigarray._order.many_models import result_of_pair
from sigarray._order.stacks import plan_errors
from sigarray._resampling.draws import Places

PowerTestName = Literal["welch", "paired_t", "mann_whitney", "aso"]
PowerTest = Callable[..., Array] | PowerTestName

# The default of `aso`, with the threshold of Ulmer et al. (2022).
_ASO_RESAMPLES = 1000
_ASO_THRESHOLD = 0.2
# Few pairs of samples at a time leave room for many resamples of each.
_ASO_REPLICATES_AT_A_TIME = 16


@array_kernel
def find_t_powers(
    xp: Library,
    a: Array,
    b: Array,
    seed: Seed,
    *,
    sizes: tuple[int, ...],
    is_paired: bool,
    level: float,
    n_resamples: int,
) -> Array:
    """Return the power (..., S) of a t-test at every size; the largest sample is drawn.

    Smaller samples are its first scores, so that their sums are cumulative.
    """
    (a, b), _ = scale_scores(xp, spread_faults(xp, a), spread_faults(xp, b))
    # One origin for both, so that equal samples have equal sums.
    origin = xp.min(b, axis=-1, keepdims=True)
    samples = [a - origin, b - origin]
    origin = xp.mean(samples[1], axis=-1, keepdims=True)
    samples = [x - origin for x in samples]
    unit = largest_or_one(xp, *samples)[..., None]
    samples = [x / unit for x in samples]
    if is_paired:
        # Differences of equal pairs stay equal.
        samples = [samples[0] - samples[1], xp.zeros_like(samples[0])]
    samples = [_widen(xp, x) for x in samples]
    n = xp.concat([xp.full((1,), x, dtype=a.dtype) for x in sizes])
    n = n[:, None]
    draws = Places(seed, is_paired, n_drawn=sizes[-1])
    see = _SeeByT(xp, draws, samples, n, sizes, is_paired, level)
    fault = xp.sum(a - a, axis=-1) + xp.sum(b - b, axis=-1)
    zeros = xp.zeros_like(n[:, 0]) + fault[..., None]
    elements = 4 * (sizes[-1] + len(sizes)) * (1 + math.prod(fault.shape))
    n_seen = sum_replicates(xp, see, n_resamples, initial=zeros, elements=elements)
    return n_seen / n_resamples


@dataclass(frozen=True, eq=False)
class _SeeByT:
    """Tells whether a t-test sees that A is better, by size: (..., S, replicates)."""

    xp: Library
    draws: Places
    samples: Sequence[Array]
    n: Array
    sizes: tuple[int, ...]
    is_paired: bool
    level: float

    def __call__(self, start: int | Array, count: int) -> Array:
        xp, n = self.xp, self.n
        rounding = 16.0 * float(xp.finfo(n.dtype).eps)
        drawn = self.draws.remake(xp, self.samples, start, count)
        if self.is_paired:
            drawn = [drawn[0] - drawn[1]]
        means = [self._at_sizes(x) / n for x in drawn]
        squares = [self._at_sizes(x * x) / n for x in drawn]
        errors = [
            # A smaller variance is only rounding, and the scores are the same.
            xp.where(x - mean * mean <= rounding * x, 0.0, x - mean * mean) / (n - 1.0)
            for x, mean in zip(squares, means, strict=True)
        ]
        difference = means[0] if self.is_paired else means[0] - means[1]
        t, df = find_t(xp, difference, errors, [n - 1.0] * len(drawn))
        # As in `t_test`, an infinite t has no p-value.
        return (student_t_sf(xp, t, df) <= self.level) & ~xp.isinf(t)

    def _at_sizes(self, x: Array) -> Array:
        xp = self.xp
        sums = xp.cumulative_sum(x, axis=-1, dtype=xp.widest_float)
        chosen = xp.stack([sums[..., size - 1] for size in self.sizes], axis=-2)
        return xp.astype(chosen, x.dtype, copy=False)


def _widen(xp: Library, x: Array) -> Array:
    """Widen scores about their mean, so that resamples vary as much as samples.

    The variance of resamples is smaller, by (n - 1) / n.
    """
    n = x.shape[-1]
    if n == 1:
        return x
    mean = xp.mean(x, axis=-1, keepdims=True)
    return x + (math.sqrt(n / (n - 1)) - 1.0) * (x - mean)


@array_kernel
def find_power(
    xp: Library,
    a: Array,
    b: Array,
    seed: Seed,
    *,
    size: int,
    test: PowerTest,
    level: float,
    n_resamples: int,
) -> Array:
    samples = [spread_faults(xp, x) for x in (a, b)]
    if not callable(test):  # whose answers are the same at any scale
        samples, _ = scale_scores(xp, *samples)
    samples = [_widen(xp, x) for x in samples]
    draws = Places(seed, n_drawn=size)
    see = _See(xp, draws, samples, spare_seed(xp, seed), test, level)
    a, b = samples
    fault = xp.sum(a - a, axis=-1) + xp.sum(b - b, axis=-1)
    elements = 2 * size * (1 + math.prod(fault.shape))
    if test == "aso":
        elements *= _ASO_REPLICATES_AT_A_TIME
    n_seen = sum_replicates(xp, see, n_resamples, initial=fault, elements=elements)
    return n_seen / n_resamples


@dataclass(frozen=True, eq=False)
class _See:
    xp: Library
    draws: Places
    samples: Sequence[Array]
    seed: Seed
    test: PowerTest
    level: float

    def __call__(self, start: int | Array, count: int) -> Array:
        a, b = self.draws.remake(self.xp, self.samples, start, count)
        return _see(self.xp, a, b, self.seed, self.test, self.level)


def _see(
    xp: Library, a: Array, b: Array, seed: Seed, test: PowerTest, level: float
) -> Array:
    """Tell which samples (..., R, n) of A are better than those of B by a test."""
    if test == "aso":
        stacks = [a[..., None, :], b[..., None, :]]
        plans = plan_errors(stacks, "auto", None)
        estimates, equality = estimate(
            xp,
            stacks,
            seed,
            plans=plans,
            streams=STREAMS,
            n_resamples=_ASO_RESAMPLES,
            grid=None,
            family=Family("one-sided", level),
        )
        order = result_of_pair(xp, estimates, equality)
        return order.eps_min < _ASO_THRESHOLD
    if test == "mann_whitney":
        return mann_whitney_u(a, b, alternative="greater").pvalue <= level
    if not callable(test):
        is_paired = test == "paired_t"
        result = t_test(a, b, paired=is_paired, alternative="greater")
        return result.pvalue <= level
    leading = broadcast_shapes(a.shape[:-1], b.shape[:-1])
    p_values = test(a, b, axis=-1)
    check_result(xp, "test(a, b, axis=-1)", p_values, leading, a, b)
    return p_values <= level
