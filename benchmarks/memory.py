"""Measure the memory that calls take at their peak, beside their samples.

    SIGARRAY_ENGINE=array python -m benchmarks.memory

prints the table of `benchmarks/README.md`, which a test compares with what it measures:
bytes that NumPy allocates (tracemalloc), that torch allocates on the processor (its
profiler), and that XLA reserves for a program of JAX (`memory_analysis`). All of it in
float64, with one thread; NumPy's is that of array code.
"""

import tracemalloc
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import sigarray
from sigarray import responses
from sigarray._backend import workers

MIB = 2**20
LIBRARIES = ("NumPy", "torch", "JAX")


class Call(NamedTuple):
    """A call of a function with samples of some shapes."""

    function: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    options: dict[str, Any]

    @property
    def name(self) -> str:
        """How the call is written in the table."""
        sizes = ["x".join(map(str, shape)) for shape in self.shapes]
        options = [f"{k}={v!r}" for k, v in self.options.items() if k != "rng"]
        return f"{self.function.__name__}({', '.join(sizes + options)})"

    def samples(self) -> list[np.ndarray]:
        """Draw the samples."""
        rng = np.random.default_rng(0)
        return [rng.normal(size=shape) for shape in self.shapes]

    def run(self, samples: list[Any]) -> Any:
        """Call the function with samples of any library."""
        return self.function(*samples, **self.options)


def call(
    function: Callable[..., Any],
    *shapes: tuple[int, ...],
    rng: int | None = 0,
    **more: Any,
) -> Call:
    """Describe a call, with a seed but for functions that take none."""
    return Call(function, shapes, more if rng is None else {"rng": rng, **more})


CALLS = [
    call(sigarray.violation_ratio, (10**6,), (10**6,), rng=None),
    call(sigarray.violation_ratio, (10**6,), (900_000,), rng=None),
    call(sigarray.aso, (20,), (20,)),
    call(sigarray.aso, (1000,), (1000,)),
    call(sigarray.aso, (1000,), (700,)),
    call(sigarray.aso, (1000,), (1000,), batch=10),
    call(sigarray.aso, (1000,), (1000,), batch=1000),
    call(sigarray.aso, (1000, 20), (1000, 20)),
    call(sigarray.aso, (10**6,), (10**6,), dt=0.005),
    call(sigarray.aso, (10**6,), (10**6,), n_resamples=9),
    call(sigarray.aso, (10**6,), (10**6,), method="asymptotic", rng=None),
    call(sigarray.multi_aso, (100, 20)),
    call(sigarray.multi_aso, (100, 1000), n_resamples=9),
    call(sigarray.bootstrap_test, (1000,), (1000,), n_resamples=999),
    call(sigarray.bootstrap_test, (10**6,), (10**6,), n_resamples=9),
    call(sigarray.bootstrap_ci, (1000,), (1000,), n_resamples=999),
    call(sigarray.permutation_test, (1000,), (1000,), n_resamples=999),
    call(sigarray.permutation_test, (10**6,), (10**6,), n_resamples=9),
    call(sigarray.permutation_test, (10**6,), (10**6,), paired=True, n_resamples=9),
    call(sigarray.bootstrap_ci, (1000, 1000), strata=0, n_resamples=9),
    call(sigarray.probability_of_improvement, (1000,), (1000,), n_resamples=99),
    call(sigarray.performance_profile, (10**5,), (20,), n_resamples=9),
    call(sigarray.t_test, (10**6,), (10**6,), rng=None),
    call(sigarray.mann_whitney_u, (10**6,), (10**6,), rng=None),
    call(sigarray.bootstrap_power_analysis, (1000,), n_resamples=999),
    call(sigarray.required_sample_size, (30,), (30,)),
    call(responses.response_test, (1000, 5), (1000, 5), (1000, 5)),
    call(responses.response_test, (10, 100, 5), (10, 100, 5), (10, 100, 5)),
]


def measure(chosen: Call, library: str) -> float:
    """Return the MiB that a call takes at its peak, beside its samples."""
    samples = chosen.samples()
    return _PEAKS[library](chosen, samples) / MIB


def _peak_of_numpy(chosen: Call, samples: list[np.ndarray]) -> int:
    # Without the block that is asked for, and never touched, to keep what is freed.
    size, workers._LARGE_BLOCK_BYTES = workers._LARGE_BLOCK_BYTES, 0
    tracemalloc.start()
    try:
        chosen.run(samples)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        workers._LARGE_BLOCK_BYTES = size


def _peak_of_torch(chosen: Call, samples: list[np.ndarray]) -> int:
    import torch

    tensors = [torch.asarray(x) for x in samples]
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with torch.profiler.profile(profile_memory=True) as profile:
            chosen.run(tensors)
    finally:
        torch.set_num_threads(n_threads)
    held = peak = 0
    for event in profile.profiler.kineto_results.events():
        if event.name() == "[memory]":
            held += event.nbytes()
            peak = max(peak, held)
    return peak


def _peak_of_jax(chosen: Call, samples: list[np.ndarray]) -> int:
    import jax

    arrays = [jax.ShapeDtypeStruct(x.shape, x.dtype) for x in samples]
    with jax.enable_x64(True):
        program = jax.jit(lambda *x: chosen.run(list(x))).lower(*arrays).compile()
    sizes = program.memory_analysis()
    return int(sizes.temp_size_in_bytes + sizes.output_size_in_bytes)


_PEAKS: dict[str, Callable[[Call, list[np.ndarray]], int]] = {
    "NumPy": _peak_of_numpy,
    "torch": _peak_of_torch,
    "JAX": _peak_of_jax,
}


def main() -> None:
    """Print the table."""
    print(f"| call | samples | {' | '.join(LIBRARIES)} |\n|---|---:|---:|---:|---:|")
    for chosen in CALLS:
        size = sum(x.nbytes for x in chosen.samples()) / MIB
        peaks = [f"{measure(chosen, library):.2f}" for library in LIBRARIES]
        print(f"| `{chosen.name}` | {size:.2f} | {' | '.join(peaks)} |", flush=True)


if __name__ == "__main__":
    main()
