"""Violation ratios and their standard errors, by resampling or by the normal limit.

Stacks of samples and the shapes of results are those of `sigarray._order.pairs`.
"""

import functools
import itertools
import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sigarray._backend.aliases import (
    Array,
    Device,
    Namespace,
    Progress,
    RandomSource,
    Seed,
    Workers,
)
from sigarray._backend.chunks import AddUp, add_chunks, map_items
from sigarray._backend.libraries import (
    array_kernel,
    build_tables,
    clip,
    device_of,
    matrix_product,
    nth_smallest,
    take,
    take_last,
    widest_float,
)
from sigarray._backend.seeds import seed_words
from sigarray._numeric.quantile import (
    Grid,
    MergedSteps,
    even_grid,
    merge_all_steps,
)
from sigarray._numeric.special import student_quantile
from sigarray._numeric.statistic import largest_or_one
from sigarray._numeric.subsets import enumerate_resamples
from sigarray._order.equality import Equality, compare_wins, find_equality
from sigarray._order.families import MIN_SIZE, Family
from sigarray._order.pairs import (
    Block,
    Stacks,
    count_pairs,
    join,
    list_blocks,
    map_block,
    orient,
)
from sigarray._order.plans import (
    Method,
    Plan,
    check_resamples,
    list_doubts,
    plan_errors,
)
from sigarray._order.ratio import (
    Steps,
    Streams,
    compare_blocks,
    count_nodes,
    draw_resamples,
    in_dtype_of,
    merge_pairs,
    plan_replicates,
    ratio_of_samples,
    ratio_of_sums,
    ratios_of_blocks,
    replicate_ratios,
    seed_stacks,
    sort_stacks,
)
from sigarray._order.tiles import has_tiles, join_tiles, largest_tile, list_tiles

# Percentiles of resamples are bounds from so many scores on, with so many resamples
# beyond them, and where there are so many resamples of all pairs at most.
MIN_SIZE_OF_PERCENTILES, _MIN_BEYOND, _MAX_KEPT = 20, 20, 2**16


class Estimates(NamedTuple):
    """Of every pair, all of shape (..., P).

    The bounds are `ratio` + `margin`, and 1 - `ratio` + `reverse_margin` for the pair
    the other way round.
    """

    ratio: Array
    error: Array
    margin: Array
    reverse_margin: Array


class Observed(NamedTuple):
    """The merged steps of each block of pairs, and the ratios of its samples."""

    steps: Steps
    ratios: dict[Block, Array]


def estimate_pairs(
    xp: Namespace,
    stacks: Stacks,
    streams: Streams,
    *,
    level: float,
    method: Method,
    n_resamples: int,
    dt: float | None,
    higher_is_better: bool,
    batch: int | None,
    rng: RandomSource,
    workers: Workers,
    progress: Progress,
    family: Family,
    depth: int = 0,
) -> tuple[Estimates, Equality]:
    """Estimates and tests of every pair; the public options.

    A warning is for the caller of the public function, so many calls further out.
    """
    if method == "asymptotic" and dt is not None:
        msg = (
            f"Expected dt=None with method='asymptotic', which is for the exact "
            f"integral; got dt={dt}. Use method='bootstrap' for a grid."
        )
        raise ValueError(msg)
    plans = plan_errors(stacks, method, even_grid(dt))
    check_resamples(plans, n_resamples)
    for doubt in list_doubts(stacks, method, family):
        # Past the check of its options.
        warnings.warn(doubt, UserWarning, stacklevel=5 + depth)
    seed = None
    if any(plan.method == "bootstrap" for plan in plans):
        seed = seed_words(xp, device_of(xp, stacks[0]), rng)
    return estimate(
        xp,
        orient(stacks, higher_is_better),
        seed,
        plans=plans,
        streams=streams,
        level=level,
        n_resamples=n_resamples,
        grid=even_grid(dt),
        batch=batch,
        family=family,
        workers=workers,
        progress=progress,
    )


@array_kernel
def estimate(
    xp: Namespace, stacks: Stacks, seed: Seed | None, *, family: Family, **options: Any
) -> tuple[Estimates, Equality]:
    """Give estimates and tests of samples in any order."""
    stacks = sort_stacks(xp, stacks)
    estimates = estimate_sorted(xp, stacks, seed, **options)
    wins = compare_wins(xp, stacks)
    return estimates, find_equality(xp, stacks, wins, family)


def estimate_sorted(
    xp: Namespace,
    stacks: Stacks,
    seed: Seed | None,
    *,
    plans: tuple[Plan, ...],
    streams: Streams,
    level: float,
    n_resamples: int,
    grid: Grid | None,
    batch: int | None,
) -> Estimates:
    """Violation ratio, standard error and margin by plans; the bootstrap has a seed.

    Of stacks that `sort_stacks` made.
    """
    blocks = list_blocks(stacks)
    observed = _observe(xp, stacks, blocks, grid)
    errors: dict[Block, Array] = {}
    tails: dict[Block, tuple[Array, Array]] = {}
    for plan in dict.fromkeys(plans):
        chosen = [b for b, own in zip(blocks, plans, strict=True) if own == plan]
        seen = observed
        if plan.grid != grid:
            seen = _observe(xp, stacks, chosen, plan.grid)
        if plan.method == "bootstrap" and seed is not None:
            seeds = seed_stacks(xp, seed, streams)
            own = n_resamples, plan.grid, batch
            if has_tiles(xp, stacks):
                found = _errors_by_tiles(xp, stacks, chosen, seeds, *own)
            elif keeps_replicates(stacks, n_resamples):
                kept = _keep_replicates(xp, stacks, chosen, seen, seeds, *own)
                found = [_deviation_of(xp, *x) for x in kept]
                tails |= {
                    b: _find_tails(xp, x, level)
                    for b, (x, _) in zip(chosen, kept, strict=True)
                    if allows_percentiles(*(stacks[place].shape[-1] for place in b))
                }
            else:
                found = _bootstrap_errors(xp, stacks, chosen, seen, seeds, *own)
        else:
            find_errors = (
                functools.partial(_exact_errors, batch=batch)
                if plan.method == "exact"
                else _asymptotic_errors
            )
            found = [find_errors(xp, stacks, b, seen, plan.grid) for b in chosen]
        errors |= dict(zip(chosen, found, strict=True))
    own_errors, margins, reverse_margins = [], [], []
    for block in blocks:
        smallest = min(stacks[place].shape[-1] for place in block)
        # A resample of n varies less than a sample does, by (n - 1) / n.
        scale = math.sqrt(smallest / (smallest - 1)) if smallest > 1 else 1.0
        error = errors[block] * scale
        own_errors.append(error)
        margin = reverse = error - error + 1.0
        if smallest >= MIN_SIZE:
            margin = reverse = -student_quantile(level, smallest - 1) * error
        if block in tails:
            low, high = tails[block]
            ratio = observed.ratios[block]
            margin = xp.maximum(margin, high - ratio)
            reverse = xp.maximum(reverse, ratio - low)
        margins.append(margin)
        reverse_margins.append(reverse)
    ratios = [observed.ratios[block] for block in blocks]
    parts = (ratios, own_errors, margins, reverse_margins)
    return Estimates(*(join(xp, part) for part in parts))


def _observe(
    xp: Namespace, stacks: Stacks, blocks: Sequence[Block], grid: Grid | None
) -> Observed:
    """Merge the steps of sorted stacks, and compare them, block by block."""
    steps = merge_pairs(xp, stacks, blocks, grid)
    ratios = ratios_of_blocks(xp, stacks, steps, grid)
    return Observed(steps, dict(zip(steps, ratios, strict=True)))


@array_kernel
def upper_bound(
    xp: Namespace, ratio: Array, margin: Array, superiority: Array, is_told: Array
) -> Array:
    """eps_min, the upper confidence bound: del Barrio et al. (2018), equation 6.

    Models that are equal have a ratio of 1/2, so that this is among those that the
    scores allow unless equality is rejected.
    """
    bound = clip(xp, ratio + margin, 0.0, 1.0)
    is_ahead = is_told & (superiority > 0.5)
    return xp.where(is_ahead, bound, clip(xp, bound, 0.5, None))


def _bootstrap_errors(
    xp: Namespace,
    stacks: Stacks,
    blocks: Sequence[Block],
    observed: Observed,
    seeds: Sequence[Seed],
    n_resamples: int,
    grid: Grid | None,
    batch: int | None,
) -> list[Array]:
    """Standard deviation of the ratio of every pair over resamples, block by block."""
    used = sorted({place for block in blocks for place in block})
    stacks, seeds = [stacks[g] for g in used], [seeds[g] for g in used]
    own = [(used.index(g), used.index(h)) for g, h in blocks]
    steps = dict(zip(own, (observed.steps[block] for block in blocks), strict=True))
    centers = dict(zip(own, (observed.ratios[block] for block in blocks), strict=True))

    plan = plan_replicates(xp, stacks, grid, batch)

    def add_moments(start: int | Array, size: int, add_up: AddUp) -> Array:
        def find_moments(
            merged: MergedSteps | None, x: Array, y: Array, center: Array
        ) -> Array:
            ratios = ratio_of_samples(xp, merged, x, y, plan.axis)
            return add_up(_moments(xp, ratios - center[..., None], 1.0 / n_resamples))

        resamples = draw_resamples(xp, stacks, seeds, start, size, grid, plan.axis)
        return join(
            xp,
            compare_blocks(xp, resamples, steps, find_moments, centers, n_axes=2),
        )

    center = join(xp, list(centers.values()))
    # By which it is told whether threads pay.
    work = plan.elements + math.prod(center.shape) * count_nodes(stacks, grid)
    errors = _standard_deviation(xp, add_moments, n_resamples, center, work, plan.batch)
    ends = itertools.accumulate(x.shape[-1] for x in centers.values())
    return [
        errors[..., end - x.shape[-1] : end]
        for end, x in zip(ends, centers.values(), strict=True)
    ]


def keeps_replicates(stacks: Stacks, n_resamples: int) -> bool:
    """Tell whether replicates of all pairs are held, for a percentile of theirs.

    That does not depend on the number of batch entries, for results do not either.
    """
    sizes = sorted(stack.shape[-1] for stack in stacks for _ in range(stack.shape[-2]))
    is_little = count_pairs(stacks) * n_resamples <= _MAX_KEPT
    return is_little and allows_percentiles(*sizes[-2:])


def allows_percentiles(n: int, m: int) -> bool:
    """Tell samples of so many scores that percentiles of resamples are bounds."""
    return min(n, m) >= MIN_SIZE_OF_PERCENTILES


def _keep_replicates(
    xp: Namespace,
    stacks: Stacks,
    blocks: Sequence[Block],
    observed: Observed,
    seeds: Sequence[Seed],
    n_resamples: int,
    grid: Grid | None,
    batch: int | None,
) -> list[tuple[Array, Array]]:
    """Give the replicates (..., P, n_resamples) of blocks, and the ratios (..., P)."""
    chosen = {block: observed.steps[block] for block in blocks}
    replicates = replicate_ratios(
        xp, stacks, seeds, chosen, 0, count=n_resamples, grid=grid, batch=batch
    )
    ratios = [observed.ratios[block] for block in blocks]
    ends = itertools.accumulate(x.shape[-1] for x in ratios)
    return [
        (replicates[..., end - x.shape[-1] : end, :], x)
        for end, x in zip(ends, ratios, strict=True)
    ]


def _deviation_of(xp: Namespace, replicates: Array, ratio: Array) -> Array:
    """Standard deviation (ddof 0) of replicates, about the observed ratio."""
    deviations = replicates - ratio[..., None]
    mean = xp.mean(deviations, axis=-1)
    variance = xp.mean(deviations * deviations, axis=-1) - mean**2
    return xp.sqrt(clip(xp, variance, 0.0, None))


def _find_tails(xp: Namespace, replicates: Array, level: float) -> tuple[Array, Array]:
    """Give the replicates beyond which there is a share of `level`, on each side.

    Or a larger share, of so many replicates that it is no matter of chance.
    """
    count = replicates.shape[-1]
    n_beyond = max(math.floor(level * (count + 1) + 1e-9), _MIN_BEYOND)
    n_beyond = min(n_beyond, count)
    return (
        nth_smallest(xp, replicates, n_beyond)[..., 0],
        nth_smallest(xp, replicates, count + 1 - n_beyond)[..., 0],
    )


def _errors_by_tiles(
    xp: Namespace,
    stacks: Stacks,
    blocks: Sequence[Block],
    seeds: Sequence[Seed],
    n_resamples: int,
    grid: Grid | None,
    batch: int | None,
) -> list[Array]:
    """Give `_bootstrap_errors` of many models, some of them with some others at a time.

    So what is held is small, and what workers share are pairs: each tile draws the
    resamples of its own models alone, and gives a number for each of its pairs.
    """
    tiles = list_tiles(stacks, blocks)
    items = [
        [
            (stacks[g][..., part, :], (seeds[g][0][part], seeds[g][1][part]))
            for g, part in tile.parts
        ]
        for tile in tiles
    ]

    def find_errors(item: list[tuple[Array, Seed]]) -> Array:
        own = [stack for stack, _ in item]
        block = [(0, len(own) - 1)]
        errors = _bootstrap_errors(
            xp,
            own,
            block,
            _observe(xp, own, block, grid),
            [seed for _, seed in item],
            n_resamples,
            grid,
            batch,
        )[0]
        rest = (*errors.shape[:-1], largest_tile() - errors.shape[-1])
        return xp.concat(
            [errors, xp.zeros(rest, dtype=errors.dtype, device=device_of(xp, errors))],
            axis=-1,
        )

    elements = largest_tile() * count_nodes(stacks, grid) * n_resamples
    found = list(map_items(xp, find_errors, items, elements=elements))
    return join_tiles(xp, found, tiles, stacks, blocks)


def _moments(xp: Namespace, deviations: Array, weights: Array | float) -> Array:
    """Give w d and w d^2, stacked on a new first axis."""
    weighted = weights * deviations
    return xp.stack([weighted, weighted * deviations])


def _standard_deviation(
    xp: Namespace,
    add_moments: Callable[[Any, int, AddUp], Array],
    count: int,
    observed: Array,
    elements: int,
    batch: int | None,
) -> Array:
    """Standard deviation (ddof 0), from moments about the observed ratio."""
    # Zero, or NaN where the ratio is; its shape and, in shard_map, its mesh axes.
    zero = observed - observed
    sums = add_chunks(
        xp,
        add_moments,
        count,
        initial=xp.stack([zero, zero]),
        elements=elements,
        batch=batch,
    )
    return xp.sqrt(clip(xp, sums[1, ...] - sums[0, ...] ** 2, 0.0, None))


def _exact_errors(
    xp: Namespace,
    stacks: Stacks,
    block: Block,
    observed: Observed,
    grid: Grid | None,
    *,
    batch: int | None,
) -> Array:
    """Standard deviation of the ratio over all multisets of A and of B.

    A step compares one of n scores of A with one of m of B, so that the integrals are
    sums over a table of n m squares: products of matrices, of which one has zeros and
    ones that say which score of the more numerous multisets a step has.
    """
    device = device_of(xp, stacks[0])
    n, m = (stacks[place].shape[-1] for place in block)
    # Of A and of B; rows are multisets of the larger sample.
    tables = {size: enumerate_resamples(xp, device, size) for size in {n, m}}
    (ranks_a, weights_a), (ranks_b, weights_b) = (
        (ranks, in_dtype_of(xp, weights, stacks[0]))
        for ranks, weights in (tables[n], tables[m])
    )
    widths = None
    if n != m or grid is not None:
        steps = merge_all_steps(xp, device, n, m, grid)
        ranks_a = take(xp, ranks_a, steps.ranks_a, axis=0)
        ranks_b = take(xp, ranks_b, steps.ranks_b, axis=0)
        widths = in_dtype_of(xp, steps.widths, stacks[0])[:, None]
    has_rows_of_b = m > n
    if has_rows_of_b:
        ranks_a, weights_a, ranks_b, weights_b = ranks_b, weights_b, ranks_a, weights_a
    n_scores, (n_nodes, n_rows) = max(n, m), ranks_a.shape
    n_columns = ranks_b.shape[-1]
    scores = xp.arange(n_scores, dtype=ranks_a.dtype, device=device)

    def sum_steps(squares: Array) -> Array:
        # (..., scores, nodes, columns), and then (..., scores * nodes, columns).
        found = take_last(xp, squares, ranks_b)
        if widths is not None:
            found *= widths
        return xp.reshape(found, (*found.shape[:-3], n_scores * n_nodes, n_columns))

    def find_error(x: Array, y: Array, center: Array) -> Array:
        differences = y[..., None, :] - x[..., :, None]
        if has_rows_of_b:
            differences = xp.matrix_transpose(differences)
        above = clip(xp, differences, 0.0, None)
        violations = sum_steps(above * above)
        distances = sum_steps(differences * differences)

        def add_moments(start: int | Array, size: int, add_up: AddUp) -> Array:
            rows = clip(xp, xp.arange(size, device=device) + start, None, n_rows - 1)
            nodes = xp.matrix_transpose(take(xp, ranks_a, rows, axis=1))
            has_score = nodes[:, None, :] == scores[:, None]
            chosen = xp.astype(xp.reshape(has_score, (size, -1)), x.dtype)
            ratios = ratio_of_sums(
                xp,
                matrix_product(xp, chosen, violations),
                matrix_product(xp, chosen, distances),
            )
            moments = _moments(xp, ratios - center[..., None, None], weights_b)
            # Not a product of matrices, whose threads may add up in another order.
            sums = xp.sum(moments, axis=-1)
            return add_up(take(xp, weights_a, rows, axis=0) * sums)

        # The sums, and which scores they are of.
        elements = math.prod(center.shape) * 4 * n_columns + n_scores * n_nodes
        return _standard_deviation(xp, add_moments, n_rows, center, elements, batch)

    ratios = observed.ratios[block]
    elements = n_columns * (n_rows + 2 * n_scores * n_nodes)
    return map_block(xp, stacks, block, find_error, ratios, elements=elements)


def _asymptotic_errors(
    xp: Namespace, stacks: Stacks, block: Block, observed: Observed, _: Grid | None
) -> Array:
    """Standard error by the delta method, pair by pair."""
    find_error = functools.partial(_asymptotic_error, xp, observed.steps[block])
    return map_block(xp, stacks, block, find_error)


def _asymptotic_error(
    xp: Namespace, steps: MergedSteps | None, x: Array, y: Array
) -> Array:
    """Standard error by the delta method, from the Kantorovich potentials.

    sigma^2 = [var(phi_V - eps phi_W) / n + var(psi_V - eps psi_W) / m] / W2^4, where
    the potentials have the increments h(T_i - x_(i+1)) - h(T_i - x_(i)) with T_i =
    G^-1(i/n), and h(y_(j+1) - S_j) - h(y_(j) - S_j) with S_j = F^-1(j/m): del Barrio et
    al. (2018).
    """
    n, m = x.shape[-1], y.shape[-1]
    # Beside the level of the scores, small differences would be lost.
    lowest = xp.minimum(x[..., :1], y[..., :1])
    x, y = x - lowest, y - lowest
    unit = largest_or_one(xp, x[..., -1:], y[..., -1:])[..., None]
    x, y = x / unit, y / unit
    if steps is None:
        distance = xp.mean((y - x) ** 2, axis=-1)
    else:
        squares = (
            take_last(xp, y, steps.ranks_b) - take_last(xp, x, steps.ranks_a)
        ) ** 2
        distance = xp.sum(in_dtype_of(xp, steps.widths, x) * squares, axis=-1)

    eps = ratio_of_samples(xp, steps, x, y)[..., None]

    def cost(u: Array) -> Array:
        return clip(xp, u, 0.0, None) ** 2 - eps * u * u

    transported = _at_breakpoints(xp, y, n)
    variance = _variance_of_sums(
        xp, cost(transported - x[..., 1:]) - cost(transported - x[..., :-1])
    )
    transported = _at_breakpoints(xp, x, m)
    variance_b = _variance_of_sums(
        xp, cost(y[..., 1:] - transported) - cost(y[..., :-1] - transported)
    )
    is_zero = distance == 0.0
    error = xp.sqrt(variance / n + variance_b / m) / xp.where(is_zero, 1.0, distance)
    return xp.where(is_zero, 0.0, error)


def _at_breakpoints(xp: Namespace, x: Array, n: int) -> Array:
    """Quantile function of x at 1/n, ..., (n-1)/n; the middle where it jumps."""
    m = x.shape[-1]

    def build(xp: Namespace, device: Device) -> tuple[Array, ...]:
        positions = m * xp.arange(1, n, dtype=xp.int64, device=device)
        return (positions - 1) // n, positions // n

    left, right = build_tables(xp, device_of(xp, x), build)
    return 0.5 * (take_last(xp, x, left) + take_last(xp, x, right))


def _variance_of_sums(xp: Namespace, increments: Array) -> Array:
    """Variance (ddof 0) of 0 and the cumulative sums of the increments."""
    dtype = widest_float(xp, device_of(xp, increments))
    zero = xp.zeros(
        (*increments.shape[:-1], 1),
        dtype=increments.dtype,
        device=device_of(xp, increments),
    )
    sums = xp.cumulative_sum(
        xp.concat([zero, increments], axis=-1), axis=-1, dtype=dtype
    )
    deviations = sums - xp.mean(sums, axis=-1, keepdims=True)
    variance = xp.mean(deviations * deviations, axis=-1)
    return xp.astype(variance, increments.dtype)
