"""Replicates of differences: p-values from them, and those of permutations."""

from collections.abc import Sequence
from typing import Any, Literal, Unpack, get_args

from sigarray._backend.callers import (
    Array,
    ExecutionOptions,
    RandomSource,
    Seed,
    Statistic,
    TestedStatistic,
)
from sigarray._backend.checks import MAX_REPLICATES, anything, choice, show
from sigarray._backend.dispatch import first_replicate, is_array
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._backend.seeds import seed_words
from sigarray._backend.tables import Axis
from sigarray._difference.relabelling import draw_permutations
from sigarray._difference.resampling import (
    DESIGN_RULES,
    EXCHANGED_AXIS,
    STATISTIC_RULE,
    ResamplingMethod,
    check_crossed,
    clip_p_value,
    doubt_two_values,
    draws_resamples,
    in_dtype,
)
from sigarray._difference.saddlepoint import bootstrap_tail
from sigarray._difference.studentized import (
    Hypothesis,
    add_rounding_of_nulls,
    beyond_null,
    bootstrap_t_test,
    join_results,
    resample_t,
    split_results,
    standardize_scores,
)
from sigarray._difference.units import prepare_units
from sigarray._numeric.designs import Design, DesignArrays
from sigarray._numeric.faults import list_rows, merge_same, spread_faults
from sigarray._numeric.statistic import (
    apply_statistic,
    center_scores,
    check_sizes,
    difference_of,
    find_rounding,
    move_back,
)
from sigarray._resampling.draws import count_permutations
from sigarray._resampling.replicates import (
    Beyond,
    arrange,
    count_beyond,
    keep,
    resample,
)
from sigarray.results import ResamplingResult


def compare_by_resamples(
    a: Array,
    b: Array,
    hypotheses: tuple[Hypothesis, ...],
    *,
    paired: bool,
    statistic: TestedStatistic,
    n_resamples: int,
    method: ResamplingMethod,
    clusters: Any,
    n_clusters: Any,
    strata: Any,
    axis: Axis,
    rng: RandomSource,
) -> tuple[list[ResamplingResult], Sequence[Array]]:
    """Return a result for each hypothesis, and what `join_results` adds."""
    xp, statistic, (a, b), dtype, _level, design = prepare_units(
        statistic,
        a,
        b,
        axis=axis,
        paired=paired,
        clusters=clusters,
        n_clusters=n_clusters,
        strata=strata,
    )
    check_sizes(a, b, purpose="to resample")
    doubt_two_values(xp, statistic, [a, b])
    check_crossed(design, "method", method, "resampling")
    is_drawn = draws_resamples(method, statistic, design, clusters)
    if statistic == "t":
        result = bootstrap_t_test(
            xp,
            a,
            b,
            seed_words(xp, rng),
            paired=paired,
            hypotheses=hypotheses,
            n_resamples=n_resamples,
        )
    else:
        result = find_bootstrap_tests(
            xp,
            a,
            b,
            seed_words(xp, rng) if is_drawn else None,
            design.arrays,
            design=design.static,
            paired=paired,
            statistic=statistic,
            hypotheses=hypotheses,
            n_resamples=n_resamples,
        )
    return split_results(ResamplingResult, in_dtype(xp, dtype, result), hypotheses)


@array_kernel
def find_bootstrap_tests(
    xp: Library,
    a: Array,
    b: Array,
    seed: Seed | None,
    arrays: DesignArrays,
    *,
    design: Design,
    paired: bool,
    statistic: Statistic,
    hypotheses: tuple[Hypothesis, ...],
    n_resamples: int,
) -> list[Array]:
    """Return difference and p-value for each hypothesis, which centring imposes."""
    samples, is_named = [a, b], isinstance(statistic, str)
    if seed is None or not is_named:
        samples = [spread_faults(xp, x) for x in samples]
    samples = merge_same(xp, samples, paired=paired) if seed is None else samples
    centered = center_scores(xp, statistic, *samples)
    a, b = samples = centered.scores
    values = [apply_statistic(xp, statistic, x) for x in samples]
    observed = difference_of(values)
    difference = move_back(centered, observed)
    gaps = [beyond_null(difference, x.null, centered.unit) for x in hypotheses]
    if seed is None:

        def find_tail(gap: Array, side: str) -> Array:
            if side == "two-sided":  # by distance, which has both tails
                gap = xp.abs(gap)
                return find_tail(gap, "greater") + find_tail(-gap, "less")
            pair, offset = ((a, b), gap) if side == "greater" else ((b, a), -gap)
            return bootstrap_tail(xp, *pair, offset, paired=paired)

        pvalues = [
            clip_p_value(xp, find_tail(gap, x.alternative))
            for gap, x in zip(gaps, hypotheses, strict=True)
        ]
    else:
        extent = sum(centered.spreads, xp.abs(difference))
        rounding = find_rounding(
            xp, statistic, samples, values, centered.levels, extent, paired
        )
        rounding = add_rounding_of_nulls(xp, rounding, hypotheses, centered.unit)
        design = design.with_arrays(arrays)
        rounding = sum(design.rounding, rounding)
        is_two_sided = hypotheses[0].alternative == "two-sided"
        limits = {}
        for gap, (alternative, _) in zip(gaps, hypotheses, strict=True):
            if alternative == "less":
                limits["less"] = (gap + rounding)[..., None]
            else:
                limit = xp.abs(gap) if is_two_sided else gap
                limits["greater"] = (limit - rounding)[..., None]
        design, samples = arrange(xp, design, samples)
        extremes = Beyond(
            xp,
            resample(xp, seed, paired, design, samples, statistic),
            observed[..., None],
            limits,
            is_two_sided=is_two_sided,
            may_be_nan=not is_named,
        )
        fault = difference - difference
        counts = count_beyond(xp, extremes, n_resamples, len(limits), fault)
        pvalues = list_rows((counts + 1.0) / (n_resamples + 1.0))
    moved = centered.unit * difference
    of_each = [(moved, pvalue) for pvalue in pvalues]
    return join_results(xp, of_each, difference, centered.unit)


def check_score_method(
    statistic: TestedStatistic, clusters: Any, strata: Any, axis: Axis
) -> int:
    named = {show(statistic): statistic != "mean", "clusters": clusters is not None}
    named["strata"] = strata is not None
    given = [name for name, is_there in named.items() if is_there]
    if not given and not isinstance(axis, tuple):
        return axis
    msg = (
        "Expected statistic='mean' and neither clusters, strata nor two axes with "
        "method='score', which is for scores of 0 and 1 of independent items; got "
        f"{given[0] if given else axis}. Use method='t'."
    )
    raise ValueError(msg)


@array_kernel
def draw_differences(
    xp: Library,
    samples: Sequence[Array],
    seed: Seed,
    start: int | Array,
    arrays: DesignArrays,
    *,
    design: Design,
    statistic: TestedStatistic,
    paired: bool,
    count: int,
) -> Array:
    if statistic == "t":
        rows = standardize_scores(xp, samples, paired).scores
        return keep(xp, resample_t(xp, rows, seed), count, start)[1, ...]
    centered = center_scores(xp, statistic, *(spread_faults(xp, x) for x in samples))
    design, rows = arrange(xp, design.with_arrays(arrays), centered.scores)
    resampled = resample(xp, seed, paired, design, rows, statistic)
    replicates = keep(xp, resampled, count, start)
    return centered.unit[..., None] * move_back(centered, replicates)


PermutationMethod = Literal["resampling", "exact"]


@checked(
    start=anything,
    method=choice(*get_args(PermutationMethod)),
    statistic=STATISTIC_RULE,
    **DESIGN_RULES | {"axis": EXCHANGED_AXIS},
)
def permutation_replicates(
    a: Array,
    b: Array,
    /,
    *,
    start: int | Array,
    count: int,
    paired: bool = False,
    statistic: TestedStatistic = "mean",
    method: PermutationMethod = "resampling",
    clusters: Any = None,
    n_clusters: int | tuple[int, int] | None = None,
    strata: Any = None,
    axis: int = -1,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> Array:
    """Differences of permuted scores, from any place on.

    `permutation_test` takes replicates 0 to `n_resamples` - 1, or all that are
    distinct, and counts those beyond the observed difference. For one seed, any split
    of them over calls, devices or machines gives the same numbers, up to the order of
    sums.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run or item. Leading axes are batches,
        which broadcast and see the same resamples.
    start : int
        The first replicate. It may be traced under `jit`, as a shard's index.
    count : int
        How many replicates, static under `jit`. `start` + `count` is at most 2^31.
    paired : bool, default: False
        Whether the scores are pairs in one order, as of two models on one test set (n =
        m). The scores of a pair are exchanged; else all scores are dealt out anew to
        two samples of n and m.
    statistic : {"mean", "median", "iqm", "t"} or callable, default: "mean"
        What to compare: means, medians, interquartile means ("iqm", without n // 4
        scores at each end), or means divided by their standard error ("t"). A callable
        f(x, axis=-1), in array-API code, returns the statistic along that axis;
        `of_sums` of a function is a metric of the sums of d numbers of each item: a
        sample is then a tuple of d arrays (..., n), or one (..., d, n). Resamples where
        it is NaN, such as 0 / 0, are extreme for a test, and make limits NaN.
    method : {"resampling", "exact"}, default: "resampling"
        Random permutations; or distinct ones, one after another, with no `rng`: 2^n for
        pairs and C(n + m, n) for independent samples. Beyond them there is NaN if
        `start` is traced.
    clusters : array_like, or a pair of them, optional
        A label for each item, text or number (3, 3.0 and "3 " are one), if whole
        clusters were sampled, such as documents; a pair of arrays if samples are not
        pairs. An index is aligned with that of the samples. See :doc:`/clusters`.

        Then whole clusters are exchanged, or dealt out; `statistic` is the mean of
        items, or `of_sums`.
    n_clusters : int or tuple of int, optional
        The number of clusters or more (see :doc:`/clusters`), or a pair for a pair of
        labels, static under `jit`, for labels on a device, which are not read; by
        default that of items. A label that is not below it makes the result NaN.
    strata : int, array_like, or a pair of them, optional
        The axis of strata, which are fixed and each sampled by itself: for scores
        (runs, tasks), ``axis=0, strata=1``; exchanged, these ask about other tasks. Or
        a label for each score, as in `clusters`, for strata of unlike sizes; with
        `clusters`, whole clusters of each stratum were sampled. A stratum of one score
        is an error, or NaN if labels are integers on a device, which are not read. Each
        score counts the same; for strata that do, see :doc:`/aggregates`.
    axis : int, default: -1
        The axis of the scores; the others are batches.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others. To split
        them over calls, pass a seed or one key: a generator moves on.
    batch : int, optional
        Replicates at a time; by default what suits the device. Memory grows with it;
        the result is the same.
    workers : int, callable, ProcessGroup or str, optional
        Who computes: a number of threads for NumPy arrays (-1: all cores); a function
        ``map(function, tasks)``, as an executor's; a process group of PyTorch; or a
        mesh axis in `jax.shard_map`. By default this thread. The result is the same.
    progress : callable or tqdm, optional
        Called as ``progress(done, total)`` after each batch, not by JAX; or ``tqdm()``.

    Returns
    -------
    array, shape (..., count)
        The statistic of the scores of A less that of B, or t, on the device and of the
        float dtype of the scores; NaN for a batch entry with a score that is not
        finite.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices; an unsuitable `rng`.
    ValueError
        A sample without scores, unequal pairs, leading axes that do not broadcast, or
        options outside their range; with "exact", 2^31 distinct permutations or more,
        or more replicates than there are of them.

    Notes
    -----
    If `permutation_test` enumerates all permutations, its p-value is from those of
    "exact"; otherwise it is from random ones.

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import permutation_replicates
    >>> a, b = [0.91, 0.93, 0.92, 0.95], [0.90, 0.92, 0.91, 0.93]
    >>> replicates = permutation_replicates(
    ...     a, b, start=0, count=16, paired=True, method="exact"
    ... )
    >>> observed = np.mean(a) - np.mean(b)
    >>> float(np.mean(replicates > observed - 1e-9))  # the p-value with "greater"
    0.0625
    """
    xp, statistic, (a, b), dtype, _level, design = prepare_units(
        statistic,
        *(a, b),
        axis=axis,
        paired=paired,
        clusters=clusters,
        n_clusters=n_clusters,
        strata=strata,
        takes_middles=False,
        are_flipped=paired,
    )
    if statistic == "t":
        check_sizes(a, b, purpose="for their variance")
    is_exact = method == "exact"
    sizes = a.shape[-1], b.shape[-1]
    n_distinct = count_permutations(*sizes, paired=paired, strata=design.strata)
    if is_exact and n_distinct >= MAX_REPLICATES:
        msg = (
            f"Expected fewer than {MAX_REPLICATES:,} distinct permutations with "
            f"method='exact'; got more, of {sizes[0]} and {sizes[1]} scores, or strata "
            "on a device, which are not read. Use method='resampling'."
        )
        raise ValueError(msg)
    first = first_replicate(xp, start, count)
    end = count if is_array(start) else int(start) + count
    if is_exact and end > n_distinct:
        msg = (
            f"Expected start + count to be at most {n_distinct:,} with method='exact', "
            f"for so many permutations are distinct; got {end:,}."
        )
        raise ValueError(msg)
    replicates = draw_permutations(
        xp,
        a,
        b,
        None if is_exact else seed_words(xp, rng),
        first,
        design.arrays,
        design=design.of_all_deals if is_exact else design.static,
        count=count,
        paired=paired,
        statistic=statistic,
    )
    return in_dtype(xp, dtype, [replicates])[0]
