"""Two-sided tests of every two models, with p-values that are corrected."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigarray._correction import holm
from sigarray._verdicts.comparison import Comparison, pairs_of
from sigarray._verdicts.decisions import Decision, decide_by_tests
from sigarray._verdicts.floors import (
    choose_correction,
    correct_p_values,
    list_floors,
)
from sigarray._verdicts.matched import list_matched, say_own
from sigarray._verdicts.method_lines import describe_test, list_pairs, name_test
from sigarray._verdicts.near_levels import doubt_near_alpha
from sigarray._verdicts.notes import track
from sigarray._verdicts.pair_options import FEW_SCORES, PairOptions, choose_method
from sigarray._verdicts.pairwise_tests import find_tests, run_pairwise
from sigarray._verdicts.test import Decisions, Results, Shares, Test
from sigarray._verdicts.verdict import report_tests, say_correction_of_tests
from sigarray.read._score_table import ScoreTable
from sigarray.read._wide import Scores
from sigarray.report._layout import Report

# Times for a guess: of a pair of samples, and of a score of a resample.
_SECONDS_PER_PAIR, _SECONDS_PER_SCORE = 1e-3, 1e-8


@dataclass(frozen=True)
class PairwiseTest(PairOptions, Test):
    """A test of every two models: one is better where adjusted p is at most alpha."""

    alone = "holm"

    @property
    def name(self) -> str:  # type: ignore[override]
        """As in `--test`."""
        return self.test

    def choose_correction(self, tasks: Mapping[str, Any]) -> str:
        """As in `Test`."""
        if len(tasks) == 1:
            return "holm"
        return choose_correction(self._list_floors(tasks), self.alpha)

    def describe(
        self, table: ScoreTable, task: str, *, is_corrected: bool, correction: str
    ) -> str:
        """As in `Test`."""
        pairs = list_pairs(table.tasks[task], self)
        is_matched = self.is_paired and task in table.pairs
        if is_matched:
            by_pair = table.pairs[task].items()
            pairs = [x for pair, x in by_pair if self.baseline in (None, *pair)]
        method = describe_test(pairs, self, unit=table.unit)
        if is_matched:
            n_all = len(next(iter(table.tasks[task].values())))
            method += f". A pair is compared on {say_own(pairs, n_all, table.unit)}"
        if is_corrected and correction != "holm":
            floors = self._list_floors(table.tasks)
            method += (
                ". Holm's correction could give no verdict here, because p is never "
                f"below {min(floors):.2g}, and there are {len(floors)} comparisons: "
                "the false discovery rate over tasks is controlled instead "
                "(Benjamini-Hochberg)"
            )
        return method

    def run(self, compared: Mapping[str, Comparison]) -> Results:
        """As in `Test`: p-values are not corrected yet."""
        return {
            task: [
                test
                for scores in list_matched(x)
                for test in run_pairwise(
                    scores, self, higher_is_better=x.higher_is_better
                )
            ]
            for task, x in track(list(compared.items()), "Task")
        }

    def decide(self, compared: Mapping[str, Comparison], results: Results) -> Decisions:
        """As in `Test`."""
        first = next(iter(compared.values()))
        every = np.asarray([test.p_value for by in results.values() for test in by])
        if first.is_corrected and len(compared) > 1:
            tasks = {task: x.scores for task, x in compared.items()}
            every, _ = correct_p_values(every, self._list_floors(tasks), self.alpha)
        elif first.is_corrected:
            every = np.asarray(holm(every))
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
        """As in `Test`."""
        del result
        return report_tests(comparison, decisions)

    def say_rule(self, comparison: Comparison) -> str:
        """As in `Test`."""
        pairs = list_pairs(dict(comparison.scores), self)
        name = name_test(pairs, self, unit=comparison.unit)
        level = f"p <= {self.alpha:.10g}, {say_correction_of_tests(comparison)}"
        return f"{name}: {level}"

    def list_fields(self) -> dict[str, str | None]:
        """As in `Test`."""
        share = self.test_share
        return {
            "alpha": f"{self.alpha:.10g}",
            "test_share": None if share is None else f"{share:.10g}",
        }

    def says_nothing_of_constants(self, n_scores: int) -> bool:
        """As in `Test`: true where the error is estimated from the scores."""
        is_of_t = self.test == "permutation" and not self.is_paired
        return self.measures_by_variance or (is_of_t and n_scores < FEW_SCORES)

    def guess_seconds(self, scores: Scores, size: int) -> float:
        """As in `Test`."""
        pairs = pairs_of(scores, self.baseline)
        is_drawn = self.n_resamples is not None and any(
            choose_method(scores[a], scores[b], self) == "resampling" for a, b in pairs
        )
        n_drawn = 2 * size * (self.n_resamples or 0) if is_drawn else 0
        return len(pairs) * (_SECONDS_PER_PAIR + _SECONDS_PER_SCORE * n_drawn)

    def find_shares(
        self,
        samples: Mapping[str, np.ndarray],
        sure_of: Collection[tuple[str, str]],
        *,
        is_corrected: bool,
        higher_is_better: bool,
        n_tasks: int,
        above: float,
    ) -> Shares:
        """As in `Test`: Holm's correction, with p-values of 1 for other tasks."""
        del sure_of, n_tasks, above  # self.n_comparisons counts those of all tasks
        wins: Counter[tuple[str, str]] = Counter()
        pairs = pairs_of(samples, self.baseline)
        number = len(next(iter(samples.values())))
        # All samples at once: each has models and pairs of its own.
        tests = find_tests(
            {
                f"{k} {x}": row
                for x, rows in samples.items()
                for k, row in enumerate(rows)
            },
            self,
            higher_is_better=higher_is_better,
            pairs=[(f"{k} {a}", f"{k} {b}") for k in range(number) for a, b in pairs],
        )
        for place in range(number):
            own = tests[place * len(pairs) : (place + 1) * len(pairs)]
            p_values = np.asarray([test.p_value for test in own])
            if is_corrected:
                others = np.ones(self.n_comparisons - len(pairs))
                p_values = np.asarray(holm(np.concatenate([p_values, others])))
            for (a, b), test, p in zip(pairs, own, p_values, strict=False):
                if test.leader is not None and p <= self.alpha:
                    wins[(a, b) if test.leader == f"{place} {a}" else (b, a)] += 1
        return {pair: count / number for pair, count in wins.items()}

    def _list_floors(self, tasks: Mapping[str, Any]) -> list[float]:
        return list_floors(
            tasks, self.test, is_paired=self.is_paired, baseline=self.baseline
        )
