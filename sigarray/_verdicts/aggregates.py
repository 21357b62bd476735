"""Which models are better over these tasks, of which each is a stratum.

`rank_ci` inverts comparisons of its own, which may decide other pairs than the verdicts
that are printed beside them, and needs models that are independent of each other.

The tasks are fixed, and other runs of the same models on them are the question; over
tasks like these, `over_tasks` decides. Of one task there is one stratum.
"""

import functools
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._correction import holm
from sigarray._numeric.statistic import rounding_of
from sigarray._verdicts.aggregate_tests import (
    Aggregate,
    Pooled,
    apply_to_scores,
    average_improvements,
    compare_runs,
    compare_two,
    doubt_ties,
    find_own_interval,
    note_shared_names,
    refuse_scores,
    refuse_two_values,
    test_models,
)
from sigarray._verdicts.comparison import pairs_of, say_level
from sigarray._verdicts.decisions import list_not_worse
from sigarray._verdicts.floors import is_least
from sigarray._verdicts.intervals import Interval
from sigarray._verdicts.lacking import list_shared, say_of_all
from sigarray._verdicts.margins import test_margins
from sigarray._verdicts.over_tasks import ComparedPair, DecidedPairs
from sigarray._verdicts.ranking import Order, Wins, list_wins, order_by, sort_pairs
from sigarray._verdicts.sampled import find_sampled
from sigarray.read._messages import announce
from sigarray.read._score_table import ScoreTable


class Rank(NamedTuple):
    """The rank of a model, 1 for the best, and the limits of its interval."""

    rank: int
    low: int
    high: int


def find_ranks(
    values: Mapping[str, float],
    roundings: Mapping[str, float],
    wins: Wins,
    *,
    higher_is_better: bool,
) -> dict[str, Rank]:
    """Rank models by their values, behind those that are better and before those worse.

    Where no verdict on any pair is wrong, every interval holds (Mogstad, Romano, Shaikh
    and Wilhelm 2024): so all hold at once at the level of all verdicts together. Models
    whose values differ by their `roundings` alone have the first of their ranks.
    """
    sign = 1.0 if higher_is_better else -1.0
    worse, better = Counter(x for x, _ in wins), Counter(x for _, x in wins)
    return {
        name: Rank(
            1
            + sum(
                sign * (y - value) > roundings[name] + roundings[other]
                for other, y in values.items()
            ),
            1 + better[name],
            len(values) - worse[name],
        )
        for name, value in values.items()
    }


# A statistic in words, in the singular and of several models.
NAMES = {
    "iqm": ("interquartile mean", "interquartile means"),
    "mean": ("mean", "means"),
    "median": ("median", "medians"),
    "improvement": ("probability of improvement", "probabilities of improvement"),
}
# For a guess at the time.
_SECONDS_PER_SCORE = 2e-8


@dataclass(frozen=True)
class PairOfAggregates(ComparedPair):
    """Two models over these tasks.

    For probabilities of improvement, the difference is that of P(A better) and 1/2.
    """

    @property
    def probability(self) -> float:
        return 0.5 + self.difference

    @property
    def limits(self) -> Interval:
        low, high = self.interval
        return Interval(0.5 + low, 0.5 + high)


@dataclass(frozen=True)
class Aggregates(DecidedPairs):
    """Models by a statistic of all their scores on tasks, each of which is a stratum.

    `values` are those of the models, each with an interval of its own; tasks that some
    model lacks are left out. There are no resamples for the mean, which is tested by t.
    There are `ranks` of three models or more if every pair has a corrected verdict.
    """

    statistic: Aggregate
    tasks: list[str]
    left_out: list[str]
    values: dict[str, float]
    intervals: dict[str, Interval]
    ranks: dict[str, Rank]
    pairs: list[PairOfAggregates]
    level: float
    is_corrected: bool
    baseline: str | None
    higher_is_better: bool
    is_paired: bool
    unit: str
    sizes: tuple[int, int]
    n_clusters: int | None
    n_resamples: int | None
    seed: int | None
    margin: float | None = None

    @property
    def noun(self) -> str:
        return NAMES[self.statistic][0]

    @property
    def plural(self) -> str:
        return NAMES[self.statistic][1]

    @property
    def said_tasks(self) -> str:
        return say_of_all(len(self.tasks), len(self.left_out))

    @property
    def where(self) -> str:
        return f" over these {self.said_tasks}" if len(self.tasks) > 1 else ""

    def say_own_level(self) -> str:
        return say_level(self.level, len(self.values), is_corrected=False)

    @property
    def is_of_pairs(self) -> bool:
        """Whether the statistic is one of two models, and not of each."""
        return self.statistic == "improvement"

    def is_least(self, pair: PairOfAggregates) -> bool:
        """Tell whether more resamples would make the p-value of a pair smaller."""
        # By percentiles it is twice a share, as that of two-sided permutations.
        test = "permutation" if self.is_of_pairs else "bootstrap"
        return is_least(pair.pvalue, test, self.n_resamples or 0)

    @functools.cached_property
    def order(self) -> Order:
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
    tasks, left_out = list_shared(table)
    refuse_scores(table, statistic, tasks)
    samples = {
        name: _list_samples(table, name, tasks, statistic) for name in table.models
    }
    note_shared_names(table, tasks)
    clusters = _number_clusters(table, tasks)
    pooled = {name: _pool(x, statistic, clusters) for name, x in samples.items()}
    scores = {name: x.scores for name, x in pooled.items()}
    for check in (refuse_two_values, doubt_ties):
        check(scores, statistic, NAMES[statistic][0], n_tasks=len(table.tasks))
    of_scores = None if statistic == "improvement" else statistic
    pairs = pairs_of(table.models, baseline)
    number = None if statistic == "mean" else n_resamples
    announce(
        f"{statistic} over tasks for {len(pairs)} pairs",
        len(pairs)
        * (number or 1)
        * 2
        * len(pooled[pairs[0][0]].scores)
        * _SECONDS_PER_SCORE,
        "Faster: --statistic mean, fewer models with --columns.",
    )
    confidence = 1.0 - level / (len(pairs) if is_corrected else 1)
    resampling = {} if number is None else {"n_resamples": number, "rng": seed}
    compare: Callable[..., tuple[float, Interval, float]]
    if of_scores is None:
        compare = functools.partial(compare_runs, higher_is_better=higher_is_better)
        higher_is_better = True  # as probabilities are
    else:
        compare = functools.partial(
            compare_two, statistic=of_scores, is_paired=table.is_paired
        )
    # In the order of names, so that the order of columns changes no number.
    found = [
        compare(
            [pooled[name] for name in sorted(pair)],
            confidence=confidence,
            resampling=resampling,
        )
        for pair in pairs
    ]
    intervals = {}
    if of_scores is None:
        leads = {
            (min(x), max(x)): lead for x, (lead, *_) in zip(pairs, found, strict=True)
        }
        values = average_improvements(table.models, leads)
    else:
        values = {
            name: float(apply_to_scores(of_scores, x.scores))
            for name, x in pooled.items()
        }
        intervals = {
            name: find_own_interval(pooled[name], of_scores, 1.0 - level, resampling)
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
    if margin is not None and of_scores is not None:

        def test_margin(model: str, other: str) -> float:
            return test_models(
                [pooled[name] for name in (model, other)],
                of_scores,
                is_paired=table.is_paired,
                resampling={
                    **resampling,
                    "alternative": "greater" if higher_is_better else "less",
                    "margin": margin,
                },
            )

        found_margins = test_margins(
            pairs, test_margin, baseline=baseline, is_corrected=is_corrected
        )
        every = [
            replace(x, margins=y, not_worse=list_not_worse(y, x.better, level))
            for x, y in zip(every, found_margins, strict=True)
        ]
    ranks = {}
    has_ranks = is_corrected and baseline is None and len(values) > 2
    if has_ranks and of_scores is not None:
        roundings = {
            name: float(
                rounding_of(HOST, of_scores, [x.scores], [np.asarray(values[name])])
            )
            for name, x in pooled.items()
        }
        ranks = find_ranks(
            values, roundings, list_wins(every), higher_is_better=higher_is_better
        )
    counts = [len(x) for by in samples.values() for x in by]
    aggregates = Aggregates(
        statistic=statistic,
        tasks=tasks,
        left_out=left_out,
        values=values,
        intervals=intervals,
        ranks=ranks,
        pairs=every,
        level=level,
        is_corrected=is_corrected,
        baseline=baseline,
        higher_is_better=higher_is_better,
        is_paired=table.is_paired,
        unit=table.unit,
        sizes=(min(counts), max(counts)),
        n_clusters=None if clusters is None else 1 + int(clusters.max()),
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


def _number_clusters(table: ScoreTable, tasks: Sequence[str]) -> np.ndarray | None:
    """Return the cluster of each item of all tasks, as numbers; None without any.

    Clusters of two tasks are others, whatever their names, and an item of a task
    without clusters is one by itself.
    """
    if not table.clusters:
        return None
    codes: list[np.ndarray] = []
    for task in tasks:
        sampled = find_sampled(table, task)
        own = None if sampled is None else sampled.codes
        if own is None:
            own = np.arange(len(next(iter(table.tasks[task].values()))))
        codes.append(own + (1 + codes[-1].max() if codes else 0))
    return np.concatenate(codes)


def _pool(
    samples: Sequence[np.ndarray], statistic: Aggregate, clusters: np.ndarray | None
) -> Pooled:
    """Return the scores of all tasks, for the mean in units in which tasks count alike.

    The mean of all is then that of the means of tasks, and so is its error.
    """
    sizes = list(map(len, samples))
    n, n_tasks = sum(sizes), len(samples)
    if statistic == "mean" and len({*sizes}) > 1:
        samples = [x * (n / (n_tasks * len(x))) for x in samples]
    tasks = np.repeat(np.arange(n_tasks), sizes)
    return Pooled(np.concatenate(samples), tasks, clusters)
