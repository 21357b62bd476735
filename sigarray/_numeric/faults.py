"""Scores that are not finite: they make results NaN, and raise nothing."""

from sigarray._backend.aliases import Array, Namespace


def spread_faults(xp: Namespace, scores: Array) -> Array:
    """Make a sample NaN throughout where one of its scores is not finite."""
    ends = [extreme(scores, axis=-1, keepdims=True) for extreme in (xp.min, xp.max)]
    # 0 or NaN.
    return scores + ((ends[0] - ends[0]) + (ends[1] - ends[1]))
