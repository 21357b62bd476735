"""Levels and critical values of tests of equality, on the host.

They depend only on the numbers of models and scores. See docs/mathematics.md.
"""

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from sigarray._backend.callers import Array
from sigarray._backend.library import Library
from sigarray._numeric.ranks import (
    OWN_WEIGHT,
    critical_range,
    critical_wins,
    range_tail,
    variance_of_gap,
    win_tail,
)

# More models than this are compared in pairs, each at a share of the level.
MAX_CLOSED = 100
# Fewer scores of a model give no verdict: they have too few degrees of freedom.
MIN_SIZE = 3
# With at most this many pairs of scores, each number of wins has an exact p-value. With
# more, p-values are fitted: the points, the degree of the polynomial, its last p-value.
_FEW_WINS, _POINTS, _DEGREE, _SMALLEST = 49, 161, 12, 1e-10
_MAX_SIZE = 10**4
# For p-values of sets: points, the most knots of their curve, and what is so small that
# it counts less.
_POINTS_OF_STEPS, _MOST_KNOTS, _LOG_OF_SMALL = 481, 12, math.log(1e-3)


@dataclass(frozen=True)
class Family:
    """Claims made together; the probability that any is wrong is at most `level`.

    "one-sided" is one claim on one pair; "pairs" are two-sided, `n_pairs` of them by
    Bonferroni; "closed" are all pairs of models, and "baseline" all others with one, by
    the closure principle.
    """

    kind: Literal["one-sided", "pairs", "closed", "baseline"]
    level: float
    n_models: int = 2
    n_pairs: int = 1
    baseline: int | None = None

    @property
    def n_claims(self) -> int:
        """The number of pairs; those of a baseline are as many as the other models."""
        others = self.n_models - 1
        counts = {"closed": self.n_models * others // 2, "baseline": others}
        return counts.get(self.kind, self.n_pairs)

    @property
    def level_of_bound(self) -> float:
        """The level of each bound, by Bonferroni over the claims."""
        return self.level / self.n_claims

    @property
    def level_of_pair(self) -> float:
        """The level at which a pair alone is tested, one-sided."""
        if self.kind == "closed":
            return 0.5 * level_of_set(2, self.n_models, self.level)
        if self.kind == "one-sided":
            return self.level
        return 0.5 * self.level / self.n_pairs


def family_of(
    n_models: int,
    level: float,
    baseline: int | None = None,
    *,
    is_corrected: bool = True,
) -> Family:
    """Return the family of all pairs of models, or of those with a baseline.

    Without a correction, each pair is tested as if it were the only one.
    """
    n_pairs = n_models * (n_models - 1) // 2
    if not is_corrected:
        return Family("pairs", level, n_models, 1, baseline)
    if baseline is not None:
        return Family("baseline", level, n_models, 1, baseline)
    if n_models == 2 or n_models > MAX_CLOSED:
        return Family("pairs", level, n_models, n_pairs)
    return Family("closed", level, n_models)


def by_pairs(family: Family) -> Family:
    """Return the family with tests of its pairs by Bonferroni, and no closed one."""
    return replace(family, kind="pairs", n_pairs=family.n_claims)


def level_of_set(k: int, n_models: int, level: float) -> float:
    """Level of k of the models: Ryan, Einot and Gabriel, and Welsch.

    Disjoint sets are independent: so the probability of any error in disjoint sets of
    equal models is at most `level`.
    """
    if k >= n_models - 1:
        return level
    return -math.expm1(k / n_models * math.log1p(-level))


def adjust_for_set(p: float, k: int, n_models: int) -> float:
    """Return the level of the family at which a set with this p-value is rejected."""
    if k >= n_models - 1 or p >= 1.0:
        return p
    return -math.expm1(n_models / k * math.log1p(-p))


def can_decide(sizes: Sequence[int], family: Family) -> bool:
    """Tell whether any pair could be told apart with these numbers of scores."""
    others = list(sizes)
    first = [others.pop(family.baseline)] if family.baseline is not None else []
    n, m = sorted([*first, *sorted(others)[-1:]] if first else sorted(others)[-2:])
    if n < MIN_SIZE:
        return False
    if family.kind == "baseline":
        return all(
            limit.wins is not None or limit.range < limit.largest
            for limit in list_limits(family, m, n)
        )
    return critical_wins(n, m, family.level_of_pair) < math.inf


def needed_size(family: Family) -> int | None:
    for n in range(MIN_SIZE, _MAX_SIZE):
        if can_decide([n] * family.n_models, family):
            return n
    return None


class Limit(NamedTuple):
    """The limit of a baseline and k others: least wins, or a range of mean ranks."""

    wins: float | None
    range: float
    largest: float


@functools.cache
def list_limits(family: Family, n: int, n_baseline: int) -> tuple[Limit, ...]:
    """Return the critical values of a baseline and 1, 2, ..., K - 1 others of n scores.

    U of Mann and Whitney decides where it can reach its level by Bonferroni; with fewer
    scores, the ranks among the whole set decide.
    """
    limits = []
    for k in range(1, family.n_models):
        wins = critical_wins(n, n_baseline, 0.5 * family.level / k)
        size = max(n, n_baseline)
        # With one other model there is only U.
        x = (
            critical_range(k + 1, size, family.level, is_of_baseline=True)
            if k > 1 and wins == math.inf
            else math.inf
        )
        # A gap of k + 1 has a model above all others, and the baseline below.
        unit = math.sqrt(0.5 * variance_of_gap(k + 1, 1 / n, 1 / n_baseline, 1 / n))
        largest = (OWN_WEIGHT + k - 1) / unit
        limits.append(Limit(None if wins == math.inf else wins, x, largest))
    return tuple(limits)


class Curve(NamedTuple):
    """The logarithm of a p-value from 0 to `end`, and constant beyond.

    It is linear between `knots`, at each of which the slope changes by a bend; without
    knots it is a sum of Chebyshev polynomials, which takes fewer operations.
    """

    end: float
    terms: tuple[float, ...]
    knots: tuple[float, ...] = ()

    def __call__(self, xp: Library, x: Array) -> Array:
        x = xp.clip(x, 0.0, self.end)
        if self.knots:
            log_p = self.terms[0] + (x - x)
            for knot, bend in zip(self.knots, self.terms[1:], strict=True):
                log_p += bend * xp.clip(x, knot, None)
        else:
            # Clenshaw's recurrence.
            twice = x * (4.0 / self.end) - 2.0
            last, log_p = 0.0, self.terms[-1] + (x - x)
            for term in self.terms[-2:0:-1]:
                log_p, last = term + twice * log_p - last, log_p
            log_p = self.terms[0] + 0.5 * twice * log_p - last
        return xp.clip(xp.exp(log_p), None, 1.0)


class Segments(NamedTuple):
    """The logarithm of a p-value that falls along a line from each point to the next.

    Terms of segments have one sign, so that nothing cancels in float32, however steep
    they are.
    """

    points: tuple[float, ...]
    logs: tuple[float, ...]

    @property
    def end(self) -> float:
        return self.points[-1]

    def __call__(self, xp: Library, x: Array) -> Array:
        log_p = self.logs[0]
        for (low, high), (before, after) in zip(
            itertools.pairwise(self.points), itertools.pairwise(self.logs), strict=True
        ):
            slope = (after - before) / (high - low)
            beyond = x - low if low else x
            log_p = log_p + slope * xp.clip(beyond, 0.0, high - low)
        return xp.exp(log_p)


def curve_through(points: Sequence[float], p_values: Sequence[float]) -> Curve:
    """Make a curve that is linear between points from 0 on."""
    logs = [math.log(p) for p in p_values]
    slopes = [
        (after - before) / (high - low)
        for (low, high), (before, after) in zip(
            itertools.pairwise(points), itertools.pairwise(logs), strict=True
        )
    ]
    bends = [after - before for before, after in itertools.pairwise([0.0, *slopes])]
    knots = [float(x) for x in points[:-1]]
    # At 0 the term of a bend is the knot times the bend.
    start = logs[0] - sum(x * bend for x, bend in zip(knots, bends, strict=True))
    return Curve(float(points[-1]), (start, *map(float, bends)), tuple(knots))


def smooth_curve(points: np.ndarray, logs: np.ndarray) -> Curve:
    end = float(points[-1])
    fitted = np.polynomial.Chebyshev.fit(points, logs, _DEGREE, domain=(0.0, end))
    return Curve(end, tuple(map(float, fitted.coef)))


def curve_above(points: np.ndarray, logs: np.ndarray) -> Segments:
    """Make a curve through a few ends of steps, on or above the others down to 1e-3.

    Steps go down, and each holds up to its end: that is where a ratio can be.
    """
    is_end = np.append(logs[1:] < logs[:-1], True)
    is_end[0] = True
    ends, heights = points[is_end], logs[is_end]
    chosen = [0, len(ends) - 1]
    while len(chosen) < min(_MOST_KNOTS, len(ends)):
        line = np.interp(ends, ends[chosen], heights[chosen])
        weights = np.where(heights < _LOG_OF_SMALL, 0.3, 1.0)
        farthest = int(np.argmax(np.abs(heights - line) * weights))
        chosen = sorted({*chosen, farthest})
    line = np.interp(ends, ends[chosen], heights[chosen])
    is_small = heights < _LOG_OF_SMALL
    excess = max(0.0, float(np.max(np.where(is_small, 0.0, heights - line))))
    above = np.minimum(heights[chosen] + excess, 0.0)
    return Segments(tuple(ends[chosen].tolist()), tuple(above.tolist()))


@functools.lru_cache(maxsize=256)
def curve_of_wins(n: int, m: int, family: Family) -> Curve:
    """Make the curve of the adjusted p-value of d >= 0 net wins in a pair alone.

    With few scores it goes through all values of D. With a baseline, it is for one
    other model.
    """
    factor = 1.0 if family.kind == "one-sided" else 2.0 * family.n_pairs

    def find(d: float) -> float:
        p = min(1.0, factor * win_tail(n, m, d))
        return adjust_for_set(p, 2, family.n_models) if family.kind == "closed" else p

    if n * m <= _FEW_WINS:
        values = [0.0, *map(float, range(2 - n * m % 2, n * m + 1, 2))]
        return curve_through(values, [find(d) for d in values])
    end = min(critical_wins(n, m, _SMALLEST), n * m)
    points = np.linspace(0.0, end, _POINTS)
    # The values of D, which are every other integer.
    below = [2.0 * math.floor((d - n * m % 2) / 2.0) + n * m % 2 for d in points]
    logs = [
        math.log(find(max(low, 0.0))) * (1.0 - (d - low) / 2.0)
        + math.log(max(find(low + 2.0), _SMALLEST)) * (d - low) / 2.0
        for d, low in zip(points, below, strict=True)
    ]
    return smooth_curve(points, np.asarray(logs))


@functools.lru_cache(maxsize=64)
def curve_of_sets(family: Family, sizes: tuple[int, ...]) -> Segments | None:
    """Make the curve of adjusted p-values of a ratio to critical ranges, if any.

    With a ratio of r, the range of each set is at least r times its critical value; the
    p-value is the largest of those of the sets. Of 12 families of 3 to 100 models with
    3 to 100 runs, the curve is 0.87 to 1.35 times the largest tail from 1e-3 to 0.49,
    and 1.05 times in the median.
    """
    size, is_of_baseline = max(sizes), family.kind == "baseline"
    if is_of_baseline:
        limits = {x for n in _sizes_of_others(family, sizes) for x in n}
        ranges = {(k, x.range) for k, x in limits if x.wins is None and k > 2}
    else:
        ranges = set(enumerate(list_critical_ranges(family, size), start=3))
    if not ranges:
        return None

    def find(ratios: np.ndarray) -> list[float]:
        largest = [0.0] * len(ratios)
        for k, x in ranges:
            tails = range_tail(k, size, ratios * x, is_of_baseline=is_of_baseline)
            p_values = tails.tolist()
            if not is_of_baseline:
                p_values = [adjust_for_set(p, k, family.n_models) for p in p_values]
            largest = list(map(max, largest, p_values))
        return largest

    # From 1.0 on, the first of these with a small p-value.
    ends = [1.0]
    while ends[-1] < 8.0:
        ends.append(ends[-1] * 1.1)
    is_small = [p <= _SMALLEST for p in find(np.asarray(ends))]
    end = ends[is_small.index(True)] if any(is_small) else ends[-1]
    ratios = np.linspace(0.0, end, _POINTS_OF_STEPS)
    p_values = np.clip(find(ratios), _SMALLEST, 1.0)
    return curve_above(ratios, np.minimum.accumulate(np.log(p_values)))


def _sizes_of_others(
    family: Family, sizes: tuple[int, ...]
) -> list[list[tuple[int, Limit]]]:
    """Return limits of sets by their numbers of models, for each size of others."""
    base = family.baseline or 0
    others = sorted({n for place, n in enumerate(sizes) if place != base})
    return [
        list(enumerate(list_limits(family, n, sizes[base]), start=2)) for n in others
    ]


def limit_of_pair(n: int, m: int, family: Family) -> float:
    """Return a number of wins just below the least that tells a pair alone apart.

    It is more than the possible number if none does.
    """
    wins = critical_wins(n, m, family.level_of_pair)
    return n * m + 1.0 if wins == math.inf else wins - 0.5


@functools.lru_cache(maxsize=64)
def list_critical_ranges(family: Family, size: int) -> tuple[float, ...]:
    """Return the critical range of 3, 4, ..., K models, in units of `range_tail`."""
    k_models = family.n_models
    return tuple(
        critical_range(k, size, level_of_set(k, k_models, family.level))
        for k in range(3, k_models + 1)
    )
