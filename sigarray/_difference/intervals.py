"""Intervals: Student's, and how those of the bootstrap are corrected (BCa)."""

import functools
import math
from collections.abc import Sequence
from typing import Any, Literal

from sigarray._backend.aliases import Array, Statistic
from sigarray._backend.chunks import map_replicates
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._backend.tables import Axis
from sigarray._difference.resampling import (
    DESIGN_RULES,
    check_test_share,
    in_dtype,
    mean_or_sums,
    widen_error,
)
from sigarray._difference.units import prepare_items
from sigarray._numeric.clusters import Clusters
from sigarray._numeric.designs import Design, DesignArrays, find_errors_by_design
from sigarray._numeric.special import (
    normal_quantile,
    normal_quantiles,
    normal_sf,
    student_t_isf,
)
from sigarray._numeric.statistic import (
    HELD_BY_COUNTS,
    apply_statistic,
    check_sizes,
    largest_or_one,
    middle_of_counted,
)
from sigarray._numeric.student import center_in_strata, find_t
from sigarray._numeric.sums import SumStatistic
from sigarray.results import BootstrapResult, ConfidenceInterval


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


def find_acceleration(
    xp: Library,
    rows: Sequence[Array],
    statistic: Statistic,
    paired: bool,
    design: Design,
) -> Array:
    """Efron and Tibshirani (1994), equation 14.15; terms of two samples add up.

    Influences are relative to the mean of their stratum, if there are strata. With
    clusters they are those of clusters, and rows are sorted.
    """
    if design.n_clusters:
        influences = [
            _influence_of_clusters(xp, statistic, x, of)
            for x, of in zip(rows, design.clusters, strict=True)
        ]
    else:
        influences = [find_influences(xp, statistic, row) for row in rows]
    if len(rows) == 2:
        influences[1] = -influences[1]
    if paired:
        influences = [influences[0] + influences[1]]
    if design.strata.are_there:
        influences = [
            center_in_strata(xp, x, design.strata, k) for k, x in enumerate(influences)
        ]
    unit = largest_or_one(xp, *influences)[..., None]
    cubes, squares = xp.zeros_like(unit[..., 0]), xp.zeros_like(unit[..., 0])
    for influence in influences:
        share = influence / unit / influence.shape[-1]
        cubes = cubes + xp.sum(share**3, axis=-1)
        squares = squares + xp.sum(share**2, axis=-1)
    varies = squares > 0.0
    return xp.where(varies, cubes / (6.0 * xp.where(varies, squares, 1.0) ** 1.5), 0.0)


def find_influences(xp: Library, statistic: Statistic, x: Array) -> Array:
    """(n - 1) (mean of the values without one score - the value without this score)."""
    if statistic == "mean":
        return x - xp.mean(x, axis=-1, keepdims=True)
    n = x.shape[-1]
    if isinstance(statistic, SumStatistic):
        without, _ = statistic.leave_out(xp, x)
    elif statistic == "median":
        without = _medians_without_one(xp, x)
    elif statistic == "iqm":
        without = _iqms_without_one(xp, x)
    else:
        without = _values_without_one(xp, statistic, x)
    return (n - 1.0) * (xp.mean(without, axis=-1, keepdims=True) - without)


def _influence_of_clusters(
    xp: Library, statistic: Statistic, ordered: Array, clusters: Clusters
) -> Array:
    """As `find_influences`, of sorted scores (..., n) without one cluster, (..., C)."""
    values = functools.partial(_leave_out_clusters, xp, statistic, ordered, clusters)
    n_held = HELD_BY_COUNTS * math.prod(ordered.shape)
    without = map_replicates(xp, values, clusters.number, elements=n_held)
    gaps = xp.mean(without, axis=-1, keepdims=True) - without
    return (clusters.number - 1.0) * gaps


def _leave_out_clusters(
    xp: Library,
    statistic: Statistic,
    ordered: Array,
    clusters: Clusters,
    start: int | Array,
    size: int,
) -> Array:
    left_out = xp.arange(size, dtype=clusters.codes.dtype) + start
    left_out = xp.reshape(left_out, (size, *(1,) * ordered.ndim))
    kept = xp.astype(clusters.codes != left_out, xp.int32)
    return xp.move_axis(middle_of_counted(xp, statistic, ordered, kept), 0, -1)


def _medians_without_one(xp: Library, x: Array) -> Array:
    """Return the median without each score: it is next to the middle of all."""
    n = x.shape[-1]
    order = xp.argsort(x, axis=-1, stable=False)
    rank = xp.argsort(order, axis=-1, stable=False)
    ordered = xp.sort(x, axis=-1, stable=False)
    middle = []
    for place in ((n - 2) // 2, (n - 1) // 2):
        after, at = ordered[..., place + 1, None], ordered[..., place, None]
        middle.append(xp.where(rank <= place, after, at))
    return 0.5 * (middle[0] + middle[1])


def _iqms_without_one(xp: Library, x: Array) -> Array:
    """Return the interquartile mean without each score.

    Of n - 1 scores, k at each end are left out. All n have one more in between, which a
    score that is left out in there was; without another one, it is the outermost.
    """
    n = x.shape[-1]
    k = (n - 1) // 4
    ordered = xp.sort(x, axis=-1, stable=False)
    total = xp.sum(ordered[..., k : n - k], axis=-1, keepdims=True)
    lowest, highest = ordered[..., k, None], ordered[..., n - 1 - k, None]
    gone = xp.minimum(xp.maximum(x, lowest), highest)
    return (total - gone) / (n - 1.0 - 2.0 * k)


def _values_without_one(xp: Library, statistic: Statistic, x: Array) -> Array:
    n = x.shape[-1]
    kept = xp.arange(n - 1, dtype=xp.index_dtype)
    values = functools.partial(_leave_out, xp, statistic, x, kept)
    return map_replicates(xp, values, n, elements=(1 + x.shape[0]) * n)


def _leave_out(
    xp: Library,
    statistic: Statistic,
    x: Array,
    kept: Array,
    start: int | Array,
    size: int,
) -> Array:
    left_out = xp.arange(size, dtype=kept.dtype) + start
    places = kept + xp.astype(kept >= left_out[:, None], kept.dtype)
    return apply_statistic(xp, statistic, xp.take_last(x, places))


def correct_quantiles(
    xp: Library, tail: float, bias: Array, acceleration: Array
) -> list[Array]:
    """Efron and Tibshirani (1994), equation 14.10."""
    quantiles = []
    for z in (normal_quantile(tail), -normal_quantile(tail)):
        shifted = bias + z
        scale = 1.0 - acceleration * shifted
        is_valid = scale > 0.0
        # Beyond the pole as at it: the limit is the first or last replicate.
        corrected = bias + shifted / xp.where(is_valid, scale, 1.0)
        infinity = xp.full_like(bias, math.inf)
        farthest = xp.where(shifted > 0.0, infinity, -infinity)
        quantiles.append(normal_sf(xp, -xp.where(is_valid, corrected, farthest)))
    return quantiles


@checked(statistic=mean_or_sums, **DESIGN_RULES)
def t_ci(
    a: Array,
    b: Array | None = None,
    /,
    *,
    paired: bool = False,
    statistic: Literal["mean"] | SumStatistic = "mean",
    confidence_level: float = 0.95,
    clusters: Any = None,
    n_clusters: int | tuple[int, int] | None = None,
    strata: Any = None,
    test_share: float | None = None,
    axis: Axis = -1,
) -> BootstrapResult:
    """Student's confidence interval of a mean, of a metric, or of a difference of two.

    It is that of `t_test`: with the same options it holds the differences that the test
    does not reject. It draws no resamples, and of few scores it is the one to take:
    those of the bootstrap are too short.

    Parameters
    ----------
    a : array, shape (..., n), real
        Scores, one for each run or item, two or more. Leading axes are batches.
    b : array, shape (..., m), real, optional
        Scores of a second model. Leading axes broadcast.

        The interval is then of the difference.
    paired : bool, default: False
        Whether the scores are pairs in one order, as of two models on one test set (n =
        m).

        The interval is of the mean of their differences; else two independent samples,
        whose variances may differ (Welch).
    statistic : {"mean"} or SumStatistic, default: "mean"
        The mean; or `of_sums` of a function, a metric of the sums of d numbers of each
        item: a sample is then a tuple of d arrays (..., n), or one (..., d, n). Its
        error is that of the mean of the items' influences.
    confidence_level : float, default: 0.95
        Confidence of the interval, in (0, 1): 0.95 for 95 %.
    clusters : array_like, or a pair of them, optional
        A label for each item, text or number (3, 3.0 and "3 " are one), if whole
        clusters were sampled, such as documents with several questions; for samples
        that are not pairs, a pair of arrays. Labels with an index take the order of
        samples with one. See :doc:`/clusters`.

        Labels on a device, or traced, are integers from 0 on.
    n_clusters : int or tuple of int, optional
        The number of clusters, or a pair for a pair of labels, static under `jit`, for
        labels on a device, which are not read: by default that of items. One that is
        not below it makes the result NaN. Without `strata` it may be more.
    strata : int, array_like, or a pair of them, optional
        The axis of strata, which are fixed and each sampled by itself: for scores
        (runs, tasks), ``axis=0, strata=1``; exchanged, these ask about other tasks. Or
        a label for each score, as in `clusters`, for strata of unlike sizes; with
        `clusters`, whole clusters of each stratum were sampled. A stratum of one score
        is an error, or NaN if labels are integers on a device, which are not read. Each
        score counts the same; for strata that do, see :doc:`/aggregates`.
    test_share : float, optional
        With `paired`, for scores on one data set that was split anew for each of them:
        the share of its items on which a model was tested, such as 0.2 for five folds.
        The error is that of Nadeau and Bengio [1]_, because scores from overlapping
        training sets are not independent. Static under `jit`.
    axis : int or (int, int), default: -1
        The axis of the scores; the others are batches. A pair of axes, (seeds, items),
        if each seed has a score for each item and both were sampled: the models then
        share items and, with `paired`, seeds. `t_test` and `t_ci` take `clusters` of
        items, too.

    Returns
    -------
    BootstrapResult
        `statistic`, `confidence_interval` (`low` and `high`) and `standard_error`,
        arrays of shape (...), on the device and of the float dtype of the scores. NaN
        for a batch entry with a score that is not finite; where no score varies, the
        error is 0, and the limits are NaN: what does not vary does not show how much it
        could.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices.
    ValueError
        Fewer than two scores in a sample, unequal pairs, `paired` for one sample,
        leading axes that do not broadcast, options outside their range, or a
        `test_share` without `paired`, or beside clusters, strata or axes of seeds and
        items.

    See Also
    --------
    t_test : the p-value of a difference.
    bootstrap_ci : for any statistic, and many scores.

    Notes
    -----
    The error and its degrees of freedom are those of `t_test`. Of 2000 sets each,
    intervals of 95 % held the mean in 93.5 to 97.0 % with 5 to 100 clusters, and those
    of the same items without `clusters` in 37.2 to 95.4 % (see :doc:`/clusters`); with
    `strata` in 93.8 to 97.0 % of 26 tasks with 2 to 10 runs, and in 91.8 to 96.2 % of 6
    tasks (see :doc:`/aggregates`); and with axes of seeds and of items in 92.9 to 97.1
    %, those of items alone in 20.9 to 95.5 %, and those of seeds alone in 25.7 to 96.5
    % (see :doc:`/seeds_and_items`).

    With `test_share`, the error is that of `t_test`. Of the data sets in its Notes,
    with 10 folds to 10 times 10, intervals of 95 % held the difference of two learners
    in 95.0 to 99.0 %, and those without it in 42.8 to 94.1 %.

    References
    ----------
    .. [1] C. Nadeau, Y. Bengio (2003). Inference for the generalization error. Machine
       Learning 52, 239-281. :doi:`10.1023/A:1024068626366`

    Examples
    --------
    >>> from sigarray import t_ci
    >>> a = [0.92, 0.94, 0.93, 0.96, 0.95]
    >>> b = [0.90, 0.92, 0.91, 0.89, 0.93]
    >>> low, high = t_ci(a, b).confidence_interval
    >>> round(float(low), 3), round(float(high), 3)
    (0.007, 0.053)
    """
    given = [a] if b is None else [a, b]
    xp, _, samples, dtype, _, design = prepare_items(
        statistic,
        *given,
        axis=axis,
        paired=paired,
        clusters=clusters,
        n_clusters=n_clusters,
        strata=strata,
        takes_both=True,
    )
    check_sizes(*samples, purpose="to resample")
    check_test_share(test_share, design, paired=paired)
    result = _t_ci(
        xp,
        samples,
        design.arrays,
        design=design.static,
        paired=paired,
        statistic=statistic,
        tail=0.5 * (1.0 - confidence_level),
        test_share=test_share,
    )
    value, low, high, error = in_dtype(xp, dtype, result)
    return BootstrapResult(value, ConfidenceInterval(low, high), error)


@array_kernel
def _t_ci(
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
    difference, squares, dfs, unit = errors
    _, df = find_t(xp, difference, squares, dfs)
    total = sum(squares[1:], squares[0])
    error = xp.sqrt(total)
    if test_share is not None:
        error = error * widen_error(samples[0].shape[-1], test_share)
    margin = xp.where(error > 0.0, error * student_t_isf(xp, tail, df), math.nan)
    results = (difference, difference - margin, difference + margin, error)
    fault = difference - difference
    return tuple(unit * (x + fault) for x in results)
