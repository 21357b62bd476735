"""The numbers of a pair of models as text: the same in tables and in sentences."""

import math
from collections.abc import Iterable, Sequence

from sigarray._plain_text import quote
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import Decision
from sigarray._verdicts.intervals import FEWER_DEGREES, Interval
from sigarray.report._numbers import (
    equate,
    number_format,
    show_bound,
    show_interval,
    show_p_value,
)

# Corrections that decide sooner than Bonferroni's, which intervals have.
_SHARPER = {
    "closed": "of a closed test",
    "holm": "after Holm's correction",
    "benjamini_hochberg": "at a false discovery rate",
}

# Degrees of freedom for fewer runs than these change an interval much.
_FEW = 10


def show_difference(comparison: Comparison, a: str, b: str) -> str:
    """Show the difference of two means, and its interval if there is one."""
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
    """Tell whether p-values are adjusted for several comparisons."""
    return comparison.is_corrected and comparison.n_comparisons > 1


def find_bounds(x: Decision, a: str) -> tuple[float, float]:
    """Return eps_min of a model over the other one of a pair, and of that over it."""
    bounds = x.record["eps_min_a_over_b"], x.record["eps_min_b_over_a"]
    return bounds if x.a == a else bounds[::-1]


def say_bounds(x: Decision, a: str, threshold: float) -> str:
    """Say eps_min of both models of a pair, `a` first."""
    b = x.b if x.a == a else x.a
    first, second = (show_bound(bound, threshold) for bound in find_bounds(x, a))
    return f"eps_min {first} for {quote(a)} over {quote(b)}, {second} for the reverse"


def say_direction(x: Decision, a: str, sign: str) -> str:
    """Say of which model over the other eps_min is, where neither is better."""
    if x.better is not None or "eps_min_a_over_b" not in x.record:
        return ""
    first, second = find_bounds(x, a)
    if first == second:
        return ""
    return f" (A{sign}B)" if first < second else f" (B{sign}A)"


def say_equality(comparison: Comparison, x: Decision) -> str:
    """Say the p-value of the test that both models of a pair are equal."""
    level = 1.0 - comparison.confidence_level
    p = float(x.record["equality_pvalue"])
    said = f"p of equality {equate(show_p_value(p, level))}"
    if not is_adjusted(comparison):
        return said
    n_pairs = comparison.n_comparisons
    return f"{said}, adjusted for {'both' if n_pairs == 2 else n_pairs} comparisons"


def find_share(x: Decision, a: str) -> float | None:
    """Return the share of cases in which a model is better than the other of a pair."""
    share = x.record.get("probability_of_improvement")
    if share is None:
        return None
    return float(share if x.a == a else 1.0 - share)


def say_sharper(comparison: Comparison, better: str, worse: str) -> str:
    """Say that a verdict is sharper than the interval of its difference."""
    return say_if_sharper(comparison.find_interval(better, worse))


def say_if_sharper(interval: Interval, even: str = "0") -> str:
    """Say of the interval of a decided pair that it includes 0, if so.

    An interval is around 0 where it is shown around an `even` share of wins.
    """
    return f", though this interval includes {even}" if interval.includes_zero else ""


def explain_intervals(
    comparison: Comparison, decisions: Sequence[Decision]
) -> list[str]:
    """Say why a model may be better though the interval of a difference includes 0."""
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
    return [f"{said[0].upper()}{said[1:]}: one may be clear where the other is not."]


def say_by_which(
    number: str, pairs: Iterable[tuple[Interval, str | None]], even: str = "0"
) -> list[str]:
    """Say in a clause what decides, where an interval seems to say something else.

    `pairs` have the interval of each and its better model, if there is one.
    """
    if not any(disagree(*pair) for pair in pairs):
        return []
    return [
        f"Verdicts are by {number}, and not by whether an interval includes {even}."
    ]


def explain_unequal_sizes(comparisons: Iterable[Comparison]) -> list[str]:
    """Say that intervals of few runs are wider where numbers of runs differ."""
    for x in comparisons:
        sizes = {len(scores) for scores in x.scores.values() if len(scores) > 1}
        are_few = len(sizes) > 1 and min(sizes) < _FEW
        if are_few and FEWER_DEGREES in x.describe_intervals():
            return [
                f"Intervals are wider where numbers of {x.unit}s differ. Repeat the "
                f"missing {x.unit}s, and do not remove others to have equal numbers."
            ]
    return []


def disagree(interval: Interval, better: str | None) -> bool:
    """Tell whether 0 is in the interval of a decided pair, or outside of another."""
    if math.isnan(interval.low):
        return False
    return interval.includes_zero == (better is not None)


def say_least(are_some: bool, where: str = "") -> list[str]:
    """Say what "<=" before a p-value means, if some have it.

    `where`, such as " on single tasks", says which p-values these are.
    """
    return [
        f"P-values marked <={where} are the least that this number of resamples allows."
    ] * are_some


def advise_least(are_some: bool) -> list[str]:
    """Name the option that makes p-values at their least smaller, if some are."""
    return ["More resamples, by --n-resamples, lower p-values marked <=."] * are_some
