"""Permutation tests of many pairs of models with equally many scores, on the host.

A difference of means is linear in both models, however their scores are permuted, so
the term of each model is computed once, and not once for each pair.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._difference.relabelling import observe
from sigarray._resampling.draws import permute

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
