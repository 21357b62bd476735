"""What to say of models that were compared: from scores and results to reports."""

import functools
import itertools
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigarray.report import Report, Table
from sigarray.results import PairwiseAsoResult
from sigarray.score_file import Scores

_MAX_DECIMALS = 8
_MAX_FIXED = 1e9
_SMALLEST_FIXED = 1e-4


@dataclass(frozen=True)
class Comparison:
    """Models by name, their scores, and how they were compared."""

    source: str
    scores: Scores
    confidence_level: float
    higher_is_better: bool
    is_corrected: bool
    method: str

    @property
    def level(self) -> float:
        """The level of p-values: 0.05 for 0.95, and no more by rounding."""
        return round(1.0 - self.confidence_level, 12)

    @functools.cached_property
    def summaries(self) -> dict[str, dict[str, float]]:
        """What the scores of each model are like."""
        return {name: describe_scores(scores) for name, scores in self.scores.items()}

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every two models."""
        return list(itertools.combinations(self.scores, 2))


@dataclass(frozen=True)
class PairTest:
    """A two-sided test of two models; `better` names one of them, or is None."""

    statistic: float
    p_value: float
    adjusted: float
    better: str | None


def report_orders(
    comparison: Comparison, result: PairwiseAsoResult, threshold: float
) -> Report:
    """Say which models are almost stochastically dominant: eps_min below threshold."""
    eps_min = np.asarray(result.eps_min)
    names = list(comparison.scores)
    sentences = [
        _say_order(comparison, eps_min, threshold, i, j)
        for i, j in itertools.combinations(range(len(names)), 2)
    ]
    records = []
    for i, j in itertools.permutations(range(len(names)), 2):
        a, b = (comparison.summaries[names[k]] for k in (i, j))
        records.append(
            {
                "model_a": names[i],
                "model_b": names[j],
                "mean_difference": a["mean"] - b["mean"],
                "eps_min": float(eps_min[i, j]),
                "violation_ratio": float(result.violation_ratio[i, j]),
                "standard_error": float(result.standard_error[i, j]),
                "a_is_better": bool(eps_min[i, j] < threshold),
            }
        )
    document = _start_document(comparison, "bonferroni") | {
        "threshold": threshold,
        "eps_min": eps_min.tolist(),
        "pairs": records,
        "verdicts": sentences,
    }
    tables = [_summary_table(comparison), _eps_min_table(names, eps_min, threshold)]
    return Report(tables, sentences, comparison.method, records, document)


def report_tests(comparison: Comparison, tests: Sequence[PairTest]) -> Report:
    """Say which models differ: an adjusted p-value below 1 - confidence_level."""
    level = comparison.level
    rows: list[list[str]] = []
    sentences, records, marked = [], [], set()
    for (a, b), test in zip(comparison.pairs, tests, strict=True):
        summaries = [comparison.summaries[name] for name in (a, b)]
        difference = summaries[0]["mean"] - summaries[1]["mean"]
        if test.better is not None:
            marked.add((len(rows), 5))
        rows.append(
            [
                a,
                b,
                show_difference(*summaries),
                show_p_value(test.p_value, level),
                show_p_value(test.adjusted, level),
                test.better or "-",
            ]
        )
        sentences.append(_say_test(comparison, a, b, test))
        records.append(
            {
                "model_a": a,
                "model_b": b,
                "mean_difference": difference,
                "statistic": test.statistic,
                "pvalue": test.p_value,
                "adjusted_pvalue": test.adjusted,
                "better": test.better,
            }
        )
    header = ["A", "B", "mean A - B", "p", "adjusted p", "better"]
    title = f"Two-sided p-values: a model is better where adjusted p < {level:.10g}"
    table = Table(title, header, rows, frozenset(marked), name_columns=2)
    document = _start_document(comparison, "holm") | {
        "pairs": [without_infinities(record) for record in records],
        "verdicts": sentences,
    }
    tables = [_summary_table(comparison), table]
    return Report(tables, sentences, comparison.method, records, document)


def describe_scores(scores: list[float]) -> dict[str, float]:
    """Describe scores; the standard deviation has ddof 1, and is NaN for one score."""
    return {
        "mean": statistics.fmean(scores),
        "sd": statistics.stdev(scores) if len(scores) > 1 else math.nan,
        "median": statistics.median(scores),
        "min": min(scores),
        "max": max(scores),
    }


def number_format(
    summaries: Sequence[dict[str, float]], sign: str = ""
) -> Callable[[float], str]:
    """Show as many decimals as give the smallest deviation three digits."""
    deviations = [x["sd"] for x in summaries if x["sd"] > 0.0]
    decimals = max(0, 2 - math.floor(math.log10(min(deviations, default=1e-3))))
    largest = max(abs(x[key]) for x in summaries for key in ("min", "max"))
    is_fixed = decimals <= _MAX_DECIMALS and largest < _MAX_FIXED
    form = f"{sign}.{decimals}f" if is_fixed else f"{sign}.6g"
    return lambda x: "-" if math.isnan(x) else format(x, form)


def show_difference(a: dict[str, float], b: dict[str, float]) -> str:
    """Show the difference of two means, with its sign."""
    return number_format([a, b], sign="+")(a["mean"] - b["mean"])


def show_p_value(p: float, level: float) -> str:
    """Show four decimals, or as many as keep it on its side of the level."""
    if 0.0 < p < _SMALLEST_FIXED:
        return f"{p:.1e}"
    return _show_beside(p, level, decimals=4)


def _show_beside(value: float, bound: float, decimals: int) -> str:
    """Show so many decimals, or as many as keep the value on its side of a bound."""
    for places in range(decimals, 17):
        text = f"{value:.{places}f}"
        if (float(text) < bound) == (value < bound):
            break
    return text


def _summary_table(comparison: Comparison) -> Table:
    summaries = comparison.summaries
    show = number_format(list(summaries.values()))
    rows = [
        [name, str(len(comparison.scores[name])), *(show(x) for x in summary.values())]
        for name, summary in summaries.items()
    ]
    header = ["model", "n", "mean", "sd", "median", "min", "max"]
    direction = "higher" if comparison.higher_is_better else "lower"
    return Table(f"{comparison.source}, {direction} is better", header, rows)


def _eps_min_table(names: list[str], eps_min: np.ndarray, threshold: float) -> Table:
    rows = [
        [
            name,
            *(
                "" if i == j else _show_beside(bound, threshold, decimals=3)
                for j, bound in enumerate(eps_min[i])
            ),
        ]
        for i, name in enumerate(names)
    ]
    wins = np.argwhere(eps_min < threshold)
    return Table(
        f"eps_min: the row is better than the column where below {threshold:g}",
        ["", *names],
        rows,
        frozenset((int(i), int(j) + 1) for i, j in wins),
    )


def _say_order(
    comparison: Comparison, eps_min: np.ndarray, threshold: float, i: int, j: int
) -> str:
    if eps_min[j, i] < eps_min[i, j]:
        i, j = j, i
    names = list(comparison.scores)
    correction = _say_correction(comparison, "Bonferroni correction")
    basis = f"at confidence {comparison.confidence_level:.10g} {correction}"
    difference = _say_difference(comparison, names[i], names[j])
    bounds = [_show_beside(eps_min[k], threshold, decimals=3) for k in ((i, j), (j, i))]
    if eps_min[i, j] < threshold:
        return (
            f"{names[i]} is better than {names[j]}: eps_min = {bounds[0]} < "
            f"{threshold:g}, {basis}; {difference}."
        )
    return (
        f"Nothing can be said of {names[i]} and {names[j]}: eps_min = {bounds[0]} and "
        f"{bounds[1]}, neither below {threshold:g}, {basis}; {difference}."
    )


def _say_test(comparison: Comparison, a: str, b: str, test: PairTest) -> str:
    level = comparison.level
    p_value = show_p_value(test.adjusted, level)
    correction = _say_correction(comparison, "Holm's correction")
    if test.better is None:
        return (
            f"Nothing can be said of {a} and {b}: p = {p_value}, not below "
            f"{level:.10g}, {correction}; {_say_difference(comparison, a, b)}."
        )
    better, worse = (a, b) if test.better == a else (b, a)
    return (
        f"{better} is better than {worse}: p = {p_value} < {level:.10g}, {correction}; "
        f"{_say_difference(comparison, better, worse)}."
    )


def _say_correction(comparison: Comparison, name: str) -> str:
    n_pairs = len(comparison.pairs)
    if n_pairs == 1:
        return "for one comparison"
    if comparison.is_corrected:
        return f"after {name} for {n_pairs} comparisons"
    return "without a correction"


def _say_difference(comparison: Comparison, a: str, b: str) -> str:
    difference = show_difference(*(comparison.summaries[name] for name in (a, b)))
    return f"the means differ by {difference}"


def _start_document(comparison: Comparison, correction: str) -> dict[str, Any]:
    return {
        "source": comparison.source,
        "higher_is_better": comparison.higher_is_better,
        "confidence_level": comparison.confidence_level,
        "correction": correction if comparison.is_corrected else None,
        "method": comparison.method,
        "models": {
            name: {"n": len(scores)} | without_infinities(comparison.summaries[name])
            for name, scores in comparison.scores.items()
        },
    }


def without_infinities(record: dict[str, Any]) -> dict[str, Any]:
    """Give None for what JSON cannot hold."""
    return {
        name: None if isinstance(x, float) and not math.isfinite(x) else x
        for name, x in record.items()
    }
