"""Arrays of items, before they are counted."""

import numpy as np

from sigarray._backend.aliases import Array
from sigarray._backend.dispatch import standardize
from sigarray._backend.library import Library
from sigarray._numeric.statistic import coarse_mean


def standardize_pairs(
    first: Array, second: Array, names: str, what: str
) -> tuple[Library, Array, Array]:
    """Return two numbers of each item, (..., n), of one namespace and shape.

    Raises
    ------
    TypeError, ValueError
        As `standardize`; or unlike numbers of items.
    """
    xp, (x, y) = standardize(first, second, paired=True, what=what)
    if x.shape[-1] != y.shape[-1]:
        msg = (
            f"Expected {names} of the same items, on the last axis; got shapes "
            f"{tuple(x.shape)} and {tuple(y.shape)}."
        )
        raise ValueError(msg)
    shape = np.broadcast_shapes(x.shape, y.shape)
    with xp.modes_off():
        return xp, xp.broadcast_to(x, shape), xp.broadcast_to(y, shape)


def centre(xp: Library, x: Array) -> Array:
    """Subtract about the mean of x (..., n), so that sums of squares lose no digits.

    The level is coarse, so that numbers which are the same become 0.
    """
    return x - coarse_mean(xp, x)
