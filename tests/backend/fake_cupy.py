"""A stand-in for CuPy: arrays of the host that only its own functions can read.

`install()` puts it in the place of `cupy`, for a process of its own. What would copy to
or from the host, or wait for the device, raises `WaitError` inside `without_waits()`: a
mask in an index, whose numbers CuPy counts on the host; arrays of NumPy, and
conversions to numbers. A function that is not among `FUNCTIONS` and `UFUNCS` is not
known to be one of CuPy's, or to run without a wait; one that is has CuPy's parameters.
"""

import contextlib
import contextvars
import inspect
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

# Parameters as in CuPy 14.2; `test_cupy` compares them with the CuPy that is installed.
# None of these functions waits for the device, which is to be looked up before another
# one is added.
FUNCTIONS = {
    "all": "a, axis=None, out=None, keepdims=False",
    "any": "a, axis=None, out=None, keepdims=False",
    "arange": "start, stop=None, step=1, dtype=None",
    "argsort": "a, axis=-1, kind=None",
    "array": "obj, dtype=None, copy=True, order=None, subok=False, ndmin=0, *, "
    "blocking=False",
    "asarray": "a, dtype=None, order=None, *, copy=None, blocking=False",
    "ascontiguousarray": "a, dtype=None",
    "broadcast_to": "array, shape",
    "concatenate": "tup, axis=0, out=None, *, dtype=None, casting=None",
    "cumsum": "a, axis=None, dtype=None, out=None",
    "empty": "shape, dtype=float, order=None",
    "expand_dims": "a, axis",
    "flip": "a, axis=None",
    "full": "shape, fill_value, dtype=None, order=None",
    "full_like": "a, fill_value, dtype=None, order=None, subok=None, shape=None",
    "isdtype": "dtype, kind",
    "issubdtype": "arg1, arg2",
    "matmul": "*args, axes=None, axis=None, keepdims=False, casting=None, dtype=None, "
    "signature=None, order=None, out=None",
    "max": "a, axis=None, out=None, keepdims=False",
    "mean": "a, axis=None, dtype=None, out=None, keepdims=False",
    "min": "a, axis=None, out=None, keepdims=False",
    "ones": "shape, dtype=float, order=None",
    "ones_like": "a, dtype=None, order=None, subok=None, shape=None",
    "partition": "a, kth, axis=-1",
    "reshape": "a, newshape, order=None, *, copy=None",
    "round": "a, decimals=0, out=None",
    "searchsorted": "a, v, side=None, sorter=None",
    "sort": "a, axis=-1, kind=None",
    "stack": "tup, axis=0, out=None, *, dtype=None, casting=None",
    "sum": "a, axis=None, dtype=None, out=None, keepdims=False",
    "swapaxes": "a, axis1, axis2",
    "take": "a, indices, axis=None, out=None",
    "take_along_axis": "a, indices, axis",
    "transpose": "a, axes=None",
    "where": "condition, x=None, y=None",
    "zeros": "shape, dtype=float, order=None",
    "zeros_like": "a, dtype=None, order=None, subok=None, shape=None",
}
# Elementwise, with so many arguments.
UFUNCS = {
    "abs": 1,
    "arctan2": 2,
    "ceil": 1,
    "cos": 1,
    "equal": 2,
    "exp": 1,
    "expm1": 1,
    "floor": 1,
    "frexp": 1,
    "isfinite": 1,
    "isinf": 1,
    "isnan": 1,
    "log": 1,
    "log1p": 1,
    "maximum": 2,
    "minimum": 2,
    "sign": 1,
    "sin": 1,
    "sinh": 1,
    "sqrt": 1,
    "tanh": 1,
}
# Of dtypes and shapes, not of arrays.
STATIC = ("broadcast_shapes", "can_cast", "dtype", "finfo", "iinfo", "promote_types")


class WaitError(AssertionError):
    """The host would wait for the device, or copy."""


_FORBIDS = contextvars.ContextVar("forbids", default=False)


@contextlib.contextmanager
def without_waits() -> Iterator[None]:
    """Raise `WaitError` where the host would wait for the device, or copy."""
    token = _FORBIDS.set(True)
    try:
        yield
    finally:
        _FORBIDS.reset(token)


def _wait(what: str) -> None:
    if _FORBIDS.get():
        raise WaitError(what)


class ndarray(np.lib.mixins.NDArrayOperatorsMixin):  # noqa: N801
    """An array "on the device"."""

    __array_priority__ = 100.0
    __hash__ = None

    def __init__(self, host: np.ndarray) -> None:
        self._host = host

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if method != "__call__":
            return NotImplemented
        _refuse_host_arrays(ufunc.__name__, *inputs)
        if out is None:
            return _wrap(ufunc(*map(_unwrap, inputs), **options))
        ufunc(*map(_unwrap, inputs), out=tuple(x._host for x in out), **options)
        return out[0]

    def __array_function__(self, function, *_):
        raise TypeError(f"numpy.{function.__name__} of a CuPy array")

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def _to_number(self, *_):
        _wait("an array is converted to a number")
        return self._host.item()

    __bool__ = __int__ = __float__ = __complex__ = item = _to_number

    def get(self) -> np.ndarray:
        _wait("an array is copied to the host")
        return self._host.copy()

    def astype(self, dtype, copy=True):
        return _wrap(self._host.astype(dtype, copy=copy))

    def copy(self):
        return _wrap(self._host.copy())

    def _places(self, key):
        keys = key if isinstance(key, tuple) else (key,)
        for x in keys:
            _refuse_host_arrays("an index", x)
            if isinstance(x, ndarray) and x.dtype == bool:
                _wait("a mask is counted on the host")
        found = tuple(_unwrap(x) for x in keys)
        return found if isinstance(key, tuple) else found[0]

    def __getitem__(self, key):
        return _wrap(self._host[self._places(key)])

    def __setitem__(self, key, value):
        self._host[self._places(key)] = _unwrap(value)

    def __len__(self):
        return len(self._host)

    shape = property(lambda self: self._host.shape)
    ndim = property(lambda self: self._host.ndim)
    size = property(lambda self: self._host.size)
    dtype = property(lambda self: self._host.dtype)
    itemsize = property(lambda self: self._host.itemsize)
    strides = property(lambda self: self._host.strides)
    T = property(lambda self: _wrap(self._host.T))
    mT = property(lambda self: _wrap(self._host.mT))  # noqa: N815
    device = property(lambda self: Device())


class Device:
    """The only one. As CuPy's, it has no hash."""

    id = 0
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, *_: Any) -> None:
        pass

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device)

    def __enter__(self) -> "Device":
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Stream:
    """For annotations."""


def _wrap(x: Any) -> Any:
    if isinstance(x, np.ndarray | np.generic):
        return ndarray(np.asarray(x))
    return tuple(map(_wrap, x)) if isinstance(x, tuple | list) else x


def _unwrap(x: Any) -> Any:
    if isinstance(x, ndarray):
        return x._host
    return type(x)(map(_unwrap, x)) if type(x) in (tuple, list) else x


def _refuse_host_arrays(name: str, *arguments: Any) -> None:
    for x in arguments:
        if isinstance(x, np.ndarray):
            raise TypeError(f"Unsupported type numpy.ndarray for {name}")


def signature_of(name: str) -> inspect.Signature:
    """Return the parameters of a function of CuPy, or refuse one that is not known."""
    if name in UFUNCS:
        parameters = ", ".join(f"x{k}" for k in range(UFUNCS[name])) + ", /, out=None"
    elif name in FUNCTIONS:
        parameters = FUNCTIONS[name]
    else:
        raise WaitError(f"cupy.{name} is not known to run without a wait")
    return inspect.signature(eval(f"lambda {parameters}: None"))


def _make_function(name: str, function: Any) -> Any:
    def call(*arguments, **options):
        if _FORBIDS.get():
            try:
                signature_of(name).bind(*arguments, **options)
            except TypeError as error:
                raise TypeError(f"cupy.{name}: {error}") from error
        if name in ("array", "asarray"):
            if isinstance(arguments[0], np.ndarray | list | tuple):
                _wait("an array of the host is copied to the device")
        else:
            _refuse_host_arrays(name, *arguments, *options.values())
        return _wrap(
            function(
                *map(_unwrap, arguments),
                **{key: _unwrap(x) for key, x in options.items()},
            )
        )

    call.__name__ = name
    return call


def install(kernels: type | None = None) -> types.ModuleType:
    """Put the stand-in in the place of CuPy, and give it; with such raw kernels."""
    cupy = types.ModuleType("cupy")
    cupy.__path__ = []  # type: ignore[attr-defined]
    for name in dir(np):
        value = getattr(np, name)
        if name.startswith("_") or isinstance(value, types.ModuleType):
            continue
        is_function = callable(value) and not isinstance(value, type)
        is_function = is_function and name not in STATIC
        setattr(cupy, name, _make_function(name, value) if is_function else value)
    cupy.ndarray, cupy.__version__ = ndarray, "14.2.0"  # type: ignore[attr-defined]
    cupy.result_type = lambda *x: np.result_type(*map(_unwrap, x))
    if kernels is not None:
        cupy.RawKernel = kernels  # type: ignore[attr-defined]
    cuda = types.ModuleType("cupy.cuda")
    cuda.__path__ = []  # type: ignore[attr-defined]
    cuda.Device, cuda.Stream = Device, Stream  # type: ignore[attr-defined]
    cuda.runtime = types.ModuleType("cupy.cuda.runtime")
    cuda.runtime.getDeviceProperties = lambda _: {"totalGlobalMem": 8 * 2**30}
    device = types.ModuleType("cupy.cuda.device")
    device.Device = Device  # type: ignore[attr-defined]
    cupy.cuda, cuda.device = cuda, device  # type: ignore[attr-defined]
    modules = {"cupy": cupy, "cupy.cuda": cuda, "cupy.cuda.device": device}
    for part in ("linalg", "fft"):
        module = types.ModuleType(f"cupy.{part}")
        names = [x for x in dir(getattr(np, part)) if not x.startswith("_")]
        for name in names:
            value = getattr(getattr(np, part), name)
            is_function = callable(value) and not isinstance(value, type)
            setattr(module, name, _make_function(name, value) if is_function else value)
        module.__all__ = names  # type: ignore[attr-defined]
        setattr(cupy, part, module)
        modules[module.__name__] = module
    sys.modules |= modules
    return cupy
