"""Statistics of resamples by their design, and what is kept of their replicates.

A replicate is a pure function of its number: it does not depend on who computes it, and
with how many others. Replicates are computed by a frozen object, not by a closure, so
that it can be sent to any worker.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, Self, TypeVar

from sigarray._backend.callers import Array, Seed, Statistic, TestedStatistic
from sigarray._backend.chunks import map_replicates, sum_replicates
from sigarray._backend.library import Library
from sigarray._backend.threefry import random_places, random_places_of_first
from sigarray._numeric.clusters import Clusters, sort_items
from sigarray._numeric.designs import Design
from sigarray._numeric.statistic import HELD_BY_COUNTS, difference_of, middle_of_counted
from sigarray._numeric.student import number_strata
from sigarray._numeric.sums import SumStatistic
from sigarray._resampling.designs import Crossed, StratifiedDeals, StratifiedPlaces
from sigarray._resampling.draws import (
    Deals,
    Draws,
    Places,
    Summands,
    permute,
    sum_places,
    sum_weighted,
    take_levels_off,
)


class Replicates(Protocol):
    """Values (..., size) of replicates from a place on, and their cost."""

    @property
    def elements(self) -> int:
        """The numbers that a replicate holds."""

    def __call__(self, start: int | Array, size: int) -> Array: ...


Made = TypeVar("Made", bound=Replicates)


@dataclass(frozen=True, eq=False)
class Resampled:
    xp: Library
    draws: Draws
    scores: Sequence[Array]
    statistic: Statistic
    # Of a statistic of sums, made before any loop over replicates.
    summands: Summands | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if isinstance(self.statistic, SumStatistic):
            summands = self.draws.prepare_sums(self.xp, self.scores)
            object.__setattr__(self, "summands", summands)

    @property
    def elements(self) -> int:
        return self.draws.count_elements(self.xp, self.scores, self.statistic)

    def __call__(self, start: int | Array, size: int) -> Array:
        if self.statistic == "mean":
            return self.draws.find_means(self.xp, self.scores, start, size)
        if isinstance(self.statistic, SumStatistic) and self.summands is not None:
            sums = self.draws.find_sums(self.xp, self.summands, start, size)
            return difference_of([self.statistic.evaluate(self.xp, x) for x in sums])
        return difference_of(
            self.draws.evaluate(self.xp, self.statistic, self.scores, start, size)
        )


@dataclass(frozen=True, eq=False)
class From:
    replicates: Callable[[int | Array, int], Array]
    first: int | Array

    def __call__(self, start: int | Array, size: int) -> Array:
        return self.replicates(self.first + start, size)


class Remade(Generic[Made]):
    """Replicates that are pickled as the function that makes them, which is smaller."""

    def __init__(self, make: Callable[[], Made], made: Made | None = None) -> None:
        self._make, self._made = make, made

    @classmethod
    def of(cls, make: Callable[[], Made]) -> Self:
        return cls(make, make())

    @property
    def made(self) -> Made:
        if self._made is None:
            self._made = self._make()
        return self._made

    @property
    def elements(self) -> int:
        return self.made.elements

    def __call__(self, start: int | Array, size: int) -> Array:
        return self.made(start, size)

    def __reduce__(self) -> tuple[Any, ...]:
        return Remade, (self._make,)


def keep(
    xp: Library,
    replicates: Replicates,
    count: int,
    start: int | Array = 0,
    *,
    batch: int | None = None,
    axis: int = -1,
) -> Array:
    """Return `count` replicates from a place on, (..., count) or on another axis."""
    shifted, elements = From(replicates, start), replicates.elements
    return map_replicates(xp, shifted, count, elements=elements, batch=batch, axis=axis)


def beyond(xp: Library, values: Array, limits: Mapping[str, Array]) -> Array:
    """Tell which values (..., size) are at or beyond the limits: (sides, ..., size)."""
    sides = [
        values >= limit if side == "greater" else values <= limit
        for side, limit in limits.items()
    ]
    return sides[0][None, ...] if len(sides) == 1 else xp.stack(sides)


@dataclass(frozen=True, eq=False)
class Beyond:
    """Tells which replicates are at least as far from the observed value as the limits.

    There is a row for each side with a limit; two-sided, only the distance counts.
    Replicates that `may_be_nan`, where a statistic has no value, are as far on each
    side: left out, they would make p-values too small.
    """

    xp: Library
    replicates: Replicates
    observed: Array
    limits: Mapping[str, Array]
    is_two_sided: bool = False
    may_be_nan: bool = False

    @property
    def elements(self) -> int:
        return self.replicates.elements

    def __call__(self, start: int | Array, size: int) -> Array:
        shifts = self.replicates(start, size) - self.observed
        if self.is_two_sided:
            shifts = self.xp.abs(shifts)
        found = beyond(self.xp, shifts, self.limits)
        if self.may_be_nan:
            found = found | self.xp.isnan(shifts)[None, ...]
        return found


def count_beyond(
    xp: Library, extremes: Replicates, count: int, n_sides: int, zero: Array
) -> Array:
    """Count the replicates beyond the limits, by side: (sides, ...).

    `zero` is 0, or NaN for a batch entry with a fault.
    """
    initial = zero[None, ...] if n_sides == 1 else xp.stack([zero] * n_sides)
    return sum_replicates(
        xp, extremes, count, initial=initial, elements=extremes.elements
    )


@dataclass(frozen=True, eq=False)
class ResampledClusters:
    """The median or interquartile mean of whole clusters, or the difference of two.

    Of each sample C of C clusters are drawn with replacement, those of pairs together;
    of labels on a device, as many as there are.
    Scores (..., n) are sorted, and codes (..., n) are in their order: the scores of a
    resample are then in order, too, and only how often each is there varies.
    """

    xp: Library
    seed: Seed
    is_paired: bool
    scores: Sequence[Array]
    clusters: Sequence[Clusters]
    statistic: Statistic
    n_there: Sequence[Array] = ()

    @property
    def elements(self) -> int:
        n_drawn = sum(x.number for x in self.clusters[: 1 if self.is_paired else 2])
        n_values: int = sum(math.prod(x.shape) for x in self.scores)
        return 2 * n_drawn + HELD_BY_COUNTS * n_values

    def __call__(self, start: int | Array, size: int) -> Array:
        xp, numbers = self.xp, [x.number for x in self.clusters]
        values, counts, n_spare = [], None, 0
        if self.n_there:
            n_spare = 1
            places = random_places_of_first(
                xp, self.seed, start, size, numbers, self.n_there, self.is_paired
            )
        else:
            places = random_places(
                xp, self.seed, start, size, numbers, numbers, self.is_paired
            )
        for x, of, drawn in zip(self.scores, self.clusters, places, strict=True):
            if counts is None or not self.is_paired:
                n_places = of.number + n_spare
                counts = xp.astype(xp.count_places(drawn, n_places), xp.int32)
            counted = xp.take_last(counts, of.codes)
            middle = middle_of_counted(xp, self.statistic, x, counted)
            values.append(xp.move_axis(middle, 0, -1))
        return difference_of(values)


def arrange(
    xp: Library, design: Design, scores: list[Array]
) -> tuple[Design, list[Array]]:
    """Return the design and the scores; with clusters, these are sorted."""
    if not design.n_clusters:
        return design, scores
    ordered, codes = sort_items(xp, scores, design.clusters)
    return design._replace(codes=codes), ordered


def resample(
    xp: Library,
    seed: Seed,
    is_paired: bool,
    design: Design,
    scores: Sequence[Array],
    statistic: Statistic,
) -> Replicates:
    """Return replicates of a statistic, or of a difference of two.

    Scores with clusters are those of `arrange`.
    """
    if design.n_clusters:
        of, n_there = design.clusters, design.n_there
        return ResampledClusters(xp, seed, is_paired, scores, of, statistic, n_there)
    draws = draw_with_replacement(xp, seed, is_paired, design)
    return Resampled(xp, draws, scores, statistic)


@dataclass(frozen=True, eq=False)
class PlacesOfFirst(Places):
    """Of each sample, as many clusters are drawn as there are, of these.

    Samples (..., d, C) are sums of clusters by labels on a device. The first of them,
    whose number is an array, have items; others are 0, and are neither drawn nor dealt
    out. If all are there, these are the resamples of `Places`.
    """

    n_there: Sequence[Array] = ()

    def prepare_sums(self, xp: Library, scores: Sequence[Array]) -> Summands:
        """Return sums less a coarse mean, and 0 at the end for what is not drawn."""
        rests, levels = take_levels_off(xp, scores)
        padded = [xp.concat([x, xp.zeros_like(x[..., :1])], axis=-1) for x in rests]
        return Summands(padded, levels)

    def find_sums(
        self, xp: Library, summands: Summands, start: int | Array, size: int
    ) -> list[Array]:
        rests, levels = summands
        sizes = [x.shape[-1] - 1 for x in rests]
        places = random_places_of_first(
            xp, self.seed, start, size, sizes, self.n_there, self.is_paired
        )
        sums = sum_places(xp, rests, places, self.is_paired)
        counts = [xp.astype(x, rests[0].dtype) for x in self.n_there]
        return [
            x + counts[k % len(counts)] * level
            for k, (x, level) in enumerate(zip(sums, levels, strict=True))
        ]

    def count_elements(
        self, xp: Library, scores: Sequence[Array], statistic: TestedStatistic, /
    ) -> int:
        n_places = sum(int(x.shape[-1]) for x in scores[: len(self.n_there)])
        return n_places + super().count_elements(xp, scores, statistic)


@dataclass(frozen=True, eq=False)
class DealsOfFirst(Deals):
    """Clusters with items are dealt out, as many to each sample as it had."""

    n_there: Sequence[Array] = ()

    def find_sums(
        self, xp: Library, summands: Summands, start: int | Array, size: int
    ) -> list[Array]:
        (pool,) = summands.rests
        m = pool.shape[-1] - self.n
        of_a, of_b = self.n_there
        keys = self._draw_keys(xp, self.n + m, start, size)
        are_there = xp.concat([xp.arange(self.n) < of_a, xp.arange(m) < of_b])
        last = xp.max(keys, axis=-1, keepdims=True)
        ordered = xp.sort(xp.where(are_there, keys, last), axis=-1, stable=False)
        place = xp.zeros_like(ordered[:, :1], dtype=xp.index_dtype) + (of_a - 1)
        limit = xp.take_along_axis(ordered, place, axis=-1)
        is_chosen = xp.astype(are_there & (keys <= limit), pool.dtype)
        sums = sum_weighted(xp, pool, is_chosen)
        return [sums, xp.sum(pool, axis=-1, keepdims=True) - sums]


def draw_with_replacement(
    xp: Library, seed: Seed, is_paired: bool, design: Design
) -> Draws:
    if design.n_items is not None:
        return Crossed.split(xp, seed, is_paired, design.n_items)
    if design.strata.are_there:
        return StratifiedPlaces(seed, is_paired, design.strata)
    if design.n_there:
        return PlacesOfFirst(seed, is_paired, n_there=design.n_there)
    return Places(seed, is_paired)


def permute_within(
    xp: Library, seed: Seed | None, n: int, m: int, paired: bool, design: Design
) -> Draws:
    """Return permutations of a pool of n scores of A and m of B, within strata.

    Pairs are in one stratum however they are exchanged, and without items they are 0.
    """
    strata = design.strata
    if design.n_there and seed is not None and not paired:
        return DealsOfFirst(seed, n, design.n_there)
    if paired or not strata.are_there:
        return permute(seed, n, paired=paired)
    of_a, of_b = (number_strata(xp, strata, k, size) for k, size in enumerate((n, m)))
    # Scores of both models, by stratum: those of A come first in each.
    slots_a = xp.arange(n, dtype=of_a.dtype) + xp.astype(
        xp.searchsorted(of_b, of_a, side="left"), of_a.dtype
    )
    slots_b = xp.arange(m, dtype=of_a.dtype) + xp.astype(
        xp.searchsorted(of_a, of_b, side="right"), of_a.dtype
    )
    slots = xp.concat([slots_a, slots_b])
    return StratifiedDeals(seed, n, slots, xp.concat([of_a, of_b]), strata.deals)
