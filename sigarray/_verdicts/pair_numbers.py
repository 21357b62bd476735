"""The numbers of a pair of models as text: the same in tables and in sentences."""

from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import Decision
from sigarray.report._numbers import number_format, show_interval


def show_difference(comparison: Comparison, a: str, b: str) -> str:
    """Show the difference of two means, and its interval if there is one."""
    show = number_format(comparison.summarize_pair(a, b), sign="+")
    interval = comparison.find_interval(a, b)
    return show_interval(
        comparison.find_difference(a, b), *interval, show, comparison.decimals
    )


def name_number(comparison: Comparison) -> str:
    """Name the number that decides."""
    if comparison.test == "aso":
        return "eps_min"
    is_adjusted = comparison.is_corrected and comparison.n_comparisons > 1
    return "adjusted p" if is_adjusted else "p"


def find_share(x: Decision, a: str) -> float | None:
    """Return the share of cases in which a model is better than the other of a pair."""
    share = x.record.get("probability_of_improvement")
    if share is None:
        return None
    return float(share if x.a == a else 1.0 - share)


def say_sharper(comparison: Comparison, better: str, worse: str) -> str:
    """Say that a verdict is sharper than the interval of its difference."""
    interval = comparison.find_interval(better, worse)
    return ", though this interval includes 0" if interval.includes_zero else ""
