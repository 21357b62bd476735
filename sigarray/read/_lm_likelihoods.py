"""Log-likelihoods, which lm-evaluation-harness has in samples by names of perplexities.

It makes the perplexity of the test set of them, so that samples have other numbers than
results have by the same name.
"""

from collections.abc import Mapping, Sequence
from math import log
from typing import Any

# Metrics of which a sample has its log-likelihood, and the name of that.
RENAMED = {"perplexity": "log-likelihood"}
# What becomes of a pair of a log-likelihood and a size: the names of both numbers, what
# divides the first, and the statistic of their sums.
_PAIRS = {
    "word_perplexity": ("nll", "words", 1.0, "perplexity"),
    "byte_perplexity": ("nll", "bytes", 1.0, "perplexity"),
    "bits_per_byte": ("bits", "bytes", log(2), "ratio --lower-is-better"),
}


def are_log_likelihoods(records: Sequence[Mapping[str, Any]], metric: str) -> bool:
    """Tell whether the values of a metric are logarithms: a perplexity is positive."""
    values = [x[metric] for x in records if metric in x]
    numbers = [x for x in values if isinstance(x, (int, float))]
    return bool(numbers) and len(numbers) == len(values) and max(numbers) <= 0


def split_pair(metric: str, value: Any) -> dict[str, float] | None:
    """Return both numbers of a sample by names of columns, if these are a pair."""
    if metric not in _PAIRS or not isinstance(value, list) or len(value) != 2:
        return None
    if not all(isinstance(x, (int, float)) for x in value):
        return None
    first, second, divisor, _ = _PAIRS[metric]
    return {f"{metric}.{first}": -value[0] / divisor, f"{metric}.{second}": value[1]}


def explain(metric: str) -> str:
    """Say why a metric of pairs has no scores of samples, and how to compare it."""
    first, second, _, statistic = _PAIRS[metric]
    return (
        f"expected a metric with a score of each document; got {metric!r}, of which "
        f"samples have the log-likelihood and the number of {second}. It is of their "
        f"sums over all documents: pass --statistic {statistic} --score "
        f"{metric}.{first},{metric}.{second}, and the samples of this task alone."
    )
