"""Scores that are not finite: they make results NaN, and raise nothing."""

import math

from sigarray._backend.aliases import Array, Namespace


def spread_faults(xp: Namespace, scores: Array) -> Array:
    """Make a sample NaN throughout where one of its scores is not finite."""
    is_finite = xp.all(xp.isfinite(scores), axis=-1, keepdims=True)
    return xp.where(is_finite, scores, math.nan)
