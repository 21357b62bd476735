"""Which test of two models, and by which method."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigarray import (
    bootstrap_test,
    brunner_munzel,
    mann_whitney_u,
    permutation_test,
    t_test,
)
from sigarray._backend.of_numpy import HOST
from sigarray._difference.saddlepoint import effective_size
from sigarray._verdicts.exact_exchanges import has_exact_exchanges
from sigarray._verdicts.floors import Draws, has_units, plan_draws

# Below, a bootstrap test of the mean at level 0.05 is wrong in 7 to 16 cases of 100,
# and intervals of the bootstrap are too short.
FEW_SCORES = 20
# Below, Brunner and Munzel's test is.
FEW_RANKS = 10
# Which of them resample, and which know pairs.
RESAMPLING_TESTS = ("bootstrap", "permutation")
PAIRED_TESTS = ("bootstrap", "permutation", "t")
TESTS_OF_RANKS = ("mann-whitney", "brunner-munzel")

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "bootstrap": bootstrap_test,
    "permutation": permutation_test,
    "mann-whitney": mann_whitney_u,
    "brunner-munzel": brunner_munzel,
    "t": t_test,
}
TESTS = tuple(FUNCTIONS)
PAIR_METHODS = ("resampling", "saddlepoint")
# Of what sizes and values allow, an exact method of pairs goes first: of differences
# that are few units, by a sum, and of scores that have few decimals, by counting.
EXACT_TEST = "permutation"
COUNTED = "counted"
EXACT_METHODS = ("exact", COUNTED)
# From so many scores on "auto" approximates, where no few of them make the variance:
# the p-values are then right to 0.1 %, and resampling would take a second and more.
_MANY_SCORES = 10_000
_MANY_EFFECTIVE = 100.0
# Draws are taken on for so many comparisons: of more, some p is always near a level.
_FEW_COMPARISONS = 3


@dataclass(frozen=True)
class PairOptions:
    """Which test, and how; the options of resampling are None for other tests.

    `alpha` is the level, and `n_comparisons` for how many p-values are corrected.
    """

    test: str
    is_paired: bool
    n_resamples: int | None
    seed: int | None
    method: str = "auto"
    alpha: float = 0.05
    n_comparisons: int = 1
    unit: str = "run"
    test_share: float | None = None
    baseline: str | None = None

    @property
    def measures_by_variance(self) -> bool:
        """Whether differences are measured by how much scores vary."""
        return self.test in ("t", "bootstrap")

    @property
    def more_draws(self) -> Draws | None:
        """What to draw where so few resamples cannot give p-values that are needed."""
        if self.n_resamples is None or self.method != "auto":
            return None
        return plan_draws(self.n_resamples, self.alpha, self.n_comparisons)

    @property
    def draws_on(self) -> bool:
        """Whether to draw on near a level: of many comparisons all p are near one."""
        return self.method == "auto" and self.n_comparisons <= _FEW_COMPARISONS


def choose_method(x: np.ndarray, y: np.ndarray, options: PairOptions) -> str:
    """Return the method of a pair: `describe_test` says it."""
    if options.method != "auto":
        return options.method
    if options.test == EXACT_TEST and options.is_paired:
        if has_units(x, y):
            return "exact"
        if has_exact_exchanges(x, y):
            return COUNTED
    if min(len(x), len(y)) < _MANY_SCORES:
        return "resampling"
    if options.test == "permutation" and len(x) != len(y):
        return "resampling"  # of t, which the approximation does not know
    size = effective_size(HOST, x, y, paired=options.is_paired)
    return "saddlepoint" if size >= _MANY_EFFECTIVE else "resampling"


def choose_statistic(x: np.ndarray, y: np.ndarray, options: PairOptions) -> str:
    """Return what to compare of a pair: of runs, the means in units of their error.

    Two models may have other spreads, and runs are few. Of pairs permutations of both
    are the same.
    """
    if options.unit != "run" or choose_method(x, y, options) != "resampling":
        return "mean"
    if min(len(x), len(y)) < 2:
        return "mean"
    is_same = options.test == "permutation" and options.is_paired
    return "mean" if is_same else "t"


def is_bounded_by_welch(x: np.ndarray, y: np.ndarray, options: PairOptions) -> bool:
    """Tell a pair whose p-value is at least Welch's.

    Permutations of t see differences of equal means too often where a small sample
    varies more than another one: `permutation_test` has the rates. Both p-values are
    small no more often than either is.
    """
    is_large = len(x) == len(y) >= FEW_SCORES
    if options.test != "permutation" or is_large:
        return False
    return choose_statistic(x, y, options) == "t"
