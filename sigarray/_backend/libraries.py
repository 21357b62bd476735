"""What each array library does in its own way.

Libraries are imported where they are needed, so that `import sigarray` loads none of
them but NumPy.
"""

import contextlib
import functools
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar

import array_api_compat
import numpy as np

from sigarray._backend.aliases import Array, Device, Namespace, Progress, Workers
from sigarray._backend.workers import admit_workers, shared_among, watched_by

Result = TypeVar("Result")

# Terms that are added up one after the other, in float32 if need be.
_MAX_TERMS = 1024
# Devices of torch that may lower the precision of what is computed in a context.
_AUTOCASTING = ("cpu", "cuda", "mps", "xpu")


def device_of(xp: Namespace, x: Array) -> Device:
    """Device for creation calls; None on JAX, which places new arrays by their use.

    A tracer has no device, and that of a sharded array is a sharding, which creation
    calls refuse.
    """
    return None if array_api_compat.is_jax_namespace(xp) else array_api_compat.device(x)


def place_of(x: Array) -> str | None:
    """Name the device of a JAX array that is bound to one, which no other may meet."""
    import jax

    if isinstance(x, jax.core.Tracer) or not x.committed or len(x.devices()) != 1:
        return None
    return str(*x.devices())


def widest_float(xp: Namespace, device: Device) -> Any:
    """Give float64 where the device has it, else float32."""
    dtypes = xp.__array_namespace_info__().dtypes(device=device, kind="real floating")
    return dtypes.get("float64", xp.float32)


def index_dtype(xp: Namespace, device: Device) -> Any:
    """Give the integer dtype in which the backend indexes."""
    return xp.__array_namespace_info__().default_dtypes(device=device)["indexing"]


def has_int64(xp: Namespace, device: Device) -> bool:
    """Tell whether the device has integers of 64 bits."""
    info = xp.__array_namespace_info__()
    return "int64" in info.dtypes(device=device, kind="signed integer")


def is_accelerator(xp: Namespace, device: Device) -> bool:
    """Tell a device on which each operation costs a launch, as far as is known."""
    if array_api_compat.is_torch_namespace(xp):
        return bool(device.type != "cpu")
    return bool(array_api_compat.is_cupy_namespace(xp))


def is_numpy(xp: Namespace) -> bool:
    """Tell NumPy's own arrays."""
    return bool(array_api_compat.is_numpy_namespace(xp))


def is_processor(xp: Namespace, device: Device) -> bool:
    """Tell arrays of the host, but those of JAX, which compiles for any device."""
    if array_api_compat.is_torch_namespace(xp):
        return bool(device.type == "cpu")
    return bool(array_api_compat.is_numpy_namespace(xp))


@functools.cache
def memory_of(xp: Namespace, device: Device) -> int | None:
    """Give the bytes of an accelerator's memory, where the library tells."""
    if array_api_compat.is_torch_namespace(xp) and device.type == "cuda":
        import torch

        if torch.cuda.is_available():  # else it is a fake one
            return int(torch.cuda.get_device_properties(device).total_memory)
    elif array_api_compat.is_cupy_namespace(xp):
        import cupy

        properties = cupy.cuda.runtime.getDeviceProperties(device.id)
        return int(properties["totalGlobalMem"])
    elif array_api_compat.is_jax_namespace(xp):
        import jax

        statistics = jax.local_devices()[0].memory_stats() or {}
        return statistics.get("bytes_limit")
    return None


def build_tables(
    xp: Namespace,
    device: Device,
    build: Callable[[Namespace, Device], tuple[Array, ...]],
) -> tuple[Array, ...]:
    """Build tables that depend on static sizes alone, in 64-bit integers.

    They are made on the device, so that nothing is uploaded. JAX gets constants made by
    NumPy while it traces: its integers may have 32 bits, and XLA would fold the
    operations at compile time anyway.
    """
    if array_api_compat.is_jax_namespace(xp) or not has_int64(xp, device):
        return tuple(
            xp.asarray(table, dtype=_device_dtype(xp, table, device), device=device)
            for table in build(np, None)
        )
    return build(xp, device)


def array_kernel(function: Callable[..., Result]) -> Callable[..., Result]:
    """Compute `function(xp, *arrays, **static)` the same way in every ambient mode.

    Where the arrays are JAX's it is compiled once: eager JAX is 4 to 27 times slower.
    Keyword arguments are static: they have to be hashable. With a function of the
    caller among them it is traced in every call, and compiled once for each trace.
    With `workers`, these compute its chunks; `progress` is told of them.
    """

    @functools.cache
    def compiled(
        xp: Namespace, options: frozenset[str], _axis: str | None
    ) -> Callable[..., Result]:
        import jax

        traced = functools.partial(function, xp)
        return jax.jit(traced, static_argnames=tuple(options))  # type: ignore[no-any-return]

    @functools.wraps(function)
    def call(
        xp: Namespace,
        *arrays: Array,
        workers: Workers = None,
        progress: Progress = None,
        **static: Any,
    ) -> Result:
        told = contextlib.nullcontext() if progress is None else watched_by(progress)
        with ambient_modes_off(xp), shared_among(workers), told:
            if workers is not None:
                code = list(map(_code_of, static.values()))
                call = f"{function.__module__}.{function.__qualname__} {static} {code}"
                arrays = admit_workers(xp, workers, call, arrays)
            if not array_api_compat.is_jax_namespace(xp):
                return function(xp, *arrays, **static)
            if any(map(_is_of_caller, static.values())):
                own = functools.partial(function, xp, **static)
                return _call_by_trace(own, arrays)  # type: ignore[no-any-return]
            # What is compiled depends on the axis of a mesh, but not on threads.
            axis = workers if isinstance(workers, str) else None
            return compiled(xp, frozenset(static), axis)(*arrays, **static)

    return call


def _code_of(option: Any) -> Any:
    """Give what a function of the caller is made of, as far as it has a text."""
    code = getattr(option, "__code__", None)
    if code is None:
        return None
    cells = [cell.cell_contents for cell in option.__closure__ or ()]
    known = [x for x in cells if isinstance(x, (bool, int, float, str))]
    return code.co_code, code.co_names, code.co_consts, known, option.__defaults__


def _is_of_caller(option: Any) -> bool:
    """Tell a function that is not of this library, or a metric or tuple with one."""
    if isinstance(option, tuple):
        return any(map(_is_of_caller, option))
    function = getattr(option, "measure", option)
    if isinstance(function, functools.partial):
        function = function.func
    module = getattr(function, "__module__", None) or ""
    return callable(function) and module.partition(".")[0] != "sigarray"


# Compiled programs, by what was traced.
_PROGRAMS: dict[Any, Callable[..., Any]] = {}


def _call_by_trace(function: Callable[..., Any], arrays: tuple[Any, ...]) -> Any:
    """Trace a function of JAX arrays, and call the program of what was found.

    What a function of the caller reads beside its arguments, a global or an attribute,
    may be another in every call.
    """
    import jax

    leaves = jax.tree.leaves(arrays)
    # Not one that JAX has seen: it would not be traced again.
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


def ambient_modes_off(xp: Namespace) -> AbstractContextManager[Any]:
    """Compute as in a program that has set no mode of the library.

    Modes that no context turns off are dealt with where they matter: torch's lower
    precision of products in `matrix_product`, its default dtype and device by naming
    both wherever an array is made.
    """
    if array_api_compat.is_torch_namespace(xp):
        return _without_autocast()
    if array_api_compat.is_jax_namespace(xp):
        return _with_standard_jax()
    return np.errstate(all="ignore")


@contextlib.contextmanager
def _without_autocast() -> Iterator[None]:
    import torch

    # A context of a device turns autocast off for that device alone.
    kinds = [kind for kind in _AUTOCASTING if torch.is_autocast_enabled(kind)]
    with contextlib.ExitStack() as stack:
        for kind in kinds:
            stack.enter_context(torch.autocast(kind, enabled=False))
        yield


@contextlib.contextmanager
def _with_standard_jax() -> Iterator[None]:
    import jax

    with (
        jax.numpy_dtype_promotion("standard"),
        jax.numpy_rank_promotion("allow"),
        jax.default_matmul_precision("highest"),
        jax.debug_nans(False),
        jax.debug_infs(False),
    ):
        yield


def matrix_product(xp: Namespace, a: Array, b: Array) -> Array:
    """Multiply matrices in the precision of their dtype, or better.

    JAX and torch lower that of float32 by ambient modes (TF32, bfloat16).
    """
    if array_api_compat.is_jax_namespace(xp):
        return xp.matmul(a, b, precision="highest")
    if array_api_compat.is_torch_namespace(xp):
        wide = widest_float(xp, device_of(xp, a))
        a_wide, b_wide = (xp.astype(x, wide, copy=False) for x in (a, b))
        product = xp.matmul(a_wide, b_wide)
        return xp.astype(product, a.dtype, copy=False)
    return xp.matmul(a, b)


def sum_of_products(xp: Namespace, a: Array, b: Array, axis: int) -> Array:
    """Sum a times b, of one shape, along a negative axis."""
    # In one pass, where it is exact enough: einsum adds one term after the other.
    if array_api_compat.is_numpy_namespace(xp) and a.shape[axis] <= _MAX_TERMS:
        kept = "ab"[: -1 - axis]
        return np.einsum(f"...n{kept},...n{kept}->...{kept}", a, b)
    return xp.sum(a * b, axis=axis)


def power_of_two(xp: Namespace, x: Array) -> Array:
    """Give the largest power of two that is not above a positive number."""
    if hasattr(xp, "frexp"):
        mantissa, _ = xp.frexp(x)
        return x / (2.0 * mantissa)
    return 2.0 ** xp.floor(xp.log2(x))


def move_axis(xp: Namespace, x: Array, source: int, target: int) -> Array:
    """Move an axis to another place, the order of the others kept."""
    if source % x.ndim == target % x.ndim:
        return x
    # torch.func.vmap has no rule for moveaxis (pytorch 2.13).
    order = [k for k in range(x.ndim) if k != source % x.ndim]
    order.insert(target % x.ndim, source % x.ndim)
    return xp.permute_dims(x, tuple(order))


def contiguous(xp: Namespace, x: Array) -> Array:
    """Give an array whose last axis is contiguous in memory, where that can be said."""
    if array_api_compat.is_torch_namespace(xp):
        return x.contiguous()
    if hasattr(xp, "ascontiguousarray"):
        return xp.ascontiguousarray(x)
    return x


def nth_smallest(xp: Namespace, x: Array, n: int) -> Array:
    """Give the n-th smallest of the last axis, which is kept, without a sort.

    Two to three times faster than a sort, where the library has a way.
    """
    if array_api_compat.is_torch_namespace(xp) and not _refuses_kthvalue(x):
        return x.kthvalue(n, dim=-1, keepdim=True).values
    # Not JAX's partition, which is slower than its sort.
    if array_api_compat.is_numpy_namespace(xp) or array_api_compat.is_cupy_namespace(
        xp
    ):
        return xp.partition(x, n - 1, axis=-1)[..., n - 1 : n]
    return xp.sort(x, axis=-1, stable=False)[..., n - 1 : n]


def _refuses_kthvalue(x: Array) -> bool:
    """Tell whether torch may say that kthvalue is not deterministic: before 2.10."""
    import torch

    return bool(x.device.type != "cpu" and torch.are_deterministic_algorithms_enabled())


def _device_dtype(xp: Namespace, table: Array, device: Device) -> Any:
    is_index = np.isdtype(table.dtype, "integral")
    return index_dtype(xp, device) if is_index else widest_float(xp, device)


def as_scalars(result: Any) -> Any:
    """Give arrays of NumPy without axes as its scalars, as its own functions do.

    A result may be an array or a tuple of such; those of other libraries stay.
    """
    if isinstance(result, np.ndarray) and result.ndim == 0:
        return result[()]
    if not isinstance(result, tuple):
        return result
    parts = map(as_scalars, result)
    return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)


def word_dtype(xp: Namespace) -> Any:
    """Give the dtype of random words."""
    # torch has neither add nor shift for uint32 (pytorch/pytorch#58734); int32 wraps
    # around with the same bits.
    return xp.int32 if array_api_compat.is_torch_namespace(xp) else xp.uint32


def upload_numbers(
    xp: Namespace, device: Device, numbers: Sequence[float], dtype: Any
) -> Array:
    """Give a few numbers as an array, without a copy from the host that would wait."""
    if is_numpy(xp):
        return np.asarray(numbers, dtype=dtype)
    if array_api_compat.is_jax_namespace(xp):
        return _constant(np.asarray(numbers, dtype))
    if len(set(numbers)) == 1:
        return xp.full((len(numbers),), numbers[0], dtype=dtype, device=device)
    return xp.concat([xp.full((1,), n, dtype=dtype, device=device) for n in numbers])


def as_argument(xp: Namespace, number: int | Array) -> int | Array:
    """Give an integer as one of a kernel's arrays, so that JAX compiles it once."""
    if not isinstance(number, int) or not array_api_compat.is_jax_namespace(xp):
        return number
    return _constant(np.int32(number))


def _constant(value: Any) -> Array:
    """Give a value to JAX: a constant where a function is traced.

    Else it is sent in a way that `jax.transfer_guard("disallow")` lets pass.
    """
    import jax

    with jax.ensure_compile_time_eval():
        return jax.device_put(value)


def to_host(x: Array) -> np.ndarray:
    """Copy an array of any library to NumPy, which waits for it."""
    if array_api_compat.is_torch_array(x):
        return x.detach().cpu().numpy()  # type: ignore[no-any-return]
    if array_api_compat.is_cupy_array(x):
        return x.get()  # type: ignore[no-any-return]
    return np.asarray(x)


def is_traced_by_torch() -> bool:
    """Tell whether `torch.compile` is tracing."""
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def is_watched_by_torch() -> bool:
    """Tell whether torch would trace functions that are called here, on its own."""
    frames = sys.modules.get("torch._C._dynamo.eval_frame")
    callback = getattr(frames, "get_eval_frame_callback", lambda: None)()
    return callback is not None and callback is not False


def list_entries(
    info: Any, dims: Sequence[int | None], arrays: Sequence[Array]
) -> list[tuple[Array, ...]]:
    """Give the tensors of each entry of a `torch.func.vmap`, for an operator's rule."""
    if info.batch_size == 0:
        return []  # torch cannot unbind no entries while it traces
    parts = [
        [x] * info.batch_size if dim is None else x.unbind(dim)
        for x, dim in zip(arrays, dims, strict=True)
    ]
    return list(zip(*parts, strict=True))


def clip(xp: Namespace, x: Array, low: float | None, high: float | None) -> Array:
    """Give numbers between two bounds, of which None is no bound; NaN stays.

    array-api-compat writes through a mask, which CuPy counts on the host, and NumPy's
    takes 3 us longer.
    """
    if not (is_numpy(xp) or array_api_compat.is_cupy_namespace(xp)):
        return xp.clip(x, low, high)
    x = x if low is None else xp.maximum(x, low)
    return x if high is None else xp.minimum(x, high)


def positive_part(xp: Namespace, x: Array) -> Array:
    """Give max(x, 0), in the place of x where that saves memory; NaN stays."""
    if is_numpy(xp) or array_api_compat.is_cupy_namespace(xp):
        return xp.maximum(x, 0.0, out=x)
    return xp.clip(x, 0.0, None)


def rescale(xp: Namespace, x: Array, scale: Array) -> Array:
    """Give x times a scale, in the place of x where that saves memory."""
    if is_numpy(xp) and np.broadcast_shapes(x.shape, scale.shape) == x.shape:
        x *= scale
        return x
    return scale * x


def take(xp: Namespace, x: Array, indices: Array, *, axis: int = 0) -> Array:
    """Index an axis by an array of one axis, of which none is negative."""
    if not array_api_compat.is_torch_namespace(xp):
        return xp.take(x, indices, axis=axis)
    # Not by `xp`, which looks for negative ones; and four times faster of one axis.
    if x.numel() == x.shape[axis]:
        shape = list(x.shape)
        shape[axis] = indices.shape[0]
        return xp.reshape(xp.index_select(xp.reshape(x, (-1,)), 0, indices), shape)
    return xp.index_select(x, axis, indices)


def take_last(xp: Namespace, x: Array, indices: Array) -> Array:
    """Index the last axis of x by an array of any shape."""
    flat = take(xp, x, xp.reshape(indices, (-1,)), axis=-1)
    return xp.reshape(flat, (*x.shape[:-1], *indices.shape))


def take_rows(xp: Namespace, table: Array, rows: Array, n_axes: int = 2) -> Array:
    """Index the second last axis of a table by rows, whose last axes are `n_axes`.

    Both have the same batch axes in front, or the rows have none.
    """
    leading, (n_rows, width) = table.shape[:-2], table.shape[-2:]
    n_entries = math.prod(leading)
    if n_entries == 1:
        rows = xp.reshape(rows, (*leading, *rows.shape[-n_axes:]))
    elif array_api_compat.is_jax_namespace(xp):
        # Entry by entry, which may lie on different devices.
        import jax

        by_entry = functools.partial(xp.take, axis=0)
        for _ in leading:
            by_entry = jax.vmap(by_entry, (0, 0 if rows.ndim > n_axes else None))
        return by_entry(table, rows)
    else:
        entry = xp.arange(n_entries, dtype=rows.dtype, device=device_of(xp, rows))
        rows = rows + xp.reshape(entry * n_rows, (*leading, *(1,) * n_axes))
    flat = xp.reshape(table, (n_entries * n_rows, width))
    taken = take(xp, flat, xp.reshape(rows, (-1,)), axis=0)
    return xp.reshape(taken, (*rows.shape, width))
