"""How far raters agree."""

import math

from sigarray._backend.aliases import Array
from sigarray._backend.checks import count
from sigarray._backend.dispatch import standardize
from sigarray._backend.kernels import array_kernel
from sigarray._backend.library import Library
from sigarray._backend.public import checked
from sigarray._backend.warn import warn_caller
from sigarray.corpus._sums import add_up, divide, may_take, measure, of_counts, split

_MAX_VALUES = 2**20


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


@of_counts
@may_take(lambda n: n > 2)
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
        Sums that are not real numbers, or of two libraries or devices.
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
