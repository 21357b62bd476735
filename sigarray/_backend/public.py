"""What every public function has: checked options, and one operator for a compiler."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from sigarray._backend.checks import OPTIONS, Rule
from sigarray._backend.ranks import is_process_group
from sigarray._backend.tracing import is_traced_by_torch, is_watched_by_torch

P = ParamSpec("P")
R = TypeVar("R")


def checked(**rules: Rule) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Check the options of a public function, each by its rule.

    Options are all parameters but those that are positional only, which are arrays.
    What the function gives is the same for all of them: see `as_scalars`. It is
    `traceable`.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        parameters = inspect.signature(function).parameters
        # A name without a rule fails here, when the function is defined.
        table = {
            name: rules.get(name) or OPTIONS[name]
            for name, parameter in parameters.items()
            if parameter.kind is not inspect.Parameter.POSITIONAL_ONLY
        }
        places = [
            name
            for name, parameter in parameters.items()
            if parameter.kind is not inspect.Parameter.KEYWORD_ONLY
        ]

        @functools.wraps(function)
        def run(*args: P.args, **options: P.kwargs) -> R:
            values = [
                table[name](name, value) if name in table else value
                for name, value in zip(places, args, strict=False)
            ]
            if len(args) > len(values):
                values += args[len(values) :]  # for Python to refuse
            for name, value in options.items():
                if name in table:
                    options[name] = table[name](name, value)
            if options.get("rng") is None and is_process_group(options.get("workers")):
                msg = (
                    "Expected rng to be an int where the ranks of a process group "
                    "share the replicates; got None, which differs between them. Pass "
                    "rng=0, the same on every rank."
                )
                raise ValueError(msg)
            result = function(*values, **options)  # type: ignore[arg-type]
            return as_scalars(result)  # type: ignore[no-any-return]

        return traceable(run)

    return decorate


def traceable(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function of arrays and options one operator for a compiler of torch.

    It is found by its name in its module: see `compiling`.
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @functools.wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        if is_traced_by_torch():
            from sigarray._backend.compiling import call_as_operator

            return call_as_operator(name, function, args, options)  # type: ignore[no-any-return]
        if is_watched_by_torch():  # in a function that it gave up
            from sigarray._backend.compiling import call_beside_the_program

            return call_beside_the_program(function, args, options)  # type: ignore[no-any-return]
        return function(*args, **options)

    return call


def as_scalars(result: Any) -> Any:
    """Give arrays of NumPy without axes as its scalars, as its own functions do.

    A result may be an array or a tuple of such; those of other libraries stay.
    """
    if isinstance(result, np.ndarray) and result.ndim == 0:
        return result[()]
    if not isinstance(result, tuple):
        return result
    parts = map(as_scalars, result)
    return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
