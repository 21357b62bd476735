"""Loops over replicates, entries and pairs, some at a time, as memory allows."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sigarray._backend.callers import Array
from sigarray._backend.library import Library
from sigarray._backend.workers import compute_chunks, current_execution

State = TypeVar("State")
# Sums replicates over the last axis, and puts the sums on a new first axis.
AddUp = Callable[[Array], Array]

# The most numbers that are held at once, if all are needed: 32 MiB in float64.
MAX_HELD = 2**22
# The most differences of samples that broadcast few scores to many entries.
MAX_DIFFERENCES = 2**21


def within_room(budget: int) -> int:
    """Return a budget of numbers, or as many as the execution has room for."""
    room = current_execution().room
    return budget if room is None else min(budget, room)


def chunk_size(
    xp: Library, elements: int, budget: int | None = None, least: int = 1
) -> int:
    """Count the replicates, with `elements` numbers each, that fit in a chunk.

    A chunk has a least number too, if these can be held.
    """
    budget = within_room(xp.chunk_elements if budget is None else budget)
    elements = max(1, elements)
    return max(1, budget // elements, min(least, within_room(MAX_HELD) // elements))


def map_replicates(
    xp: Library,
    kernel: Callable[[Any, int], Array],
    count: int,
    *,
    elements: int,
    batch: int | None = None,
    axis: int = -1,
) -> Array:
    """Return `kernel(start, size)` of the replicates [0, count), chunk by chunk.

    Chunks are joined along the axis. They hold `batch` replicates: by default those of
    the caller, or as many as fit with `elements` numbers each. JAX compiles one loop
    over any number of chunks of one size, and cuts off replicates beyond `count`.
    """
    if xp.compiles:
        from sigarray._backend import of_jax

        shard = of_jax.current_shard(elements * count)
        chunks, size = _plan_chunks(xp, count, elements, batch, shard.n_shards)
        if chunks * shard.n_shards > 1:
            every = of_jax.map_chunks(kernel, shard, chunks, size, axis)
            return every[(*(slice(None),) * (axis % every.ndim), slice(count), ...)]
        return kernel(0, count)
    chunks, size = _plan_chunks(xp, count, elements, batch)
    if chunks == 1:
        return kernel(0, count)
    parts = _compute(xp, kernel, count, size, elements, axis)
    return xp.concat(list(parts), axis=axis)


def map_entries(
    xp: Library,
    function: Callable[..., Array],
    arrays: Sequence[Array],
    *,
    elements: int,
    budget: int | None = None,
) -> Array:
    """Apply a function to the entries of the first axis, some at a time.

    The function takes arrays of some entries, and returns these on the last axis. An
    entry takes `elements` of a budget such as `MAX_HELD`, by default that of a chunk.
    """
    count = arrays[0].shape[0]
    batch = chunk_size(xp, elements, budget)
    if count <= batch:
        return function(*arrays)
    if xp.compiles:
        from sigarray._backend import of_jax

        if of_jax.current_shard(count * elements).n_shards == 1:
            return of_jax.map_strided_entries(function, arrays, batch)

    entries = _Entries(xp, function, arrays, count)
    return map_replicates(xp, entries, count, elements=elements, batch=batch)


@dataclass(frozen=True, eq=False)
class _Entries:
    xp: Library
    function: Callable[..., Array]
    arrays: Sequence[Array]
    count: int

    def __call__(self, start: int | Array, size: int) -> Array:
        places = self.xp.clip(self.xp.arange(size) + start, None, self.count - 1)
        return self.function(*(self.xp.take(x, places, axis=0) for x in self.arrays))


def sum_replicates(
    xp: Library,
    kernel: Callable[[Any, int], Array],
    count: int,
    *,
    initial: Array,
    elements: int,
    batch: int | None = None,
) -> Array:
    """Add up `kernel(start, size)`, of shape (..., size), over replicates [0, count).

    `initial` is added. Chunks are those of `map_replicates`.
    """
    add = _Sum(xp, kernel, initial.dtype)
    return add_chunks(xp, add, count, initial=initial, elements=elements, batch=batch)


@dataclass(frozen=True, eq=False)
class _Sum:
    xp: Library
    kernel: Callable[[Any, int], Array]
    dtype: Any

    def __call__(self, start: int | Array, size: int, add_up: AddUp) -> Array:
        return add_up(self.xp.astype(self.kernel(start, size), self.dtype))


def add_chunks(
    xp: Library,
    kernel: Callable[[Any, int, AddUp], Array],
    count: int,
    *,
    initial: Array,
    elements: int,
    batch: int | None = None,
) -> Array:
    """As `sum_replicates`, with a kernel that adds up replicates itself.

    It is called as `kernel(start, size, add_up)`, and returns `add_up` of values (...,
    size): their sums (parts, ...), which are added one after the other.
    """
    if xp.compiles:
        from sigarray._backend import of_jax

        shard = of_jax.current_shard(elements * count)
        chunks, size = _plan_chunks(xp, count, elements, batch, shard.n_shards)
        if chunks * shard.n_shards > 1:
            return of_jax.add_chunks(kernel, initial, count, shard, chunks, size)
    _, size = _plan_chunks(xp, count, elements, batch)
    parts = _Parts(xp, kernel, size)
    total = initial
    for sums in _compute(xp, parts, count, size, elements, axis=None):
        for part in range(sums.shape[0]):
            total = total + sums[part, ...]
    return total


@dataclass(frozen=True, eq=False)
class _Parts:
    """The sums of the chunks of a kernel; several may be computed as one."""

    xp: Library
    kernel: Callable[[Any, int, AddUp], Array]
    size: int

    def __call__(self, start: int, n: int) -> Array:
        return self.kernel(start, n, self.add_up)

    def add_up(self, values: Array) -> Array:
        n, size = values.shape[-1], self.size
        if n <= size:
            return self.xp.sum(values, axis=-1)[None, ...]
        parts = [values[..., k : min(k + size, n)] for k in range(0, n, size)]
        return self.xp.stack([self.xp.sum(part, axis=-1) for part in parts])


def _compute(
    xp: Library,
    kernel: Callable[[Any, int], Array],
    count: int,
    size: int,
    elements: int,
    axis: int | None,
) -> Iterator[Array]:
    execution = current_execution()
    if count <= size and execution.workers is None and execution.progress is None:
        return iter((kernel(0, count),))
    return compute_chunks(kernel, count, size, axis=axis, elements=elements, xp=xp)


def iterate(
    xp: Library, step: Callable[[State], State], state: State, count: int
) -> State:
    """Apply a function `count` times to its result, in a loop that JAX compiles.

    Where arrays are shapes without numbers, once: each step has the same ones.
    """
    if xp.compiles:
        from sigarray._backend import of_jax

        return of_jax.iterate(step, state, count)
    for _ in range(min(count, 1) if xp.has_no_numbers else count):
        state = step(state)
    return state


def iterate_until(
    xp: Library,
    step: Callable[[State], tuple[State, Array]],
    state: State,
    count: int,
) -> State:
    """Apply a function until it reports no change, at most `count` times.

    The report is read on the host only, where that waits for nothing; elsewhere all
    steps are done, and the last ones change nothing.
    """
    if not xp.is_host:
        return iterate(xp, lambda x: step(x)[0], state, count)
    for _ in range(count):
        state, is_done = step(state)
        if bool(is_done):
            break
    return state


def _plan_chunks(
    xp: Library, count: int, elements: int, batch: int | None, n_shards: int = 1
) -> tuple[int, int]:
    if batch is None:
        batch = current_execution().batch
    if batch is None or xp.has_no_numbers:
        batch = chunk_size(xp, elements)
    chunks = -(-count // (n_shards * min(batch, count)))
    return chunks, -(-count // (n_shards * chunks))


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

    Rows (..., n, *sample) and (..., at least n, *sample) are on `axis`, a negative one;
    leading axes broadcast. The function takes (..., S, R, *sample) with S shifts, or
    one, and R rows, and parts (..., S, R) of what is `along` the results (..., P); it
    returns (..., S, R). As many results, of so many `elements`, are computed at a time
    as fit in a chunk.
    """
    n = x.shape[axis]
    n_shifts = -(-count // n)
    if xp.compiles and n_shifts > 1:
        from sigarray._backend.of_jax import map_shifts

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
    return x[(..., slice(start, stop), *(slice(None),) * (-1 - axis))]


def with_one_shift(rows: Array, axis: int) -> Array:
    """Insert an axis in front of that of rows: NumPy's expand_dims takes 5 us."""
    return rows[(..., None, *(slice(None),) * -axis)]
