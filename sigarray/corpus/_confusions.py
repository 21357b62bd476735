"""Counts of what was found, found wrongly, and missed, of each class."""

import math

from sigarray._backend.aliases import Array
from sigarray._backend.checks import count
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._backend.public import checked
from sigarray.corpus._items import standardize_pairs

_MAX_CLASSES = 2**20


@checked(n_classes=count(_MAX_CLASSES, smallest=2))
def confusions(gold: Array, predicted: Array, /, *, n_classes: int) -> Array:
    """Count which class of each item was found, found wrongly, and missed.

    Parameters
    ----------
    gold : array, shape (..., n), integer
        The true class of each item, 0 to n_classes - 1.
    predicted : array, shape (..., n), integer
        The predicted class of each item. Leading axes broadcast.
    n_classes : int
        K, the number of classes, 2 or more, static under `jit`.

    Returns
    -------
    array, shape (..., 3 K, n)
        1 or 0 for each item: K true positives, one of each class, then K false
        positives, and K false negatives. They are floats, which is what sums are of.
        An item whose label is no class is NaN: for answers that are none, such as
        refusals, have a class more.

    Raises
    ------
    TypeError
        Labels that are not numbers, or of two libraries or devices.
    ValueError
        As many predictions as there are true classes are expected, and two classes or
        more.

    Notes
    -----
    Those of class k alone are ``[..., k::n_classes, :]``, for the F1 of one class.

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import corpus
    >>> counts = corpus.confusions([0, 1, 2, 1], [0, 2, 2, 1], n_classes=3)
    >>> counts.sum(axis=-1).astype(int)
    array([1, 1, 1, 0, 0, 1, 0, 1, 0])
    >>> round(float(corpus.macro_f1(*counts.sum(axis=-1))), 3)
    0.778
    """
    xp, gold, predicted = standardize_pairs(
        gold, predicted, "true and predicted classes", "labels"
    )
    return _confuse(xp, gold, predicted, n_classes=n_classes)


@array_kernel
def _confuse(xp: Library, gold: Array, predicted: Array, *, n_classes: int) -> Array:
    classes = xp.arange(n_classes, dtype=gold.dtype)[:, None]
    is_gold = gold[..., None, :] == classes
    is_found = predicted[..., None, :] == classes
    parts = [is_gold & is_found, ~is_gold & is_found, is_gold & ~is_found]
    counts = xp.astype(xp.concat(parts, axis=-2), gold.dtype)
    has_classes = xp.any(is_gold, axis=-2) & xp.any(is_found, axis=-2)
    return xp.where(has_classes[..., None, :], counts, math.nan)
