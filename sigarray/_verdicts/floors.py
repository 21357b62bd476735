"""How small p-values can be; and exact ones, by counting or additions, on the host."""

import functools
import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._difference.relabelling import find_multiples, observe
from sigarray._difference.saddlepoint import effective_size
from sigarray._numeric.ranks import middle_ranks
from sigarray._numeric.statistic import pool_samples
from sigarray._resampling.draws import permute
from sigarray._verdicts.comparison import pairs_of
from sigarray.read._messages import SingleTaskWarning, warn
from sigarray.results import ResamplingResult

# This many additions take some 10 ms. For more scores the normal limit is as good.
_MAX_OF_RANKS = 10**7


def has_exact_ranks(n: int, m: int) -> bool:
    # Each of n + m scores is added to sums of up to n ranks, which are below n (n + m).
    return 2 * (min(n, m) * (n + m)) ** 2 <= _MAX_OF_RANKS


def p_value_of_ranks(x: np.ndarray, y: np.ndarray) -> float:
    """Return the two-sided p-value: twice that of one side, and 1 at most."""
    if len(x) > len(y):
        x, y = y, x
    # Twice the middle ranks from 0 on, which are whole numbers.
    ranks = middle_ranks(HOST, np.concatenate([x, y]))
    twice = np.asarray(2.0 * ranks + (len(ranks) - 1.0), dtype=int)
    below, above = _count_tails(tuple(np.sort(twice).tolist()), len(x))
    place = int(np.sum(twice[: len(x)]))
    return min(1.0, 2.0 * float(min(below[place], above[place])))


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


_MAX_DECIMALS = 4
# The largest relative error of a score as it is read.
_ROUNDING = 4.0 * float(np.finfo(np.float64).eps)
# Larger whole numbers are not exact.
_MAX_WHOLE = 2.0**53
# This many additions take some 0.3 s.
_MAX_ADDITIONS = 2**28


def has_exact_exchanges(x: np.ndarray, y: np.ndarray) -> bool:
    differences = _find_whole_differences(x, y)
    if differences is None:
        return False
    n_apart = int(np.count_nonzero(differences))
    return n_apart * (_find_limit(differences) + 1) <= _MAX_ADDITIONS


def compare_by_exchanges(x: np.ndarray, y: np.ndarray) -> ResamplingResult:
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
    _, difference, tolerance, unit = observe(HOST, first, second, "mean", False)
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


Correction = Literal["holm", "benjamini_hochberg"]

# More is drawn if p is at most this many times the least possible p, until that is this
# share of the p that is needed.
_NEAR_FLOOR, _SHARE_OF_LEVEL = 10.0, 0.25
# The saddlepoint approximation is right to 1 % from this effective size on, if this
# share of the differences (or scores) that are not 0 have different sizes: near a
# lattice it may be too small.
_EFFECTIVE, _SHARE_OF_SIZES = 20.0, 0.75
# No p-value of these is smaller than that of the most extreme order of the scores.
TESTS_OF_ORDERS = {
    "permutation": "permutation test",
    "mann-whitney": "test by Mann-Whitney's U",
    "brunner-munzel": "test by Brunner and Munzel",
}
_ROUNDING_OF_SHARES = 1e-9
# With more scores the floor is never too large.
_MANY_SCORES = 1000


class Draws(NamedTuple):
    """The number of draws for p-values that are at most `limit` with fewer."""

    number: int
    limit: float


def plan_draws(n_resamples: int, alpha: float, n_comparisons: int) -> Draws | None:
    """Return how many draws can give significant p-values, or None if these can.

    Drawing more only where p is already small makes no p-value too small: each is that
    of the number of draws that is reported, or a larger one from fewer draws.
    """
    floor, needed = 2.0 / (n_resamples + 1), alpha / n_comparisons
    if floor <= needed:
        return None
    count = math.ceil(2.0 / (_SHARE_OF_LEVEL * needed)) - 1
    return Draws(count, _NEAR_FLOOR * floor)


def has_units(x: np.ndarray, y: np.ndarray) -> bool:
    return bool(find_multiples(HOST, pool_samples(HOST, x, y), len(x))[1])


def suits_saddlepoint(x: np.ndarray, y: np.ndarray, *, is_paired: bool) -> bool:
    sizes = np.abs(x - y) if is_paired else np.concatenate([x, y])
    sizes = sizes[sizes != 0.0]
    if np.unique(sizes).size < _SHARE_OF_SIZES * sizes.size:
        return False
    return bool(effective_size(HOST, x, y, paired=is_paired) >= _EFFECTIVE)


def is_least(p: float, test: str, n_drawn: int) -> bool:
    """Tell whether a two-sided p-value is the least that so many draws allow.

    Two-sided permutations take the smaller of two tails twice; a bootstrap counts both.
    """
    tails = 2.0 if test == "permutation" else 1.0
    return n_drawn > 0 and p * (n_drawn + 1) <= tails * (1.0 + _ROUNDING_OF_SHARES)


@functools.cache
def smallest_p_value(test: str, n: int, m: int, *, is_paired: bool) -> float:
    """Return the least two-sided p-value of a test for any scores, or 0."""
    if min(n, m) >= _MANY_SCORES or test not in TESTS_OF_ORDERS:
        return 0.0
    # Divided as whole numbers, for floats end at 1e308.
    return 2 / (2**n if is_paired else math.comb(n + m, n))


def list_floors(
    tasks: Mapping[str, Mapping[str, Any]],
    test: str,
    *,
    is_paired: bool,
    baseline: str | None = None,
) -> list[float]:
    return [
        smallest_p_value(test, len(by[a]), len(by[b]), is_paired=is_paired)
        for by in tasks.values()
        for a, b in pairs_of(by, baseline)
    ]


def doubt_sizes(
    tasks: Mapping[str, Mapping[str, Any]],
    test: str,
    alpha: float,
    n_comparisons: int,
    *,
    unit: str,
    is_paired: bool,
    baseline: str | None = None,
) -> None:
    floors = list_floors(tasks, test, is_paired=is_paired, baseline=baseline)
    least, floor = min(floors), max(floors)
    if len(tasks) > 1 and choose_correction(floors, alpha) != "holm":
        n_comparisons = 1
    if floor * n_comparisons <= alpha:
        return
    n = min(len(x) for scores in tasks.values() for x in scores.values())
    of = f", times {n_comparisons} comparisons" if n_comparisons > 1 else ""

    def decides(size: int, *, is_paired: bool) -> bool:
        floor = smallest_p_value(test, size, size, is_paired=is_paired)
        return floor * n_comparisons <= alpha

    needed = next(k for k in itertools.count(n) if decides(k, is_paired=is_paired))
    what = "score" if unit == "item" else unit  # they may be benchmarks
    advice = f"It takes {needed} {what}s or more of each model"
    if unit == "run" and is_paired:
        advice += (
            "; --test t, of the means of normal differences, can decide with these"
        )
    which = "some models" if least * n_comparisons <= alpha else "no two models"
    on_one = " on a single task" if len(tasks) > 1 else ""
    warn(
        f"No {TESTS_OF_ORDERS[test]} of {n} scores gives p below {floor:.2g}{of}: "
        f"{which} can{'' if which[0] == 'n' else 'not'} be told apart{on_one} at level "
        f"{alpha:g}, whatever their scores. {advice}.",
        SingleTaskWarning if on_one else UserWarning,
    )


def choose_correction(smallest: Sequence[float], alpha: float) -> Correction:
    """Choose the correction of p-values of several tasks from their least values.

    Holm's correction bounds the probability of any false claim. Where sizes alone show
    that it can never decide a pair of any task, the false discovery rate can still be
    controlled, if any p-value can be as small as the level.
    """
    least = min(smallest)
    is_vain = least * len(smallest) > alpha >= least
    return "benjamini_hochberg" if is_vain else "holm"
