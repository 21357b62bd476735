"""Rows of one stack beside shifted rows of another, which make all pairs."""

import math
from collections.abc import Callable, Sequence

from sigarray._backend.aliases import Array
from sigarray._backend.chunks import chunk_size
from sigarray._backend.library import Library


def map_windows(
    xp: Library,
    x: Array,
    y: Array,
    function: Callable[..., Array],
    along: Sequence[Array],
    *,
    count: int,
    axis: int,
    elements: int,
) -> Array:
    """Apply a function to row i of x and row i + s of y, for s = 0, 1, ...: (..., P).

    All rows of x come with the first shift, then with the next one, `count` in all. So
    both are slices, and nothing is copied; JAX compiles one loop over shifts.

    Parameters
    ----------
    x, y : arrays, shape (..., n, *sample) and (..., at least n, *sample)
        Rows on `axis`, a negative one; leading axes broadcast.
    function : callable
        It takes arrays (..., S, R, *sample) with S shifts, or S = 1, and R rows, and
        parts (..., S, R) of `along`, and returns (..., S, R).
    along : sequence of arrays, shape (..., P)
        Values that belong to results.
    count : int
        The number P of results.
    axis : int
        The axis of rows.
    elements : int
        Numbers that a result takes; as many are computed at a time as fit in a chunk.
    """
    n = x.shape[axis]
    n_shifts = -(-count // n)
    if xp.compiles and n_shifts > 1:
        from sigarray._backend.jax_loops import map_shifts

        return map_shifts(x, y, function, along, count, axis)
    at_once = chunk_size(xp, elements)
    n_rows, n_windows = min(n, at_once), max(1, at_once // n)
    # Row after row, so that windows stay in the cache, except for a row of each.
    parts = {}
    for row in range(0, n, n_rows):
        shift = 0
        while shift < n_shifts:
            # The last shift may have only some of the rows.
            n_whole = count // n - shift
            shifts = range(shift, shift + max(1, min(n_windows, n_whole)))
            end = min(row + n_rows, n if n_whole > 0 else count % n)
            if row < end:
                places = slice(shift * n, min((shift + len(shifts)) * n, count))
                width = min(n, count - shift * n)
                values = [
                    xp.reshape(z[..., places], (*z.shape[:-1], len(shifts), width))
                    for z in along
                ]
                windows = [rows_of(y, row + s, end + s, axis) for s in shifts]
                parts[shift, row] = function(
                    with_one_shift(rows_of(x, row, end, axis), axis),
                    xp.stack(windows, axis=axis - 1)
                    if len(windows) > 1
                    else with_one_shift(windows[0], axis),
                    *(z[..., row:end] for z in values),
                )
            shift += len(shifts)
    flat = [
        xp.reshape(part, (*part.shape[:-2], math.prod(part.shape[-2:])))
        for _, part in sorted(parts.items(), key=lambda item: item[0])
    ]
    return flat[0] if len(flat) == 1 else xp.concat(flat, axis=-1)


def rows_of(x: Array, start: int, stop: int, axis: int) -> Array:
    """Return some rows, on a negative axis."""
    return x[(..., slice(start, stop), *(slice(None),) * (-1 - axis))]


def with_one_shift(rows: Array, axis: int) -> Array:
    """Insert an axis in front of that of rows: NumPy's expand_dims takes 5 us."""
    return rows[(..., None, *(slice(None),) * -axis)]
