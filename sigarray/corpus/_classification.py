"""Metrics of classes: what was found, found wrongly, and missed."""

import math

from sigarray._backend.callers import Array
from sigarray._backend.checks import count
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray.corpus._sums import (
    add_up,
    divide,
    in_threes,
    is_some,
    measure,
    of_counts,
    split,
    standardize_pairs,
)

_MAX_CLASSES = 2**20
_CLASSES = "3 K sums, as confusions counts them for K classes"
_BINARY = "sums tp, fp, fn and tn, or those of confusions for K classes, 2 or more"


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


def _is_of_counts(n_sums: int) -> bool:
    """Tell whether sums may be some of tp, fp, fn and tn, or those of classes."""
    return n_sums in (2, 3, 4) or in_threes(n_sums)


@of_counts(_is_of_counts)
def accuracy(*sums: Array) -> Array:
    """Return the share of items whose class is right.

    Parameters
    ----------
    *sums : array, shape (...), real
        The sums of `confusions` for K classes, two or more; or four sums of a binary
        class: true positives, false positives, false negatives, true negatives.

    Returns
    -------
    array, shape (...)
        The share; NaN without items.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.
    ValueError
        Another number of sums.

    Notes
    -----
    Scores of 0 and 1 need no sums: their mean is the accuracy, for which
    `sigarray.permutation_test` and `sigarray.proportion_ci` are exact.

    Examples
    --------
    >>> from sigarray import corpus
    >>> float(corpus.accuracy(40, 5, 5, 50))
    0.9
    """
    return measure(_accuracy, *sums)


def _accuracy(_: Library, *sums: Array) -> Array:
    if len(sums) == 4:
        return (sums[0] + sums[3]) / add_up(sums)
    found, _wrong, missed = split(sums, 3, _BINARY, at_least=2)
    right = add_up(found)
    return right / (right + add_up(missed))


@of_counts(_is_of_counts)
def precision(*sums: Array) -> Array:
    """Return the share of what was found that is right (micro precision).

    Parameters
    ----------
    *sums : array, shape (...), real
        True positives and false positives, the two that it needs; or true positives,
        false positives and false negatives; or the 3 K sums of `confusions`, of which
        those of all classes are added up. Of classes that exclude each other each error
        is a false positive of one and a false negative of another, so that micro
        precision, recall and F1 are the accuracy.

    Returns
    -------
    array, shape (...)
        tp / (tp + fp); NaN where nothing was found.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.
    ValueError
        A number of sums that is neither 2 nor a multiple of 3.

    Examples
    --------
    >>> from sigarray import corpus
    >>> float(corpus.precision(30, 10, 20))
    0.75
    """
    return measure(_precision, *sums)


def _precision(_: Library, *sums: Array) -> Array:
    if len(sums) == 2:
        tp, fp = sums
    else:
        tp, fp, _fn = _add_classes(*sums)
    return tp / (tp + fp)


@of_counts(_is_of_counts)
def recall(*sums: Array) -> Array:
    """Return the share of what is there that was found (micro recall).

    Parameters
    ----------
    *sums : array, shape (...), real
        True positives and false negatives, the two that it needs; or true positives,
        false positives and false negatives; or the 3 K sums of `confusions`, of which
        those of all classes are added up. Of classes that exclude each other each error
        is a false positive of one and a false negative of another, so that micro
        precision, recall and F1 are the accuracy.

    Returns
    -------
    array, shape (...)
        tp / (tp + fn); NaN where nothing is there.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.
    ValueError
        A number of sums that is neither 2 nor a multiple of 3.

    Examples
    --------
    >>> from sigarray import corpus
    >>> float(corpus.recall(30, 10, 20))
    0.6
    """
    return measure(_recall, *sums)


def _recall(_: Library, *sums: Array) -> Array:
    if len(sums) == 2:
        tp, fn = sums
    else:
        tp, _fp, fn = _add_classes(*sums)
    return tp / (tp + fn)


@of_counts(_is_of_counts)
def f1(*sums: Array) -> Array:
    """Return micro F1, the harmonic mean of micro precision and micro recall.

    Parameters
    ----------
    *sums : array, shape (...), real
        True positives, false positives and false negatives; or the 3 K sums of
        `confusions`, of which those of all classes are added up. Of classes that
        exclude each other each error is a false positive of one and a false negative of
        another, so that micro precision, recall and F1 are the accuracy.

    Returns
    -------
    array, shape (...)
        2 tp / (2 tp + fp + fn); NaN where nothing is there and nothing was found.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.
    ValueError
        A number of sums that is not a multiple of 3.

    Examples
    --------
    Two taggers on the same sentences, by the counts of each sentence:

    >>> import numpy as np
    >>> from sigarray import corpus, of_sums, t_test
    >>> rng = np.random.default_rng(0)
    >>> gold = rng.poisson(4.0, 300)
    >>> found_a, found_b = rng.binomial(gold, [[0.80], [0.70]])
    >>> wrong_a, wrong_b = rng.poisson(0.8, (2, 300))
    >>> a, b = (found_a, wrong_a, gold - found_a), (found_b, wrong_b, gold - found_b)
    >>> result = t_test(a, b, statistic=of_sums(corpus.f1), paired=True)
    >>> round(float(result.pvalue), 3)
    0.004
    """
    return measure(_f1, *sums)


def _f1(_: Library, *sums: Array) -> Array:
    tp, fp, fn = _add_classes(*sums)
    return 2.0 * tp / (2.0 * tp + fp + fn)


def _add_classes(*sums: Array) -> list[Array]:
    return [add_up(x) for x in split(sums, 3, f"sums tp, fp and fn, or {_CLASSES}")]


@of_counts(_is_of_counts)
def macro_f1(*sums: Array) -> Array:
    """Return the mean of the F1 of all classes.

    Parameters
    ----------
    *sums : array, shape (...), real
        The 3 K sums of `confusions`: K of true positives, K of false positives, K of
        false negatives.

    Returns
    -------
    array, shape (...)
        The mean of K numbers. A class without items and predictions counts 0, as with
        ``zero_division=0`` in scikit-learn.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.
    ValueError
        A number of sums that is not a multiple of 3.

    Notes
    -----
    A class of few items is missing in some resamples, and counts 0 in them. It is the
    arithmetic mean of F1, of the two metrics of this name [1]_.

    References
    ----------
    .. [1] J. Opitz, S. Burst (2019). Macro F1 and macro F1.
       :doi:`10.48550/arXiv.1911.03347`

    Examples
    --------
    >>> from sigarray import corpus
    >>> round(float(corpus.macro_f1(8, 1, 2, 1, 1, 2)), 3)  # F1 of 0.842 and 0.4
    0.621
    """
    return measure(_macro_f1, *sums)


def _macro_f1(xp: Library, *sums: Array) -> Array:
    parts = split(sums, 3, _CLASSES)
    total = add_up(sums)
    shares = []
    for tp, fp, fn in zip(*parts, strict=True):
        there = 2.0 * tp + fp + fn
        shares.append(divide(xp, 2.0 * tp, there, is_some(xp, there, total), 0.0))
    return add_up(shares) / len(shares)


@of_counts(_is_of_counts)
def matthews_correlation(*sums: Array) -> Array:
    """Return Matthews' correlation coefficient of two or more classes.

    Parameters
    ----------
    *sums : array, shape (...), real
        True positives, false positives, false negatives and true negatives of a binary
        class [1]_; or the sums of `confusions` for K classes, two or more [2]_.

    Returns
    -------
    array, shape (...)
        The coefficient, from -1 to 1; 0 where all items or all predictions are of one
        class, as in scikit-learn.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.
    ValueError
        Another number of sums.

    Notes
    -----
    With s items, c of them right, t_k of class k and p_k predicted to be, it is
    (c s - sum_k p_k t_k) / sqrt((s^2 - sum_k p_k^2) (s^2 - sum_k t_k^2)).

    References
    ----------
    .. [1] B. W. Matthews (1975). Comparison of the predicted and observed secondary
       structure of T4 phage lysozyme. :doi:`10.1016/0005-2795(75)90109-9`
    .. [2] J. Gorodkin (2004). Comparing two K-category assignments by a K-category
       correlation coefficient. :doi:`10.1016/j.compbiolchem.2004.09.006`

    Examples
    --------
    >>> from sigarray import corpus
    >>> round(float(corpus.matthews_correlation(40, 5, 5, 50)), 3)
    0.798
    """
    return measure(_matthews_correlation, *sums)


def _matthews_correlation(xp: Library, *sums: Array) -> Array:
    if len(sums) == 4:
        tp, fp, fn, tn = sums
        sums = (tp, tn, fp, fn, fn, fp)
    found, wrong, missed = split(sums, 3, _BINARY, at_least=2)
    predicted = [x + y for x, y in zip(found, wrong, strict=True)]
    there = [x + y for x, y in zip(found, missed, strict=True)]
    total = add_up(there)
    # Shares, so that products stay within the range of floats.
    right = add_up(found) / total
    predicted, there = [x / total for x in predicted], [x / total for x in there]
    top = right - add_up([x * y for x, y in zip(predicted, there, strict=True)])
    # 1 - sum of x^2 is the sum of x (1 - x), in which little cancels.
    varies = [add_up([x * (1.0 - x) for x in part]) for part in (predicted, there)]
    one = add_up(there)
    exists = is_some(xp, varies[0], one) & is_some(xp, varies[1], one)
    return divide(xp, top, xp.sqrt(varies[0] * varies[1]), exists, 0.0)
