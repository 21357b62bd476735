"""Aliases for types that the array API does not name."""

from collections.abc import Callable
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
