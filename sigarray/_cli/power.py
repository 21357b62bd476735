"""`sigarray power`: whether there are enough runs of the models."""

import argparse
import itertools
import math
import warnings
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from sigarray import bootstrap_power_analysis, required_sample_size
from sigarray._cli.inputs import check_sizes, read_one_task
from sigarray._cli.options import (
    FILE_OF_SCORES,
    add_level,
    add_random,
    add_table,
    number,
)
from sigarray._cli.progress import announce, track
from sigarray._cli.ranking import MAX_SHOWN
from sigarray._power_analysis import DEFAULT_SIZES
from sigarray.read._wide import Scores
from sigarray.report._numbers import (
    Summary,
    describe_scores,
    number_format,
    show_difference,
)
from sigarray.report._rendering import Report, Table

DESCRIPTION = (
    "For each model, the power to see that its scores are lifted; for every "
    "two, the number of runs that shows a difference like theirs. "
    f"{FILE_OF_SCORES}"
)

# Better, worse, and how many runs of each show it: infinite for more than were tried.
SizedPair = tuple[str, str, float]

# More runs than anyone has; samples of this size are drawn in seconds.
_LARGEST_SIZE = 10_000
# For a guess at the time: for each score that is drawn.
_SECONDS_PER_SCORE = {
    "welch": 6e-8,
    "paired-t": 6e-8,
    "mann-whitney": 1e-7,
    "aso": 1e-5,
}

_NAMES = {
    "welch": "Welch's t-test",
    "paired-t": "paired t-test",
    "mann-whitney": "Mann-Whitney's U",
    "aso": "almost stochastic order",
}
POWER_TESTS = tuple(_NAMES)


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    add_table(command)
    command.add_argument(
        "--test", choices=POWER_TESTS, default="welch", help="default: %(default)s"
    )
    command.add_argument(
        "--lift",
        type=number(1.0, 1e6),
        default=1.25,
        metavar="FACTOR",
        help="what the power of a model is to see; default: %(default)s",
    )
    command.add_argument(
        "--power",
        type=number(0.0, 1.0, is_open=True),
        default=0.8,
        metavar="P",
        help="how much power is enough; default: %(default)s",
    )
    add_level(command)
    add_random(command, default=1000, said="%(default)s")


def run(options: argparse.Namespace) -> Report:
    """Say whether there are enough runs of the models of a file."""
    is_paired = options.test == "paired-t"
    source, scores = read_one_task(options, is_paired=is_paired, min_models=1)
    check_sizes(source, scores)
    largest = max(float(column.max()) for column in scores.values())
    if not options.lower_is_better and largest <= 1.0 < options.lift * largest:
        warnings.warn(
            f"A lift by a factor of {options.lift:g} takes scores above 1, and none is "
            f"above 1 now. Is it too much to ask for? Choose it with --lift.",
            UserWarning,
            stacklevel=2,
        )
    return report_power(
        source,
        scores,
        PowerOptions(
            test=options.test,
            lift=options.lift,
            power=options.power,
            alpha=options.alpha,
            higher_is_better=not options.lower_is_better,
            n_resamples=options.n_resamples,
            seed=options.seed,
        ),
    )


@dataclass(frozen=True)
class PowerOptions:
    """How to find the power, and how much of it is enough."""

    test: str
    lift: float
    power: float
    alpha: float
    higher_is_better: bool
    n_resamples: int
    seed: int


def report_power(source: str, scores: Scores, options: PowerOptions) -> Report:
    """Say of every model and every two of them whether there are runs enough."""
    summaries = {name: describe_scores(column) for name, column in scores.items()}
    duels = _find_duels(summaries, options.higher_is_better)
    announce(
        f"power of {options.test} for {len(scores)} models and {len(duels)} pairs",
        _guess_seconds(scores, len(duels), options),
        "Faster: "
        + ("" if options.test in ("welch", "paired-t") else "--test welch, ")
        + "fewer --n-resamples, fewer models with --columns.",
    )
    powers = {
        name: _find_power(scores[name], options)
        for name in track(list(scores), "Model")
    }
    sizes = _sizes_to_try(scores)
    corrected = replace(options, alpha=options.alpha / max(1, len(duels)))
    pairs = [
        (better, worse, _find_size(scores[better], scores[worse], sizes, corrected))
        for better, worse in track(duels, "Pair")
    ]
    factor = "lift" if options.higher_is_better else "drop"
    method = (
        f"{_NAMES[options.test]}, two-sided, level {options.alpha:g}"
        f"{_say_comparisons(len(duels))}, {options.n_resamples} bootstrap samples, "
        f"seed {options.seed}"
    )
    document = {
        "source": source,
        "test": options.test,
        "higher_is_better": options.higher_is_better,
        "alpha": options.alpha,
        "n_resamples": options.n_resamples,
        "seed": options.seed,
        "method": method,
        "lift": options.lift,
        "power": options.power,
        "largest_size_tried": sizes[-1],
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
        {
            "model_a": name,
            "model_b": "",
            "power": power,
            "required_power": options.power,
            "required_sample_size": "",
        }
        for name, power in powers.items()
    ] + [
        {
            "model_a": better,
            "model_b": worse,
            "power": "",
            "required_power": options.power,
            "required_sample_size": "" if math.isinf(size) else int(size),
        }
        for better, worse, size in pairs
    ]
    change = f"a {factor} by a factor of {options.lift:g}"
    tables = [_model_table(source, scores, summaries, powers, change)]
    if len(scores) > MAX_SHOWN:
        sentences = _say_counts(powers, pairs, sizes[-1], options, change)
        return Report(tables, sentences, method, records, document)
    if pairs:
        tables.append(_pair_table(summaries, pairs, sizes[-1], options.power))
    sentences = [
        *(
            _say_power(name, len(scores[name]), power, options, change)
            for name, power in powers.items()
        ),
        *(_say_size(*pair, sizes[-1], options.power) for pair in pairs),
        *([_say_pilot(scores)] if pairs else []),
    ]
    return Report(tables, sentences, method, records, document)


def _find_duels(
    summaries: dict[str, Summary], higher_is_better: bool
) -> list[tuple[str, str]]:
    """Give every two models whose means differ, the better one first."""
    duels = []
    for pair in itertools.combinations(summaries, 2):
        first, second = (summaries[name]["mean"] for name in pair)
        if first != second:
            is_first = (first > second) == higher_is_better
            duels.append(pair if is_first else pair[::-1])
    return duels


def _sizes_to_try(scores: Scores) -> list[int]:
    """Give the default sizes, and doubled ones up to four times what there is."""
    sizes = list(DEFAULT_SIZES)
    goal = min(4 * max(map(len, scores.values())), _LARGEST_SIZE)
    while sizes[-1] < goal:
        sizes.append(min(2 * sizes[-1], _LARGEST_SIZE))
    return sizes


def _shared(options: PowerOptions) -> dict[str, Any]:
    return {
        "test": options.test.replace("-", "_"),
        # The better one is known here: of a two-sided test, its side.
        "alpha": 0.5 * options.alpha,
        "n_resamples": options.n_resamples,
        "rng": options.seed,
    }


def _find_power(column: np.ndarray, options: PowerOptions) -> float:
    lift = options.lift if options.higher_is_better else 1.0 / options.lift
    return float(bootstrap_power_analysis(column, lift=lift, **_shared(options)))


def _find_size(
    better: np.ndarray, worse: np.ndarray, sizes: list[int], options: PowerOptions
) -> float:
    """Find the smallest size, and try large ones only where the others do not do."""
    n_default = len(DEFAULT_SIZES)
    for tried in (sizes[:n_default], *([size] for size in sizes[n_default:])):
        result = required_sample_size(
            better,
            worse,
            power=options.power,
            sizes=tried,
            higher_is_better=options.higher_is_better,
            **_shared(options),
        )
        if not math.isinf(float(result.sample_size)):
            break
    return float(result.sample_size)


def _guess_seconds(scores: Scores, n_pairs: int, options: PowerOptions) -> float:
    """Guess how long it takes, where the default sizes do."""
    n_drawn = 2 * (sum(map(len, scores.values())) + n_pairs * sum(DEFAULT_SIZES))
    return _SECONDS_PER_SCORE[options.test] * n_drawn * options.n_resamples


def _model_table(
    source: str,
    scores: Scores,
    summaries: dict[str, Summary],
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
    summaries: dict[str, Summary],
    pairs: list[SizedPair],
    largest: int,
    power: float,
) -> Table:
    rows = []
    for better, worse, size in pairs:
        difference = show_difference(summaries[better], summaries[worse])
        shown = f"> {largest}" if math.isinf(size) else f"{size:.0f}"
        rows.append([better, worse, difference, shown])
    header = ["better", "than", "mean difference", "runs of each"]
    title = f"Runs that show the difference with power {power:g}"
    return Table(title, header, rows, name_columns=2)


def _say_power(
    name: str, n: int, power: float, options: PowerOptions, change: str
) -> str:
    verdict = "enough" if power >= options.power else "too few"
    return (
        f"{n} runs of {name} are {verdict} to see {change}: power {power:.3f}, where "
        f"{options.power:g} is asked for."
    )


def _say_size(better: str, worse: str, size: float, largest: int, power: float) -> str:
    if math.isinf(size):
        return (
            f"More than {largest} runs of {better} and {worse} would be needed to see "
            f"a difference like theirs with power {power:g}."
        )
    return (
        f"About {size:.0f} runs each show, with power {power:g}, that {better} is "
        f"better than {worse}, if the difference is what it seems."
    )


def _say_comparisons(n_pairs: int) -> str:
    """Say what `sigarray compare` will correct for."""
    if n_pairs < 2:
        return ""
    return f", of pairs corrected for {n_pairs} comparisons (Bonferroni)"


def _say_pilot(scores: Scores) -> str:
    """Say how far the number of runs may be off, for that of so few is an estimate.

    It goes with the variance over the square of the difference, of which only the
    variance is looked at here: of n normal scores, it is known up to a quantile of
    chi-square, by Wilson and Hilferty's approximation.
    """
    k = min(map(len, scores.values())) - 1.0
    z = NormalDist().inv_cdf(0.95)
    low, high = (
        (1.0 - 2.0 / (9.0 * k) + side * z * math.sqrt(2.0 / (9.0 * k))) ** 3
        for side in (1.0, -1.0)
    )
    most = f"{1.0 / high:.2g}" if high > 0.0 else "any number of"
    return (
        f"Of {k + 1:.0f} runs a variance is an estimate: the numbers may have to be "
        f"{1.0 / low:.2g} to {most} times as large (90 % confidence, normal scores), "
        "and more where the difference only seems as large as it is."
    )


def _say_counts(
    powers: dict[str, float],
    pairs: list[SizedPair],
    largest: int,
    options: PowerOptions,
    change: str,
) -> list[str]:
    """Say how many models and pairs have runs enough, where there are many."""
    n_enough = sum(power >= options.power for power in powers.values())
    n_seen = sum(not math.isinf(size) for _, _, size in pairs)
    return [
        f"{n_enough} of {len(powers)} models have runs enough to see {change}, with "
        f"power {options.power:g}.",
        f"{n_seen} of {len(pairs)} pairs would show their difference with at most "
        f"{largest} runs each.",
        "Take --format csv or json for all pairs, or --columns for some models.",
    ]
