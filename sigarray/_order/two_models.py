"""Almost stochastic order: are the scores of model A above those of model B?"""

from typing import Unpack

from sigarray._backend.callers import Array, ExecutionOptions, RandomSource
from sigarray._backend.checks import anything, choice
from sigarray._backend.dispatch import first_replicate
from sigarray._backend.public import checked
from sigarray._backend.seeds import seed_words
from sigarray._backend.tables import Axis, axis_or_axes
from sigarray._numeric.quantile import even_grid
from sigarray._order.crossed import stack_pair
from sigarray._order.families import Family
from sigarray._order.many_models import result_of_pair
from sigarray._order.stacks import METHODS, Method, level_of
from sigarray.results import AsoResult


@checked(method=choice(*METHODS), axis=axis_or_axes)
def aso(
    a: Array,
    b: Array,
    /,
    *,
    axis: Axis = -1,
    confidence_level: float = 0.95,
    n_comparisons: int = 1,
    n_resamples: int = 1000,
    dt: float | None = None,
    method: Method = "auto",
    higher_is_better: bool = True,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> AsoResult:
    """Almost stochastic order: is model A better than model B?

    The null hypothesis is that A is not almost stochastically dominant over B: that the
    violation ratio eps is at least a threshold tau. `eps_min` is an upper confidence
    bound of eps; A is declared better where `eps_min` < tau, and small values favour A.
    [1]_ requires tau <= 0.5, and [2]_ advises tau = 0.2. For two equal distributions
    eps is 1/2: so `eps_min` is 0.5 or more unless a test of ranks, which is exact
    without ties, rejects that they are equal, in favour of A; with fewer than 20
    scores, a test of means must reject, too.

    This is one claim, "A is better". Asking both ways, aso(a, b) and aso(b, a), makes
    two, and is wrong for equal models twice as often: pass `n_comparisons=2`, or call
    `multi_aso`, whose test is two-sided.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run or item. Leading axes are batches,
        which broadcast and see the same resamples.
    axis : int or (int, int), default: -1
        The axis of the scores; the others are batches. A pair of axes, (seeds, items),
        if each seed has a score for each item and both were sampled: the models then
        share items, each has seeds of its own, and the scores are means over items.
    confidence_level : float, default: 0.95
        Confidence of the bound, in (0, 1): 0.95 for 95 %.
    n_comparisons : int, default: 1
        Divide 1 - `confidence_level` by this number of comparisons (Bonferroni).
    n_resamples : int, default: 1000
        Number of bootstrap replicates: with more, the result depends less on the seed.

        The standard error has a relative Monte-Carlo error of about (2
        `n_resamples`)^-1/2, and more where the ratio is near 0 or 1.
    dt : float, optional
        Compare quantiles at dt, 2 dt, ... < 1, as the papers do with 0.005; by default
        all of them, exactly.

        For very large samples a grid is much faster, because only its order statistics
        are drawn.
    method : {"auto", "bootstrap", "exact", "asymptotic"}, default: "auto"
        How to find the standard error: from random resamples ("bootstrap"), all
        distinct ones ("exact"), or the normal limit of many scores ("asymptotic").
        "auto" is "exact" if there are few distinct ones, as for five scores a side,
        else "bootstrap".

        - "bootstrap": resample both samples with replacement, each to its size;
        - "exact": average over all distinct resamples, C(2n-1, n) C(2m-1, m) of them,
          which needs no `rng`. More than 2^24 of them, or more than 11 scores a side,
          are refused;
        - "asymptotic": the normal limit, in O(n log n) and with no `rng`. For n and m
          of at least 200, better 2000, and only if the distributions differ: if they
          are the same the ratio has no normal limit. It takes no `dt`;
        - "auto": "exact" for at most 65536 distinct resamples (five scores a side have
          15876); else "bootstrap", with more than 32768 scores at a part of their
          quantiles: see Notes.

        With axes of seeds and of items it is "bootstrap", and no other is known.
    higher_is_better : bool, default: True
        False if lower scores are better, as for losses.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.

        A generator of PyTorch or CuPy has to be on the device of the scores. An integer
        array on that device, of one number or of its low and its high 32 bits, is a
        seed, too, and may be traced: a new seed then needs no compilation. On JAX, two
        uint32 are a raw key.
    batch : int, optional
        Replicates at a time; by default what suits the device. Memory grows with it;
        the result is the same. In float64 a replicate takes about 40 bytes for each
        score.

        On a GPU the default takes half a gigabyte at most, and 1/64 of its memory.
    workers : int, callable, ProcessGroup or str, optional
        Who computes: a number of threads for NumPy arrays (-1: all cores); a function
        ``map(function, tasks)``, as an executor's; a process group of PyTorch; or a
        mesh axis in `jax.shard_map`. By default this thread. The result is the same.

        An executor may be one of loky or Dask, or have a progress bar around it. The
        ranks of a process group make the same call with the same tensors and the same
        `rng`, compute a share each, and all get the result; different numbers on a rank
        raise, or give NaN on an accelerator. Inside `jax.shard_map` all shards have the
        same scores. The bits of the result do not depend on the workers, up to the
        order of sums over shards of JAX. Below 2^23 numbers the caller, or each rank or
        shard, computes all: sharing would take longer. Libraries other than NumPy have
        threads of their own.
    progress : callable or tqdm, optional
        Called as ``progress(done, total)`` after each batch, not by JAX; or ``tqdm()``.

        Each pass starts from 0. Functions of many samples or pairs count these.

    Returns
    -------
    AsoResult
        `eps_min`, `violation_ratio`, `standard_error`, `probability_of_improvement` and
        `pvalue`, arrays of shape (...), on the device and of the float dtype of the
        scores (float32 for float16 and bfloat16, the widest of the device for
        integers). NaN for a batch entry with a score that is not finite. Nothing is
        copied to the host, and nothing waits for the device.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices; an unsuitable `rng`,
        or none on JAX if one is needed.
    ValueError
        A sample without scores, leading axes that do not broadcast, options outside
        their range, or "exact" for too many resamples; with axes of seeds and of items,
        fewer than two of either, or other items of B.

    Warns
    -----
    UserWarning
        Too few scores for any verdict: `eps_min` is 0.5 or more. Fewer than 200 scores
        on a side with "asymptotic".

    See Also
    --------
    multi_aso : all pairs of several models.
    aso_replicates : the replicates themselves.

    Notes
    -----
    With the standard error sigma, and the level alpha' = (1 - `confidence_level`) /
    `n_comparisons`, equation 6 of [1]_ gives::

        eps_min = eps - q(alpha') sigma,

    clipped to [0, 1] (the factors sqrt(nm / (n + m)) of the papers cancel). One call
    answers both directions: eps(B, A) = 1 - eps(A, B), with the same sigma.

    The papers take the normal quantile for q, and the deviation of resamples for sigma.
    That declares one of two samples of one distribution better too often: one way or
    the other in 17, 11 and 6 % of pairs of 3, 5 and 20 normal scores. Here q is the
    quantile of Student's t with k - 1 degrees of freedom, and sigma (k / (k - 1))^1/2
    times the deviation, where k is the smaller of n and m; for k < 3 there is no bound,
    and `eps_min` is 1. From k = 20 on the bound is at least the percentile of
    replicates that leaves alpha' of them above, or 20 of them if that is more; for this
    they are held, `n_resamples` numbers for each batch entry, up to 65536.

    No quantile helps where eps = 0, in 1 of n + 1 pairs of equal samples of n: there,
    resamples do not vary either. So eps = 1/2, the ratio of equal distributions, counts
    as possible unless equality is rejected at level alpha' by the number of pairs of
    scores that A wins, U of Mann and Whitney [4]_, whose critical value is counted::

        eps_min = bound             where P(U >= observed) <= alpha'
        eps_min = max(bound, 1/2)   elsewhere

    Without ties that is exact for any distribution and sizes, so that A is declared
    better than an equal model with a probability of alpha' at most; with ties, it was
    less often. Many scores (the smaller number squared times the larger one above 2e7)
    take the normal approximation. If one of the samples has fewer than 20 scores,
    Welch's t (see `t_test`) must reject equal means at alpha', too, and `pvalue` is the
    larger of both: few scores of a model that varies more lie on one side of the others
    too often. For more than 49 pairs of scores p of U is fitted and ends near 1e-10:
    see `multi_aso`. If neither sample varies, t says nothing, and `pvalue` is 1, for
    others might vary; of 20 scores or more ranks decide alone, also where none varies.
    With unequal sizes, the degrees of freedom are the harmonic mean of Welch's and
    those of the smaller sample, and these alone if it has fewer than 5 scores.

    With axes of seeds and of items, a score is that of a seed, its mean over items. A
    replicate has items drawn anew, for both models at once, and seeds of each, one
    fewer than there are, so that their variance is that of samples [5]_; sigma is the
    deviation itself. q has the degrees of freedom of Satterthwaite for the difference
    of means, with k - 1 for the variances by seeds together. Equality is tested by
    one-sided `t_test` with the same axes, whose p-value is `pvalue`, instead of ranks.
    Of 1000 pairs each of equal models with their own hard items, 3, 5 and 10 seeds, and
    200 and 500 items, A was called better in 0.4 to 4.2 %, either model by two calls
    with `n_comparisons=2` in 0.4 to 4.4 %, and either by `aso` of means over items in
    4.6 to 67.5 %.

    Where eps equals the threshold, A is declared better more often than alpha', and
    eps is above the bound more often: both are in the page of evidence, by `python -m
    benchmarks.reproduce`. No bound holds of a tail that was not seen: of 5 to 50 normal
    scores against as many lognormal ones (log-deviations 1 and 2), of which eps is 0.2,
    A was declared better in 52 to 95 % of cases, for what is squared is in tails that
    few scores show.

    With more than 32768 scores on a side, "auto" compares resamples at some 4000 or
    more of their quantiles: all in the tails, and in the middle 16 or more in n^-1/2 of
    the distribution. `violation_ratio` stays exact; `python -m benchmarks.grids`
    compares the standard error with that of "bootstrap".

    Batch entries that share a sample share a scale but in NumPy: beside a score 1e154
    times as large (in float32, 1e19) those of others may count as equal.

    All options are static under `jit`, and the scores and `rng` may be traced. Lists of
    numbers, and objects on the host that support only `__array__` or `__dlpack__` (a
    pandas Series, a TensorFlow tensor), are copied to NumPy and computed there.

    References
    ----------
    .. [1] E. del Barrio, J. A. Cuesta-Albertos, C. Matran (2018). An optimal
       transportation approach for assessing almost stochastic order. In: The
       Mathematics of the Uncertain. :doi:`10.1007/978-3-319-73848-2_3`
    .. [2] D. Ulmer, C. Hardmeier, J. Frellsen (2022). deep-significance: easy and
       meaningful statistical significance testing in the age of neural networks.
       :doi:`10.48550/arXiv.2204.06815`
    .. [3] R. Dror, S. Shlomov, R. Reichart (2019). Deep dominance: how to properly
       compare deep neural models. ACL. :doi:`10.18653/v1/P19-1266`
    .. [4] H. B. Mann, D. R. Whitney (1947). On a test of whether one of two random
       variables is stochastically larger than the other. Annals of Mathematical
       Statistics 18, 50-60. :doi:`10.1214/aoms/1177730491`
    .. [5] A. B. Owen (2007). The pigeonhole bootstrap. Annals of Applied Statistics 1,
       386-411. :doi:`10.1214/07-AOAS122`

    Examples
    --------
    Five runs of each model, and no random numbers needed:

    >>> from sigarray import aso
    >>> result = aso([0.92, 0.94, 0.93, 0.96, 0.95], [0.90, 0.92, 0.91, 0.89, 0.93])
    >>> bool(result.eps_min < 0.2)
    True
    """
    pair = stack_pair(a, b, axis, higher_is_better)
    level = level_of(confidence_level, n_comparisons)
    estimates, equality = pair.estimate(
        pair.streams_of_pair,
        method=method,
        n_resamples=n_resamples,
        dt=dt,
        rng=rng,
        family=Family("one-sided", level),
    )
    return result_of_pair(pair.xp, estimates, equality)


@checked(start=anything, axis=axis_or_axes)
def aso_replicates(
    a: Array,
    b: Array,
    /,
    *,
    start: int | Array,
    count: int,
    axis: Axis = -1,
    dt: float | None = None,
    higher_is_better: bool = True,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> Array:
    """Bootstrap replicates of the violation ratio, from any place on.

    `aso` with method "bootstrap" takes (k / (k - 1))^1/2 times the standard deviation
    (ddof 0) of replicates 0 to `n_resamples` - 1, where k is the smaller of n and m;
    with axes of seeds and of items, the deviation itself.
    For one seed, any split of them over calls, devices or machines gives the same
    numbers, up to the order of sums.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run or item. Leading axes are batches,
        which broadcast and see the same resamples.
    start : int
        The first replicate. It may be traced under `jit`, as a shard's index.
    count : int
        How many replicates, static under `jit`. `start` + `count` is at most 2^31.
    axis : int or (int, int), default: -1
        The axis of the scores; the others are batches. A pair of axes, (seeds, items),
        if each seed has a score for each item and both were sampled: the models then
        share items, each has seeds of its own, and the scores are means over items.
    dt : float, optional
        Compare quantiles at dt, 2 dt, ... < 1, as the papers do with 0.005; by default
        all of them, exactly.
    higher_is_better : bool, default: True
        False if lower scores are better, as for losses.
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
        Violation ratios, on the device and of the float dtype of the scores; NaN for a
        batch entry with a score that is not finite.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices; an unsuitable `rng`,
        or none on JAX.
    ValueError
        A sample without scores, leading axes that do not broadcast, or options outside
        their range; with axes of seeds and of items, fewer than two of either.

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import aso_replicates
    >>> a, b = [0.91, 0.93, 0.92, 0.95], [0.90, 0.92, 0.91, 0.93, 0.92]
    >>> whole = aso_replicates(a, b, start=0, count=1000, rng=0)
    >>> half = aso_replicates(a, b, start=500, count=500, rng=0)
    >>> bool(np.all(whole[500:] == half))
    True
    """
    pair = stack_pair(a, b, axis, higher_is_better)
    ratios = pair.replicate(
        seed_words(pair.xp, rng),
        first_replicate(pair.xp, start, count),
        streams=pair.streams_of_pair,
        count=count,
        grid=even_grid(dt),
    )
    return ratios[..., 0, :]
