"""What a public function is given, in its design: rows of scores, or tables of them."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from sigarray._backend.aliases import Array
from sigarray._backend.dispatch import standardize
from sigarray._backend.library import Library
from sigarray._backend.tables import Axis, standardize_tables
from sigarray._order.crossed import Tables
from sigarray._order.estimates import Rows
from sigarray._order.pairs import Stacks, orient
from sigarray._order.stacks import check_place_of_models, list_models, stack_by_size


def stack_pair(a: Array, b: Array, axis: Axis, higher_is_better: bool) -> Rows | Tables:
    """Return both samples as stacks of one model."""
    _, samples, design = _standardize([a, b], axis)
    return design(orient([x[..., None, :] for x in samples], higher_is_better))


def stack_models(
    scores: Any, axis: Axis, higher_is_better: bool
) -> tuple[Rows | Tables, tuple[int, ...]]:
    """Return a stack for each size of sample, and the places of the models."""
    given = list_models(scores)
    is_one = given[0] is scores
    if is_one and isinstance(axis, tuple):
        check_place_of_models(scores, axis, lambda x: f"axis=({x[0]}, {x[1]})")
    xp, samples, design = _standardize(given, axis)
    stacks, order = stack_by_size(xp, samples, is_one=is_one)
    return design(orient(stacks, higher_is_better)), order


def _standardize(
    scores: Sequence[Any], axis: Axis
) -> tuple[Library, list[Array], Callable[[Stacks], Rows | Tables]]:
    """Return samples, with the scores last, and what makes a design of their stacks."""
    if isinstance(axis, tuple):
        xp, samples, n_items = standardize_tables(*scores, axes=axis)
        return xp, samples, functools.partial(Tables, xp, n_items)
    xp, samples = standardize(*scores, axis=axis)
    return xp, samples, functools.partial(Rows, xp)
