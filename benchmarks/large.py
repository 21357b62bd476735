"""How many times as long as sorting both samples `aso` of many scores takes.

    OMP_NUM_THREADS=1 python -m benchmarks.large

NumPy float64 on one thread, 1000 resamples, the shortest of a few turns.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine import name_processor
from benchmarks.versus import time_in_turns
from sigarray import aso
from sigarray._numeric.quantile import Grid

EXPONENTS = (5, 6, 7)
WAYS: dict[str, dict[str, Any]] = {
    "auto": {},
    "dt": {"dt": 0.005},
    "asymptotic": {"method": "asymptotic"},
}


def measure(n: int) -> dict[str, float]:
    """Return the seconds of sorting and of each way, and the quantiles of "auto"."""
    a, b = np.random.default_rng(0).normal(size=(2, n))
    calls = {"sorting": lambda: (np.sort(a), np.sort(b))}
    calls |= {
        name: functools.partial(aso, a, b, rng=0, **by) for name, by in WAYS.items()
    }
    return time_in_turns(calls) | {"quantiles": Grid(n_scores=n).size}


def say_row(exponent: str, found: dict[str, float]) -> str:
    """Return the row of so many scores."""
    alone = f"{1e3 * found['sorting']:.{0 if found['sorting'] > 0.01 else 1}f} ms"
    times = (found[name] / found["sorting"] for name in WAYS)
    shown = " | ".join(f"{x:.0f}" if x >= 20.0 else f"{x:.1f}" for x in times)
    return f"| 10^{exponent} | {alone} | {shown} | {found['quantiles']:,} |"


def main() -> None:
    """Print a table, and write it to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="write the figures, as JSON")
    options = parser.parse_args()
    figures: dict[str, Any] = {"machine": name_processor(), "sizes": {}}
    print('| scores of each | sorting both | "auto" | dt | "asymptotic" | quantiles |')
    print("|---|---:|---:|---:|---:|---:|")
    for exponent in map(str, EXPONENTS):
        figures["sizes"][exponent] = found = measure(10 ** int(exponent))
        print(say_row(exponent, found), flush=True)
    print(f"\n{name_processor()}.")
    if options.output:
        options.output.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
