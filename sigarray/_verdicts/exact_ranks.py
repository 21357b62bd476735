"""Exact p-values of Mann and Whitney's U given the ties, on the host.

Where two models are the same, all choices of n of the n + m scores for the first one
are equally probable, with ties or without. The number of choices with each sum of ranks
is counted by adding one score after another, not by listing all choices.
"""

import functools

import numpy as np

# This many additions take some 10 ms. For more scores the normal limit is as good.
_MAX_ADDITIONS = 10**7


def has_exact_ranks(n: int, m: int) -> bool:
    """Tell whether there are few enough scores for their exact p-value."""
    # Each of n + m scores is added to sums of up to n ranks, which are below n (n + m).
    return 2 * (min(n, m) * (n + m)) ** 2 <= _MAX_ADDITIONS


def p_value_of_ranks(x: np.ndarray, y: np.ndarray) -> float:
    """Return the two-sided p-value: twice that of one side, and 1 at most."""
    if len(x) > len(y):
        x, y = y, x
    twice = _double_ranks(np.concatenate([x, y]))
    below, above = _count_tails(tuple(np.sort(twice).tolist()), len(x))
    place = int(np.sum(twice[: len(x)]))
    return min(1.0, 2.0 * float(min(below[place], above[place])))


def _double_ranks(pool: np.ndarray) -> np.ndarray:
    """Return twice the middle ranks from 0 on, which are whole numbers."""
    ordered = np.sort(pool)
    first = np.searchsorted(ordered, pool, side="left")
    return first + np.searchsorted(ordered, pool, side="right") - 1


@functools.lru_cache(maxsize=64)
def _count_tails(twice: tuple[int, ...], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the shares of choices whose sum is at most, and at least, 0, 1, ..."""
    counts = np.zeros((n + 1, sum(twice[-n:]) + 1))
    counts[0, 0] = 1.0
    for rank in twice:
        width = counts.shape[1] - rank
        counts[1:, rank:] += counts[:-1, :width].copy()
    shares = counts[n] / counts[n].sum()
    return np.cumsum(shares), np.cumsum(shares[::-1])[::-1]
