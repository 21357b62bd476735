"""What the tests return: NamedTuples of arrays, so that `jit` and `vmap` can too."""

from typing import NamedTuple

from sigarray._typing import Array


class AsoResult(NamedTuple):
    """Almost stochastic order of one sample over another.

    Attributes
    ----------
    eps_min : array, shape (...)
        Upper confidence bound of the violation ratio, in [0, 1]. Below 0.2 (and
        certainly below 0.5), A is declared better than B.
    violation_ratio : array, shape (...)
        The observed ratio: 0 where A dominates, 1 where B does, 0.5 where neither is
        ahead.
    standard_error : array, shape (...)
        Sampling error of the violation ratio: its standard deviation over resamples,
        or the one of the normal limit.
    """

    eps_min: Array
    violation_ratio: Array
    standard_error: Array


class ResamplingResult(NamedTuple):
    """A test of a difference by resampling.

    Attributes
    ----------
    statistic : array, shape (...)
        The observed difference, A minus B.
    pvalue : array, shape (...)
        Its p-value: never 0, and exact where all permutations are enumerated.
    """

    statistic: Array
    pvalue: Array


class PairwiseAsoResult(NamedTuple):
    """Almost stochastic order of every model over every other one.

    Attributes
    ----------
    eps_min : array, shape (..., K, K)
        Entry (i, j) is the bound for "model i is better than model j"; 1 on the
        diagonal.
    violation_ratio : array, shape (..., K, K)
        The observed ratios; entries (i, j) and (j, i) add up to 1; 0.5 on the diagonal.
    standard_error : array, shape (..., K, K)
        Sampling errors of the violation ratios; 0 on the diagonal.
    """

    eps_min: Array
    violation_ratio: Array
    standard_error: Array
