"""Ranks of several models, with intervals that hold for all of them at once."""

import functools
import math
from collections.abc import Sequence
from typing import Any, Unpack

from sigarray._backend.aliases import (
    Array,
    ExecutionOptions,
    RandomSource,
    Seed,
    Statistic,
)
from sigarray._backend.checks import OPTIONS, integer, optional, show
from sigarray._backend.chunks import MAX_HELD, map_entries, sum_replicates
from sigarray._backend.dispatch import standardize
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._backend.public import checked
from sigarray._backend.seeds import (
    name_streams,
    number_streams,
    seed_words,
    stream_seeds,
)
from sigarray._difference.strata import arrange_strata, check_strata
from sigarray._numeric.faults import add_up_faults, spread_faults
from sigarray._numeric.special import student_t_sf
from sigarray._numeric.statistic import check_sizes
from sigarray._numeric.student import find_t
from sigarray._numeric.sums import SumStatistic
from sigarray._order.pairs import join
from sigarray._order.stacks import (
    check_place_of_models,
    list_models,
    name_models,
    stack_by_size,
)
from sigarray._rank_intervals.comparisons import Shares, bound_ranks, tell_apart
from sigarray._rank_intervals.levels import (
    find_differences,
    find_ties,
    limit_gaps,
    pair_errors,
)
from sigarray._rank_intervals.resampled import (
    Models,
    Statistics,
    center_models,
    estimate,
)
from sigarray._resampling.replicates import keep
from sigarray.results import ConfidenceInterval, RankResult


def axis_of_tasks(name: str, value: Any) -> int:
    """Return the axis of tasks; labels raise an error that says who takes them."""
    try:
        return integer(name, value)
    except TypeError as error:
        msg = (
            f"Expected {name} to be an integer, the axis of the tasks; got "
            f"{show(value)}. Labels are for t_ci, bootstrap_ci, performance_profile "
            "and probability_of_improvement."
        )
        raise TypeError(msg) from error


def statistic_of_scores(name: str, value: Any) -> Any:
    """Return a statistic of scores; those of sums raise an error."""
    if isinstance(value, SumStatistic):
        msg = (
            f"Expected {name} to be 'mean', 'median', 'iqm' or a function of scores; "
            "got one of sums. Compare two models by bootstrap_test."
        )
        raise TypeError(msg)
    return OPTIONS["statistic"](name, value)


def _check_axis_of_tasks(
    strata: int, samples: Sequence[Array], *, is_one: bool
) -> None:
    """Raise unless each array of scores has the axis of the tasks."""
    for n_axes in (x.ndim for x in samples):
        if not -n_axes <= strata < n_axes:
            msg = (
                f"Expected strata to be an axis of the tasks, from {-n_axes} to "
                f"{n_axes - 1}; got {strata}."
            )
            if not is_one:
                msg += " In a mapping or list, axes do not count that of the models."
            raise ValueError(msg)


@checked(strata=optional(axis_of_tasks), statistic=statistic_of_scores)
def rank_ci(
    scores: Any,
    /,
    *,
    statistic: Statistic = "mean",
    strata: int | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    axis: int = -1,
    higher_is_better: bool = True,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> RankResult:
    """Rank K models, with intervals that hold the ranks of all of them at once.

    A model is ranked below those that are better and above those that are worse, and
    the interval has all ranks that no test excludes. Small differences leave it wide:
    no data can rank models that are alike.

    Parameters
    ----------
    scores : array of shape (..., K, n), sequence of K arrays, or mapping of K arrays
        Scores of K >= 2 models, one for each run, two or more. In a sequence or a
        mapping (name -> scores, or a pandas or polars DataFrame with a column for each
        model) each model has an array (..., n_k), and sizes may differ; models are in
        the order given. Runs of one model are independent of those of others: scores of
        the same items are not.
    statistic : {"mean", "median", "iqm"} or callable, default: "mean"
        By what to rank: means, medians, interquartile means ("iqm", without a quarter
        of the scores at each end), or a callable, called as f(x, axis=-1), which
        returns the statistic along that axis, in array-API code.
    strata : int, optional
        The axis of the tasks, of which all models have as many; not labels, as those of
        `bootstrap_ci`. Ranks are then those on these tasks, with other runs. By default
        there is one task. With ``axis=-2, strata=-1`` runs and tasks are the last axes
        of one array of models, runs and tasks, and of each array of runs and tasks in a
        mapping or list, whose axes do not count that of the models.
    confidence_level : float, default: 0.95
        Confidence that the intervals of all models hold, in (0, 1): 0.95 for 95 %.
    n_resamples : int, default: 9999
        Number of bootstrap replicates. The more there are, the less the result depends
        on the seed.
    axis : int, default: -1
        The axis of the scores. In one array the models are on the last of the others,
        but for that of the tasks.
    higher_is_better : bool, default: True
        False for losses and error rates: lower scores are better.
    rng : int, generator or key, optional
        Source of the random numbers: a seed, which is an int in [0, 2^64) and gives the
        same numbers on every backend and device; a generator of NumPy or of the arrays'
        library; or a key of JAX. By default fresh entropy, so that each call draws
        others; JAX needs a seed or a key.

        The random numbers of a model depend on its name in a mapping or data frame,
        else on its place, so that another model changes no resample of the others.
    batch : int, optional
        Replicates to compute at a time; by default what suits the device. Memory grows
        with it; the result does not depend on it.
    workers : int, callable, ProcessGroup or str, optional
        Who computes the replicates: a number of threads for NumPy arrays (-1: all
        cores); a function called as ``map(function, tasks)``, as an executor has; a
        process group of PyTorch; or the name of a mesh axis in `jax.shard_map`. By
        default this thread. The result does not depend on it.
    progress : callable or tqdm, optional
        Called as ``progress(done, total)`` whenever some more replicates are computed;
        or a bar of tqdm, ``progress=tqdm()``. JAX, whose loops are compiled, does not
        call it.

    Returns
    -------
    RankResult
        `rank`, 1 for the best, of shape (..., K), with the `confidence_interval` of
        each rank, and `probability`, of shape (..., K, K), the share of resamples in
        which a model has each rank; on the device and of the float dtype of the scores.
        NaN for a batch entry with a score that is not finite, for a rank is among all
        models.

    Raises
    ------
    TypeError
        Scores that are not real numbers, or of two libraries or devices; an `rng` that
        the library cannot use; a statistic of sums.
    ValueError
        Fewer than two models, fewer than two scores of a model on a task, other numbers
        of tasks, tasks and scores of one array whose models are on its last axis,
        leading axes that do not broadcast, or options outside their range.

    See Also
    --------
    multi_aso : which models are better, by all of their scores.
    compare_models : a verdict for each pair.

    Notes
    -----
    The rank of a model is 1 plus the number of models that are better, so that models
    that are tied have the first of their ranks. Its interval begins 1 after the number
    of models that are significantly better, and ends before those that are
    significantly worse [1]_. If no comparison errs, all intervals hold, whatever ranks
    ties have; and that has at least the confidence wanted, asymptotically. Intervals
    for one model that was chosen beforehand could be shorter, and are not offered.

    All K (K - 1) one-sided comparisons are tested together: at first by the largest
    studentized difference of resamples, then, where some are decided, by that of the
    others, up to three times [2]_. Of n runs on a task n - 1 are drawn: see
    `bootstrap_ci`. Few runs vary less in resamples than they should. So a critical
    value is no less than that of normal scores, by the range of K of them or by Holm,
    and is turned from a normal quantile to that of Student's t, with Welch's degrees of
    freedom. The error of a mean is its standard error within tasks. Two models whose
    runs are all the same are not told apart, as `t_test` says NaN: few rounded scores
    are often the same by chance. If those of one vary, t and its degrees of freedom are
    from these. The error of another statistic is the standard deviation of its
    resamples, and if that is 0 the model is told apart from no other. What is said of
    two models depends on their own scores, so that a diverged run of a third one costs
    them no digits, and only the correction for more comparisons.

    `probability` says where a model is in resamples, and is no substitute for the
    interval: percentiles of it fail at near ties. Of 10 near ties with 5, 10 or 20
    runs, intervals of 95 % held all ranks in 94.8 to 97.9 % of sets, and those of
    medians, and of interquartile means of 26 tasks, in 96.4 to 99.7 %; but those of
    means in 90.8 to 92.6 % if scores were lognormal, with spreads up to 10 times as
    wide as others. Percentiles of the rank of one model held that in 75.9 to 83.6 %,
    and those of all in 3.9 to 19.4 %.

    References
    ----------
    .. [1] M. Mogstad, J. P. Romano, A. M. Shaikh, D. Wilhelm (2024). Inference for
       ranks with applications to mobility across neighbourhoods and academic
       achievement across countries. Review of Economic Studies 91, 476-518.
       :doi:`10.1093/restud/rdad006`
    .. [2] J. P. Romano, M. Wolf (2005). Exact and approximate stepdown methods for
       multiple hypothesis testing. Journal of the American Statistical Association 100,
       94-108. :doi:`10.1198/016214504000000539`

    Examples
    --------
    >>> from sigarray import rank_ci
    >>> result = rank_ci(
    ...     {
    ...         "linear": [0.81, 0.80, 0.83, 0.82, 0.81],
    ...         "forest": [0.88, 0.91, 0.89, 0.90, 0.89],
    ...         "boosted": [0.89, 0.90, 0.88, 0.91, 0.90],
    ...     },
    ...     rng=0,
    ... )
    >>> result.rank
    array([3., 2., 1.])
    >>> result.confidence_interval.low
    array([3., 1., 1.])
    >>> result.confidence_interval.high
    array([3., 2., 2.])
    """
    names, columns = name_models(scores)
    given = list_models(columns)
    check_strata(strata, given, axis)
    xp, samples = standardize(*given, axis=axis)
    n_strata, is_one = 1, given[0] is columns
    if strata is not None:
        _check_axis_of_tasks(strata, samples, is_one=is_one)
        if is_one:
            check_place_of_models(
                columns, (axis, strata), lambda x: f"axis={x[0]}, strata={x[1]}"
            )
        samples, found = arrange_strata(
            xp, strata, given, samples, axis=axis, paired=False, is_of_sums=False
        )
        n_strata = found.number or 1
    stacks, order = stack_by_size(xp, samples, is_one=is_one)
    check_sizes(*stacks, purpose="to resample")
    streams = number_streams(len(order)) if names is None else name_streams(names)
    in_stacks = sorted(range(len(order)), key=order.__getitem__)
    shapes = tuple((int(x.shape[-2]), int(x.shape[-1])) for x in stacks)
    rank, low, high, probability = _rank_models(
        xp,
        stacks,
        seed_words(xp, rng),
        models=Models(shapes, order, n_strata),
        streams=tuple(streams[k] for k in in_stacks),
        statistic=statistic,
        higher_is_better=higher_is_better,
        alpha=1.0 - confidence_level,
        n_resamples=n_resamples,
    )
    return RankResult(rank, ConfidenceInterval(low, high), probability)


@array_kernel
def _rank_models(
    xp: Library,
    stacks: Sequence[Array],
    seed: Seed,
    *,
    models: Models,
    streams: tuple[int, ...],
    n_resamples: int,
    **options: Any,
) -> tuple[Array, ...]:
    """Return ranks, their limits and probabilities, some batch entries at a time."""
    leading = stacks[0].shape[:-2]
    count, n_models = math.prod(leading), len(streams)
    flat = [xp.reshape(x, (count, math.prod(x.shape[-2:]))) for x in stacks]
    find = functools.partial(
        _rank_entries,
        xp,
        stream_seeds(xp, seed, streams),
        models=models,
        n_resamples=n_resamples,
        **options,
    )
    elements = n_models * max(n_models, n_resamples)
    found = map_entries(xp, find, [join(xp, flat)], elements=elements, budget=MAX_HELD)
    found = xp.reshape(found, (3 + n_models, n_models, *leading))
    ranks = [xp.move_axis(found[k, ...], 0, -1) for k in range(3)]
    probability = xp.move_axis(xp.move_axis(found[3:, ...], 1, -1), 0, -1)
    return *ranks, probability


def _rank_entries(
    xp: Library,
    seed: Seed,
    scores: Array,
    *,
    models: Models,
    statistic: Statistic,
    higher_is_better: bool,
    alpha: float,
    n_resamples: int,
) -> Array:
    """Return ranks, both limits and K probabilities (3 + K, K, E) of scores (E, N)."""
    stacks, levels = center_models(xp, statistic, models, spread_faults(xp, scores))
    resampled = Statistics(xp, seed, stacks, models, statistic)
    replicates = keep(xp, resampled, n_resamples)
    of = estimate(xp, stacks, models, statistic, replicates)
    sign = 1.0 if higher_is_better else -1.0
    subtract = find_differences(xp, levels)
    size = min(n for _, n in models.shapes)
    ties = find_ties(xp, statistic, of.rounding, levels, subtract.share, size)
    gaps = sign * subtract(of.statistic)
    gaps = xp.where(xp.abs(gaps) > ties, gaps, 0.0 * gaps)
    errors = pair_errors(xp, of.error, subtract.share)
    squares = [errors.rows * errors.rows, errors.columns * errors.columns]
    t, df = find_t(xp, limit_gaps(xp, gaps, errors.size), squares, _pair(of.df))
    first, second = _pair(of.is_known)
    # A mean of scores that are all the same is known by the spread of the other model.
    is_known = first | second if statistic == "mean" else first & second
    p_values = xp.where(is_known, student_t_sf(xp, t, df), 1.0)
    unit = xp.where(of.error > 0.0, of.error, 1.0)[..., None]
    shifts = sign * ((replicates - of.statistic[..., None]) / unit)
    is_better = tell_apart(xp, p_values, errors.weights, shifts, alpha)
    rows = xp.contiguous(xp.move_axis(replicates, -1, 0))
    shares = Shares(xp, rows, subtract, ties, sign)
    counts = sum_replicates(
        xp, shares, n_resamples, initial=0.0 * gaps, elements=shares.elements
    )
    rank, _ = bound_ranks(xp, gaps > 0.0, gaps.dtype)
    ranks = [rank, *bound_ranks(xp, is_better, gaps.dtype)]
    found = [xp.stack(ranks), xp.permute_dims(counts / n_resamples, (2, 0, 1))]
    fault = xp.sum(add_up_faults([of.error, of.statistic]), axis=-1)
    return xp.permute_dims(xp.concat(found, axis=0) + fault[:, None], (0, 2, 1))


def _pair(x: Array) -> tuple[Array, Array]:
    """Return numbers (E, K) for the rows and the columns of a matrix (E, K, K)."""
    return x[:, :, None], x[:, None, :]
