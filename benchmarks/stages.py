"""Where the time of one comparison by `aso` goes: nanoseconds of a score, by stages.

    OMP_NUM_THREADS=1 python -m benchmarks.stages

NumPy float64, one thread. Each stage is timed on what the stage before gives it, for
as many resamples at a time as a call takes. The rest is what a call does once, and what
a stage takes longer among the others than alone.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import functools

import numpy as np
from array_api_compat import numpy as xp

import sigarray
from benchmarks.machine import name_processor
from benchmarks.peers import N_RESAMPLES
from benchmarks.versus import time_in_turns
from sigarray._backend.libraries import take_last
from sigarray._backend.seeds import seed_words, stream_seeds
from sigarray._backend.threefry import random_uniforms, random_words
from sigarray._numeric.quantile import resampled_ranks
from sigarray._order.ratio import plan_replicates, ratio_of_samples

SIZES = (20, 100, 1000, 10_000, 100_000)
STAGES = ("random words", "uniforms", "ranks", "scores", "ratio", "rest")


def measure(n: int) -> list[float]:
    """Give the nanoseconds of a score in each stage, and then in all."""
    rng = np.random.default_rng(n)
    a, b = rng.normal(0.5, 1.0, n), rng.normal(0.0, 1.0, n)
    plan = plan_replicates(xp, [a[None, :], b[None, :]], N_RESAMPLES, None, None)
    count, is_last = min(plan.batch, N_RESAMPLES), plan.axis == -1
    # Both samples at once, as the call draws them.
    seed = stream_seeds(xp, seed_words(xp, "cpu", 0), [0, 1])
    uniforms = random_uniforms(xp, seed, 0, count, n + 1)[:, :1, :]
    ranks = resampled_ranks(xp, n, uniforms, None, is_last=is_last)
    scores = np.sort(a)
    x, y = (take_last(xp, np.sort(z), ranks) for z in (a, b))
    calls = {
        "random words": (2, lambda: random_words(xp, seed, 0, count, n // 2 + 1)),
        "uniforms": (2, lambda: random_uniforms(xp, seed, 0, count, n + 1)),
        "ranks": (1, lambda: resampled_ranks(xp, n, uniforms, None, is_last=is_last)),
        "scores": (1, lambda: take_last(xp, scores, ranks)),
        "ratio": (2, lambda: ratio_of_samples(xp, None, x, y, plan.axis)),
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


def main() -> None:
    """Print a table."""
    print("| scores | " + " | ".join(STAGES) + " | all |")
    print("|---:|" + "---:|" * (len(STAGES) + 1))
    for n in SIZES:
        print(f"| {n:,} | " + " | ".join(f"{x:.1f}" for x in measure(n)) + " |")
    print(f"\n{name_processor()}.")


if __name__ == "__main__":
    main()
