"""Checks of options, which are static: what was expected, and what was got.

Every option of every public function has a rule, which returns its value as a plain
Python one or raises; `public.checked` applies them. Options of one name have one rule,
in the table at the end, unless the function names another.
"""

import inspect
import math
import operator
from collections.abc import Callable, Iterable
from typing import Any, get_args

import numpy as np

from sigarray._backend.callers import Alternative, StatisticName, warn_caller
from sigarray._backend.ranks import is_process_group

# (name, value) -> the value, checked.
Rule = Callable[[str, Any], Any]

# Replicates are counted in a word that may be signed.
MAX_REPLICATES = 2**31
SEED_BITS = 64
_MAX_COMPARISONS = 10**9
# Torch passes this to ranks outside a process group, instead of the group.
_NO_MEMBER = -100

ALTERNATIVES = get_args(Alternative)


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        msg = f"Expected {name} to be True or False; got {show(value)}."
        raise TypeError(msg + _remind_of_static(value))
    return bool(value)


def integer(name: str, value: Any) -> int:
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        return operator.index(value)
    except Exception as error:  # tracers raise errors of their library
        msg = f"Expected {name} to be an integer; got {show(value)}."
        is_whole = isinstance(value, float) and value.is_integer()
        advice = f" Pass {int(value)}." if is_whole else _remind_of_static(value)
        raise TypeError(msg + advice) from error


def count(
    largest: int | None = MAX_REPLICATES, smallest: int = 1
) -> Callable[[str, Any], int]:
    """Make a rule for integers from `smallest` to `largest`."""

    def check(name: str, value: Any) -> int:
        number = integer(name, value)
        if number < smallest or (largest is not None and number > largest):
            bound = f"of {smallest} or more"
            if largest is not None:
                bound = f"from {smallest} to {largest:,}"
            msg = f"Expected {name} to be an integer {bound}; got {number}."
            raise ValueError(msg)
        return number

    return check


def number(name: str, value: Any) -> float:
    is_number = isinstance(value, (int, float, np.integer, np.floating))
    if not is_number or isinstance(value, bool) or not math.isfinite(value):
        msg = f"Expected {name} to be a finite number; got {show(value)}."
        if is_number:
            raise ValueError(msg)
        raise TypeError(msg + _remind_of_static(value))
    return float(value)


def positive(name: str, value: Any) -> float:
    checked_number = number(name, value)
    if checked_number <= 0.0:
        msg = f"Expected {name} to be a positive number; got {show(value)}."
        raise ValueError(msg)
    return checked_number


def fraction(name: str, value: Any) -> float:
    return _share_below(name, value, 1.0, "(0, 1)")


def confidence(name: str, value: Any) -> float:
    """Return a number in (0, 1), and warn of one that may be the level of a test."""
    share = fraction(name, value)
    if share < 0.2:
        warn_caller(
            f"{name}={value} is a confidence of {100.0 * share:g} %. If it is the "
            f"level of a test, pass {name}={1.0 - share:g}."
        )
    return share


def half(name: str, value: Any) -> float:
    return _share_below(name, value, math.nextafter(0.5, 1.0), "(0, 0.5]")


def _share_below(name: str, value: Any, end: float, interval: str) -> float:
    share = number(name, value)
    # 1 - share is a probability too.
    if not 0.0 < share < end or 1.0 - share == 1.0:
        msg = f"Expected {name} to be in {interval}; got {show(value)}."
        if 1.0 < share < 100.0 * end:
            msg += f" {share:g} % is {share / 100.0:g}."
        raise ValueError(msg)
    return share


def choice(*choices: str | None, ignores_case: bool = False) -> Rule:
    """Make a rule for one of several words, or None if that is among them."""

    def check(name: str, value: Any) -> Any:
        if ignores_case and isinstance(value, str):
            value = value.lower()
        is_word = value is None or isinstance(value, str)
        if not (is_word and value in choices):
            known = ", ".join(map(repr, choices))
            msg = f"Expected {name} to be one of {known}; got {show(value)}."
            raise ValueError(msg) if isinstance(value, str) else TypeError(msg)
        return value

    return check


def choice_or_callable(*choices: str) -> Rule:
    """Make a rule for one of several words, or a function."""

    def check(name: str, value: Any) -> Any:
        if callable(value):
            return value
        if not isinstance(value, str):
            known = ", ".join(map(repr, choices))
            msg = (
                f"Expected {name} to be one of {known}, or a callable; got "
                f"{show(value)}."
            )
            raise TypeError(msg)
        return choice(*choices)(name, value)

    return check


def choice_or_statistic(*choices: str, arrays: str) -> Rule:
    """Make a rule for one of several words, or a function of arrays along an axis.

    A statistic of sums, which has a `measure`, passes.
    """
    rule = choice_or_callable(*choices)

    def check(name: str, value: Any) -> Any:
        value = rule(name, value)
        is_of_scores = callable(value) and not hasattr(value, "measure")
        return check_call(name, value, arrays, axis=-1) if is_of_scores else value

    return check


def check_call(name: str, function: Any, arrays: str, **options: int) -> Any:
    """Return a function that takes arrays, by their names, and options.

    Of a function in C nothing is known, and it passes.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return function
    try:
        signature.bind(*arrays.split(","), **options)
    except TypeError as error:
        call = ", ".join([arrays, *(f"{key}={x}" for key, x in options.items())])
        shown = getattr(function, "__name__", None) or show(function)
        msg = (
            f"Expected {name} to be a function that is called as {name}({call}); got "
            f"{shown}{signature}."
        )
        raise TypeError(msg) from error
    return function


def function_of(arrays: str) -> Rule:

    def check(name: str, value: Any) -> Any:
        if not callable(value):
            msg = f"Expected {name} to be a callable; got {show(value)}."
            raise TypeError(msg)
        return check_call(name, value, arrays)

    return check


def text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        msg = f"Expected {name} to be a str; got {show(value)}."
        raise TypeError(msg)
    return value


def optional(rule: Rule) -> Rule:
    """Make a rule that lets None pass."""
    return lambda name, value: None if value is None else rule(name, value)


def several(rule: Rule) -> Callable[[str, Any], tuple[Any, ...]]:
    """Make a rule for one value or a sequence of them, which returns a tuple."""

    def check(name: str, value: Any) -> tuple[Any, ...]:
        is_one = isinstance(value, (str, bytes)) or not isinstance(value, Iterable)
        values = tuple(rule(name, x) for x in ((value,) if is_one else value))
        if not values:
            msg = f"Expected one or more {name}; got none."
            raise ValueError(msg)
        return values

    return check


def ascending(rule: Rule) -> Callable[[str, Any], tuple[Any, ...]]:
    """Make a rule for a sequence of strictly increasing values."""

    def check(name: str, value: Any) -> tuple[Any, ...]:
        values = several(rule)(name, value)
        if list(values) != sorted(set(values)):
            msg = f"Expected {name} to be ascending; got {list(values)}."
            raise ValueError(msg)
        return values

    return check


def anything(_name: str, value: Any) -> Any:
    """Return a value that is checked elsewhere, together with its arrays."""
    return value


def random_source(name: str, value: Any) -> Any:
    """Return a possible source of random numbers; the scores decide if it suits."""
    kind = type(value)
    is_generator = kind.__name__ == "Generator"
    is_key = hasattr(value, "dtype") and not isinstance(value, (np.floating, np.bool_))
    if value is None or is_generator or is_key:
        return value
    if not isinstance(value, int) or isinstance(value, bool):
        is_sequence = hasattr(value, "generate_state")
        seed = "int(rng.generate_state(1, 'uint64')[0])" if is_sequence else "0"
        msg = (
            f"Expected {name} to be an int, None, a numpy.random.Generator, or a "
            f"generator or key of the samples' library; got {show(value)}. Pass "
            f"rng={seed} for a fixed seed."
        )
        raise TypeError(msg)
    check_seed(value)
    return value


def check_seed(seed: int) -> None:
    """Raise for an integer that is no seed, even if nothing is drawn."""
    if not 0 <= seed < 2**SEED_BITS:
        msg = f"Expected rng to be an integer in [0, 2**{SEED_BITS}); got {seed}."
        raise ValueError(msg)


def _remind_of_static(value: Any) -> str:
    if not hasattr(value, "dtype"):
        return ""
    return " Pass a plain Python value: an option is no array, and is not traced."


def show(value: Any) -> str:
    """Show a value in a message, or its kind if the value is long or unreadable."""
    if value is None or isinstance(value, (bool, int, float, str, np.generic)):
        text = represent(value)
        return text if len(text) <= 60 else f"{text[:57]}..."
    return describe(value)


def represent(value: Any) -> str:
    """Return the repr of a name or a number: of NumPy's as of plain Python's."""
    if type(value) is tuple:
        parts = ", ".join(map(represent, value))
        return f"({parts},)" if len(value) == 1 else f"({parts})"
    if isinstance(value, np.str_):
        return repr(str(value))
    return str(value) if isinstance(value, np.generic) else repr(value)


def describe(value: Any) -> str:
    if value is None:
        return "None"
    name = f"{type(value).__module__}.{type(value).__qualname__}"
    return name.removeprefix("builtins.")


def worker_source(name: str, value: Any) -> Any:
    """Return a number of threads, or other workers: see `workers`."""
    if isinstance(value, type) and hasattr(value, "map"):
        msg = (
            f"Expected {name} to be a function that is called as map(function, tasks); "
            f"got the class {value.__name__}. Pass {name}=executor.map of one of it."
        )
        raise TypeError(msg)
    if callable(value) or isinstance(value, str) or is_process_group(value):
        return value
    is_integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_integer:
        msg = (
            f"Expected {name} to be a number of threads, -1 for all cores, a function "
            f"that is called as map(function, tasks), a process group of torch, or the "
            f"name of a mesh axis of JAX; got {show(value)}."
        )
        raise TypeError(msg)
    if value != -1 and value < 1:
        msg = f"Expected {name} to be 1 or more, or -1 for all cores; got {value}."
        if value == _NO_MEMBER:
            msg += " That is what torch.distributed gives ranks outside of a group."
        raise ValueError(msg)
    return int(value)


def host_worker_source(name: str, value: Any) -> Any:
    """Return a number of threads, or a function that is called as map is."""
    if isinstance(value, str) or is_process_group(value):
        msg = (
            f"Expected {name} to be a number of threads or a function that is called "
            f"as map(function, tasks), for what is read from the disk; got "
            f"{show(value)}."
        )
        raise TypeError(msg)
    return worker_source(name, value)


def progress_source(name: str, value: Any) -> Callable[[int, int | None], Any]:
    """Return a function of (done, total), made from a bar of tqdm if need be."""
    if callable(value):
        return value  # type: ignore[no-any-return]
    if not hasattr(value, "update") or not hasattr(value, "n"):
        msg = (
            f"Expected {name} to be a function of (done, total), or a bar such as "
            f"tqdm(); got {show(value)}."
        )
        raise TypeError(msg)

    def tell(done: int, total: int | None) -> None:
        if done < value.n:  # another pass
            value.reset()
        value.total = total
        value.update(done - value.n)

    return tell


# The rules of options by name, for all functions.
OPTIONS: dict[str, Rule] = {
    "alpha": fraction,
    "alternative": choice(*ALTERNATIVES),
    "axis": integer,
    "batch": optional(count()),
    "confidence_level": confidence,
    "correction": choice("bonferroni", None),
    "count": count(),
    "dt": optional(fraction),
    "higher_is_better": flag,
    "n_resamples": count(),
    "n_comparisons": count(_MAX_COMPARISONS),
    "paired": flag,
    "power": fraction,
    "progress": optional(progress_source),
    "response": optional(function_of("mean, sd, uniform")),
    "rng": random_source,
    "workers": optional(worker_source),
    "test_share": optional(fraction),
    "statistic": choice_or_statistic(*get_args(StatisticName), arrays="x"),
}
