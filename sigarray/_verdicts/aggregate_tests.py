"""Tests and intervals of two models, or one, over these tasks, which are strata."""

import contextlib
import math
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from sigarray._backend.given import names_steps
from sigarray._backend.of_numpy import HOST
from sigarray._difference.bootstrap import bootstrap_test
from sigarray._difference.confidence_interval import bootstrap_ci
from sigarray._difference.improvement import find_improvements
from sigarray._difference.location import t_ci, t_test
from sigarray._numeric.statistic import apply_statistic
from sigarray._plain_text import show_number
from sigarray._verdicts.intervals import Interval
from sigarray._verdicts.lacking import count_by_task
from sigarray.read._messages import note, warn
from sigarray.read._score_table import ScoreTable

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
        by = {"strata": self.tasks} if self.tasks[-1] > 0 else {}
        return by if self.clusters is None else by | {"clusters": self.clusters}


def apply_to_scores(statistic: Any, x: np.ndarray) -> Any:
    if statistic == "mean":
        return np.mean(x, axis=-1)
    return apply_statistic(HOST, statistic, x)


def _design(samples: Sequence[Pooled], *, is_paired: bool) -> dict[str, Any]:
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
    by = {"confidence_level": confidence, **sample.design}
    _, interval = _estimate([sample.scores], statistic, by, resampling)
    return interval


@contextlib.contextmanager
def _without_doubts() -> Iterator[None]:
    """Hear no warnings: of scores that do not vary, others speak; tasks count alike."""
    with warnings.catch_warnings(action="ignore"):
        yield


def _estimate(
    samples: Sequence[np.ndarray],
    statistic: OfScores,
    by: dict[str, Any],
    resampling: Mapping[str, Any],
) -> tuple[float, Interval]:
    with _without_doubts():
        if statistic == "mean":
            found: Any = t_ci(*samples, **by)
        else:
            by = by | {"statistic": statistic, "method": "percentile", **resampling}
            found = bootstrap_ci(*samples, **by)
    return float(found.statistic), Interval(*map(float, found.confidence_interval))


# The least share of scores that are tied where a statistic cuts, of which it is said.
_TIED = {"iqm": 0.5, "median": 0.25}
_CUTS = {"iqm": (0.25, 0.75), "median": (0.5,)}


def refuse_two_values(
    pooled: Mapping[str, np.ndarray], statistic: Aggregate, name: str, *, n_tasks: int
) -> None:
    """Refuse a statistic of scores such as 0 and 1, which is no share of them."""
    values = _list_two_values(pooled)
    if statistic not in OF_ORDER or not values:
        return
    numbers = {
        model: (float(np.mean(x)), apply_to_scores(statistic, x))
        for model, x in pooled.items()
    }
    worst = max(numbers, key=lambda model: abs(np.subtract(*numbers[model])))
    (low, high), (mean, other) = values, numbers[worst]
    advice = "Pass --statistic mean."
    if n_tasks == 1:
        advice = "Leave it out: models are compared by their means."
    msg = (
        f"Expected scores of more than two values with --statistic {statistic}; got "
        f"{low:g} and {high:g}, of which the mean says how many are {high:g}: for "
        f"{worst!r} it is {show_number(mean)}, and the {name} "
        f"{show_number(other)}. {advice}"
    )
    raise ValueError(msg)


def _list_two_values(pooled: Mapping[str, np.ndarray]) -> list[float]:
    ends = [(float(x.min()), float(x.max())) for x in pooled.values()]
    values = sorted({x for pair in ends for x in pair})
    if len(values) != 2 or all(low == high for low, high in ends):
        return []
    return values if all(np.isin(x, values).all() for x in pooled.values()) else []


def suits_quartiles(pooled: Mapping[str, np.ndarray]) -> bool:
    """Tell whether quartiles say something of scores that their mean does not."""
    return not _list_two_values(pooled) and _find_tied(pooled, "iqm") is None


def _find_tied(
    pooled: Mapping[str, np.ndarray], statistic: Aggregate
) -> tuple[str, float] | None:
    shares = {model: find_share(x, statistic) for model, x in pooled.items()}
    most = max(shares, key=shares.__getitem__)
    return (most, shares[most]) if shares[most] >= _TIED[statistic] else None


def doubt_ties(
    pooled: Mapping[str, np.ndarray], statistic: Aggregate, name: str, *, n_tasks: int
) -> None:
    tied = _find_tied(pooled, statistic) if statistic in OF_ORDER else None
    if tied is None:
        return
    says = {
        "iqm": "leaves out a quarter of the scores at each end, and says little of "
        "scores of few values, which have no outliers",
        "median": "moves in steps of such scores, so that a difference may be 0, with "
        "an interval of [0, 0], where means differ",
    }
    where = "quartiles" if statistic == "iqm" else "median"
    advice = "--statistic mean takes all of them."
    if n_tasks == 1:
        advice = "Without it, models are compared by their means."
    warn(
        f"--statistic {statistic}: {100.0 * tied[1]:.0f} % of the scores of "
        f"{tied[0]!r} are tied at its {where}. The {name} {says[statistic]}. "
        f"{advice}"
    )


def find_share(x: np.ndarray, statistic: Aggregate) -> float:
    """Return the share of scores at the places where a statistic cuts."""
    cuts = np.quantile(x, _CUTS[statistic], method="inverted_cdf")
    values, counts = np.unique(x[np.isin(x, cuts)], return_counts=True)
    # A score that is there once is no tie.
    return float(np.sum(counts[counts > 1])) / len(x) if len(values) else 0.0


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
    by_model: dict[str, list[float]] = {name: [] for name in names}
    for (a, b), lead in leads.items():
        by_model[a].append(0.5 + lead)
        by_model[b].append(0.5 - lead)
    return {name: float(np.mean(x)) for name, x in by_model.items()}


def _advise_others(table: ScoreTable) -> tuple[str, str]:
    """Say what scores are that have no strata here, and what to do with them."""
    if table.statistic is not None:
        return "a metric of sums", "Leave it out."
    if table.runs:
        return "items in several runs", (
            "--unit item averages the runs of an item, and --unit run the items of a "
            "run."
        )
    return "items in clusters", (
        "--statistic mean takes them: its t-test has the errors of clusters within "
        "tasks, and bootstraps of few clusters on a task are too short."
    )


# What to do on one task, where a statistic over tasks is none.
_ON_ONE_TASK = {
    "improvement": "--test brunner-munzel says how often a run of a model beats one of "
    "another",
    "mean": "models are compared by their means with --test t",
}


def refuse_scores(
    table: ScoreTable, statistic: Aggregate, tasks: Sequence[str]
) -> None:
    option = f"--statistic {statistic}"
    is_one = len(table.tasks) == 1 and statistic in OF_ORDER  # whose clusters are drawn
    has_clusters = bool(table.clusters) and statistic != "mean" and not is_one
    if has_clusters or table.runs or table.statistic is not None:
        what, advice = _advise_others(table)
        msg = f"Expected scores of runs or of items with {option}; got {what}. {advice}"
        raise ValueError(msg)
    if statistic == "improvement" and (table.unit != "run" or table.is_paired):
        what = "pairs of runs" if table.unit == "run" else f"{table.unit}s"
        msg = (
            f"Expected independent runs of each model with {option}, each of which may "
            f"meet each of another model; got {what}. Pass --statistic mean, which "
            "takes these."
        )
        raise ValueError(msg)
    if len(table.tasks) == 1 and statistic in _ON_ONE_TASK:
        msg = (
            f"Expected several tasks with {option}; got one, on which "
            f"{_ON_ONE_TASK[statistic]}. Leave it out, or name the column of tasks "
            "with --task."
        )
        raise ValueError(msg)
    if not tasks:
        msg = (
            f"Expected a task with scores of all models with {option}; got none. "
            "Choose models with --columns."
        )
        raise ValueError(msg)
    sizes = count_by_task(table, tasks, f" with {option}")
    shares = {tuple(n / sum(by) for n in by) for by in sizes.values()}
    if statistic in OF_ORDER and len(shares) > 1:
        others = "mean"
        if table.unit == "run" and not table.is_paired:
            others = "mean or --statistic improvement"
        step = next(filter(names_steps, table.where), None)
        at_step = f", or choose a step that all have with --where {step}=STEP"
        msg = (
            f"Expected models with as many {table.unit}s as each other on each task, "
            f"or the same shares of them, with {option}; got "
            f"{_say_unequal(sizes, tasks, table.unit)}. Tasks would count more for one "
            f"model than for another. Pass --statistic {others}, for which each task "
            f"counts the same; or add the missing {table.unit}s"
            f"{at_step if step else ''}."
        )
        raise ValueError(msg)


def note_shared_names(table: ScoreTable, tasks: Sequence[str]) -> None:
    counts = Counter(name for task in tasks for name in {*table.clusters.get(task, ())})
    shared = [name for name, n in counts.items() if n > 1]
    if shared:
        named = f"clusters named {min(shared)!r} are"
        if len(shared) > 1:
            named = f"{len(shared)} names of clusters, such as {min(shared)!r}, are"
        note(f"{named} on several tasks, and taken for different ones on each.")


def _say_unequal(
    sizes: Mapping[str, tuple[int, ...]], tasks: Sequence[str], unit: str
) -> str:
    n, name, k = min((n, x, k) for x, by in sizes.items() for k, n in enumerate(by))
    most = max(n for by in sizes.values() for n in by)
    return f"{n} {unit}s of {name!r} on {tasks[k]!r}, and up to {most}"
