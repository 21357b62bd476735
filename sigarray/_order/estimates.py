"""Violation ratios and their standard errors, by resampling or by the normal limit.

Stacks of samples and the shapes of results are those of `sigarray._order.pairs`.
"""

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from sigarray._backend.callers import Array, RandomSource, Seed, warn_caller
from sigarray._backend.chunks import AddUp
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel
from sigarray._backend.seeds import seed_words
from sigarray._backend.workers import compute_items
from sigarray._numeric.quantile import Grid, even_grid
from sigarray._numeric.special import student_quantile
from sigarray._order.comparison import Equality, compare_pairs, find_equality
from sigarray._order.errors import (
    Estimates,
    asymptotic_error,
    deviation_of,
    estimate_block,
    exact_errors,
    find_tails,
    has_any_percentiles,
    has_percentiles,
    join_estimates,
    moments,
    standard_deviation,
)
from sigarray._order.families import MIN_SIZE, Family
from sigarray._order.pairs import (
    Block,
    Stacks,
    count_pairs,
    has_tiles,
    join,
    join_tiles,
    largest_tile,
    list_blocks,
    list_sizes,
    list_tiles,
    map_block,
    slices_of,
)
from sigarray._order.ratio import (
    SortedResamples,
    Steps,
    Streams,
    bootstrap_ratios,
    count_nodes,
    map_ratios,
    merge_pairs,
    ratios_of_blocks,
    replicate_ratios,
    seed_stacks,
)
from sigarray._order.stacks import (
    Method,
    Plan,
    check_resamples,
    list_doubts,
    plan_errors,
    sort_stacks,
)

# The streams of the two samples of a pair.
STREAMS: Streams = ((0,), (1,))


class Observed(NamedTuple):
    """The merged steps of each block of pairs, and the ratios of its samples."""

    steps: Steps
    ratios: dict[Block, Array]


@dataclass(frozen=True, eq=False)
class Rows:
    """A score for each run or item of a model, in stacks (..., K, n)."""

    xp: Library
    stacks: Stacks

    streams_of_pair: ClassVar[Streams] = STREAMS

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
        """Return estimates and tests of every pair; options are the public ones."""
        if method == "asymptotic" and dt is not None:
            msg = (
                f"Expected dt=None with method='asymptotic', which is for the exact "
                f"integral; got dt={dt}. Use method='bootstrap' for a grid."
            )
            raise ValueError(msg)
        xp, stacks, grid = self.xp, self.stacks, even_grid(dt)
        plans = plan_errors(stacks, method, grid)
        check_resamples(plans, n_resamples)
        for doubt in list_doubts(list_sizes(stacks), method, family):
            warn_caller(doubt)
        has_seed = any(plan.method == "bootstrap" for plan in plans)
        return estimate(
            xp,
            stacks,
            seed_words(xp, rng) if has_seed else None,
            plans=plans,
            streams=streams,
            n_resamples=n_resamples,
            grid=grid,
            family=family,
        )

    @property
    def replicate(self) -> Callable[..., Array]:
        return functools.partial(bootstrap_ratios, self.xp, self.stacks)


@array_kernel
def estimate(
    xp: Library, stacks: Stacks, seed: Seed | None, *, family: Family, **options: Any
) -> tuple[Estimates, Equality]:
    stacks = sort_stacks(xp, stacks)
    estimates = estimate_sorted(xp, stacks, seed, family.level_of_bound, **options)
    compared = compare_pairs(xp, stacks, has_shares=family.kind == "baseline")
    return estimates, find_equality(xp, stacks, compared, family)


def estimate_sorted(
    xp: Library,
    stacks: Stacks,
    seed: Seed | None,
    level: float,
    *,
    plans: tuple[Plan, ...],
    streams: Streams,
    n_resamples: int,
    grid: Grid | None,
) -> Estimates:
    """Return ratio, standard error and margin by plans; the bootstrap has a seed.

    The stacks come from `sort_stacks`.
    """
    blocks, n_pairs = list_blocks(stacks), count_pairs(stacks)
    observed = _observe(xp, stacks, blocks, grid)
    errors: dict[Block, Array] = {}
    tails: dict[Block, tuple[Array, Array]] = {}
    for plan in dict.fromkeys(plans):
        chosen = [b for b, other in zip(blocks, plans, strict=True) if other == plan]
        seen = observed
        if plan.grid != grid:
            seen = _observe(xp, stacks, chosen, plan.grid)
        if plan.method == "bootstrap" and seed is not None:
            seeds = seed_stacks(xp, seed, streams)
            drawn = n_resamples, plan.grid
            if has_tiles(xp, stacks):
                computed = _errors_by_tiles(xp, stacks, chosen, seeds, *drawn)
            elif has_any_percentiles(stacks, n_resamples):
                kept = _keep_replicates(xp, stacks, chosen, seen, seeds, *drawn)
                computed = [deviation_of(xp, *x) for x in kept]
                tails |= {
                    (g, h): find_tails(xp, x, level)
                    for (g, h), (x, _) in zip(chosen, kept, strict=True)
                    if has_percentiles(
                        stacks[g].shape[-1], stacks[h].shape[-1], n_pairs, n_resamples
                    )
                }
            else:
                computed = _bootstrap_errors(xp, stacks, chosen, seen, seeds, *drawn)
        elif plan.method == "exact":
            computed = [
                exact_errors(xp, stacks, b, seen.ratios[b], plan.grid) for b in chosen
            ]
        else:
            computed = [
                map_block(xp, stacks, b, functools.partial(asymptotic_error, xp, steps))
                for b, steps in seen.steps.items()
                if b in chosen
            ]
        errors |= dict(zip(chosen, computed, strict=True))
    estimates = []
    for block in blocks:
        smallest = min([stacks[place].shape[-1] for place in block])
        # The variance of a resample of n is that of a sample times (n - 1) / n.
        scale = math.sqrt(smallest / (smallest - 1)) if smallest > 1 else 1.0
        is_enough = smallest >= MIN_SIZE
        quantile = -student_quantile(level, smallest - 1) if is_enough else None
        ratio, error = observed.ratios[block], errors[block] * scale
        estimates.append(estimate_block(xp, ratio, error, quantile, tails.get(block)))
    return join_estimates(xp, estimates)


def _observe(
    xp: Library, stacks: Stacks, blocks: Sequence[Block], grid: Grid | None
) -> Observed:
    """Merge the steps of sorted stacks, and compare them, block by block."""
    steps = merge_pairs(xp, stacks, blocks, grid)
    ratios = ratios_of_blocks(xp, stacks, steps, grid)
    return Observed(steps, dict(zip(steps, ratios, strict=True)))


def _bootstrap_errors(
    xp: Library,
    stacks: Stacks,
    blocks: Sequence[Block],
    observed: Observed,
    seeds: Sequence[Seed],
    n_resamples: int,
    grid: Grid | None,
) -> list[Array]:
    """Return the standard deviation of ratios over resamples, block by block."""
    used = sorted({place for block in blocks for place in block})
    stacks, seeds = [stacks[g] for g in used], [seeds[g] for g in used]
    keys = [(used.index(g), used.index(h)) for g, h in blocks]
    steps = dict(zip(keys, (observed.steps[block] for block in blocks), strict=True))
    centers = dict(zip(keys, (observed.ratios[block] for block in blocks), strict=True))

    resamples = SortedResamples.of(xp, stacks, seeds, grid)
    add_moments = _RatioMoments(xp, resamples, steps, centers, 1.0 / n_resamples)
    center = join(xp, list(centers.values()))
    # The work of a replicate decides whether threads pay.
    work = resamples.elements + math.prod(center.shape) * count_nodes(stacks, grid)
    errors = standard_deviation(
        xp, add_moments, n_resamples, center, work, resamples.batch
    )
    parts = slices_of(x.shape[-1] for x in centers.values())
    return [errors[..., part] for part in parts]


@dataclass(frozen=True, eq=False)
class _RatioMoments:
    """Moments of resampled violation ratios about the observed ones."""

    xp: Library
    resamples: SortedResamples
    steps: Steps
    centers: Mapping[Block, Array]
    weight: float

    def __call__(self, start: int | Array, size: int, add_up: AddUp) -> Array:
        xp = self.xp

        def find_moments(ratios: Array, center: Array) -> Array:
            return add_up(moments(xp, ratios - center[..., None], self.weight))

        drawn, axis = self.resamples.draw(start, size), self.resamples.axis
        blocks = map_ratios(
            xp, drawn, self.steps, find_moments, self.centers, axis=axis
        )
        return join(xp, blocks)


def _keep_replicates(
    xp: Library,
    stacks: Stacks,
    blocks: Sequence[Block],
    observed: Observed,
    seeds: Sequence[Seed],
    n_resamples: int,
    grid: Grid | None,
) -> list[tuple[Array, Array]]:
    """Return replicates (..., P, n_resamples) of blocks, and the ratios (..., P)."""
    chosen = {block: observed.steps[block] for block in blocks}
    resamples = SortedResamples.of(xp, stacks, seeds, grid)
    replicates = replicate_ratios(xp, resamples, chosen, 0, count=n_resamples)
    ratios = [observed.ratios[block] for block in blocks]
    parts = slices_of(x.shape[-1] for x in ratios)
    return [
        (replicates[..., part, :], x) for part, x in zip(parts, ratios, strict=True)
    ]


def _errors_by_tiles(
    xp: Library,
    stacks: Stacks,
    blocks: Sequence[Block],
    seeds: Sequence[Seed],
    n_resamples: int,
    grid: Grid | None,
) -> list[Array]:
    """Return `_bootstrap_errors` of many models, tile by tile.

    This takes little memory, and workers share the pairs: each tile draws the resamples
    of only its models, and returns a number for each of its pairs.
    """
    tiles = list_tiles(stacks, blocks)
    items = [
        [
            (stacks[g][..., part, :], (seeds[g][0][part], seeds[g][1][part]))
            for g, part in tile.parts
        ]
        for tile in tiles
    ]

    find_errors = functools.partial(
        _errors_of_tile, xp, n_resamples=n_resamples, grid=grid
    )
    elements = largest_tile() * count_nodes(stacks, grid) * n_resamples
    values = list(compute_items(xp, find_errors, items, elements=elements))
    return join_tiles(xp, values, tiles, stacks, blocks)


def _errors_of_tile(
    xp: Library,
    item: Sequence[tuple[Array, Seed]],
    *,
    n_resamples: int,
    grid: Grid | None,
) -> Array:
    """Return `_bootstrap_errors` of the pairs of a tile, followed by zeros."""
    stacks = [stack for stack, _ in item]
    block = [(0, len(stacks) - 1)]
    observed = _observe(xp, stacks, block, grid)
    seeds = [seed for _, seed in item]
    (errors,) = _bootstrap_errors(xp, stacks, block, observed, seeds, n_resamples, grid)
    rest = (*errors.shape[:-1], largest_tile() - errors.shape[-1])
    return xp.concat([errors, xp.zeros(rest, dtype=errors.dtype)], axis=-1)
