"""Results from estimates and tests of pairs: the upper bounds in both directions."""

import functools
import math

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel
from sigarray._order.equality import Equality
from sigarray._order.estimates import Estimates
from sigarray._order.families import Family
from sigarray._order.pairs import as_matrix, reorder
from sigarray.results import AsoResult, PairwiseAsoResult


def upper_bound(
    xp: Library, ratio: Array, margin: Array, superiority: Array, is_told: Array
) -> Array:
    """eps_min, the upper confidence bound: del Barrio et al. (2018), equation 6.

    Equal models have a ratio of 1/2. So the bound is at least 1/2 unless equality is
    rejected.
    """
    bound = xp.clip(ratio + margin, 0.0, 1.0)
    is_ahead = is_told & (superiority > 0.5)
    return xp.where(is_ahead, bound, xp.clip(bound, 0.5, None))


@array_kernel
def result_of_pair(
    xp: Library, estimates: Estimates, equality: Equality, *, is_reverse: bool = False
) -> AsoResult:
    """Return the result of the only pair, or that of B over A."""
    ratio, error, margin, reverse_margin, superiority, p_value, is_told = (
        x[..., 0] for x in (*estimates, *equality)
    )
    if is_reverse:
        ratio, superiority = 1.0 - ratio, 1.0 - superiority
        margin = reverse_margin
    eps_min = upper_bound(xp, ratio, margin, superiority, is_told)
    return AsoResult(eps_min, ratio, error, superiority, p_value)


@array_kernel
def pairwise_result(
    xp: Library,
    estimates: Estimates,
    equality: Equality,
    *,
    sizes: tuple[int, ...],
    order: tuple[int, ...],
    family: Family,
) -> PairwiseAsoResult:
    """Spread the pairs over matrices of all models, in the caller's order."""
    spread = functools.partial(as_matrix, xp, sizes=sizes, order=order)

    def same(x: Array) -> Array:
        return x

    models = xp.arange(len(order))
    is_diagonal = models[:, None] == models[None, :]
    ratios = spread(estimates.ratio, reverse=lambda eps: 1.0 - eps, diagonal=0.5)
    errors = spread(estimates.error, reverse=same, diagonal=0.0)
    # Each is half of their sum plus or minus half of their difference.
    forward, backward = estimates.margin, estimates.reverse_margin
    margins = spread(0.5 * (forward + backward), reverse=same, diagonal=0.0) + spread(
        0.5 * (forward - backward), reverse=lambda x: -x, diagonal=0.0
    )
    superiority, p_values, is_told = equality
    if family.kind == "pairs":
        superiority = spread(superiority, reverse=lambda x: 1.0 - x, diagonal=0.5)
        p_values = spread(p_values, reverse=same, diagonal=1.0)
        is_told = spread(is_told, reverse=same, diagonal=False)
        if family.baseline is not None:
            is_base = models == order.index(family.baseline)
            is_asked = is_base[:, None] | is_base[None, :] | is_diagonal
            p_values = xp.where(is_asked, p_values, math.nan)
            is_told = is_told & is_asked
    else:
        superiority, p_values, is_told = (
            reorder(xp, x, order) for x in (superiority, p_values, is_told)
        )
    bounds = upper_bound(xp, ratios, margins, superiority, is_told)
    eps_min = xp.where(is_diagonal, 1.0, bounds)
    return PairwiseAsoResult(eps_min, ratios, errors, superiority, p_values)
