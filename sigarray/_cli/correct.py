"""`sigarray correct`: which of several p-values hold after a correction."""

import argparse

import numpy as np

from sigarray._correction import (
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    holm,
)
from sigarray._plain_text import quote
from sigarray.read._responses import read_p_values
from sigarray.report._layout import Report, Table
from sigarray.report._numbers import show_p_value

_METHODS = {
    "holm": (holm, "Holm"),
    "bonferroni": (bonferroni, "Bonferroni"),
    "benjamini-hochberg": (benjamini_hochberg, "Benjamini and Hochberg"),
    "benjamini-yekutieli": (benjamini_yekutieli, "Benjamini and Yekutieli"),
}
_MAX_LISTED = 20


def run(options: argparse.Namespace) -> Report:
    """Say which of the p-values of a file hold."""
    labels, p_values = read_p_values(options.file)
    source = "standard input" if options.file == "-" else options.file
    return report_correction(source, labels, p_values, options.method, options.alpha)


def report_correction(
    source: str, labels: list[str], p_values: list[float], method: str, level: float
) -> Report:
    """Say which p-values are at most the level after the correction."""
    adjust, name = _METHODS[method]
    adjusted = np.asarray(adjust(p_values)).tolist()
    holds = [q <= level for q in adjusted]
    rows = [
        [label, show_p_value(p, level), show_p_value(q, level)]
        for label, p, q in zip(labels, p_values, adjusted, strict=True)
    ]
    marked = frozenset((i, 2) for i, is_held in enumerate(holds) if is_held)
    header = ["", "p", "adjusted p"]
    title = f"{source}: significant where the adjusted p is at most {level:g}"
    records = [
        {"label": label, "pvalue": p, "adjusted_pvalue": q, "is_significant": is_held}
        for label, p, q, is_held in zip(labels, p_values, adjusted, holds, strict=True)
    ]
    sentence = _say_count(labels, holds, method, level)
    document = {
        "source": source,
        "method": method,
        "labels": labels,
        "alpha": level,
        "pvalues": records,
        "verdict": sentence,
    }
    tables = [Table(title, header, rows, marked)]
    return Report(tables, [sentence], f"{name}'s correction", records, document)


def _say_count(labels: list[str], holds: list[bool], method: str, level: float) -> str:
    count, total = sum(holds), len(labels)
    named = [label for label, is_held in zip(labels, holds, strict=True) if is_held]
    is_listed = 0 < count < total and count <= _MAX_LISTED
    which = f": {', '.join(map(quote, named))}" if is_listed else ""
    verb = "is" if count == 1 else "are"
    return (
        f"{count} of {total} {verb} significant at level {level:g} after "
        f"{_METHODS[method][1]}'s correction{which}."
    )
