"""Tests and intervals of two models, or one, over these tasks, which are strata."""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np

from sigarray._difference.bootstrap import bootstrap_test
from sigarray._difference.confidence_interval import bootstrap_ci
from sigarray._difference.location import t_test
from sigarray._difference.t_interval import t_ci
from sigarray._verdicts.intervals import Interval

Aggregate = Literal["iqm", "mean", "median"]
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)


def _design(
    samples: Sequence[tuple[np.ndarray, np.ndarray]], *, is_paired: bool
) -> dict[str, Any]:
    """Return the options of a test of two models, with tasks as strata."""
    (_, of_a), (_, of_b) = samples
    by: dict[str, Any] = {"paired": is_paired}
    if of_a[-1] > 0:
        by["strata"] = of_a if is_paired else (of_a, of_b)
    return by


def test_models(
    samples: Sequence[tuple[np.ndarray, np.ndarray]],
    statistic: Aggregate,
    *,
    is_paired: bool,
    resampling: Mapping[str, Any],
) -> float:
    """Return the p-value of two models: by t of means, else by the bootstrap."""
    by = _design(samples, is_paired=is_paired) | {**resampling}
    a, b = (x for x, _ in samples)
    if statistic == "mean":
        p = float(t_test(a, b, **by).pvalue)
    else:
        p = float(bootstrap_test(a, b, statistic=statistic, **by).pvalue)
    return 1.0 if np.isnan(p) else p


def compare_two(
    samples: Sequence[tuple[np.ndarray, np.ndarray]],
    statistic: Aggregate,
    confidence: float,
    *,
    is_paired: bool,
    resampling: Mapping[str, Any],
) -> tuple[float, Interval, float]:
    """Return the difference of two models, its interval and its p-value."""
    by = _design(samples, is_paired=is_paired) | {"confidence_level": confidence}
    found = _estimate([x for x, _ in samples], statistic, by, resampling)
    p = test_models(samples, statistic, is_paired=is_paired, resampling=resampling)
    return *found, p


def find_own_interval(
    sample: np.ndarray,
    labels: np.ndarray,
    statistic: Aggregate,
    confidence: float,
    resampling: Mapping[str, Any],
) -> Interval:
    """Return the interval of the statistic of one model, with tasks as strata."""
    by: dict[str, Any] = {"confidence_level": confidence}
    if labels[-1] > 0:
        by["strata"] = labels
    _, interval = _estimate([sample], statistic, by, resampling)
    return interval


def _estimate(
    samples: Sequence[np.ndarray],
    statistic: Aggregate,
    by: dict[str, Any],
    resampling: Mapping[str, Any],
) -> tuple[float, Interval]:
    """Return a statistic, or a difference, and its interval."""
    if statistic == "mean":
        found: Any = t_ci(*samples, **by)
    else:
        by = by | {"statistic": statistic, "method": "percentile", **resampling}
        with warnings.catch_warnings():  # that scores do not vary is said elsewhere
            warnings.simplefilter("ignore")
            found = bootstrap_ci(*samples, **by)
    return float(found.statistic), Interval(*map(float, found.confidence_interval))
