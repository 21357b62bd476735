"""BLEU and chrF, from the n-grams that sacrebleu counts in each segment."""

from sigarray._backend.aliases import Array
from sigarray._backend.library import Library
from sigarray.corpus._sums import (
    add_up,
    bounded,
    divide,
    in_threes,
    is_some,
    may_take,
    measure,
    of_counts,
    split,
)

_BETA = 2.0


def _bound_bleu(n_sums: int) -> list[tuple[int, int]]:
    """Matches of each order are at most its n-grams; those of one word are words."""
    size = n_sums // 2 - 1
    matches = [(2 + k, 2 + size + k) for k in range(size)]
    return [*matches, (0, 2 + size), (2 + size, 0)]


def _bound_chrf(n_sums: int) -> list[tuple[int, int]]:
    """Matches of each order are at most its n-grams of either side."""
    return [(k + 2, k + side) for k in range(0, n_sums - 2, 3) for side in (0, 1)]


@of_counts
@bounded(_bound_bleu)
@may_take(lambda n: n > 3 and n % 2 == 0)
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


@of_counts
@bounded(_bound_chrf)
@may_take(in_threes)
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
