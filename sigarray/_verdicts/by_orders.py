"""Almost stochastic order of every two models: of scores, or of runs and items."""

import functools
import itertools
import math
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import name_streams, seed_words
from sigarray._numeric.quantile import even_grid
from sigarray._order.crossed import find_df_of_bound, replicate_tables
from sigarray._order.many_models import multi_aso
from sigarray._verdicts.asked import FEW_SCORES, OrderOptions
from sigarray._verdicts.comparison import Comparison, pairs_of
from sigarray._verdicts.decisions import Decision, decide_by_orders
from sigarray._verdicts.method_lines import EPS_MIN, OF_RUNS, describe_orders, say_draws
from sigarray._verdicts.near_levels import Plan, draw_pairs, find_bounds, list_drawn
from sigarray._verdicts.orders import (
    CLOSED,
    choose_order_correction,
    family_of_task,
    find_level_of_equality,
    leave_out_uncompared,
    level_of_bounds,
    run_orders,
    say_lack,
)
from sigarray._verdicts.pictures import MOST_TASKS, Picture, draw_orders
from sigarray._verdicts.sampled import sort_runs
from sigarray._verdicts.test import Decisions, DrawnSamples, Results, Shares, Test
from sigarray._verdicts.verdict import report_orders, say_order_basis
from sigarray.read._messages import announce, heard_by, track
from sigarray.read._score_table import ScoreTable
from sigarray.report._layout import Report
from sigarray.results import PairwiseAsoResult

# More resamples may be drawn for bounds between these multiples of the threshold.
_NEAR = (0.25, 2.5)


@dataclass(frozen=True)
class OrderTest(OrderOptions, Test):
    """Almost stochastic order: a model is better where eps_min is below a threshold."""

    name = "aso"
    is_paired = False
    alone = CLOSED

    def choose_correction(self, tasks: Mapping[str, Any]) -> str:
        return choose_order_correction(tasks, self)

    def describe(
        self, table: ScoreTable, task: str, *, is_corrected: bool, correction: str
    ) -> str:
        method = describe_orders(
            table.tasks[task],
            self,
            is_closed=is_corrected and correction == CLOSED,
        )
        if is_corrected and correction != CLOSED:
            method += (
                ". With so few runs, no scores could give a verdict at one level for "
                f"all {len(table.tasks)} tasks. So the tests of equality control the "
                "false discovery rate over tasks (Benjamini-Hochberg): of the pairs "
                "that are called unequal, an expected share of at most "
                f"{100.0 * (1.0 - self.confidence_level):.10g} % is equal"
            )
        return method

    def run(self, compared: Mapping[str, Comparison]) -> Results:
        first = next(iter(compared.values()))
        results = run_orders(
            {task: x.scores for task, x in compared.items()},
            self,
            is_corrected=first.is_corrected,
            higher_is_better=first.higher_is_better,
        )
        return {task: leave_out_uncompared(x) for task, x in results.items()}

    def decide(self, compared: Mapping[str, Comparison], results: Results) -> Decisions:
        level = self._find_level(compared, results)
        return {
            task: decide_by_orders(x, results[task], self.threshold, level)
            for task, x in compared.items()
        }

    def _find_level(
        self, compared: Mapping[str, Comparison], results: Results
    ) -> float:
        return find_level_of_equality(
            results,
            {task: x.scores for task, x in compared.items()},
            self,
            is_corrected=next(iter(compared.values())).is_corrected,
        )

    def report(
        self, comparison: Comparison, result: Any, decisions: Sequence[Decision]
    ) -> Report:
        return report_orders(comparison, result, decisions, self.find_lack(comparison))

    def find_lack(self, comparison: Comparison) -> str:
        scores, is_corrected = comparison.scores, comparison.is_corrected
        family = family_of_task(scores, self, 1.0, is_corrected=is_corrected)
        return "" if comparison.runs else say_lack(scores, family)

    def say_rule(self, comparison: Comparison) -> str:
        return (
            f"almost stochastic order: eps_min < {self.threshold:g} and equality "
            f"rejected, two-sided, {say_order_basis(comparison)}"
        )

    def list_fields(self) -> dict[str, str | None]:
        return {
            "threshold": f"{self.threshold:.10g}",
            "confidence_level": f"{self.confidence_level:.10g}",
            "dt": None if self.dt is None else f"{self.dt:.10g}",
        }

    def draw(
        self, compared: Mapping[str, Comparison], results: Results
    ) -> list[Picture]:
        if len(compared) > MOST_TASKS:
            return []
        return [
            draw_orders(self.threshold, compared[task], result, task)
            for task, result in results.items()
        ]

    def says_nothing_of_constants(self, n_scores: int) -> bool:
        """As in `Test`: few runs are told apart by their means, too."""
        return n_scores < FEW_SCORES

    @property
    def asks_welch_below(self) -> int | None:
        return FEW_SCORES

    def find_p_values(self, samples: DrawnSamples) -> np.ndarray:
        scores = samples.scores
        with warnings.catch_warnings(), heard_by(None):
            warnings.simplefilter("ignore", UserWarning)
            result = multi_aso(
                scores, correction=None, n_resamples=2, dt=self.dt, rng=self.seed
            )
        names = list(scores)
        places = [
            (names.index(a), names.index(b)) for a, b in pairs_of(names, self.baseline)
        ]
        return np.asarray(result.pvalue)[:, *np.transpose(places)]

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
        scores = samples.scores  # those of pairs are the same: they are independent
        if divisor is not None:
            is_corrected, n_tasks = False, math.ceil(divisor)
        with warnings.catch_warnings(), heard_by(None):
            # Samples that are too small for a verdict are an answer here.
            warnings.simplefilter("ignore", UserWarning)
            result = multi_aso(
                scores,
                confidence_level=self.confidence_level,
                correction="bonferroni" if is_corrected else None,
                method=self.method,
                n_resamples=self.n_resamples,
                higher_is_better=samples.higher_is_better,
                baseline=self.baseline,
                dt=self.dt,
                rng=self.seed,
                n_comparisons=n_tasks,
            )
        bounds = np.array(result.eps_min)
        level = level_of_bounds(
            {name: x[0] for name, x in scores.items()},
            self,
            is_corrected=is_corrected,
            n_tasks=n_tasks,
        )
        near = self._list_near(bounds, list(scores), sure_of, above)
        for place, pairs in near.items():
            drawn = list_drawn(
                {name: x[place] for name, x in scores.items()},
                PairwiseAsoResult(*(x[place] for x in result)),
                self,
                level=level,
                sign=1.0 if samples.higher_is_better else -1.0,
            )
            for pair, bound in find_bounds(drawn, self, pairs).items():
                bounds[place, *pair] = bound
        shares = np.mean(bounds < self.threshold, axis=0)
        return {
            (a, b): float(shares[i, j])
            for (i, a), (j, b) in itertools.permutations(enumerate(scores), 2)
        }

    def _list_near(
        self,
        bounds: np.ndarray,
        names: list[str],
        sure_of: Collection[tuple[str, str]],
        above: float,
    ) -> dict[int, list[tuple[int, int]]]:
        """List, by sample, the bounds (R, K, K) that may need more resamples."""
        low, high = (self.threshold * x for x in _NEAR)
        near: dict[int, list[tuple[int, int]]] = {}
        for a, b in sure_of:
            i, j = names.index(a), names.index(b)
            bound = bounds[:, i, j]
            if np.mean(bound < self.threshold) >= above:
                is_near = (bound > low) & (bound < min(high, 0.5))
                for place in np.flatnonzero(is_near).tolist():
                    near.setdefault(place, []).append((i, j))
        return near


# For a guess at the time: of each item, and each score, of each resample.
_SECONDS_PER_ITEM, _SECONDS_PER_SCORE = 3e-8, 1e-9


@dataclass(frozen=True)
class OrderOfSeeds(OrderTest):
    """Order of the means of runs over items, as `aso` has it with both axes."""

    alone = "bonferroni"

    def choose_correction(self, tasks: Mapping[str, Any]) -> str:
        del tasks
        return self.alone

    def describe(
        self, table: ScoreTable, task: str, *, is_corrected: bool, correction: str
    ) -> str:
        del table, task, is_corrected, correction
        return (
            "almost stochastic order of the means of runs over items, with "
            f"{EPS_MIN}, from {self.n_resamples} bootstrap resamples of runs and of "
            "items, the same items for all models "
            f"{say_draws(self.seed)}. Equality of means is tested by "
            f"t, {OF_RUNS}, two-sided"
        )

    def run(self, compared: Mapping[str, Comparison]) -> Results:
        n_tasks = len(compared)
        return {
            task: self._run_task(x, n_tasks if x.is_corrected else 1)
            for task, x in track(list(compared.items()), "Task")
        }

    def _run_task(self, x: Comparison, n_tasks: int) -> Any:
        # Whatever the names of runs; items are in the order of theirs.
        tables = {name: sort_runs(x.runs[name]) for name in x.names}
        n_items = next(iter(tables.values())).shape[1]
        n_scores = sum(table.size for table in tables.values())
        seconds = n_items * _SECONDS_PER_ITEM + n_scores * _SECONDS_PER_SCORE
        announce(
            f"almost stochastic order of {len(tables)} models",
            self.n_resamples * seconds,
            "Faster: --test t, fewer --n-resamples, fewer models with --columns.",
        )
        result = multi_aso(
            tables,
            axis=(0, 1),
            confidence_level=self.confidence_level,
            correction="bonferroni" if x.is_corrected else None,
            baseline=self.baseline,
            n_comparisons=n_tasks,
            n_resamples=self.n_resamples,
            dt=self.dt,
            higher_is_better=x.higher_is_better,
            rng=self.seed,
        )
        n_pairs = len(x.pairs) if x.is_corrected else 1
        level = (1.0 - self.confidence_level) / (n_tasks * n_pairs)
        sign = 1.0 if x.higher_is_better else -1.0
        drawn = list_drawn(
            tables, result, self, level=level, sign=sign, plan=_plan_runs
        )
        return leave_out_uncompared(draw_pairs(x.names, result, self, drawn))

    def _find_level(
        self, compared: Mapping[str, Comparison], results: Results
    ) -> float:
        del results
        is_corrected = next(iter(compared.values())).is_corrected
        return (1.0 - self.confidence_level) / (len(compared) if is_corrected else 1)

    def draw(
        self, compared: Mapping[str, Comparison], results: Results
    ) -> list[Picture]:
        means = {
            task: replace(
                x, scores={name: table.mean(axis=1) for name, table in x.runs.items()}
            )
            for task, x in compared.items()
        }
        return super().draw(means, results)

    def says_nothing_of_constants(self, n_scores: int) -> bool:
        del n_scores
        return True

    @property
    def asks_welch_below(self) -> int | None:
        return None


def _plan_runs(
    pair: Sequence[str],
    tables: Sequence[np.ndarray],
    options: OrderOptions,
    n_pairs: int,
) -> Plan:
    del n_pairs
    n_items = tables[0].shape[1]
    df = find_df_of_bound(HOST, *(x.reshape(-1) for x in tables), n_items=n_items)
    draw = functools.partial(
        replicate_tables,
        HOST,
        [x.reshape(1, -1) for x in tables],
        seed_words(HOST, options.seed),
        n_items=n_items,
        streams=(name_streams(pair),),
        grid=even_grid(options.dt),
    )
    return Plan(draw, 1.0, float(df))
