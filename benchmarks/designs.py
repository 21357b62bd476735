"""Time designs and metrics of a whole test set beside their peers, in one process.

    python -m pip install -e ".[versus]"
    OMP_NUM_THREADS=1 python -m benchmarks.designs

As `benchmarks.versus`. The peers:

- sacrebleu's paired tests, which are given the statistics of segments;
- rliable's intervals and profiles;
- our own call without the design, or with a callable in place of `of_sums`.

The second table has the nanoseconds that each step of a replicate of sums takes, for
each unit that is resampled. `--output` writes both, as Markdown and JSON, and limits of
rliable beside ours.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import importlib.metadata
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.design_peers import check_rliable, list_tasks
from benchmarks.machine import name_processor
from benchmarks.peers import Run, is_there
from benchmarks.versus import HEADER as VERSUS_HEADER
from benchmarks.versus import describe, list_lines, measure, time_in_turns, time_words
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import seed_words
from sigarray._backend.threefry import random_places, random_words
from sigarray._resampling.draws import Exchanges, Places, sum_weighted

HEADER = VERSUS_HEADER.replace("| peer |", "| beside |")
PACKAGES = ("numpy", "scipy", "sacrebleu", "rliable", "arch")
# Units that are resampled, replicates of a chunk of resamples and of one of exchanges,
# and numbers of sums.
N_UNITS, N_AT_ONCE, N_EXCHANGED, N_SUMS = 2000, 128, 1000, (2, 10, 20, 36)


def measure_steps() -> dict[str, float]:
    """Return the nanoseconds of a replicate and a unit in each step."""
    seed = seed_words(HOST, 0)
    sizes = [N_UNITS], [N_UNITS], False
    (places,) = random_places(HOST, seed, 0, N_AT_ONCE, *sizes)
    counts = HOST.astype(HOST.count_places(places, N_UNITS), HOST.float64)
    x = np.random.default_rng(0).poisson(5.0, (max(N_SUMS), N_UNITS)).astype(float)
    drawn, exchanged = Places(seed), Exchanges(seed, N_UNITS // 2)
    summands = drawn.prepare_sums(HOST, [x[:20]])
    pairs = exchanged.prepare_sums(HOST, [x[:10]])
    runs: dict[str, Run] = {
        "random words, half a word each": lambda: random_words(
            HOST, seed, 0, N_AT_ONCE, N_UNITS // 2
        ),
        "places, their words included": lambda: random_places(
            HOST, seed, 0, N_AT_ONCE, *sizes
        ),
        "gather and sum, one sum": lambda: HOST.sum(
            HOST.take_last(x[0], places), axis=-1
        ),
        "counts of places": lambda: HOST.astype(
            HOST.count_places(places, N_UNITS), HOST.float64
        ),
        **{
            f"product, {d} sums": lambda d=d: sum_weighted(HOST, x[:d], counts)
            for d in N_SUMS
        },
        "all of a resample, 20 sums": lambda: drawn.find_sums(
            HOST, summands, 0, N_AT_ONCE
        ),
        "all of an exchange, 10 sums": lambda: exchanged.find_sums(
            HOST, pairs, 0, N_EXCHANGED
        ),
    }
    seconds = time_in_turns(runs)
    by_unit = {"all of an exchange, 10 sums": N_EXCHANGED * N_UNITS // 2}
    return {
        name: 1e9 * took / by_unit.get(name, N_AT_ONCE * N_UNITS)
        for name, took in seconds.items()
    }


def say_step(name: str, nanoseconds: float) -> str:
    """Return the row of a step."""
    return f"| {name} | {nanoseconds:.2f} |"


def write_page(figures: dict[str, Any]) -> str:
    """Return the table of tasks, as Markdown."""
    rate = figures["seconds_of_a_word"]
    lines = [HEADER, *(x for row in figures["tasks"] for x in list_lines(row, rate))]
    named = figures["machine"], *map(" ".join, figures["versions"].items())
    return "\n".join([*lines, "", f"{named[0]}; {', '.join(named[1:])}.", ""])


def main() -> None:
    """Print both tables, and fail below a floor."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="folder for results")
    parser.add_argument("--only", default="", help="tasks whose names begin so")
    options = parser.parse_args()
    versions = {x: importlib.metadata.version(x) for x in PACKAGES if is_there(x)}
    rate = time_words(10**6) / 10**6
    rows, failures = [], []
    print(HEADER)
    for task in list_tasks():
        if not (task.peers and task.name.startswith(options.only)):
            continue
        row = measure(task)
        rows.append(row)
        print("\n".join(list_lines(row, rate)), flush=True)
        for peer, seconds in row["peers"].items():
            if seconds < task.floor * row["sigarray"]:
                ratio = seconds / row["sigarray"]
                failures.append(f"{task.name}, {peer}: {ratio:.2f} < {task.floor:.2f}")
    print("\n| step of a replicate of sums | nanoseconds |\n|---|---:|")
    steps = measure_steps()
    print("\n".join(say_step(*x) for x in steps.items()))
    print(f"\n{describe(versions)}")
    if options.output:
        figures = {
            "machine": name_processor(),
            "versions": versions,
            "seconds_of_a_word": rate,
            "tasks": rows,
            "steps": steps,
            "rliable": check_rliable(),
        }
        text = json.dumps(figures, indent=1) + "\n"
        (options.output / "designs.json").write_text(text)
        (options.output / "designs.md").write_text(write_page(figures))
    if failures:
        sys.exit("below the floor: " + "; ".join(failures))


if __name__ == "__main__":
    main()
