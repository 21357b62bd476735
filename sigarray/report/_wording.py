"""Results in a sentence for the paper."""

from collections.abc import Sequence
from typing import Any

from sigarray._backend.aliases import Alternative
from sigarray._backend.checks import (
    OPTIONS,
    count,
    fraction,
    integer,
    number,
    optional,
    several,
    text,
)
from sigarray._backend.checks import describe as describe_value
from sigarray._difference.studentized import allow_margin, not_negative
from sigarray._host import choose_names
from sigarray._plain_text import quote
from sigarray._version import __version__
from sigarray.report._sentences import (
    INTERVALS,
    SHIFTED,
    TESTS,
    Models,
    Sentence,
    read_number,
    refuse_comparison,
    say_equivalence,
    say_interval,
    say_order,
    say_test,
)
from sigarray.results import AsoResult, EquivalenceResult, PairwiseAsoResult

_OF_TWO: tuple[Any, ...] = (AsoResult, EquivalenceResult, *INTERVALS, *TESTS)

_RULES = {
    "test": optional(text),
    "statistic": optional(text),
    "unit": text,
    "alternative": OPTIONS["alternative"],
    "margin": not_negative,
    "low": optional(number),
    "high": optional(number),
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
    statistic: str | None = None,
    sizes: Sequence[int] | None = None,
    unit: str = "run",
    alternative: Alternative = "two-sided",
    margin: float = 0.0,
    low: float | None = None,
    high: float | None = None,
    confidence_level: float = 0.95,
    threshold: float = 0.2,
    alpha: float = 0.05,
    correction: str | None = None,
    n_resamples: int | None = None,
    seed: int | None = None,
) -> str:
    """Describe the result for two models, and how it was computed.

    A result does not keep the options that it was computed with: pass them again. What
    is not passed is not said: of what statistic a difference is, or how an interval was
    found.

    Parameters
    ----------
    result : AsoResult, BootstrapResult, ProportionResult, or result of a test
        The result of one comparison of two models: arrays of shape (), of any library,
        which are copied to the host.
    names : sequence of two str, default: ("A", "B")
        The models.
    test : str, optional
        The name of the test, or of the method of an interval: "paired permutation
        test", "BCa bootstrap". By default that of the result, if it has one.
    statistic : str, optional
        The statistic that differs, such as "mean" or "mean accuracy"; "t" for means in
        units of their error, if these were tested; "probability of improvement" for the
        result of that function. Tests of ranks are of the scores.
    sizes : sequence of int, optional
        The number of scores of each model; one number for pairs.
    unit : str, default: "run"
        What a score stands for.
    alternative : {"two-sided", "greater", "less"}, default: "two-sided"
        The alternative that was passed to the test.
    margin : float, default: 0.0
        The margin that was passed to the test: the sentence then says whether A is no
        worse than B.
    low, high : float, optional
        The limits that were passed to `equivalence_test`, whose result needs them.
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
        A result of several comparisons, other than two names, options outside their
        range or of another result, or a difference that does not go with its p-value.

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

    With the options of a test of non-inferiority:

    >>> from sigarray import t_test
    >>> result = t_test(b, a, alternative="greater", margin=0.06)
    >>> options = {"alternative": "greater", "margin": 0.06, "statistic": "mean"}
    >>> text = describe(result, ["cnn", "lstm"], **options)
    >>> text.partition(" (")[0]
    'The mean of cnn is no worse than that of lstm, with a margin of 0.06'
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
    models = Models(a, b, statistic)
    if margin and not isinstance(result, SHIFTED):
        msg = (
            f"Expected the result of t_test, bootstrap_test, permutation_test or "
            f"proportion_test with margin={margin:g}; got {describe_value(result)}. "
            "Leave out margin."
        )
        raise ValueError(msg)
    allow_margin(alternative, margin)
    limits = _check_limits(result, low, high)
    if isinstance(result, AsoResult):
        sentence = say_order(result, models, threshold, confidence_level)
    elif isinstance(result, INTERVALS):
        sentence = say_interval(result, models, confidence_level, test)
    elif limits is not None:
        sentence = say_equivalence(result, models, limits, alpha, test)
    else:
        sentence = say_test(result, models, alpha, alternative, margin, test)
    return _add_method(
        sentence,
        _say_sizes(counts, unit),
        correction or "",
        "" if n_resamples is None else f"{n_resamples} resamples",
        "" if seed is None else f"seed {seed}",
    )


def _add_method(sentence: Sentence, sizes: str, *more: str) -> str:
    how = [sizes, sentence.method, *more, f"sigarray {__version__}"]
    numbers = f"{sentence.numbers}; {', '.join(x for x in how if x)}"
    return f"{sentence.said} ({numbers})."


def _check_limits(
    result: Any, low: float | None, high: float | None
) -> tuple[float, float] | None:
    """Return the limits of an equivalence test, and None of other results."""
    if not isinstance(result, EquivalenceResult):
        if low is not None or high is not None:
            msg = (
                "Expected the result of equivalence_test with low and high; got "
                f"{describe_value(result)}. Leave them out."
            )
            raise ValueError(msg)
        return None
    if low is None or high is None or low >= high:
        msg = (
            "Expected low < high, the limits that were passed to equivalence_test and "
            f"its result does not hold; got low={low} and high={high}. Pass "
            "describe(result, low=-0.01, high=0.01), for example."
        )
        raise ValueError(msg)
    return low, high


def _refuse_several(result: Any) -> None:
    """Refuse what is no result of two models, before their names are looked at."""
    if isinstance(result, PairwiseAsoResult):
        msg = (
            "Expected the result of two models; got that of multi_aso, of every two of "
            "several. Pass it to report.to_frame, to_markdown or to_latex; or describe "
            "aso(a, b) of two; or take the sentences of compare_models."
        )
        raise TypeError(msg)
    if not isinstance(result, _OF_TWO):
        msg = (
            f"Expected the result of aso, of an interval of two samples such as "
            f"bootstrap_ci's, or of a test; got {describe_value(result)}."
        )
        raise TypeError(msg)
    read_number(result[0])


def _say_sizes(sizes: Sequence[int], unit: str) -> str:
    if not sizes:
        return ""
    plural = "" if list(sizes) == [1] else "s"
    return f"{' and '.join(map(str, sizes))} {unit}{plural}"
