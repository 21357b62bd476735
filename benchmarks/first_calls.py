"""Seconds of the first call of functions on JAX, which compiles, and of a cached one.

    OMP_NUM_THREADS=1 python -m benchmarks.first_calls

Each of 30 scores or items, in a process for all of them; then again in another process,
which finds the programs in `JAX_COMPILATION_CACHE_DIR`.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.machine import name_processor

N = 30


def list_calls() -> dict[str, Callable[[], Any]]:
    """Return calls by name."""
    import jax
    import numpy as np

    import sigarray
    from sigarray import responses

    draw = np.random.default_rng(0).normal
    a, b = (jax.numpy.asarray(x) for x in draw(size=(2, N)))
    models = jax.numpy.asarray(draw(size=(5, N)))
    sets = [jax.numpy.asarray(x) for x in draw(size=(3, N, 5))]
    rng = {"rng": 0}
    made = {"n_items": N, "n_responses": 5, "xp": jax.numpy, **rng}
    return {
        "aso": lambda: sigarray.aso(a, b, **rng),
        "multi_aso": lambda: sigarray.multi_aso(models, **rng),
        "bootstrap_ci": lambda: sigarray.bootstrap_ci(a, b, **rng),
        "bootstrap_test": lambda: sigarray.bootstrap_test(a, b, **rng),
        "permutation_test": lambda: sigarray.permutation_test(a, b, **rng),
        "required_sample_size": lambda: sigarray.required_sample_size(a, b, **rng),
        "responses.response_test": lambda: responses.response_test(*sets, **rng),
        "responses.true_p_value": lambda: responses.true_p_value(**made),
        "responses.power": lambda: responses.power(**made),
    }


def time_calls() -> dict[str, float]:
    """Return the seconds of the first call of each, once JAX is there."""
    import jax

    jax.block_until_ready(jax.numpy.zeros(2) + 1.0)
    seconds = {}
    for name, call in list_calls().items():
        start = time.perf_counter()
        jax.block_until_ready(tuple(call()))
        seconds[name] = time.perf_counter() - start
    return seconds


def say_row(name: str, seconds: dict[str, float]) -> str:
    """Return the row of a call."""
    return f"| `{name}` | {seconds['first']:.1f} s | {seconds['cached']:.1f} s |"


def main() -> None:
    """Print a table, and write it to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="write the figures, as JSON")
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        print(json.dumps(time_calls()))
        return
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        cache = {
            "JAX_COMPILATION_CACHE_DIR": folder,
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        }
        for _ in range(2):
            process = subprocess.run(
                [sys.executable, "-m", "benchmarks.first_calls", "--once"],
                capture_output=True,
                text=True,
                check=True,
                env=os.environ | cache,
            )
            runs.append(json.loads(process.stdout.splitlines()[-1]))
    first, cached = runs
    calls = {x: {"first": first[x], "cached": cached[x]} for x in first}
    print("| call | first | cached |\n|---|---:|---:|")
    for name, seconds in calls.items():
        print(say_row(name, seconds))
    print(f"\n{name_processor()}.")
    if options.output:
        figures = {"machine": name_processor(), "calls": calls}
        options.output.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
