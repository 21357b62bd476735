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
    a, b = (x._replace(scores=sign * x.scores) for x in samples)
    n_resamples, seed = resampling["n_resamples"], resampling["rng"]
    observed, replicates = find_improvements(
        a.scores, b.scores, (a.tasks, b.tasks), seed, n_resamples
    )
    leads = np.asarray(replicates) - 0.5
    low, high = np.quantile(leads, [0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])
    lead = float(observed) - 0.5
    is_behind = leads <= _ROUNDING if lead > 0.0 else leads >= -_ROUNDING
    p = 2.0 * (1 + np.count_nonzero(is_behind)) / (n_resamples + 1)
    p = min(1.0, max(p, _least_p_value(a.tasks, b.tasks)))
    if abs(lead) <= _ROUNDING:
        lead, p = 0.0, 1.0
    return lead, Interval(float(low), float(high)), p


def _least_p_value(a: np.ndarray, b: np.ndarray) -> float:
    """Return the least two-sided p-value of the runs of each task, dealt out."""
    ways = [
        math.comb(int(n + m), int(n))
        for n, m in zip(np.bincount(a), np.bincount(b), strict=True)
    ]
    return 2 / math.prod(ways)


def average_improvements(
    names: Iterable[str], leads: Mapping[tuple[str, str], float]
) -> dict[str, float]:
    """Return the mean probability of each model to beat those it is compared with."""
    by_model: dict[str, list[float]] = {name: [] for name in names}
    for (a, b), lead in leads.items():
        by_model[a].append(0.5 + lead)
        by_model[b].append(0.5 - lead)
    return {name: float(np.mean(x)) for name, x in by_model.items()}
