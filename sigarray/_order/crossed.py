"""Almost stochastic order of seeds on items that were drawn, too.

A seed's score is its mean over items: on other items it is another one, for all seeds
and both models at once. So the replicates of a ratio have items drawn anew, for both
models, and seeds, for each; and equality is tested by the means of both [1]_. The
samples are tables in rows (..., S * n), one seed after another.

References
----------
.. [1] A. B. Owen (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1,
   386-411. :doi:`10.1214/07-AOAS122`
"""

import functools
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass

from sigarray._backend.aliases import Array, RandomSource, Seed
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._backend.seeds import seed_words
from sigarray._backend.tables import Tables
from sigarray._numeric.crossed import add_parts, find_parts
from sigarray._numeric.quantile import Grid, even_grid, grid_ranks, scores_at
from sigarray._numeric.ranks import net_wins
from sigarray._numeric.special import student_t_isf, student_t_sf
from sigarray._numeric.statistic import coarse_mean, find_symmetric_p_value
from sigarray._numeric.student import find_t
from sigarray._order.equality import Equality
from sigarray._order.estimates import Estimates
from sigarray._order.families import MIN_SIZE
from sigarray._order.moments import deviation_of
from sigarray._order.pairs import Stacks, orient
from sigarray._order.percentiles import find_tails, has_percentiles
from sigarray._order.plans import Method, Plan, check_resamples
from sigarray._order.ratio import (
    find_scales,
    merge_pairs,
    merge_sizes,
    ratios_of_blocks,
    replicate_ratios,
)
from sigarray._resampling.crossed import Crossed

# The pair of both models, each a stack of its own.
_PAIR = (0, 1)


def estimate_tables(
    tables: Tables,
    *,
    level: float,
    method: Method,
    n_resamples: int,
    dt: float | None,
    higher_is_better: bool,
    rng: RandomSource,
) -> tuple[Estimates, Equality]:
    """Return estimates and the test of the pair; options are the public ones.

    A warning is for the caller of the public function that calls this.
    """
    if method not in ("auto", "bootstrap"):
        msg = (
            f"Expected method='auto' or 'bootstrap' with axis=(seeds, items); got "
            f"{method!r}. Resamples of seeds and items are too many to list, and have "
            "no known limit."
        )
        raise ValueError(msg)
    xp, samples, n_items = tables
    grid = even_grid(dt)
    check_resamples([Plan("bootstrap", grid)], n_resamples)
    smallest = min(x.shape[-1] // n_items for x in samples)
    if smallest < MIN_SIZE:
        # The level includes the check of options.
        warnings.warn(
            f"{smallest} seeds of a model are too few for any verdict with "
            f"axis=(seeds, items): eps_min is 1. Train each model {MIN_SIZE} times or "
            "more.",
            UserWarning,
            stacklevel=5,
        )
    return _estimate(
        xp,
        orient(samples, higher_is_better),
        seed_words(xp, rng),
        n_items=n_items,
        level=level,
        n_resamples=n_resamples,
        grid=grid,
    )


@array_kernel
def _estimate(
    xp: Library,
    samples: Sequence[Array],
    seed: Seed,
    *,
    n_items: int,
    level: float,
    n_resamples: int,
    grid: Grid | None,
) -> tuple[Estimates, Equality]:
    resamples = CrossedResamples.of(xp, samples, seed, n_items, grid)
    seeds = resamples.observe()
    steps = merge_pairs(xp, seeds, [_PAIR], grid)
    (ratio,) = ratios_of_blocks(xp, seeds, steps, grid)
    replicates = _replicate(xp, resamples, 0, n_resamples)
    error = deviation_of(xp, replicates, ratio)
    equality, df = _test(xp, samples, seeds, n_items, level)
    n, m = (x.shape[-1] for x in seeds)
    margin = reverse = error - error + 1.0
    if min(n, m) >= MIN_SIZE:
        margin = reverse = _upper_quantile(xp, level, df) * error
    if has_percentiles(n, m, 1, n_resamples):
        low, high = find_tails(xp, replicates, level)
        margin = xp.maximum(margin, high - ratio)
        reverse = xp.maximum(reverse, ratio - low)
    return Estimates(ratio, error, margin, reverse), equality


@array_kernel
def replicate_tables(
    xp: Library,
    samples: Sequence[Array],
    seed: Seed,
    start: int | Array,
    *,
    n_items: int,
    count: int,
    grid: Grid | None,
) -> Array:
    """Return ratios of `count` replicates: (..., 1, count)."""
    resamples = CrossedResamples.of(xp, samples, seed, n_items, grid)
    return _replicate(xp, resamples, start, count)


def _replicate(
    xp: Library, resamples: "CrossedResamples", start: int | Array, count: int
) -> Array:
    """Return ratios of seeds that were drawn, one fewer than there are."""
    n_items = resamples.draws.n_items
    sizes = [x.shape[-1] // n_items - 1 for x in resamples.samples]
    steps = merge_sizes(xp, sizes, [_PAIR], resamples.grid)
    return replicate_ratios(xp, resamples, steps, start, count=count)


@dataclass(frozen=True, eq=False)
class CrossedResamples:
    """Scores of the seeds of both models, with seeds and items drawn anew.

    A score is a sum over items, about the `levels` (..., 1) of both models, in a unit
    that changes no ratio. Sums of whole numbers are exact, so that ties stay ties.
    """

    xp: Library
    samples: Sequence[Array]
    levels: Sequence[Array]
    draws: Crossed
    grid: Grid | None
    axis: int = -1
    batch: int | None = None

    @classmethod
    def of(
        cls,
        xp: Library,
        samples: Sequence[Array],
        seed: Seed,
        n_items: int,
        grid: Grid | None,
    ) -> "CrossedResamples":
        """Plan to resample tables; a table with a fault becomes NaN."""
        stacks = [x[..., None, :] for x in samples]
        ends = [(xp.min(x, axis=-1), xp.max(x, axis=-1)) for x in stacks]
        scales = find_scales(xp, stacks, ends)
        scaled = [x * scale[..., 0] for x, scale in zip(samples, scales, strict=True)]
        levels = [coarse_mean(xp, x) for x in scaled]
        rests = [x - level for x, level in zip(scaled, levels, strict=True)]
        draws = Crossed.split(xp, seed, False, n_items)
        return cls(xp, rests, levels, draws, grid)

    @property
    def elements(self) -> int:
        """The numbers of a replicate."""
        return 2 * self.draws.count_elements(self.xp, self.samples, "mean")

    def observe(self) -> list[Array]:
        """Return the scores of all seeds, sorted: (..., 1, S)."""
        n_items = self.draws.n_items
        tables = [
            self.xp.reshape(x, (*x.shape[:-1], x.shape[-1] // n_items, n_items))
            for x in self.samples
        ]
        sums = [self.xp.sum(x, axis=-1) for x in tables]
        return [x[..., None, :] for x in self._sort(sums)]

    def draw(self, start: int | Array, count: int) -> list[Array]:
        """Return sorted scores of replicates, (..., 1, count, S - 1) or at the grid."""
        sums = self.draws.find_sums_of_seeds(self.xp, self.samples, start, count)
        drawn = [x[..., None, :, :] for x in self._sort(sums)]
        if self.grid is None:
            return drawn
        return [
            scores_at(self.xp, x, grid_ranks(self.xp, x.shape[-1], self.grid))
            for x in drawn
        ]

    def _sort(self, sums: Sequence[Array]) -> list[Array]:
        """Sort sums (..., S) or (..., count, S) about one level, in a smaller unit.

        It is a power of two near the number of items, so that squares stay in range.
        """
        xp, n_items = self.xp, self.draws.n_items
        a, b = sums
        first, second = self.levels
        gap = (first - second) * float(n_items)
        a = a + gap[(..., *(None,) * (a.ndim - self.samples[0].ndim), slice(None))]
        unit = 2.0 ** -math.frexp(n_items)[1]
        return [xp.sort(x * unit, axis=-1, stable=False) for x in (a, b)]


def _test(
    xp: Library,
    samples: Sequence[Array],
    seeds: Stacks,
    n_items: int,
    level: float,
) -> tuple[Equality, Array]:
    """Test equal means of A and B, and return the degrees of freedom of the bound, too.

    The test is `t_test` with "greater". The bound has the variances of both models'
    seeds as one, with the degrees of freedom of the fewer seeds.
    """
    parts = find_parts(xp, samples, n_items, False)
    dfs = [x.shape[-1] - 1.0 for x in seeds]
    total, df = add_parts(xp, parts, dfs, n_items - 1.0)
    t, df = find_t(xp, parts.mean, [total], [df])
    find_tail = functools.partial(student_t_sf, xp, df=df)
    p_value = find_symmetric_p_value(xp, "greater", t, find_tail)
    # If neither model varies, t is infinite and p is 1: others might vary.
    p_value = xp.where(xp.isinf(t), 1.0, p_value)
    a, b = seeds
    # 0, or NaN where a table has a fault.
    fault = (a[..., 0] - a[..., 0]) + (b[..., 0] - b[..., 0])
    wins = net_wins(xp, a, b) / (2.0 * a.shape[-1] * b.shape[-1])
    p_value = p_value[..., None] + fault
    pooled = parts._replace(
        seeds=[parts.seeds[0] + parts.seeds[1]],
        rests=[parts.rests[0] + parts.rests[1]],
    )
    _, df = add_parts(xp, pooled, [min(dfs)], n_items - 1.0)
    return Equality(wins + 0.5 + fault, p_value, p_value <= level), df[..., None]


def _upper_quantile(xp: Library, level: float, df: Array) -> Array:
    """Return t that Student's distribution exceeds with a probability of `level`."""
    tail = student_t_isf(xp, min(level, 1.0 - level), df)
    return tail if level <= 0.5 else -tail
