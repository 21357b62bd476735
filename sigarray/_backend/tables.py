"""Samples of which seeds and items were drawn: tables, each in one row of cells."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sigarray._backend.aliases import Array
from sigarray._backend.checks import Rule, integer
from sigarray._backend.dispatch import check_leading_axes, standardize_numbers
from sigarray._backend.labels import align_tables
from sigarray._backend.library import Library
from sigarray._backend.warn import warn_caller

# With so many seeds for each item, the two axes may be exchanged.
_MANY_SEEDS = 5
# The axis of the scores, or those of seeds and of items.
Axis = int | tuple[int, int]


class Tables(NamedTuple):
    """Samples (..., S * n) of one dtype, one seed after another, and the n items."""

    xp: Library
    samples: list[Array]
    n_items: int


def axis_or_axes(name: str, value: Any) -> Axis:
    """Return the axis of the scores, or the two axes of seeds and of items."""
    if not isinstance(value, (tuple, list)):
        return integer(name, value)
    if len(value) != 2:
        msg = (
            f"Expected {name} to be an integer, or a pair of them, (seeds, items); got "
            f"{len(value)} of them."
        )
        raise ValueError(msg)
    seeds, items = (integer(name, x) for x in value)
    return seeds, items


def one_axis(advice: str) -> Rule:
    """Make a rule for one axis, where both are impossible; the advice says why."""

    def check(name: str, value: Any) -> int:
        if isinstance(value, (tuple, list)):
            msg = (
                f"Expected {name} to be one axis; got {tuple(value)}. Where both seeds "
                f"and items were drawn, {advice}."
            )
            raise ValueError(msg)
        return integer(name, value)

    return check


def standardize_tables(
    *tables: Any, axes: tuple[int, int], paired: bool = False
) -> Tables:
    """Return samples of one library, as `standardize`, with all cells on the last axis.

    The two axes are those of seeds and of items. All samples have the same items, and
    those that are `paired` the same seeds. Labels bring them into one order.

    Raises
    ------
    TypeError
        As `standardize`.
    ValueError
        Axes that are not there, or are one; fewer than two seeds or two items; samples
        of unlike items or, of pairs, of unlike seeds; or leading axes that do not
        broadcast.
    """
    tables = align_tables(tables, axes=axes, paired=paired)
    xp, arrays = standardize_numbers(*tables, what="scores")
    with xp.modes_off():
        whole = [_move_last(xp, x, axes) for x in arrays]
    check_leading_axes(whole, 2)
    _check_sizes([x.shape[-2:] for x in whole], paired)
    if xp.is_host:
        _doubt_axes([x.shape[-2:] for x in whole])
    with xp.modes_off():
        rows = [
            xp.reshape(x, (*x.shape[:-2], x.shape[-2] * x.shape[-1])) for x in whole
        ]
    return Tables(xp, rows, int(whole[0].shape[-1]))


def _move_last(xp: Library, x: Array, axes: tuple[int, int]) -> Array:
    """Move the axis of seeds to place -2, and that of items to the end."""
    shape = tuple(x.shape)
    if x.ndim < 2 or not all(-x.ndim <= axis < x.ndim for axis in axes):
        msg = (
            f"Expected axis=(seeds, items) to be two axes of the scores; got {axes} "
            f"for shape {shape}."
        )
        raise ValueError(msg)
    of_seeds, of_items = (axis % x.ndim for axis in axes)
    if of_seeds == of_items:
        msg = (
            f"Expected axis=(seeds, items) to be two different axes; got {axes} for "
            f"shape {shape}."
        )
        raise ValueError(msg)
    x = xp.move_axis(x, of_items, -1)
    return xp.move_axis(x, of_seeds - (of_seeds > of_items), -2)


def _check_sizes(sizes: Sequence[Sequence[int]], paired: bool) -> None:
    """Raise unless tables have two seeds and items or more, and the same items."""
    seeds, items = zip(*sizes, strict=True)
    if min(seeds) < 2 or min(items) < 2:
        msg = (
            f"Expected two seeds and two items or more, for the variance of either; "
            f"got {_join(seeds)} seeds and {_join(items)} items. Pass the axis that "
            "has several alone, such as axis=-1."
        )
        raise ValueError(msg)
    if len(set(items)) > 1:
        msg = (
            f"Expected the same items of both models with axis=(seeds, items); got "
            f"{_join(items)} items."
        )
        raise ValueError(msg)
    if paired and len(set(seeds)) > 1:
        msg = (
            f"Expected the same seeds of both models with paired=True; got "
            f"{_join(seeds)} seeds. Pass paired=False if each model has its own."
        )
        raise ValueError(msg)


def _join(sizes: Sequence[int]) -> str:
    return " and ".join(str(n) for n in dict.fromkeys(sizes))


def _doubt_axes(sizes: Sequence[Sequence[int]]) -> None:
    """Warn of axes that may be exchanged: many more seeds than items."""
    n_seeds, n_items = (min(x) for x in zip(*sizes, strict=True))
    if n_seeds >= _MANY_SEEDS * n_items:
        warn_caller(
            f"axis=(seeds, items) has {n_seeds} seeds and {n_items} items: are the two "
            "axes exchanged? The first is that of seeds."
        )
