"""What is asked of a comparison: tests and methods, and which options go together."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np

from sigarray._backend.checks import (
    anything,
    choice,
    count,
    flag,
    fraction,
    half,
    integer,
    number,
    optional,
    progress_source,
    show,
    worker_source,
)
from sigarray._backend.of_numpy import HOST
from sigarray._difference.bootstrap import bootstrap_test
from sigarray._difference.location import t_test
from sigarray._difference.permutation import permutation_test
from sigarray._difference.ranks import brunner_munzel, mann_whitney_u
from sigarray._difference.saddlepoint import effective_size
from sigarray._numeric.sums import SumStatistic
from sigarray._order.stacks import METHODS as METHODS_OF_ORDERS
from sigarray._order.stacks import Method
from sigarray._plain_text import list_in_words
from sigarray._verdicts.aggregate_tests import AGGREGATES
from sigarray._verdicts.floors import Draws, has_exact_exchanges, has_units, plan_draws
from sigarray._verdicts.intervals import are_binary
from sigarray.read._alignment import UNITS
from sigarray.read._messages import note
from sigarray.read._missing import TREATMENTS
from sigarray.read._sums import METRICS

# With fewer scores, a bootstrap test of the mean at level 0.05 is wrong in 7 to 16
# cases of 100, and intervals of the bootstrap are too short.
FEW_SCORES = 20
# Of 20 clusters of unlike sizes 12 cases of 100; of 50 intervals of 95 % of medians and
# interquartile means held in 93 to 94 % (`benchmarks/results/cluster_middles.md`).
FEW_CLUSTERS = 50
# With fewer scores, Brunner and Munzel's test is wrong too often.
FEW_RANKS = 10
# More folds are hardly those of one repetition, but numbered over several.
MOST_FOLDS = 20
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
class OrderOptions:
    threshold: float = 0.2
    confidence_level: float = 0.95
    method: Method = "auto"
    n_resamples: int = 1000
    seed: int = 0
    dt: float | None = None
    baseline: str | None = None


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


TestName = Literal[
    "aso", "bootstrap", "permutation", "mann-whitney", "brunner-munzel", "t"
]

# The choices of `--method`: for orders, and for tests that resample.
METHODS = (*METHODS_OF_ORDERS, *PAIR_METHODS)
ALPHA = 0.05
RESAMPLES = {"aso": 1000, "bootstrap": 9999, "permutation": 9999}
# The tests that cannot be paired.
OF_INDEPENDENT = {
    "aso": "Almost stochastic order",
    "mann-whitney": "Mann and Whitney's test",
    "brunner-munzel": "Brunner and Munzel's test",
}


@dataclass(frozen=True)
class Request:
    """A test and its options, which are None if the scores are to decide them."""

    test: str | None = None
    is_paired: bool = False
    test_share: float | None = None
    baseline: str | None = None
    threshold: float | None = None
    confidence_level: float | None = None
    alpha: float | None = None
    dt: float | None = None
    method: str | None = None
    n_resamples: int | None = None
    seed: int = 0
    is_corrected: bool = True
    higher_is_better: bool = True
    missing: str | None = None
    margin: float | None = None
    # Of all scores of a model over tasks, which are strata.
    statistic: str | None = None

    @property
    def has_worst(self) -> bool:
        """Whether --missing worst is for the test, as far as that is known."""
        asked = (self.is_paired or None, self.statistic, self.margin)
        return asked == (None,) * 3 and self.test in (None, *OF_INDEPENDENT)


_OF_MARGIN = (
    " A margin is in the unit of means. For almost stochastic order a margin M is a "
    "shift: aso(a + M, b) in Python."
)
_OF_BOUNDS = " The bounds of aso hold at --confidence-level."


def check_request(request: Request) -> Request:
    test = request.test
    if test is None:
        return request
    is_drawn = request.statistic not in (None, "mean")
    of_method = RESAMPLING_TESTS if request.method in PAIR_METHODS else ("aso",)
    of_level = " The level of p-values is --alpha."
    for option, is_given, known, advice in (
        ("--paired", request.is_paired, PAIRED_TESTS, ""),
        ("--test-share", request.test_share is not None, ("t",), ""),
        ("--margin", request.margin is not None, PAIRED_TESTS, _OF_MARGIN),
        (
            "--n-resamples",
            request.n_resamples is not None and not is_drawn,
            RESAMPLES,
            "",
        ),
        ("--threshold", request.threshold is not None, ("aso",), of_level),
        (
            "--confidence-level",
            request.confidence_level is not None,
            ("aso",),
            of_level,
        ),
        ("--dt", request.dt is not None, ("aso",), ""),
        ("--alpha", request.alpha is not None, TESTS, _OF_BOUNDS),
        (
            f"--method {request.method}",
            request.method not in (None, "auto"),
            of_method,
            "",
        ),
    ):
        if is_given and test not in known:
            msg = f"Expected {option} with {list_tests(known)}; got --test {test}."
            msg += advice
            raise ValueError(msg)
    if request.test_share is not None:
        # Every split has a score of each model.
        request = replace(request, is_paired=True)
    _check_statistic(request)
    if request.missing == "worst" and test not in OF_INDEPENDENT:
        msg = (
            f"Expected --missing worst with {list_tests(OF_INDEPENDENT)}, which "
            f"rank scores or their quantiles; got --test {test}, of means, to which it "
            "matters how bad a crashed run is. Write the score that failing is worth, "
            "or pass --missing drop."
        )
        raise ValueError(msg)
    return request


def choose_test_of_folds(request: Request, column: str, n: int) -> Request:
    option, share = f"--fold {column}", request.test_share
    if request.test not in (None, "t"):
        msg = (
            f"Expected --test t with {option}, for training sets of folds overlap; got "
            f"--test {request.test}. Leave one of both out."
        )
        raise ValueError(msg)
    if share is None and not 1 < n <= MOST_FOLDS:
        msg = (
            f"Expected the 2 to {MOST_FOLDS} folds of a repetition in {option}; got "
            f"{n}. Name repetitions by --run, if there are several; or pass "
            "--test-share, the share of the data that each fold is tested on."
        )
        raise ValueError(msg)
    if share is None:
        share = 1.0 / n
        note(
            f"each of {n} folds was tested on {share:.3g} of the data, and training "
            "sets overlap: models are compared by --test t, which corrects for that."
        )
    return check_request(replace(request, test="t", test_share=share))


def _check_statistic(request: Request) -> None:
    if request.statistic is not None and request.test_share is not None:
        msg = (
            f"Expected --statistic {request.statistic} without --test-share, for its "
            "test over these tasks takes scores as independent, and splits are not; "
            "got both. Leave --statistic out."
        )
        raise ValueError(msg)
    if request.statistic is not None and request.missing == "worst":
        msg = (
            f"Expected --missing drop with --statistic {request.statistic}, to which "
            "it matters how bad a crashed run is; got --missing worst."
        )
        raise ValueError(msg)
    if request.statistic == "improvement" and request.margin is not None:
        msg = (
            "Expected --statistic improvement without --margin, which is in the unit "
            f"of the scores, and a probability has none; got --margin "
            f"{request.margin:.10g}. Pass --statistic mean."
        )
        raise ValueError(msg)


def list_tests(tests: Iterable[str]) -> str:
    """List tests as options, each of which becomes an argument in Python."""
    return list_in_words([f"--test {x}" for x in tests], "or")


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        msg = f"Expected {name} to be the name of a model; got {show(value)}."
        raise TypeError(msg)
    return str(value)


def _above_zero(name: str, value: Any) -> float:
    checked = number(name, value)
    if not checked > 0.0:
        msg = f"Expected {name} to be above 0; got {show(value)}."
        raise ValueError(msg)
    return checked


def _aggregate(name: str, value: Any) -> str:
    is_name = isinstance(value, str) and value in METRICS
    if isinstance(value, SumStatistic) or is_name:
        msg = (
            f"Expected {name} to be {list_in_words(AGGREGATES, 'or')}; got "
            f"{show(value)}, a metric of sums. It is an argument of "
            "sigarray.read.scores: read the scores with it, and pass what it returns."
        )
        raise ValueError(msg)
    return str(choice(*AGGREGATES)(name, value))


OPTION_RULES = {
    "test": optional(choice(*get_args(TestName))),
    "paired": flag,
    "baseline": optional(_text),
    "threshold": optional(half),
    "confidence_level": optional(fraction),
    "alpha": optional(fraction),
    "corrected": flag,
    "method": optional(choice(*METHODS)),
    "n_resamples": optional(count()),
    "dt": optional(fraction),
    "test_share": optional(fraction),
    "margin": optional(_above_zero),
    "statistic": optional(_aggregate),
    "unit": optional(choice(*UNITS)),
    "clusters": anything,
    "missing": optional(choice(*TREATMENTS)),
    "rng": integer,
    "workers": optional(worker_source),
    "progress": optional(progress_source),
}
