"""Draws with replacement, by the design of the samples."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sigarray._backend.aliases import Array, Seed, Statistic
from sigarray._backend.library import Library
from sigarray._backend.threefry import random_places
from sigarray._numeric.clusters import Clusters, sort_items
from sigarray._numeric.designs import Design
from sigarray._numeric.statistic import HELD_BY_COUNTS, difference_of, middle_of_counted
from sigarray._resampling.designs import Crossed, StratifiedPlaces
from sigarray._resampling.draws import Draws, Places
from sigarray._resampling.replicates import Replicates, Resampled


@dataclass(frozen=True, eq=False)
class ResampledClusters:
    """The median or interquartile mean of whole clusters, or the difference of two.

    Of each sample C of C clusters are drawn with replacement, those of pairs together.
    Scores (..., n) are sorted, and codes (..., n) are in their order: the scores of a
    resample are then in order, too, and only how often each is there varies.
    """

    xp: Library
    seed: Seed
    is_paired: bool
    scores: Sequence[Array]
    clusters: Sequence[Clusters]
    statistic: Statistic

    @property
    def elements(self) -> int:
        n_drawn = sum(x.number for x in self.clusters[: 1 if self.is_paired else 2])
        n_values: int = sum(math.prod(x.shape) for x in self.scores)
        return 2 * n_drawn + HELD_BY_COUNTS * n_values

    def __call__(self, start: int | Array, size: int) -> Array:
        xp, numbers = self.xp, [x.number for x in self.clusters]
        places = random_places(
            xp, self.seed, start, size, numbers, numbers, self.is_paired
        )
        values, counts = [], None
        for x, of, drawn in zip(self.scores, self.clusters, places, strict=True):
            if counts is None or not self.is_paired:
                counts = xp.astype(xp.count_places(drawn, of.number), xp.int32)
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
        clusters = design.clusters
        return ResampledClusters(xp, seed, is_paired, scores, clusters, statistic)
    draws = draw_with_replacement(xp, seed, is_paired, design)
    return Resampled(xp, draws, scores, statistic)


def draw_with_replacement(
    xp: Library, seed: Seed, is_paired: bool, design: Design
) -> Draws:
    if design.n_items is not None:
        return Crossed.split(xp, seed, is_paired, design.n_items)
    if design.strata.are_there:
        return StratifiedPlaces(seed, is_paired, design.strata)
    return Places(seed, is_paired)
