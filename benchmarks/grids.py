"""What grids lose of the exact integral, by scores whose tails are light and heavy.

    OMP_NUM_THREADS=1 python -m benchmarks.grids

For each distribution the mean over pairs of samples of 40,000 scores, A a little ahead
of B, of: the exact violation ratio; how far off it is on the grid of the papers, dt =
0.005; and at those quantiles at which "auto" compares resamples, which are finer in the
tails. And how many times the standard error of all scores those of both grids are.
"""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")

import argparse
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np

from sigarray import aso, violation_ratio
from sigarray._backend.of_numpy import HOST
from sigarray._numeric.quantile import Grid
from sigarray._order.ratio import observed_ratios

N_SCORES, N_PAIRS, N_RESAMPLES = 40_000, 4, 2000
DISTRIBUTIONS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "normal": lambda rng, n: rng.normal(size=n),
    "lognormal": lambda rng, n: rng.lognormal(size=n),
    "Pareto, exponent 3": lambda rng, n: rng.pareto(3.0, size=n),
    "Pareto, exponent 1.5": lambda rng, n: rng.pareto(1.5, size=n),
}


def measure(draw: Callable[[np.random.Generator, int], np.ndarray]) -> list[float]:
    """Return the ratio, its errors, and shares of standard errors."""
    rows = []
    for seed in range(N_PAIRS):
        rng = np.random.default_rng(seed)
        a, b = 1.01 * draw(rng, N_SCORES), draw(rng, N_SCORES)
        exact = float(violation_ratio(a, b))
        coarse = float(violation_ratio(a, b, dt=0.005))
        stacks = [a[None, :], b[None, :]]
        fine = float(observed_ratios(HOST, stacks, grid=Grid(n_scores=N_SCORES))[0])
        errors = [
            float(aso(a, b, n_resamples=N_RESAMPLES, rng=0, **options).standard_error)
            for options in ({"method": "bootstrap"}, {"dt": 0.005}, {})
        ]
        shares = [error / errors[0] for error in errors[1:]]
        rows.append([exact, abs(coarse - exact), abs(fine - exact), *shares])
    return [float(x) for x in np.mean(rows, axis=0)]


def say_row(name: str, numbers: list[float]) -> str:
    """Return the row of a distribution."""
    ratio, coarse, fine, *shares = numbers
    shown = " | ".join(f"{x:.3f}" for x in shares)
    return f"| {name} | {ratio:.3f} | {coarse:.1e} | {fine:.1e} | {shown} |"


def main() -> None:
    """Print a table, and write it to a file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, help="write the figures, as JSON")
    options = parser.parse_args()
    figures = {}
    print(
        '| scores | ratio | error, dt = 0.005 | error, "auto" | standard error, '
        'dt = 0.005 | standard error, "auto" |\n|---|---:|---:|---:|---:|---:|'
    )
    for name, draw in DISTRIBUTIONS.items():
        figures[name] = measure(draw)
        print(say_row(name, figures[name]), flush=True)
    if options.output:
        options.output.write_text(json.dumps(figures, indent=1) + "\n")


if __name__ == "__main__":
    main()
