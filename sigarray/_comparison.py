"""All common statistics of two samples of scores, in one call."""

import math
from typing import Unpack

from sigarray._backend.aliases import Alternative, Array, ExecutionOptions, RandomSource
from sigarray._backend.checks import choice
from sigarray._backend.dispatch import standardize
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._backend.public import checked
from sigarray._difference.ranks import mann_whitney_u
from sigarray._numeric.faults import spread_faults
from sigarray._numeric.statistic import (
    apply_statistic,
    center_scores,
    standard_deviation,
)
from sigarray._order.bounds import result_of_pair
from sigarray._order.estimates import estimate_pairs
from sigarray._order.families import family_of
from sigarray._order.plans import METHODS, Method, level_of
from sigarray._order.two_samples import STREAMS
from sigarray.results import ComparisonResult, ScoreSummary


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
        and broadcast; all of them see the same resamples.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        The alternative hypothesis: A differs from B ("two-sided"), is better
        ("greater") or is worse ("less").

        Only Mann-Whitney's test has one.
    axis : int, default: -1
        The axis of the scores; the others are batches.
    confidence_level : float, default: 0.95
        Confidence of the bound, in (0, 1): 0.95 for 95 %.
    n_comparisons : int, default: 1
        Divide 1 - `confidence_level` by this number of comparisons (Bonferroni).
    n_resamples : int, default: 1000
        Number of bootstrap replicates. The more there are, the less the result depends
        on the seed.
    dt : float, optional
        Compare quantiles on the grid dt, 2 dt, ... < 1, as the papers do with dt =
        0.005; by default all of them, exactly.
    method : {"auto", "bootstrap", "exact", "asymptotic"}, default: "auto"
        How to find the standard error: from random resamples ("bootstrap"), from all
        distinct ones ("exact"), or by the normal limit of many scores ("asymptotic").
        "auto" is "exact" where there are few distinct ones, as of five scores a side,
        else "bootstrap".
    higher_is_better : bool, default: True
        False for losses and error rates: lower scores are better.

        The statistics are those of the unchanged scores; the tests are reversed.
    rng : int, generator or key, optional
        Source of the random numbers: a seed, which is an int in [0, 2^64) and gives the
        same numbers on every backend and device; a generator of NumPy or of the arrays'
        library; or a key of JAX. By default fresh entropy, so that each call draws
        others; JAX needs a seed or a key.
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
    ComparisonResult
        `summary_a` and `summary_b` (`mean`, `std`, `median`, `min` and `max` of the
        scores), `mann_whitney` as from `mann_whitney_u`, and `aso_a_over_b` and
        `aso_b_over_a` as from `aso`, with one level for both directions as in
        `multi_aso`: arrays of shape (...), on the device and of the float dtype of the
        scores. NaN throughout for a batch entry with a score that is not finite.

    Raises
    ------
    TypeError
        Scores that are not real numbers, or of two libraries or devices; an `rng` that
        the library cannot use, or none on JAX if one is needed.
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
    estimates, equality = estimate_pairs(
        xp,
        [better[..., None, :], worse[..., None, :]],
        STREAMS,
        family=family_of(2, level),
        method=method,
        n_resamples=n_resamples,
        dt=dt,
        higher_is_better=True,
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
    (centered,), (level,), (middle,), unit = center_scores(xp, "mean", x)
    return (
        unit * (level + (middle + xp.mean(centered, axis=-1))),
        unit * standard_deviation(xp, centered),
        unit * (level + (middle + apply_statistic(xp, "median", centered))),
        xp.min(x, axis=-1),
        xp.max(x, axis=-1),
    )
