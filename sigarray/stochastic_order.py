"""Almost stochastic order: are the scores of one model above those of another?"""

import math
import operator
import warnings
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from sigarray._typing import Array, Namespace, RandomSource
from sigarray.dispatch import array_kernel, device_of, standardize
from sigarray.quantile import count_resamples, grid_step, take_last
from sigarray.results import AsoResult, PairwiseAsoResult
from sigarray.rng import MAX_REPLICATES, seed_words
from sigarray.special import normal_quantile
from sigarray.violation import (
    Stacks,
    bootstrap_ratios,
    observed_ratios,
    ratios_and_asymptotic_errors,
    ratios_and_bootstrap_errors,
    ratios_and_exact_errors,
)

Method = Literal["auto", "bootstrap", "exact", "asymptotic"]
Correction = Literal["bonferroni"]

_METHODS = ("auto", "bootstrap", "exact", "asymptotic")
# Pairs of distinct resamples that "auto" enumerates, and that "exact" agrees to.
_MAX_AUTO_COMBINATIONS = 2**16
_MAX_EXACT_COMBINATIONS = 2**24


def violation_ratio(
    a: Array, b: Array, /, *, axis: int = -1, dt: float | None = None
) -> Array:
    """How far sample A is from dominating sample B in stochastic order.

    The ratio is 0 where every quantile of A is at least that of B (A dominates), 1
    where B dominates, and 0.5 where the two have the same distribution. Below 0.5, A is
    better more than B is. It is a statement on these samples: `aso` adds their sampling
    error.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, higher is better. Leading axes are batches, and
        broadcast.
    axis : int, default: -1
        The axis of the scores, static under `jit`.
    dt : float, optional
        Evaluate the quantile functions on the grid dt, 2 dt, ... < 1, as the papers do
        with dt = 0.005, in place of the exact integral. Static under `jit`.

    Returns
    -------
    array, shape (...), in [0, 1]
        On the device and of the float dtype of the scores (float32 for float16 and
        bfloat16, the device's default for integers). NaN for a batch entry with a score
        that is not finite.

    Raises
    ------
    TypeError
        Scores that are not real numbers, or of two libraries or devices.
    ValueError
        A sample without scores, leading axes that do not broadcast, or dt outside (0,
        1).

    See Also
    --------
    aso : the confidence bound of this ratio.

    Notes
    -----
    With the empirical quantile functions F^-1(t) = x_(ceil(n t)) and G^-1(t) =
    y_(ceil(m t)) of A and B, equation 4 of [1]_ is

        eps = int over {t: F^-1(t) < G^-1(t)} of (F^-1(t) - G^-1(t))^2 dt
              / int_0^1 (F^-1(t) - G^-1(t))^2 dt,

    computed exactly as the sum over the breakpoints {i/n} and {j/m}.

    Lists of numbers, and objects on the host that only speak `__array__` or
    `__dlpack__` (a pandas Series, a TensorFlow tensor), are copied to NumPy and
    computed there.

    References
    ----------
    .. [1] E. del Barrio, J. A. Cuesta-Albertos, C. Matran (2018). An optimal
       transportation approach for assessing almost stochastic order. In: The
       Mathematics of the Uncertain. :doi:`10.1007/978-3-319-73848-2_3`

    Examples
    --------
    >>> from sigarray import violation_ratio
    >>> float(violation_ratio([0.7, 0.8, 0.9], [0.6, 0.7, 0.8]))
    0.0
    >>> float(violation_ratio([0.7, 0.8, 0.9], [0.5, 0.6, 1.0]))
    0.1111111111111111
    """
    xp, samples = standardize(a, b, axis=axis)
    stacks = [sample[..., None, :] for sample in samples]
    return observed_ratios(xp, stacks, step=grid_step(dt))[..., 0]


def aso(
    a: Array,
    b: Array,
    /,
    *,
    axis: int = -1,
    confidence_level: float = 0.95,
    num_comparisons: int = 1,
    n_resamples: int = 1000,
    dt: float | None = None,
    method: Method = "auto",
    higher_is_better: bool = True,
    batch: int | None = None,
    rng: RandomSource = None,
) -> AsoResult:
    """Almost stochastic order: is model A better than model B?

    The null hypothesis is that A is not almost stochastically dominant over B: that the
    violation ratio eps is at least a threshold tau. `eps_min` is an upper confidence
    bound of eps; A is declared better where `eps_min` < tau, and small values favour A.
    [1]_ requires tau <= 0.5, and [2]_ advises tau = 0.2.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, one for each run. Leading axes are batches, and
        broadcast; every batch entry sees the same resamples.
    axis : int, default: -1
        The axis of the scores.
    confidence_level : float, default: 0.95
        Probability that the bound holds, in (0, 1).
    num_comparisons : int, default: 1
        Divide 1 - `confidence_level` by this number of comparisons (Bonferroni).
    n_resamples : int, default: 1000
        Bootstrap replicates. The standard error has a relative Monte-Carlo error of
        about (2 `n_resamples`)^-1/2.
    dt : float, optional
        Evaluate the quantile functions on the grid dt, 2 dt, ... < 1, as the papers do
        with dt = 0.005, in place of the exact integral. For very large samples a grid
        is much faster, for only its order statistics are drawn.
    method : {"auto", "bootstrap", "exact", "asymptotic"}, default: "auto"
        How to find the standard error:

        - "bootstrap": resample both samples with replacement, each to its own size;
        - "exact": average over all distinct resamples, C(2n-1, n) C(2m-1, m) of them,
          which needs no `rng`. At most 2^24 are computed;
        - "asymptotic": the normal limit, in O(n log n) and with no `rng`. For n and m
          of at least 200, and only where the distributions differ: where they are the
          same the ratio has no normal limit. It takes no `dt`;
        - "auto": "exact" for at most 65536 distinct resamples (five scores a side have
          15876), else "bootstrap".
    higher_is_better : bool, default: True
        False for losses and error rates.
    batch : int, optional
        Replicates to compute at a time; by default what suits the device. Memory grows
        with `batch` times (n + m) times the number of batch entries, about 40 bytes
        each in float64. The result does not depend on it.
    rng : int, generator or key, optional
        Source of the random numbers: an int in [0, 2^64), a `numpy.random.Generator`,
        or the generator of the scores' library (`torch.Generator` and
        `cupy.random.Generator` on the device of the scores, a `jax.random` key). By
        default fresh entropy; JAX needs an int or a key. The same int gives the same
        resamples on every backend and device.

    Returns
    -------
    AsoResult
        `eps_min`, `violation_ratio` and `standard_error`, arrays of shape (...), on the
        device and of the float dtype of the scores (float32 for float16 and bfloat16,
        the device's default for integers). NaN for a batch entry with a score that is
        not finite. Nothing is copied to the host, and nothing waits for the device.

    Raises
    ------
    TypeError
        Scores that are not real numbers, or of two libraries or devices; an `rng` that
        the library cannot use, or none on JAX where one is needed.
    ValueError
        A sample without scores, leading axes that do not broadcast, options outside
        their range, or "exact" for too many resamples.

    Warns
    -----
    UserWarning
        One score on a side: its sampling error cannot be seen, and counts as none.

    See Also
    --------
    multi_aso : all pairs of several models.
    aso_replicates : the replicates themselves.

    Notes
    -----
    With sigma the standard deviation of eps over resamples, and the level alpha' =
    (1 - `confidence_level`) / `num_comparisons`, equation 6 of [1]_ gives

        eps_min = eps - Phi^-1(alpha') sigma,

    clipped to [0, 1] (the factors sqrt(nm / (n + m)) of the papers cancel). One call
    answers both directions: eps(B, A) = 1 - eps(A, B), with the same sigma.

    All options are static under `jit`, and the scores and `rng` may be traced. Lists of
    numbers, and objects on the host that only speak `__array__` or `__dlpack__` (a
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

    Examples
    --------
    Five runs of each model, and no random numbers needed:

    >>> from sigarray import aso
    >>> result = aso([0.91, 0.93, 0.92, 0.95, 0.94], [0.90, 0.92, 0.91, 0.89, 0.93])
    >>> bool(result.eps_min < 0.2)
    True
    """
    _check_method(method, dt)
    xp, samples = standardize(a, b, axis=axis)
    stacks = [sample[..., None, :] for sample in samples]
    ratio, error = _ratios_and_errors(
        xp, stacks, method, n_resamples, dt, higher_is_better, batch, rng
    )
    ratio, error = ratio[..., 0], error[..., 0]
    z = _critical_value(confidence_level, num_comparisons)
    return AsoResult(_upper_bound(xp, ratio, error, z=z), ratio, error)


def multi_aso(
    scores: Any,
    /,
    *,
    axis: int = -1,
    confidence_level: float = 0.95,
    correction: Correction | None = "bonferroni",
    n_resamples: int = 1000,
    dt: float | None = None,
    method: Method = "auto",
    higher_is_better: bool = True,
    batch: int | None = None,
    rng: RandomSource = None,
) -> PairwiseAsoResult:
    """Almost stochastic order between all pairs of K models.

    The null hypothesis of entry (i, j) is that model i is not almost stochastically
    dominant over model j; small values of `eps_min` favour model i, the row.

    Parameters
    ----------
    scores : array of shape (..., K, n), sequence of K arrays, or mapping of K arrays
        Scores of K >= 2 models. In a sequence or a mapping (name -> scores, or a pandas
        or polars DataFrame with a column for each model) each model has an array
        (..., n_k) of its own, and sizes may differ; models are in the order given. Drop
        missing scores first: a NaN is a fault of its model, not a blank.
    axis : int, default: -1
        The axis of the scores. In one array the models are on the last of the others.
    confidence_level : float, default: 0.95
        Probability that the bounds hold: all of them at once with a correction.
    correction : {"bonferroni", None}, default: "bonferroni"
        Divide 1 - `confidence_level` by the number of pairs, K (K - 1) / 2.
    n_resamples, dt, method, higher_is_better, batch, rng
        As for `aso`. Each model is resampled once in a replicate, and compared with all
        others. "auto" is "exact" where every pair allows it.

    Returns
    -------
    PairwiseAsoResult
        `eps_min`, `violation_ratio` and `standard_error`, arrays of shape (..., K, K),
        read as (row, column) = (A, B), with 1, 0.5 and 0 on the diagonal; on the device
        and of the float dtype of the scores, as for `aso`. NaN in the row and column of
        a model with a score that is not finite, for that batch entry alone.

    Raises
    ------
    TypeError, ValueError
        As for `aso`; fewer than two models; an unknown correction.

    Warns
    -----
    UserWarning
        A model with one score: its sampling error cannot be seen, and counts as none.

    See Also
    --------
    aso : one pair, with the formulas and references.

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
    _check_method(method, dt)
    if correction not in ("bonferroni", None):
        msg = f"Expected correction to be 'bonferroni' or None; got {correction!r}."
        raise ValueError(msg)
    xp, stacks = _stack_models(scores, axis)
    n_models = sum(stack.shape[-2] for stack in stacks)
    n_pairs = n_models * (n_models - 1) // 2
    ratio, error = _ratios_and_errors(
        xp, stacks, method, n_resamples, dt, higher_is_better, batch, rng
    )
    z = _critical_value(confidence_level, n_pairs if correction else 1)
    return _pairwise_result(xp, ratio, error, n_models=n_models, z=z)


def aso_replicates(
    a: Array,
    b: Array,
    /,
    *,
    start: int,
    count: int,
    axis: int = -1,
    dt: float | None = None,
    higher_is_better: bool = True,
    batch: int | None = None,
    rng: RandomSource = None,
) -> Array:
    """Bootstrap replicates of the violation ratio, from any place on.

    `aso` with method "bootstrap" takes the standard deviation (ddof 0) of replicates 0
    to `n_resamples` - 1. For one seed, any split of them over calls, devices or
    machines gives the same numbers.

    Parameters
    ----------
    a, b : array, shape (..., n) and (..., m), real
        Scores of the two models, as for `aso`.
    start : int
        The first replicate. It may be traced under `jit`, as for a shard's index.
    count : int
        How many replicates. Static under `jit`; `start` + `count` is at most 2^31.
    axis, dt, higher_is_better, batch, rng
        As for `aso`. For a split, `rng` has to be an int or one and the same key: a
        generator moves on with every call.

    Returns
    -------
    array, shape (..., count)
        Violation ratios, on the device and of the float dtype of the scores; NaN for a
        batch entry with a score that is not finite.

    Raises
    ------
    TypeError, ValueError
        As for `aso`.

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
    xp, samples = standardize(a, b, axis=axis)
    stacks = [sample[..., None, :] for sample in samples]
    _check_count("count", count)
    _check_batch(batch)
    if isinstance(start, int) and not 0 <= start <= MAX_REPLICATES - count:
        msg = f"Expected start in [0, 2**31 - count]; got {start} for count {count}."
        raise ValueError(msg)
    ratios = bootstrap_ratios(
        xp,
        _orient(stacks, higher_is_better),
        seed_words(rng, xp, device_of(xp, stacks[0])),
        start,
        count=count,
        step=grid_step(dt),
        batch=batch,
    )
    return ratios[..., 0, :]


def _ratios_and_errors(
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
    _check_count("n_resamples", n_resamples)
    _check_batch(batch)
    step = grid_step(dt)
    sizes = [stack.shape[-1] for stack in stacks for _ in range(stack.shape[-2])]
    _warn_of_single_scores(sizes)
    stacks = _orient(stacks, higher_is_better)
    if method == "asymptotic":
        return ratios_and_asymptotic_errors(xp, stacks)
    if choose_method(method, sizes) == "exact":
        return ratios_and_exact_errors(xp, stacks, step=step, batch=batch)
    seed = seed_words(rng, xp, device_of(xp, stacks[0]))
    return ratios_and_bootstrap_errors(
        xp, stacks, seed, n_resamples=n_resamples, step=step, batch=batch
    )


def choose_method(method: Method, sizes: list[int]) -> Method:
    """Resolve "auto", and refuse an enumeration that is too long."""
    largest, second = sorted(sizes)[-1:-3:-1]
    magnitude = _log10_resamples(largest) + _log10_resamples(second)
    if method == "auto":
        return (
            "exact" if magnitude <= math.log10(_MAX_AUTO_COMBINATIONS) else "bootstrap"
        )
    if method == "exact" and magnitude > math.log10(_MAX_EXACT_COMBINATIONS):
        number = f"about 10^{magnitude:.0f}"
        if magnitude < 12:
            number = f"{count_resamples(largest) * count_resamples(second):,}"
        msg = (
            f"Expected at most {_MAX_EXACT_COMBINATIONS:,} pairs of distinct resamples "
            f"for method='exact'; got {number} for {largest} and {second} scores. Use "
            f"method='bootstrap'."
        )
        raise ValueError(msg)
    return method


def _log10_resamples(n: int) -> float:
    """Logarithm of C(2n-1, n), which has 600,000 digits for a million scores."""
    return (math.lgamma(2 * n) - math.lgamma(n + 1) - math.lgamma(n)) / math.log(10.0)


def _orient(stacks: Stacks, higher_is_better: bool) -> Stacks:
    return stacks if higher_is_better else [-stack for stack in stacks]


def _stack_models(scores: Any, axis: int) -> tuple[Namespace, Stacks]:
    """Give one stack (..., K, n) where sizes are equal, else K stacks (..., 1, n_k)."""
    if isinstance(scores, Mapping):
        scores = list(scores.values())
    elif hasattr(scores, "columns"):
        scores = [scores[name] for name in scores.columns]
    if not isinstance(scores, list | tuple):
        xp, (stack,) = standardize(scores, axis=axis)
        if stack.ndim < 2 or stack.shape[-2] < 2:
            msg = (
                f"Expected scores of two or more models, shape (..., K, n); got shape "
                f"{tuple(stack.shape)} with the scores on the last axis."
            )
            raise ValueError(msg)
        return xp, [stack]
    if len(scores) < 2:
        msg = f"Expected scores of two or more models; got {len(scores)}."
        raise ValueError(msg)
    xp, samples = standardize(*scores, axis=axis)
    leading = np.broadcast_shapes(*(sample.shape[:-1] for sample in samples))
    samples = [xp.broadcast_to(x, (*leading, x.shape[-1])) for x in samples]
    if len({sample.shape[-1] for sample in samples}) == 1:
        return xp, [xp.stack(samples, axis=-2)]
    return xp, [sample[..., None, :] for sample in samples]


def _critical_value(confidence_level: float, num_comparisons: int) -> float:
    """Phi^-1(alpha') for the level alpha' of each comparison; negative."""
    if not 0.0 < confidence_level < 1.0:
        msg = f"Expected confidence_level in (0, 1); got {confidence_level}."
        raise ValueError(msg)
    _check_count("num_comparisons", num_comparisons)
    return normal_quantile((1.0 - confidence_level) / num_comparisons)


@array_kernel
def _upper_bound(xp: Namespace, ratio: Array, error: Array, *, z: float) -> Array:
    return xp.clip(ratio - z * error, 0.0, 1.0)


@array_kernel
def _pairwise_result(
    xp: Namespace, ratio: Array, error: Array, *, n_models: int, z: float
) -> PairwiseAsoResult:
    """Spread the pairs over a matrix; entry (j, i) has 1 - eps and the same error."""
    models = xp.arange(n_models, device=device_of(xp, ratio))
    i, j = models[:, None], models[None, :]
    shift = (j - i) % n_models
    # The inverse of `pair_of`; in an even number of models, opposites stand once.
    is_pair = (2 * shift < n_models) | ((2 * shift == n_models) & (i < shift))
    pair = xp.where(
        is_pair, (shift - 1) * n_models + i, (-shift - 1) % n_models * n_models + j
    )
    pair = xp.where(shift == 0, 0, pair)
    ratio, error = take_last(xp, ratio, pair), take_last(xp, error, pair)
    ratio = xp.where(is_pair, ratio, 1.0 - ratio)
    ratio = xp.where(shift == 0, 0.5, ratio)
    error = xp.where(shift == 0, 0.0, error)
    eps_min = xp.where(shift == 0, 1.0, xp.clip(ratio - z * error, 0.0, 1.0))
    return PairwiseAsoResult(eps_min, ratio, error)


def _check_method(method: Method, dt: float | None) -> None:
    if method not in _METHODS:
        msg = f"Expected method to be one of {', '.join(_METHODS)}; got {method!r}."
        raise ValueError(msg)
    if method == "asymptotic" and dt is not None:
        msg = (
            f"Expected dt=None with method='asymptotic', which is for the exact "
            f"integral; got dt={dt}. Use method='bootstrap' for a grid."
        )
        raise ValueError(msg)


def _check_count(name: str, count: int) -> None:
    if operator.index(count) < 1:
        msg = f"Expected {name} to be an integer of at least 1; got {count}."
        raise ValueError(msg)


def _check_batch(batch: int | None) -> None:
    if batch is not None:
        _check_count("batch", batch)


def _warn_of_single_scores(sizes: list[int]) -> None:
    if min(sizes) == 1:
        msg = (
            "One score in a sample: its sampling error cannot be seen and counts as "
            "none. Run the model with more seeds."
        )
        # The caller of the public function, two frames above.
        warnings.warn(msg, UserWarning, stacklevel=4)
