"""How often `sigarray compare` calls a model better in samples of scores."""

import functools
import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sigarray._backend.seeds import name_streams
from sigarray._correction import benjamini_hochberg, holm
from sigarray._verdicts.aggregate_tests import (
    Aggregate,
    apply_to_scores,
    find_leads,
    find_p_values,
)
from sigarray._verdicts.asked import FEW_SCORES
from sigarray._verdicts.comparison import Comparison, pairs_of
from sigarray._verdicts.intervals import are_binary
from sigarray._verdicts.margins import add_claims, list_claims
from sigarray._verdicts.test import DrawnSamples, Shares, Test
from sigarray.read._wide import Scores

# With as many of each model, no correction is vain.
_MANY = 100
# Of fewer pairs, samples differ in how many are told apart: these shares have fewer.
_FEW_PAIRS, _SHARES = 30, (0.1, 0.3, 0.5, 0.7, 0.9)
# Of a normal kernel, in n^-1/5 standard deviations.
_BANDWIDTH = 1.06
# Words of random numbers: of that kernel, and of what splits of a data set share.
_NOISE, _SHARED = 2, 3


@dataclass(frozen=True)
class Trials:
    """Draws samples of scores, and compares them as `compare` would.

    The models are those of one of `n_tasks` tasks; the others show no difference. But
    where the false discovery rate over all `tasks` is controlled, they show what
    samples of their scores do.
    """

    test: Test
    is_corrected: bool
    higher_is_better: bool
    is_paired: bool
    unit: str
    number: int
    seed: int
    n_tasks: int = 1
    tasks: Mapping[str, Comparison] = field(default_factory=dict)
    test_share: float | None = None
    _divisors: dict[int | None, list[float | None]] = field(
        init=False, default_factory=dict
    )

    @functools.cached_property
    def size_of_all(self) -> int | None:
        """The number of scores from which on no rate is controlled, if one is of fewer.

        Of very few none is, for they decide nothing by any correction.
        """
        if not self.is_corrected or len(self.tasks) < 2:
            return None
        least = min(len(y) for x in self.tasks.values() for y in x.scores.values())
        by_rate = [n for n in range(least, _MANY) if self._is_by_rate(n)]
        return by_rate[-1] + 1 if by_rate else None

    def find_divisors(self, size: int | None) -> list[float | None]:
        """Return by what the level of a pair is divided where a rate is controlled.

        It is the number of pairs over that of those told apart (Benjamini-Hochberg) in
        the median sample of all tasks, or of few pairs in several samples.
        """
        if not self.is_corrected or len(self.tasks) < 2:
            return [None]
        if size not in self._divisors:
            is_by_rate = self._is_by_rate(size)
            self._divisors[size] = self._count_told(size) if is_by_rate else [None]
        return self._divisors[size]

    def _is_by_rate(self, size: int | None) -> bool:
        sizes = {
            task: {
                name: range(len(scores) if size is None else size)
                for name, scores in x.scores.items()
            }
            for task, x in self.tasks.items()
        }
        return self.test.choose_correction(sizes) != self.test.alone

    def _count_told(self, size: int | None) -> list[float | None]:
        each = zip(self.tasks.values(), name_streams(self.tasks), strict=True)
        by_task = [
            self.test.find_p_values(
                self._draw_all(dict(x.scores), x.matched, x.sizes, size, stream)
            )
            for x, stream in each
        ]
        p_values = np.concatenate(by_task, axis=-1)
        level = next(iter(self.tasks.values())).error_of_intervals
        n_pairs = p_values.shape[-1]
        if n_pairs > _FEW_PAIRS:
            told = np.asarray(benjamini_hochberg(p_values)) <= level + 1e-9
            return [n_pairs / max(1.0, float(np.median(np.sum(told, axis=-1))))]
        # A pair is told apart at the level of as many as are if its own p were 0.
        own = np.where(np.eye(n_pairs, dtype=bool), 0.0, p_values[..., None, :])
        told = np.asarray(benjamini_hochberg(own)) <= level + 1e-9
        n_told = np.quantile(np.sum(told, axis=-1), _SHARES)
        return [n_pairs / x for x in n_told.tolist()]

    def share_better(
        self,
        scores: Scores,
        size: int | None,
        sure_of: Collection[tuple[str, str]],
        *,
        above: float = 0.0,
        matched: Mapping[tuple[str, str], Any] | None = None,
        sizes: np.ndarray | None = None,
    ) -> Shares:
        """Compare samples of one size of all models, or of as many scores as each has.

        Pairs that are `matched` have scores of their own, on the items of both. If
        scores are of clusters, these have `sizes`. For others see `Test.find_shares`.
        """
        drawn = self._draw_all(scores, matched or {}, sizes, size)
        return self._find_shares(drawn, sure_of, size, above)

    def _draw_all(
        self,
        scores: Scores,
        matched: Mapping[tuple[str, str], Any],
        sizes: np.ndarray | None,
        size: int | None,
        *stream: int,
    ) -> DrawnSamples:
        of_pairs = {
            pair: tuple(
                self.draw(
                    dict(zip(pair, both, strict=True)), size, *stream, is_paired=True
                ).values()
            )
            for pair, both in matched.items()
        }
        samples = self.draw(scores, size, *stream, is_paired=self.is_paired)
        if sizes is not None and self.is_paired:
            n = len(sizes)
            n_drawn = n if size is None else size
            words = [self.seed, *stream]
            sizes = sizes[_draw_places(n, n_drawn, self.number, words)]
        return DrawnSamples(samples, of_pairs, self.higher_is_better, sizes)

    def _find_shares(
        self,
        samples: DrawnSamples,
        sure_of: Collection[tuple[str, str]],
        size: int | None,
        above: float = 0.0,
    ) -> Shares:
        found: dict[float | None, Shares] = {}
        divisors = self.find_divisors(size)
        for divisor in divisors:
            if divisor not in found:
                found[divisor] = self.test.find_shares(
                    samples,
                    sure_of,
                    is_corrected=self.is_corrected,
                    n_tasks=self.n_tasks,
                    above=above,
                    divisor=divisor,
                )
        if len(found) == 1:
            return found[divisors[0]]
        every = [found[x] for x in divisors]
        return {
            pair: math.fsum(x.get(pair, 0.0) for x in every) / len(every)
            for pair in dict.fromkeys(pair for x in every for pair in x)
        }

    def draw(
        self,
        scores: Scores,
        size: int | None,
        *stream: int,
        is_paired: bool,
    ) -> dict[str, np.ndarray]:
        return draw_samples(
            scores,
            size,
            self.number,
            [self.seed, *stream],
            is_paired=is_paired,
            are_runs=self.unit == "run",
            test_share=self.test_share,
        )


def _draw_places(n: int, n_drawn: int, number: int, words: Sequence[int]) -> np.ndarray:
    """Draw places (number, n_drawn) of n scores; fewer of them begin with the same."""
    uniform = np.random.default_rng(words).random((n_drawn, number))
    return np.floor(n * uniform.T).astype(int)


def draw_samples(
    scores: Scores,
    size: int | None,
    number: int,
    words: Sequence[int],
    *,
    is_paired: bool,
    are_runs: bool,
    test_share: float | None = None,
) -> dict[str, np.ndarray]:
    """Draw samples (number, size) of each model; smaller ones begin the larger ones.

    Without a size, samples are as large as the scores of their model are many. Samples
    of n scores vary less than scores, by (n - 1) / n, and have ties, by which almost
    stochastic order finds far less: so runs, and few items, are moved away from their
    mean, and runs get normal noise, which leaves the variance; but not 0 and 1.

    With a test share r, scores are of splits of one data set, which correlate by r, and
    vary within it by 1 - r of their variance (Nadeau and Bengio, 2003): a sample gets
    an error that all its scores share, and that of pairs varies with other models.
    """
    drawn = {}
    for name, stream in zip(scores, name_streams(scores), strict=True):
        x = scores[name]
        n = len(x)
        own = words if is_paired else [*words, stream]
        n_drawn = n if size is None else size
        noise, width = 0.0, 0.0
        deviations, may_vary = x - x.mean(), not are_binary(x)
        if are_runs and may_vary:
            width = _BANDWIDTH * n**-0.2  # in standard deviations: Silverman (1986)
            # The noise of pairs varies with that of other models as their scores do.
            spread = deviations if is_paired else [np.linalg.norm(deviations)]
            rng = np.random.default_rng([*own, _NOISE])
            noise = (
                width
                / math.sqrt((n - 1) * (1.0 + width * width))
                * np.stack(
                    [
                        spread @ rng.standard_normal((len(spread), number))
                        for _ in range(n_drawn)
                    ],
                    axis=1,
                )
            )
        if (are_runs or n < FEW_SCORES) and may_vary:
            wide = math.sqrt(n / ((n - 1) * (1.0 + width * width)))
            x = x.mean() + wide * deviations
        drawn[name] = x[_draw_places(n, n_drawn, number, own)] + noise
        if test_share is not None:
            normal = np.random.default_rng([*own, _SHARED]).standard_normal((number, n))
            ratio = test_share / (1.0 - test_share) / (n - 1)
            drawn[name] = drawn[name] + math.sqrt(ratio) * normal @ deviations[:, None]
    return drawn


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
            wins = [
                add_claims(
                    better,
                    claims,
                    p.reshape(len(pairs), -1),
                    self.level,
                    is_corrected=self.is_corrected,
                )
                for better, p in zip(wins, np.stack(tested, axis=-1), strict=True)
            ]
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
        if x.ndim > 2:
            return [x.shape[2]] * x.shape[1]
        return list(map(int, np.bincount(labels[name])))

    def _sort(self, pair: Sequence[str], lead: float) -> tuple[str, str]:
        first, second = sorted(pair)
        is_first = (lead > 0.0) == self.higher_is_better
        return (first, second) if is_first else (second, first)
