"""What every call has to keep, each a check that draws calls and raises a Fault."""

import functools
import math
import unittest.mock
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from benchmarks.fuzz import calls
from benchmarks.fuzz.calls import (
    Call,
    Draw,
    Outcome,
    draw_backend,
    draw_options,
    draw_samples,
)
from benchmarks.fuzz.functions import ASO
from benchmarks.fuzz.options import Function
from benchmarks.fuzz.peers import ASK_SCIPY
from sigarray._backend import of_numpy

IN_UNIT_INTERVAL = (
    *("pvalue", "eps_min", "violation_ratio", "probability_of_improvement"),
    *("power", "estimated_pvalue", "true_pvalue"),
)
# Whose result is no NamedTuple, and a p-value, a ratio or a power.
UNIT_RESULTS = (
    *("violation_ratio", "aso_replicates", "bootstrap_power_analysis"),
    *("bonferroni", "holm", "benjamini_hochberg", "benjamini_yekutieli"),
    "responses.power",
)
RESAMPLING = ("bootstrap_test", "permutation_test", "responses.response_test")
WRONG_SAMPLES = (
    *(None, "scores", 3.0, b"12", {1.0: 2.0}, [[1.0], [1.0, 2.0]], [], ["x", "y"]),
    *(np.array([1j, 2j]), np.array(["x"]), np.array([None, 1.0]), np.zeros((3, 0))),
)
# To which the warnings of the library point.
_CALLER = Function.__call__.__code__.co_filename
TOLERANCE = {"float64": 1e-6, "float32": 1e-5}
SAME = {"float64": 1e-12, "float32": 1e-6}


# A function, the kind of fault, and what it is about: an option, a field, a mode.
Key = tuple[str, str, str]


class Fault(Exception):  # noqa: N818
    """A promise that a call breaks."""

    def __init__(
        self, kind: str, call: Call, about: str = "", detail: Any = ""
    ) -> None:
        super().__init__(kind)
        self.kind, self.call, self.about = kind, call, about
        self.detail = " ".join(str(detail).split())[:300]

    @property
    def key(self) -> Key:
        """What is one finding."""
        return self.call.function.name, self.kind, self.about


@functools.cache
def _fault_type(key: Key) -> type[Fault]:
    """Return every finding a type, by which hypothesis tells them apart."""
    return type("Fault", (Fault,), {"key_": key})


def fault(kind: str, call: Call, about: str = "", detail: Any = "") -> Fault:
    """Make a fault of the type of its finding."""
    return _fault_type((call.function.name, kind, about))(kind, call, about, detail)


def check_answer(draw: Draw, function: Function, backends: Sequence[str]) -> None:
    """Anything at all: an answer within its bounds, or an error of ours."""
    backend = draw_backend(draw, backends)
    missing = {"numpy": ("bfloat16",), "array_api_strict": ("float16", "bfloat16")}
    lacks = missing.get(backend, ())
    dtype = draw(st.sampled_from([name for name in calls.DTYPES if name not in lacks]))
    samples = draw_samples(draw, function, dtype, wild=True)
    options = draw_options(draw, function)
    if "axis" not in options and function.takes in ("scores", "p_values", "list"):
        options |= draw(st.sampled_from(({}, {}, {"axis": 0}, {"axis": -2})))
    mode = draw(st.sampled_from(("", "", *calls.MODES[backend])))
    call = Call(function, samples, options, dtype, backend, mode)
    outcome = call.run()
    _check_manners(call, outcome)
    if outcome.error is None:
        _check_bounds(call, outcome)


def check_options(draw: Draw, function: Function, _: Sequence[str]) -> None:
    """A wrong kind of option is refused by TypeError, a wrong value by ValueError."""
    wrong = [
        (name, value, error)
        for name, option in function.options.items()
        for error, values in (
            (TypeError, option.wrong_kinds),
            (ValueError, option.wrong_values),
        )
        for value in values
    ]
    if function.arity and function.takes != "responses":
        wrong += [("axis", value, TypeError) for value in (0.0, "0", None, True)]
        wrong += [("axis", value, ValueError) for value in (7, -8)]
    if not wrong:
        return
    name, value, error = draw(st.sampled_from(wrong))
    options = {
        name: draw(option.valid)
        for name, option in function.options.items()
        if name in function.always
    }
    shape = (3, 2) if function.takes == "responses" else (3,)
    size = math.prod(shape)
    samples = [
        (np.arange(size) * (k + 1.0) % 5.0 / 5.0).reshape(shape)
        for k in range(function.arity)
    ]
    if "n_resamples" in options:
        # So few that nothing is enumerated, and a seed is needed.
        options["n_resamples"] = 2
    if function.options.get("method") is ASO["method"]:
        options["method"] = "bootstrap"
    call = Call(function, samples, options | {name: value})
    outcome = call.run()
    about = f"{name}={getattr(value, '__name__', None) or repr(value)}"
    if outcome.error is None:
        raise fault("takes a wrong option", call, name, f"accepts {about}")
    if not str(outcome.error).startswith("Expected "):
        raise fault("refuses a wrong option unkindly", call, name, outcome.error)
    if not isinstance(outcome.error, error):
        detail = f"{about}: {type(outcome.error).__name__}, not {error.__name__}"
        raise fault("raises the other of TypeError and ValueError", call, name, detail)


def check_samples(draw: Draw, function: Function, _: Sequence[str]) -> None:
    """What are no scores is refused."""
    if not function.arity:
        return
    samples = draw_samples(draw, function, "float64", wild=False)
    place = draw(st.integers(0, function.arity - 1))
    samples[place] = draw(st.sampled_from(WRONG_SAMPLES))
    call = Call(function, samples, draw_options(draw, function))
    takes_one = ("bootstrap_ci", "t_ci", "variance_components")
    if function.name in takes_one and samples[-1] is None:
        return
    outcome = call.run()
    if outcome.error is None:
        raise fault("takes wrong samples", call, "", f"accepts {samples[place]!r}")
    _check_manners(call, outcome)


def check_backends(draw: Draw, function: Function, backends: Sequence[str]) -> None:
    """The same numbers, and the same refusals, on NumPy and another backend."""
    others = [name for name in backends if name != "numpy"]
    if not others:
        return
    call = _draw_sound(draw, function).but(backend=draw_backend(draw, others))
    differences = []
    # A float32 logarithm may end in another bit, and move one draw: but not twice.
    seeds = (1, 2) if "rng" in function.options else (None,)
    for seed in seeds:
        one = call.but(rng=seed) if seed else call
        here, there = one.but(backend="numpy").run(), one.run()
        _check_manners(one, there)
        if type(here.error) is not type(there.error):
            raise fault("backends differ in errors", one, call.backend, there.error)
        differences.append(_difference(here, there, TOLERANCE[call.dtype]))
    if all(differences):
        raise fault("backends differ", call, call.backend, differences[-1])


def check_engine(draw: Draw, function: Function, _: Sequence[str]) -> None:
    """The compiled kernels give the bits of array code, or the same refusal."""
    dtype = draw(st.sampled_from(calls.FLOATS))
    samples = draw_samples(draw, function, dtype, wild=draw(st.booleans()))
    call = Call(function, samples, draw_options(draw, function), dtype)
    found = call.run()
    with unittest.mock.patch.object(of_numpy, "find_kernels", return_value=None):
        expected = call.run()
    if type(found.error) is not type(expected.error):
        raise fault("the engine makes errors", call, "", found.error)
    for name, x in expected.fields.items():
        if not np.array_equal(x, found.fields[name], equal_nan=x.dtype.kind == "f"):
            raise fault("the engine has other bits", call, name, found.fields[name])


def check_modes(draw: Draw, function: Function, backends: Sequence[str]) -> None:
    """No mode of the library around the call moves a number."""
    backend = draw_backend(draw, [name for name in backends if calls.MODES[name]])
    mode = draw(st.sampled_from(calls.MODES[backend]))
    call = _draw_sound(draw, function).but(backend=backend)
    if function.takes == "nothing":
        # Its dtype is the default.
        call = call.but(dtype="float32" if backend == "torch" else "float64")
    plain, moved = call.run(), call.but(mode=mode).run()
    _check_manners(call.but(mode=mode), moved)
    if type(plain.error) is not type(moved.error):
        raise fault("a mode makes errors", call.but(mode=mode), mode, moved.error)
    if function.takes == "nothing" and "default_dtype" in mode:
        return
    found = _difference(plain, moved, SAME[call.dtype])
    if not found and plain.dtypes != moved.dtypes:
        found = f"{plain.dtypes} became {moved.dtypes}"
    if found:
        raise fault("a mode moves a number", call.but(mode=mode), mode, found)


def check_symmetry(draw: Draw, function: Function, backends: Sequence[str]) -> None:
    """Shifts, powers of two, swaps and the order of a batch do what they must."""
    backend = draw_backend(draw, backends)
    call = _draw_sound(draw, function).but(backend=backend)
    if function.takes not in {"scores", "list"}:
        return
    if callable(call.options.get("statistic")):
        call = call.but(statistic="mean")
    before, tolerance = call.run(), SAME[call.dtype]
    if before.error:
        return
    constant = draw(st.sampled_from((1.0, -64.0, 2.0**15)))
    shifted = call.but(samples=[x + x.dtype.type(constant) for x in call.samples])
    _compare(shifted, before, function.fixed_by_shift, "shift", tolerance)
    factor = draw(st.sampled_from((2.0**-20, 0.5, 2.0**20)))
    scaled = call.but(samples=[x * x.dtype.type(factor) for x in call.samples])
    _compare(scaled, before, function.fixed_by_scale, "scale", tolerance)
    if function.mirrored:
        _check_swap(call, before, tolerance)
    if call.samples[0].ndim > 1 and function.takes == "scores":
        turned = call.but(samples=[x[::-1] for x in call.samples])
        after = turned.run()
        expected = {name: x[::-1] for name, x in before.fields.items()}
        _match(turned, after, expected, "the order of a batch", tolerance)


def check_columns(draw: Draw, function: Function, backends: Sequence[str]) -> None:
    """One more model changes nothing for the others."""
    if function.name != "multi_aso":
        return
    backend = draw_backend(draw, backends)
    call = _draw_sound(draw, function).but(
        backend=backend, method="bootstrap", correction=None
    )
    more = call.but(samples=[*call.samples, draw(st.sampled_from(call.samples)) + 1])
    here, there = call.run(), more.run()
    if here.error is None:
        fields = {name: x[..., :3, :3] for name, x in there.fields.items()}
        _match(
            more,
            Outcome(fields, {}, None, [], False),
            here.fields,
            "one more model",
            SAME[call.dtype],
        )


def check_scipy(draw: Draw, function: Function, _: Sequence[str]) -> None:
    """SciPy's numbers, where it has the function and gives one."""
    if function.name not in ASK_SCIPY:
        return
    call = _draw_sound(draw, function, ["float64"])
    if call.options.get("method") == "saddlepoint":
        return  # an approximation for many scores
    outcome = call.run()
    if outcome.error is not None or any(x.size == 0 for x in call.samples):
        return
    with warnings.catch_warnings(action="ignore"):
        answers = ASK_SCIPY[function.name](call)
    for name, answer in answers.items():
        ours, theirs = outcome.fields[name], np.asarray(answer)
        is_number = np.isfinite(theirs)
        if not np.allclose(ours[is_number], theirs[is_number], rtol=1e-9, atol=1e-9):
            raise fault("SciPy differs", call, name, f"{ours} here, {theirs} there")


Check = Callable[[Draw, Function, Sequence[str]], None]
CHECKS: tuple[Check, ...] = (
    check_answer,
    check_options,
    check_samples,
    check_backends,
    check_engine,
    check_modes,
    check_symmetry,
    check_columns,
    check_scipy,
)


def _draw_sound(
    draw: Draw, function: Function, dtypes: Sequence[str] = calls.FLOATS
) -> Call:
    dtype = draw(st.sampled_from(dtypes))
    samples = draw_samples(draw, function, dtype, wild=False)
    return Call(function, samples, draw_options(draw, function), dtype)


def _check_manners(call: Call, outcome: Outcome) -> None:
    error = outcome.error
    if error is not None:
        name = type(error).__name__
        if type(error) not in (TypeError, ValueError):
            raise fault(f"raises {name}", call, "", error) from error
        if not str(error).startswith("Expected "):
            raise fault(f"raises a bare {name}", call, "", error) from error
    for warning in outcome.warnings:
        if warning.category is not UserWarning or warning.filename != _CALLER:
            detail = f"{warning.category.__name__}: {warning.message}"
            raise fault("gives a warning that is not ours", call, "", detail)
    if outcome.are_inputs_changed:
        raise fault("writes to its input", call)


def _check_bounds(call: Call, outcome: Outcome) -> None:
    function = call.function
    samples = [np.asarray(x, dtype=np.float64) for x in call.samples]
    is_finite = all(np.isfinite(x).all() for x in samples)
    if function.takes == "p_values":
        is_finite = ((samples[0] >= 0.0) & (samples[0] <= 1.0)).all()
    sizes = np.concatenate([np.abs(x[x != 0.0]) for x in samples] or [np.ones(1)])
    is_moderate = ((sizes > 1e-10) & (sizes < 1e10)).all()
    for path, values in outcome.fields.items():
        name = path.rpartition(".")[-1]
        if values.dtype.kind != "f":
            continue
        if name in IN_UNIT_INTERVAL or function.name in UNIT_RESULTS:
            if ((values < 0.0) | (values > 1.0)).any():
                raise fault("leaves [0, 1]", call, path, values)
            if name == "pvalue" and function.name in RESAMPLING and (values == 0).any():
                raise fault("gives a p-value of 0", call, path, values)
        if is_finite and path not in function.may_be_nan and np.isnan(values).any():
            about = path + ("" if is_moderate else ", huge or tiny scores")
            raise fault("gives NaN for finite scores", call, about, values)


def _difference(here: Outcome, there: Outcome, tolerance: float) -> str:
    for name, x in here.fields.items():
        y = there.fields[name]
        if not np.allclose(x, y, rtol=tolerance, atol=tolerance, equal_nan=True):
            return f"{name}: {np.asarray(x).tolist()} and {np.asarray(y).tolist()}"
    return ""


def _match(
    call: Call, after: Outcome, expected: dict[str, Any], what: str, tolerance: float
) -> None:
    kind = f"{what} changes the result"
    if after.error is not None:
        raise fault(kind, call, "error", after.error)
    for name, x in expected.items():
        y = after.fields[name]
        if not np.allclose(x, y, rtol=tolerance, atol=tolerance, equal_nan=True):
            detail = f"{np.asarray(x).tolist()} became {np.asarray(y).tolist()}"
            raise fault(kind, call, name, detail)


def _compare(
    call: Call, before: Outcome, names: Sequence[str], what: str, tolerance: float
) -> None:
    if names:
        expected = {name: before.fields[name] for name in names}
        _match(call, call.run(), expected, f"a {what}", tolerance)


def _check_swap(call: Call, before: Outcome, tolerance: float) -> None:
    """A and B exchanged, and "greater" with "less"."""
    other = {"greater": "less", "less": "greater"}
    options = dict(call.options)
    if "alternative" in options:
        options["alternative"] = other.get(options["alternative"], "two-sided")
    swapped = call.but(samples=call.samples[::-1], options=options)
    turn = {"complement": lambda x: 1.0 - x, "negative": lambda x: -x}
    expected = {
        name: turn.get(how, lambda x: x)(before.fields[name])
        for name, how in call.function.mirrored.items()
    }
    _match(swapped, swapped.run(), expected, "a swap", tolerance)
