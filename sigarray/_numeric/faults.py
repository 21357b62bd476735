"""Scores that are not finite, and what functions of callers return."""

import functools
import operator
from collections.abc import Sequence
from typing import Any

from sigarray._backend.aliases import Array
from sigarray._backend.checks import describe
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


def check_result(
    xp: Library, call: str, result: Any, expected: tuple[int, ...], *arguments: Array
) -> None:
    """Raise unless a user's callable returns a real number for each batch entry."""
    shape = getattr(result, "shape", None)
    if shape is None or tuple(shape) != tuple(expected):
        got = describe(result) if shape is None else f"shape {tuple(shape)}"
        shapes = " and ".join(str(tuple(x.shape)) for x in arguments)
        msg = (
            f"Expected {call} to give an array of shape {tuple(expected)} for samples "
            f"of shape {shapes}; got {got}."
        )
        raise ValueError(msg)
    if not xp.isdtype(result.dtype, ("bool", "integral", "real floating")):
        msg = (
            f"Expected {call} to give real numbers; got dtype {result.dtype}. Take "
            "its real part, or its absolute value."
        )
        raise TypeError(msg)
