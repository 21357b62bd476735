"""How often intervals over tasks hold the truth: here, and as rliable computes them.

rliable draws as many runs of each task as there are, and gives a performance profile
limits for each threshold by itself (Agarwal et al. 2021,
doi:10.48550/arXiv.2108.13264). Scores are those of `strata`.
"""

import itertools
from typing import Any

import numpy as np
import scipy.stats

from benchmarks.reproduce.experiment import Experiment, Settings
from benchmarks.reproduce.strata import draw_runs, find_true_iqm
from benchmarks.reproduce.verdict_page import show, write_table
from sigarray import bootstrap_ci, performance_profile

RUNS = (3, 5, 10)
KINDS = ("normal", "lognormal")
STATISTICS = ("interquartile mean", "whole profile")
METHODS = tuple(
    f"{statistic}{how}" for statistic in STATISTICS for how in ("", ", as rliable")
)
N_ALGORITHMS, N_TASKS, N_THRESHOLDS = 6, 26, 81
LEVELS = np.geomspace(0.1, 3.0, N_TASKS)
_N_RESAMPLES, _TAILS = 999, (0.025, 0.975)


def find_true_profile(kind: str, thresholds: Any) -> Any:
    """Return the chance of a run to be above each threshold (K,), of all tasks."""
    ratio = np.asarray(thresholds) / LEVELS[:, None]
    if kind == "normal":
        return np.mean(scipy.stats.norm.sf((ratio - 1.0) / 0.25), axis=0)
    return np.mean(scipy.stats.norm.sf((np.log(ratio) + 0.125) / 0.5), axis=0)


def place_thresholds(kind: str) -> Any:
    """Return thresholds that 95 % to 5 % of all runs are above."""
    ends = []
    for share in (0.95, 0.05):
        low, high = 1e-3, 20.0
        for _ in range(60):
            middle = 0.5 * (low + high)
            is_low = find_true_profile(kind, [middle])[0] > share
            low, high = (middle, high) if is_low else (low, middle)
        ends.append(low)
    return np.linspace(*ends, N_THRESHOLDS)


def find_limits_as_rliable(
    rng: np.random.Generator, x: np.ndarray, thresholds: np.ndarray
) -> tuple[Any, Any]:
    """Return limits of the interquartile mean, and of each share above a threshold.

    Of scores (tasks, runs), as many runs of each task are drawn as there are.
    """
    n_tasks, n_runs = x.shape
    places = rng.integers(0, n_runs, (_N_RESAMPLES, n_tasks, n_runs))
    places += n_runs * np.arange(n_tasks)[:, None]
    places = places.reshape(_N_RESAMPLES, -1)
    means = scipy.stats.trim_mean(x.ravel()[places], 0.25, axis=-1)
    first = np.arange(_N_RESAMPLES)[:, None] * x.size
    counts = np.bincount((places + first).ravel(), minlength=_N_RESAMPLES * x.size)
    is_above = x.ravel()[:, None] > thresholds
    shares = counts.reshape(_N_RESAMPLES, -1) @ is_above.astype(float) / x.size
    return np.quantile(means, _TAILS), np.quantile(shares, _TAILS, axis=0)


def count(n_runs: int, kind: str, n_sets: int, seed: int) -> dict[str, Any]:
    """Return the share of algorithms for which each interval of 95 % holds the truth.

    A profile is held if it is at all thresholds.
    """
    rng = np.random.default_rng(seed)
    thresholds = place_thresholds(kind)
    n = N_TASKS * n_runs
    true_mean = find_true_iqm(rng, LEVELS[:, None], kind, n)
    true_profile = find_true_profile(kind, thresholds)
    held = dict.fromkeys(METHODS, 0)
    for k in range(n_sets):
        x = draw_runs(rng, LEVELS[:, None], kind, N_ALGORITHMS, n_runs)
        drawn: dict[str, Any] = {"strata": -2, "n_resamples": _N_RESAMPLES, "rng": k}
        mean = bootstrap_ci(x, statistic="iqm", method="percentile", **drawn)
        profile = performance_profile(x, thresholds, **drawn)
        for j, scores in enumerate(x):
            of_mean, of_profile = find_limits_as_rliable(rng, scores, thresholds)
            limits = (
                [y[j] for y in mean.confidence_interval],
                of_mean,
                [y[j] for y in profile.confidence_interval],
                of_profile,
            )
            truths = true_mean, true_mean, true_profile, true_profile
            for method, (low, high), truth in zip(METHODS, limits, truths, strict=True):
                held[method] += bool(np.all((low <= truth) & (truth <= high)))
    n_held = n_sets * N_ALGORITHMS
    return {
        "runs": n_runs,
        "scores": kind,
        "n_sets": n_sets,
        **{method: held[method] / n_held for method in METHODS},
    }


def run(settings: Settings) -> Experiment:
    """Count how often each interval holds the interquartile mean, or the profile."""
    n_sets = settings.choose(10, 200)
    rows = [
        count(*design, n_sets, seed)
        for seed, design in enumerate(itertools.product(RUNS, KINDS))
    ]
    return Experiment("Intervals as rliable has them", rows, [], page=tabulate(rows))


def tabulate(rows: list[dict[str, Any]]) -> list[str]:
    """Return the results as a table of Markdown."""
    header = ["runs", "scores", *METHODS]
    lines = [
        [
            str(x["runs"]),
            x["scores"],
            *(show(float(x[method])) for method in METHODS),
        ]
        for x in rows
    ]
    return [
        f"Of {rows[0]['n_sets']} sets of {N_ALGORITHMS} algorithms with so many runs "
        f"on each of {N_TASKS} tasks, intervals of 95 % hold the truth in so many "
        f"percent; a profile, if they hold it at all of {N_THRESHOLDS} thresholds, "
        "which 5 to 95 % of all runs are above:",
        write_table(header, lines),
    ]
