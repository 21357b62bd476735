"""Null hypotheses, and differences of means in units of their error, for resamples."""

import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self, TypeVar

from sigarray._backend.callers import Alternative, Array, Seed
from sigarray._backend.checks import number, show
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel
from sigarray._numeric.faults import spread_faults
from sigarray._numeric.statistic import (
    TIE_UNITS,
    center_scores,
    difference_of,
    find_rounding,
    largest_or_one,
    move_back,
    scale_scores,
)
from sigarray._numeric.student import (
    find_errors,
    list_samples,
    squared_error,
    studentize,
)
from sigarray._resampling.draws import Draws, Places
from sigarray._resampling.replicates import beyond, count_beyond
from sigarray.results import ProportionTestResult, ResamplingResult, TTestResult

Result = TypeVar("Result", TTestResult, ResamplingResult, ProportionTestResult)


def not_negative(name: str, value: Any) -> float:
    checked_number = number(name, value)
    if checked_number < 0.0:
        msg = f"Expected {name} to be 0 or more; got {show(value)}."
        raise ValueError(msg)
    return checked_number


MARGIN_RULE = {"margin": not_negative}
LIMIT_RULES = {"low": number, "high": number}


class Hypothesis(NamedTuple):
    """An alternative, and the difference A minus B that it is to be beyond."""

    alternative: Alternative
    null: float = 0.0


def allow_margin(alternative: Alternative, margin: float) -> Hypothesis:
    if not margin:
        return Hypothesis(alternative)
    if alternative == "two-sided":
        msg = (
            f"Expected alternative='greater' or 'less' with margin={margin:g}; got "
            "'two-sided'. Pass 'greater' if higher scores are better, or use "
            "equivalence_test, which has limits on both sides."
        )
        raise ValueError(msg)
    return Hypothesis(alternative, -margin if alternative == "greater" else margin)


def beyond_null(x: Array, null: float, unit: Array | float = 1.0) -> Array:
    """Return a difference, or scores of A, less that of a null hypothesis."""
    return x - null / unit if null else x


def above_null(x: Array, null: float) -> Array:
    """Return a difference from which that of a null hypothesis was taken off."""
    return x + null if null else x


def add_rounding_of_nulls(
    xp: Library, rounding: Array, hypotheses: Sequence[Hypothesis], unit: Array
) -> Array:
    """Add to `rounding_of` that of the differences of null hypotheses."""
    largest = max(abs(x.null) for x in hypotheses)
    if not largest:
        return rounding
    return rounding + TIE_UNITS * xp.finfo(rounding.dtype).eps * largest / unit


def join_results(
    xp: Library,
    of_each: Sequence[Sequence[Array]],
    difference: Array,
    unit: Array | float,
) -> list[Array]:
    """Return statistic, p-value and more of each hypothesis, one after the other.

    Of several, the difference and the largest p-value come last.
    """
    joined = [x for results in of_each for x in results]
    if len(of_each) == 1:
        return joined
    largest = functools.reduce(xp.maximum, [pvalue for _, pvalue, *_ in of_each])
    return [*joined, unit * difference, largest]


def split_results(
    kind: type[Result], joined: Sequence[Array], hypotheses: Sequence[Hypothesis]
) -> tuple[list[Result], Sequence[Array]]:
    """Return the results of each hypothesis, and what comes last, of `join_results`."""
    size, end = len(kind._fields), len(kind._fields) * len(hypotheses)
    starts = range(0, end, size)
    return [kind(*joined[k : k + size]) for k in starts], joined[end:]


def difference_and_error(xp: Library, samples: Sequence[Array]) -> tuple[Array, Array]:
    """Return mean, or the difference of two, and its variance (a squared error).

    The variance is 0 if all scores are the same, and only then.
    """
    levels = [xp.min(x, axis=-1, keepdims=True) for x in samples]
    rests = [x - level for x, level in zip(samples, levels, strict=True)]
    means = [
        level[..., 0] + xp.mean(rest, axis=-1)
        for rest, level in zip(rests, levels, strict=True)
    ]
    errors = [squared_error(xp, rest) for rest in rests]
    return difference_of(means), sum(errors[1:], errors[0])


def find_gaps(
    xp: Library,
    differences: tuple[Array, Array],
    variances: tuple[Array, Array],
    rounding: Array,
) -> tuple[Array, Array]:
    """Return how far t of resamples is above the observed one, and the rounding.

    Both are in units of the product of the two errors, so that nothing is divided by 0.
    """
    difference, resampled = differences
    error, error_of_resample = map(xp.sqrt, variances)
    gap = resampled * error[..., None] - difference[..., None] * error_of_resample
    return gap, rounding[..., None] * (error[..., None] + error_of_resample)


@dataclass(frozen=True, eq=False)
class MeansAndErrors:
    """`difference_and_error` (..., size) of resamples, or of resampled pairs."""

    xp: Library
    draws: Draws
    scores: Sequence[Array]
    is_paired: bool = False

    @property
    def elements(self) -> int:
        return self.draws.count_elements(self.xp, self.scores, "t")

    def __call__(self, start: int | Array, size: int) -> tuple[Array, Array]:
        samples = self.draws.remake(self.xp, self.scores, start, size)
        if self.is_paired:
            samples = [samples[0] - samples[1]]
        return difference_and_error(self.xp, samples)


@dataclass(frozen=True, eq=False)
class Studentized:
    xp: Library
    resampled: MeansAndErrors

    @property
    def elements(self) -> int:
        return self.resampled.elements

    def __call__(self, start: int | Array, size: int) -> Array:
        return studentize(self.xp, *self.resampled(start, size))


@dataclass(frozen=True, eq=False)
class ShiftsAndT(Studentized):
    """Resampled differences less the observed one, and the same in their errors.

    The shape is (2, ..., size).
    """

    observed: Array

    def __call__(self, start: int | Array, size: int) -> Array:
        resampled, variances = self.resampled(start, size)
        shifts = resampled - self.observed[..., None]
        return self.xp.stack([shifts, studentize(self.xp, shifts, variances)])


@dataclass(frozen=True, eq=False)
class GapsOfT(Studentized):
    """Tells which t of resamples are beyond the observed one, or tied.

    T is computed from `difference`, less `center` in resamples, and its `variance`;
    `rounding` is that of the difference.
    """

    difference: Array
    variance: Array
    rounding: Array
    sides: tuple[str, ...]
    center: Array | None = None
    is_two_sided: bool = False
    # By side, the difference of the null hypothesis, where that is not 0.
    nulls: Mapping[str, Array] = field(default_factory=dict)

    @classmethod
    def of_pool(
        cls,
        xp: Library,
        draws: Draws,
        pool: Array,
        n: int,
        rounding: Array,
        sides: tuple[str, ...],
    ) -> Self:
        """Compare two samples with resamples of the scores of both."""
        unit = largest_or_one(xp, pool)
        pool = pool / unit[..., None]
        observed = difference_and_error(xp, [pool[..., :n], pool[..., n:]])
        permuted = MeansAndErrors(xp, draws, [pool])
        return cls(xp, permuted, *observed, rounding / unit, sides)

    def __call__(self, start: int | Array, size: int) -> Array:
        resampled, variances = self.resampled(start, size)
        difference = self.difference
        if self.center is not None:
            resampled = resampled - self.center[..., None]
        if self.is_two_sided:
            difference, resampled = (self.xp.abs(x) for x in (difference, resampled))
        gap, tie = find_gaps(
            self.xp, (difference, resampled), (self.variance, variances), self.rounding
        )
        limits = {side: tie if side == "less" else -tie for side in self.sides}
        for side, null in self.nulls.items():
            limits[side] = limits[side] - null[..., None] * self.xp.sqrt(variances)
        return beyond(self.xp, gap, limits)


class Standard(NamedTuple):
    """Scores about a coarse mean, or differences of pairs, scaled to at most 1.

    The difference of the means of the samples, and its variance, have the same scale.
    """

    scores: list[Array]
    difference: Array
    variance: Array
    unit: Array


def standardize_scores(xp: Library, samples: Sequence[Array], paired: bool) -> Standard:
    """Return scores in units of the largest distance from their coarse mean."""
    scaled, scale = scale_scores(xp, *(spread_faults(xp, x) for x in samples))
    centered = center_scores(xp, "mean", *list_samples(xp, scaled, paired)[0])
    unit = largest_or_one(xp, *centered.scores)
    scores = [x / unit[..., None] for x in centered.scores]
    observed, variance = difference_and_error(xp, scores)
    # The levels are subtracted before the division, which would round them.
    difference = move_back(centered, unit * observed) / unit
    return Standard(scores, difference, variance, centered.unit * scale * unit)


def limits_by_t(
    xp: Library, t: Array, difference: Array, variance: Array, tail: float
) -> list[Array]:
    """Return limits of the bootstrap-t: Efron and Tibshirani (1994), equation 12.22.

    The quantiles are order statistics: an infinite t cannot be interpolated.
    """
    count = t.shape[-1]
    place = max(1, math.floor((count + 1) * tail * (1.0 + 1e-12)))
    ordered = xp.sort(t, axis=-1, stable=False)
    error = xp.sqrt(variance)
    quantiles = ordered[..., count - place], ordered[..., place - 1]
    return [difference - quantile * error for quantile in quantiles]


@array_kernel
def bootstrap_t_test(
    xp: Library,
    a: Array,
    b: Array,
    seed: Seed,
    *,
    paired: bool,
    hypotheses: tuple[Hypothesis, ...],
    n_resamples: int,
) -> list[Array]:
    """Return t and its p-value for each hypothesis.

    This is algorithm 16.2 of Efron and Tibshirani (1994).
    """
    errors = find_errors(xp, [a, b], paired)
    squared_errors = sum(errors.squares[1:], errors.squares[0])
    samples, difference, variance, unit = standardize_scores(xp, [a, b], paired)
    # Levels of the scores themselves, even if the samples are differences of pairs.
    levels = [xp.min(x, axis=-1) / unit for x in (a, b)]
    rounding = find_rounding(xp, "mean", samples, [difference], levels)
    rounding = rounding + TIE_UNITS * xp.finfo(a.dtype).eps * xp.abs(difference)
    rounding = add_rounding_of_nulls(xp, rounding, hypotheses, unit)

    is_two_sided = hypotheses[0].alternative == "two-sided"
    sides = tuple("greater" if is_two_sided else x.alternative for x in hypotheses)
    observed, _ = difference_and_error(xp, samples)
    extremes = GapsOfT(
        xp,
        MeansAndErrors(xp, Places(seed), samples),
        difference,
        variance,
        rounding,
        sides,
        center=observed,
        is_two_sided=is_two_sided,
        nulls={x.alternative: x.null / unit for x in hypotheses if x.null},
    )
    zero = difference - difference
    counts = count_beyond(xp, extremes, n_resamples, len(sides), zero)
    of_each = []
    for k, (_, null) in enumerate(hypotheses):
        excess = beyond_null(errors.difference, null, errors.unit)
        t = studentize(xp, excess, squared_errors, errors.rounding)
        of_each.append([t, (counts[k, ...] + 1.0) / (n_resamples + 1.0)])
    return join_results(xp, of_each, difference, unit)


def resample_t(xp: Library, samples: Sequence[Array], seed: Seed) -> ShiftsAndT:
    observed, _ = difference_and_error(xp, samples)
    return ShiftsAndT(xp, MeansAndErrors(xp, Places(seed), samples), observed)
