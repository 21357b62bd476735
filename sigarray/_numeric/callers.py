"""What functions of callers return."""

from typing import Any

from sigarray._backend.aliases import Array
from sigarray._backend.checks import describe
from sigarray._backend.library import Library


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
