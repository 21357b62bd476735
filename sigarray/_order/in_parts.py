"""Estimates from samples that are read in parts, because they exceed memory.

They hold whatever the scores between the known ones are.
"""

import math
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from sigarray._backend.callers import RandomSource, Seed
from sigarray._backend.of_numpy import HOST
from sigarray._backend.seeds import name_streams, seed_words
from sigarray._backend.workers import current_execution, executed_by
from sigarray._numeric.quantile import (
    Grid,
    KnownScores,
    even_grid,
    grid_ranks,
    resampled_ranks,
)
from sigarray._numeric.selection import Sample
from sigarray._order.comparison import (
    Comparison,
    Equality,
    compare_means,
    find_equality,
    needs_means,
)
from sigarray._order.errors import Estimates
from sigarray._order.estimates import Rows, estimate_sorted
from sigarray._order.families import Family, family_of
from sigarray._order.many_models import pairwise_result
from sigarray._order.pairs import Stacks, list_blocks
from sigarray._order.ratio import SortedResamples, Streams, draw_uniforms, seed_stacks
from sigarray._order.stacks import check_resamples, find_scale, level_of, plan_errors
from sigarray.results import PairwiseAsoResult


class Known(NamedTuple):
    """Sorted ranks of a sample, with the first and the last, and their scores."""

    ranks: np.ndarray
    scores: np.ndarray

    @property
    def size(self) -> int:
        return int(self.ranks[-1]) + 1


def equality_of_known(stacks: Stacks, family: Family) -> Equality:
    """Test equality by the fewest wins, and the least gap, that known scores allow."""
    samples = [_list_known(stack) for stack in stacks]
    dtype = samples[0].scores.dtype
    surest, middle = [], []
    for g, h in list_blocks(stacks):
        a, b = samples[g], samples[h]
        low, high = _least_wins(a, b), -_least_wins(b, a)
        means = []
        if needs_means(a.size, b.size):
            means = [np.asarray([x], dtype) for x in _least_t(a, b)]
        wins = np.asarray([max(low, 0.0) + min(high, 0.0)], dtype)
        surest.append(Comparison(wins, *means))
        middle.append(Comparison(np.asarray([0.5 * (low + high)], dtype), *means))
    equality = find_equality(HOST, stacks, surest, family)
    superiority = find_equality(HOST, stacks, middle, family).superiority
    return equality._replace(superiority=superiority)


def _list_known(stack: Any) -> Known:
    if isinstance(stack, KnownScores):
        return Known(stack.ranks, stack.values)
    return Known(np.arange(stack.shape[-1]), stack[0])


def _least_wins(a: Known, b: Known) -> float:
    """Return a lower bound of the net wins of A over B.

    Scores of A are no lower than the known ones before them, and those of B no higher
    than the known ones after them.
    """
    if not _are_sound(a, b):
        return math.nan
    weights = np.diff(a.ranks, append=a.size).astype(float)
    # How many scores of B are at or below each known one.
    below = np.concatenate([[0.0], b.ranks + 1.0])
    won = below[np.searchsorted(b.scores, a.scores, side="left")]
    tied_or_won = below[np.searchsorted(b.scores, a.scores, side="right")]
    return float(weights @ (won + tied_or_won - below[-1]))


def _least_t(a: Known, b: Known) -> tuple[float, ...]:
    """Return the t nearest to 0, its degrees of freedom, and A's share of the error."""
    if not _are_sound(a, b):
        return math.nan, math.nan, math.nan
    lows, highs, errors = zip(*(_bound_mean(x) for x in (a, b)), strict=True)
    gap = max(lows[0] - highs[1], 0.0) + min(highs[0] - lows[1], 0.0)
    x, y = (np.asarray([0.0, 0.0, error]) for error in errors)
    x[0] = gap
    return tuple(map(float, compare_means(HOST, a.size, b.size, True, x, y)))


def _bound_mean(sample: Known) -> tuple[float, float, float]:
    """Return the least and the largest mean, and its largest squared error."""
    n, scores = sample.size, sample.scores.astype(float)
    steps = np.diff(sample.ranks)
    low = float(np.append(steps, 1) @ scores) / n
    high = float(np.append(1, steps) @ scores) / n
    squares = (scores - 0.5 * (low + high)) ** 2
    between = (steps - 1) @ np.maximum(squares[1:], squares[:-1])
    return low, high, float(np.sum(squares) + between) / (n * (n - 1.0))


def _are_sound(*samples: Known) -> bool:
    return all(bool(np.isfinite(sample.scores).all()) for sample in samples)


def multi_aso_of_samples(
    samples: Sequence[Sample],
    names: Sequence[str],
    *,
    confidence_level: float,
    is_corrected: bool,
    n_comparisons: int,
    baseline: str | None,
    n_resamples: int,
    dt: float,
    rng: RandomSource,
) -> PairwiseAsoResult:
    """Return the result of `multi_aso` for models by name, without holding scores."""
    n = len(samples)
    place = None if baseline is None else list(names).index(baseline)
    level = level_of(confidence_level, n_comparisons)
    family = family_of(n, level, place, is_corrected=is_corrected)
    estimates, equality = estimate_samples(
        samples,
        tuple((stream,) for stream in name_streams(names)),
        family=family,
        n_resamples=n_resamples,
        dt=dt,
        rng=rng,
    )
    return pairwise_result(
        HOST, estimates, equality, sizes=(1,) * n, order=tuple(range(n)), family=family
    )


def estimate_samples(
    samples: Sequence[Sample],
    streams: Streams,
    *,
    n_resamples: int,
    dt: float,
    rng: RandomSource,
    family: Family,
) -> tuple[Estimates, Equality]:
    with HOST.modes_off(), told_of_parts():
        if sum(count_scores(samples)) <= samples[0].room.read:
            rows = Rows(HOST, [sample.read()[None, :] for sample in samples])
            return rows.estimate(
                streams,
                method="auto",
                n_resamples=n_resamples,
                dt=dt,
                rng=rng,
                family=family,
            )
        grid, seed = even_grid(dt), seed_words(HOST, rng)
        nothing = np.zeros(0)
        stacks = [KnownScores(sample.size, nothing, nothing) for sample in samples]
        plans = plan_errors(stacks, "auto", grid)
        check_resamples(plans, n_resamples)
        ranks = _list_ranks(stacks, seed, streams, n_resamples, grid)
        known = find_known(samples, ranks, grid)
        estimates = estimate_sorted(
            HOST,
            known,
            seed,
            family.level_of_bound,
            plans=plans,
            streams=streams,
            n_resamples=n_resamples,
            grid=grid,
        )
        return estimates, equality_of_known(known, family)


def count_scores(samples: Sequence[Sample]) -> list[int]:
    dtype = np.result_type(*(sample.dtype for sample in samples))
    for sample in samples:
        sample.read_as(dtype)
    return [sample.count() for sample in samples]


def told_of_parts() -> AbstractContextManager[None]:
    """Report progress in reading only, not in replicates."""
    return executed_by(replace(current_execution(), progress=None))


def _list_ranks(
    stacks: Stacks, seed: Seed, streams: Streams, n_resamples: int, grid: Grid | None
) -> list[np.ndarray]:
    seeds = seed_stacks(HOST, seed, streams)
    resamples = SortedResamples.of(HOST, stacks, seeds, grid)
    size = resamples.batch

    every = [np.zeros(0, dtype=np.int64) for _ in stacks]
    for start in range(0, n_resamples, size):
        count = min(size, n_resamples - start)
        uniforms = draw_uniforms(HOST, stacks, seeds, start, count, grid)
        for k, (uniform, how) in enumerate(
            zip(uniforms, resamples.spacings, strict=True)
        ):
            every[k] = _sort_distinct(every[k], resampled_ranks(HOST, uniform, how))
    return every


def _sort_distinct(*ranks: np.ndarray) -> np.ndarray:
    """Sort distinct ranks, faster than by the hashes of `numpy.unique`."""
    every = np.sort(np.concatenate([x.reshape(-1) for x in ranks]))
    is_first = np.ones(len(every), dtype=bool)
    is_first[1:] = every[1:] > every[:-1]
    return every[is_first]


def find_known(
    samples: Sequence[Sample], ranks: Sequence[np.ndarray], grid: Grid | None
) -> Stacks:
    """Find the scores at these ranks, at the grid and at both ends.

    They are in one unit, as in `sort_stacks`.
    """
    parts = []
    for sample, wanted in zip(samples, ranks, strict=True):
        n = sample.size
        nodes = wanted[:0] if grid is None else grid_ranks(HOST, n, grid)
        is_held = n <= sample.room.held
        ends = np.asarray([0, n - 1])
        every = np.arange(n) if is_held else _sort_distinct(wanted, nodes, ends)
        values = sample.find(every)
        is_sound = bool(np.isfinite(values[[0, -1]]).all())
        parts.append((every, values if is_sound else np.full_like(values, np.nan)))
    ends = np.abs(np.asarray([values[[0, -1]] for _, values in parts]))
    largest = np.max(np.where(ends >= 0.0, ends, ends.dtype.type(0.0)))
    scale = find_scale(HOST, largest)
    return [
        KnownScores(sample.size, every, scale * values)
        if sample.size > sample.room.held
        else (scale * values)[None, :]
        for sample, (every, values) in zip(samples, parts, strict=True)
    ]
