"""Public functions, and functions of arrays, the same in every ambient mode."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, get_args, get_type_hints

import numpy as np

from sigarray._backend.callers import Array, is_traced_by_torch, is_watched_by_torch
from sigarray._backend.checks import OPTIONS, Rule
from sigarray._backend.library import Library
from sigarray._backend.ranks import is_process_group
from sigarray._backend.workers import (
    admit_workers,
    current_execution,
    executed_by,
    keep_freed_memory,
    nest_execution,
)

Result = TypeVar("Result")


def array_kernel(function: Callable[..., Result]) -> Callable[..., Result]:
    """Compute `function(xp, *arrays, **static)` the same way in every ambient mode.

    For JAX arrays it is compiled once: eager JAX is 4 to 27 times slower. Keyword
    arguments are static, and have to be hashable. With a function of the caller among
    them it is traced in every call, and compiled once for each trace. The current
    `Execution` says who computes its chunks, and how many at a time.
    """

    @functools.wraps(function)
    def call(xp: Library, *arrays: Array, **static: Any) -> Result:
        execution = current_execution()
        if xp.is_processor:
            keep_freed_memory()
        with xp.modes_off():
            if execution.workers is None or execution.is_admitted:
                return xp.call(function, arrays, static)  # type: ignore[no-any-return]
            code = list(map(_code_of, static.values()))
            call = f"{function.__module__}.{function.__qualname__} {static} {code}"
            arrays = admit_workers(xp, execution.workers, call, arrays)
            return xp.call(function, arrays, static)  # type: ignore[no-any-return]

    return call


def _code_of(option: Any) -> Any:
    """Return what a function of the caller consists of, as far as that can be told."""
    code = getattr(option, "__code__", None)
    if code is None:
        return None
    cells = [cell.cell_contents for cell in option.__closure__ or ()]
    known = [x for x in cells if isinstance(x, (bool, int, float, str))]
    return code.co_code, code.co_names, code.co_consts, known, option.__defaults__


P = ParamSpec("P")
R = TypeVar("R")

# The names of the options of `Execution` in public functions.
_EXECUTION = ("batch", "workers", "progress")


def checked(**rules: Rule) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Check the options of a public function, each by its rule.

    Options are all parameters except those that are positional only, which are arrays.
    The shared ones, `**_: Unpack[ExecutionOptions]`, are for the workers: see
    `workers.Execution`. Results are alike for all kinds of arrays: see `as_scalars`.
    The function is `traceable`.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature = _name_shared_options(inspect.signature(function))
        parameters = signature.parameters
        shared = [x for x in _EXECUTION if x in parameters]
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
                values += args[len(values) :]  # Python refuses them
            for name, value in options.items():
                if name not in parameters:
                    msg = (
                        f"{function.__name__}() got an unexpected keyword argument "
                        f"{name!r}"
                    )
                    if name == "seed" and "rng" in parameters:
                        msg += ". The seed is rng=."
                    if name == "clusters":
                        msg += ". Average the items of each cluster, and pass these."
                    raise TypeError(msg)
                if name in table:
                    options[name] = table[name](name, value)
            given: dict[str, Any] = {x: options.pop(x, None) for x in shared}
            if options.get("rng") is None and is_process_group(given.get("workers")):
                msg = (
                    "Expected rng to be an int where the ranks of a process group "
                    "share the replicates; got None, which differs between them. Pass "
                    "rng=0, the same on every rank."
                )
                raise ValueError(msg)
            with executed_by(nest_execution(**given)):
                result = function(*values, **options)  # type: ignore[arg-type]
            return as_scalars(result)  # type: ignore[no-any-return]

        run.__signature__ = signature  # type: ignore[attr-defined]
        return traceable(run)

    return decorate


def _name_shared_options(signature: inspect.Signature) -> inspect.Signature:
    parameters = list(signature.parameters.values())
    last = parameters[-1] if parameters else None
    if last is None or last.kind is not inspect.Parameter.VAR_KEYWORD:
        return signature
    (kind,) = get_args(last.annotation)
    named = {
        name: inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation
        )
        for name, annotation in get_type_hints(kind).items()
    }
    rest = [named[name] for name in _EXECUTION if name in named]
    return signature.replace(parameters=[*parameters[:-1], *rest])


def traceable(function: Callable[P, R]) -> Callable[P, R]:
    """Make a function of arrays and options one operator for torch's compiler.

    It is looked up by its name in its module: see `compiling`.
    """
    name = f"{function.__module__}.{function.__qualname__}"

    @functools.wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        if is_traced_by_torch():
            from sigarray._backend.compiling import call_as_operator

            return call_as_operator(name, function, args, options)  # type: ignore[no-any-return]
        if is_watched_by_torch():  # in a function that the compiler gave up
            from sigarray._backend.compiling import call_beside_the_program

            return call_beside_the_program(function, args, options)  # type: ignore[no-any-return]
        return function(*args, **options)

    return call


def as_scalars(result: Any) -> Any:
    """Return NumPy arrays without axes as scalars, as NumPy's functions do.

    A result may be an array or a tuple of arrays; those of other libraries stay.
    """
    if isinstance(result, np.ndarray) and result.ndim == 0:
        return result[()]
    if not isinstance(result, tuple):
        return result
    parts = map(as_scalars, result)
    return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
