"""Scores about the level of their own model, and differences of models.

A model whose scores are huge, as those of a diverged run are, costs the others no
digits: what is said of two models depends on their own scores.
"""

from dataclasses import dataclass
from typing import NamedTuple

from sigarray._backend.aliases import Array, Statistic
from sigarray._backend.library import Library
from sigarray._numeric.statistic import (
    add_rounding_of_scores,
    scale_scores,
)
from sigarray._numeric.student import list_samples

# Beyond so many errors no p-value matters; it keeps the squares of t in range.
_MOST_ERRORS = 2.0**60


class Levels(NamedTuple):
    """What was subtracted from the scores x of models (E, K): `unit` (`level` + x)."""

    level: Array
    unit: Array


def center_stack(
    xp: Library, statistic: Statistic, x: Array, n_strata: int
) -> tuple[Array, Levels]:
    """Return the scores (E, K, n) of each model less the middle one, their level.

    It is near most scores, so that neither a level nor outliers cost digits; whole
    numbers stay whole. Where means are asked for, scores of a stratum that vary only by
    rounding are made the same. The scores of a callable, which may not move with them,
    stay.
    """
    if callable(statistic):
        level = xp.zeros_like(x[..., 0])
        return x, Levels(level, level + 1.0)
    if statistic == "mean":
        rows = xp.reshape(x, (*x.shape[:-1], n_strata, x.shape[-1] // n_strata))
        x = xp.reshape(list_samples(xp, [rows], paired=False)[0], x.shape)
    (x,), unit = scale_scores(xp, x)
    level = xp.sort(x, axis=-1, stable=False)[..., (x.shape[-1] - 1) // 2]
    return x - level[..., None], Levels(level, unit)


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences (E, K, K, ...) of numbers of models (E, K, ...), row less column.

    They are in the larger of the units of two models, of which each has a `share`
    (E, K, K): 1, or a power of two; and `gap` is that of what was subtracted.
    """

    xp: Library
    share: Array
    gap: Array

    def __call__(self, values: Array) -> Array:
        """Return the differences of statistics of centered scores."""
        axes = (..., *(None,) * (values.ndim - 2))
        rows = values[:, :, None, ...] * self.share[axes]
        columns = values[:, None, ...] * self.xp.matrix_transpose(self.share)[axes]
        return self.gap[axes] + (rows - columns)


def find_differences(xp: Library, levels: Levels) -> Differences:
    """Return the differences of models whose scores are about these levels."""
    unit = levels.unit
    share = unit[:, :, None] / xp.maximum(unit[:, :, None], unit[:, None, :])
    first, second = scale_pair(xp, levels.level, share)
    return Differences(xp, share, first - second)


def find_ties(
    xp: Library,
    statistic: Statistic,
    rounding: Array,
    levels: Levels,
    share: Array,
    size: int,
) -> Array:
    """Return how far apart (E, K, K) the statistics of two alike models may be.

    They have `size` scores, or more.
    """
    first, second = scale_pair(xp, rounding, share)
    heights = scale_pair(xp, levels.level, share)
    sizes = size, size
    return add_rounding_of_scores(xp, first + second, statistic, heights, sizes)


class Errors(NamedTuple):
    """Errors of pairs (E, K, K): a size, in the unit of the pair, and their shares.

    `rows` and `columns` are the errors of the two models in units of the size, and
    `weights` that of the row in units of the error of the difference.
    """

    size: Array
    rows: Array
    columns: Array
    weights: Array


def pair_errors(xp: Library, error: Array, share: Array) -> Errors:
    """Return the errors of pairs, whose squares neither overflow nor underflow."""
    first, second = scale_pair(xp, error, share)
    size = xp.maximum(first, second)
    size = xp.where(size > 0.0, size, 1.0)
    rows, columns = first / size, second / size
    total = rows * rows + columns * columns
    varies = total > 0.0
    weights = xp.where(varies, rows / xp.sqrt(xp.where(varies, total, 1.0)), 0.0)
    return Errors(size, rows, columns, weights)


def limit_gaps(xp: Library, gaps: Array, size: Array) -> Array:
    """Return differences in units of a size, so large at most that squares are kept."""
    return xp.clip(gaps / size, -_MOST_ERRORS, _MOST_ERRORS)


def scale_pair(xp: Library, x: Array, share: Array) -> tuple[Array, Array]:
    """Return numbers (E, K) of the row and of the column (E, K, K), in its unit."""
    return x[:, :, None] * share, x[:, None, :] * xp.matrix_transpose(share)
