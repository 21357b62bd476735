"""Items with several responses each: shapes, missing responses, averages."""

import math
from typing import Literal

from sigarray._backend.aliases import Array
from sigarray._backend.dispatch import standardize
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library

Aggregate = Literal["mean", "median"]


def standardize_responses(*arrays: Array) -> tuple[Library, list[Array]]:
    """Return responses of one namespace and dtype, of shape (..., n_items, k).

    NaN is a missing response. A batch entry with an item without responses, or with an
    infinite response, becomes NaN throughout.

    Raises
    ------
    TypeError
        Responses that are not real numbers, or of two libraries or devices.
    ValueError
        Numbers of items that differ, no items or no responses.
    """
    xp, samples = standardize(*arrays, n_axes=2, paired=True, what="responses")
    samples = [x[..., None] if x.ndim == 1 else x for x in samples]
    numbers = [x.shape[-2] for x in samples]
    if len(set(numbers)) > 1 or numbers[0] == 0:
        shapes = " and ".join(str(tuple(x.shape)) for x in samples)
        msg = (
            f"Expected responses of shape (..., n_items, k) to the same items, one or "
            f"more; got {shapes}. Responses to an item are on the last axis; for one "
            f"response to each item of a batch, add that axis: x[..., None]."
        )
        raise ValueError(msg)
    return xp, list(_spread_faults(xp, *samples))


def average(xp: Library, x: Array, how: Aggregate) -> Array:
    """Return the mean or median of the present responses on the last axis."""
    is_there = xp.equal(x, x)  # NaN is not equal to itself
    count = add_up(xp, xp.astype(is_there, x.dtype))
    if how == "mean":
        total = add_up(xp, xp.where(is_there, x, 0.0))
        return total / count  # NaN if there are none
    ordered = xp.sort(xp.where(is_there, x, math.inf), axis=-1, stable=False)
    places = xp.arange(x.shape[-1], dtype=x.dtype)
    # The middle place, or the two next to the middle.
    is_middle = xp.abs(places - 0.5 * (count[..., None] - 1.0)) < 0.75
    total = add_up(xp, xp.where(is_middle & (ordered < math.inf), ordered, 0.0))
    n_middle = add_up(xp, xp.astype(is_middle, x.dtype))
    return total / xp.where(count > 0.0, n_middle, math.nan)


def add_up(xp: Library, x: Array) -> Array:
    """Sum the last axis, which is short: on a processor a product is faster."""
    if xp.is_accelerator:
        return xp.sum(x, axis=-1)
    ones = xp.ones((x.shape[-1], 1), dtype=x.dtype)
    return xp.matrix_product(x, ones)[..., 0]


def gather_present(xp: Library, x: Array) -> Array:
    """Put the present responses first, in their order."""
    size = x.shape[-1]
    places = xp.arange(size)
    keys = xp.where(xp.isnan(x), places + size, places)
    order = xp.argsort(keys, axis=-1, stable=False)
    return xp.take_along_axis(x, order, axis=-1)


@array_kernel
def _spread_faults(xp: Library, *samples: Array) -> tuple[Array, ...]:
    spread = []
    for x in samples:
        has_response = xp.any(xp.isfinite(x), axis=-1)
        is_sound = xp.all(has_response, axis=-1) & ~xp.any(xp.isinf(x), axis=(-2, -1))
        spread.append(xp.where(is_sound[..., None, None], x, math.nan))
    return tuple(spread)
