"""Functions of arrays and options: computed the same way in every ambient mode."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._backend.workers import (
    admit_workers,
    current_execution,
    keep_freed_memory,
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
