"""Samples of several numbers for each item, as one array (..., d, n)."""

from collections.abc import Callable, Sequence
from typing import Any

from sigarray._backend.aliases import Array
from sigarray._backend.checks import describe
from sigarray._backend.dispatch import is_array, standardize
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._backend.tables import standardize_tables


def standardize_columns(
    *samples: Any,
    axis: int | tuple[int, int] = -1,
    paired: bool = False,
    may_take: Callable[[int], bool],
) -> tuple[Library, list[Array], Any, int | None]:
    """Return samples (..., d, n) in the widest float, and the float dtype of results.

    A sample is a sequence of d arrays with the items on `axis`, or one array, in which
    the d numbers are on the last of the other axes. `may_take` tells whether so many
    may be meant. See `standardize`; and for axes of seeds and items, whose number is
    the last result, `standardize_tables`.

    Raises
    ------
    TypeError, ValueError
        As `standardize`; or samples of unlike numbers of columns, of one axis, or of
        fewer items than numbers of each, which may be a table on its side.
    """
    parts = [list(x) if is_sequence(x) else [x] for x in samples]
    for sample, columns in zip(samples, parts, strict=True):
        if not columns:
            msg = f"Expected one array or more for each item; got {describe(sample)}."
            raise ValueError(msg)
    every = [column for columns in parts for column in columns]
    n_items = None
    if isinstance(axis, tuple):
        xp, arrays, n_items = standardize_tables(*every, axes=axis, paired=paired)
    else:
        xp, arrays = standardize(*every, axis=axis, paired=paired)
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


def _is_on_its_side(
    sample: Any, d: int, n: int, axis: int | tuple[int, int]
) -> ValueError:
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
