"""What was sampled: clusters of items, runs and items, or numbers to add up."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sigarray import corpus
from sigarray._difference.location import t_ci
from sigarray._numeric.sums import SumStatistic
from sigarray._plain_text import show_range
from sigarray._verdicts.intervals import UNKNOWN, Interval
from sigarray.read._codes import encode
from sigarray.read._score_table import ScoreTable
from sigarray.read._wide import Scores

# Two models each.
Pairs = Sequence[Sequence[str]]
# Scores in one call.
_MOST_HELD = 2**22


@dataclass(frozen=True, eq=False)
class Sampled:
    """Items, the clusters that they are in, and the metric that their scores are of."""

    # How many items there are, and how many clusters, or items without these.
    n_items: int
    number: int
    # The cluster of each item, from 0 on.
    codes: np.ndarray | None = None
    # A metric of sums; the scores are then pseudo-values, whose mean it is.
    statistic: SumStatistic | None = None
    # Model -> the numbers (d, n) of each item.
    sums: Mapping[str, np.ndarray] = field(default_factory=dict)
    # Model -> its scores (S, n) by run and item, if both were sampled; the scores are
    # then their means over the runs.
    runs: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def has_clusters(self) -> bool:
        return self.codes is not None

    @property
    def has_design(self) -> bool:
        return self.has_clusters or bool(self.runs)

    @property
    def options(self) -> dict[str, Any]:
        by: dict[str, Any] = {"axis": (-2, -1)} if self.runs else {"paired": True}
        if self.statistic is not None:
            by["statistic"] = self.statistic
        return by | {"clusters": self.codes}

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

    def score_clusters(self, scores: Scores) -> dict[str, np.ndarray]:
        """Return a score of each cluster: their mean is that of items.

        So is, nearly, its error: what a cluster adds to the sum of its items goes with
        its size, but only what it adds beyond their mean changes this.
        """
        shares = self.sizes / np.mean(self.sizes)
        sums = self.sum_clusters(scores)
        return {
            name: sums[name] / np.mean(self.sizes) + np.mean(x) * (1.0 - shares)
            for name, x in scores.items()
        }

    def list_tables(self) -> dict[str, np.ndarray]:
        tables = {}
        for name, x in self.runs.items():
            by_run = self.sum_clusters({str(k): y for k, y in enumerate(x)})
            tables[name] = np.stack([*by_run.values()]) / np.mean(self.sizes)
        return tables

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
        """Return the means of clusters; of models whose runs vary, these vary, too."""
        if self.runs:
            means = {name: self.runs[name].mean(axis=1) for name in scores}
            return {x: y for x, y in scores.items() if np.ptp(means[x]) == 0.0}
        return {name: x / self.sizes for name, x in self.sum_clusters(scores).items()}

    def say_errors(self) -> str:
        of = ["the influences of items"] if self.statistic is not None else []
        unit = "clusters" if self.has_clusters else "items"
        if self.runs:
            of += [f"the errors of runs and {unit}"]
        elif self.has_clusters:
            of += ["the errors of clusters"]
        return f" by {' and '.join(of)}"

    def say_spread(self) -> str:
        if self.runs:
            return f" for other runs and {'clusters' if self.has_clusters else 'items'}"
        return " by whole clusters" if self.has_clusters else ""

    def find_error(self, name: str, scores: Mapping[str, Any]) -> float:
        if self.runs:
            return float(t_ci(self.runs[name], **self.options).standard_error)
        return float(t_ci(scores[name], clusters=self.codes).standard_error)

    def find_intervals(
        self, scores: Mapping[str, Any], pairs: Pairs, level: float
    ) -> list[Interval]:
        intervals = [UNKNOWN] * len(pairs)
        for places, a, b in self.list_batches(scores, pairs, _MOST_HELD):
            result = t_ci(a, b, confidence_level=level, **self.options)
            limits = (x.tolist() for x in result.confidence_interval)
            for k, low, high in zip(places, *limits, strict=True):
                intervals[k] = Interval(low, high)
        return intervals

    def list_batches(
        self, scores: Mapping[str, Any], pairs: Pairs, most: int
    ) -> Iterator[tuple[list[int], Any, Any]]:
        """Yield what t takes of some pairs of equal shapes, and which these are.

        No more than `most` scores are held, but for one pair.
        """
        given = self.runs or self.sums or scores
        groups: dict[tuple[tuple[int, ...], ...], list[int]] = {}
        for k, pair in enumerate(pairs):
            groups.setdefault(tuple(given[x].shape for x in pair), []).append(k)
        for shapes, group in groups.items():
            step = max(1, most // sum(map(math.prod, shapes)))
            for start in range(0, len(group), step):
                places = group[start : start + step]
                a, b = (np.stack([given[pairs[k][i]] for k in places]) for i in (0, 1))
                yield places, a, b


def find_sampled(table: ScoreTable, task: str) -> Sampled | None:
    """Return the clusters of a task, its runs or its metric; None for none of them."""
    labels = table.clusters.get(task)
    if labels is None and table.statistic is None and task not in table.runs:
        return None
    n = len(next(iter(table.tasks[task].values())))
    number, codes = n, None
    if labels is not None:
        coded = encode(labels)
        number, codes = len(coded.values), coded.codes.astype(np.int64)
    runs = {name: x.scores for name, x in table.runs.get(task, {}).items()}
    return Sampled(n, number, codes, table.statistic, table.sums.get(task, {}), runs)


def sort_runs(scores: np.ndarray) -> np.ndarray:
    return scores[np.lexsort(scores.T[::-1])]


def count_units(table: ScoreTable) -> Mapping[str, Mapping[str, Any]]:
    """Return what has the length of each sample: scores, or one element a cluster."""
    if not table.clusters:
        return table.tasks
    return {
        task: dict.fromkeys(by, range(len({*table.clusters[task]})))
        for task, by in table.tasks.items()
    }


def name_sampled(table: ScoreTable) -> str:
    return "cluster" if table.clusters else table.unit


def name_scored(table: ScoreTable) -> str:
    """Name what a score of a comparison is of: an item, if runs were drawn as well.

    Or a rater, if means of raters are compared.
    """
    if table.unit == "item":
        return next((x.unit for x in table.averaged.values()), "item")
    return "item" if table.runs else table.unit


def list_sizes_of_clusters(table: ScoreTable) -> dict[str, np.ndarray]:
    sampled = {task: find_sampled(table, task) for task in table.clusters}
    return {task: x.sizes for task, x in sampled.items() if x is not None}


def take_clusters(table: ScoreTable, *, as_sums: bool) -> ScoreTable:
    """Return a table of clusters: sums of items over the mean size, or scores of each.

    They are of scores of the table, without the numbers of which these may be.
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
        if as_sums:
            sums = sampled.sum_clusters(by)
            tasks[task] = {name: x / np.mean(sampled.sizes) for name, x in sums.items()}
        else:
            tasks[task] = sampled.score_clusters(by)
        ids[task] = dict.fromkeys(by, tuple(dict.fromkeys(labels)))
    return table._replace(tasks=tasks, ids=ids, unit="cluster", clusters={})


def say_clusters(sampled: Iterable[Sampled | None]) -> str:
    counts = [x.number for x in sampled if x is not None and x.has_clusters]
    if not counts:
        return ""
    return f" in {show_range(counts, ',')} clusters"


def say_items(sampled: Sequence[Sampled]) -> str:
    """Say how many: "5 runs x 500 items", or "1,319 items in 57 clusters"."""
    items = f"{show_range((x.n_items for x in sampled), ',')} items"
    runs = [len(y) for x in sampled for y in x.runs.values()]
    by = f"{show_range(runs, ',')} runs x " if runs else ""
    return f"{by}{items}{say_clusters(sampled)}"


def say_all_items(sampled: Sequence[Sampled], n_tasks: int) -> str:
    are_plain = all(x.has_clusters and not x.runs for x in sampled)
    if len(sampled) < n_tasks or not are_plain:
        return say_items(sampled)
    n, number = sum(x.n_items for x in sampled), sum(x.number for x in sampled)
    return f"{n:,} items in {number:,} clusters"


def refuse_single(table: ScoreTable) -> None:
    for task, labels in table.clusters.items():
        if len({*labels}) < 2:
            on = f" on {task}" if task else ""
            others = "such tasks with --tasks, or " if len(table.tasks) > 1 else ""
            msg = (
                f"{table.source}: expected items in two clusters or more{on}; got all "
                f"{len(labels)} in {labels[0]!r}. Leave out {others}clusters to take "
                "items for independent."
            )
            raise ValueError(msg)


def refuse_options_of_runs(
    test: str | None,
    *,
    method: str | None,
    is_paired: bool,
    test_share: float | None,
    has_clusters: bool,
) -> None:
    what = "items in several runs of each model, both of which were drawn"
    if has_clusters and test == "aso":
        msg = (
            f"Expected --test t of {what}, the items by whole clusters; got --test "
            "aso. Leave it out; or take items as independent, without --cluster, or "
            "with --ignore for its column."
        )
        raise ValueError(msg)
    if test not in ("t", "aso"):
        msg = (
            f"Expected --test t or --test aso of {what}; got --test {test}. Pass "
            "--unit item for a verdict on these trained models, or --unit run for one "
            "on this test set, which take other tests, too."
        )
        raise ValueError(msg)
    if method not in (None, "auto", "bootstrap"):
        msg = (
            f"Expected --method bootstrap of {what}; got --method {method}. Their "
            "resamples are too many to list, and have no known limit. Leave it out."
        )
        raise ValueError(msg)
    if is_paired:
        option = "--paired" if test_share is None else "--test-share"
        msg = (
            f"Expected {what}, without {option}: each model has runs of its own. Leave "
            "it out. For models that share their seeds there is t_test(a, b, axis=(0, "
            "1), paired=True) in Python."
        )
        raise ValueError(msg)
