"""P-values of many pairs of models by counting or additions, on the host.

Where two models are the same, all choices of n of the n + m scores for the first one
are equally probable, with ties or without. The number of choices with each sum of ranks
is counted by adding one score after another, not by listing all choices.

Scores such as 0.33, 0.67 and 41.5 are whole numbers of a unit, 0.01 or 0.1, and so are
their differences. The number of exchanges with each sum of differences is counted by
adding one difference after another, not by listing all exchanges.

A difference of means is linear in both models, however their scores are permuted, so
the term of each model is computed once, and not once for each pair.
"""

import functools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._difference.relabelling import observe
from sigarray._resampling.draws import permute
from sigarray.results import ResamplingResult

# This many additions take some 10 ms. For more scores the normal limit is as good.
_MAX_OF_RANKS = 10**7


def has_exact_ranks(n: int, m: int) -> bool:
    """Tell whether there are few enough scores for their exact p-value."""
    # Each of n + m scores is added to sums of up to n ranks, which are below n (n + m).
    return 2 * (min(n, m) * (n + m)) ** 2 <= _MAX_OF_RANKS


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
    """Return the difference of means, and its two-sided p-value over all exchanges."""
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


Pair = tuple[str, str]

# This many permutations of a pair stay in a processor's cache.
_AT_A_TIME = 2**13
# Means are rounded by at most this share of the tolerance of ties.
_MOST_OF_TIE = 0.5


def find_p_values(
    scores: Mapping[str, np.ndarray],
    pairs: Sequence[Pair],
    *,
    paired: bool,
    n_resamples: int,
    seed: int,
) -> dict[Pair, float]:
    """Return two-sided p-values of random permutations, as of `permutation_test`.

    All models have equally many scores. A pair is left out if its scores are so small
    beside those of other models that sums of these would round them.
    """
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    place = {name: k for k, name in enumerate(names)}
    stack = np.stack([scores[name] for name in names])
    places = np.asarray([[place[name] for name in pair] for pair in pairs])
    first, second = (stack[places[:, k]] for k in (0, 1))
    _, difference, tolerance, unit = observe(HOST, first, second, "mean")
    stack = stack - np.median(stack)
    # The error of a mean of n scores, half of them of one model, added one by one.
    rounding = 0.5 * float(np.finfo(np.float64).eps) * math.sqrt(stack.shape[1])
    rounding *= float(np.max(np.abs(stack)))
    # In a unit other than 1 sums would overflow, or have few bits.
    is_safe = (rounding <= _MOST_OF_TIE * tolerance) & (unit == 1.0)
    kept = np.flatnonzero(is_safe).tolist()
    limits = np.stack([difference - tolerance, difference + tolerance], axis=-1)
    counts = _count_beyond(
        stack,
        [(*places[k].tolist(), *limits[k].tolist()) for k in kept],
        paired=paired,
        n_resamples=n_resamples,
        seed=seed,
    )
    shares = (np.min(counts, axis=-1, initial=n_resamples) + 1.0) / (n_resamples + 1.0)
    p_values = np.minimum(1.0, 2.0 * shares).tolist()
    return {pairs[k]: p for k, p in zip(kept, p_values, strict=True)}


def _count_beyond(
    stack: np.ndarray,
    limits: Sequence[tuple[int, int, float, float]],
    *,
    paired: bool,
    n_resamples: int,
    seed: int,
) -> np.ndarray:
    """Count the permuted differences at, or beyond, the limits of each pair, (P, 2)."""
    draws = permute(seed_words(HOST, seed), stack.shape[1], paired=paired)
    counts = np.zeros((len(limits), 2), dtype=np.int64)
    for start in range(0, n_resamples, _AT_A_TIME):
        size = min(_AT_A_TIME, n_resamples - start)
        first, second = draws.find_parts(HOST, stack, start, size)
        difference = np.empty(size)
        for k, (i, j, low, high) in enumerate(limits):
            np.add(first[i], second[j], out=difference)
            counts[k, 0] += np.count_nonzero(difference >= low)
            counts[k, 1] += np.count_nonzero(difference <= high)
    return counts
