"""Scores of few values, of which quartiles and medians say little."""

import warnings
from collections.abc import Mapping

import numpy as np

from sigarray._plain_text import show_number
from sigarray._verdicts.aggregate_tests import OF_ORDER, Aggregate, apply_to_scores

# The least share of scores that are tied where a statistic cuts, of which it is said.
# Of 100 ratings of 1 to 5 in pairs, 300 simulations of equal models each: if 40 or 70 %
# had the middle value, the interval of the difference of medians was [0, 0] in 92 and
# 97 % of cases; interquartile means differed in 2 to 6 %, as they should.
_TIED = {"iqm": 0.5, "median": 0.25}
_CUTS = {"iqm": (0.25, 0.75), "median": (0.5,)}


def refuse_two_values(
    pooled: Mapping[str, np.ndarray], statistic: Aggregate, name: str, *, n_tasks: int
) -> None:
    """Refuse a statistic of scores such as 0 and 1, which is no share of them.

    `pooled` are the scores of models on all tasks, and `name` is that of the statistic.
    """
    values = _list_two_values(pooled)
    if statistic not in OF_ORDER or not values:
        return
    numbers = {
        model: (float(np.mean(x)), apply_to_scores(statistic, x))
        for model, x in pooled.items()
    }
    worst = max(numbers, key=lambda model: abs(np.subtract(*numbers[model])))
    (low, high), (mean, other) = values, numbers[worst]
    advice = "Pass --statistic mean."
    if n_tasks == 1:
        advice = "Leave it out: models are compared by their means."
    msg = (
        f"Expected scores of more than two values with --statistic {statistic}; got "
        f"{low:g} and {high:g}, of which the mean says how many are {high:g}: for "
        f"{worst!r} it is {show_number(mean)}, and the {name} "
        f"{show_number(other)}. {advice}"
    )
    raise ValueError(msg)


def _list_two_values(pooled: Mapping[str, np.ndarray]) -> list[float]:
    """Return the two values that all scores have, if some model has both."""
    ends = [(float(x.min()), float(x.max())) for x in pooled.values()]
    values = sorted({x for pair in ends for x in pair})
    if len(values) != 2 or all(low == high for low, high in ends):
        return []
    return values if all(np.isin(x, values).all() for x in pooled.values()) else []


def suits(pooled: Mapping[str, np.ndarray], statistic: Aggregate) -> bool:
    """Tell whether a statistic says something of scores that their mean does not."""
    return not _list_two_values(pooled) and _find_tied(pooled, statistic) is None


def _find_tied(
    pooled: Mapping[str, np.ndarray], statistic: Aggregate
) -> tuple[str, float] | None:
    """Return the model with the largest share of ties, and that, if it is large."""
    shares = {model: find_share(x, statistic) for model, x in pooled.items()}
    most = max(shares, key=shares.__getitem__)
    return (most, shares[most]) if shares[most] >= _TIED[statistic] else None


def doubt_ties(
    pooled: Mapping[str, np.ndarray], statistic: Aggregate, name: str, *, n_tasks: int
) -> None:
    """Warn that many scores of a model are tied where the statistic cuts."""
    tied = _find_tied(pooled, statistic) if statistic in OF_ORDER else None
    if tied is None:
        return
    says = {
        "iqm": "leaves out a quarter of the scores at each end, and says little of "
        "scores of few values, which have no outliers",
        "median": "moves in steps of such scores, so that a difference may be 0, with "
        "an interval of [0, 0], where means differ",
    }
    where = "quartiles" if statistic == "iqm" else "median"
    advice = "--statistic mean takes all of them."
    if n_tasks == 1:
        advice = "Without it, models are compared by their means."
    warnings.warn(
        f"--statistic {statistic}: {100.0 * tied[1]:.0f} % of the scores of "
        f"{tied[0]!r} are tied at its {where}. The {name} {says[statistic]}. "
        f"{advice}",
        UserWarning,
        stacklevel=2,
    )


def find_share(x: np.ndarray, statistic: Aggregate) -> float:
    """Return the share of scores at the places where a statistic cuts."""
    cuts = np.quantile(x, _CUTS[statistic], method="inverted_cdf")
    values, counts = np.unique(x[np.isin(x, cuts)], return_counts=True)
    # A score that is there once is no tie.
    return float(np.sum(counts[counts > 1])) / len(x) if len(values) else 0.0
