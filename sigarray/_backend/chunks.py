"""Loops over replicates and entries, some at a time, and what bounds their memory."""

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import array_api_compat
import numpy as np

from sigarray._backend.aliases import Array, Device, Namespace
from sigarray._backend.libraries import (
    ambient_modes_off,
    clip,
    device_of,
    is_processor,
    memory_of,
    take,
)
from sigarray._backend.workers import (
    Shard,
    compute_chunks,
    compute_items,
    current_shard,
    shared_among,
)

State = TypeVar("State")
Item = TypeVar("Item")
# Of replicates on the last axis, their sums, on a new first one.
AddUp = Callable[[Array], Array]

# Elements that a chunk of replicates may hold: what fits in the cache of one core, what
# keeps torch's threads busy, and what bounds memory on an accelerator.
_CHUNK_ELEMENTS_NUMPY = 2**18
_CHUNK_ELEMENTS_TORCH_CPU = 2**19
_CHUNK_ELEMENTS_UNKNOWN = 2**22
# An accelerator pays for every launch: 2^24 where 1/64 of its memory holds so many, at
# 40 bytes each. They take 8 to 26 (float64, on the processor): 0.44 GB at most.
_MAX_CHUNK_ELEMENTS, _MEMORY_OF_AN_ELEMENT = 2**24, 64 * 40
_UNBOUNDED = 2**62
# Numbers that are held where all of them are needed at once: 32 MiB in float64.
MAX_HELD = 2**22
# Differences of samples that broadcast, of two axes of few scores to many entries.
MAX_DIFFERENCES = 2**21
_LARGE_BLOCK_BYTES = 2**24


def chunk_size(
    xp: Namespace,
    device: Device,
    elements: int,
    budget: int | None = None,
    least: int = 1,
) -> int:
    """Count the replicates, of so many elements each, that fit in a chunk.

    At least so many as well, where they can be held.
    """
    if budget is None:
        budget = _default_budget(xp, device)
    elements = max(1, elements)
    return max(1, budget // elements, min(least, MAX_HELD // elements))


def map_replicates(
    xp: Namespace,
    device: Device,
    kernel: Callable[[Any, int], Array],
    count: int,
    *,
    elements: int,
    batch: int | None = None,
    axis: int = -1,
) -> Array:
    """Give `kernel(start, size)` of the replicates [0, count), chunk by chunk.

    Chunks are joined along the axis. They hold `batch` replicates, or as many as fit
    where each takes so many elements. JAX compiles one loop over chunks of one size,
    however many there are, and cuts off what is beyond `count`.
    """
    shard = _shard_of(xp, elements * count)
    chunks, size = _plan_chunks(xp, device, count, elements, batch, shard.n_shards)
    if chunks == shard.n_shards == 1:
        return kernel(0, count)
    if array_api_compat.is_jax_namespace(xp):
        own = _map_chunks_of_shard(xp, kernel, shard, chunks, size, axis)
        return own[(*(slice(None),) * (axis % own.ndim), slice(count), ...)]
    parts = _compute(xp, kernel, count, size, elements, axis)
    return xp.concat(list(parts), axis=axis)


def _map_chunks_of_shard(
    xp: Namespace,
    kernel: Callable[[Any, int], Array],
    shard: Shard,
    chunks: int,
    size: int,
    axis: int,
) -> Array:
    """Give the chunks of all shards of JAX, of which each computes so many."""
    import jax

    starts = size * (chunks * shard.place + xp.arange(chunks, dtype=xp.int32))
    with shared_among(1):
        results = jax.lax.map(lambda start: kernel(start, size), starts)
    shape = list(results.shape[1:])
    axis %= len(shape)
    shape[axis] *= chunks
    own = xp.reshape(xp.moveaxis(results, 0, axis), tuple(shape))
    if shard.n_shards == 1:
        return own
    shape[axis] *= shard.n_shards
    # Zeros but for its own, which are then those of all of them.
    place = size * chunks * shard.place
    every = jax.lax.dynamic_update_slice_in_dim(
        xp.zeros(tuple(shape), dtype=own.dtype), own, place, axis
    )
    return jax.lax.psum(every, shard.name)


def map_entries(
    xp: Namespace,
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
    count, device = arrays[0].shape[0], device_of(xp, arrays[0])
    batch = chunk_size(xp, device, elements, budget)
    if count <= batch:
        return function(*arrays)
    is_whole = _shard_of(xp, count * elements).n_shards == 1
    if is_whole and array_api_compat.is_jax_namespace(xp):
        return _map_strided_entries(xp, function, arrays, batch)

    def kernel(start: int | Array, size: int) -> Array:
        entries = clip(xp, xp.arange(size, device=device) + start, None, count - 1)
        return function(*(take(xp, x, entries, axis=0) for x in arrays))

    return map_replicates(xp, device, kernel, count, elements=elements, batch=batch)


def _map_strided_entries(
    xp: Namespace, function: Callable[..., Array], arrays: Sequence[Array], batch: int
) -> Array:
    """Give `map_entries` in a loop of JAX, each time of entries from everywhere.

    So a device that has some of them computes these, and none moves.
    """
    import jax

    count = arrays[0].shape[0]
    chunks = -(-count // batch)
    # Without any that fill up, which would move, if that takes no more than twice.
    even = next((k for k in range(chunks, 2 * chunks) if count % k == 0), chunks)
    size = -(-count // even)
    missing = even * size - count
    if missing:
        arrays = [xp.concat([x, x[:missing, ...]], axis=0) for x in arrays]
    tables = [xp.reshape(x, (size, even, *x.shape[1:])) for x in arrays]

    def apply(k: Array) -> Array:
        return function(
            *(jax.lax.dynamic_index_in_dim(x, k, 1, keepdims=False) for x in tables)
        )

    results = xp.moveaxis(jax.lax.map(apply, xp.arange(even)), 0, -1)
    return xp.reshape(results, (*results.shape[:-2], size * even))[..., :count]


def map_items(
    xp: Namespace,
    function: Callable[[Any], Item],
    items: Sequence[Any],
    *,
    elements: int,
) -> Iterator[Item]:
    """Give what a function makes of items, by whoever is to compute it.

    It takes as long as a chunk of so many elements. For a process group, what it makes
    are arrays of one shape.
    """
    return compute_items(
        function,
        items,
        elements=elements,
        threads=array_api_compat.is_numpy_namespace(xp),
        modes=functools.partial(_prepare_elsewhere, xp),
    )


def sum_replicates(
    xp: Namespace,
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
    xp: Namespace,
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
    device = device_of(xp, initial)
    shard = _shard_of(xp, elements * count)
    chunks, size = _plan_chunks(xp, device, count, elements, batch, shard.n_shards)
    if chunks * shard.n_shards > 1 and array_api_compat.is_jax_namespace(xp):
        return _add_chunks_of_shard(xp, kernel, initial, count, shard, chunks, size)

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


def _add_chunks_of_shard(
    xp: Namespace,
    kernel: Callable[[Any, int, AddUp], Array],
    initial: Array,
    count: int,
    shard: Shard,
    chunks: int,
    size: int,
) -> Array:
    """Add up the chunks of all shards of JAX, of which each computes so many."""
    import jax

    def add(chunk: Array, total: Array) -> Array:
        start = (chunks * shard.place + chunk) * size
        is_inside = xp.arange(size) + start < count

        def add_up(values: Array) -> Array:
            return xp.sum(xp.where(is_inside, values, 0.0), axis=-1)[None, ...]

        return total + kernel(start, size, add_up)[0, ...]

    if shard.n_shards == 1:
        return jax.lax.fori_loop(0, chunks, add, initial)
    # It differs between shards, as what is added to it does.
    zero = xp.zeros_like(initial) + xp.astype(0 * shard.place, initial.dtype)
    with shared_among(1):
        own = jax.lax.fori_loop(0, chunks, add, zero)
    return initial + jax.lax.psum(own, shard.name)


def _shard_of(xp: Namespace, elements: int) -> Shard:
    is_jax = array_api_compat.is_jax_namespace(xp)
    return current_shard(elements) if is_jax else Shard(0, 1)


def _compute(
    xp: Namespace,
    kernel: Callable[[Any, int], Array],
    count: int,
    size: int,
    elements: int,
    axis: int | None,
) -> Iterator[Array]:
    """Give the chunks of a kernel, by whoever is to compute them."""
    return compute_chunks(
        kernel,
        count,
        size,
        axis=axis,
        elements=elements,
        threads=array_api_compat.is_numpy_namespace(xp),
        modes=functools.partial(_prepare_elsewhere, xp),
    )


def iterate(
    xp: Namespace, step: Callable[[State], State], state: State, count: int
) -> State:
    """Apply a function to its own result so many times, in a loop that JAX keeps."""
    if array_api_compat.is_jax_namespace(xp):
        import jax

        result: State = jax.lax.fori_loop(0, count, lambda _, x: step(x), state)
        return result
    for _ in range(count):
        state = step(state)
    return state


def iterate_until(
    xp: Namespace,
    step: Callable[[State], tuple[State, Array]],
    state: State,
    count: int,
) -> State:
    """Apply a function until it says that nothing changes, so many times at most.

    What says so is looked at where that waits for nothing; elsewhere the other steps
    are done, which change nothing.
    """
    if array_api_compat.is_jax_namespace(xp):
        return iterate(xp, lambda x: step(x)[0], state, count)
    for _ in range(count):
        state, is_done = step(state)
        if array_api_compat.is_numpy_namespace(xp) and bool(is_done):
            break
    return state


def _default_budget(xp: Namespace, device: Device) -> int:
    """Give the elements of a chunk that suit the device."""
    if _has_no_numbers(xp, device):
        return _UNBOUNDED
    if array_api_compat.is_torch_namespace(xp) and device.type == "cpu":
        return _CHUNK_ELEMENTS_TORCH_CPU
    accelerated = (
        array_api_compat.is_torch_namespace,
        array_api_compat.is_jax_namespace,
        array_api_compat.is_cupy_namespace,
    )
    if not any(is_namespace(xp) for is_namespace in accelerated):
        return _CHUNK_ELEMENTS_NUMPY
    memory = memory_of(xp, device)
    if memory is None:
        return _CHUNK_ELEMENTS_UNKNOWN
    # Powers of two, so that devices of one class have the same chunks.
    budget: int = 2 ** ((memory // _MEMORY_OF_AN_ELEMENT).bit_length() - 1)
    return min(budget, _MAX_CHUNK_ELEMENTS)


def _has_no_numbers(xp: Namespace, device: Device) -> bool:
    """Tell torch's device of shapes alone: see `compiling`."""
    return array_api_compat.is_torch_namespace(xp) and bool(device.type == "meta")


def _plan_chunks(
    xp: Namespace,
    device: Device,
    count: int,
    elements: int,
    batch: int | None,
    n_shards: int,
) -> tuple[int, int]:
    """Give the number of chunks of a shard, and their size."""
    if is_processor(xp, device):
        _keep_freed_memory()
    if batch is None or _has_no_numbers(xp, device):
        batch = chunk_size(xp, device, elements)
    chunks = -(-count // (n_shards * min(batch, count)))
    return chunks, -(-count // (n_shards * chunks))


def _prepare_elsewhere(xp: Namespace) -> AbstractContextManager[Any]:
    """Prepare what is of a process and of a thread, where a chunk is computed."""
    if not array_api_compat.is_jax_namespace(xp):
        _keep_freed_memory()
    return ambient_modes_off(xp)


def _keep_freed_memory() -> None:
    """Free one large block, never touched, before many small ones are.

    glibc hands freed memory back to the system, page by page, beyond twice the largest
    block that it has seen freed. A loop over chunks is up to 1.8 times faster without,
    and one of torch up to 4 times.
    """
    np.empty(_LARGE_BLOCK_BYTES, dtype=np.uint8)
