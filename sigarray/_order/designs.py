"""What a public function is given, in its design: rows of scores, or tables of them."""

from typing import Any

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray._backend.tables import Axis, standardize_samples
from sigarray._order.crossed import Tables
from sigarray._order.estimates import Rows
from sigarray._order.pairs import Stacks, orient
from sigarray._order.stacks import check_place_of_models, list_models, stack_by_size


def stack_pair(a: Array, b: Array, axis: Axis, higher_is_better: bool) -> Rows | Tables:
    """Return both samples as stacks of one model."""
    xp, samples, n_items = standardize_samples(a, b, axis=axis)
    stacks = [x[..., None, :] for x in samples]
    return _design(xp, orient(stacks, higher_is_better), n_items)


def stack_models(
    scores: Any, axis: Axis, higher_is_better: bool
) -> tuple[Rows | Tables, tuple[int, ...]]:
    """Return a stack for each size of sample, and the places of the models."""
    given = list_models(scores)
    is_one = given[0] is scores
    if is_one and isinstance(axis, tuple):
        check_place_of_models(scores, axis, lambda x: f"axis=({x[0]}, {x[1]})")
    xp, samples, n_items = standardize_samples(*given, axis=axis)
    stacks, order = stack_by_size(xp, samples, is_one=is_one)
    return _design(xp, orient(stacks, higher_is_better), n_items), order


def _design(xp: Library, stacks: Stacks, n_items: int | None) -> Rows | Tables:
    return Rows(xp, stacks) if n_items is None else Tables(xp, stacks, n_items)
