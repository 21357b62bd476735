"""Almost stochastic order between all pairs of several models."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from sigarray._typing import Array, Namespace, RandomSource
from sigarray.dispatch import array_kernel, device_of, standardize
from sigarray.quantile import take_last
from sigarray.results import PairwiseAsoResult
from sigarray.sampling_error import (
    Method,
    check_method,
    critical_value,
    ratios_and_errors,
)
from sigarray.violation import Stacks, count_pairs

Correction = Literal["bonferroni"]


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
    check_method(method, dt)
    if correction not in ("bonferroni", None):
        msg = f"Expected correction to be 'bonferroni' or None; got {correction!r}."
        raise ValueError(msg)
    xp, stacks = _stack_models(scores, axis)
    n_pairs = count_pairs(stacks)
    ratio, error = ratios_and_errors(
        xp, stacks, method, n_resamples, dt, higher_is_better, batch, rng
    )
    z = critical_value(confidence_level, n_pairs if correction else 1)
    return _pairwise_result(
        xp, ratio, error, n_models=sum(stack.shape[-2] for stack in stacks), z=z
    )


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
