"""Resamples: drawn with replacement, exchanged, or dealt out."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from sigarray._backend.callers import Array, Seed, Statistic, TestedStatistic
from sigarray._backend.checks import MAX_REPLICATES
from sigarray._backend.library import Library
from sigarray._backend.seeds import random_bits
from sigarray._backend.threefry import (
    WORD_BITS,
    ordered_keys,
    overlapping_words,
    random_places,
    random_words,
)
from sigarray._numeric.statistic import apply_statistic, coarse_mean, difference_of
from sigarray._numeric.student import NO_STRATA, Strata
from sigarray._numeric.subsets import subset_at
from sigarray._numeric.sums import (
    SumStatistic,
    count_bits_at_once,
    mean_of_exchanged,
    sum_of_exchanged,
    uses_sums,
)

# Up to so many rows are gathered for their sums; the places of more are counted.
_FEW_ROWS = 3
# Keys of this many scores in all subsets are kept on the host: half a megabyte.
_MAX_KEPT = 2**17


class Summands(NamedTuple):
    """Numbers (..., d, n) of each sample to sum, and levels (..., d, 1) taken off them.

    They are made once, and summed for each chunk of replicates.
    """

    rests: list[Array]
    levels: list[Array]


class Draws(Protocol):
    """Draws resamples of scores, as a pure function of the seed and the replicates.

    Only draws know which random words they use.
    """

    def remake(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> list[Array]:
        """Return samples (..., size, n) of replicates from a place on."""

    def find_means(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> Array:
        """Return their means, or the difference of two, (..., size)."""

    def prepare_sums(self, _: Library, scores: Sequence[Array], /) -> Summands:
        """Return what `find_sums` takes, of samples or a pool (..., d, n)."""
        return Summands(list(scores), [])

    def find_sums(
        self, xp: Library, summands: Summands, start: int | Array, size: int
    ) -> list[Array]:
        """Return the sums of each sample, (..., d, size)."""

    def evaluate(
        self,
        xp: Library,
        statistic: Statistic,
        scores: Sequence[Array],
        start: int | Array,
        size: int,
    ) -> list[Array]:
        """Return a statistic of scores, of each sample, (..., size)."""
        samples = self.remake(xp, scores, start, size)
        return [apply_statistic(xp, statistic, x) for x in samples]

    def count_elements(
        self, xp: Library, scores: Sequence[Array], statistic: TestedStatistic, /
    ) -> int:
        """Count the numbers that a replicate holds."""


class Permutations(Draws, Protocol):
    def find_parts(
        self, xp: Library, stack: Array, start: int | Array, size: int
    ) -> tuple[Array, Array]:
        """Return two arrays (K, size) for K models with n scores each.

        The difference of permuted means is linear in models i and j: it is the sum of
        the number of i in the first array and that of j in the second one.
        """


@dataclass(frozen=True, eq=False)
class Places(Draws):
    """Each sample is drawn with replacement from its scores; pairs together.

    The sizes are those of the samples, unless given.
    """

    seed: Seed
    is_paired: bool = False
    n_drawn: int | None = None

    def remake(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> list[Array]:
        return take_places(xp, scores, self._draw(xp, scores, start, size))

    def find_means(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> Array:
        places = self._draw(xp, scores, start, size)
        taken = zip(scores, places, strict=True)
        return difference_of([xp.mean_taken(x, chosen) for x, chosen in taken])

    def prepare_sums(self, xp: Library, scores: Sequence[Array]) -> Summands:
        return take_levels_off(xp, scores)

    def find_sums(
        self, xp: Library, summands: Summands, start: int | Array, size: int
    ) -> list[Array]:
        """Sum scores about a coarse mean, so that they lose no digits to their level.

        A few rows, on axis -2, are gathered; for more of them it is faster to count how
        often each place was drawn, once for pairs, and to multiply.
        """
        rests, levels = summands
        places = self._draw(xp, rests, start, size)
        sums = sum_places(xp, rests, places, self.is_paired)
        return [
            x + float(chosen.shape[-1]) * level
            for x, chosen, level in zip(sums, places, levels, strict=True)
        ]

    def _draw(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> list[Array]:
        sizes = [x.shape[-1] for x in scores]
        drawn = sizes if self.n_drawn is None else [self.n_drawn] * len(sizes)
        return random_places(xp, self.seed, start, size, sizes, drawn, self.is_paired)

    def count_elements(
        self, _: Library, scores: Sequence[Array], statistic: TestedStatistic, /
    ) -> int:
        sizes = [int(x.shape[-1]) for x in scores]
        n_places = sizes[0] if self.is_paired else sum(sizes)
        if isinstance(statistic, SumStatistic):
            return n_places + count_summed(scores)
        n_values: int = sum(math.prod(x.shape) for x in scores)
        return n_places + n_values


@dataclass(frozen=True, eq=False)
class Exchanges(Permutations):
    """The scores of some pairs are exchanged; all subsets of pairs without a seed.

    The scores are a pool (..., 2 n), in which those of A come first.
    """

    seed: Seed | None
    n: int

    def remake(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> list[Array]:
        (pool,) = scores
        is_exchanged = random_bits(xp, self._draw_words(xp, start, size), self.n) == 1
        a, b = pool[..., None, : self.n], pool[..., None, self.n :]
        return [xp.where(is_exchanged, b, a), xp.where(is_exchanged, a, b)]

    def find_means(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> Array:
        (pool,) = scores
        gaps = pool[..., : self.n] - pool[..., self.n :]
        return mean_of_exchanged(xp, gaps, self._draw_words(xp, start, size))

    def find_sums(
        self, xp: Library, summands: Summands, start: int | Array, size: int
    ) -> list[Array]:
        (pool,) = summands.rests
        gaps = pool[..., : self.n] - pool[..., self.n :]
        # Exact if sums of counts are: a metric may have its own value for none.
        lead = sum_of_exchanged(xp, gaps, self._draw_words(xp, start, size))
        total = xp.sum(pool, axis=-1, keepdims=True)
        return [0.5 * (total + lead), 0.5 * (total - lead)]

    def find_parts(
        self, xp: Library, stack: Array, start: int | Array, size: int
    ) -> tuple[Array, Array]:
        signed = mean_of_exchanged(xp, stack, self._draw_words(xp, start, size))
        return signed, -signed

    def count_elements(
        self, xp: Library, scores: Sequence[Array], statistic: TestedStatistic, /
    ) -> int:
        n_entries: int = math.prod(scores[0].shape[:-1])
        if not uses_sums(statistic):
            return self.n * (1 + n_entries)
        # A word has a bit for each of `WORD_BITS` pairs.
        n_words = math.ceil(self.n / WORD_BITS)
        return n_entries + n_words * count_bits_at_once(xp)

    def _draw_words(self, xp: Library, start: int | Array, size: int) -> Array:
        """Return words with a bit for each pair, which says whether to exchange it."""
        if self.seed is None:
            return (xp.arange(size) + start)[:, None]
        return random_words(xp, self.seed, start, size, -(-self.n // WORD_BITS))


@dataclass(frozen=True, eq=False)
class Deals(Permutations):
    """All scores are dealt out to two samples; in all ways without a seed.

    The scores are a pool (..., n + m), in which those of A come first.
    """

    seed: Seed | None
    n: int

    def remake(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> list[Array]:
        (pool,) = scores
        keys = self._draw_keys(xp, pool.shape[-1], start, size)
        dealt = xp.take_last(pool, xp.argsort(keys, axis=-1, stable=False))
        return [dealt[..., : self.n], dealt[..., self.n :]]

    def find_means(
        self, xp: Library, scores: Sequence[Array], start: int | Array, size: int
    ) -> Array:
        (pool,) = scores
        n_scores = pool.shape[-1]
        is_chosen = self._choose(xp, n_scores, pool.dtype, start, size)
        sums = sum_weighted(xp, pool, is_chosen)
        # Keys may be tied at the threshold, once in two million times.
        n_chosen = xp.sum(is_chosen, axis=-1)
        rest = xp.sum(pool, axis=-1, keepdims=True) - sums
        return sums / n_chosen - rest / (n_scores - n_chosen)

    def find_sums(
        self, xp: Library, summands: Summands, start: int | Array, size: int
    ) -> list[Array]:
        (pool,) = summands.rests
        is_chosen = self._choose(xp, pool.shape[-1], pool.dtype, start, size)
        sums = sum_weighted(xp, pool, is_chosen)
        return [sums, xp.sum(pool, axis=-1, keepdims=True) - sums]

    def find_parts(
        self, xp: Library, stack: Array, start: int | Array, size: int
    ) -> tuple[Array, Array]:
        n = stack.shape[-1]
        is_chosen = self._choose(xp, 2 * n, stack.dtype, start, size)
        n_chosen = xp.sum(is_chosen, axis=-1)
        of_rest = 1.0 / (2 * n - n_chosen)
        of_chosen = 1.0 / n_chosen + of_rest
        rest = xp.sum(stack, axis=-1, keepdims=True) * of_rest
        halves = is_chosen[:, :n], is_chosen[:, n:]
        first, second = (
            xp.matrix_product(stack, xp.matrix_transpose(x)) * of_chosen - rest
            for x in halves
        )
        return first, second

    def count_elements(
        self, _: Library, scores: Sequence[Array], statistic: TestedStatistic, /
    ) -> int:
        *leading, n_scores = scores[0].shape
        n_entries = math.prod(leading)
        if not uses_sums(statistic):
            return int(n_scores * (1 + n_entries))
        return int(n_entries + n_scores)  # one product for all batch entries

    def _choose(
        self, xp: Library, n_scores: int, dtype: Any, start: int | Array, size: int
    ) -> Array:
        """Return 1 for the scores that A gets, (size, n + m), and 0 for the others.

        A gets those with the n smallest keys, so that no permutation is needed.
        """
        keys = self._draw_keys(xp, n_scores, start, size)
        return xp.mark_smallest(keys, self.n, dtype)

    def _draw_keys(
        self, xp: Library, n_scores: int, start: int | Array, size: int
    ) -> Array:
        """Return keys (size, n + m); A gets the scores with the n smallest."""
        if self.seed is None:
            return _enumerated_keys(xp, self.n, n_scores - self.n, start, size)
        words = overlapping_words(xp, self.seed, start, size, n_scores, n_scores)
        return ordered_keys(xp, words)


def permute(seed: Seed | None, n: int, *, paired: bool) -> Permutations:
    return Exchanges(seed, n) if paired else Deals(seed, n)


def count_permutations(
    n: int, m: int, *, paired: bool, strata: Strata = NO_STRATA
) -> float:
    """Count distinct permutations; infinity means more than any `n_resamples`.

    Within strata they are products, which are not known of labels on a device.
    """
    is_whole = paired or not strata.are_there
    count: float = 1 if is_whole or strata.deals else math.inf
    for k, of_b in ((n, m),) if is_whole else strata.deals:
        if min(k, of_b) > math.log2(MAX_REPLICATES) or count > MAX_REPLICATES:
            return math.inf
        count *= 2**k if paired else math.comb(k + of_b, k)
    return count


def take_levels_off(xp: Library, scores: Sequence[Array]) -> Summands:
    """Return scores less a coarse mean of each row, and these means."""
    levels = [coarse_mean(xp, x) for x in scores]
    return Summands([x - y for x, y in zip(scores, levels, strict=True)], levels)


def take_places(
    xp: Library, scores: Sequence[Array], places: Sequence[Array]
) -> list[Array]:
    return [xp.take_last(x, chosen) for x, chosen in zip(scores, places, strict=True)]


def sum_places(
    xp: Library, scores: Sequence[Array], places: Sequence[Array], is_paired: bool
) -> list[Array]:
    """Sum scores (..., d, n) at places (size, k), by gathers or by counts of places."""
    if _are_gathered(scores):
        taken = zip(scores, places, strict=True)
        return [xp.sum_taken(x, chosen) for x, chosen in taken]
    exact: list[Array] | None = xp.sum_exactly(scores, places)
    if exact is not None:
        return exact
    n_counted = 1 if is_paired else len(scores)
    counts = [
        xp.weigh_places(chosen, x.shape[-1], x.dtype)
        for x, chosen in zip(scores[:n_counted], places, strict=False)
    ]
    return [sum_weighted(xp, x, counts[k % n_counted]) for k, x in enumerate(scores)]


def count_summed(scores: Sequence[Array]) -> int:
    """Count the numbers that `sum_places` holds for a replicate, beside its places."""
    if _are_gathered(scores):
        return sum(math.prod(x.shape) for x in scores)
    # The counts of places take what these take, and are made after them.
    return sum(math.prod(x.shape[:-1]) for x in scores)


def _are_gathered(scores: Sequence[Array]) -> bool:
    return int(scores[0].shape[-2]) <= _FEW_ROWS


def sum_weighted(xp: Library, x: Array, weights: Array) -> Array:
    """Sum x (..., n) by the weights (R, n) of each replicate, (..., R)."""
    *leading, n = x.shape
    rows = xp.reshape(x, (math.prod(leading), n))
    sums = xp.matrix_product(rows, xp.matrix_transpose(weights))
    return xp.reshape(sums, (*leading, weights.shape[0]))


def _enumerated_keys(
    xp: Library, n: int, m: int, start: int | Array, size: int
) -> Array:
    """Return 0 for the n scores of A and 1 for the m of B, in one subset after another.

    The subsets are listed by the smaller sample: if many scores have few subsets, that
    sample is small.
    """
    count = math.comb(n + m, n)
    is_listed = count * (n + m) <= _MAX_KEPT
    if is_listed and isinstance(start, int) and start + size <= count:
        (keys,) = xp.kept_tables(_list_keys, n, m)
        return keys[start : start + size, :]
    return make_keys(xp, n, m, xp.arange(size) + start)


def _list_keys(xp: Library, n: int, m: int) -> tuple[Array, ...]:
    return (make_keys(xp, n, m, xp.arange(math.comb(n + m, n))),)


def make_keys(xp: Library, n: int, m: int, places: Array) -> Array:
    """Return 0 for the n scores of A and 1 for the m of B, in subsets by places."""
    chosen = xp.stack(subset_at(xp, places, min(n, m), n + m), axis=-1)
    everyone = xp.arange(n + m, dtype=chosen.dtype)
    is_chosen = xp.any(chosen[..., None] == everyone, axis=-2)
    return xp.astype(is_chosen if m < n else ~is_chosen, xp.int32)
