"""What is asked of a comparison, and which options go together."""

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from sigarray._order.plans import METHODS as METHODS_OF_ORDERS
from sigarray._plain_text import list_in_words
from sigarray._verdicts.pair_options import (
    PAIR_METHODS,
    PAIRED_TESTS,
    RESAMPLING_TESTS,
)

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


def check_request(request: Request) -> Request:
    """Refuse options that the test ignores, if the test is known."""
    test = request.test
    if test is None:
        return request
    if request.is_paired and test not in PAIRED_TESTS:
        known = list_tests(PAIRED_TESTS)
        msg = f"Expected --paired with {known}; got --test {test}."
        raise ValueError(msg)
    if request.test_share is not None:
        if test != "t":
            msg = f"Expected --test-share with --test t; got --test {test}."
            raise ValueError(msg)
        # Every split has a score of each model.
        request = dataclasses.replace(request, is_paired=True)
    _check_margin(request)
    _check_statistic(request)
    _check_improvement(request)
    if request.missing == "worst" and test not in OF_INDEPENDENT:
        msg = (
            f"Expected --missing worst with {list_tests(OF_INDEPENDENT)}, which "
            f"rank scores or their quantiles; got --test {test}, of means, to which it "
            "matters how bad a crashed run is. Write the score that failing is worth, "
            "or pass --missing drop."
        )
        raise ValueError(msg)
    is_drawn = test in RESAMPLES or request.statistic not in (None, "mean")
    if request.n_resamples is not None and not is_drawn:
        known = list_tests([*RESAMPLES])
        msg = f"Expected --n-resamples with {known}; got --test {test}."
        raise ValueError(msg)
    for name, value in (
        ("--threshold", request.threshold),
        ("--confidence-level", request.confidence_level),
        ("--dt", request.dt),
    ):
        if value is not None and test != "aso":
            msg = f"Expected {name} with --test aso; got --test {test}."
            if name != "--dt":
                msg += " The level of p-values is --alpha."
            raise ValueError(msg)
    if request.alpha is not None and test == "aso":
        msg = (
            "Expected --alpha with a test that gives p-values; got --test aso. The "
            "bounds of aso hold at --confidence-level."
        )
        raise ValueError(msg)
    if request.method not in (None, "auto"):
        known_tests = RESAMPLING_TESTS if request.method in PAIR_METHODS else ("aso",)
        if test not in known_tests:
            msg = (
                f"Expected --method {request.method} with {list_tests(known_tests)}; "
                f"got --test {test}."
            )
            raise ValueError(msg)
    return request


def _check_margin(request: Request) -> None:
    """Refuse a margin with a test that is not one of means."""
    if request.margin is not None and request.test not in PAIRED_TESTS:
        why = "a test of means, in whose unit the margin is"
        if request.test == "aso":
            why += ". For almost stochastic order a margin M is a shift: aso(a + M, b) "
            why += "in Python"
        msg = (
            f"Expected --margin with {list_tests(PAIRED_TESTS)}; got --test "
            f"{request.test}, which is not {why}."
        )
        raise ValueError(msg)


def _check_statistic(request: Request) -> None:
    """Refuse a statistic of scores that stand for missing ones."""
    if request.statistic is not None and request.missing == "worst":
        msg = (
            f"Expected --missing drop with --statistic {request.statistic}, to which "
            "it matters how bad a crashed run is; got --missing worst. Where models "
            "then have unlike numbers of runs, --where takes those that all have."
        )
        raise ValueError(msg)


def _check_improvement(request: Request) -> None:
    """Refuse pairs and margins with the probability of improvement."""
    if request.statistic != "improvement":
        return
    if request.is_paired:
        msg = (
            "Expected --statistic improvement of independent runs, each of which may "
            "meet each of the other model; got --paired. Leave it out, or pass "
            "--statistic mean."
        )
        raise ValueError(msg)
    if request.margin is not None:
        msg = (
            "Expected --statistic improvement without --margin, which is in the unit "
            f"of the scores, and a probability has none; got --margin "
            f"{request.margin:.10g}. Pass --statistic mean."
        )
        raise ValueError(msg)


def list_tests(tests: Iterable[str]) -> str:
    """List tests as options, each of which becomes an argument in Python."""
    return list_in_words([f"--test {x}" for x in tests], "or")
