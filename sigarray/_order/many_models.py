"""Almost stochastic order of several models, and results from estimates."""

import functools
import math
from collections.abc import Hashable
from typing import Any, Literal, Unpack

import numpy as np

from sigarray._backend.callers import Array, ExecutionOptions, RandomSource
from sigarray._backend.checks import anything, choice, represent, show
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._backend.seeds import name_streams, number_streams
from sigarray._backend.tables import Axis, axis_or_axes
from sigarray._order.comparison import Equality
from sigarray._order.crossed import Tables, stack_models
from sigarray._order.errors import Estimates
from sigarray._order.families import Family, by_pairs, family_of
from sigarray._order.pairs import as_matrix, reorder, slices_of
from sigarray._order.stacks import METHODS, Method, level_of, name_models
from sigarray._plain_text import suggest
from sigarray.results import AsoResult, PairwiseAsoResult


def upper_bound(
    xp: Library, ratio: Array, margin: Array, superiority: Array, is_told: Array
) -> Array:
    """eps_min, the upper confidence bound: del Barrio et al. (2018), equation 6.

    Equal models have a ratio of 1/2. So the bound is at least 1/2 unless equality is
    rejected.
    """
    bound = xp.clip(ratio + margin, 0.0, 1.0)
    is_ahead = is_told & (superiority > 0.5)
    return xp.where(is_ahead, bound, xp.clip(bound, 0.5, None))


@array_kernel
def result_of_pair(
    xp: Library, estimates: Estimates, equality: Equality, *, is_reverse: bool = False
) -> AsoResult:
    ratio, error, margin, reverse_margin, superiority, p_value, is_told = [
        x[..., 0] for x in (*estimates, *equality)
    ]
    if is_reverse:
        ratio, superiority = 1.0 - ratio, 1.0 - superiority
        margin = reverse_margin
    eps_min = upper_bound(xp, ratio, margin, superiority, is_told)
    return AsoResult(eps_min, ratio, error, superiority, p_value)


@array_kernel
def pairwise_result(
    xp: Library,
    estimates: Estimates,
    equality: Equality,
    *,
    sizes: tuple[int, ...],
    order: tuple[int, ...],
    family: Family,
) -> PairwiseAsoResult:
    """Spread the pairs over matrices of all models, in the caller's order."""
    spread = functools.partial(as_matrix, xp, sizes=sizes, order=order)

    def same(x: Array) -> Array:
        return x

    models = xp.arange(len(order))
    is_diagonal = models[:, None] == models[None, :]
    ratios = spread(estimates.ratio, reverse=lambda eps: 1.0 - eps, diagonal=0.5)
    errors = spread(estimates.error, reverse=same, diagonal=0.0)
    # Each is half of their sum plus or minus half of their difference.
    forward, backward = estimates.margin, estimates.reverse_margin
    margins = spread(0.5 * (forward + backward), reverse=same, diagonal=0.0) + spread(
        0.5 * (forward - backward), reverse=lambda x: -x, diagonal=0.0
    )
    superiority, p_values, is_told = equality
    if family.kind == "pairs":
        superiority = spread(superiority, reverse=lambda x: 1.0 - x, diagonal=0.5)
        p_values = spread(p_values, reverse=same, diagonal=1.0)
        is_told = spread(is_told, reverse=same, diagonal=False)
        if family.baseline is not None:
            is_base = models == order.index(family.baseline)
            is_asked = is_base[:, None] | is_base[None, :] | is_diagonal
            p_values = xp.where(is_asked, p_values, math.nan)
            is_told = is_told & is_asked
    else:
        superiority, p_values, is_told = (
            reorder(xp, x, order) for x in (superiority, p_values, is_told)
        )
    bounds = upper_bound(xp, ratios, margins, superiority, is_told)
    eps_min = xp.where(is_diagonal, 1.0, bounds)
    return PairwiseAsoResult(eps_min, ratios, errors, superiority, p_values)


Correction = Literal["bonferroni"]


@checked(method=choice(*METHODS), baseline=anything, axis=axis_or_axes)
def multi_aso(
    scores: Any,
    /,
    *,
    axis: Axis = -1,
    confidence_level: float = 0.95,
    correction: Correction | None = "bonferroni",
    baseline: Hashable | None = None,
    n_comparisons: int = 1,
    n_resamples: int = 1000,
    dt: float | None = None,
    method: Method = "auto",
    higher_is_better: bool = True,
    rng: RandomSource = None,
    **_: Unpack[ExecutionOptions],
) -> PairwiseAsoResult:
    """Almost stochastic order between all pairs of K models.

    The null hypothesis of entry (i, j) is that model i is not almost stochastically
    dominant over model j; small values of `eps_min` favour model i, the row. If two
    models have one distribution, `eps_min` is 0.5 or more both ways unless a test tells
    them apart. The probability that it wrongly does so for any pair, in any direction,
    is at most 1 - `confidence_level`, whatever the other models are: Notes say what of
    that is proven, and what is measured.

    Parameters
    ----------
    scores : array of shape (..., K, n), sequence of K arrays, or mapping of K arrays
        Scores of K >= 2 models. In a sequence or a mapping (name -> scores, or a pandas
        or polars DataFrame with a column for each model) each model has an array
        (..., n_k), and sizes may differ; models are in the order given. Drop missing
        scores first: a NaN is a fault of its model, not a blank. A mapping of traced
        scores is refused, because JAX sorts mappings that are arguments: pass a list.
        So is a column of a data frame that is an index, such as "seed". Lists and other
        objects on the host are copied to NumPy.
    axis : int or (int, int), default: -1
        The axis of the scores. In one array the models are on the last of the others. A
        pair of axes, (seeds, items), if every seed of a model has a score for every
        item, and both were sampled, as in `aso`: all models then have the same items.
        ``axis=(-2, -1)`` is right for one array of models, seeds and items, and for
        each array of a mapping or list, whose axes do not count that of the models.
    confidence_level : float, default: 0.95
        Confidence of the bound, in (0, 1): 0.95 for 95 %.

        With a correction it is that of all bounds at once, and 1 - `confidence_level`
        is the level of all tests together.
    correction : {"bonferroni", None}, default: "bonferroni"
        Divide 1 - `confidence_level` by the number of pairs for the bounds, K (K - 1) /
        2, or K - 1 with a baseline, and test equality by the closure principle. With
        None each pair is tested and bounded as if it were the only one.

        With axes of seeds and of items, the tests are by Bonferroni, too.
    baseline : int or name, optional
        Compare this model, by its place or its name, with each other one, and no other
        pairs: then fewer runs suffice. `eps_min` of the other pairs is 0.5 or more.
    n_comparisons : int, default: 1
        Divide 1 - `confidence_level` by this number of comparisons (Bonferroni).

        The pairs are counted by `correction`: this is for more, such as the number of
        tasks.
    n_resamples : int, default: 1000
        Number of bootstrap replicates: with more, the result depends less on the seed.

        Each model is resampled once in a replicate, and compared with all others.
    dt : float, optional
        Compare quantiles at dt, 2 dt, ... < 1, as the papers do with 0.005; by default
        all of them, exactly.
    method : {"auto", "bootstrap", "exact", "asymptotic"}, default: "auto"
        How to find the standard error: from random resamples ("bootstrap"), all
        distinct ones ("exact"), or the normal limit of many scores ("asymptotic").
        "auto" is "exact" if there are few distinct ones, as for five scores a side,
        else "bootstrap".

        With P pairs, "auto" enumerates those of at most 2^24 / P distinct resamples:
        those of five scores for up to 46 models.
    higher_is_better : bool, default: True
        False if lower scores are better, as for losses.
    rng : int, generator or key, optional
        A seed, an int in [0, 2^64), which gives the same random numbers with every
        array library and device; a generator of that library or of NumPy; or for JAX,
        which takes no generator, a key. By default each call draws others.

        The random numbers of a model depend on its name in a mapping or data frame,
        else on its place. So appending a model changes no resample of the others; but
        it adds comparisons, and the test is of all models together, so that it may
        change a verdict. The order of names changes nothing.
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
    PairwiseAsoResult
        `eps_min`, `violation_ratio`, `standard_error`, `probability_of_improvement` and
        `pvalue`, arrays of shape (..., K, K), read as (row, column) = (A, B), with 1,
        0.5, 0, 0.5 and 1 on the diagonal; on the device and of the float dtype of the
        scores. NaN in the row and column of a model with a score that is not finite,
        except on the diagonal, and only for that batch entry.

    Raises
    ------
    TypeError
        Scores that are not real, or of two libraries or devices; an unsuitable `rng`,
        or none on JAX if one is needed.
    ValueError
        Fewer than two models, a model without scores, axes of seeds and items of one
        array whose models are on its last axis, leading axes that do not broadcast,
        options outside their range, or "exact" for too many resamples.

    Warns
    -----
    UserWarning
        Too few scores for any verdict: `eps_min` is 0.5 or more. Fewer than 200 scores
        on a side with "asymptotic".

    See Also
    --------
    aso : one pair, with the formulas and references.

    Notes
    -----
    Two models are told apart if every set of models with both, which may still be one
    of equal models, is rejected [1]_, at the level 1 - (1 - alpha)^(k / K) for a set of
    k models, and alpha for k >= K - 1 [2]_. A set is rejected for A and B if their gap
    is beyond its critical value::

        6 (P(A > B) - 1/2) + sum of P(A > C) - P(B > C) over the others C of the set

    and two models alone by Mann and Whitney's U. The least gap of all sets of k models
    takes the k - 2 smallest terms, so that no set is listed. Critical values depend
    only on the numbers of models and runs: for few runs they are simulated and shipped
    with the library, for more they are the normal limit, which was larger wherever both
    were known. Without ties and with equal numbers of runs nothing else is assumed;
    with ties, and with unequal numbers, errors were measured, and were less frequent.
    Five runs can tell apart up to 12 models; more than 100 models are compared in
    pairs, by Bonferroni.

    With a baseline, sets with it are tested at the full level. If one of two models has
    fewer than 20 runs, Welch's t (see `aso`) must reject equal means, too, at alpha /
    (K - 1): ranks of few runs of a wide model say little about its mean. With a
    baseline p is multiplied by 1 plus the shares of the other models that are left in
    the squared errors of their differences, which are at most 1 (Holm): all share the
    error of the baseline's mean. So the adjusted p of one model may be above that of
    another one, and its own p below. With unequal numbers of runs, and if alpha is
    below 0.02, as with many tasks, each share is 1. More than 100 models are at alpha /
    (K (K - 1) / 2).

    With axes of seeds and of items, bounds and tests of pairs are those of `aso` with
    these axes: t of the means, two-sided, by Bonferroni over the pairs, or over those
    with the baseline, which is as exact as `t_test` is. All models have the same items
    in a replicate. Of 2000 sets each of four equal models with their own hard items,
    200 and 500 items, any was called better in 1.5 to 5.1 % with 5 and 10 seeds, and in
    1.1 to 7.1 % with 3, most where the standard deviation of seeds is 0.1.

    `pvalue` is the level from which on a pair is told apart, or more if sets of three
    models or more, or the others of a baseline, matter. For more than 49 pairs of
    scores it is fitted, within 2 % of p if p is 0.01 or more, and within 4 % below,
    down to 1e-10; of 3 to 6 scores beside 200 or 500, within 9 % and a factor of 2.
    Where sets decide, it is 0.87 to 1.35 times the exact one from 0.001 on. Verdicts do
    not depend on it.

    All models share one scale: beside a score 1e154 times as large (in float32, 1e19)
    those of others may count as equal. In NumPy arrays one such value does no harm, and
    of several a warning says so.

    References
    ----------
    .. [1] R. Marcus, E. Peritz, K. R. Gabriel (1976). On closed testing procedures with
       special reference to ordered analysis of variance. Biometrika 63, 655-660.
       :doi:`10.1093/biomet/63.3.655`
    .. [2] R. E. Welsch (1977). Stepwise multiple comparison procedures. Journal of the
       American Statistical Association 72, 566-575. :doi:`10.2307/2286218`

    Examples
    --------
    >>> from sigarray import multi_aso
    >>> result = multi_aso(
    ...     {
    ...         "linear": [0.81, 0.80, 0.83, 0.82, 0.81],
    ...         "forest": [0.88, 0.91, 0.89, 0.90, 0.89],
    ...         "network": [0.95, 0.96, 0.94, 0.97],
    ...     }
    ... )
    >>> result.eps_min < 0.2
    array([[False, False, False],
           [ True, False, False],
           [ True,  True, False]])
    """
    names, columns = name_models(scores)
    design, order = stack_models(columns, axis, higher_is_better)
    n_models, stacks = len(order), design.stacks
    # Places in the order of the stacks.
    places = sorted(range(n_models), key=order.__getitem__)
    place = _place_of(baseline, names, n_models)
    family = family_of(
        n_models,
        level_of(confidence_level, n_comparisons),
        None if place is None else order[place],
        is_corrected=correction is not None,
    )
    if isinstance(design, Tables):
        family = by_pairs(family)
    first = design.streams_of_pair[0][0]
    streams = name_streams(names) if names else number_streams(n_models + first)[first:]
    sizes = tuple(stack.shape[-2] for stack in stacks)
    estimates, equality = design.estimate(
        tuple(tuple(streams[k] for k in places[part]) for part in slices_of(sizes)),
        method=method,
        n_resamples=n_resamples,
        dt=dt,
        rng=rng,
        family=family,
    )
    return pairwise_result(
        design.xp, estimates, equality, sizes=sizes, order=order, family=family
    )


def _place_of(baseline: Any, names: list[Hashable] | None, n_models: int) -> int | None:
    if baseline is None:
        return None
    if names is not None and baseline in names:
        return names.index(baseline)
    is_place = isinstance(baseline, (int, np.integer)) and not isinstance(
        baseline, bool
    )
    if names is None and is_place and 0 <= baseline < n_models:
        return int(baseline)
    known, meant = f"0 to {n_models - 1}", ""
    if names is not None:
        known, meant = ", ".join(map(represent, names)), suggest(str(baseline), names)
    msg = (
        f"Expected baseline to be one of the models, {known}; got {show(baseline)}."
        f"{meant}"
    )
    raise ValueError(msg)
