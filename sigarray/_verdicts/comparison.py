"""Models of a table, their scores, and how they are compared."""

import functools
import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sigarray.report._numbers import Summary, describe_scores


@dataclass(frozen=True)
class Comparison:
    """Models by name, their scores, and how they were compared."""

    source: str
    scores: Mapping[str, Any]
    test: str
    alpha: float
    confidence_level: float
    higher_is_better: bool
    is_corrected: bool
    n_comparisons: int
    n_resamples: int | None
    seed: int | None
    method: str
    unit: str = "run"
    metric: str = "score"
    correction: str = "holm"
    baseline: str | None = None
    # The scores of two models on the items that both have, where some lack some.
    matched: Mapping[tuple[str, str], Any] = field(default_factory=dict)

    @functools.cached_property
    def summaries(self) -> dict[str, Summary]:
        """A summary of the scores of each model."""
        summaries = {
            name: describe_scores(scores) for name, scores in self.scores.items()
        }
        if self.unit != "cluster":
            return summaries
        # A cluster is here the sum of its items over the mean number of items.
        unknown = dict.fromkeys(("median", "min", "max"), math.nan)
        return {name: summary | unknown for name, summary in summaries.items()}

    def summarize_pair(self, a: str, b: str) -> list[Summary]:
        """Summarize the scores on which two models were compared."""
        for names in ((a, b), (b, a)):
            if names in self.matched:
                by = dict(zip(names, self.matched[names], strict=True))
                return [describe_scores(by[name]) for name in (a, b)]
        return [self.summaries[name] for name in (a, b)]

    @functools.cached_property
    def names(self) -> list[str]:
        """The models."""
        return list(self.scores)

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Every two models, or the baseline and each other one."""
        return pairs_of(self.names, self.baseline)

    @property
    def direction(self) -> str:
        """Which scores are better."""
        direction = "higher" if self.higher_is_better else "lower"
        return direction if self.metric == "score" else f"{direction} {self.metric}"


def pairs_of(names: Iterable[str], baseline: str | None) -> list[tuple[str, str]]:
    """Return every two models, or the baseline and each other one."""
    pairs = itertools.combinations(names, 2)
    return [pair for pair in pairs if baseline is None or baseline in pair]
