"""How far confidences are from shares of hits, and how far raters agree."""

import math

from sigarray._backend.callers import Array, warn_caller
from sigarray._backend.checks import count
from sigarray._backend.dispatch import standardize
from sigarray._backend.library import Library
from sigarray._backend.public import array_kernel, checked
from sigarray.corpus._sums import (
    add_up,
    divide,
    in_threes,
    measure,
    of_counts,
    split,
    standardize_pairs,
)

_MAX_BINS = 2**20
_BINS = "3 B sums, as bins counts them for B bins"
_MAX_VALUES = 2**20


@checked(n_bins=count(_MAX_BINS))
def bins(confidence: Array, hit: Array, /, *, n_bins: int) -> Array:
    """Sort items by confidence into bins of equal width.

    Parameters
    ----------
    confidence : array, shape (..., n), real
        The confidence in each prediction, from 0 to 1.
    hit : array, shape (..., n), real
        Whether it is right, 1 or 0. Leading axes broadcast.
    n_bins : int
        B, the number of bins, static under `jit`. A confidence between two bins is in
        the lower one.

    Returns
    -------
    array, shape (..., 3 B, n)
        Zeros for each item, but for its own bin: B hits, B confidences, and B ones. An
        item whose confidence is not from 0 to 1, or whose hit is not 0 or 1, is NaN.

    Raises
    ------
    TypeError
        Anything but real numbers, or two libraries or devices.
    ValueError
        Unlike numbers of items, or no bins.

    Notes
    -----
    The edges of bins do not depend on the data, so that a resample has the same ones.

    Examples
    --------
    >>> from sigarray import corpus
    >>> sums = corpus.bins([0.9, 0.6, 0.7, 0.2], [1, 0, 1, 0], n_bins=2).sum(axis=-1)
    >>> sums.round(1)
    array([0. , 2. , 0.2, 2.2, 1. , 3. ])
    >>> round(float(corpus.calibration_error(*sums)), 3)
    0.1
    """
    xp, confidence, hit = standardize_pairs(
        confidence, hit, "confidences and hits", "confidences and hits"
    )
    return _sort(xp, confidence, hit, n_bins=n_bins)


@array_kernel
def _sort(xp: Library, confidence: Array, hit: Array, *, n_bins: int) -> Array:
    edges = xp.arange(n_bins + 1, dtype=confidence.dtype)[:, None] / n_bins
    x, hit = confidence[..., None, :], hit[..., None, :]
    places = xp.arange(n_bins)[:, None]
    is_in = (x <= edges[1:, :]) & ((x > edges[:-1, :]) | ((places == 0) & (x == 0.0)))
    parts = [xp.where(is_in, y, 0.0) for y in (hit, x, xp.ones_like(x))]
    is_known = xp.any(is_in, axis=-2, keepdims=True) & (xp.abs(hit - 0.5) == 0.5)
    return xp.where(is_known, xp.concat(parts, axis=-2), math.nan)


@of_counts(in_threes)
def calibration_error(*sums: Array) -> Array:
    """Return the expected calibration error, which is biased: see the notes.

    Parameters
    ----------
    *sums : array, shape (...), real
        The sums of `bins` for B bins: B of hits, B of confidences, B of items.

    Returns
    -------
    array, shape (...)
        The mean over items of abs(share of hits - mean confidence) in the bin of each
        [1]_; lower is better.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.
    ValueError
        A number of sums that is not a multiple of 3.

    Notes
    -----
    Chance alone makes gaps, so that it is above 0 for a calibrated model, the more so
    the fewer items are in a bin; and a resample adds chance again. Where the true error
    is small no interval for one model holds: take `squared_calibration_error`, which is
    debiased, and `sigarray.t_ci`. The bias mostly cancels in a difference between two
    models on the same items; if both are nearly calibrated, `sigarray.t_test` rejects
    too seldom.

    References
    ----------
    .. [1] C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger (2017). On calibration of modern
       neural networks. :doi:`10.48550/arXiv.1706.04599`

    Examples
    --------
    >>> from sigarray import corpus
    >>> # 10 items with confidences of 0.3 that sum up to 3, and 30 with 0.8.
    >>> round(float(corpus.calibration_error(4, 21, 3, 24, 10, 30)), 3)
    0.1
    """
    return measure(_calibration_error, *sums)


def _calibration_error(xp: Library, *sums: Array) -> Array:
    hits, confidences, counts = split(sums, 3, _BINS)
    gaps = [xp.abs(x - y) for x, y in zip(hits, confidences, strict=True)]
    return add_up(gaps) / add_up(counts)


@of_counts(in_threes)
def squared_calibration_error(*sums: Array) -> Array:
    """Return the squared calibration error, without the bias that chance adds.

    Parameters
    ----------
    *sums : array, shape (...), real
        The sums of `bins` for B bins: B of hits (1 or 0 of an item), B of confidences,
        B of items.

    Returns
    -------
    array, shape (...)
        The debiased mean over items of (share of hits - mean confidence)^2 in the bin
        of each, lower is better. It may be below 0, for that is what keeps it unbiased.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.
    ValueError
        A number of sums that is not a multiple of 3.

    Notes
    -----
    From the squared gap of a bin with n_b items and the share p of hits the estimate
    of its variance p (1 - p) / (n_b - 1) is subtracted [1]_; that is unbiased where the
    confidences in a bin are the same, and subtracts a little too much else. A bin with
    one item has no such estimate, and adds nothing.

    Resamples add again what is subtracted, and so are about the biased value: intervals
    of `sigarray.bootstrap_ci` hold too seldom. Take `sigarray.t_ci`, which is about the
    debiased one.

    References
    ----------
    .. [1] A. Kumar, P. Liang, T. Ma (2019). Verified uncertainty calibration.
       :doi:`10.48550/arXiv.1909.10155`

    Examples
    --------
    >>> from sigarray import corpus
    >>> round(float(corpus.squared_calibration_error(4, 21, 3, 24, 10, 30)), 5)
    -0.0021
    """
    return measure(_squared_calibration_error, *sums)


def _squared_calibration_error(xp: Library, *sums: Array) -> Array:
    parts, counts = [], []
    for hits, confidence, n in zip(*split(sums, 3, _BINS), strict=True):
        has_two = n > 1.0
        gap = divide(xp, hits - confidence, n, has_two, 0.0)
        share = divide(xp, hits, n, has_two, 0.0)
        variance = divide(xp, share * (1.0 - share), n - 1.0, has_two, 0.0)
        parts.append(xp.where(has_two, n * (gap * gap - variance), 0.0))
        counts.append(n)
    return add_up(parts) / add_up(counts)


@checked(n_values=count(_MAX_VALUES, smallest=2))
def votes(ratings: Array, /, *, n_values: int) -> Array:
    """Count the ratings of each item that are of each value, and those that agree.

    Parameters
    ----------
    ratings : array, shape (..., n, raters), real
        Ratings of n items, 0 to n_values - 1; NaN is a missing one. Raters may differ
        from item to item, and their order has no meaning. A warning says so if there
        are more raters than items, as in a table on its side.
    n_values : int
        V, the number of values, 2 or more, static under `jit`.

    Returns
    -------
    array, shape (..., V + 1, n)
        For each item the number of ratings of each value, and last the sum over values
        of v (v - 1) / (m - 1), with v of the m ratings of that value. An item with
        fewer than two ratings is 0 throughout; with one that is no value it is NaN.

    Raises
    ------
    TypeError
        Ratings that are not real numbers.
    ValueError
        Ratings of one axis.

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import corpus
    >>> corpus.votes([[0, 0, 1], [1, 1, np.nan], [0, np.nan, np.nan]], n_values=2)
    array([[2., 0., 0.],
           [1., 2., 0.],
           [1., 2., 0.]])
    """
    xp, (x,) = standardize(ratings, n_axes=2, what="ratings")
    if x.ndim < 2:
        msg = (
            "Expected ratings of shape (..., n, raters), those of an item on the last "
            f"axis; got shape {tuple(x.shape)}."
        )
        raise ValueError(msg)
    n, raters = x.shape[-2:]
    if raters > n > 1:
        warn_caller(
            f"Ratings of {n} items by {raters} raters each, from shape "
            f"{tuple(x.shape)}: raters are on the last axis. If there are {raters} "
            "items, pass ratings.T."
        )
    return _vote(xp, x, n_values=n_values)


@array_kernel
def _vote(xp: Library, ratings: Array, *, n_values: int) -> Array:
    values = xp.arange(n_values, dtype=ratings.dtype)[:, None, None]
    is_value = ratings[..., None, :, :] == values
    counts = xp.sum(xp.astype(is_value, ratings.dtype), axis=-1)
    n = xp.sum(counts, axis=-2, keepdims=True)
    agreeing = xp.sum(counts * (counts - 1.0), axis=-2, keepdims=True)
    agreeing = agreeing / xp.where(n > 1.0, n - 1.0, 1.0)
    both = xp.where(n > 1.0, xp.concat([counts, agreeing], axis=-2), 0.0)
    is_known = xp.any(is_value, axis=-3) | xp.isnan(ratings)
    return xp.where(xp.all(is_known, axis=-1)[..., None, :], both, math.nan)


@of_counts(lambda n: n > 2)
def krippendorff_alpha(*sums: Array) -> Array:
    """Return Krippendorff's alpha, the agreement of raters, for values without order.

    Parameters
    ----------
    *sums : array, shape (...), real
        The sums of `votes` for V values: the ratings of each, and those that agree.

    Returns
    -------
    array, shape (...)
        1 where raters agree, about 0 where they do so by chance alone; NaN where all
        ratings are of one value.

    Raises
    ------
    TypeError
        Sums that are not real, or of two libraries or devices.
    ValueError
        Fewer than 3 sums.

    Notes
    -----
    1 - (N - 1) (N - agreeing) / sum_v n_v (N - n_v), with n_v of N ratings of value v
    [1]_. Items were sampled, and raters are these: an interval is for other items.

    References
    ----------
    .. [1] A. F. Hayes, K. Krippendorff (2007). Answering the call for a standard
       reliability measure for coding data. :doi:`10.1080/19312450709336664`

    Examples
    --------
    >>> import numpy as np
    >>> from sigarray import corpus
    >>> ratings = [[0, 0, 1], [1, 1, np.nan], [2, 2, 2], [0, 0, np.nan]]
    >>> sums = corpus.votes(ratings, n_values=3).sum(axis=-1)
    >>> round(float(corpus.krippendorff_alpha(*sums)), 3)
    0.727
    """
    return measure(_krippendorff_alpha, *sums)


def _krippendorff_alpha(xp: Library, *sums: Array) -> Array:
    what = "sums of the ratings of each of 2 values or more, and of those that agree"
    split(sums, 1, what, at_least=3)
    *values, agreeing = sums
    total = add_up(values)
    differing = add_up([x * (total - x) for x in values])
    observed = (total - 1.0) * (total - agreeing)
    return 1.0 - divide(xp, observed, differing, differing > 0.0, math.nan)
