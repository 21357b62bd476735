"""What resampling tests compare: the mean, the median, or a statistic of the caller."""

import math
from collections.abc import Callable
from typing import Any, Literal

from sigarray._typing import Array, Namespace
from sigarray.dispatch import device_of
from sigarray.validation import check_choice

Alternative = Literal["greater", "less", "two-sided"]
Statistic = Callable[..., Array] | Literal["mean", "median"]

ALTERNATIVES = ("greater", "less", "two-sided")
_STATISTICS = ("mean", "median")
# Differences closer than so many units of rounding are ties.
_TIE_UNITS = 100


def check_alternative(alternative: Any) -> None:
    """Raise unless it is one of the three."""
    check_choice("alternative", alternative, ALTERNATIVES)


def check_statistic(statistic: Any) -> None:
    """Raise unless it is a name that is known, or callable."""
    if not callable(statistic):
        check_choice("statistic", statistic, _STATISTICS)


def check_pairs(a: Array, b: Array) -> None:
    """Raise unless there are as many scores of A as of B."""
    if a.shape[-1] != b.shape[-1]:
        msg = (
            f"Expected as many scores of A as of B with paired=True; got {a.shape[-1]} "
            f"and {b.shape[-1]}. Pass paired=False for independent samples."
        )
        raise ValueError(msg)


def check_sizes(*samples: Array, purpose: str) -> None:
    """Raise unless there are two scores or more in each sample."""
    if min(sample.shape[-1] for sample in samples) < 2:
        sizes = " and ".join(str(sample.shape[-1]) for sample in samples)
        msg = f"Expected two scores or more in a sample, {purpose}; got {sizes}."
        raise ValueError(msg)


def apply_statistic(xp: Namespace, statistic: Statistic, x: Array) -> Array:
    """Compute the statistic along the last axis."""
    if statistic == "mean":
        return xp.mean(x, axis=-1)
    if statistic == "median":
        ordered = xp.sort(x, axis=-1, stable=False)
        n = x.shape[-1]
        middle = 0.5 * (ordered[..., (n - 1) // 2] + ordered[..., n // 2])
        # Wherever the sort puts a NaN.
        return xp.where(xp.any(xp.isnan(x), axis=-1), math.nan, middle)
    result = statistic(x, -1)
    if result.shape != x.shape[:-1]:
        msg = (
            f"Expected statistic(x, axis) to give shape {tuple(x.shape[:-1])} for x of "
            f"shape {tuple(x.shape)} and axis -1; got shape {tuple(result.shape)}."
        )
        raise ValueError(msg)
    return result


def rounding_of(
    xp: Namespace, statistic: Statistic, samples: list[Array], values: list[Array]
) -> Array:
    """How far two differences of the statistic may be apart by rounding alone."""
    if callable(statistic):
        scales = [xp.abs(value) for value in values]
    else:
        scales = [apply_statistic(xp, statistic, xp.abs(x)) for x in samples]
    return _TIE_UNITS * xp.finfo(values[0].dtype).eps * sum(scales[1:], scales[0])


def observe_difference(
    xp: Namespace, a: Array, b: Array, statistic: Statistic
) -> tuple[Array, Array]:
    """Give the observed difference, and how much of one is rounding."""
    values = [apply_statistic(xp, statistic, x) for x in (a, b)]
    return values[0] - values[1], rounding_of(xp, statistic, [a, b], values)


def count_replicates(
    xp: Namespace, is_extreme: Array, start: int | Array, count: int
) -> Array:
    """Count the extreme ones among the replicates below `count`, as floats."""
    replicates = (
        xp.arange(is_extreme.shape[-1], device=device_of(xp, is_extreme)) + start
    )
    return xp.sum(xp.astype(is_extreme & (replicates < count), xp.float32), axis=-1)
