"""Ranks of several models, with intervals that hold for all of them at once."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Unpack

from sigarray._backend.callers import (
    Array,
    ExecutionOptions,
    RandomSource,
    Seed,
    Statistic,
)
from sigarray._backend.checks import integer
from sigarray._backend.chunks import MAX_HELD, map_entries
from sigarray._backend.dispatch import standardize
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._backend.seeds import (
    name_streams,
    number_streams,
    seed_words,
    stream_seeds,
)
from sigarray._difference.resampling import DESIGN_RULES
from sigarray._difference.strata import arrange_strata, check_strata, is_axis
from sigarray._numeric.faults import spread_faults
from sigarray._numeric.statistic import apply_statistic, check_sizes, weighted_middle
from sigarray._numeric.sums import SumStatistic
from sigarray._order.pairs import join, slices_of
from sigarray._order.stacks import (
    check_place_of_models,
    list_models,
    name_models,
    stack_by_size,
)
from sigarray._rank_intervals.comparisons import (
    Models,
    center_models,
    estimate,
    rank_estimates,
    split_ranks,
)
from sigarray._rank_intervals.designed import prepare_designed, rank_designed
from sigarray._resampling.designs import draw_within
from sigarray._resampling.replicates import keep
from sigarray.results import ConfidenceInterval, RankResult


@checked(**DESIGN_RULES | {"axis": integer})
def rank_ci(
    scores: Any,
    /,
    *,
    paired: bool = False,
    statistic: Statistic = "mean",
    clusters: Any = None,
    n_clusters: int | tuple[int, ...] | None = None,
    strata: Any = None,
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
        the order given. Runs of one model are independent of those of others; scores
        of the same items are not, and need `paired`.
    paired : bool, default: False
        Whether all models have the same items in the same order, as systems on one test
        set: these are then drawn for all models together. Else each model is drawn by
        itself.
    statistic : {"mean", "median", "iqm"} or callable, default: "mean"
        By what to rank: means, medians, interquartile means ("iqm", without n // 4
        scores at each end), or a callable, called as f(x, axis=-1), which returns the
        statistic along that axis, in array-API code; `of_sums` of a function makes a
        metric of the sums of d numbers of each item, and the scores of a model are then
        a tuple of d arrays (..., n), or one (..., d, n), and of all models one array
        (..., K, d, n).
    clusters : array_like, or one for each model, optional
        A label for each item if whole clusters were sampled, as in `bootstrap_ci`: with
        `paired` one array, else an array for all models, or a list or mapping of one
        for each. `statistic` is then "mean" or `of_sums`.
    n_clusters : int or tuple of int, optional
        The number of clusters, or that of each model, static under `jit`, for labels
        that are integers on a device, which are not read.
    strata : int, array_like, or one for each model, optional
        The axis of the tasks, of which all models have as many, or a label for each
        score, which tasks with unlike numbers of runs need: with `paired` one array,
        else an array for all models, or a list or mapping of one for each. Ranks are
        then those on these tasks, with other runs; each score counts the same, as in
        `bootstrap_ci`. By default there is one task. With ``axis=-2, strata=-1`` runs
        and tasks are the last axes of one array of models, runs and tasks, and of each
        array of runs and tasks in a mapping or list, whose axes do not count that of
        the models.
    confidence_level : float, default: 0.95
        Confidence that the intervals of all models hold, in (0, 1): 0.95 for 95 %.
    n_resamples : int, default: 9999
        Number of bootstrap replicates: with more, the result depends less on the seed.
    axis : int, default: -1
        The axis of the scores. In one array the models are on the last of the others,
        but for that of the tasks.
    higher_is_better : bool, default: True
        False if lower scores are better, as for losses.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.

        The random numbers of a model depend on its name in a mapping or data frame,
        else on its place, so that another model changes no resample of the others.
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
    RankResult
        `rank`, 1 for the best, of shape (..., K), with the `confidence_interval` of
        each rank, and `probability`, of shape (..., K, K), the share of resamples in
        which a model has each rank; on the device and of the float dtype of the scores.
        NaN for a batch entry with a score that is not finite, for a rank is among all
        models.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices; an unsuitable `rng`.
    ValueError
        Fewer than two models, fewer than two scores of a model on a task, other numbers
        of tasks, other numbers of items with `paired`, labels that are not those of the
        models, tasks and scores of one array whose models are on its last axis,
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
    freedom; if two numbers of runs differ, these are the harmonic mean of Welch's and
    those of the fewer runs, as in `aso`. The error of a mean is its standard error
    within tasks. Two models whose
    runs are all the same are not told apart, as `t_test` says NaN: few rounded scores
    are often the same by chance. If those of one vary, t and its degrees of freedom are
    from these. The error of another statistic is the standard deviation of its
    resamples, and if that is 0 the model is told apart from no other. What is said of
    two models depends on their own scores, so that a diverged run of a third one costs
    them no digits, and only the correction for more comparisons.

    With `paired`, the error of a difference is that of the differences of items, and
    with clusters or a metric of sums it is that of `t_test`, for each model or for each
    pair.

    `probability` says where a model is in resamples, and is no substitute for the
    interval: percentiles of it fail at near ties. Of 10 near ties with 5, 10 or 20
    runs, intervals of 95 % held all ranks in 94.8 to 97.9 % of sets, and those of
    medians, and of interquartile means of 26 tasks, in 96.4 to 99.7 %; but those of
    means in 90.8 to 92.6 % if scores were lognormal, with spreads up to 10 times as
    wide as others. Percentiles of the rank of one model held that in 75.9 to 83.6 %,
    and those of all in 3.9 to 19.4 %. Of four or six equal models, of which some have 3
    to 5 runs and others 8 to 20, they held in 96.9 to 98.3 %; with Welch's degrees of
    freedom in 89.3 to 94.0 %.

    Of six equal systems on the same 50 or 200 items, by micro F1 and with `paired`,
    intervals of 95 % held all ranks in 95.0 to 95.4 % of sets, and in 95.0 to 97.2 % of
    sets of items in 20 and 50 clusters; without `clusters` in 56.4 to 58.0 %.

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
    n_strata, is_one = 1, given[0] is columns
    is_of_sums = isinstance(statistic, SumStatistic)
    has_labels = strata is not None and not is_axis(strata)
    if paired or clusters is not None or has_labels or is_of_sums:
        prepared = prepare_designed(
            statistic,
            given,
            names,
            is_one=is_one,
            axis=axis,
            paired=paired,
            clusters=clusters,
            n_clusters=n_clusters,
            strata=strata,
        )
        rank, low, high, probability = rank_designed(
            prepared,
            seed_words(prepared[0][0].xp, rng),
            names,
            paired=paired,
            higher_is_better=higher_is_better,
            alpha=1.0 - confidence_level,
            n_resamples=n_resamples,
        )
        return RankResult(rank, ConfidenceInterval(low, high), probability)
    xp, samples = standardize(*given, axis=axis)
    if strata is not None:
        for n_axes in (x.ndim for x in samples):
            if not -n_axes <= strata < n_axes:
                msg = (
                    f"Expected strata to be an axis of the tasks, from {-n_axes} to "
                    f"{n_axes - 1}; got {strata}."
                )
                hint = " In a mapping or list, axes do not count that of the models."
                raise ValueError(msg if is_one else msg + hint)
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


@dataclass(frozen=True, eq=False)
class Statistics:
    """The statistic of each model (E, K, size), whose draws have a stream of their own.

    The words of the seed (K, 1) are in the order of the stacks. Of a stratum of n
    scores n - 1 are drawn: see `StratifiedPlaces`.
    """

    xp: Library
    seed: Seed
    stacks: Sequence[Array]
    models: Models
    statistic: Statistic

    @property
    def elements(self) -> int:
        sizes = (math.prod(x.shape) + math.prod(x.shape[1:]) for x in self.stacks)
        return int(sum(sizes))

    def __call__(self, start: int | Array, size: int) -> Array:
        low, high = self.seed
        slices = slices_of(k for k, _ in self.models.shapes)
        parts = [
            self._evaluate(x, (low[of, :], high[of, :]), start, size)
            for x, of in zip(self.stacks, slices, strict=True)
        ]
        return self.models.gather(self.xp, parts)

    def _evaluate(self, x: Array, seed: Seed, start: int | Array, size: int) -> Array:
        """Return the statistic (E, K, size) of resamples of a stack (E, K, n)."""
        xp = self.xp
        n_entries, n_models, n = x.shape
        n_strata = self.models.n_strata
        (places,) = draw_within(xp, seed, start, size, n_strata, [n // n_strata], False)
        places = places + n * xp.arange(n_models, dtype=places.dtype)[:, None]
        width = places.shape[-1]
        drawn = xp.take_last(
            xp.reshape(x, (n_entries, n_models * n)),
            xp.reshape(places, (size, n_models * width)),
        )
        drawn = xp.reshape(drawn, (n_entries, size, n_models, width))
        if self.statistic in ("median", "iqm"):
            values = weighted_middle(xp, self.statistic, drawn, None, n)
        else:
            values = apply_statistic(xp, self.statistic, drawn)
        return xp.matrix_transpose(values)


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
    return split_ranks(xp, found, leading)


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
    return rank_estimates(
        xp,
        replicates,
        of,
        levels,
        statistic=statistic,
        size=min(n for _, n in models.shapes),
        are_unlike=len({n for _, n in models.shapes}) > 1,
        higher_is_better=higher_is_better,
        alpha=alpha,
    )
