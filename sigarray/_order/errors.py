"""Violation ratios and their standard errors, by resampling or by the normal limit.

Stacks of samples and the shapes of results are those of `sigarray._order.ratio`.
"""

import functools
import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from sigarray._backend.aliases import Array, Device, Namespace, RandomSource, Seed
from sigarray._backend.dispatch import (
    array_kernel,
    build_tables,
    default_batch,
    device_of,
    sum_batches,
    widest_float,
)
from sigarray._backend.threefry import seed_words
from sigarray._numeric.quantile import (
    Grid,
    MergedSteps,
    even_grid,
    grid_ranks,
    sort_scores,
    take_last,
)
from sigarray._numeric.special import student_quantile
from sigarray._numeric.subsets import count_resamples, enumerate_resamples
from sigarray._order.ratio import (
    Block,
    Stacks,
    Streams,
    default_replicates,
    in_dtype_of,
    join,
    list_blocks,
    map_block,
    merge_pairs,
    orient,
    ratio_of_differences,
    ratio_of_samples,
    ratios_of_blocks,
    resampled_ratios,
    seed_stacks,
)

Method = Literal["auto", "bootstrap", "exact", "asymptotic"]

METHODS = ("auto", "bootstrap", "exact", "asymptotic")
# Pairs of distinct resamples that "auto" enumerates, and that "exact" agrees to.
_MAX_AUTO_COMBINATIONS = 2**16
_MAX_EXACT_COMBINATIONS = 2**24
# Resamples of more scores take more than 100 MiB to list.
_MAX_EXACT_SIZE = 11
# More scores than this, "auto" compares at 4000 quantiles or more.
_MAX_AUTO_SIZE = 2**15
_MIN_ASYMPTOTIC_SIZE = 200
# Fewer scores on a side give no verdict.
_MIN_SIZE = 3


class Plan(NamedTuple):
    """How to find standard errors: a method that is chosen, and where to compare."""

    method: Method
    grid: Grid | None


class Estimates(NamedTuple):
    """Of every pair, all of shape (..., P): the bounds are `ratio` + `margin`."""

    ratio: Array
    error: Array
    margin: Array


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
) -> Estimates:
    """Violation ratio, standard error and margin of every pair; the public options."""
    if method == "asymptotic" and dt is not None:
        msg = (
            f"Expected dt=None with method='asymptotic', which is for the exact "
            f"integral; got dt={dt}. Use method='bootstrap' for a grid."
        )
        raise ValueError(msg)
    plans = plan_errors(stacks, method, even_grid(dt))
    for doubt in _doubts(stacks, method, level):
        # The caller of the public function, past the check of its options.
        warnings.warn(doubt, UserWarning, stacklevel=4)
    seed = None
    if any(plan.method == "bootstrap" for plan in plans):
        seed = seed_words(rng, xp, device_of(xp, stacks[0]))
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
    )


def plan_errors(stacks: Stacks, method: Method, grid: Grid | None) -> tuple[Plan, ...]:
    """Plan the standard errors of each block of pairs, by its own sizes alone."""
    return tuple(
        plan_error(method, stacks[g].shape[-1], stacks[h].shape[-1], grid)
        for g, h in list_blocks(stacks)
    )


def plan_error(method: Method, n: int, m: int, grid: Grid | None = None) -> Plan:
    """Resolve "auto", and refuse an enumeration that is too long."""
    magnitude = _log10_resamples(n) + _log10_resamples(m)
    largest = max(n, m)
    if method == "auto":
        if magnitude <= math.log10(_MAX_AUTO_COMBINATIONS):
            return Plan("exact", grid)
        if grid is None and largest > _MAX_AUTO_SIZE:
            grid = Grid(n_scores=largest, n_others=0 if n == m else min(n, m))
        return Plan("bootstrap", grid)
    if method == "exact" and (
        largest > _MAX_EXACT_SIZE or magnitude > math.log10(_MAX_EXACT_COMBINATIONS)
    ):
        number = f"about 10^{magnitude:.0f}"
        if magnitude < 12:
            number = f"{count_resamples(n) * count_resamples(m):,}"
        msg = (
            f"Expected at most {_MAX_EXACT_COMBINATIONS:,} pairs of distinct resamples "
            f"for method='exact', of at most {_MAX_EXACT_SIZE} scores a side; got "
            f"{number} for {n} and {m} scores. Use method='bootstrap'."
        )
        raise ValueError(msg)
    return Plan(method, grid)


@array_kernel
def estimate(
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
    """Violation ratio, standard error and margin by plans; the bootstrap has a seed."""
    stacks = [sort_scores(xp, stack) for stack in stacks]
    blocks = list_blocks(stacks)
    ratios = ratios_of_blocks(xp, stacks, blocks, grid)
    errors: dict[Block, Array] = {}
    for plan in dict.fromkeys(plans):
        chosen = [b for b, own in zip(blocks, plans, strict=True) if own == plan]
        if plan.method == "bootstrap" and seed is not None:
            seeds = seed_stacks(xp, stacks, seed, streams)
            found = _bootstrap_errors(
                xp, stacks, chosen, seeds, n_resamples, plan.grid, batch
            )
        else:
            steps = merge_pairs(xp, stacks, chosen, plan.grid)
            if plan.method == "exact":
                find_error = functools.partial(
                    _exact_errors, xp, grid=plan.grid, batch=batch
                )
            else:
                find_error = functools.partial(_asymptotic_errors, xp)
            found = [map_block(xp, stacks, b, steps, find_error) for b in chosen]
        errors |= dict(zip(chosen, found, strict=True))
    own_errors, margins = [], []
    for g, h in blocks:
        n, m = stacks[g].shape[-1], stacks[h].shape[-1]
        smallest = min(n, m)
        # A resample of n varies less than a sample does, by (n - 1) / n.
        scale = math.sqrt(smallest / (smallest - 1)) if smallest > 1 else 1.0
        error = errors[g, h] * scale
        own_errors.append(error)
        if allows_verdict(n, m, level):
            margins.append(-student_quantile(level, smallest - 1) * error)
        else:
            margins.append(error - error + 1.0)
    parts = (ratios, own_errors, margins)
    return Estimates(*(join(xp, part) for part in parts))


def allows_verdict(n: int, m: int, level: float) -> bool:
    """Tell whether so many scores can show anything at this level.

    Where both distributions are the same, all scores of A are above those of B with a
    probability of 1 / C(n + m, n): if that is above the level, nothing is significant.
    """
    log_count = math.lgamma(n + m + 1) - math.lgamma(n + 1) - math.lgamma(m + 1)
    return min(n, m) >= _MIN_SIZE and log_count + math.log(level) > -1e-9


def level_of(confidence_level: float, num_comparisons: int) -> float:
    """Give the level of each comparison, by Bonferroni."""
    return (1.0 - confidence_level) / num_comparisons


@array_kernel
def upper_bound(xp: Namespace, ratio: Array, margin: Array) -> Array:
    """eps_min, the upper confidence bound: del Barrio et al. (2018), equation 6."""
    return xp.clip(ratio + margin, 0.0, 1.0)


def _doubts(stacks: Stacks, method: Method, level: float) -> Iterator[str]:
    """Say why the sizes of the samples make the bound doubtful."""
    sizes = [stack.shape[-1] for stack in stacks for _ in range(stack.shape[-2])]
    smallest, second = sorted(sizes)[:2]
    if not allows_verdict(smallest, second, level):
        yield (
            f"{smallest} and {second} scores are too few for a verdict at the level "
            f"{level:.3g} of a comparison: eps_min is 1 whatever they are. Run the "
            f"models with more seeds, {_needed_size(level)} each or more."
        )
    if method == "asymptotic" and smallest < _MIN_ASYMPTOTIC_SIZE:
        yield (
            f"The normal limit of method='asymptotic' is for {_MIN_ASYMPTOTIC_SIZE} "
            f"scores a side or more, and not to be trusted for {smallest}. Use "
            f"method='auto'."
        )


def _needed_size(level: float) -> int:
    """Count the scores of each of two models that allow a verdict."""
    return next(n for n in range(_MIN_SIZE, 10**4) if allows_verdict(n, n, level))


def _log10_resamples(n: int) -> float:
    """Logarithm of C(2n-1, n), which has 600,000 digits for a million scores."""
    return (math.lgamma(2 * n) - math.lgamma(n + 1) - math.lgamma(n)) / math.log(10.0)


def _bootstrap_errors(
    xp: Namespace,
    stacks: Stacks,
    blocks: Sequence[Block],
    seeds: Sequence[Seed],
    n_resamples: int,
    grid: Grid | None,
    batch: int | None,
) -> list[Array]:
    """Standard deviation of the ratio of every pair over resamples, block by block."""
    used = sorted({place for block in blocks for place in block})
    stacks, seeds = [stacks[g] for g in used], [seeds[g] for g in used]
    blocks = [(used.index(g), used.index(h)) for g, h in blocks]
    steps = merge_pairs(xp, stacks, blocks, grid)
    centers = ratios_of_blocks(xp, stacks, blocks, grid)
    center = join(xp, centers)

    def add_up(start: int | Array, size: int) -> Array:
        ratios = join(
            xp,
            resampled_ratios(xp, stacks, blocks, steps, seeds, start, size, grid),
            axis=-2,
        )
        replicates = xp.arange(size, device=device_of(xp, ratios)) + start
        weights = xp.astype(replicates < n_resamples, ratios.dtype) / n_resamples
        return _moments(xp, ratios - center[..., None], weights)

    batch = batch or default_replicates(xp, stacks, grid)
    errors = _standard_deviation(xp, add_up, n_resamples, batch, center)
    ends = itertools.accumulate(x.shape[-1] for x in centers)
    return [
        errors[..., end - x.shape[-1] : end]
        for end, x in zip(ends, centers, strict=True)
    ]


def _moments(xp: Namespace, deviations: Array, weights: Array) -> Array:
    """Sums of w d and w d^2 over the last axis, stacked on a new first one."""
    weighted = weights * deviations
    return xp.stack([xp.sum(weighted, axis=-1), xp.sum(weighted * deviations, axis=-1)])


def _standard_deviation(
    xp: Namespace,
    add_up: Callable[[Any, int], Array],
    count: int,
    batch: int,
    observed: Array,
) -> Array:
    """Standard deviation (ddof 0), from moments about the observed ratio."""
    # Zero, or NaN where the ratio is; its shape and, in shard_map, its mesh axes.
    zero = observed - observed
    sums = sum_batches(xp, add_up, count, batch, xp.stack([zero, zero]))
    return xp.sqrt(xp.clip(sums[1, ...] - sums[0, ...] ** 2, 0.0, None))


def _exact_errors(
    xp: Namespace,
    x: Array,
    y: Array,
    steps: MergedSteps | None,
    *,
    grid: Grid | None,
    batch: int | None,
) -> Array:
    """Standard deviation of the ratio over all multisets of A and of B."""
    device = device_of(xp, x)
    ranks_a, weights_a = enumerate_resamples(x.shape[-1], xp, device)
    ranks_b, weights_b = ranks_a, weights_a
    if y.shape[-1] != x.shape[-1]:
        ranks_b, weights_b = enumerate_resamples(y.shape[-1], xp, device)
    weights_a, weights_b = (in_dtype_of(xp, w, x) for w in (weights_a, weights_b))
    n_a, n_b = weights_a.shape[0], weights_b.shape[0]
    if grid is not None:
        nodes_a = grid_ranks(x.shape[-1], grid, xp, device)
        nodes_b = grid_ranks(y.shape[-1], grid, xp, device)
        ranks_a = xp.take(ranks_a, nodes_a, axis=0)
        ranks_b = xp.take(ranks_b, nodes_b, axis=0)
        center = ratio_of_samples(
            xp, take_last(xp, x, nodes_a), take_last(xp, y, nodes_b), steps
        )
    else:
        center = ratio_of_samples(xp, x, y, steps)
    widths = None
    if steps is not None:
        if steps.ranks_a is not None and steps.ranks_b is not None:
            ranks_a = xp.take(ranks_a, steps.ranks_a, axis=0)
            ranks_b = xp.take(ranks_b, steps.ranks_b, axis=0)
        widths = in_dtype_of(xp, steps.widths, x)[:, None]

    def add_up(start: int | Array, size: int) -> Array:
        combinations = xp.arange(size, device=device) + start
        is_inside = combinations < n_a * n_b
        combinations = xp.clip(combinations, None, n_a * n_b - 1)
        rows_a, rows_b = combinations // n_b, combinations % n_b
        values_a = take_last(xp, x, xp.take(ranks_a, rows_a, axis=1))
        values_b = take_last(xp, y, xp.take(ranks_b, rows_b, axis=1))
        ratios = ratio_of_differences(xp, values_b - values_a, widths, axis=-2)
        weights = xp.take(weights_a, rows_a, axis=0)
        weights = weights * xp.take(weights_b, rows_b, axis=0)
        weights = xp.where(is_inside, weights, 0.0)
        return _moments(xp, ratios - center[..., None], weights)

    leading = math.prod(np.broadcast_shapes(x.shape[:-1], y.shape[:-1]))
    batch = batch or default_batch(xp, device, leading * ranks_a.shape[0])
    return _standard_deviation(xp, add_up, n_a * n_b, batch, center)


def _asymptotic_errors(
    xp: Namespace, x: Array, y: Array, steps: MergedSteps | None
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
    largest = xp.maximum(x[..., -1:], y[..., -1:]) - lowest
    largest = xp.where(largest == 0.0, 1.0, largest)
    x, y = (x - lowest) / largest, (y - lowest) / largest
    if steps is None:
        distance = xp.mean((y - x) ** 2, axis=-1)
    else:
        squares = (
            take_last(xp, y, steps.ranks_b) - take_last(xp, x, steps.ranks_a)
        ) ** 2
        distance = xp.sum(in_dtype_of(xp, steps.widths, x) * squares, axis=-1)

    eps = ratio_of_samples(xp, x, y, steps)[..., None]

    def cost(u: Array) -> Array:
        return xp.clip(u, 0.0, None) ** 2 - eps * u * u

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

    left, right = build_tables(build, xp, device_of(xp, x))
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
