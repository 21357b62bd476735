"""Tests and intervals of two models, or one, over these tasks, which are strata."""

import contextlib
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._difference.bootstrap import bootstrap_test
from sigarray._difference.confidence_interval import bootstrap_ci
from sigarray._difference.intervals import t_ci
from sigarray._difference.location import t_test
from sigarray._numeric.statistic import apply_statistic
from sigarray._verdicts.intervals import Interval

OfScores = Literal["iqm", "mean", "median"]
Aggregate = Literal["iqm", "mean", "median", "improvement"]
AGGREGATES: tuple[Aggregate, ...] = get_args(Aggregate)
# Those that are sorted, and of which a task with more runs has more.
OF_ORDER: tuple[Aggregate, ...] = ("iqm", "median")


class Pooled(NamedTuple):
    """The scores (n,) of a model on all tasks, and the place of the task of each.

    With clusters, those of each score, of which none is on two tasks.
    """

    scores: np.ndarray
    tasks: np.ndarray
    clusters: np.ndarray | None = None

    @property
    def design(self) -> dict[str, np.ndarray]:
        """The options that say how scores were sampled."""
        by = {"strata": self.tasks} if self.tasks[-1] > 0 else {}
        return by if self.clusters is None else by | {"clusters": self.clusters}


def apply_to_scores(statistic: Any, x: np.ndarray) -> Any:
    """Return a statistic of the scores (..., n) of one model."""
    if statistic == "mean":
        return np.mean(x, axis=-1)
    return apply_statistic(HOST, statistic, x)


def _design(samples: Sequence[Pooled], *, is_paired: bool) -> dict[str, Any]:
    """Return the options of a test of two models, with tasks as strata."""
    a, b = (x.design for x in samples)
    by = a if is_paired else {name: (a[name], b[name]) for name in a}
    return {"paired": is_paired, **by}


def test_models(
    samples: Sequence[Pooled],
    statistic: OfScores,
    *,
    is_paired: bool,
    resampling: Mapping[str, Any],
) -> float:
    """Return the p-value of two models: by t of means, else by the bootstrap."""
    by = _design(samples, is_paired=is_paired) | {**resampling}
    a, b = (x.scores for x in samples)
    return float(find_p_values(a, b, statistic, by))


def find_p_values(
    a: np.ndarray, b: np.ndarray, statistic: OfScores, by: Mapping[str, Any]
) -> np.ndarray:
    """Return the p-values of scores with leading axes, 1 where there is none."""
    with _without_doubts():
        if statistic == "mean":
            found = t_test(a, b, **by).pvalue
        else:
            found = bootstrap_test(a, b, statistic=statistic, **by).pvalue
    p_values = np.asarray(found)
    return np.where(np.isnan(p_values), 1.0, p_values)


def compare_two(
    samples: Sequence[Pooled],
    statistic: OfScores,
    confidence: float,
    *,
    is_paired: bool,
    resampling: Mapping[str, Any],
) -> tuple[float, Interval, float]:
    """Return the difference of two models, its interval and its p-value."""
    by = _design(samples, is_paired=is_paired) | {"confidence_level": confidence}
    found = _estimate([x.scores for x in samples], statistic, by, resampling)
    p = test_models(samples, statistic, is_paired=is_paired, resampling=resampling)
    return *found, p


def find_own_interval(
    sample: Pooled,
    statistic: OfScores,
    confidence: float,
    resampling: Mapping[str, Any],
) -> Interval:
    """Return the interval of the statistic of one model, with tasks as strata."""
    by = {"confidence_level": confidence, **sample.design}
    _, interval = _estimate([sample.scores], statistic, by, resampling)
    return interval


@contextlib.contextmanager
def _without_doubts() -> Iterator[None]:
    """Hear no warnings: of scores that do not vary, others speak; tasks count alike."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _estimate(
    samples: Sequence[np.ndarray],
    statistic: OfScores,
    by: dict[str, Any],
    resampling: Mapping[str, Any],
) -> tuple[float, Interval]:
    """Return a statistic, or a difference, and its interval."""
    with _without_doubts():
        if statistic == "mean":
            found: Any = t_ci(*samples, **by)
        else:
            by = by | {"statistic": statistic, "method": "percentile", **resampling}
            found = bootstrap_ci(*samples, **by)
    return float(found.statistic), Interval(*map(float, found.confidence_interval))
