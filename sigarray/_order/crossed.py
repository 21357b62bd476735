"""Almost stochastic order of seeds on items that were drawn, too.

A seed's score is its mean over items: on other items it is another one, for all seeds
and models at once. So a replicate has items drawn anew, for all models, and seeds, for
each, as `Crossed` draws them; and equality is tested by the t of means. Samples are
tables in rows, one seed after another, in stacks (..., K, S * n) of the models with one
number of seeds.
"""

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from sigarray._backend.callers import (
    Alternative,
    Array,
    RandomSource,
    Seed,
    warn_caller,
)
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel
from sigarray._backend.seeds import seed_words
from sigarray._backend.tables import Axis, standardize_samples
from sigarray._numeric.designs import add_parts, find_parts
from sigarray._numeric.quantile import Grid, even_grid, grid_ranks, scores_at
from sigarray._numeric.special import student_p_value, student_t_isf
from sigarray._numeric.statistic import coarse_mean
from sigarray._numeric.student import find_t, split_axis
from sigarray._order.comparison import Equality, count_wins
from sigarray._order.errors import (
    Estimates,
    deviation_of,
    estimate_block,
    find_tails,
    has_percentiles,
    join_estimates,
)
from sigarray._order.estimates import Rows
from sigarray._order.families import MIN_SIZE, Family
from sigarray._order.pairs import (
    Stacks,
    count_pairs,
    join,
    list_blocks,
    map_block,
    orient,
    slices_of,
)
from sigarray._order.ratio import (
    Streams,
    merge_pairs,
    merge_sizes,
    ratios_of_blocks,
    replicate_ratios,
)
from sigarray._order.stacks import (
    Method,
    Plan,
    check_place_of_models,
    check_resamples,
    find_scales,
    list_models,
    stack_by_size,
)
from sigarray._resampling.designs import Crossed

# Numbers that a comparison of two tables takes, for each cell.
_COPIES = 6


@dataclass(frozen=True, eq=False)
class Tables:
    """A score of each seed for each of `n_items` items, in stacks (..., K, S * n)."""

    xp: Library
    stacks: Stacks
    n_items: int

    # 0 is that of items.
    streams_of_pair: ClassVar[Streams] = ((1,), (2,))

    def estimate(
        self,
        streams: Streams,
        *,
        method: Method,
        n_resamples: int,
        dt: float | None,
        rng: RandomSource,
        family: Family,
    ) -> tuple[Estimates, Equality]:
        """Return estimates and tests of every pair, as `Rows.estimate` does."""
        if method not in ("auto", "bootstrap"):
            msg = (
                f"Expected method='auto' or 'bootstrap' with axis=(seeds, items); got "
                f"{method!r}. Resamples of seeds and items are too many to list, and "
                "have no known limit."
            )
            raise ValueError(msg)
        grid = even_grid(dt)
        check_resamples([Plan("bootstrap", grid)], n_resamples)
        smallest = min(x.shape[-1] // self.n_items for x in self.stacks)
        if smallest < MIN_SIZE:
            warn_caller(
                f"{smallest} seed{'s' if smallest > 1 else ''} of a model "
                f"{'are' if smallest > 1 else 'is'} too few for any verdict on it, if "
                f"items were drawn, too: eps_min is 1. Train each model {MIN_SIZE} "
                "times or more."
            )
        return _estimate(
            self.xp,
            self.stacks,
            seed_words(self.xp, rng),
            n_items=self.n_items,
            streams=streams,
            family=family,
            n_resamples=n_resamples,
            grid=grid,
        )

    @property
    def replicate(self) -> Callable[..., Array]:
        of_items = {"n_items": self.n_items}
        return functools.partial(replicate_tables, self.xp, self.stacks, **of_items)


@array_kernel
def _estimate(
    xp: Library,
    stacks: Stacks,
    seed: Seed,
    *,
    n_items: int,
    streams: Streams,
    family: Family,
    n_resamples: int,
    grid: Grid | None,
) -> tuple[Estimates, Equality]:
    resamples = CrossedResamples.of(xp, stacks, seed, n_items, streams, grid)
    seeds = resamples.observe()
    blocks, n_pairs = list_blocks(seeds), count_pairs(seeds)
    steps = merge_pairs(xp, seeds, blocks, grid)
    ratios = ratios_of_blocks(xp, seeds, steps, grid)
    replicates = _replicate(xp, resamples, 0, n_resamples)
    equality, dfs = _test(xp, stacks, seeds, n_items, family)
    level = family.level_of_bound
    parts = slices_of(x.shape[-1] for x in ratios)
    estimates = []
    for (g, h), part, ratio in zip(blocks, parts, ratios, strict=True):
        n, m = (seeds[place].shape[-1] for place in (g, h))
        kept, tails, quantile = replicates[..., part, :], None, None
        if min(n, m) >= MIN_SIZE:
            quantile = student_t_isf(xp, level, dfs[..., part])
        if has_percentiles(n, m, n_pairs, n_resamples):
            tails = find_tails(xp, kept, level)
        error = deviation_of(xp, kept, ratio)
        estimates.append(estimate_block(xp, ratio, error, quantile, tails))
    return join_estimates(xp, estimates), equality


@array_kernel
def replicate_tables(
    xp: Library,
    stacks: Stacks,
    seed: Seed,
    start: int | Array,
    *,
    n_items: int,
    streams: Streams,
    count: int,
    grid: Grid | None,
) -> Array:
    """Return ratios of every pair in `count` replicates: (..., P, count)."""
    resamples = CrossedResamples.of(xp, stacks, seed, n_items, streams, grid)
    return _replicate(xp, resamples, start, count)


def _replicate(
    xp: Library, resamples: "CrossedResamples", start: int | Array, count: int
) -> Array:
    """Return ratios of seeds that were drawn, one fewer than there are."""
    stacks, n_items = resamples.stacks, resamples.draws.n_items
    sizes = [x.shape[-1] // n_items - 1 for x in stacks]
    steps = merge_sizes(xp, sizes, list_blocks(stacks), resamples.grid)
    return replicate_ratios(xp, resamples, steps, start, count=count)


@dataclass(frozen=True, eq=False)
class CrossedResamples:
    """Scores of the seeds of every model, with seeds and items drawn anew.

    A score is a sum over items, in a unit that changes no ratio, about the `levels`
    (..., K, 1) of the models. Sums of whole numbers are exact, so that ties stay ties.
    """

    xp: Library
    stacks: Stacks
    levels: Sequence[Array]
    draws: Crossed
    grid: Grid | None
    axis: int = -1
    batch: int | None = None

    @classmethod
    def of(
        cls,
        xp: Library,
        stacks: Stacks,
        seed: Seed,
        n_items: int,
        streams: Streams,
        grid: Grid | None,
    ) -> Self:
        """Plan to resample tables; a table with a fault becomes NaN."""
        sizes = [xp.maximum(xp.max(x, axis=-1), -xp.min(x, axis=-1)) for x in stacks]
        stacks, scales = find_scales(xp, stacks, sizes)
        scaled = [x * scale for x, scale in zip(stacks, scales, strict=True)]
        levels = [coarse_mean(xp, x) for x in scaled]
        rests = [x - level for x, level in zip(scaled, levels, strict=True)]
        every = list(itertools.chain(*streams))
        draws = Crossed.of_streams(xp, seed, every, n_items)
        return cls(xp, rests, levels, draws, grid)

    @property
    def tables(self) -> list[Array]:
        return [x[..., k, :] for x in self.stacks for k in range(x.shape[-2])]

    @property
    def elements(self) -> int:
        return 2 * self.draws.count_elements(self.xp, self.tables, "mean")

    def observe(self) -> list[Array]:
        """Return the scores of all seeds, sorted: (..., K, S)."""
        n = self.draws.n_items
        tables = [split_axis(self.xp, x, x.shape[-1] // n) for x in self.stacks]
        return self._sort([self.xp.sum(x, axis=-1) for x in tables])

    def draw(self, start: int | Array, count: int) -> list[Array]:
        """Return sorted scores of replicates, (..., K, count, S - 1) or at the grid."""
        xp = self.xp
        sums = self.draws.find_sums_of_seeds(xp, self.tables, start, count)
        parts = slices_of(x.shape[-2] for x in self.stacks)
        drawn = self._sort([xp.stack(sums[part], axis=-3) for part in parts])
        if self.grid is None:
            return drawn
        return [scores_at(xp, x, grid_ranks(xp, x.shape[-1], self.grid)) for x in drawn]

    def _sort(self, sums: Sequence[Array]) -> list[Array]:
        """Sort sums (..., K, S) or (..., K, count, S), about the level of one model.

        The unit is a power of two near the number of items: squares stay in range.
        """
        n_items = self.draws.n_items
        unit = 2.0 ** -math.frexp(n_items)[1]
        first = self.levels[0][..., :1, :]
        ordered = []
        for x, levels in zip(sums, self.levels, strict=True):
            gap = (levels - first) * float(n_items)
            if x.ndim > self.stacks[0].ndim:
                gap = gap[..., None]
            ordered.append(self.xp.sort((x + gap) * unit, axis=-1, stable=False))
        return ordered


def _test(
    xp: Library, stacks: Stacks, seeds: Stacks, n_items: int, family: Family
) -> tuple[Equality, Array]:
    """Test equal means of every pair, and return the degrees of freedom of the bounds.

    The tests are those of `t_test`, one-sided or by Bonferroni.
    """
    leads, every = [], []
    count = functools.partial(count_wins, xp)
    for g, h in list_blocks(stacks):
        a, b = stacks[g], stacks[h]
        compare = functools.partial(_compare, xp, n_items=n_items)
        elements = _COPIES * (a.shape[-1] + b.shape[-1])
        every.append(map_block(xp, stacks, (g, h), compare, elements=elements))
        n, m = seeds[g].shape[-1], seeds[h].shape[-1]
        wins = map_block(xp, seeds, (g, h), count, width=n * m)
        leads.append(wins / (2.0 * n * m))
    found = join(xp, every)
    t, df, df_of_bound = (found[k, ...] for k in range(3))
    side: Alternative = "greater" if family.kind == "one-sided" else "two-sided"
    p_value = student_p_value(xp, side, t, df)
    # If neither model varies, t is infinite and p is 1: others might vary.
    p_value = xp.where(xp.isinf(t), 1.0, p_value)
    lead = join(xp, leads)
    p_value = xp.clip(family.n_pairs * p_value, None, 1.0) + (lead - lead)
    return Equality(lead + 0.5, p_value, p_value <= family.level), df_of_bound


def _compare(xp: Library, a: Array, b: Array, *, n_items: int) -> Array:
    """Return t of the means of two tables, its df, and the df of the bound.

    The bound has the variances of both models' seeds as one, with the degrees of
    freedom of the fewer seeds.
    """
    parts = find_parts(xp, [a, b], n_items, False)
    dfs = [x.shape[-1] // n_items - 1.0 for x in (a, b)]
    total, df, df_of_bound = add_parts(xp, parts, dfs, min(dfs))
    t, df = find_t(xp, parts.mean, [total], [df])
    return xp.stack([t, df, df_of_bound])


@array_kernel
def find_df_of_bound(xp: Library, a: Array, b: Array, *, n_items: int) -> Array:
    return _compare(xp, a, b, n_items=n_items)[2, ...]


def stack_pair(a: Array, b: Array, axis: Axis, higher_is_better: bool) -> Rows | Tables:
    """Return both samples as stacks of one model."""
    xp, samples, n_items = standardize_samples(a, b, axis=axis)
    stacks = [x[..., None, :] for x in samples]
    return _design(xp, orient(stacks, higher_is_better), n_items)


def stack_models(
    scores: Any, axis: Axis, higher_is_better: bool
) -> tuple[Rows | Tables, tuple[int, ...]]:
    """Return a stack for each size of sample, and the places of the models."""
    given = list_models(scores)
    is_one = given[0] is scores
    if is_one and isinstance(axis, tuple):
        check_place_of_models(scores, axis, lambda x: f"axis=({x[0]}, {x[1]})")
    xp, samples, n_items = standardize_samples(*given, axis=axis)
    stacks, order = stack_by_size(xp, samples, is_one=is_one)
    return _design(xp, orient(stacks, higher_is_better), n_items), order


def _design(xp: Library, stacks: Stacks, n_items: int | None) -> Rows | Tables:
    return Rows(xp, stacks) if n_items is None else Tables(xp, stacks, n_items)
