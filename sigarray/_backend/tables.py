"""Samples of several numbers for each item, or of seeds and items, as arrays."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from sigarray._backend.callers import Array, warn_caller
from sigarray._backend.checks import Rule, describe, integer
from sigarray._backend.dispatch import (
    check_leading_axes,
    is_array,
    standardize,
    standardize_numbers,
)
from sigarray._backend.given import align_labels, align_tables
from sigarray._backend.library import Library, broadcast_shapes

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
    """
    tables = align_tables(tables, axes=axes, paired=paired)
    xp, arrays = standardize_numbers(*tables, what="scores")
    with xp.modes_off():
        whole = [_move_last(xp, x, axes) for x in arrays]
    check_leading_axes(whole, 2)
    _check_sizes([x.shape[-2:] for x in whole], paired)
    _doubt_axes([x.shape[-2:] for x in whole])
    with xp.modes_off():
        rows = [
            xp.reshape(x, (*x.shape[:-2], x.shape[-2] * x.shape[-1])) for x in whole
        ]
    return Tables(xp, rows, int(whole[0].shape[-1]))


def standardize_samples(
    *given: Any, axis: Axis, paired: bool = False
) -> tuple[Library, list[Array], int | None]:
    """Return what `standardize_tables` does for a pair of axes, else `standardize`.

    Of samples that are no tables, the number of items is None.
    """
    if isinstance(axis, tuple):
        return standardize_tables(*given, axes=axis, paired=paired)
    return *standardize(*given, axis=axis, paired=paired), None


def _move_last(xp: Library, x: Array, axes: tuple[int, int]) -> Array:
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
    n_seeds, n_items = (min(x) for x in zip(*sizes, strict=True))
    if n_seeds >= _MANY_SEEDS * n_items:
        warn_caller(
            f"axis=(seeds, items) has {n_seeds} seeds and {n_items} items: are the two "
            "axes exchanged? The first is that of seeds."
        )


def standardize_columns(
    *samples: Any,
    axis: Axis = -1,
    paired: bool = False,
    may_take: Callable[[int], bool],
) -> tuple[Library, list[Array], Any, int | None]:
    """Return samples (..., d, n) in the widest float, and the float dtype of results.

    A sample is a sequence of d arrays with the items on `axis`, or one array, in which
    the d numbers are on the last of the other axes. `may_take` tells whether so many
    may be meant. See `standardize_samples`, also for the last result.
    """
    parts = [tuple(x) if is_sequence(x) else (x,) for x in samples]
    for sample, columns in zip(samples, parts, strict=True):
        if not columns:
            msg = f"Expected one array or more for each item; got {describe(sample)}."
            raise ValueError(msg)
    if not paired:  # else all of them come into one order below
        parts = [_align_columns(columns, axis) for columns in parts]
    every = [column for columns in parts for column in columns]
    xp, arrays, n_items = standardize_samples(*every, axis=axis, paired=paired)
    dtype = arrays[0].dtype
    rest = iter(arrays)
    stacks = []
    for sample, columns in zip(samples, parts, strict=True):
        own = [next(rest) for _ in columns]
        stacks.append(_stack(xp, own) if is_sequence(sample) else _check(own[0]))
    for sample, stack in zip(samples, stacks, strict=True):
        n = stack.shape[-1] if n_items is None else n_items
        if not isinstance(sample, tuple) and n < stack.shape[-2] and may_take(n):
            raise _is_on_its_side(sample, stack.shape[-2], n, axis)
    sizes = [x.shape[-2] for x in stacks]
    if len(set(sizes)) > 1:
        msg = (
            f"Expected as many numbers for each item of A as of B; got {sizes[0]} and "
            f"{sizes[1]}."
        )
        raise ValueError(msg)
    with xp.modes_off():
        wide = [xp.astype(x, xp.widest_float, copy=False) for x in stacks]
    return xp, wide, dtype, n_items


def _align_columns(columns: tuple[Any, ...], axis: Axis) -> tuple[Any, ...]:
    """Bring the numbers of an item into one order of labels, as those of pairs."""
    if isinstance(axis, tuple):
        return align_tables(columns, axes=axis, paired=True)
    return align_labels(columns, axis=axis, n_axes=1, paired=True)


def is_sequence(sample: Any) -> bool:
    """Tell whether a sample is a sequence of columns, and no array or list of lists."""
    return isinstance(sample, Sequence) and not is_array(sample)


def _stack(xp: Library, columns: Sequence[Array]) -> Array:
    sizes = [x.shape[-1] for x in columns]
    if len(set(sizes)) > 1:
        msg = (
            f"Expected arrays of as many items each, one number of every item; got "
            f"{', '.join(map(str, sizes))} items."
        )
        raise ValueError(msg)
    shape = broadcast_shapes(*(x.shape for x in columns))
    with xp.modes_off():
        return xp.stack([xp.broadcast_to(x, shape) for x in columns], axis=-2)


def _check(sample: Array) -> Array:
    if sample.ndim < 2:
        msg = (
            f"Expected a tuple of arrays, one for each sum, or an array of shape "
            f"(..., d, n); got shape {tuple(sample.shape)}. Pass (x, y) for the sums "
            "of x and of y."
        )
        raise ValueError(msg)
    return sample


def _is_on_its_side(sample: Any, d: int, n: int, axis: Axis) -> ValueError:
    """Return the error for a table whose rows may be the items: shapes do not tell."""
    got, advice = f"a list of {d} with {n} numbers each", "np.asarray(x).T"
    if is_array(sample):
        shape = tuple(sample.shape)
        got, advice = (
            f"shape {shape}, {d} numbers of each of {n} items",
            "axis=(seeds, items)",
        )
        if isinstance(axis, int):
            others = [k for k in range(len(shape)) if k != axis % len(shape)]
            advice = f"axis={others[-1] - (len(shape) if axis < 0 else 0)}"
    msg = (
        "Expected a table that is not on its side, (..., d, n) of d numbers of each of "
        f"n items; got {got}, while the metric may take {n} sums. Pass {advice} if "
        f"there are {d} items; if there are {n}, a tuple of {d} arrays, one for each "
        "sum."
    )
    return ValueError(msg)
