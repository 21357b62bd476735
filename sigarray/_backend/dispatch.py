"""From the caller's arrays to one namespace, one device and one float dtype."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeGuard

import array_api_compat
import numpy as np

from sigarray._backend.aliases import Array, Device, Namespace
from sigarray._backend.checks import MAX_REPLICATES, describe, integer
from sigarray._backend.labels import align_labels
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._backend.of_numpy import HOST

_DLPACK_CPU = 1
_NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)


def standardize(
    *arrays: Array,
    axis: int = -1,
    n_axes: int = 1,
    paired: bool = False,
    what: str = "scores",
) -> tuple[Library, list[Array]]:
    """Return samples of one namespace, device and float dtype, the sample axis last.

    A sample has `n_axes` axes, and those in front of them broadcast. If samples are
    `paired` by the first of their axes and carry labels, these have to be the same, and
    bring them into one order.

    Integers and booleans become the widest float of the device; float16 and bfloat16
    become float32. Anything else that can be read from the host (a list, a pandas
    Series, a TensorFlow tensor) becomes a NumPy array.

    Derivatives are cut, for they are of no use: resampled p-values are step functions,
    and others have derivatives of NaN at ties or where they saturate. Results are in no
    graph of torch, and gradients of JAX are zero.

    Raises
    ------
    TypeError
        Complex, object or text scores; two libraries or two devices; a data frame if a
        sample has one axis.
    ValueError
        No sample axis, no scores along it, leading axes that do not broadcast, or
        labels that differ.
    """
    arrays = align_labels(arrays, axis=axis, n_axes=n_axes, paired=paired)
    arrays = tuple(map(_to_array, arrays))
    xp = _shared_library(arrays)
    with xp.modes_off():
        arrays = tuple(_to_float(xp, x, what) for x in arrays)
        dtype = xp.result_type(*(x.dtype for x in arrays))
        whole = [xp.astype(x, dtype, copy=False) for x in arrays]
        samples = [_move_axis_last(xp, x, axis, what) for x in whole]
    check_leading_axes(samples, n_axes)
    return xp, samples


def standardize_numbers(
    *numbers: Array, what: str = "sums"
) -> tuple[Library, list[Array]]:
    """Return arrays of one namespace, device and float dtype, of any shapes.

    Plain numbers become arrays without axes, beside arrays of their dtype. Integers and
    booleans become the widest float of the device. Derivatives are cut.
    """
    given = [x if isinstance(x, _NUMBERS) else _to_array(x) for x in numbers]
    xp = _shared_library(tuple(x for x in given if is_array(x)))
    with xp.modes_off():
        arrays = [_to_float(xp, x, what) if is_array(x) else x for x in given]
        found = [x.dtype for x in arrays if is_array(x)]
        dtype = xp.result_type(*found) if found else xp.widest_float
        return xp, [
            xp.astype(x, dtype, copy=False)
            if is_array(x)
            else xp.full((), float(x), dtype=dtype)
            for x in arrays
        ]


def first_replicate(
    xp: Library, start: int | Array, count: int, name: str = "count"
) -> int | Array:
    """Return the first of `count` replicates, an integer that may be traced.

    Raises
    ------
    TypeError
        Anything but an integer.
    ValueError
        Replicates before 0 or beyond 2^31.
    """
    if is_array(start) and start.ndim > 0:
        msg = f"Expected start to be one integer; got shape {tuple(start.shape)}."
        raise ValueError(msg)
    if is_array(start) and not isinstance(start, np.ndarray):
        if _shared_library((start,)).namespace is not xp.namespace:
            msg = (
                f"Expected start to be an int or an array of {xp.name}; got "
                f"{describe(start)}."
            )
            raise TypeError(msg)
        if not xp.isdtype(start.dtype, "integral"):
            msg = f"Expected start to be an integer; got dtype {start.dtype}."
            raise TypeError(msg)
        return xp.astype(start, xp.int32)
    start = integer("start", start)
    if not 0 <= start <= MAX_REPLICATES - count:
        msg = f"Expected start in [0, 2**31 - {name}]; got {start} for {name} {count}."
        raise ValueError(msg)
    return xp.as_argument(start)


def choose_library(namespace: Namespace | None, device: Device) -> Library:
    """Return the library of the caller's namespace, or NumPy, on a device."""
    if namespace is None and str(device or "cpu") != "cpu":
        raise ValueError(
            f"Expected device with xp, the library that has it; got device={device!r} "
            "alone. Pass xp too, such as xp=torch."
        )
    if namespace is None:
        return HOST
    if not hasattr(namespace, "zeros"):
        raise TypeError(
            f"Expected xp to be a namespace such as numpy or torch; got {namespace!r}."
        )
    # The device of later arrays; CuPy's function takes no device.
    is_placed = device is not None and not array_api_compat.is_cupy_namespace(namespace)
    probe = namespace.zeros(0, device=device) if is_placed else namespace.zeros(0)
    return _shared_library((probe,))


def check_library(
    xp: Library,
    *arrays: Array,
    what: str = "parameters that are numbers or",
    advice: str = "Pass its namespace as xp, or numbers.",
) -> None:
    """Raise if an array is not of the library of the namespace."""
    for x in arrays:
        if not is_array(x) or _shared_library((x,)).namespace is not xp.namespace:
            got = f"got {describe(x)}. {advice}"
            raise TypeError(f"Expected {what} arrays of {xp.name}; {got}")


def to_host(x: Array) -> np.ndarray:
    """Copy an array of any library to NumPy, and so wait for it."""
    if array_api_compat.is_torch_array(x):
        return x.detach().cpu().numpy()  # type: ignore[no-any-return]
    if array_api_compat.is_cupy_array(x):
        return x.get()  # type: ignore[no-any-return]
    return np.asarray(x)


def is_array(x: Any) -> TypeGuard[Array]:
    """Tell whether x is an array or a tracer of a library, not a number."""
    return not isinstance(x, np.generic) and hasattr(x, "ndim")


def is_traced(x: Any) -> bool:
    """Tell whether x is a JAX tracer, an argument of a function that is traced."""
    if not array_api_compat.is_jax_array(x):
        return False
    import jax

    return isinstance(x, jax.core.Tracer)


def check_plain(x: Any) -> None:
    """Raise for an array that is not dense and of numbers."""
    if isinstance(x, np.ma.MaskedArray):
        msg = (
            "Expected scores without a mask; got a MaskedArray. Pass x.compressed(); "
            "or x.filled(nan), for responses of which some are missing."
        )
        raise TypeError(msg)
    advice = _advise(x)
    if advice:
        msg = f"Expected a plain array of numbers; got {describe(x)}. {advice}"
        raise TypeError(msg)


def _to_array(x: Any) -> Array:
    if type(x) is np.ndarray and x.dtype.names is None:
        return x
    check_plain(x)
    if array_api_compat.is_torch_array(x):
        return x.detach()
    if array_api_compat.is_jax_array(x):
        import jax

        return jax.lax.stop_gradient(x)
    if array_api_compat.is_numpy_array(x) or isinstance(x, np.generic):
        return np.asarray(x)
    if hasattr(x, "__array_namespace__") or array_api_compat.is_cupy_array(x):
        return x
    return _read_from_host(x)


def _advise(x: Any) -> str | None:
    """Advise what to do with an array that is not dense and of numbers."""
    is_tensor = array_api_compat.is_torch_array(x)
    advice = None
    if getattr(getattr(x, "dtype", None), "names", None):
        advice = (
            f"It is structured: pass one of its fields, such as "
            f"x[{x.dtype.names[0]!r}]."
        )
    elif type(x).__module__.partition(".")[0] in ("dask", "dask_expr"):
        advice = (
            "It would be computed at once. Pass x.compute(); or for comparisons in "
            "chunks, of scores (..., n) and (..., m) with n and m in one chunk: "
            "da.apply_gufunc(lambda x, y: tuple(aso(x, y, rng=0)), "
            '"(n),(m)->(),(),(),(),()", a, b, output_dtypes=[float] * 5).'
        )
    elif is_tensor and type(x).__name__ == "DTensor":
        advice = "Pass x.full_tensor(), or each rank's x.to_local()."
    elif is_tensor and x.is_nested:
        advice = "Pass its parts, x.unbind(), one at a time; multi_aso takes a list."
    elif is_tensor and x.is_quantized:
        advice = "Pass x.dequantize()."
    elif is_tensor and x.layout.__repr__() != "torch.strided":
        advice = "It is sparse: pass x.to_dense()."
    elif hasattr(x, "todense"):  # of scipy.sparse, sparse, jax.experimental.sparse
        advice = "It is sparse: pass x.toarray() or x.todense()."
    return advice


def _read_from_host(x: Any) -> Array:
    if hasattr(x, "_fields") and type(x).__module__.startswith("sigarray."):
        msg = (
            f"Expected an array or a sequence of numbers; got {describe(x)}. Pass one "
            f"of its fields: {', '.join(x._fields)}."
        )
        raise TypeError(msg)
    if isinstance(x, (Sequence, memoryview)) and not isinstance(x, (str, bytes)):
        foreign = next((item for item in _items(x) if _is_library_array(item)), None)
        if foreign is not None:
            msg = (
                f"Expected an array or a sequence of Python numbers; got a "
                f"{type(x).__name__} of {describe(foreign)}. Make it one array first, "
                f"for example with torch.stack(x) or jax.numpy.stack(x)."
            )
            raise TypeError(msg)
    elif hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] != _DLPACK_CPU:
        msg = (
            f"Expected scores that NumPy can read; got {describe(x)} on an "
            "accelerator. Pass it on as a CuPy, JAX or torch array (from_dlpack makes "
            "no copy)."
        )
        raise TypeError(msg)
    elif not hasattr(x, "__array__") and hasattr(x, "__dlpack__"):
        return np.from_dlpack(x)
    elif not hasattr(x, "__array__") and not isinstance(x, (int, float)):
        msg = f"Expected an array or a sequence of numbers; got {describe(x)}."
        raise TypeError(msg + _advise_on_collection(x))
    try:
        return np.asarray(x)
    except (TypeError, ValueError) as error:
        msg = (
            f"Expected a sequence of numbers, or of sequences of one length; got "
            f"{describe(x)}, of which NumPy says: {error}"
        )
        raise type(error)(msg) from error


def _advise_on_collection(x: Any) -> str:
    """Advise what to do with what is neither an array nor a sequence, or nothing."""
    if isinstance(x, Mapping):
        return " Pass one of its values, the scores of one model."
    if isinstance(x, str):
        return " Read a file by sigarray.read.scores."
    return " Pass list(x)." if isinstance(x, Iterable) else ""


def _items(nested: Any) -> Any:
    for item in nested:
        if isinstance(item, (list, tuple)):
            yield from _items(item)
        else:
            yield item


def _is_library_array(x: Any) -> bool:
    if array_api_compat.is_numpy_array(x) or isinstance(x, np.generic):
        return False
    return hasattr(x, "__dlpack__") or hasattr(x, "__array_namespace__")


def _shared_library(arrays: tuple[Array, ...]) -> Library:
    # Plain NumPy starts 55 ms sooner than its wrapper, which also has a slow clip.
    if all(array_api_compat.is_numpy_array(x) for x in arrays):
        return HOST
    try:
        namespace: Namespace = array_api_compat.array_namespace(*arrays)
    except TypeError as error:
        kinds = " and ".join(dict.fromkeys(describe(x) for x in arrays))
        msg = (
            f"Expected samples of one array library; got {kinds}. Convert one of them, "
            f"for example with torch.as_tensor(x, device=...) or jax.numpy.asarray(x)."
        )
        raise TypeError(msg) from error
    is_jax = array_api_compat.is_jax_namespace(namespace)
    find_place = _place_of if is_jax else array_api_compat.device
    places = [place for x in arrays if (place := find_place(x)) is not None]
    if any(place != places[0] for place in places):
        names = " and ".join(dict.fromkeys(str(place) for place in places))
        msg = (
            f"Expected samples on one device; got {names}. Move one, for example with "
            f"tensor.to(device) or jax.device_put(x, device)."
        )
        raise TypeError(msg)
    return library_of(namespace, None if is_jax else places[0])


def library_of(namespace: Namespace, device: Device) -> Library:
    """Return the `Library` of a namespace, with new arrays on the device."""
    if array_api_compat.is_cupy_namespace(namespace):
        from sigarray._backend.of_cupy import cupy_library

        return cupy_library(namespace, device.id)  # a device itself has no hash
    return _make_library(namespace, device)


@functools.lru_cache(maxsize=64)
def _make_library(namespace: Namespace, device: Device) -> Library:
    if array_api_compat.is_numpy_namespace(namespace):
        return HOST
    if array_api_compat.is_torch_namespace(namespace):
        from sigarray._backend.of_torch import TorchLibrary

        return TorchLibrary(namespace, device)
    if array_api_compat.is_jax_namespace(namespace):
        from sigarray._backend.of_jax import JaxLibrary

        return JaxLibrary(namespace, device)
    return Library(namespace, device)


def _place_of(x: Array) -> str | None:
    """Name the device to which a JAX array is bound; others have to be there too."""
    import jax

    if isinstance(x, jax.core.Tracer) or not x.committed or len(x.devices()) != 1:
        return None
    return str(*x.devices())


def _to_float(xp: Library, x: Array, what: str) -> Array:
    if xp.isdtype(x.dtype, ("bool", "integral")):
        # An ambient mode sets the default float; one of 32 bits cannot tell some
        # integers above 2^24 apart.
        return xp.float_of_integers(x)
    if xp.isdtype(x.dtype, "real floating"):
        return xp.astype(x, xp.float32) if xp.finfo(x.dtype).bits < 32 else x
    msg = (
        f"Expected real numbers as {what}; got dtype {x.dtype}. Pass an array of "
        "floats, integers or booleans, for example "
        + ("x.real." if "complex" in str(x.dtype) else "x.astype(float).")
    )
    raise TypeError(msg)


def _move_axis_last(xp: Library, x: Array, axis: int, what: str) -> Array:
    if x.ndim == 0:
        msg = (
            f"Expected {what} with one axis or more; got a single number. Pass a "
            "sequence of all of them."
        )
        raise ValueError(msg)
    if not -x.ndim <= axis < x.ndim:
        shape = tuple(x.shape)
        msg = (
            f"Expected axis to be from {-x.ndim} to {x.ndim - 1} for shape {shape}; "
            f"got {axis}."
        )
        raise ValueError(msg)
    if x.shape[axis] == 0:
        shape = tuple(x.shape)
        msg = f"Expected {what} along axis {axis}, one or more; got shape {shape}."
        raise ValueError(msg)
    return xp.move_axis(x, axis, -1)


def check_leading_axes(samples: list[Array], n_axes: int) -> None:
    """Raise unless the axes in front of those of a sample broadcast."""
    try:
        broadcast_shapes(*(x.shape[:-n_axes] for x in samples))
    except ValueError as error:
        shapes = " and ".join(str(tuple(x.shape)) for x in samples)
        axes = "the sample axis" if n_axes == 1 else f"the last {n_axes} axes"
        msg = (
            f"Expected leading axes that broadcast ({axes} aside); got samples of "
            f"shape {shapes}, sample axis last. Give them the same leading axes, or "
            "axes of length 1."
        )
        raise ValueError(msg) from error
