"""A public function that is searched, and the options that it takes or refuses."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from hypothesis import strategies as st

import sigarray

Strategy = st.SearchStrategy[Any]

ALWAYS = (
    *("rng", "n_resamples", "paired", "alternative", "sizes"),
    *("n_items", "n_responses", "n_sets", "start", "count"),
    *("metrics", "responses", "perturbations"),
)


@dataclass(frozen=True)
class Option:
    """Values that an option takes, and those it refuses by TypeError or ValueError."""

    valid: Strategy
    wrong_kinds: tuple[Any, ...] = ()
    wrong_values: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Function:
    """A public function, by its name in `sigarray`, and what may be asked of it."""

    name: str
    options: dict[str, Option]
    # How many arrays, which a function may take as one list or set.
    arity: int = 2
    takes: str = "scores"  # or "p_values", "responses", "list", "nothing"
    # "clusters" or "strata", if every call has labels of three of these, by turns.
    labels: str = ""
    # Options that every call has: those with slow, random or changing defaults.
    always: tuple[str, ...] = ALWAYS
    # Fields that do not move with all scores; with all of them times a power of two.
    fixed_by_shift: tuple[str, ...] = ()
    fixed_by_scale: tuple[str, ...] = ()
    # How a field of the swapped samples follows: "less", "negative", "complement".
    mirrored: dict[str, str] = field(default_factory=dict)
    # Fields that are NaN for some finite input, as documented.
    may_be_nan: tuple[str, ...] = ()

    def __call__(self, *arrays: Any, **options: Any) -> Any:
        """Call it with its arrays as it takes them."""
        function: Any = sigarray
        for name in self.name.split("."):
            function = getattr(function, name)
        if self.takes == "list":
            return function(list(arrays), **options)
        if self.labels and all(getattr(x, "ndim", 0) for x in arrays):
            options[self.labels] = label(*arrays, **options)
        return function(*arrays, **options)


def label(*arrays: Any, axis: Any = -1, paired: Any = False, **_: Any) -> Any:
    """Return labels of three groups, by turns: a pair of samples that are not pairs."""
    is_axis = type(axis) is int and all(-x.ndim <= axis < x.ndim for x in arrays)
    labels = [np.arange(x.shape[axis if is_axis else -1]) % 3 for x in arrays]
    return labels[0] if paired or len(labels) == 1 else labels


def choice(*names: Any, kinds: tuple[Any, ...] = (3, ["x"])) -> Option:
    """Make an option of some names."""
    return Option(st.sampled_from(names), kinds, ("nonsense",))


def count(
    largest: int, *, least: int = 1, is_optional: bool = False, several: bool = False
) -> Option:
    """Make an option of integers, or of sequences of them too."""
    numbers = st.integers(least, largest)
    kinds = (True, 2.0, "3", *(() if several else ([3],)))
    if is_optional:
        return Option(st.none() | numbers, kinds, (0, -1))
    return Option(numbers, (*kinds, None), (0, -1))


def number(*valid: Any, wrong: tuple[Any, ...]) -> Option:
    """Make an option of some numbers."""
    return Option(st.sampled_from(valid), ("0.5", [0.5], 1j), wrong)
