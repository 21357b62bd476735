"""Time one and two workers of each engine, side by side, and extrapolate to many.

    OMP_NUM_THREADS=1 python -m benchmarks.scale

NumPy float64. A call shares its tasks among threads, processes of loky, or workers of
Dask on this machine; all have the bits of one that computes alone, or this stops. The
cost of a task is that of one which does nothing, sent and received one after the other.
With that of loky, W workers take max(t / W, tasks * cost): on paper, for what was not
run.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import contextlib
import json
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import name_processor
from sigarray import aso, bootstrap_test, multi_aso, permutation_test

# The shortest of so many.
_REPEATS = 5
_WORKERS = (10, 100, 1000)
_N_IDLE_TASKS = 200

Map = Callable[..., Iterable[Any]]


def make_calls(rng: np.random.Generator) -> dict[str, Callable[..., Any]]:
    """Return calls of some seconds, which take `workers`."""
    a, b = rng.normal(size=(2, 1000))
    models = rng.normal(size=(300, 20))
    options = {"rng": 0}
    return {
        "aso, n = 1000, 20,000 resamples": lambda **by: aso(
            a, b, n_resamples=20_000, **options, **by
        ),
        "multi_aso, 300 x 20, 500 resamples": lambda **by: multi_aso(
            models, n_resamples=500, **options, **by
        ),
        "permutation_test, n = 1000, 99,999 resamples": lambda **by: permutation_test(
            a, b, n_resamples=99_999, **options, **by
        ),
        "bootstrap_test, n = 1000, 99,999 resamples": lambda **by: bootstrap_test(
            a, b, n_resamples=99_999, **options, **by
        ),
    }


@contextlib.contextmanager
def start_engines() -> Iterator[dict[str, Any]]:
    """Return who may compute: threads as a number, and maps of other engines.

    Dask's as it comes, where workers give all memory back to the system at once, and as
    `docs/scale.md` advises.
    """
    import dask
    import loky
    from distributed import Client, LocalCluster

    settings = {"threads_per_worker": 1, "dashboard_address": None}
    environment = "distributed.nanny.pre-spawn-environ"
    kept = dask.config.get(environment) | {
        "MALLOC_TRIM_THRESHOLD_": 2**25,
        "MALLOC_MMAP_THRESHOLD_": 2**25,
    }
    with contextlib.ExitStack() as stack:
        # Processes of loky first: Dask changes the environment that they get. And they
        # stay: by default they end when they idle for 10 s, while others are timed.
        executor = stack.enter_context(loky.get_reusable_executor(2, timeout=3600))
        list(executor.map(_do_nothing, range(2)))
        plain = stack.enter_context(LocalCluster(n_workers=2, **settings))
        client = stack.enter_context(Client(plain))
        stack.enter_context(dask.config.set({environment: kept}))
        keeping = stack.enter_context(LocalCluster(n_workers=2, **settings))
        other = stack.enter_context(Client(keeping))
        yield {
            "threads": 2,
            "loky": executor.map,
            "Dask": client.get_executor().map,
            "Dask, memory kept": other.get_executor().map,
        }


def measure(call: Callable[..., Any], engines: dict[str, Any]) -> dict[str, float]:
    """Return the seconds of one alone, and of two workers of each engine."""
    who = {"alone": None, **engines}
    expected = call()
    seconds = dict.fromkeys(who, float("inf"))
    for _ in range(_REPEATS):
        for name, workers in who.items():
            start = time.perf_counter()
            result = call(workers=workers)
            seconds[name] = min(seconds[name], time.perf_counter() - start)
            for found, value in zip(result, expected, strict=True):
                np.testing.assert_array_equal(found, value)
    return seconds


def count_tasks(call: Callable[..., Any]) -> int:
    """Count the tasks that a map is given."""
    counts = []

    def apply(function: Callable[[Any], Any], tasks: list[Any]) -> Iterable[Any]:
        counts.append(len(tasks))
        return map(function, tasks)

    call(workers=apply)
    return sum(counts)


def cost_of_task(apply: Map) -> float:
    """Return the seconds that an engine takes for a task that does nothing."""
    best = float("inf")
    for _ in range(_REPEATS):
        start = time.perf_counter()
        list(apply(_do_nothing, range(_N_IDLE_TASKS)))
        best = min(best, time.perf_counter() - start)
    return best / _N_IDLE_TASKS


def _do_nothing(task: int) -> int:
    return task


def say_gains(name: str, seconds: dict[str, float]) -> str:
    """Return row of a call: seconds alone, and how many times as fast others are."""
    alone, *others = seconds.values()
    shown = " | ".join(f"{alone / x:.2f}" for x in others)
    return f"| {name} | {alone:.2f} s | {shown} |"


def say_on_paper(name: str, figure: dict[str, Any], cost: float) -> str:
    """Return the row of a call: how many times as fast so many workers would be."""
    alone, n_tasks = figure["seconds"]["alone"], figure["tasks"]
    gains = [alone / max(alone / min(w, n_tasks), n_tasks * cost) for w in _WORKERS]
    return f"| {name} | {n_tasks} |" + "".join(f" {x:.0f} |" for x in gains)


def main() -> None:
    """Print two tables, and write them to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="write the figures, as JSON")
    options = parser.parse_args()
    calls = make_calls(np.random.default_rng(0))
    figures: dict[str, Any] = {"machine": name_processor(), "calls": {}}
    with start_engines() as engines:
        costs = {k: cost_of_task(x) for k, x in engines.items() if callable(x)}
        figures["seconds_of_a_task"] = costs
        names = " | ".join(f"2 of {name}" for name in engines)
        print(f"| call | alone | {names} |\n|---|---:|" + "---:|" * len(engines))
        for name, call in calls.items():
            seconds, n_tasks = measure(call, engines), count_tasks(call)
            figures["calls"][name] = {"seconds": seconds, "tasks": n_tasks}
            print(say_gains(name, seconds), flush=True)
    print("\nOn paper: times as fast as one alone, of so many tasks.\n")
    print("| call | tasks |" + "".join(f" {w} workers |" for w in _WORKERS))
    print("|---|---:|" + "---:|" * len(_WORKERS))
    for name, figure in figures["calls"].items():
        print(say_on_paper(name, figure, costs["loky"]))
    shown = ", ".join(f"{k} {1e3 * x:.2f} ms" for k, x in costs.items())
    print(f"\nA task costs {shown}. {figures['machine']}.")
    if options.output:
        options.output.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
