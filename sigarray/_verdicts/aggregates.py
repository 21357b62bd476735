"""Which models are better over these tasks, of which each is a stratum.

The tasks are fixed, and other runs of the same models on them are the question; over
tasks like these, `over_tasks` decides. Of one task there is one stratum.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._correction import holm
from sigarray._numeric.statistic import apply_statistic
from sigarray._plain_text import list_in_words, quote
from sigarray._verdicts.aggregate_tests import (
    Aggregate,
    compare_two,
    find_own_interval,
    test_models,
)
from sigarray._verdicts.comparison import pairs_of
from sigarray._verdicts.decisions import name_verdict
from sigarray._verdicts.floors import is_least
from sigarray._verdicts.intervals import Interval
from sigarray._verdicts.margin_records import MarginTest
from sigarray._verdicts.margins import list_not_worse, test_margins
from sigarray._verdicts.notes import announce
from sigarray._verdicts.over_tasks import OverTasks
from sigarray._verdicts.overall import list_scales
from sigarray._verdicts.ranking import Order, Wins, list_wins, order_by, sort_pairs
from sigarray.read._score_table import ScoreTable

# A statistic in words, in the singular and of several models.
NAMES = {
    "iqm": ("interquartile mean", "interquartile means"),
    "mean": ("mean", "means"),
    "median": ("median", "medians"),
}
# Of more numbers of scores that others lack, these are named.
_MOST_NAMED = 4
# For a guess at the time.
_SECONDS_PER_SCORE = 2e-8


@dataclass(frozen=True)
class PairOfAggregates:
    """Two models over these tasks."""

    a: str
    b: str
    difference: float
    interval: Interval
    pvalue: float
    adjusted_pvalue: float
    better: str | None
    margins: tuple[MarginTest, ...] = ()
    not_worse: tuple[str, ...] = ()

    @property
    def verdict(self) -> str:
        """What is known, in a word, as of `Decision`."""
        return name_verdict(self.better, self.not_worse, "inconclusive")

    def turn(self) -> "PairOfAggregates":
        """Return the numbers of B and A."""
        return replace(
            self,
            a=self.b,
            b=self.a,
            difference=-self.difference + 0.0,  # without -0.0
            interval=self.interval.turn(),
        )


@dataclass(frozen=True)
class Aggregates:
    """Models by a statistic of all their scores on tasks, each of which is a stratum.

    `values` are those of the models, each with an interval of its own; tasks that some
    model lacks are left out. There are no resamples for the mean, which is tested by t.
    """

    statistic: Aggregate
    tasks: list[str]
    left_out: list[str]
    values: dict[str, float]
    intervals: dict[str, Interval]
    pairs: list[PairOfAggregates]
    level: float
    is_corrected: bool
    baseline: str | None
    higher_is_better: bool
    is_paired: bool
    unit: str
    sizes: tuple[int, int]
    n_resamples: int | None
    seed: int | None
    margin: float | None = None

    def is_least(self, pair: PairOfAggregates) -> bool:
        """Tell whether more resamples would make the p-value of a pair smaller."""
        return is_least(pair.pvalue, "bootstrap", self.n_resamples or 0)

    @functools.cached_property
    def wins(self) -> Wins:
        """The pairs (better, worse)."""
        return list_wins(self.pairs)

    @functools.cached_property
    def order(self) -> Order:
        """The models by their values, each of them behind those that are better."""
        sign = -1.0 if self.higher_is_better else 1.0
        ranks = {name: sign * x for name, x in self.values.items()}
        return order_by(ranks, self.wins, self.baseline)


def compare_aggregates(
    table: ScoreTable,
    statistic: Aggregate,
    *,
    level: float,
    is_corrected: bool,
    higher_is_better: bool,
    baseline: str | None,
    n_resamples: int,
    seed: int,
    margin: float | None = None,
) -> Aggregates:
    """Compare models by a statistic over the tasks that all of them have.

    Raises
    ------
    ValueError
        Scores that this is not for; a message says which are.
    """
    tasks = [task for task, by in table.tasks.items() if {*table.models} <= {*by}]
    _refuse(table, statistic, tasks)
    samples = {
        name: _list_samples(table, name, tasks, statistic) for name in table.models
    }
    pooled = {name: _pool(x, statistic) for name, x in samples.items()}
    labels = {
        name: np.repeat(np.arange(len(x)), list(map(len, x)))
        for name, x in samples.items()
    }
    if statistic == "mean":
        values = {name: float(np.mean(x)) for name, x in pooled.items()}
    else:
        values = {
            name: float(apply_statistic(HOST, statistic, x))
            for name, x in pooled.items()
        }
    pairs = pairs_of(table.models, baseline)
    number = None if statistic == "mean" else n_resamples
    announce(
        f"{statistic} over tasks for {len(pairs)} pairs",
        len(pairs) * (number or 1) * 2 * len(pooled[pairs[0][0]]) * _SECONDS_PER_SCORE,
        "Faster: --statistic mean, fewer models with --columns.",
    )
    confidence = 1.0 - level / (len(pairs) if is_corrected else 1)
    resampling = {} if number is None else {"n_resamples": number, "rng": seed}
    # In the order of names, so that the order of columns changes no number.
    found = [
        compare_two(
            [(pooled[name], labels[name]) for name in sorted(pair)],
            statistic,
            confidence,
            is_paired=table.is_paired,
            resampling=resampling,
        )
        for pair in pairs
    ]
    intervals = {
        name: find_own_interval(
            pooled[name], labels[name], statistic, 1.0 - level, resampling
        )
        for name in table.models
    }
    p_values = np.asarray([p for *_, p in found])
    adjusted = np.asarray(holm(p_values)) if is_corrected else p_values
    every = []
    for pair, (difference, interval, p), q in zip(pairs, found, adjusted, strict=True):
        first, second = sorted(pair)
        leader = first if (difference > 0.0) == higher_is_better else second
        better = leader if q <= level and difference != 0.0 else None
        x = PairOfAggregates(first, second, difference, interval, p, float(q), better)
        every.append(x if first == pair[0] else x.turn())
    if margin is not None:
        side = {"alternative": "greater" if higher_is_better else "less"}

        def test_margin(model: str, other: str) -> float:
            return test_models(
                [(pooled[name], labels[name]) for name in (model, other)],
                statistic,
                is_paired=table.is_paired,
                resampling={**resampling, **side, "margin": margin},
            )

        found_margins = test_margins(
            pairs, test_margin, baseline=baseline, is_corrected=is_corrected
        )
        every = [
            replace(x, margins=y, not_worse=list_not_worse(y, x.better, level))
            for x, y in zip(every, found_margins, strict=True)
        ]
    counts = [len(x) for by in samples.values() for x in by]
    aggregates = Aggregates(
        statistic=statistic,
        tasks=tasks,
        left_out=[*(x for x in table.tasks if x not in tasks), *table.left_out],
        values=values,
        intervals=intervals,
        pairs=every,
        level=level,
        is_corrected=is_corrected,
        baseline=baseline,
        higher_is_better=higher_is_better,
        is_paired=table.is_paired,
        unit=table.unit,
        sizes=(min(counts), max(counts)),
        n_resamples=number,
        seed=None if number is None else seed,
        margin=margin,
    )
    in_order = sort_pairs(aggregates.order.names, every)
    turned = [x if x.a == a else x.turn() for a, _, x in in_order]
    return replace(aggregates, pairs=turned)


def _list_samples(
    table: ScoreTable, name: str, tasks: Sequence[str], statistic: Aggregate
) -> list[np.ndarray]:
    """Return the scores of a model by task, for draws in an order of their own.

    Resamples are drawn by place, so that another order of tasks, or of runs that are
    no pairs, would be another draw.
    """
    if statistic == "mean":
        return [table.tasks[task][name] for task in tasks]
    samples = [table.tasks[task][name] for task in sorted(tasks)]
    return samples if table.is_paired else list(map(np.sort, samples))


def _pool(samples: Sequence[np.ndarray], statistic: Aggregate) -> np.ndarray:
    """Return the scores of all tasks, for the mean in units in which tasks count alike.

    The mean of all is then that of the means of tasks, and so is its error.
    """
    n, n_tasks = sum(map(len, samples)), len(samples)
    if statistic == "mean" and len({*map(len, samples)}) > 1:
        samples = [x * (n / (n_tasks * len(x))) for x in samples]
    return np.concatenate(samples)


def advise_these_tasks(
    table: ScoreTable, over: OverTasks | None, statistic: str | None
) -> list[str]:
    """Say how to decide over these tasks, if those like them are undecided.

    Not if a statistic does, or scores of tasks differ in scale, so that some would
    decide alone.
    """
    if statistic is not None or over is None or list_scales(over):
        return []
    if len(over.tasks) < len(table.tasks):
        return []
    if all(x.better is not None for x in over.pairs):
        return []
    try:
        _refuse(table, "mean", over.tasks)
    except ValueError:
        return []
    return [
        "Verdicts over all tasks are about tasks like these. About these "
        f"{len(over.tasks)} tasks alone, with other {table.unit}s, --statistic mean or "
        "--statistic iqm decides."
    ]


def _advise_others(table: ScoreTable, statistic: Aggregate) -> tuple[str, str]:
    """Say what scores are that have no strata here, and what to do with them."""
    if table.statistic is not None:
        return "a metric of sums", "Leave it out."
    if not table.clusters:
        return "items in several runs", (
            "--unit item averages the runs of an item, and --unit run the items of a "
            "run."
        )
    if statistic == "mean":
        if len(table.tasks) == 1:
            return "items in clusters", (
                "Leave it out: their means are compared without it."
            )
        return "items in clusters", (
            "Leave it out for tasks like these. For these tasks, in Python: t_ci(a, b, "
            "paired=True, clusters=..., strata=...), with a label for each item."
        )
    strata = ", strata=..." if len(table.tasks) > 1 else ""
    return "items in clusters", (
        f"In Python, bootstrap_ci(a, b, paired=True, statistic={statistic!r}, "
        f"clusters=...{strata}) draws whole clusters."
    )


def _refuse(table: ScoreTable, statistic: Aggregate, tasks: Sequence[str]) -> None:
    """Refuse scores that strata of tasks are not for.

    Raises
    ------
    ValueError
        Such scores.
    """
    option = f"--statistic {statistic}"
    if table.clusters or table.runs or table.statistic is not None:
        what, advice = _advise_others(table, statistic)
        msg = f"Expected scores of runs or of items with {option}; got {what}. {advice}"
        raise ValueError(msg)
    if len(table.tasks) == 1 and statistic == "mean":
        msg = (
            f"Expected several tasks with {option}; got one, on which models are "
            "compared by their means with --test t. Leave it out, or name the column "
            "of tasks with --task."
        )
        raise ValueError(msg)
    if not tasks:
        msg = (
            f"Expected a task with scores of all models with {option}; got none. "
            "Choose models with --columns."
        )
        raise ValueError(msg)
    sizes = {
        name: tuple(len(table.tasks[task][name]) for task in tasks)
        for name in table.models
    }
    single = [
        task for k, task in enumerate(tasks) if min(x[k] for x in sizes.values()) < 2
    ]
    if single:
        msg = (
            f"Expected two {table.unit}s or more of each model on each task with "
            f"{option}; got one on {quote(single[0])}. Leave out such tasks with "
            "--tasks."
        )
        raise ValueError(msg)
    shares = {tuple(n / sum(by) for n in by) for by in sizes.values()}
    if statistic != "mean" and len(shares) > 1:
        msg = (
            f"Expected all models to have equal numbers of {table.unit}s on each "
            f"task, or numbers in the same proportions over tasks, with {option}; got "
            f"{_say_unequal(sizes, tasks, table.unit)}. Tasks would count more for one "
            f"model than for another. Add the missing {table.unit}s, take those alone "
            "that all models have by --where, or pass --statistic mean, for which each "
            "task counts the same."
        )
        raise ValueError(msg)


def _say_unequal(
    sizes: Mapping[str, tuple[int, ...]], tasks: Sequence[str], unit: str
) -> str:
    """Say which model has fewer scores on which task than elsewhere, and how many."""
    of_task = list(map(max, zip(*sizes.values(), strict=True)))
    every = [(x, k, n) for x, by in sizes.items() for k, n in enumerate(by)]
    # Than other models on the task, or than the model on other tasks.
    ways = [
        [(x, k, n, of_task[k], "of others") for x, k, n in every if n < of_task[k]],
        [
            (x, k, n, max(sizes[x]), "on other tasks")
            for x, k, n in every
            if n < max(sizes[x])
        ],
    ]
    odd = min(filter(None, ways), key=len)
    said = [
        f"{n} {unit}s of {quote(name)} on {quote(tasks[k])} ({usual} {where})"
        for name, k, n, usual, where in odd[:_MOST_NAMED]
    ]
    more = [f"{len(odd) - _MOST_NAMED} more"] if len(odd) > _MOST_NAMED else []
    return list_in_words([*said, *more])
