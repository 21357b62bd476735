"""What pages say of examples: an unseen tail, and runs that the shipped scores need."""

import contextlib
import io
import json
from importlib.resources import files
from typing import Any

import numpy as np
from scipy.special import ndtri

import sigarray
from benchmarks.reproduce.experiment import Experiment, Settings

NAMES = ("kind", "what", "n", "n_sets", "value")
THRESHOLD = 0.2
SIZES = (5, 10, 20, 50)
# Log-deviations of B, as of the lognormal scores of `rates` and of `verdicts`.
LOG_DEVIATIONS = (1.0, 2.0)


def run(settings: Settings) -> Experiment:
    """Measure all of it."""
    by_kind = {
        "tails": describe_tails(settings),
        "runs needed": describe_runs_needed(settings),
    }
    rows = [
        {name: ({"kind": kind} | row)[name] for name in NAMES}
        for kind, found in by_kind.items()
        for row in found
    ]
    return Experiment(
        "Examples of the pages",
        rows,
        [],
        findings=[f"The {len(rows)} numbers that pages say of examples of their own."],
    )


def describe_tails(settings: Settings) -> list[dict[str, Any]]:
    """Say how often a normal A is better than a lognormal B of which eps is 0.2."""
    n_sets = settings.choose(100, 2000)
    rows = []
    for deviation in LOG_DEVIATIONS:
        shift = find_shift(THRESHOLD, deviation)
        for n in SIZES:
            rng = np.random.default_rng((13, int(deviation), n))
            a = shift + rng.normal(size=(n_sets, n))
            b = rng.lognormal(0.0, deviation, (n_sets, n))
            bound = sigarray.aso(settings.put(a), settings.put(b), rng=n).eps_min
            row = {"what": f"log-deviation {deviation:g}", "n": n, "n_sets": n_sets}
            is_better = np.asarray(bound) < THRESHOLD
            rows.append(row | {"value": float(np.mean(is_better))})
    return rows


def find_ratio(shift: float, deviation: float) -> float:
    """Violation ratio of N(shift, 1) over the lognormal, by their quantiles."""
    n_points = 2**20
    z = ndtri((np.arange(n_points) + 0.5) / n_points)
    difference = shift + z - np.exp(deviation * z)
    squares = difference**2
    return float(np.sum(squares[difference < 0.0]) / np.sum(squares))


def find_shift(ratio: float, deviation: float) -> float:
    """Return the shift of A with which its violation ratio is this one."""
    low, high = 0.0, 1000.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        is_higher = find_ratio(middle, deviation) > ratio
        low, high = (middle, high) if is_higher else (low, middle)
    return 0.5 * (low + high)


def describe_runs_needed(settings: Settings) -> list[dict[str, Any]]:
    """Return what `sigarray power --test t` says of the example."""
    from sigarray._cli.main import main

    table = str(files("sigarray") / "data" / "digits.csv")
    drawn = str(settings.choose(20, 200))
    options = ["--test", "t", "--n-samples", drawn, "--format", "json", "--quiet"]
    with (
        contextlib.redirect_stdout(io.StringIO()) as written,
        contextlib.redirect_stderr(io.StringIO()),
    ):
        main(["power", table, *options])
    return [
        {
            "what": f"{row['better']} over {row['worse']}",
            "n": "",
            "n_sets": int(drawn),
            "value": float(row["required_sample_size"]),
        }
        for row in json.loads(written.getvalue())["pairs"]
    ]
