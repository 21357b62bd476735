"""Resamples by design: within strata, or of seeds and items at once.

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

from sigarray._backend.callers import Array, Seed, Statistic, TestedStatistic
from sigarray._backend.library import Library
from sigarray._backend.seeds import stream_seeds
from sigarray._backend.threefry import (
    ordered_keys,
    overlapping_words,
    random_counts,
    random_places,
    random_places_of_intervals,
)
from sigarray._numeric.statistic import difference_of, weighted_middle
from sigarray._numeric.student import Intervals, Strata, split_axis, weigh_scores
from sigarray._numeric.sums import SumStatistic, uses_sums
from sigarray._resampling.draws import (
    Draws,
    Summands,
    count_summed,
    make_keys,
    sum_places,
    sum_weighted,
    take_levels_off,
    take_places,
)


@dataclass(frozen=True, eq=False)
class StratifiedPlaces(Draws):
    """Of each stratum of n scores n - 1 are drawn, which count n / (n - 1) each.

    The variance of means of n draws is too small, by (n - 1) / n; theirs is not.
    Scores are sorted by stratum. Of strata of one size, only the scores that are drawn
    are in a resample.
    """

    seed: Seed
    is_paired: bool
    strata: Strata

    def remake(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> list[Array]:
        return take_places(xp, scores, self._draw(xp, scores, start, size))

    def find_means(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> Array:
        rows = [x[..., None, :] for x in scores]
        sums = self.find_sums(xp, self.prepare_sums(xp, rows), start, size)
        return difference_of(
            [x[..., 0, :] / y.shape[-1] for x, y in zip(sums, scores, strict=True)]
        )

    def prepare_sums(self, xp: Library, scores: Sequence[Array]) -> Summands:
        rests, levels = take_levels_off(xp, scores)
        weighted = [weigh_scores(xp, x, self.strata, k) for k, x in enumerate(rests)]
        return Summands(weighted, levels)

    def find_sums(
        self, xp: Library, summands: Summands, start: int | Array, size: int
    ) -> list[Array]:
        weighted, levels = summands
        # Of strata of unlike sizes, the last number is no score.
        n_spare = 1 if self.strata.number is None else 0
        places = self._draw(xp, weighted, start, size)
        sums = sum_places(xp, weighted, places, self.is_paired)
        return [
            x + float(y.shape[-1] - n_spare) * level
            for x, y, level in zip(sums, weighted, levels, strict=True)
        ]

    def evaluate(
        self,
        xp: Library,
        statistic: Statistic,
        scores: Sequence[Array],
        start: int | Array,
        size: int,
    ) -> list[Array]:
        if not isinstance(statistic, str):
            return super().evaluate(xp, statistic, scores, start, size)
        places = self._draw(xp, scores, start, size)
        values = []
        for k, (x, chosen) in enumerate(zip(scores, places, strict=True)):
            weights, padded = None, x
            if self.strata.number is None:
                ones = weigh_scores(xp, xp.ones_like(x), self.strata, k)
                weights = xp.take_last(ones, chosen)
                padded = xp.concat([x, xp.zeros_like(x[..., :1])], axis=-1)
            drawn = xp.take_last(padded, chosen)
            values.append(weighted_middle(xp, statistic, drawn, weights, x.shape[-1]))
        return values

    def count_elements(
        self, _: Library, scores: Sequence[Array], statistic: TestedStatistic, /
    ) -> int:
        n_places = sum(int(x.shape[-1]) for x in scores[: 1 if self.is_paired else 2])
        if isinstance(statistic, SumStatistic):
            return n_places + count_summed(scores)
        is_weighted = self.strata.number is None and statistic in ("median", "iqm")
        n_values: int = sum(math.prod(x.shape) for x in scores)
        return n_places + n_values * (4 if is_weighted else 1)

    def _draw(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> list[Array]:
        """Return places (size, n); n, beyond the last one, is no score.

        Of strata of one size, places that are no score are not drawn.
        """
        number = self.strata.number
        if number is None:
            intervals = self.strata.intervals
            return draw_of_intervals(
                xp, self.seed, start, size, intervals, self.is_paired
            )
        sizes = [x.shape[-1] // number for x in scores]
        return draw_within(xp, self.seed, start, size, number, sizes, self.is_paired)


def draw_of_intervals(
    xp: Library,
    seed: Seed,
    start: int | Array,
    count: int,
    intervals: Sequence[Intervals],
    is_paired: bool,
) -> list[Array]:
    """Return places (count, n) in each sample; n, beyond the last one, is no score."""
    firsts, sizes = [of.first for of in intervals], [of.size for of in intervals]
    places = random_places_of_intervals(
        xp, seed, start, count, firsts, sizes, is_paired
    )
    return [
        _leave_out_firsts(xp, x, first) for x, first in zip(places, firsts, strict=True)
    ]


def draw_within(
    xp: Library,
    seed: Seed,
    start: int | Array,
    count: int,
    n_strata: int,
    sizes: Sequence[int],
    is_paired: bool,
) -> list[Array]:
    """Return places (count, H (n - 1)) in each sample of H strata of one size n."""
    draws = [n_strata * (n - 1) for n in sizes]
    places = random_places(xp, seed, start, count, sizes, draws, is_paired)
    return [
        x + xp.arange(n_strata * (n - 1), dtype=x.dtype) // (n - 1) * n
        for x, n in zip(places, sizes, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class StratifiedDeals(Draws):
    """The scores of each stratum are dealt out to two samples, as many as there were.

    The scores are a pool (..., n + m), those of A first, `slots` the places of these by
    stratum, and `numbers` their strata. Without a seed these are all, by `deals`.
    """

    seed: Seed | None
    n: int
    slots: Array
    numbers: Array
    deals: Sequence[tuple[int, int]]

    def remake(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> list[Array]:
        (pool,) = scores
        keys = self._draw_keys(xp, pool.shape[-1], start, size)
        order = xp.argsort(keys, axis=-1, stable=self.seed is None)
        # By stratum, and at random in each.
        ranked = xp.argsort(xp.take_last(self.numbers, order), axis=-1, stable=True)
        order = xp.take_along_axis(order, ranked, axis=-1)
        dealt = xp.take_last(pool, xp.take_last(order, self.slots))
        return [dealt[..., : self.n], dealt[..., self.n :]]

    def _draw_keys(
        self, xp: Library, n_scores: int, start: int | Array, size: int
    ) -> Array:
        """Return keys (size, n + m); A gets the scores with the smallest by stratum."""
        if self.seed is not None:
            words = overlapping_words(xp, self.seed, start, size, n_scores, n_scores)
            return ordered_keys(xp, words)
        places = xp.arange(size) + start
        keys: list[list[Array]] = [[], []]
        for n, m in self.deals:
            count = math.comb(n + m, n)
            of_stratum = make_keys(xp, n, m, places % count)
            places = places // count
            keys[0].append(of_stratum[:, :n])  # of the scores that A has
            keys[1].append(of_stratum[:, n:])
        return xp.concat(keys[0] + keys[1], axis=-1)

    def find_means(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> Array:
        samples = self.remake(xp, scores, start, size)
        return difference_of([xp.mean(x, axis=-1) for x in samples])

    def find_sums(
        self, xp: Library, summands: Summands, start: int | Array, size: int
    ) -> list[Array]:
        samples = self.remake(xp, summands.rests, start, size)
        return [xp.sum(x, axis=-1) for x in samples]

    def count_elements(
        self, _: Library, scores: Sequence[Array], _statistic: TestedStatistic, /
    ) -> int:
        *leading, n_scores = scores[0].shape
        return int(n_scores * (4 + math.prod(leading)))


def _leave_out_firsts(xp: Library, places: Array, first: Array) -> Array:
    """Put a place that is no score in the place of the first draw of each stratum."""
    n = first.shape[0]
    is_first = xp.arange(n, dtype=first.dtype) == first
    return xp.where(is_first, xp.full_like(places[:1, :], n), places)


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
        tables = [split_axis(xp, x, x.shape[-1] // n) for x in scores]
        return [sum_weighted(xp, x, counts) for x in tables]

    def _draw_seeds(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> list[Array]:
        """Return the seeds (size, S - 1) of each sample."""
        numbers = [x.shape[-1] // self.n_items for x in scores]
        places = []
        for stream, n in zip(self.of_seeds[: len(scores)], numbers, strict=True):
            places += random_places(xp, stream, start, size, [n], [n - 1], False)
        return places
