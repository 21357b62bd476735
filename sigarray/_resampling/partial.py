"""Resamples of clusters by labels on a device, of which there may be fewer than said.

Samples (..., d, C) are sums of clusters. The first of them, whose number is an array,
have items; the others are 0, and are neither drawn nor dealt out.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from sigarray._backend.aliases import Array, TestedStatistic
from sigarray._backend.library import Library
from sigarray._backend.threefry import random_places_of_first
from sigarray._resampling.draws import (
    Deals,
    Places,
    Summands,
    sum_places,
    sum_weighted,
    take_levels_off,
)


@dataclass(frozen=True, eq=False)
class PlacesOfFirst(Places):
    """Of each sample, as many clusters are drawn as there are, of these.

    If all are there, these are the resamples of `Places`.
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
