"""Arrays that NumPy saved: .npz, with a name for each."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from sigarray.read._bytes import TableError
from sigarray.read._frame import Frame
from sigarray.read._nested import read_nested

_ADVICE = (
    "Save arrays by the names of their models: np.savez('scores.npz', **arrays), where "
    "arrays is a dict"
)


def read_arrays(path: str) -> dict[str, Any] | Frame:
    """Return scores by model, or with a column for each axis if these are several."""
    try:
        loaded = np.load(path, allow_pickle=False)
        if isinstance(loaded, np.ndarray):
            msg = f"{path}: expected a name for each array; got one array. {_ADVICE}."
            raise TableError(msg)
        with loaded:
            arrays = {name: loaded[name] for name in loaded.files}
    except FileNotFoundError as error:
        msg = f"{path} cannot be read: No such file or directory."
        raise TableError(msg) from error
    except TableError:
        raise
    except (OSError, EOFError, ValueError, zipfile.BadZipFile) as error:
        is_pickled = "allow_pickle" in str(error)
        got = "objects of Python, which are not loaded" if is_pickled else str(error)
        load = "; load such a file by np.load(..., allow_pickle=True)[()]"
        msg = (
            f"{path}: expected arrays of numbers; got {got.splitlines()[0]}. {_ADVICE}"
            f"{load if Path(path).suffix == '.npy' else ''}."
        )
        raise TableError(msg) from error
    for name, x in arrays.items():
        if x.dtype.kind not in "biuf" or not x.ndim or not x.size:
            msg = (
                f"{path}: expected arrays of numbers; got {name!r} of shape {x.shape} "
                f"and dtype {x.dtype}."
            )
            raise TableError(msg)
    if all(x.ndim == 1 for x in arrays.values()):
        return arrays
    frame = read_nested(path, {name: x.tolist() for name, x in arrays.items()})
    if frame is None:
        shapes = ", ".join(f"{name} {x.shape}" for name, x in arrays.items())
        msg = f"{path}: expected arrays of as many axes, three at most; got {shapes}."
        raise TableError(msg)
    return frame
