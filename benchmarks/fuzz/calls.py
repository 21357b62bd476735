"""One call: its arrays, options, backend and mode; how it is drawn, run and shown."""

import contextlib
import copy
import dataclasses
import re
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from benchmarks.fuzz.options import Function
from tests.backends import make_backend

Draw = Callable[[st.SearchStrategy[Any]], Any]

# Few, for JAX compiles anew for each; 13 scores are too many to enumerate.
SIZES = (1, 2, 3, 4, 13)
BATCHES = ((), (), (2,), (2, 1), (0,))
FLOATS = ("float64", "float32")
DTYPES = (*FLOATS, "float16", "bfloat16", "int32", "int64", "uint8", "bool")
# Expressions for snippets too, in which the names below are known.
MODES = {
    "numpy": ("np.errstate(all='raise')",),
    "torch": (
        "torch.autocast('cpu', torch.bfloat16)",
        "torch.autocast('cpu', torch.float16)",
        "torch.inference_mode()",
        "default_dtype(torch.float64)",
        "default_dtype(torch.bfloat16)",
        "matmul_precision('medium')",
    ),
    "jax.numpy": (
        "jax.default_matmul_precision('bfloat16')",
        "jax.numpy_dtype_promotion('strict')",
    ),
    "array_api_strict": (),
}


@contextlib.contextmanager
def default_dtype(dtype: Any) -> Iterator[None]:
    """Set torch's default dtype for a while."""
    import torch

    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextlib.contextmanager
def matmul_precision(precision: str) -> Iterator[None]:
    """Let torch lower the precision of matrix products for a while."""
    import torch

    before = torch.get_float32_matmul_precision()
    torch.set_float32_matmul_precision(precision)
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


@dataclasses.dataclass
class Outcome:
    """What a call gave: fields of its result, or what it raised; and what it warned."""

    fields: dict[str, np.ndarray]
    dtypes: dict[str, str]
    error: Exception | None
    warnings: list[warnings.WarningMessage]
    are_inputs_changed: bool


@dataclasses.dataclass(frozen=True)
class Call:
    """A function and what it is called with, on a backend and in a mode."""

    function: Function
    samples: list[Any]
    options: dict[str, Any]
    dtype: str = "float64"
    backend: str = "numpy"
    mode: str = ""

    def but(self, **changes: Any) -> "Call":
        """Return the same call with some changes, also of options."""
        names = {field.name for field in dataclasses.fields(self)}
        options = {name: changes.pop(name) for name in set(changes) - names}
        changes["options"] = changes.get("options", self.options) | options
        return dataclasses.replace(self, **changes)

    def run(self) -> Outcome:
        """Make the call, and fetch what it gives."""
        with contextlib.ExitStack() as stack:
            backend = make_backend(self.backend)
            if backend.is_jax:
                import jax

                stack.enter_context(jax.enable_x64("64" in self.dtype))
            inputs = [self._put(backend, sample) for sample in self.samples]
            before = [copy.copy(_fetch(backend, x)) for x in inputs]
            options = dict(self.options)
            if self.function.takes == "nothing":
                options["xp"] = backend.xp
            seen = stack.enter_context(warnings.catch_warnings(record=True))
            warnings.simplefilter("always")
            if self.mode:
                stack.enter_context(_enter(self.mode))
            leaves, error = {}, None
            try:
                leaves = dict(_leaves(self.function(*inputs, **options)))
            except Exception as raised:
                error = raised
            fields = {name: _fetch(backend, x) for name, x in leaves.items()}
            dtypes = {name: str(getattr(x, "dtype", "")) for name, x in leaves.items()}
            are_changed = not all(
                np.array_equal(_fetch(backend, x), y, equal_nan=y.dtype.kind == "f")
                for x, y in zip(inputs, before, strict=True)
                if isinstance(y, np.ndarray)
            )
        return Outcome(fields, dtypes, error, list(seen), are_changed)

    def _put(self, backend: Any, sample: Any) -> Any:
        if not isinstance(sample, np.ndarray) or sample.dtype.kind not in "fiub":
            return sample
        if self.dtype == "bfloat16":
            array = backend.asarray(sample, "float32")
            return backend.xp.astype(array, backend.xp.bfloat16)
        return backend.asarray(sample, self.dtype)

    def snippet(self) -> str:
        """Return the call as a program."""
        lines = ["import numpy as np, sigarray", "from numpy import inf, nan"]
        if self.backend != "numpy":
            lines.append(f"import {self.backend} as xp")
        if self.mode:
            lines.append("from benchmarks.fuzz.calls import *")
            lines += [f"import {library}" for library in _libraries(self.mode)]
        if any(map(callable, self.options.values())):
            lines.append("from benchmarks.fuzz.functions import *")
        if self.backend == "jax.numpy" and "64" in self.dtype:
            lines.append("import jax; jax.config.update('jax_enable_x64', True)")
        names = list("abcd"[: len(self.samples)])
        for name, sample in zip(names, self.samples, strict=True):
            lines.append(f"{name} = {self._show(sample)}")
        arguments = ", ".join(names)
        if self.function.takes == "list":
            arguments = f"[{arguments}]"
        shown = [
            f"{name}={getattr(value, '__name__', None) or repr(value)}"
            for name, value in self.options.items()
        ]
        if self.function.takes == "nothing" and self.backend != "numpy":
            shown.append("xp=xp")
        if self.function.labels:
            lines.append("from benchmarks.fuzz.options import label")
            of = [x for x in shown if x.startswith(("axis=", "paired="))]
            labels = f"label({', '.join((arguments, *of))})"
            shown.append(f"{self.function.labels}={labels}")
        call = ", ".join(filter(None, (arguments, *shown)))
        call = f"print(sigarray.{self.function.name}({call}))"
        if self.mode:
            call = f"with {self.mode}: {call}"
        return "\n".join([*lines, call])

    def _show(self, sample: Any) -> str:
        if not isinstance(sample, np.ndarray):
            return repr(sample)
        dtype = "float32" if self.dtype == "bfloat16" else self.dtype
        if sample.dtype.kind not in "fiub":
            dtype = str(sample.dtype)
        text = f"np.array({sample.tolist()}, {dtype!r})"
        if sample.size == 0:
            text += f".reshape{sample.shape}"
        if self.backend != "numpy":
            text = f"xp.asarray({text})"
        return text + (".to(xp.bfloat16)" if self.dtype == "bfloat16" else "")


def draw_backend(draw: Draw, backends: Sequence[str]) -> str:
    """Draw a backend; JAX seldom, for it takes a second to compile each call."""
    often = [name for name in backends if name != "jax.numpy"]
    return draw(st.sampled_from([*often * 4, *backends]))


def draw_samples(
    draw: Draw, function: Function, dtype: str, *, wild: bool
) -> list[Any]:
    """Draw what the function takes: few sizes, many ties, and if wild, anything."""
    batch = draw(st.sampled_from(BATCHES))
    n, is_ragged = draw(st.sampled_from(SIZES)), draw(st.booleans())
    samples = []
    for k in range(function.arity):
        size = draw(st.sampled_from(SIZES)) if is_ragged and k else n
        shape = (*batch, size)
        if function.takes == "responses":
            shape = (*batch, n, draw(st.sampled_from((1, 2, 3))))
        values = _p_values() if function.takes == "p_values" else _scores(dtype, wild)
        array = arrays_of.arrays(np.float64, shape, elements=values, fill=st.nothing())
        samples.append(draw(array))
    if wild and dtype in FLOATS and function.takes != "p_values":
        # One level and one unit for all, as of losses in the thousands.
        scale = draw(st.sampled_from((1.0, 1.0, 1e-30, 1e30)))
        level = draw(st.sampled_from((0.0, 0.0, 1e3, 1e7)))
        samples = [x * scale + level for x in samples]
    with np.errstate(all="ignore"):
        narrow = "float16" if dtype == "bfloat16" else dtype
        return [x.astype(narrow) for x in samples]


def _p_values() -> st.SearchStrategy[float]:
    return st.one_of(st.sampled_from((0.0, 0.01, 0.05, 1.0)), st.floats(0, 1, width=32))


def _scores(dtype: str, wild: bool) -> st.SearchStrategy[float]:
    """Return multiples of 1/16, which every dtype holds; and all that there is."""
    if dtype == "bool" or "int" in dtype:
        return st.integers(0, 1 if dtype == "bool" else 9).map(float)
    grid = (st.integers(-2, 2) | st.integers(-40, 40)).map(lambda k: k / 16.0)
    if not wild:
        return grid
    return st.one_of(
        grid, grid, st.floats(width=32 if dtype in FLOATS else 16, allow_nan=True)
    )


def draw_options(draw: Draw, function: Function) -> dict[str, Any]:
    """Draw options that are valid, each by itself; some are left out."""
    return {
        name: draw(option.valid)
        for name, option in function.options.items()
        if name in function.always or draw(st.booleans())
    }


def _enter(mode: str) -> contextlib.AbstractContextManager[Any]:
    names = {"np": np} | {
        helper.__name__: helper for helper in (default_dtype, matmul_precision)
    }
    for library in _libraries(mode):
        names[library] = __import__(library)
    return eval(mode, names)  # of the table above


def _libraries(mode: str) -> set[str]:
    return set(re.findall(r"\b(torch|jax)\b", mode))


def _leaves(result: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the arrays of a result by the names of their fields."""
    if hasattr(result, "_asdict"):
        parts = result._asdict()
    elif isinstance(result, tuple):
        parts = {str(place): part for place, part in enumerate(result)}
    else:
        yield path or "result", result
        return
    for name, part in parts.items():
        yield from _leaves(part, f"{path}.{name}" if path else name)


def _fetch(backend: Any, x: Any) -> Any:
    if not hasattr(x, "ndim"):
        return x if not isinstance(x, int | float) else np.asarray(x)
    if str(getattr(x, "dtype", "")).endswith("bfloat16"):
        x = backend.xp.astype(x, backend.xp.float32)
    return backend.to_numpy(x)
