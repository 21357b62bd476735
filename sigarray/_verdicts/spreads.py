"""Means of models, and what stands beside them: how runs spread, or how sure means are.

The standard deviation of items, such as zeros and ones, would read as uncertainty.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np

from sigarray._verdicts.comparison import Comparison
from sigarray.report._numbers import (
    Summary,
    count_decimals_of_scores,
    find_least_deviation,
    number_format,
)

# What the column is called, and in words.
SPREADS = {"sd": "standard deviation", "se": "standard error"}


def name_spread(comparison: Comparison) -> str:
    """Name the column: "sd" of runs; of items and clusters "se", of the mean."""
    return "sd" if comparison.unit == "run" else "se"


def summarize(comparison: Comparison) -> Mapping[str, Summary]:
    """Describe the scores of models, with what the column has in the place of "sd"."""
    if name_spread(comparison) == "sd":
        return comparison.summaries
    sampled = comparison.sampled
    scores = comparison.scores
    return {
        name: x
        | {
            "sd": x["sd"] / math.sqrt(len(scores[name]))
            if sampled is None
            else sampled.find_error(name, scores)
        }
        for name, x in comparison.summaries.items()
    }


def show_means(comparison: Comparison) -> Callable[[float], str]:
    """Return a format of means: three digits of deviations, or two of errors.

    Means of runs have no more decimals than two digits of their least standard error,
    or one more than the scores were given with.
    """
    summaries = summarize(comparison)
    if name_spread(comparison) != "sd":
        return number_format(list(summaries.values()), digits=2)
    scores = comparison.scores
    samples = [scores[name] for name in summaries]
    if not all(isinstance(x, np.ndarray) for x in samples):  # on the disk
        return number_format(list(summaries.values()))
    least = find_least_deviation(
        [
            summaries[name] | {"sd": summaries[name]["sd"] / math.sqrt(len(x))}
            for name, x in zip(summaries, samples, strict=True)
        ]
    )
    of_error = 0 if math.isnan(least) else 1 - math.floor(math.log10(least))
    most = max(count_decimals_of_scores(samples) + 1, of_error)
    return number_format(list(summaries.values()), most=most)


def explain_marks(comparison: Comparison, where: str = "") -> str:
    """Say for captions what stands beside means, and which of these are bold."""
    spread, unit = name_spread(comparison), comparison.unit
    of = f"{unit}s" if spread == "sd" else f"the mean over {unit}s"
    of = of if comparison.is_of_means else f"{comparison.metric} of all {unit}s"
    of += f",{said}" if (said := comparison.say_spread()) else ""
    best = "highest" if comparison.higher_is_better else "lowest"
    return (
        f"The {SPREADS[spread]} ({spread}) is that of {of}; the {best} "
        f"{comparison.estimate}{where} is bold."
    )
