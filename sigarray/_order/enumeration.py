"""Standard errors of violation ratios over all resamples of few scores."""

import math

from sigarray._backend.aliases import Array
from sigarray._backend.chunks import AddUp
from sigarray._backend.library import Library
from sigarray._numeric.quantile import Grid, merge_all_steps
from sigarray._numeric.subsets import enumerate_resamples
from sigarray._order.moments import moments, standard_deviation
from sigarray._order.pairs import Block, Stacks, map_block
from sigarray._order.ratio import in_dtype_of, ratio_of_sums


def exact_errors(
    xp: Library, stacks: Stacks, block: Block, ratios: Array, grid: Grid | None
) -> Array:
    """Standard deviation of the ratio over all multisets of A and of B.

    A step compares one of n scores of A with one of m of B, so that the integrals are
    sums over a table of n m squares: products of matrices, of which one has zeros and
    ones that say which score of the more numerous multisets a step has.
    """
    n, m = (stacks[place].shape[-1] for place in block)
    # Of A and of B; rows are multisets of the larger sample.
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
    has_rows_of_b = m > n
    if has_rows_of_b:
        ranks_a, weights_a, ranks_b, weights_b = ranks_b, weights_b, ranks_a, weights_a
    n_scores, (n_nodes, n_rows) = max(n, m), ranks_a.shape
    n_columns = ranks_b.shape[-1]
    scores = xp.arange(n_scores, dtype=ranks_a.dtype)

    def sum_steps(squares: Array) -> Array:
        # (..., scores, nodes, columns), and then (..., scores * nodes, columns).
        found = xp.take_last(squares, ranks_b)
        if widths is not None:
            found *= widths
        return xp.reshape(found, (*found.shape[:-3], n_scores * n_nodes, n_columns))

    def find_error(x: Array, y: Array, center: Array) -> Array:
        differences = y[..., None, :] - x[..., :, None]
        if has_rows_of_b:
            differences = xp.matrix_transpose(differences)
        above = xp.clip(differences, 0.0, None)
        violations = sum_steps(above * above)
        distances = sum_steps(differences * differences)

        def add_moments(start: int | Array, size: int, add_up: AddUp) -> Array:
            rows = xp.clip(xp.arange(size) + start, None, n_rows - 1)
            nodes = xp.matrix_transpose(xp.take(ranks_a, rows, axis=1))
            has_score = nodes[:, None, :] == scores[:, None]
            chosen = xp.astype(xp.reshape(has_score, (size, -1)), x.dtype)
            ratios = ratio_of_sums(
                xp,
                xp.matrix_product(chosen, violations),
                xp.matrix_product(chosen, distances),
            )
            products = moments(xp, ratios - center[..., None, None], weights_b)
            # Not a product of matrices, whose threads may add up in another order.
            sums = xp.sum(products, axis=-1)
            return add_up(xp.take(weights_a, rows, axis=0) * sums)

        # The sums, and which scores they are of.
        elements = math.prod(center.shape) * 4 * n_columns + n_scores * n_nodes
        return standard_deviation(xp, add_moments, n_rows, center, elements)

    elements = n_columns * (n_rows + 2 * n_scores * n_nodes)
    return map_block(xp, stacks, block, find_error, ratios, elements=elements)
