"""`sigarray study`: how good p-values from one test set are."""

import argparse
import math
import statistics
from typing import Any

from sigarray._cli.running import ITEMS, RESPONSES
from sigarray._verdicts.notes import announce
from sigarray.report._layout import Report, Table
from sigarray.report._numbers import without_infinities
from sigarray.responses import study, study_records

# For a guess at the time: of each response of each test set and resample.
_SECONDS_PER_RESPONSE = 5e-8


def run(options: argparse.Namespace) -> Report:
    """Say how good p-values from one simulated test set are."""
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
    """Name the way to resample with p-values nearest to the true ones."""
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
