"""Loops over replicates and entries, some at a time, and what bounds their memory."""

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import numpy as np

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._backend.workers import (
    compute_chunks,
    compute_items,
    current_execution,
)

State = TypeVar("State")
Item = TypeVar("Item")
# Of replicates on the last axis, their sums, on a new first one.
AddUp = Callable[[Array], Array]

# Numbers that are held where all of them are needed at once: 32 MiB in float64.
MAX_HELD = 2**22
# Differences of samples that broadcast, of two axes of few scores to many entries.
MAX_DIFFERENCES = 2**21
_LARGE_BLOCK_BYTES = 2**24


def chunk_size(
    xp: Library, elements: int, budget: int | None = None, least: int = 1
) -> int:
    """Count the replicates, of so many elements each, that fit in a chunk.

    At least so many as well, where they can be held.
    """
    if budget is None:
        budget = xp.chunk_elements
    elements = max(1, elements)
    return max(1, budget // elements, min(least, MAX_HELD // elements))


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

    Chunks are joined along the axis. They hold `batch` replicates, by default what the
    caller says, or as many as fit where each takes so many elements. JAX compiles one
    loop over chunks of one size, however many there are, and cuts off what is beyond
    `count`.
    """
    if xp.compiles:
        from sigarray._backend import jax_loops

        shard = jax_loops.current_shard(elements * count)
        chunks, size = _plan_chunks(xp, count, elements, batch, shard.n_shards)
        if chunks * shard.n_shards > 1:
            own = jax_loops.map_chunks(kernel, shard, chunks, size, axis)
            return own[(*(slice(None),) * (axis % own.ndim), slice(count), ...)]
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

    The function takes arrays of some entries, and has these on its last axis. An entry
    takes so many elements, of a budget such as `MAX_HELD`, by default that of a chunk.
    """
    count = arrays[0].shape[0]
    batch = chunk_size(xp, elements, budget)
    if count <= batch:
        return function(*arrays)
    if xp.compiles:
        from sigarray._backend import jax_loops

        if jax_loops.current_shard(count * elements).n_shards == 1:
            return jax_loops.map_strided_entries(function, arrays, batch)

    def kernel(start: int | Array, size: int) -> Array:
        entries = xp.clip(xp.arange(size) + start, None, count - 1)
        return function(*(xp.take(x, entries, axis=0) for x in arrays))

    return map_replicates(xp, kernel, count, elements=elements, batch=batch)


def map_items(
    xp: Library,
    function: Callable[[Any], Item],
    items: Sequence[Any],
    *,
    elements: int,
) -> Iterator[Item]:
    """Return what a function makes of items, by whoever is to compute it.

    It takes as long as a chunk of so many elements. For a process group, what it makes
    are arrays of one shape.
    """
    return compute_items(
        function,
        items,
        elements=elements,
        threads=xp.is_host,
        modes=functools.partial(_prepare_elsewhere, xp),
    )


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

    What `initial` holds is added. Chunks are those of `map_replicates`.
    """

    def add(start: int | Array, size: int, add_up: AddUp) -> Array:
        return add_up(xp.astype(kernel(start, size), initial.dtype))

    return add_chunks(xp, add, count, initial=initial, elements=elements, batch=batch)


def add_chunks(
    xp: Library,
    kernel: Callable[[Any, int, AddUp], Array],
    count: int,
    *,
    initial: Array,
    elements: int,
    batch: int | None = None,
) -> Array:
    """As `sum_replicates`, by a kernel that adds up replicates by itself.

    It is called as `kernel(start, size, add_up)`, and gives what `add_up` makes of
    values (..., size): their sums (parts, ...), which are added one after the other.
    """
    if xp.compiles:
        from sigarray._backend import jax_loops

        shard = jax_loops.current_shard(elements * count)
        chunks, size = _plan_chunks(xp, count, elements, batch, shard.n_shards)
        if chunks * shard.n_shards > 1:
            return jax_loops.add_chunks(kernel, initial, count, shard, chunks, size)
    _, size = _plan_chunks(xp, count, elements, batch)

    def add_up(values: Array) -> Array:
        # Where several chunks are computed as one, too, each has its own sum.
        n = values.shape[-1]
        if n <= size:
            return xp.sum(values, axis=-1)[None, ...]
        parts = [values[..., k : min(k + size, n)] for k in range(0, n, size)]
        return xp.stack([xp.sum(part, axis=-1) for part in parts])

    def add_part(start: int, n: int) -> Array:
        return kernel(start, n, add_up)

    total = initial
    for sums in _compute(xp, add_part, count, size, elements, axis=None):
        for part in range(sums.shape[0]):
            total = total + sums[part, ...]
    return total


def _compute(
    xp: Library,
    kernel: Callable[[Any, int], Array],
    count: int,
    size: int,
    elements: int,
    axis: int | None,
) -> Iterator[Array]:
    """Return the chunks of a kernel, by whoever is to compute them."""
    return compute_chunks(
        kernel,
        count,
        size,
        axis=axis,
        elements=elements,
        threads=xp.is_host,
        modes=functools.partial(_prepare_elsewhere, xp),
    )


def iterate(
    xp: Library, step: Callable[[State], State], state: State, count: int
) -> State:
    """Apply a function to its own result so many times, in a loop that JAX keeps."""
    if xp.compiles:
        from sigarray._backend import jax_loops

        return jax_loops.iterate(step, state, count)
    for _ in range(count):
        state = step(state)
    return state


def iterate_until(
    xp: Library,
    step: Callable[[State], tuple[State, Array]],
    state: State,
    count: int,
) -> State:
    """Apply a function until it says that nothing changes, so many times at most.

    What says so is looked at where that waits for nothing; elsewhere the other steps
    are done, which change nothing.
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
    """Return the number of chunks of a shard, and their size."""
    if xp.is_processor:
        _keep_freed_memory()
    if batch is None:
        batch = current_execution().batch
    if batch is None or xp.has_no_numbers:
        batch = chunk_size(xp, elements)
    chunks = -(-count // (n_shards * min(batch, count)))
    return chunks, -(-count // (n_shards * chunks))


def _prepare_elsewhere(xp: Library) -> AbstractContextManager[Any]:
    """Prepare what is of a process and of a thread, where a chunk is computed."""
    if not xp.compiles:
        _keep_freed_memory()
    return xp.modes_off()


def _keep_freed_memory() -> None:
    """Free one large block, never touched, before many small ones are.

    glibc hands freed memory back to the system, page by page, beyond twice the largest
    block that it has seen freed. A loop over chunks is up to 1.8 times faster without,
    and one of torch up to 4 times.
    """
    np.empty(_LARGE_BLOCK_BYTES, dtype=np.uint8)
