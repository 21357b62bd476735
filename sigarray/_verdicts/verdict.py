"""Reports on models that were compared: the answer first, then the numbers."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from sigarray._plain_text import quote
from sigarray._verdicts.comparison import (
    Comparison,
    say_baseline,
    say_design,
    start_document,
)
from sigarray._verdicts.decisions import (
    Decision,
    advise_repeats,
    explain_intervals,
    explain_unequal_sizes,
    find_bounds,
    find_share,
    name_number,
    say_bounds,
    say_by_which,
    say_equality,
    say_least,
    say_sharper,
    show_difference,
    show_share,
)
from sigarray._verdicts.lacking import count_tasks, explain_matched
from sigarray._verdicts.margins import (
    explain_margin,
    name_columns,
    order_pair,
    say_answer,
    say_columns,
    say_not_worse,
    say_others,
    show_columns,
    show_verdict,
)
from sigarray._verdicts.paragraph import advise, say_measured, say_what, write_paragraph
from sigarray._verdicts.ranking import (
    MAX_SHOWN,
    MOST_ROWS,
    MOST_ROWS_OF_BASELINE,
    WHERE_PAIRS_ARE,
    Order,
    explain_groups,
    list_unequal,
    list_wins,
    matrix_of_pairs,
    order_models,
    rank_models,
    say_order_of_models,
    say_ranking,
    show_means,
    sort_pairs,
    summarize,
    table_of_models,
)
from sigarray._verdicts.records import list_records
from sigarray.report._layout import (
    Report,
    Table,
    equate,
    show_bound,
    without_infinities,
)
from sigarray.results import PairwiseAsoResult

# Beyond so many characters, probabilities are shown without their intervals.
_MOST_WIDE = 88
_CORRECTIONS = {
    "holm": "Holm's correction",
    "benjamini_hochberg": "control of the false discovery rate (Benjamini-Hochberg)",
}


def report_orders(
    comparison: Comparison,
    result: PairwiseAsoResult,
    decisions: Sequence[Decision],
    lack: str = "",
) -> Report:
    """`lack` says why there can be no verdict, if so."""
    bounds = np.asarray(result.eps_min).tolist()
    eps_min = [[None if math.isnan(x) else x for x in row] for row in bounds]
    return _make_report(
        comparison,
        decisions,
        partial(_say_order, lack=lack),
        {"threshold": comparison.threshold, "eps_min": eps_min},
        lack=lack,
    )


def report_tests(comparison: Comparison, decisions: Sequence[Decision]) -> Report:
    return _make_report(comparison, decisions, _say_test, {})


def _make_report(
    comparison: Comparison,
    decisions: Sequence[Decision],
    say: Callable[[Comparison, str, str, Decision], str],
    document: dict[str, Any],
    lack: str = "",
) -> Report:
    """Show readers every pair of a few models, or a ranking of many.

    `say` puts the decision on A and B into words. Where no scores would give a verdict,
    they see that first, and no matrix.
    """
    rule = say_basis(comparison)
    wins = list_wins(decisions)
    order = order_models(comparison, wins)
    task, title = comparison.task, comparison.title
    if comparison.left_out:
        title += f", {count_tasks({task: comparison})}"
    title += say_design([comparison])
    records = list_records({task: comparison}, {task: decisions}, order.names)
    pairs = sort_pairs(order.names, decisions)
    sentences = [say(comparison, a, b, x) for a, b, x in pairs]
    document = start_document(comparison, comparison.correction) | document
    document |= {
        "pairs": [without_infinities(record) for record in records],
        "verdicts": sentences,
    }
    measured = say_measured({task: comparison})
    most = MOST_ROWS if comparison.baseline is None else MOST_ROWS_OF_BASELINE
    has_rows = len(decisions) <= most
    if len(order.names) > MAX_SHOWN and not has_rows:
        n_pairs = comparison.n_comparisons
        told = lack or say_ranking(len(order.names), wins, rule, n_pairs)
        remarks = [*explain_groups(order, []), *comparison.doubts]
        remarks += explain_margin({"": comparison}, {"": decisions})
        remarks = [*say_answer(comparison, decisions), *remarks]
        return Report(
            [rank_models(comparison, order, wins)],
            [told, *remarks],
            comparison.method,
            records,
            document,
            headline=[title, told],
            remarks=remarks,
            advice=[WHERE_PAIRS_ARE],
            paragraphs=[" ".join([f"{say_what({task: comparison})}.", told, *remarks])],
            measured=measured,
        )
    explained = _explain(comparison, decisions, rule, has_rows=has_rows, lack=lack)
    explained += [*explain_matched(comparison), *comparison.doubts]
    advised = [] if lack else advise(comparison, decisions)
    tables = [_table_of_models(comparison, order, bool(lack), has_rows=has_rows)]
    if has_rows:
        tables.insert(0, _table_of_pairs(comparison, decisions, order, lack))
    else:
        advised.append(WHERE_PAIRS_ARE)
        if not lack:
            tables.insert(0, matrix_of_pairs(comparison, decisions, order))
    answer = sentences
    if lack:
        sentences = [lack, *(sentences if has_rows else [])]
        answer = sentences if len(decisions) == 1 else [lack]
    elif len(decisions) > 1:
        baseline = comparison.baseline
        unequal = list_unequal(order, baseline, decisions)
        answer = say_order_of_models(order, baseline, wins, unequal=unequal)
        answer += say_answer(comparison, decisions)
        explained += explain_groups(order, answer)
    of_sizes = explain_unequal_sizes([comparison])
    if has_rows and not lack:
        advised += advise_repeats(of_sizes)
    clauses = [
        *of_sizes,
        *say_by_which(
            name_number(comparison),
            ((comparison.find_interval(x.a, x.b), x.better) for x in decisions),
        ),
    ]
    shown = decisions if has_rows or not lack else []
    return Report(
        tables,
        [*sentences, *explained],
        comparison.method,
        records,
        document,
        headline=[title, *answer],
        remarks=explained,
        advice=advised,
        paragraphs=[write_paragraph(comparison, shown, order, rule, lack)],
        measured=measured,
        clauses=[] if lack else clauses,
    )


def _explain(
    comparison: Comparison,
    decisions: Sequence[Decision],
    rule: str,
    *,
    has_rows: bool,
    lack: str,
) -> list[str]:
    """`has_rows` if readers see intervals, and P(A>B) beside eps_min, of every pair."""
    undecided = [x for x in decisions if x.better is None]
    told = [f"A model is better than another if {rule}."]
    if lack:
        return told
    if comparison.test == "aso" and undecided:
        beside = f", even where P(A{comparison.sign}B) is 1" if has_rows else ""
        told.append(
            "eps_min is an upper bound, and cautious for few scores: it stays at 0.5 "
            f"or above unless a test rejects that both models are equal{beside}. A "
            "high value never says that they are equal, or that the other one is "
            "better."
        )
    if any(x.is_unequal for x in undecided):
        told.append("unequal: not equal, but neither is shown to be better.")
    told += [
        *explain_margin({"": comparison}, {"": decisions}),
        *(explain_unequal_sizes([comparison]) if has_rows else []),
        *say_least(any(x.is_least for x in decisions)),
    ]
    return told + (explain_intervals(comparison, decisions) if has_rows else [])


def _table_of_models(
    comparison: Comparison, order: Order, decides: bool, *, has_rows: bool
) -> Table:
    """Without rows of pairs it has the differences of the best model from others."""
    summaries, show = summarize(comparison), show_means(comparison)
    has_differences = not has_rows and comparison.has_intervals
    more = {
        key: {name: show(x[key]) for name, x in summaries.items()}
        for key in ("median", "min", "max")[: 1 if has_differences else 3]
        if comparison.is_of_means
    }
    title, (best, *others) = "Scores", order.names
    if has_differences:
        cells = {name: show_difference(comparison, best, name) for name in others}
        more["best - model, interval"] = {best: "", **cells}
        level = comparison.say_level_of_intervals()
        title += f" and differences from the best, {level}"
    return table_of_models(comparison, order, title, more, decides=decides)


def _table_of_pairs(
    comparison: Comparison, decisions: Sequence[Decision], order: Order, lack: str
) -> Table:
    shares = any("probability_of_improvement" in x.record for x in decisions)
    sign, limit = comparison.sign, comparison.threshold
    # Pairs may have items of their own.
    sizes = ["n"] * bool(comparison.matched)
    difference = "A - B"
    pairs = sort_pairs(order.names, decisions)
    title = f"Differences of {comparison.estimates}"
    if comparison.has_intervals:
        difference += ", interval"
        title += f", {comparison.say_level_of_intervals()}"
    header = ["A", "B", *sizes, difference, *([f"P(A{sign}B)"] * shares)]
    number = name_number(comparison)
    title += say_baseline(comparison.baseline) + say_columns(comparison, number)
    n_bounds = 0
    if comparison.test == "aso":
        # That of B over A is shown where one of these is the smaller one.
        every = [find_bounds(x, a) for a, _, x in pairs]
        n_bounds = 2 if any(second < first for first, second in every) else 1
    bounds = [f"eps_min(A{sign}B)", f"eps_min(B{sign}A)"]
    header += bounds[:n_bounds] or [number]
    header += name_columns(comparison)
    header.append("better")
    rows: list[list[str]] = []
    marked = set()
    for a, b, x in pairs:
        share = show_share(comparison, x, a) if shares else ""
        numbers = [x.shown]
        if n_bounds:
            numbers = [show_bound(e, limit) for e in find_bounds(x, a)[:n_bounds]]
        if x.better is not None:
            marked.add((len(rows), len(header) - 1))
        rows.append(
            [
                *(a, b, *(f"{len(comparison.list_scores(a, b)[0])}" for _ in sizes)),
                show_difference(comparison, a, b),
                *([share] if share else []),
                *(*numbers, *show_columns(comparison, x, a, b)),
                f"too few {comparison.unit}s" if lack else show_verdict(x),
            ]
        )
    place = header.index(difference) + 1
    widths = [max(map(len, x)) + 2 for x in zip(header, *rows, strict=True)]
    if shares and (len(rows) == 1 or sum(widths) > _MOST_WIDE):
        for row in rows:
            row[place] = row[place].split()[0]
    elif shares:
        header[place] += ", interval"
    return Table(title, header, rows, frozenset(marked), name_columns=2, decides=True)


def _say_order(comparison: Comparison, a: str, b: str, x: Decision, lack: str) -> str:
    threshold = comparison.threshold
    a, b = (b, a) if x.better == b else (a, b)
    first, second = quote(a), quote(b)
    difference = _say_difference(comparison, a, b)
    share = f"P({first} {comparison.sign} {second}) = {show_share(comparison, x, a)}"
    if x.better is not None:
        sharper = say_sharper(comparison, a, b)
        said = f"{first} is better than {second}: eps_min = {x.shown} < {threshold:g}"
        said += f"; {share}" * (len(comparison.scores) == 2)
        return f"{said}; {difference}{sharper}."
    said = f"inconclusive{f', for lack of {comparison.unit}s' if lack else ''}"
    if x.is_unequal:
        said = "not equal, but neither is shown to be better"
    return (
        f"{first} vs. {second}: {said} ({say_bounds(x, a, threshold)}, threshold "
        f"{threshold:g}; {share}; {say_equality(comparison, x)}); {difference}."
    )


def say_basis(comparison: Comparison) -> str:
    if comparison.test == "aso":
        return f"eps_min < {comparison.threshold:g}, {say_order_basis(comparison)}"
    return f"p <= {comparison.alpha:.10g}, {say_correction_of_tests(comparison)}"


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


def _say_test(comparison: Comparison, a: str, b: str, x: Decision) -> str:
    level = comparison.alpha
    a, b = order_pair(x, *((b, a) if x.better == b else (a, b)))
    better, worse = quote(a), quote(b)
    share, rank = show_share(comparison, x, a), ""
    if share:
        rank = f"; P({better} {comparison.sign} {worse}) = {share}"
    difference = _say_difference(comparison, a, b)
    p = f"{name_number(comparison)} {equate(x.shown)}"
    if x.verdict in ("not worse", "equivalent"):
        return f"{say_not_worse(comparison, x, a, b)}; {difference}."
    others = say_others(comparison, x)
    if x.better is None:
        return (
            f"{better} vs. {worse}: inconclusive ({p} > {level:.10g}{rank}{others}); "
            f"{difference}."
        )
    if find_share(x, a) is not None and comparison.find_lead(a, b) < 0.0:
        rank += ", though its mean is not better"
    sharper = say_sharper(comparison, a, b)
    return (
        f"{better} is better than {worse}: {p} <= {level:.10g}{rank}{others}; "
        f"{difference}{sharper}."
    )


def say_correction_of_tests(comparison: Comparison) -> str:
    n_pairs = comparison.n_comparisons
    if n_pairs == 1:
        return "for one comparison"
    if comparison.is_corrected:
        return f"after {_CORRECTIONS[comparison.correction]} for {n_pairs} comparisons"
    return "without a correction"


def _say_difference(comparison: Comparison, a: str, b: str) -> str:
    on = ""
    if comparison.matched:
        on = (
            f" on the {len(comparison.list_scores(a, b)[0])} {comparison.unit}s of both"
        )
    shown = show_difference(comparison, a, b)
    if not comparison.is_of_means:
        return f"{comparison.metric} differs by {shown}"
    return f"the means{on} differ by {shown}"
