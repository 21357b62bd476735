"""Kernels of ours that a library may have: one call for many of the array code.

They give the same bits, or None where there is no kernel, or none for these arguments.
`compiled_numpy` has all of them for NumPy's arrays.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sigarray._backend.callers import Array, Seed


class Pairs(NamedTuple):
    """Places of both samples of each pair, and an order that reuses some in turn."""

    first: Array
    second: Array
    order: Array


class OptionalKernels:
    """No kernels."""

    def draw_fused(self, seed: Seed, kind: int, numbers: list[int]) -> Array | None:
        """Draw random numbers: see `draw_fused`."""

    def count_drawn(
        self, seed: Seed, start: int, count: int, n_drawn: int, n: int, dtype: Any
    ) -> Array | None:
        """Count how often each place is drawn: see `random_counts`."""

    def sum_bytes(self, table: Array, words: Array, n_bytes: int) -> Array | None:
        """Sum a table (E, 1024 W) by bytes of words (R, W), (E, R): see `exchanged`."""

    def sum_exactly(
        self, samples: Sequence[Array], places: Sequence[Array]
    ) -> list[Array] | None:
        """Return `sum_taken` of each sample, if sums are exact, and so in any order."""

    def sum_bits_exactly(self, x: Array, words: Array) -> Array | None:
        """Sum numbers (E, n) by the bits of words (R, W), likewise: (E, R)."""

    def resample_sorted(
        self, scores: Array, widths: Array, below: float, *, is_last: bool
    ) -> Array | None:
        """Take scores (..., K, n) at `cumulative_places` of widths (R, K, T + 1).

        The shape is (..., K, R, T), or (..., K, T, R).
        """

    def find_ratios(
        self,
        x: Array,
        y: Array,
        steps: Sequence[Array | None],
        axis: int,
        pairs: Pairs | None = None,
    ) -> Array | None:
        """Return `ratio_of_samples`; or of pairs of places on axis -3, (..., P, R).

        Steps are the ranks of x and of y and their widths.
        """

    def sum_deviations(
        self, steps: Array, ranks: Array, centers: Array, weights: Array
    ) -> Array | None:
        """Sum w d and w d^2 over columns: (2, ..., rows), with weights of columns.

        The deviations d are those of `ratio_of_sums` from centers, of the two parts of
        `sum_rows` of steps (2, ..., n * K, columns).
        """
