"""JAX's differences from the array API; imported only for its arrays."""

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sigarray._backend.aliases import Array, Seed
from sigarray._backend.library import Library, elements_of_memory
from sigarray._backend.workers import current_execution


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
        from sigarray._backend.jax_loops import check_axis

        return check_axis(name, arrays)

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
