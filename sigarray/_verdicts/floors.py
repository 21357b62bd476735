"""How small p-values can be: by sizes, by values and by the number of draws."""

import functools
import itertools
import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._difference.relabelling import find_multiples
from sigarray._difference.saddlepoint import effective_size
from sigarray._numeric.statistic import pool_samples
from sigarray._verdicts.comparison import pairs_of
from sigarray.read._messages import SingleTaskWarning

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
_ROUNDING = 1e-9
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
    """Tell whether the differences of pairs are a few multiples of one unit."""
    return bool(find_multiples(HOST, pool_samples(HOST, x, y), len(x))[1])


def suits_saddlepoint(x: np.ndarray, y: np.ndarray, *, is_paired: bool) -> bool:
    """Tell whether the approximation is right to 1 %: enough scores, and no lattice."""
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
    return n_drawn > 0 and p * (n_drawn + 1) <= tails * (1.0 + _ROUNDING)


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
    """Return the least p-values that the sizes of all pairs of all tasks allow."""
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
    """Warn if scores are so few that a test of their order can tell no models apart."""
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
    if is_paired and unit == "run" and decides(n, is_paired=False):
        advice += "; as independent samples, without --paired, these are enough"
    which = "some models" if least * n_comparisons <= alpha else "no two models"
    on_one = " on a single task" if len(tasks) > 1 else ""
    warnings.warn(
        f"No {TESTS_OF_ORDERS[test]} of {n} scores gives p below {floor:.2g}{of}: "
        f"{which} can{'' if which[0] == 'n' else 'not'} be told apart{on_one} at level "
        f"{alpha:g}, whatever their scores. {advice}.",
        SingleTaskWarning if on_one else UserWarning,
        stacklevel=2,
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
