"""How far runs of A are ahead of those of B on tasks with unlike numbers of runs."""

import math
from dataclasses import dataclass
from typing import Self

from sigarray._backend.aliases import Array, Seed
from sigarray._backend.library import Library
from sigarray._numeric.strata import Strata, number_strata
from sigarray._resampling.stratified import draw_of_intervals


@dataclass(frozen=True, eq=False)
class RaggedLeads:
    """Means over tasks of P(A > B) - P(A < B), of runs drawn within each task.

    Runs of B are in the order of their tasks, and by score in each: how many of them a
    run of A beats is a difference of two cumulative sums of how often they were drawn.
    Each of `order` (E, m) is a place of B, `below` (E, n) counts the runs before those
    that one of A does not beat, and `upto` those before the ones that beat it. `first`
    and `last` (n,) are the same of its task, whose number is `task` and number of runs
    of A `size`.
    """

    xp: Library
    seed: Seed
    strata: Strata
    order: Array
    below: Array
    upto: Array
    first: Array
    last: Array
    task: Array
    size: Array
    fault: Array

    @classmethod
    def find(cls, xp: Library, seed: Seed, a: Array, b: Array, strata: Strata) -> Self:
        """Order runs (E, n) and (E, m), which are sorted by task."""
        of_a, of_b = (
            number_strata(xp, strata, k, x.shape[-1]) for k, x in enumerate((a, b))
        )
        first, last = (
            xp.astype(xp.searchsorted(of_b, of_a, side=side), of_a.dtype)
            for side in ("left", "right")
        )
        below, upto = (
            _count_before(xp, a, b, of_a, of_b, has_ties=x) for x in (False, True)
        )
        is_fault = xp.any(xp.isnan(a), axis=-1) | xp.any(xp.isnan(b), axis=-1)
        return cls(
            xp,
            seed,
            strata,
            order=_sort_by_task(xp, b, of_b),
            below=below,
            upto=upto,
            first=first,
            last=last,
            task=of_a,
            size=strata.intervals[0].size,
            fault=xp.where(is_fault, math.nan, xp.zeros_like(a[:, 0])),
        )

    @property
    def observed(self) -> Array:
        """The mean of all runs, (E,)."""
        n_before = self.below + self.upto - self.first - self.last
        return self._average(n_before, self.size * (self.last - self.first))

    @property
    def elements(self) -> int:
        """Places and counts, and for each entry counts in order and their sums."""
        n_entries, n, m = *map(int, self.below.shape), int(self.order.shape[-1])
        return 2 * (n + m) + n_entries * (4 * n + 2 * m)

    def __call__(self, start: int | Array, size: int) -> Array:
        xp, intervals = self.xp, self.strata.intervals
        drawn = draw_of_intervals(xp, self.seed, start, size, intervals, False)
        of_a, of_b = (
            xp.count_places(places, places.shape[-1] + 1)[:, :-1] for places in drawn
        )
        sums = xp.cumulative_sum(
            xp.take_last(of_b, self.order), axis=-1, include_initial=True
        )
        n_entries, width = sums.shape[1:]
        entry = xp.arange(n_entries, dtype=self.below.dtype)[:, None] * width
        flat = xp.reshape(sums, (size, n_entries * width))
        below, upto = (xp.take_last(flat, entry + x) for x in (self.below, self.upto))
        # Of each task before, one run less than there are was drawn.
        n_before = below + upto - (self.first + self.last - 2 * self.task - 1)
        n_pairs = (self.size - 1) * (self.last - self.first - 1)
        means = self._average(of_a[:, None, :] * n_before, n_pairs)
        return xp.move_axis(means, 0, -1)

    def _average(self, leads: Array, n_pairs: Array) -> Array:
        """Sum leads (..., E, n) over the pairs of a task, and average tasks."""
        xp, dtype = self.xp, self.fault.dtype
        shares = xp.astype(leads, dtype) / xp.astype(n_pairs, dtype)
        n_tasks = xp.astype(self.task[-1] + 1, dtype)
        return xp.sum(shares, axis=-1) / n_tasks + self.fault


def _sort_by_task(xp: Library, x: Array, numbers: Array) -> Array:
    """Return the order of x (E, m) by task, and by score in each."""
    order = xp.argsort(x, axis=-1, stable=True)
    by_task = xp.argsort(xp.take_last(numbers, order), axis=-1, stable=True)
    return xp.take_along_axis(order, by_task, axis=-1)


def _count_before(
    xp: Library, a: Array, b: Array, of_a: Array, of_b: Array, *, has_ties: bool
) -> Array:
    """Count the runs of B before each of A (E, n), by task and score, or with ties."""
    n, m = a.shape[-1], b.shape[-1]
    # Of ties, those that come first stay first.
    pool = xp.concat([b, a] if has_ties else [a, b], axis=-1)
    numbers = xp.concat([of_b, of_a] if has_ties else [of_a, of_b])
    order = _sort_by_task(xp, pool, numbers)
    is_b = order < m if has_ties else order >= n
    before = xp.cumulative_sum(xp.astype(is_b, of_a.dtype), axis=-1, dtype=of_a.dtype)
    ranks = xp.argsort(order, axis=-1, stable=True)
    ranks = ranks[:, m:] if has_ties else ranks[:, :n]
    return xp.take_along_axis(before, ranks, axis=-1)
