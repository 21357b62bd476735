"""Where the time of `aso` goes, by stages, and what a pair of many models takes.

    OMP_NUM_THREADS=1 python -m benchmarks.stages

The first table is of NumPy float64 on one thread, method "bootstrap": nanoseconds of a
score. Each stage is timed on what the stage before gives it, for as many resamples at a
time as a call takes. The rest is what a call does once, and what a stage takes longer
among the others than alone. The second table has nanoseconds of a pair, resample and
score of `multi_aso` in each library that is here, and of the four passes over
differences that it needs at the least: a difference, its square, its positive part, and
that one's square.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import functools
import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import sigarray
from benchmarks.machine import name_processor
from benchmarks.peers import N_RESAMPLES, Run
from benchmarks.versus import time_in_turns
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words, stream_seeds
from sigarray._backend.threefry import random_uniforms, random_words
from sigarray._numeric.quantile import Spacings, resampled_ranks
from sigarray._order.comparison import ratio_of_samples
from sigarray._order.ratio import SortedResamples

SIZES = (20, 100, 1000, 10_000, 100_000)
STAGES = ("random words", "uniforms", "ranks", "scores there", "ratio", "rest")
# Models, and resamples of each.
MODELS = ((30, 1000), (100, 1000), (300, 250))
N_SCORES, N_PASSES = 20, 100


def measure_stages(n: int) -> list[float]:
    """Return the nanoseconds of a score in each stage, and then in all."""
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.5, 1.0, n), rng.normal(0.0, 1.0, n)
    plan = SortedResamples.of(HOST, [a[None, :], b[None, :]], [], None)
    count, is_last = min(plan.batch, N_RESAMPLES), plan.axis == -1
    # Both samples at once, as the call draws them.
    seed = stream_seeds(HOST, seed_words(HOST, 0), [0, 1])
    uniforms = random_uniforms(HOST, seed, 0, count, n + 1)[:, :1, :]
    every = Spacings(n)
    ranks = resampled_ranks(HOST, uniforms, every, is_last=is_last)
    scores = np.sort(a)
    x, y = (HOST.take_last(np.sort(z), ranks) for z in (a, b))
    calls: dict[str, tuple[float, Run]] = {
        "random words": (2, lambda: random_words(HOST, seed, 0, count, n // 2 + 1)),
        "uniforms": (2, lambda: random_uniforms(HOST, seed, 0, count, n + 1)),
        "ranks": (1, lambda: resampled_ranks(HOST, uniforms, every, is_last=is_last)),
        "scores": (1, lambda: HOST.take_last(scores, ranks)),
        "ratio": (2, lambda: ratio_of_samples(HOST, None, x, y, plan.axis)),
        "all": (
            2 * N_RESAMPLES / count,
            functools.partial(
                sigarray.aso, a, b, n_resamples=N_RESAMPLES, method="bootstrap", rng=0
            ),
        ),
    }
    seconds = time_in_turns({name: run for name, (_, run) in calls.items()})
    words, both, *others, every = (
        seconds[name] / (samples * count * n) * 1e9
        for name, (samples, _) in calls.items()
    )
    stages = [words, both - words, *others]
    return [*stages, every - sum(stages), every]


def measure_pairs(n_models: int, n_resamples: int) -> dict[str, float]:
    """Return the nanoseconds of a pair, resample and score, by library."""
    scores = np.random.default_rng(0).normal(size=(n_models, N_SCORES))
    block = draw_block()
    own = {
        "four passes of NumPy": (
            N_PASSES * block[0].size,
            functools.partial(pass_over, *block),
        )
    }
    work = n_models * (n_models - 1) // 2 * n_resamples * N_SCORES
    for name, (convert, wait) in find_libraries().items():
        samples = convert(scores)
        own[name] = work, functools.partial(compare, samples, n_resamples, wait)
    # Not in turns: each finds its own numbers in the cache.
    return {
        name: time_in_turns({name: run})[name] / numbers * 1e9
        for name, (numbers, run) in own.items()
    }


def compare(scores: Any, n_resamples: int, wait: Callable) -> None:
    """Compare all pairs of models, and wait for the result."""
    options = {"n_resamples": n_resamples, "method": "bootstrap", "rng": 0}
    wait(sigarray.multi_aso(scores, **options))


def find_libraries() -> dict[str, tuple[Callable, Callable]]:
    """Return how each library takes scores, and how it is waited for."""
    found: dict[str, tuple[Callable, Callable]] = {"NumPy": (np.asarray, tuple)}
    if importlib.util.find_spec("torch"):
        import torch

        torch.set_num_threads(1)
        found["torch"] = torch.from_numpy, tuple
    if importlib.util.find_spec("jax"):
        import jax

        jax.config.update("jax_enable_x64", True)
        found["JAX"] = jax.numpy.asarray, jax.block_until_ready
    return found


def draw_block() -> tuple[np.ndarray, np.ndarray]:
    """Draw scores of pairs, as many as are compared at once: 512 KiB each."""
    shape = 2**16 // (N_SCORES * 250), N_SCORES, 250
    x, y = np.random.default_rng(0).normal(size=(2, *shape))
    return x, y


def pass_over(x: np.ndarray, y: np.ndarray) -> None:
    """Pass over differences as often as a violation ratio needs, again and again."""
    difference = np.empty_like(x)
    for _ in range(N_PASSES):
        np.subtract(y, x, out=difference)
        np.einsum("pnr,pnr->pr", difference, difference)
        np.maximum(difference, 0.0, out=difference)
        np.einsum("pnr,pnr->pr", difference, difference)


def say_row(name: str, numbers: list[float], *, digits: int) -> str:
    """Return the row of a table."""
    shown = (f"{x:.{digits}f}" for x in numbers)
    return f"| {name} | {' | '.join(shown)} |"


def main() -> None:
    """Print both tables, and write them to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="write the figures, as JSON")
    options = parser.parse_args()
    figures: dict[str, Any] = {"machine": name_processor(), "stages": {}, "pairs": {}}
    print("| n | " + " | ".join(STAGES) + " | all |")
    print("|---:|" + "---:|" * (len(STAGES) + 1))
    for n in SIZES:
        figures["stages"][f"{n:,}"] = stages = measure_stages(n)
        print(say_row(f"{n:,}", stages, digits=1), flush=True)
    for k, sizes in enumerate(MODELS):
        found = measure_pairs(*sizes)
        if not k:
            print("\n| models | " + " | ".join(found) + " |")
            print("|---:|" + "---:|" * len(found))
        figures["pairs"][f"{sizes[0]}"] = found
        print(say_row(f"{sizes[0]}", list(found.values()), digits=2), flush=True)
    print(f"\n{name_processor()}.")
    if options.output:
        options.output.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
