"""Corrections of p-values for several comparisons, and counts of those that hold."""

import math
from collections.abc import Callable, Mapping
from typing import Literal, get_args

import numpy as np

from sigarray._backend.callers import Array
from sigarray._backend.checks import choice, describe
from sigarray._backend.dispatch import standardize
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray._numeric.special import chi_square_sf

CountMethod = Literal["holm", "fisher", "bonferroni", "benjamini_hochberg"]

# (namespace, ascending p-values, their ranks from 1, how many are valid) -> adjusted.
Rule = Callable[[Library, Array, Array, Array], Array]


@checked()
def bonferroni(pvalues: Array, /, *, axis: int = -1) -> Array:
    """Adjust p-values so that any false rejection is improbable: N p.

    To reject where the adjusted value is at most alpha makes one false rejection or
    more with a probability of at most alpha, whatever the dependence of the p-values.

    Parameters
    ----------
    pvalues : array, shape (..., N), real
        P-values in [0, 1]. NaN stays where it is, and is left out of N.
    axis : int, default: -1
        The axis of the N p-values; the others are batches.

    Returns
    -------
    array, shape (..., N)
        Adjusted p-values in the order given, at most 1; on the device and of the float
        dtype of `pvalues`. On a device, NaN for a value that is not in [0, 1].

    Raises
    ------
    TypeError
        P-values that are not real numbers.
    ValueError
        No p-values along the axis; on the host, one that is not in [0, 1].

    See Also
    --------
    holm : as safe, and never less powerful.

    Examples
    --------
    >>> from sigarray import bonferroni
    >>> bonferroni([0.03, 0.01, 0.02, 0.5])
    array([0.12, 0.04, 0.08, 1.  ])
    """
    return _adjust_along(pvalues, axis, _bonferroni_rule)


@checked()
def holm(pvalues: Array, /, *, axis: int = -1) -> Array:
    """Adjust p-values by Holm's step-down: max over j <= k of (N - j + 1) p_(j).

    As `bonferroni`, it bounds the probability of any false rejection, whatever the
    dependence of the p-values, and no adjusted value is larger.

    Parameters
    ----------
    pvalues : array, shape (..., N), real
        P-values in [0, 1]. NaN stays where it is, and is left out of N.
    axis : int, default: -1
        The axis of the N p-values; the others are batches.

    Returns
    -------
    array, shape (..., N)
        Adjusted p-values in the order given, at most 1; on the device and of the float
        dtype of `pvalues`. On a device, NaN for a value that is not in [0, 1].

    Raises
    ------
    TypeError
        P-values that are not real numbers.
    ValueError
        No p-values along the axis; on the host, one that is not in [0, 1].

    References
    ----------
    .. [1] S. Holm (1979). A simple sequentially rejective multiple test procedure.
       Scandinavian Journal of Statistics 6, 65-70.
       https://www.jstor.org/stable/4615733

    Examples
    --------
    >>> from sigarray import holm
    >>> holm([0.03, 0.01, 0.02, 0.5])
    array([0.06, 0.04, 0.06, 0.5 ])
    """
    return _adjust_along(pvalues, axis, _holm_rule)


@checked()
def benjamini_hochberg(pvalues: Array, /, *, axis: int = -1) -> Array:
    """Adjust p-values for the false discovery rate: min over j >= k of N p_(j) / j.

    To reject where the adjusted value is at most alpha keeps the expected share of
    false rejections at alpha or below, for p-values that are independent or positively
    dependent.

    Parameters
    ----------
    pvalues : array, shape (..., N), real
        P-values in [0, 1]. NaN stays where it is, and is left out of N.
    axis : int, default: -1
        The axis of the N p-values; the others are batches.

    Returns
    -------
    array, shape (..., N)
        Adjusted p-values in the order given, at most 1; on the device and of the float
        dtype of `pvalues`. On a device, NaN for a value that is not in [0, 1].

    Raises
    ------
    TypeError
        P-values that are not real numbers.
    ValueError
        No p-values along the axis; on the host, one that is not in [0, 1].

    See Also
    --------
    benjamini_yekutieli : for any dependence.

    References
    ----------
    .. [1] Y. Benjamini, Y. Hochberg (1995). Controlling the false discovery rate.
       Journal of the Royal Statistical Society B 57, 289-300.
       :doi:`10.1111/j.2517-6161.1995.tb02031.x`

    Examples
    --------
    >>> from sigarray import benjamini_hochberg
    >>> benjamini_hochberg([0.03, 0.01, 0.02, 0.5])
    array([0.04, 0.04, 0.04, 0.5 ])
    """
    return _adjust_along(pvalues, axis, _benjamini_hochberg_rule)


@checked()
def benjamini_yekutieli(pvalues: Array, /, *, axis: int = -1) -> Array:
    """Adjust p-values for the false discovery rate under any dependence.

    The values of `benjamini_hochberg` times 1 + 1/2 + ... + 1/N.

    Parameters
    ----------
    pvalues : array, shape (..., N), real
        P-values in [0, 1]. NaN stays where it is, and is left out of N.
    axis : int, default: -1
        The axis of the N p-values; the others are batches.

    Returns
    -------
    array, shape (..., N)
        Adjusted p-values in the order given, at most 1; on the device and of the float
        dtype of `pvalues`. On a device, NaN for a value that is not in [0, 1].

    Raises
    ------
    TypeError
        P-values that are not real numbers.
    ValueError
        No p-values along the axis; on the host, one that is not in [0, 1].

    References
    ----------
    .. [1] Y. Benjamini, D. Yekutieli (2001). The control of the false discovery rate in
       multiple testing under dependency. Annals of Statistics 29, 1165-1188.
       :doi:`10.1214/aos/1013699998`

    Examples
    --------
    >>> from sigarray import benjamini_yekutieli
    >>> benjamini_yekutieli([0.006, 0.018, 0.012]).round(4)
    array([0.033, 0.033, 0.033])
    """
    return _adjust_along(pvalues, axis, _benjamini_yekutieli_rule)


@checked(method=choice(*get_args(CountMethod)))
def count_significant(
    pvalues: Array,
    /,
    *,
    alpha: float = 0.05,
    method: CountMethod = "holm",
    axis: int = -1,
) -> Array:
    """Count the datasets on which A beats B: the replicability analysis of Dror et al.

    For "holm", "bonferroni" and "fisher" the count exceeds the true number of datasets
    with a probability of at most alpha. This holds for p-values that speak for A; with
    two-sided ones, a dataset on which A loses counts as well.

    Parameters
    ----------
    pvalues : array, shape (..., N), real
        One-sided p-values, one for each dataset, of a test with
        ``alternative="greater"``. A NaN is left out of N. P-values do not show that
        they are two-sided: pass one-sided ones.
    alpha : float, default: 0.05
        Level of the count, in (0, 1).
    method : {"holm", "fisher", "bonferroni", "benjamini_hochberg"}, default: "holm"
        How to combine the p-values:

        - "holm": the largest u with (N - v + 1) p_(v) <= alpha for all v up to u, which
          is the number of p-values of at most alpha that `holm` returns: its u-th
          smallest is the p-value of the partial conjunction hypothesis that A beats B
          on fewer than u datasets. It holds for any dependence; [1]_ calls it the
          estimator by Bonferroni;
        - "fisher": the same with Fisher's combination of the N - v + 1 largest
          p-values, more powerful, for independent datasets;
        - "bonferroni": how many N p <= alpha;
        - "benjamini_hochberg": the discoveries at the false discovery rate alpha.
    axis : int, default: -1
        The axis of the N p-values; the others are batches.

    Returns
    -------
    array of integers, shape (...)
        Counts from 0 to N, on the device of `pvalues`.

    Raises
    ------
    TypeError
        P-values that are not real numbers.
    ValueError
        No p-values along the axis, an unknown method, or alpha outside (0, 1).

    References
    ----------
    .. [1] R. Dror, G. Baumer, M. Bogomolov, R. Reichart (2017). Replicability analysis
       for natural language processing. TACL 5, 471-486. :doi:`10.1162/tacl_a_00074`

    Examples
    --------
    >>> from sigarray import count_significant
    >>> int(count_significant([0.03, 0.01, 0.02, 0.5]))
    1
    >>> int(count_significant([0.03, 0.01, 0.02, 0.5], method="fisher"))
    2
    """
    xp, p = _standardize(pvalues, axis)
    return _count_up_to(xp, p, rule=_COUNT_RULES[method], alpha=alpha)


def _adjust_along(pvalues: Array, axis: int, rule: Rule) -> Array:
    xp, p = _standardize(pvalues, axis)
    adjusted = _adjust(xp, p, rule=rule)
    return xp.move_axis(adjusted, -1, axis)


def _standardize(pvalues: Array, axis: int) -> tuple[Library, Array]:
    """Return p-values with their axis last; on the host, refuse invalid ones.

    On a device, a check of the values would wait for it.
    """
    if pvalues is None or isinstance(pvalues, Mapping):
        advice = " Pass list(pvalues.values())." if pvalues is not None else ""
        msg = f"Expected an array of p-values; got {describe(pvalues)}.{advice}"
        raise TypeError(msg)
    xp, (p,) = standardize(pvalues, axis=axis, what="p-values")
    if isinstance(p, np.ndarray):
        faults = p[(p < 0.0) | (p > 1.0)]
        if faults.size:
            msg = (
                f"Expected p-values in [0, 1], or NaN for missing ones; got "
                f"{float(faults.flat[0])!r}, the first of {faults.size} that are not."
            )
            raise ValueError(msg)
    return xp, p


@array_kernel
def _adjust(xp: Library, p: Array, *, rule: Rule) -> Array:
    """Apply the rule to p-values in ascending order, and restore their order."""
    is_valid = (p >= 0.0) & (p <= 1.0)
    n = xp.sum(xp.astype(is_valid, p.dtype), axis=-1, keepdims=True)
    is_whole = xp.is_host and bool(xp.all(is_valid))
    # Invalid ones go last.
    keys = p if is_whole else xp.where(is_valid, p, 2.0)
    order = xp.argsort(keys, axis=-1, stable=False)
    ranks = xp.arange(1, p.shape[-1] + 1, dtype=p.dtype)
    adjusted = rule(xp, xp.take_along_axis(keys, order, axis=-1), ranks, n)
    adjusted = xp.clip(xp.undo_order(adjusted, order), None, 1.0)
    return adjusted if is_whole else xp.where(is_valid, adjusted, math.nan)


@array_kernel
def _count_up_to(xp: Library, p: Array, *, rule: Rule, alpha: float) -> Array:
    # NaN compares as false.
    is_significant = _adjust(xp, p, rule=rule) <= alpha
    return xp.sum(xp.astype(is_significant, xp.index_dtype), axis=-1)


def _bonferroni_rule(_xp: Library, p: Array, _ranks: Array, n: Array) -> Array:
    return n * p


def _holm_rule(xp: Library, p: Array, ranks: Array, n: Array) -> Array:
    return xp.cumulative_maximum(xp.where(ranks <= n, (n - ranks + 1.0) * p, 0.0))


def _benjamini_hochberg_rule(xp: Library, p: Array, ranks: Array, n: Array) -> Array:
    # Values are at most N p_(k) / k <= N, which invalid ones must not lower.
    beyond = -(p.shape[-1] + 1.0)
    adjusted = xp.unscale(-n * p, ranks)
    from_above = xp.flip(xp.where(ranks <= n, adjusted, beyond), axis=-1)
    return -xp.flip(xp.cumulative_maximum(from_above), axis=-1)


def _benjamini_yekutieli_rule(xp: Library, p: Array, ranks: Array, n: Array) -> Array:
    harmonic = xp.sum(xp.where(ranks <= n, 1.0 / ranks, 0.0), axis=-1, keepdims=True)
    return harmonic * _benjamini_hochberg_rule(xp, p, ranks, n)


def _fisher_rule(xp: Library, p: Array, ranks: Array, n: Array) -> Array:
    """Combine p_(u), ..., p_(N): -2 sum log p_(i) is chi^2 with 2 (N - u + 1) df."""
    logs = xp.log(xp.clip(p, xp.finfo(p.dtype).smallest_normal, None))
    logs = xp.where(ranks <= n, logs, 0.0)
    tails = xp.flip(xp.cumulative_sum(xp.flip(logs, axis=-1), axis=-1), axis=-1)
    combined = chi_square_sf(xp, -2.0 * tails, n - ranks + 1.0, p.shape[-1])
    return xp.cumulative_maximum(xp.where(ranks <= n, combined, 0.0))


_COUNT_RULES: dict[str, Rule] = {
    "holm": _holm_rule,
    "fisher": _fisher_rule,
    "bonferroni": _bonferroni_rule,
    "benjamini_hochberg": _benjamini_hochberg_rule,
}
