"""Results in a sentence for the paper."""

import math
from collections.abc import Sequence
from typing import Any

from sigarray._backend.checks import (
    OPTIONS,
    count,
    fraction,
    integer,
    optional,
    several,
    text,
)
from sigarray._backend.checks import describe as describe_value
from sigarray._host import choose_names, copy_array
from sigarray._plain_text import quote
from sigarray._response_results import ResponseTestResult
from sigarray._version import __version__
from sigarray.report._comparisons import refuse_comparison
from sigarray.report._numbers import equate, show_bound, show_p_value
from sigarray.results import (
    AsoResult,
    BootstrapResult,
    BrunnerMunzelResult,
    MannWhitneyResult,
    PairwiseAsoResult,
    ProportionResult,
    ResamplingResult,
    TTestResult,
    WilcoxonResult,
)

_NUMBER = ".4g"
_TESTS = {
    MannWhitneyResult: "Mann-Whitney U test",
    BrunnerMunzelResult: "Brunner-Munzel test",
    TTestResult: "t-test",
    WilcoxonResult: "Wilcoxon signed-rank test",
    ResponseTestResult: "test of responses",
}
_OF_TWO: tuple[Any, ...] = (
    *(AsoResult, BootstrapResult, ProportionResult, ResamplingResult),
    *_TESTS,
)

_RULES = {
    "test": optional(text),
    "statistic": text,
    "unit": text,
    "alternative": OPTIONS["alternative"],
    "confidence_level": fraction,
    "threshold": fraction,
    "alpha": fraction,
    "correction": optional(text),
    "n_resamples": optional(count()),
    "seed": optional(integer),
}


def describe(
    result: Any,
    /,
    names: Sequence[str] = ("A", "B"),
    *,
    test: str | None = None,
    statistic: str = "mean",
    sizes: Sequence[int] | None = None,
    unit: str = "run",
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    threshold: float = 0.2,
    alpha: float = 0.05,
    correction: str | None = None,
    n_resamples: int | None = None,
    seed: int | None = None,
) -> str:
    """Describe the result for two models, and how it was computed.

    A result does not keep the options that it was computed with: pass them again.

    Parameters
    ----------
    result : AsoResult, BootstrapResult, ProportionResult, or result of a test
        The result of one comparison: arrays of shape (), of any library, which are
        copied to the host. A test with a `margin` has no sentence here.
    names : sequence of two str, default: ("A", "B")
        The models.
    test : str, optional
        The name of the test: "paired permutation test". By default that of the result,
        if it has one.
    statistic : str, default: "mean"
        The statistic that differs; "t" for means in units of their error, if these were
        tested.
    sizes : sequence of int, optional
        The number of scores of each model; one number for pairs.
    unit : str, default: "run"
        What a score stands for.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        The alternative that was passed to the test.
    confidence_level : float, default: 0.95
        Confidence of the bound or the interval, in (0, 1).
    threshold : float, default: 0.2
        Model A is better where its bound `eps_min` is below this.
    alpha : float, default: 0.05
        A p-value is significant where it is at most this.
    correction : str, optional
        Such as "Bonferroni correction for 6 comparisons".
    n_resamples, seed : int, optional
        The number and the seed of the resamples.

    Returns
    -------
    str
        The sentence, with the version of sigarray. If a result is NaN, it says so.

    Raises
    ------
    TypeError
        A result or an option of another kind.
    ValueError
        A result of several comparisons, other than two names, or options outside their
        range.

    Examples
    --------
    >>> from sigarray import aso
    >>> from sigarray.report import describe
    >>> a, b = [0.92, 0.94, 0.93, 0.95, 0.94], [0.90, 0.92, 0.93, 0.89, 0.93]
    >>> result = aso(a, b)
    >>> text = describe(result, ["lstm", "cnn"], sizes=[5, 5])
    >>> text.partition(" (")[0]
    'lstm is almost stochastically dominant over cnn'
    >>> "5 and 5 runs, one-sided, confidence level 0.95" in text
    True
    """
    given = locals()
    for name, rule in _RULES.items():
        rule(name, given[name])
    counts = () if sizes is None else several(count(None))("sizes", sizes)
    if len(counts) > 2:
        msg = f"Expected sizes of two models, or of their pairs; got {list(counts)}."
        raise ValueError(msg)
    refuse_comparison(result)
    _refuse_several(result)
    a, b = (quote(str(name)) for name in choose_names(names, 2))
    how = [_say_sizes(counts, unit)]
    if isinstance(result, AsoResult):
        said, numbers = _say_order(result, a, b, threshold, confidence_level)
        how += [f"one-sided, confidence level {confidence_level:g}"]
    elif isinstance(result, BootstrapResult):
        said, numbers = _say_interval(result, a, b, statistic, confidence_level)
        how += ["bootstrap"]
    elif isinstance(result, ProportionResult):
        said, numbers = _say_interval(result, a, b, statistic, confidence_level)
        how += ["Newcombe's interval"]
    else:
        said, numbers = _say_test(result, a, b, statistic, alpha, alternative)
        how += [f"{alternative} {test or _TESTS.get(type(result), 'resampling test')}"]
    how += [
        correction or "",
        "" if n_resamples is None else f"{n_resamples} resamples",
        "" if seed is None else f"seed {seed}",
        f"sigarray {__version__}",
    ]
    return f"{said} ({numbers}; {', '.join(x for x in how if x)})."


def _refuse_several(result: Any) -> None:
    """Refuse what is no result of two models, before their names are looked at.

    Raises
    ------
    TypeError
        The result of `multi_aso`, or of another function.
    ValueError
        Results of several comparisons.
    """
    if isinstance(result, PairwiseAsoResult):
        msg = (
            "Expected the result of two models; got that of multi_aso, of every two of "
            "several. Pass it to report.to_frame, to_markdown or to_latex; or describe "
            "aso(a, b) of two; or take the sentences of compare_models."
        )
        raise TypeError(msg)
    if not isinstance(result, _OF_TWO):
        msg = (
            f"Expected the result of aso, of bootstrap_ci or proportion_ci of two "
            f"samples, or of a test; got {describe_value(result)}."
        )
        raise TypeError(msg)
    _number(result[0])


def _say_sizes(sizes: Sequence[int], unit: str) -> str:
    if not sizes:
        return ""
    plural = "" if list(sizes) == [1] else "s"
    return f"{' and '.join(map(str, sizes))} {unit}{plural}"


def _say_order(
    result: AsoResult, a: str, b: str, threshold: float, level: float
) -> tuple[str, str]:
    bound, ratio = _number(result.eps_min), _number(result.violation_ratio)
    shown = show_bound(bound, threshold)
    if math.isnan(bound):
        return f"{a} vs. {b}: no verdict", "a score is not finite"
    ratio_said = f"violation ratio {ratio:{_NUMBER}}"
    share, p = _number(result.probability_of_improvement), _number(result.pvalue)
    if bound < threshold:
        said = f"{a} is almost stochastically dominant over {b}"
        return said, f"eps_min = {shown} < {threshold:g}, {ratio_said}"
    said = f"Almost stochastic dominance of {a} over {b} was not shown"
    is_p = equate(show_p_value(p, 1.0 - level))
    why = f"P({a} > {b}) = {share:{_NUMBER}}, one-sided p of equality {is_p}"
    return said, f"eps_min = {shown}, not below {threshold:g}, {ratio_said}, {why}"


def _say_interval(
    result: BootstrapResult | ProportionResult,
    a: str,
    b: str,
    statistic: str,
    level: float,
) -> tuple[str, str]:
    value = _number(result.statistic)
    low, high = (_number(x) for x in result.confidence_interval)
    said = f"The {statistic} of {a} minus that of {b} is {value:{_NUMBER}}"
    percent = f"{100 * level:g} % confidence interval"
    return said, f"{percent} {low:{_NUMBER}} to {high:{_NUMBER}}"


def _say_test(
    result: Any, a: str, b: str, statistic: str, alpha: float, alternative: str
) -> tuple[str, str]:
    p = _number(result.pvalue)
    lead = _number(result.statistic)
    if math.isnan(p):
        why = "the scores do not vary" if math.isinf(lead) else "a score is not finite"
        return f"{a} vs. {b}: no verdict", why
    numbers = f"p {equate(show_p_value(p, alpha))}"
    what = f"{'mean' if statistic == 't' else statistic} of"
    if isinstance(result, (MannWhitneyResult, BrunnerMunzelResult)):
        share = _number(result.probability_of_improvement)
        lead, what = share - 0.5, "scores of"
        numbers = f"P({a} > {b}) = {share:{_NUMBER}}, {numbers}"
    elif isinstance(result, WilcoxonResult):
        lead, what = _number(result.rank_biserial), "scores of"
        numbers = f"rank-biserial correlation {lead:{_NUMBER}}, {numbers}"
    elif isinstance(result, TTestResult):
        df = _number(result.df)
        numbers = f"t = {lead:{_NUMBER}}, df = {df:{_NUMBER}}, {numbers}"
    elif statistic == "t":
        numbers = f"t = {lead:{_NUMBER}}, {numbers}"
    else:
        numbers = f"difference {lead:{_NUMBER}}, {numbers}"
    is_plural = what.startswith("scores")
    verb, past = ("are", "were") if is_plural else ("is", "was")
    those = "those" if is_plural else "that"
    if p > alpha:
        less = {"two-sided": "different from", "greater": "above", "less": "below"}
        return (
            f"The {what} {a} {past} not shown to be {less[alternative]} {those} of {b}",
            f"{numbers} > {alpha:g}",
        )
    side = "above" if lead > 0 else "below"
    if isinstance(result, ResponseTestResult):
        nearer = a if lead > 0 else b
        return (
            f"{nearer} is better than {b if lead > 0 else a}",
            f"{numbers} <= {alpha:g}",
        )
    return f"The {what} {a} {verb} {side} {those} of {b}", f"{numbers} <= {alpha:g}"


def _number(x: Any) -> float:
    value = copy_array(x)
    if value.ndim:
        msg = (
            f"Expected the result of one comparison; got shape {value.shape}. Pass one "
            "batch entry."
        )
        raise ValueError(msg)
    return float(value) + 0.0  # without the minus of -0.0
