"""What was sampled, if no single scores: clusters of items, or numbers to add up."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sigarray import corpus
from sigarray._difference.t_interval import t_ci
from sigarray._numeric.sums import SumStatistic
from sigarray._verdicts.intervals import Interval
from sigarray.read._codes import encode
from sigarray.read._score_table import ScoreTable
from sigarray.read._wide import Scores

# Scores in one call.
_MOST_HELD = 2**22


@dataclass(frozen=True, eq=False)
class Sampled:
    """Items, the clusters that they are in, and the metric of which their scores are.

    Attributes
    ----------
    n_items, number : int
        How many items there are, and how many clusters, or items without these.
    codes : array, shape (n,), optional
        The cluster of each item, from 0 on.
    statistic : SumStatistic, optional
        A metric of sums; the scores are then pseudo-values, whose mean it is.
    sums : mapping
        Model -> the numbers (d, n) of each item.
    """

    n_items: int
    number: int
    codes: np.ndarray | None = None
    statistic: SumStatistic | None = None
    sums: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def has_clusters(self) -> bool:
        """Whether items are in clusters."""
        return self.codes is not None

    @property
    def sizes(self) -> np.ndarray:
        """The number of items of each cluster, 1 without clusters."""
        if self.codes is None:
            return np.ones(self.n_items)
        return np.bincount(self.codes)

    def sum_clusters(self, scores: Scores) -> dict[str, np.ndarray]:
        """Return the sums of clusters, each rounded once, so that units remain."""
        if self.codes is None:
            return dict(scores)
        order = np.argsort(self.codes, kind="stable")
        ends = np.cumsum(self.sizes).tolist()
        sums = {}
        for name, x in scores.items():
            every = x[order].tolist()
            starts = [0, *ends[:-1]]
            parts = (every[a:b] for a, b in zip(starts, ends, strict=True))
            sums[name] = np.asarray(list(map(math.fsum, parts)))
        return sums

    def add_up(self, scores: Scores) -> tuple[SumStatistic, dict[str, np.ndarray]]:
        """Return a metric of sums, and its numbers (d, n) of each cluster, or item.

        Without one, it is the mean of items: a ratio of their sum and their number.
        """
        statistic, numbers = self.statistic, self.sums
        if statistic is None:
            # The level of scores would cost digits, and cancels in differences.
            level = min(float(np.min(x)) for x in scores.values())
            ones = np.ones(self.n_items)
            numbers = {name: np.stack([x - level, ones]) for name, x in scores.items()}
            statistic = SumStatistic(corpus.ratio)
        if self.codes is not None:
            numbers = {
                name: np.stack([np.bincount(self.codes, x) for x in rows])
                for name, rows in numbers.items()
            }
        return statistic, {name: numbers[name] for name in scores}

    def average_clusters(self, scores: Scores) -> dict[str, np.ndarray]:
        """Return the means of clusters."""
        return {name: x / self.sizes for name, x in self.sum_clusters(scores).items()}

    def say_errors(self) -> str:
        """Say behind intervals by which errors they are."""
        of = ["the influences of items"] if self.statistic is not None else []
        of += ["the errors of clusters"] if self.has_clusters else []
        return f" by {' and '.join(of)}"

    def find_error(self, x: np.ndarray) -> float:
        """Return the standard error of the mean of items."""
        return float(t_ci(x, clusters=self.codes).standard_error)

    def find_intervals(
        self, pairs: Sequence[tuple[np.ndarray, np.ndarray]], level: float
    ) -> list[Interval]:
        """Return the intervals of mean(x) - mean(y), by the errors of clusters."""
        step = max(1, _MOST_HELD // (2 * self.n_items))
        intervals: list[Interval] = []
        for start in range(0, len(pairs), step):
            a, b = map(np.stack, zip(*pairs[start : start + step], strict=True))
            result = t_ci(
                a, b, paired=True, clusters=self.codes, confidence_level=level
            )
            limits = (x.tolist() for x in result.confidence_interval)
            intervals += map(Interval, *limits)
        return intervals


def find_sampled(table: ScoreTable, task: str) -> Sampled | None:
    """Return the clusters of the items of a task, or their metric; None for neither."""
    labels = table.clusters.get(task)
    if labels is None and table.statistic is None:
        return None
    n = len(next(iter(table.tasks[task].values())))
    number, codes = n, None
    if labels is not None:
        coded = encode(labels)
        number, codes = len(coded.values), coded.codes.astype(np.int64)
    return Sampled(n, number, codes, table.statistic, table.sums.get(task, {}))


def count_units(table: ScoreTable) -> Mapping[str, Mapping[str, Any]]:
    """Return what has the length of each sample: scores, or one element a cluster."""
    if not table.clusters:
        return table.tasks
    return {
        task: dict.fromkeys(by, range(len({*table.clusters[task]})))
        for task, by in table.tasks.items()
    }


def name_sampled(table: ScoreTable) -> str:
    """Name what was sampled."""
    return "cluster" if table.clusters else table.unit


def take_clusters(table: ScoreTable) -> ScoreTable:
    """Return a table of clusters: the sums of their items, in units of a mean size.

    Scores are those of the table, without the numbers of which they may be.
    """
    table = table._replace(sums={}, statistic=None)
    if not table.clusters:
        return table
    tasks: dict[str, dict[str, np.ndarray]] = {}
    ids: dict[str, dict[str, tuple[str, ...]]] = {}
    for task, by in table.tasks.items():
        labels = table.clusters[task]
        sampled = find_sampled(table, task)
        if sampled is None:
            continue
        sums = sampled.sum_clusters(by)
        tasks[task] = {name: x / np.mean(sampled.sizes) for name, x in sums.items()}
        ids[task] = dict.fromkeys(by, tuple(dict.fromkeys(labels)))
    return table._replace(tasks=tasks, ids=ids, unit="cluster", clusters={})


def say_clusters(sampled: Iterable[Sampled | None]) -> str:
    """Say in how many clusters items are, on each task: " in 57 clusters"."""
    counts = [x.number for x in sampled if x is not None and x.has_clusters]
    if not counts:
        return ""
    few, many = min(counts), max(counts)
    return f" in {few:,}{'' if few == many else f' to {many:,}'} clusters"


def say_items(sampled: Sequence[Sampled]) -> str:
    """Say how many items are in how many clusters: "1,319 items in 57 clusters"."""
    counts = [x.n_items for x in sampled]
    few, many = min(counts), max(counts)
    count = f"{few:,}{'' if few == many else f' to {many:,}'}"
    return f"{count} items{say_clusters(sampled)}"


def refuse_single(table: ScoreTable) -> None:
    """Refuse a single cluster, which does not show how others would differ.

    Raises
    ------
    ValueError
        Such a cluster.
    """
    for task, labels in table.clusters.items():
        if len({*labels}) < 2:
            on = f" on {task}" if task else ""
            msg = (
                f"{table.source}: expected items in two clusters or more{on}; got all "
                f"{len(labels)} in {labels[0]!r}. Leave out clusters to take items "
                "for independent."
            )
            raise ValueError(msg)
