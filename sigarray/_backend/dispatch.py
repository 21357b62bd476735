"""From the caller's arrays to one namespace, one device and one float dtype."""

from collections.abc import Sequence
from typing import Any, TypeGuard

import array_api_compat
import numpy as np

from sigarray._backend.aliases import Array, Device, Namespace
from sigarray._backend.checks import MAX_REPLICATES, describe, integer
from sigarray._backend.labels import align_labels
from sigarray._backend.libraries import (
    ambient_modes_off,
    as_argument,
    device_of,
    move_axis,
    place_of,
    widest_float,
)

_DLPACK_CPU = 1


def standardize(
    *arrays: Array,
    axis: int = -1,
    n_axes: int = 1,
    paired: bool = False,
    what: str = "scores",
) -> tuple[Namespace, list[Array]]:
    """Give samples of one namespace, device and float dtype, the sample axis last.

    A sample has so many axes, and those in front of them broadcast. Where samples are
    `paired` by the first of their own axes and carry labels, these have to be the same,
    and bring them into one order.

    Integers and booleans become the widest float of the device; float16 and bfloat16
    become float32. Anything that is not an array of a supporting library but can be
    read from the host (a list, a pandas Series, a TensorFlow tensor) becomes a NumPy
    array.

    No derivative goes through, for there is nothing to train on: resampled p-values are
    step functions, and others have derivatives of NaN at ties or where they saturate.
    Results are of no graph of torch, and gradients of JAX are zero.

    Raises
    ------
    TypeError
        Complex, object or text scores; two libraries or two devices; a data frame,
        where a sample has one axis.
    ValueError
        No sample axis, no scores along it, leading axes that do not broadcast, or
        labels that differ.
    """
    arrays = align_labels(arrays, axis=axis, n_axes=n_axes, paired=paired)
    arrays = tuple(_to_array(x) for x in arrays)
    xp = _shared_namespace(arrays)
    device = _shared_device(xp, arrays)
    samples = []
    with ambient_modes_off(xp):
        arrays = tuple(_to_float(xp, x, device, what) for x in arrays)
        dtype = xp.result_type(*(x.dtype for x in arrays))
        for x in arrays:
            whole = xp.astype(x, dtype, copy=False)
            samples.append(_move_axis_last(xp, whole, axis, what))
    _check_leading_axes(samples, n_axes)
    return xp, samples


def first_replicate(
    xp: Namespace, start: int | Array, count: int, name: str = "count"
) -> int | Array:
    """Give the first of so many replicates, an integer that may be traced.

    Raises
    ------
    TypeError
        No integer.
    ValueError
        Replicates before 0 or beyond 2^31.
    """
    if is_array(start) and start.ndim > 0:
        msg = f"Expected start to be one integer; got shape {tuple(start.shape)}."
        raise ValueError(msg)
    if is_array(start) and not isinstance(start, np.ndarray):
        if _shared_namespace((start,)) is not xp:
            msg = (
                f"Expected start to be an int or an array of {xp.__name__}; got "
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
    return as_argument(xp, start)


def namespace_of(xp: Namespace | None, device: Device) -> Namespace:
    """Give the namespace that the library works in for one of the caller, or NumPy."""
    if xp is None:
        return np
    if not hasattr(xp, "zeros"):
        msg = f"Expected xp to be a namespace such as numpy or torch; got {xp!r}."
        raise TypeError(msg)
    # Where the others will be, but for CuPy's own function, which takes no device.
    is_placed = device is not None and not array_api_compat.is_cupy_namespace(xp)
    probe = xp.zeros(0, device=device) if is_placed else xp.zeros(0)
    return _shared_namespace((probe,))


def check_library(xp: Namespace, *arrays: Array) -> None:
    """Raise where an array is of another library than the namespace."""
    for x in arrays:
        if not is_array(x) or _shared_namespace((x,)) is not xp:
            msg = (
                f"Expected parameters that are numbers or arrays of {xp.__name__}; got "
                f"{describe(x)}. Pass its namespace as xp, or numbers."
            )
            raise TypeError(msg)


def is_array(x: Any) -> TypeGuard[Array]:
    """Tell arrays of the libraries, tracers too, from numbers of Python and NumPy."""
    return not isinstance(x, np.generic) and hasattr(x, "ndim")


def is_traced(x: Any) -> bool:
    """Tell a JAX tracer, which stands for an argument of a function that is traced."""
    if not array_api_compat.is_jax_array(x):
        return False
    import jax

    return isinstance(x, jax.core.Tracer)


def check_plain(x: Any) -> None:
    """Raise for an array that is not of numbers side by side."""
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
    """Say what to do with an array that is not of numbers side by side."""
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
        raise TypeError(msg)
    try:
        return np.asarray(x)
    except (TypeError, ValueError) as error:
        msg = (
            f"Expected a rectangular sequence of numbers; got {describe(x)}, which is "
            f"not: {error}"
        )
        raise type(error)(msg) from error


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


def _shared_namespace(arrays: tuple[Array, ...]) -> Namespace:
    # Plain NumPy starts 55 ms sooner than its wrapper, whose clip is also slow.
    if all(array_api_compat.is_numpy_array(x) for x in arrays):
        return np
    try:
        namespace: Namespace = array_api_compat.array_namespace(*arrays)
    except TypeError as error:
        kinds = " and ".join(dict.fromkeys(describe(x) for x in arrays))
        msg = (
            f"Expected samples of one array library; got {kinds}. Convert one of them, "
            f"for example with torch.as_tensor(x, device=...) or jax.numpy.asarray(x)."
        )
        raise TypeError(msg) from error
    return namespace


def _shared_device(xp: Namespace, arrays: tuple[Array, ...]) -> Device:
    devices = [device_of(xp, x) for x in arrays]
    is_jax = array_api_compat.is_jax_namespace(xp)
    places = [place_of(x) for x in arrays] if is_jax else devices
    placed = [place for place in places if place is not None]
    if any(place != placed[0] for place in placed):
        names = " and ".join(dict.fromkeys(str(place) for place in placed))
        msg = (
            f"Expected samples on one device; got {names}. Move one, for example with "
            f"tensor.to(device) or jax.device_put(x, device)."
        )
        raise TypeError(msg)
    return devices[0]


def _to_float(xp: Namespace, x: Array, device: Device, what: str) -> Array:
    if xp.isdtype(x.dtype, ("bool", "integral")):
        # Not the default float, which an ambient mode sets, and of which one of 32 bits
        # takes two integers above 2^24 for the same.
        return xp.astype(x, widest_float(xp, device))
    if xp.isdtype(x.dtype, "real floating"):
        return xp.astype(x, xp.float32) if xp.finfo(x.dtype).bits < 32 else x
    msg = (
        f"Expected real numbers as {what}; got dtype {x.dtype}. Pass an array of "
        "floats, integers or booleans, for example x.astype(float)."
    )
    raise TypeError(msg)


def _move_axis_last(xp: Namespace, x: Array, axis: int, what: str) -> Array:
    if x.ndim == 0:
        msg = f"Expected {what} with at least one axis; got a single number."
        raise ValueError(msg)
    if not -x.ndim <= axis < x.ndim:
        shape = tuple(x.shape)
        msg = f"Expected axis in [{-x.ndim}, {x.ndim}) for shape {shape}; got {axis}."
        raise ValueError(msg)
    if x.shape[axis] == 0:
        shape = tuple(x.shape)
        msg = f"Expected at least one of the {what} along axis {axis}; got {shape}."
        raise ValueError(msg)
    return move_axis(xp, x, axis, -1)


def _check_leading_axes(samples: list[Array], n_axes: int) -> None:
    try:
        np.broadcast_shapes(*(x.shape[:-n_axes] for x in samples))
    except ValueError as error:
        shapes = " and ".join(str(tuple(x.shape)) for x in samples)
        own = "the sample axis" if n_axes == 1 else f"the last {n_axes} axes"
        msg = (
            f"Expected leading axes that broadcast ({own} aside); got samples of shape "
            f"{shapes}, sample axis last."
        )
        raise ValueError(msg) from error
