"""Which test of two models, and by which method."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._difference.bootstrap import bootstrap_test
from sigarray._difference.location import t_test
from sigarray._difference.permutation import permutation_test
from sigarray._difference.ranks import brunner_munzel, mann_whitney_u
from sigarray._difference.saddlepoint import effective_size
from sigarray._verdicts.exact_exchanges import has_exact_exchanges
from sigarray._verdicts.floors import Draws, has_units, plan_draws
from sigarray._verdicts.intervals import are_binary

# With fewer scores, a bootstrap test of the mean at level 0.05 is wrong in 7 to 16
# cases of 100, and intervals of the bootstrap are too short.
FEW_SCORES = 20
# With fewer scores, Brunner and Munzel's test is wrong too often.
FEW_RANKS = 10
# Tests that resample, and tests that can be paired.
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
# Where sizes and values allow it, pairs get an exact method: a sum for differences of
# few units, and counting for scores with few decimals.
EXACT_TEST = "permutation"
COUNTED = "counted"
EXACT_METHODS = ("exact", COUNTED)
# With a margin, scores of 0 and 1 get the score test of proportions.
SCORED = "score"
# From so many scores on "auto" approximates, unless a few of them make the variance:
# the p-values are right to 0.1 %, and resampling would take a second or more.
_MANY_SCORES = 10_000
_MANY_EFFECTIVE = 100.0
# More draws near a level are for so few comparisons: with more, some p always is near.
_FEW_COMPARISONS = 3


@dataclass(frozen=True)
class PairOptions:
    """A test and its options; those of resampling are None for other tests.

    `alpha` is the level, and `n_comparisons` the number of p-values to correct for;
    `has_clusters` if items are in clusters, of which whole ones were sampled,
    `has_runs` if they are in several runs of each model, which were sampled too, and
    `statistic` the name of a metric of sums in place of the mean. With a `margin`, by
    which the first model of a pair may be worse, the test is one-sided.
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
    has_clusters: bool = False
    has_runs: bool = False
    statistic: str = "mean"
    margin: float | None = None

    @property
    def measures_by_variance(self) -> bool:
        """Whether the error of a difference is estimated from the scores."""
        return self.test in ("t", "bootstrap")

    @property
    def is_of_plain_mean(self) -> bool:
        """Whether resamples are of a mean, and not of a ratio or a metric of sums."""
        is_ratio = self.has_clusters and self.test == "bootstrap"
        return self.statistic == "mean" and not is_ratio

    @property
    def more_draws(self) -> Draws | None:
        """What to draw if `n_resamples` cannot give p-values as small as needed."""
        if self.n_resamples is None or self.method != "auto":
            return None
        return plan_draws(self.n_resamples, self.alpha, self.n_comparisons)

    @property
    def draws_on(self) -> bool:
        """Whether to draw more near a level: with many, every p is near one."""
        return self.method == "auto" and self.n_comparisons <= _FEW_COMPARISONS


def choose_method(x: np.ndarray, y: np.ndarray, options: PairOptions) -> str:
    """Return the method of a pair, which `describe_test` puts into words."""
    method = options.method if options.is_of_plain_mean else "resampling"
    if options.margin is not None and is_by_score(x, y, options):
        return SCORED
    if method != "auto":
        return method
    if options.test == EXACT_TEST and options.is_paired and options.margin is None:
        if has_units(x, y):
            return "exact"
        if has_exact_exchanges(x, y):
            return COUNTED
    # Of t, as for unequal sizes, there is no approximation.
    is_of_t = options.test == "permutation" and len(x) != len(y)
    if is_of_t or min(len(x), len(y)) < _MANY_SCORES:
        return "resampling"
    size = effective_size(HOST, x, y, paired=options.is_paired)
    return "saddlepoint" if size >= _MANY_EFFECTIVE else "resampling"


def is_by_score(x: np.ndarray, y: np.ndarray, options: PairOptions) -> bool:
    """Tell whether a margin of a pair is tested as one of proportions."""
    return options.test_share is None and are_binary(x) and are_binary(y)


def choose_statistic(x: np.ndarray, y: np.ndarray, options: PairOptions) -> str:
    """Return the statistic of a pair: for runs, the means in units of their error.

    Two models may differ in spread, and runs are few. Permutations of pairs give the
    same p-values for both statistics.
    """
    if options.unit != "run" or choose_method(x, y, options) != "resampling":
        return "mean"
    if min(len(x), len(y)) < 2:
        return "mean"
    is_same = options.test == "permutation" and options.is_paired
    return "mean" if is_same else "t"


def is_bounded_by_welch(x: np.ndarray, y: np.ndarray, options: PairOptions) -> bool:
    """Tell whether Welch's p-value is a lower limit of that of a pair.

    Permutations of t reject equal means too often where a small sample varies more than
    a large one: `permutation_test` has the rates. The larger of two p-values is small
    no more often than either is.
    """
    is_large = len(x) == len(y) >= FEW_SCORES
    if options.test != "permutation" or is_large:
        return False
    return choose_statistic(x, y, options) == "t"
