"""Time calls with NumPy's arrays by the engine and by array code, in turns.

    OMP_NUM_THREADS=1 python -m benchmarks.engine

All of it in one process: seconds are those of the processor, the shortest of many
turns, so that other work on the machine counts less. Results have to have the same
bits, or this stops.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import functools
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sigarray
from benchmarks.machine import name_processor, without_kernels
from benchmarks.reproduce.corpus_metrics import draw_bleu
from sigarray import corpus, of_sums, responses
from sigarray._backend.compiled_numpy import describe_engine, load_kernels

# Turns of a call: this many seconds, and at least three.
_SECONDS, _MIN_TURNS = 1.5, 3
_N_MANY, _N_SEGMENTS = 1000, 2000

Call = Callable[..., Any]
HEADER = "| call | array code, ms | engine, ms | ratio |\n|---|--:|--:|--:|"


def list_calls() -> Iterator[tuple[str, Call]]:
    """Yield the name of each call, and the call."""
    yield from _calls_of_order()
    yield from _calls_of_differences()
    yield from _calls_of_sums()
    sets = responses.simulate(_N_MANY, 5, rng=0)
    options: dict[str, Any] = {"alternative": "greater", "n_resamples": 1000, "rng": 0}
    test = functools.partial(responses.response_test, *sets, **options)
    yield "response_test, 1000 x 5, 1000 resamples", test


def _calls_of_order() -> Iterator[tuple[str, Call]]:
    for n, m in ((5, 5), (20, 20), (100, 100), (1000, 1000), (300, 200)):
        rng = np.random.default_rng(n)
        samples = rng.normal(0.5, 1.0, n), rng.normal(0.0, 1.0, m)
        yield f"aso, {n} and {m}", functools.partial(sigarray.aso, *samples, rng=0)
    samples = np.random.default_rng(0).normal(size=(2, 200, 5))
    yield "aso, 200 pairs of 5 and 5", functools.partial(sigarray.aso, *samples)
    rng = np.random.default_rng(0)
    for shape in ((5, 20), (60, 20)):
        scores = rng.normal(size=shape)
        name = "multi_aso, {} x {}".format(*shape)
        yield name, functools.partial(sigarray.multi_aso, scores, rng=0)


def _calls_of_differences() -> Iterator[tuple[str, Call]]:
    a, b = np.random.default_rng(0).normal(size=(2, _N_MANY))
    named: dict[str, tuple[Call, tuple[np.ndarray, ...], dict[str, Any]]] = {
        "bootstrap_ci": (sigarray.bootstrap_ci, (a,), {"method": "percentile"}),
        "bootstrap_ci, two samples": (sigarray.bootstrap_ci, (a, b), {}),
        "bootstrap_test, paired": (sigarray.bootstrap_test, (a, b), {"paired": True}),
        "bootstrap_test, 200 clusters": (
            sigarray.bootstrap_test,
            (a, b),
            {"paired": True, "clusters": np.arange(_N_MANY) // 5},
        ),
        "permutation_test, paired": (
            sigarray.permutation_test,
            (a, b),
            {"paired": True},
        ),
        "permutation_test": (sigarray.permutation_test, (a, b), {}),
    }
    for name, (function, samples, options) in named.items():
        call = functools.partial(function, *samples, **options, rng=0)
        yield f"{name}, n = {_N_MANY}", call


def _calls_of_sums() -> Iterator[tuple[str, Call]]:
    rng = np.random.default_rng(0)
    counts = draw_bleu(rng, _N_SEGMENTS)
    reals = rng.gamma(2.0, size=(2, 5, _N_SEGMENTS))
    named = {
        "BLEU": (counts, of_sums(corpus.bleu)),
        "a ratio of five sums of reals": (reals, of_sums(_divide)),
    }
    for name, (samples, statistic) in named.items():
        options: dict[str, Any] = {"statistic": statistic, "paired": True, "rng": 0}
        for function in (sigarray.bootstrap_test, sigarray.permutation_test):
            call = functools.partial(function, *samples, **options, n_resamples=1000)
            yield f"{function.__name__}, {name}, {_N_SEGMENTS:,} items", call


def _divide(*sums: Any) -> Any:
    return sums[0] * sums[1] / (sums[2] + sums[3] + sums[4])


def time_both(call: Call) -> tuple[float, float]:
    """Return the seconds of a call by array code, and by the engine."""
    best, turns, start = [np.inf, np.inf], 0, time.perf_counter()
    while turns < _MIN_TURNS or time.perf_counter() - start < _SECONDS:
        with without_kernels():
            expected, seconds = _time(call)
        best[0] = min(best[0], seconds)
        found, seconds = _time(call)
        best[1] = min(best[1], seconds)
        turns += 1
    if not all(map(np.array_equal, _flatten(found), _flatten(expected))):
        sys.exit(f"{call}: other bits")
    return best[0], best[1]


def _time(call: Call) -> tuple[Any, float]:
    start = time.process_time()
    result = call()
    return result, time.process_time() - start


def _flatten(result: Any) -> Iterator[Any]:
    if not isinstance(result, tuple):
        yield result
        return
    for part in result:
        yield from _flatten(part)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="folder for results")
    parser.add_argument("--only", default="", help="calls whose names begin so")
    options = parser.parse_args()
    if load_kernels() is None:
        sys.exit(f"There is no engine: {describe_engine()}.")
    warnings.simplefilter("ignore")  # of few scores
    rows = []
    print(HEADER)
    for name, call in list_calls():
        if not name.startswith(options.only):
            continue
        slow, fast = time_both(call)
        rows.append({"call": name, "array code": slow, "engine": fast})
        cells = f"{1e3 * slow:.2f} | {1e3 * fast:.2f} | {slow / fast:.1f}"
        print(f"| {name} | {cells} |", flush=True)
    print(f"\n{name_processor()}, NumPy {np.__version__}, {describe_engine()}.")
    if options.output:
        figures = {"machine": name_processor(), "numpy": np.__version__, "calls": rows}
        figures["engine"] = describe_engine()
        text = json.dumps(figures, indent=1) + "\n"
        (options.output / "engine.json").write_text(text)


if __name__ == "__main__":
    main()
