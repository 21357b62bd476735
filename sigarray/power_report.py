"""What to say of the number of runs: from scores to a report of their power."""

import itertools
import math
from dataclasses import dataclass
from typing import Any

from sigarray.power import DEFAULT_SIZES, bootstrap_power_analysis, required_sample_size
from sigarray.report import Report, Table
from sigarray.score_file import Scores
from sigarray.verdict import describe_scores, number_format, show_difference

Summaries = dict[str, dict[str, float]]

_NAMES = {
    "welch": "Welch's t-test",
    "paired-t": "paired t-test",
    "mann-whitney": "Mann-Whitney's U",
    "aso": "almost stochastic order",
}
POWER_TESTS = tuple(_NAMES)


@dataclass(frozen=True)
class PowerOptions:
    """How to find the power, and how much of it is enough."""

    test: str
    lift: float
    power: float
    significance_level: float
    higher_is_better: bool
    n_resamples: int
    seed: int


def report_power(source: str, scores: Scores, options: PowerOptions) -> Report:
    """Say of every model and every two of them whether there are runs enough."""
    shared: dict[str, Any] = {
        "test": options.test.replace("-", "_"),
        "significance_level": options.significance_level,
        "n_resamples": options.n_resamples,
        "rng": options.seed,
    }
    summaries = {name: describe_scores(column) for name, column in scores.items()}
    powers = {
        name: float(
            bootstrap_power_analysis(
                column,
                lift=options.lift if options.higher_is_better else 1.0 / options.lift,
                **shared,
            )
        )
        for name, column in scores.items()
    }
    pairs = []
    for pair in itertools.combinations(scores, 2):
        means = [summaries[name]["mean"] for name in pair]
        if means[0] == means[1]:
            continue
        is_first = (means[0] > means[1]) == options.higher_is_better
        better, worse = pair if is_first else pair[::-1]
        result = required_sample_size(
            scores[better],
            scores[worse],
            power=options.power,
            higher_is_better=options.higher_is_better,
            **shared,
        )
        pairs.append((better, worse, float(result.sample_size)))
    factor = "lift" if options.higher_is_better else "drop"
    method = (
        f"{_NAMES[options.test]}, one-sided, level {options.significance_level:g}, "
        f"{options.n_resamples} bootstrap samples, seed {options.seed}"
    )
    document = {
        "source": source,
        "method": method,
        "lift": options.lift,
        "power": options.power,
        "models": powers,
        "pairs": [
            {
                "better": better,
                "worse": worse,
                "required_sample_size": None if math.isinf(size) else int(size),
            }
            for better, worse, size in pairs
        ],
    }
    records = [
        {"model_a": name, "model_b": "", "power": power, "required_sample_size": ""}
        for name, power in powers.items()
    ] + [
        {
            "model_a": better,
            "model_b": worse,
            "power": options.power,
            "required_sample_size": "" if math.isinf(size) else int(size),
        }
        for better, worse, size in pairs
    ]
    change = f"a {factor} by a factor of {options.lift:g}"
    tables = [_model_table(source, scores, summaries, powers, change)]
    if pairs:
        tables.append(_pair_table(summaries, pairs, options.power))
    sentences = [
        *(
            _say_power(name, len(scores[name]), power, options, factor)
            for name, power in powers.items()
        ),
        *(_say_size(*pair, options.power) for pair in pairs),
    ]
    return Report(tables, sentences, method, records, document)


def _model_table(
    source: str,
    scores: Scores,
    summaries: Summaries,
    powers: dict[str, float],
    change: str,
) -> Table:
    show = number_format(list(summaries.values()))
    rows = [
        [
            name,
            str(len(scores[name])),
            show(summary["mean"]),
            show(summary["sd"]),
            f"{powers[name]:.3f}",
        ]
        for name, summary in summaries.items()
    ]
    title = f"{source}: power to see {change}"
    return Table(title, ["model", "n", "mean", "sd", "power"], rows)


def _pair_table(
    summaries: Summaries, pairs: list[tuple[str, str, float]], power: float
) -> Table:
    rows = []
    for better, worse, size in pairs:
        difference = show_difference(summaries[better], summaries[worse])
        rows.append([better, worse, difference, _show_size(size)])
    header = ["better", "than", "mean difference", "runs of each"]
    title = f"Runs that show the difference with power {power:g}"
    return Table(title, header, rows, name_columns=2)


def _say_power(
    name: str, n: int, power: float, options: PowerOptions, factor: str
) -> str:
    verdict = "enough" if power >= options.power else "too few"
    return (
        f"{n} runs of {name} are {verdict} to see a {factor} by a factor of "
        f"{options.lift:g}: power {power:.3f}, where {options.power:g} is asked for."
    )


def _say_size(better: str, worse: str, size: float, power: float) -> str:
    if math.isinf(size):
        return (
            f"More than {DEFAULT_SIZES[-1]} runs of {better} and {worse} would be "
            f"needed to see a difference like theirs with power {power:g}."
        )
    return (
        f"About {size:.0f} runs each show, with power {power:g}, that {better} is "
        f"better than {worse}, if the difference is what it seems."
    )


def _show_size(size: float) -> str:
    return f"> {DEFAULT_SIZES[-1]}" if math.isinf(size) else f"{size:.0f}"
