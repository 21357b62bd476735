"""Limits and p-values of a difference: by Student's t, or from replicates."""

import functools
import math
from collections.abc import Sequence
from typing import Any, Literal, get_args

from sigarray._backend.callers import Array, Seed, Statistic
from sigarray._backend.chunks import MAX_HELD, map_entries
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._backend.public import array_kernel
from sigarray._backend.tables import Axis
from sigarray._difference.influences import find_acceleration
from sigarray._difference.resampling import check_test_share, in_dtype, widen_error
from sigarray._difference.studentized import (
    Hypothesis,
    beyond_null,
    join_results,
    limits_by_t,
    resample_t,
    split_results,
    standardize_scores,
)
from sigarray._difference.units import prepare_items
from sigarray._numeric.designs import Design, DesignArrays, find_errors_by_design
from sigarray._numeric.faults import spread_faults
from sigarray._numeric.quantile import interpolate
from sigarray._numeric.special import (
    normal_quantile,
    normal_quantiles,
    normal_sf,
    student_p_value,
    student_t_isf,
)
from sigarray._numeric.statistic import (
    apply_statistic,
    center_scores,
    check_sizes,
    difference_of,
    find_rounding,
    move_back,
    standard_deviation,
)
from sigarray._numeric.student import find_t
from sigarray._numeric.sums import SumStatistic
from sigarray._resampling.replicates import arrange, keep, resample
from sigarray.results import TTestResult


def find_bias(
    xp: Library, replicates: Array, observed: Array, rounding: Array
) -> Array:
    """Return z0, the normal quantile of the share of replicates below the observed."""
    gap, rounding = replicates - observed[..., None], rounding[..., None]
    count = replicates.shape[-1]
    below = xp.mean(xp.astype(gap < -rounding, gap.dtype), axis=-1)
    above = xp.mean(xp.astype(gap > rounding, gap.dtype), axis=-1)
    share = xp.clip(0.5 + 0.5 * (below - above), 1.0 / (count + 1), count / (count + 1))
    return normal_quantiles(xp, share)


def correct_quantiles(
    xp: Library, tail: float, bias: Array, acceleration: Array
) -> list[Array]:
    """Efron and Tibshirani (1994), equation 14.10."""
    normal = []
    for z in (normal_quantile(tail), -normal_quantile(tail)):
        shifted = bias + z
        scale = 1.0 - acceleration * shifted
        is_valid = scale > 0.0
        # Beyond the pole as at it: the limit is the first or last replicate.
        corrected = bias + shifted / xp.where(is_valid, scale, 1.0)
        infinity = xp.full_like(bias, math.inf)
        farthest = xp.where(shifted > 0.0, infinity, -infinity)
        normal.append(-xp.where(is_valid, corrected, farthest))
    quantiles = normal_sf(xp, xp.stack(normal))
    return [quantiles[0, ...], quantiles[1, ...]]


@array_kernel
def find_t_limits(
    xp: Library,
    samples: Sequence[Array],
    arrays: DesignArrays,
    *,
    design: Design,
    paired: bool,
    statistic: Literal["mean"] | SumStatistic,
    tail: float,
    test_share: float | None,
) -> tuple[Array, ...]:
    design = design.with_arrays(arrays)
    errors = find_errors_by_design(xp, statistic, samples, design, paired)
    difference, squares = errors.difference, errors.squares
    _, df = find_t(xp, difference, squares, errors.dfs)
    total = sum(squares[1:], squares[0])
    error = xp.sqrt(total)
    if test_share is not None:
        error = error * widen_error(samples[0].shape[-1], test_share)
    margin = xp.where(error > 0.0, error * student_t_isf(xp, tail, df), math.nan)
    results = (difference, difference - margin, difference + margin, error)
    fault = difference - difference
    unit = errors.unit
    return tuple(unit * (x + fault) for x in results)


def compare_by_t(
    a: Array,
    b: Array,
    hypotheses: tuple[Hypothesis, ...],
    *,
    paired: bool,
    statistic: Literal["mean"] | SumStatistic,
    clusters: Any,
    n_clusters: Any,
    strata: Any,
    test_share: float | None = None,
    axis: Axis,
) -> tuple[list[TTestResult], Sequence[Array]]:
    """Return a result for each hypothesis, and what `join_results` adds."""
    xp, _, (a, b), dtype, _, design = prepare_items(
        statistic,
        a,
        b,
        axis=axis,
        paired=paired,
        clusters=clusters,
        n_clusters=n_clusters,
        strata=strata,
        takes_both=True,
    )
    check_sizes(a, b, purpose="for their variance")
    check_test_share(test_share, design, paired=paired)
    result = find_t_tests(
        xp,
        a,
        b,
        design.arrays,
        design=design.static,
        paired=paired,
        statistic=statistic,
        hypotheses=hypotheses,
        test_share=test_share,
    )
    return split_results(TTestResult, in_dtype(xp, dtype, result), hypotheses)


@array_kernel
def find_t_tests(
    xp: Library,
    a: Array,
    b: Array,
    arrays: DesignArrays,
    *,
    design: Design,
    paired: bool,
    statistic: Literal["mean"] | SumStatistic,
    hypotheses: tuple[Hypothesis, ...],
    test_share: float | None,
) -> list[Array]:
    n = a.shape[-1]
    design = design.with_arrays(arrays)
    errors = find_errors_by_design(xp, statistic, [a, b], design, paired)
    is_plain = len(hypotheses) == 1 and not hypotheses[0].null
    unit = 1.0 if is_plain else errors.unit
    of_each = []
    for alternative, null in hypotheses:
        excess = beyond_null(errors.difference, null, unit)
        t, df = find_t(xp, excess, errors.squares, errors.dfs, errors.rounding)
        if design.clusters or design.strata.are_there:  # of labels out of range, too
            df = df + (errors.difference - errors.difference)
        if test_share is not None:
            t = t / widen_error(n, test_share)
        # An infinite t has no p-value.
        pvalue = student_p_value(xp, alternative, t, df) + (t - t)
        of_each.append([t, pvalue, df])
    return join_results(xp, of_each, errors.difference, unit)


# SciPy writes "BCa".
IntervalMethod = Literal["percentile", "basic", "bca", "BCa", "studentized"]
INTERVAL_METHODS = tuple(dict.fromkeys(map(str.lower, get_args(IntervalMethod))))


@array_kernel
def find_limits(
    xp: Library,
    samples: list[Array],
    seed: Seed,
    arrays: DesignArrays,
    *,
    design: Design,
    statistic: Statistic,
    tail: float,
    method: IntervalMethod,
    paired: bool,
    n_resamples: int,
) -> tuple[Array, ...]:
    """Return statistic, limits and standard error, some batch entries at a time."""
    n_axes = 2 if isinstance(statistic, SumStatistic) else 1
    leading = broadcast_shapes(*(sample.shape[:-n_axes] for sample in samples))
    count = math.prod(leading)
    stacks = []
    for sample in samples:
        own = sample.shape[-n_axes:]
        whole = xp.broadcast_to(spread_faults(xp, sample), (*leading, *own))
        stacks.append(xp.reshape(whole, (count, *own)))
    design = design.with_arrays(arrays)
    for x in design.rounding:
        stacks.append(xp.reshape(xp.broadcast_to(x, leading), (count,)))

    find_limits = functools.partial(
        _choose_limits,
        xp,
        seed,
        design,
        statistic=statistic,
        tail=tail,
        method=method,
        paired=paired,
        n_resamples=n_resamples,
    )
    result = map_entries(xp, find_limits, stacks, elements=n_resamples, budget=MAX_HELD)
    result = xp.reshape(result, (4, *leading))
    return tuple(result[i, ...] for i in range(4))


def _choose_limits(
    xp: Library,
    seed: Seed,
    design: Design,
    *entries: Array,
    statistic: Statistic,
    tail: float,
    method: IntervalMethod,
    paired: bool,
    n_resamples: int,
) -> Array:
    """Return statistic, limits and standard error of samples (R, n): (4, R).

    After the samples comes the rounding of each, if the design has that.
    """
    if method == "studentized":
        standard = standardize_scores(xp, entries, paired)
        drawn = keep(xp, resample_t(xp, standard.scores, seed), n_resamples)
        observed = standard.difference
        limits = limits_by_t(xp, drawn[1, ...], observed, standard.variance, tail)
        error = standard_deviation(xp, drawn[0, ...])
        return xp.stack([standard.unit * x for x in (observed, *limits, error)])
    n_samples = len(entries) - len(design.rounding)
    centered = center_scores(xp, statistic, *entries[:n_samples])
    design, rows = arrange(xp, design, centered.scores)
    values = [apply_statistic(xp, statistic, row) for row in rows]
    observed = difference_of(values)
    resampled = resample(xp, seed, paired, design, rows, statistic)
    replicates = keep(xp, resampled, n_resamples)
    quantiles = [xp.full_like(observed, p) for p in (tail, 1.0 - tail)]
    if method == "bca":
        rounding = find_rounding(xp, statistic, rows, values, centered.levels)
        rounding = sum(entries[n_samples:], rounding)
        bias = find_bias(xp, replicates, observed, rounding)
        acceleration = find_acceleration(xp, rows, statistic, paired, design)
        quantiles = correct_quantiles(xp, tail, bias, acceleration)
    ordered = xp.sort(replicates, axis=-1, stable=False)
    limits = [interpolate(xp, ordered, quantile) for quantile in quantiles]
    if method == "basic":
        limits = [2.0 * observed - limit for limit in reversed(limits)]
    error = standard_deviation(xp, replicates)
    if not isinstance(statistic, str):  # it may have no value for some resamples
        limits = [xp.where(xp.isnan(error), error, x) for x in limits]
    moved = [move_back(centered, x) for x in (observed, *limits)]
    return xp.stack([centered.unit * x for x in (*moved, error)])
