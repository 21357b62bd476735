"""What callers pass, by types; who calls, found without torch; and at which line."""

import sys
import warnings
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, Literal, TypedDict

# Arrays of every backend share an interface and no base class.
Array = Any
# A module such as numpy, jax.numpy or array_api_compat.torch.
Namespace = ModuleType
# A device of the backend, or None for its default.
Device = Any
# The two words of a seed, each of shape (1,).
Seed = tuple[Array, Array]
# An int, a random generator or key of the backend, or None for fresh entropy.
RandomSource = Any
# Threads for NumPy, -1 for all cores; a function that is called as map is; a process
# group of torch; the name of a mesh axis of JAX.
Workers = Any
# A function of (done, total), or a bar as of tqdm.
Progress = Any


class SharingOptions(TypedDict, total=False):
    """Options of functions that workers may compute: see `workers.Execution`."""

    workers: Workers
    progress: Progress


class ExecutionOptions(SharingOptions, total=False):
    """Options of functions that compute replicates some at a time."""

    batch: int | None


# The choices of shared options, whose names `checks` takes from here.
Alternative = Literal["two-sided", "greater", "less"]
StatisticName = Literal["mean", "median", "iqm"]
Statistic = Callable[..., Array] | StatisticName
# The statistics of tests, which may also compare means in units of their error.
TestedStatistic = Statistic | Literal["t"]

# Where torch is imported first, its compiler need not trace `sys.modules`, of which it
# makes an object for each module.
_TORCH = sys.modules.get("torch")
_PACKAGE = __name__.partition(".")[0]


def is_traced_by_torch() -> bool:
    torch = _TORCH or sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


def is_watched_by_torch() -> bool:
    """Tell whether torch would itself trace functions that are called here."""
    frames = sys.modules.get("torch._C._dynamo.eval_frame")
    if frames is None:
        return False
    callback = getattr(frames, "get_eval_frame_callback", lambda: None)()
    return callback is not None and callback is not False


def list_entries(
    info: Any, dims: Sequence[int | None], arrays: Sequence[Array]
) -> list[tuple[Array, ...]]:
    """Return tensors of each entry of a `torch.func.vmap`, for an operator's rule."""
    if info.batch_size == 0:
        return []  # torch cannot unbind an empty axis while it traces
    parts = [
        [x] * info.batch_size if dim is None else x.unbind(dim)
        for x, dim in zip(arrays, dims, strict=True)
    ]
    return list(zip(*parts, strict=True))


def warn_caller(message: str) -> None:
    """Warn at the line that called the library, however deep in it this is."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_own(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, UserWarning, stacklevel=level)


def _is_own(module: str) -> bool:
    return module.partition(".")[0] == _PACKAGE
