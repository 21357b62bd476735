"""Scores that are not finite: they make results NaN, without an error."""

import functools
import operator
from collections.abc import Sequence

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library


def spread_faults(xp: Library, scores: Array) -> Array:
    """Make a sample NaN throughout if one of its scores is not finite."""
    # Where it can be seen that none is, nothing is copied, nor to be written to.
    if xp.is_host and xp.isfinite(xp.sum(scores)):
        return xp.read_only(scores)
    # The sum is 0 or NaN.
    return scores + xp.sum(scores - scores, axis=-1, keepdims=True)


def add_up_faults(arrays: Sequence[Array]) -> Array:
    """Return 0, or NaN where one of the arrays, which broadcast, is not finite."""
    return functools.reduce(operator.add, [x - x for x in arrays])
