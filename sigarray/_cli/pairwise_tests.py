"""Two-sided tests of every two models of a table of scores, on the host."""

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Mapping
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
from sigarray._cli.comparison import pairs_of
from sigarray._cli.decisions import PairTest
from sigarray._cli.exact_ranks import has_exact_ranks, p_value_of_ranks
from sigarray._cli.floors import Draws, has_units, plan_draws, suits_saddlepoint
from sigarray._cli.near_levels import is_near_any_level
from sigarray._cli.progress import announce, track
from sigarray._difference.saddlepoint import effective_size
from sigarray._resampling.draws import count_permutations
from sigarray.read._wide import Scores

# Below, a bootstrap test of the mean at level 0.05 is wrong in 7 to 16 cases of 100,
# and intervals of the bootstrap are too short.
FEW_SCORES = 20
# Below, Brunner and Munzel's test is.
FEW_RANKS = 10
# Which of them resample, and which know pairs.
RESAMPLING_TESTS = ("bootstrap", "permutation")
PAIRED_TESTS = ("bootstrap", "permutation", "t")

_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "bootstrap": bootstrap_test,
    "permutation": permutation_test,
    "mann-whitney": mann_whitney_u,
    "brunner-munzel": brunner_munzel,
    "t": t_test,
}
TESTS = tuple(_FUNCTIONS)
PAIR_METHODS = ("resampling", "saddlepoint")
# Of what sizes and values allow, an exact method of pairs goes first.
EXACT_TEST = "permutation"
# From so many scores on "auto" approximates, where no few of them make the variance:
# the p-values are then right to 0.1 %, and resampling would take a second and more.
_MANY_SCORES = 10_000
_MANY_EFFECTIVE = 100.0
# Of a guess at the time: for each pair, and for each score (in each resample).
_SECONDS_PER_PAIR = 5e-4
# Near a level draws are taken on up to this number, and up to so many scores.
_MOST_DRAWS, _MOST_DRAWN, _FEW_COMPARISONS = 2**19, 2**27, 3
_SECONDS_PER_SCORE = {"bootstrap": 1e-8, "permutation": 1e-8}
_SECONDS_PER_SORTED_SCORE = 2e-7
# What is said of tests that have no options.
_DESCRIPTIONS = {
    "mann-whitney": "Mann-Whitney's U, two-sided, of the null hypothesis that both "
    "distributions are the same",
    "brunner-munzel": "Brunner and Munzel's test, two-sided, of the null hypothesis "
    "P(A > B) + P(A = B) / 2 = 1/2",
}


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
    def more_draws(self) -> Draws | None:
        """What to draw where so few resamples cannot give p-values that are needed."""
        if self.n_resamples is None or self.method != "auto":
            return None
        return plan_draws(self.n_resamples, self.alpha, self.n_comparisons)

    @property
    def draws_on(self) -> bool:
        """Whether to draw on near a level: of many comparisons all p are near one."""
        return self.method == "auto" and self.n_comparisons <= _FEW_COMPARISONS


def run_pairwise(
    scores: Scores,
    options: PairOptions,
    *,
    higher_is_better: bool,
) -> list[PairTest]:
    """Test every two models, without a correction for their number.

    Each pair gets the same seed, and is tested in the order of its names, so that its
    p-value depends neither on the order of the columns nor on other models.
    """
    pairs = pairs_of(scores, options.baseline)
    announce(
        f"{options.test} for {len(pairs)} {'pair' if len(pairs) == 1 else 'pairs'}",
        _guess_seconds(scores, options),
        _advise(options),
    )
    return find_tests(
        scores, options, higher_is_better=higher_is_better, pairs=track(pairs, "Pair")
    )


def find_tests(
    scores: Scores,
    options: PairOptions,
    *,
    higher_is_better: bool,
    pairs: Iterable[tuple[str, str]],
) -> list[PairTest]:
    """Test pairs of models, in silence."""
    tests = []
    for a, b in pairs:
        statistic, lead, p, n_drawn = _test_pair(scores, a, b, options)
        is_first = (lead > 0.0) == higher_is_better
        leader = None if lead == 0.0 else a if is_first else b
        tests.append(PairTest(statistic, p, leader, n_drawn))
    return tests


def describe_test(scores: Scores, options: PairOptions, unit: str = "run") -> str:
    """Name the test and what it did; pairs may differ in their sizes."""
    if options.test in _DESCRIPTIONS:
        return _DESCRIPTIONS[options.test] + _describe_ranks(scores, options)
    by = "" if unit == "run" else f" by {unit}"
    mean = "mean over items" if unit == "cluster" else "mean"
    if options.test == "t":
        name = f"paired t-test{by}" if options.is_paired else "Welch's t-test"
        name += f" of the {mean}" if unit == "cluster" else ""
        if options.test_share is not None:
            name += f" of splits with a test share of {options.test_share:.10g}"
            name += ", corrected as by Nadeau and Bengio (2003)"
        return f"{name}, two-sided"
    kind = f"of pairs{by}" if options.is_paired else "of independent samples"
    drawn = f"{options.n_resamples} resamples, seed {options.seed}"
    if options.test == "permutation":
        drawn = (
            f"exact, or where there are more than {options.n_resamples} permutations, "
            f"as many random ones, seed {options.seed}"
        )
    if options.draws_on:
        drawn += ", and more where p is near a level"
    more = options.more_draws
    if more is not None:
        drawn += (
            f"; where these give p of at most {more.limit:.2g}, which for "
            f"{options.n_comparisons} comparisons is too near to the least that they "
            f"can give, {more.number} of them, or the saddlepoint approximation"
        )
    said = {
        "exact": "exact over all exchanges",
        "saddlepoint": "by saddlepoint approximation",
        "resampling": drawn,
    }
    methods = dict.fromkeys(
        choose_method(scores[a], scores[b], options)
        for a, b in pairs_of(scores, options.baseline)
    )
    which = "by the scores of a pair " if len(methods) > 1 else ""
    how = " or ".join(said[method] for method in said if method in methods)
    named = pairs_of(scores, options.baseline)
    pairs = [(scores[a], scores[b]) for a, b in named]
    what = f"the {mean}"
    if any(_choose_statistic(x, y, options) == "t" for x, y in pairs):
        what += " by its t" if options.is_paired else " by Welch's t"
    if any(_is_bounded_by_welch(x, y, options) for x, y in pairs):
        how += "; or Welch's own p, where that is larger"
        if not all(_is_bounded_by_welch(x, y, options) for x, y in pairs):
            how += f", of fewer than {FEW_SCORES} scores or of unequal sizes"
    return f"{options.test} test of {what} {kind}, two-sided, {which}{how}"


def _describe_ranks(scores: Scores, options: PairOptions) -> str:
    """Say where p-values of ranks are exact, or no smaller than exact ones."""
    found = {
        has_exact_ranks(len(scores[a]), len(scores[b]))
        for a, b in pairs_of(scores, options.baseline)
    }
    if options.test == "mann-whitney":
        said = {True: "exact given the ties", False: "by the normal approximation"}
        which = "; by the sizes of a pair " if len(found) > 1 else ", "
        return which + " or ".join(said[x] for x in said if x in found)
    if True not in found:
        return ""
    which = "of few scores, " if len(found) > 1 else ""
    return f"; {which}or the exact p of Mann-Whitney's U where that is larger"


def choose_method(x: np.ndarray, y: np.ndarray, options: PairOptions) -> str:
    """Return the method of a pair: `describe_test` says it."""
    if options.method != "auto":
        return options.method
    if options.test == EXACT_TEST and options.is_paired and has_units(x, y):
        return "exact"
    if min(len(x), len(y)) < _MANY_SCORES:
        return "resampling"
    if options.test == "permutation" and len(x) != len(y):
        return "resampling"  # of t, which the approximation does not know
    size = effective_size(HOST, x, y, paired=options.is_paired)
    return "saddlepoint" if size >= _MANY_EFFECTIVE else "resampling"


def _choose_statistic(x: np.ndarray, y: np.ndarray, options: PairOptions) -> str:
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


def _is_bounded_by_welch(x: np.ndarray, y: np.ndarray, options: PairOptions) -> bool:
    """Tell a pair whose p-value is at least Welch's.

    Permutations of t see differences of equal means too often where a small sample
    varies more than another one: `permutation_test` has the rates. Both p-values are
    small no more often than either is.
    """
    is_large = len(x) == len(y) >= FEW_SCORES
    if options.test != "permutation" or is_large:
        return False
    return _choose_statistic(x, y, options) == "t"


def _choose_options(
    x: np.ndarray, y: np.ndarray, options: PairOptions
) -> dict[str, Any]:
    """Return the options of the test of a pair."""
    chosen: dict[str, Any] = {"alternative": "two-sided"}
    if options.test in PAIRED_TESTS:
        chosen["paired"] = options.is_paired
    if options.test == "t":
        chosen["test_share"] = options.test_share
    if options.test in RESAMPLING_TESTS:
        chosen |= {
            "n_resamples": options.n_resamples,
            "rng": options.seed,
            "method": choose_method(x, y, options),
            "statistic": _choose_statistic(x, y, options),
        }
    return chosen


def _test_pair(
    scores: Scores, a: str, b: str, options: PairOptions
) -> tuple[float, float, float, int]:
    """Return the statistic, how far A leads (0 for not at all), and the p-value.

    And of how many random resamples that is, 0 for none.
    """
    first, second = sorted((a, b))
    x, y = scores[first], scores[second]
    chosen = _choose_options(x, y, options)
    result = _FUNCTIONS[options.test](x, y, **chosen)
    more = options.more_draws
    if (
        more is not None
        and chosen["method"] == "resampling"
        and result.pvalue <= more.limit
    ):
        is_smooth = chosen["statistic"] == "mean" and suits_saddlepoint(
            x, y, is_paired=options.is_paired
        )
        chosen |= (
            {"method": "saddlepoint"} if is_smooth else {"n_resamples": more.number}
        )
        result = _FUNCTIONS[options.test](x, y, **chosen)
    n_drawn = _count_drawn(x, y, options, chosen)
    if n_drawn and options.draws_on:
        result, n_drawn = _draw_until_clear(x, y, options, chosen, result)
    statistic, p_value = float(result.statistic), float(result.pvalue)
    if math.isnan(p_value):
        p_value = 1.0
    if _is_bounded_by_welch(x, y, options):
        p_value = max(p_value, float(t_test(x, y).pvalue))  # a NaN is not larger
    if options.test in _DESCRIPTIONS and has_exact_ranks(len(x), len(y)):
        exact = p_value_of_ranks(x, y)
        p_value = exact if options.test == "mann-whitney" else max(p_value, exact)
    is_turned = first != a
    lead, turned = statistic, 0.0 - statistic
    if options.test in _DESCRIPTIONS:
        lead = float(result.probability_of_improvement) - 0.5
    if options.test == "mann-whitney":
        turned = len(x) * len(y) - statistic
    if is_turned:
        statistic, lead = turned, 0.0 - lead
    return statistic, lead, p_value, n_drawn


def _count_drawn(
    x: np.ndarray, y: np.ndarray, options: PairOptions, chosen: Mapping[str, Any]
) -> int:
    """Count the random resamples of a p-value, 0 where it needs none."""
    if chosen.get("method") != "resampling":
        return 0
    count = int(chosen["n_resamples"])
    if options.test != EXACT_TEST:
        return count
    ways = count_permutations(len(x), len(y), paired=options.is_paired)
    return 0 if ways <= count + 1 else count


def _draw_until_clear(
    x: np.ndarray,
    y: np.ndarray,
    options: PairOptions,
    chosen: dict[str, Any],
    result: Any,
) -> tuple[Any, int]:
    """Draw on, four times as often each time, where the seed would decide.

    Returns the result, and of how many resamples it is.
    """
    drawn = count = chosen["n_resamples"]
    is_near = functools.partial(
        is_near_any_level, alpha=options.alpha, n_comparisons=options.n_comparisons
    )
    while is_near(float(result.pvalue), drawn):
        count = 4 * (count + 1) - 1
        if count > _MOST_DRAWS or count * (len(x) + len(y)) > _MOST_DRAWN:
            break
        drawn = count
        result = _FUNCTIONS[options.test](x, y, **chosen | {"n_resamples": drawn})
    return result, drawn


def _advise(options: PairOptions) -> str:
    ways = ["fewer models with --columns"]
    if options.n_resamples is not None:
        ways = ["--method saddlepoint", "--test t", "fewer --n-resamples", *ways]
    return f"Faster: {', '.join(ways)}."


def _guess_seconds(scores: Scores, options: PairOptions) -> float:
    """Guess how long the tests of all pairs take."""
    n_others = len(scores) - 1
    n_scores = n_others * sum(map(len, scores.values()))
    seconds = n_others * len(scores) / 2 * _SECONDS_PER_PAIR
    if options.n_resamples is None:
        return seconds + n_scores * _SECONDS_PER_SORTED_SCORE
    per_score = _SECONDS_PER_SCORE[options.test] * options.n_resamples
    drawn = sum(
        len(x) + len(y)
        for x, y in itertools.combinations(scores.values(), 2)
        if choose_method(x, y, options) == "resampling"
    )
    return seconds + (n_scores - drawn) * _SECONDS_PER_SORTED_SCORE + drawn * per_score
