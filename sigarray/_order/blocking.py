"""Which models keep others from being told apart, by the sets of models with them."""

from collections.abc import Sequence

import numpy as np

from sigarray._backend.aliases import Array
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._order.comparison import compare_pairs
from sigarray._order.equality import find_equality
from sigarray._order.families import Family
from sigarray._order.pairs import Stacks, reorder
from sigarray._order.ratio import sort_stacks
from sigarray._order.stacks import stack_models


def find_told_without(scores: Sequence[np.ndarray], family: Family) -> np.ndarray:
    """Tell which models are told apart where all sets with another one do not count.

    The tests of the other sets are at the levels of the whole family, so that no pair
    is told apart only because fewer models are compared.

    Returns
    -------
    array of bool, shape (K, K, K)
        Entry (k, i, j) is true if models i and j are told apart without the sets of
        model k.
    """
    n_models = len(scores)
    samples = []
    for place, x in enumerate(scores):
        sample = np.tile(np.asarray(x, dtype=np.float64), (n_models, 1))
        sample[place] = np.nan  # the sets of a model that is NaN are no part of a test
        samples.append(sample)
    xp, stacks, order = stack_models(samples, -1)
    is_told = _tell_apart(xp, stacks, family=family)
    return np.asarray(reorder(xp, is_told, order))


@array_kernel
def _tell_apart(xp: Library, stacks: Stacks, *, family: Family) -> Array:
    stacks = sort_stacks(xp, stacks)
    return find_equality(xp, stacks, compare_pairs(xp, stacks), family).is_told
