"""Standard errors of violation ratios over all resamples of few scores."""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from sigarray._backend.aliases import Array
from sigarray._backend.chunks import AddUp
from sigarray._backend.library import Library
from sigarray._numeric.quantile import Grid, merge_all_steps
from sigarray._numeric.subsets import count_resamples, enumerate_resamples
from sigarray._order.moments import standard_deviation
from sigarray._order.pairs import Block, Stacks, map_block
from sigarray._order.violation import ratio_of_sums

# Tables of this many numbers are kept on the host: half a megabyte.
_MAX_KEPT = 2**16


def exact_errors(
    xp: Library, stacks: Stacks, block: Block, ratios: Array, grid: Grid | None
) -> Array:
    """Return the standard deviation of the ratio over all multisets of A and of B.

    A step compares one of n scores of A with one of m of B, so that the integrals are
    sums over a table of n m squares. They are products of matrices; a matrix of zeros
    and ones selects the score of each step in the more numerous multisets.
    """
    n, m = (stacks[place].shape[-1] for place in block)
    sizes = n, m, grid, stacks[0].dtype
    is_small = count_resamples(max(n, m)) * max(n, m) * (n + m) <= _MAX_KEPT
    tables = _Tables(
        *(xp.kept_tables(_list_small, *sizes) if is_small else _list(xp, *sizes))
    )
    resamples = _AllResamples(xp, tables, max(n, m), m > n)
    n_scores, (n_nodes, n_rows) = max(n, m), tables.rows.shape
    elements = tables.columns.shape[-1] * (n_rows + 2 * n_scores * n_nodes)
    return map_block(xp, stacks, block, resamples.find_error, ratios, elements=elements)


class _Tables(NamedTuple):
    """All multisets of two samples; the more numerous ones are rows.

    Ranks are (nodes, rows) and (nodes, columns), and have weights. Widths (nodes, 1),
    if any, are those of steps. `chosen` (rows, scores * nodes), if it is small, is what
    `choose_scores` makes of the ranks of rows.
    """

    rows: Array
    weights_of_rows: Array
    columns: Array
    weights_of_columns: Array
    widths: Array | None = None
    chosen: Array | None = None


def _list(xp: Library, n: int, m: int, grid: Grid | None, dtype: Any) -> _Tables:
    """List the multisets of n and of m scores."""
    tables = {size: enumerate_resamples(xp, size) for size in {n, m}}
    (ranks_a, weights_a), (ranks_b, weights_b) = (
        (ranks, xp.astype(weights, dtype, copy=False))
        for ranks, weights in (tables[n], tables[m])
    )
    widths = None
    if n != m or grid is not None:
        steps = merge_all_steps(xp, n, m, grid)
        ranks_a = xp.take(ranks_a, steps.ranks_a, axis=0)
        ranks_b = xp.take(ranks_b, steps.ranks_b, axis=0)
        widths = xp.astype(steps.widths, dtype, copy=False)[:, None]
    if m > n:
        ranks_a, weights_a, ranks_b, weights_b = ranks_b, weights_b, ranks_a, weights_a
    return _Tables(ranks_a, weights_a, ranks_b, weights_b, widths)


def _list_small(xp: Library, n: int, m: int, grid: Grid | None, dtype: Any) -> _Tables:
    """As `_list`, with the scores that rows choose."""
    tables = _list(xp, n, m, grid, dtype)
    return tables._replace(chosen=_choose_scores(xp, tables.rows, max(n, m), dtype))


def _choose_scores(xp: Library, ranks: Array, n_scores: int, dtype: Any) -> Array:
    """Return 1 for the score at each node (nodes, rows), (rows, scores * nodes)."""
    nodes = xp.matrix_transpose(ranks)
    scores = xp.arange(n_scores, dtype=nodes.dtype)
    has_score = nodes[:, None, :] == scores[:, None]
    return xp.astype(xp.reshape(has_score, (nodes.shape[0], -1)), dtype)


@dataclass(frozen=True, eq=False)
class _AllResamples:
    """All multisets of two samples, of which the larger one has `n_scores`."""

    xp: Library
    tables: _Tables
    n_scores: int
    has_rows_of_b: bool

    def find_error(self, x: Array, y: Array, center: Array) -> Array:
        """Return the standard deviation of the ratio of two samples."""
        xp = self.xp
        differences = y[..., None, :] - x[..., :, None]
        if self.has_rows_of_b:
            differences = xp.matrix_transpose(differences)
        above = xp.clip(differences, 0.0, None)
        violations = self._sum_steps(above * above)
        distances = self._sum_steps(differences * differences)
        n_nodes, n_rows = self.tables.rows.shape
        add_moments = _MomentsOfRows(self, violations, distances, center)
        # Elements are the sums, and the selection of their scores.
        n_columns = self.tables.columns.shape[-1]
        elements = math.prod(center.shape) * 4 * n_columns + self.n_scores * n_nodes
        return standard_deviation(xp, add_moments, n_rows, center, elements)

    def _sum_steps(self, squares: Array) -> Array:
        # From (..., scores, nodes, columns) to (..., scores * nodes, columns).
        xp, tables = self.xp, self.tables
        steps = xp.take_last(squares, tables.columns)
        if tables.widths is not None:
            steps *= tables.widths
        n_nodes, n_columns = tables.columns.shape
        return xp.reshape(
            steps, (*steps.shape[:-3], self.n_scores * n_nodes, n_columns)
        )


@dataclass(frozen=True, eq=False)
class _MomentsOfRows:
    """Moments of ratios of some of the more numerous multisets with all others."""

    resamples: _AllResamples
    violations: Array
    distances: Array
    center: Array

    def __call__(self, start: int | Array, size: int, add_up: AddUp) -> Array:
        xp = self.resamples.xp
        chosen, weights = self._choose(start, size)
        violations = xp.matrix_product(chosen, self.violations)
        distances = xp.matrix_product(chosen, self.distances)
        of_columns = self.resamples.tables.weights_of_columns
        sums = xp.sum_deviations(violations, distances, self.center, of_columns)
        if sums is None:
            ratios = ratio_of_sums(xp, violations, distances)
            deviations = ratios - self.center[..., None, None]
            weighted = of_columns * deviations
            # In a product of matrices, threads may change the order of sums.
            parts = [xp.sum(x, axis=-1) for x in (weighted, weighted * deviations)]
            sums = xp.stack(parts)
        return add_up(weights * sums)

    def _choose(self, start: int | Array, size: int) -> tuple[Array, Array]:
        """Return what some rows choose, and their weights."""
        samples, xp = self.resamples, self.resamples.xp
        _, weights, *_, chosen = samples.tables
        if chosen is not None and isinstance(start, int):
            return chosen[start : start + size, :], weights[start : start + size]
        rows = xp.clip(xp.arange(size) + start, None, weights.shape[0] - 1)
        ranks = xp.take(samples.tables.rows, rows, axis=1)
        chosen = _choose_scores(xp, ranks, samples.n_scores, self.center.dtype)
        return chosen, xp.take(weights, rows, axis=0)
