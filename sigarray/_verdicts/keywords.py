"""Options of `compare_models` that it does not have, and where they are."""

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from sigarray import read
from sigarray._plain_text import suggest

P = ParamSpec("P")
R = TypeVar("R")

_OF_READING = frozenset(inspect.signature(read.scores).parameters)


def says_where_options_are(function: Callable[P, R]) -> Callable[P, R]:
    """Say of an unknown keyword argument which function has it, or which was meant."""
    known = [*inspect.signature(function).parameters]

    @functools.wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        for name in options:
            if name not in known:
                raise TypeError(_say_unknown(function.__name__, name, known))
        return function(*args, **options)

    return call


def _say_unknown(function: str, name: str, known: list[str]) -> str:
    said = f"{function}() got an unexpected keyword argument {name!r}."
    if name == "seed":
        return f"{said} The seed is rng=."
    if name in _OF_READING:
        return (
            f"{said} It is an argument of sigarray.read.scores: read the scores with "
            "it, and pass what it returns."
        )
    return f"{said}{suggest(name, known)}"
