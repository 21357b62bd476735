"""What every test of several models does: it runs, decides and describes itself."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import Decision
from sigarray._verdicts.pictures import Picture
from sigarray.read._score_table import ScoreTable
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
    """Samples (R, size) of all models, and of pairs that have samples of their own."""

    scores: Mapping[str, np.ndarray]
    of_pairs: SamplesOfPairs
    higher_is_better: bool


class Test(ABC):
    """A way to tell which models are better, with its options.

    Attributes
    ----------
    name : str
        The name in `--test`.
    is_paired : bool
        Whether it compares scores of the same item or run.
    baseline : str, optional
        The only model with which the others are compared.
    n_resamples, seed : int, optional
        None for a test without random numbers.
    alpha, confidence_level : float
        The level of p-values, or of bounds; a test has one of them.
    threshold : float
        The bound below which a model is better.
    alone : str
        The correction for several comparisons of one task.
    margin : float, optional
        By how much a model may be worse than another one and count as no worse.
    """

    name: str
    is_paired: bool
    baseline: str | None
    n_resamples: int | None
    seed: int | None
    method: str
    alpha: float = 0.05
    confidence_level: float = 0.95
    threshold: float = 0.2
    alone: str
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
