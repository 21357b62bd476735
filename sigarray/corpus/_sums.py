"""What metrics share: items before they are counted, and sums of them."""

import functools
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from sigarray._backend.callers import Array
from sigarray._backend.dispatch import standardize, standardize_numbers
from sigarray._backend.given import align_labels
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, as_scalars, traceable
from sigarray._numeric.faults import add_up_faults
from sigarray._numeric.statistic import coarse_mean

F = TypeVar("F", bound=Callable[..., Any])
# A sum below so many units of rounding of another one may be none.
_ROUNDING = 16.0


def standardize_pairs(
    first: Array, second: Array, names: str, what: str
) -> tuple[Library, Array, Array]:
    """Return two numbers of each item, (..., n), of one namespace and shape."""
    xp, (x, y) = standardize(first, second, paired=True, what=what)
    if x.shape[-1] != y.shape[-1]:
        msg = (
            f"Expected {names} of the same items, on the last axis; got shapes "
            f"{tuple(x.shape)} and {tuple(y.shape)}."
        )
        raise ValueError(msg)
    shape = np.broadcast_shapes(x.shape, y.shape)
    with xp.modes_off():
        return xp, xp.broadcast_to(x, shape), xp.broadcast_to(y, shape)


def centre(xp: Library, x: Array) -> Array:
    """Subtract about the mean of x (..., n), so that sums of squares lose no digits.

    The level is coarse, so that numbers which are the same become 0.
    """
    return x - coarse_mean(xp, x)


def of_counts(
    may_take: Callable[[int], bool] | None = None,
    bounds: Callable[[int], list[tuple[int, int]]] | None = None,
) -> Callable[[F], F]:
    """Say what is known of a metric of counts, of which none is below 0.

    How many sums may be meant, where its parameters do not say it; and which numbers of
    an item are at most which others, by their places.
    """

    def mark(metric: F) -> F:
        known = {"is_of_counts": True, "may_take": may_take, "bounds": bounds}
        metric.__dict__.update(known)
        return metric

    return mark


def in_threes(n_sums: int) -> bool:
    """Tell whether sums are three for each of some classes, bins or orders."""
    return n_sums > 0 and n_sums % 3 == 0


@traceable
def measure(function: Callable[..., Array], *sums: Array) -> Array:
    """Return `function(xp, *sums)`, NaN where a sum is not finite.

    Sums are plain numbers, or arrays of any library.
    """
    xp, arrays = standardize_numbers(
        *align_labels(sums, axis=-1, n_axes=1, paired=True)
    )
    return as_scalars(_measure(xp, *arrays, function=function))


@array_kernel
def _measure(xp: Library, *sums: Array, function: Callable[..., Array]) -> Array:
    # A condition within the metric may not see a fault.
    return function(xp, *sums) + add_up_faults(sums)


def add_up(arrays: Sequence[Array]) -> Array:
    return functools.reduce(lambda x, y: x + y, arrays)


def split(
    sums: Sequence[Array], n_parts: int, what: str, *, at_least: int = 1, start: int = 0
) -> list[Sequence[Array]]:
    """Split sums of several classes or bins, from a place on, into parts of as many."""
    size, rest = divmod(len(sums) - start, n_parts)
    if rest or size < at_least:
        msg = f"Expected {what}; got {len(sums)} sums."
        raise ValueError(msg)
    edges = range(start, len(sums), size)
    return [sums[k : k + size] for k in edges]


def is_some(xp: Library, part: Array, whole: Array) -> Array:
    """Tell where a sum is above 0 by more than the rounding of another one."""
    return part > _ROUNDING * xp.finfo(part.dtype).eps * xp.abs(whole)


def divide(xp: Library, x: Array, y: Array, exists: Array, otherwise: float) -> Array:
    return xp.where(exists, x / xp.where(exists, y, 1.0), otherwise)


_BETA = 2.0


def _bound_bleu(n_sums: int) -> list[tuple[int, int]]:
    """Matches of each order are at most its n-grams; those of one word are words."""
    size = n_sums // 2 - 1
    matches = [(2 + k, 2 + size + k) for k in range(size)]
    return [*matches, (0, 2 + size), (2 + size, 0)]


def _bound_chrf(n_sums: int) -> list[tuple[int, int]]:
    return [(k + 2, k + side) for k in range(0, n_sums - 2, 3) for side in (0, 1)]


@of_counts(lambda n: n > 3 and n % 2 == 0, _bound_bleu)
def bleu(*sums: Array) -> Array:
    """Return the BLEU of a corpus, as sacrebleu's default does.

    Parameters
    ----------
    *sums : array, shape (...), real
        Words of the hypotheses, words of the references, N numbers of n-grams that
        match (n = 1 to N, usually 4), and N numbers of n-grams of the hypotheses. They
        are the sums of sacrebleu's statistics of segments, in their order.

    Returns
    -------
    array, shape (...)
        BLEU [1]_ from 0 to 100, with exponential smoothing [2]_ [3]_.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.
    ValueError
        An odd number of sums, or fewer than 4.

    Notes
    -----
    BLEU = 100 exp(min(0, 1 - r / h)) (p_1 ... p_N)^(1 / N) of h and r words and p_n =
    matches / n-grams. The k-th order without a match counts 1 / 2^k matches. BLEU is 0
    where no order has one, and where no hypothesis is long enough for the highest.

    References
    ----------
    .. [1] K. Papineni, S. Roukos, T. Ward, W.-J. Zhu (2002). BLEU: a method for
       automatic evaluation of machine translation. :doi:`10.3115/1073083.1073135`
    .. [2] B. Chen, C. Cherry (2014). A systematic comparison of smoothing techniques
       for sentence-level BLEU. :doi:`10.3115/v1/W14-3346`
    .. [3] M. Post (2018). A call for clarity in reporting BLEU scores.
       :doi:`10.18653/v1/W18-6319`

    Examples
    --------
    >>> from sigarray import corpus
    >>> round(float(corpus.bleu(95, 100, 70, 45, 30, 20, 95, 90, 85, 80)), 2)
    40.28
    """
    return measure(_bleu, *sums)


def _bleu(xp: Library, *sums: Array) -> Array:
    what = (
        "hypothesis length, reference length, N numbers of matches and N of n-grams, "
        "2 + 2 N sums"
    )
    matches, totals = split(sums, 2, what, start=2)
    own, reference = sums[:2]
    logs, smallest = [], xp.ones_like(own)
    for match, total in zip(matches, totals, strict=True):
        is_matched = is_some(xp, match, own)
        smallest = xp.where(is_matched, smallest, 0.5 * smallest)
        share = xp.where(is_matched, match, smallest) / total
        # Without n-grams it is infinite, and the result 0.
        logs.append(xp.where(is_some(xp, total, own), xp.log(share), -xp.inf))
    brevity = xp.where(own < reference, 1.0 - reference / own, 0.0)
    score = 100.0 * xp.exp(add_up(logs) / len(logs) + brevity)
    return xp.where(is_some(xp, add_up(matches), own), score, 0.0)


@of_counts(in_threes, _bound_chrf)
def chrf(*sums: Array) -> Array:
    """Return the chrF of a corpus, or chrF++, as sacrebleu's default does.

    Parameters
    ----------
    *sums : array, shape (...), real
        For each order, of letters and, for chrF++, then of words: n-grams of the
        hypotheses, n-grams of the references, and those that match. They are the sums
        of sacrebleu's statistics of segments, in their order.

    Returns
    -------
    array, shape (...)
        chrF2 from 0 to 100: [1]_ of six orders of letters, [2]_ of two of words too.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.
    ValueError
        A number of sums that is not a multiple of 3.

    Notes
    -----
    Precision and recall are averaged over the orders that both sides have, and chrF is
    100 (1 + b^2) P R / (b^2 P + R) with b = 2; 0 without a match.

    References
    ----------
    .. [1] M. Popović (2015). chrF: character n-gram F-score for automatic MT
       evaluation. :doi:`10.18653/v1/W15-3049`
    .. [2] M. Popović (2017). chrF++: words helping character n-grams.
       :doi:`10.18653/v1/W17-4770`

    Examples
    --------
    >>> from sigarray import corpus
    >>> round(float(corpus.chrf(100, 110, 80, 95, 105, 60)), 2)  # of two orders
    66.16
    """
    return measure(_chrf, *sums)


def _chrf(xp: Library, *sums: Array) -> Array:
    split(sums, 3, "n-grams of hypotheses, of references, and matches, of each order")
    size = add_up(sums)
    precisions, recalls, orders = [], [], []
    for own, reference, match in zip(sums[::3], sums[1::3], sums[2::3], strict=True):
        has_both = is_some(xp, own, size) & is_some(xp, reference, size)
        precisions.append(divide(xp, match, own, has_both, 0.0))
        recalls.append(divide(xp, match, reference, has_both, 0.0))
        orders.append(xp.astype(has_both, size.dtype))
    precision, recall = add_up(precisions), add_up(recalls)
    top = 100.0 * (1.0 + _BETA**2) * precision * recall
    bottom = (_BETA**2 * precision + recall) * add_up(orders)
    return divide(xp, top, bottom, bottom > 0.0, 0.0)
