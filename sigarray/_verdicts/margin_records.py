"""The numbers of a margin: p-values of "no worse", for records of pairs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

# Of each there is one of model A, and one of B: "margin_pvalue_a".
_NUMBERS = ("margin_pvalue", "adjusted_margin_pvalue")
MARGIN_FIELDS = ("margin", *(f"{name}_{x}" for name in _NUMBERS for x in "ab"))


@dataclass(frozen=True)
class MarginTest:
    """A one-sided test of whether `model` is no worse than the other by a margin.

    `adjusted` is its p-value after a correction for all of them.
    """

    model: str
    p_value: float
    n_drawn: int = 0
    adjusted: float = 1.0


class Judged(Protocol):
    """A verdict on two models, which may have a margin."""

    @property
    def a(self) -> str:
        """The first model."""

    @property
    def b(self) -> str:
        """The second model."""

    @property
    def better(self) -> str | None:
        """The better one, if one is."""

    @property
    def verdict(self) -> str:
        """What is known, in a word."""

    @property
    def margins(self) -> tuple[MarginTest, ...]:
        """The tests of the margin."""

    @property
    def not_worse(self) -> tuple[str, ...]:
        """The models that are no worse than the other by the margin."""


def record_margins(
    margin: float | None, a: str, tests: Sequence[MarginTest]
) -> dict[str, float]:
    """Return the numbers of a pair, of which `a` is A; NaN for what is not asked."""
    if margin is None:
        return {}
    record = dict.fromkeys(MARGIN_FIELDS, math.nan) | {"margin": margin}
    for x in tests:
        which = "a" if x.model == a else "b"
        record[f"margin_pvalue_{which}"] = x.p_value
        record[f"adjusted_margin_pvalue_{which}"] = x.adjusted
    return record


def turn_margins(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of B and A, of those of A and B."""
    return {
        f"{name}_{x}": record[f"{name}_{y}"]
        for name in _NUMBERS
        for x, y in ("ab", "ba")
        if f"{name}_{y}" in record
    }
