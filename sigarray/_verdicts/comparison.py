"""Models of a table, their scores, and how they are compared."""

import functools
import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sigarray._difference.components import variance_components
from sigarray._plain_text import list_in_words, quote
from sigarray._verdicts.intervals import (
    FEWER_DEGREES,
    UNKNOWN,
    Interval,
    Probability,
    are_binary,
    find_intervals,
    find_probabilities,
)
from sigarray._verdicts.sampled import Sampled, say_all_items
from sigarray.report._layout import (
    Summary,
    count_decimals,
    describe_scores,
    put_first,
    without_infinities,
)

# With so many times the variance, runs alone, or items, make an error smaller.
_RULES = 4.0
# What a test says of scores that are no pairs.
UNPAIRED = "of unpaired independent samples"


@dataclass(frozen=True)
class Comparison:
    source: str
    scores: Mapping[str, Any]
    test: str
    alpha: float
    confidence_level: float
    threshold: float
    higher_is_better: bool
    is_corrected: bool
    n_comparisons: int
    n_resamples: int | None
    seed: int | None
    method: str
    unit: str = "run"
    metric: str = "score"
    # That of its task, if others have other ones.
    own_metric: str = ""
    correction: str = "holm"
    baseline: str | None = None
    is_paired: bool = False
    task: str = ""
    # The scores of two models on the items that both have, where some lack some.
    matched: Mapping[tuple[str, str], Any] = field(default_factory=dict)
    # How many scores of a model were missing, and count as the worst of all.
    n_worst: Mapping[str, int] = field(default_factory=dict)
    # The clusters of the items, or the runs beside them, if these were sampled.
    sampled: Sampled | None = None
    # The sizes of the clusters of which scores are, if a test allows for them.
    sizes: Any = None
    # By how much a model may be worse and count as no worse, if that is asked.
    margin: float | None = None
    # The share of a data set on which a model was tested, of splits that overlap.
    test_share: float | None = None
    # The tasks of the files that are not compared at all, and why, in words.
    left_out: tuple[str, ...] = ()
    why_left_out: tuple[str, ...] = ()
    # What else may explain differences between models, on all tasks, in sentences.
    doubts: tuple[str, ...] = ()

    @functools.cached_property
    def summaries(self) -> dict[str, Summary]:
        summaries = {
            name: describe_scores(scores) for name, scores in self.scores.items()
        }
        if self.runs:
            every = self.runs.items()
            return {name: describe_scores(x.reshape(-1)) for name, x in every}
        if self.unit != "cluster" and self.is_of_means:
            return summaries
        # A cluster is here the sum of its items over the mean number of items, and the
        # score of an item with a metric of sums is that plus its influence.
        unknown = dict.fromkeys(("median", "min", "max"), math.nan)
        return {name: summary | unknown for name, summary in summaries.items()}

    def summarize_pair(self, a: str, b: str) -> list[Summary]:
        if not self.matched:
            return [self.summaries[name] for name in (a, b)]
        return [describe_scores(x) for x in self.list_scores(a, b)]

    def find_difference(self, a: str, b: str) -> float:
        means = [x["mean"] for x in self.summarize_pair(a, b)]
        return means[0] - means[1]

    def find_lead(self, a: str, b: str) -> float:
        """Return by how much A is better than B, or than it would be by the margin."""
        difference = self.find_difference(a, b)
        lead = difference if self.higher_is_better else -difference
        return lead + (self.margin or 0.0)

    @functools.cached_property
    def intervals(self) -> dict[tuple[str, str], Interval]:
        """The interval of the difference of means of each pair, at one level for all.

        Those of several pairs are Bonferroni's, unless nothing is corrected.
        """
        pairs, level = self.pairs, self._level_of_each
        if not self._are_held:
            return dict.fromkeys(pairs, UNKNOWN)
        if self.sampled is not None:
            intervals = self.sampled.find_intervals(self.scores, pairs, level)
        else:
            # With Welch's test, so that p and the interval say the same of one pair.
            intervals = find_intervals(
                [self.list_scores(*pair) for pair in pairs],
                level,
                is_paired=self.is_paired,
                is_of_test=self.test == "t",
                test_share=self.test_share,
            )
        return dict(zip(pairs, intervals, strict=True))

    def find_interval(self, a: str, b: str) -> Interval:
        if (a, b) in self.intervals:
            return self.intervals[a, b]
        return self.intervals[b, a].turn()

    @functools.cached_property
    def probabilities(self) -> dict[tuple[str, str], Probability]:
        """P(A is better than B) of each pair, at the level of the differences.

        None with clusters, runs beside items or splits that overlap; of scores of 0 and
        1, by half their difference.
        """
        if not (self.sampled is None is self.test_share and self._are_held):
            return {}
        scores = {x: self.list_scores(*x) for x in self.intervals}
        every, level = list(scores.values()), self._level_of_each
        found = find_probabilities(every, level, is_paired=self.is_paired)
        by = dict(zip(scores, found, strict=True))
        if self.are_hits:
            halves = {x: [0.5 + 0.5 * y for y in self.intervals[x]] for x in by}
            by = {x: Probability(y.value, *halves[x]) for x, y in by.items()}
        return by if self.higher_is_better else {x: y.turn() for x, y in by.items()}

    def find_probability(self, a: str, b: str) -> Probability | None:
        turned = self.probabilities.get((b, a))
        return self.probabilities.get((a, b)) if turned is None else turned.turn()

    @property
    def _level_of_each(self) -> float:
        n = self.n_comparisons if self.is_corrected else 1
        return 1.0 - self.error_of_intervals / n

    @functools.cached_property
    def decimals(self) -> int | None:
        """The decimals of differences and intervals.

        None if no pair has an interval, or none that is shown with decimals.
        """
        return count_decimals(self.intervals.values())

    def describe_intervals(self) -> str:
        if not self.has_intervals:
            return ""
        are_hits = self.test_share is None and self.are_hits
        whose = (
            "Newcombe's" if are_hits else "Student's" if self.is_paired else "Welch's"
        )
        what = "intervals of differences"
        if self.n_comparisons == 1:
            what = "interval of the difference"
        are_unequal = any(1 < n < m for n, m in map(sorted, self._sizes))
        if self.sampled is not None:
            whose, what = "Student's", f"{what}{self.sampled.say_errors()}"
        if whose == "Welch's" and are_unequal and self.test != "t":
            what += f", {FEWER_DEGREES}"
        return f"{whose} {what}, {self.say_level_of_intervals()}"

    @property
    def has_intervals(self) -> bool:
        """Whether some pair has more than a single score, in memory."""
        return self._are_held and (
            any(min(x) > 1 for x in self._sizes) or self.are_hits
        )

    @property
    def _are_held(self) -> bool:
        """Whether scores are in memory, not on the disk."""
        return all(isinstance(x, np.ndarray) for x in self.scores.values())

    @functools.cached_property
    def are_hits(self) -> bool:
        return all(map(are_binary, self.scores.values()))

    @property
    def _sizes(self) -> list[list[int]]:
        return [[*map(len, self.list_scores(*pair))] for pair in self.pairs]

    def say_level_of_intervals(self) -> str:
        return say_level(
            self.error_of_intervals, self.n_comparisons, is_corrected=self.is_corrected
        )

    @property
    def error_of_intervals(self) -> float:
        return 1.0 - self.confidence_level if self.test == "aso" else self.alpha

    def list_scores(self, a: str, b: str) -> tuple[Any, Any]:
        for names in ((a, b), (b, a)):
            if names in self.matched:
                by = dict(zip(names, self.matched[names], strict=True))
                return by[a], by[b]
        return self.scores[a], self.scores[b]

    def list_units(self) -> Mapping[str, Any]:
        """Return what has the length of each sample: scores, or one for a cluster."""
        if self.sampled is None:
            return self.scores
        return dict.fromkeys(self.scores, range(self.sampled.number))

    def count_scores(self, name: str) -> str:
        n = self.n_worst.get(name, 0)
        if self.runs:
            return " x ".join(map(str, self.runs[name].shape))
        return f"{len(self.scores[name])}{f' ({n} missing)' if n else ''}"

    @functools.cached_property
    def names(self) -> list[str]:
        return list(self.scores)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        return pairs_of(self.names, self.baseline)

    @property
    def runs(self) -> Mapping[str, np.ndarray]:
        """The scores (S, n) of each model by run and item, if both were sampled."""
        return {} if self.sampled is None else self.sampled.runs

    def advise_more(self) -> str:
        if self.runs:
            return f"More {self._name_scarce()} would decide more"
        if self.test_share is not None:
            return "A larger data set would decide more, further splits of it little"
        if self.margin is not None:
            return f"More {self.unit}s would decide more"
        units = self.name_units()
        return f"More {units} would decide more: sigarray power estimates how many"

    def _name_scarce(self) -> str:
        """Name what errors are of, of runs and items: both, if neither rules."""
        errors = np.zeros(2)
        every = {} if self.sampled is None else self.sampled.list_tables()
        for pair in self.pairs:
            tables = [every[name] for name in pair]
            n_runs, n_items = min(map(len, tables)), tables[0].shape[1]
            found = np.asarray(variance_components(*tables)[:2], dtype=float)
            errors += np.maximum(found, 0.0) / (n_runs, n_items)
        of_runs, of_items = errors
        if of_runs > _RULES * of_items:
            return "runs"
        unit = self.name_units()
        return unit if of_items > _RULES * of_runs else f"runs and {unit}"

    def name_units(self) -> str:
        has_clusters = self.sampled is not None and self.sampled.has_clusters
        return "clusters" if has_clusters else f"{self.unit}s"

    def say_spread(self) -> str:
        """Say behind standard errors what else was drawn than scores one by one."""
        return "" if self.sampled is None else self.sampled.say_spread()

    def count_sampled(self, a: str, b: str) -> dict[str, int]:
        if self.runs:
            n_runs = {"n_runs_a": len(self.runs[a]), "n_runs_b": len(self.runs[b])}
            return n_runs | _count_clusters(self)
        return _count_clusters(self)

    @property
    def is_of_means(self) -> bool:
        return self.sampled is None or self.sampled.statistic is None

    @property
    def estimate(self) -> str:
        """What models are compared by, in the singular: "mean", or "f1"."""
        return "mean" if self.is_of_means else self.metric

    @property
    def estimates(self) -> str:
        return "means" if self.is_of_means else self.metric

    @property
    def title(self) -> str:
        return f"{self.source}, {self.direction}"

    @property
    def sign(self) -> str:
        """The sign between two scores of which the first is better."""
        return ">" if self.higher_is_better else "<"

    @property
    def direction(self) -> str:
        if self.metric == "score":
            return f"{'higher' if self.higher_is_better else 'lower'} is better"
        return say_better(self.metric, higher_is_better=self.higher_is_better)


def list_models(compared: Mapping[str, Comparison]) -> list[str]:
    return list(dict.fromkeys(name for x in compared.values() for name in x.names))


def say_better(metric: str, *, higher_is_better: bool) -> str:
    direction = "higher" if higher_is_better else "lower"
    named = "scores" if metric == "score" else name_metrics(metric)
    are = "are" if metric == "score" or ", " in metric else "is"
    return f"{direction} {named} {are} better"


def name_metrics(metric: str) -> str:
    """Name the metrics of tasks, of which some may be by a filter: "acc,strict"."""
    every = (x.removesuffix(",none").partition(",") for x in metric.split(", "))
    return list_in_words([f"{x} ({way})" if way else x for x, _, way in every])


def say_baseline(baseline: str | None) -> str:
    return "" if baseline is None else f"; B is the baseline {quote(baseline)}"


def say_worst(compared: Iterable[Comparison]) -> str:
    n = sum(sum(x.n_worst.values()) for x in compared)
    some = "score" if n == 1 else "scores"
    return f", with {n} missing {some} counted as the worst" if n else ""


def say_design(compared: Iterable[Comparison]) -> str:
    """Say behind a title how many items are in how many clusters or runs, if in any.

    On several tasks these are sums, or ranges if there are runs.
    """
    sampled = [x.sampled for x in compared]
    every = [x for x in sampled if x is not None and x.has_design]
    return f"; {say_all_items(every, len(sampled))}" if every else ""


def say_level(error: float, n_intervals: int, *, is_corrected: bool) -> str:
    level = f"{100.0 * (1.0 - error):.10g} % confidence"
    if n_intervals == 1:
        return level
    if not is_corrected:
        return f"{level} for each"
    every = "both" if n_intervals == 2 else f"all {n_intervals}"
    return f"{level} for {every} together"


def pairs_of(names: Iterable[str], baseline: str | None) -> list[tuple[str, str]]:
    """Return every two models, or the baseline and each other one."""
    pairs = itertools.combinations(names, 2)
    return [pair for pair in pairs if baseline is None or baseline in pair]


def start_document(comparison: Comparison, correction: str) -> dict[str, Any]:
    level = {"confidence_level": comparison.confidence_level}
    if comparison.test != "aso":
        level = {"alpha": comparison.alpha}
    return {
        "source": comparison.source,
        "test": comparison.test,
        "higher_is_better": comparison.higher_is_better,
        **level,
        "correction": correction if comparison.is_corrected else None,
        "n_resamples": comparison.n_resamples,
        "seed": comparison.seed,
        "method": comparison.method,
        **({} if comparison.is_of_means else {"statistic": comparison.metric}),
        **({} if comparison.margin is None else {"margin": comparison.margin}),
        **_count_clusters(comparison),
        "models": {
            name: {"n": len(comparison.scores[name])}
            # Of items in several runs, numbers of both.
            | ({"n_runs": len(comparison.runs[name])} if comparison.runs else {})
            | without_infinities(comparison.summaries[name])
            for name in put_first(comparison.scores, comparison.baseline)
        },
    }


def _count_clusters(comparison: Comparison) -> dict[str, int]:
    sampled = comparison.sampled
    if sampled is None or not sampled.has_clusters:
        return {}
    return {"n_clusters": sampled.number}
