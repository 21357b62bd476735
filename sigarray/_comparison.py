"""Two models by all common statistics, and the order of many."""

import itertools
import math
from collections.abc import Hashable, Iterable
from typing import Unpack

import numpy as np

from sigarray._backend.callers import Alternative, Array, ExecutionOptions, RandomSource
from sigarray._backend.checks import choice, describe, half
from sigarray._backend.dispatch import standardize, to_host
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._difference.ranks import mann_whitney_u
from sigarray._host import check_matrix, choose_names
from sigarray._numeric.faults import spread_faults
from sigarray._numeric.statistic import (
    apply_statistic,
    center_scores,
    standard_deviation,
)
from sigarray._order.estimates import Rows
from sigarray._order.families import family_of
from sigarray._order.many_models import result_of_pair
from sigarray._order.stacks import METHODS, Method, level_of
from sigarray.results import ComparisonResult, PairwiseAsoResult, Ranking, ScoreSummary

# If there are more groups than this, not all are listed.
_MAX_GROUPS = 1000


def ranking(
    result: PairwiseAsoResult,
    /,
    threshold: float = 0.2,
    *,
    names: Iterable[Hashable] | None = None,
) -> Ranking:
    """Rank the models of `multi_aso`, for tables and pictures.

    Model i beats model j where ``eps_min[i, j]`` is below the threshold. Models that
    beat more others come first; ties go to those that fewer beat, then to a smaller
    mean violation ratio, then to the given order. A group is a largest set of models
    of which none beats another: two models that are not told apart share one, and those
    that share none are told apart.

    Parameters
    ----------
    result : PairwiseAsoResult
        The result of `multi_aso` for K models, with arrays of shape (K, K) of any
        library. They are copied to the host, which waits for the device.
    threshold : float, default: 0.2
        A model is better where its bound eps_min is below this; above 0, at most 0.5.

        At 0.5, "better" needs only half of the order.
    names : iterable of K hashables, optional
        Names of the models, such as the mapping that was passed to `multi_aso`; by
        default their places, 0 to K - 1.

    Returns
    -------
    Ranking
        `order`, `beats` and `groups`. If there are more than 1000 groups, only so many
        that any two models that are not told apart share one.

    Raises
    ------
    TypeError
        Anything but a result of `multi_aso`, or a traced one.
    ValueError
        A result of several batch entries, or with NaN; a different number of names, or
        a name twice; a threshold outside (0, 0.5].

    See Also
    --------
    multi_aso : the bounds.

    Examples
    --------
    >>> from sigarray import multi_aso, ranking
    >>> scores = {
    ...     "linear": [0.81, 0.80, 0.83, 0.82, 0.81],
    ...     "forest": [0.88, 0.91, 0.89, 0.90, 0.89],
    ...     "boosted": [0.89, 0.90, 0.88, 0.91, 0.90],
    ... }
    >>> ranked = ranking(multi_aso(scores), names=scores)
    >>> ranked.order
    ('boosted', 'forest', 'linear')
    >>> ranked.groups
    (('boosted', 'forest'), ('linear',))
    """
    labels, beats, ratio = read_pairs(result, threshold, names)
    order = order_models(beats, ratio)
    is_decided = (beats | beats.T)[np.ix_(order, order)]
    return Ranking(
        tuple(labels[k] for k in order),
        tuple(tuple(labels[j] for j in order if beats[i, j]) for i in order),
        tuple(tuple(labels[order[k]] for k in x) for x in list_groups(is_decided)),
    )


def read_pairs(
    result: PairwiseAsoResult, threshold: float, names: Iterable[Hashable] | None
) -> tuple[list[Hashable], np.ndarray, np.ndarray]:
    """Return names, who beats whom (K, K), and violation ratios, on the host."""
    if not isinstance(result, PairwiseAsoResult):
        msg = f"Expected the result of multi_aso; got {describe(result)}."
        raise TypeError(msg)
    limit = half("threshold", threshold)
    eps_min, ratio = to_host(result.eps_min), to_host(result.violation_ratio)
    check_matrix(eps_min)
    n = eps_min.shape[0]
    labels = choose_names(names, n)
    # The row of a model with a fault has only its diagonal.
    faulty = [labels[k] for k in range(n) if np.isnan(np.delete(eps_min[k], k)).all()]
    if faulty or np.isnan(eps_min).any():
        msg = f"Expected bounds of all pairs; got NaN for {faulty}. Leave them out."
        raise ValueError(msg)
    beats = eps_min < limit
    np.fill_diagonal(beats, val=False)
    return labels, beats, ratio


def order_models(beats: np.ndarray, ratio: np.ndarray) -> list[int]:
    """Return the places of models (K, K), the best first; those with faults at last.

    `beats` says which model beats which, and `ratio` is the violation ratio.
    """
    n = len(beats)
    # The row of a model with a fault has only its diagonal.
    is_faulty = (np.isnan(ratio).sum(1) >= n - 1) & (n > 1)
    means = np.nanmean(np.where(np.isnan(ratio).all(1)[:, None], 0.5, ratio), axis=1)
    keys = zip(is_faulty, -beats.sum(1), beats.sum(0), means, range(n), strict=True)
    return [k for *_, k in sorted(keys)]


def list_groups(is_decided: np.ndarray) -> list[list[int]]:
    """List all largest sets of places without a decided pair, in order.

    It is Bron and Kerbosch's algorithm with pivots [1]_. There may be exponentially
    many sets: of more than `_MAX_GROUPS`, only the first set with each undecided pair,
    by places, is listed.

    References
    ----------
    .. [1] C. Bron, J. Kerbosch (1973). Algorithm 457: finding all cliques of an
       undirected graph. Communications of the ACM 16, 575-577.
       :doi:`10.1145/362342.362367`
    """
    n = is_decided.shape[0]
    near = [
        set(np.flatnonzero(~row).tolist()) - {k} for k, row in enumerate(is_decided)
    ]
    groups: list[list[int]] = []
    todo = [(list[int](), set(range(n)), set[int]())]
    while todo and len(groups) <= _MAX_GROUPS:
        group, candidates, done = todo.pop()
        if not candidates and not done:
            groups.append(sorted(group))
            continue
        pivot = max(candidates | done, key=lambda k: len(near[k] & candidates))
        for k in sorted(candidates - near[pivot]):
            todo.append(([*group, k], candidates & near[k], done & near[k]))
            candidates, done = candidates - {k}, done | {k}
    return sorted(groups) if len(groups) <= _MAX_GROUPS else _cover_pairs(near)


def _cover_pairs(near: list[set[int]]) -> list[list[int]]:
    covered: set[tuple[int, int]] = set()
    groups = []
    for i, others in enumerate(near):
        for j in sorted(others) or [i]:
            if i > j or (i, j) in covered:
                continue
            group, candidates = {i, j}, others & near[j] if i != j else set[int]()
            while candidates:
                k = min(candidates)
                group.add(k)
                candidates = candidates & near[k]
            groups.append(sorted(group))
            covered.update(itertools.combinations(sorted(group), 2))
    return sorted(groups)


@checked(method=choice(*METHODS))
def compare(
    a: Array,
    b: Array,
    /,
    *,
    alternative: Alternative = "two-sided",
    axis: int = -1,
    confidence_level: float = 0.95,
    n_comparisons: int = 1,
    n_resamples: int = 1000,
    dt: float | None = None,
    method: Method = "auto",
    higher_is_better: bool = True,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> ComparisonResult:
    """Compare two models by statistics of the scores, by ranks and by stochastic order.

    [1]_ uses statistics and Mann-Whitney's test if these agree, and almost stochastic
    order if they do not.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run or item. Leading axes are batches,
        which broadcast and see the same resamples.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        A differs from B ("two-sided"), is better ("greater") or worse ("less").

        Only Mann-Whitney's test has one.
    axis : int, default: -1
        The axis of the scores; the others are batches.
    confidence_level : float, default: 0.95
        Confidence of the bound, in (0, 1): 0.95 for 95 %.
    n_comparisons : int, default: 1
        Divide 1 - `confidence_level` by this number of comparisons (Bonferroni).
    n_resamples : int, default: 1000
        Number of bootstrap replicates: with more, the result depends less on the seed.
    dt : float, optional
        Compare quantiles at dt, 2 dt, ... < 1, as the papers do with 0.005; by default
        all of them, exactly.
    method : {"auto", "bootstrap", "exact", "asymptotic"}, default: "auto"
        How to find the standard error: from random resamples ("bootstrap"), all
        distinct ones ("exact"), or the normal limit of many scores ("asymptotic").
        "auto" is "exact" if there are few distinct ones, as for five scores a side,
        else "bootstrap".
    higher_is_better : bool, default: True
        False if lower scores are better, as for losses.

        The statistics are those of the unchanged scores; the tests are reversed.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.
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
    ComparisonResult
        `summary_a` and `summary_b` (`mean`, `std`, `median`, `min` and `max` of the
        scores), `mann_whitney` as from `mann_whitney_u`, and `aso_a_over_b` and
        `aso_b_over_a` as from `aso`, with one level for both directions as in
        `multi_aso`: arrays of shape (...), on the device and of the float dtype of the
        scores. NaN throughout for a batch entry with a score that is not finite.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices; an unsuitable `rng`,
        or none on JAX if one is needed.
    ValueError
        A sample without scores, leading axes that do not broadcast, options outside
        their range, or "exact" for too many resamples.

    Warns
    -----
    UserWarning
        Too few scores for any verdict. Fewer than 200 scores on a side with
        "asymptotic".

    Notes
    -----
    The standard deviation has ddof 1, and is NaN for one score.

    References
    ----------
    .. [1] R. Dror, S. Shlomov, R. Reichart (2019). Deep dominance: how to properly
       compare deep neural models. ACL. :doi:`10.18653/v1/P19-1266`

    Examples
    --------
    >>> from sigarray import compare
    >>> result = compare([0.92, 0.94, 0.93, 0.95, 0.94], [0.90, 0.92, 0.93, 0.89, 0.93])
    >>> round(float(result.summary_a.mean), 3), round(float(result.summary_b.mean), 3)
    (0.936, 0.914)
    >>> bool(result.mann_whitney.pvalue < 0.05)
    False
    >>> bool(result.aso_a_over_b.eps_min < 0.2)
    False
    """
    xp, (a, b) = standardize(a, b, axis=axis)
    better, worse = (a, b) if higher_is_better else (-a, -b)
    by_ranks = mann_whitney_u(
        *_without_faults(xp, better, worse), alternative=alternative
    )
    level = level_of(confidence_level, n_comparisons)
    pair = Rows(xp, [better[..., None, :], worse[..., None, :]])
    estimates, equality = pair.estimate(
        pair.streams_of_pair,
        family=family_of(2, level),
        method=method,
        n_resamples=n_resamples,
        dt=dt,
        rng=rng,
    )
    summary_a, summary_b = _summarize(xp, a, b)
    a_over_b, b_over_a = (
        result_of_pair(xp, estimates, equality, is_reverse=is_reverse)
        for is_reverse in (False, True)
    )
    return ComparisonResult(
        ScoreSummary(*summary_a),
        ScoreSummary(*summary_b),
        by_ranks,
        a_over_b,
        b_over_a,
    )


@array_kernel
def _without_faults(xp: Library, *samples: Array) -> list[Array]:
    return [spread_faults(xp, x) for x in samples]


@array_kernel
def _summarize(
    xp: Library, a: Array, b: Array
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    a, b = spread_faults(xp, a), spread_faults(xp, b)
    is_faulty = xp.any(xp.isnan(a), axis=-1) | xp.any(xp.isnan(b), axis=-1)
    first, second = (
        tuple(xp.where(is_faulty, math.nan, value) for value in _describe(xp, x))
        for x in (a, b)
    )
    return first, second


def _describe(xp: Library, x: Array) -> tuple[Array, ...]:
    (centered,), (level,), (middle,), unit, _ = center_scores(xp, "mean", x)
    return (
        unit * (level + (middle + xp.mean(centered, axis=-1))),
        unit * standard_deviation(xp, centered),
        unit * (level + (middle + apply_statistic(xp, "median", centered))),
        xp.min(x, axis=-1),
        xp.max(x, axis=-1),
    )
