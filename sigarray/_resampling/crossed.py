"""Resamples of seeds and of items at once: the pigeonhole bootstrap.

A replicate has a weight for each seed and one for each item, which are drawn on their
own, and a cell of the table has their product [1]_. One seed fewer is drawn than there
are, so that the variance by seeds is unbiased [2]_; of items, which are many, all.

References
----------
.. [1] A. B. Owen (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1,
   386-411. :doi:`10.1214/07-AOAS122`
.. [2] J. N. K. Rao, C. F. J. Wu (1988). Resampling inference with complex survey data.
   Journal of the American Statistical Association 83, 231-241.
   :doi:`10.1080/01621459.1988.10478591`
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from sigarray._backend.aliases import Array, Seed, TestedStatistic
from sigarray._backend.library import Library
from sigarray._backend.seeds import stream_seeds
from sigarray._backend.threefry import random_counts, random_places
from sigarray._numeric.statistic import difference_of
from sigarray._numeric.sums import uses_sums
from sigarray._resampling.draws import (
    Draws,
    Summands,
    sum_weighted,
    take_levels_off,
)


@dataclass(frozen=True, eq=False)
class Crossed(Draws):
    """Items are drawn for all samples, and seeds for each, or once for pairs.

    Samples (..., S * n) are tables, one seed after another. There is a stream of random
    words for the items, and one for the seeds of each sample.
    """

    of_items: Seed
    of_seeds: Sequence[Seed]
    n_items: int

    @classmethod
    def split(cls, xp: Library, seed: Seed, is_paired: bool, n_items: int) -> Self:
        """Make streams of a seed."""
        return cls.of_streams(xp, seed, (1, 1 if is_paired else 2), n_items)

    @classmethod
    def of_streams(
        cls, xp: Library, seed: Seed, streams: Sequence[int], n_items: int
    ) -> Self:
        """Make streams of a seed: 0 for items, and others for the seeds of samples."""
        low, high = stream_seeds(xp, seed, (0, *streams))
        first, *rest = [(low[k, :], high[k, :]) for k in range(low.shape[0])]
        return cls(first, rest, n_items)

    def remake(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> list[Array]:
        of_seeds = self._draw_seeds(xp, scores, start, size)
        n = self.n_items
        (of_items,) = random_places(xp, self.of_items, start, size, [n], [n], False)
        samples = []
        for x, seeds in zip(scores, of_seeds, strict=True):
            cells = seeds[:, :, None] * n + of_items[:, None, :]
            n_cells = cells.shape[1] * cells.shape[2]
            samples.append(xp.take_last(x, xp.reshape(cells, (size, n_cells))))
        return samples

    def find_means(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> Array:
        sums = self._sum(xp, scores, start, size)
        return difference_of(
            [x / float(n) for x, n in zip(sums, self._count_cells(scores), strict=True)]
        )

    def prepare_sums(self, xp: Library, scores: Sequence[Array]) -> Summands:
        return take_levels_off(xp, scores)

    def find_sums(
        self, xp: Library, summands: Summands, start: int | Array, size: int
    ) -> list[Array]:
        """Sum scores about a coarse mean, as of tables of their own size."""
        rests, levels = summands
        sums = self._sum(xp, rests, start, size)
        return [
            total * (x.shape[-1] / n) + float(x.shape[-1]) * level
            for x, total, n, level in zip(
                rests, sums, self._count_cells(rests), levels, strict=True
            )
        ]

    def find_sums_of_seeds(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> list[Array]:
        """Sum the items that were drawn, of each seed that was: (..., size, S - 1)."""
        by_seed = self._sum_items(xp, scores, start, size)
        of_seeds = self._draw_seeds(xp, scores, start, size)
        replicates = xp.arange(size, dtype=of_seeds[0].dtype)[:, None]
        sums = []
        for x, seeds in zip(by_seed, of_seeds, strict=True):
            *leading, n_seeds, _ = x.shape
            flat = xp.reshape(x, (*leading, n_seeds * size))
            sums.append(xp.take_last(flat, seeds * size + replicates))
        return sums

    def count_elements(
        self, xp: Library, scores: Sequence[Array], statistic: TestedStatistic, /
    ) -> int:
        """Count the weights of a replicate, and the sums of each seed, or the cells.

        On a device, the places of items are there beside their weights.
        """
        sizes = [int(x.shape[-1]) for x in scores]
        entries = [math.prod(x.shape[:-1]) for x in scores]
        is_weighted = uses_sums(statistic)
        widths = [n // self.n_items for n in sizes] if is_weighted else sizes
        n_values: int = sum(n * (1 + k) for n, k in zip(widths, entries, strict=True))
        n_arrays = 1 if xp.is_host and is_weighted else 2
        return n_arrays * self.n_items + n_values

    def _count_cells(self, scores: Sequence[Array]) -> list[int]:
        """Count the cells that are drawn: one seed fewer than there are."""
        return [x.shape[-1] - self.n_items for x in scores]

    def _sum(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> list[Array]:
        """Sum the cells that were drawn, by weights: (..., size)."""
        by_seed = self._sum_items(xp, scores, start, size)
        of_seeds = self._draw_seeds(xp, scores, start, size)
        sums = []
        for x, seeds in zip(by_seed, of_seeds, strict=True):
            weights = xp.weigh_places(seeds, x.shape[-2], x.dtype)
            sums.append(xp.sum(x * xp.matrix_transpose(weights), axis=-2))
        return sums

    def _sum_items(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> list[Array]:
        """Sum every seed's scores of the items that were drawn: (..., S, size)."""
        n, dtype = self.n_items, scores[0].dtype
        counts = random_counts(xp, self.of_items, start, size, n, n, dtype)
        shapes = [(*x.shape[:-1], x.shape[-1] // n) for x in scores]
        return [
            sum_weighted(xp, xp.reshape(x, (*shape, n)), counts)
            for x, shape in zip(scores, shapes, strict=True)
        ]

    def _draw_seeds(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> list[Array]:
        """Return the seeds (size, S - 1) of each sample."""
        numbers = [x.shape[-1] // self.n_items for x in scores]
        places = []
        for stream, n in zip(self.of_seeds[: len(scores)], numbers, strict=True):
            places += random_places(xp, stream, start, size, [n], [n - 1], False)
        return places
