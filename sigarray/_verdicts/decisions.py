"""Which of two models is better, and the numbers of a pair as text."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sigarray._plain_text import quote, raise_initial
from sigarray._verdicts.asked import RESAMPLING_TESTS
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.floors import is_least
from sigarray._verdicts.intervals import FEWER_DEGREES, Interval
from sigarray.report._layout import (
    equate,
    number_format,
    show_bound,
    show_interval,
    show_least,
    show_p_value,
)
from sigarray.results import PairwiseAsoResult

# Of each there is one of model A, and one of B: "margin_pvalue_a".
_NUMBERS = ("margin_pvalue", "adjusted_margin_pvalue")
MARGIN_FIELDS = ("margin", *(f"{name}_{x}" for name in _NUMBERS for x in "ab"))


@dataclass(frozen=True)
class MarginTest:
    """A one-sided test of whether `model` is no worse than the other by a margin.

    `adjusted` is its p-value after a correction for all of them.
    """

    model: str
    p_value: float
    n_drawn: int = 0
    adjusted: float = 1.0


def list_not_worse(
    margins: Sequence[MarginTest], better: str | None, level: float
) -> tuple[str, ...]:
    return tuple(x.model for x in margins if x.adjusted <= level or x.model == better)


class Decided(Protocol):
    @property
    def a(self) -> str: ...
    @property
    def b(self) -> str: ...
    @property
    def better(self) -> str | None: ...


class Judged(Decided, Protocol):
    @property
    def verdict(self) -> str: ...
    @property
    def margins(self) -> tuple[MarginTest, ...]: ...
    @property
    def not_worse(self) -> tuple[str, ...]: ...


def record_margins(
    margin: float | None, a: str, tests: Sequence[MarginTest]
) -> dict[str, float]:
    """Return the numbers of a pair, of which `a` is A; NaN for what is not asked."""
    if margin is None:
        return {}
    record = dict.fromkeys(MARGIN_FIELDS, math.nan) | {"margin": margin}
    for x in tests:
        which = "a" if x.model == a else "b"
        record[f"margin_pvalue_{which}"] = x.p_value
        record[f"adjusted_margin_pvalue_{which}"] = x.adjusted
    return record


def turn_margins(record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        f"{name}_{x}": record[f"{name}_{y}"]
        for name in _NUMBERS
        for x, y in ("ab", "ba")
        if f"{name}_{y}" in record
    }


@dataclass(frozen=True)
class PairTest:
    """The result of a two-sided test of two models; `leader` names the one ahead.

    `n_drawn` is the number of random resamples of the p-value, and may be 0. `share` is
    P(A > B), with ties by half, if the test is of it; `is_by_welch` if the p-value of a
    resampling test is Welch's, which is larger.
    """

    statistic: float
    p_value: float
    leader: str | None
    n_drawn: int = 0
    share: float | None = None
    is_by_welch: bool = False
    margins: tuple[MarginTest, ...] = ()


@dataclass(frozen=True)
class Decision:
    """The verdict on two models in one task.

    `shown` is the deciding number, for the model that leads; `record` has the numbers
    of A and B, and `is_unequal` says that a test rejects that both are equal. With a
    margin, `not_worse` are the models that are no worse than the other by it, and
    `margins` the tests of that. `is_least` if more resamples would make p smaller.
    """

    a: str
    b: str
    better: str | None
    shown: str
    record: dict[str, Any]
    is_unequal: bool = False
    is_by_welch: bool = False
    margins: tuple[MarginTest, ...] = ()
    not_worse: tuple[str, ...] = ()
    is_least: bool = False

    @property
    def verdict(self) -> str:
        undecided = "unequal" if self.is_unequal else "inconclusive"
        return name_verdict(self.better, self.not_worse, undecided)


def name_verdict(better: str | None, not_worse: Sequence[str], undecided: str) -> str:
    if better is not None:
        return "better"
    if not_worse:
        return "equivalent" if len(not_worse) > 1 else "not worse"
    return undecided


def decide_by_orders(
    comparison: Comparison, result: PairwiseAsoResult, threshold: float, level: float
) -> list[Decision]:
    """Return every pair, decided where eps_min is below the threshold.

    Of others, those are unequal whose p-value of equality is at most the level.
    """
    eps_min = np.asarray(result.eps_min)
    ratios = np.asarray(result.violation_ratio)
    errors = np.asarray(result.standard_error)
    shares = np.asarray(result.probability_of_improvement)
    p_values = np.asarray(result.pvalue)
    names = comparison.names
    decisions = []
    for a, b in comparison.pairs:
        i, j = names.index(a), names.index(b)
        lead, trail = (j, i) if eps_min[j, i] < eps_min[i, j] else (i, j)
        bound = eps_min[lead, trail]
        better = names[lead] if bound < threshold else None
        record = _start_record(comparison, names[i], names[j]) | {
            "eps_min_a_over_b": float(eps_min[i, j]),
            "eps_min_b_over_a": float(eps_min[j, i]),
            "violation_ratio": float(ratios[i, j]),
            "standard_error": float(errors[i, j]),
            "probability_of_improvement": float(shares[i, j]),
            "equality_pvalue": float(p_values[i, j]),
        }
        shown = show_bound(bound, threshold)
        is_unequal = bool(p_values[i, j] <= level + 1e-12)
        decisions.append(Decision(a, b, better, shown, record, is_unequal))
    return decisions


def decide_by_tests(
    comparison: Comparison, tests: Sequence[PairTest], adjusted: Sequence[float]
) -> list[Decision]:
    decisions = []
    for (a, b), test, q in zip(comparison.pairs, tests, adjusted, strict=True):
        better = test.leader if q <= comparison.alpha else None
        record = _start_record(comparison, a, b) | {
            "statistic": test.statistic,
            "pvalue": test.p_value,
            "adjusted_pvalue": float(q),
        }
        if test.share is not None:
            is_higher = comparison.higher_is_better
            share = test.share if is_higher else 1.0 - test.share
            record["probability_of_improvement"] = share
        if comparison.test in RESAMPLING_TESTS:
            record["is_by_welch"] = test.is_by_welch
        record |= record_margins(comparison.margin, a, test.margins)
        has_least = is_least(test.p_value, comparison.test, test.n_drawn)
        shown = show_p_value(float(q), comparison.alpha)
        decisions.append(
            Decision(
                a,
                b,
                better,
                show_least(shown) if has_least else shown,
                record,
                is_by_welch=test.is_by_welch,
                is_least=has_least,
                margins=test.margins,
                not_worse=list_not_worse(test.margins, better, comparison.alpha),
            )
        )
    return decisions


def _start_record(comparison: Comparison, a: str, b: str) -> dict[str, Any]:
    low, high = comparison.find_interval(a, b)
    return {
        "model_a": a,
        "model_b": b,
        "mean_difference": comparison.find_difference(a, b),
        "difference_low": low,
        "difference_high": high,
    }


# Corrections that decide sooner than Bonferroni's, which intervals have.
_SHARPER = {
    "closed": "of a closed test",
    "holm": "after Holm's correction",
    "benjamini_hochberg": "at a false discovery rate",
}

# Degrees of freedom for fewer runs than these change an interval much.
_FEW = 10


def show_difference(comparison: Comparison, a: str, b: str) -> str:
    show = number_format(comparison.summarize_pair(a, b), sign="+")
    interval = comparison.find_interval(a, b)
    return show_interval(
        comparison.find_difference(a, b), *interval, show, comparison.decimals
    )


def name_number(comparison: Comparison) -> str:
    if comparison.test == "aso":
        return "eps_min"
    return "adjusted p" if is_adjusted(comparison) else "p"


def is_adjusted(comparison: Comparison) -> bool:
    return comparison.is_corrected and comparison.n_comparisons > 1


def find_bounds(x: Decision, a: str) -> tuple[float, float]:
    """Return eps_min of a model over the other one of a pair, and of that over it."""
    bounds = x.record["eps_min_a_over_b"], x.record["eps_min_b_over_a"]
    return bounds if x.a == a else bounds[::-1]


def say_bounds(x: Decision, a: str, threshold: float) -> str:
    b = x.b if x.a == a else x.a
    first, second = (show_bound(bound, threshold) for bound in find_bounds(x, a))
    return f"eps_min {first} for {quote(a)} over {quote(b)}, {second} for the reverse"


def say_direction(x: Decision, a: str, sign: str) -> str:
    if x.better is not None or "eps_min_a_over_b" not in x.record:
        return ""
    first, second = find_bounds(x, a)
    if first == second:
        return ""
    return f" (A{sign}B)" if first < second else f" (B{sign}A)"


def say_equality(comparison: Comparison, x: Decision) -> str:
    level = 1.0 - comparison.confidence_level
    p = float(x.record["equality_pvalue"])
    said = f"p of equality {equate(show_p_value(p, level))}"
    if not is_adjusted(comparison):
        return said
    n_pairs = comparison.n_comparisons
    return f"{said}, adjusted for {'both' if n_pairs == 2 else n_pairs} comparisons"


def find_share(x: Decision, a: str) -> float | None:
    share = x.record.get("probability_of_improvement")
    if share is None:
        return None
    return float(share if x.a == a else 1.0 - share)


def show_share(comparison: Comparison, x: Decision, a: str) -> str:
    """Show how probably a model is better than the other, with its interval.

    Nothing for tests of means, unless there is one pair, of scores other than 0 and 1.
    """
    share = find_share(x, a)
    chance = comparison.find_probability(a, x.b if x.a == a else x.a)
    if share is None:
        if chance is None or len(comparison.scores) > 2 or comparison.are_hits:
            return ""
        share = chance.value
    limits = (math.nan, math.nan) if chance is None else chance[1:]
    return show_interval(share, *limits, "{:.2f}".format, 2, sign="")


def say_sharper(comparison: Comparison, better: str, worse: str) -> str:
    return say_if_sharper(comparison.find_interval(better, worse))


def say_if_sharper(interval: Interval, even: str = "0") -> str:
    """Say of the interval of a decided pair that it includes 0, if so.

    An interval is around 0 where it is shown around an `even` share of wins.
    """
    return f", though this interval includes {even}" if interval.includes_zero else ""


def explain_intervals(
    comparison: Comparison, decisions: Sequence[Decision]
) -> list[str]:
    differing = [
        x for x in decisions if disagree(comparison.find_interval(x.a, x.b), x.better)
    ]
    if not differing:
        return []
    reasons, are_sharper = [], any(x.better for x in differing)
    if is_adjusted(comparison) and comparison.correction in _SHARPER and are_sharper:
        reasons.append(
            f"intervals hold for all {comparison.n_comparisons} comparisons together, "
            f"and are wider than verdicts {_SHARPER[comparison.correction]} need"
        )
    if comparison.test == "aso":
        reasons.append("intervals are of means, and verdicts of whole distributions")
    elif not reasons:
        reasons.append("intervals and p-values are computed in different ways")
    said = "; ".join(reasons)
    return [f"{raise_initial(said)}: one may be clear where the other is not."]


def say_by_which(
    number: str, pairs: Iterable[tuple[Interval, str | None]], even: str = "0"
) -> list[str]:
    """`pairs` have the interval of each and its better model, if there is one."""
    if not any(disagree(*pair) for pair in pairs):
        return []
    return [
        f"Verdicts are by {number}, and not by whether an interval includes {even}."
    ]


def explain_unequal_sizes(comparisons: Iterable[Comparison]) -> list[str]:
    for x in comparisons:
        sizes = {len(scores) for scores in x.scores.values() if len(scores) > 1}
        are_few = len(sizes) > 1 and min(sizes) < _FEW
        if are_few and FEWER_DEGREES in x.describe_intervals():
            return [f"Intervals are wider where numbers of {x.unit}s differ."]
    return []


def advise_repeats(explained: Sequence[str]) -> list[str]:
    return [
        "Do not remove runs to have equal numbers; if some are missing, repeat them."
    ] * bool(explained)


def disagree(interval: Interval, better: str | None) -> bool:
    """Tell whether 0 is in the interval of a decided pair, or outside of another."""
    if math.isnan(interval.low):
        return False
    return interval.includes_zero == (better is not None)


def say_least(are_some: bool, where: str = "") -> list[str]:
    """`where`, such as " on single tasks", says which p-values these are."""
    return [
        f"P-values marked <={where} are the least that this number of resamples allows."
    ] * are_some


def advise_least(are_some: bool) -> list[str]:
    return ["More resamples, by --n-resamples, lower p-values marked <=."] * are_some
