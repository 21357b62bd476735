"""The statistic of each model, of its scores and of resamples from its own stream."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sigarray._backend.callers import Array, Seed, Statistic
from sigarray._backend.library import Library
from sigarray._difference.influences import find_influences
from sigarray._numeric.statistic import (
    apply_statistic,
    rounding_of,
    standard_deviation,
    weighted_middle,
)
from sigarray._numeric.student import Strata, find_errors_of_strata
from sigarray._order.pairs import join, slices_of
from sigarray._rank_intervals.comparisons import Estimates, Levels, center_stack
from sigarray._resampling.designs import draw_within


class Models(NamedTuple):
    """How the scores of K models lie in stacks, in which models have as many scores.

    `shapes` are those of stacks (K, n), `order` has the place in them of each model,
    and each sample has the scores of `n_strata`, one stratum after another.
    """

    shapes: tuple[tuple[int, int], ...]
    order: tuple[int, ...]
    n_strata: int

    def split(self, xp: Library, scores: Array) -> list[Array]:
        """Return stacks (E, K, n) of the scores of all models, (E, N)."""
        parts = slices_of(k * n for k, n in self.shapes)
        return [
            xp.reshape(scores[:, part], (scores.shape[0], *shape))
            for part, shape in zip(parts, self.shapes, strict=True)
        ]

    def gather(self, xp: Library, parts: Sequence[Array]) -> Array:
        """Return numbers (E, K, ...) of models, of those of each stack."""
        every = join(xp, parts, axis=1)
        if self.order == tuple(range(len(self.order))):
            return every
        return xp.stack([every[:, k, ...] for k in self.order], axis=1)


@dataclass(frozen=True, eq=False)
class Statistics:
    """The statistic of each model (E, K, size), whose draws have a stream of their own.

    The words of the seed (K, 1) are in the order of the stacks. Of a stratum of n
    scores n - 1 are drawn: see `StratifiedPlaces`.
    """

    xp: Library
    seed: Seed
    stacks: Sequence[Array]
    models: Models
    statistic: Statistic

    @property
    def elements(self) -> int:
        sizes = (math.prod(x.shape) + math.prod(x.shape[1:]) for x in self.stacks)
        return int(sum(sizes))

    def __call__(self, start: int | Array, size: int) -> Array:
        low, high = self.seed
        parts = [
            self._evaluate(x, (low[of, :], high[of, :]), start, size)
            for x, of in zip(
                self.stacks, slices_of(k for k, _ in self.models.shapes), strict=True
            )
        ]
        return self.models.gather(self.xp, parts)

    def _evaluate(self, x: Array, seed: Seed, start: int | Array, size: int) -> Array:
        """Return the statistic (E, K, size) of resamples of a stack (E, K, n)."""
        xp = self.xp
        n_entries, n_models, n = x.shape
        n_strata = self.models.n_strata
        (places,) = draw_within(
            xp, seed, start, size, n_strata, [n // n_strata], is_paired=False
        )
        places = places + n * xp.arange(n_models, dtype=places.dtype)[:, None]
        width = places.shape[-1]
        drawn = xp.take_last(
            xp.reshape(x, (n_entries, n_models * n)),
            xp.reshape(places, (size, n_models * width)),
        )
        drawn = xp.reshape(drawn, (n_entries, size, n_models, width))
        if self.statistic in ("median", "iqm"):
            values = weighted_middle(xp, self.statistic, drawn, None, n)
        else:
            values = apply_statistic(xp, self.statistic, drawn)
        return xp.matrix_transpose(values)


def center_models(
    xp: Library, statistic: Statistic, models: Models, scores: Array
) -> tuple[list[Array], Levels]:
    """Return stacks of the scores (E, N) of models, each about a level of its own."""
    parts = [
        center_stack(xp, statistic, x, models.n_strata)
        for x in models.split(xp, scores)
    ]
    levels = zip(*(of for _, of in parts), strict=True)
    return [x for x, _ in parts], Levels(*(models.gather(xp, x) for x in levels))


def estimate(
    xp: Library,
    stacks: Sequence[Array],
    models: Models,
    statistic: Statistic,
    replicates: Array,
) -> Estimates:
    """Estimate the statistic of each model, from stacks (E, K, n), and its error.

    That of a mean is known; others have the standard deviation of the replicates, and
    the degrees of freedom of the mean of their influences.
    """
    parts = []
    for x in stacks:
        value = apply_statistic(xp, statistic, x)
        rounding = rounding_of(xp, statistic, [x], [value])
        if statistic == "mean":
            numbers = _relate_in_strata(xp, x, models.n_strata)
        else:
            rows = xp.reshape(x, (-1, x.shape[-1]))
            numbers = xp.reshape(find_influences(xp, statistic, rows), x.shape)
        _, (square,), (df,), unit, *_ = find_errors_of_strata(
            xp, [numbers], Strata(models.n_strata), paired=False
        )
        parts.append((value, rounding, unit * xp.sqrt(square), df))
    value, rounding, error, df = (
        models.gather(xp, list(x)) for x in zip(*parts, strict=True)
    )
    if statistic == "mean":
        return Estimates(value, rounding, error, df, error > 0.0)
    error = standard_deviation(xp, replicates)
    return Estimates(value, rounding, error, df, error > rounding)


def _relate_in_strata(xp: Library, x: Array, number: int) -> Array:
    """Return scores (E, K, n) less the smallest of their stratum, for their errors.

    Those of a stratum that are the same are then exactly 0.
    """
    rows = xp.reshape(x, (*x.shape[:-1], number, x.shape[-1] // number))
    return xp.reshape(rows - xp.min(rows, axis=-1, keepdims=True), x.shape)
