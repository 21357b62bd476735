"""From the caller's arrays to one namespace, one device and one float dtype."""

import functools
from collections.abc import Sequence
from typing import Any, TypeGuard

import array_api_compat
import numpy as np

from sigarray._backend.callers import Array, Device, Namespace
from sigarray._backend.checks import MAX_REPLICATES, describe, integer
from sigarray._backend.given import align_labels, to_array
from sigarray._backend.library import Library, broadcast_shapes
from sigarray._backend.of_numpy import HOST

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
    become float32, and NumPy's longdouble float64. Anything else that can be read from
    the host (a list, a pandas Series, a TensorFlow tensor) becomes a NumPy array.

    Derivatives are cut, for they are of no use: resampled p-values are step functions,
    and others have derivatives of NaN at ties or where they saturate. Results are in no
    graph of torch, and gradients of JAX are zero.
    """
    arrays = align_labels(arrays, axis=axis, n_axes=n_axes, paired=paired)
    given, arrays = arrays, tuple(map(to_array, arrays))
    xp = _shared_library(arrays, given)
    with xp.modes_off():
        samples = [
            _move_axis_last(xp, _to_float(xp, x, what, of), axis, what)
            for x, of in zip(arrays, given, strict=True)
        ]
        if len({x.dtype for x in samples}) > 1:
            dtype = xp.result_type(*(x.dtype for x in samples))
            samples = [xp.astype(x, dtype, copy=False) for x in samples]
    check_leading_axes(samples, n_axes)
    return xp, samples


def standardize_numbers(
    *numbers: Array, what: str = "sums"
) -> tuple[Library, list[Array]]:
    """Return arrays of one namespace, device and float dtype, of any shapes.

    Plain numbers become arrays without axes, beside arrays of their dtype. Integers and
    booleans become the widest float of the device. Derivatives are cut.
    """
    given = [x if isinstance(x, _NUMBERS) else to_array(x) for x in numbers]
    xp = _shared_library(tuple(x for x in given if is_array(x)), numbers)
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
    """Return the first of `count` replicates, an integer that may be traced."""
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
    if namespace is None and str(device or "cpu") != "cpu":
        msg = (
            f"Expected device with xp, the library that has it; got device={device!r} "
            "alone. Pass xp too, such as xp=torch."
        )
        raise ValueError(msg)
    if namespace is None:
        return HOST
    if not hasattr(namespace, "zeros"):
        msg = (
            f"Expected xp to be a namespace such as numpy or torch; got {namespace!r}."
        )
        raise TypeError(msg)
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
    for x in arrays:
        if not is_array(x) or _shared_library((x,)).namespace is not xp.namespace:
            msg = f"Expected {what} arrays of {xp.name}; got {describe(x)}. {advice}"
            raise TypeError(msg)


def to_host(x: Array) -> np.ndarray:
    """Copy an array of any library to NumPy, and so wait for it."""
    if array_api_compat.is_torch_array(x):
        near = x.detach().cpu()
        # NumPy has no bfloat16.
        is_narrow_float = near.is_floating_point() and near.element_size() < 4
        return (near.float() if is_narrow_float else near).numpy()  # type: ignore[no-any-return]
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


def _shared_library(arrays: Sequence[Array], given: Sequence[Any] = ()) -> Library:
    # Plain NumPy starts 55 ms sooner than its wrapper, which also has a slow clip.
    if {type(x) for x in arrays} <= {np.ndarray}:
        return HOST
    try:
        namespace: Namespace = array_api_compat.array_namespace(*arrays)
    except TypeError as error:
        kinds = " and ".join(dict.fromkeys(describe(x) for x in given or arrays))
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


def is_narrow(xp: Library, dtype: Any) -> bool:
    """Tell whether this is a float of fewer than 32 bits, such as bfloat16."""
    if getattr(getattr(dtype, "type", None), "__module__", "") == "ml_dtypes":
        return xp.is_host or "float" in dtype.name  # of which NumPy knows nothing
    return xp.isdtype(dtype, "real floating") and bool(xp.finfo(dtype).bits < 32)


def _to_float(xp: Library, x: Array, what: str, given: Any = None) -> Array:
    if x.dtype in (xp.float64, xp.float32):
        return x
    if is_narrow(xp, x.dtype):
        return xp.astype(x, xp.float32)
    if xp.isdtype(x.dtype, ("bool", "integral")):
        # An ambient mode sets the default float; one of 32 bits cannot tell some
        # integers above 2^24 apart.
        return xp.float_of_integers(x)
    if xp.isdtype(x.dtype, "real floating"):
        # Ties of float64 would be none in a wider float.
        return xp.astype(x, xp.float64) if xp.finfo(x.dtype).bits > 64 else x
    advice = "x.astype(float)"
    if "complex" in str(x.dtype):
        advice = "x.real"
    elif isinstance(given, (list, tuple)):
        advice = "[float(value) for value in x]"
        if None in x.ravel().tolist():
            advice = "x without each None, and its pair"
    elif type(given).__module__.startswith("polars"):
        advice = "x.cast(polars.Float64)"
    msg = (
        f"Expected real numbers as {what}; got dtype {x.dtype}. Pass an array of "
        f"floats, integers or booleans, for example {advice}."
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
    try:
        broadcast_shapes(*[x.shape[:-n_axes] for x in samples])
    except ValueError as error:
        shapes = " and ".join(str(tuple(x.shape)) for x in samples)
        axes = "the sample axis" if n_axes == 1 else f"the last {n_axes} axes"
        msg = (
            f"Expected leading axes that broadcast ({axes} aside); got samples of "
            f"shape {shapes}, sample axis last. Give them the same leading axes, or "
            "axes of length 1."
        )
        raise ValueError(msg) from error
