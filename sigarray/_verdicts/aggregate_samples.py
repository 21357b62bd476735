"""How often models are called better over these tasks, in samples of their scores."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sigarray._backend.seeds import name_streams
from sigarray._correction import holm
from sigarray._verdicts.aggregate_tests import (
    Aggregate,
    apply_to_scores,
    find_p_values,
)
from sigarray._verdicts.comparison import pairs_of
from sigarray._verdicts.improvements import find_leads
from sigarray._verdicts.margins import adjust_claims, list_claims
from sigarray._verdicts.samples import draw_samples
from sigarray._verdicts.test import Shares
from sigarray.read._wide import Scores


@dataclass(frozen=True)
class AggregateTrials:
    """Draws samples of the scores on each task, and compares them as `compare` would.

    `tasks` have the scores of the same models. With a margin, shares are those in which
    the first model of a pair is no worse by it.
    """

    tasks: Mapping[str, Scores]
    statistic: Aggregate
    level: float
    is_corrected: bool
    higher_is_better: bool
    baseline: str | None
    margin: float | None
    is_paired: bool
    unit: str
    n_resamples: int
    number: int
    seed: int

    def share_better(self, size: int | None) -> Shares:
        """Compare samples of one size on each task, or of as many scores as there."""
        samples, design = self._draw(size)
        pairs = pairs_of(samples, self.baseline)
        # In the order of names, so that the order of columns changes no number.
        found = [self._compare(samples, design, *sorted(pair)) for pair in pairs]
        p_values = np.stack([p for _, p in found], axis=-1)
        adjusted = np.asarray(holm(p_values)) if self.is_corrected else p_values
        wins = [
            {
                self._sort(pair, leads[k])
                for pair, (leads, _), p in zip(pairs, found, of_sample, strict=True)
                if p <= self.level and leads[k]
            }
            for k, of_sample in enumerate(adjusted)
        ]
        if self.margin is not None:
            claims = list_claims(pairs, self.baseline)
            side = "greater" if self.higher_is_better else "less"
            by: dict[str, Any] = {"alternative": side, "margin": self.margin}
            tested = [self._compare(samples, design, *x, **by)[1] for x in claims]
            for better, p in zip(wins, np.stack(tested, axis=-1), strict=True):
                by_pair = p.reshape(len(pairs), -1)
                of_claims = adjust_claims(by_pair) if self.is_corrected else by_pair
                each = zip(claims, of_claims.reshape(-1), strict=True)
                better &= {*claims}  # of a baseline nothing is claimed
                better |= {claim for claim, q in each if q <= self.level}
        counts = Counter(pair for better in wins for pair in better)
        return {pair: count / self.number for pair, count in counts.items()}

    def _draw(self, size: int | None) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Return samples (R, N) of each model, and which of its scores are of a task.

        Samples of one size are (R, T, n), whose tasks are an axis.
        """
        drawn = [
            draw_samples(
                by,
                size,
                self.number,
                [self.seed, stream],
                is_paired=self.is_paired,
                are_runs=self.unit == "run",
            )
            for by, stream in zip(
                self.tasks.values(), name_streams(self.tasks), strict=True
            )
        ]
        samples, labels = {}, {}
        for name in drawn[0]:
            own = [by[name] for by in drawn]
            if size is not None and len(own) > 1:
                samples[name] = np.stack(own, axis=1)
                continue
            sizes = [x.shape[1] for x in own]
            if self.statistic == "mean":  # each task counts the same
                own = [x * (sum(sizes) / (len(own) * x.shape[1])) for x in own]
            samples[name] = np.concatenate(own, axis=1)
            labels[name] = np.repeat(np.arange(len(own)), sizes)
        return samples, labels if len(drawn) > 1 else {}

    def _compare(
        self,
        samples: Mapping[str, np.ndarray],
        labels: Mapping[str, np.ndarray],
        a: str,
        b: str,
        **options: Any,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return by how much A is ahead, in the unit of scores, and p-values (R,)."""
        x, y = samples[a], samples[b]
        by: dict[str, Any] = {}
        if x.ndim > 2:
            by["strata"] = -2
        elif labels:
            by["strata"] = labels[a] if self.is_paired else (labels[a], labels[b])
        resampling = {"n_resamples": self.n_resamples, "rng": self.seed}
        if self.statistic == "improvement":
            sign = 1.0 if self.higher_is_better else -1.0
            sizes = self._count(x, labels, a), self._count(y, labels, b)
            pairs = zip(*sizes, strict=True)
            lead, _, p = find_leads(sign * x, sign * y, by["strata"], pairs, resampling)
            return sign * lead, p
        if self.statistic != "mean":
            by |= resampling
        by |= {"paired": self.is_paired} | options
        p = find_p_values(x, y, self.statistic, by)
        flat = [z.reshape(len(z), -1) for z in (x, y)]
        values = [np.asarray(apply_to_scores(self.statistic, z)) for z in flat]
        return values[0] - values[1], p

    def _count(
        self, x: np.ndarray, labels: Mapping[str, np.ndarray], name: str
    ) -> list[int]:
        """Count the scores of a model on each task."""
        if x.ndim > 2:
            return [x.shape[2]] * x.shape[1]
        return list(map(int, np.bincount(labels[name])))

    def _sort(self, pair: Sequence[str], lead: float) -> tuple[str, str]:
        """Return the better model of a pair, and the other one."""
        first, second = sorted(pair)
        is_first = (lead > 0.0) == self.higher_is_better
        return (first, second) if is_first else (second, first)
