"""JAX's differences from the array API; imported only for its arrays.

And loops that JAX compiles, and those that the shards of a mesh share.
"""

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from sigarray._backend.callers import Array, Seed
from sigarray._backend.library import Library, elements_of_memory
from sigarray._backend.workers import current_execution, executed_by, shared_by_axis


class JaxLibrary(Library):
    """`jax.numpy`; new arrays have no device, and go where they are used.

    A tracer has no device, and that of a sharded array is a sharding, which functions
    that create arrays refuse.
    """

    compiles = True

    @property
    def chunk_elements(self) -> int:
        return elements_of_memory(_memory())

    def build_tables(
        self, build: Callable[[Library], tuple[Array, ...]]
    ) -> tuple[Array, ...]:
        # NumPy makes constants during the trace: JAX's integers may have 32 bits, and
        # XLA would fold the operations at compile time anyway.
        return self._upload_tables(build)

    def upload_numbers(self, numbers: Sequence[float], dtype: Any) -> Array:
        return _constant(np.asarray(numbers, dtype))

    def upload(self, x: np.ndarray) -> Array:
        return _constant(x)

    def as_argument(self, number: int | Array) -> int | Array:
        # As an array, so that the kernel is compiled once.
        return _constant(np.int32(number)) if isinstance(number, int) else number

    def check_axis(self, name: str, arrays: Any) -> Any:
        try:
            jax.lax.psum(1, name)
        except NameError as error:
            msg = (
                f"Expected workers to be a number of threads, or the name of a mesh "
                f"axis inside jax.shard_map; got {name!r}, which is no axis here."
            )
            raise ValueError(msg) from error
        if not _varies(name, jax.lax.axis_index(name)):
            # For vmap, pmap or unchecked axes, it is unknown before the program runs.
            return _spoil_where_different(name, arrays)
        if any(_varies(name, x) for x in jax.tree.leaves(arrays)):
            msg = (
                f"Expected scores and rng that are the same on all shards of {name!r}, "
                f"which share the replicates; got some that vary over it. Gather "
                f"scores first: jax.lax.all_gather(x, {name!r}, tiled=True, "
                "to='invarying')."
            )
            raise TypeError(msg)
        return arrays

    def words_of_key(self, rng: Array) -> Seed | None:
        # NumPy arrays, too, because JAX takes them.
        if not isinstance(rng, (jax.Array, np.ndarray)):
            return None
        is_key = jax.dtypes.issubdtype(rng.dtype, jax.dtypes.prng_key)
        is_raw_key = rng.dtype == np.uint32 and rng.ndim > 0
        if (is_key and rng.ndim == 0) or (is_raw_key and rng.ndim == 1):
            words = jax.random.bits(rng, (2,), "uint32")
            return words[:1], words[1:]
        if is_key or is_raw_key:
            msg = (
                f"Expected rng to be one JAX key; got several, of shape {rng.shape}. "
                "Pass one of them, or map over them with jax.vmap."
            )
            raise ValueError(msg)
        return None

    def modes_off(self) -> AbstractContextManager[Any]:
        return _with_standard_jax()

    def call(
        self,
        function: Callable[..., Any],
        arrays: tuple[Any, ...],
        static: dict[str, Any],
    ) -> Any:
        if any(map(_is_of_caller, static.values())):
            return _call_by_trace(functools.partial(function, self, **static), arrays)
        execution = current_execution()
        # The compiled program depends on these, but not on threads.
        axis = execution.workers if isinstance(execution.workers, str) else None
        program = _compile(function, self, frozenset(static), execution.batch, axis)
        return program(*arrays, **static)

    def matrix_product(self, a: Array, b: Array) -> Array:
        # Ambient modes lower the precision of float32 (TF32, bfloat16).
        return jnp.matmul(a, b, precision="highest")

    def count_places(self, places: Array, n: int) -> Array:
        rows = jnp.arange(places.shape[0])[:, None]
        return jnp.zeros((places.shape[0], n), places.dtype).at[rows, places].add(1)

    # XLA cannot express that the last axis is contiguous.
    def contiguous(self, x: Array) -> Array:
        return x

    def take_rows(self, table: Array, rows: Array, n_axes: int = 2) -> Array:
        leading = table.shape[:-2]
        if all(n == 1 for n in leading):
            return super().take_rows(table, rows, n_axes)
        # Entry by entry, because entries may be on different devices.
        by_entry: Callable[..., Array] = functools.partial(jnp.take, axis=0)
        for _ in leading:
            by_entry = jax.vmap(by_entry, (0, 0 if rows.ndim > n_axes else None))
        return by_entry(table, rows)

    def cumulative_maximum(self, x: Array) -> Array:
        return jax.lax.cummax(x, axis=x.ndim - 1)


# Compiled programs, by their trace.
_PROGRAMS: dict[Any, Callable[..., Any]] = {}


@functools.cache
def _compile(
    function: Callable[..., Any],
    xp: Library,
    options: frozenset[str],
    _batch: int | None,
    _axis: str | None,
) -> Callable[..., Any]:
    traced = functools.partial(function, xp)
    return jax.jit(traced, static_argnames=tuple(options))  # type: ignore[no-any-return]


def _is_of_caller(option: Any) -> bool:
    """Tell whether an option is, or a metric or tuple has, a function of the caller."""
    if isinstance(option, tuple):
        return any(map(_is_of_caller, option))
    function = getattr(option, "measure", option)
    if isinstance(function, functools.partial):
        function = function.func
    module = getattr(function, "__module__", None) or ""
    return callable(function) and module.partition(".")[0] != "sigarray"


def _call_by_trace(function: Callable[..., Any], arrays: tuple[Any, ...]) -> Any:
    """Trace a function of JAX arrays, and call the program of the trace.

    Globals and attributes that a function of the caller reads may change between calls.
    """
    leaves = jax.tree.leaves(arrays)
    # A new function, because JAX would not trace a known one again.
    program = jax.jit(function)
    if any(isinstance(x, jax.core.Tracer) for x in leaves):
        return program(*arrays)
    traced = program.trace(*arrays)
    if getattr(jax.config, "jax_use_simplified_jaxpr_constants", False):
        return program(*arrays)  # constants are no part of the text
    lowered = traced.lower()
    places = tuple(getattr(x, "sharding", None) for x in leaves)
    key = lowered.as_text(), str(lowered.in_tree), str(lowered.args_info), places
    if key not in _PROGRAMS:
        _PROGRAMS[key] = lowered.compile()
    return _PROGRAMS[key](*arrays)


@contextlib.contextmanager
def _with_standard_jax() -> Iterator[None]:
    with (
        jax.numpy_dtype_promotion("standard"),
        jax.numpy_rank_promotion("allow"),
        jax.default_matmul_precision("highest"),
        jax.debug_nans(False),
        jax.debug_infs(False),
    ):
        yield


def _constant(value: Any) -> Array:
    """Pass a value to JAX: as a constant if a function is traced.

    Otherwise it is sent in a way that `jax.transfer_guard("disallow")` permits.
    """
    with jax.ensure_compile_time_eval():
        return jax.device_put(value)


@functools.cache
def _memory() -> int | None:
    statistics = jax.local_devices()[0].memory_stats() or {}
    return statistics.get("bytes_limit")


State = TypeVar("State")
AddUp = Callable[[Array], Array]


class Shard(NamedTuple):
    """The place of a shard, which is traced, among all shards."""

    place: int | Array
    n_shards: int
    name: str = ""


def current_shard(elements: int) -> Shard:
    """Return the place of this shard if enough elements are to be shared."""
    name = shared_by_axis(elements)
    if name is None:
        return Shard(0, 1)
    n_shards = jax.lax.psum(1, name)
    if n_shards == 1:  # for JAX, its place still varies
        return Shard(0, 1)
    return Shard(jax.lax.axis_index(name), n_shards, name)


def iterate(step: Callable[[State], State], state: State, count: int) -> State:
    result: State = jax.lax.fori_loop(0, count, lambda _, x: step(x), state)
    return result


def map_chunks(
    kernel: Callable[[Any, int], Array],
    shard: Shard,
    chunks: int,
    size: int,
    axis: int,
) -> Array:
    """Return the chunks of all shards; each shard computes `chunks` of them."""
    starts = size * (chunks * shard.place + jnp.arange(chunks, dtype=jnp.int32))
    with executed_by(current_execution().elsewhere):
        results = jax.lax.map(lambda start: kernel(start, size), starts)
    shape = list(results.shape[1:])
    axis %= len(shape)
    shape[axis] *= chunks
    part = jnp.reshape(jnp.moveaxis(results, 0, axis), tuple(shape))
    if shard.n_shards == 1:
        return part
    shape[axis] *= shard.n_shards
    # Each shard has zeros elsewhere, so that the sum has the parts of all.
    place = size * chunks * shard.place
    every = jax.lax.dynamic_update_slice_in_dim(
        jnp.zeros(tuple(shape), dtype=part.dtype), part, place, axis
    )
    return jax.lax.psum(every, shard.name)


def map_strided_entries(
    function: Callable[..., Array], arrays: Sequence[Array], batch: int
) -> Array:
    """Return `map_entries` in a loop of JAX; each step takes entries with a stride.

    So each device computes the entries that it has, and none is moved.
    """
    count = arrays[0].shape[0]
    chunks = -(-count // batch)
    # Up to twice as many chunks if these need no padding, which would move entries.
    even = next((k for k in range(chunks, 2 * chunks) if count % k == 0), chunks)
    size = -(-count // even)
    missing = even * size - count
    if missing:
        arrays = [jnp.concat([x, x[:missing, ...]], axis=0) for x in arrays]
    tables = [jnp.reshape(x, (size, even, *x.shape[1:])) for x in arrays]

    def apply(k: Array) -> Array:
        return function(
            *(jax.lax.dynamic_index_in_dim(x, k, 1, keepdims=False) for x in tables)
        )

    results = jnp.moveaxis(jax.lax.map(apply, jnp.arange(even)), 0, -1)
    return jnp.reshape(results, (*results.shape[:-2], size * even))[..., :count]


def add_chunks(
    kernel: Callable[[Any, int, AddUp], Array],
    initial: Array,
    count: int,
    shard: Shard,
    chunks: int,
    size: int,
) -> Array:
    def add(chunk: Array, total: Array) -> Array:
        start = (chunks * shard.place + chunk) * size
        is_inside = jnp.arange(size) + start < count

        def add_up(values: Array) -> Array:
            return jnp.sum(jnp.where(is_inside, values, 0.0), axis=-1)[None, ...]

        return total + kernel(start, size, add_up)[0, ...]

    if shard.n_shards == 1:
        return jax.lax.fori_loop(0, chunks, add, initial)
    # The zero varies between shards, like the values that are added to it.
    zero = jnp.zeros_like(initial) + jnp.astype(0 * shard.place, initial.dtype)
    with executed_by(current_execution().elsewhere):
        part = jax.lax.fori_loop(0, chunks, add, zero)
    return initial + jax.lax.psum(part, shard.name)


def map_shifts(
    x: Array,
    y: Array,
    function: Callable[..., Array],
    along: Sequence[Array],
    count: int,
    axis: int,
) -> Array:
    """Loop over shifts, each for all rows: see `chunks.map_windows`."""
    n = x.shape[axis]
    n_shifts = -(-count // n)
    rows = jnp.expand_dims(x, x.ndim + axis)
    missing = n_shifts * n - count

    def step(arguments: tuple[Array, ...]) -> Array:
        shift, *values = arguments
        window = jax.lax.dynamic_slice_in_dim(y, shift, n, y.ndim + axis)
        window = jnp.expand_dims(window, y.ndim + axis)
        return function(rows, window, *values)[..., 0, :]

    padded = [
        jnp.concat([z, jnp.zeros_like(z[..., :missing])], axis=-1) if missing else z
        for z in along
    ]
    by_shift = [
        jnp.moveaxis(jnp.reshape(z, (*z.shape[:-1], n_shifts, 1, n)), -3, 0)
        for z in padded
    ]
    results = jax.lax.map(step, (jnp.arange(n_shifts, dtype=jnp.int32), *by_shift))
    results = jnp.moveaxis(results, 0, -2)
    return jnp.reshape(results, (*results.shape[:-2], n_shifts * n))[..., :count]


def _varies(name: str, x: Array) -> bool:
    kind = jax.typeof(x)
    axes = getattr(kind, "manual_axis_type", None)  # `vma` before jax 0.10
    return name in (axes.varying if axes else getattr(kind, "vma", ()))


def _spoil_where_different(name: str, arrays: Any) -> Any:
    """Return NaN for scores if those of another shard have other bits."""
    total = jnp.zeros((), jnp.uint32)
    for x in jax.tree.leaves(arrays):
        words = jax.lax.bitcast_convert_type(x, jnp.uint32) if x.size else x
        words = jnp.reshape(words, (-1,)).astype(jnp.uint32) * jnp.uint32(0x9E3779B1)
        words = (words ^ (words >> 15)) * jnp.uint32(0x85EBCA77)
        places = 2 * jnp.arange(words.size, dtype=jnp.uint32) + 1
        total = total * jnp.uint32(0xC2B2AE3D) + jnp.sum(words * places)
    bits = (total >> 1).astype(jnp.int32)
    is_same = jax.lax.pmax(bits, name) == -jax.lax.pmax(-bits, name)

    def spoil(x: Array) -> Array:
        if not jnp.issubdtype(x.dtype, jnp.floating):
            return x
        return jnp.where(is_same, x, jnp.asarray(jnp.nan, x.dtype))

    return jax.tree.map(spoil, arrays)
