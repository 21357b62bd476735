"""The backends on which every test runs, and what each forbids while it computes."""

import contextlib
import dataclasses
import importlib
import importlib.util
import os
import re
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from sigarray._backend import of_numpy
from sigarray._backend.dispatch import library_of
from tests.quick_strict import quicken

# Several workers share one GPU.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

BACKENDS = (
    "numpy",
    "array_api_strict",
    "array_api_strict:no_float64",
    "torch",
    "torch:cuda",
    "jax.numpy",
    "jax.numpy:x64",
    "cupy",
)
# SIGARRAY_BACKENDS, a list with commas, narrows them.
CHOSEN = os.environ.get("SIGARRAY_BACKENDS", ",".join(BACKENDS)).split(",")

# Whether to run all tests: those marked `long`, and all cases where fewer are enough.
HAS_ALL = os.environ.get("SIGARRAY_TESTS") == "all"


def find_lack(name: str) -> str | None:
    """Say what a backend lacks here, or nothing."""
    library, _, variant = name.partition(":")
    root = library.partition(".")[0]
    if importlib.util.find_spec(root) is None:
        return f"{root} is not installed"
    needs_gpu = variant == "cuda" or root == "cupy"
    if needs_gpu and not importlib.import_module(root).cuda.is_available():
        return f"{root} has no GPU here"
    return None


# Those that are here; test_backend_is_here says of the others why not.
HERE = [name for name in CHOSEN if find_lack(name) is None]
# Without JAX, which compiles a program for every shape and every option. That it gives
# the numbers of NumPy is for the contract tests to show, and those marked `everywhere`,
# or `in_every_width`, where 64 bits are another path.
EAGER = [name for name in HERE if not name.startswith("jax")]
# A device without float64 is for the contract tests, too, and for two rooms.
USUAL = [name for name in EAGER if HAS_ALL or name != "array_api_strict:no_float64"]
ONE_WIDTH = [name for name in HERE if name != "jax.numpy:x64"]
everywhere = pytest.mark.parametrize("backend", ONE_WIDTH, indirect=True)
# What takes long and is not of a backend: published figures, memory, the ancestor.
whole_suite = pytest.mark.skipif(
    "SIGARRAY_BACKENDS" in os.environ, reason="SIGARRAY_BACKENDS asks for a part"
)
in_every_width = pytest.mark.parametrize("backend", HERE, indirect=True)

needs_engine = pytest.mark.skipif(
    importlib.util.find_spec("sigarray._backend._engine") is None
    or os.environ.get("SIGARRAY_ENGINE") == "array",
    reason="no C compiler was there: python -m pip install -e . compiles the engine",
)


@contextlib.contextmanager
def without_engine() -> Iterator[None]:
    """Compute with NumPy's arrays by the array code alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(of_numpy, "find_kernels", lambda *_: None)
        yield


@dataclasses.dataclass(frozen=True)
class Backend:
    """A namespace, the device to test on, and its widest float dtype."""

    name: str
    xp: Any
    device: Any
    float_name: str = "float64"

    @property
    def library(self) -> Any:
        """What functions within the library take for a namespace and a device."""
        return library_of(self.xp, None if self.is_jax else self.device)

    @property
    def is_jax(self) -> bool:
        return self.name.startswith("jax")

    @property
    def atol(self) -> float:
        """Rounding error to allow in numbers around 1."""
        return 1e-12 if self.float_name == "float64" else 1e-6

    @property
    def rtol(self) -> float:
        """Rounding error of a sum of a thousand terms, added up in another order.

        XLA chooses the order by the shapes and the processor, and may add up one by
        one: 20 roundings were seen for 1225 terms of float32.
        """
        return 1e-7 if self.float_name == "float64" else 1e-5

    def asarray(self, values: Any, dtype: str | None = None) -> Any:
        """Put host values on the device, floats in the widest dtype by default."""
        values = np.array(values)
        if dtype is None and values.dtype.kind == "f":
            dtype = self.float_name
        values = values.astype(dtype) if dtype else values
        return self.xp.asarray(values, device=self.device)

    def to_numpy(self, array: Any) -> np.ndarray:
        """Fetch an array from the device."""
        if self.name.startswith("array_api_strict"):
            array = array.to_device(self.xp.Device("CPU_DEVICE"))
        elif self.name.startswith("torch"):
            array = array.cpu()
        elif self.name == "cupy":
            array = array.get()
        return np.asarray(array)

    def to_words(self, array: Any) -> np.ndarray:
        """Fetch random words, which torch has as signed integers."""
        return self.to_numpy(array).view(np.uint32)

    @contextlib.contextmanager
    def no_transfers(self) -> Iterator[None]:
        """Raise wherever an array would go to the host, or wait for it."""
        with GUARDS.get(self.name, contextlib.nullcontext)():
            yield


@contextlib.contextmanager
def _strict_without_scalars() -> Iterator[None]:
    import array_api_strict

    def refuse(*_: Any) -> Any:
        raise AssertionError("an array was converted to a Python scalar")

    kind = type(array_api_strict.zeros(1))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("__float__", "__bool__", "__int__", "__index__", "__complex__"):
            patch.setattr(kind, name, refuse)
        yield


@contextlib.contextmanager
def _torch_without_scalars() -> Iterator[None]:
    from torch.utils._python_dispatch import TorchDispatchMode

    class Guard(TorchDispatchMode):
        forbidden = ("_local_scalar_dense", "nonzero", "_unique2", "masked_select")

        def __torch_dispatch__(
            self, function: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            name = function._schema.name.removeprefix("aten::")
            assert name not in self.forbidden, f"aten::{name} waits for the device"
            return function(*args, **(kwargs or {}))

    with Guard():
        yield


@contextlib.contextmanager
def _cuda_without_syncs() -> Iterator[None]:
    import torch

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it does not detect every wait
            torch.cuda.set_sync_debug_mode("error")
        yield
    finally:
        torch.cuda.set_sync_debug_mode("default")


GUARDS: dict[str, Callable[[], contextlib.AbstractContextManager[None]]] = {
    "array_api_strict": _strict_without_scalars,
    "array_api_strict:no_float64": _strict_without_scalars,
    "torch": _torch_without_scalars,
    "torch:cuda": _cuda_without_syncs,
}


def require(library: str) -> Any:
    """Import an array library, or skip the test where it is not to be tested."""
    root = library.partition(".")[0]
    if all(re.split(r"[.:]", name)[0] != root for name in CHOSEN):
        pytest.skip(f"SIGARRAY_BACKENDS leaves out {root}")
    return pytest.importorskip(library)


def make_backend(name: str) -> Backend:
    """Import a backend by name, or skip the test where it is not there."""
    if name not in CHOSEN:
        pytest.skip(f"SIGARRAY_BACKENDS leaves out {name}")
    lack = find_lack(name)
    if lack:
        pytest.skip(lack)
    library, _, variant = name.partition(":")
    root = importlib.import_module(library)
    if library == "array_api_strict":
        quicken()
        root.set_array_api_strict_flags(
            boolean_indexing=False, data_dependent_shapes=False, enabled_extensions=[]
        )
        # What runs on a device that is not the default one runs on that one too.
        device = root.Device(variant or "device1")
        widest = "float32" if variant == "no_float64" else "float64"
        return Backend(name, root, device, widest)
    if library == "torch":
        namespace = importlib.import_module("array_api_compat.torch")
        return Backend(name, namespace, root.device(variant or "cpu"))
    if library == "jax.numpy":
        return Backend(name, root, None, "float64" if variant else "float32")
    if library == "cupy":
        namespace = importlib.import_module("array_api_compat.cupy")
        return Backend(name, namespace, root.cuda.Device())
    return Backend(name, root, "cpu")


@contextlib.contextmanager
def use_backend(name: str) -> Iterator[Backend]:
    """Return a backend; of JAX, in its own width of numbers."""
    backend = make_backend(name)
    if not backend.is_jax:
        yield backend
        return
    import jax

    with jax.enable_x64(backend.float_name == "float64"):
        yield backend


def make_fixture(names: list[str]) -> Any:
    """Make the fixture of a folder or a file: every one of these backends in turn."""

    @pytest.fixture(params=names)
    def backend(request: pytest.FixtureRequest) -> Iterator[Backend]:
        with use_backend(request.param) as backend:
            yield backend

    return backend
