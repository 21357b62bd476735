"""`sigarray responses` and `study`, of two systems; `correct`, of p-values."""

import argparse
import math
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np

from sigarray._cli.files import open_table
from sigarray._cli.running import ITEMS, RESPONSES
from sigarray._correction import (
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    holm,
)
from sigarray._plain_text import quote
from sigarray._response_results import ResponseSet
from sigarray.read._messages import announce, note, warn
from sigarray.read._responses import read_p_values, read_responses
from sigarray.report._layout import (
    Report,
    Table,
    equate,
    show_p_value,
    without_infinities,
)
from sigarray.responses import metrics, response_test, study, study_records

_RATINGS = "ratings.csv"
_NEEDS = {
    "roc_auc": "items of both classes, in every resample too (see --threshold)",
    "cosine": "responses other than 0",
    "spearman": "responses that differ between items",
    "wins_mae_all": "as many responses to an item of gold as of each system",
}

# Fewer items do not show how much items vary.
_FEW_ITEMS = 10
# For a guess at the time: of each response of each resample.
_SECONDS_PER_RESPONSE = 5e-8
_METHODS = {
    "holm": (holm, "Holm"),
    "bonferroni": (bonferroni, "Bonferroni"),
    "benjamini-hochberg": (benjamini_hochberg, "Benjamini and Hochberg"),
    "benjamini-yekutieli": (benjamini_yekutieli, "Benjamini and Yekutieli"),
}
_MAX_LISTED = 20


def run(options: argparse.Namespace) -> Report:
    return {"responses": _test, "study": _study, "correct": _correct}[options.command](
        options
    )


def _test(options: argparse.Namespace) -> Report:
    systems = (options.gold, options.a, options.b)
    with open_table(options.file, _RATINGS) as (source, path):
        test_set, read = read_responses(path, systems, options.columns)
    if read:
        note(f"{source}: {read}.")
    _check_number(source, len(test_set.gold), options)
    metric = _make_metric(source, test_set, options)
    n_drawn = options.n_resamples * sum(x.size for x in test_set)
    announce(
        f"{options.metric} of {options.n_resamples} resamples",
        _SECONDS_PER_RESPONSE * n_drawn,
        "Faster: fewer --n-resamples.",
    )
    result = response_test(
        *test_set,
        metric=metric,
        items=options.items,
        responses=options.responses,
        alternative=options.alternative,
        n_resamples=options.n_resamples,
        rng=options.seed,
    )
    value_a, value_b, p = (
        float(x) for x in (result.metric_a, result.metric_b, result.pvalue)
    )
    if math.isnan(p):
        need = _NEEDS.get(options.metric, "numbers that are finite")
        msg = (
            f"{source}: {options.metric} is not defined for these responses, or for a "
            f"resample of them: it needs {need}. Choose another --metric."
        )
        raise ValueError(msg)
    is_significant = p <= options.alpha
    better = None
    if is_significant and result.statistic != 0.0:
        better = systems[1] if result.statistic > 0.0 else systems[2]
    method = (
        f"{options.metric}, {ITEMS[options.items]}, {RESPONSES[options.responses]}, "
        f"{options.n_resamples} resamples of each hypothesis, {options.alternative}, "
        f"seed {options.seed}"
    )
    if "bootstrap" in (options.items, options.responses):
        method += (
            ". P is conservative if items are independent: it has the variance of the "
            "test set twice"
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
        "test": "response_test",
        "gold": systems[0],
        "items": options.items,
        "responses": options.responses,
        "alternative": options.alternative,
        "n_resamples": options.n_resamples,
        "seed": options.seed,
        "method": method,
        "alpha": options.alpha,
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
    p_text = show_p_value(p, options.alpha)
    a, b = map(quote, systems[1:])
    difference = Table(
        f"A is {a}, B is {b}; {options.alternative} p-value",
        ["A - B", "p", "better"],
        [[_show(value_a - value_b, "+"), p_text, better or "inconclusive"]],
        frozenset({(0, 1)} if better else ()),
        name_columns=0,
    )
    document["verdict"] = sentence = _say(systems, options, record, p_text)
    return Report([table, difference], [sentence], method, [record], document)


def _check_number(source: str, n_items: int, options: argparse.Namespace) -> None:
    if n_items == 1 and options.items == "bootstrap":
        msg = (
            f"{source}: expected two items or more, to bootstrap them; got 1. Add "
            "items, or take --items all, for a p-value of this item alone."
        )
        raise ValueError(msg)
    if n_items < _FEW_ITEMS:
        number = "One item" if n_items == 1 else f"{n_items} items"
        doubt = {
            "all": "the p-value is of these alone, and says nothing of others",
            "bootstrap": "the p-value may be far too small",
        }[options.items]
        warn(
            f"{number} cannot show how items vary: {doubt}. Add items, "
            f"{_FEW_ITEMS} at least."
        )


def _make_metric(
    source: str, test_set: ResponseSet, options: argparse.Namespace
) -> metrics.Metric | metrics.Wins:
    name = options.metric
    for option, value, known in (
        ("--threshold", options.threshold, metrics.SCORES),
        ("--range", options.range, ("kl_divergence",)),
    ):
        if value is not None and name not in known:
            msg = f"Expected {option} with --metric {', '.join(known)}; got {name}."
            raise ValueError(msg)
    lowest = min(float(np.nanmin(x)) for x in test_set)
    highest = max(float(np.nanmax(x)) for x in test_set)
    if name in metrics.SCORES:
        threshold = 0.5 if options.threshold is None else options.threshold
        if not lowest < threshold <= highest:
            msg = (
                f"{source}: expected responses on both sides of the threshold "
                f"{threshold:g} for {name}; got {lowest:g} to {highest:g}. Choose it "
                "with --threshold."
            )
            raise ValueError(msg)
        return metrics.binary(
            name, gold_threshold=threshold, system_threshold=threshold
        )
    if name == "kl_divergence":
        low, high = options.range or (0.0, 1.0)
        if not low <= lowest <= highest <= high:
            msg = (
                f"{source}: expected responses from {low:g} to {high:g}, the range of "
                f"histograms; got {lowest:g} to {highest:g}. Choose it with --range."
            )
            raise ValueError(msg)
        return metrics.histogram_kl(low=low, high=high)
    sizes = {x.shape[-1] for x in test_set}
    has_gaps = any(np.isnan(x).any() for x in test_set)
    if name == "wins_mae_all" and (len(sizes) > 1 or has_gaps):
        msg = (
            f"{source}: wins_mae_all compares responses one by one, and needs "
            f"{_NEEDS[name]}. Take wins_mae or wins_emd."
        )
        raise ValueError(msg)
    return metrics.METRICS[name]


def _say(
    systems: Sequence[str],
    options: argparse.Namespace,
    record: dict[str, Any],
    p_text: str,
) -> str:
    level = f"{options.alpha:.10g}"
    difference = abs(record["difference"])
    gap = f"{options.metric} differs by {_show(difference)}"
    p = f"p {equate(p_text)}"
    gold, a, b = map(quote, systems)
    if record["better"] is None:
        return f"{a} vs. {b}: inconclusive ({p} > {level}); {gap}."
    better, worse = (a, b) if record["better"] == systems[1] else (b, a)
    return f"{better} is nearer to {gold} than {worse}: {p} <= {level}; {gap}."


def _show(x: float, sign: str = "") -> str:
    x += 0.0  # without the minus of -0.0
    return format(x, f"{sign}.4f" if 1e-3 <= abs(x) < 1e6 or x == 0.0 else f"{sign}.4g")


def _study(options: argparse.Namespace) -> Report:
    choices = (options.metric, options.items, options.responses, options.perturbation)
    n_p_values = math.prod(map(len, choices))
    n_drawn = (options.n_sets + options.n_resamples) * options.n_items
    announce(
        f"a study of {n_p_values} p-values",
        _SECONDS_PER_RESPONSE * n_p_values * n_drawn * 3 * options.n_responses,
        "Faster: fewer --n-sets, --n-resamples or --n-items.",
    )
    axes = {
        "metrics": options.metric,
        "items": options.items,
        "responses": options.responses,
        "perturbations": options.perturbation,
    }
    result = study(
        **axes,
        model=options.model,
        n_items=options.n_items,
        n_responses=options.n_responses,
        n_sets=options.n_sets,
        n_resamples=options.n_resamples,
        alternative="greater",
        rng=options.seed,
    )
    method = (
        f"{options.model} model, {options.n_items} items, {options.n_responses} "
        f"responses, {options.n_sets} test sets and {options.n_resamples} resamples of "
        f"each hypothesis, one-sided, seed {options.seed}"
    )
    settings = {
        "test": "study",
        **axes,
        "model": options.model,
        "n_items": options.n_items,
        "n_responses": options.n_responses,
        "n_sets": options.n_sets,
        "alternative": "greater",
        "n_resamples": options.n_resamples,
        "seed": options.seed,
    }
    records = study_records(result, **axes)
    rows = [
        [
            f"{record['perturbation']:g}",
            record["metric"],
            record["items"],
            record["responses"],
            f"{record['estimated_pvalue']:.6f}",
            f"{record['true_pvalue']:.6f}",
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
    sentence = _say_nearest(records)
    document = settings | {
        "method": method,
        "pvalues": [without_infinities(record) for record in records],
        "verdict": sentence,
    }
    return Report([table], [sentence], method, records, document)


def _say_nearest(records: list[dict[str, Any]]) -> str:
    undefined = sorted({x["metric"] for x in records if math.isnan(x["difference"])})
    if undefined:
        return (
            f"Not defined for every resample: {', '.join(undefined)}. Take more items, "
            "or other metrics, to compare the ways to resample."
        )
    distances: dict[tuple[str, str], list[float]] = {}
    for x in records:
        way = (x["items"], x["responses"])
        distances.setdefault(way, []).append(abs(x["difference"]))
    means = {way: statistics.fmean(some) for way, some in distances.items()}
    items, answers = nearest = min(means, key=lambda way: means[way])
    return (
        f"Nearest to the true p-values here: {ITEMS[items]} with "
        f"{RESPONSES[answers]}, {means[nearest]:.4f} away on average."
    )


def _correct(options: argparse.Namespace) -> Report:
    labels, p_values = read_p_values(options.file)
    source = "standard input" if options.file == "-" else options.file
    return report_correction(source, labels, p_values, options.method, options.alpha)


def report_correction(
    source: str, labels: list[str], p_values: list[float], method: str, level: float
) -> Report:
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
