"""Draws with replacement, by the design of the samples."""

from sigarray._backend.aliases import Seed
from sigarray._backend.library import Library
from sigarray._numeric.designs import Design
from sigarray._resampling.crossed import Crossed
from sigarray._resampling.draws import Draws, Places
from sigarray._resampling.stratified import StratifiedPlaces


def draw_with_replacement(
    xp: Library, seed: Seed, is_paired: bool, design: Design
) -> Draws:
    """Return the draws of scores, within strata, or of tables of seeds and items."""
    if design.n_items is not None:
        return Crossed.split(xp, seed, is_paired, design.n_items)
    if design.strata.are_there:
        return StratifiedPlaces(seed, is_paired, design.strata)
    return Places(seed, is_paired)
