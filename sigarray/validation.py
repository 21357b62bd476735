"""Checks of options, which are static: what was expected, and what was got."""

import math
import operator
from collections.abc import Collection
from typing import Any

import numpy as np


def check_count(name: str, count: Any, largest: int | None = None) -> int:
    """Give a positive integer as an int."""
    number = check_integer(name, count)
    if number < 1 or (largest is not None and number > largest):
        bound = "at least 1" if largest is None else f"1 to {largest:,}"
        msg = f"Expected {name} to be an integer of {bound}; got {count}."
        raise ValueError(msg)
    return number


def check_batch(batch: Any) -> int | None:
    """Give a batch size as an int, or None for the default."""
    return None if batch is None else check_count("batch", batch)


def check_integer(name: str, number: Any) -> int:
    """Give an integer of any library as an int."""
    try:
        return operator.index(number)
    except TypeError as error:
        msg = f"Expected {name} to be an integer; got {number!r}. It has to be static."
        raise TypeError(msg) from error


def check_number(name: str, number: Any) -> float:
    """Give a finite number as a float."""
    is_number = isinstance(number, int | float | np.number)
    if not is_number or not math.isfinite(number):
        msg = f"Expected {name} to be a finite number; got {number!r}."
        raise TypeError(msg) if not is_number else ValueError(msg)
    return float(number)


def check_fraction(name: str, number: Any) -> float:
    """Give a number in (0, 1) as a float."""
    try:
        fraction = float(number)
    except (TypeError, ValueError) as error:
        msg = f"Expected {name} to be a number in (0, 1); got {number!r}."
        raise TypeError(msg) from error
    # 1 - fraction is a probability too.
    if not 0.0 < fraction < 1.0 or 1.0 - fraction == 1.0:
        msg = f"Expected {name} to be in (0, 1); got {number}."
        raise ValueError(msg)
    return fraction


def check_choice(name: str, choice: Any, choices: Collection[str]) -> None:
    """Raise unless the choice is one of those."""
    if not (isinstance(choice, str) and choice in choices):
        known = ", ".join(map(repr, choices))
        msg = f"Expected {name} to be one of {known}; got {choice!r}."
        raise ValueError(msg)
