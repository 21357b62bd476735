"""Null hypotheses of tests of a difference: which side, and from where on."""

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar

from sigarray._backend.aliases import Alternative, Array
from sigarray._backend.checks import number, show
from sigarray._backend.library import Library
from sigarray._numeric.statistic import TIE_UNITS
from sigarray.results import ProportionTestResult, ResamplingResult, TTestResult

Result = TypeVar("Result", TTestResult, ResamplingResult, ProportionTestResult)


def not_negative(name: str, value: Any) -> float:
    checked_number = number(name, value)
    if checked_number < 0.0:
        msg = f"Expected {name} to be 0 or more; got {show(value)}."
        raise ValueError(msg)
    return checked_number


MARGIN_RULE = {"margin": not_negative}
LIMIT_RULES = {"low": number, "high": number}


class Hypothesis(NamedTuple):
    """An alternative, and the difference A minus B that it is to be beyond."""

    alternative: Alternative
    null: float = 0.0


def allow_margin(alternative: Alternative, margin: float) -> Hypothesis:
    """Return the hypothesis that A is no worse than B by the margin."""
    if not margin:
        return Hypothesis(alternative)
    if alternative == "two-sided":
        msg = (
            f"Expected alternative='greater' or 'less' with margin={margin:g}; got "
            "'two-sided'. Pass 'greater' if higher scores are better, or use "
            "equivalence_test, which has limits on both sides."
        )
        raise ValueError(msg)
    return Hypothesis(alternative, -margin if alternative == "greater" else margin)


def beyond_null(x: Array, null: float, unit: Array | float = 1.0) -> Array:
    """Return a difference, or scores of A, less that of a null hypothesis."""
    return x - null / unit if null else x


def above_null(x: Array, null: float) -> Array:
    """Return a difference from which that of a null hypothesis was taken off."""
    return x + null if null else x


def add_rounding_of_nulls(
    xp: Library, rounding: Array, hypotheses: Sequence[Hypothesis], unit: Array
) -> Array:
    """Add to `rounding_of` that of the differences of null hypotheses."""
    largest = max(abs(x.null) for x in hypotheses)
    if not largest:
        return rounding
    return rounding + TIE_UNITS * xp.finfo(rounding.dtype).eps * largest / unit


def join_results(
    xp: Library,
    of_each: Sequence[Sequence[Array]],
    difference: Array,
    unit: Array | float,
) -> list[Array]:
    """Return statistic, p-value and more of each hypothesis, one after the other.

    Of several, the difference and the largest p-value come last.
    """
    joined = [x for results in of_each for x in results]
    if len(of_each) == 1:
        return joined
    largest = functools.reduce(xp.maximum, [pvalue for _, pvalue, *_ in of_each])
    return [*joined, unit * difference, largest]


def split_results(
    kind: type[Result], joined: Sequence[Array], hypotheses: Sequence[Hypothesis]
) -> tuple[list[Result], Sequence[Array]]:
    """Return the results of each hypothesis, and what comes last, of `join_results`."""
    size, end = len(kind._fields), len(kind._fields) * len(hypotheses)
    starts = range(0, end, size)
    return [kind(*joined[k : k + size]) for k in starts], joined[end:]
