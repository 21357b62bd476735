"""Resampled metrics of many pairs of models, on the host.

The sums of a model in a resample do not depend on the other models, so they are drawn
once for each model, and not once for each pair.
"""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._numeric.statistic import rounding_of
from sigarray._numeric.sums import SumStatistic
from sigarray._resampling.draws import Exchanges, Places, count_permutations

# This many resamples at a time, and so many sums.
_AT_A_TIME, _MOST_HELD = 2**13, 2**22


def find_p_values(
    sums: Mapping[str, np.ndarray],
    statistic: SumStatistic,
    pairs: Sequence[Sequence[str]],
    *,
    test: str,
    n_resamples: int,
    seed: int,
) -> list[tuple[float, float]]:
    """Return the difference and the two-sided p-value of each pair.

    `sums` are numbers (d, n) of the units of each model. The numbers are those of
    `permutation_test` and `bootstrap_test` with the same seed.
    """
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    stack = np.stack([sums[name] for name in names])
    values = statistic.observe(HOST, stack)
    places = [tuple(names.index(name) for name in pair) for pair in pairs]
    gaps = np.asarray([values[i] - values[j] for i, j in places])
    ties = [
        float(rounding_of(HOST, statistic, [], [values[i], values[j]]))
        for i, j in places
    ]
    if test == "permutation":
        n = stack.shape[-1]
        n_all = count_permutations(n, n, paired=True)
        is_exact = n_all <= n_resamples
        count = int(n_all) if is_exact else n_resamples
        draws = Exchanges(None if is_exact else seed_words(HOST, seed), n)
        beyond = _count_exchanged(statistic, stack, draws, places, gaps, ties, count)
        more = 0.0 if is_exact else 1.0
        shares = (np.min(beyond, axis=-1) + more) / (count + more)
        p_values = np.minimum(1.0, 2.0 * shares)
    else:
        drawn = Places(seed_words(HOST, seed))  # of one sample: that of all models
        counts = _count_drawn(statistic, stack, drawn, places, gaps, ties, n_resamples)
        p_values = (counts + 1.0) / (n_resamples + 1.0)
    return list(zip(gaps.tolist(), p_values.tolist(), strict=True))


def _list_chunks(stack: np.ndarray, count: int) -> list[tuple[int, int]]:
    """Return the start and the size of each chunk of resamples."""
    n_rows = math.prod(stack.shape[:-1])
    step = max(1, min(_AT_A_TIME, _MOST_HELD // n_rows))
    return [(start, min(step, count - start)) for start in range(0, count, step)]


def _count_exchanged(
    statistic: SumStatistic,
    stack: np.ndarray,
    draws: Exchanges,
    places: Sequence[tuple[int, ...]],
    gaps: np.ndarray,
    ties: Sequence[float],
    count: int,
) -> np.ndarray:
    """Count the differences at, or beyond, that of each pair on both sides, (P, 2)."""
    counts = np.zeros((len(places), 2), dtype=np.int64)
    # Beside a model of zeros, its own sums are those of what stays, and what goes.
    pool = np.concatenate([stack, np.zeros_like(stack)], axis=-1)
    summands = draws.prepare_sums(HOST, [pool])
    for start, size in _list_chunks(stack, count):
        stays, goes = draws.find_sums(HOST, summands, start, size)
        for k, (i, j) in enumerate(places):
            a = statistic.evaluate(HOST, stays[i] + goes[j])
            b = statistic.evaluate(HOST, goes[i] + stays[j])
            shifts = a - b - gaps[k]
            counts[k, 0] += np.count_nonzero(shifts >= -ties[k])
            counts[k, 1] += np.count_nonzero(shifts <= ties[k])
    return counts


def _count_drawn(
    statistic: SumStatistic,
    stack: np.ndarray,
    draws: Places,
    places: Sequence[tuple[int, ...]],
    gaps: np.ndarray,
    ties: Sequence[float],
    count: int,
) -> np.ndarray:
    """Count the differences as far from that of each pair as this is from 0, (P,)."""
    counts = np.zeros(len(places), dtype=np.int64)
    summands = draws.prepare_sums(HOST, [stack.reshape(-1, stack.shape[-1])])
    for start, size in _list_chunks(stack, count):
        (drawn,) = draws.find_sums(HOST, summands, start, size)
        values = statistic.evaluate(HOST, drawn.reshape(*stack.shape[:-1], size))
        for k, (i, j) in enumerate(places):
            shifts = np.abs(values[i] - values[j] - gaps[k])
            counts[k] += np.count_nonzero(shifts >= abs(gaps[k]) - ties[k])
    return counts
