"""How often a run of a model beats one of another, on average over these tasks."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from sigarray._difference.improvement import find_improvements
from sigarray._verdicts.aggregate_tests import Pooled
from sigarray._verdicts.intervals import Interval

# Shares nearer to 1/2 are 1/2, but for rounding.
_ROUNDING = 1e-9


def compare_runs(
    samples: Iterable[Pooled],
    confidence: float,
    *,
    higher_is_better: bool,
    resampling: Mapping[str, Any],
) -> tuple[float, Interval, float]:
    """Return how far P(A better) is above 1/2, its interval and its p-value.

    Runs are drawn within each task, as in `probability_of_improvement`. The p-value is
    twice the share of resamples in which the other model is ahead, so that it says what
    intervals by percentiles do; and no less than the least of all ways to deal out the
    runs of each task, for few runs may be apart by chance.
    """
    sign = 1.0 if higher_is_better else -1.0
    a, b = samples
    sizes = zip(np.bincount(a.tasks), np.bincount(b.tasks), strict=True)
    lead, leads, p = find_leads(
        sign * a.scores, sign * b.scores, (a.tasks, b.tasks), sizes, resampling
    )
    low, high = np.quantile(leads, [0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])
    return float(lead), Interval(float(low), float(high)), float(p)


def find_leads(
    a: np.ndarray,
    b: np.ndarray,
    strata: Any,
    sizes: Iterable[tuple[int, int]],
    resampling: Mapping[str, Any],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return P(A better) - 1/2, also of resamples, and p-values, as `compare_runs`.

    Scores may have leading axes; `sizes` are the numbers of runs of both on each task.
    """
    n_resamples, seed = resampling["n_resamples"], resampling["rng"]
    observed, replicates = find_improvements(a, b, strata, seed, n_resamples)
    lead, leads = np.asarray(observed) - 0.5, np.asarray(replicates) - 0.5
    is_behind = np.where(lead[..., None] > 0.0, leads <= _ROUNDING, leads >= -_ROUNDING)
    p = 2.0 * (1 + np.count_nonzero(is_behind, axis=-1)) / (n_resamples + 1)
    # The least of the runs of each task, dealt out.
    least = 2 / math.prod(math.comb(int(n + m), int(n)) for n, m in sizes)
    is_tie = np.abs(lead) <= _ROUNDING
    p = np.where(is_tie, 1.0, np.minimum(1.0, np.maximum(p, least)))
    return np.where(is_tie, 0.0, lead), leads, p


def average_improvements(
    names: Iterable[str], leads: Mapping[tuple[str, str], float]
) -> dict[str, float]:
    """Return the mean probability of each model to beat those it is compared with."""
    by_model: dict[str, list[float]] = {name: [] for name in names}
    for (a, b), lead in leads.items():
        by_model[a].append(0.5 + lead)
        by_model[b].append(0.5 - lead)
    return {name: float(np.mean(x)) for name, x in by_model.items()}
