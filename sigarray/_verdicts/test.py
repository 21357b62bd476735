"""What a test of several models is: how it decides, and what is said of it."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from sigarray._verdicts.comparison import Comparison
from sigarray._verdicts.decisions import Decision
from sigarray._verdicts.pictures import Picture
from sigarray.read._score_table import ScoreTable
from sigarray.read._wide import Scores
from sigarray.report._rendering import Report

# Task -> what a test found of its models.
Found = Mapping[str, Any]
Decisions = dict[str, list[Decision]]
# Better and worse -> in what share of samples the better one is called so.
Shares = dict[tuple[str, str], float]


class Test(ABC):
    """A way to tell which models are better, with its options.

    Attributes
    ----------
    name : str
        As in `--test`.
    is_paired : bool
        Whether it tells scores of one item, or of one run, from others.
    baseline : str, optional
        With which alone the others are compared.
    n_resamples, seed : int, optional
        None of a test without random numbers.
    alpha, confidence_level : float
        Of p-values, and of bounds; a test has one of them.
    alone : str
        How several comparisons of one task are corrected for.
    """

    name: str
    is_paired: bool
    baseline: str | None
    n_resamples: int | None
    seed: int | None
    method: str
    alpha: float = 0.05
    confidence_level: float = 0.95
    alone: str

    @abstractmethod
    def choose_correction(self, tasks: Mapping[str, Any]) -> str:
        """Name how comparisons of all tasks are corrected for."""

    @abstractmethod
    def describe(
        self, table: ScoreTable, task: str, *, is_corrected: bool, correction: str
    ) -> str:
        """Return the method line of a task."""

    @abstractmethod
    def run(self, compared: Mapping[str, Comparison]) -> Found:
        """Compare every pair of every task."""

    @abstractmethod
    def decide(self, compared: Mapping[str, Comparison], found: Found) -> Decisions:
        """Decide every pair of every task, corrected for the number of all of them."""

    @abstractmethod
    def report(
        self, comparison: Comparison, found: Any, decisions: Sequence[Decision]
    ) -> Report:
        """Say who is better, of the only task."""

    @abstractmethod
    def say_rule(self, comparison: Comparison) -> str:
        """Say in words when one model is better."""

    @abstractmethod
    def list_fields(self) -> dict[str, str | None]:
        """Return what a signature says of it."""

    @abstractmethod
    def draw(
        self, compared: Mapping[str, Comparison], found: Found, table: ScoreTable
    ) -> list[Picture]:
        """Draw what decides."""

    @abstractmethod
    def says_nothing_of_constants(self, n_scores: int) -> bool:
        """Whether two models that do not vary, of so few scores, cannot be tested."""

    @abstractmethod
    def guess_seconds(self, scores: Scores, size: int) -> float:
        """Guess how long it takes to compare a sample of a size of all models."""

    @abstractmethod
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
        """Return how often one model is better than another in samples (R, size).

        Of one of so many tasks, of which the others show nothing. Bounds near the
        threshold are drawn on, of pairs to be sure of whose share is not below
        `above`; of others they may be a little too small.
        """
