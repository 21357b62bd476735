"""Standard errors of violation ratios over all resamples of few scores."""

import math
from dataclasses import dataclass

from sigarray._backend.aliases import Array
from sigarray._backend.chunks import AddUp
from sigarray._backend.library import Library
from sigarray._numeric.quantile import Grid, merge_all_steps
from sigarray._numeric.subsets import enumerate_resamples
from sigarray._order.moments import moments, standard_deviation
from sigarray._order.pairs import Block, Stacks, map_block
from sigarray._order.violation import in_dtype_of, ratio_of_sums


def exact_errors(
    xp: Library, stacks: Stacks, block: Block, ratios: Array, grid: Grid | None
) -> Array:
    """Return the standard deviation of the ratio over all multisets of A and of B.

    A step compares one of n scores of A with one of m of B, so that the integrals are
    sums over a table of n m squares. They are products of matrices; a matrix of zeros
    and ones selects the score of each step in the more numerous multisets.
    """
    n, m = (stacks[place].shape[-1] for place in block)
    # Tables of A and of B; rows are multisets of the larger sample.
    tables = {size: enumerate_resamples(xp, size) for size in {n, m}}
    (ranks_a, weights_a), (ranks_b, weights_b) = (
        (ranks, in_dtype_of(xp, weights, stacks[0]))
        for ranks, weights in (tables[n], tables[m])
    )
    widths = None
    if n != m or grid is not None:
        steps = merge_all_steps(xp, n, m, grid)
        ranks_a = xp.take(ranks_a, steps.ranks_a, axis=0)
        ranks_b = xp.take(ranks_b, steps.ranks_b, axis=0)
        widths = in_dtype_of(xp, steps.widths, stacks[0])[:, None]
    if m > n:
        ranks_a, weights_a, ranks_b, weights_b = ranks_b, weights_b, ranks_a, weights_a
    resamples = _AllResamples(
        xp, ranks_a, weights_a, ranks_b, weights_b, widths, max(n, m), m > n
    )
    n_scores, (n_nodes, n_rows) = max(n, m), ranks_a.shape
    elements = ranks_b.shape[-1] * (n_rows + 2 * n_scores * n_nodes)
    return map_block(xp, stacks, block, resamples.find_error, ratios, elements=elements)


@dataclass(frozen=True, eq=False)
class _AllResamples:
    """All multisets of two samples; the more numerous ones are rows.

    Ranks have shape (nodes, rows) and (nodes, columns).
    """

    xp: Library
    ranks_a: Array
    weights_a: Array
    ranks_b: Array
    weights_b: Array
    widths: Array | None
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
        n_nodes, n_rows = self.ranks_a.shape
        add_moments = _MomentsOfRows(self, violations, distances, center)
        # Elements are the sums, and the selection of their scores.
        n_columns = self.ranks_b.shape[-1]
        elements = math.prod(center.shape) * 4 * n_columns + self.n_scores * n_nodes
        return standard_deviation(xp, add_moments, n_rows, center, elements)

    def _sum_steps(self, squares: Array) -> Array:
        # From (..., scores, nodes, columns) to (..., scores * nodes, columns).
        xp, n_nodes = self.xp, self.ranks_a.shape[0]
        steps = xp.take_last(squares, self.ranks_b)
        if self.widths is not None:
            steps *= self.widths
        shape = (*steps.shape[:-3], self.n_scores * n_nodes, steps.shape[-1])
        return xp.reshape(steps, shape)


@dataclass(frozen=True, eq=False)
class _MomentsOfRows:
    """Moments of ratios of some of the more numerous multisets with all others."""

    resamples: _AllResamples
    violations: Array
    distances: Array
    center: Array

    def __call__(self, start: int | Array, size: int, add_up: AddUp) -> Array:
        samples, xp = self.resamples, self.resamples.xp
        n_rows = samples.ranks_a.shape[-1]
        rows = xp.clip(xp.arange(size) + start, None, n_rows - 1)
        nodes = xp.matrix_transpose(xp.take(samples.ranks_a, rows, axis=1))
        scores = xp.arange(samples.n_scores, dtype=nodes.dtype)
        has_score = nodes[:, None, :] == scores[:, None]
        chosen = xp.astype(xp.reshape(has_score, (size, -1)), self.center.dtype)
        ratios = ratio_of_sums(
            xp,
            xp.matrix_product(chosen, self.violations),
            xp.matrix_product(chosen, self.distances),
        )
        products = moments(xp, ratios - self.center[..., None, None], samples.weights_b)
        # In a product of matrices, threads may change the order of sums.
        sums = xp.sum(products, axis=-1)
        return add_up(xp.take(samples.weights_a, rows, axis=0) * sums)
