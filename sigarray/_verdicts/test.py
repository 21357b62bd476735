"""What every test of several models does; and two-sided tests of every two."""

import itertools
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sigarray._correction import benjamini_hochberg, holm
from sigarray._verdicts.asked import FEW_SCORES, PairOptions
from sigarray._verdicts.comparison import Comparison, pairs_of
from sigarray._verdicts.decisions import Decision, PairTest, decide_by_tests
from sigarray._verdicts.floors import choose_correction, list_floors
from sigarray._verdicts.lacking import list_matched, say_own
from sigarray._verdicts.margins import (
    add_claims,
    add_margins,
    adjust_margins,
    list_claims,
)
from sigarray._verdicts.method_lines import (
    describe_margins,
    describe_test,
    list_pairs,
    name_test,
)
from sigarray._verdicts.near_levels import doubt_near_alpha
from sigarray._verdicts.pairwise_tests import find_tests, run_pairwise
from sigarray._verdicts.pictures import Picture
from sigarray._verdicts.sampled import count_units, find_sampled, name_scored
from sigarray._verdicts.sampled_tests import run_sampled, test_by_sizes
from sigarray._verdicts.verdict import report_tests, say_basis
from sigarray.read._messages import track
from sigarray.read._score_table import ScoreTable
from sigarray.read._wide import Scores
from sigarray.report._layout import Report

# Task -> results of a test of its models.
Results = Mapping[str, Any]
Decisions = dict[str, list[Decision]]
# (better, worse) -> the share of samples in which the first is called better.
Shares = dict[tuple[str, str], float]
# Two models -> samples (R, size) of each.
SamplesOfPairs = Mapping[tuple[str, str], tuple[np.ndarray, ...]]


@dataclass(frozen=True)
class DrawnSamples:
    """Samples (R, size) of all models, and of pairs that have samples of their own.

    If they are of clusters, and the test allows for their sizes, these are there.
    """

    scores: Mapping[str, np.ndarray]
    of_pairs: SamplesOfPairs
    higher_is_better: bool
    sizes: np.ndarray | None = None


class Test(ABC):
    """A way to tell which models are better, with its options."""

    # The name in `--test`.
    name: str
    # Whether it compares scores of the same item or run.
    is_paired: bool
    # The only model with which the others are compared.
    baseline: str | None
    # None for a test without random numbers.
    n_resamples: int | None
    seed: int | None
    method: str
    # The level of p-values, or of bounds; a test has one of them.
    alpha: float = 0.05
    confidence_level: float = 0.95
    # The bound below which a model is better.
    threshold: float = 0.2
    # The correction for several comparisons of one task.
    alone: str
    # By how much a model may be worse than another one and count as no worse.
    margin: float | None = None

    @abstractmethod
    def choose_correction(self, tasks: Mapping[str, Any]) -> str:
        """Name the correction for the comparisons of all tasks."""

    @abstractmethod
    def describe(
        self, table: ScoreTable, task: str, *, is_corrected: bool, correction: str
    ) -> str:
        """Return the method line of a task."""

    @abstractmethod
    def run(self, compared: Mapping[str, Comparison]) -> Results:
        """Compare every pair of every task."""

    @abstractmethod
    def decide(self, compared: Mapping[str, Comparison], results: Results) -> Decisions:
        """Decide every pair of every task, corrected for the number of all of them."""

    @abstractmethod
    def report(
        self, comparison: Comparison, result: Any, decisions: Sequence[Decision]
    ) -> Report:
        """Say who is better on the only task."""

    @abstractmethod
    def say_rule(self, comparison: Comparison) -> str:
        """Say in words when one model is better."""

    @abstractmethod
    def list_fields(self) -> dict[str, str | None]:
        """Return the fields that a signature has of this test."""

    def draw(
        self, compared: Mapping[str, Comparison], results: Results
    ) -> list[Picture]:
        """Draw what decides, beside differences of means and their intervals."""
        del compared, results
        return []

    @abstractmethod
    def says_nothing_of_constants(self, n_scores: int) -> bool:
        """Whether two models that do not vary, with few scores, cannot be tested."""

    def find_lack(self, comparison: Comparison) -> str:
        """Say whose scores are too few for any verdict, if so."""
        del comparison
        return ""

    @property
    def asks_welch_below(self) -> int | None:
        """The number of runs below which Welch's test has to reject as well, if any."""
        return None

    @abstractmethod
    def find_p_values(self, samples: DrawnSamples) -> np.ndarray:
        """Return the p-values (R, pairs) of equality in samples, not corrected."""

    @abstractmethod
    def find_shares(
        self,
        samples: DrawnSamples,
        sure_of: Collection[tuple[str, str]],
        *,
        is_corrected: bool,
        n_tasks: int,
        above: float,
        divisor: float | None = None,
    ) -> Shares:
        """Return how often one model is better than another in samples.

        The samples are of one of `n_tasks` tasks; the others show no difference. Or the
        level of each pair is that of all, over a `divisor`. Of pairs in `sure_of`, if
        the share is not below `above`, bounds near the threshold get more resamples;
        other bounds may be a little too small.
        """


@dataclass(frozen=True)
class PairwiseTest(PairOptions, Test):
    """A test of every two models: one is better where adjusted p is at most alpha.

    With a margin there are one-sided tests beside it, with a correction of their own.
    """

    alone = "holm"

    @property
    def _plain(self) -> "PairwiseTest":
        return replace(self, margin=None)

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.test

    def choose_correction(self, tasks: Mapping[str, Any]) -> str:
        if len(tasks) == 1:
            return "holm"
        return choose_correction(self._list_floors(tasks), self.alpha)

    def describe(
        self, table: ScoreTable, task: str, *, is_corrected: bool, correction: str
    ) -> str:
        scores, sampled = table.tasks[task], find_sampled(table, task)
        if sampled is not None:
            scores = sampled.sum_clusters(scores)
        pairs = list_pairs(scores, self)
        is_matched = self.is_paired and task in table.pairs
        if is_matched:
            by_pair = table.pairs[task].items()
            pairs = [x for pair, x in by_pair if self.baseline in (None, *pair)]
        method = describe_test(pairs, self._plain, unit=name_scored(table))
        if is_matched:
            n_all = len(next(iter(table.tasks[task].values())))
            method += f". A pair is compared on {say_own(pairs, n_all, table.unit)}"
        if is_corrected and correction != "holm":
            floors = self._list_floors(count_units(table))
            method += (
                ". Holm's correction could give no verdict here, because p is never "
                f"below {min(floors):.2g}, and there are {len(floors)} comparisons. So "
                "the false discovery rate over tasks is controlled "
                "(Benjamini-Hochberg): of the verdicts that one model is better, an "
                f"expected share of at most {100.0 * self.alpha:.10g} % is wrong"
            )
        if self.margin is not None:
            plain = sampled is None
            said = describe_margins(pairs, self, is_plain=plain, n=self.n_comparisons)
            method += f". {said}"
        return method

    def run(self, compared: Mapping[str, Comparison]) -> Results:
        return {
            task: [test for scores in list_matched(x) for test in self._test(scores, x)]
            for task, x in track(list(compared.items()), "Task")
        }

    def _test(self, scores: Scores, x: Comparison) -> list[PairTest]:
        is_higher, plain = x.higher_is_better, self._plain
        if self.test == "bootstrap" and not self.is_paired and x.sampled is None:
            # Draws are by place: those of runs do not depend on the order of rows.
            scores = {name: np.sort(sample) for name, sample in scores.items()}
        if x.sampled is None:
            tests = run_pairwise(scores, plain, higher_is_better=is_higher)
        else:
            tests = run_sampled(scores, plain, x.sampled, higher_is_better=is_higher)
        return tests if self.margin is None else add_margins(tests, scores, self, x)

    def decide(self, compared: Mapping[str, Comparison], results: Results) -> Decisions:
        first = next(iter(compared.values()))
        every = np.asarray([test.p_value for by in results.values() for test in by])
        if first.is_corrected:
            adjust = holm if first.correction == "holm" else benjamini_hochberg
            every = np.asarray(adjust(every))
        if self.margin is not None:
            results = adjust_margins(results, is_corrected=first.is_corrected)
        adjusted = iter(every)
        decisions = {
            task: decide_by_tests(compared[task], by, [next(adjusted) for _ in by])
            for task, by in results.items()
        }
        doubt_near_alpha(results, decisions, self.alpha)
        return decisions

    def report(
        self, comparison: Comparison, result: Any, decisions: Sequence[Decision]
    ) -> Report:
        del result
        return report_tests(comparison, decisions)

    def say_rule(self, comparison: Comparison) -> str:
        pairs = list_pairs(dict(comparison.scores), self)
        name = name_test(pairs, self._plain, unit=comparison.unit)
        if self.margin is not None:
            n = self.n_comparisons
            said = describe_margins(pairs, self, is_plain=not self.has_clusters, n=n)
            return f"{said[0].lower()}{said[1:]}, p <= {self.alpha:.10g}"
        return f"{name}: {say_basis(comparison)}"

    def list_fields(self) -> dict[str, str | None]:
        share = self.test_share
        margin = self.margin
        return {
            "alpha": f"{self.alpha:.10g}",
            "margin": None if margin is None else f"{margin:.10g}",
            "test_share": None if share is None else f"{share:.10g}",
        }

    def says_nothing_of_constants(self, n_scores: int) -> bool:
        """As in `Test`: true where the error is estimated from the scores."""
        is_of_t = self.test == "permutation" and not self.is_paired
        return self.test in ("t", "bootstrap") or (is_of_t and n_scores < FEW_SCORES)

    @property
    def asks_welch_below(self) -> int | None:
        is_of_t = self.test == "permutation" and self.unit == "run"
        return FEW_SCORES if is_of_t and not self.is_paired else None

    def find_p_values(self, samples: DrawnSamples) -> np.ndarray:
        pairs = pairs_of(samples.scores, self.baseline)
        return np.asarray([p for _, p in _test_samples(samples, self._plain, pairs)])

    def find_shares(
        self,
        samples: DrawnSamples,
        sure_of: Collection[tuple[str, str]],
        *,
        is_corrected: bool,
        n_tasks: int,
        above: float,
        divisor: float | None = None,
    ) -> Shares:
        """As in `Test`: Holm's correction, with p-values of 1 for other tasks.

        With a margin these are the shares in which the first model is no worse.
        """
        del sure_of, n_tasks, above  # self.n_comparisons counts those of all tasks
        pairs = pairs_of(samples.scores, self.baseline)
        n_others = self.n_comparisons - len(pairs) if is_corrected else 0
        tests = list(_test_samples(samples, self._plain, pairs))
        p_values = np.stack([p for _, p in tests])
        adjusted = p_values * (divisor or 1.0)
        if is_corrected and divisor is None:
            others = np.ones((len(tests), n_others))
            adjusted = np.asarray(holm(np.concatenate([p_values, others], axis=1)))
        are_apart = adjusted[:, : len(pairs)] <= self.alpha
        found = [
            {
                pair
                for pair, is_apart in zip(leads, row, strict=True)
                if pair and is_apart
            }
            for (leads, _), row in zip(tests, are_apart.tolist(), strict=True)
        ]
        if self.margin is not None:
            claims = list_claims(pairs, self.baseline)
            by_sample = _test_samples(samples, self, claims)
            others = np.ones((n_others, len(claims) // len(pairs)))
            found = [
                add_claims(
                    better,
                    claims,
                    np.concatenate([p.reshape(len(pairs), -1), others]),
                    self.alpha,
                    is_corrected=is_corrected,
                )
                for better, (_, p) in zip(found, by_sample, strict=True)
            ]
        counts = Counter(itertools.chain.from_iterable(found))
        return {pair: count / len(found) for pair, count in counts.items()}

    def _list_floors(self, tasks: Mapping[str, Any]) -> list[float]:
        return list_floors(
            tasks, self.test, is_paired=self.is_paired, baseline=self.baseline
        )


def _test_samples(
    samples: DrawnSamples, options: PairOptions, pairs: Sequence[tuple[str, str]]
) -> Iterator[tuple[list[tuple[str, str] | None], np.ndarray]]:
    """Yield of each sample which pairs (leader, other) there are, and p-values."""
    if samples.sizes is not None:
        yield from _test_clusters(samples, samples.sizes, options, pairs)
        return
    table, named, by_pair = samples.scores, list(pairs), samples.of_pairs
    if by_pair:
        named = [(f"{j} {a}", f"{j} {b}") for j, (a, b) in enumerate(pairs)]
        every = [
            y for a, b in pairs for y in by_pair.get((a, b)) or by_pair[b, a][::-1]
        ]
        table = dict(zip(itertools.chain.from_iterable(named), every, strict=True))
    places = range(len(next(iter(table.values()))))
    rows = {f"{k} {name}": x[k] for name, x in table.items() for k in places}
    each = [(f"{k} {a}", f"{k} {b}") for k in places for a, b in named]
    tests = find_tests(
        rows, options, higher_is_better=samples.higher_is_better, pairs=each
    )
    leads = [
        None if x.leader is None else pair if x.leader == first else pair[::-1]
        for pair, (first, _), x in zip([*pairs] * len(places), each, tests, strict=True)
    ]
    for start in range(0, len(tests), len(pairs)):
        part = slice(start, start + len(pairs))
        yield leads[part], np.asarray([x.p_value for x in tests[part]])


def _test_clusters(
    samples: DrawnSamples,
    sizes: np.ndarray,
    options: PairOptions,
    pairs: Sequence[tuple[str, str]],
) -> Iterator[tuple[list[tuple[str, str] | None], np.ndarray]]:
    sign = 1.0 if samples.higher_is_better else -1.0
    by_pair = [sign * (samples.scores[a] - samples.scores[b]) for a, b in pairs]
    leads, p_values = test_by_sizes(np.stack(by_pair, axis=1), sizes, options.margin)
    for lead, p in zip(leads, p_values, strict=True):
        each = zip(pairs, lead, strict=True)
        yield [pair if x > 0.0 else pair[::-1] if x else None for pair, x in each], p
