"""Violation ratios and their standard errors, by resampling or by the normal limit.

Stacks of samples and the shapes of results are those of `sigarray.violation`.
"""

import functools
import math
import warnings
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from sigarray._typing import Array, Device, Namespace, RandomSource, Seed
from sigarray.dispatch import (
    array_kernel,
    build_tables,
    default_batch,
    device_of,
    sum_batches,
    widest_float,
)
from sigarray.enumeration import count_resamples, enumerate_resamples
from sigarray.quantile import (
    MergedSteps,
    grid_ranks,
    grid_step,
    sort_scores,
    take_last,
)
from sigarray.rng import MAX_REPLICATES, seed_words
from sigarray.special import normal_quantile
from sigarray.validation import (
    check_batch,
    check_choice,
    check_count,
    check_fraction,
)
from sigarray.violation import (
    Stacks,
    default_replicates,
    in_dtype_of,
    map_pairs,
    merge_pairs,
    orient,
    ratio_of_differences,
    ratio_of_samples,
    ratios_of_pairs,
    resampled_ratios,
)

Method = Literal["auto", "bootstrap", "exact", "asymptotic"]

_METHODS = ("auto", "bootstrap", "exact", "asymptotic")
# Pairs of distinct resamples that "auto" enumerates, and that "exact" agrees to.
_MAX_AUTO_COMBINATIONS = 2**16
_MAX_EXACT_COMBINATIONS = 2**24
# Resamples of more scores take more than 100 MiB to list.
_MAX_EXACT_SIZE = 11
_MIN_ASYMPTOTIC_SIZE = 200
_MAX_COMPARISONS = 10**9


def ratios_and_errors(
    xp: Namespace,
    stacks: Stacks,
    method: Method,
    n_resamples: int,
    dt: float | None,
    higher_is_better: bool,
    batch: int | None,
    rng: RandomSource,
) -> tuple[Array, Array]:
    """Violation ratio and standard error of every pair, both of shape (..., P)."""
    check_choice("method", method, _METHODS)
    n_resamples = check_count("n_resamples", n_resamples, MAX_REPLICATES)
    batch = check_batch(batch)
    step = grid_step(dt)
    if method == "asymptotic" and step is not None:
        msg = (
            f"Expected dt=None with method='asymptotic', which is for the exact "
            f"integral; got dt={dt}. Use method='bootstrap' for a grid."
        )
        raise ValueError(msg)
    sizes = [stack.shape[-1] for stack in stacks for _ in range(stack.shape[-2])]
    for doubt in _doubts(method, min(sizes)):
        # The caller of the public function.
        warnings.warn(doubt, UserWarning, stacklevel=3)
    stacks = orient(stacks, higher_is_better)
    if method != "asymptotic":
        method = choose_method(method, sizes)
    seed = None
    if method == "bootstrap":
        seed = seed_words(rng, xp, device_of(xp, stacks[0]))
    return estimate(xp, stacks, method, seed, n_resamples, step, batch)


def estimate(
    xp: Namespace,
    stacks: Stacks,
    method: Method,
    seed: Seed | None,
    n_resamples: int,
    step: Fraction | None,
    batch: int | None,
) -> tuple[Array, Array]:
    """Ratio and error by a method that is chosen; only "bootstrap" has a seed."""
    if seed is not None:
        return _with_bootstrap_errors(
            xp, stacks, seed, n_resamples=n_resamples, step=step, batch=batch
        )
    if method == "exact":
        return _with_exact_errors(xp, stacks, step=step, batch=batch)
    return _with_asymptotic_errors(xp, stacks)


def choose_method(method: Method, sizes: list[int]) -> Method:
    """Resolve "auto", and refuse an enumeration that is too long."""
    largest, second = sorted(sizes)[-1:-3:-1]
    magnitude = _log10_resamples(largest) + _log10_resamples(second)
    if method == "auto":
        return (
            "exact" if magnitude <= math.log10(_MAX_AUTO_COMBINATIONS) else "bootstrap"
        )
    if method == "exact" and (
        largest > _MAX_EXACT_SIZE or magnitude > math.log10(_MAX_EXACT_COMBINATIONS)
    ):
        number = f"about 10^{magnitude:.0f}"
        if magnitude < 12:
            number = f"{count_resamples(largest) * count_resamples(second):,}"
        msg = (
            f"Expected at most {_MAX_EXACT_COMBINATIONS:,} pairs of distinct resamples "
            f"for method='exact', of at most {_MAX_EXACT_SIZE} scores a side; got "
            f"{number} for {largest} and {second} scores. Use method='bootstrap'."
        )
        raise ValueError(msg)
    return method


def critical_value(confidence_level: float, num_comparisons: int) -> float:
    """Phi^-1(alpha') for the level alpha' of each comparison; negative."""
    level = check_fraction("confidence_level", confidence_level)
    num_comparisons = check_count("num_comparisons", num_comparisons, _MAX_COMPARISONS)
    return normal_quantile((1.0 - level) / num_comparisons)


@array_kernel
def upper_bound(xp: Namespace, ratio: Array, error: Array, *, z: float) -> Array:
    """eps_min, the upper confidence bound: del Barrio et al. (2018), equation 6."""
    return xp.clip(ratio - z * error, 0.0, 1.0)


def _doubts(method: Method, smallest: int) -> Iterator[str]:
    """Say why the sizes of the samples make the standard error doubtful."""
    if smallest == 1:
        yield (
            "One score in a sample: its sampling error cannot be seen and counts as "
            "none. Run the model with more seeds."
        )
    if method == "asymptotic" and smallest < _MIN_ASYMPTOTIC_SIZE:
        yield (
            f"The normal limit of method='asymptotic' is for {_MIN_ASYMPTOTIC_SIZE} "
            f"scores a side or more, and not to be trusted for {smallest}. Use "
            f"method='auto'."
        )


def _log10_resamples(n: int) -> float:
    """Logarithm of C(2n-1, n), which has 600,000 digits for a million scores."""
    return (math.lgamma(2 * n) - math.lgamma(n + 1) - math.lgamma(n)) / math.log(10.0)


@array_kernel
def _with_bootstrap_errors(
    xp: Namespace,
    stacks: Stacks,
    seed: Seed,
    *,
    n_resamples: int,
    step: Fraction | None,
    batch: int | None,
) -> tuple[Array, Array]:
    """Violation ratio of every pair, and its standard deviation over resamples."""
    stacks = [sort_scores(xp, stack) for stack in stacks]
    steps = merge_pairs(xp, stacks, step)
    observed = ratios_of_pairs(xp, stacks, steps, step)

    def add_up(start: int | Array, size: int) -> Array:
        ratios = resampled_ratios(xp, stacks, steps, seed, start, size, step)
        replicates = xp.arange(size, device=device_of(xp, ratios)) + start
        weights = xp.astype(replicates < n_resamples, ratios.dtype) / n_resamples
        return _moments(xp, ratios - observed[..., None], weights)

    batch = batch or default_replicates(xp, stacks, step)
    return observed, _standard_deviation(xp, add_up, n_resamples, batch, observed)


@array_kernel
def _with_exact_errors(
    xp: Namespace, stacks: Stacks, *, step: Fraction | None, batch: int | None
) -> tuple[Array, Array]:
    """Violation ratio of every pair, and its standard deviation over all resamples."""
    stacks = [sort_scores(xp, stack) for stack in stacks]
    steps = merge_pairs(xp, stacks, step)

    def error(x: Array, y: Array, merged: MergedSteps | None) -> Array:
        return _exact_errors(xp, x, y, merged, step, batch)

    errors = map_pairs(xp, stacks, steps, error)
    return ratios_of_pairs(xp, stacks, steps, step), errors


@array_kernel
def _with_asymptotic_errors(xp: Namespace, stacks: Stacks) -> tuple[Array, Array]:
    """Violation ratio of every pair, and its standard error for large samples."""
    stacks = [sort_scores(xp, stack) for stack in stacks]
    steps = merge_pairs(xp, stacks, None)
    errors = map_pairs(xp, stacks, steps, functools.partial(_asymptotic_errors, xp))
    return ratios_of_pairs(xp, stacks, steps, None), errors


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
    step: Fraction | None,
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
    if step is not None:
        nodes_a = grid_ranks(x.shape[-1], step, xp, device)
        nodes_b = grid_ranks(y.shape[-1], step, xp, device)
        ranks_a = xp.take(ranks_a, nodes_a, axis=0)
        ranks_b = xp.take(ranks_b, nodes_b, axis=0)
        center = ratio_of_samples(
            xp, take_last(xp, x, nodes_a), take_last(xp, y, nodes_b), steps
        )
    else:
        center = ratio_of_samples(xp, x, y, steps)
    widths = None
    if steps is not None:
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
    largest = xp.maximum(
        xp.max(xp.abs(x), axis=-1, keepdims=True),
        xp.max(xp.abs(y), axis=-1, keepdims=True),
    )
    largest = xp.where(largest == 0.0, 1.0, largest)
    x, y = x / largest, y / largest
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
    return xp.astype(xp.var(sums, axis=-1), increments.dtype)
