"""What a result says of two models: a claim, its numbers, and how they were found."""

import functools
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from sigarray._host import copy_array
from sigarray._plain_text import show_number
from sigarray._response_results import ResponseTestResult
from sigarray.report._layout import equate, show_bound, show_p_value
from sigarray.results import (
    AsoResult,
    BootstrapResult,
    BrunnerMunzelResult,
    EquivalenceResult,
    MannWhitneyResult,
    ProportionResult,
    ProportionTestResult,
    ResamplingResult,
    TTestResult,
    WilcoxonResult,
)


def refuse_comparison(result: Any) -> None:
    if hasattr(result, "sentences") and hasattr(result, "to_latex"):
        msg = (
            "Expected the result of a test, or of another function; got that of "
            "compare_models, which has all of this itself: result.sentences, "
            "result.to_frame(), result.to_markdown(), result.to_latex(), "
            "result.to_json() and result.signature."
        )
        raise TypeError(msg)


TESTS: dict[Any, str] = {
    MannWhitneyResult: "Mann-Whitney U test",
    BrunnerMunzelResult: "Brunner-Munzel test",
    TTestResult: "t-test",
    WilcoxonResult: "Wilcoxon signed-rank test",
    ProportionTestResult: "score test",
    ResponseTestResult: "test of responses",
    ResamplingResult: "resampling test",
}
INTERVALS = (BootstrapResult, ProportionResult)
# Their tests may have a margin.
SHIFTED = (TTestResult, ResamplingResult, ProportionTestResult)

# A statistic of both models, which is no difference.
_SHARE = "probability of improvement"
_show = functools.partial(show_number, digits=4)


class Sentence(NamedTuple):
    said: str
    numbers: str
    method: str


@dataclass(frozen=True)
class Models:
    """The names of two models, and the statistic of them, if these are known."""

    a: str
    b: str
    statistic: str | None

    def relate(self, verb: str, relation: str) -> str:
        """Relate A to B: "The mean of A" + " is above" + " that of B"."""
        if self.statistic is None:
            return f"{self.a} {verb} {relation} {self.b}"
        those = "those" if self.statistic == "scores" else "that"
        return f"The {self.statistic} of {self.a} {verb} {relation} {those} of {self.b}"

    def subtract(self) -> str:
        if self.statistic is None:
            return f"The difference of {self.a} minus {self.b}"
        return f"The {self.statistic} of {self.a} minus that of {self.b}"

    def of(self, statistic: str | None) -> "Models":
        return Models(self.a, self.b, statistic)


def say_order(
    result: AsoResult, models: Models, threshold: float, level: float
) -> Sentence:
    a, b = models.a, models.b
    method = f"one-sided, confidence level {level:g}"
    bound, ratio = read_number(result.eps_min), read_number(result.violation_ratio)
    shown = show_bound(bound, threshold)
    if math.isnan(bound):
        return Sentence(f"{a} vs. {b}: no verdict", "a score is not finite", method)
    ratio_said = f"violation ratio {_show(ratio)}"
    share, p = (
        read_number(x) for x in (result.probability_of_improvement, result.pvalue)
    )
    if bound < threshold:
        said = f"{a} is almost stochastically dominant over {b}"
        numbers = f"eps_min = {shown} < {threshold:g}, {ratio_said}"
        return Sentence(said, numbers, method)
    said = f"Almost stochastic dominance of {a} over {b} was not shown"
    is_p = equate(show_p_value(p, 1.0 - level))
    why = f"P({a} > {b}) = {_show(share)}, one-sided p of equality {is_p}"
    numbers = f"eps_min = {shown}, not below {threshold:g}, {ratio_said}, {why}"
    return Sentence(said, numbers, method)


def say_interval(
    result: BootstrapResult | ProportionResult,
    models: Models,
    level: float,
    method: str | None,
) -> Sentence:
    """Say the estimate and its interval; the result does not know of what they are."""
    value = read_number(result.statistic)
    low, high = (read_number(x) for x in result.confidence_interval)
    what = models.subtract()
    if not models.b:  # of one model, or of nobody knows whom
        of = f" of {models.a}" * bool(models.a)
        what = f"The {models.statistic or 'estimate'}{of}"
    elif models.statistic is None:
        what = f"The estimate for {models.a} against {models.b}"
    elif models.statistic == _SHARE:
        what = f"The {_SHARE} of {models.a} over {models.b}"
    percent = f"{100 * level:g} % confidence interval"
    return Sentence(
        f"{what} is {_show(value)}",
        f"{percent} {_show(low)} to {_show(high)}",
        method or "",
    )


def say_equivalence(
    result: EquivalenceResult,
    models: Models,
    limits: tuple[float, float],
    alpha: float,
    test: str | None,
) -> Sentence:
    if models.statistic == "t":
        models = models.of("mean")
    p, difference = read_number(result.pvalue), read_number(result.difference)
    method = test or f"two one-sided {TESTS[type(result.low)]}s"
    if math.isnan(p):
        why = _say_fault(read_number(result.low.statistic))
        return Sentence(f"{models.a} vs. {models.b}: no verdict", why, method)
    verb = "is" if p <= alpha else "was not shown to be"
    low, high = limits
    return Sentence(
        f"{models.subtract()} {verb} between {low:g} and {high:g}",
        f"difference {_show(difference)}, {_compare_p(p, alpha)}",
        method,
    )


def say_test(
    result: Any,
    models: Models,
    alpha: float,
    alternative: str,
    margin: float,
    test: str | None,
) -> Sentence:
    p = read_number(result.pvalue)
    side = "two-sided" if alternative == "two-sided" else "one-sided"
    method = f"{side} {test or TESTS[type(result)]}"
    if math.isnan(p):
        why = _say_fault(read_number(result.statistic))
        return Sentence(f"{models.a} vs. {models.b}: no verdict", why, method)
    lead, size = _measure(result, models)
    if isinstance(result, (MannWhitneyResult, BrunnerMunzelResult, WilcoxonResult)):
        models = models.of("scores")
    elif isinstance(result, ProportionTestResult):
        models = models.of(models.statistic or "proportion")
    elif models.statistic == "t":
        models = models.of("mean")
    numbers = f"{size}, {_compare_p(p, alpha)}"
    is_plural = models.statistic == "scores"
    verb, past = ("are", "were") if is_plural else ("is", "was")
    if margin:
        if p > alpha:
            verb = f"{past} not shown to be"
        said = models.relate(verb, "no worse than")
        return Sentence(f"{said}, with a margin of {margin:g}", numbers, method)
    if p > alpha:
        less = {"two-sided": "different from", "greater": "above", "less": "below"}
        said = models.relate(f"{past} not shown to be", less[alternative])
        return Sentence(said, numbers, method)
    if isinstance(result, ResponseTestResult):
        a, b = (models.a, models.b) if lead > 0 else (models.b, models.a)
        return Sentence(f"{a} is better than {b}", numbers, method)
    if isinstance(result, ResamplingResult):
        _check_side(lead, p, alternative)
    is_above = lead > 0 if alternative == "two-sided" else alternative == "greater"
    said = models.relate(verb, "above" if is_above else "below")
    return Sentence(said, numbers, method)


def _measure(result: Any, models: Models) -> tuple[float, str]:
    """Return a number that is positive if A is above B, and what the result shows."""
    lead = read_number(result.statistic)
    if isinstance(result, (MannWhitneyResult, BrunnerMunzelResult)):
        share = read_number(result.probability_of_improvement)
        return share - 0.5, f"P({models.a} > {models.b}) = {_show(share)}"
    if isinstance(result, WilcoxonResult):
        lead = read_number(result.rank_biserial)
        return lead, f"rank-biserial correlation {_show(lead)}"
    if isinstance(result, TTestResult):
        df = read_number(result.df)
        return lead, f"t = {_show(lead)}, df = {_show(df)}"
    if isinstance(result, ProportionTestResult):
        difference = read_number(result.difference)
        return lead, f"difference {_show(difference)}, z = {_show(lead)}"
    if models.statistic == "t":
        return lead, f"t = {_show(lead)}"
    # Of t, or of a difference: the result does not know.
    is_known = models.statistic or isinstance(result, ResponseTestResult)
    return lead, f"{'difference' if is_known else 'statistic'} {_show(lead)}"


def _check_side(lead: float, p: float, alternative: str) -> None:
    goes = {"two-sided": lead != 0, "greater": lead > 0, "less": lead < 0}
    if not goes[alternative]:
        wanted = {"two-sided": "other than", "greater": "above", "less": "below"}
        msg = (
            f"Expected a difference {wanted[alternative]} 0 with p = {_show(p)} and "
            f"alternative={alternative!r}; got {_show(lead)}. Pass the alternative "
            "and the margin of the test."
        )
        raise ValueError(msg)


def _compare_p(p: float, alpha: float) -> str:
    sign = ">" if p > alpha else "<="
    return f"p {equate(show_p_value(p, alpha))} {sign} {alpha:g}"


def _say_fault(statistic: float) -> str:
    return (
        "the scores do not vary" if math.isinf(statistic) else "a score is not finite"
    )


def read_number(x: Any) -> float:
    value = copy_array(x)
    if value.ndim:
        msg = (
            f"Expected the result of one comparison; got shape {value.shape}. Pass one "
            "batch entry."
        )
        raise ValueError(msg)
    return float(value) + 0.0  # without the minus of -0.0
