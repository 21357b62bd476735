"""What to say of two systems by their responses, and of ways to resample."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigarray.report import Report, Table
from sigarray.responses import Study, metrics, response_test
from sigarray.results import ResponseSet
from sigarray.verdict import show_p_value

_ITEMS = {"all": "all items", "bootstrap": "bootstrapped items"}
_RESPONSES = {
    "all": "all responses",
    "bootstrap": "bootstrapped responses",
    "one": "one response",
    "first": "the first response",
    "without_replacement": "all responses in random order",
}


@dataclass(frozen=True)
class ResponseOptions:
    """How to test the difference of two systems."""

    metric: str
    items: str
    responses: str
    alternative: str
    significance_level: float
    n_resamples: int
    seed: int


def report_responses(
    source: str, systems: Sequence[str], test_set: ResponseSet, options: ResponseOptions
) -> Report:
    """Say which of two systems is nearer to gold."""
    metric = metrics.METRICS[options.metric]
    result = response_test(
        *test_set,
        metric=metric,
        items=options.items,  # type: ignore[arg-type]
        responses=options.responses,  # type: ignore[arg-type]
        alternative=options.alternative,  # type: ignore[arg-type]
        n_resamples=options.n_resamples,
        rng=options.seed,
    )
    value_a, value_b, p = (
        float(x) for x in (result.metric_a, result.metric_b, result.pvalue)
    )
    if math.isnan(p):
        msg = (
            f"{source}: {options.metric} is not defined for these responses, or for a "
            "resample of them: pairs of responses need both of them, roc_auc items of "
            "both classes, cosine and spearman numbers that differ. Choose another "
            "--metric."
        )
        raise ValueError(msg)
    is_significant = p < options.significance_level
    better = None
    if is_significant and result.statistic != 0.0:
        better = systems[1] if result.statistic > 0.0 else systems[2]
    method = (
        f"{options.metric}, {_ITEMS[options.items]}, {_RESPONSES[options.responses]}, "
        f"{options.n_resamples} resamples of each hypothesis, {options.alternative}, "
        f"seed {options.seed}"
    )
    record = {
        "metric": options.metric,
        "higher_is_better": metric.higher_is_better,
        "a": systems[1],
        "b": systems[2],
        "metric_a": value_a,
        "metric_b": value_b,
        "difference": value_a - value_b,
        "pvalue": p,
        "better": better,
    }
    counts = [int(np.sum(~np.isnan(x))) for x in test_set]
    document = {
        "source": source,
        "method": method,
        "significance_level": options.significance_level,
        "n_items": len(test_set.gold),
        "n_responses": dict(zip(systems, counts, strict=True)),
    } | record
    direction = "higher" if metric.higher_is_better else "lower"
    values = ["", *(_show(x) for x in (value_a, value_b))]
    table = Table(
        f"{source}: {len(test_set.gold)} items, {direction} {options.metric} is better",
        ["system", "responses", options.metric],
        [list(row) for row in zip(systems, map(str, counts), values, strict=True)],
    )
    p_text = show_p_value(p, options.significance_level)
    difference = Table(
        f"A is {systems[1]}, B is {systems[2]}; {options.alternative} p-value",
        ["A - B", "p", "better"],
        [[_show(value_a - value_b, "+"), p_text, better or "-"]],
        frozenset({(0, 1)} if better else ()),
        name_columns=0,
    )
    document["verdict"] = sentence = _say(systems, options, record, p_text)
    return Report([table, difference], [sentence], method, [record], document)


def report_study(study: Study, method: str) -> Report:
    """Say how far p-values from one test set are from the true ones."""
    records = study.to_records()
    rows = [
        [
            f"{record['perturbation']:g}",
            record["metric"],
            record["items"],
            record["responses"],
            f"{record['estimated_p']:.6f}",
            f"{record['true_p']:.6f}",
            f"{record['difference']:+.6f}",
        ]
        for record in records
    ]
    header = [
        "perturbation",
        "metric",
        "items",
        "responses",
        "estimated p",
        "true p",
        "difference",
    ]
    table = Table(
        "p-values from one test set and true ones", header, rows, name_columns=4
    )
    distances = {
        (items, answers): math.fsum(
            abs(record["difference"])
            for record in records
            if (record["items"], record["responses"]) == (items, answers)
        )
        for items in study.items
        for answers in study.responses
    }
    count = len(study.perturbations) * len(study.metrics)
    nearest = min(distances, key=lambda x: distances[x])
    sentence = (
        f"Nearest to the true p-values here: {_ITEMS[nearest[0]]} with "
        f"{_RESPONSES[nearest[1]]}, {distances[nearest] / count:.4f} away on average."
    )
    document: dict[str, Any] = {
        "method": method,
        "p_values": records,
        "verdict": sentence,
    }
    return Report([table], [sentence], method, records, document)


def _say(
    systems: Sequence[str],
    options: ResponseOptions,
    record: dict[str, Any],
    p_text: str,
) -> str:
    level = f"{options.significance_level:.10g}"
    difference = abs(record["difference"])
    gap = f"{options.metric} differs by {_show(difference)}"
    if record["better"] is None:
        return (
            f"Nothing can be said of {systems[1]} and {systems[2]}: p = {p_text}, not "
            f"below {level}; {gap}."
        )
    worse = systems[2] if record["better"] == systems[1] else systems[1]
    return (
        f"{record['better']} is nearer to {systems[0]} than {worse}: p = {p_text} < "
        f"{level}; {gap}."
    )


def _show(x: float, sign: str = "") -> str:
    return format(x, f"{sign}.4f" if 1e-3 <= abs(x) < 1e6 or x == 0.0 else f"{sign}.4g")
