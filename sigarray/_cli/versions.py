"""What `sigarray --version --verbose` says, for the report of an error."""

import importlib.metadata
import platform
from collections.abc import Iterator

from sigarray._backend.compiled_numpy import describe_engine
from sigarray._version import __version__

# Those whose arrays may be compared, and those of files and pictures; a package of CuPy
# is for one version of CUDA.
_PACKAGES = ("numpy", "array-api-compat", "torch", "jax", "cupy")
_OTHERS = ("pandas", "pyarrow", "matplotlib", "rich")
_VARIANTS = {"cupy": ("cupy-cuda13x", "cupy-cuda12x", "cupy")}


def list_versions() -> Iterator[str]:
    """Yield the lines: versions, and who computes with NumPy's arrays."""
    yield f"sigarray {__version__}"
    yield f"Python {platform.python_version()}, {platform.platform()}"
    for name in (*_PACKAGES, *_OTHERS):
        yield f"{name} {_find_version(name)}"
    yield f"engine: {describe_engine()}"


def _find_version(name: str) -> str:
    for package in _VARIANTS.get(name, (name,)):
        try:
            return importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return "is not installed"
