"""Public functions as one operator of torch, for `torch.compile`.

A traced call would be unrolled: torch has no loop over chunks of replicates, and each
chunk has 20 rounds of the random words. So a program has one node for a whole call,
which runs as without a compiler: with the same bits, and compiled in no time. This is a
separate module because it imports torch, when the first call is traced.
"""

import ast
import enum
import functools
import importlib
import itertools
import math
import secrets
import sys
import types
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.utils import _pytree as pytree

from sigarray._backend.callers import Array, list_entries
from sigarray._backend.given import check_plain
from sigarray._backend.of_torch import without_fresh_seeds

# Arguments without a literal: functions of the caller, metrics, devices. Their names
# differ by process, so that no program on disk uses those of another one.
_HELD: dict[str, Any] = {}
_NUMBERS = itertools.count()
_PROCESS = secrets.token_hex(8)
# How the results of a call are nested.
_STRUCTURES: dict[str, pytree.TreeSpec] = {}
# The number of arguments of options that may be callables.
_PARAMETERS = {"statistic": 2, "test": 3, "metric": 2}
# The key of labels of NumPy, of which the compiler makes tensors, by the name of these.
_OF_NUMPY = "{} of NumPy"
_LITERALS = (bool, int, float, complex, str, type(None))
# Of so many items labels that are valid for any call: shapes do not depend on them.
_STAND_INS: dict[str, Callable[[int], np.ndarray]] = {
    "clusters": lambda n: np.arange(n) * 4 // n,
    "strata": lambda n: np.arange(n) * 2 // n,
}
_parse = functools.lru_cache(ast.literal_eval)


def call_as_operator(
    name: str, function: Callable[..., Any], args: Any, options: dict[str, Any]
) -> Any:
    """Put a call of a public function, by its name, into the program being traced.

    Calls that the compiler would rewrite, or knows only in part, stay outside: those
    with NumPy arrays or none, tensors of other kinds, callables or process groups.
    """
    arrays = _list_arrays(args)
    if not arrays or not all(map(_is_tensor, arrays)):
        return call_beside_the_program(function, args, options)
    for key in _STAND_INS:
        if key in options:
            options[key] = _mark_labels(options[key], _OF_NUMPY.format(key))
    # The compiler takes tensors and literals, so that the rest is listed here.
    for key, value in options.items():
        if isinstance(value, enum.Enum) and isinstance(value, str):
            options[key] = value.value
        if key in ("workers", "progress") and not isinstance(value, _LITERALS):
            return call_beside_the_program(function, args, options)
        is_known = isinstance(value, (list, tuple, dict, *_LITERALS))
        if is_known or hasattr(value, "dtype"):
            continue
        if callable(value) and not _is_known_by_code(value, _PARAMETERS.get(key, 0)):
            return call_beside_the_program(function, args, options)
        options[key] = _hold_measurement(value) if _has_parts(value) else _hold(value)
    return _insert(name, tuple(map(_plain, args)), options)


def _list_arrays(nested: Any) -> list[Any]:
    """List tensors, and all else that is no literal: arrays and keys of other kinds."""
    if isinstance(nested, Mapping):
        nested = [*nested.keys(), *nested.values()]
    if isinstance(nested, (list, tuple)):
        return [x for item in nested for x in _list_arrays(item)]
    return [] if isinstance(nested, _LITERALS) else [nested]


def _is_tensor(x: Any) -> bool:
    return isinstance(x, torch.Tensor) and not hasattr(x, "full_tensor")


def _plain(nested: Any) -> Any:
    """Return lists and dicts in place of containers of other kinds."""
    if isinstance(nested, Mapping):
        return {key: _plain(x) for key, x in nested.items()}
    if isinstance(nested, (list, tuple)):
        return [_plain(x) for x in nested]
    return nested


def _mark_labels(labels: Any, key: str) -> Any:
    """Return labels with those of NumPy marked, which stay labels on the host."""
    if isinstance(labels, np.ndarray):
        return {key: labels}
    if isinstance(labels, Mapping):
        return {name: _mark_labels(x, key) for name, x in labels.items()}
    if isinstance(labels, (list, tuple)):
        return [_mark_labels(x, key) for x in labels]
    return labels


def _is_known_by_code(function: Any, n_parameters: int) -> bool:
    """Tell whether a callable is determined by its code, as the compiler assumes.

    A held callable stays for calls of another function with the same code, which may
    close over another value, or have other defaults or globals.
    """
    if hasattr(function, "has_parts"):
        return True
    is_metric = hasattr(function, "measure")
    if is_metric:
        function = function.measure
    if not isinstance(function, types.FunctionType):
        return False
    if not _has_globals_of_module(function):
        return False
    code = function.__code__
    n_given = code.co_argcount + code.co_kwonlyargcount
    # Metrics take as many sums as there are.
    suits = _has_no_defaults(function) if is_metric else n_given <= n_parameters
    return len(code.co_freevars) == 0 and suits


@torch._dynamo.assume_constant_result  # type: ignore[untyped-decorator]
def _has_globals_of_module(function: types.FunctionType) -> bool:
    module = sys.modules.get(function.__module__)
    return module is not None and function.__globals__ is module.__dict__


@torch._dynamo.assume_constant_result  # type: ignore[untyped-decorator]
def _has_no_defaults(function: types.FunctionType) -> bool:
    return function.__defaults__ is None and function.__kwdefaults__ is None


@torch.compiler.disable  # type: ignore[untyped-decorator]
def call_beside_the_program(
    function: Callable[..., Any], args: Any, options: dict[str, Any]
) -> Any:
    """Make a call that is more than tensors and code; `fullgraph=True` refuses it."""
    return function(*args, **options)


def _has_parts(value: Any) -> bool:
    """Tell whether a value is a metric, a frozen data class that its parts determine.

    A part may be a function of the caller, the measure.
    """
    return hasattr(value, "measure") or hasattr(value, "has_parts")


def _hold_measurement(metric: Any) -> str:
    """Keep a metric by its parts: until torch 2.13 its objects are no constants."""
    kind = type(metric)
    names = list(kind.__dataclass_fields__)
    held: str = _hold_made(kind, {name: getattr(metric, name) for name in names})
    return held


@torch._dynamo.assume_constant_result  # type: ignore[untyped-decorator]
def _hold_made(kind: type, parts: dict[str, Any]) -> str:
    name: str = _hold(kind(**parts))
    return name


@torch._dynamo.assume_constant_result  # type: ignore[untyped-decorator]
def _hold(value: Any) -> str:
    for name, held in _HELD.items():
        # Metrics with the same parts are the same.
        are_metrics = _has_parts(value) and type(held) is type(value)
        if held is value or (are_metrics and held == value):
            return name
    name = f"held {_PROCESS} {next(_NUMBERS)}"
    _HELD[name] = value
    return name


@torch.compiler.allow_in_graph  # type: ignore[untyped-decorator]
def _insert(name: str, args: Any, options: dict[str, Any]) -> Any:
    arrays: list[Array] = []
    call = f"{name} {_write((args, options), arrays)!r}"
    # In a traced inference mode, torch fails at `detach` (2.13).
    may_have_grad = not torch.is_inference_mode_enabled()
    results = _call([x.detach() for x in arrays] if may_have_grad else arrays, call)
    return pytree.tree_unflatten(results, _STRUCTURES[call])


def _write(value: Any, arrays: list[Array]) -> Any:
    """Return a literal of arguments, with bytes for tensors and held values."""
    if isinstance(value, torch.Tensor):
        arrays.append(value)
        return f"tensor {len(arrays) - 1}".encode()
    if isinstance(value, (list, tuple)):
        return type(value)(_write(x, arrays) for x in value)
    if isinstance(value, dict):
        return {_write(key, arrays): _write(x, arrays) for key, x in value.items()}
    if isinstance(value, (torch.SymInt, torch.SymFloat)):
        value = int(value) if isinstance(value, torch.SymInt) else float(value)
    is_name = isinstance(value, str) and value in _HELD
    has_no_literal = isinstance(value, float) and not math.isfinite(value)
    if is_name or has_no_literal or type(value) not in _LITERALS:
        return (value if is_name else _hold(value)).encode()
    return value


def _read(value: Any, arrays: list[Array]) -> Any:
    if isinstance(value, bytes):
        kind, _, rest = value.decode().partition(" ")
        return arrays[int(rest)] if kind == "tensor" else _HELD[value.decode()]
    if isinstance(value, (list, tuple)):
        return type(value)(_read(x, arrays) for x in value)
    if isinstance(value, dict):
        for name, stand_in in _STAND_INS.items():
            if (key := _OF_NUMPY.format(name)) in value:
                labels = _read(value[key], arrays)
                if isinstance(labels, np.ndarray):  # texts, no tensor
                    return labels
                return stand_in(len(labels)) if labels.is_meta else labels.numpy()
        return {_read(key, arrays): _read(x, arrays) for key, x in value.items()}
    return value


def _run(arrays: list[Array], call: str) -> list[Array]:
    name, _, literal = call.partition(" ")
    module, _, function = name.rpartition(".")
    public = getattr(importlib.import_module(module), function)
    args, options = _read(_parse(literal), arrays)
    if arrays[0].is_meta and _OF_NUMPY.format("clusters") in literal:
        options.pop("n_clusters", None)  # of labels that stand in there may be more
    # The wrapped function, because the public one might find that it is traced.
    results = public.__wrapped__(*args, **options)
    leaves, _STRUCTURES[call] = pytree.tree_flatten(results)
    return list(leaves)


@torch.library.custom_op(  # type: ignore[untyped-decorator]
    "sigarray::call", mutates_args=(), schema="(Tensor[] arrays, str call) -> Tensor[]"
)
def _call(arrays: list[torch.Tensor], call: str) -> list[torch.Tensor]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they were raised while it was traced
        results = _run(arrays, call)
    # An operator may not return its arguments, and has a promised memory format.
    return [x.clone(memory_format=torch.contiguous_format) for x in results]


@_call.register_fake  # type: ignore[untyped-decorator]
def _shapes_of_call(arrays: list[torch.Tensor], call: str) -> list[torch.Tensor]:
    """Run on the meta device, where all replicates are one chunk."""
    for x in arrays:
        check_plain(x)
    devices = {x.device for x in arrays}
    if len(devices) > 1:
        names = " and ".join(sorted(map(str, devices)))
        msg = (
            f"Expected tensors on one device; got {names}. Move one with x.to(device)."
        )
        raise TypeError(msg)
    is_known = call in _STRUCTURES
    # With real tensors on "meta", because fake ones take ten times as long.
    with unset_fake_temporarily(), without_fresh_seeds(), warnings.catch_warnings():
        if is_known:
            warnings.simplefilter("ignore")  # each is raised once
        shapes = [
            torch.empty([int(n) for n in x.shape], dtype=x.dtype, device="meta")
            for x in arrays
        ]
        results = _run(shapes, call)
    device = arrays[0].device
    return [torch.empty(x.shape, dtype=x.dtype, device=device) for x in results]


def _map_entries(
    info: Any, in_dims: Any, arrays: list[torch.Tensor], call: str
) -> tuple[list[torch.Tensor], list[int]]:
    """Call the operator for one entry of a `torch.func.vmap` after another."""
    entries = list_entries(info, in_dims[0], arrays)
    is_empty = not entries
    if is_empty:  # to know the shapes of its results
        parts = zip(in_dims[0], arrays, strict=True)
        shapes = [
            x.shape if dim is None else x.movedim(dim, 0).shape[1:] for dim, x in parts
        ]
        entries = [tuple(x.new_zeros(s) for x, s in zip(arrays, shapes, strict=True))]
    results = [_call(list(entry), call) for entry in entries]
    stacks = [torch.stack(x) for x in zip(*results, strict=True)]
    return [x[:0] if is_empty else x for x in stacks], [0] * len(stacks)


_call.register_vmap(_map_entries)
