"""What a call costs that has few scores, most of which is Python.

    OMP_NUM_THREADS=1 python -m benchmarks.few_scores --beside ../older

prints microseconds of NumPy float64 on one thread, the least of many calls; beside
another checkout they are timed in turns, each time in a fresh process.
"""

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.machine import name_processor

SIZES = (5, 20)
_TURNS, _SECONDS_OF_A_CALL = 3, 0.3
ROOT = Path(__file__).parent.parent


def list_calls(a: Any, b: Any) -> dict[str, Callable[[], Any]]:
    """Return calls by their names, whose options older checkouts have, too."""
    import sigarray

    t_test = getattr(sigarray, "t_test", None) or sigarray.welch_t_test
    drawn, side = {"rng": 0}, {"alternative": "greater"}
    both = {**drawn, **side}
    bootstrap_test = sigarray.bootstrap_test
    permutation_test = sigarray.permutation_test
    return {
        "aso": lambda: sigarray.aso(a, b, **drawn),
        "bootstrap_test": lambda: bootstrap_test(a, b, **both),
        "bootstrap_test, paired": lambda: bootstrap_test(a, b, paired=True, **both),
        "bootstrap_ci": lambda: sigarray.bootstrap_ci(a, b, **drawn),
        "permutation_test": lambda: permutation_test(a, b, paired=False, **both),
        "permutation_test, paired": lambda: permutation_test(a, b, paired=True, **both),
        "t_test": lambda: t_test(a, b, **side),
        "mann_whitney_u": lambda: sigarray.mann_whitney_u(a, b, **side),
    }


def measure() -> dict[str, float]:
    """Return the least microseconds of each call."""
    import numpy as np

    warnings.simplefilter("ignore")
    found = {}
    for n in SIZES:
        rng = np.random.default_rng(n)
        a, b = rng.normal(0.5, 1.0, n), rng.normal(0.0, 1.0, n)
        for name, run in list_calls(a, b).items():
            found[f"{name}, n = {n}"] = 1e6 * min(_time(run))
    return found


def _time(run: Callable[[], Any]) -> Iterator[float]:
    run()
    end = time.perf_counter() + _SECONDS_OF_A_CALL
    while time.perf_counter() < end:
        begin = time.perf_counter()
        run()
        yield time.perf_counter() - begin


def measure_elsewhere(folder: Path) -> dict[str, float]:
    """Measure in a fresh process, with the library of a checkout."""
    paths = os.pathsep.join(map(str, (folder.resolve(), ROOT)))
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": paths}
    # Of that checkout is the library alone.
    code = (
        f"import json, sys, sigarray; sys.path.insert(0, {str(ROOT)!r}); "
        "from benchmarks.few_scores import measure; print(json.dumps(measure()))"
    )
    command = [sys.executable, "-P", "-c", code]
    output = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    )
    return json.loads(output.stdout)  # type: ignore[no-any-return]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--beside", type=Path, help="folder of another checkout")
    options = parser.parse_args()
    trees = [ROOT] if options.beside is None else [options.beside, ROOT]
    best: list[dict[str, float]] = [{} for _ in trees]
    for _ in range(_TURNS):
        for least, tree in zip(best, trees, strict=True):
            for name, x in measure_elsewhere(tree).items():
                least[name] = min(x, least.get(name, x))
    *_, ours = best
    print("| call | there | here | ratio |" if options.beside else "| call | time |")
    print("|---|---:|---:|---:|" if options.beside else "|---|---:|")
    for name in ours:
        cells = [f"{least[name]:.0f} µs" for least in best]
        cells += [f"{best[0][name] / ours[name]:.2f}"] * (len(best) > 1)
        print(f"| {name} | {' | '.join(cells)} |")
    print(f"\n{name_processor()}.")


if __name__ == "__main__":
    main()
