"""Reports on models that were compared, from their scores and results."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import Decision
from sigarray._verdicts.ranking import MAX_SHOWN, Wins, rank_models, say_ranking
from sigarray.report._numbers import (
    number_format,
    show_bound,
    show_p_value,
    without_infinities,
)
from sigarray.report._rendering import Report, Table
from sigarray.results import PairwiseAsoResult

_UNDECIDED = "Nothing can be said of"
_CORRECTIONS = {
    "holm": "Holm's correction",
    "benjamini_hochberg": "control of the false discovery rate (Benjamini-Hochberg)",
}


def report_orders(
    comparison: Comparison, result: PairwiseAsoResult, threshold: float
) -> Report:
    """Say which models are almost stochastically dominant: eps_min below threshold."""
    eps_min = np.asarray(result.eps_min)
    ratios = np.asarray(result.violation_ratio)
    errors = np.asarray(result.standard_error)
    names = comparison.names
    places = [(names.index(a), names.index(b)) for a, b in comparison.pairs]
    sentences = [_say_order(comparison, result, threshold, i, j) for i, j in places]
    shares = np.asarray(result.probability_of_improvement)
    p_values = np.asarray(result.pvalue)
    intervals = {
        (i, j): comparison.find_interval(names[i], names[j]) for i, j in places
    }
    intervals |= {(j, i): interval.turn() for (i, j), interval in intervals.items()}
    records = []
    for i, j in sorted(intervals):
        a, b = (comparison.summaries[names[k]] for k in (i, j))
        records.append(
            {
                "model_a": names[i],
                "model_b": names[j],
                "mean_difference": a["mean"] - b["mean"],
                "difference_low": intervals[i, j].low,
                "difference_high": intervals[i, j].high,
                "eps_min": float(eps_min[i, j]),
                "violation_ratio": float(ratios[i, j]),
                "standard_error": float(errors[i, j]),
                "probability_of_improvement": float(shares[i, j]),
                "pvalue": float(p_values[i, j]),
                "a_is_better": bool(eps_min[i, j] < threshold),
            }
        )
    document = start_document(comparison, comparison.correction) | {
        "threshold": threshold,
        "eps_min": eps_min.tolist(),
        "pairs": [without_infinities(record) for record in records],
        "verdicts": sentences,
    }
    wins = [(names[i], names[j]) for i, j in np.argwhere(eps_min < threshold)]
    basis = f"eps_min < {threshold:g}, {say_order_basis(comparison)}"
    details = _eps_min_table(comparison, eps_min, threshold)
    return _make_report(
        comparison,
        details,
        sentences,
        wins,
        basis,
        records,
        document,
        has_lost=comparison.is_corrected,
    )


def report_tests(comparison: Comparison, decisions: Sequence[Decision]) -> Report:
    """Say which models differ: adjusted p-values of at most alpha."""
    level = comparison.alpha
    rows: list[list[str]] = []
    sentences, marked, wins = [], set(), []
    for x in decisions:
        if x.better is not None:
            marked.add((len(rows), 6))
            wins.append((x.better, x.b if x.better == x.a else x.a))
        difference, interval = _show_difference(comparison, x.a, x.b)
        p_value = show_p_value(x.record["pvalue"], level)
        shown = [difference, interval, p_value, x.shown]
        rows.append([x.a, x.b, *shown, x.better or "-"])
        sentences.append(_say_test(comparison, x))
    records = [x.record for x in decisions]
    header = ["A", "B", "mean A - B", "interval", "p", "adjusted p", "better"]
    title = f"Two-sided p-values: a model is better where adjusted p <= {level:.10g}"
    table = Table(title, header, rows, frozenset(marked), name_columns=2)
    document = start_document(comparison, comparison.correction) | {
        "pairs": [without_infinities(record) for record in records],
        "verdicts": sentences,
    }
    basis = f"p <= {level:.10g}, {say_correction_of_tests(comparison)}"
    return _make_report(
        comparison,
        table,
        sentences,
        wins,
        basis,
        records,
        document,
        has_lost=any(
            x.better is None and x.record["pvalue"] <= level for x in decisions
        ),
    )


def _make_report(
    comparison: Comparison,
    details: Table,
    sentences: list[str],
    wins: Wins,
    basis: str,
    records: list[dict[str, Any]],
    document: dict[str, Any],
    *,
    has_lost: bool,
) -> Report:
    """Show readers every pair of a few models, or a ranking of many.

    `has_lost` if the number of comparisons may have cost a verdict.
    """
    names, method = comparison.names, comparison.method
    if len(names) <= MAX_SHOWN:
        tables = [_summary_table(comparison), details]
        if any(x.startswith(_UNDECIDED) for x in sentences):
            said = _say_what_decides(comparison, has_lost=has_lost)
            sentences = [*sentences, said]
        return Report(tables, sentences, method, records, document)
    ranking = rank_models(
        f"{comparison.source}, {comparison.direction} is better",
        comparison.summaries,
        {name: len(scores) for name, scores in comparison.scores.items()},
        wins,
        higher_is_better=comparison.higher_is_better,
    )
    sentences = say_ranking(len(names), wins, basis, comparison.n_comparisons)
    return Report([ranking], sentences, method, records, document)


def _say_what_decides(comparison: Comparison, *, has_lost: bool) -> str:
    """Say what would tell more pairs apart.

    `has_lost` if the correction or the number of models may have cost a verdict.
    """
    said = f"More {comparison.unit}s would tell more: sigarray power estimates how many"
    if has_lost and comparison.baseline is None and comparison.pairs[1:]:
        said += ". So would fewer comparisons, with one model alone: --baseline MODEL"
    return f"{said}."


def _summary_table(comparison: Comparison) -> Table:
    summaries = comparison.summaries
    show = number_format(list(summaries.values()))
    rows = [
        [name, str(len(comparison.scores[name])), *(show(x) for x in summary.values())]
        for name, summary in summaries.items()
    ]
    header = ["model", "n", "mean", "sd", "median", "min", "max"]
    title = f"{comparison.source}, {comparison.direction} is better"
    return Table(title, header, rows)


def _eps_min_table(
    comparison: Comparison, eps_min: np.ndarray, threshold: float
) -> Table:
    names, pairs = comparison.names, set(comparison.pairs)
    rows = [
        [
            name,
            *(
                show_bound(bound, threshold)
                if {(name, names[j]), (names[j], name)} & pairs
                else ""
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
    comparison: Comparison,
    result: PairwiseAsoResult,
    threshold: float,
    i: int,
    j: int,
) -> str:
    eps_min = np.asarray(result.eps_min)
    if eps_min[j, i] < eps_min[i, j]:
        i, j = j, i
    names = comparison.names
    basis = say_order_basis(comparison)
    difference = _say_difference(comparison, names[i], names[j])
    bounds = [show_bound(eps_min[k], threshold) for k in ((i, j), (j, i))]
    if eps_min[i, j] < threshold:
        return (
            f"{names[i]} is better than {names[j]}: eps_min = {bounds[0]} < "
            f"{threshold:g}, {basis}; {difference}"
            f"{_say_sharper(comparison, names[i], names[j])}."
        )
    a, b = names[i], names[j]
    level = 1.0 - comparison.confidence_level
    p = float(result.pvalue[i, j])
    said, below = f"{_UNDECIDED} {a} and {b}", ""
    if p <= level:
        said = f"{a} and {b} are not equal, but neither is shown to be better"
    else:
        below = f", neither below {threshold:g}"
    sign = ">" if comparison.higher_is_better else "<"
    share = float(result.probability_of_improvement[i, j])
    return (
        f"{said}: eps_min = {bounds[0]} and {bounds[1]}{below}, "
        f"P({a} {sign} {b}) = {share:.2f}, p of equality {show_p_value(p, level)}, "
        f"{basis}; {difference}."
    )


def say_order_basis(comparison: Comparison) -> str:
    level = f"at confidence {comparison.confidence_level:.10g}"
    n_pairs = comparison.n_comparisons
    if n_pairs == 1:
        return f"{level} for one comparison"
    if not comparison.is_corrected:
        return f"{level} without a correction"
    if comparison.correction == "benjamini_hochberg":
        return f"{level}, {say_correction_of_tests(comparison)}"
    every = "both" if n_pairs == 2 else f"all {n_pairs}"
    return f"{level} for {every} comparisons together"


def _say_test(comparison: Comparison, x: Decision) -> str:
    level = comparison.alpha
    correction = say_correction_of_tests(comparison)
    better, worse = (x.b, x.a) if x.better == x.b else (x.a, x.b)
    sign = "<=" if x.better else ">"
    said = f"{_UNDECIDED} {better} and {worse}"
    if x.better:
        said = f"{better} is better than {worse}"
    return (
        f"{said}: p = {x.shown} {sign} {level:.10g}, {correction}"
        f"{_say_share(comparison, x, better, worse)}; "
        f"{_say_difference(comparison, better, worse)}"
        f"{_say_sharper(comparison, better, worse) if x.better else ''}."
    )


def _say_share(comparison: Comparison, x: Decision, better: str, worse: str) -> str:
    """Say how often one model beats the other, if the test is of that."""
    share = x.record.get("probability_of_improvement")
    if share is None:
        return ""
    if better != x.a:
        share = 1.0 - share
    if not comparison.higher_is_better:
        share = 1.0 - share
    sign = ">" if comparison.higher_is_better else "<"
    said = f"; P({better} {sign} {worse}) = {share:.2f}"
    means = [y["mean"] for y in comparison.summarize_pair(better, worse)]
    lead = (means[0] - means[1]) * (1.0 if comparison.higher_is_better else -1.0)
    if x.better and lead < 0.0:
        said += ", though its mean is not better"
    return said


def say_correction(comparison: Comparison, name: str) -> str:
    n_pairs = comparison.n_comparisons
    if n_pairs == 1:
        return "for one comparison"
    if comparison.is_corrected:
        return f"after {name} for {n_pairs} comparisons"
    return "without a correction"


def say_correction_of_tests(comparison: Comparison) -> str:
    return say_correction(comparison, _CORRECTIONS[comparison.correction])


def _say_difference(comparison: Comparison, a: str, b: str) -> str:
    difference, interval = _show_difference(comparison, a, b)
    return f"the means differ by {difference}" + (f" {interval}" if interval else "")


def _say_sharper(comparison: Comparison, better: str, worse: str) -> str:
    """Say that a verdict is sharper than the interval of its difference."""
    low, high = comparison.find_interval(better, worse)
    return ", though this interval includes 0" if low <= 0.0 <= high else ""


def _show_difference(comparison: Comparison, a: str, b: str) -> tuple[str, str]:
    """Show the difference of two means, and its interval."""
    show = number_format(comparison.summarize_pair(a, b), sign="+")
    low, high = comparison.find_interval(a, b)
    means = [x["mean"] for x in comparison.summarize_pair(a, b)]
    interval = "" if math.isnan(low) else f"[{show(low)}, {show(high)}]"
    return show(means[0] - means[1]), interval


def start_document(comparison: Comparison, correction: str) -> dict[str, Any]:
    level = {"confidence_level": comparison.confidence_level}
    if comparison.test != "aso":
        level = {"alpha": comparison.alpha}
    return {
        "source": comparison.source,
        "test": comparison.test,
        "higher_is_better": comparison.higher_is_better,
        **level,
        "correction": correction if comparison.is_corrected else None,
        "n_resamples": comparison.n_resamples,
        "seed": comparison.seed,
        "method": comparison.method,
        "models": {
            name: {"n": len(scores)} | without_infinities(comparison.summaries[name])
            for name, scores in comparison.scores.items()
        },
    }
