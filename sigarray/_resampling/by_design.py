"""Draws with replacement, by the design of the samples."""

from collections.abc import Sequence

from sigarray._backend.aliases import Array, Seed, Statistic
from sigarray._backend.library import Library
from sigarray._numeric.clusters import sort_items
from sigarray._numeric.designs import Design
from sigarray._resampling.clustered import ResampledClusters
from sigarray._resampling.crossed import Crossed
from sigarray._resampling.draws import Draws, Places
from sigarray._resampling.replicates import Replicates, Resampled
from sigarray._resampling.stratified import StratifiedPlaces


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
    """Return the draws of scores, within strata, or of tables of seeds and items."""
    if design.n_items is not None:
        return Crossed.split(xp, seed, is_paired, design.n_items)
    if design.strata.are_there:
        return StratifiedPlaces(seed, is_paired, design.strata)
    return Places(seed, is_paired)
