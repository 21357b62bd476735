"""Almost stochastic order of every two models, whose runs and items were drawn."""

import dataclasses
import functools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import name_streams, seed_words
from sigarray._numeric.quantile import even_grid
from sigarray._numeric.special import student_quantile
from sigarray._order.crossed import find_df_of_bound, replicate_tables
from sigarray._order.errors import has_percentiles
from sigarray._order.many_models import multi_aso
from sigarray._verdicts.asked import OrderOptions
from sigarray._verdicts.by_orders import OrderTest
from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.method_lines import EPS_MIN, OF_RUNS, say_draws
from sigarray._verdicts.near_levels import Drawn, draw_pairs, find_bound
from sigarray._verdicts.notes import announce, track
from sigarray._verdicts.orders import leave_out_uncompared
from sigarray._verdicts.pictures import Picture
from sigarray._verdicts.sampled import sort_runs
from sigarray._verdicts.test import Results
from sigarray.read._score_table import ScoreTable
from sigarray.results import PairwiseAsoResult

# For a guess at the time: of each item, and each score, of each resample.
_SECONDS_PER_ITEM, _SECONDS_PER_SCORE = 3e-8, 1e-9


@dataclasses.dataclass(frozen=True)
class OrderOfSeeds(OrderTest):
    """Order of the means of runs over items, as `aso` has it with both axes."""

    alone = "bonferroni"

    def choose_correction(self, tasks: Mapping[str, Any]) -> str:
        """As in `Test`."""
        del tasks
        return self.alone

    def describe(
        self, table: ScoreTable, task: str, *, is_corrected: bool, correction: str
    ) -> str:
        """As in `Test`."""
        del table, task, is_corrected, correction
        return (
            "almost stochastic order of the means of runs over items, with "
            f"{EPS_MIN}, from {self.n_resamples} bootstrap resamples of runs and of "
            "items, the same items for all models "
            f"{say_draws(self.seed)}. Equality of means is tested by "
            f"t, {OF_RUNS}, two-sided"
        )

    def run(self, compared: Mapping[str, Comparison]) -> Results:
        """As in `Test`: bounds and p-values, corrected for the pairs of a task."""
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
        drawn = _list_drawn(tables, result, self, level=level, sign=sign)
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
        """As in `Test`, of the means of runs."""
        means = {
            task: dataclasses.replace(
                x, scores={name: table.mean(axis=1) for name, table in x.runs.items()}
            )
            for task, x in compared.items()
        }
        return super().draw(means, results)

    def says_nothing_of_constants(self, n_scores: int) -> bool:
        """As in `Test`."""
        del n_scores
        return True

    @property
    def asks_welch_below(self) -> int | None:
        """As in `Test`."""
        return None


def _list_drawn(
    tables: Mapping[str, np.ndarray],
    result: PairwiseAsoResult,
    options: OrderOptions,
    *,
    level: float,
    sign: float,
) -> Iterator[Drawn]:
    """Yield the pairs whose bounds may be near the threshold, as `list_drawn` does."""
    names, n_pairs = list(tables), math.comb(len(tables), 2)
    for i, j in np.argwhere(np.asarray(result.eps_min) < 0.5).tolist():
        pair = [names[i], names[j]]
        a, b = (sign * tables[name] for name in pair)
        n_items = a.shape[1]
        df = find_df_of_bound(HOST, a.reshape(-1), b.reshape(-1), n_items=n_items)
        find_bound_of = functools.partial(
            find_bound,
            ratio=float(result.violation_ratio[i, j]),
            scale=1.0,
            quantile=-student_quantile(level, float(df)),
            level=level,
            has_percentile=has_percentiles(
                len(a), len(b), n_pairs, options.n_resamples
            ),
        )
        draw = functools.partial(
            replicate_tables,
            HOST,
            [x.reshape(1, -1) for x in (a, b)],
            seed_words(HOST, options.seed),
            n_items=n_items,
            streams=name_streams(pair),
            grid=even_grid(options.dt),
        )
        yield i, j, draw, find_bound_of
