"""The violation ratio of two sorted samples."""

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._numeric.quantile import MergedSteps

# The ranks and widths of samples of one size.
ALL_STEPS = (None, None, None)


def ratio_of_samples(
    xp: Library, steps: MergedSteps | None, x: Array, y: Array, axis: int = -1
) -> Array:
    """Return the ratio of samples that are sorted along an axis, and broadcast."""
    found = xp.find_ratios(x, y, ALL_STEPS if steps is None else steps, axis)
    if found is not None:
        return found
    if steps is None:
        return ratio_of_differences(xp, y - x, None, axis=axis)
    if steps.ranks_a is None or steps.ranks_b is None:
        difference = y - x
    else:
        difference = xp.take(y, steps.ranks_b, axis=axis)
        difference = difference - xp.take(x, steps.ranks_a, axis=axis)
    widths = in_dtype_of(xp, steps.widths, difference)
    return ratio_of_differences(xp, difference, widths, axis=axis)


def ratio_of_differences(
    xp: Library, difference: Array, widths: Array | None, *, axis: int
) -> Array:
    """Violation ratio from G^-1 - F^-1 on steps: del Barrio et al. (2018), equation 4.

    eps = int over {F^-1 < G^-1} of (F^-1 - G^-1)^2 dt / int (F^-1 - G^-1)^2 dt, exact
    for steps of these widths (None: equal); 0.5 if both functions are the same. The
    differences may be overwritten.
    """
    weighted = difference
    if widths is not None:
        weighted = difference * widths[(slice(None), *(None,) * (-1 - axis))]
    distance = xp.sum_of_products(difference, weighted, axis)
    above = xp.positive_part(difference)
    # Where it is above 0, it equals the difference.
    violation = xp.sum_of_products(above, above if widths is None else weighted, axis)
    return ratio_of_sums(xp, violation, distance)


def ratio_of_sums(xp: Library, violation: Array, distance: Array) -> Array:
    """Return violation / distance, or 0.5 where both are 0."""
    # XLA may add up both in different orders, and 1 - eps is the other direction.
    ratio = xp.clip(violation / distance, None, 1.0)
    if xp.is_host and xp.all(distance > 0.0):
        return ratio
    return xp.where(distance == 0.0, 0.5, ratio)


def in_dtype_of(xp: Library, table: Array, x: Array) -> Array:
    """Return the table in the dtype of the scores."""
    return xp.astype(table, x.dtype, copy=False)
