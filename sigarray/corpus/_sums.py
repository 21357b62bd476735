"""What metrics share: items before they are counted, and sums of them."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from sigarray._backend.aliases import Array
from sigarray._backend.dispatch import standardize, standardize_numbers
from sigarray._backend.labels import align_labels
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, as_scalars, traceable
from sigarray._numeric.faults import add_up_faults
from sigarray._numeric.statistic import coarse_mean

F = TypeVar("F", bound=Callable[..., Any])
# A sum below so many units of rounding of another one may be none.
_ROUNDING = 16.0


def standardize_pairs(
    first: Array, second: Array, names: str, what: str
) -> tuple[Library, Array, Array]:
    """Return two numbers of each item, (..., n), of one namespace and shape."""
    xp, (x, y) = standardize(first, second, paired=True, what=what)
    if x.shape[-1] != y.shape[-1]:
        msg = (
            f"Expected {names} of the same items, on the last axis; got shapes "
            f"{tuple(x.shape)} and {tuple(y.shape)}."
        )
        raise ValueError(msg)
    shape = np.broadcast_shapes(x.shape, y.shape)
    with xp.modes_off():
        return xp, xp.broadcast_to(x, shape), xp.broadcast_to(y, shape)


def centre(xp: Library, x: Array) -> Array:
    """Subtract about the mean of x (..., n), so that sums of squares lose no digits.

    The level is coarse, so that numbers which are the same become 0.
    """
    return x - coarse_mean(xp, x)


def may_take(is_known: Callable[[int], bool]) -> Callable[[F], F]:
    """Say how many sums may be meant for a metric, where its parameters do not."""

    def mark(metric: F) -> F:
        metric.may_take = is_known  # type: ignore[attr-defined]
        return metric

    return mark


def of_counts(metric: F) -> F:
    """Say that a metric is of counts, of which none is below 0."""
    metric.is_of_counts = True  # type: ignore[attr-defined]
    return metric


def bounded(bounds: Callable[[int], list[tuple[int, int]]]) -> Callable[[F], F]:
    """Say which numbers of an item are at most which others, by their places."""

    def mark(metric: F) -> F:
        metric.bounds = bounds  # type: ignore[attr-defined]
        return metric

    return mark


def in_threes(n_sums: int) -> bool:
    """Tell whether sums are three for each of some classes, bins or orders."""
    return n_sums > 0 and n_sums % 3 == 0


@traceable
def measure(function: Callable[..., Array], *sums: Array) -> Array:
    """Return `function(xp, *sums)`, NaN where a sum is not finite.

    Sums are plain numbers, or arrays of any library.
    """
    xp, arrays = standardize_numbers(
        *align_labels(sums, axis=-1, n_axes=1, paired=True)
    )
    return as_scalars(_measure(xp, *arrays, function=function))


@array_kernel
def _measure(xp: Library, *sums: Array, function: Callable[..., Array]) -> Array:
    # A condition within the metric may not see a fault.
    return function(xp, *sums) + add_up_faults(sums)


def add_up(arrays: Sequence[Array]) -> Array:
    return functools.reduce(lambda x, y: x + y, arrays)


def split(
    sums: Sequence[Array], n_parts: int, what: str, *, at_least: int = 1, start: int = 0
) -> list[Sequence[Array]]:
    """Split sums of several classes or bins, from a place on, into parts of as many."""
    size, rest = divmod(len(sums) - start, n_parts)
    if rest or size < at_least:
        msg = f"Expected {what}; got {len(sums)} sums."
        raise ValueError(msg)
    edges = range(start, len(sums), size)
    return [sums[k : k + size] for k in edges]


def is_some(xp: Library, part: Array, whole: Array) -> Array:
    """Tell where a sum is above 0 by more than the rounding of another one."""
    return part > _ROUNDING * xp.finfo(part.dtype).eps * xp.abs(whole)


def divide(xp: Library, x: Array, y: Array, exists: Array, otherwise: float) -> Array:
    """Return x / y where that exists."""
    return xp.where(exists, x / xp.where(exists, y, 1.0), otherwise)
