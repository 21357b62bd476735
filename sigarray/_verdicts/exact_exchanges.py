"""Exact p-values of exchanged pairs whose scores have few decimals, on the host.

Scores such as 0.33, 0.67 and 41.5 are whole numbers of a unit, 0.01 or 0.1, and so are
their differences. The number of exchanges with each sum of differences is counted by
adding one difference after another, not by listing all exchanges.
"""

import numpy as np

from sigarray.results import ResamplingResult

# The most decimals of scores.
_MAX_DECIMALS = 4
# The largest relative error of a score as it is read.
_ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
# Larger whole numbers are not exact.
_MAX_WHOLE = 2.0**53
# This many additions take some 0.3 s.
_MAX_ADDITIONS = 2**28


def has_exact_exchanges(x: np.ndarray, y: np.ndarray) -> bool:
    """Tell whether scores have few decimals, and pairs are not too many."""
    differences = _find_whole_differences(x, y)
    if differences is None:
        return False
    n_apart = int(np.count_nonzero(differences))
    return n_apart * (_find_limit(differences) + 1) <= _MAX_ADDITIONS


def compare_by_exchanges(x: np.ndarray, y: np.ndarray) -> ResamplingResult:
    """Return the difference of means, and its two-sided p-value over all exchanges.

    Raises
    ------
    ValueError
        Pairs that have no exact exchanges.
    """
    differences = _find_whole_differences(x, y)
    if differences is None:
        msg = f"Expected scores of at most {_MAX_DECIMALS} decimals; got others."
        raise ValueError(msg)
    tail = _share_of_sums(np.abs(differences), _find_limit(differences))
    return ResamplingResult(x.mean() - y.mean(), np.float64(min(1.0, 2.0 * tail)))


def _find_whole_differences(x: np.ndarray, y: np.ndarray) -> np.ndarray | None:
    """Return the differences in their largest common unit, or None for others."""
    for decimals in range(_MAX_DECIMALS + 1):
        scaled = [z * 10.0**decimals for z in (x, y)]
        whole = [np.rint(z) for z in scaled]
        largest = max(float(np.max(np.abs(z), initial=0.0)) for z in whole)
        if not largest < _MAX_WHOLE:  # or NaN
            return None
        if all(
            np.all(np.abs(z - w) <= _ROUNDING * np.abs(z))
            for z, w in zip(scaled, whole, strict=True)
        ):
            differences = (whole[0] - whole[1]).astype(np.int64)
            return differences // max(1, int(np.gcd.reduce(differences)))
    return None


def _find_limit(differences: np.ndarray) -> int:
    """Return the largest sum of the sizes that an as extreme exchange turns over.

    The sum of all is then at least as far from 0 as the observed one, on its side.
    """
    total = int(np.sum(np.abs(differences)))
    return (total - abs(int(np.sum(differences)))) // 2


def _share_of_sums(sizes: np.ndarray, limit: int) -> float:
    """Return the share of subsets whose sizes add up to no more than the limit."""
    shares = np.zeros(limit + 1)
    shares[0] = 1.0
    end = 1  # all sums so far are smaller
    for size in np.sort(sizes[sizes > 0]).tolist():
        end = min(end + size, limit + 1)
        shares[:end] *= 0.5
        if size < end:
            # A copy, so that each size is added once.
            shares[size:end] += shares[: end - size].copy()
    return float(np.sum(shares))
