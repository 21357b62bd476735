"""A result in a sentence for the paper, and in one line for others to repeat it."""

import hashlib
import re
from collections.abc import Mapping, Sequence, Sized
from typing import Any
from urllib.parse import quote as escape
from urllib.parse import unquote

import numpy as np

from sigarray._backend.callers import Alternative
from sigarray._backend.checks import (
    OPTIONS,
    count,
    flag,
    fraction,
    integer,
    number,
    optional,
    several,
    text,
)
from sigarray._backend.checks import describe as describe_value
from sigarray._difference.studentized import allow_margin, not_negative
from sigarray._host import choose_names, copy_array
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
from sigarray.report._tables import list_records
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
    names: Sequence[str] | None = None,
    *,
    test: str | None = None,
    statistic: str | None = None,
    sizes: Sequence[int] | None = None,
    unit: str = "run",
    n_clusters: Sequence[int] | None = None,
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
    names : sequence of two str, or of one, optional
        The models, by default "A" and "B"; or the one that an interval is of. Without
        names, that of an interval is not said.
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
    n_clusters : sequence of int, optional
        The number of clusters of each model; one number for pairs.
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
    numbers = {"sizes": sizes, "n_clusters": n_clusters}
    counts, clusters = (
        () if x is None else several(count(None))(name, x)
        for name, x in numbers.items()
    )
    if len(counts) > 2 or len(clusters) not in (0, len(counts)):
        got = f"{list(counts)}" + f" and {list(clusters)} clusters" * bool(clusters)
        msg = f"Expected sizes of two models, or of their pairs; got {got}."
        raise ValueError(msg)
    refuse_comparison(result)
    _refuse_several(result)
    is_interval = isinstance(result, INTERVALS)
    if names is None:
        names = () if is_interval else ("A", "B")
    is_of_one = is_interval and isinstance(names, Sized) and len(names) < 2
    chosen = choose_names(names, len(names) if is_of_one else 2)
    a, b = [*(quote(str(name)) for name in chosen), "", ""][:2]
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
        " in ".join(filter(None, (_count(counts, unit), _count(clusters, "cluster")))),
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


def _count(numbers: Sequence[int], what: str) -> str:
    if not numbers:
        return ""
    plural = "" if list(numbers) == [1] else "s"
    return f"{' and '.join(map(str, numbers))} {what}{plural}"


_START = "sigarray"
_DIGITS = 12
# The digits of results: other machines differ in the last ones.
_ROUNDED = ".5e"


def signature(
    scores: Mapping[Any, Any], result: Any, /, *, paired: bool = False, **options: Any
) -> str:
    """Say in one line how a result was computed, so that others can repeat it.

    Parameters
    ----------
    scores : mapping of arrays, shape (n,)
        Model -> its scores, on any device: they are copied to the host.
    result : result of any function, or sequence of numbers
        The result.
    paired : bool, default: False
        The scores of all models are in the order of their pairs. Otherwise their order
        is no part of the signature.
    **options
        The options: ``test="aso"``, ``n_resamples=1000``, ``seed=0`` and so on. None is
        left out.

    Returns
    -------
    str
        Such as ``sigarray:0.1.0|test:aso|seed:0|n:5,5|scores:...|result:...``. The last
        two are the start of a SHA-256 of the scores, in float64 with their names, and
        of the result, to six digits.

    Raises
    ------
    TypeError
        Scores that are no mapping, not real numbers, or traced.
    ValueError
        Scores of no model, of another shape, or unequal pairs.

    Examples
    --------
    >>> from sigarray import aso
    >>> from sigarray.report import signature
    >>> scores = {"a": [0.9, 0.8, 0.7], "b": [0.5, 0.4, 0.6]}
    >>> line = signature(scores, aso(*scores.values(), rng=0), test="aso", seed=0)
    >>> line.split("|")[1:4]
    ['test:aso', 'seed:0', 'n:3,3']
    """
    if not isinstance(scores, Mapping):
        msg = f"Expected a mapping of models to scores; got {describe_value(scores)}."
        raise TypeError(msg)
    columns = {str(name): copy_array(x) for name, x in scores.items()}
    _check_columns(columns, flag("paired", paired))
    fields = {key: str(x) for key, x in options.items() if x is not None}
    if paired:
        fields["paired"] = "yes"
    sizes = [str(x.size) for x in columns.values()]
    fields["n"] = ",".join(sizes) if len(sizes) <= _DIGITS else f"{len(sizes)} models"
    fields["scores"] = digest_scores({"": columns}, paired=paired)
    fields["result"] = digest_numbers(_list_numbers(result))
    return write_signature(fields)


def _check_columns(columns: Mapping[str, np.ndarray], paired: bool) -> None:
    shapes = {name: x.shape for name, x in columns.items()}
    if not columns or any(len(x) != 1 or 0 in x for x in shapes.values()):
        msg = f"Expected scores of one model or more, of shape (n,); got {shapes}."
        raise ValueError(msg)
    if paired and len(set(shapes.values())) > 1:
        msg = (
            f"Expected as many scores of each model, for they are pairs; got {shapes}. "
            "Pass paired=False for independent samples."
        )
        raise ValueError(msg)


def write_signature(fields: Mapping[str, str]) -> str:
    parts = {_START: __version__} | dict(fields)
    return "|".join(f"{key}:{escape(x, safe=' ,.+-()/_')}" for key, x in parts.items())


def read_signature(line: str) -> dict[str, str]:
    """Return the fields of a line, which may be as a report has it."""
    fields: dict[str, str] = {}
    faults = []
    for part in line.strip().removeprefix("Signature:").strip("` ").split("|"):
        key, colon, text = part.partition(":")
        if not colon or key in fields:
            faults.append(f"{part[:60]!r} in it")
        fields[key] = unquote(text)
    of_digest = f"[0-9a-f]{{{_DIGITS}}}"
    for name, form in ((_START, ".+"), ("scores", of_digest), ("result", of_digest)):
        if not re.fullmatch(form, fields.get(name, "")):
            part = f"{name}:{fields.get(name)}"[:60]
            faults.append(f"{part!r} in it" if name in fields else f"no {name!r} in it")
    if not faults:
        return fields
    msg = (
        f"Expected a signature, such as {_START}:0.1.0|test:aso|...|scores:...|"
        f"result:..., to its end; got one with {faults[0]}. Quote it, for a shell "
        "takes | for a pipe."
    )
    raise ValueError(msg)


def digest_scores(
    tasks: Mapping[str, Mapping[str, np.ndarray]], *, paired: bool
) -> str:
    """Return a digest of scores, whatever their order."""
    digest = hashlib.sha256()
    for task in sorted(tasks):
        for model in sorted(tasks[task]):
            scores = tasks[task][model].astype("<f8") + 0.0  # without -0.0
            ordered = scores if paired else np.sort(scores)
            for part in (task.encode(), model.encode(), ordered.tobytes()):
                digest.update(len(part).to_bytes(8, "little") + part)
    return digest.hexdigest()[:_DIGITS]


def digest_numbers(numbers: list[float]) -> str:
    text = " ".join(format(x + 0.0, _ROUNDED) for x in numbers)
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


def _list_numbers(result: Any) -> list[float]:
    return [
        x
        for record in list_records(result, None)
        for x in record.values()
        if isinstance(x, float)
    ]
