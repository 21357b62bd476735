"""Time sigarray and its peers side by side, in one process, and give the ratios.

    python -m pip install -e ".[versus]"
    OMP_NUM_THREADS=1 python -m benchmarks.versus

NumPy float64, one thread; seconds are those of the processor, so that other work on the
machine counts less. The peers, of which each is left
out where it is not installed:

- deep-significance with its defaults;
- SciPy's vectorized functions as they are called, and the fastest of several batches
  and of its new generator;
- rliable's stratified bootstrap, which is that of arch;
- the algorithm of google-research/vet as published by Wein et al. (2023): a loop over
  items, of ours;
- statsmodels.

Each time is the shortest of several, taken in turns. What a peer would take too long
for it does in part, and the time is that of all of it. `--output` writes the table, as
Markdown and JSON, and draws times against the number of scores, with the time that the
random numbers alone take.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import functools
import importlib.metadata
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import sigarray
from benchmarks import pictures
from benchmarks.machine import name_processor, without_kernels
from benchmarks.peers import (
    N_RESAMPLES,
    N_TEST_RESAMPLES,
    Run,
    Task,
    count_words,
    deepsig_peer,
    draw_scores,
    is_there,
    list_tasks,
    scipy_permutations,
)

HEADER = (
    "| task | sigarray | by array code | its random numbers alone | peer | its time "
    "| ratio |\n|---|---:|---:|---:|---|---:|---:|"
)
PACKAGES = ("numpy", "scipy", "deepsig", "rliable", "arch", "statsmodels")
# The shortest of so many, or of as many as take so long.
_REPEATS, _SECONDS = 7, 4.0
# Sizes of the picture; peers that are slower have no more than these.
SIZES = (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)
_MAX_DEEPSIG, _MAX_SCIPY = 200, 5000


def time_in_turns(runs: dict[str, Run]) -> dict[str, float]:
    """Return the shortest seconds of the processor, after a first round to warm up."""
    best = dict.fromkeys(runs, float("inf"))
    start = time.perf_counter()
    for turn in range(1 + _REPEATS):
        for name, run in runs.items():
            begin = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - begin)
        if turn and time.perf_counter() - start > _SECONDS:
            break
    return best


def measure(task: Task) -> dict[str, Any]:
    """Return seconds of a task, ours and those of its peers; the fastest of SciPy."""

    def by_array_code() -> Any:
        with without_kernels():
            return task.ours()

    runs = {"sigarray": task.ours, "array code": by_array_code}
    seconds = time_in_turns(runs | {k: x.run for k, x in task.peers.items()})
    ours, of_array_code = map(seconds.pop, runs)
    peers = {name: x / task.peers[name].share for name, x in seconds.items()}
    tried = {k: x for k, x in peers.items() if k.startswith("SciPy, ")}
    if tried:
        fastest = min(tried, key=lambda name: tried[name])
        peers = {k: x for k, x in peers.items() if k not in tried}
        peers["SciPy at its fastest"] = tried[fastest]
    return {
        "task": task.name,
        "sigarray": ours,
        "array_code": of_array_code,
        "words": task.words,
        "peers": peers,
        "floor": task.floor,
    }


def measure_sizes(rate: float) -> dict[str, dict[str, list[tuple[int, float]]]]:
    """Return seconds against the number of scores: ours, of peers, of random numbers.

    A random word takes so many seconds.
    """
    orders: dict[str, list[tuple[int, float]]] = {}
    tests: dict[str, list[tuple[int, float]]] = {}

    def add(table: dict[str, Any], n: int, seconds: dict[str, float]) -> None:
        for name, x in seconds.items():
            table.setdefault(name, []).append((n, x))

    for n in SIZES:
        a, b = draw_scores(n, 0.5)
        run = functools.partial(
            sigarray.aso, a, b, method="bootstrap", n_resamples=N_RESAMPLES, rng=0
        )
        peers = {}
        if n <= _MAX_DEEPSIG:
            peers = deepsig_peer("aso", a, b, num_bootstrap_iterations=10, share=0.01)
        found = measure(Task("", run, peers))
        add(orders, n, {"sigarray": found["sigarray"], **found["peers"]})
        add(orders, n, {"its random numbers alone": count_words(n) * rate})

        run = functools.partial(
            sigarray.permutation_test, a, b, n_resamples=N_TEST_RESAMPLES, rng=0
        )
        if n < 10:  # all permutations are fewer
            continue
        peers = scipy_permutations(a, b, "independent") if n <= _MAX_SCIPY else {}
        found = measure(Task("", run, peers))
        add(tests, n, {"sigarray": found["sigarray"], **found["peers"]})
        # Half a word for each score, and beyond 4096 of both together a whole one.
        words = n if 2 * n <= 2**12 else 2 * n
        add(tests, n, {"its random numbers alone": N_TEST_RESAMPLES * words * rate})
    return {
        f"aso, {N_RESAMPLES} resamples": orders,
        f"permutation_test, {N_TEST_RESAMPLES} resamples": tests,
    }


def time_words(count: int) -> float:
    """Seconds to draw so many random words, in chunks of a size that suits."""
    from sigarray._backend.of_numpy import HOST
    from sigarray._backend.seeds import seed_words
    from sigarray._backend.threefry import random_words

    seed = seed_words(HOST, 0)
    width = 2**16

    def run() -> None:
        for start in range(-(-count // width)):
            random_words(HOST, seed, start, 1, width)

    return time_in_turns({"words": run})["words"]


def draw(sizes: dict[str, dict[str, list[tuple[int, float]]]], path: Path) -> None:
    """Draw seconds against the number of scores."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    styles = {
        "sigarray": "o-C0",
        "deep-significance": "s-C3",
        "SciPy": "s-C1",
        "SciPy at its fastest": "^-C1",
        "its random numbers alone": "--C7",
    }
    for axes, (title, series) in zip(
        np.atleast_1d(figure.subplots(1, len(sizes))), sizes.items(), strict=True
    ):
        for name, points in series.items():
            n, seconds = zip(*points, strict=True)
            axes.loglog(n, seconds, styles[name], label=name, markersize=4)
        axes.set(title=title, xlabel="scores of each model", ylabel="seconds")
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
    pictures.save(figure, path, dpi=150)


def list_lines(row: dict[str, Any], rate: float) -> Iterator[str]:
    """Yield the lines of a task in the table, one for each of its peers."""
    alone = format_seconds(row["words"] * rate) if row["words"] else ""
    for peer, seconds in row["peers"].items():
        ratio = seconds / row["sigarray"]
        shown = f"{ratio:.0f}" if ratio >= 10.0 else f"{ratio:.2f}"
        times = map(format_seconds, (row["sigarray"], row["array_code"]))
        cells = row["task"], *times, alone, peer, format_seconds(seconds), shown
        yield f"| {' | '.join(cells)} |"


def say_floor(row: dict[str, Any], rates: tuple[float, float]) -> str:
    """Return the row of a call beside its random numbers, by kernels and array code."""
    cells = [row["task"]]
    for seconds, rate in zip((row["sigarray"], row["array_code"]), rates, strict=True):
        drawn = row["words"] * rate
        cells += [format_seconds(seconds), format_seconds(drawn)]
        cells.append(f"{seconds / drawn:.1f}")
    return f"| {' | '.join(cells)} |"


def describe(versions: dict[str, str]) -> str:
    """Name the machine and the versions."""
    return f"{name_processor()}; {', '.join(map(' '.join, versions.items()))}."


def format_seconds(seconds: float) -> str:
    """Write seconds in a unit that suits."""
    if seconds >= 1.0:
        return f"{seconds:.2f} s"
    return f"{seconds * 1e3:.{3 if seconds < 1e-3 else 1}f} ms"


def main() -> None:
    """Print a table of times and ratios, and fail below a floor."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="folder for results")
    parser.add_argument("--only", default="", help="tasks whose names begin so")
    options = parser.parse_args()
    versions = {
        name: importlib.metadata.version(name) for name in PACKAGES if is_there(name)
    }
    rows, failures = [], []
    rate = time_words(10**6) / 10**6
    with without_kernels():
        rate_of_array_code = time_words(10**6) / 10**6
    print(HEADER)
    for task in list_tasks():
        if not (task.peers and task.name.startswith(options.only)):
            continue
        row = measure(task)
        rows.append(row)
        print("\n".join(list_lines(row, rate)), flush=True)
        for peer, seconds in row["peers"].items():
            ratio = seconds / row["sigarray"]
            if ratio < task.floor:
                failures.append(f"{task.name}, {peer}: {ratio:.2f} < {task.floor:.2f}")
    print(f"\n{describe(versions)}")
    if options.output:
        sizes = measure_sizes(rate)
        draw(sizes, options.output / "versus.png")
        figures = {
            "machine": name_processor(),
            "versions": versions,
            "seconds_of_a_word": rate,
            "seconds_of_a_word_by_array_code": rate_of_array_code,
            "tasks": rows,
            "sizes": sizes,
        }
        text = json.dumps(figures, indent=1) + "\n"
        (options.output / "versus.json").write_text(text)
        lines = [HEADER, *(x for row in rows for x in list_lines(row, rate))]
        table = "\n".join([*lines, "", describe(versions), ""])
        (options.output / "versus.md").write_text(table)
    if failures:
        sys.exit("below the floor: " + "; ".join(failures))


if __name__ == "__main__":
    main()
