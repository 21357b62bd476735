"""Tests of equality of samples with some known order statistics, on the host.

They hold whatever the scores between the known ones are.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from sigarray._backend.of_numpy import HOST
from sigarray._numeric.quantile import KnownScores
from sigarray._order.comparison import Comparison, compare_means, needs_means
from sigarray._order.equality import Equality, find_equality
from sigarray._order.families import Family
from sigarray._order.pairs import Stacks, list_blocks


class Known(NamedTuple):
    """Sorted ranks of a sample, with the first and the last, and their scores."""

    ranks: np.ndarray
    scores: np.ndarray

    @property
    def size(self) -> int:
        """The number of scores of the sample."""
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
    return tuple(map(float, compare_means(HOST, x, y, a.size, b.size)))


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
