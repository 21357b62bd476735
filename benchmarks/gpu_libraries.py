"""The calls of `benchmarks.gpu` with CuPy and with JAX, on the same GPU."""

import dataclasses
import importlib
import importlib.util
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

from benchmarks.gpu_calls import CALLS, Samples, make_samples


def time_libraries(
    calls: Sequence[str], device: torch.device, rounds: int
) -> dict[str, Any]:
    """Return milliseconds by call and library: each call, then a wait for its result.

    JAX runs a program that it has compiled before. What fails says why in its place.
    """
    samples = make_samples(device, torch.float32)
    found: dict[str, Any] = {call: {} for call in calls}
    for name in list_libraries(device):
        prepare = {"cupy": prepare_cupy, "jax": prepare_jax}[name]
        for call in calls:
            try:
                found[call][name] = time_call(prepare(call, samples), rounds)
            except Exception as error:
                found[call][name] = f"{type(error).__name__}: {error}"[:2000]
    return found


def list_libraries(device: torch.device) -> list[str]:
    """Return the libraries that are installed for the device, and name those not."""
    found = [x for x in ("cupy", "jax") if importlib.util.find_spec(x) is not None]
    if device.type == "cpu":
        return [x for x in found if x != "cupy"]
    blind = [x for x in found if not sees_gpu(x)]
    for name in blind:
        print(f"{name} sees no GPU: its column is left out.")
    return [x for x in found if x not in blind]


def sees_gpu(name: str) -> bool:
    """Tell whether a library is one for GPUs, and finds one."""
    library = importlib.import_module(name)
    if name == "jax":
        return bool(library.default_backend() == "gpu")
    return bool(library.cuda.is_available())


def time_call(function: Callable[[], Any], rounds: int) -> float:
    """Return the median of milliseconds, after a first call."""
    function()
    times = []
    for _ in range(rounds):
        before = time.perf_counter()
        function()
        times.append(1e3 * (time.perf_counter() - before))
    return statistics.median(times)


def prepare_cupy(call: str, samples: Samples) -> Callable[[], Any]:
    """Return the call with arrays of CuPy."""
    import cupy

    arrays = Samples(**convert(samples, cupy.from_dlpack))

    def run() -> None:
        CALLS[call](arrays)
        cupy.cuda.get_current_stream().synchronize()

    return run


def prepare_jax(call: str, samples: Samples) -> Callable[[], Any]:
    """Return the call as a program of JAX."""
    import jax

    arrays = convert(samples, jax.numpy.from_dlpack)
    program = jax.jit(lambda arrays: CALLS[call](Samples(**arrays)))
    return lambda: jax.block_until_ready(program(arrays))


def convert(samples: Samples, function: Callable[[Any], Any]) -> dict[str, Any]:
    """Return the samples by name, each an array of another library."""
    names = (field.name for field in dataclasses.fields(samples))
    return {name: function(getattr(samples, name)) for name in names}
